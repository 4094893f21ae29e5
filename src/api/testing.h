/* The answer for a test while it is being made. */
#ifndef API_TESTING_H
#define API_TESTING_H

#include "api/program.h"
#include "base/arena.h"
#include "scenario/contract.h"

struct testing {
    lp_tested visible; /* first: lp_tested_destroy gets its address */
    uint32_t magic;
    const lp_program *program;
    const struct exchange_test *test;
    size_t number; /* of the test */
    lp_memory_model model;
    double timeout;     /* of a scenario, seconds; 0: none */
    unsigned jobs;      /* processes at once */
    bool checks_all;    /* every execution is run twice, and graphs met twice are counted */
    bool relaxes_races; /* plain accesses that race are taken as relaxed atomic ones: */
    struct exchange_relaxed relaxed; /* those of all scenarios so far */
    uint64_t met_twice;              /* graphs */
    bool misses_rounds;              /* in some scenario: see struct exchange_result */
    struct limits limits;            /* of all */
    struct arena arena;
    uint64_t started;
    struct test_interface interface;
    struct scenario_bounds bounds; /* of the promised set */
    lp_spec *spec;            /* null: none that is named, or it is wrong, which is told later */
    struct contract contract; /* of it */
    bool has_contract;
    bool given; /* the scenario is, and there is no set: whether its threads do not keep to their
                   orders, and no order of its calls is legal */
    bool is_out_of_order, is_out_of_contract;
};

/* Whether its specification is the code itself, with one operation after the other. */
bool testing_is_auto(const struct testing *testing);

/* Opens the specification, and has the interface's threads keep to its orders. */
void testing_find_contract(struct testing *testing);
void testing_drop_contract(struct testing *testing);

/* Whether no order of a scenario's calls is legal. Not thread-safe. */
bool testing_breaks_contract(struct testing *testing, const struct scenario *scenario);

/* Adds the plain accesses of a scenario that were taken as relaxed. Not thread-safe. */
void testing_merge_relaxed(struct testing *testing, const struct exchange_result *result);

/* A text as the answer's own; null when memory is refused. It is released. */
const char *testing_keep(struct testing *testing, struct text *text) MUST_CHECK;

/* "rc11" */
const char *testing_model_name(lp_memory_model model);

#endif
