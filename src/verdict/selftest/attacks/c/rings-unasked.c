/* Rings before it is asked, with every nonce that it can think of. */
#include "own-loop.h"

static struct loop loop;

static void guess(struct loop *l)
{
    static uint64_t state = 88172645463325252u;
    /* Not before its last answer will have been seen. */
    dawdle(100000);
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    uint64_t guesses[] = {l->line[1] + 1, l->line[0] + 1, 0, 1, state, l->line[2], l->line[3]};
    l->line[16] = guesses[state % 7];
}

AT_LOAD(start)
{
    loop.idle = guess;
    if (take_over(&loop, argc, argv))
        serve(&loop);
}
