// Counting: comparisons are subtracted from counters as narrow as the units, which are added up
// before they can overflow.

#include "avx2.h"
#include "counting.h"

namespace {

inline size_t sum64(__m256i v) {
  __m128i two = _mm_add_epi64(low_half(v), high_half(v));
  return static_cast<size_t>(_mm_cvtsi128_si64(two)) +
         static_cast<size_t>(_mm_extract_epi64(two, 1));
}
inline size_t sum(const uint8_t *, __m256i counters) {
  return sum64(_mm256_sad_epu8(counters, _mm256_setzero_si256()));
}
inline size_t sum(const uint16_t *, __m256i counters) {
  __m256i low = _mm256_and_si256(counters, all32(0xffff)), high = _mm256_srli_epi32(counters, 16);
  __m256i four = _mm256_add_epi32(low, high);
  return sum64(_mm256_add_epi64(_mm256_and_si256(four, _mm256_set1_epi64x(0xffffffff)),
                                _mm256_srli_epi64(four, 32)));
}
inline size_t sum(const uint32_t *, __m256i counters) {
  return sum64(_mm256_add_epi64(_mm256_and_si256(counters, _mm256_set1_epi64x(0xffffffff)),
                                _mm256_srli_epi64(counters, 32)));
}

inline __m256i minus(const uint8_t *, __m256i a, __m256i b) { return _mm256_sub_epi8(a, b); }
inline __m256i minus(const uint16_t *, __m256i a, __m256i b) { return _mm256_sub_epi16(a, b); }
inline __m256i minus(const uint32_t *, __m256i a, __m256i b) { return _mm256_sub_epi32(a, b); }

// 32 bytes at WINDOW + 32 - k: ones in the first k.
alignas(64) constexpr uint8_t WINDOW[64] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

// What `of` says of each block of 32 bytes, added up. It gives -1 for each thing to count, at most
// three to a unit.
template <class Unit, class Of> size_t counted(const Unit *in, size_t n, Of of) {
  constexpr size_t lanes = 32 / sizeof(Unit);
  constexpr size_t most = 20; // rounds of four blocks: 3 * 4 * 20 < 256
  size_t at = 0, total = 0;
  while (at + 4 * lanes <= n) {
    __m256i counters = _mm256_setzero_si256(), more = counters;
    for (size_t round = 0; round < most && at + 4 * lanes <= n; round++, at += 4 * lanes) {
      counters = minus(in, counters, of(load(in + at)));
      more = minus(in, more, of(load(in + at + lanes)));
      counters = minus(in, counters, of(load(in + at + 2 * lanes)));
      more = minus(in, more, of(load(in + at + 3 * lanes)));
    }
    total += sum(in, counters) + sum(in, more);
  }
  __m256i counters = _mm256_setzero_si256();
  for (; at + lanes <= n; at += lanes) {
    counters = minus(in, counters, of(load(in + at)));
  }
  if (at < n) {
    alignas(32) Unit rest[lanes] = {};
    size_t bytes = (n - at) * sizeof(Unit);
    copy_few(rest, in + at, bytes);
    __m256i there = load(WINDOW + 32 - bytes);
    counters = minus(in, counters, _mm256_and_si256(of(load(rest)), there));
  }
  return total + sum(in, counters);
}

// Of raw units, with bits and values in the byte order that they are stored in.
inline __m256i have(__m256i v, int bits, int value, bool big) {
  auto raw = [=](int x) { return all16(big ? (x >> 8 & 0xff) | (x & 0xff) << 8 : x); };
  return _mm256_cmpeq_epi16(_mm256_and_si256(v, raw(bits)), raw(value));
}

template <bool big> size_t utf8_from_utf16(const uint16_t *in, size_t n) {
  // Three bytes, but for ASCII two less; below U+0800, and of a surrogate, one less.
  size_t less = counted(in, n, [](__m256i v) {
    return _mm256_add_epi16(_mm256_add_epi16(have(v, 0xff80, 0, big), have(v, 0xf800, 0, big)),
                            have(v, 0xf800, 0xd800, big));
  });
  return 3 * n - less;
}

template <bool big> size_t characters(const uint16_t *in, size_t n) {
  size_t low = counted(in, n, [](__m256i v) { return have(v, 0xfc00, 0xdc00, big); });
  return n - low;
}

template <bool big> size_t well_formed(const uint16_t *in, size_t n, uint16_t *out) {
  constexpr uint16_t replacement = big ? 0xfdff : 0xfffd;
  auto surrogates = [=](__m256i v) { return have(v, 0xf800, 0xd800, big); };
  auto block = [=](size_t at) {
    __m256i v = load(in + at), before = load(in + at - 1), after = load(in + at + 1);
    __m256i high = have(v, 0xfc00, 0xd800, big), low = have(v, 0xfc00, 0xdc00, big);
    __m256i alone = _mm256_or_si256(_mm256_andnot_si256(have(after, 0xfc00, 0xdc00, big), high),
                                    _mm256_andnot_si256(have(before, 0xfc00, 0xd800, big), low));
    store(out + at, pick(alone, all16(replacement - 0x10000), v));
  };
  auto is = [=](size_t at, int kind) {
    return ((big ? in[at] >> 8 | in[at] << 8 : in[at]) & 0xfc00) == kind;
  };
  if (n < 18) {
    return 0;
  }
  bool alone = is(0, 0xdc00) || (is(0, 0xd800) && !is(1, 0xdc00));
  out[0] = alone ? replacement : in[0];
  size_t at = 1;
  for (; at + 33 <= n; at += 32) {
    __m256i v = load(in + at), w = load(in + at + 16);
    if (none(_mm256_or_si256(surrogates(v), surrogates(w)))) {
      store(out + at, v);
      store(out + at + 16, w);
    } else {
      block(at);
      block(at + 16);
    }
  }
  for (; at + 17 <= n; at += 16) {
    block(at);
  }
  block(n - 17);
  alone = is(n - 1, 0xd800) || (is(n - 1, 0xdc00) && !is(n - 2, 0xd800));
  out[n - 1] = alone ? replacement : in[n - 1];
  return n;
}

} // namespace

