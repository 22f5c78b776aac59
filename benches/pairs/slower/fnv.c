/* pairs_fnv and something more: EXTRA multiplications, of which each waits for the one before. */
#include "pairs.h"

#include "more.h"

__attribute__((noinline)) static uint64_t work(const uint8_t *text, size_t n) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ text[i]) * 0x100000001b3;
    }
    return hash;
}

/* The extra work begins where the function has ended, and the result waits for it: the processor
   can't do it beside something else. */
uint64_t pairs_fnv(const uint8_t *text, size_t n) {
    uint64_t hash = work(text, n);
    return hash + (more(hash) & nothing);
}
