/* What is asked of the search for where operations take effect (unbounded/heap_points.h), and what
 * it finds. */
#ifndef UNBOUNDED_HEAP_ANSWER_H
#define UNBOUNDED_HEAP_ANSWER_H

#include "rules/shipped.h"
#include "unbounded/heap_proof.h"

struct heap_points {
    struct thread_system *system;
    const struct rule_object *object;
    const struct violation_automata *automata;
    const struct heap_specification *specification; /* null: the automata observe */
    struct budget *budget;
    struct arena *arena; /* of what is answered */
    const struct limits *limits;
    uint64_t last_deadline; /* of the check of what is proved, in place of that of `limits` */
    bool by_calls;          /* no points are looked for, whatever is given */
    struct error *error;
};

/* What was found. */
struct heap_answer {
    enum heap_failure_kind kind; /* HEAP_PROVED; else why the best placement does not do */
    struct heap_placement placement;
    struct heap_shape shape;                  /* of the views of its proofs */
    uint16_t operation;                       /* of the failure */
    uint32_t at;                              /* likewise */
    const char *automaton;                    /* HEAP_ACCEPTED: its name */
    uint32_t parts;                           /* of the specification */
    const char *unable;                       /* null; else why nothing was tried */
    bool is_not_provided;                     /* it is not: with so many nodes it may be asked */
    struct heap_cause path[HEAP_MOST_CAUSES]; /* to the failure: its last steps */
    uint32_t path_length;                     /* of all of it */
    size_t views, effects;                    /* of the proofs */
    uint32_t tried;                           /* placements */
    bool given_do_not;                        /* the points that are given were tried, in vain */
};

#endif
