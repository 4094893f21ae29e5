/* What the engines say of a model against what the oracle says, assertion by assertion. */
#ifndef TESTS_SUPPORT_CSP_COMPARISON_H
#define TESTS_SUPPORT_CSP_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

struct csp_comparison {
    size_t most_states;                                      /* larger ones are left out */
    unsigned compared, counted, violated, faulty, too_large; /* assertions so far */
};

/* False, and a message of at most `size` bytes, when the two differ on some assertion: in the
 * answer; in the number of states, where all are looked at; in the length of a shortest
 * counterexample; or when the oracle cannot take the counterexample's steps. A text that cannot be
 * read is the same to both. */
bool csp_comparison_add(struct csp_comparison *comparison, const char *text, char *message,
                        size_t size);

#endif
