/* Whether the gets of a map were recorded as Jepsen's tests of independent keys record reads: the
 * answer of `get k` is [k v], and perhaps the invocation is `get [k nil]`. */
#ifndef HISTORY_KEYED_RESULTS_H
#define HISTORY_KEYED_RESULTS_H

#include "history/bind.h"

/* Sets object->keyed_results, of a map:
 *
 * - plain, if no answer is its key and a value;
 * - keyed, if every answer that is not nil is, and no list of two was written, is the initial value
 *   or can have come about by appending;
 * - plain, if every answer that is a key and a value can be what the key held, and not every answer
 *   can be that key with what it held;
 * - else it cannot be told: STATUS_INPUT with a message that names the option.
 *
 * STATUS_INPUT also for what binder_place complains of; STATUS_LIMIT. */
enum status keyed_results_infer(struct binder *binder, struct object_binding *object,
                                struct error *error) MUST_CHECK;

/* Takes the key off what was recorded of the map's operation `found`. False if a get answered
 * something else than nil or its key and a value. */
bool keyed_results_strip(uint16_t found, struct recorded *recorded);

#endif
