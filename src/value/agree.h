/* Whether a recorded answer is what an object answered. */
#ifndef VALUE_AGREE_H
#define VALUE_AGREE_H

#include "base/memory.h"
#include "value/value.h"

/* JSON has no sets, so what an object answered as a set may be recorded as a list of the same
 * elements, once each, in any order; at any depth. Otherwise only equal values agree: a list that
 * the object answered is no set, and a list with an element twice is none either. Needs memory for
 * sets only; `*refused` becomes true, and the answer means nothing, when the budget refuses. */
bool value_agrees(value recorded, value answered, struct budget *budget, bool *refused) MUST_CHECK;

#endif
