/* Statements of implementations: each is a step, several, or none. */
#ifndef LANG_LIN_STEP_STATEMENTS_H
#define LANG_LIN_STEP_STATEMENTS_H

#include "lang/lin_step_compiler.h"

/* Sets every item of a variable. */
enum status lin_step_compile_initial(struct lin_step_compiler *compiler,
                                     const struct lin_step_place *room, bool shared) MUST_CHECK;

/* A statement, those inside and the jumps between them. */
enum status lin_step_compile_statement(struct lin_step_compiler *compiler,
                                       const struct lin_statement *statement) MUST_CHECK;

/* How conditions and loops are compiled (lin_flow.h). */
extern const struct lin_flow_class lin_step_flow_class;

#endif
