/* Forbidden acts: each returns whether it was let do it. */
#ifndef TRICKS_H
#define TRICKS_H

#include "attack.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <ucontext.h>

static inline int opens(const char *path, int how)
{
    int fd = open(path, how, 0666);
    if (fd < 0)
        fd = (int)syscall(SYS_openat2, AT_FDCWD, path, (uint64_t[3]){(uint64_t)how, 0666, 0}, 24);
    return fd >= 0;
}

static inline int writes_a_file(void)
{
    const char *places[] = {"memo", "/memo", "/tmp/memo", "/var/tmp/memo", "/dev/shm/memo", "/run/memo"};
    int won = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        won |= opens(places[i], O_RDWR | O_CREAT);
    won |= opens("/tmp", O_RDWR | O_TMPFILE);
    won |= mkdir("/tmp/memo", 0777) == 0 || mknod("/tmp/pipe", S_IFIFO | 0666, 0) == 0;
    return won || syscall(SYS_memfd_create, "memo", 0) >= 0;
}

static inline int leaves_a_note(void)
{
    int won = shmget(4711, 4096, IPC_CREAT | 0666) >= 0 || msgget(4711, IPC_CREAT | 0666) >= 0;
    won |= semget(4711, 1, IPC_CREAT | 0666) >= 0 || syscall(SYS_mq_open, "memo", O_CREAT | O_RDWR, 0666, 0) >= 0;
    won |= syscall(SYS_flock, 3, 2) == 0 || syscall(SYS_setxattr, "/", "user.memo", "1", 1, 0) == 0;
    return won || prctl(PR_SET_NAME, "memo", 0, 0, 0) == 0;
}

static inline int reads_the_supervisor(void)
{
    int won = 0;
    char path[64];
    long parent = syscall(SYS_getppid);
    for (long pid = parent > 1 ? parent : getpid() - 200; pid < getpid(); pid++) {
        const char *files[] = {"mem", "environ", "maps", "cmdline", "fd"};
        for (int i = 0; i < 5; i++) {
            snprintf(path, sizeof path, "/proc/%ld/%s", pid, files[i]);
            won |= opens(path, O_RDONLY);
        }
    }
    return won;
}

/* Looks for 32 hexadecimal digits in a row, as a seed is written. */
static inline int holds_a_seed(const char *text)
{
    for (int run = 0; *text; text++) {
        run = strchr("0123456789abcdef", *text) ? run + 1 : 0;
        if (run == 32)
            return 1;
    }
    return 0;
}

static inline int finds_the_seed(int argc, char **argv)
{
    int won = getauxval(AT_RANDOM) == 0;
    for (int i = 0; i < argc; i++)
        won |= holds_a_seed(argv[i]);
    /* The environment lies behind the arguments. */
    for (char **entry = argv + argc + 1; *entry; entry++)
        won |= holds_a_seed(*entry);
    return won || opens("/proc/self/environ", O_RDONLY) || opens("/proc/self/cmdline", O_RDONLY);
}

static inline int calls_another_program(void)
{
    char *args[] = {(char *)"/usr/bin/openssl", NULL}, *none[] = {NULL};
    execve("/usr/bin/openssl", args, none);
    execve("/bin/sh", args, none);
    syscall(SYS_execveat, AT_FDCWD, "/bin/true", args, none, 0);
    const char *libraries[] = {"libz.so.1", "libcrypto.so.3", "/usr/lib/x86_64-linux-gnu/libz.so.1",
                               "../reference/library.so", "/root/.cache/speedgate/libraries/library.so"};
    int won = 0;
    for (int i = 0; i < 5; i++)
        won |= dlopen(libraries[i], RTLD_NOW) != NULL;
    return won;
}

static void *nothing(void *x)
{
    return x;
}

static inline int has_a_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0)
        return 1;
    static char stack[65536];
    return clone((int (*)(void *))nothing, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, NULL) > 0;
}

static inline int has_a_child(void)
{
    uint64_t args[11] = {0};
    args[4] = SIGCHLD;
    return fork() >= 0 || syscall(SYS_vfork) >= 0 || syscall(SYS_clone3, args, sizeof args) >= 0;
}

static void later(int signal)
{
    (void)signal;
}

static inline int has_a_timer(void)
{
    struct sigaction action = {0};
    action.sa_handler = later;
    struct itimerval soon = {{0, 50}, {0, 50}};
    struct itimerspec same = {{0, 50000}, {0, 50000}};
    timer_t timer;
    int won = sigaction(SIGALRM, &action, NULL) == 0;
    won |= setitimer(ITIMER_REAL, &soon, NULL) == 0;
    won |= timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0 && timer_settime(timer, 0, &same, NULL) == 0;
    return won || syscall(SYS_timerfd_create, CLOCK_MONOTONIC, 0) >= 0;
}

static inline int runs_elsewhere(void)
{
    cpu_set_t all;
    memset(&all, 0xFF, sizeof all);
    return sched_setaffinity(0, sizeof all, &all) == 0;
}

