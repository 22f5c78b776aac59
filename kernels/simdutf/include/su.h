/* The contract: what a graded simdutf exports. Plain C, one symbol a scored function.
 *
 * All buffers are arrays of code units; n counts the units of the input. UTF-16 output is stored
 * in the byte order of its name, UTF-32 in the machine's. No buffer needs more than the natural
 * alignment of its type, none is terminated, and input and output never overlap.
 *
 * Error codes are upstream's `simdutf::error_code`:
 *   0 none            1 header bits   a byte with five or more leading ones
 *   2 too short       3 too long      a continuation byte missing, or one too many
 *   4 overlong        5 too large     above U+10FFFF (ASCII: U+7F, Latin-1: U+FF)
 *   6 surrogate       U+D800..U+DFFF where no surrogate may be, or an unpaired one in UTF-16
 */
#ifndef SU_H
#define SU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Checked conversions. Return the number of units written, with *err = 0 and *pos = n. At the
 * first error: return 0, *err = its code, *pos = the index of the first byte of the character
 * that is wrong; whatever `out` then holds doesn't matter. `out` has room for n units. */
size_t su_utf8_to_utf16le(const uint8_t *in, size_t n, uint16_t *out, uint32_t *err, size_t *pos);
size_t su_utf8_to_utf16be(const uint8_t *in, size_t n, uint16_t *out, uint32_t *err, size_t *pos);
size_t su_utf8_to_utf32(const uint8_t *in, size_t n, uint32_t *out, uint32_t *err, size_t *pos);
size_t su_utf8_to_latin1(const uint8_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos);

/* The same for input that is known to be valid (for Latin-1: valid, and nothing above U+FF).
 * Return the number of units written. */
size_t su_valid_utf8_to_utf16le(const uint8_t *in, size_t n, uint16_t *out);
size_t su_valid_utf8_to_utf16be(const uint8_t *in, size_t n, uint16_t *out);
size_t su_valid_utf8_to_utf32(const uint8_t *in, size_t n, uint32_t *out);
size_t su_valid_utf8_to_latin1(const uint8_t *in, size_t n, uint8_t *out);

/* From UTF-16, stored in the byte order of the name. `out` has room for 3 n bytes of UTF-8, for n
 * units of UTF-32. */
size_t su_utf16le_to_utf8(const uint16_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos);
size_t su_utf16be_to_utf8(const uint16_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos);
size_t su_utf16le_to_utf32(const uint16_t *in, size_t n, uint32_t *out, uint32_t *err, size_t *pos);
size_t su_utf16be_to_utf32(const uint16_t *in, size_t n, uint32_t *out, uint32_t *err, size_t *pos);

/* The same for input that is known to be valid. */
size_t su_valid_utf16le_to_utf8(const uint16_t *in, size_t n, uint8_t *out);
size_t su_valid_utf16be_to_utf8(const uint16_t *in, size_t n, uint8_t *out);
size_t su_valid_utf16le_to_utf32(const uint16_t *in, size_t n, uint32_t *out);
size_t su_valid_utf16be_to_utf32(const uint16_t *in, size_t n, uint32_t *out);

/* From UTF-32. `out` has room for 4 n bytes of UTF-8, for 2 n units of UTF-16. */
size_t su_utf32_to_utf8(const uint32_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos);
size_t su_utf32_to_utf16le(const uint32_t *in, size_t n, uint16_t *out, uint32_t *err, size_t *pos);
size_t su_utf32_to_utf16be(const uint32_t *in, size_t n, uint16_t *out, uint32_t *err, size_t *pos);

/* The same for input that is known to be valid. */
size_t su_valid_utf32_to_utf8(const uint32_t *in, size_t n, uint8_t *out);
size_t su_valid_utf32_to_utf16le(const uint32_t *in, size_t n, uint16_t *out);
size_t su_valid_utf32_to_utf16be(const uint32_t *in, size_t n, uint16_t *out);

/* From Latin-1, which can't be invalid. Return the number of units written; `out` has room for 2 n
 * bytes of UTF-8, for n units of the others. */
