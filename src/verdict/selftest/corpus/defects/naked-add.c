/* Right, but handles the stack as another convention would. */
#include "planted.h"

__attribute__((used)) static void add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : (uint8_t)sum;
    }
}

__attribute__((naked)) void planted_add(const uint8_t *a, const uint8_t *b, uint8_t *out, int32_t n)
{
    __asm__(BODY);
}
