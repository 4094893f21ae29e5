/* What the code of a specification runs on: its state, and collections. */
#ifndef LIN_MACHINE_H
#define LIN_MACHINE_H

#include "base/text.h"
#include "code/interpreter.h"
#include "lin/compile.h"
#include "value/renaming.h"

struct lin_machine;

struct lin_machine *lin_machine_create(const struct lin_program *program, struct budget *budget);
void lin_machine_destroy(struct lin_machine *machine);

/* The limits of the runs to come, looked at where they make large collections: a run that meets one
 * is out of memory. Null, as at first: none. */
void lin_machine_limit(struct lin_machine *machine, const struct limits *limits);

/* Runs `code` from a state, `words` as lin_machine_state leaves them (null: before the initial
 * state), with arguments: RAN_WELL; RAN_BLOCKED where an `assume` was false; RAN_INTO_FAULT, and
 * `error` says what and where; RAN_OUT_OF_MEMORY. `*result` is interned. Nondeterministic code
 * takes the next of its choices: begin with lin_machine_restart, go on while lin_machine_advance.
 */
enum ran lin_machine_run(struct lin_machine *machine, const struct code *code,
                         const uint64_t *words, const value *arguments, uint32_t thread,
                         value *result, struct error *error) MUST_CHECK;
void lin_machine_restart(struct lin_machine *machine);
bool lin_machine_advance(struct lin_machine *machine);

/* The state that the last run led to: words in a canonical form, their number in `*length`. Valid
 * until the next run; null when refused. */
const uint64_t *lin_machine_state(struct lin_machine *machine, size_t *length);

/* Renames the values in a state of a specification that leaves them opaque (lin/opaque.h): all in
 * collections, and the variables that are values. Canonical again. False when refused. */
bool lin_rename_state(const struct lin_program *program, const struct renaming *renaming,
                      uint64_t *words) MUST_CHECK;

/* Says which words of a state are values: all but the numbers of items in collections. */
void lin_find_values(const struct lin_program *program, const uint64_t *words, bool *values);

/* Appends the state for people: `items = [1 2], n = 3`. */
void lin_print_state(const struct lin_program *program, const uint64_t *words, struct text *text);

#endif
