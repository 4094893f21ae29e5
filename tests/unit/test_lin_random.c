/* Random implementations in `.lin`: the answer must not depend on the reductions, and must be that
 * of every history of the model as it stands, given to an oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interning.h"
#include "lang/bytecode.h"
#include "lang/lin_check.h"
#include "property/lin_assertion.h"
#include "property/lin_instance.h"
#include "support/lin_random.h"
#include "support/oracle.h"

#define MOST_WORK   3000 /* steps of a product; larger ones are left out */
#define MOST_RUNS   2500 /* pairs of a state and the history to it, that are enumerated */
#define MOST_EVENTS 24

enum verdict {
    VERDICT_HOLDS,
    VERDICT_VIOLATED,
    VERDICT_UNDECIDED, /* a pool ran out */
    VERDICT_MODEL_ERROR,
    VERDICT_TOO_LARGE,
    VERDICT_WRONG_TEXT,
    VERDICT_INTERNAL,
};

static const char *const verdict_names[] = {"holds",     "violated",   "undecided", "model error",
                                            "too large", "wrong text", "internal"};

struct fixture {
    struct budget budget;
    struct value_pool *pool;
    struct arena arena;
    struct script script;
    struct lin_module module;
    struct error error;
    bool parsed;
};

static void fixture_open(struct fixture *fixture, const char *text)
{
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, (size_t)1 << 30);
    fixture->pool = value_pool_create(&fixture->budget);
    arena_init(&fixture->arena, &fixture->budget);
    fixture->parsed = script_from_text("random.lin", text, strlen(text), &fixture->arena,
                                       &fixture->script, &fixture->error) == STATUS_OK &&
                      lin_parse(&fixture->script, &fixture->arena, &fixture->module,
                                &fixture->error) == STATUS_OK &&
                      lin_check(&fixture->module, &fixture->error) == STATUS_OK &&
                      fixture->module.assertions.length > 0;
}

static void fixture_close(struct fixture *fixture)
{
    lin_module_release(&fixture->module);
    arena_release(&fixture->arena);
    value_pool_destroy(fixture->pool);
    assert_int_equal(fixture->budget.used, 0);
}

/* ---- the engine ---- */

static enum verdict decide(struct fixture *fixture, size_t number, reductions used)
{
    struct limits limits;
    struct assertion_result result;
    limits_init(&limits, &fixture->budget);
    limits.most_work = MOST_WORK;
    struct assertion_options options = {.reductions = used, .limits = &limits};
    assertion_result_init(&result, &fixture->budget);
    enum status status =
        lin_assertion_decide(&fixture->module, &fixture->module.assertions.items[number],
                             fixture->pool, &options, &result, &fixture->error);
    enum verdict verdict = VERDICT_INTERNAL;
    if (status == STATUS_INPUT)
        verdict = strstr(fixture->error.message, "the model's promise") ? VERDICT_MODEL_ERROR
                                                                        : VERDICT_WRONG_TEXT;
    else if (status == STATUS_OK && result.answer == HOLDS)
        verdict = VERDICT_HOLDS;
    else if (status == STATUS_OK && result.answer == VIOLATED)
        verdict = VERDICT_VIOLATED;
    else if (status == STATUS_OK)
        verdict = result.limit == LIMIT_NONE ? VERDICT_UNDECIDED : VERDICT_TOO_LARGE;
    assertion_result_release(&result);
    return verdict;
}

/* ---- the enumeration ---- */

struct enumeration {
    struct fixture *fixture;
    const struct spec *spec;
    struct labels *labels;
    struct lin_model *model;
    struct word_arrays runs;      /* a state, then the labels of the history that led to it */
    struct word_arrays histories; /* those that were looked at */
};

static value component_value(uint32_t slot)
{
    if (slot == SLOT_FALSE || slot == SLOT_TRUE)
        return value_boolean(slot == SLOT_TRUE);
    return value_small((int32_t)slot);
}

/* Binds an operation from its labels; `answer` 0: it is pending. */
static struct call bind(const struct enumeration *all, label call, label answer)
{
    size_t count;
    const uint32_t *components = labels_components(all->labels, call, &count);
    const char *name = labels_name(all->labels, call) + 4;
    int operation = spec_operation_find(all->spec->class, name, strlen(name));
    assert_true(operation >= 0 && count <= 2);
    struct recorded recorded = {.process = components[0], .completed = answer != 0};
    if (count == 2)
        recorded.argument = component_value(components[1]);
    if (answer) {
        const char *symbol = strchr(labels_name(all->labels, answer), '=');
        components = labels_components(all->labels, answer, &count);
        if (count == 2)
            recorded.result = component_value(components[1]);
        if (symbol)
            recorded.result =
                value_text(all->fixture->pool, KIND_SYMBOL, symbol + 1, strlen(symbol + 1));
        recorded.result_recorded = all->spec->class->operations[operation].result[0] != 0;
    }
    struct call bound;
    struct text complaint = TEXT_EMPTY;
    if (spec_bind(all->spec, (uint16_t)operation, &recorded, &bound, &complaint) != STATUS_OK)
        fail_msg("%s", text_string(&complaint));
    text_release(&complaint);
    return bound;
}

