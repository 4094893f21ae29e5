/* What instrumentation does not see: inline assembly, and instructions by which intrinsics, or
 * functions that are not instrumented, make memory do what no callback tells. */
#ifndef SCENARIO_UNSEEN_H
#define SCENARIO_UNSEEN_H

#include "scenario/command.h"

/* Looks through what a compiler made of a source, as text (-S): STATUS_INPUT, with the line, for
 * inline assembly that is neither empty nor `pause`, for system calls other than futex, and of
 * clang for accesses of more than 16 bytes, which it does not instrument. */
enum status unseen_check_assembly(const char *source, const char *assembly, bool is_clang,
                                  struct error *error) MUST_CHECK;

/* Behind a call that loads 16 bytes clang 14 leaves the load that the call stands for, as a
 * compare-and-exchange whose result nobody reads: makes comments of these. */
void unseen_drop_leftovers(char *assembly);

/* Looks through an object: STATUS_INPUT for an atomic instruction or a fence, for accesses that are
 * never instrumented (masked, gathered, past the caches), and for what differs from run to run. */
enum status unseen_check_object(const char *source, const char *object, struct budget *budget,
                                struct error *error) MUST_CHECK;

#endif
