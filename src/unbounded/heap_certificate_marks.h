/* The check of a certificate where no points are known (unbounded/heap_certificate.h,
 * unbounded/heap_marks.h): what the automata must be like, and the steps of a thread where values
 * are marked. Written apart from unbounded/heap_marks.c and unbounded/heap_marked.c. */
#ifndef UNBOUNDED_HEAP_CERTIFICATE_MARKS_H
#define UNBOUNDED_HEAP_CERTIFICATE_MARKS_H

#include "unbounded/heap_marks.h"
#include "unbounded/heap_shorten.h"

/* Null; else why it does not do to read operations that take values where that is settled, and not
 * to read those that find nothing. */
const char *certificate_needs_points(const struct alphabet *alphabet);

/* Null; else why what the automaton accepts need not break the rule. */
const char *certificate_says_more(const struct alphabet *alphabet, enum heap_marks rule);

/* Whether it accepts whatever takes a value of colour 1 twice that is brought once at most. */
bool certificate_forbids_repeats(const struct alphabet *alphabet);

/* A step of a thread as it may be read. */
struct certificate_way {
    struct heap_view before, after; /* nodes of both have the same index; `after` with the roots,
                                       what observes and the promise behind it */
    uint32_t taken;                 /* 1 + the node from which it is settled to be taken; 0: none */
};

struct certificate_marking {
    const struct heap_shape *shape;
    const struct thread_move *move;
    bool adds;       /* its operation brings a value */
    uint32_t stored; /* 1 + the node into which the step puts that; 0: none */
    /* Null, or what it is settled that the operation answers, and takes; ANSWER_NONE: that is open
     */
    const struct thread_move *settled;
    void (*each)(void *user, const struct certificate_way *way);
    void *user;
};

/* Calls `each` with every way. Null; else what is wrong with one. */
const char *certificate_mark(const struct certificate_marking *marking,
                             const struct heap_view *before, const struct heap_view *after);

/* Null; else what is wrong with a view by itself. */
const char *certificate_look_at_marks(const struct heap_shape *shape, const struct heap_view *view);

#endif
