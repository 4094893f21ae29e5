/* What never comes back. Of two kinds:
 *
 * - A field is *settled* once it is not null, where every write to it is to a node that only the
 *   writer's locals lead to, or a cas that expects null. A cas that expects null of a settled field
 *   that has been set fails for ever.
 * - A shared variable *advances* along a settled field if it is written by cas only, from a node to
 *   the one that this field of it leads to; or to a node that only the writer leads to, whose field
 *   leads nowhere or to the node before; or to null. Nodes are linked behind others only while they
 *   are the writer's alone and lead nowhere. What the variable does not lead to along the field now
 *   it will never be.
 *
 * Which these are is found by the flow of implementation/step_ways.h, for what is the writer's
 * alone, and on the ways from head to head (implementation/step_paths.h), for what leads where. */
#ifndef IMPLEMENTATION_STEP_SETTLED_H
#define IMPLEMENTATION_STEP_SETTLED_H

#include "implementation/step_paths.h"
#include "implementation/step_ways.h"

/* A shared variable that is a reference. */
struct lin_advance {
    uint32_t slot, pool;
    uint64_t along; /* fields */
};

/* Fields are bits: words of nodes, in a row of all pools'. */
struct lin_settled {
    struct lin_steps *steps;
    struct lin_ways ways;
    uint8_t *flags;                            /* by instruction */
    uint64_t unsettled, linked_wrongly, alone; /* fields; perhaps written while a node is alone */
    uint64_t linked;                           /* written by cas, behind nodes of others */
    uint64_t supposed; /* linked wrongly, and it is supposed that it makes no difference */
    VECTOR(struct lin_advance) advances; /* of variables that are references */
    bool lost;                           /* nothing is known */
};

/* Once steps->pure is there. Release it whatever the status. STATUS_LIMIT. */
enum status lin_settled_find(struct lin_settled *settled, struct lin_steps *steps) MUST_CHECK;
void lin_settled_release(struct lin_settled *settled);

/* What is asked of the ways behind one STEP. An observer of them (implementation/step_paths.h)
 * begins with it. */
struct lin_asking {
    const struct lin_stale *asked; /* head is not filled in */
    bool compared;                 /* lin_settled_differs was true on some way */
};

/* Asks of each STEP, of each reference that is live there, and of each thing that may make it
 * stale. False as soon as `ask` is. */
bool lin_settled_ask(const struct lin_settled *settled,
                     bool (*ask)(void *user, const struct lin_entry *entry,
                                 const struct lin_stale *asked),
                     void *user) MUST_CHECK;

/* Whether a term is of that field of the node that the reference leads to: what is in it, or its
 * address. */
bool lin_settled_is_field(const struct lin_stale *asked, const struct lin_paths *paths,
                          const struct lin_term *term);

/* Whether a SAME, EQUAL, NOT_EQUAL or CAS that is about to run compares a reference that is stale
 * with what it never equals. */
bool lin_settled_differs(void *asking, struct lin_paths *paths, const struct lin_path *path,
                         uint32_t at);

/* By instruction, and one more, where its items begin, in the arena of the steps; they ascend by
 * STEP. Null: refused. */
uint32_t *lin_settled_index(const struct lin_steps *steps, const struct lin_stale *items,
                            size_t count);

#endif
