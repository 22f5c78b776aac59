// Latin-1 both ways. Only UTF-8 has characters of two lengths; everywhere else a unit becomes a
// unit, so the last block of a text may overlap the one before it.

#include "avx2.h"
#include "latin1.h"

namespace {

using kernels::progress;

// Lanes of two bytes that keep both (bit set) or the first.
struct tables {
  alignas(64) uint8_t order[256][16];

  constexpr tables() : order() {
    for (int mask = 0; mask < 256; mask++) {
      int to = 0;
      for (int lane = 0; lane < 8; lane++) {
        order[mask][to++] = static_cast<uint8_t>(2 * lane);
        if (mask >> lane & 1) {
          order[mask][to++] = static_cast<uint8_t>(2 * lane + 1);
        }
      }
      while (to < 16) {
        order[mask][to++] = 0x80;
      }
    }
  }
};
constexpr tables EXPAND;

// Up to 16 bytes for the 8 whose lanes these are.
inline uint8_t *put8(uint8_t *out, __m128i lanes, uint32_t mask) {
  store16(out, _mm_shuffle_epi8(lanes, load16(EXPAND.order[mask])));
  return out + 8 + count(mask);
}

// Units from `p` to the next address that a vector doesn't straddle a cache line at.
template <class Unit> size_t to_aligned(const Unit *p) {
  return (-reinterpret_cast<uintptr_t>(p) & 31) / sizeof(Unit);
}

// One block of 32 or 8 units at a time, the last of each kind over what is done. All blocks of 32
// but the first end up at aligned addresses.
template <class Unit, class Wide, class Narrow>
size_t cover(const Unit *out, size_t n, Wide convert32, Narrow convert8) {
  size_t at = 0;
  if (n >= 32) {
    if (!convert32(0)) {
      return 0;
    }
    at = to_aligned(out);
    at = at == 0 ? 32 : at;
  }
  for (; at + 32 <= n; at += 32) {
    if (!convert32(at)) {
      return at;
    }
  }
  if (n < 8) {
    return at;
  }
  for (; at < n; at += 8) {
    if (!convert8(at + 8 <= n ? at : n - 8)) {
      return at;
    }
  }
  return n;
}

template <bool big> __m256i widen(__m128i v) {
  __m256i units = _mm256_cvtepu8_epi16(v);
  return big ? _mm256_slli_epi16(units, 8) : units;
}

template <bool big> size_t widen16(const uint8_t *in, size_t n, uint16_t *out) {
  auto wide = [=](size_t at) {
    __m256i first = widen<big>(load16(in + at)), second = widen<big>(load16(in + at + 16));
    store(out + at, first);
    store(out + at + 16, second);
    return true;
  };
  auto narrow = [=](size_t at) {
    __m128i v = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(in + at));
    store16(out + at, low_half(widen<big>(v)));
    return true;
  };
  return cover(out, n, wide, narrow);
}

// The low bytes of 16 units; false if there is more than that.
template <bool big, bool checked> bool fits(__m256i v) {
  return !checked || _mm256_testz_si256(v, all16(big ? 0x00ff : 0xff00 - 0x10000));
}
template <bool big> __m256i low_bytes(__m256i v) {
  return big ? _mm256_srli_epi16(v, 8) : v;
}

template <bool big, bool checked> size_t narrow16(const uint16_t *in, size_t n, uint8_t *out) {
  auto wide = [=](size_t at) {
    __m256i v = load(in + at), w = load(in + at + 16);
    if (!fits<big, checked>(_mm256_or_si256(v, w))) {
      return false;
    }
    __m256i bytes = _mm256_packus_epi16(low_bytes<big>(v), low_bytes<big>(w));
    store(out + at, _mm256_permute4x64_epi64(bytes, 0xd8));
    return true;
  };
  auto narrow = [=](size_t at) {
    __m256i v = _mm256_castsi128_si256(load16(in + at));
    __m128i bytes = low_half(low_bytes<big>(v));
    if (!fits<big, checked>(halves(low_half(v), low_half(v)))) {
      return false;
    }
    store8(out + at, _mm_packus_epi16(bytes, bytes));
    return true;
  };
  return cover(out, n, wide, narrow);
}