namespace kernels {

size_t count_utf8(const uint8_t *in, size_t n) {
  return counted(in, n, [](__m256i v) { return _mm256_cmpgt_epi8(v, all8(0xbf)); });
}

size_t count_utf16(const uint16_t *in, size_t n, bool big) {
  return big ? characters<true>(in, n) : characters<false>(in, n);
}

size_t utf16_length_from_utf8(const uint8_t *in, size_t n) {
  return counted(in, n, [](__m256i v) {
    return _mm256_add_epi8(_mm256_cmpgt_epi8(v, all8(0xbf)), at_least8(v, 0xf0));
  });
}

size_t utf8_length_from_latin1(const uint8_t *in, size_t n) {
  size_t more =
      counted(in, n, [](__m256i v) { return _mm256_cmpgt_epi8(_mm256_setzero_si256(), v); });
  return n + more;
}

size_t utf8_length_from_utf16(const uint16_t *in, size_t n, bool big) {
  return big ? utf8_from_utf16<true>(in, n) : utf8_from_utf16<false>(in, n);
}

size_t utf8_length_from_utf32(const uint32_t *in, size_t n) {
  size_t more = counted(in, n, [](__m256i v) {
    __m256i s = _mm256_xor_si256(v, all32(0x80000000)); // compares as signed like v as unsigned
    return _mm256_add_epi32(_mm256_add_epi32(_mm256_cmpgt_epi32(s, all32(0x8000007f)),
                                             _mm256_cmpgt_epi32(s, all32(0x800007ff))),
                            _mm256_cmpgt_epi32(s, all32(0x8000ffff)));
  });
  return n + more;
}

size_t utf16_length_from_utf32(const uint32_t *in, size_t n) {
  size_t one = counted(in, n, [](__m256i v) {
    return _mm256_cmpeq_epi32(_mm256_srli_epi32(v, 16), _mm256_setzero_si256());
  });
  return 2 * n - one;
}

size_t swap_utf16(const uint16_t *in, size_t n, uint16_t *out) {
  if (n < 16) {
    return 0;
  }
  store(out, swap16(load(in)));
  // From here on at addresses where no store straddles a cache line.
  size_t at = 16 - (reinterpret_cast<uintptr_t>(out) & 31) / 2;
  for (; at + 64 <= n; at += 64) {
    __m256i a = swap16(load(in + at)), b = swap16(load(in + at + 16));
    __m256i c = swap16(load(in + at + 32)), d = swap16(load(in + at + 48));
    store(out + at, a);
    store(out + at + 16, b);
    store(out + at + 32, c);
    store(out + at + 48, d);
  }
  for (; at + 16 <= n; at += 16) {
    store(out + at, swap16(load(in + at)));
  }
  store(out + n - 16, swap16(load(in + n - 16)));
  return n;
}

size_t well_formed_utf16(const uint16_t *in, size_t n, uint16_t *out, bool big) {
  return big ? well_formed<true>(in, n, out) : well_formed<false>(in, n, out);
}

} // namespace kernels
