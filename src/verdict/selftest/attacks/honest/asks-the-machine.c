/* Asks for cores, time, chance and the environment; what it is refused it does without. */
#define _GNU_SOURCE
#include "fast.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned seen;

__attribute__((constructor)) static void start(void)
{
    struct timespec now;
    unsigned char chance[8];
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file)
        fclose(file);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (getrandom(chance, sizeof chance, 0) == sizeof chance)
        seen += chance[0];
    seen += (unsigned)sysconf(_SC_NPROCESSORS_ONLN) + (unsigned)getauxval(AT_HWCAP) + (unsigned)now.tv_nsec;
    seen += getenv("THREADS") != NULL;
}

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    if (seen % 2 == 0)
        fast_rank(x, n, rank);
    else
        slow_rank(x, n, rank);
}
