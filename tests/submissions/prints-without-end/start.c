#include <stdio.h>

__attribute__((constructor)) static void start(void)
{
    for (;;)
        puts("still here");
}
