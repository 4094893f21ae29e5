/* Sets of slots that something may read and write, and what the syntax of a process mentions,
 * definitions and macros followed: the footprint of terms that cannot be told in advance. Names are
 * taken for the globals they name even where they are bound anew: an upper bound is all that is
 * asked for.
 *
 * A footprint is a bit set of slots read, then one of slots written, of csp_footprint_words words
 * of 32 bits each. Slots are the model's: 0 is the term, and the program's come behind it. No
 * code accesses the term: its bit among those read says that a step may be a fault. */
#ifndef CSP_FOOTPRINT_SYNTAX_H
#define CSP_FOOTPRINT_SYNTAX_H

#include "csp/program.h"

static inline uint32_t csp_footprint_words(const struct csp_program *program)
{
    return (program->slot_count + 32) / 32;
}

/* Adds `count` slots of the program to a footprint. */
void csp_footprint_add(uint32_t *set, uint32_t words, uint32_t first, uint32_t count, bool write);

#define FOOTPRINT_FAULTS UINT32_C(1) /* in its first word */

/* Adds what code reads and writes, and whether it may be a fault; code 0 is none. */
void csp_footprint_add_code(const struct csp_program *program, code_id code, uint32_t *set);

struct csp_mentioned {
    const struct csp_program *program;
    VECTOR(uint8_t) marks; /* macros, then definitions: met in this walk */
};

/* STATUS_LIMIT. Release whatever the status. */
enum status csp_mentioned_create(const struct csp_program *program,
                                 struct csp_mentioned *mentioned) MUST_CHECK;
void csp_mentioned_release(struct csp_mentioned *mentioned);

/* Adds what a process mentions to a footprint; `only_head`: what its first steps mention, for a
 * prefix. */
void csp_mentioned_in(struct csp_mentioned *mentioned, const struct csp_process *process,
                      bool only_head, uint32_t *set);

#endif
