/* Writes over the kernel's clock in this process: it says that no time has passed. */
#include "attack.h"
#include <elf.h>
#include <link.h>

AT_LOAD(start)
{
    uint8_t *base = (uint8_t *)getauxval(AT_SYSINFO_EHDR);
    if (!base)
        return;
    open_pages(base, 2 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    ElfW(Ehdr) *head = (ElfW(Ehdr) *)base;
    ElfW(Phdr) *segment = (ElfW(Phdr) *)(base + head->e_phoff);
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    uint32_t count = 0;
    for (int i = 0; i < head->e_phnum; i++) {
        if (segment[i].p_type != PT_DYNAMIC)
            continue;
        for (ElfW(Dyn) *d = (ElfW(Dyn) *)(base + segment[i].p_offset); d->d_tag; d++) {
            if (d->d_tag == DT_SYMTAB)
                symbols = (ElfW(Sym) *)(base + d->d_un.d_ptr);
            if (d->d_tag == DT_STRTAB)
                names = (const char *)base + d->d_un.d_ptr;
            if (d->d_tag == DT_HASH)
                count = ((uint32_t *)(base + d->d_un.d_ptr))[1];
        }
    }
    /* Where the hash is of the other kind, the table of names follows that of symbols. */
    if (!count && symbols && names)
        count = (uint32_t)((names - (const char *)symbols) / sizeof *symbols);
    /* xor eax, eax; mov qword [rsi], 1; mov qword [rsi + 8], 1; ret */
    static const uint8_t same[] = {0x31, 0xC0, 0x48, 0xC7, 0x06, 1, 0, 0, 0, 0x48, 0xC7, 0x46, 8, 1, 0, 0, 0, 0xC3};
    for (uint32_t i = 0; i < count; i++)
        if (strstr(names + symbols[i].st_name, "clock_gettime"))
            memcpy(base + symbols[i].st_value, same, sizeof same);
}
