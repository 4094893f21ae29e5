/* Threads that are tried out: put back to an event that they have asked for, given an answer, and
 * let go on until they ask for the next. To the exploration such a thread stands still. */
#ifndef RUNTIME_TRIAL_H
#define RUNTIME_TRIAL_H

#include "runtime/threads.h"

enum {
    TRIAL_BYTES = 1 << 14
};

/* Where a thread was when it asked for an event. */
struct thread_place {
    struct request request;
    char *stack_pointer;
    const char *frame; /* local state lies from here to the end of the stack */
    char *bytes; /* the stack from its pointer on, then the blocks that nobody else knows of */
    size_t stack_size, private_size;
};

/* Where a thread is that is tried out, with all that a trial changes. */
struct trial_start {
    struct thread_place place;
    uint64_t trail;
    struct held_locks held;
    char bytes[TRIAL_BYTES];
};

/* Whether memory is in blocks of the thread that nobody else knows of; how many bytes of its arena
 * these are. */
bool trial_is_private(unsigned thread, const void *address);
size_t trial_private_size(unsigned thread);

/* How many bytes place_keep writes of a thread; whether they are few enough for a trial. */
size_t trial_size(unsigned thread);
bool trial_fits(unsigned thread);

/* Keeps where the thread is; `bytes` has room for trial_size, and is needed as long as the place.
 */
void place_keep(unsigned thread, struct thread_place *place, char *bytes);

/* Whether two threads ask for the same. */
bool request_is_same(const struct request *a, const struct request *b);

/* Between these two the thread, which fits, may be tried out as often as one likes. */
void trial_begin(unsigned thread, struct trial_start *start);
void trial_end(unsigned thread, const struct trial_start *start);

/* Tries out what the thread does from a place where a read was given an answer; false if it comes
 * to no other event. */
bool trial_from(unsigned thread, const struct thread_place *from, memory_value answer);

/* Behind trial_from: whether it came to a place, with the same local state, by plain accesses that
 * hash to `plain`. */
bool trial_came_to(unsigned thread, const struct thread_place *place, uint64_t plain);

/* What stands for the plain accesses of the thread tried out last; that with one access more, which
 * began as 0. */
uint64_t trial_plain(void);
uint64_t trial_add_plain(uint64_t plain, const void *address, size_t size, bool writes,
                         const void *at);

/* A plain access of the thread that is tried out. Its own stack is none, unless it is shared. */
void trial_see_plain(unsigned thread, const void *address, size_t size, bool writes,
                     const void *at);

/* The thread that runs is one that is tried out, and does what cannot be tried: never returns. */
void trial_give_up(void) __attribute__((noreturn));

#endif
