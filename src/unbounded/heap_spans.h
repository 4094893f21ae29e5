/* Violation automata where operations that only bring values are read by their calls and returns,
 * while all others are read where they take effect, call and return at once. */
#ifndef UNBOUNDED_HEAP_SPANS_H
#define UNBOUNDED_HEAP_SPANS_H

#include "unbounded/prophecy.h"

/* The colours, bits, of which the automaton reads that one value is brought, and no other one
 * behind that. */
unsigned heap_find_once(const struct alphabet *alphabet);

/* Whether operations that bring values may be read by their calls and returns where some of them
 * are still running in the end: that these return then is nothing that the automaton accepts; and
 * what it has accepted it still does, so that it accepts nothing that is right. The alphabet is as
 * alphabet_make has made it. */
bool heap_may_span(const struct alphabet *alphabet);

/* Makes the automaton read one call at most of each colour of which that is enough. It is enough of
 * a colour if, in what leads to an accepting state, the call of such a value is read as that of a
 * plain one is, at most one of these values is seen to have been brought, and none to be taken. If
 * so, let all of them but that one be plain, and the same states are met. So what is accepted with
 * some colouring, is accepted with one that the new automaton does not end. Without this any number
 * of values that are told apart might be in the heap. Memory is the arena's; STATUS_LIMIT. */
enum status heap_span_alphabet(struct alphabet *alphabet, struct arena *arena) MUST_CHECK;

#endif
