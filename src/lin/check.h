/* What the names and expressions of a `.lin` module mean: declarations found, types right. Nothing
 * here depends on the values of parameters; the fields of lin/ast.h marked "checker" are filled in.
 */
#ifndef LIN_CHECK_H
#define LIN_CHECK_H

#include "lin/ast.h"

/* Functions that every operation can call. */
enum lin_builtin {
    LIN_BUILTIN_LEN,
    LIN_BUILTIN_FIRST,
    LIN_BUILTIN_LAST,
    LIN_BUILTIN_BUT_FIRST,
    LIN_BUILTIN_BUT_LAST,
    LIN_BUILTIN_MIN, /* of a list or set of integers */
    LIN_BUILTIN_MAX,
    LIN_BUILTIN_CAS,
    LIN_BUILTIN_SWAP,
    LIN_BUILTIN_FETCH_ADD,
    LIN_BUILTIN_LL,
    LIN_BUILTIN_SC,
    LIN_BUILTIN_LOCK,
    LIN_BUILTIN_UNLOCK,
    LIN_BUILTIN_FREE,
    LIN_BUILTIN_RUNNING, /* in conditions: items[0] a thread, items[1] (if any) an operation's name,
                            `number` of it */
};

/* Whether some operation asks which thread calls it. */
bool lin_names_thread(const struct lin_object *object);

/* Whether a condition asks which operations are running. */
bool lin_names_running(const struct lin_expression *condition);

/* STATUS_INPUT with the place for a name that is not declared or declared twice, for types that do
 * not fit, for a statement that cannot stand where it does; STATUS_LIMIT. */
enum status lin_check(struct lin_module *module, struct error *error) MUST_CHECK;

/* "an int", "a list": for messages. */
const char *lin_type_name(const struct lin_type *type);

#endif
