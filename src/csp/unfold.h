/* What references and inputs become when they step: the bodies of definitions for the arguments of
 * the moment, and what follows an input for the values that it receives. Each is instantiated once,
 * by whichever worker needs it first, with the program's lock held; then it is found without. */
#ifndef CSP_UNFOLD_H
#define CSP_UNFOLD_H

#include "csp/closure.h"
#include "csp/terms.h"

/* What becomes of an input for given values. */
struct instance {
    code_id guard, program; /* 0: none */
    term rest;
};

struct kept_instance {
    code_id guard, program;
    _Atomic term rest; /* + 1, written last; 0: not made yet */
};

struct csp_unfolded {
    struct budget *budget;
    struct shared_words body_keys;     /* definition, values...: index into bodies */
    struct blocks bodies;              /* _Atomic term: + 1; 0: not made yet */
    struct shared_words instance_keys; /* closure, values...: index into instances */
    struct blocks instances;           /* struct kept_instance */
};

void csp_unfolded_init(struct csp_unfolded *unfolded, struct budget *budget);
void csp_unfolded_release(struct csp_unfolded *unfolded);

/* The body of a definition for these arguments. STATUS_INPUT for what is wrong with the model. */
enum status csp_unfold(struct csp_terms *terms, struct csp_unfolded *unfolded, uint32_t definition,
                       const datum *arguments, size_t count, term *body,
                       struct error *error) MUST_CHECK;

/* What an input becomes when it receives these values. */
enum status csp_receive(struct csp_terms *terms, struct csp_unfolded *unfolded, uint32_t closure,
                        const uint32_t *values, size_t count, struct instance *instance,
                        struct error *error) MUST_CHECK;

#endif
