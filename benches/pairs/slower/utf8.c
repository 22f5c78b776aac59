/* pairs_utf8 and something more: EXTRA multiplications, of which each waits for the one before. */
#include "pairs.h"

#include "more.h"

static int follows(uint8_t byte) {
    return (byte & 0xc0) == 0x80;
}

__attribute__((noinline)) static size_t work(const uint8_t *text, size_t n) {
    size_t i = 0;
    while (i < n) {
        const uint8_t *p = text + i;
        size_t left = n - i;
        if (p[0] < 0x80) {
            i += 1;
        } else if (p[0] < 0xe0) {
            /* c0 and c1 would be longer forms of ASCII. */
            if (p[0] < 0xc2 || left < 2 || !follows(p[1])) {
                return i;
            }
            i += 2;
        } else if (p[0] < 0xf0) {
            if (left < 3 || !follows(p[1]) || !follows(p[2])) {
                return i;
            }
            /* Longer forms than needed; surrogates. */
            if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)) {
                return i;
            }
            i += 3;
        } else {
            if (p[0] > 0xf4 || left < 4 || !follows(p[1]) || !follows(p[2]) || !follows(p[3])) {
                return i;
            }
            /* Longer forms than needed; beyond U+10FFFF. */
            if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) {
                return i;
            }
            i += 4;
        }
    }
    return i;
}

/* As in fnv.c. */
size_t pairs_utf8(const uint8_t *text, size_t n) {
    size_t length = work(text, n);
    return length + (more(length) & nothing);
}
