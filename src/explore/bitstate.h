/* Searches that store no states (Holzmann's bitstate hashing, FMSD 13, 1998): which were seen a
 * filter of bits tells, three for each in one word of 512, and two states may share theirs. Then
 * one of them is taken for seen, and what lies behind it may be missed: such a search finds, and
 * proves nothing. What it keeps is the way to where it is and what waits beside it.
 *
 * Depth first, and in a swarm (Holzmann, Joshi and Groce, 2011) many times, small and each in
 * another order. */
#ifndef EXPLORE_BITSTATE_H
#define EXPLORE_BITSTATE_H

#include "base/random.h"
#include "base/vector.h"
#include "explore/explore.h"
#include "model/labels.h"

/* What the searches of a swarm share, on several threads. */
struct swarm {
    uint32_t most;                /* searches; 0: until a limit ends them */
    atomic_uint_least32_t begun;  /* searches; also the number of the next one */
    atomic_uint_least64_t states; /* taken up by searches that are over */
    atomic_bool complete;         /* one came to its end, and left out nothing that it could tell */
};

/* What is on the way, and what waits. */
struct bitstate_entry {
    uint32_t depth; /* steps from an initial one */
    label by;       /* that of the step which led there; LABEL_TAU for an initial one */
    const uint32_t *words;
};

struct bitstate {
    uint32_t words, identity; /* of an entry; of them the first, that say which it is */
    uint64_t *filter;
    size_t bytes;   /* of the filter: a power of two */
    uint64_t found; /* entries */
    double missed;
    VECTOR(uint32_t) waiting, path;
    bool shuffles; /* what is found from an entry is taken up in random order */
    struct random random;
    uint32_t most_depth; /* entries so deep are not gone on from; 0: all are */
    uint64_t most;       /* entries found; then the search ends; 0: any number */
    bool is_cut;         /* by one of these */
    struct explorer *explorer;
    uint64_t longest;
};

/* Takes up an entry, and gives what follows from it to bitstate_find. `*stop`: that is enough; the
 * way to it stays where it is. */
typedef enum status bitstate_visit(void *self, const struct bitstate_entry *entry, bool *stop);

/* A filter of about so many bytes, or null where memory for it is refused. */
bool bitstate_init(struct bitstate *search, uint32_t words, uint32_t identity, size_t bytes,
                   struct explorer *explorer, struct budget *budget) MUST_CHECK;
void bitstate_release(struct bitstate *search);

/* Forgets all, for the next search; `seed`: of its order, 0 for the one in which entries are found.
 */
void bitstate_restart(struct bitstate *search, uint64_t seed);

/* An entry that follows from the last one on the way, or an initial one; dropped if it was seen. */
bool bitstate_find(struct bitstate *search, label by, const uint32_t *words) MUST_CHECK;

/* Takes up what is found, until nothing waits. STATUS_LIMIT. */
enum status bitstate_run(struct bitstate *search, bitstate_visit *visit, void *self,
                         bool *stop) MUST_CHECK;

/* The way: its length in entries, and entry `at`. */
size_t bitstate_way_length(const struct bitstate *search);
struct bitstate_entry bitstate_way(const struct bitstate *search, size_t at);

#endif
