/* Several threads, each with a worker of its own, compute with one model at the same time: each of
 * them gets, state for state, the same bits as a worker alone. Also built with the thread
 * sanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "lin/check.h"
#include "lin/parser.h"
#include "space/state_table.h"
#include "value/value.h"
#include "verify/lin_any_setting.h"
#include "verify/lin_instance_open.h"

#define THREADS     3
#define MOST_STATES 300

/* All that a worker says of the states of a model, breadth first: for each the facts, and of each
 * step its words and those of the state behind it. */
struct account {
    const struct model *model;
    pthread_barrier_t *start; /* null: at once */
    VECTOR(uint32_t) words;
    struct error error;
    enum status status;
};

static void note(struct account *account, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!vector_push(&account->words, words[i]))
            account->status = STATUS_LIMIT;
}

static void note_successors(struct account *account, const struct successors *out)
{
    const size_t slots = account->model->slots;
    const uint32_t facts[] = {(uint32_t)out->steps.length, (uint32_t)out->waiting,
                              (uint32_t)out->starving, out->exhausted, out->fault[0] != 0};
    note(account, facts, ARRAY_LENGTH(facts));
    for (size_t i = 0; i < out->steps.length; i++) {
        const struct step *step = &out->steps.items[i];
        const uint32_t words[] = {step->label, step->shown, step->process, step->preempts,
                                  (uint32_t)step->processes};
        note(account, words, ARRAY_LENGTH(words));
        note(account, out->states.items + i * slots, slots);
    }
}

/* Stores the states behind the steps, as who searches does. */
static void take_up(struct account *account, struct worker *worker, struct state_table *states,
                    struct successors *out)
{
    for (size_t i = 0; i < out->steps.length && account->status == STATUS_OK; i++) {
        uint32_t *state = out->states.items + i * account->model->slots;
        bool fresh;
        account->status = worker_represent(worker, state, &account->error);
        if (state_table_intern(states, state, &fresh) == STATE_REFUSED)
            account->status = STATUS_LIMIT;
    }
}

static void explore_states(struct account *account, struct worker *worker)
{
    const struct model *model = account->model;
    uint32_t *state = memory_zeroed(model->budget, model->slots * sizeof *state);
    struct state_table states;
    struct successors out;
    state_table_init(&states, model->budget, model->slots, model->identity_slots);
    successors_init(&out, model->budget);
    account->status = worker_initial(worker, &out, &account->error);
    note_successors(account, &out);
    take_up(account, worker, &states, &out);
    for (state_id next = 0;
         account->status == STATUS_OK && next < states.count && next < MOST_STATES; next++) {
        state_table_read(&states, next, state);
        successors_clear(&out);
        account->status = worker_successors(worker, state, &out, &account->error);
        note_successors(account, &out);
        take_up(account, worker, &states, &out);
    }
    successors_release(&out);
    state_table_release(&states);
    memory_release(model->budget, state, model->slots * sizeof *state);
}

static void *give_account(void *self)
{
    struct account *account = self;
    struct worker *worker = worker_create(account->model);
    if (account->start)
        pthread_barrier_wait(account->start);
    account->status = STATUS_LIMIT;
    if (worker)
        explore_states(account, worker);
    worker_destroy(worker);
    return NULL;
}

/* The threads go first, when nothing has been interned yet. */
static void expect_same_bits(const struct model *model)
{
    struct account accounts[THREADS + 1];
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (size_t i = 0; i <= THREADS; i++) {
        accounts[i] = (struct account){.model = model, .start = i < THREADS ? &start : NULL};
        vector_init(&accounts[i].words, model->budget);
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, give_account, &accounts[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    const struct account *alone = &accounts[THREADS];
    give_account(&accounts[THREADS]);
    assert_true(alone->status == STATUS_OK || alone->status == STATUS_INPUT);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(accounts[i].status, alone->status);
        assert_int_equal(accounts[i].words.length, alone->words.length);
        assert_memory_equal(accounts[i].words.items, alone->words.items,
                            alone->words.length * sizeof *alone->words.items);
    }
    for (size_t i = 0; i <= THREADS; i++)
        vector_release(&accounts[i].words);
    pthread_barrier_destroy(&start);
}

/* ---- .lin ---- */

struct lin_text {
    struct budget budget;
    struct limits limits;
    struct value_pool *pool;
    struct arena arena;
    struct script script;
    struct lin_module module;
    struct error error;
};

static void open_text(struct lin_text *text, const char *name)
{
    char path[500];
    snprintf(path, sizeof path, "%s/examples/models/%s", SOURCE_DIR, name);
    *text = (struct lin_text){0};
    budget_init(&text->budget, NULL, 0);
    limits_init(&text->limits, &text->budget);
    text->pool = value_pool_create(&text->budget);
    arena_init(&text->arena, &text->budget);
    assert_int_equal(script_read(path, &text->arena, &text->limits, &text->script, &text->error),
                     STATUS_OK);
    assert_int_equal(lin_parse(&text->script, &text->arena, &text->module, &text->error),
                     STATUS_OK);
    assert_int_equal(lin_check(&text->module, &text->error), STATUS_OK);
}

static void close_text(struct lin_text *text)
{
    lin_module_release(&text->module);
    arena_release(&text->arena);
    value_pool_destroy(text->pool);
    assert_int_equal(text->budget.used, 0);
}

/* Of an assertion, both sides where both are models. */
static void expand_assertion(struct lin_text *text, const struct lin_assertion *assertion,
                             const struct lin_options *options)
{
    static const struct lin_bounds few = {.threads = 2, .operations = -1, .values = 2};
    struct lin_instance instance, other;
    struct labels *labels = labels_create(&text->budget);
    assert_int_equal(lin_instance_open_bounded(&instance, &text->module, assertion,
                                               lin_assertion_is_any(assertion) ? &few : NULL,
                                               options, labels, text->pool, &text->limits,
                                               &text->error),
                     STATUS_OK);
    expect_same_bits(instance.reduced);
    if (assertion->property == LIN_REFINES) {
        assert_int_equal(lin_instance_open_specification(&other, &instance, options), STATUS_OK);
        expect_same_bits(other.reduced);
        lin_instance_close(&other);
    }
    lin_instance_close(&instance);
    labels_destroy(labels);
}

static void lin_models_are_shared(void **state)
{
    static const char *const names[] = {"treiber.lin", "ms_queue.lin", "barrier.lin",
                                        "programs.lin"};
    static const struct lin_options sets[] = {
        {.names = true},
        {.forget = true},
        {.write_once = true},
        {.intervals = true,
         .local = true,
         .write_once = true,
         .symmetry = true,
         .values = true,
         .forget = true},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        struct lin_text text;
        open_text(&text, names[i]);
        for (size_t j = 0; j < text.module.assertions.length; j++)
            for (size_t k = 0; k < ARRAY_LENGTH(sets); k++)
                expand_assertion(&text, &text.module.assertions.items[j], &sets[k]);
        close_text(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lin_models_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
