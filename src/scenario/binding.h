/* Puts the runtime in place of libraries in objects of the code under test. */
#ifndef SCENARIO_BINDING_H
#define SCENARIO_BINDING_H

#include "scenario/command.h"

/* Renames, in the objects, the functions that the runtime replaces, and a main, which nobody calls
 * in a test program. `runtime`: its object; null: nothing but main is renamed. STATUS_INPUT when
 * they use what is neither replaced nor harmless (scenario/symbols.h). `folder`: for a file on the
 * way. */
enum status binding_apply(const char *runtime, const char *const *objects, size_t count,
                          const char *folder, struct budget *budget,
                          struct error *error) MUST_CHECK;

#endif
