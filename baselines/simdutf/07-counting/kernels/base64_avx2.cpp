// Base64, 24 bytes to 32 characters at a time. How six bits are taken apart and put together with
// multiplications, and characters found by their halves: Mula and Lemire, "Faster Base64 encoding
// and decoding using AVX2 instructions", 2018.

#include "avx2.h"
#include "base64.h"

namespace {

using kernels::alphabet;
using kernels::progress;

constexpr char STANDARD[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// What to add to a value, by the range that it is in: a-z, the ten digits, the last two, A-Z.
struct encoding {
  alignas(16) uint8_t offset[16];

  constexpr explicit encoding(bool url) : offset() {
    offset[0] = 'a' - 26;
    for (int digit = 1; digit <= 10; digit++) {
      offset[digit] = static_cast<uint8_t>('0' - 52);
    }
    offset[11] = static_cast<uint8_t>((url ? '-' : '+') - 62);
    offset[12] = static_cast<uint8_t>((url ? '_' : '/') - 63);
    offset[13] = 'A';
  }
};
constexpr encoding ENCODE[2] = {encoding(false), encoding(true)};

// Characters for the first 12 bytes of each half.
inline __m256i encode(__m256i bytes, __m256i offsets) {
  // Each three bytes abc as bacb, so that all four values lie within a 16-bit lane.
  const __m256i spread =
      _mm256_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10, 1, 0, 2, 1, 4, 3, 5, 4, 7,
                       6, 8, 7, 10, 9, 11, 10);
  __m256i v = _mm256_shuffle_epi8(bytes, spread);
  __m256i first_third =
      _mm256_mulhi_epu16(_mm256_and_si256(v, all32(0x0fc0fc00)), all32(0x04000040));
  __m256i second_fourth =
      _mm256_mullo_epi16(_mm256_and_si256(v, all32(0x003f03f0)), all32(0x01000010));
  __m256i values = _mm256_or_si256(first_third, second_fourth);
  __m256i range = _mm256_subs_epu8(values, all8(51));
  __m256i upper = _mm256_cmpgt_epi8(all8(26), values);
  range = _mm256_or_si256(range, _mm256_and_si256(upper, all8(13)));
  return _mm256_add_epi8(values, _mm256_shuffle_epi8(offsets, range));
}

// Encodes in steps of 24 and 12 bytes up to `end`, a multiple of 3 past `at`. If that is none of
// 12, up to 12 characters too many are stored. Reads up to 16 bytes past `end`.
inline uint8_t *encode_to(const uint8_t *in, size_t at, size_t end, uint8_t *out, __m256i offsets) {
  for (; at + 24 <= end; at += 24) {
    store(out, encode(halves(load16(in + at), load16(in + at + 12)), offsets));
    out += 32;
  }
  for (; at < end; at += 12) {
    store16(out, low_half(encode(_mm256_castsi128_si256(load16(in + at)), offsets)));
    out += end - at < 12 ? (end - at) / 3 * 4 : 16;
  }
  return out;
}

// By the high half of a character: what to add to it for its value. Then those whose own half
// doesn't say it: + and - (index 8 and 9), / and _ (10 and 11).
struct decoding {
  alignas(16) uint8_t offset[16];
  alignas(16) uint8_t wrong_low[16]; // bit h: no character of the high half h has this low half
  alignas(16) uint8_t high_bit[16];

  constexpr explicit decoding(alphabet letters) : offset(), wrong_low(), high_bit() {
    offset[2] = offset[8] = static_cast<uint8_t>(62 - '+');
    offset[9] = static_cast<uint8_t>(62 - '-');
    offset[10] = static_cast<uint8_t>(63 - '/');
    offset[11] = static_cast<uint8_t>(63 - '_');
    offset[3] = static_cast<uint8_t>(52 - '0');
    offset[4] = offset[5] = static_cast<uint8_t>(0 - 'A');
    offset[6] = offset[7] = static_cast<uint8_t>(26 - 'a');
    for (int half = 0; half < 16; half++) {
      wrong_low[half] = 0xff;
      high_bit[half] = static_cast<uint8_t>(half < 8 ? 1 << half : 0xff);
    }
    for (int i = 0; i < 62; i++) {
      allow(STANDARD[i]);
    }
    if (letters != alphabet::url) {
      allow('+');
      allow('/');
    }
    if (letters != alphabet::standard) {
      allow('-');
      allow('_');
    }
  }

