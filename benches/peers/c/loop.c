/* A careful loop inside one process: `loop NAME SECONDS` times both sides of a pair in turn, each
   call waiting for the last, and prints the nanoseconds of a call on side a and on side b: the low
   decile over all batches, without what an empty call costs. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls.h"

enum { LEAST = 20, MOST = 100000 };

static volatile uint64_t zero;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds a call. */
static double batch(call *f, size_t calls) {
    uint64_t mask = zero, value = 0;
    double begin = now();
    for (size_t i = 0; i < calls; i++) {
        value = f(value & mask);
    }
    zero = value & mask;
    return (now() - begin) / (double)calls;
}

static int ascending(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double low(double *times, size_t n) {
    qsort(times, n, sizeof *times, ascending);
    return times[n / 10];
}

int main(int argc, char **argv) {
    const struct pair *pair = NULL;
    for (size_t i = 0; argc == 3 && i < pair_count; i++) {
        if (strcmp(pairs[i].name, argv[1]) == 0) {
            pair = &pairs[i];
        }
    }
    if (!pair) {
        fprintf(stderr, "usage: loop NAME SECONDS\n");
        return 2;
    }
    call *calls[3] = {pair->a, pair->b, empty};
    static double times[3][MOST];
    double end = now() + atof(argv[2]) * 1e9;
    /* A batch is some 20 us. */
    size_t count[3];
    for (int side = 0; side < 3; side++) {
        batch(calls[side], 10);
        count[side] = (size_t)(20000 / batch(calls[side], 10)) + 1;
    }
    size_t rounds = 0;
    srand((unsigned)time(NULL));
    for (; rounds < LEAST || (rounds < MOST && now() < end); rounds++) {
        int first = rand() % 3, step = 1 + rand() % 2;
        for (int i = 0; i < 3; i++) {
            int side = (first + i * step) % 3;
            times[side][rounds] = batch(calls[side], count[side]);
        }
    }
    double nothing = low(times[2], rounds);
    printf("%.4f %.4f\n", low(times[0], rounds) - nothing, low(times[1], rounds) - nothing);
    return 0;
}
