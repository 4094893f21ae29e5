/* Makes runs that cover a target shorter. */
#ifndef PETRI_SHORTEN_H
#define PETRI_SHORTEN_H

#include "petri/engine.h"

/* Makes the run, which has been checked, shorter where that is quickly done; it stays one.
 * *shortest: there is none with fewer transitions. STATUS_LIMIT: memory; the run is still one. */
enum status run_shorten(const struct problem *problem, struct budget *budget,
                        const struct limits *limits, struct run *run, bool *shortest) MUST_CHECK;

#endif
