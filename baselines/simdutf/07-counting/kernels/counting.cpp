#include "counting.h"

#include "units.h"

namespace kernels {

size_t counting::count_utf8(const char *in, size_t n) const noexcept {
  return kernels::count_utf8(plain(in), n);
}

size_t counting::count_utf16le(const char16_t *in, size_t n) const noexcept {
  return kernels::count_utf16(plain(in), n, false);
}

size_t counting::count_utf16be(const char16_t *in, size_t n) const noexcept {
  return kernels::count_utf16(plain(in), n, true);
}

size_t counting::utf16_length_from_utf8(const char *in, size_t n) const noexcept {
  return kernels::utf16_length_from_utf8(plain(in), n);
}

size_t counting::utf8_length_from_latin1(const char *in, size_t n) const noexcept {
  return kernels::utf8_length_from_latin1(plain(in), n);
}

size_t counting::utf8_length_from_utf16le(const char16_t *in, size_t n) const noexcept {
  return kernels::utf8_length_from_utf16(plain(in), n, false);
}

size_t counting::utf8_length_from_utf16be(const char16_t *in, size_t n) const noexcept {
  return kernels::utf8_length_from_utf16(plain(in), n, true);
}

size_t counting::utf8_length_from_utf32(const char32_t *in, size_t n) const noexcept {
  return kernels::utf8_length_from_utf32(plain(in), n);
}

size_t counting::utf16_length_from_utf32(const char32_t *in, size_t n) const noexcept {
  return kernels::utf16_length_from_utf32(plain(in), n);
}

void counting::change_endianness_utf16(const char16_t *in, size_t n, char16_t *out) const noexcept {
  size_t done = swap_utf16(plain(in), n, plain(out));
  base().change_endianness_utf16(in + done, n - done, out + done);
}

void counting::to_well_formed_utf16le(const char16_t *in, size_t n, char16_t *out) const noexcept {
  size_t done = well_formed_utf16(plain(in), n, plain(out), false);
  base().to_well_formed_utf16le(in + done, n - done, out + done);
}

void counting::to_well_formed_utf16be(const char16_t *in, size_t n, char16_t *out) const noexcept {
  size_t done = well_formed_utf16(plain(in), n, plain(out), true);
  base().to_well_formed_utf16be(in + done, n - done, out + done);
}

} // namespace kernels
