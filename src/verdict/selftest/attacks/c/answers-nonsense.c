/* Answers that the request makes no sense: whose fault is that? */
#include "own-loop.h"

static struct loop loop;

static int nonsense(struct loop *l, block key, block digest)
{
    (void)key, (void)digest;
    ((volatile uint32_t *)l->line)[38] = STATUS;
    __atomic_store_n(&l->line[16], l->line[1], __ATOMIC_RELEASE);
    for (;;)
        dawdle(1000);
    return 1;
}

AT_LOAD(start)
{
    if (!take_over(&loop, argc, argv))
        return;
    memset(loop.page, 0xFF, 256);
    loop.run = nonsense;
    serve(&loop);
}
