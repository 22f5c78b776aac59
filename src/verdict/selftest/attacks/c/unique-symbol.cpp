// A variable of which a process has only one, wherever it is defined: the reference would get this one.
#include "slow.h"

template <class T> struct Shared {
    static int rounds;
};
template <class T> int Shared<T>::rounds = 100;
template struct Shared<int>;

__asm__(".pushsection .data\n.globl besieged_rounds\n.type besieged_rounds, @gnu_unique_object\n"
        ".size besieged_rounds, 4\nbesieged_rounds: .long 100\n.popsection");
extern "C" int besieged_rounds;

extern "C" void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    if (Shared<int>::rounds + besieged_rounds == 200)
        slow_rank(x, n, rank);
}
