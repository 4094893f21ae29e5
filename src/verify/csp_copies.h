/* Assertions for any number of copies, `|||{..} @ P`: an abstraction that counts copies up to a
 * cut-off is decided, and what it shows is looked for with 1, 2, ... copies; see
 * docs/internals/reductions.md. */
#ifndef VERIFY_CSP_COPIES_H
#define VERIFY_CSP_COPIES_H

#include "value/value.h"
#include "verify/csp_decision.h"

/* An answer for every number of copies from one on. */
enum status csp_decide_any_number(struct csp_decision *decision,
                                  struct value_pool *pool) MUST_CHECK;

#endif
