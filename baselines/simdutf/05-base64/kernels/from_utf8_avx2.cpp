// From UTF-8, 32 bytes at a time and without a branch on the length of a character: every byte
// that starts one computes what it becomes from itself and the three bytes behind it, and what the
// others computed is squeezed out. A low surrogate stands at the second byte of its character.

#include "avx2.h"
#include "from_utf8.h"

namespace {

using kernels::progress;

// Bytes that a block looks at: 32, and 3 behind them.
constexpr size_t SEEN = 35;

inline bool continues(uint8_t byte) { return (byte & 0xc0) == 0x80; }

// Whether the first three bytes may start a text. Blocks check from their fourth byte on.
inline bool starts_well(const uint8_t *in) {
  uint32_t three = in[0] | static_cast<uint32_t>(in[1]) << 8 | static_cast<uint32_t>(in[2]) << 16;
  __m128i now = _mm_cvtsi32_si128(static_cast<int>(three));
  __m256i errors = utf8_errors(_mm256_castsi128_si256(_mm_slli_si128(now, 3)),
                               _mm256_castsi128_si256(_mm_slli_si128(now, 2)),
                               _mm256_castsi128_si256(_mm_slli_si128(now, 1)),
                               _mm256_castsi128_si256(now));
  return (_mm_cvtsi128_si32(low_half(errors)) & 0xffffff) == 0;
}

// The 32 bytes at `in`, and those 1, 2 and 3 places further on.
struct block {
  __m256i a, b, c, d;

