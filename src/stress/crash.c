#include "stress/crash.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>
#include <unwind.h>

#include "scenario/exchange.h"
#include "stress/channel.h"

struct frames {
    bool interrupted; /* the frame that the signal came to was seen: before it are ours */
    unsigned count;
    const char *addresses[EXCHANGE_FRAMES];
};

static _Unwind_Reason_Code see_frame(struct _Unwind_Context *frame, void *context)
{
    struct frames *frames = context;
    int is_interrupted = 0; /* the address is that of an instruction, and not behind a call */
    const char *address = (const char *)_Unwind_GetIPInfo(frame, &is_interrupted);
    frames->interrupted |= is_interrupted;
    if (frames->interrupted)
        frames->addresses[frames->count++] = address + (is_interrupted ? 1 : 0);
    return frames->count < EXCHANGE_FRAMES ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

/* All in one piece, so that what another thread writes does not come between. */
static void tell(int number)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    struct frames frames = {0};
    char lines[EXCHANGE_FRAMES * 20 + 1], all[sizeof lines + 32];
    int length = 0;
    while (atomic_flag_test_and_set(&told)) /* of several at once the first ends the process */
        pause();
    _Unwind_Backtrace(see_frame, &frames);
    *lines = '\0';
    for (unsigned i = 0; i < frames.count; i++)
        length += snprintf(lines + length, sizeof lines - (size_t)length, "%p\n",
                           (const void *)frames.addresses[i]);
    length = snprintf(all, sizeof all, "crash 0 %d\n%s", length, lines);
    (void)channel_write(EXCHANGE_ANSWERS, all, (size_t)length);
    signal(number, SIG_DFL);
    raise(number); /* it comes when this has returned */
}

void crash_tell(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    const struct sigaction action = {.sa_handler = tell, .sa_flags = SA_ONSTACK};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction there;
        if (sigaction(signals[i], NULL, &there) == 0 && !(there.sa_flags & SA_SIGINFO) &&
            there.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    }
}

void crash_use_stack(char *stack)
{
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = CRASH_STACK}, NULL);
}
