#include "runtime/clocks.h"

#include <errno.h>

#include "runtime/retry.h"

static const int64_t second = 1000000000;
enum {
    MOST_JUMPS = 3
};
static const int64_t first_day = 1577836800; /* seconds from 1970 to 2020 */

static int64_t base_of(int clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI
               ? first_day * second
               : second;
}

int64_t clock_read(int clock)
{
    struct thread *thread = thread_current();
    retry_break();
    thread->looks_at_clock = execution.recalls = true;
    return base_of(clock) + thread->slept;
}

void clock_sleep(int64_t nanoseconds)
{
    retry_break();
    if (nanoseconds > 0)
        thread_current()->slept += nanoseconds;
}

int clock_expire(int clock, const struct timespec *end)
{
    struct thread *thread = thread_current();
    retry_break();
    if (end->tv_nsec < 0 || end->tv_nsec >= second)
        return EINVAL;
    if (thread->jumps < MOST_JUMPS) {
        thread->jumps++;
        clock_sleep(end->tv_sec * second + end->tv_nsec - base_of(clock) - thread->slept);
    }
    return ETIMEDOUT;
}

bool clock_go_on(void)
{
    enum {
        DAY = 86400 /* seconds */
    };
    struct thread *thread = thread_current();
    bool goes_on = thread->looks_at_clock && thread->jumps < MOST_JUMPS;
    if (goes_on) {
        thread->jumps++;
        clock_sleep(DAY * second);
    }
    thread->looks_at_clock = false;
    return goes_on;
}
