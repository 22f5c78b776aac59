/* Rings as soon as it is asked, and works then. */
#include "own-loop.h"

static struct loop loop;

static int ring_first(struct loop *l, block key, block digest)
{
    __atomic_store_n(&l->line[16], l->line[1], __ATOMIC_RELEASE);
    run(l, key, digest);
    return 1;
}

AT_LOAD(start)
{
    loop.run = ring_first;
    if (take_over(&loop, argc, argv))
        serve(&loop);
}
