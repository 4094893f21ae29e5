/* Which scenarios no client makes: against every order of the calls, tried on objects that are
 * written here a second time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "lin/spec.h"
#include "scenario/contract.h"
#include "spec/builtin.h"
#include "support/seeds.h"

/* A slot that is put into and taken from; both wait, and `look` must not be called on nothing. */
static const char slot[] = "spec slot {\n"
                           "    int(0..1) full = 0;\n"
                           "    op put() { await (full == 0); full = 1; return ok; }\n"
                           "    op take() { await (full == 1); full = 0; return ok; }\n"
                           "    op look() { assume (full == 1); return ok; }\n"
                           "}\n";

/* An object: what each operation needs the state to be at least and at most, and adds to it. */
struct object {
    const char *spec; /* null: slot */
    const char *names[3];
    int least[3], most[3], adds[3], initial;
    bool waits[3]; /* by the specification itself, or since it begins an order of clients */
};

static const struct object objects[] = {
    {"mutex",
     {"acquire", "release", "try-acquire"},
     {0, 1, -9},
     {0, 1, 9},
     {1, -1, 0},
     0,
     {true, false, false}},
    {"semaphore(2)", {"acquire", "release"}, {1, 0}, {2, 1}, {-1, 1}, 2, {true, false}},
    {NULL, {"put", "take", "look"}, {0, 1, 1}, {0, 1, 1}, {1, -1, 0}, 0, {true, true, false}},
};

struct question {
    const struct object *object;
    const struct exchange_test *test;
    const struct scenario *scenario;
};

/* Whether some order goes on from here to the end, or to where all that is left may wait. */
static bool goes_on(const struct question *question, const unsigned *done, int state)
{
    const struct object *object = question->object;
    bool stuck = true, may_rest = true;
    unsigned at = 0;
    for (unsigned i = 0; i < question->scenario->thread_count;
         at += question->scenario->lengths[i++]) {
        if (done[i] == question->scenario->lengths[i])
            continue;
        unsigned operation = question->scenario->calls[at + done[i]].operation, further[8];
        uint32_t flags = question->test->operations[operation].flags;
        memcpy(further, done, sizeof further);
        further[i]++;
        bool legal = state >= object->least[operation] && state <= object->most[operation];
        /* a try takes it if it is free */
        int next = object->names[operation][0] == 't' && object->names[operation][1] == 'r'
                       ? 1
                       : state + object->adds[operation];
        if (legal && goes_on(question, further, next))
            return true;
        if (flags & EXCHANGE_MAY_FAIL && goes_on(question, further, state))
            return true;
        stuck &= !legal && !(flags & EXCHANGE_MAY_FAIL);
        may_rest &= object->waits[operation] || flags & EXCHANGE_MAY_WAIT;
    }
    return stuck && may_rest;
}

static void compare(const struct object *object, uint64_t seed)
{
    struct random random;
    struct budget budget;
    struct limits limits;
    struct spec *spec;
    struct contract contract;
    struct test_interface made;
    struct error error = {0};
    static struct exchange_test test;
    random_seed(&random, seed);
    budget_init(&budget, NULL, 0);
    limits_init(&limits, &budget);
    struct value_pool *pool = value_pool_create(&budget);
    const struct spec_request request = {.name = object->spec};
    enum status status = object->spec ? spec_create(&request, pool, &budget, &spec, &error)
                                      : lin_spec_from_text("slot.lin", slot, NULL, &request, pool,
                                                           &budget, &spec, &error);
    if (status != STATUS_OK)
        fail_msg("%s", error.message);
    memset(&test, 0, sizeof test);
    while (test.operation_count < 3 && object->names[test.operation_count]) {
        struct exchange_operation *operation = &test.operations[test.operation_count];
        strcpy(operation->name, object->names[test.operation_count++]);
        operation->can_run = true;
        operation->flags =
            random_chance(&random, 1, 4) ? random_below(&random, 4) * EXCHANGE_MAY_FAIL : 0;
    }
    assert_int_equal(test_interface_init(&made, &test, &error), STATUS_OK);
    assert_true(contract_init(&contract, spec, &test, &limits));
    for (unsigned round = 0; round < 40; round++) {
        struct scenario scenario = {.thread_count = 1 + random_below(&random, 3)};
        for (unsigned i = 0; i < scenario.thread_count; i++) {
            scenario.lengths[i] = 1 + random_below(&random, 3);
            for (unsigned k = 0; k < scenario.lengths[i]; k++)
                scenario.calls[scenario.call_count++].operation =
                    (uint16_t)random_below(&random, test.operation_count);
        }
        const struct question question = {object, &test, &scenario};
        const unsigned none[8] = {0};
        bool kept = contract_look(&contract, &made.interface, &scenario) == CONTRACT_KEPT;
        if (kept != goes_on(&question, none, object->initial)) {
            struct text text = TEXT_EMPTY;
            scenario_print(&scenario, &made.interface, &text);
            fail_msg("seed %llu, %s: %s is %s", (unsigned long long)seed, test.operations[0].name,
                     text_string(&text), kept ? "kept" : "broken");
        }
    }
    contract_release(&contract);
    spec_destroy(spec);
    value_pool_destroy(pool);
    assert_int_equal(budget.used, 0);
}

static struct seeds seeds = {1, 200};

static void what_no_order_explains_is_left_out(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
            compare(&objects[i], seed);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_no_order_explains_is_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
