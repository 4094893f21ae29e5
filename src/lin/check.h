/* What the names and expressions of a `.lin` module mean: declarations found, types right. Nothing
 * here depends on the values of parameters; the fields of lin/ast.h marked "checker" are filled in.
 */
#ifndef LIN_CHECK_H
#define LIN_CHECK_H

#include "lin/ast.h"

/* Whether some operation asks which thread calls it; then *at, unless null, is set to where. */
bool lin_names_thread(const struct lin_object *object, place *at);

/* Whether a condition asks which operations are running. */
bool lin_names_running(const struct lin_expression *condition);

/* STATUS_INPUT with the place for a name that is not declared or declared twice, for types that do
 * not fit, for a statement that cannot stand where it does; STATUS_LIMIT. */
enum status lin_check(struct lin_module *module, struct error *error) MUST_CHECK;

#endif
