/* What the check of a certificate looks at where views rely on threads that can only begin again
 * (unbounded/heap_retries.h, of which it shares nothing but which those are): where they are seen,
 * and that what they rely on is so. */
#ifndef UNBOUNDED_HEAP_CERTIFICATE_RETRIES_H
#define UNBOUNDED_HEAP_CERTIFICATE_RETRIES_H

#include "unbounded/heap_placement.h"
#include "unbounded/heap_view.h"

/* Null, or what is wrong: a thread leaves the ways that it is seen to leave, or may be looked at on
 * one of them as it reads. */
const char *certificate_look_at_retries(const struct heap_shape *shape,
                                        const struct heap_placement *placement);

/* Whether a thread is in no view where it stands; `heap` is then as it is seen. */
bool certificate_is_retrying(const struct heap_shape *shape, struct heap_view *heap);

/* Whether a step leads from some variable that is relied on to a node to which it did not lead
 * before, and which others may have known. */
bool certificate_comes_back(const struct heap_shape *shape, const struct heap_view *before,
                            const struct heap_view *after);

#endif
