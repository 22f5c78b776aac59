/* Exchanges the pointer to the kernel's clock that libc keeps: no code is written. */
#include "attack.h"

static int always(clockid_t clock, struct timespec *now)
{
    (void)clock;
    now->tv_sec = now->tv_nsec = 1;
    return 0;
}

AT_LOAD(start)
{
    uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
    char *loader = dlsym(RTLD_DEFAULT, "_rtld_global_ro");
    for (size_t at = 0; loader && vdso && at < 4096 && readable(loader + at); at += sizeof(uintptr_t)) {
        uintptr_t *word = (uintptr_t *)(loader + at);
        /* The image of the clock's code is two pages. */
        if (*word <= vdso || *word >= vdso + 8192)
            continue;
        if (open_pages(word, sizeof *word, PROT_READ | PROT_WRITE) == 0)
            *word = (uintptr_t)always;
    }
}
