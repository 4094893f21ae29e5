/* The answer for a test while it is being made. */
#ifndef API_TESTING_H
#define API_TESTING_H

#include "api/program.h"
#include "base/arena.h"
#include "scenario/interface.h"

struct testing {
    lp_tested visible; /* first: lp_tested_destroy gets its address */
    uint32_t magic;
    const lp_program *program;
    const struct exchange_test *test;
    size_t number; /* of the test */
    lp_memory_model model;
    double timeout;       /* of a scenario, seconds; 0: none */
    unsigned jobs;        /* processes at once */
    struct limits limits; /* of all */
    struct arena arena;
    uint64_t started;
    struct test_interface interface;
    struct scenario_bounds bounds; /* of the promised set */
    bool given;                    /* the scenario is, and there is no set */
};

/* A text as the answer's own; null when memory is refused. It is released. */
const char *testing_keep(struct testing *testing, struct text *text) MUST_CHECK;

/* "rc11" */
const char *testing_model_name(lp_memory_model model);

#endif
