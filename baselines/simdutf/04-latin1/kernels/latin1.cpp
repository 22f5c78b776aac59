#include "latin1.h"

#include "units.h"

namespace kernels {

size_t latin1::convert_latin1_to_utf8(const char *in, size_t n, char *out) const noexcept {
  progress p = latin1_to_utf8(plain(in), n, plain(out));
  return p.written + base().convert_latin1_to_utf8(in + p.read, n - p.read, out + p.written);
}

size_t latin1::convert_latin1_to_utf16le(const char *in, size_t n, char16_t *out) const noexcept {
  size_t done = latin1_to_utf16(plain(in), n, plain(out), false);
  return done + base().convert_latin1_to_utf16le(in + done, n - done, out + done);
}

size_t latin1::convert_latin1_to_utf16be(const char *in, size_t n, char16_t *out) const noexcept {
  size_t done = latin1_to_utf16(plain(in), n, plain(out), true);
  return done + base().convert_latin1_to_utf16be(in + done, n - done, out + done);
}

size_t latin1::convert_latin1_to_utf32(const char *in, size_t n, char32_t *out) const noexcept {
  size_t done = latin1_to_utf32(plain(in), n, plain(out));
  return done + base().convert_latin1_to_utf32(in + done, n - done, out + done);
}

simdutf::result latin1::convert_utf16le_to_latin1_with_errors(const char16_t *in, size_t n,
                                                              char *out) const noexcept {
  size_t done = utf16_to_latin1(plain(in), n, plain(out), false, false);
  return after({done, done},
               base().convert_utf16le_to_latin1_with_errors(in + done, n - done, out + done));
}

simdutf::result latin1::convert_utf16be_to_latin1_with_errors(const char16_t *in, size_t n,
                                                              char *out) const noexcept {
  size_t done = utf16_to_latin1(plain(in), n, plain(out), true, false);
  return after({done, done},
               base().convert_utf16be_to_latin1_with_errors(in + done, n - done, out + done));
}

simdutf::result latin1::convert_utf32_to_latin1_with_errors(const char32_t *in, size_t n,
                                                            char *out) const noexcept {
  size_t done = utf32_to_latin1(plain(in), n, plain(out), false);
  return after({done, done},
               base().convert_utf32_to_latin1_with_errors(in + done, n - done, out + done));
}

size_t latin1::convert_valid_utf16le_to_latin1(const char16_t *in, size_t n,
                                               char *out) const noexcept {
  size_t done = utf16_to_latin1(plain(in), n, plain(out), false, true);
  return done + base().convert_valid_utf16le_to_latin1(in + done, n - done, out + done);
}

size_t latin1::convert_valid_utf16be_to_latin1(const char16_t *in, size_t n,
                                               char *out) const noexcept {
  size_t done = utf16_to_latin1(plain(in), n, plain(out), true, true);
  return done + base().convert_valid_utf16be_to_latin1(in + done, n - done, out + done);
}

size_t latin1::convert_valid_utf32_to_latin1(const char32_t *in, size_t n,
                                             char *out) const noexcept {
  size_t done = utf32_to_latin1(plain(in), n, plain(out), true);
  return done + base().convert_valid_utf32_to_latin1(in + done, n - done, out + done);
}

} // namespace kernels
