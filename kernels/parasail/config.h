/* What upstream's configure step would find out on x86-64 Linux. */
#ifndef PARASAIL_CONFIG_H
#define PARASAIL_CONFIG_H

#define HAVE_POSIX_MEMALIGN 1
#define HAVE_MALLOC_H 1
#define SIZEOF_INT 4

#endif
