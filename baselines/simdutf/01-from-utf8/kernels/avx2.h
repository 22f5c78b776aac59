// What the AVX2 kernels share. Included by files that are compiled for AVX2 only, so everything
// here has internal linkage: no copy of it can end up in code for other processors.
#ifndef KERNELS_AVX2_H
#define KERNELS_AVX2_H

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

inline __m256i load(const void *p) { return _mm256_loadu_si256(static_cast<const __m256i *>(p)); }
inline __m128i load16(const void *p) { return _mm_loadu_si128(static_cast<const __m128i *>(p)); }
inline void store(void *p, __m256i v) { _mm256_storeu_si256(static_cast<__m256i *>(p), v); }
inline void store16(void *p, __m128i v) { _mm_storeu_si128(static_cast<__m128i *>(p), v); }
inline void store8(void *p, __m128i v) { _mm_storel_epi64(static_cast<__m128i *>(p), v); }

inline __m256i all8(int v) { return _mm256_set1_epi8(static_cast<char>(v)); }
inline __m256i all16(int v) { return _mm256_set1_epi16(static_cast<short>(v)); }
inline __m256i all32(uint32_t v) { return _mm256_set1_epi32(static_cast<int>(v)); }

inline uint32_t mask8(__m256i v) { return static_cast<uint32_t>(_mm256_movemask_epi8(v)); }
inline __m256i pick(__m256i mask, __m256i yes, __m256i no) {
  return _mm256_blendv_epi8(no, yes, mask);
}
inline __m256i at_least8(__m256i v, int bound) {
  return _mm256_cmpeq_epi8(_mm256_max_epu8(v, all8(bound)), v);
}
inline bool none(__m256i v) { return _mm256_testz_si256(v, v); }
inline __m128i low_half(__m256i v) { return _mm256_castsi256_si128(v); }
inline __m128i high_half(__m256i v) { return _mm256_extracti128_si256(v, 1); }
inline __m256i halves(__m128i low, __m128i high) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

// Copies up to 64 bytes or so, where a call of memcpy would cost more than the copying.
inline void copy_few(void *to, const void *from, size_t bytes) {
  uint8_t *o = static_cast<uint8_t *>(to);
  const uint8_t *i = static_cast<const uint8_t *>(from);
  if (bytes >= 32) {
    for (size_t at = 0; at + 32 < bytes; at += 32) {
      store(o + at, load(i + at));
    }
    store(o + bytes - 32, load(i + bytes - 32));
  } else if (bytes >= 16) {
    __m128i last = load16(i + bytes - 16);
    store16(o, load16(i));
    store16(o + bytes - 16, last);
  } else if (bytes >= 8) {
    uint64_t first, last;
    std::memcpy(&first, i, 8);
    std::memcpy(&last, i + bytes - 8, 8);
    std::memcpy(o, &first, 8);
    std::memcpy(o + bytes - 8, &last, 8);
  } else if (bytes >= 4) {
    uint32_t first, last;
    std::memcpy(&first, i, 4);
    std::memcpy(&last, i + bytes - 4, 4);
    std::memcpy(o, &first, 4);
    std::memcpy(o + bytes - 4, &last, 4);
  } else if (bytes > 0) {
    uint8_t middle = i[bytes / 2], last = i[bytes - 1];
    o[0] = i[0];
    o[bytes / 2] = middle;
    o[bytes - 1] = last;
  }
}

// Swaps the bytes of each 16-bit unit.
inline __m256i swap16(__m256i v) {
  const __m256i order = _mm256_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 1, 0,
                                         3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
  return _mm256_shuffle_epi8(v, order);
}

// Shuffles that move the lanes whose bit is set to the front.
struct compress_tables {
  alignas(64) uint8_t lanes8[256][8];
  alignas(64) uint8_t lanes16[256][16];

