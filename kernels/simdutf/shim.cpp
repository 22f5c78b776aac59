// C exports over simdutf's public functions. Each call goes through upstream's own dispatch: the
// best implementation that is compiled in and that the CPU supports.

#include "simdutf.h"
#include "su.h"

namespace {

const char *chars(const uint8_t *p) { return reinterpret_cast<const char *>(p); }
const char16_t *chars(const uint16_t *p) { return reinterpret_cast<const char16_t *>(p); }
const char32_t *chars(const uint32_t *p) { return reinterpret_cast<const char32_t *>(p); }
char *chars(uint8_t *p) { return reinterpret_cast<char *>(p); }
char16_t *chars(uint16_t *p) { return reinterpret_cast<char16_t *>(p); }
char32_t *chars(uint32_t *p) { return reinterpret_cast<char32_t *>(p); }

// Upstream's `count` is the number of units written, or else the place of the error.
size_t converted(simdutf::result r, size_t n, uint32_t *err, size_t *pos) {
  *err = r.error;
  *pos = r.error ? r.count : n;
  return r.error ? 0 : r.count;
}

uint32_t validated(simdutf::result r, size_t n, size_t *pos) {
  *pos = r.error ? r.count : n;
  return r.error;
}

} // namespace

extern "C" {

size_t su_utf8_to_utf16le(const uint8_t *in, size_t n, uint16_t *out, uint32_t *err, size_t *pos) {
  return converted(simdutf::convert_utf8_to_utf16le_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_utf8_to_utf16be(const uint8_t *in, size_t n, uint16_t *out, uint32_t *err, size_t *pos) {
  return converted(simdutf::convert_utf8_to_utf16be_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_utf8_to_utf32(const uint8_t *in, size_t n, uint32_t *out, uint32_t *err, size_t *pos) {
  return converted(simdutf::convert_utf8_to_utf32_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_utf8_to_latin1(const uint8_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos) {
  return converted(simdutf::convert_utf8_to_latin1_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_valid_utf8_to_utf16le(const uint8_t *in, size_t n, uint16_t *out) {
  return simdutf::convert_valid_utf8_to_utf16le(chars(in), n, chars(out));
}

size_t su_valid_utf8_to_utf16be(const uint8_t *in, size_t n, uint16_t *out) {
  return simdutf::convert_valid_utf8_to_utf16be(chars(in), n, chars(out));
}

size_t su_valid_utf8_to_utf32(const uint8_t *in, size_t n, uint32_t *out) {
  return simdutf::convert_valid_utf8_to_utf32(chars(in), n, chars(out));
}

size_t su_valid_utf8_to_latin1(const uint8_t *in, size_t n, uint8_t *out) {
  return simdutf::convert_valid_utf8_to_latin1(chars(in), n, chars(out));
}

size_t su_utf16le_to_utf8(const uint16_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos) {
  return converted(simdutf::convert_utf16le_to_utf8_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_utf16be_to_utf8(const uint16_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos) {
  return converted(simdutf::convert_utf16be_to_utf8_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_utf16le_to_utf32(const uint16_t *in, size_t n, uint32_t *out, uint32_t *err,
                           size_t *pos) {
  return converted(simdutf::convert_utf16le_to_utf32_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_utf16be_to_utf32(const uint16_t *in, size_t n, uint32_t *out, uint32_t *err,
                           size_t *pos) {
  return converted(simdutf::convert_utf16be_to_utf32_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_valid_utf16le_to_utf8(const uint16_t *in, size_t n, uint8_t *out) {
  return simdutf::convert_valid_utf16le_to_utf8(chars(in), n, chars(out));
}

size_t su_valid_utf16be_to_utf8(const uint16_t *in, size_t n, uint8_t *out) {
  return simdutf::convert_valid_utf16be_to_utf8(chars(in), n, chars(out));
}

size_t su_valid_utf16le_to_utf32(const uint16_t *in, size_t n, uint32_t *out) {
  return simdutf::convert_valid_utf16le_to_utf32(chars(in), n, chars(out));
}

size_t su_valid_utf16be_to_utf32(const uint16_t *in, size_t n, uint32_t *out) {
  return simdutf::convert_valid_utf16be_to_utf32(chars(in), n, chars(out));
}

size_t su_utf32_to_utf8(const uint32_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos) {
  return converted(simdutf::convert_utf32_to_utf8_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_utf32_to_utf16le(const uint32_t *in, size_t n, uint16_t *out, uint32_t *err,
                           size_t *pos) {
  return converted(simdutf::convert_utf32_to_utf16le_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_utf32_to_utf16be(const uint32_t *in, size_t n, uint16_t *out, uint32_t *err,
                           size_t *pos) {
  return converted(simdutf::convert_utf32_to_utf16be_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_valid_utf32_to_utf8(const uint32_t *in, size_t n, uint8_t *out) {
  return simdutf::convert_valid_utf32_to_utf8(chars(in), n, chars(out));
}

size_t su_valid_utf32_to_utf16le(const uint32_t *in, size_t n, uint16_t *out) {
  return simdutf::convert_valid_utf32_to_utf16le(chars(in), n, chars(out));
}

size_t su_valid_utf32_to_utf16be(const uint32_t *in, size_t n, uint16_t *out) {
  return simdutf::convert_valid_utf32_to_utf16be(chars(in), n, chars(out));
}

size_t su_latin1_to_utf8(const uint8_t *in, size_t n, uint8_t *out) {
  return simdutf::convert_latin1_to_utf8(chars(in), n, chars(out));
}

size_t su_latin1_to_utf16le(const uint8_t *in, size_t n, uint16_t *out) {
  return simdutf::convert_latin1_to_utf16le(chars(in), n, chars(out));
}

size_t su_latin1_to_utf16be(const uint8_t *in, size_t n, uint16_t *out) {
  return simdutf::convert_latin1_to_utf16be(chars(in), n, chars(out));
}

size_t su_latin1_to_utf32(const uint8_t *in, size_t n, uint32_t *out) {
  return simdutf::convert_latin1_to_utf32(chars(in), n, chars(out));
}

size_t su_utf16le_to_latin1(const uint16_t *in, size_t n, uint8_t *out, uint32_t *err,
                            size_t *pos) {
  return converted(simdutf::convert_utf16le_to_latin1_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_utf16be_to_latin1(const uint16_t *in, size_t n, uint8_t *out, uint32_t *err,
                            size_t *pos) {
  return converted(simdutf::convert_utf16be_to_latin1_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_utf32_to_latin1(const uint32_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos) {
  return converted(simdutf::convert_utf32_to_latin1_with_errors(chars(in), n, chars(out)), n, err,
                   pos);
}

size_t su_valid_utf16le_to_latin1(const uint16_t *in, size_t n, uint8_t *out) {
  return simdutf::convert_valid_utf16le_to_latin1(chars(in), n, chars(out));
}

size_t su_valid_utf32_to_latin1(const uint32_t *in, size_t n, uint8_t *out) {
  return simdutf::convert_valid_utf32_to_latin1(chars(in), n, chars(out));
}

size_t su_base64_encode(const uint8_t *in, size_t n, uint8_t *out) {
  return simdutf::binary_to_base64(chars(in), n, chars(out));
}

size_t su_base64_encode_url(const uint8_t *in, size_t n, uint8_t *out) {
  return simdutf::binary_to_base64(chars(in), n, chars(out), simdutf::base64_url);
}

size_t su_base64_encode_lines(const uint8_t *in, size_t n, uint8_t *out) {
  return simdutf::binary_to_base64_with_lines(chars(in), n, chars(out));
}

size_t su_base64_decode(const uint8_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos) {
  return converted(simdutf::base64_to_binary(chars(in), n, chars(out)), n, err, pos);
}

size_t su_base64_decode_utf16(const uint16_t *in, size_t n, uint8_t *out, uint32_t *err,
                              size_t *pos) {
  return converted(simdutf::base64_to_binary(chars(in), n, chars(out)), n, err, pos);
}

size_t su_base64_decode_either(const uint8_t *in, size_t n, uint8_t *out, uint32_t *err,
                               size_t *pos) {
  const simdutf::result r =
      simdutf::base64_to_binary(chars(in), n, chars(out), simdutf::base64_default_or_url);
  return converted(r, n, err, pos);
}

uint32_t su_validate_ascii(const uint8_t *in, size_t n, size_t *pos) {
  return validated(simdutf::validate_ascii_with_errors(chars(in), n), n, pos);
}

uint32_t su_validate_utf8(const uint8_t *in, size_t n, size_t *pos) {
  return validated(simdutf::validate_utf8_with_errors(chars(in), n), n, pos);
}

uint32_t su_validate_utf16le(const uint16_t *in, size_t n, size_t *pos) {
  return validated(simdutf::validate_utf16le_with_errors(chars(in), n), n, pos);
}

uint32_t su_validate_utf16be(const uint16_t *in, size_t n, size_t *pos) {
  return validated(simdutf::validate_utf16be_with_errors(chars(in), n), n, pos);
}

uint32_t su_validate_utf32(const uint32_t *in, size_t n, size_t *pos) {
  return validated(simdutf::validate_utf32_with_errors(chars(in), n), n, pos);
}

size_t su_count_utf8(const uint8_t *in, size_t n) {
  return simdutf::count_utf8(chars(in), n);
}

size_t su_count_utf16le(const uint16_t *in, size_t n) {
  return simdutf::count_utf16le(chars(in), n);
}

size_t su_count_utf16be(const uint16_t *in, size_t n) {
  return simdutf::count_utf16be(chars(in), n);
}

size_t su_utf16_length_from_utf8(const uint8_t *in, size_t n) {
  return simdutf::utf16_length_from_utf8(chars(in), n);
}

size_t su_utf8_length_from_latin1(const uint8_t *in, size_t n) {
  return simdutf::utf8_length_from_latin1(chars(in), n);
}

size_t su_utf8_length_from_utf16le(const uint16_t *in, size_t n) {
  return simdutf::utf8_length_from_utf16le(chars(in), n);
}

size_t su_utf8_length_from_utf16be(const uint16_t *in, size_t n) {
  return simdutf::utf8_length_from_utf16be(chars(in), n);
}

size_t su_utf8_length_from_utf32(const uint32_t *in, size_t n) {
  return simdutf::utf8_length_from_utf32(chars(in), n);
}

size_t su_utf16_length_from_utf32(const uint32_t *in, size_t n) {
  return simdutf::utf16_length_from_utf32(chars(in), n);
}

void su_change_endianness_utf16(const uint16_t *in, size_t n, uint16_t *out) {
  simdutf::change_endianness_utf16(chars(in), n, chars(out));
}

void su_to_well_formed_utf16le(const uint16_t *in, size_t n, uint16_t *out) {
  simdutf::to_well_formed_utf16le(chars(in), n, chars(out));
}

void su_to_well_formed_utf16be(const uint16_t *in, size_t n, uint16_t *out) {
  simdutf::to_well_formed_utf16be(chars(in), n, chars(out));
}

} // extern "C"
