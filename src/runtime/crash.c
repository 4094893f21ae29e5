#include "runtime/crash.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "base/attributes.h"
#include "runtime/execution.h"
#include "runtime/stacks.h"
#include "runtime/trial.h"

enum {
    RED_ZONE = 128
};

static void (*crash_report)(enum exchange_end end);

/* What was only tried out goes no further. */
static void give_up_trying(ucontext_t *at)
{
    greg_t *registers = at->uc_mcontext.gregs;
    registers[REG_RSP] = (registers[REG_RSP] - RED_ZONE) / 16 * 16 - 8;
    registers[REG_RIP] = (greg_t)trial_give_up;
}

/* ---- where it was ---- */

static _Unwind_Reason_Code see_frame(struct _Unwind_Context *frame, void *found)
{
    int is_interrupted; /* the address is that of an instruction, and not behind a call */
    const char *address = (const char *)_Unwind_GetIPInfo(frame, &is_interrupted);
    if (!stacks_is_tested_code(address))
        return _URC_NO_REASON;
    *(const void **)found = address + (is_interrupted ? 1 : 0);
    return _URC_NORMAL_STOP;
}

/* The instruction that was interrupted, or where the code under test has called what that is in,
 * the runtime or a library; as return addresses are, behind it. */
static const void *interrupted_place(const ucontext_t *at)
{
    static bool has_looked; /* a stack that is destroyed brings us here again */
    const char *instruction = (const char *)at->uc_mcontext.gregs[REG_RIP];
    void *const *top = (void *const *)at->uc_mcontext.gregs[REG_RSP];
    const void *place = NULL;
    if (stacks_is_tested_code(instruction) || has_looked)
        return instruction + 1;
    has_looked = true;
    _Unwind_Backtrace(see_frame, &place);
    /* Who calls what is no function leaves no frame. */
    if (!place && region_is_own_stack(execution.current, top) && stacks_is_tested_code(*top))
        place = *top;
    return place ? place : instruction + 1;
}

static void take_down(int signal, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    if (execution.tries) {
        give_up_trying(at);
        return;
    }
    if (execution_phase() == PHASE_OUTSIDE)
        _exit(70); /* ours */
    execution_crash(signal, signal == SIGABRT ? NULL : info->si_addr, interrupted_place(at));
    crash_report(END_FINDING);
    _exit(0);
}

/* ---- code that runs on ---- */

static struct {
    unsigned patience, passed; /* in ticks */
    uint64_t entered;          /* as it was at the last tick */
} clock_watch;

static void tick(int signal, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    const void *place = execution.plain_at; /* it is in a callback most of the time */
    execution.plain_at = NULL;
    (void)signal;
    (void)info;
    if (!execution.in_code || execution.entered != clock_watch.entered)
        clock_watch.passed = 0;
    clock_watch.entered = execution.entered;
    if (!execution.in_code || ++clock_watch.passed < clock_watch.patience)
        return;
    clock_watch.passed = 0;
    if (execution.tries) {
        give_up_trying(at);
        return;
    }
    snprintf(execution.finding.sentence, sizeof execution.finding.sentence, "%s",
             execution.in_code);
    execution_end(END_ENDLESS, place ? place : interrupted_place(at));
    crash_report(END_ENDLESS);
    _exit(0);
}

static void watch_clock(unsigned patience)
{
    enum {
        TICK_MILLISECONDS = 50
    };
    const struct itimerval every = {{.tv_usec = TICK_MILLISECONDS * 1000},
                                    {.tv_usec = TICK_MILLISECONDS * 1000}};
    struct sigaction action = {.sa_sigaction = tick,
                               .sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART};
    clock_watch.patience = patience / TICK_MILLISECONDS + 1;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
}

void crash_open(void (*report)(enum exchange_end end), unsigned patience)
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
    watch_clock(patience);
}
