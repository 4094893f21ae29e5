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

#endif
