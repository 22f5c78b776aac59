// Step 02: from UTF-16.
#ifndef KERNELS_FROM_UTF16_H
#define KERNELS_FROM_UTF16_H

#include "from_utf8.h"

namespace kernels {

// For AVX2. `valid`: nothing is checked.
progress utf16_to_utf8(const uint16_t *in, size_t n, uint8_t *out, bool big, bool valid);
progress utf16_to_utf32(const uint16_t *in, size_t n, uint32_t *out, bool big, bool valid);

class from_utf16 : public from_utf8 {
  using result = simdutf::result;

public:
  using from_utf8::from_utf8;

  result convert_utf16le_to_utf8_with_errors(const char16_t *in, size_t n,
                                             char *out) const noexcept override;
  result convert_utf16be_to_utf8_with_errors(const char16_t *in, size_t n,
                                             char *out) const noexcept override;
  result convert_utf16le_to_utf32_with_errors(const char16_t *in, size_t n,
                                              char32_t *out) const noexcept override;
  result convert_utf16be_to_utf32_with_errors(const char16_t *in, size_t n,
                                              char32_t *out) const noexcept override;
  size_t convert_valid_utf16le_to_utf8(const char16_t *in, size_t n,
                                       char *out) const noexcept override;
  size_t convert_valid_utf16be_to_utf8(const char16_t *in, size_t n,
                                       char *out) const noexcept override;
  size_t convert_valid_utf16le_to_utf32(const char16_t *in, size_t n,
                                        char32_t *out) const noexcept override;
  size_t convert_valid_utf16be_to_utf32(const char16_t *in, size_t n,
                                        char32_t *out) const noexcept override;

protected:
  ~from_utf16() = default;
};

} // namespace kernels

#endif
