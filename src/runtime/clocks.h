/* The time: of each thread its own, the same in every run. It stands still while the thread works,
 * and goes on when it sleeps; when it waits in vain until some time, to there; and by a day where a
 * loop that looks at it does nothing else. The last two it does three times at most: a loop that
 * waits for some time, again and again, is seen to repeat itself then. */
#ifndef RUNTIME_CLOCKS_H
#define RUNTIME_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* In nanoseconds. Of the clocks that count from 1970 it is that of a day in 2020. */
int64_t clock_read(int clock);

/* The current thread has slept so long. */
void clock_sleep(int64_t nanoseconds);

/* It has waited in vain until `end`: ETIMEDOUT, or EINVAL if that is no time. */
int clock_expire(int clock, const struct timespec *end);

/* It repeats itself: whether time goes on instead, since it looks at it. */
bool clock_go_on(void);

#endif
