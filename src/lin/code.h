/* A specification in `.lin` with its parameters set, compiled: a stack machine over values.
 *
 * Integers, booleans, null and symbols are values as value.h has them; a list, set or map of the
 * specification is a collection (below). What a variable holds is told by its declaration. */
#ifndef LIN_CODE_H
#define LIN_CODE_H

#include "lin/flow.h"
#include "value/renaming.h"

enum lin_op {
    LIN_OP_PUSH, /* operand: constant */
    LIN_OP_POP,
    LIN_OP_LOAD,       /* operand: slot of the state */
    LIN_OP_STORE,      /* pops */
    LIN_OP_LOAD_AT,    /* operand: first slot of an array, wide: its length; pops the index */
    LIN_OP_STORE_AT,   /* pops the index, then the value */
    LIN_OP_LOAD_LOCAL, /* the same for locals of the running function */
    LIN_OP_STORE_LOCAL,
    LIN_OP_LOAD_LOCAL_AT,
    LIN_OP_STORE_LOCAL_AT,
    LIN_OP_THREAD,
    LIN_OP_NEGATE,
    LIN_OP_NOT,
    LIN_OP_BINARY,    /* small: enum lin_token_kind */
    LIN_OP_INDEX,     /* pops index, collection */
    LIN_OP_WITH_ITEM, /* pops value, index, collection; pushes the changed collection */
    LIN_OP_LIST,      /* operand: items to pop */
    LIN_OP_SET,
    LIN_OP_MAP,           /* operand: keys and values to pop */
    LIN_OP_BUILTIN,       /* small: enum lin_builtin */
    LIN_OP_CHECK,         /* small: enum lin_type_kind that the top must be of */
    LIN_OP_CHECK_RANGE,   /* operand: number of a range that the top must lie in */
    LIN_OP_JUMP,          /* operand: target */
    LIN_OP_JUMP_IF_FALSE, /* pops */
    LIN_OP_JUMP_IF_TRUE,
    LIN_OP_CALL,        /* operand: function */
    LIN_OP_RETURN,      /* pops the result */
    LIN_OP_ASSUME,      /* pops; false: the operation cannot happen here */
    LIN_OP_ASSERT,      /* pops; false: a fault */
    LIN_OP_CHOOSE,      /* pops high, low; pushes one between them */
    LIN_OP_CHOOSE_ITEM, /* pops a list or set; pushes one of its items */
};

struct lin_code {
    const struct lin_instruction *instructions;
    const place *places; /* one an instruction */
    uint32_t length;
    uint32_t parameters, locals; /* `locals` includes the parameters */
};

/* A variable's place in the state. */
struct lin_layout {
    const struct lin_variable *variable;
    uint32_t first, length; /* slots; length 1 unless it is an array */
};

struct lin_range {
    int64_t low, high;
};

struct lin_symbol {
    const char *name;
    value symbol;
};

struct lin_program {
    const struct lin_module *module;
    const struct lin_object *object;
    struct value_pool *pool;
    const value *parameters;
    struct lin_layout *layouts; /* one a variable of the object */
    uint32_t slots;
    VECTOR(value) constants;
    VECTOR(struct lin_range) ranges;
    struct lin_code *operations; /* one an operation of the object */
    struct lin_code *functions;  /* one a function */
    struct lin_code initially;   /* sets every variable, then runs `init` */
    value ok;                    /* the symbol */
    bool tells_callers;          /* some code says `thread` */
};

/* The value of an expression made of constants alone; STATUS_INPUT, without a message, if it is
 * not.
 */
enum status lin_constant(const struct lin_expression *expression, struct value_pool *pool,
                         value *result) MUST_CHECK;

/* The values of an object's parameters: given in the reference (may be null) by position or name,
 * or by default; `initial` (may be null) is that of the parameter of that name. An array in the
 * module's arena. STATUS_USAGE with what was expected. */
enum status lin_arguments(const struct lin_module *module, const struct lin_object *object,
                          const struct lin_reference *reference, const value *initial,
                          struct value_pool *pool, value **arguments,
                          struct error *error) MUST_CHECK;

/* Compiles a checked specification. `arguments`: one a parameter of the object; they and the
 * module must outlive the program, whose memory is the module's arena. */
enum status lin_compile(const struct lin_module *module, const struct lin_object *object,
                        const value *arguments, struct value_pool *pool,
                        struct lin_program *program, struct error *error) MUST_CHECK;
/* The bounds of an int; those of 32 bits where the type says none, and for any other type. */
enum status lin_bounds(const struct lin_program *program, const struct lin_type *type,
                       struct lin_range *range, struct error *error) MUST_CHECK;

void lin_program_release(struct lin_program *program);

/* ---- running ---- */

struct lin_machine;

struct lin_machine *lin_machine_create(const struct lin_program *program, struct budget *budget);
void lin_machine_destroy(struct lin_machine *machine);

enum lin_ran {
    LIN_RAN,     /* to the end */
    LIN_BLOCKED, /* an `assume` was false */
    LIN_FAULT,   /* `error` says what and where */
    LIN_REFUSED, /* a budget or pool refused */
};

/* Runs `code` from a state, `words` as lin_machine_state leaves them (null: before the initial
 * state), with arguments. `*result` is interned. Nondeterministic code takes the next of its
 * choices: begin with lin_machine_restart, go on while lin_machine_advance. */
enum lin_ran lin_machine_run(struct lin_machine *machine, const struct lin_code *code,
                             const uint64_t *words, const value *arguments, uint32_t thread,
                             value *result, struct error *error);
void lin_machine_restart(struct lin_machine *machine);
bool lin_machine_advance(struct lin_machine *machine);

/* The state that the last run led to: words in a canonical form, their number in `*length`. Valid
 * until the next run; null when refused. */
const uint64_t *lin_machine_state(struct lin_machine *machine, size_t *length);

/* Renames the values in a state of a specification that leaves them opaque (lin/opaque.h): all in
 * collections, and the variables that are values. Canonical again. False when refused. */
bool lin_rename_state(const struct lin_program *program, const struct renaming *renaming,
                      uint64_t *words) MUST_CHECK;

/* Appends the state for people: `items = [1 2], n = 3`. */
void lin_print_state(const struct lin_program *program, const uint64_t *words, struct text *text);

#endif
