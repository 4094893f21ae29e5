/* Whether an implementation whose heap has no bound is lock-free for any number of threads: in no
 * run do operations take steps for ever, though none returns any more.
 *
 * The set of views is closed without an observer, and checked like a certificate. Then, in what is
 * left of a run in which no operation returns, steps that change what others see are ruled out one
 * instruction after the other, as those that happen finitely often: an operation that goes on from
 * there comes back there only by changes that have been ruled out; or some number of nodes
 * (unbounded/heap_ranks.h) becomes less by them, and by what is left does not grow. If nothing is
 * left, what remains is an operation that goes on where nothing changes: then views would repeat
 * along its steps (unbounded/heap_rounds.h). docs/internals/any_heap.md says why that is enough.
 *
 * After Gotsman, Cook, Parkinson and Vafeiadis, "Proving that nonblocking algorithms don't block"
 * (POPL 2009), who rule out what others do in such layers. */
#ifndef UNBOUNDED_HEAP_PROGRESS_H
#define UNBOUNDED_HEAP_PROGRESS_H

#include "unbounded/heap_proof.h"
#include "unbounded/heap_ranks.h"
#include "unbounded/heap_rounds.h"

#define HEAP_MOST_LASTING 64 /* instructions that change something */

enum heap_progress_kind {
    HEAP_LOCK_FREE,
    HEAP_PROGRESS_UNABLE, /* nothing is known, see `unable` */
    HEAP_PROGRESS_OPEN,   /* the set could not be closed, see `failure` */
    HEAP_WAITS,           /* an operation may wait for others, at `at` */
    HEAP_CHANGES_ON,      /* what others see may change for ever, at `at` */
    HEAP_GOES_ROUND,      /* an operation may go round where nothing changes, by `round` */
};

/* An instruction, + 1, in whose steps something changes, and why that happens finitely often. */
struct heap_lasting {
    uint32_t at;
    bool is_ranked;        /* else no operation comes back to it */
    struct heap_rank rank; /* then: what becomes less */
};

struct heap_progress {
    struct thread_system *system;
    struct budget *budget;
    const struct limits *limits;
    uint64_t last_deadline; /* of the check of the set, in place of that of `limits`; 0: none */
    struct error *error;
};

struct heap_progress_answer {
    enum heap_progress_kind kind;
    const char *unable;
    struct heap_failure failure;
    struct heap_cause path[HEAP_MOST_CAUSES];       /* to the failure: its last steps */
    uint32_t path_length;                           /* of all of it */
    uint32_t at;                                    /* an instruction, + 1 */
    struct heap_lasting lasting[HEAP_MOST_LASTING]; /* in the order in which they are ruled out */
    uint32_t lasting_count;
    bool walks;                      /* operations go along fewer and fewer nodes, else not round */
    uint32_t round[HEAP_MOST_ROUND]; /* instructions, + 1: the first steps of all of it */
    uint32_t round_length;
    size_t views, effects;
};

/* STATUS_LIMIT. */
enum status heap_progress_find(const struct heap_progress *progress,
                               struct heap_progress_answer *answer) MUST_CHECK;

#endif
