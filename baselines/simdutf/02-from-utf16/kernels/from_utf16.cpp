#include "from_utf16.h"

#include "units.h"

namespace kernels {

simdutf::result from_utf16::convert_utf16le_to_utf8_with_errors(const char16_t *in, size_t n,
                                                                char *out) const noexcept {
  progress p = utf16_to_utf8(plain(in), n, plain(out), false, false);
  return after(
      p, base().convert_utf16le_to_utf8_with_errors(in + p.read, n - p.read, out + p.written));
}

simdutf::result from_utf16::convert_utf16be_to_utf8_with_errors(const char16_t *in, size_t n,
                                                                char *out) const noexcept {
  progress p = utf16_to_utf8(plain(in), n, plain(out), true, false);
  return after(
      p, base().convert_utf16be_to_utf8_with_errors(in + p.read, n - p.read, out + p.written));
}

simdutf::result from_utf16::convert_utf16le_to_utf32_with_errors(const char16_t *in, size_t n,
                                                                 char32_t *out) const noexcept {
  progress p = utf16_to_utf32(plain(in), n, plain(out), false, false);
  return after(
      p, base().convert_utf16le_to_utf32_with_errors(in + p.read, n - p.read, out + p.written));
}

simdutf::result from_utf16::convert_utf16be_to_utf32_with_errors(const char16_t *in, size_t n,
                                                                 char32_t *out) const noexcept {
  progress p = utf16_to_utf32(plain(in), n, plain(out), true, false);
  return after(
      p, base().convert_utf16be_to_utf32_with_errors(in + p.read, n - p.read, out + p.written));
}

size_t from_utf16::convert_valid_utf16le_to_utf8(const char16_t *in, size_t n,
                                                 char *out) const noexcept {
  progress p = utf16_to_utf8(plain(in), n, plain(out), false, true);
  return p.written + base().convert_valid_utf16le_to_utf8(in + p.read, n - p.read, out + p.written);
}

size_t from_utf16::convert_valid_utf16be_to_utf8(const char16_t *in, size_t n,
                                                 char *out) const noexcept {
  progress p = utf16_to_utf8(plain(in), n, plain(out), true, true);
  return p.written + base().convert_valid_utf16be_to_utf8(in + p.read, n - p.read, out + p.written);
}

size_t from_utf16::convert_valid_utf16le_to_utf32(const char16_t *in, size_t n,
                                                  char32_t *out) const noexcept {
  progress p = utf16_to_utf32(plain(in), n, plain(out), false, true);
  return p.written +
         base().convert_valid_utf16le_to_utf32(in + p.read, n - p.read, out + p.written);
}

size_t from_utf16::convert_valid_utf16be_to_utf32(const char16_t *in, size_t n,
                                                  char32_t *out) const noexcept {
  progress p = utf16_to_utf32(plain(in), n, plain(out), true, true);
  return p.written +
         base().convert_valid_utf16be_to_utf32(in + p.read, n - p.read, out + p.written);
}

} // namespace kernels
