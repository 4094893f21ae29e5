/* What the parts of the compiler of CSP# share: emitting with constants folded, and what names
 * mean. */
#ifndef CSP_EMIT_H
#define CSP_EMIT_H

#include "code/listing.h"
#include "csp/program.h"
#include "csp/scope.h"

/* The compiler of one expression or block at work. */
struct csp_compiler {
    struct csp_program *program;
    struct listing listing;
    uint32_t locals, most_locals;
    const struct csp_statement *result; /* leaves its value: the last one of a macro; or null */
    struct error *error;

    /* The parts of the compiler that all others go through (csp/compile.c). */
    enum status (*expression)(struct csp_compiler *compiler, const struct csp_expression *node,
                              const struct scope *scope);
    enum status (*statement)(struct csp_compiler *compiler, const struct csp_statement *node,
                             const struct scope *scope);
    enum status (*constant_integer)(struct csp_program *program,
                                    const struct csp_expression *expression,
                                    const struct scope *scope, const char *what, int32_t least,
                                    int32_t most, int32_t *integer, struct error *error);
};

#define csp_complain(compiler, at, ...)                                                            \
    script_error((compiler)->program->module->script, at, (compiler)->error, __VA_ARGS__)

/* Definitions that name one another twice double with each: an end before memory's. */
#define MOST_INSTRUCTIONS ((size_t)1 << 18)

enum status csp_emit(struct csp_compiler *compiler, place at,
                     struct instruction instruction) MUST_CHECK;
enum status csp_emit_constant(struct csp_compiler *compiler, place at, datum d) MUST_CHECK;

/* A jump whose target comes later. */
enum status csp_emit_jump(struct csp_compiler *compiler, place at, enum opcode op,
                          uint32_t *jump) MUST_CHECK;

/* What an expression leaves is not wanted; an assignment need not leave it. */
enum status csp_emit_pop(struct csp_compiler *compiler, place at) MUST_CHECK;

/* Whether the code from `start` on is one constant. */
bool csp_constant_since(const struct csp_compiler *compiler, uint32_t start, datum *d);

/* Emits an operator over operands that start at `start`, folding if each is constant. */
enum status csp_emit_folded(struct csp_compiler *compiler, place at, struct instruction operator,
                            uint32_t start, uint32_t operands) MUST_CHECK;
enum status csp_emit_operator(struct csp_compiler *compiler, place at, enum opcode op,
                              uint32_t start, uint32_t operands) MUST_CHECK;

/* The innermost binding of a name; null: none. */
const struct scope *csp_scope_find(const struct scope *scope, const char *name);

/* The variable of that name, null (with a message) if it is something else. */
const struct variable_info *csp_variable(struct csp_compiler *compiler, const char *name, place at);

#endif
