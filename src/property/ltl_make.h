/* Shared by the files of ltl.h. */
#ifndef PROPERTY_LTL_MAKE_H
#define PROPERTY_LTL_MAKE_H

#include "property/ltl.h"

/* One answer of ltl_entails. */
struct ltl_entailment {
    ltl_id first, second; /* two times LTL_TRUE: the place is free */
    bool holds;
};

/* The even formula of these words as it stands: a kind, then an atom's number or operands, none of
 * them refused. */
ltl_id ltl_make(struct ltl *ltl, const uint32_t *words, size_t length);

#endif
