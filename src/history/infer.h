/* Which specification a history calls for when its user names none. */
#ifndef HISTORY_INFER_H
#define HISTORY_INFER_H

#include "history/history.h"
#include "spec/spec.h"

/* The name to create a specification by, for the operations of one object (NO_OBJECT: those
 * without one):
 *
 * - what the file says (history->specification);
 * - else, of the built-in specifications without parameters that have every operation used, failed
 *   ones included, the one with the fewest operations. Without any operation that is the register.
 * It is grow-set only if there are additions, and a read that answered a list or a set.
 *
 * STATUS_INPUT, with file and line, for an operation that no built-in specification has;
 * STATUS_USAGE if none has them all, or if several are equally small: the message lists them.
 * `*name` is owned by the history or static. */
enum status history_infer(const struct history *history, uint16_t object, const char **name,
                          struct error *error) MUST_CHECK;

/* Appends to a complaint of an operation "; counter was inferred from the operations (--spec names
 * another, such as grow-set)": what was inferred, and what else has all of them. */
void history_infer_explain(const struct history *history, uint16_t object,
                           const struct spec_class *inferred, struct text *text);

#endif
