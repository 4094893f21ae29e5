/* Merges the linearizations of parts into one of the whole history. Linearizability is local
 * (Herlihy and Wing, TOPLAS 1990, theorem 1): parts that touch different objects are linearizable
 * together exactly when each is. This is the constructive half.
 *
 * Let a part's linearization be o1, o2, ..., and give each operation the point
 *
 *     t(ok) = the latest invocation among o1 .. ok.
 *
 * 1. t(ok) lies within ok: not before its invocation, plainly; and before its response, for if some
 *    oj (j < k) were invoked after ok had responded, ok would precede oj and stand before it.
 * 2. t never decreases along the part's linearization.
 * 3. t(ok) is the position of an invocation of the same part, so operations of different parts
 *    never have the same point.
 *
 * Sorting all operations by their points, ties in the order of their part, therefore keeps every
 * part's order (2), and orders a before b whenever a precedes b in the history: t(a) < response(a)
 * < invoke(b) <= t(b) (1). The operations with one point are neighbours in their part's order (2,
 * 3): a run. So the sort is a table from positions to the runs that begin there, and the whole is
 * linear in the number of events. */
#include "decide/merge.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

#define NO_RUN UINT32_MAX

static uint32_t invocation(const struct history *history, uint32_t index)
{
    return history->operations.items[index].invoke;
}

/* How far ahead the invocations are fetched: operations of one part are scattered. */
#define AHEAD 16

/* Fills in where in `order` the run of each point begins, and marks these places in `begins`, the
 * end among them. */
static void find_runs(const struct history *history, const uint32_t *order, const uint32_t *lengths,
                      size_t parts, uint32_t *runs, bool *begins)
{
    uint32_t at = 0, total = 0;
    for (size_t part = 0; part < parts; part++)
        total += lengths[part];
    for (size_t part = 0; part < parts; part++) {
        uint32_t end = at + lengths[part], point = 0;
        bool first = true;
        for (; at < end; at++) {
            if (at + AHEAD < total)
                __builtin_prefetch(&history->operations.items[order[at + AHEAD]].invoke);
            uint32_t invoke = invocation(history, order[at]);
            if (!first && invoke < point)
                continue;
            assert(runs[invoke] == NO_RUN);
            runs[invoke] = at;
            begins[at] = true;
            point = invoke;
            first = false;
        }
    }
    begins[total] = true;
}

/* Puts the runs, found in `from`, in the order of their points. */
static void sort_runs(const struct history *history, const uint32_t *from, const uint32_t *runs,
                      const bool *begins, uint32_t *to)
{
    for (uint32_t point = 0; point < history->positions; point++) {
        uint32_t at = runs[point];
        if (at == NO_RUN)
            continue;
        do
            *to++ = from[at++];
        while (!begins[at]);
    }
}

bool linearizations_merge(const struct history *history, uint32_t *order, const uint32_t *lengths,
                          size_t parts, struct budget *budget)
{
    uint32_t total = 0;
    for (size_t part = 0; part < parts; part++)
        total += lengths[part];
    if (parts <= 1)
        return true;
    size_t runs_size = (size_t)history->positions * sizeof(uint32_t);
    size_t copy_size = (size_t)total * sizeof(uint32_t);
    size_t begins_size = (size_t)total + 1;
    uint32_t *runs = memory_allocate(budget, runs_size);
    uint32_t *copy = memory_allocate(budget, copy_size);
    bool *begins = memory_zeroed(budget, begins_size);
    bool done = runs && copy && begins;
    if (done) {
        memset(runs, 0xff, runs_size);
        memcpy(copy, order, copy_size);
        find_runs(history, copy, lengths, parts, runs, begins);
        sort_runs(history, copy, runs, begins, order);
    }
    memory_release(budget, begins, begins_size);
    memory_release(budget, copy, copy_size);
    memory_release(budget, runs, runs_size);
    return done;
}
