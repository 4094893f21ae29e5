/* Random implementations in `.lin`: the answer must not depend on the reductions, and must be that
 * of every history of the model as it stands, given to an oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/interning.h"
#include "code/word.h"
#include "support/grammar.h"
#include "support/lin_random.h"
#include "support/lin_random_pure.h"
#include "support/lin_random_write_once.h"
#include "support/lin_verdicts.h"
#include "support/oracle.h"
#include "support/seeds.h"
#include "verify/lin_instance_open.h"

#define MOST_WORK   3000 /* steps of a product; larger ones are left out */
#define MOST_RUNS   2500 /* pairs of a state and the history to it, that are enumerated */
#define MOST_EVENTS 24

static enum verdict decide(struct lin_fixture *fixture, size_t number, reductions used)
{
    return lin_verdict(fixture, number, used, MOST_WORK);
}

/* ---- the enumeration ---- */

struct enumeration {
    struct lin_fixture *fixture;
    const struct spec *spec;
    struct labels *labels;
    const struct lin_model *model;
    struct worker *worker;        /* of the model */
    bool exhausted;               /* a pool of default size ran out */
    struct word_arrays runs;      /* a state, then the labels of the history that led to it */
    struct word_arrays histories; /* those that were looked at */
    bool goes_on;                 /* after something wrong, to see all that can go wrong: */
    bool violates, misplaces;     /* a specification that cannot follow or a fault; a point */
};

static value component_value(uint32_t slot)
{
    if (slot == SLOT_FALSE || slot == SLOT_TRUE)
        return value_boolean(slot == SLOT_TRUE);
    return value_small((int32_t)slot);
}

/* An answer of several words. */
static value list_value(const struct enumeration *all, const uint32_t *components, uint32_t count)
{
    value items[MOST_EVENTS];
    assert_true(count <= ARRAY_LENGTH(items));
    for (uint32_t i = 0; i < count; i++)
        items[i] = components[i] == COMPONENT_NULL ? VALUE_NIL : component_value(components[i]);
    return value_list(all->fixture->pool, items, count);
}

static int operation_of(const struct enumeration *all, label l)
{
    const char *name = labels_get(all->labels, l)->name;
    return spec_operation_find(all->spec->class, name, strlen(name));
}

/* Binds an operation from its labels; `answer` 0: it is pending. */
static struct call bind(const struct enumeration *all, label call, label answer)
{
    const struct action *called = labels_get(all->labels, call);
    int operation = operation_of(all, call);
    assert_true(operation >= 0 && called->count <= 2);
    struct recorded recorded = {.process = called->components[0], .completed = answer != 0};
    if (called->count == 2)
        recorded.argument = component_value(called->components[1]);
    if (answer) {
        const struct action *answered = labels_get(all->labels, answer);
        const char *symbol = answered->symbol;
        if (answered->count == 2)
            recorded.result = component_value(answered->components[1]);
        if (answered->count > 2)
            recorded.result = list_value(all, answered->components + 1, answered->count - 1);
        if (symbol)
            recorded.result = value_text(all->fixture->pool, KIND_SYMBOL, symbol, strlen(symbol));
        recorded.result_recorded = all->spec->class->operations[operation].result[0] != 0;
    }
    struct call bound;
    struct text complaint = TEXT_EMPTY;
    if (spec_bind(all->spec, (uint16_t)operation, &recorded, &bound, &complaint) != STATUS_OK)
        fail_msg("%s", text_string(&complaint));
    text_release(&complaint);
    return bound;
}

/* ---- the definition of linearization points ----
 *
 * The operations of a run are the specification's, one after the other in the order of their
 * points; what a point says and what is returned must be what the specification answers. */

#define MOST_TALKERS 4 /* threads */

struct follower {
    const struct enumeration *all;
    const uint32_t *events;
    size_t count;
    label calls[MOST_TALKERS];
    value answers[MOST_TALKERS];
};

/* Whether a point or a response says that the operation answers so. */
static bool says(const struct follower *follower, label l, value answer)
{
    const struct enumeration *all = follower->all;
    const struct action *action = labels_get(all->labels, l);
    uint32_t called = 1;
    if (!all->spec->class->operations[operation_of(all, l)].result[0])
        return true;
    if (action->kind == LABEL_POINT)
        called = labels_get(all->labels, follower->calls[action->components[0]])->count;
    value said =
        action->count > called ? component_value(action->components[action->count - 1]) : VALUE_NIL;
    if (action->symbol && action->symbol[0] == '?')
        return true;
    if (action->symbol)
        said = value_text(all->fixture->pool, KIND_SYMBOL, action->symbol, strlen(action->symbol));
    return said == answer;
}

