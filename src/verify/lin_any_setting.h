/* What an assertion about any number of threads asks for, as part of its instance. */
#ifndef VERIFY_LIN_ANY_SETTING_H
#define VERIFY_LIN_ANY_SETTING_H

#include "verify/lin_instance.h"

/* Values of a model that linearization points are looked for in (lin_any_points.h); a state of the
 * specification may keep three less. */
#define LIN_ANY_POINTS_VALUES 7

/* Whether an assertion is about any number of threads. */
bool lin_assertion_is_any(const struct lin_assertion *assertion);

/* Sets what was asked for: one thread, and a value of each colour; or as the bounds say, if there
 * are any. STATUS_INPUT for an option that says what any number of threads leaves open, or asks for
 * what is not decided then. */
enum status any_setting_read(struct lin_instance *instance,
                             const struct lin_bounds *bounds) MUST_CHECK;

/* That the specification, which is made, has rules, or the condition is one that can be asked; the
 * implementation is of the class, and its nodes are counted. Without bounds a condition sets how
 * many values there are. STATUS_INPUT with the place; STATUS_LIMIT. */
enum status any_setting_check(struct lin_instance *instance, const struct lin_object *object,
                              const struct lin_bounds *bounds) MUST_CHECK;

#endif
