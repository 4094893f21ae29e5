/* Operations on a heap without bound that take effect at no step that is known: of an automaton
 * that tells when values are inside, what its rule says is looked for in place of its words.
 *
 * A value is *surely inside* from the return of the call that brings it to the call of the
 * operation that takes it. In views at most two such values are marked, in the nodes that hold
 * them; no other values are told apart. Whether a value is marked is chosen where the call that
 * brings it returns; an operation that takes a value chooses, where it is called, one of those that
 * are marked, or none of them. What it takes is settled in one step of its own, at the latest.
 *
 * What an operation answers, who takes a value twice, and all else that is not about values being
 * inside, is for automata that read operations where they are settled. docs/internals/any_heap.md
 * says why that is enough. */
#ifndef UNBOUNDED_HEAP_MARKS_H
#define UNBOUNDED_HEAP_MARKS_H

#include "unbounded/heap_view.h"
#include "unbounded/prophecy.h"

enum heap_marks {
    HEAP_MARKS_NONE,
    /* No operation finds nothing while, from its call to its return, something is surely inside.
     * What observes is how many are marked. */
    HEAP_MARKS_COVER,
    /* From the return of the first value on something is surely inside. Of the values whose calls
     * came before that return the lowest in the heap is not taken as long as that is so. What
     * observes is how many are marked; none until then, one or two afterwards. */
    HEAP_MARKS_LOWEST,
};

#define HEAP_MOST_MARKED 2

/* The values of nodes, in views in which some are marked; 0: none. */
enum heap_value_word {
    HEAP_VALUE_INSIDE = 1,
    HEAP_VALUE_LOWEST = 2, /* and it is not surely inside */
    HEAP_VALUE_PLAIN = 3,  /* also of the value that an operation was called with */
    HEAP_VALUE_BOTH = 4,   /* the lowest one, and surely inside */
    HEAP_VALUE_OF_NODE = 5 /* of a local: that of the node to which its root leads */
};

static inline bool heap_is_inside(uint32_t word)
{
    return word == HEAP_VALUE_INSIDE || word == HEAP_VALUE_BOTH;
}

/* Roots of such a view. Of an operation that brings a value that may be marked, the node that it
 * has put it into; of one that has chosen a value, the node that holds it, until it is settled that
 * it takes it. Then for each local that is a value of some node, in the order of lin_entry.values,
 * that node. */
#define HEAP_FIRST_SOURCE 1

/* What is known of the operation: bits of heap_view.promise. */
enum heap_marked_promise {
    HEAP_MARKED_COVERED = 1, /* since its call something has been surely inside */
    HEAP_MARKED_SETTLED = 2, /* what it takes is settled */
    HEAP_MARKED_BRINGS = 4,  /* its value may be marked when it returns: it is not settled that
                                another one takes it, nor is it below the lowest one */
    HEAP_MARKED_STORED = 8,  /* and it has put it into a node */
};

/* While a step is asked for, the value of each node has a name of its own. */
#define HEAP_FIRST_NAME 8
static inline uint32_t heap_name_of_value(uint32_t node)
{
    return HEAP_FIRST_NAME + node;
}

static inline bool heap_is_name_of_value(uint32_t word)
{
    return word >= HEAP_FIRST_NAME;
}

static inline uint32_t heap_node_of_name(uint32_t word)
{
    return word - HEAP_FIRST_NAME;
}

/* The value that a node holds. */
static inline uint32_t *heap_value_of(const struct heap_shape *shape, struct heap_node *node)
{
    const struct lin_value_slots *values = &shape->steps->pools[node->pool].values;
    return values->count ? &node->fields[values->items[0] - 1] : NULL;
}

/* How an automaton is followed where no points are known. */
enum heap_way {
    HEAP_WAY_SETTLED, /* operations that bring values are read by their calls and returns; those
                         that take them whole, where that is settled; what finds nothing not at all
                       */
    HEAP_WAY_COVER,   /* by marks: it accepts nothing but what breaks the rule */
    HEAP_WAY_LOWEST,
    HEAP_WAY_NONE,
};

enum heap_way heap_way_of(const struct alphabet *alphabet);

/* Whether the automaton accepts every history in which a value of colour 1 is brought once at most,
 * and taken twice. */
bool heap_forbids_repeats(const struct alphabet *alphabet);

/* Null; else why no values can be marked in views of this shape. Sets shape->ghosts. */
const char *heap_marks_provide(struct heap_shape *shape);

#endif