  constexpr void allow(char c) {
    wrong_low[c & 15] = static_cast<uint8_t>(wrong_low[c & 15] & ~(1 << (c >> 4)));
  }
};
constexpr decoding DECODE[3] = {decoding(alphabet::standard), decoding(alphabet::url),
                                decoding(alphabet::either)};

template <alphabet letters> struct decoder {
  static constexpr const decoding &TABLES = DECODE[static_cast<int>(letters)];

  // The values of characters that are of the alphabet; bytes that are 0 where one is.
  static __m256i values(__m256i c, __m256i &wrong) {
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(c, 4), all8(0x0f));
    __m256i low = _mm256_and_si256(c, all8(0x0f));
    wrong = _mm256_and_si256(_mm256_shuffle_epi8(twice(TABLES.wrong_low), low),
                             _mm256_shuffle_epi8(twice(TABLES.high_bit), high));
    __m256i index = high;
    if (letters != alphabet::url) {
      index = _mm256_add_epi8(index, is(c, '/', 10 - 2));
    }
    if (letters != alphabet::standard) {
      index = _mm256_add_epi8(index, _mm256_or_si256(is(c, '-', 9 - 2), is(c, '_', 11 - 5)));
    }
    return _mm256_add_epi8(c, _mm256_shuffle_epi8(twice(TABLES.offset), index));
  }

  static __m256i is(__m256i c, char wanted, int then) {
    return _mm256_and_si256(_mm256_cmpeq_epi8(c, all8(wanted)), all8(then));
  }
};

// The 24 bytes of 32 values.
inline void put(__m256i values, uint8_t *out) {
  __m256i twelve = _mm256_maddubs_epi16(values, all32(0x01400140));
  __m256i three = _mm256_madd_epi16(twelve, all32(0x00011000));
  const __m256i order = _mm256_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1, 2,
                                         1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(three, order),
                                              _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
  store16(out, low_half(bytes));
  store8(out + 16, high_half(bytes));
}

inline uint32_t white(__m256i c) {
  // Of the characters with these low halves, those that are white space.
  const __m256i spaces = _mm256_setr_epi8(' ', -1, -1, -1, -1, -1, -1, -1, -1, '\t', '\n', -1, '\f',
                                          '\r', -1, -1, ' ', -1, -1, -1, -1, -1, -1, -1, -1, '\t',
                                          '\n', -1, '\f', '\r', -1, -1);
  return mask8(_mm256_cmpeq_epi8(c, _mm256_shuffle_epi8(spaces, c)));
}

inline __m256i characters(const uint8_t *p) { return load(p); }
// Anything above U+00FF becomes 0 or 0xFF.
inline __m256i characters(const uint16_t *p) {
  return _mm256_permute4x64_epi64(_mm256_packus_epi16(load(p), load(p + 16)), 0xd8);
}

// Stores the values whose bit is set one after the other, and up to 8 bytes of anything behind.
inline size_t squeeze(__m256i values, uint32_t keep, uint8_t *out) {
  __m256i odd = _mm256_unpackhi_epi64(values, values);
  store8(out, compress8(low_half(values), keep));
  store8(out + count(keep & 0xff), compress8(low_half(odd), keep >> 8));
  store8(out + count(keep & 0xffff), compress8(high_half(values), keep >> 16));
  store8(out + count(keep & 0xffffff), compress8(high_half(odd), keep >> 24));
  return count(keep);
}

inline uint32_t which(__m256i wrong) {
  return ~mask8(_mm256_cmpeq_epi8(wrong, _mm256_setzero_si256()));
}

