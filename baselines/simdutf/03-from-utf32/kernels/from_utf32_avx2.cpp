// From UTF-32, 16 characters at a time. Where all of them are below U+10000 they are narrowed and
// go the way of UTF-16; otherwise eight at a time in lanes of four bytes, of which what a character
// doesn't need is squeezed out.

#include "from_utf32.h"
#include "utf16_avx2.h"

namespace {

using kernels::progress;

// Lanes of four bytes that keep their last one, two, three or four. The two bits of a lane's length
// less one stand at bits k and 4 + k.
struct lengths_tables {
  alignas(64) uint8_t order[256][16];
  uint8_t bytes[256];

  constexpr lengths_tables() : order(), bytes() {
    for (int index = 0; index < 256; index++) {
      int to = 0;
      for (int lane = 0; lane < 4; lane++) {
        int dropped = 3 - (index >> lane & 1) - 2 * (index >> (4 + lane) & 1);
        for (int byte = dropped; byte < 4; byte++) {
          order[index][to++] = static_cast<uint8_t>(4 * lane + byte);
        }
      }
      bytes[index] = static_cast<uint8_t>(to);
      while (to < 16) {
        order[index][to++] = 0x80;
      }
    }
  }
};
constexpr lengths_tables LENGTHS;

// Lanes of two units that keep both (bit set) or the first.
struct pairs_tables {
  alignas(64) uint8_t order[2][16][16]; // little-endian, big-endian

  constexpr pairs_tables() : order() {
    for (int big = 0; big < 2; big++) {
      for (int mask = 0; mask < 16; mask++) {
        int to = 0;
        for (int lane = 0; lane < 4; lane++) {
          for (int byte = 0; byte < (mask >> lane & 1 ? 4 : 2); byte++) {
            order[big][mask][to++] = static_cast<uint8_t>(4 * lane + (big ? byte ^ 1 : byte));
          }
        }
        while (to < 16) {
          order[big][mask][to++] = 0x80;
        }
      }
    }
  }
};
constexpr pairs_tables PAIRS;

inline __m256i above(__m256i v, uint32_t bound) { // for values and bounds below 2^31
  return _mm256_cmpgt_epi32(v, all32(bound));
}
inline uint32_t lanes(__m256i v) {
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(v)));
}

inline bool wrong(__m256i v) {
  __m256i too_large = _mm256_cmpeq_epi32(_mm256_max_epu32(v, all32(0x110000)), v);
  __m256i surrogate = _mm256_cmpeq_epi32(_mm256_and_si256(v, all32(0xfffff800)), all32(0xd800));
  return !none(_mm256_or_si256(too_large, surrogate));
}

struct to_utf8 {
  using unit = uint8_t;

  static size_t ascii(__m256i v, uint8_t *out) {
    store16(out, _mm_packus_epi16(low_half(v), high_half(v)));
    return 16;
  }
  static size_t narrow(__m256i v, uint8_t *out) { return utf8_bytes(v).put(out); }

  static size_t wide(__m256i v, uint8_t *out) {
    __m256i two = above(v, 0x7f), three = above(v, 0x7ff), four = above(v, 0xffff);
    __m256i bits = _mm256_or_si256(
        _mm256_or_si256(_mm256_slli_epi32(v, 24),
                        _mm256_and_si256(_mm256_slli_epi32(v, 10), all32(0x003f0000))),
        _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi32(v, 4), all32(0x00003f00)),
                        _mm256_srli_epi32(v, 18)));
    // Length less one, and by it which bits to keep and which to set.
    __m256i extra = _mm256_sub_epi32(_mm256_setzero_si256(),
                                     _mm256_add_epi32(_mm256_add_epi32(two, three), four));
    alignas(32) static const uint32_t KEEP[8] = {0x7f000000, 0x3f3f3f3f, 0x3f3f3f3f, 0x3f3f3f3f};
    alignas(32) static const uint32_t MARKS[8] = {0, 0x80c00000, 0x8080e000, 0x808080f0};
    __m256i keep = _mm256_permutevar8x32_epi32(load(KEEP), extra);
    __m256i marks = _mm256_permutevar8x32_epi32(load(MARKS), extra);
    __m256i bytes = _mm256_or_si256(_mm256_and_si256(bits, keep), marks);
    uint32_t odd = lanes(_mm256_slli_epi32(extra, 31)), high = lanes(three);
    uint32_t first = (odd & 0xf) | (high & 0xf) << 4, second = odd >> 4 | (high & 0xf0);
    store16(out, _mm_shuffle_epi8(low_half(bytes), load16(LENGTHS.order[first])));
    store16(out + LENGTHS.bytes[first],
            _mm_shuffle_epi8(high_half(bytes), load16(LENGTHS.order[second])));
    return static_cast<size_t>(LENGTHS.bytes[first]) + LENGTHS.bytes[second];
  }
};

