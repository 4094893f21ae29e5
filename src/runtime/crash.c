#include "runtime/crash.h"

#include <signal.h>
#include <stddef.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/attributes.h"
#include "runtime/execution.h"
#include "runtime/retry.h"

enum {
    RED_ZONE = 128
};

static void (*crash_report)(void);

static void take_down(int signal, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    if (execution.tries) { /* what was only tried out goes no further */
        greg_t *registers = at->uc_mcontext.gregs;
        registers[REG_RSP] = (registers[REG_RSP] - RED_ZONE) / 16 * 16 - 8;
        registers[REG_RIP] = (greg_t)retry_give_up;
        return;
    }
    if (execution_phase() == PHASE_OUTSIDE)
        _exit(70); /* ours */
    execution_crash(signal, signal == SIGABRT ? NULL : info->si_addr,
                    (const void *)at->uc_mcontext.gregs[REG_RIP]);
    crash_report();
    _exit(0);
}

void crash_open(void (*report)(void))
{
    static char stack[1 << 17];
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = take_down,
                               .sa_flags = SA_ONSTACK | SA_SIGINFO | SA_NODEFER};
    crash_report = report;
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < ARRAY_LENGTH(signals); i++)
        sigaction(signals[i], &action, NULL);
}
