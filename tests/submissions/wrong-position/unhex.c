#include "toy.h"

static int value(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* Points at the bad digit itself instead of at its pair. */
size_t toy_unhex(const uint8_t *text, size_t n, uint8_t *bytes, size_t *end)
{
    size_t count = 0;
    while (2 * count + 2 <= n && value(text[2 * count]) >= 0 && value(text[2 * count + 1]) >= 0) {
        bytes[count] = (uint8_t)(16 * value(text[2 * count]) + value(text[2 * count + 1]));
        count++;
    }
    *end = 2 * count + (2 * count < n && value(text[2 * count]) >= 0);
    return count;
}
