/* What the check of a certificate expects an operation to answer (unbounded/heap_certificate.h):
 * what it does when nobody interferes. Written apart from unbounded/heap_alone.c. */
#ifndef UNBOUNDED_HEAP_CERTIFICATE_ALONE_H
#define UNBOUNDED_HEAP_CERTIFICATE_ALONE_H

#include "unbounded/heap_moves.h"

/* Sets what the operation of a move will answer, or has, in the view behind it. False if all its
 * ways do not answer the same, or that is not known. Sets *refused when out of memory. */
bool certificate_answer_alone(struct heap_moves *moves, const struct heap_view *after,
                              struct thread_move *move, bool *refused);

#endif