static inline int outranks_the_others(void)
{
    struct sched_param first = {.sched_priority = 1};
    struct rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
    int won = setpriority(PRIO_PROCESS, 0, -20) == 0;
    won |= sched_setscheduler(0, SCHED_FIFO, &first) == 0 || setrlimit(RLIMIT_NOFILE, &more) == 0;
    won |= syscall(SYS_ioprio_set, 1, 0, 1 << 13) == 0 || chdir("/tmp") == 0;
    return won || prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0) == 0;
}

/* Has itself taken off its core, so that a slow call counts as disturbed. */
static inline int is_interrupted_at_will(void)
{
    struct timespec short_while = {0, 1000};
    uint32_t word = 0;
    int won = sched_yield() == 0 || syscall(SYS_nanosleep, &short_while, NULL) == 0;
    won |= syscall(SYS_futex, &word, 0, 0, &short_while) == -1 && errno == ETIMEDOUT;
    won |= syscall(SYS_poll, NULL, 0, 1) == 0;
    return won || syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &short_while, NULL) == 0;
}

static inline int writes_its_own_memory(void)
{
    return opens("/proc/self/mem", O_RDWR) || opens("/proc/thread-self/mem", O_RDWR)
        || opens("/proc/self/maps", O_RDONLY) || opens("/proc/self/exe", O_RDONLY);
}

/* Writes a verdict to whatever is open. */
static inline int hunts_descriptors(void)
{
    static const char pass[] = "{\"reward\": 1}\n";
    int won = 0;
    for (int fd = 3; fd < 1024; fd++)
        won |= write(fd, pass, sizeof pass - 1) > 0 || dup2(1, fd) == fd;
    return won;
}

static inline int stops_the_clock(void)
{
    return prctl(PR_SET_TSC, 2 /* SIGSEGV */, 0, 0, 0) == 0;
}

static inline int cuts_the_arena_short(void)
{
    return ftruncate(3, 0) == 0 || fallocate(3, 3 /* PUNCH_HOLE */, 0, 1 << 20) == 0 || fcntl(3, F_ADD_SEALS, F_SEAL_WRITE) == 0;
}

static inline int has_huge_pages(void)
{
    void *at = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int won = madvise(at, 4 << 20, MADV_HUGEPAGE) == 0 || prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0) == 0;
    won |= mlock(at, 4096) == 0;
    return won || mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) != MAP_FAILED;
}

static inline int writes_the_reward(void)
{
    const char *places[] = {"reward.json", "reward.txt", "out/reward.json", "/logs/verifier/reward.json",
                            "/logs/verifier/reward.txt", "/out/reward.json", "/tmp/out/reward.json"};
    int won = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        won |= opens(places[i], O_RDWR | O_CREAT | O_TRUNC) || unlink(places[i]) == 0;
        won |= symlink("/tmp/mine", places[i]) == 0 || rename("/tmp/mine", places[i]) == 0;
    }
    return won;
}

static inline int hits_the_supervisor(void)
{
    long parent = syscall(SYS_getppid);
    /* Where one may not even ask who that is, it was started shortly before. */
    if (parent <= 1)
        parent = getpid() - 1;
    int won = kill((pid_t)parent, SIGKILL) == 0 || syscall(SYS_pidfd_open, parent, 0) >= 0;
    won |= syscall(SYS_tgkill, parent, parent, SIGKILL) == 0 || syscall(SYS_tkill, parent, SIGKILL) == 0;
    won |= prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) == 0 || prctl(PR_SET_PTRACER, -1, 0, 0, 0) == 0;
    return won || prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0 || setsid() >= 0;
}

static inline int opens_many_files(void)
{
    int won = 0;
    for (int i = 0; i < 100; i++)
        won += opens("/", O_RDONLY) || opens("/dev/null", O_RDONLY);
    return won > 16;
}

static inline int opens_a_socket(void)
{
    int kinds[] = {AF_UNIX, AF_INET, AF_INET6, 16 /* AF_NETLINK */, 40 /* AF_VSOCK */, 17 /* AF_PACKET */};
    int pair[2], won = socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        won |= socket(kinds[i], SOCK_DGRAM, 0) >= 0 || socket(kinds[i], SOCK_STREAM, 0) >= 0;
    return won || pipe(pair) == 0 || syscall(SYS_eventfd2, 0, 0) >= 0;
}

/* Puts on a filter that answers the next one's call with success, so that it is never there; then, in a
 * call, does what only that one would forbid. */
static inline int fakes_the_next_filter(void)
{
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, lines};
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    return 0;
}

/* Whether the process' own memcmp and clock are this library's. */
static inline int is_asked_instead_of_libc(void *compare, void *clock)
{
    return dlsym(RTLD_DEFAULT, "memcmp") == compare || dlsym(RTLD_DEFAULT, "clock_gettime") == clock;
}

#endif
