/* The orders in which clients call: of random orders, the sequences of calls that a thread of a
 * model makes are those that the orders allow, each found on its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "support/lin_fixture.h"
#include "support/seeds.h"
#include "verify/lin_instance_open.h"

#define OPERATIONS  5 /* a to e */
#define MOST_ORDERS 3
#define MOST_NAMES  3
#define CALLS       4
#define WORDS       625 /* of CALLS letters */

struct orders {
    char names[MOST_ORDERS][MOST_NAMES + 1];
    unsigned count;
};

static void make_orders(uint64_t seed, struct orders *orders)
{
    struct random random;
    random_seed(&random, seed);
    *orders = (struct orders){.count = random_below(&random, MOST_ORDERS + 1)};
    for (unsigned i = 0; i < orders->count; i++) {
        unsigned length = 1 + random_below(&random, MOST_NAMES);
        for (unsigned j = 0; j < length; j++)
            orders->names[i][j] = (char)('a' + random_below(&random, OPERATIONS));
    }
}

static void print_text(const struct orders *orders, struct text *text)
{
    text_append(text, "spec s { ");
    for (unsigned i = 0; i < orders->count; i++) {
        text_append(text, "client ");
        for (const char *name = orders->names[i]; *name; name++)
            text_format(text, "%s%c", name == orders->names[i] ? "" : ", ", *name);
        text_append(text, "; ");
    }
    for (char name = 'a'; name < 'a' + OPERATIONS; name++)
        text_format(text, "op %c() { return ok; } ", name);
    text_append(text, "} impl i { ");
    for (char name = 'a'; name < 'a' + OPERATIONS; name++)
        text_format(text, "op %c() { return ok; } ", name);
    text_format(text, "} assert i linearizes s with threads = 1, ops = %d;", CALLS);
}

/* Whether a client can make these calls when it is in the rest of an order; "": in none. */
static bool is_allowed(const struct orders *orders, const char *rest, const char *calls)
{
    if (!*calls)
        return true;
    bool allowed = false, free = true;
    for (unsigned i = 0; i < orders->count; i++) {
        free &= !strchr(orders->names[i], *calls);
        if (!*rest && orders->names[i][0] == *calls)
            allowed |= is_allowed(orders, orders->names[i] + 1, calls + 1);
    }
    if (*rest && *rest == *calls)
        allowed |= is_allowed(orders, rest + 1, calls + 1);
    return allowed || (free && is_allowed(orders, rest, calls + 1));
}

struct walk {
    struct lin_instance *instance;
    struct worker *worker;
    bool made[WORDS];
};

/* Takes all steps from a state; the calls so far are a number with OPERATIONS digits. */
static void walk_on(struct walk *walk, const uint32_t *state, unsigned calls, unsigned count)
{
    struct successors out;
    struct error error;
    const uint32_t slots = walk->instance->model.model.slots;
    successors_init(&out, walk->instance->budget);
    assert_int_equal(worker_successors(walk->worker, state, &out, &error), STATUS_OK);
    if (count == CALLS)
        walk->made[calls] = true;
    for (size_t i = 0; i < out.steps.length && count < CALLS; i++) {
        const struct action *action = labels_get(walk->instance->labels, out.steps.items[i].label);
        bool is_call = action->kind == LABEL_INVOKE;
        walk_on(walk, out.states.items + i * slots,
                is_call ? calls * OPERATIONS + (unsigned)(action->name[0] - 'a') : calls,
                count + is_call);
    }
    successors_release(&out);
}

static void check_orders(uint64_t seed)
{
    const struct lin_options nothing = {0};
    struct orders orders;
    struct text text = TEXT_EMPTY;
    struct lin_fixture fixture;
    struct lin_instance instance;
    struct successors initial;
    make_orders(seed, &orders);
    print_text(&orders, &text);
    if (!lin_fixture_open(&fixture, text_string(&text)))
        fail_msg("%s", fixture.error.message);
    struct labels *labels = labels_create(&fixture.budget);
    if (lin_instance_open(&instance, &fixture.module, &fixture.module.assertions.items[0], &nothing,
                          labels, fixture.pool, &fixture.limits, &fixture.error) != STATUS_OK)
        fail_msg("%s", fixture.error.message);
    struct walk walk = {.instance = &instance, .worker = worker_create(&instance.model.model)};
    successors_init(&initial, &fixture.budget);
    assert_int_equal(worker_initial(walk.worker, &initial, &fixture.error), STATUS_OK);
    walk_on(&walk, initial.states.items, 0, 0);
    for (unsigned word = 0; word < WORDS; word++) {
        char calls[CALLS + 1] = "";
        for (unsigned i = CALLS, left = word; i-- > 0; left /= OPERATIONS)
            calls[i] = (char)('a' + left % OPERATIONS);
        if (is_allowed(&orders, "", calls) != walk.made[word])
            fail_msg("seed %llu: %s is %s\n%s", (unsigned long long)seed, calls,
                     walk.made[word] ? "called" : "not called", text_string(&text));
    }
    successors_release(&initial);
    worker_destroy(walk.worker);
    lin_instance_close(&instance);
    labels_destroy(labels);
    lin_fixture_close(&fixture);
    assert_int_equal(fixture.budget.used, 0);
    text_release(&text);
}

static struct seeds seeds = {.first = 1, .count = 150};

static void threads_call_in_the_orders_of_the_specification(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        check_orders(seed);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_call_in_the_orders_of_the_specification),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
