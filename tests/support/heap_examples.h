/* Implementations whose heap has no bound, for tests: some that are right, some that few threads
 * violate; and one of them with what is proved of it. */
#ifndef TESTS_SUPPORT_HEAP_EXAMPLES_H
#define TESTS_SUPPORT_HEAP_EXAMPLES_H

#include "rules/shipped.h"
#include "support/heap_runs.h"
#include "support/lin_compiled.h"
#include "unbounded/heap_points.h"

struct heap_program {
    const char *text, *specification;
    bool is_slow; /* it takes long until it is given up */
};

extern const struct heap_program heap_right[];
extern const size_t heap_right_count;
#define HEAP_RIGHT_SMALL 2                         /* the last ones, whose sets are small */
extern const struct heap_program heap_elimination; /* right, too, and takes long */
/* Each is violated by few threads. */
extern const struct heap_program heap_wrong[];
extern const size_t heap_wrong_count;

struct heap_example {
    struct lin_compiled compiled;
    struct thread_system system;
    struct arena arena;
    struct budget budget;
    struct limits limits;
    struct violation_automata automata;
    struct method_roles roles;
    struct heap_answer answer;
    struct heap_subject runs;
    bool by_calls; /* no points are looked for */
    struct error error;
};

/* Reads a text, and looks for no proof. False if it is no implementation. */
bool heap_example_read(struct heap_example *subject, const char *text, const char *specification);
/* Likewise, where calls bring so many values. */
bool heap_example_read_values(struct heap_example *subject, const char *text,
                              const char *specification, uint32_t values);
/* And looks for one, for so many seconds; 0: until it is done. */
bool heap_example_open(struct heap_example *subject, const char *text, const char *specification,
                       unsigned seconds);
/* Likewise, and asks for no points. */
bool heap_example_open_by_calls(struct heap_example *subject, const char *text,
                                const char *specification, unsigned seconds);
/* Looks once more, and checks what is proved until then; 0: until it is done. */
enum status heap_example_prove(struct heap_example *subject, uint64_t last_deadline) MUST_CHECK;
/* What observes in a proof: the automata, and what watches who is met if some are. */
size_t heap_example_observers(const struct heap_example *subject);
/* Makes a proof with one of these, which has not run. */
void heap_example_observe(struct heap_example *subject, size_t observer, struct alphabet *alphabet,
                          struct heap_proof *proof);
void heap_example_close(struct heap_example *subject, bool opened);

#endif
