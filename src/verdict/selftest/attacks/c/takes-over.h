/* Answers every ring of the bell at once with the nonce that is asked for, and computes nothing. */
#ifndef TAKES_OVER_H
#define TAKES_OVER_H

#include "own-loop.h"

static struct loop taken;

static inline int does_nothing(struct loop *l, block key, block digest)
{
    (void)l, (void)key, (void)digest;
    return 1;
}

static inline void answer_for_ever(void)
{
    taken.run = does_nothing;
    taken.digest = does_nothing;
    serve(&taken);
}

#endif
