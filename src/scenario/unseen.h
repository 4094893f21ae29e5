/* What instrumentation does not see: inline assembly, and instructions by which intrinsics, or
 * functions that are not instrumented, make memory do what no callback tells. */
#ifndef SCENARIO_UNSEEN_H
#define SCENARIO_UNSEEN_H

#include "scenario/command.h"

/* Looks through what a compiler made of a source, as text (-S): STATUS_INPUT, with the line, for
 * inline assembly that is neither empty nor `pause`. */
enum status unseen_check_assembly(const char *source, const char *assembly,
                                  struct error *error) MUST_CHECK;

/* Looks through an object: STATUS_INPUT for an atomic instruction or a fence. */
enum status unseen_check_object(const char *source, const char *object, struct budget *budget,
                                struct error *error) MUST_CHECK;

#endif
