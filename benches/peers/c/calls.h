/* The pairs as calls without arguments, the same for every tool: side a and side b are the same C,
   compiled twice under two names. */
#ifndef CALLS_H
#define CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `zero` must be 0. Who wants one call to wait for the last makes it depend on its result. */
typedef uint64_t call(uint64_t zero);

struct pair {
    const char *name;
    call *a, *b;
};

extern const struct pair pairs[];
extern const size_t pair_count;

/* Nothing: what a call costs that does no work. */
call empty;

#ifdef __cplusplus
}
#endif

#endif
