/* Step and replay of every specification against each other on random calls, under any limit; and
 * the map's revisions against a store that knows them all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "spec/replay.h"
#include "support/generate.h"
#include "support/script.h"

/* --- step and replay agree --- */

/* Workloads of their own beside the shared ones: initial values, mixed numbers, revisions. */
static const struct workload more_workloads[] = {
    {.name = "queue from a list",
     .spec = "queue",
     .initial = "[3 1 2]",
     .calls = {{"enqueue", "#", NULL}, {"dequeue", NULL, "nil #"}, {"dequeue", NULL, "nil #"}}},
    {.name = "bounded queue from a list",
     .spec = "queue(4)",
     .initial = "[3 1 2]",
     .calls = {{"enqueue", "#", "true false"}, {"enqueue", "#", NULL}, {"dequeue", NULL, "nil #"}}},
    {.name = "stack from a list",
     .spec = "stack",
     .initial = "[3 1 2]",
     .calls = {{"push", "#", NULL}, {"pop", NULL, "nil #"}, {"pop", NULL, "nil #"}}},
    {.name = "deque from a list",
     .spec = "deque",
     .initial = "[3 1 2]",
     .calls = {{"push-front", "#", NULL},
               {"push-back", "#", NULL},
               {"pop-front", NULL, "nil #"},
               {"pop-back", NULL, "nil #"},
               {"pop-back", NULL, "nil #"}}},
    {.name = "large set",
     .spec = "set",
     .initial = "[1 2 30 31 32 33 34 35 36 37 38 39]",
     .calls = {{"add", "##", "true false"},
               {"remove", "##", "true false"},
               {"contains", "##", "true false"}}},
    {.name = "mixed numbers",
     .spec = "priority-queue",
     .initial = "[2 1.5 1.0 1]",
     .calls = {{"insert", "#", NULL},
               {"insert", "#.0", NULL},
               {"insert", "#.5", NULL},
               {"insert", "-#", NULL},
               {"delete-min", NULL, "nil # #.0 #.5 -#"},
               {"delete-min", NULL, "nil # #.0 #.5 -#"},
               {"delete-min", NULL, "nil # #.0 #.5 -#"}}},
    {.name = "revisions",
     .spec = "map",
     .key = ":a",
     .calls = {{"put", "[:a #]", "{:revision,#}"},
               {"get", ":a", "nil # {:value,#,:revision,#}"},
               {"delete", ":a", "{:revision,#}"},
               {"put-if-revision", "[:a # #]", "true false {:ok,true,:revision,#}"}}},
};

/* A random value of a template. */
static value random_value(const struct subject *subject, struct random *random, const char *text)
{
    int64_t numbers[8];
    for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++)
        numbers[i] = 1 + random_below(random, 4);
    return text ? template_value(subject, text, numbers) : VALUE_NIL;
}

/* One of the results in a blank-separated list; what begins with a bracket is the only one. */
static value random_result(const struct subject *subject, struct random *random,
                           const char *results)
{
    if (*results == '[')
        return random_value(subject, random, results);
    uint32_t count = 1;
    for (const char *at = results; *at; at++)
        count += *at == ' ';
    for (uint32_t chosen = random_below(random, count); chosen > 0; chosen--)
        results = strchr(results, ' ') + 1;
    char one[64];
    size_t length = strcspn(results, " ");
    assert_true(length < sizeof one);
    memcpy(one, results, length);
    one[length] = 0;
    return random_value(subject, random, one);
}

/* A call with a result that is known and perhaps wrong, or not known. */
static struct call random_call(const struct subject *subject, struct random *random)
{
    uint32_t count = 0;
    while (subject->workload->calls[count].operation)
        count++;
    const struct call_template *template = &subject->workload->calls[random_below(random, count)];
    struct recorded recorded = {.argument = random_value(subject, random, template->argument),
                                .completed = random_chance(random, 4, 5),
                                .process = random_below(random, 3)};
    if (recorded.completed && template->results && random_chance(random, 4, 5)) {
        recorded.result_recorded = true;
        recorded.result = random_result(subject, random, template->results);
    }
    return subject_call(subject, template->operation, &recorded);
}

/* Makes the result one that the object gives in its (first possible) present state. */
static void correct(struct states *states, struct call *call)
{
    struct call free_call = *call;
    free_call.result_known = false;
    if (states_try(states, &free_call))
        call->result = states->next.items.items[0].result;
}

