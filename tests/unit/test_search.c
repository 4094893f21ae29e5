/* The general search against the definition, and what it says beside the verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decide/definition.h"
#include "decide/witness.h"
#include "monitor/decision.h"
#include "search/array_table.h"
#include "search/search.h"
#include "spec/unordered_queue.h"
#include "support/generate.h"

/* ---- Comparing ---- */

struct comparison {
    struct subject subject;
    uint64_t parts, violations;
};

static void print_part(const char *what, const struct part *part)
{
    struct text text = TEXT_EMPTY;
    sample_print(part, &text);
    print_message("%s: %s\n", what, text_string(&text));
    text_release(&text);
}

/* Of intervals behind which nothing lies, so that a sanitizer sees who looks there. */
static void decide_with(decide *engine, const struct part *part, struct subject *subject,
                        struct decision *decision)
{
    const size_t size = part->count * sizeof *part->intervals;
    struct interval *intervals = malloc(size + !size);
    struct part same = *part;
    struct limits limits;
    limits_init(&limits, &subject->budget);
    struct error error;
    assert_non_null(intervals);
    if (size)
        memcpy(intervals, part->intervals, size);
    same.intervals = intervals;
    assert_int_equal(engine(&same, &limits, decision, &error), STATUS_OK);
    assert_int_not_equal(decision->verdict, VERDICT_UNKNOWN);
    free(intervals);
}

/* The completed operations that are neither in `order` nor preceded by one that is not: those that
 * may come next. */
static uint32_t count_minimal(const struct part *part, const struct partial_linearization *partial)
{
    bool *taken = calloc(part->count + 1, sizeof *taken);
    for (uint32_t i = 0; i < partial->length; i++)
        taken[partial->order[i]] = true;
    uint32_t first = POSITION_NEVER, count = 0;
    for (uint32_t i = 0; i < part->count; i++)
        if (!taken[i] && part->intervals[i].response < first)
            first = part->intervals[i].response;
    for (uint32_t i = 0; i < part->count; i++)
        count += !taken[i] && part->intervals[i].invoke < first &&
                 part->intervals[i].response != POSITION_NEVER;
    free(taken);
    return count;
}

/* A partial linearization is legal and respects precedence, and none of the completed operations
 * that may come next is legal behind it. */
static bool partial_is_right(const struct part *part, const struct partial_linearization *partial,
                             struct subject *subject)
{
    struct limits limits;
    limits_init(&limits, &subject->budget);
    struct sample sample = {0};
    sample_copy_part(&sample, part);
    /* What is not in the order must not count as missing: it becomes pending. */
    bool *taken = calloc(part->count + 1, sizeof *taken);
    for (uint32_t i = 0; i < partial->length; i++)
        taken[partial->order[i]] = true;
    for (uint32_t i = 0; i < part->count; i++)
        if (!taken[i] && sample.intervals[i].response != POSITION_NEVER) {
            sample.intervals[i].response = POSITION_NEVER;
            sample.part.pending++;
        }
    free(taken);
    bool right = witness_is_valid(&sample.part, partial->order, partial->length, &limits, NULL);
    right = right && partial->stuck_length == count_minimal(part, partial);
    uint32_t *longer = calloc(partial->length + 1, sizeof *longer);
    memcpy(longer, partial->order, partial->length * sizeof *longer);
    for (uint32_t i = 0; i < partial->stuck_length; i++) {
        longer[partial->length] = partial->stuck[i];
        size_t bad = 0;
        right = right && part->intervals[partial->stuck[i]].response != POSITION_NEVER &&
                !witness_is_valid(&sample.part, longer, partial->length + 1, &limits, &bad) &&
                bad == partial->length;
    }
    free(longer);
    sample_release(&sample);
    return right;
}

