/* Constants, sizes, and where variables stand: among the locals, and among a struct's words. */
#ifndef IMPLEMENTATION_STEP_PLACES_H
#define IMPLEMENTATION_STEP_PLACES_H

#include "implementation/step_compiler.h"

/* The value of an expression that is made of constants and parameters; STATUS_INPUT without a
 * message if it is not. */
enum status lin_step_constant_of(const struct lin_step_compiler *compiler,
                                 const struct lin_expression *expression,
                                 int64_t *result) MUST_CHECK;

/* The same with a message, in which the expression is `what`. */
enum status lin_step_constant(struct lin_step_compiler *compiler,
                              const struct lin_expression *expression, const char *what,
                              int64_t *result) MUST_CHECK;

/* The values of an int; an error if there are none. */
enum status lin_step_range_of(struct lin_step_compiler *compiler, const struct lin_type *type,
                              struct lin_step_range *range) MUST_CHECK;

/* The number of a range for OP_CHECK_RANGE. */
enum status lin_step_add_range(struct lin_step_compiler *compiler, struct lin_step_range range,
                               uint32_t *number) MUST_CHECK;

/* Of one item. */
uint32_t lin_step_words_of(const struct lin_type *type);

/* How many items a variable has. */
enum status lin_step_length_of(struct lin_step_compiler *compiler,
                               const struct lin_variable *variable, uint32_t *length) MUST_CHECK;

/* Where a field begins among its struct's words. */
enum status lin_step_offset_of(struct lin_step_compiler *compiler, const struct lin_struct *of,
                               uint32_t field, uint32_t *offset) MUST_CHECK;

/* The number of the pool that a struct's nodes come from. */
uint32_t lin_step_pool_of(const struct lin_step_compiler *compiler, const struct lin_struct *of);

/* Sets so many words of the locals aside until the entry ends. */
enum status lin_step_take_locals(struct lin_step_compiler *compiler, place at, uint32_t words,
                                 uint32_t *first) MUST_CHECK;

/* Adds which of the words of a variable at `first` are references to `list`, a vector of
 * lin_reference_slot. */
enum status lin_step_note_references(struct lin_step_compiler *compiler,
                                     const struct lin_variable *variable, uint32_t first,
                                     uint32_t length, void *list) MUST_CHECK;

/* The same of values, to compiler->values. */
enum status lin_step_note_values(struct lin_step_compiler *compiler,
                                 const struct lin_variable *variable, uint32_t first,
                                 uint32_t length) MUST_CHECK;

/* Those noted since there were none. */
enum status lin_step_take_values(struct lin_step_compiler *compiler,
                                 struct lin_value_slots *slots) MUST_CHECK;

/* Gives a variable of the innermost body its place among the locals. */
enum status lin_step_declare(struct lin_step_compiler *compiler,
                             const struct lin_variable *variable) MUST_CHECK;

#endif