static void check_call(const struct subject *subject, struct states *states,
                       struct spec_object *object, const struct call *call)
{
    value answer = VALUE_REFUSED;
    enum applied applied = spec_apply(subject->spec, object, call, &answer);
    bool legal = states_try(states, call), found = false;
    for (size_t i = 0; i < states->next.items.length; i++)
        found |= states->next.items.items[i].result == answer;
    if (applied != (legal ? APPLIED_LEGAL : APPLIED_ILLEGAL) || found != legal) {
        struct text text = TEXT_EMPTY;
        states_print(states, &text);
        text_append(&text, ": ");
        spec_print_call(subject->spec, call, &text);
        fail_msg("%s: in %s", subject->workload->name, text_string(&text));
    }
    if (legal)
        states_advance(states);
}

static void compare_step_and_replay(const struct workload *workload, struct random *random)
{
    struct subject subject;
    subject_open(&subject, workload);
    for (int run = 0; run < 40; run++) {
        struct states states;
        states_open(&states, subject.spec, subject.key, &subject.budget);
        struct spec_object *object = spec_open(subject.spec, subject.key, &subject.budget);
        assert_non_null(object);
        for (uint32_t left = random_below(random, 80); left > 0; left--) {
            struct call call = random_call(&subject, random);
            bool plain = call.result_known && !call.read_only;
            if (plain && random_chance(random, 2, 3))
                correct(&states, &call);
            check_call(&subject, &states, object, &call);
        }
        spec_close(subject.spec, object);
        states_close(&states);
    }
    subject_close(&subject);
}

static void step_and_replay_agree(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 10);
    size_t count;
    const struct workload *shared = workloads(&count);
    for (size_t i = 0; i < count; i++)
        compare_step_and_replay(&shared[i], &random);
    for (size_t i = 0; i < ARRAY_LENGTH(more_workloads); i++)
        compare_step_and_replay(&more_workloads[i], &random);
}

/* A call that was bound once may be bound again, with another result. */
static void binding_again_changes_nothing(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 11);
    size_t count;
    const struct workload *shared = workloads(&count);
    for (size_t i = 0; i < count + ARRAY_LENGTH(more_workloads); i++) {
        struct subject subject;
        subject_open(&subject, i < count ? &shared[i] : &more_workloads[i - count]);
        for (int run = 0; run < 50; run++) {
            struct call call = random_call(&subject, &random), again;
            struct recorded recorded = {.argument = call.argument,
                                        .result = call.result,
                                        .completed = call.result_known,
                                        .result_recorded = call.result_known,
                                        .process = call.process};
            struct text complaint = TEXT_EMPTY;
            assert_int_equal(spec_bind(subject.spec, call.operation, &recorded, &again, &complaint),
                             STATUS_OK);
            assert_true(again.argument == call.argument && again.result == call.result);
            assert_true(again.result_known == call.result_known || !call.result_known);
            assert_int_equal(again.read_only, call.read_only);
        }
        subject_close(&subject);
    }
}

#define REFUSED_CALLS 60

/* Calls made in advance on an object whose memory, and that of its values, is limited. True if all
 * went well, false if something was refused. */
static bool survives(struct subject *subject, const struct call *calls, size_t room)
{
    struct budget *pool_budget = &subject->budget, budget;
    budget_init(&budget, NULL, room + 1);
    pool_budget->limit = pool_budget->used + room + 1;
    pool_budget->refused = false;
    struct spec_object *object = spec_open(subject->spec, subject->key, &budget);
    enum applied applied = object ? APPLIED_LEGAL : APPLIED_REFUSED;
    for (int i = 0; i < REFUSED_CALLS && applied != APPLIED_REFUSED; i++)
        applied = spec_apply(subject->spec, object, &calls[i], NULL);
    bool refused = budget.refused || pool_budget->refused;
    assert_int_equal(applied == APPLIED_REFUSED, refused);
    spec_close(subject->spec, object);
    assert_int_equal(budget.used, 0);
    pool_budget->limit = 0;
    return !refused;
}

/* Under any limit an object works, or says that it was refused, and gives its memory back. */
static void refusals_are_reported(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 13);
    size_t count;
    const struct workload *shared = workloads(&count);
    for (size_t i = 0; i < count; i++) {
        struct subject subject;
        subject_open(&subject, &shared[i]);
        bool survived = false, refused = false;
        for (size_t room = 0; room < 6000; room += 16 * (1 + random_below(&random, 5))) {
            struct call calls[REFUSED_CALLS];
            for (size_t j = 0; j < REFUSED_CALLS; j++)
                calls[j] = random_call(&subject, &random);
            bool well = survives(&subject, calls, room);
            survived |= well;
            refused |= !well;
        }
        assert_true(survived && refused);
        subject_close(&subject);
    }
}

