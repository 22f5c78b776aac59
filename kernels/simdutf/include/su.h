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

/* Validation. Return 0 with *pos = n, or the code of the first error with *pos = its index in
 * units. */
uint32_t su_validate_ascii(const uint8_t *in, size_t n, size_t *pos);
uint32_t su_validate_utf8(const uint8_t *in, size_t n, size_t *pos);
uint32_t su_validate_utf16le(const uint16_t *in, size_t n, size_t *pos);
uint32_t su_validate_utf16be(const uint16_t *in, size_t n, size_t *pos);
uint32_t su_validate_utf32(const uint32_t *in, size_t n, size_t *pos);

#ifdef __cplusplus
}
#endif

#endif