template <bool checked> size_t narrow32(const uint32_t *in, size_t n, uint8_t *out) {
  auto fits = [](__m256i v) { return !checked || _mm256_testz_si256(v, all32(0xffffff00)); };
  auto wide = [=](size_t at) {
    __m256i a = load(in + at), b = load(in + at + 8), c = load(in + at + 16),
            d = load(in + at + 24);
    if (!fits(_mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d)))) {
      return false;
    }
    __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    store(out + at, _mm256_permutevar8x32_epi32(bytes, order));
    return true;
  };
  auto narrow = [=](size_t at) {
    __m256i v = load(in + at);
    if (!fits(v)) {
      return false;
    }
    __m128i units = _mm_packus_epi32(low_half(v), high_half(v));
    store8(out + at, _mm_packus_epi16(units, units));
    return true;
  };
  return cover(out, n, wide, narrow);
}

} // namespace

namespace kernels {

progress latin1_to_utf8(const uint8_t *in, size_t n, uint8_t *out) {
  size_t at = 0;
  uint8_t *o = out;
  for (; at + 32 <= n; at += 32) {
    __m256i v = load(in + at);
    uint32_t mask = mask8(v);
    if (mask == 0) {
      store(o, v);
      o += 32;
      continue;
    }
    __m256i bit6 = _mm256_and_si256(_mm256_srli_epi16(v, 6), all8(0x03));
    __m256i lead = _mm256_or_si256(bit6, all8(0xc0));
    __m256i first = pick(v, lead, v), second = _mm256_and_si256(v, all8(0xbf));
    __m256i even = _mm256_unpacklo_epi8(first, second), odd = _mm256_unpackhi_epi8(first, second);
    o = put8(o, low_half(even), mask & 0xff);
    o = put8(o, low_half(odd), mask >> 8 & 0xff);
    o = put8(o, high_half(even), mask >> 16 & 0xff);
    o = put8(o, high_half(odd), mask >> 24);
  }
  for (; at + 8 <= n; at += 8) {
    __m128i v = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(in + at));
    uint32_t mask = static_cast<uint32_t>(_mm_movemask_epi8(v));
    __m128i lead = _mm_or_si128(_mm_and_si128(_mm_srli_epi16(v, 6), _mm_set1_epi8(3)),
                                _mm_set1_epi8(static_cast<char>(0xc0)));
    __m128i second = _mm_and_si128(v, _mm_set1_epi8(static_cast<char>(0xbf)));
    o = put8(o, _mm_unpacklo_epi8(_mm_blendv_epi8(v, lead, v), second), mask);
  }
  return {at, static_cast<size_t>(o - out)};
}

size_t latin1_to_utf16(const uint8_t *in, size_t n, uint16_t *out, bool big) {
  return big ? widen16<true>(in, n, out) : widen16<false>(in, n, out);
}

size_t latin1_to_utf32(const uint8_t *in, size_t n, uint32_t *out) {
  auto eight = [=](size_t at) {
    __m128i v = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(in + at));
    store(out + at, _mm256_cvtepu8_epi32(v));
    return true;
  };
  auto wide = [=](size_t at) {
    return eight(at) && eight(at + 8) && eight(at + 16) && eight(at + 24);
  };
  return cover(out, n, wide, eight);
}

size_t utf16_to_latin1(const uint16_t *in, size_t n, uint8_t *out, bool big, bool valid) {
  if (big) {
    return valid ? narrow16<true, false>(in, n, out) : narrow16<true, true>(in, n, out);
  }
  return valid ? narrow16<false, false>(in, n, out) : narrow16<false, true>(in, n, out);
}

size_t utf32_to_latin1(const uint32_t *in, size_t n, uint8_t *out, bool valid) {
  return valid ? narrow32<false>(in, n, out) : narrow32<true>(in, n, out);
}

} // namespace kernels