/* --- revisions against a run that knows them all --- */

/* A key of a store whose writes get ever larger revisions. */
struct store {
    value held;       /* nil: not there */
    int64_t revision; /* of the key, 0 if it is not there */
    int64_t last;     /* of the whole store */
};

static value PRINTF_LIKE(2, 3) format_value(const struct subject *subject, const char *format, ...)
{
    struct text text = TEXT_EMPTY;
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&text, format, arguments);
    va_end(arguments);
    value v = test_value(subject->pool, text_string(&text));
    text_release(&text);
    return v;
}

/* A write that is not conditional, or a deletion (`v` nil). */
static void write_to_store(struct store *store, struct random *random, value v)
{
    store->held = v;
    store->last += 1 + random_below(random, 3);
    store->revision = v == VALUE_NIL ? 0 : store->last;
}

static void put_if_revision(const struct subject *subject, struct store *store,
                            struct random *random, struct recorded *recorded)
{
    int64_t shown = store->revision, v = 1 + random_below(random, 3);
    int64_t expected = random_chance(random, 1, 2) ? shown : (int64_t)random_below(random, 20);
    bool told = random_chance(random, 1, 2);
    recorded->argument = format_value(subject, "[:a %lld %lld]", (long long)expected, (long long)v);
    if (expected == shown) {
        write_to_store(store, random, value_small(v));
        recorded->result =
            told ? format_value(subject, "{:ok true :revision %lld}", (long long)store->last)
                 : VALUE_TRUE;
        return;
    }
    recorded->result_recorded = recorded->completed;
    recorded->result = VALUE_FALSE;
    if (store->held != VALUE_NIL && told)
        recorded->result = format_value(subject, "{:ok false :value %lld :revision %lld}",
                                        (long long)value_small_get(store->held), (long long)shown);
}

/* Runs an operation in the store and records as much of its result as comes. */
static struct call run_in_store(const struct subject *subject, struct store *store,
                                struct random *random)
{
    struct recorded recorded = {.completed = random_chance(random, 5, 6)};
    recorded.result_recorded = recorded.completed && random_chance(random, 2, 3);
    recorded.argument = test_value(subject->pool, ":a");
    int v = 1 + (int)random_below(random, 3);
    switch (random_below(random, 4)) {
    case 0:
        write_to_store(store, random, value_small(v));
        recorded.argument = format_value(subject, "[:a %d]", v);
        recorded.result = format_value(subject, "{:revision %lld}", (long long)store->last);
        return subject_call(subject, "put", &recorded);
    case 1:
        write_to_store(store, random, VALUE_NIL);
        recorded.result = format_value(subject, "{:revision %lld}", (long long)store->last);
        return subject_call(subject, "delete", &recorded);
    case 2:
        recorded.result = store->held;
        if (store->held != VALUE_NIL && random_chance(random, 1, 2))
            recorded.result =
                format_value(subject, "{:value %lld :revision %lld}",
                             (long long)value_small_get(store->held), (long long)store->revision);
        return subject_call(subject, "get", &recorded);
    default:
        put_if_revision(subject, store, random, &recorded);
        return subject_call(subject, "put-if-revision", &recorded);
    }
}

/* What is not recorded never makes a correct run look wrong. */
static void correct_runs_of_a_store_are_legal(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 12);
    struct subject subject;
    subject_open(&subject, &more_workloads[ARRAY_LENGTH(more_workloads) - 1]);
    for (int run = 0; run < 5000; run++) {
        struct store store = {0};
        struct spec_object *object = spec_open(subject.spec, subject.key, &subject.budget);
        struct text calls = TEXT_EMPTY;
        for (uint32_t left = random_below(&random, 12); left > 0; left--) {
            struct call call = run_in_store(&subject, &store, &random);
            spec_print_call(subject.spec, &call, &calls);
            text_append(&calls, "; ");
            if (spec_apply(subject.spec, object, &call, NULL) != APPLIED_LEGAL)
                fail_msg("%s", text_string(&calls));
        }
        text_release(&calls);
        spec_close(subject.spec, object);
    }
    subject_close(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_and_replay_agree),
        cmocka_unit_test(binding_again_changes_nothing),
        cmocka_unit_test(refusals_are_reported),
        cmocka_unit_test(correct_runs_of_a_store_are_legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
