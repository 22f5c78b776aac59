#include "from_utf32.h"

#include "units.h"

namespace kernels {

simdutf::result from_utf32::convert_utf32_to_utf8_with_errors(const char32_t *in, size_t n,
                                                              char *out) const noexcept {
  progress p = utf32_to_utf8(plain(in), n, plain(out), false);
  return after(
      p, base().convert_utf32_to_utf8_with_errors(in + p.read, n - p.read, out + p.written));
}

simdutf::result from_utf32::convert_utf32_to_utf16le_with_errors(const char32_t *in, size_t n,
                                                                 char16_t *out) const noexcept {
  progress p = utf32_to_utf16(plain(in), n, plain(out), false, false);
  return after(
      p, base().convert_utf32_to_utf16le_with_errors(in + p.read, n - p.read, out + p.written));
}

simdutf::result from_utf32::convert_utf32_to_utf16be_with_errors(const char32_t *in, size_t n,
                                                                 char16_t *out) const noexcept {
  progress p = utf32_to_utf16(plain(in), n, plain(out), true, false);
  return after(
      p, base().convert_utf32_to_utf16be_with_errors(in + p.read, n - p.read, out + p.written));
}

size_t from_utf32::convert_valid_utf32_to_utf8(const char32_t *in, size_t n,
                                               char *out) const noexcept {
  progress p = utf32_to_utf8(plain(in), n, plain(out), true);
  return p.written + base().convert_valid_utf32_to_utf8(in + p.read, n - p.read, out + p.written);
}

size_t from_utf32::convert_valid_utf32_to_utf16le(const char32_t *in, size_t n,
                                                  char16_t *out) const noexcept {
  progress p = utf32_to_utf16(plain(in), n, plain(out), false, true);
  return p.written +
         base().convert_valid_utf32_to_utf16le(in + p.read, n - p.read, out + p.written);
}

size_t from_utf32::convert_valid_utf32_to_utf16be(const char32_t *in, size_t n,
                                                  char16_t *out) const noexcept {
  progress p = utf32_to_utf16(plain(in), n, plain(out), true, true);
  return p.written +
         base().convert_valid_utf32_to_utf16be(in + p.read, n - p.read, out + p.written);
}

} // namespace kernels
