/* All that is wrong with a file, not only the first: parsers go on behind the statement or
 * declaration that is wrong, checkers with the next one, where what follows can be judged without
 * it. A script that has a list collects in it; without one the first fault ends reading. */
#ifndef LANG_FAULTS_H
#define LANG_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct script;

/* So many end the reading: what has more is no model with mistakes. */
#define FAULTS_MOST 1000

struct faults {
    struct error *items; /* the first `room` of them */
    size_t room, count;  /* count: of all */
};

/* Whether anything was wrong so far. */
bool faults_found(const struct script *script);

/* Takes a fault over, if the script collects them: STATUS_INPUT becomes STATUS_OK. That a name
 * is not declared is kept once, for one misspelt declaration makes many. Every other status is
 * handed back, and STATUS_INPUT when there are FAULTS_MOST. */
enum status faults_keep(const struct script *script, enum status status,
                        const struct error *error) MUST_CHECK;

/* Forgets all faults for one that explains them. */
void faults_replace(const struct script *script, const struct error *error);

/* The end of a phase: STATUS_INPUT, with the first fault, if there were any. They are then in the
 * order of their places. */
enum status faults_end(const struct script *script, enum status status,
                       struct error *error) MUST_CHECK;

#endif
