/* Loops that look under a lock: an iteration that took locks, read, and gave them back, and left
 * the thread's local state as it was, has changed nothing. A thread that comes to the same lock in
 * the same local state, holding what it held, so waits there as it does at a read that it has made
 * before (runtime/spin.h): executions in which it goes on are those without that iteration, in
 * which whoever took a lock from it takes it from who held it before.
 * docs/internals/execution_graphs.md has the argument.
 *
 * It needs that nobody notices: a lock is only waited for, never tried, and what such an iteration
 * reads others write under a lock that it holds, or it is read again in any case. Where that is not
 * so, iterations are left in, and the exploration begins anew. */
#ifndef RUNTIME_SECTIONS_H
#define RUNTIME_SECTIONS_H

#include "runtime/threads.h"

/* Of all threads: whether iterations are left out, from now on. What was seen is forgotten. */
void sections_enable(bool enabled);

/* In short, so that most is known without a call: the threads of which a state is kept, a bit each;
 * how many reads are known to be left out. */
extern struct sections_summary {
    unsigned kept, left;
} sections_summary;

static inline bool sections_keep(unsigned thread)
{
    return sections_summary.kept >> thread & 1;
}

/* A thread did what changes more than locks that it takes and gives back. */
void sections_forget_kept(unsigned thread);
static inline void sections_forget(unsigned thread)
{
    if (sections_keep(thread))
        sections_forget_kept(thread);
}

/* It takes a lock; gives one back; reads, and stores nothing. */
void sections_see_take(unsigned thread, const struct exploration_access *access);
void sections_see_give(unsigned thread, const void *lock);
void sections_add_read(unsigned thread, const void *address, size_t size, uint64_t value,
                       bool is_atomic);
static inline void sections_see_read(unsigned thread, const void *address, size_t size,
                                     uint64_t found, bool is_atomic)
{
    if (sections_keep(thread))
        sections_add_read(thread, address, size, found, is_atomic);
}

/* It reads its own stack, whatever it has written there. */
void sections_see_own_read(unsigned thread, const void *address, size_t size);

/* Some lock is tried, by a thread that does not wait for it. */
void sections_see_try(const void *lock);

/* It is one of several that a thread takes at once (runtime/several.h): nobody may try it. */
void sections_see_several(const void *lock);

/* A thread writes or frees memory, holding what it holds now. */
void sections_look_at_write(unsigned thread, const void *address, size_t size, bool is_atomic);
static inline void sections_see_write(unsigned thread, const void *address, size_t size,
                                      bool is_atomic)
{
    if (sections_summary.left > 0)
        sections_look_at_write(thread, address, size, is_atomic);
}

/* The current thread is about to wait for a lock, with this call, in the local state from `frame`;
 * its plain stores are settled. If it was here before, it goes on only where the execution repeats
 * one in which it does (`lingers`). */
void sections_come(const struct spin_call *call, const char *frame, const void *at);

/* Of a thread that lingers: whether memory has what its last iteration read without atomics. */
bool sections_would_read_again(unsigned thread);

/* Whether all must be begun anew because more is known to be read by such iterations, of which
 * writes must be looked at; then nothing has grown any more. */
bool sections_have_grown(void);

/* Whether something was seen because of which iterations must not be left out. */
bool sections_are_unsound(void);

#endif
