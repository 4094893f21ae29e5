/* Operations that take effect together, and operations that stay open: a set at a time, or a member
 * of one at a time. */
#ifndef LIN_SPEC_SETS_H
#define LIN_SPEC_SETS_H

#include "lin/spec_running.h"

/* Fills in what lin->class says of sets. Where an operation may stay open, each operation by itself
 * is a set of one as well. STATUS_LIMIT when refused. */
enum status lin_spec_describe_sets(struct lin_spec *lin) MUST_CHECK;

/* Where the variables begin in a state. */
size_t lin_spec_variables_at(const struct lin_spec *lin, const uint64_t *words);

/* struct spec_class: gathered, step_together. */
uint32_t lin_spec_gathered(const struct spec *spec, const uint64_t *words, size_t length);
bool lin_spec_step_together(const struct spec *spec, uint32_t number, const uint64_t *words,
                            size_t length, const struct call *const *calls,
                            struct outcomes *outcomes) MUST_CHECK;

/* All ways in which the call begins a set, or joins the one that has begun. */
bool lin_spec_join_sets(const struct spec *spec, const uint64_t *words, size_t length,
                        const struct call *call, struct outcomes *outcomes) MUST_CHECK;

/* Renames the values in what stands before the variables. False when refused. */
bool lin_spec_rename_sets(const struct lin_spec *lin, const struct renaming *renaming,
                          uint64_t *words) MUST_CHECK;

#endif
