/* What is known of each byte that threads may share: who accessed it, and of the heap whether it is
 * allocated, initialised, freed.
 *
 * Accesses are remembered exactly, each with its thread, its time and its bytes: two by different
 * threads, or of one thread at different times, are never merged, unless the later one has all
 * bytes of the earlier one of its kind. An access races with an earlier one that it conflicts with
 * (some byte of both, one of them writes, one of them is not atomic) and that does not happen
 * before it. Earlier is what was executed earlier, which extends happens-before. */
#ifndef RUNTIME_SHADOW_H
#define RUNTIME_SHADOW_H

#include "runtime/region.h"

struct shadow_access {
    unsigned thread; /* or THREAD_ALONE: nothing can race with it */
    enum access_kind kind;
    unsigned time;          /* the event of its thread that it belongs to, or comes before */
    union vector_clock now; /* of its thread */
    bool asks_initialised;  /* a read of memory that nobody wrote is a fault */
    /* Of its arena: what lies behind, no other thread knows of yet; null: others may know all. */
    const char *private_from;
    const void *at;
};

/* Maps it. False when the system refuses. */
bool shadow_open(void);

/* The thread-local variables of a thread, which others may be given the addresses of. False when
 * the system refuses. */
bool shadow_add_storage(unsigned thread, const void *start, size_t size);

/* What was allocated, written and freed so far is how every execution begins. */
void shadow_keep(void);

/* Forgets what happened since. */
void shadow_begin(void);

/* A scenario begins with the next execution: what is known of all earlier ones is forgotten. */
void shadow_open_scenario(void);

enum shadow_answer {
    SHADOW_SEEN,
    SHADOW_FAULT, /* it is at fault, and *found says how */
    SHADOW_FULL,  /* it cannot be remembered, so that races with it would not be seen: the sentence
                     of *found says why */
    SHADOW_MIXED, /* an atomic one of a thread, of other bytes than an earlier one, some of which
                     are the same */
};

/* An access to `size` bytes. */
enum shadow_answer shadow_access(const struct shadow_access *access, const void *address,
                                 size_t size, struct finding *found);

/* A block of the heap begins. */
void shadow_allocate(const void *block, size_t size, bool is_initialised);

/* Bytes that came to be in a way that nobody tells: they count as initialised. */
void shadow_initialise(const void *address, size_t size);

/* Of the heap: `to` is as much initialised as `from` is, after a copy. */
void shadow_copy_initialised(const void *to, const void *from, size_t size);

/* The first location from `from` up to `end`, or that reaches into it, that was accessed
 * atomically; null: none. */
const char *shadow_atomic(const char *from, const char *end, unsigned *size);

/* Accesses that were left out of executions (runtime/retry.h). Whether in any execution so far
 * another access could race with one of them. */
void shadow_leave_out(const void *address, size_t size, bool is_atomic);
void shadow_leave_out_write(const void *address, size_t size);
void shadow_leave_out_update(const void *address, size_t size);
bool shadow_is_left_out(void);

/* The same of iterations behind which a thread waits (runtime/spin.h): of reads, and, as
 * ACCESS_ATOMIC_WRITE, of read-modify-writes that stored what they had read. */
void shadow_leave_round(const void *address, size_t size, enum access_kind kind);
bool shadow_is_round_noticed(void);

/* Some read could see a write of these bytes, and need not; whether that is known of all. */
void shadow_see_write(const void *address, size_t size);
bool shadow_has_seen_write(const void *address, size_t size);

#endif
