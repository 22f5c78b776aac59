// Step 07: counting, lengths and mending.
#ifndef KERNELS_COUNTING_H
#define KERNELS_COUNTING_H

#include "validation.h"

namespace kernels {

// For AVX2.
size_t count_utf8(const uint8_t *in, size_t n);
size_t count_utf16(const uint16_t *in, size_t n, bool big);
size_t utf16_length_from_utf8(const uint8_t *in, size_t n);
size_t utf8_length_from_latin1(const uint8_t *in, size_t n);
size_t utf8_length_from_utf16(const uint16_t *in, size_t n, bool big);
size_t utf8_length_from_utf32(const uint32_t *in, size_t n);
size_t utf16_length_from_utf32(const uint32_t *in, size_t n);

// For AVX2. All units or none are done.
size_t swap_utf16(const uint16_t *in, size_t n, uint16_t *out);
size_t well_formed_utf16(const uint16_t *in, size_t n, uint16_t *out, bool big);

class counting : public validation {
public:
  using validation::validation;

  size_t count_utf8(const char *in, size_t n) const noexcept override;
  size_t count_utf16le(const char16_t *in, size_t n) const noexcept override;
  size_t count_utf16be(const char16_t *in, size_t n) const noexcept override;
  size_t utf16_length_from_utf8(const char *in, size_t n) const noexcept override;
  size_t utf8_length_from_latin1(const char *in, size_t n) const noexcept override;
  size_t utf8_length_from_utf16le(const char16_t *in, size_t n) const noexcept override;
  size_t utf8_length_from_utf16be(const char16_t *in, size_t n) const noexcept override;
  size_t utf8_length_from_utf32(const char32_t *in, size_t n) const noexcept override;
  size_t utf16_length_from_utf32(const char32_t *in, size_t n) const noexcept override;
  void change_endianness_utf16(const char16_t *in, size_t n, char16_t *out) const noexcept override;
  void to_well_formed_utf16le(const char16_t *in, size_t n, char16_t *out) const noexcept override;
  void to_well_formed_utf16be(const char16_t *in, size_t n, char16_t *out) const noexcept override;

protected:
  ~counting() = default;
};

} // namespace kernels

#endif