/* Evidence is ascending, completed, and has what could not follow the furthest order. */
static bool evidence_is_right(const struct part *part, const struct decision *decision)
{
    bool stuck = false;
    for (size_t i = 0; i < decision->evidence.length; i++) {
        uint32_t operation = decision->evidence.items[i];
        if (operation >= part->count || part->intervals[operation].response == POSITION_NEVER ||
            (i > 0 && operation <= decision->evidence.items[i - 1]))
            return false;
        for (size_t p = 0; p < decision->partials.length; p++)
            for (uint32_t k = 0; k < decision->partials.items[p].stuck_length; k++)
                stuck |= decision->partials.items[p].stuck[k] == operation;
    }
    return stuck;
}

static bool violation_is_right(const struct part *part, const struct decision *decision,
                               struct subject *subject)
{
    bool right = decision->partials.length > 0 && decision->reason.length > 0;
    /* Where the same order may lead to several states, one of them was stuck, others perhaps later.
     */
    bool one_state = part->spec->class != &unordered_queue_class;
    for (size_t i = 0; i < decision->partials.length; i++)
        right = right &&
                (!one_state || partial_is_right(part, &decision->partials.items[i], subject)) &&
                (i == 0 ||
                 decision->partials.items[i - 1].length >= decision->partials.items[i].length);
    return right && evidence_is_right(part, decision);
}

/* True if the search's answer is wrong or badly founded. */
static bool is_wrong(void *context, const struct part *part)
{
    struct comparison *comparison = context;
    struct subject *subject = &comparison->subject;
    struct decision expected, found;
    decision_init(&expected, &subject->budget);
    decision_init(&found, &subject->budget);
    decide_with(definition_decide, part, subject, &expected);
    decide_with(search_decide, part, subject, &found);
    struct limits limits;
    limits_init(&limits, &subject->budget);
    bool right = found.verdict == expected.verdict;
    if (right && found.verdict == VERDICT_LINEARIZABLE)
        right = witness_is_valid(part, found.linearization.items, found.linearization.length,
                                 &limits, NULL);
    else if (right)
        right = violation_is_right(part, &found, subject);
    comparison->parts++;
    comparison->violations += expected.verdict == VERDICT_VIOLATION;
    decision_release(&expected);
    decision_release(&found);
    return !right;
}

static void assert_right(struct comparison *comparison, const struct part *part)
{
    if (!is_wrong(comparison, part))
        return;
    print_part("wrong", part);
    struct sample sample = {0};
    sample_copy_part(&sample, part);
    sample_shrink(&sample, is_wrong, comparison);
    print_part("shrunk", &sample.part);
    sample_release(&sample);
    fail();
}

static void visit(void *context, const struct part *part)
{
    assert_right(context, part);
}

/* ---- Every small part ---- */

#define MOST_PARTS 5000 /* of each size, for each workload; beyond that they are sampled */

static void every_small_part_is_decided_as_defined(void **unused)
{
    (void)unused;
    size_t count;
    const struct workload *all = workloads(&count);
    for (size_t w = 0; w < count; w++) {
        struct comparison comparison = {0};
        subject_open(&comparison.subject, &all[w]);
        uint64_t visited[5] = {0}, all_parts[5] = {0};
        uint32_t keep = 1;
        for (uint32_t n = 0; n <= 4; n++) {
            /* Each further operation multiplies the parts by about a third more than the last. */
            if (n >= 3)
                keep = (uint32_t)(all_parts[n - 1] * all_parts[n - 1] / all_parts[n - 2] * 4 / 3 /
                                  MOST_PARTS) +
                       1;
            struct enumeration enumeration = {.operations = n,
                                              .values = 2,
                                              .keep_one_in = keep,
                                              .seed = 1,
                                              .visit = visit,
                                              .context = &comparison};
            visited[n] = sample_enumerate(&comparison.subject, &enumeration);
            all_parts[n] = visited[n] * keep;
        }
        print_message("%s: all %" PRIu64 " parts of 2 operations, %" PRIu64 " of 3, %" PRIu64
                      " of 4 (one in %u), %" PRIu64 " violations\n",
                      all[w].name, visited[2], visited[3], visited[4], keep, comparison.violations);
        subject_close(&comparison.subject);
    }
}

/* ---- Random parts ---- */

#define RANDOM_PARTS 6000 /* for each workload */

