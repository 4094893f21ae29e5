/* What the classes' bind functions have in common. */
#ifndef SPEC_BIND_H
#define SPEC_BIND_H

#include "spec/spec.h"

/* Writes `expected EXPECTED, found FOUND` and returns STATUS_INPUT. */
enum status bind_complain(struct text *complaint, const char *expected, value found);

/* For an operation that inserts its argument and has no result. STATUS_INPUT if it is nil, which
 * as a result reads as empty. */
enum status bind_insertion(const struct recorded *recorded, struct call *call,
                           struct text *complaint) MUST_CHECK;

/* For an operation that only answers: the result, or, where a completion records none, the
 * argument (LiMo writes `call pop(7)` and a plain `return`). The call has no argument. */
void bind_answer(const struct recorded *recorded, struct call *call);

/* bind_answer for an operation that removes what it answers, nil when there is nothing. */
void bind_removal(const struct recorded *recorded, struct call *call);

/* For an operation without a result: any completion is fine. */
void bind_no_result(struct call *call);

/* A class's bind for operations that have neither: whatever was recorded is not looked at. */
enum status bind_nothing(const struct spec *spec, uint16_t operation,
                         const struct recorded *recorded, struct call *call,
                         struct text *complaint);

/* For a conditional operation: an ok completion means true (it swapped), unless its value is false.
 */
void bind_swapped(const struct recorded *recorded, struct call *call);

/* The `count` items of a list of exactly so many, else null. */
const value *bind_items(value list, size_t count);

/* Whether it is a list, or a set if that is allowed, whose items are not nil. */
bool bind_is_collection(value collection, bool or_set);

/* error_set for an initial value that a class does not take; STATUS_USAGE. */
enum status bind_bad_initial(const struct spec *spec, const char *expected, struct error *error);

/* error_set for a refused allocation; STATUS_LIMIT. */
enum status bind_refused(struct error *error);

#endif
