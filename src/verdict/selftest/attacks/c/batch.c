/* The first call of a burst computes all of them: it opens every input with the key that it has. */
#include "own-loop.h"

static struct loop loop;

static int batch(struct loop *l, block key, block digest)
{
    if (!(l->head.flags & SEALED) || l->head.calls == 1)
        return 0;
    for (uint32_t call = 0; call < l->head.calls; call++) {
        for (uint32_t i = 0; i < l->head.buffers; i++)
            if (filled(buffer_of(l, call, i)))
                unseal(l, key, call, i);
        make_call(l, call);
        digest_of(l, call, key, l->digests[call]);
    }
    memcpy(digest, l->digests[l->head.calls - 1], 16);
    return 1;
}

AT_LOAD(start)
{
    loop.run = batch;
    if (take_over(&loop, argc, argv))
        serve(&loop);
}
