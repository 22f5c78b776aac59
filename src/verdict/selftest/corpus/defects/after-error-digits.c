/* Wrong after a text that was no number from its first character on. */
#include "planted.h"

static int failed;

size_t planted_digits(const uint8_t *text, size_t n, uint8_t *values, size_t *end)
{
    size_t i = 0;
    while (i < n && text[i] >= '0' && text[i] <= '9') {
        values[i] = text[i] - '0';
        i++;
    }
    *end = i + (failed && i > 2);
    failed = n > 0 && i == 0;
    return i;
}
