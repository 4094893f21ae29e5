/* A search that survives the end of the program: what it has found is written to a file now and
 * then, and a later run of the same search goes on from there, to the same answer and counts.
 *
 * Much of what is stored are numbers that were given out as things came up: labels, terms, objects,
 * normalised states. What they stand for is not written. It is made again, and has the same
 * numbers, since the same was asked for in the same order: the *growths*, those visits after which
 * more was known than before, are repeated when the search is resumed, each at the moment when as
 * many states were stored as then. All other visits depended on nothing that was new. Whatever a
 * growth makes anew is compared with what is in the file. docs/internals/checkpoints.md has more of
 * it. */
#ifndef EXPLORE_CHECKPOINT_H
#define EXPLORE_CHECKPOINT_H

#include "base/sections.h"
#include "base/vector.h"
#include "explore/explore.h"
#include "explore/nodes.h"
#include "space/graph.h"

/* A visit after which more was known. */
struct growth {
    uint32_t node;
    uint32_t states; /* that were stored before it */
    uint64_t known;  /* behind it */
};

/* What a search is counted by while it is saved now and then. */
struct search_counts {
    uint64_t known; /* how much there is that numbers were given to, or that was worked out, besides
                       states of the graph */
    uint64_t moved; /* any sum that grows with whatever a visit may change */
};

/* How a visitor can be taken up again. */
struct resumption {
    struct graph *graph;
    struct nodes *nodes;
    void (*count)(void *self, struct search_counts *counts);

    /* Asks all that a visit of the node asks of model and specification, and finds nothing. */
    enum status (*repeat)(void *self, uint32_t node);

    /* Whether a node is in the set of nodes now. */
    bool (*is_kept)(void *self, uint32_t node);

    /* Writes and reads what else the visitor has. The numbers are below 2^64. */
    void (*save)(void *self, struct sections_out *out);
    enum status (*restore)(void *self, struct sections_in *in, struct error *error);
    struct finder *finder; /* what is on its way is settled before anything is written */
};

/* The file of one search, which is the n-th that uses this checkpoint. */
struct checkpoint {
    const char *path;
    const char *key;       /* of what is searched, and how: a text. Equal keys, equal searches */
    const struct log *log; /* null: none */
    uint64_t every;        /* nodes between two times that it is written; 0: as time permits */
    uint32_t most;         /* times that it is written before the search ends as by an interrupt,
                              for tests; 0: any number */
    uint32_t searches;     /* that have begun */
    uint32_t later;        /* the file is of this one, which has not begun yet; 0: it has */
    uint32_t written;      /* times, by this run */
    bool resumed;          /* the search went on from the file */
    bool failed;           /* it could not be written, `error` says why: not tried again */
    struct error error;    /* also of a file that cannot be resumed from */
    uint64_t spent;        /* nanoseconds, by the runs that it went on from */
    uint64_t began;        /* when this search did */
    uint64_t due, taken, from; /* when it is written next; nodes taken up then; known at first */
    uint32_t looked;           /* visits since the clock was looked at */
    uint64_t known, moved;     /* before the visit */
    VECTOR(struct growth) growths;
};

#define CHECKPOINT_KIND    SECTION_TAG('s', 'e', 'a', 'r')
#define CHECKPOINT_VERSION 4

/* `path` and `key` must outlive it; null budget is none. */
void checkpoint_init(struct checkpoint *checkpoint, const char *path, const char *key,
                     struct budget *budget);
void checkpoint_release(struct checkpoint *checkpoint);

/* How far a loop has come, for the loops of explore/breadth_first.c: numbers that are saved too. */
struct loop_place {
    uint64_t *numbers;
    size_t count;
};

/* Begins a search with its initial nodes found, or goes on with what the file has; *resumed.
 * STATUS_INPUT: the file cannot be used, in checkpoint->error too. STATUS_LIMIT. */
enum status checkpoint_begin(struct checkpoint *checkpoint, struct explorer *explorer,
                             const struct resumption *resumption, void *self,
                             const struct loop_place *place, bool *resumed) MUST_CHECK;

/* Before and behind each visit. *unmoved: it has changed nothing that a search has. */
void checkpoint_before(struct checkpoint *checkpoint, const struct resumption *resumption,
                       void *self);
enum status checkpoint_behind(struct checkpoint *checkpoint, const struct resumption *resumption,
                              void *self, uint32_t node, uint32_t states, bool *unmoved) MUST_CHECK;

/* Between two visits: whether it is time to write. */
bool checkpoint_is_due(struct checkpoint *checkpoint, const struct explorer *explorer);

/* Writes all that there is. Where it cannot, that is noted, and the search goes on. STATUS_LIMIT:
 * `most` was reached. */
enum status checkpoint_save(struct checkpoint *checkpoint, const struct explorer *explorer,
                            const struct resumption *resumption, void *self,
                            const struct loop_place *place) MUST_CHECK;

#endif
