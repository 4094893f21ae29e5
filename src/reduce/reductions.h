/* The reductions by name, as `--reduce=` takes them and reports give them. Which are sound for
 * which property: docs/internals/reductions.md; asked for where it is not, one is left out. */
#ifndef REDUCE_REDUCTIONS_H
#define REDUCE_REDUCTIONS_H

#include "base/status.h"
#include "base/text.h"

enum reduction {
    REDUCE_INTERVALS = 1 << 0,
    REDUCE_PARTIAL_ORDER = 1 << 1,
    REDUCE_SYMMETRY = 1 << 2,
    REDUCE_ANTICHAIN = 1 << 3,
    REDUCE_SLICE = 1 << 4,
    /* The partial order reduction of Liu, Chen, Liu and Sun (2009), figure 3, and nothing else: for
     * comparison with their table. (Figure 4: docs/internals/reductions.md.) */
    REDUCE_PAPER = 1 << 5,
    REDUCE_WRITE_ONCE = 1 << 6,
    REDUCE_PURE = 1 << 7,
    REDUCE_STALE = 1 << 8,
    REDUCE_FIELDS = 1 << 9,
    REDUCE_DECIDED = 1 << 10,
    REDUCE_STICKY = 1 << 11,
};

/* A set of them. */
typedef unsigned reductions;

#define REDUCE_NONE ((reductions)0)
/* All but REDUCE_PAPER. */
#define REDUCE_DEFAULT                                                                             \
    ((reductions)(REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER | REDUCE_SYMMETRY | REDUCE_ANTICHAIN |   \
                  REDUCE_SLICE | REDUCE_WRITE_ONCE | REDUCE_PURE | REDUCE_STALE | REDUCE_FIELDS |  \
                  REDUCE_DECIDED | REDUCE_STICKY))

/* Reads `none`, `paper`, or a list such as `partial-order,antichain`, in which `default` stands for
 * those of REDUCE_DEFAULT. STATUS_USAGE names what was expected. */
enum status reductions_parse(const char *text, reductions *set, struct error *error) MUST_CHECK;

/* The next member of the set as a word (static), removing it; null when none is left. */
const char *reductions_next(reductions *set);

/* Appends the set in the form that reductions_parse reads. */
void reductions_print(reductions set, struct text *text);

#endif
