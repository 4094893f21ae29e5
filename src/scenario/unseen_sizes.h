/* Accesses of clang whose size is none of those that it instruments (3 bytes of a structure or of a
 * bit-field, a long double): nothing in the assembly tells them from others. They are found in what
 * it would hand to its code generator, LLVM's intermediate representation. */
#ifndef SCENARIO_UNSEEN_SIZES_H
#define SCENARIO_UNSEEN_SIZES_H

#include "scenario/command.h"

/* Runs a command of clang that makes `assembly` of `source` once more, for that: STATUS_INPUT, with
 * the line, for such an access to what is no variable of the function itself, nor constant. The
 * words gain some. */
enum status unseen_sizes_check(const char *source, const char *assembly, struct words *words,
                               struct error *error) MUST_CHECK;

#endif
