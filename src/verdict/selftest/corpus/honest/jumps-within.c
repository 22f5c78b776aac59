/* Leaves its loop by a long jump. */
#include "planted.h"
#include <setjmp.h>

static jmp_buf done;

__attribute__((noinline)) static void copy(const uint8_t *text, size_t n, uint8_t *values, size_t *end)
{
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            longjmp(done, 1);
        values[i] = text[i] - '0';
        *end = i + 1;
    }
}

size_t planted_digits(const uint8_t *text, size_t n, uint8_t *values, size_t *end)
{
    *end = 0;
    if (setjmp(done) == 0)
        copy(text, n, values, end);
    return *end;
}