static void random_shape(struct random *random, struct shape *shape)
{
    *shape = (struct shape){.operations = 1 + random_below(random, 9),
                            .processes = 1 + random_below(random, 5),
                            .values = 1 + random_below(random, 3),
                            .pending_percent = random_below(random, 3) * 15,
                            .unknown_percent = random_below(random, 2) * 10,
                            .eagerness = random_below(random, 4)};
}

static bool violates(const struct part *part, struct subject *subject)
{
    struct decision decision;
    decision_init(&decision, &subject->budget);
    decide_with(definition_decide, part, subject, &decision);
    bool violation = decision.verdict == VERDICT_VIOLATION;
    decision_release(&decision);
    return violation;
}

/* Changes the sample until it violates; gives up on those that cannot. */
static void spoil(struct sample *sample, struct subject *subject, struct random *random)
{
    for (int tries = 0; tries < 12 && sample->part.count < 9; tries++) {
        sample_mutate(sample, subject, random);
        if (violates(&sample->part, subject))
            return;
    }
}

static void random_parts_are_decided_as_defined(void **unused)
{
    (void)unused;
    size_t count;
    const struct workload *all = workloads(&count);
    uint64_t seed = clock_nanoseconds();
    print_message("seed %" PRIu64 "\n", seed);
    for (size_t w = 0; w < count; w++) {
        struct comparison comparison = {0};
        subject_open(&comparison.subject, &all[w]);
        struct random random;
        random_seed(&random, seed + w);
        struct sample sample = {0};
        while (comparison.parts < RANDOM_PARTS) {
            struct shape shape;
            random_shape(&random, &shape);
            sample_random(&sample, &comparison.subject, &random, &shape);
            if (comparison.violations * 5 < comparison.parts * 2)
                spoil(&sample, &comparison.subject, &random);
            else if (random_chance(&random, 1, 3))
                sample_mutate(&sample, &comparison.subject, &random);
            if (sample.part.count <= 9)
                assert_right(&comparison, &sample.part);
        }
        print_message("%s: %" PRIu64 " parts, %" PRIu64 " violations\n", all[w].name,
                      comparison.parts, comparison.violations);
        assert_in_range(comparison.violations, RANDOM_PARTS / 3, RANDOM_PARTS / 2);
        sample_release(&sample);
        subject_close(&comparison.subject);
    }
}

/* Queues whose operations all completed are searched by the word of their values: values repeat,
 * the queue is often found empty, and long operations hold shorter ones. */
static void queues_are_decided_as_defined(void **unused)
{
    (void)unused;
    uint64_t seed = clock_nanoseconds();
    print_message("seed %" PRIu64 "\n", seed);
    static const char *const initial[] = {NULL, "[1]", "[1 2 1]"};
    for (size_t w = 0; w < ARRAY_LENGTH(initial); w++) {
        struct workload workload = *workload_find("queue");
        workload.initial = initial[w];
        struct comparison comparison = {0};
        subject_open(&comparison.subject, &workload);
        struct random random;
        random_seed(&random, seed + w);
        struct sample sample = {0};
        while (comparison.parts < RANDOM_PARTS) {
            struct shape shape = {.operations = 2 + random_below(&random, 8),
                                  .processes = 2 + random_below(&random, 4),
                                  .values = 1 + random_below(&random, 3),
                                  .eagerness = random_below(&random, 6)};
            sample_random(&sample, &comparison.subject, &random, &shape);
            if (comparison.violations * 2 < comparison.parts)
                sample_mutate(&sample, &comparison.subject, &random);
            if (sample.part.count <= 9)
                assert_right(&comparison, &sample.part);
        }
        print_message("initially %s: %" PRIu64 " violations\n", initial[w] ? initial[w] : "empty",
                      comparison.violations);
        assert_in_range(comparison.violations, RANDOM_PARTS / 10, RANDOM_PARTS * 2 / 3);
        sample_release(&sample);
        subject_close(&comparison.subject);
    }
}

/* ---- Effort ---- */

/* Five values in thousands of operations: which of two enqueues came first shows a hundred
 * operations later, when their values leave. */
