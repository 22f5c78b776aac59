// Validation: how many units at the front are certainly right. What holds the first error, and the
// last few units, are left.

#include "utf16_avx2.h"
#include "validation.h"

namespace {

inline bool continues(uint8_t byte) { return (byte & 0xc0) == 0x80; }

// Errors among the 32 bytes at `in`, which have three before them.
inline __m256i errors(const uint8_t *in) {
  return utf8_errors(load(in - 3), load(in - 2), load(in - 1), load(in));
}

template <bool big> size_t utf16(const uint16_t *in, size_t n) {
  // Of raw units: the bits that tell surrogates, and what they are in high and low ones.
  const __m256i bits = all16(big ? 0x00fc : 0xfc00 - 0x10000);
  const __m256i high = all16(big ? 0x00d8 : 0xd800 - 0x10000);
  const __m256i low = all16(big ? 0x00dc : 0xdc00 - 0x10000);
  auto unpaired = [=](const uint16_t *p) {
    __m256i now = _mm256_cmpeq_epi16(_mm256_and_si256(load(p), bits), high);
    __m256i next = _mm256_cmpeq_epi16(_mm256_and_si256(load(p + 1), bits), low);
    return _mm256_xor_si256(now, next);
  };
  if (n == 0 || (unit<big>(in[0]) & 0xfc00) == 0xdc00) {
    return 0;
  }
  size_t at = 0;
  for (; at + 65 <= n; at += 64) {
    __m256i wrong = _mm256_or_si256(unpaired(in + at), unpaired(in + at + 16));
    __m256i wrong2 = _mm256_or_si256(unpaired(in + at + 32), unpaired(in + at + 48));
    if (!none(_mm256_or_si256(wrong, wrong2))) {
      break;
    }
  }
  for (; at + 17 <= n; at += 16) {
    if (!none(unpaired(in + at))) {
      break;
    }
  }
  // The first unit of the rest follows rightly on the one before it: not a pair's second.
  return at > 0 && (unit<big>(in[at]) & 0xfc00) == 0xdc00 ? at + 1 : at;
}

} // namespace

namespace kernels {

size_t valid_ascii(const uint8_t *in, size_t n) {
  size_t at = 0;
  for (; at + 128 <= n; at += 128) {
    __m256i any = _mm256_or_si256(_mm256_or_si256(load(in + at), load(in + at + 32)),
                                  _mm256_or_si256(load(in + at + 64), load(in + at + 96)));
    if (mask8(any) != 0) {
      break;
    }
  }
  for (; at + 32 <= n; at += 32) {
    uint32_t mask = mask8(load(in + at));
    if (mask != 0) {
      return at + _tzcnt_u32(mask);
    }
  }
  if (n >= 32) {
    uint32_t mask = mask8(load(in + n - 32));
    return mask ? n - 32 + _tzcnt_u32(mask) : n;
  }
  return at;
}

size_t valid_utf8(const uint8_t *in, size_t n) {
  if (n < 16) {
    return 0;
  }
  // The first block has zeros before it; a short text has zeros behind it, too.
  alignas(32) uint8_t text[4 + 64 + 32] = {};
  uint8_t *front = text + 4;
  if (n < 64) {
    copy_few(front, in, n);
    __m256i wrong = n < 32 ? errors(front)
                           : _mm256_or_si256(errors(front), errors(front + 32));
    return none(wrong) ? n : 0;
  }
  store(front, load(in));
  if (!none(errors(front))) {
    return 0;
  }
  size_t at = 32;
  bool open = true; // the last bytes before `at` may want more
  for (; at + 64 <= n; at += 64) {
    __m256i v = load(in + at), w = load(in + at + 32);
    if (mask8(_mm256_or_si256(v, w)) == 0) {
      if (open) {
        __m256i wrong = errors(in + at);
        if (!none(wrong)) {
          break;
        }
        open = false;
      }
      continue;
    }
    open = true;
    if (!none(_mm256_or_si256(errors(in + at), errors(in + at + 32)))) {
      break;
    }
  }
  if (at + 64 > n) {
    // The rest, behind the last 32 bytes that are done.
    size_t rest = n - at;
    store(text, load(in + at - 32));
    std::memset(text + 32, 0, sizeof text - 32);
    if (rest > 0) {
      copy_few(text + 32, in + at, rest);
    }
    __m256i wrong = errors(text + 32);
    if (rest >= 32) {
      wrong = _mm256_or_si256(wrong, errors(text + 64));
    }
    if (none(wrong)) {
      return n;
    }
  }
  // Not from within a character.
  size_t back = at;
  while (back > 0 && continues(in[back - 1])) {
    back--;
  }
  return back > 0 && in[back - 1] >= 0xc0 ? back - 1 : at;
}

size_t valid_utf16(const uint16_t *in, size_t n, bool big) {
  return big ? utf16<true>(in, n) : utf16<false>(in, n);
}

size_t valid_utf32(const uint32_t *in, size_t n) {
  const __m256i most = all32(0x10ffff);
  auto wrong = [=](__m256i v) {
    __m256i surrogate = _mm256_cmpeq_epi32(_mm256_and_si256(v, all32(0xfffff800)), all32(0xd800));
    return _mm256_or_si256(surrogate, _mm256_xor_si256(_mm256_max_epu32(v, most), most));
  };
  size_t at = 0;
  for (; at + 32 <= n; at += 32) {
    const uint32_t *p = in + at;
    if (!none(_mm256_or_si256(_mm256_or_si256(wrong(load(p)), wrong(load(p + 8))),
                              _mm256_or_si256(wrong(load(p + 16)), wrong(load(p + 24)))))) {
      return at;
    }
  }
  for (; at + 8 <= n; at += 8) {
    if (!none(wrong(load(in + at)))) {
      return at;
    }
  }
  return n >= 8 && none(wrong(load(in + n - 8))) ? n : at;
}

} // namespace kernels
