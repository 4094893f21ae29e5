/* Code blocks by number, interned by content: equal code has equal identity, which is what makes
 * terms that contain code comparable by number. Threads share codes; what is there is found and
 * read without a lock. What may be asked of a block without running it. */
#ifndef CODE_CODES_H
#define CODE_CODES_H

#include "base/limits.h"
#include "code/instruction.h"

/* Identity of a code block; 0 is no code. */
typedef uint32_t code_id;

struct codes;

struct codes *codes_create(struct budget *budget);
void codes_destroy(struct codes *codes);

/* How many blocks there are. */
uint32_t codes_count(struct codes *codes);

/* Interns a block (copied); 0 when refused. Of equal blocks the first one's places are kept. */
code_id codes_intern(struct codes *codes, const struct code *code) MUST_CHECK;
const struct code *codes_get(const struct codes *codes, code_id id);

/* True, with the datum, if the code does nothing but push a constant. */
bool code_is_constant(const struct codes *codes, code_id id, datum *constant);

/* Whether the code starts with an element outside its array, and so always faults. */
bool code_starts_outside(const struct codes *codes, code_id id);

/* Whether running it may be a fault, or not end. False only of what compares, moves and sets plain
 * words. */
bool code_may_fault(const struct codes *codes, code_id id);

/* Calls `visit` for every run of slots that the code may read (`write` false) or write. */
void code_accesses(const struct codes *codes, code_id id,
                   void (*visit)(void *context, uint32_t first, uint32_t count, bool write),
                   void *context);

#endif