static void a_long_queue_of_few_values_takes_few_configurations(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("queue"));
    struct random random;
    random_seed(&random, 1);
    for (uint32_t processes = 3; processes <= 12; processes += 3) {
        struct shape shape = {.operations = 5000, .processes = processes, .values = 5};
        struct sample sample = {0};
        sample_random(&sample, &subject, &random, &shape);
        struct decision decision;
        decision_init(&decision, &subject.budget);
        decide_with(search_decide, &sample.part, &subject, &decision);
        assert_int_equal(decision.verdict, VERDICT_LINEARIZABLE);
        assert_in_range(decision.explored, 1, 2 * sample.part.count);
        decision_release(&decision);
        sample_release(&sample);
    }
    subject_close(&subject);
}

/* Twelve appends run at once, and what they make is overwritten before anyone looks. Of their
 * orders there are 479,001,600, each with another string; of the sets that took effect 4,096. */
static void orders_that_nobody_can_see_count_as_one(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("map with append"));
    struct text text = TEXT_EMPTY;
    for (int i = 0; i < 12; i++)
        text_format(&text, "append [:a \"%d\"] [%d %d]; ", 10 + i, i, 20 + i);
    text_append(&text, "put [:a \"1\"] [40 41]; get :a \"2\" [42 43]");
    struct sample sample = {0};
    sample_parse(&sample, &subject, text_string(&text));
    struct decision decision;
    decision_init(&decision, &subject.budget);
    decide_with(search_decide, &sample.part, &subject, &decision);
    assert_int_equal(decision.verdict, VERDICT_VIOLATION);
    assert_true(violation_is_right(&sample.part, &decision, &subject));
    assert_in_range(decision.explored, 1, 2 * 4096);
    decision_release(&decision);
    sample_release(&sample);
    text_release(&text);
    subject_close(&subject);
}

/* Eight rounds of four enqueues at once, and the dequeues only then: each round has 24 orders, of
 * which the results allow one. A guess is not to be paid for with the orders of all later rounds,
 * so each round costs a few tries and not 24 times as many as the next. */
static void a_queue_does_not_guess_against_the_results(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("queue"));
    struct text text = TEXT_EMPTY;
    for (int round = 0; round < 8; round++)
        for (int i = 0; i < 4; i++)
            text_format(&text, "enqueue %d [%d %d]; ", 4 * round + i, 10 * round + i,
                        10 * round + 4 + i);
    for (int round = 0; round < 8; round++)
        for (int i = 0; i < 4; i++) {
            int taken = 4 * round + 3 - i, at = 200 + 8 * round + 2 * i;
            text_format(&text, "%sdequeue %d [%d %d]", at > 200 ? "; " : "", taken, at, at + 1);
        }
    struct sample sample = {0};
    sample_parse(&sample, &subject, text_string(&text));
    struct decision decision;
    decision_init(&decision, &subject.budget);
    decide_with(search_decide, &sample.part, &subject, &decision);
    assert_int_equal(decision.verdict, VERDICT_LINEARIZABLE);
    assert_in_range(decision.explored, 1, 8 * 4 * 4 * 2);
    /* With the last two results exchanged there is no order, and that too is soon known. */
    struct interval *last = &sample.intervals[63], *other = &sample.intervals[59];
    value swap = last->call.result;
    last->call.result = other->call.result;
    other->call.result = swap;
    decide_with(search_decide, &sample.part, &subject, &decision);
    assert_int_equal(decision.verdict, VERDICT_VIOLATION);
    assert_true(violation_is_right(&sample.part, &decision, &subject));
    /* Of its 24^8 orders few were followed to the end, and the reason does not speak for the rest.
     */
    assert_null(strstr(text_string(&decision.reason), "no order can continue"));
    assert_non_null(strstr(text_string(&decision.reason), "of those that were followed"));
    decision_release(&decision);
    sample_release(&sample);
    text_release(&text);
    subject_close(&subject);
}

