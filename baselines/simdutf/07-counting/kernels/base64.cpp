#include "base64.h"

#include "units.h"

namespace kernels {

namespace {

// What the options of a decoder accept. False: garbage, which is for the portable code.
bool known(simdutf::base64_options o, alphabet &letters) {
  switch (o) {
  case simdutf::base64_default:
    letters = alphabet::standard;
    return true;
  case simdutf::base64_url:
    letters = alphabet::url;
    return true;
  case simdutf::base64_default_or_url:
    letters = alphabet::either;
    return true;
  default:
    return false;
  }
}

alphabet written(simdutf::base64_options o) {
  return o & simdutf::base64_url ? alphabet::url : alphabet::standard;
}

} // namespace

size_t base64::binary_to_base64(const char *in, size_t n, char *out, options o) const noexcept {
  progress p = base64_encode(plain(in), n, plain(out), written(o), 0);
  return p.written + base().binary_to_base64(in + p.read, n - p.read, out + p.written, o);
}

size_t base64::binary_to_base64_with_lines(const char *in, size_t n, char *out, size_t line,
                                           options o) const noexcept {
  progress p{0, 0};
  if (line >= 4 && line % 4 == 0) {
    p = base64_encode(plain(in), n, plain(out), written(o), line);
  }
  return p.written + base().binary_to_base64_with_lines(in + p.read, n - p.read, out + p.written,
                                                        line, o);
}

simdutf::result base64::base64_to_binary(const char *in, size_t n, char *out, options o,
                                         last_chunk last) const noexcept {
  alphabet letters;
  progress p{0, 0};
  if (last == last_chunk::loose && known(o, letters)) {
    p = base64_decode(plain(in), n, plain(out), letters);
  }
  return after(p, base().base64_to_binary(in + p.read, n - p.read, out + p.written, o, last));
}

simdutf::result base64::base64_to_binary(const char16_t *in, size_t n, char *out, options o,
                                         last_chunk last) const noexcept {
  alphabet letters;
  progress p{0, 0};
  if (last == last_chunk::loose && known(o, letters)) {
    p = base64_decode(plain(in), n, plain(out), letters);
  }
  return after(p, base().base64_to_binary(in + p.read, n - p.read, out + p.written, o, last));
}

} // namespace kernels
