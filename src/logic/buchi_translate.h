/* From a formula of linear temporal logic to a generalised Büchi automaton: the formula is expanded
 * into what the first letter must have and what the rest of the word must satisfy, as in Couvreur
 * (On-the-fly Verification of Linear Temporal Logic, FM 1999), with literals on edges and sets of
 * formulas as states, as in Gastin and Oddoux (Fast LTL to Büchi Automata Translation, CAV 2001).
 */
#ifndef LOGIC_BUCHI_TRANSLATE_H
#define LOGIC_BUCHI_TRANSLATE_H

#include "logic/buchi.h"

/* An automaton of exactly the words that satisfy the formula, simplified. To look for a violation
 * of F, translate ltl_not(F). STATUS_LIMIT when time, memory or an interrupt stops it, or when the
 * formula has more than 64 eventualities; *buchi is then empty. */
enum status buchi_translate(struct ltl *ltl, ltl_id formula, const struct limits *limits,
                            struct buchi *buchi, struct error *error) MUST_CHECK;

#endif
