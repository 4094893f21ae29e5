/* Binding the operations of a history to specifications, one at a time. */
#ifndef HISTORY_BIND_H
#define HISTORY_BIND_H

#include "history/binder.h"

/* Binds the operation at `index`; to be called for one after the other. A failed one is bound as if
 * it were pending. STATUS_INPUT as parts_create says; STATUS_USAGE if its object has no
 * specification; STATUS_LIMIT. */
enum status binder_bind(struct binder *binder, uint32_t index, struct bound *bound,
                        struct error *error) MUST_CHECK;

#endif
