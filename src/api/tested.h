/* The answer for a test while it is being made. */
#ifndef API_TESTED_H
#define API_TESTED_H

#include "api/program.h"
#include "base/arena.h"
#include "scenario/interface.h"

struct testing {
    lp_tested visible; /* first: lp_tested_destroy gets its address */
    uint32_t magic;
    const lp_program *program;
    const struct exchange_test *test;
    lp_memory_model model;
    struct arena arena;
    uint64_t started;
    struct test_interface interface;
    struct scenario_bounds bounds; /* of the promised set */
    bool given;                    /* the scenario is, and there is no set */
};

/* What became of a scenario. */
struct tried {
    uint64_t executions, blocked, hanging, histories;
    unsigned calls;
    bool is_larger, /* than those of the promised set */
        cut_off;    /* not decided, for whatever reason */
};

/* Says what was found in a scenario, or why it was not decided. STATUS_LIMIT when memory is
 * refused; STATUS_USAGE where the test and its specification do not fit. */
enum status tested_tell(struct testing *testing, const struct scenario *scenario,
                        const struct exchange_result *result, struct error *error) MUST_CHECK;

/* Says that nothing was. */
enum status tested_tell_holds(struct testing *testing) MUST_CHECK;

/* Says that every scenario of the promised set with at most so many calls was gone through. */
enum status tested_tell_covered(struct testing *testing, unsigned calls) MUST_CHECK;

/* Appends for what each thread of an execution waits in which nothing goes on any more. */
enum status tested_append_waits(const struct testing *testing, const struct exchange_result *result,
                                struct text *text, struct error *error) MUST_CHECK;

/* A text as the answer's own; null when memory is refused. It is released. */
const char *tested_keep(struct testing *testing, struct text *text) MUST_CHECK;

#endif
