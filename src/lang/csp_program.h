/* A CSP# module with its names resolved: constants folded, variables and channels laid out in
 * slots, and a compiler from its expressions and statements to bytecode.
 *
 * Slots: visible variables, then channels (a slot each: its content as an object), then the `hvar`
 * variables, which do not belong to a state's identity. Variables that nothing ever assigns have
 * numbers behind all these: they stand in the initial valuation and in no state. */
#ifndef LANG_CSP_PROGRAM_H
#define LANG_CSP_PROGRAM_H

#include "base/table.h"
#include "lang/bytecode.h"
#include "lang/csp_ast.h"
#include "lang/csp_lexer.h"

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
    const uint32_t *sizes; /* one a dimension */
    uint32_t dimensions;   /* 0: no array */
    uint16_t range;        /* index into ranges, 0: none */
    uint8_t collection;    /* enum collection */
    bool hidden;
    bool wild;     /* any value of its range at first */
    bool constant; /* never assigned: no part of a state, its value stands in `initial` */
};

struct channel_info {
    const char *name;
    uint32_t slot, length; /* of an array of channels; else 1 */
    uint32_t capacity;     /* 0: synchronous */
    bool is_array;
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
    VECTOR(struct range_limit) ranges;
    VECTOR(struct growing_read) growing; /* csp_growing.h */
    uint32_t slot_count, identity_slots; /* hvars are behind the identity slots */
    uint32_t *initial;    /* slot_count: the initial valuation, wild variables at their least; then
                             the constant variables */
    uint32_t *capacities; /* slot_count: of the channel in that slot, else 0 */
    unsigned folding;     /* depth of macros being expanded: finds cycles */
    /* Only the place of an element in the whole array is checked: m[0][2] is m[1][0] where rows
     * have two elements. Code compiled while `notes_crossings` is set notes it in `crossed` when a
     * subscript leaves its dimension. */
    bool notes_crossings, *crossed;
};

/* Resolves the module's declarations. STATUS_INPUT with a place; STATUS_LIMIT. Release whatever the
 * status; the module must outlive the program. */
enum status csp_program_create(const struct csp_module *module, struct budget *budget,
                               struct csp_program *program, struct error *error) MUST_CHECK;
void csp_program_release(struct csp_program *program);

struct machine csp_machine(const struct csp_program *program);

/* The global symbol of that name (an interned name of the module), kind SYMBOL_NONE if unknown. */
struct symbol csp_symbol(const struct csp_program *program, const char *name);

/* Finds the specification of that name (hyphens are underscores there) among those of the `.lin`
 * files that the model includes: *script is the model's with that file as the model, its name null
 * if there is none. STATUS_INPUT: a fault in one of these files. */
enum status csp_included_spec(const struct csp_module *module, const char *name,
                              struct script *script, struct error *error) MUST_CHECK;

/* ---- compiling ---- */

/* What a name means besides the globals; innermost first. Lives on the compiler's stack. */
struct scope {
    const struct scope *outer;
    const char *name;
    enum {
        BOUND_CONSTANT, /* a parameter's value, an index, an input */
        BOUND_LOCAL,
        BOUND_ARGUMENT, /* of a macro: an expression in the scope of its call */
    } kind;
    const void *binder; /* the parameter or range that it is a constant of; null: none of these */
    datum constant;
    uint32_t local, length; /* length 0: no array */
    const struct csp_expression *argument;
    const struct scope *argument_scope;
};

/* Compiles an expression; constant folding leaves a single push where the value is known. */
enum status csp_compile_expression(struct csp_program *program,
                                   const struct csp_expression *expression,
                                   const struct scope *scope, code_id *code,
                                   struct error *error) MUST_CHECK;

/* Compiles a block; what it leaves on the stack is of no use. */
enum status csp_compile_block(struct csp_program *program, const struct csp_statement *block,
                              const struct scope *scope, code_id *code,
                              struct error *error) MUST_CHECK;

/* The value of an expression that must be constant; `what` names it in the message. */
enum status csp_constant(struct csp_program *program, const struct csp_expression *expression,
                         const struct scope *scope, const char *what, datum *constant,
                         struct error *error) MUST_CHECK;

/* The same, and it must be an integer from `least` to `most`. */
enum status csp_constant_integer(struct csp_program *program,
                                 const struct csp_expression *expression, const struct scope *scope,
                                 const char *what, int32_t least, int32_t most, int32_t *integer,
                                 struct error *error) MUST_CHECK;

#endif
