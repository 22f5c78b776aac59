// Step 01: from UTF-8.
#ifndef KERNELS_FROM_UTF8_H
#define KERNELS_FROM_UTF8_H

#include "portable.h"

namespace kernels {

// For AVX2. `valid`: nothing is checked.
progress utf8_to_utf16(const uint8_t *in, size_t n, uint16_t *out, bool big, bool valid);
progress utf8_to_utf32(const uint8_t *in, size_t n, uint32_t *out, bool valid);
progress utf8_to_latin1(const uint8_t *in, size_t n, uint8_t *out, bool valid);

class from_utf8 : public portable {
  using result = simdutf::result;

public:
  using portable::portable;

  result convert_utf8_to_utf16le_with_errors(const char *in, size_t n,
                                             char16_t *out) const noexcept override;
  result convert_utf8_to_utf16be_with_errors(const char *in, size_t n,
                                             char16_t *out) const noexcept override;
  result convert_utf8_to_utf32_with_errors(const char *in, size_t n,
                                           char32_t *out) const noexcept override;
  result convert_utf8_to_latin1_with_errors(const char *in, size_t n,
                                            char *out) const noexcept override;
  size_t convert_valid_utf8_to_utf16le(const char *in, size_t n,
                                       char16_t *out) const noexcept override;
  size_t convert_valid_utf8_to_utf16be(const char *in, size_t n,
                                       char16_t *out) const noexcept override;
  size_t convert_valid_utf8_to_utf32(const char *in, size_t n,
                                     char32_t *out) const noexcept override;
  size_t convert_valid_utf8_to_latin1(const char *in, size_t n, char *out) const noexcept override;

protected:
  ~from_utf8() = default;
};

} // namespace kernels

#endif
