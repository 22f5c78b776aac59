// Upstream's portable implementation, once more: the bottom of the layers that the steps put on top
// of each other. It needs no vector instructions and can be derived from.
#ifndef KERNELS_PORTABLE_H
#define KERNELS_PORTABLE_H

#include "simdutf.h"

namespace kernels {

// How far a kernel got: units read and written, both at the end of a character. Whatever is left,
// an error above all, is for the portable code.
struct progress {
  size_t read, written;
};

class portable : public simdutf::implementation {
  using result = simdutf::result;
  using full_result = simdutf::full_result;
  using base64_options = simdutf::base64_options;
  using last_chunk_handling_options = simdutf::last_chunk_handling_options;

public:
  portable(const char *name, const char *description, uint32_t needs)
      : simdutf::implementation(name, description, needs) {}

  int detect_encodings(const char *in, size_t n) const noexcept override {
    return base().detect_encodings(in, n);
  }
  bool validate_utf8(const char *in, size_t n) const noexcept override {
    return base().validate_utf8(in, n);
  }
  result validate_utf8_with_errors(const char *in, size_t n) const noexcept override {
    return base().validate_utf8_with_errors(in, n);
  }
  bool validate_ascii(const char *in, size_t n) const noexcept override {
    return base().validate_ascii(in, n);
  }
  result validate_ascii_with_errors(const char *in, size_t n) const noexcept override {
    return base().validate_ascii_with_errors(in, n);
  }
  bool validate_utf16be_as_ascii(const char16_t *in, size_t n) const noexcept override {
    return base().validate_utf16be_as_ascii(in, n);
  }
  bool validate_utf16le_as_ascii(const char16_t *in, size_t n) const noexcept override {
    return base().validate_utf16le_as_ascii(in, n);
  }
  bool validate_utf16le(const char16_t *in, size_t n) const noexcept override {
    return base().validate_utf16le(in, n);
  }
  bool validate_utf16be(const char16_t *in, size_t n) const noexcept override {
    return base().validate_utf16be(in, n);
  }
  result validate_utf16le_with_errors(const char16_t *in, size_t n) const noexcept override {
    return base().validate_utf16le_with_errors(in, n);
  }
  result validate_utf16be_with_errors(const char16_t *in, size_t n) const noexcept override {
    return base().validate_utf16be_with_errors(in, n);
  }
  void to_well_formed_utf16le(const char16_t *in, size_t n, char16_t *out) const noexcept override {
    base().to_well_formed_utf16le(in, n, out);
  }
  void to_well_formed_utf16be(const char16_t *in, size_t n, char16_t *out) const noexcept override {
    base().to_well_formed_utf16be(in, n, out);
  }
  bool validate_utf32(const char32_t *in, size_t n) const noexcept override {
    return base().validate_utf32(in, n);
  }
  result validate_utf32_with_errors(const char32_t *in, size_t n) const noexcept override {
    return base().validate_utf32_with_errors(in, n);
  }
  size_t convert_latin1_to_utf8(const char *in, size_t n, char *out) const noexcept override {
    return base().convert_latin1_to_utf8(in, n, out);
  }
  size_t convert_latin1_to_utf16le(const char *in, size_t n,
                                   char16_t *out) const noexcept override {
    return base().convert_latin1_to_utf16le(in, n, out);
  }
  size_t convert_latin1_to_utf16be(const char *in, size_t n,
                                   char16_t *out) const noexcept override {
    return base().convert_latin1_to_utf16be(in, n, out);
  }
  size_t convert_latin1_to_utf32(const char *in, size_t n, char32_t *out) const noexcept override {
    return base().convert_latin1_to_utf32(in, n, out);
  }
  size_t convert_utf8_to_latin1(const char *in, size_t n, char *out) const noexcept override {
    return base().convert_utf8_to_latin1(in, n, out);
  }
  result convert_utf8_to_latin1_with_errors(const char *in, size_t n,
                                            char *out) const noexcept override {
    return base().convert_utf8_to_latin1_with_errors(in, n, out);
  }
  size_t convert_valid_utf8_to_latin1(const char *in, size_t n, char *out) const noexcept override {
    return base().convert_valid_utf8_to_latin1(in, n, out);
  }
  size_t convert_utf8_to_utf16le(const char *in, size_t n, char16_t *out) const noexcept override {
    return base().convert_utf8_to_utf16le(in, n, out);
  }
  size_t convert_utf8_to_utf16be(const char *in, size_t n, char16_t *out) const noexcept override {
    return base().convert_utf8_to_utf16be(in, n, out);
  }
  result convert_utf8_to_utf16le_with_errors(const char *in, size_t n,
                                             char16_t *out) const noexcept override {
    return base().convert_utf8_to_utf16le_with_errors(in, n, out);
  }
  result convert_utf8_to_utf16be_with_errors(const char *in, size_t n,
                                             char16_t *out) const noexcept override {
    return base().convert_utf8_to_utf16be_with_errors(in, n, out);
  }
  result utf8_length_from_utf16le_with_replacement(const char16_t *in,
                                                   size_t n) const noexcept override {
    return base().utf8_length_from_utf16le_with_replacement(in, n);
  }
  result utf8_length_from_utf16be_with_replacement(const char16_t *in,
                                                   size_t n) const noexcept override {
    return base().utf8_length_from_utf16be_with_replacement(in, n);
  }
  size_t convert_utf8_to_utf32(const char *in, size_t n, char32_t *out) const noexcept override {
    return base().convert_utf8_to_utf32(in, n, out);
  }
  result convert_utf8_to_utf32_with_errors(const char *in, size_t n,
                                           char32_t *out) const noexcept override {
    return base().convert_utf8_to_utf32_with_errors(in, n, out);
  }
  size_t convert_valid_utf8_to_utf16le(const char *in, size_t n,
                                       char16_t *out) const noexcept override {
    return base().convert_valid_utf8_to_utf16le(in, n, out);
  }
  size_t convert_valid_utf8_to_utf16be(const char *in, size_t n,
                                       char16_t *out) const noexcept override {
    return base().convert_valid_utf8_to_utf16be(in, n, out);
  }
  size_t convert_valid_utf8_to_utf32(const char *in, size_t n,
                                     char32_t *out) const noexcept override {
    return base().convert_valid_utf8_to_utf32(in, n, out);
  }
  size_t utf16_length_from_utf8(const char *in, size_t n) const noexcept override {
    return base().utf16_length_from_utf8(in, n);
  }
  size_t utf32_length_from_utf8(const char *in, size_t n) const noexcept override {
    return base().utf32_length_from_utf8(in, n);
  }
  size_t convert_utf16le_to_latin1(const char16_t *in, size_t n,
                                   char *out) const noexcept override {
    return base().convert_utf16le_to_latin1(in, n, out);
  }
  size_t convert_utf16be_to_latin1(const char16_t *in, size_t n,
                                   char *out) const noexcept override {
    return base().convert_utf16be_to_latin1(in, n, out);
  }
  result convert_utf16le_to_latin1_with_errors(const char16_t *in, size_t n,
                                               char *out) const noexcept override {
    return base().convert_utf16le_to_latin1_with_errors(in, n, out);
  }
  result convert_utf16be_to_latin1_with_errors(const char16_t *in, size_t n,
                                               char *out) const noexcept override {
    return base().convert_utf16be_to_latin1_with_errors(in, n, out);
  }
  size_t convert_valid_utf16le_to_latin1(const char16_t *in, size_t n,
                                         char *out) const noexcept override {
    return base().convert_valid_utf16le_to_latin1(in, n, out);
  }
  size_t convert_valid_utf16be_to_latin1(const char16_t *in, size_t n,
                                         char *out) const noexcept override {
    return base().convert_valid_utf16be_to_latin1(in, n, out);
  }
  size_t convert_utf16le_to_utf8(const char16_t *in, size_t n, char *out) const noexcept override {
    return base().convert_utf16le_to_utf8(in, n, out);
  }
  size_t convert_utf16be_to_utf8(const char16_t *in, size_t n, char *out) const noexcept override {
    return base().convert_utf16be_to_utf8(in, n, out);
  }
  result convert_utf16le_to_utf8_with_errors(const char16_t *in, size_t n,
                                             char *out) const noexcept override {
    return base().convert_utf16le_to_utf8_with_errors(in, n, out);
  }
  result convert_utf16be_to_utf8_with_errors(const char16_t *in, size_t n,
                                             char *out) const noexcept override {
    return base().convert_utf16be_to_utf8_with_errors(in, n, out);
  }
  size_t convert_valid_utf16le_to_utf8(const char16_t *in, size_t n,
                                       char *out) const noexcept override {
    return base().convert_valid_utf16le_to_utf8(in, n, out);
  }
  size_t convert_valid_utf16be_to_utf8(const char16_t *in, size_t n,
                                       char *out) const noexcept override {
    return base().convert_valid_utf16be_to_utf8(in, n, out);
  }
  size_t convert_utf16le_to_utf32(const char16_t *in, size_t n,
                                  char32_t *out) const noexcept override {
    return base().convert_utf16le_to_utf32(in, n, out);
  }
  size_t convert_utf16be_to_utf32(const char16_t *in, size_t n,
                                  char32_t *out) const noexcept override {
    return base().convert_utf16be_to_utf32(in, n, out);
  }
  result convert_utf16le_to_utf32_with_errors(const char16_t *in, size_t n,
                                              char32_t *out) const noexcept override {
    return base().convert_utf16le_to_utf32_with_errors(in, n, out);
  }
  result convert_utf16be_to_utf32_with_errors(const char16_t *in, size_t n,
                                              char32_t *out) const noexcept override {
    return base().convert_utf16be_to_utf32_with_errors(in, n, out);
  }
  size_t convert_valid_utf16le_to_utf32(const char16_t *in, size_t n,
                                        char32_t *out) const noexcept override {
    return base().convert_valid_utf16le_to_utf32(in, n, out);
  }
  size_t convert_valid_utf16be_to_utf32(const char16_t *in, size_t n,
                                        char32_t *out) const noexcept override {
    return base().convert_valid_utf16be_to_utf32(in, n, out);
  }
  size_t utf8_length_from_utf16le(const char16_t *in, size_t n) const noexcept override {
    return base().utf8_length_from_utf16le(in, n);
  }
  size_t utf8_length_from_utf16be(const char16_t *in, size_t n) const noexcept override {
    return base().utf8_length_from_utf16be(in, n);
  }
  size_t convert_utf32_to_latin1(const char32_t *in, size_t n, char *out) const noexcept override {
    return base().convert_utf32_to_latin1(in, n, out);
  }
  result convert_utf32_to_latin1_with_errors(const char32_t *in, size_t n,
                                             char *out) const noexcept override {
    return base().convert_utf32_to_latin1_with_errors(in, n, out);
  }
  size_t convert_valid_utf32_to_latin1(const char32_t *in, size_t n,
                                       char *out) const noexcept override {
    return base().convert_valid_utf32_to_latin1(in, n, out);
  }
  size_t convert_utf32_to_utf8(const char32_t *in, size_t n, char *out) const noexcept override {
    return base().convert_utf32_to_utf8(in, n, out);
  }
  result convert_utf32_to_utf8_with_errors(const char32_t *in, size_t n,
                                           char *out) const noexcept override {
    return base().convert_utf32_to_utf8_with_errors(in, n, out);
  }
  size_t convert_valid_utf32_to_utf8(const char32_t *in, size_t n,
                                     char *out) const noexcept override {
    return base().convert_valid_utf32_to_utf8(in, n, out);
  }
  size_t convert_utf32_to_utf16le(const char32_t *in, size_t n,
                                  char16_t *out) const noexcept override {
    return base().convert_utf32_to_utf16le(in, n, out);
  }
  size_t convert_utf32_to_utf16be(const char32_t *in, size_t n,
                                  char16_t *out) const noexcept override {
    return base().convert_utf32_to_utf16be(in, n, out);
  }
  result convert_utf32_to_utf16le_with_errors(const char32_t *in, size_t n,
                                              char16_t *out) const noexcept override {
    return base().convert_utf32_to_utf16le_with_errors(in, n, out);
  }
  result convert_utf32_to_utf16be_with_errors(const char32_t *in, size_t n,
                                              char16_t *out) const noexcept override {
    return base().convert_utf32_to_utf16be_with_errors(in, n, out);
  }
  size_t convert_valid_utf32_to_utf16le(const char32_t *in, size_t n,
                                        char16_t *out) const noexcept override {
    return base().convert_valid_utf32_to_utf16le(in, n, out);
  }
  size_t convert_valid_utf32_to_utf16be(const char32_t *in, size_t n,
                                        char16_t *out) const noexcept override {
    return base().convert_valid_utf32_to_utf16be(in, n, out);
  }
  void change_endianness_utf16(const char16_t *in, size_t n,
                               char16_t *out) const noexcept override {
    base().change_endianness_utf16(in, n, out);
  }
  size_t utf8_length_from_latin1(const char *in, size_t n) const noexcept override {
    return base().utf8_length_from_latin1(in, n);
  }
  size_t utf8_length_from_utf32(const char32_t *in, size_t n) const noexcept override {
    return base().utf8_length_from_utf32(in, n);
  }
  size_t latin1_length_from_utf8(const char *in, size_t n) const noexcept override {
    return base().latin1_length_from_utf8(in, n);
  }
  size_t utf16_length_from_utf32(const char32_t *in, size_t n) const noexcept override {
    return base().utf16_length_from_utf32(in, n);
  }
  size_t utf32_length_from_utf16le(const char16_t *in, size_t n) const noexcept override {
    return base().utf32_length_from_utf16le(in, n);
  }
  size_t utf32_length_from_utf16be(const char16_t *in, size_t n) const noexcept override {
    return base().utf32_length_from_utf16be(in, n);
  }
  size_t count_utf16le(const char16_t *in, size_t n) const noexcept override {
    return base().count_utf16le(in, n);
  }
  size_t count_utf16be(const char16_t *in, size_t n) const noexcept override {
    return base().count_utf16be(in, n);
  }
  size_t count_utf8(const char *in, size_t n) const noexcept override {
    return base().count_utf8(in, n);
  }
  result base64_to_binary(const char *in, size_t n, char *out, base64_options options,
                          last_chunk_handling_options last) const noexcept override {
    return base().base64_to_binary(in, n, out, options, last);
  }
  full_result base64_to_binary_details(const char *in, size_t n, char *out, base64_options options,
                                       last_chunk_handling_options last) const noexcept override {
    return base().base64_to_binary_details(in, n, out, options, last);
  }
  result base64_to_binary(const char16_t *in, size_t n, char *out, base64_options options,
                          last_chunk_handling_options last) const noexcept override {
    return base().base64_to_binary(in, n, out, options, last);
  }
  full_result base64_to_binary_details(const char16_t *in, size_t n, char *out,
                                       base64_options options,
                                       last_chunk_handling_options last) const noexcept override {
    return base().base64_to_binary_details(in, n, out, options, last);
  }
  size_t binary_to_base64(const char *in, size_t n, char *out,
                          base64_options options) const noexcept override {
    return base().binary_to_base64(in, n, out, options);
  }
  size_t binary_to_base64_with_lines(const char *in, size_t n, char *out, size_t line,
                                     base64_options options) const noexcept override {
    return base().binary_to_base64_with_lines(in, n, out, line, options);
  }
  const char *find(const char *start, const char *end, char character) const noexcept override {
    return base().find(start, end, character);
  }
  const char16_t *find(const char16_t *start, const char16_t *end,
                       char16_t character) const noexcept override {
    return base().find(start, end, character);
  }

protected:
  ~portable() = default;

  static const simdutf::implementation &base() {
    static const simdutf::implementation *const fallback =
        simdutf::get_available_implementations()["fallback"];
    return *fallback;
  }

  // What the portable code made of the rest of a text, seen from its beginning.
  static result after(progress p, result rest) {
    return {rest.error, rest.count + (rest.error ? p.read : p.written)};
  }
};

} // namespace kernels

#endif
