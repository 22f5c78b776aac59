#include "pairs.h"

uint64_t pairs_fnv64(const uint8_t *text, size_t n) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ text[i]) * 0x100000001b3;
    }
    return hash;
}
