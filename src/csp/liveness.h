/* Live slots: those whose value a term may read before it writes them itself. A slot that no
 * component has live holds a value that nobody will ever read: before any component reads it, that
 * component has written it. */
#ifndef CSP_LIVENESS_H
#define CSP_LIVENESS_H

#include "csp/footprints.h"

/* The slots whose value the term may read before it writes them, in any future: a bit set, valid as
 * long as the footprints. */
enum status csp_live_slots(struct csp_footprints *footprints, term t,
                           const uint32_t **live) MUST_CHECK;

#endif