  constexpr compress_tables() : lanes8(), lanes16() {
    for (int mask = 0; mask < 256; mask++) {
      for (int i = 0; i < 8; i++) {
        lanes8[mask][i] = 0x80;
        lanes16[mask][2 * i] = lanes16[mask][2 * i + 1] = 0x80;
      }
      int to = 0;
      for (int from = 0; from < 8; from++) {
        if (mask >> from & 1) {
          lanes8[mask][to] = static_cast<uint8_t>(from);
          lanes16[mask][2 * to] = static_cast<uint8_t>(2 * from);
          lanes16[mask][2 * to + 1] = static_cast<uint8_t>(2 * from + 1);
          to++;
        }
      }
    }
  }
};
constexpr compress_tables COMPRESS;

inline __m128i compress16(__m128i units, uint32_t mask) {
  return _mm_shuffle_epi8(units, load16(COMPRESS.lanes16[mask & 0xff]));
}
inline __m128i compress8(__m128i bytes, uint32_t mask) {
  return _mm_shuffle_epi8(
      bytes, _mm_loadl_epi64(reinterpret_cast<const __m128i *>(COMPRESS.lanes8[mask & 0xff])));
}
inline size_t count(uint32_t mask) { return static_cast<size_t>(_mm_popcnt_u32(mask)); }

// Which pairs of neighbouring bytes no UTF-8 text can hold (The Unicode Standard, table 3-7), as
// sets of nibbles: a pair is in a class if all three of its nibbles are. Method: Keiser and
// Lemire, "Validating UTF-8 in less than one instruction per byte", 2020.
struct utf8_classes {
  alignas(16) uint8_t first_high[16], first_low[16], second_high[16];

  constexpr void set(int bit, unsigned high, unsigned low, unsigned second) {
    for (int n = 0; n < 16; n++) {
      first_high[n] = static_cast<uint8_t>(first_high[n] | (high >> n & 1) << bit);
      first_low[n] = static_cast<uint8_t>(first_low[n] | (low >> n & 1) << bit);
      second_high[n] = static_cast<uint8_t>(second_high[n] | (second >> n & 1) << bit);
    }
  }

  constexpr utf8_classes() : first_high(), first_low(), second_high() {
    const unsigned any = 0xffff, ascii = 0x00ff, tail = 0x0f00, lead = 0xf000;
    set(0, lead, any, any & ~tail);            // a character that stops short
    set(1, ascii, any, tail);                  // a continuation of nothing
    set(2, 1 << 0xe, 1 << 0, 0x0300);          // E0 80..9F: overlong
    set(3, 1 << 0xe, 1 << 0xd, 0x0c00);        // ED A0..BF: surrogates
    set(4, 1 << 0xc, 0x0003, tail);            // C0, C1: overlong
    set(5, 1 << 0xf, 0xfff0, 0x0e00);          // F4 90.., F5..: above U+10FFFF
    set(6, 1 << 0xf, 0xffe1, 0x0100);          // F0 80..8F: overlong; F5.. 80..8F: too large
    set(7, tail, any, tail);                   // two continuations: right where three must follow
  }
};
constexpr utf8_classes CLASSES;

inline __m256i twice(const uint8_t *table) { return _mm256_broadcastsi128_si256(load16(table)); }

// Bytes that are not 0 where `now` can't follow the three bytes before it.
inline __m256i utf8_errors(__m256i before3, __m256i before2, __m256i before1, __m256i now) {
  const __m256i nibble = all8(0x0f);
  __m256i classes = _mm256_and_si256(
      _mm256_and_si256(
          _mm256_shuffle_epi8(twice(CLASSES.first_high),
                              _mm256_and_si256(_mm256_srli_epi16(before1, 4), nibble)),
          _mm256_shuffle_epi8(twice(CLASSES.first_low), _mm256_and_si256(before1, nibble))),
      _mm256_shuffle_epi8(twice(CLASSES.second_high),
                          _mm256_and_si256(_mm256_srli_epi16(now, 4), nibble)));
  // Bit 7: from E0 two bytes back, from F0 three bytes back.
  __m256i must = _mm256_or_si256(_mm256_subs_epu8(before2, all8(0xe0 - 0x80)),
                                 _mm256_subs_epu8(before3, all8(0xf0 - 0x80)));
  return _mm256_xor_si256(_mm256_and_si256(must, all8(0x80)), classes);
}

} // namespace

#endif
