/* Generalised Büchi automata whose edges carry the acceptance, and their construction from
 * formulas.
 *
 * A run reads one letter (a set of atoms, as a mask) an edge; it starts in any of the initial
 * states with the first letter of the word. It is accepting if for every acceptance set it takes
 * edges of that set infinitely often; without acceptance sets every infinite run is. */
#ifndef PROPERTY_BUCHI_H
#define PROPERTY_BUCHI_H

#include "base/status.h"
#include "property/ltl.h"

struct buchi_edge {
    uint64_t positive;   /* atoms the letter must have */
    uint64_t negative;   /* atoms it must not have */
    uint64_t acceptance; /* bit k: the edge is in acceptance set k */
    uint32_t target;
};

struct buchi {
    struct budget *budget;
    uint32_t state_count;
    uint32_t acceptance_count; /* at most 64 */
    VECTOR(uint32_t) initial;
    VECTOR(uint32_t) first; /* state_count + 1: the edges of s are first[s] .. first[s + 1] - 1 */
    VECTOR(struct buchi_edge) edges;
};

static inline bool buchi_edge_reads(const struct buchi_edge *edge, uint64_t letter)
{
    return !(edge->positive & ~letter) && !(edge->negative & letter);
}

/* The mask of all acceptance sets. */
static inline uint64_t buchi_all_sets(const struct buchi *buchi)
{
    return buchi->acceptance_count == 64 ? UINT64_MAX
                                         : (UINT64_C(1) << buchi->acceptance_count) - 1;
}

/* An automaton without states. */
void buchi_init(struct buchi *buchi, struct budget *budget);
void buchi_release(struct buchi *buchi);

/* An automaton of exactly the words that satisfy the formula, simplified. To look for a violation
 * of F, translate ltl_not(F). STATUS_LIMIT when time, memory or an interrupt stops it, or when the
 * formula has more than 64 eventualities; *buchi is then empty. */
enum status buchi_translate(struct ltl *ltl, ltl_id formula, const struct limits *limits,
                            struct buchi *buchi, struct error *error) MUST_CHECK;

enum buchi_form {
    BUCHI_BY_EDGE,  /* acceptance stays on edges */
    BUCHI_BY_STATE, /* all edges that leave one state are in the set, or none is */
};

/* The same language with exactly one acceptance set. `degeneral` is initialised by the function.
 * STATUS_LIMIT as above. */
enum status buchi_degeneralise(const struct buchi *buchi, enum buchi_form form,
                               const struct limits *limits, struct buchi *degeneral,
                               struct error *error) MUST_CHECK;

#endif
