/* What an assertion about any number of threads asks for, as part of its instance. */
#ifndef PROPERTY_LIN_ANY_SETTING_H
#define PROPERTY_LIN_ANY_SETTING_H

#include "property/lin_instance.h"

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
