/* The compiler of CSP#, what is called: macros, functions, queries of channels, methods. */
#ifndef CSP_COMPILE_CALL_H
#define CSP_COMPILE_CALL_H

#include "csp/emit.h"

/* Expands a macro. `use` is its name alone, or the call with its arguments. A macro is written at
 * the top level, so its body sees its parameters and globals, not the locals around its use. */
enum status csp_compile_macro(struct csp_compiler *compiler, const struct csp_macro *macro,
                              const struct csp_expression *use,
                              const struct scope *scope) MUST_CHECK;

/* call(name, arguments...), whose name csp/names.h has checked. */
enum status csp_compile_call(struct csp_compiler *compiler, const struct csp_expression *node,
                             const struct scope *scope) MUST_CHECK;

/* object.name(arguments...) */
enum status csp_compile_method(struct csp_compiler *compiler, const struct csp_expression *node,
                               const struct scope *scope) MUST_CHECK;

/* variable = source, of a collection. Its fields are 0 then. */
enum status csp_compile_set(struct csp_compiler *compiler, const struct variable_info *variable,
                            const struct csp_expression *target,
                            const struct csp_expression *source,
                            const struct scope *scope) MUST_CHECK;

/* new name() */
enum status csp_compile_new(struct csp_compiler *compiler,
                            const struct csp_expression *node) MUST_CHECK;

#endif
