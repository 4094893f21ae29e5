/* Which steps other threads may notice. */
#ifndef IMPLEMENTATION_CHANGES_H
#define IMPLEMENTATION_CHANGES_H

#include "implementation/state.h"

/* Of a model that `tells_changes`, for the thread's step from worker->before to worker->after,
 * whose nodes have the same numbers: `change.thread` if it changes anything that another thread
 * could tell, else LABEL_TAU. LABEL_REFUSED. */
label lin_label_change(struct lin_worker *worker, uint32_t thread) MUST_CHECK;

/* The thread that a label says has changed something; UINT32_MAX: none. */
uint32_t lin_changer(const struct lin_model *model, label l);

#endif
