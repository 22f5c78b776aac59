#include "from_utf8.h"

#include "units.h"

namespace kernels {

simdutf::result from_utf8::convert_utf8_to_utf16le_with_errors(const char *in, size_t n,
                                                               char16_t *out) const noexcept {
  progress p = utf8_to_utf16(plain(in), n, plain(out), false, false);
  return after(p, base().convert_utf8_to_utf16le_with_errors(in + p.read, n - p.read,
                                                             out + p.written));
}

simdutf::result from_utf8::convert_utf8_to_utf16be_with_errors(const char *in, size_t n,
                                                               char16_t *out) const noexcept {
  progress p = utf8_to_utf16(plain(in), n, plain(out), true, false);
  return after(p, base().convert_utf8_to_utf16be_with_errors(in + p.read, n - p.read,
                                                             out + p.written));
}

simdutf::result from_utf8::convert_utf8_to_utf32_with_errors(const char *in, size_t n,
                                                             char32_t *out) const noexcept {
  progress p = utf8_to_utf32(plain(in), n, plain(out), false);
  return after(p,
               base().convert_utf8_to_utf32_with_errors(in + p.read, n - p.read, out + p.written));
}

simdutf::result from_utf8::convert_utf8_to_latin1_with_errors(const char *in, size_t n,
                                                              char *out) const noexcept {
  progress p = utf8_to_latin1(plain(in), n, plain(out), false);
  return after(p,
               base().convert_utf8_to_latin1_with_errors(in + p.read, n - p.read, out + p.written));
}

size_t from_utf8::convert_valid_utf8_to_utf16le(const char *in, size_t n,
                                                char16_t *out) const noexcept {
  progress p = utf8_to_utf16(plain(in), n, plain(out), false, true);
  return p.written + base().convert_valid_utf8_to_utf16le(in + p.read, n - p.read, out + p.written);
}

size_t from_utf8::convert_valid_utf8_to_utf16be(const char *in, size_t n,
                                                char16_t *out) const noexcept {
  progress p = utf8_to_utf16(plain(in), n, plain(out), true, true);
  return p.written + base().convert_valid_utf8_to_utf16be(in + p.read, n - p.read, out + p.written);
}

size_t from_utf8::convert_valid_utf8_to_utf32(const char *in, size_t n,
                                              char32_t *out) const noexcept {
  progress p = utf8_to_utf32(plain(in), n, plain(out), true);
  return p.written + base().convert_valid_utf8_to_utf32(in + p.read, n - p.read, out + p.written);
}

size_t from_utf8::convert_valid_utf8_to_latin1(const char *in, size_t n,
                                               char *out) const noexcept {
  progress p = utf8_to_latin1(plain(in), n, plain(out), true);
  return p.written + base().convert_valid_utf8_to_latin1(in + p.read, n - p.read, out + p.written);
}

} // namespace kernels
