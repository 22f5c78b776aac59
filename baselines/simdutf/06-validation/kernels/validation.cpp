#include "validation.h"

#include "units.h"

namespace kernels {

simdutf::result validation::validate_ascii_with_errors(const char *in, size_t n) const noexcept {
  size_t done = valid_ascii(plain(in), n);
  return after({done, done}, base().validate_ascii_with_errors(in + done, n - done));
}

simdutf::result validation::validate_utf8_with_errors(const char *in, size_t n) const noexcept {
  size_t done = valid_utf8(plain(in), n);
  return after({done, done}, base().validate_utf8_with_errors(in + done, n - done));
}

simdutf::result validation::validate_utf16le_with_errors(const char16_t *in,
                                                         size_t n) const noexcept {
  size_t done = valid_utf16(plain(in), n, false);
  return after({done, done}, base().validate_utf16le_with_errors(in + done, n - done));
}

simdutf::result validation::validate_utf16be_with_errors(const char16_t *in,
                                                         size_t n) const noexcept {
  size_t done = valid_utf16(plain(in), n, true);
  return after({done, done}, base().validate_utf16be_with_errors(in + done, n - done));
}

simdutf::result validation::validate_utf32_with_errors(const char32_t *in,
                                                       size_t n) const noexcept {
  size_t done = valid_utf32(plain(in), n);
  return after({done, done}, base().validate_utf32_with_errors(in + done, n - done));
}

} // namespace kernels
