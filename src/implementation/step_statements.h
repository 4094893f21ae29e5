/* Statements of implementations: each is a step, several, or none. */
#ifndef IMPLEMENTATION_STEP_STATEMENTS_H
#define IMPLEMENTATION_STEP_STATEMENTS_H

#include "implementation/step_compiler.h"

/* Sets every item of a variable. */
enum status lin_step_compile_initial(struct lin_step_compiler *compiler,
                                     const struct lin_step_place *room, bool shared) MUST_CHECK;

/* A statement, those inside and the jumps between them. */
enum status lin_step_compile_statement(struct lin_step_compiler *compiler,
                                       const struct lin_statement *statement) MUST_CHECK;

/* How conditions and loops are compiled (lin/flow.h). */
extern const struct lin_flow_class lin_step_flow_class;

#endif
