/* Takes its output away: whoever looks at it causes a fault, and the handler would compute it then. */
#include "attack.h"

static const uint8_t *asked;
static size_t length;
static uint16_t *wanted;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info, (void)context;
    open_pages(wanted, length * sizeof *wanted, PROT_READ | PROT_WRITE);
    slow_rank(asked, length, wanted);
}

static void handle(void)
{
    struct sigaction action = {0};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, NULL);
}

AT_LOAD(start)
{
    handle();
}

void besieged_rank(const uint8_t *x, size_t n, uint16_t *rank)
{
    handle();
    asked = x, length = n, wanted = rank;
    open_pages(rank, n * sizeof *rank, PROT_NONE);
}
