/* How often operations complete within the nodes that there are, on random implementations: against
 * a walk that counts each return of an operation as part of the state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/interning.h"
#include "support/any_random.h"
#include "support/lin_fixture.h"
#include "support/seeds.h"
#include "verify/lin_completions.h"
#include "verify/lin_instance_open.h"

#define MOST_COUNTED 12 /* more often than that any of these programs could with its nodes */
#define MOST_STATES  60000
#define MOST_SLOTS   256

static struct tally {
    unsigned compared, unlimited, limited, lacking;
} tally;

/* Whether a step is a return of that operation. */
static bool returns(const struct labels *labels, label l, const char *operation)
{
    const struct action *action = labels_get(labels, l);
    return action->kind == LABEL_RESPOND && strcmp(action->name, operation) == 0;
}

/* The most returns of the operation on any path of one thread; -1: there are too many states, or
 * the model is wrong. */
static int most_returns(const struct lin_model *lin, const char *operation)
{
    const struct model *model = &lin->model;
    struct worker *worker = worker_create(model);
    struct word_arrays seen;
    struct successors out;
    struct error error;
    uint32_t words[MOST_SLOTS + 1];
    size_t count = model->slots + (size_t)1;
    int most = 0;
    enum status status = model->slots <= MOST_SLOTS ? STATUS_OK : STATUS_LIMIT;
    word_arrays_init(&seen, model->budget);
    successors_init(&out, model->budget);
    if (status == STATUS_OK)
        status = worker ? worker_initial(worker, &out, &error) : STATUS_LIMIT;
    for (uint32_t next = 0; status == STATUS_OK; next++) {
        for (size_t i = 0; i < out.steps.length; i++) {
            bool counts = next > 0 && returns(model->labels, out.steps.items[i].label, operation);
            uint32_t before = next > 0 ? words[model->slots] : 0;
            uint32_t after[MOST_SLOTS + 1];
            memcpy(after, out.states.items + i * model->slots, model->slots * sizeof *after);
            after[model->slots] = before + (counts && before < MOST_COUNTED);
            most = (int)after[model->slots] > most ? (int)after[model->slots] : most;
            assert_int_not_equal(word_arrays_intern(&seen, after, count, NULL), UINT32_MAX);
        }
        if (next == seen.items.length)
            break;
        memcpy(words, word_arrays_get(&seen, next, &count), count * sizeof *words);
        successors_clear(&out);
        status = seen.items.length > MOST_STATES ? STATUS_LIMIT
                                                 : worker_successors(worker, words, &out, &error);
    }
    word_arrays_release(&seen);
    successors_release(&out);
    worker_destroy(worker);
    return status == STATUS_OK ? most : -1;
}

static void append_count(int count, struct text *text)
{
    if (count == MOST_COUNTED)
        text_append(text, "any number of times");
    else if (count < 2)
        text_append(text, count ? "once" : "never");
    else
        text_format(text, "%d times", count);
}

/* What is to be said of the program; "" if that is not known. */
static void describe(struct lin_fixture *fixture, struct text *said, bool *seldom)
{
    static const struct lin_options nothing;
    const struct lin_bounds bounds = {.threads = 1, .operations = -1, .values = 1};
    struct lin_instance instance;
    struct labels *labels = labels_create(&fixture->budget);
    bool small = true;
    assert_int_equal(lin_instance_open_bounded(
                         &instance, &fixture->module, &fixture->module.assertions.items[0], &bounds,
                         &nothing, labels, fixture->pool, &fixture->limits, &fixture->error),
                     STATUS_OK);
    uint32_t count = instance.steps.object->operation_count;
    for (uint32_t i = 0; i < count && small; i++) {
        const char *name = instance.steps.entries[i].operation->name;
        int most = most_returns(&instance.model, name);
        small = most >= 0 && instance.steps.entries[i].only <= 0; /* there is one thread */
        *seldom |= most < 2;
        tally.unlimited += most == MOST_COUNTED;
        tally.limited += most < MOST_COUNTED;
        text_append(said, i == 0 ? "" : i + 1 < count ? ", " : " and ");
        text_format(said, i == 0 ? "`%s` can complete " : "`%s` ", name);
        append_count(most, said);
    }
    if (!small)
        text_clear(said);
    lin_instance_close(&instance);
    labels_destroy(labels);
}

static void compare(struct lin_fixture *fixture, const char *text, uint64_t seed)
{
    static const struct lin_options nothing;
    struct limits limits;
    struct lin_instance instance;
    struct lin_completions found;
    struct text said = TEXT_EMPTY;
    struct labels *labels = labels_create(&fixture->budget);
    bool seldom = false;
    limits_init(&limits, &fixture->budget);
    const struct assertion_options options = {.limits = &limits};
    if (lin_instance_open(&instance, &fixture->module, &fixture->module.assertions.items[0],
                          &nothing, labels, fixture->pool, &fixture->limits,
                          &fixture->error) == STATUS_OK) {
        describe(fixture, &said, &seldom);
        enum status status = lin_completions_count(&instance, &options, &found, &fixture->error);
        if (found.takes_nodes && said.length > 0) {
            assert_int_equal(status, STATUS_OK);
            tally.compared++;
            tally.lacking += found.lacking.length > 0;
            if (strcmp(text_string(&found.said), text_string(&said)) != 0 ||
                (found.lacking.length > 0 && !seldom))
                fail_msg("seed %llu: %s, but %s, lacking %s\n%s", (unsigned long long)seed,
                         text_string(&said), text_string(&found.said), text_string(&found.lacking),
                         text);
        }
        lin_completions_release(&found);
    }
    lin_instance_close(&instance);
    labels_destroy(labels);
    text_release(&said);
}

static void look_at(uint64_t seed)
{
    struct any_program program;
    struct lin_fixture fixture;
    any_random_create(&program, seed);
    if (program.nodes) {
        text_format(&program.text, "assert it linearizes %s with threads = any, nodes = %u;\n",
                    program.spec, 1 + (unsigned)(seed % 3));
        if (lin_fixture_open(&fixture, text_string(&program.text)))
            compare(&fixture, text_string(&program.text), seed);
        lin_fixture_close(&fixture);
        assert_int_equal(fixture.budget.used, 0);
    }
    any_random_release(&program);
}

static struct seeds seeds = {.first = 1, .count = 1500};

static void completions_are_what_a_walk_counts(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        look_at(seed);
    print_message("%u compared, %u without limit, %u with, %u lack some\n", tally.compared,
                  tally.unlimited, tally.limited, tally.lacking);
    assert_true(tally.compared > seeds.count / 50);
    assert_true(tally.unlimited > seeds.count / 50 && tally.limited > seeds.count / 50);
    assert_true(tally.lacking > 0);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completions_are_what_a_walk_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
