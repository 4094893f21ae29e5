/* The compiler of implementations at work (implementation/steps.h), shared by its parts: sizes and
 * places, what is shared, the state's layout, expressions, calls, answers, statements, liveness,
 * write-once fields, pure iterations. None includes what is named behind it;
 * implementation/step_compile.c is on top. */
#ifndef IMPLEMENTATION_STEP_COMPILER_H
#define IMPLEMENTATION_STEP_COMPILER_H

#include "implementation/steps.h"

#define LIN_MOST_SLOTS 65535 /* of a state */

/* Where a variable lives. */
struct lin_step_place {
    const struct lin_variable *variable;
    uint32_t first, length, words;
    const struct lin_expression *location; /* of a parameter that holds an address: what `*p` is,
                                              with locals without names where it has indices */
};

/* Of a shared variable. */
static inline struct lin_step_place lin_step_place_of(const struct lin_layout_of_shared *layout)
{
    return (struct lin_step_place){.variable = layout->variable,
                                   .first = layout->first,
                                   .length = layout->length,
                                   .words = layout->words};
}

/* A function's body, put where it is called; or an operation's. */
struct lin_step_body {
    struct lin_step_body *outer;
    const struct lin_operation *operation;
    struct lin_step_place *places; /* by variable->number */
    uint32_t result;               /* local */
    bool is_called;                /* an operation that a program calls */
    struct jumps ends;             /* to its end */
};

/* Words of the locals that were set aside for one variable. */
struct lin_words_taken {
    uint32_t entry, first, words;
};

struct lin_step_compiler {
    struct lin_steps *steps;
    struct lin_flow flow;
    /* A call in an expression (implementation/step_calls.h): a function's body has statements, and
     * these have expressions. So this goes through a pointer, as what calls ask of statements does
     * through `flow`. */
    enum status (*call)(struct lin_step_compiler *compiler, const struct lin_expression *call);
    struct lin_step_body *body;
    uint32_t locals;               /* in use */
    uint32_t entry;                /* the operation's number; UINT32_MAX: init */
    unsigned atomic;               /* blocks around */
    struct lin_step_visit *visits; /* functions that step_shared.c looks into */
    bool root; /* of an expression: nothing is on the stack, and it is not part of a step */
    VECTOR(struct lin_reference_slot) references; /* locals */
    VECTOR(uint32_t) values;                      /* locals */
    VECTOR(struct lin_local) declared;            /* of the entry */
    VECTOR(struct lin_words_taken) taken;         /* of all operations, one after the other */
    struct error *error;
};

#define lin_step_complain(compiler, at, ...)                                                       \
    script_error((compiler)->steps->module->script, (at), (compiler)->error, __VA_ARGS__)

static inline enum status lin_step_emit(struct lin_step_compiler *compiler, place at,
                                        enum opcode op, unsigned small, uint32_t wide,
                                        uint32_t operand)
{
    return lin_emit(&compiler->steps->listing, at, op, small, wide, operand);
}

static inline enum status lin_step_push(struct lin_step_compiler *compiler, place at, uint32_t word)
{
    return listing_push(&compiler->steps->listing, at, datum_integer((int32_t)word));
}

static inline enum status lin_step_jump(struct lin_step_compiler *compiler, place at,
                                        enum opcode op, uint32_t *jump)
{
    return listing_jump(&compiler->steps->listing, at, op, jump);
}

static inline uint32_t lin_step_here(const struct lin_step_compiler *compiler)
{
    return listing_here(&compiler->steps->listing);
}

static inline void lin_step_land(struct lin_step_compiler *compiler, uint32_t jump)
{
    listing_land(&compiler->steps->listing, jump);
}

/* Whether everything from here on belongs to a step that has begun. */
static inline bool lin_step_has_begun(const struct lin_step_compiler *compiler)
{
    return compiler->atomic > 0 || compiler->entry == UINT32_MAX;
}

#endif
