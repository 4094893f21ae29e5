/* Remembers the configurations that the search has met, 16 bytes each, and finds those that a known
 * one dominates: these need not be explored.
 *
 * A configuration is (number of the next event, state, load). Configuration c dominates d when both
 * are at the same event and in the same state, the same operations that change states have taken
 * effect, and in c
 *   - at least those reads have taken effect that have in d, and
 *   - of each class of pending operations no more have been used than in d.
 * Whatever order continues d continues c as well: leave out of it the reads that c has behind it
 * (they change nothing), and c has all the pending operations to use that d has. So when c has been
 * explored, or is being explored, d need not be.
 *
 * Layout: extendible hashing (Fagin et al., TODS 1979). A directory of 2^depth pointers, indexed by
 * the upper bits of the hash, leads to pages of open addressing; a full page splits in two, and
 * only then does the directory perhaps double. So memory grows by a page at a time: a budget is
 * used up to its last page, and no growth takes long (base/table.h is copied to grow).
 *
 *     directory --> [page, depth 1: entry entry ... 4096]
 *               \-> [page, depth 2: ...]   load of an entry: its one word, or
 *               \-> [page, depth 2: ...]   where loads are wider, its number in `loads`
 *
 * The hash leaves the reads and the pending out, so that all that might dominate each other are
 * found in one run of a page. Where DOMINATING_MOST of them have gathered, the rest is kept by the
 * whole hash and found only when equal. */
#ifndef SEARCH_VISITED_H
#define SEARCH_VISITED_H

#include "search/plan.h"

struct visited_page;

struct visited {
    struct budget *budget;
    const struct load_shape *shape;
    struct visited_page **directory;
    uint32_t depth;
    struct array_table loads; /* used if shape->width > 1 */
};

enum visit {
    VISIT_NEW,       /* it was not dominated, and is now remembered */
    VISIT_DOMINATED, /* nothing to be done */
    VISIT_REFUSED,
};

/* `shape` outlives it. False when a budget refuses; to be released all the same. */
bool visited_init(struct visited *visited, const struct load_shape *shape,
                  struct budget *budget) MUST_CHECK;
void visited_release(struct visited *visited);

/* Meets a configuration; event < 2^31. */
enum visit visited_meet(struct visited *visited, uint32_t event, uint32_t state,
                        const uint64_t *load) MUST_CHECK;

#endif
