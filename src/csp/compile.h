/* The compiler from the expressions and statements of a CSP# module to code. */
#ifndef CSP_COMPILE_H
#define CSP_COMPILE_H

#include "csp/program.h"
#include "csp/scope.h"

/* Compiles an expression; constant folding leaves a single push where the value is known. */
enum status csp_compile_expression(struct csp_program *program,
                                   const struct csp_expression *expression,
                                   const struct scope *scope, code_id *code,
                                   struct error *error) MUST_CHECK;

/* The same of what is sent or passed on, which may be an array as a whole, or a list. */
enum status csp_compile_value(struct csp_program *program, const struct csp_expression *expression,
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
