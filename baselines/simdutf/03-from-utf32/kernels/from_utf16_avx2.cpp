// From UTF-16, 16 units at a time and without a branch on the length of a character. To UTF-8, the
// two surrogates of a pair are written as two bytes each; to UTF-32, the high one becomes the
// character and the low one is squeezed out.

#include "from_utf16.h"
#include "utf16_avx2.h"

namespace {

using kernels::progress;

// Every high surrogate before a low one, and the other way round.
inline bool paired(__m256i before, __m256i v, __m256i after) {
  return none(_mm256_or_si256(_mm256_xor_si256(is_high(v), is_low(after)),
                              _mm256_xor_si256(is_high(before), is_low(v))));
}

template <bool big_> struct to_utf8 {
  static constexpr bool big = big_;
  using unit = uint8_t;

  static size_t ascii(__m256i v, uint8_t *out) {
    store16(out, _mm_packus_epi16(low_half(v), high_half(v)));
    return 16;
  }
  static size_t plain(__m256i v, uint8_t *out) { return utf8_bytes(v).put(out); }

  static size_t pairs(__m256i before, __m256i v, __m256i, uint8_t *out) {
    utf8_bytes bytes(v);
    // Bits 10 to 20 of the character, from its high surrogate.
    __m256i u = _mm256_add_epi16(_mm256_and_si256(v, all16(0x03ff)), all16(0x0040));
    __m256i high = _mm256_or_si256(
        _mm256_or_si256(_mm256_srli_epi16(u, 8), all16(0x80f0 - 0x10000)),
        _mm256_and_si256(_mm256_slli_epi16(u, 6), all16(0x3f00)));
    __m256i low = _mm256_or_si256(
        _mm256_and_si256(bytes.pair, all16(0xffcf - 0x10000)),
        _mm256_slli_epi16(_mm256_and_si256(before, all16(0x0003)), 4));
    bytes.pair = pick(is_high(v), high, pick(is_low(v), low, bytes.pair));
    bytes.upto2 = _mm256_or_si256(bytes.upto2, is_surrogate(v));
    return bytes.put(out);
  }

  // Where to go on: not between the two halves of a pair.
  static progress settle(const uint16_t *in, progress p) {
    bool inside = p.read > 0 && (::unit<big>(in[p.read - 1]) & 0xfc00) == 0xd800;
    return inside ? progress{p.read - 1, p.written - 2} : p;
  }
};

template <bool big_> struct to_utf32 {
  static constexpr bool big = big_;
  using unit = uint32_t;

  static size_t ascii(__m256i v, uint32_t *out) { return plain(v, out); }
  static size_t plain(__m256i v, uint32_t *out) {
    store(out, _mm256_cvtepu16_epi32(low_half(v)));
    store(out + 8, _mm256_cvtepu16_epi32(high_half(v)));
    return 16;
  }

  static size_t pairs(__m256i, __m256i v, __m256i after, uint32_t *out) {
    __m256i high = is_high(v), low = is_low(v);
    uint32_t keep = ~mask8(_mm256_packs_epi16(low, low));
    put8(out, low_half(v), low_half(after), low_half(high), keep & 0xff);
    size_t first = count(keep & 0xff);
    put8(out + first, high_half(v), high_half(after), high_half(high), keep >> 16 & 0xff);
    return first + count(keep >> 16 & 0xff);
  }

  static progress settle(const uint16_t *in, progress p) {
    bool inside = p.read > 0 && (::unit<big>(in[p.read - 1]) & 0xfc00) == 0xd800;
    return inside ? progress{p.read + 1, p.written} : p;
  }

private:
  static void put8(uint32_t *out, __m128i v, __m128i after, __m128i high, uint32_t keep) {
    __m256i wide = _mm256_cvtepu16_epi32(v);
    __m256i joined = _mm256_add_epi32(
        _mm256_add_epi32(_mm256_slli_epi32(wide, 10), _mm256_cvtepu16_epi32(after)),
        all32(0x10000u - (0xd800u << 10) - 0xdc00u));
    __m256i made = pick(_mm256_cvtepi16_epi32(high), joined, wide);
    __m256i order = _mm256_cvtepu8_epi32(
        _mm_loadl_epi64(reinterpret_cast<const __m128i *>(COMPRESS.lanes8[keep])));
    store(out, _mm256_permutevar8x32_epi32(made, order));
  }
};

// Units that a block looks at, or needs for what is stored behind its result.
constexpr size_t SEEN = 18;

template <bool checked, class To>
progress blocks(const uint16_t *in, size_t n, typename To::unit *out) {
  progress p{0, 0};
  while (p.read + SEEN <= n) {
    const uint16_t *at = in + p.read;
    __m256i v = load_units<To::big>(at);
    if (_mm256_testz_si256(v, all16(0xff80 - 0x10000))) {
      p.written += To::ascii(v, out + p.written);
    } else if (none(is_surrogate(v))) {
      p.written += To::plain(v, out + p.written);
    } else {
      __m256i before = load_before<To::big>(at, p.read == 0, v);
      __m256i after = load_units<To::big>(at + 1);
      if (checked && !paired(before, v, after)) {
        break;
      }
      p.written += To::pairs(before, v, after, out + p.written);
    }
    p.read += 16;
  }
  return To::settle(in, p);
}

template <bool checked, bool big>
progress finish(to_utf8<big>, const uint16_t *in, size_t n, uint8_t *out, progress p) {
  size_t rest = n - p.read;
  if (rest == 0 || rest > 32) { // all is done, or a block had an error
    return p;
  }
  // The last units, with as many zeros behind them as fill one block or two.
  size_t taken = rest <= 16 ? 16 : 32;
  alignas(32) uint16_t text[32 + SEEN] = {};
  alignas(32) uint8_t made[3 * (32 + SEEN)];
  copy_few(text, in + p.read, 2 * rest);
  progress q = blocks<checked, to_utf8<big>>(text, taken + SEEN - 16, made);
  if (q.read < taken) {
    return p;
  }
  size_t useful = q.written - (taken - rest);
  copy_few(out + p.written, made, useful);
  return {n, p.written + useful};
}

// One by one is fast here: no detour for the last units, if there are no surrogates among them.
template <bool checked, bool big>
progress finish(to_utf32<big>, const uint16_t *in, size_t n, uint32_t *out, progress p) {
  for (; p.read + 8 <= n; p.read += 8, p.written += 8) {
    __m256i v = _mm256_castsi128_si256(load16(in + p.read));
    v = big ? swap16(v) : v;
    if (mask8(is_surrogate(v)) & 0xffff) {
      break;
    }
    store(out + p.written, _mm256_cvtepu16_epi32(low_half(v)));
  }
  return p;
}

template <bool checked, class To>
progress run(const uint16_t *in, size_t n, typename To::unit *out) {
  progress p = n <= 32 ? progress{0, 0} : blocks<checked, To>(in, n, out);
  return finish<checked>(To(), in, n, out, p);
}

} // namespace

namespace kernels {

progress utf16_to_utf8(const uint16_t *in, size_t n, uint8_t *out, bool big, bool valid) {
  if (big) {
    return valid ? run<false, to_utf8<true>>(in, n, out) : run<true, to_utf8<true>>(in, n, out);
  }
  return valid ? run<false, to_utf8<false>>(in, n, out) : run<true, to_utf8<false>>(in, n, out);
}

progress utf16_to_utf32(const uint16_t *in, size_t n, uint32_t *out, bool big, bool valid) {
  if (big) {
    return valid ? run<false, to_utf32<true>>(in, n, out) : run<true, to_utf32<true>>(in, n, out);
  }
  return valid ? run<false, to_utf32<false>>(in, n, out) : run<true, to_utf32<false>>(in, n, out);
}

} // namespace kernels
