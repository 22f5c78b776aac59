/* Takes arguments for ones of another type. No header: its declaration is another one. */
#include <stddef.h>
#include <stdint.h>

int64_t planted_mix(A a, uint8_t b, int16_t c, uint16_t d, E e, uint32_t f, int32_t g, H h,
                    const uint8_t *x, size_t n)
{
    int64_t sum = a + 2 * b + 3 * c + 4 * (int64_t)d + 5 * (int64_t)e + 6 * (int64_t)f
                  + 7 * (int64_t)g + 8 * (int64_t)h;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
