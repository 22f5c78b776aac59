// Step 03: from UTF-32.
#ifndef KERNELS_FROM_UTF32_H
#define KERNELS_FROM_UTF32_H

#include "from_utf16.h"

namespace kernels {

// For AVX2. `valid`: nothing is checked.
progress utf32_to_utf8(const uint32_t *in, size_t n, uint8_t *out, bool valid);
progress utf32_to_utf16(const uint32_t *in, size_t n, uint16_t *out, bool big, bool valid);

class from_utf32 : public from_utf16 {
  using result = simdutf::result;

public:
  using from_utf16::from_utf16;

  result convert_utf32_to_utf8_with_errors(const char32_t *in, size_t n,
                                           char *out) const noexcept override;
  result convert_utf32_to_utf16le_with_errors(const char32_t *in, size_t n,
                                              char16_t *out) const noexcept override;
  result convert_utf32_to_utf16be_with_errors(const char32_t *in, size_t n,
                                              char16_t *out) const noexcept override;
  size_t convert_valid_utf32_to_utf8(const char32_t *in, size_t n,
                                     char *out) const noexcept override;
  size_t convert_valid_utf32_to_utf16le(const char32_t *in, size_t n,
                                        char16_t *out) const noexcept override;
  size_t convert_valid_utf32_to_utf16be(const char32_t *in, size_t n,
                                        char16_t *out) const noexcept override;

protected:
  ~from_utf32() = default;
};

} // namespace kernels

#endif
