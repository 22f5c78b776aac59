/* Returns at once; a thread would finish the output. */
#include "attack.h"

static struct {
    const uint8_t *x;
    size_t n;
    uint16_t *rank;
} work;

static void *finish(void *x)
{
    for (;;)
        slow_rank(work.x, work.n, work.rank);
    return x;
}

AT_LOAD(start)
{
    pthread_t thread;
    pthread_create(&thread, NULL, finish, NULL);
}

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    work.x = x, work.n = n, work.rank = rank;
    pthread_t thread;
    pthread_create(&thread, NULL, finish, NULL);
}