// As many characters as fill the buffer, or all up to one that is neither of the alphabet nor white
// space (`stop`): their values are gathered first, then put together.
template <alphabet letters, class Unit>
progress decode_with_spaces(const Unit *in, size_t n, uint8_t *out, bool &stop) {
  constexpr size_t FULL = 1024;
  alignas(32) uint8_t gathered[FULL + 64];
  size_t held = 0, read = 0;
  uint32_t bad = 0;
  while (read + 32 <= n && held < FULL && bad == 0) {
    __m256i wrong, c = characters(in + read);
    __m256i values = decoder<letters>::values(c, wrong);
    uint32_t others = which(wrong);
    if (others == 0) {
      store(gathered + held, values);
      held += 32;
      read += 32;
      continue;
    }
    bad = others & ~white(c);
    held += squeeze(values, ~others & (bad ? (bad & -bad) - 1 : ~0u), gathered + held);
    read += bad ? _tzcnt_u32(bad) : 32;
  }
  stop = bad != 0;
  // A last group that isn't whole is read again.
  for (size_t again = held % 4; again > 0;) {
    Unit c = in[--read];
    again -= !(c == ' ' || (c >= '\t' && c <= '\r'));
  }
  size_t at = 0;
  for (; at + 32 <= held; at += 32) {
    put(load(gathered + at), out);
    out += 24;
  }
  uint8_t rest[24];
  put(load(gathered + at), rest);
  copy_few(out, rest, (held - at) / 4 * 3);
  return {read, held / 4 * 3};
}

template <alphabet letters, class Unit>
progress decode(const Unit *in, size_t n, uint8_t *out) {
  progress p{0, 0};
  while (p.read + 32 <= n) {
    __m256i wrong, wrong2;
    __m256i values = decoder<letters>::values(characters(in + p.read), wrong);
    if (p.read + 64 <= n) {
      __m256i next = decoder<letters>::values(characters(in + p.read + 32), wrong2);
      if (none(_mm256_or_si256(wrong, wrong2))) {
        put(values, out + p.written);
        put(next, out + p.written + 24);
        p.read += 64;
        p.written += 48;
        continue;
      }
    }
    if (none(wrong)) {
      put(values, out + p.written);
      p.read += 32;
      p.written += 24;
    } else {
      bool stop;
      progress more =
          decode_with_spaces<letters>(in + p.read, n - p.read, out + p.written, stop);
      p = {p.read + more.read, p.written + more.written};
      if (stop || more.read == 0) {
        break;
      }
    }
  }
  return p;
}

template <class Unit>
progress decode_any(const Unit *in, size_t n, uint8_t *out, alphabet letters) {
  switch (letters) {
  case alphabet::standard:
    return decode<alphabet::standard>(in, n, out);
  case alphabet::url:
    return decode<alphabet::url>(in, n, out);
  default:
    return decode<alphabet::either>(in, n, out);
  }
}

} // namespace

namespace kernels {

progress base64_encode(const uint8_t *in, size_t n, uint8_t *out, alphabet letters, size_t line) {
  __m256i offsets = twice(ENCODE[letters == alphabet::url].offset);
  if (line == 0) {
    size_t most = n < 16 ? 0 : (n - 4) / 12 * 12;
    uint8_t *o = encode_to(in, 0, most, out, offsets);
    return {most, static_cast<size_t>(o - out)};
  }
  progress p{0, 0};
  size_t bytes = line / 4 * 3;
  // A line is written while enough is left to cover what its last store writes too much.
  while (n - p.read >= bytes + 16) {
    uint8_t *o = encode_to(in, p.read, p.read + bytes, out + p.written, offsets);
    *o++ = '\n';
    p.read += bytes;
    p.written = static_cast<size_t>(o - out);
  }
  return p;
}

progress base64_decode(const uint8_t *in, size_t n, uint8_t *out, alphabet letters) {
  return decode_any(in, n, out, letters);
}

progress base64_decode(const uint16_t *in, size_t n, uint8_t *out, alphabet letters) {
  return decode_any(in, n, out, letters);
}

} // namespace kernels
