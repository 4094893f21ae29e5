/* Searches for a linearization guided by reads, where operations add to numbers and reads answer
 * them: only sets of running operations are tried whose sum is what the state lacks for some
 * running read (subset_sums.h), and the operation that is due.
 *
 * A bank: transfers between accounts, and reads of all of them. The general search tries one set of
 * running transfers after the other until the read that is due becomes legal, 2^k of them.
 *
 * Nothing is known of a specification but its steps. That an operation adds the same in every
 * state, and which words of the state a read answers, is a guess from the steps that the general
 * search has made so far. Therefore only an order that was found counts; that none was found says
 * nothing. */
#ifndef SEARCH_READ_GUIDED_H
#define SEARCH_READ_GUIDED_H

#include "monitor/decision.h"
#include "search/configuration.h"

enum guided_found {
    GUIDED_FOUND_ORDER, /* in decision->linearization */
    GUIDED_FOUND_NOTHING,
    GUIDED_REFUSED, /* a limit was reached, or a budget refused */
};

/* Searches the part of `general`, a general search that has explored for a while and waits. Adds to
 * decision->explored. */
enum guided_found read_guided_search(struct search *general, struct decision *decision);

#endif
