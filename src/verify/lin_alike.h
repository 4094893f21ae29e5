/* Whether a specification treats all values alike, and all threads: whether it does the same with
 * any others in their places. */
#ifndef VERIFY_LIN_ALIKE_H
#define VERIFY_LIN_ALIKE_H

#include "verify/lin_instance.h"

/* Whether values can be exchanged as far as the specification goes, that of a compiled
 * implementation. */
bool lin_treats_values_alike(const struct lin_instance *instance);

/* STATUS_INPUT: of a specification of the file that does not, with the place of what it does
 * instead; `asked` is what cannot be decided then. Otherwise STATUS_OK; STATUS_LIMIT. */
enum status lin_refuse_unlike(const struct lin_instance *instance, const char *asked,
                              struct error *error) MUST_CHECK;

#endif
