/* From several acceptance sets to one, by counting: a copy of a state for each set that is waited
 * for, as in Gastin and Oddoux (Fast LTL to Büchi Automata Translation, CAV 2001). For sizes beside
 * those of other tools: what decides formulas reads several sets. */
#ifndef LOGIC_BUCHI_DEGENERALISE_H
#define LOGIC_BUCHI_DEGENERALISE_H

#include "logic/buchi.h"

enum buchi_form {
    BUCHI_BY_EDGE,  /* acceptance stays on edges */
    BUCHI_BY_STATE, /* all edges that leave one state are in the set, or none is */
};

/* The same language with exactly one acceptance set. `degeneral` is initialised by the function.
 * STATUS_LIMIT when time, memory or an interrupt stops it; *degeneral is then empty. */
enum status buchi_degeneralise(const struct buchi *buchi, enum buchi_form form,
                               const struct limits *limits, struct buchi *degeneral,
                               struct error *error) MUST_CHECK;

#endif
