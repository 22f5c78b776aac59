// Step 06: validation.
#ifndef KERNELS_VALIDATION_H
#define KERNELS_VALIDATION_H

#include "base64.h"

namespace kernels {

// For AVX2. How many units at the front, up to the end of a character, are right.
size_t valid_ascii(const uint8_t *in, size_t n);
size_t valid_utf8(const uint8_t *in, size_t n);
size_t valid_utf16(const uint16_t *in, size_t n, bool big);
size_t valid_utf32(const uint32_t *in, size_t n);

class validation : public base64 {
  using result = simdutf::result;

public:
  using base64::base64;

  result validate_ascii_with_errors(const char *in, size_t n) const noexcept override;
  result validate_utf8_with_errors(const char *in, size_t n) const noexcept override;
  result validate_utf16le_with_errors(const char16_t *in, size_t n) const noexcept override;
  result validate_utf16be_with_errors(const char16_t *in, size_t n) const noexcept override;
  result validate_utf32_with_errors(const char32_t *in, size_t n) const noexcept override;

protected:
  ~validation() = default;
};

} // namespace kernels

#endif
