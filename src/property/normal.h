/* What a refinement compares an implementation with: a deterministic automaton over visible events,
 * built as it is walked. Its states are normalised states (sets of specification states, in
 * whatever form the specification has them), interned, so that a product is walked on two numbers.
 *
 * Three implement it: the normal form of a model's state graph (graph_normal.h), that of a
 * sequential specification used by several threads at once (linear_normal.h), and that of an
 * object's violation automata (automata_normal.h). */
#ifndef PROPERTY_NORMAL_H
#define PROPERTY_NORMAL_H

#include "base/status.h"
#include "explore/stats.h"
#include "model/labels.h"

typedef uint32_t normal_id;

#define NORMAL_NONE       UINT32_MAX       /* the specification cannot do that event here */
#define NORMAL_EVERYTHING (UINT32_MAX - 1) /* it can do that, and then whatever follows */

static inline bool normal_is_state(normal_id id)
{
    return id < NORMAL_EVERYTHING;
}

struct normal_edge {
    label label;
    normal_id target;
};

struct normal;

struct normal_class {
    /* The normalised state of the empty trace. */
    enum status (*initial)(struct normal *normal, normal_id *initial,
                           struct error *error) MUST_CHECK;

    /* What `from` is after the visible event `l`: a normalised state, NORMAL_NONE or
     * NORMAL_EVERYTHING.
     * STATUS_INPUT: the event is none that the specification could ever do (and should not be in
     * the model), or a fault of the specification. Cached by the implementation. */
    enum status (*step)(struct normal *normal, normal_id from, label l, normal_id *to,
                        struct error *error) MUST_CHECK;

    /* A normal form for another thread, with the same normalised states by the same numbers: each
     * may be asked by a thread of its own at the same time. Null when refused. `unshare` destroys
     * it, when no other is asked, refused or not. Both null: threads have to take turns. */
    struct normal *(*share)(struct normal *normal);
    enum status (*unshare)(struct normal *normal, struct normal *shared) MUST_CHECK;

    /* Whether such a step has been worked out, with where it leads: for threads that take turns,
     * also while it is not their turn. Null: nobody may look then. */
    bool (*known_step)(const struct normal *normal, normal_id from, label l, normal_id *to);

    /* The events that `from` offers, by label, with where they lead: for explanations and
     * pictures. They stay where they are. */
    enum status (*edges)(struct normal *normal, normal_id from, const struct normal_edge **edges,
                         uint32_t *count, struct error *error) MUST_CHECK;

    /* *includes: every behaviour of `part` is one of `whole`, seen cheaply: its states are a
     * subset. Of both the signature has been asked for. False when refused. */
    bool (*includes)(struct normal *normal, normal_id whole, normal_id part,
                     bool *includes) MUST_CHECK;

    /* Bits of which a part has no more than its whole. Most are never asked for, so they may be
     * worked out here. False when refused. */
    bool (*signature)(struct normal *normal, normal_id id, uint64_t *signature) MUST_CHECK;

    /* How much numbers were given to so far, as model_class.known: normalised states, and what they
     * are made of. */
    uint64_t (*known)(const struct normal *normal);

    /* How many normalised states there are, and how many steps were worked out. */
    void (*sizes)(const struct normal *normal, struct normal_sizes *sizes);
};

struct normal {
    const struct normal_class *class;
};

#endif