  explicit block(const uint8_t *in)
      : a(load(in)), b(load(in + 1)), c(load(in + 2)), d(load(in + 3)) {}
  bool ascii() const { return mask8(_mm256_or_si256(a, d)) == 0; }
  bool wrong() const { return !none(utf8_errors(a, b, c, d)); }
  __m256i not_ascii() const { return _mm256_cmpgt_epi8(_mm256_setzero_si256(), a); }
  __m256i from_three() const { return _mm256_cmpgt_epi8(a, all8(0xdf)); } // or ASCII
  __m256i from_four() const { return _mm256_cmpgt_epi8(a, all8(0xef)); }  // or ASCII
  uint32_t starts() const { return mask8(_mm256_cmpgt_epi8(a, all8(0xbf))); }
};

// Bits 0 to 7 and 8 to 15 of what each byte becomes.
struct planes {
  __m256i low, high;
};

// The last 6 bits of x and y, after `above`: xxyyyyyy in the low plane, 0000xxxx in the high one.
inline planes join(__m256i x, __m256i y) {
  return {_mm256_or_si256(_mm256_and_si256(_mm256_slli_epi16(x, 6), all8(0xc0)),
                          _mm256_and_si256(y, all8(0x3f))),
          _mm256_and_si256(_mm256_srli_epi16(x, 2), all8(0x0f))};
}

inline __m256i upper(__m256i v) { return _mm256_and_si256(_mm256_slli_epi16(v, 4), all8(0xf0)); }

inline planes ascii_or(const block &t, planes p) {
  __m256i other = t.not_ascii();
  return {pick(other, p.low, t.a), _mm256_and_si256(other, p.high)};
}

// For characters of up to three bytes.
inline planes short_characters(const block &t) {
  __m256i three = t.from_three();
  planes p = join(pick(three, t.b, t.a), pick(three, t.c, t.b));
  p.high = _mm256_or_si256(p.high, _mm256_and_si256(three, upper(t.a)));
  return ascii_or(t, p);
}

// For all characters, as UTF-16; `second` marks bytes behind the first one of four.
inline planes surrogates(const block &t, __m256i second) {
  __m256i three = _mm256_or_si256(t.from_three(), second), four = t.from_four();
  planes p = join(pick(three, t.b, t.a), pick(three, t.c, t.b));
  __m256i high = _mm256_or_si256(p.high, _mm256_and_si256(three, upper(t.a)));
  __m256i low_surrogate = _mm256_or_si256(_mm256_and_si256(p.high, all8(0x03)), all8(0xdc));
  p.high = pick(second, low_surrogate, high);
  // U+D7C0 + (character >> 10): the offset takes U+10000 away.
  __m256i bits = _mm256_or_si256(_mm256_and_si256(_mm256_slli_epi16(t.b, 2), all8(0xfc)),
                                 _mm256_and_si256(_mm256_srli_epi16(t.c, 4), all8(0x03)));
  __m256i carry = at_least8(bits, 0x40);
  p.low = pick(four, _mm256_add_epi8(bits, all8(0xc0)), p.low);
  p.high = pick(four, _mm256_sub_epi8(_mm256_add_epi8(t.a, all8(0xd7 - 0xf0)), carry), p.high);
  return ascii_or(t, p);
}

// For all characters; bits 16 to 20 go to `top`.
inline planes long_characters(const block &t, __m256i &top) {
  __m256i three = t.from_three(), four = t.from_four();
  planes p = join(pick(four, t.c, pick(three, t.b, t.a)), pick(four, t.d, pick(three, t.c, t.b)));
  p.high = _mm256_or_si256(p.high, _mm256_and_si256(three, upper(pick(four, t.b, t.a))));
  __m256i bits = _mm256_or_si256(_mm256_and_si256(_mm256_slli_epi16(t.a, 2), all8(0x1c)),
                                 _mm256_and_si256(_mm256_srli_epi16(t.b, 4), all8(0x03)));
  top = _mm256_and_si256(_mm256_and_si256(four, t.not_ascii()), bits);
  return ascii_or(t, p);
}

// Past the bytes of a character that began before `p.read`. Those are at most three, and checked;
// a fourth continuation would be an error.
inline progress past_character(const uint8_t *in, size_t n, progress p) {
  size_t end = p.read == 0 ? 0 : p.read + 3;
  while (p.read < n && p.read < end && continues(in[p.read])) {
    p.read++;
  }
  return p;
}

template <bool big> struct utf16_units {
  using unit = uint16_t;

  void widen(const block &t, uint16_t *out) const {
    for (int half = 0; half < 2; half++) {
      __m256i v = _mm256_cvtepu8_epi16(half ? high_half(t.a) : low_half(t.a));
      store(out + 16 * half, big ? _mm256_slli_epi16(v, 8) : v);
    }
  }

  size_t convert(const block &t, const uint8_t *in, bool first, uint16_t *out) const {
    uint32_t mask = t.starts();
    planes p;
    uint32_t four = mask8(at_least8(t.a, 0xf0));
    bool inside = !first && in[-1] >= 0xf0;
    if (four == 0 && !inside) {
      p = short_characters(t);
    } else {
      __m256i before = first ? _mm256_alignr_epi8(t.a, _mm256_permute2x128_si256(t.a, t.a, 8), 15)
                             : load(in - 1);
      p = surrogates(t, at_least8(before, 0xf0));
      mask |= four << 1 | static_cast<uint32_t>(inside);
    }
    __m256i x = big ? p.high : p.low, y = big ? p.low : p.high;
    __m256i even = _mm256_unpacklo_epi8(x, y), odd = _mm256_unpackhi_epi8(x, y);
    uint16_t *o = out;
    store16(o, compress16(low_half(even), mask));
    o += count(mask & 0xff);
    store16(o, compress16(low_half(odd), mask >> 8));
    o += count(mask & 0xff00);
    store16(o, compress16(high_half(even), mask >> 16));
    o += count(mask & 0xff0000);
    store16(o, compress16(high_half(odd), mask >> 24));
    return count(mask);
  }

  // Where to go on: not between the two units of a character.
  progress settle(const uint8_t *in, size_t n, progress p) const {
    if (p.read > 0 && in[p.read - 1] >= 0xf0) {
      return {p.read - 1, p.written - 1};
    }
    return past_character(in, n, p);
  }
};

struct utf32_units {
  using unit = uint32_t;

  void widen(const block &t, uint32_t *out) const {
    __m128i low = low_half(t.a), high = high_half(t.a);
    store(out, _mm256_cvtepu8_epi32(low));
    store(out + 8, _mm256_cvtepu8_epi32(_mm_srli_si128(low, 8)));
    store(out + 16, _mm256_cvtepu8_epi32(high));
    store(out + 24, _mm256_cvtepu8_epi32(_mm_srli_si128(high, 8)));
  }

  static void put(uint32_t *out, __m128i units, uint32_t mask) {
    store(out, _mm256_cvtepu16_epi32(compress16(units, mask)));
  }
  static void put(uint32_t *out, __m128i units, __m128i top, uint32_t mask) {
    __m256i low = _mm256_cvtepu16_epi32(compress16(units, mask));
    __m256i high = _mm256_cvtepu16_epi32(compress16(top, mask));
    store(out, _mm256_or_si256(low, _mm256_slli_epi32(high, 16)));
  }

