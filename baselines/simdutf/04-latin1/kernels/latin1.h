// Step 04: Latin-1 both ways.
#ifndef KERNELS_LATIN1_H
#define KERNELS_LATIN1_H

#include "from_utf32.h"

namespace kernels {

// For AVX2. `valid`: nothing is checked. Where a unit becomes a unit, how many there are done.
progress latin1_to_utf8(const uint8_t *in, size_t n, uint8_t *out);
size_t latin1_to_utf16(const uint8_t *in, size_t n, uint16_t *out, bool big);
size_t latin1_to_utf32(const uint8_t *in, size_t n, uint32_t *out);
size_t utf16_to_latin1(const uint16_t *in, size_t n, uint8_t *out, bool big, bool valid);
size_t utf32_to_latin1(const uint32_t *in, size_t n, uint8_t *out, bool valid);

class latin1 : public from_utf32 {
  using result = simdutf::result;

public:
  using from_utf32::from_utf32;

  size_t convert_latin1_to_utf8(const char *in, size_t n, char *out) const noexcept override;
  size_t convert_latin1_to_utf16le(const char *in, size_t n, char16_t *out) const noexcept override;
  size_t convert_latin1_to_utf16be(const char *in, size_t n, char16_t *out) const noexcept override;
  size_t convert_latin1_to_utf32(const char *in, size_t n, char32_t *out) const noexcept override;
  result convert_utf16le_to_latin1_with_errors(const char16_t *in, size_t n,
                                               char *out) const noexcept override;
  result convert_utf16be_to_latin1_with_errors(const char16_t *in, size_t n,
                                               char *out) const noexcept override;
  result convert_utf32_to_latin1_with_errors(const char32_t *in, size_t n,
                                             char *out) const noexcept override;
  size_t convert_valid_utf16le_to_latin1(const char16_t *in, size_t n,
                                         char *out) const noexcept override;
  size_t convert_valid_utf16be_to_latin1(const char16_t *in, size_t n,
                                         char *out) const noexcept override;
  size_t convert_valid_utf32_to_latin1(const char32_t *in, size_t n,
                                       char *out) const noexcept override;

protected:
  ~latin1() = default;
};

} // namespace kernels

#endif
