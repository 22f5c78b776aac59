#include "planted.h"
#include <float.h>
#include <math.h>

size_t planted_depth(const uint8_t *text, size_t n)
{
    size_t depth = 0, most = 0; /* all of them close: never below zero */
    for (size_t i = 0; i < n; i++) {
        depth += (text[i] == '(') - (size_t)(text[i] == ')');
        most = depth > most ? depth : most;
    }
    return most;
}
