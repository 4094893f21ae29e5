/* Histories as they look from their middle: what is known of each operation after the events so
 * far, and what the definition says of them. */
#ifndef TESTS_SUPPORT_PREFIX_H
#define TESTS_SUPPORT_PREFIX_H

#include "stream/object.h"
#include "support/generate.h"
#include "support/oracle.h"

/* What becomes of an operation that does not complete: at `end` it is said to be pending, or to
 * have failed. */
struct fate {
    uint32_t end;
    bool fails;
};

#define PREFIXES_MOST 96 /* operations */

/* A sample of at most PREFIXES_MOST operations and what becomes of them. */
struct prefixes {
    struct sample sample;
    struct fate fates[PREFIXES_MOST];
};

/* Chooses fates for the operations of the sample that do not complete. */
void prefixes_choose_fates(struct prefixes *prefixes, struct random *random);

/* The history of the events in front of `end`, in a sample that is empty; to be released. */
void prefixes_cut(const struct prefixes *prefixes, uint32_t end, struct sample *prefix);

/* Whether the definition accepts the events in front of `end`, of at most ORACLE_MOST operations.
 */
bool prefixes_linearizable(const struct prefixes *prefixes, uint32_t end);

/* What is known of the i-th operation, which has been invoked, in front of `end`. */
enum stage prefixes_know(const struct prefixes *prefixes, uint32_t i, uint32_t end,
                         struct call *call);

/* Appends the sample, and the fates. */
void prefixes_print(const struct prefixes *prefixes, struct text *text);

#endif
