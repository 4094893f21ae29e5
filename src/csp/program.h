/* A CSP# module with its names resolved: constants folded, variables and channels laid out in
 * slots. csp/resolve.h makes it, csp/compile.h compiles its expressions and statements.
 *
 * Slots: visible variables (an array has one an element, or, above CSP_LARGE_ARRAY elements, one in
 * all), then channels (a slot each: its content as an object), then numbers of processes at work,
 * then the `hvar` variables, which do not belong to a state's identity. Variables that nothing ever
 * assigns have numbers behind all these: they stand in the initial valuation and in no state. */
#ifndef CSP_PROGRAM_H
#define CSP_PROGRAM_H

#include <pthread.h>

#include "base/faults.h"
#include "base/table.h"
#include "csp/ast.h"
#include "csp/lexer.h"
#include "csp/machine.h"

#define CSP_LARGE_ARRAY SIZE_OR_SMALL(256, 16)

enum symbol_kind {
    SYMBOL_NONE,
    SYMBOL_MACRO,
    SYMBOL_VARIABLE,
    SYMBOL_CHANNEL,
    SYMBOL_DEFINITION,
};

struct symbol {
    const char *name;
    uint8_t kind;   /* enum symbol_kind */
    uint32_t index; /* into the module's list, or the program's */
};

struct variable_info {
    const char *name;
    uint32_t slot, length; /* of an array all its elements; else 1 */
    uint32_t slots;        /* that it takes: 1 if it is large, else `length` */
    const uint32_t *sizes; /* one a dimension */
    uint32_t dimensions;   /* 0: no array */
    uint16_t range;        /* index into ranges, 0: none */
    uint8_t collection;    /* enum collection */
    const char *owner;     /* of a field the variable that it belongs to, which is a collection */
    bool hidden;
    bool wild;     /* any value of its range at first */
    bool constant; /* never assigned: no part of a state, its value stands in `initial` */
    bool large;    /* an array of one slot: code/large_array.h */
};

struct channel_info {
    const char *name;
    uint32_t slot, length; /* of an array of channels; else 1 */
    uint32_t capacity;     /* 0: synchronous */
    bool is_array;
};

/* An array, one of its dimensions, and the variable whose elements (plus `offset`) are all the
 * subscripts that it is read with there. */
struct growing_read {
    uint32_t slot, length; /* of the array */
    uint32_t stride, size; /* of the dimension */
    uint32_t by, by_length;
    int32_t offset;
};

/* `#R(1)` in the text, and the slot that has how many are at work (csp/at_work.h). */
struct process_count {
    const struct csp_expression *node;
    uint32_t definition, slot;
    bool again;       /* the same as one before, whose slot it has */
    datum *arguments; /* as many as the definition has parameters */
};

struct csp_program {
    const struct csp_module *module;
    struct budget *budget;
    struct arena arena;
    struct codes *codes;
    struct object_pool *objects;
    VECTOR(struct symbol) symbols;
    struct table symbol_numbers; /* by the name's address */
    VECTOR(struct variable_info) variables;
    VECTOR(struct channel_info) channels;
    VECTOR(struct process_count) counts;
    VECTOR(struct range_limit) ranges;
    VECTOR(struct growing_read) growing; /* csp/variables.h */
    uint32_t slot_count, identity_slots; /* hvars are behind the identity slots */
    uint32_t *initial;    /* slot_count: the initial valuation, wild variables at their least; then
                             the constant variables */
    uint32_t *capacities; /* slot_count: of the channel in that slot, else 0 */
    pthread_mutex_t lock; /* held by who compiles, once several threads may */
    unsigned folding;     /* depth of macros being expanded: finds cycles */
    /* Only the place of an element in the whole array is checked: m[0][2] is m[1][0] where rows
     * have two elements. Code compiled while `notes_crossings` is set notes it in `crossed` when a
     * subscript leaves its dimension. */
    bool notes_crossings;
    atomic_bool *crossed;
};

void csp_program_release(struct csp_program *program);

struct machine csp_machine(const struct csp_program *program);

/* The global symbol of that name (an interned name of the module), kind SYMBOL_NONE if unknown. */
struct symbol csp_symbol(const struct csp_program *program, const char *name);

#endif
