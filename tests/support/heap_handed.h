/* The views of a proof as a certificate that is handed to the check (unbounded/heap_certificate.h).
 */
#ifndef TESTS_SUPPORT_HEAP_HANDED_H
#define TESTS_SUPPORT_HEAP_HANDED_H

#include "unbounded/heap_certificate.h"

/* Null: the views, all but one of them (UINT32_MAX: all), are taken with this placement; else what
 * is wrong with them. If a specification observes, it has begun with its part. */
const char *heap_handed_refusal(const struct heap_proof *proof,
                                const struct heap_placement *placement, uint32_t without,
                                struct heap_checked *checked);

/* Likewise of those views that `sort` does not leave out, those that are to come first in front of
 * the others. `left_out` is how many are. */
enum heap_handed {
    HEAP_HANDED_NOT,
    HEAP_HANDED_FIRST,
    HEAP_HANDED_LATER
};
const char *heap_handed_refusal_without(const struct heap_proof *proof,
                                        enum heap_handed (*sort)(void *user,
                                                                 const struct heap_view *view),
                                        void *user, uint32_t *left_out);

#endif
