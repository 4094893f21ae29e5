/* States written down, so that another process understands them: one that has read the same text
 * and made the model of the same assertion in the same way. In memory a state's first slot is the
 * number of a term, and some of the others are numbers of objects, given out in the order in which
 * they came up; what is written speaks of the model's text instead:
 *
 *     term    ORIGIN, process, number of names, (name, meaning, value)...   what it was made of
 *             kind, number of words, words...                               put together by steps
 *             in which a term below is a term, and a set of labels is a set
 *     set     number of labels, (kind, letters, letters in words..., components, component...)...
 *     slot    its value; of a channel or a collection the number of items, item...
 *
 * A process is named by its place among those of the module, in the order of the text, and a name
 * by its place among those that are bound anywhere. A state is its term and its slots. */
#ifndef TESTS_SUPPORT_CSP_WRITTEN_H
#define TESTS_SUPPORT_CSP_WRITTEN_H

#include "base/bits.h"
#include "csp/model.h"

/* What binds a name: a parameter, a range, or, with a null binder, an input. */
struct written_name {
    const char *name;
    const void *binder;
};

typedef VECTOR(uint32_t) written_words;

/* For one thread. */
struct csp_written {
    const struct csp_model *model; /* not owned */
    struct csp_terms terms;
    VECTOR(const struct csp_process *) processes;
    struct table process_numbers; /* by address */
    VECTOR(struct written_name) names;
    struct table name_numbers; /* by both addresses */
    struct bits objects;       /* slots of the program that hold objects */
    written_words stack;       /* of reading */
};

/* STATUS_LIMIT. Release whatever the status. */
enum status csp_written_create(const struct csp_model *model,
                               struct csp_written *written) MUST_CHECK;
void csp_written_release(struct csp_written *written);

/* Appends a state of the model, as the model takes steps from it and to it. */
enum status csp_state_write(struct csp_written *written, const uint32_t *state,
                            written_words *out) MUST_CHECK;

/* The state in this model's own numbers. It may differ from the one that was written by the order
 * of components that are alike: who stores it has it represented as after a step. STATUS_INPUT:
 * it is not one of this model. */
enum status csp_state_read(struct csp_written *written, const uint32_t *words, size_t length,
                           uint32_t *state, struct error *error) MUST_CHECK;

#endif
