/* A part in which only some operations are held to what was recorded of them: every other is turned
 * into a pending one, which may have happened with any result at any time after its invocation.
 * Turning operations pending only ever adds linearizations. */
#ifndef DECIDE_RELAX_H
#define DECIDE_RELAX_H

#include "decide/decide.h"
#include "decide/irrelevant_pending.h"

struct relaxed {
    struct part part; /* what can matter of the relaxed part; see relaxed_create */
    uint32_t *origin; /* of each of its intervals, the interval of the original part */
    struct interval *intervals;
    uint32_t *positions;              /* scratch: new place of each event */
    find_irrelevant *find_irrelevant; /* null: nothing is known to be of no use */
    bool *irrelevant;                 /* scratch for it, and `tally` too; null if that is */
    struct tally tally;
    uint32_t capacity; /* intervals that there is room for */
    struct budget *budget;
};

/* Room for relaxations of `part`; false when refused. */
bool relaxed_init(struct relaxed *relaxed, const struct part *part,
                  struct budget *budget) MUST_CHECK;
void relaxed_release(struct relaxed *relaxed);

/* Makes relaxed->part the relaxation of `part` (one that it has room for) to its completed
 * operations with `member[interval]`. What is pending and can be of no use is left out: what only
 * reads, what was invoked after every member had responded, and what irrelevant_pending.h says. (Of
 * a linearization, cut off what comes after the last member, and take out the pending readers: it
 * still is one; so one exists with these operations exactly if one does without.) Linear. */
void relaxed_make(struct relaxed *relaxed, const struct part *part, const bool *member);

/* The same without the operations of which `absent[interval]` says that they never were called. */
void relaxed_make_without(struct relaxed *relaxed, const struct part *part, const bool *member,
                          const bool *absent);

/* Decides relaxed->part within `most` steps (limits->most_work is set to that), and takes what it
 * took from *left, with one for each of its operations, for these are looked at in any case. */
enum status relaxed_decide(const struct relaxed *relaxed, enum method method, uint64_t most,
                           struct limits *limits, uint64_t *left, struct decision *decision,
                           struct error *error) MUST_CHECK;

#endif
