// UTF-16 and the squeezing of UTF-8 as the AVX2 kernels share them.
#ifndef KERNELS_UTF16_AVX2_H
#define KERNELS_UTF16_AVX2_H

#include "avx2.h"

namespace {

inline __m256i equal_bits(__m256i v, int bits, int value) {
  return _mm256_cmpeq_epi16(_mm256_and_si256(v, all16(bits)), all16(value));
}
inline __m256i is_surrogate(__m256i v) { return equal_bits(v, 0xf800, 0xd800); }
inline __m256i is_high(__m256i v) { return equal_bits(v, 0xfc00, 0xd800); }
inline __m256i is_low(__m256i v) { return equal_bits(v, 0xfc00, 0xdc00); }

template <bool big> __m256i load_units(const uint16_t *p) {
  return big ? swap16(load(p)) : load(p);
}
template <bool big> uint32_t unit(uint16_t raw) {
  return big ? static_cast<uint32_t>((raw >> 8 | raw << 8) & 0xffff) : raw;
}

// The units one place before `in`, whose own are `v`; a 0 before the first one.
template <bool big> __m256i load_before(const uint16_t *in, bool first, __m256i v) {
  return first ? _mm256_alignr_epi8(v, _mm256_permute2x128_si256(v, v, 8), 14)
               : load_units<big>(in - 1);
}

// Four characters in lanes of four bytes (head, anything, middle, last): what takes one byte keeps
// `last`, what takes two keeps `middle` too, what takes three keeps all. Bit k of the index: lane k
// takes more than one; bit 4 + k: it takes three.
struct utf8_tables {
  alignas(64) uint8_t order[256][16];

  constexpr utf8_tables() : order() {
    for (int index = 0; index < 256; index++) {
      int to = 0;
      for (int lane = 0; lane < 4; lane++) {
        bool more = index >> lane & 1, three = index >> (4 + lane) & 1;
        if (three) {
          order[index][to++] = static_cast<uint8_t>(4 * lane);
        }
        if (more) {
          order[index][to++] = static_cast<uint8_t>(4 * lane + 2);
        }
        order[index][to++] = static_cast<uint8_t>(4 * lane + 3);
      }
      while (to < 16) {
        order[index][to++] = 0x80;
      }
    }
  }
};
constexpr utf8_tables UTF8;

// 16 units on their way to UTF-8.
struct utf8_bytes {
  __m256i head; // low byte: the first of three
  __m256i pair; // low byte: the first of two, or the second of three; high byte: the last
  __m256i one, upto2; // which take one byte, which take one or two

  // For units that are no surrogates.
  explicit utf8_bytes(__m256i v)
      : head(_mm256_or_si256(_mm256_srli_epi16(v, 12), all16(0x00e0))),
        one(equal_bits(v, 0xff80, 0)), upto2(equal_bits(v, 0xf800, 0)) {
    __m256i shifted = _mm256_slli_epi16(v, 8);
    __m256i bits = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(v, 6), all16(0x003f)),
                                   _mm256_and_si256(shifted, all16(0x3f00)));
    __m256i marks =
        _mm256_or_si256(all16(0x8080 - 0x10000), _mm256_and_si256(upto2, all16(0x0040)));
    pair = pick(one, shifted, _mm256_or_si256(bits, marks));
  }

  // Writes 16 to 48 bytes, and up to 16 more than it returns.
  size_t put(uint8_t *out) const {
    __m256i taken = _mm256_shuffle_epi32(_mm256_packs_epi16(one, upto2), 0xd8);
    uint32_t index = ~mask8(taken);
    __m256i even = _mm256_unpacklo_epi16(head, pair), odd = _mm256_unpackhi_epi16(head, pair);
    const uint8_t *at = out;
    out = put4(out, low_half(even), index & 0xff);
    out = put4(out, low_half(odd), index >> 8 & 0xff);
    out = put4(out, high_half(even), index >> 16 & 0xff);
    out = put4(out, high_half(odd), index >> 24);
    return static_cast<size_t>(out - at);
  }

private:
  static uint8_t *put4(uint8_t *out, __m128i lanes, uint32_t index) {
    store16(out, _mm_shuffle_epi8(lanes, load16(UTF8.order[index])));
    return out + 4 + count(index);
  }
};

} // namespace

#endif
