/* Whether the gets of a map were recorded as Jepsen's tests of independent keys record reads: the
 * answer of `get k` is [k v], and perhaps the invocation is `get [k nil]`. */
#ifndef HISTORY_KEYED_RESULTS_H
#define HISTORY_KEYED_RESULTS_H

#include "history/binder.h"

/* Sets `keyed_results` of each object that is a map, as the options say or, where they leave it
 * open, as the answers tell. STATUS_USAGE where there is no map and the options say how to read
 * one; STATUS_INPUT where it cannot be told, with a message that names the option, and for what
 * binder_place complains of; STATUS_LIMIT. */
enum status keyed_results_read(struct binder *binder, struct error *error) MUST_CHECK;

/* Takes the key off what was recorded of the map's operation `found`. False if a get answered
 * something else than nil or its key and a value. */
bool keyed_results_strip(uint16_t found, struct recorded *recorded);

#endif
