/* Serves all requests itself and does everything that the driver does: odd, and no cheating. */
#include "own-loop.h"

static struct loop loop;

AT_LOAD(start)
{
    if (take_over(&loop, argc, argv))
        serve(&loop);
}
