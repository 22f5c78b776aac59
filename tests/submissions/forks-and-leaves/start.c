#include <unistd.h>

/* The child goes on as if it were the worker, its parent is gone. Where no child is allowed, the
 * parent leaves all the same. */
__attribute__((constructor)) static void start(void)
{
    if (fork() != 0)
        _exit(0);
}
