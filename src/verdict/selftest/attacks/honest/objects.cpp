// Objects that are made when the library is loaded, a lambda, a container of the standard library.
#include "slow.h"
#include <algorithm>
#include <array>
#include <vector>

namespace {
struct Table {
    std::array<uint32_t, 256> sums{};
    Table()
    {
        uint32_t v = 0;
        std::generate(sums.begin(), sums.end(), [&v] {
            uint32_t crc = v++;
            for (int bit = 0; bit < 8; bit++)
                crc = crc >> 1 ^ (0xEDB88320 & -(crc & 1));
            return crc;
        });
    }
};
const Table table;
}

extern "C" void besieged_fold(const uint8_t *x, size_t n, uint32_t *sum)
{
    std::vector<uint8_t> copy(x, x + n);
    uint32_t crc = 0xFFFFFFFF;
    for (uint8_t byte : copy)
        crc = crc >> 8 ^ table.sums[(crc ^ byte) & 255];
    *sum = ~crc;
}
