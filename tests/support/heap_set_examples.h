/* A set as a list whose heap has no bound, for tests, with what is proved of it. */
#ifndef TESTS_SUPPORT_HEAP_SET_EXAMPLES_H
#define TESTS_SUPPORT_HEAP_SET_EXAMPLES_H

#include "support/heap_runs.h"
#include "support/lin_compiled.h"
#include "unbounded/heap_points.h"
#include "verify/lin_any_parts.h"

struct heap_set_example {
    struct lin_compiled compiled;
    struct thread_system system;
    struct arena arena;
    struct budget budget;
    struct limits limits;
    struct value_pool *pool;
    struct spec *set;
    struct lin_any_parts parts;
    struct heap_answer answer;
    struct heap_subject runs;
    struct error error;
};

/* Looks for a proof, for so many seconds; 0: until it is done. False if the text is no
 * implementation. */
bool heap_set_example_open(struct heap_set_example *subject, const char *text, unsigned seconds);
/* Makes a proof of one key, which has not run; the specification has begun with that key. */
void heap_set_example_observe(struct heap_set_example *subject, uint32_t part,
                              struct heap_proof *proof);
void heap_set_example_close(struct heap_set_example *subject, bool opened);

#endif
