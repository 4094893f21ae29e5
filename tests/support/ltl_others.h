/* Automata as other translators print them. */
#ifndef SUPPORT_LTL_OTHERS_H
#define SUPPORT_LTL_OTHERS_H

#include "logic/buchi.h"

/* Reads one automaton over atoms p0 .. p(atoms - 1), at most 6, from `text`: a never claim of SPIN,
 * the output of lbt. An edge is made for each letter that it reads. False when it is none, as when
 * the translator was stopped. `buchi` is initialised, and released by the caller. */
bool read_never_claim(const char *text, unsigned atoms, struct buchi *buchi);
bool read_lbt(const char *text, unsigned atoms, struct buchi *buchi);

#endif
