/* Random small CSP# models, as source text: for comparing two readings of the language, and the
 * plain exploration of a model with a reduced one. What they need to end stands by construction:
 * values stay small, and a process calls itself only in the place where it ends. Some are infinite
 * all the same or run into a fault, and meant to. Memory is plain malloc and never refused. */
#ifndef TESTS_SUPPORT_CSP_RANDOM_H
#define TESTS_SUPPORT_CSP_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

enum csp_random_shape {
    /* Every operator; `Main` and `Spec` with each kind of assertion about states and each
     * refinement, both ways. */
    CSP_RANDOM_OPERATORS,
    /* Threads that call a register, queue, stack or counter, each operation in one of several
     * right and wrong ways, with inv and res: `#assert Main linearizes ...`. */
    CSP_RANDOM_OBJECT,
    /* Processes that differ by an index, `||| i:{0..N - 1} @ P0(i)`, and a specification that is
     * nearly the same: refinements both ways, and assertions about states. */
    CSP_RANDOM_SYMMETRIC,
    /* Processes that synchronise, `P0() || P1() || P2()`: assertions about ends and states, and
     * refinements. */
    CSP_RANDOM_NETWORK,
    CSP_RANDOM_SHAPES,
};

struct csp_random;

/* The model of that seed: same shape and seed, same text. */
struct csp_random *csp_random_create(enum csp_random_shape shape, uint64_t seed);
void csp_random_destroy(struct csp_random *model);

/* Its text; valid until the model is shrunk or destroyed. */
const char *csp_random_text(struct csp_random *model);

/* Whether a smaller text still shows what is looked for. */
typedef bool csp_random_keep(void *context, const char *text);

/* Makes the model as small as `keep` lets it: declarations and assertions go, processes,
 * expressions and statements give way to parts of themselves. */
void csp_random_shrink(struct csp_random *model, csp_random_keep *keep, void *context);

#endif