/* Whether the specification can go on so from before event `at`, in this state. */
static bool follows(struct follower *follower, size_t at, const uint64_t *words, size_t length)
{
    const struct enumeration *all = follower->all;
    if (at == follower->count)
        return true;
    label l = follower->events[at];
    const struct action *action = labels_get(all->labels, l);
    uint32_t thread = action->components[0];
    assert_true(thread < MOST_TALKERS);
    if (action->kind == LABEL_INVOKE) {
        follower->calls[thread] = l;
        return follows(follower, at + 1, words, length);
    }
    if (action->kind == LABEL_RESPOND)
        return says(follower, l, follower->answers[thread]) &&
               follows(follower, at + 1, words, length);
    struct call call = bind(all, follower->calls[thread], 0);
    struct follower before = *follower;
    struct outcomes outcomes;
    bool follow = false;
    outcomes_init(&outcomes, NULL);
    assert_true(all->spec->class->step(all->spec, words, length, &call, &outcomes));
    for (size_t i = 0; i < outcomes.items.length && !follow; i++) {
        const struct outcome *outcome = &outcomes.items.items[i];
        *follower = before;
        follower->answers[thread] = outcome->result;
        follow = says(follower, l, outcome->result) &&
                 follows(follower, at + 1, outcomes.words.items + outcome->start, outcome->length);
    }
    outcomes_release(&outcomes);
    return follow;
}

static bool points_are_right(const struct enumeration *all, const uint32_t *events, size_t count)
{
    struct follower follower = {.all = all, .events = events, .count = count};
    struct outcomes initial;
    outcomes_init(&initial, NULL);
    assert_true(all->spec->class->init(all->spec, VALUE_NIL, &initial));
    bool right = follows(&follower, 0, initial.words.items, initial.items.items[0].length);
    outcomes_release(&initial);
    return right;
}

/* ---- histories ---- */

