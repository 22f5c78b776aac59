/* What the machine does to a program that does always the same, and what a line of memory takes from
 * core to core. Prints lines of numbers for scripts/study/machine.py.
 *
 *   spells CORE      times of a loop in the first-level cache, one window after another:
 *                    quantiles relative to the 5th percentile, and how often two windows some time
 *                    apart are both quick (correlation of being within 7 % of it)
 *   lines CORE CORE  round trips of a line, by its place in memory: lower quartile each, ns
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { WORDS = 4096, WINDOWS = 1000000, PLACES = 48, TRIPS = 2000, PAGE = 4096 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void settle_on(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
    struct sched_param first = {.sched_priority = 1};
    sched_setscheduler(0, SCHED_RR, &first);
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

__attribute__((noinline)) static uint32_t weigh(const uint32_t *x)
{
    uint32_t sum = 0;
    for (int i = 0; i < WORDS; i++)
        sum += x[i] * (x[i] >> 3);
    return sum;
}

static void spells(int core)
{
    static uint32_t words[WORDS];
    double *took = malloc(2 * WINDOWS * sizeof *took), *sorted = took + WINDOWS;
    volatile uint32_t sink = 0;
    settle_on(core);
    for (int i = 0; i < WINDOWS; i++) {
        double start = now();
        for (int again = 0; again < 4; again++)
            sink += weigh(words);
        took[i] = now() - start;
    }
    memcpy(sorted, took, WINDOWS * sizeof *took);
    qsort(sorted, WINDOWS, sizeof *sorted, order);
    double quick = sorted[WINDOWS / 20], share = 0;
    printf("window_ns %.0f\n", sorted[WINDOWS / 2]);
    for (int percent = 5; percent < 100; percent += 15)
        printf("quantile %d %.3f\n", percent, sorted[WINDOWS / 100 * percent] / quick);
    for (int i = 0; i < WINDOWS; i++)
        share += took[i] = took[i] < 1.07 * quick;
    share /= WINDOWS;
    printf("quick %.3f\n", share);
    for (int lag = 4; lag < WINDOWS / 4; lag *= 4) {
        double sum = 0;
        for (int i = 0; i + lag < WINDOWS; i++)
            sum += (took[i] - share) * (took[i + lag] - share);
        double whole = share * (1 - share) * (WINDOWS - lag);
        printf("apart %.3f %.3f\n", lag * sorted[WINDOWS / 2] / 1e6, whole > 0 ? sum / whole : 0);
    }
    free(took);
}

static char *base;
static int far_core;

static volatile uint64_t *line(int place, int side)
{
    return (volatile uint64_t *)(base + place * (PAGE + 256) + side * 128);
}

static void *answer(void *unused)
{
    (void)unused;
    settle_on(far_core);
    for (int place = 0; place < PLACES; place++)
        for (uint64_t ring = 1; ring <= TRIPS; ring++) {
            while (*line(place, 0) != ring)
                ;
            *line(place, 1) = ring;
        }
    return 0;
}

static void lines(int near, int far)
{
    static double took[TRIPS];
    pthread_t thread;
    far_core = far;
    base = mmap(0, PLACES * (PAGE + 256) + PAGE, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(base, 0, PLACES * (PAGE + 256) + PAGE);
    settle_on(near);
    pthread_create(&thread, 0, answer, 0);
    for (int place = 0; place < PLACES; place++) {
        for (uint64_t ring = 1; ring <= TRIPS; ring++) {
            double start = now();
            *line(place, 0) = ring;
            while (*line(place, 1) != ring)
                ;
            took[ring - 1] = now() - start;
        }
        qsort(took, TRIPS, sizeof *took, order);
        printf("line %.1f\n", took[TRIPS / 4]);
    }
    pthread_join(thread, 0);
}

int main(int count, char **words)
{
    if (count == 3 && !strcmp(words[1], "spells"))
        spells(atoi(words[2]));
    else if (count == 4 && !strcmp(words[1], "lines"))
        lines(atoi(words[2]), atoi(words[3]));
    else
        return 2;
    return 0;
}