  size_t convert(const block &t, const uint8_t *, bool, uint32_t *out) const {
    uint32_t mask = t.starts();
    uint32_t *second = out + count(mask & 0xff), *third = out + count(mask & 0xffff),
             *fourth = out + count(mask & 0xffffff);
    if (none(at_least8(t.a, 0xf0))) {
      planes p = short_characters(t);
      __m256i even = _mm256_unpacklo_epi8(p.low, p.high), odd = _mm256_unpackhi_epi8(p.low, p.high);
      put(out, low_half(even), mask);
      put(second, low_half(odd), mask >> 8);
      put(third, high_half(even), mask >> 16);
      put(fourth, high_half(odd), mask >> 24);
    } else {
      __m256i top;
      planes p = long_characters(t, top);
      __m256i even = _mm256_unpacklo_epi8(p.low, p.high), odd = _mm256_unpackhi_epi8(p.low, p.high);
      const __m256i zero = _mm256_setzero_si256();
      __m256i even_top = _mm256_unpacklo_epi8(top, zero), odd_top = _mm256_unpackhi_epi8(top, zero);
      put(out, low_half(even), low_half(even_top), mask);
      put(second, low_half(odd), low_half(odd_top), mask >> 8);
      put(third, high_half(even), high_half(even_top), mask >> 16);
      put(fourth, high_half(odd), high_half(odd_top), mask >> 24);
    }
    return count(mask);
  }

  progress settle(const uint8_t *in, size_t n, progress p) const {
    return past_character(in, n, p);
  }
};

struct latin1_units : utf32_units {
  using unit = uint8_t;

  void widen(const block &t, uint8_t *out) const { store(out, t.a); }

  size_t convert(const block &t, const uint8_t *, bool, uint8_t *out) const {
    uint32_t mask = t.starts();
    __m256i low = pick(t.not_ascii(), join(t.a, t.b).low, t.a);
    __m256i odd = _mm256_unpackhi_epi64(low, low);
    store8(out, compress8(low_half(low), mask));
    store8(out + count(mask & 0xff), compress8(low_half(odd), mask >> 8));
    store8(out + count(mask & 0xffff), compress8(high_half(low), mask >> 16));
    store8(out + count(mask & 0xffffff), compress8(high_half(odd), mask >> 24));
    return count(mask);
  }
};

template <class Units> bool wrong(const block &t, const Units &) { return t.wrong(); }
// Latin-1 has no lead bytes but C2 and C3.
bool wrong(const block &t, const latin1_units &) {
  return !none(_mm256_or_si256(utf8_errors(t.a, t.b, t.c, t.d), _mm256_and_si256(
      _mm256_cmpgt_epi8(t.a, all8(0xc3)), t.not_ascii())));
}

template <bool checked, class Units>
progress blocks(const Units &units, const uint8_t *in, size_t n, typename Units::unit *out) {
  progress p{0, 0};
  if (n < SEEN || (checked && !starts_well(in))) {
    return p;
  }
  while (p.read + SEEN <= n) {
    block t(in + p.read);
    if (t.ascii()) {
      units.widen(t, out + p.written);
      p.written += 32;
    } else {
      if (checked && wrong(t, units)) {
        break;
      }
      p.written += units.convert(t, in + p.read, p.read == 0, out + p.written);
    }
    p.read += 32;
  }
  return units.settle(in, n, p);
}

template <bool checked, class Units>
progress run(const Units &units, const uint8_t *in, size_t n, typename Units::unit *out) {
  progress p = n <= 64 ? progress{0, 0} : blocks<checked>(units, in, n, out);
  size_t rest = n - p.read;
  if (rest == 0 || rest > 64) { // all is done, or a block had an error
    return p;
  }
  // The last bytes, with as many zeros behind them as fill one block or two.
  size_t taken = rest <= 32 ? 32 : 64;
  alignas(32) uint8_t text[64 + SEEN] = {};
  alignas(32) typename Units::unit made[64];
  copy_few(text, in + p.read, rest);
  progress q = blocks<checked>(units, text, taken + SEEN - 32, made);
  if (q.read < taken) {
    return p;
  }
  size_t useful = q.written - (taken - rest);
  copy_few(out + p.written, made, useful * sizeof made[0]);
  return {n, p.written + useful};
}

} // namespace

namespace kernels {

progress utf8_to_utf16(const uint8_t *in, size_t n, uint16_t *out, bool big, bool valid) {
  if (big) {
    utf16_units<true> units;
    return valid ? run<false>(units, in, n, out) : run<true>(units, in, n, out);
  }
  utf16_units<false> units;
  return valid ? run<false>(units, in, n, out) : run<true>(units, in, n, out);
}

progress utf8_to_utf32(const uint8_t *in, size_t n, uint32_t *out, bool valid) {
  return valid ? run<false>(utf32_units{}, in, n, out) : run<true>(utf32_units{}, in, n, out);
}

progress utf8_to_latin1(const uint8_t *in, size_t n, uint8_t *out, bool valid) {
  return valid ? run<false>(latin1_units{}, in, n, out) : run<true>(latin1_units{}, in, n, out);
}

} // namespace kernels