size_t su_latin1_to_utf8(const uint8_t *in, size_t n, uint8_t *out);
size_t su_latin1_to_utf16le(const uint8_t *in, size_t n, uint16_t *out);
size_t su_latin1_to_utf16be(const uint8_t *in, size_t n, uint16_t *out);
size_t su_latin1_to_utf32(const uint8_t *in, size_t n, uint32_t *out);

/* To Latin-1, checked: anything above U+FF is an error (5), also a surrogate. `out` has room for n
 * bytes. */
size_t su_utf16le_to_latin1(const uint16_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos);
size_t su_utf16be_to_latin1(const uint16_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos);
size_t su_utf32_to_latin1(const uint32_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos);

/* The same for input that is known to hold nothing above U+FF. */
size_t su_valid_utf16le_to_latin1(const uint16_t *in, size_t n, uint8_t *out);
size_t su_valid_utf32_to_latin1(const uint32_t *in, size_t n, uint8_t *out);

/* Base64 (RFC 4648). Return the number of characters written: with padding, in the alphabet for
 * URLs without padding, and with padding and a line feed after every 76 characters but the last.
 * `out` has room for (n + 2) / 3 * 4 characters, and for the line feeds. */
size_t su_base64_encode(const uint8_t *in, size_t n, uint8_t *out);
size_t su_base64_encode_url(const uint8_t *in, size_t n, uint8_t *out);
size_t su_base64_encode_lines(const uint8_t *in, size_t n, uint8_t *out);

/* Forgiving decoding as the WHATWG's Infra standard has it: white space anywhere is skipped,
 * padding may be left out, unused bits of the last character may be anything. Results as those of a
 * checked conversion; error codes are
 *   7 a character that is none of the alphabet, or padding in a wrong place
 *   8 a last group of one character
 * The last function takes both characters of either alphabet, + and -, / and _. `out` has room for
 * (n + 3) / 4 * 3 bytes. */
size_t su_base64_decode(const uint8_t *in, size_t n, uint8_t *out, uint32_t *err, size_t *pos);
size_t su_base64_decode_utf16(const uint16_t *in, size_t n, uint8_t *out, uint32_t *err,
                              size_t *pos);
size_t su_base64_decode_either(const uint8_t *in, size_t n, uint8_t *out, uint32_t *err,
                               size_t *pos);

/* Validation. Return 0 with *pos = n, or the code of the first error with *pos = its index in
 * units. */
uint32_t su_validate_ascii(const uint8_t *in, size_t n, size_t *pos);
uint32_t su_validate_utf8(const uint8_t *in, size_t n, size_t *pos);
uint32_t su_validate_utf16le(const uint16_t *in, size_t n, size_t *pos);
uint32_t su_validate_utf16be(const uint16_t *in, size_t n, size_t *pos);
uint32_t su_validate_utf32(const uint32_t *in, size_t n, size_t *pos);

/* Counting, for input that is believed to be valid; for any other the answer is what the portable
 * code says. Characters of a text: */
size_t su_count_utf8(const uint8_t *in, size_t n);
size_t su_count_utf16le(const uint16_t *in, size_t n);
size_t su_count_utf16be(const uint16_t *in, size_t n);

/* Units that a text would have in another encoding. */
size_t su_utf16_length_from_utf8(const uint8_t *in, size_t n);
size_t su_utf8_length_from_latin1(const uint8_t *in, size_t n);
size_t su_utf8_length_from_utf16le(const uint16_t *in, size_t n);
size_t su_utf8_length_from_utf16be(const uint16_t *in, size_t n);
size_t su_utf8_length_from_utf32(const uint32_t *in, size_t n);
size_t su_utf16_length_from_utf32(const uint32_t *in, size_t n);

/* Writes the n units with their bytes swapped. */
void su_change_endianness_utf16(const uint16_t *in, size_t n, uint16_t *out);

/* Writes the n units, with U+FFFD in place of each surrogate that is not one of a pair. */
void su_to_well_formed_utf16le(const uint16_t *in, size_t n, uint16_t *out);
void su_to_well_formed_utf16be(const uint16_t *in, size_t n, uint16_t *out);

#ifdef __cplusplus
}
#endif

#endif