template <bool big> struct to_utf16 {
  using unit = uint16_t;

  static size_t ascii(__m256i v, uint16_t *out) { return narrow(v, out); }
  static size_t narrow(__m256i v, uint16_t *out) {
    store(out, big ? swap16(v) : v);
    return 16;
  }

  static size_t wide(__m256i v, uint16_t *out) {
    __m256i four = above(v, 0xffff);
    __m256i high = _mm256_add_epi32(_mm256_srli_epi32(v, 10), all32(0xdc00d7c0));
    __m256i low = _mm256_slli_epi32(_mm256_and_si256(v, all32(0x3ff)), 16);
    __m256i units = pick(four, _mm256_add_epi32(high, low), v);
    uint32_t mask = lanes(four);
    store16(out, put4(low_half(units), mask & 0xf));
    size_t first = 4 + count(mask & 0xf);
    store16(out + first, put4(high_half(units), mask >> 4));
    return first + 4 + count(mask >> 4);
  }

private:
  static __m128i put4(__m128i units, uint32_t mask) {
    return _mm_shuffle_epi8(units, load16(PAIRS.order[big][mask]));
  }
};

// Characters that a block needs: of the input, and room for what is stored behind its result.
constexpr size_t SEEN = 20;

template <bool checked, class To>
progress blocks(const uint32_t *in, size_t n, typename To::unit *out) {
  progress p{0, 0};
  while (p.read + SEEN <= n) {
    __m256i v = load(in + p.read), w = load(in + p.read + 8), any = _mm256_or_si256(v, w);
    if (_mm256_testz_si256(any, all32(0xffff0000))) {
      // packus takes halves in turn: set right by the permutation.
      __m256i units = _mm256_permute4x64_epi64(_mm256_packus_epi32(v, w), 0xd8);
      if (_mm256_testz_si256(any, all32(0xffffff80))) {
        p.written += To::ascii(units, out + p.written);
      } else {
        if (checked && !none(is_surrogate(units))) {
          break;
        }
        p.written += To::narrow(units, out + p.written);
      }
    } else {
      if (checked && (wrong(v) || wrong(w))) {
        break;
      }
      p.written += To::wide(v, out + p.written);
      p.written += To::wide(w, out + p.written);
    }
    p.read += 16;
  }
  return p;
}

template <bool checked>
progress finish(to_utf8, const uint32_t *in, size_t n, uint8_t *out, progress p) {
  size_t rest = n - p.read;
  if (rest == 0 || rest > 32) { // all is done, or a block had an error
    return p;
  }
  // The last characters, with as many zeros behind them as fill one block or two.
  size_t taken = rest <= 16 ? 16 : 32;
  alignas(32) uint32_t text[32 + SEEN] = {};
  alignas(32) uint8_t made[4 * (32 + SEEN)];
  copy_few(text, in + p.read, 4 * rest);
  progress q = blocks<checked, to_utf8>(text, taken + SEEN - 16, made);
  if (q.read < taken) {
    return p;
  }
  size_t useful = q.written - (taken - rest);
  copy_few(out + p.written, made, useful);
  return {n, p.written + useful};
}

// One by one is fast here: no detour for the last characters, if all are below U+10000.
template <bool checked, bool big>
progress finish(to_utf16<big>, const uint32_t *in, size_t n, uint16_t *out, progress p) {
  for (; p.read + 8 <= n; p.read += 8, p.written += 8) {
    __m256i v = load(in + p.read);
    if (!_mm256_testz_si256(v, all32(0xffff0000)) || (checked && wrong(v))) {
      break;
    }
    __m256i units = halves(_mm_packus_epi32(low_half(v), high_half(v)), _mm_setzero_si128());
    store16(out + p.written, low_half(big ? swap16(units) : units));
  }
  return p;
}

template <bool checked, class To>
progress run(const uint32_t *in, size_t n, typename To::unit *out) {
  progress p = n <= 32 ? progress{0, 0} : blocks<checked, To>(in, n, out);
  return finish<checked>(To(), in, n, out, p);
}

} // namespace

namespace kernels {

progress utf32_to_utf8(const uint32_t *in, size_t n, uint8_t *out, bool valid) {
  return valid ? run<false, to_utf8>(in, n, out) : run<true, to_utf8>(in, n, out);
}

progress utf32_to_utf16(const uint32_t *in, size_t n, uint16_t *out, bool big, bool valid) {
  if (big) {
    return valid ? run<false, to_utf16<true>>(in, n, out) : run<true, to_utf16<true>>(in, n, out);
  }
  return valid ? run<false, to_utf16<false>>(in, n, out) : run<true, to_utf16<false>>(in, n, out);
}

} // namespace kernels