static bool history_is_right(const struct enumeration *all, const uint32_t *events, size_t count)
{
    struct interval intervals[MOST_EVENTS];
    struct part part = {.spec = all->spec, .intervals = intervals, .positions = (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        size_t ignored, j = i + 1;
        if (strncmp(labels_name(all->labels, events[i]), "inv.", 4) != 0)
            continue;
        uint32_t thread = labels_components(all->labels, events[i], &ignored)[0];
        while (j < count && labels_components(all->labels, events[j], &ignored)[0] != thread)
            j++;
        intervals[part.count] = (struct interval){
            .call = bind(all, events[i], j < count ? events[j] : 0),
            .invoke = (uint32_t)i,
            .response = j < count ? (uint32_t)j : POSITION_NEVER,
            .index = part.count,
        };
        part.count++;
        part.pending += j == count;
    }
    return oracle_linearizable(&part);
}

static bool intern(struct word_arrays *arrays, const uint32_t *words, size_t count)
{
    bool fresh;
    assert_true(word_arrays_intern(arrays, words, count, &fresh) != UINT32_MAX);
    return fresh;
}

/* Takes the steps of one run further by one; VERDICT_HOLDS so far. */
static enum verdict extend(struct enumeration *all, const uint32_t *run, size_t length,
                           struct successors *next)
{
    uint32_t slots = all->model->model.slots, words[1024 + MOST_EVENTS];
    successors_clear(next);
    if (all->model->model.class->successors(&all->model->model, run, next, &all->fixture->error) !=
        STATUS_OK)
        return VERDICT_MODEL_ERROR;
    for (size_t i = 0; i < next->steps.length; i++) {
        label l = next->steps.items[i].label;
        size_t count = length;
        if (l == all->model->fault)
            return VERDICT_VIOLATED;
        assert_true(length < ARRAY_LENGTH(words));
        memcpy(words, next->states.items + i * slots, slots * sizeof *words);
        memcpy(words + slots, run + slots, (length - slots) * sizeof *words);
        if (l != LABEL_TAU)
            words[count++] = l;
        intern(&all->runs, words, count);
        if (l != LABEL_TAU && intern(&all->histories, words + slots, count - slots) &&
            !history_is_right(all, words + slots, count - slots))
            return VERDICT_VIOLATED;
    }
    return VERDICT_HOLDS;
}

static enum verdict enumerate_runs(struct enumeration *all)
{
    struct successors next;
    uint32_t run[1024 + MOST_EVENTS];
    uint32_t slots = all->model->model.slots;
    successors_init(&next, &all->fixture->budget);
    enum verdict verdict = VERDICT_HOLDS;
    if (slots > 1024)
        verdict = VERDICT_TOO_LARGE;
    else if (all->model->model.class->initial(&all->model->model, &next, &all->fixture->error) !=
             STATUS_OK)
        verdict = VERDICT_WRONG_TEXT;
    for (size_t i = 0; verdict == VERDICT_HOLDS && i < next.steps.length; i++)
        intern(&all->runs, next.states.items + i * slots, slots);
    for (uint32_t i = 0; verdict == VERDICT_HOLDS && i < all->runs.items.length; i++) {
        size_t length;
        const uint32_t *words = word_arrays_get(&all->runs, i, &length);
        memcpy(run, words, length * sizeof *run);
        verdict = i < MOST_RUNS ? extend(all, run, length, &next) : VERDICT_TOO_LARGE;
    }
    if (verdict == VERDICT_HOLDS && all->model->exhausted)
        verdict = VERDICT_UNDECIDED;
    successors_release(&next);
    return verdict;
}

/* The answer by definition: every history of the unfused model, each decided on its own. */
static enum verdict enumerate(struct fixture *fixture, size_t number)
{
    const struct lin_fusion nothing = {0};
    struct lin_instance instance;
    struct labels *labels = labels_create(&fixture->budget);
    enum status status =
        lin_instance_open(&instance, &fixture->module, &fixture->module.assertions.items[number],
                          &nothing, labels, fixture->pool, &fixture->budget, &fixture->error);
    struct enumeration all = {
        .fixture = fixture, .spec = instance.spec, .labels = labels, .model = &instance.model};
    word_arrays_init(&all.runs, &fixture->budget);
    word_arrays_init(&all.histories, &fixture->budget);
    enum verdict verdict = status == STATUS_OK ? enumerate_runs(&all) : VERDICT_WRONG_TEXT;
    word_arrays_release(&all.runs);
    word_arrays_release(&all.histories);
    lin_instance_close(&instance);
    labels_destroy(labels);
    return verdict;
}

/* ---- the comparison ---- */

static const reductions all_sets[] = {REDUCE_INTERVALS, REDUCE_PARTIAL_ORDER,
                                      REDUCE_SLICE,     REDUCE_ANTICHAIN,
                                      REDUCE_SYMMETRY,  REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER,
                                      REDUCE_DEFAULT};

static struct tally {
    unsigned verdicts[VERDICT_INTERNAL + 1], others[VERDICT_INTERNAL + 1], enumerated;
} tally;

static unsigned refused(void)
{
    return tally.verdicts[VERDICT_WRONG_TEXT] + tally.others[VERDICT_WRONG_TEXT];
}

static bool is_answer(enum verdict verdict)
{
    return verdict == VERDICT_HOLDS || verdict == VERDICT_VIOLATED || verdict == VERDICT_INTERNAL;
}

/* Whether two answers contradict each other; a limit and a fault of the model say nothing. */
static bool contradicts(enum verdict one, enum verdict other)
{
    return is_answer(one) && is_answer(other) && one != other;
}

/* True and a message if someone contradicts the full product on one assertion. */
static bool differs_on(struct fixture *fixture, size_t number, struct text *message)
{
    bool found = false,
         linearizes = fixture->module.assertions.items[number].property == LIN_LINEARIZES;
    enum verdict full = decide(fixture, number, REDUCE_NONE);
    (linearizes ? tally.verdicts : tally.others)[full]++;
    if (full == VERDICT_WRONG_TEXT)
        text_format(message, "%u: %s", fixture->error.line, fixture->error.message);
    size_t first = linearizes ? 0 : ARRAY_LENGTH(all_sets) - 1;
    for (size_t i = first; is_answer(full) && !found && i < ARRAY_LENGTH(all_sets); i++) {
        enum verdict reduced = decide(fixture, number, all_sets[i]);
        found = contradicts(full, reduced) || reduced == VERDICT_INTERNAL;
        if (found)
            text_format(message,
                        "assertion %zu: the full product %s, with reductions %x it is %s: %s",
                        number, verdict_names[full], all_sets[i], verdict_names[reduced],
                        fixture->error.message);
    }
    if (found || !is_answer(full) || !linearizes)
        return found;
    enum verdict defined = enumerate(fixture, number);
    tally.enumerated += is_answer(defined);
    if (contradicts(full, defined))
        text_format(message, "the full product %s, its histories say %s", verdict_names[full],
                    verdict_names[defined]);
    return contradicts(full, defined);
}

static bool differs(const char *text, struct text *message)
{
    struct fixture fixture;
    bool found = false;
    fixture_open(&fixture, text);
    if (!fixture.parsed) {
        tally.verdicts[VERDICT_WRONG_TEXT]++;
        text_format(message, "%u: %s", fixture.error.line, fixture.error.message);
    }
    for (size_t i = 0; fixture.parsed && !found && i < fixture.module.assertions.length; i++)
        found = differs_on(&fixture, i, message);
    fixture_close(&fixture);
    return found;
}

static bool still_differs(void *context, const char *text)
{
    struct text message = TEXT_EMPTY;
    (void)context;
    bool found = differs(text, &message);
    text_release(&message);
    return found;
}

static uint64_t first_seed = 1;
static unsigned program_count = 1000;

static void answers_are_those_of_the_histories(void **unused)
{
    (void)unused;
    for (uint64_t seed = first_seed; seed < first_seed + program_count; seed++) {
        struct text text = TEXT_EMPTY, message = TEXT_EMPTY;
        unsigned before = refused();
        lin_random_print(seed, &text);
        bool found = differs(text_string(&text), &message);
        if (found) {
            lin_random_shrink(&text, still_differs, NULL);
            text_clear(&message);
            (void)differs(text_string(&text), &message);
        }
        if (found || refused() > before)
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, text_string(&message),
                     text_string(&text));
        text_release(&message);
        text_release(&text);
    }
    /* assertions that it linearizes + others */
    print_message("seeds %llu to %llu:", (unsigned long long)first_seed,
                  (unsigned long long)(first_seed + program_count - 1));
    for (size_t i = 0; i < ARRAY_LENGTH(verdict_names); i++)
        print_message(" %u+%u %s,", tally.verdicts[i], tally.others[i], verdict_names[i]);
    print_message(" %u enumerated\n", tally.enumerated);
    assert_true(tally.verdicts[VERDICT_HOLDS] > program_count / 8);
    assert_true(tally.verdicts[VERDICT_VIOLATED] > program_count / 8);
    assert_true(tally.enumerated > program_count / 2);
}

int main(void)
{
    const char *count = getenv("LINCHPIN_RANDOM_PROGRAMS"), *seed = getenv("LINCHPIN_RANDOM_SEED");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_histories),
    };
    program_count = count ? (unsigned)strtoul(count, NULL, 10) : program_count;
    first_seed = seed ? strtoull(seed, NULL, 10) : first_seed;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
