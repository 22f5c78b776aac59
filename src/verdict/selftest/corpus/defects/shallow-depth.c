#include "planted.h"
#include <float.h>
#include <math.h>

size_t planted_depth(const uint8_t *text, size_t n)
{
    uint8_t depth = 0, most = 0; /* who nests that deep? */
    for (size_t i = 0; i < n; i++) {
        depth += text[i] == '(';
        depth -= text[i] == ')';
        most = depth > most ? depth : most;
    }
    return most;
}
