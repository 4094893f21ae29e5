/* Specifications by name, calls written as text, and the states that step makes of them.
 *
 * What cannot be done fails the test. */
#ifndef TESTS_SUPPORT_SCRIPT_H
#define TESTS_SUPPORT_SCRIPT_H

#include "spec/spec.h"

/* A specification with the memory it lives in. */
struct made {
    struct budget budget;
    struct value_pool *pool;
    struct spec *spec;
};

/* `text` is a name, then perhaps ` = INITIAL` in EDN. To be closed whatever the status. */
enum status made_open(struct made *made, const char *text, bool owned, bool nil_reads,
                      struct error *error) MUST_CHECK;
void made_close(struct made *made);

/* Reads one call and binds it; `*at` moves behind its `;`. It is an operation with its argument;
 * then ` -> RESULT` if a result was recorded, `-> ?` if it is pending, nothing if it completed
 * without one; `@2`: by process 2, else 0. `!` in front makes `*legal` false. */
struct call script_call(struct made *made, const char **at, bool *legal);

/* The states that step says are possible. */
struct states {
    const struct spec *spec;
    struct outcomes now, next;
};

void states_open(struct states *states, const struct spec *spec, value key, struct budget *budget);
void states_close(struct states *states);

/* Fills `next` with the states after `call`; false if it is illegal. */
bool states_try(struct states *states, const struct call *call);

/* From `now` to `next`. */
void states_advance(struct states *states);
void states_print(const struct states *states, struct text *text);

#endif