static bool history_is_right(const struct enumeration *all, const uint32_t *events, size_t count)
{
    struct interval intervals[MOST_EVENTS];
    struct part part = {.spec = all->spec, .intervals = intervals, .positions = (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        size_t j = i + 1;
        const struct action *action = labels_get(all->labels, events[i]);
        if (action->kind != LABEL_INVOKE)
            continue;
        uint32_t thread = action->components[0];
        while (j < count && labels_get(all->labels, events[j])->components[0] != thread)
            j++;
        intervals[part.count] = (struct interval){
            .call = bind(all, events[i], j < count ? events[j] : 0),
            .invoke = (uint32_t)i,
            .response = j < count ? (uint32_t)j : POSITION_NEVER,
            .index = part.count,
        };
        intervals[part.count].call.number = part.count;
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
    if (worker_successors(all->worker, run, next, &all->fixture->error) != STATUS_OK)
        return VERDICT_MODEL_ERROR;
    all->exhausted |= next->exhausted;
    for (size_t i = 0; i < next->steps.length; i++) {
        label l = next->steps.items[i].label;
        size_t count = length;
        enum label_kind kind = labels_kind(all->labels, l);
        bool misplaced = kind == LABEL_NO_POINT || kind == LABEL_SECOND_POINT;
        if (l == all->model->fault || misplaced) {
            *(misplaced ? &all->misplaces : &all->violates) = true;
            if (!all->goes_on)
                return VERDICT_VIOLATED;
            continue;
        }
        assert_true(length < ARRAY_LENGTH(words));
        memcpy(words, next->states.items + i * slots, slots * sizeof *words);
        memcpy(words + slots, run + slots, (length - slots) * sizeof *words);
        if (l != LABEL_TAU)
            words[count++] = l;
        intern(&all->runs, words, count);
        if (l == LABEL_TAU || !intern(&all->histories, words + slots, count - slots))
            continue;
        if (all->goes_on)
            all->violates |= !points_are_right(all, words + slots, count - slots);
        else if (!history_is_right(all, words + slots, count - slots))
            return VERDICT_VIOLATED;
    }
    return VERDICT_HOLDS;
}

static enum verdict enumerate_runs(struct enumeration *all)
{
    struct successors next;
    uint32_t run[1024 + MOST_EVENTS];
    uint32_t slots = all->model->model.slots;
    all->worker = worker_create(&all->model->model);
    assert_non_null(all->worker);
    successors_init(&next, &all->fixture->budget);
    enum verdict verdict = VERDICT_HOLDS;
    if (slots > 1024)
        verdict = VERDICT_TOO_LARGE;
    else if (worker_initial(all->worker, &next, &all->fixture->error) != STATUS_OK)
        verdict = VERDICT_WRONG_TEXT;
    for (size_t i = 0; verdict == VERDICT_HOLDS && i < next.steps.length; i++)
        intern(&all->runs, next.states.items + i * slots, slots);
    for (uint32_t i = 0; verdict == VERDICT_HOLDS && i < all->runs.items.length; i++) {
        size_t length;
        const uint32_t *words = word_arrays_get(&all->runs, i, &length);
        memcpy(run, words, length * sizeof *run);
        verdict = i < MOST_RUNS ? extend(all, run, length, &next) : VERDICT_TOO_LARGE;
    }
    if (verdict == VERDICT_HOLDS && all->exhausted)
        verdict = VERDICT_UNDECIDED;
    successors_release(&next);
    worker_destroy(all->worker);
    return verdict;
}

/* The answer by definition: every history of the unfused model, each decided on its own. With
 * points, VERDICT_HOLDS that all was seen, and in `all` what went wrong. */
static enum verdict enumerate(struct lin_fixture *fixture, size_t number, bool points,
                              struct enumeration *found)
{
    const struct lin_options nothing = {0};
    struct lin_instance instance;
    struct labels *labels = labels_create(&fixture->budget);
    enum status status =
        lin_instance_open(&instance, &fixture->module, &fixture->module.assertions.items[number],
                          &nothing, labels, fixture->pool, &fixture->limits, &fixture->error);
    struct enumeration all = {.fixture = fixture,
                              .spec = instance.spec,
                              .labels = labels,
                              .model = &instance.model,
                              .goes_on = points};
    word_arrays_init(&all.runs, &fixture->budget);
    word_arrays_init(&all.histories, &fixture->budget);
    enum verdict verdict = status == STATUS_OK ? enumerate_runs(&all) : VERDICT_WRONG_TEXT;
    word_arrays_release(&all.runs);
    word_arrays_release(&all.histories);
    *found = all;
    lin_instance_close(&instance);
    labels_destroy(labels);
    return verdict;
}

/* ---- the comparison ---- */

static const reductions all_sets[] = {REDUCE_INTERVALS,
                                      REDUCE_PARTIAL_ORDER,
                                      REDUCE_SLICE,
                                      REDUCE_ANTICHAIN,
                                      REDUCE_SYMMETRY,
                                      REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER,
                                      REDUCE_WRITE_ONCE,
                                      REDUCE_INTERVALS | REDUCE_WRITE_ONCE,
                                      REDUCE_PURE,
                                      REDUCE_PURE | REDUCE_INTERVALS,
                                      REDUCE_PURE | REDUCE_PARTIAL_ORDER | REDUCE_INTERVALS,
                                      REDUCE_PURE | REDUCE_WRITE_ONCE | REDUCE_SLICE,
                                      REDUCE_PURE | REDUCE_SYMMETRY | REDUCE_ANTICHAIN,
                                      REDUCE_DEFAULT & ~(reductions)REDUCE_PURE,
                                      REDUCE_STALE | REDUCE_INTERVALS,
                                      REDUCE_DEFAULT & ~(reductions)REDUCE_STALE,
                                      REDUCE_FIELDS | REDUCE_PURE | REDUCE_INTERVALS,
                                      REDUCE_FIELDS | REDUCE_SYMMETRY | REDUCE_ANTICHAIN,
                                      REDUCE_DECIDED | REDUCE_INTERVALS,
                                      REDUCE_DEFAULT & ~(reductions)REDUCE_DECIDED,
                                      REDUCE_STICKY | REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER,
                                      REDUCE_DEFAULT & ~(reductions)REDUCE_STICKY,
                                      REDUCE_DEFAULT};

/* One set in `one_in` is compared on a program, the default on each; the seed chooses which. */
static struct {
    uint64_t seed;
    size_t one_in;
} turn = {.one_in = 4};

static bool has_its_turn(size_t set)
{
    return all_sets[set] == REDUCE_DEFAULT || (set + turn.seed) % turn.one_in == 0;
}

struct tally {
    unsigned verdicts[VERDICT_INTERNAL + 1], others[VERDICT_INTERNAL + 1], enumerated;
};

static struct tally tally;

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
static bool differs_on(struct lin_fixture *fixture, size_t number, struct text *message)
{
    bool found = false,
         linearizes = fixture->module.assertions.items[number].property == LIN_LINEARIZES;
    enum verdict full = decide(fixture, number, REDUCE_NONE);
    (linearizes ? tally.verdicts : tally.others)[full]++;
    if (full == VERDICT_WRONG_TEXT)
        text_format(message, "%u: %s", fixture->error.line, fixture->error.message);
    size_t first = linearizes ? 0 : ARRAY_LENGTH(all_sets) - 1; /* REDUCE_DEFAULT */
    for (size_t i = first; is_answer(full) && !found && i < ARRAY_LENGTH(all_sets); i++) {
        if (!has_its_turn(i))
            continue;
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
    struct enumeration all;
    enum verdict defined = enumerate(fixture, number, false, &all);
    tally.enumerated += is_answer(defined);
    if (contradicts(full, defined))
        text_format(message, "the full product %s, its histories say %s", verdict_names[full],
                    verdict_names[defined]);
    return contradicts(full, defined);
}

/* Whether an answer with complete points is one that the definition has. */
static bool is_right(enum verdict verdict, const struct enumeration *all)
{
    switch (verdict) {
    case VERDICT_HOLDS:
        return !all->violates && !all->misplaces;
    case VERDICT_VIOLATED:
        return all->violates;
    case VERDICT_MODEL_ERROR:
        return all->misplaces;
    default:
        return verdict != VERDICT_INTERNAL;
    }
}

/* The assertion with points and the one without them: what the points say is what the definition
 * says, and what holds with them holds without. */
static bool points_differ(struct lin_fixture *fixture, struct text *message)
{
    struct enumeration all;
    enum verdict full = decide(fixture, 0, REDUCE_NONE);
    tally.verdicts[full]++;
    if (full == VERDICT_WRONG_TEXT)
        text_format(message, "%u: %s", fixture->error.line, fixture->error.message);
    if (full == VERDICT_WRONG_TEXT || full == VERDICT_TOO_LARGE)
        return false;
    bool enumerated = enumerate(fixture, 0, true, &all) == VERDICT_HOLDS, found = false;
    tally.enumerated += enumerated;
    for (size_t i = 0; !found && i <= ARRAY_LENGTH(all_sets); i++) {
        if (i && !has_its_turn(i - 1))
            continue;
        reductions used = i ? all_sets[i - 1] : REDUCE_NONE;
        enum verdict reduced = decide(fixture, 0, used);
        found =
            (enumerated && !is_right(reduced, &all)) || reduced == VERDICT_INTERNAL ||
            (reduced != VERDICT_TOO_LARGE && (reduced == VERDICT_HOLDS) != (full == VERDICT_HOLDS));
        if (found)
            text_format(message, "with reductions %x it is %s, without %s: %s", used,
                        verdict_names[reduced], verdict_names[full], fixture->error.message);
    }
    enum verdict alone = found ? VERDICT_TOO_LARGE : decide(fixture, 1, REDUCE_DEFAULT);
    tally.others[alone]++;
    if (full != VERDICT_HOLDS || alone == VERDICT_HOLDS || alone == VERDICT_TOO_LARGE)
        return found;
    text_format(message, "it holds with points, without it is %s", verdict_names[alone]);
    return true;
}

static bool differs(const char *text, struct text *message)
{
    struct lin_fixture fixture;
    bool found = false;
    bool parsed = lin_fixture_open(&fixture, text) && fixture.module.assertions.length > 0;
    if (!parsed) {
        tally.verdicts[VERDICT_WRONG_TEXT]++;
        text_format(message, "%u: %s", fixture.error.line, fixture.error.message);
    }
    bool points = parsed && strstr(text, "points = complete");
    if (points && fixture.module.assertions.length == 2)
        found = points_differ(&fixture, message);
    for (size_t i = 0; parsed && !found && !points && i < fixture.module.assertions.length; i++)
        found = differs_on(&fixture, i, message);
    lin_fixture_close(&fixture);
    assert_int_equal(fixture.budget.used, 0);
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

static struct seeds seeds = {.first = 1, .count = 150};

typedef void print_program(uint64_t seed, struct text *text);

/* At least one in so many must be small enough for the definition. */
static void compare_one_in(unsigned many, print_program *print)
{
    tally = (struct tally){0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY, message = TEXT_EMPTY;
        unsigned before = refused();
        turn.seed = seed;
        print(seed, &text);
        bool found = differs(text_string(&text), &message);
        if (found) {
            grammar_shrink(&text, still_differs, NULL);
            text_clear(&message);
            (void)differs(text_string(&text), &message);
        }
        if (found || refused() > before)
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, text_string(&message),
                     text_string(&text));
        text_release(&message);
        text_release(&text);
    }
    /* assertions that it linearizes (with points) + others */
    print_message("seeds %llu to %llu:", (unsigned long long)seeds.first,
                  (unsigned long long)(seeds.first + seeds.count - 1));
    for (size_t i = 0; i < ARRAY_LENGTH(verdict_names); i++)
        print_message(" %u+%u %s,", tally.verdicts[i], tally.others[i], verdict_names[i]);
    print_message(" %u enumerated\n", tally.enumerated);
    assert_true(tally.verdicts[VERDICT_HOLDS] > seeds.count / 8);
    assert_true(tally.verdicts[VERDICT_VIOLATED] > seeds.count / 10);
    assert_true(tally.enumerated > seeds.count / many);
}

static void compare_all(print_program *print)
{
    compare_one_in(2, print);
}

static void answers_are_those_of_the_histories(void **unused)
{
    (void)unused;
    compare_all(lin_random_print);
}

static void fields_written_once_are_read_at_any_time(void **unused)
{
    (void)unused;
    compare_all(lin_random_print_write_once);
}

static void what_is_tried_again_may_be_tried_once(void **unused)
{
    (void)unused;
    compare_one_in(16, lin_random_print_pure);
}

static void points_are_where_operations_take_effect(void **unused)
{
    (void)unused;
    compare_all(lin_random_print_points);
    assert_true(tally.verdicts[VERDICT_MODEL_ERROR] > seeds.count / 8);
}

static void sets_are_those_of_the_histories(void **unused)
{
    (void)unused;
    compare_all(lin_random_print_sets);
}

/* ---- the same said twice ---- */

/* States of the full product, verdict: of an assertion. */
struct decided {
    enum verdict verdict;
    uint64_t states;
};

static struct decided decide_fully(struct lin_fixture *fixture, size_t number)
{
    struct limits limits;
    struct assertion_result result;
    limits_init(&limits, &fixture->budget);
    limits.most_work = MOST_WORK;
    const struct assertion_options options = {.reductions = REDUCE_NONE, .limits = &limits};
    struct decided decided = {.verdict = lin_verdict_of(fixture, number, &options, &result)};
    decided.states = result.states;
    assertion_result_release(&result);
    return decided;
}

/* Fails unless both texts mean the same. */
static void expect_same(uint64_t seed, const char *one, const char *other, unsigned *compared)
{
    struct lin_fixture first, second;
    if (!lin_fixture_open(&first, one))
        fail_msg("seed %llu: %u: %s\n%s", (unsigned long long)seed, first.error.line,
                 first.error.message, one);
    if (!lin_fixture_open(&second, other))
        fail_msg("seed %llu: %u: %s\n%s", (unsigned long long)seed, second.error.line,
                 second.error.message, other);
    assert_int_equal(first.module.assertions.length, second.module.assertions.length);
    for (size_t i = 0; i < first.module.assertions.length; i++) {
        const struct decided a = decide_fully(&first, i), b = decide_fully(&second, i);
        *compared += a.verdict != VERDICT_TOO_LARGE;
        if (a.verdict != b.verdict || a.states != b.states)
            fail_msg("seed %llu: assertion %zu: %s with %llu states, plainly %s with %llu\n%s\n%s",
                     (unsigned long long)seed, i, verdict_names[a.verdict],
                     (unsigned long long)a.states, verdict_names[b.verdict],
                     (unsigned long long)b.states, one, other);
    }
    lin_fixture_close(&first);
    lin_fixture_close(&second);
}

static void print_newly(uint64_t seed, struct text *text)
{
    lin_random_print_twice(seed, false, text);
}

static void constructs_mean_what_they_are_written_out_as(void **unused)
{
    (void)unused;
    unsigned compared = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text one = TEXT_EMPTY, other = TEXT_EMPTY;
        lin_random_print_twice(seed, false, &one);
        lin_random_print_twice(seed, true, &other);
        expect_same(seed, text_string(&one), text_string(&other), &compared);
        text_release(&one);
        text_release(&other);
    }
    print_message("%u assertions have the same states\n", compared);
    assert_true(compared > seeds.count / 2);
    compare_all(print_newly);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    if (count > 1) /* every set on every program */
        turn.one_in = 1;
    if (count > 3)
        cmocka_set_test_filter(arguments[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_histories),
        cmocka_unit_test(sets_are_those_of_the_histories),
        cmocka_unit_test(fields_written_once_are_read_at_any_time),
        cmocka_unit_test(what_is_tried_again_may_be_tried_once),
        cmocka_unit_test(points_are_where_operations_take_effect),
        cmocka_unit_test(constructs_mean_what_they_are_written_out_as),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
