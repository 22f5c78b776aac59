#include <unistd.h>

__attribute__((constructor)) static void start(void)
{
    _exit(0);
}
