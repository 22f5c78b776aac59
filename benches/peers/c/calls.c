#include "calls.h"

/* What a study may set: bytes of pairs_fnv. There is one text for pairs_utf8, which branch predictors
   learn by heart, as they do in the benchmarks that people write. */
#ifndef FNV_BYTES
#define FNV_BYTES 4096
#endif

enum { WORDS = 20, LINE = 64, IMAGE = 64 * 64, TEXT = 2000, BUFFER = 65536 };

static uint64_t words[WORDS];
static uint8_t page[FNV_BYTES], line[LINE], text[TEXT];
static _Alignas(64) uint8_t image[2][IMAGE], in[2][BUFFER], out[BUFFER];
static uint32_t sad[16];

#define CALLS(side)                                                                     \
    uint64_t pairs_poly_##side(const uint64_t *, size_t);                               \
    uint64_t pairs_fnv_##side(const uint8_t *, size_t);                                 \
    uint64_t pairs_fnv64_##side(const uint8_t *, size_t);                               \
    void pairs_sad16_##side(const uint8_t *, const uint8_t *, uint32_t *);              \
    size_t pairs_utf8_##side(const uint8_t *, size_t);                                  \
    void pairs_memxor_##side(const uint8_t *, const uint8_t *, size_t, uint8_t *);      \
    call poly_##side, fnv_##side, fnv64_##side, sad16_##side, utf8_##side, memxor_##side; \
    uint64_t poly_##side(uint64_t zero) {                                               \
        return pairs_poly_##side(words + zero, WORDS);                                  \
    }                                                                                   \
    uint64_t fnv_##side(uint64_t zero) {                                                \
        return pairs_fnv_##side(page + zero, FNV_BYTES);                                \
    }                                                                                   \
    uint64_t fnv64_##side(uint64_t zero) {                                              \
        return pairs_fnv64_##side(line + zero, LINE);                                   \
    }                                                                                   \
    uint64_t sad16_##side(uint64_t zero) {                                              \
        pairs_sad16_##side(image[0] + zero, image[1], sad);                             \
        return sad[15];                                                                 \
    }                                                                                   \
    uint64_t utf8_##side(uint64_t zero) {                                               \
        return pairs_utf8_##side(text + zero, TEXT);                                    \
    }                                                                                   \
    uint64_t memxor_##side(uint64_t zero) {                                             \
        pairs_memxor_##side(in[0] + zero, in[1], BUFFER, out);                          \
        return out[BUFFER - 1];                                                         \
    }

CALLS(a)
CALLS(b)

uint64_t empty(uint64_t zero) {
    return zero;
}

#define PAIR(name) { #name, name##_a, name##_b }
const struct pair pairs[] = {
    PAIR(poly), PAIR(fnv64), PAIR(sad16), PAIR(utf8), PAIR(memxor), PAIR(fnv),
};
const size_t pair_count = sizeof pairs / sizeof *pairs;

static uint64_t state = 1;

static uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(((state >> 32) * below) >> 32);
}

/* A character of `length` bytes; that it is assigned does not matter. */
static void character(uint8_t *p, int length) {
    uint32_t c = length == 1   ? draw(0x80)
                 : length == 2 ? 0x80 + draw(0x780)
                 : length == 3 ? 0x1000 + draw(0xc000)
                               : 0x10000 + draw(0x100000);
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = length - 1; i > 0; i--, c >>= 6) {
        p[i] = (uint8_t)(0x80 | (c & 0x3f));
    }
    p[0] = (uint8_t)(lead[length] | c);
}

/* Mixed scripts: runs of characters of one length. */
static void mixed(uint8_t *p, int n) {
    static const int lengths[] = {1, 1, 1, 1, 2, 2, 3, 3, 3, 4};
    int length = 1;
    for (int i = 0; i < n; i += length) {
        if (draw(8) == 0) {
            length = lengths[draw(10)];
        }
        if (length > n - i) {
            length = 1;
        }
        character(p + i, length);
    }
}

static void bytes(void *to, size_t n) {
    for (uint8_t *p = to; n > 0; n--) {
        *p++ = (uint8_t)draw(256);
    }
}

__attribute__((constructor)) static void prepare(void) {
    bytes(words, sizeof words);
    bytes(page, sizeof page);
    bytes(line, sizeof line);
    bytes(image, sizeof image);
    bytes(in, sizeof in);
    mixed(text, TEXT);
}
