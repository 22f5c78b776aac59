/* What the attacks share. */
#ifndef ATTACK_H
#define ATTACK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "slow.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define AT_LOAD(name) __attribute__((constructor)) static void name(int argc, char **argv)

/* Whether an address can be read, asked of the kernel: a wait on it ends with EFAULT if not. The value
 * is one that is not there, so that it does not wait. */
static inline int readable(const void *address)
{
    uint32_t unlikely = 0x6E1BF0D3;
    return syscall(SYS_futex, address, 0 /* FUTEX_WAIT */, unlikely, NULL) == 0 || errno != EFAULT;
}

/* Makes the pages that hold `len` bytes writable, and executable if they are to stay so. */
static inline int open_pages(void *at, size_t len, int access)
{
    uintptr_t first = (uintptr_t)at & ~4095ul, end = ((uintptr_t)at + len + 4095) & ~4095ul;
    return mprotect((void *)first, end - first, access);
}

/* Some hundred microseconds of nothing. */
static inline void dawdle(unsigned rounds)
{
    for (volatile unsigned i = 0; i < rounds; i++)
        ;
}

#endif
