/* Loops that wait: an iteration that left the thread's local state as it was, and wrote nothing
 * that others could see, was pure. A thread that comes to the same read a second time so would do
 * the same again; executions in which it goes on are those in which its reads of the first time
 * read what they read at last, and these are explored. So it waits there, for ever.
 *
 * A read-modify-write that stores what it has read counts as no write: without it, whoever reads
 * from it would read the same from its source, with less order.
 *
 * Local state is the whole stack and the callee-saved registers, compared byte by byte, and what
 * the thread asks for: a value may be in the registers of arguments alone. */
#ifndef RUNTIME_SPIN_H
#define RUNTIME_SPIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenario/exploration.h"

enum {
    SPIN_KEPT = 32,
    SPIN_BYTES = 1 << 16
};

/* What a thread asks for where it comes: the arguments of the call. */
struct spin_call {
    const void *of, *with;
    memory_value first, second;
};

static inline struct spin_call spin_call_of(const struct exploration_access *read)
{
    return (struct spin_call){.of = read->address,
                              .first = execution_cut(read->operand, read->size),
                              .second = execution_cut(read->expected, read->size)};
}

static inline bool spin_is_same_call(const struct spin_call *a, const struct spin_call *b)
{
    return a->of == b->of && a->with == b->with && a->first == b->first && a->second == b->second;
}

/* How many events, and plain reads, of the thread there were. */
struct spin_time {
    unsigned events, plain;
};

/* The states of a thread at its reads since it wrote. */
struct spin {
    unsigned count;
    unsigned rounds; /* iterations that wrote nothing, and went on because somebody noticed */
    size_t used;
    struct {
        size_t start, size;
        struct spin_time time;
        struct spin_call call;
    } kept[SPIN_KEPT];
    char bytes[SPIN_BYTES];
};

/* The thread wrote, or began something new. */
static inline void spin_forget(struct spin *spin)
{
    spin->count = spin->rounds = 0;
    spin->used = 0;
}

/* A read comes with this call, in the local state from `frame` to `end`, at a time of the thread:
 * whether it was here before; `*time` then says when. */
bool spin_repeats(struct spin *spin, const struct spin_call *call, const char *frame,
                  const char *end, struct spin_time *time);

/* Whether it was here with this call, in this local state, and would be found to come again. */
bool spin_holds(const struct spin *spin, const struct spin_call *call, const char *state,
                size_t size);

#endif