/* A pending write that nobody reads is not tried in front of others. */
static void pending_writes_take_effect_only_where_they_are_found(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("register"));
    struct text text = TEXT_EMPTY;
    for (int i = 0; i < 14; i++)
        text_format(&text, "write %d [%d _]; ", i, i);
    text_append(&text, "read 99 [20 21]");
    struct sample sample = {0};
    sample_parse(&sample, &subject, text_string(&text));
    struct decision decision;
    decision_init(&decision, &subject.budget);
    decide_with(search_decide, &sample.part, &subject, &decision);
    assert_int_equal(decision.verdict, VERDICT_VIOLATION);
    assert_true(violation_is_right(&sample.part, &decision, &subject));
    assert_in_range(decision.explored, 1, 15); /* none of them, or one */
    sample_release(&sample);
    struct random random;
    random_seed(&random, 1);
    for (uint32_t i = 0; i < 8; i++) {
        struct shape shape = {.operations = 1000, .processes = 8, .pending_percent = 5};
        sample = (struct sample){0};
        sample_random(&sample, &subject, &random, &shape);
        decide_with(search_decide, &sample.part, &subject, &decision);
        assert_int_equal(decision.verdict, VERDICT_LINEARIZABLE);
        assert_in_range(decision.explored, 1, 16 * sample.part.count);
        sample_release(&sample);
    }
    decision_release(&decision);
    text_release(&text);
    subject_close(&subject);
}

/* A thousand rounds on as many registers: two writes at once, and a read of the register a thousand
 * rounds later that says which was first. Each wrong guess would be found out behind all that
 * follows it. */
static void registers_do_not_guess_against_the_results(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("multi-register"));
    struct text text = TEXT_EMPTY;
    for (int i = 0; i < 1000; i++)
        text_format(&text, "write [%d 1] [%d %d]; write [%d 2] [%d %d]; ", i, 4 * i, 4 * i + 2, i,
                    4 * i + 1, 4 * i + 3);
    for (int i = 0; i < 1000; i++)
        text_format(&text, "%sread %d %d [%d %d]", i ? "; " : "", i, 1 + i * i / 7 % 2,
                    4000 + 2 * i, 4001 + 2 * i);
    struct sample sample = {0};
    sample_parse(&sample, &subject, text_string(&text));
    struct decision decision;
    decision_init(&decision, &subject.budget);
    size_t before = atomic_load(&subject.budget.used);
    atomic_store(&subject.budget.peak, before);
    decide_with(search_decide, &sample.part, &subject, &decision);
    assert_int_equal(decision.verdict, VERDICT_LINEARIZABLE);
    assert_in_range(decision.explored, 1, 4000);
    /* 4000 states of up to 24 KB are kept in what they differ. */
    assert_in_range(atomic_load(&subject.budget.peak) - before, 1, 8 << 20);
    sample.intervals[sample.part.count - 1].call.result = test_value(subject.pool, "3");
    decide_with(search_decide, &sample.part, &subject, &decision);
    assert_int_equal(decision.verdict, VERDICT_VIOLATION);
    assert_true(violation_is_right(&sample.part, &decision, &subject));
    decision_release(&decision);
    sample_release(&sample);
    text_release(&text);
    subject_close(&subject);
}

/* Some of so many hashes are alike in what a table keeps of them; the arrays are not. */
static void arrays_whose_hashes_are_alike_are_told_apart(void **unused)
{
    (void)unused;
    struct budget budget;
    struct array_table table;
    budget_init(&budget, NULL, 0);
    arrays_init(&table, &budget);
    for (unsigned round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 1 << 18; i++)
            assert_int_equal(arrays_intern(&table, &i, 1), i);
    arrays_release(&table);
    assert_int_equal(budget.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_whose_hashes_are_alike_are_told_apart),
        cmocka_unit_test(orders_that_nobody_can_see_count_as_one),
        cmocka_unit_test(pending_writes_take_effect_only_where_they_are_found),
        cmocka_unit_test(registers_do_not_guess_against_the_results),
        cmocka_unit_test(a_queue_does_not_guess_against_the_results),
        cmocka_unit_test(a_long_queue_of_few_values_takes_few_configurations),
        cmocka_unit_test(queues_are_decided_as_defined),
        cmocka_unit_test(every_small_part_is_decided_as_defined),
        cmocka_unit_test(random_parts_are_decided_as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
