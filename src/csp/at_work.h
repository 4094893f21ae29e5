/* How many processes are at work: what `#define n #R();` names. The components of the compositions
 * that a state is made of are counted which are the reference R, having taken no step of it yet.
 *
 * The number follows from the state's term, and stands in a slot of the state (struct
 * process_count), so that expressions read it like a variable. Every step counts anew. */
#ifndef CSP_AT_WORK_H
#define CSP_AT_WORK_H

#include "csp/worker.h"

/* Writes the numbers for a term into the slots of its state. */
enum status csp_count_at_work(struct csp_worker *worker, term t, uint32_t *slots,
                              struct error *error) MUST_CHECK;

#endif
