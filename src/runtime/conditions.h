/* Waiting for a signal: conditions, and words of memory that threads sleep on (futexes).
 *
 * A condition is a location that only read-modify-writes change: whoever begins to wait leaves
 * CONDITION_WAITS there, whoever signals CONDITION_SIGNAL or CONDITION_BROADCAST. A signal wakes
 * those whose read, after they have begun to wait, takes its value from it: at least one, if
 * there is one that has begun before it in mo and that none before it has woken, and all of them if
 * it is a broadcast. Executions in which a signal is lost on who waits are seen (a thread goes on
 * waiting, though it has been signalled, or a later signal wakes it), but are no hanging ones:
 * condition_is_lost says so.
 *
 * A wait may also end for no reason. Nothing is gained for hanging by that, and for everything else
 * signals mean nothing then. So a scenario is gone through twice, if anybody waits: with signals,
 * where nobody wakes for no reason, and without, where all do (exploration_wake_freely). There a
 * loop that comes to the same wait again, and has written nothing since, ends there: without its
 * last iteration the rest is the same. */
#ifndef RUNTIME_CONDITIONS_H
#define RUNTIME_CONDITIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "runtime/threads.h"
#include "scenario/exchange.h"

enum {
    CONDITION_WAITS = 1,
    CONDITION_SIGNAL,
    CONDITION_BROADCAST
};

/* Until when a thread waits; `end` null: until it is signalled. */
struct deadline {
    const struct timespec *end;
    int clock;
};

/* Waits: 0, or the number of an error. `frame`: of the caller (runtime/callbacks.h). */
int condition_wait(void *condition, pthread_mutex_t *mutex, struct deadline deadline,
                   const char *frame, const void *at);

/* The same with a lock of any kind, which the caller gives back and takes again, as
 * std::condition_variable_any does: it begins, gives back, sleeps (whether it was signalled), takes
 * again, and ends. `remembers` is what the beginning said. `is_known`: the lock is one of the
 * library's; of others nobody knows what they do besides. `end`: the time is up. */
bool condition_begin(const void *condition, bool is_timed, const char *frame, const void *at);
bool condition_sleep(const void *condition, bool is_timed, const void *at);
void condition_end(bool remembers, bool is_signalled, bool is_known, const struct timespec *end);

void condition_signal(const void *condition, bool broadcast, const void *at);

/* Ends the run if somebody waits for it. */
void condition_destroy(void *condition, const void *at);

/* Sleeps on a word of memory while it is `value`, as the system's FUTEX_WAIT: 0, EAGAIN if it is
 * not, or ETIMEDOUT. Wakes those who do. */
int futex_wait(const void *word, unsigned value, bool is_timed, const char *frame, const void *at);
void futex_wake(const void *word, bool all, const void *at);

/* Says where the locations of words are that threads slept on: of the heap, of globals. */
void conditions_say_sleeping(struct exchange_sleeping sleeping[2]);

/* Forgets on what words threads slept in the execution before. False when the system refuses
 * memory. */
bool conditions_begin(void);

/* Of a thread that is blocked because it waits for a signal: whether no signal was lost, on it or
 * on those who were woken, so that it waits for ever if nothing else happens. */
bool condition_is_lost(const struct execution_graph *graph, unsigned thread);

#endif
