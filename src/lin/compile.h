/* A specification in `.lin` with its parameters set, compiled (code/instruction.h).
 *
 * Integers, booleans, null and symbols are values as value.h has them; a list, set or map of the
 * specification is a collection (lin/collections.h). What a variable holds is told by its
 * declaration. */
#ifndef LIN_COMPILE_H
#define LIN_COMPILE_H

#include "lin/flow.h"

/* A variable's place in the state. */
struct lin_layout {
    const struct lin_variable *variable;
    uint32_t first, length; /* slots; length 1 unless it is an array */
};

struct lin_program {
    const struct lin_module *module;
    const struct lin_object *object;
    struct value_pool *pool;
    const value *parameters;
    struct lin_layout *layouts; /* one a variable of the object */
    uint32_t slots;
    VECTOR(value) constants;
    VECTOR(struct range_limit) ranges;
    struct code *operations; /* one an operation of the object */
    struct code *togethers;  /* one a `together` */
    struct code *functions;  /* one a function */
    struct code initially;   /* sets every variable, then runs `init` */
    value ok;                /* the symbol */
    bool tells_callers;      /* some code says `thread` */
};

/* Compiles a checked specification. `arguments`: one a parameter of the object; they and the
 * module must outlive the program, whose memory is the module's arena. */
enum status lin_compile(const struct lin_module *module, const struct lin_object *object,
                        const value *arguments, struct value_pool *pool,
                        struct lin_program *program, struct error *error) MUST_CHECK;

/* The bounds of an int; those of 32 bits where the type says none, and for any other type. */
enum status lin_bounds(const struct lin_program *program, const struct lin_type *type,
                       struct range_limit *range, struct error *error) MUST_CHECK;

void lin_program_release(struct lin_program *program);

#endif
