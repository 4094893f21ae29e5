/* Symmetry as a decorator: of the states that differ by a renumbering of what is alike in them, one
 * stands for all (docs/internals/reductions.md has the argument). A step after which the state was
 * renumbered is labelled LABEL_TURN, with the step's own label and the turning: whoever compares
 * the model with something renumbers that too.
 *
 * It goes on top of the other decorators, and skips states itself where they do. */
#ifndef REDUCE_SYMMETRY_H
#define REDUCE_SYMMETRY_H

#include "reduce/decorator.h"

struct symmetry {
    struct decorator decorator; /* first */
    const struct model *source; /* what `inner` decorates, which knows how to renumber; not owned */
    bool turns;                 /* else only the form of states is that of renumbered ones */
    bool skips;                 /* states that the inner model skips are passed over */
};

/* The model that is reduced, or (`turns` false) one that it is compared with. */
void symmetry_create(const struct model *inner, const struct model *source, bool turns, bool skips,
                     struct symmetry *symmetry);

/* Brings a state that a step of the inner model leads to into the form that states of it have here,
 * short of renumbering it. The worker is one of a symmetry's model, here and below. */
enum status symmetry_settle(struct worker *worker, uint32_t *state, struct error *error) MUST_CHECK;

/* Renumbers such a state. */
enum status symmetry_turn(struct worker *worker, uint32_t *state, struct renumbering by,
                          struct error *error) MUST_CHECK;

/* A label of the inner model, renumbered; LABEL_REFUSED when refused. */
label symmetry_turn_label(struct worker *worker, label l, struct renumbering by) MUST_CHECK;

#endif
