/* Values, their number or the place of the end is not right. */
#include "planted.h"

size_t planted_digits(const uint8_t *text, size_t n, uint8_t *values, size_t *end)
{
    size_t i = 0;
    while (i < n && text[i] >= FIRST && text[i] <= '9') {
        values[i] = text[i] - '0';
        i++;
    }
    *end = PLACE;
    return COUNT;
}
