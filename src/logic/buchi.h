/* Generalised Büchi automata whose edges carry the acceptance, as Couvreur's construction makes
 * them (buchi_translate.h); buchi_simplify.h makes them smaller.
 *
 * A run reads one letter (a set of atoms, as a mask) an edge; it starts in any of the initial
 * states with the first letter of the word. It is accepting if for every acceptance set it takes
 * edges of that set infinitely often; without acceptance sets every infinite run is. */
#ifndef LOGIC_BUCHI_H
#define LOGIC_BUCHI_H

#include "base/status.h"
#include "logic/ltl.h"

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

#endif
