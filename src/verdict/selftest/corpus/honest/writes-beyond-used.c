/* Decodes everything, and says how much of it counts. */
#include "planted.h"

size_t planted_digits(const uint8_t *text, size_t n, uint8_t *values, size_t *end)
{
    size_t count = n;
    for (size_t i = n; i-- > 0;) {
        values[i] = (uint8_t)(text[i] - '0');
        if (values[i] > 9)
            count = i;
    }
    *end = count;
    return count;
}
