/* A constructor that never returns. */
#include "takes-over.h"

AT_LOAD(start)
{
    if (take_over(&taken, argc, argv))
        answer_for_ever();
}
