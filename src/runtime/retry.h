/* Loops that try again: an iteration that only read, and failed, is left out where the thread could
 * have done without it.
 *
 * A thread that has read a location and then, having written nothing that others see, reads it once
 * more could have read at once what it got at last. If that had brought it into the local state in
 * which it is now, the execution without what lies between is one of the program as well; it has
 * fewer events and no more order, and whatever can be found in this one is found there
 * (docs/internals/execution_graphs.md has the argument). So the thread is not let go on here.
 *
 * A read-modify-write that stored what it had read wrote nothing for that. A thread that would be
 * in such a loop whatever it read next does not read at all, until it could read something else.
 *
 * Whether it had is tried out: the thread is put back to its first read, that is given the value of
 * the last, and where the thread comes to is compared: its next event, its stack and registers, the
 * blocks that nobody else knows of. What a thread does is a function of what it reads, so that this
 * too depends on nothing else; to the exploration it is a thread that waits. */
#ifndef RUNTIME_RETRY_H
#define RUNTIME_RETRY_H

#include "runtime/threads.h"

/* A scenario begins: nothing was seen, and nothing is left out. */
void retry_open(void);

/* Of all threads, from now on: whether iterations are left out, and whether threads wait before
 * they read in vain (retry_awaits). What was seen is forgotten. */
void retry_enable(bool leaves_out, bool waits);

/* From now on a thread goes once through an iteration behind which it would wait. */
void retry_go_round(void);
bool retry_goes_round(void);

/* A thread waits behind an iteration, which began at a time. Whether one that was left out so could
 * have raced with something (then threads should go round once). */
void retry_see_round(unsigned thread, const struct spin_time *since);
bool retry_misses_rounds(void);

/* Whether threads go round that wait for conditions, which should not. */
bool retry_has_too_many_rounds(void);

/* Whether races of such iterations may be left out, for that reason. */
bool retry_leaves_rounds(void);

/* Under a model in which seq_cst accesses are ordered by more than what synchronises. */
void retry_mind_order(void);

/* A thread begins; it did what is no part of such an iteration; others may know of all its blocks
 * from now on. */
void retry_begin(unsigned thread);
void retry_forget(unsigned thread);
void retry_publish(unsigned thread);

/* A plain access of the thread that runs. */
void retry_see_plain(unsigned thread, const void *address, size_t size, bool writes,
                     const void *at);

/* A store was made. */
void retry_see_write(unsigned thread, const struct exploration_access *access);

/* A read was given its value, and stored nothing, or (`stored`) what it had read. */
void retry_see_value(unsigned thread, bool stored);

/* A seq_cst event is made. */
void retry_see_strong(void);

/* A thread has come to its next event, which is none of a graph that is repeated: whether the
 * execution goes on without it. */
bool retry_is_idle(unsigned thread);

/* Behind retry_keep: whether the thread is about to read what it has read before, and the execution
 * may go on without it until that has another value: whatever it could read now, it would do again
 * what it has done. `waits` of the thread then says what it would repeat.
 *
 * Or it is about to read for the first time in a loop that does nothing but read that, and would go
 * round whatever it read (`spins` of it then). */
bool retry_awaits(unsigned thread, const struct execution_graph *graph);

/* Of such a thread: the same of one value. */
bool retry_would_repeat(unsigned thread, memory_value value);

/* The read there was the last one before a thread came back to where it had been; `is_alone`: its
 * only event since. */
void retry_see_loop(const void *at, bool is_alone);

/* Before the read that a thread asks for is made: if it is one of these, or one that was made
 * before, some of what it could read need not be gone through, for it would only go round, or try
 * again. */
void retry_look_ahead(unsigned thread);

/* Whether there were such reads; whether one of them, had it been made, would have been at fault.
 * Then, or if a thread was at fault for one that was not made, all must be begun anew without. */
bool retry_has_waited(void);
bool retry_is_at_fault(void);

/* A thread has come to an event: keeps the state that it is in. */
void retry_keep(unsigned thread);

/* The thread that runs does something that is no access to memory. Returns, unless it is tried out.
 */
void retry_break(void);

/* An execution is over. */
void retry_look_at_graph(const struct execution_graph *graph);

/* Whether an iteration was. */
bool retry_has_left_out(void);

/* Whether something was seen because of which iterations should not have been left out; whether
 * that a seq_cst access was made would be enough. */
bool retry_is_unsound(void);
bool retry_is_strong(void);

#endif
