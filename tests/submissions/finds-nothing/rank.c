#define _GNU_SOURCE
#include "toy.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tries every door, while it is loaded and while it is called, and is right only if none opened. */
static int opened;

static void handler(int signal)
{
    (void)signal;
}

static void try_doors(int called)
{
    static const char *const files[] = {
        "/etc/passwd", "../../../../etc/passwd", "/proc/self/mem", "/proc/self/maps", "/usr", "/",
    };
    /* Its own root, empty as it is, may be opened while it is loaded. */
    for (unsigned i = 0; i < sizeof files / sizeof *files - !called; i++)
        opened |= open(files[i], O_RDONLY) >= 0;
    opened |= open("/dev/shm/note", O_RDWR | O_CREAT, 0666) >= 0;
    opened |= socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_DGRAM, 0) >= 0;
    opened |= memfd_create("note", 0) >= 0;
    opened |= signal(SIGALRM, handler) != SIG_ERR || signal(SIGSEGV, handler) != SIG_ERR;
    opened |= kill(getppid(), 0) == 0;
    struct itimerval soon = {.it_value = {.tv_sec = 1}};
    opened |= setitimer(ITIMER_REAL, &soon, 0) == 0;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    opened |= child > 0;
    if (called) {
        opened |= mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
        void *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        opened |= page == MAP_FAILED || mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
        opened |= madvise(page, 4096, MADV_HUGEPAGE) == 0;
    }
}

__attribute__((constructor)) static void start(void)
{
    try_doors(0);
}

void toy_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    static int calls;
    if (calls++ % 64 == 0)
        try_doors(1);
    uint16_t count[256] = {0}, smaller[256];
    for (size_t i = 0; i < n; i++)
        count[x[i]]++;
    uint16_t sum = 0;
    for (int v = 0; v < 256; v++) {
        smaller[v] = sum;
        sum += count[v];
    }
    for (size_t i = 0; i < n; i++)
        rank[i] = (uint16_t)(smaller[x[i]] + (opened ? 1 : 0));
}
