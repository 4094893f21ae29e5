/* Random implementations, any number of threads, of which is asked whether they are linearizable or
 * a condition never becomes true: the answer is compared with that for one to four threads, to
 * bounds that can be afforded. What holds must hold of each of them, and what is violated must be a
 * violation of the number of threads that the answer names. Nothing is collected on either side.
 * Three of four programs are asked about by questions alone: the search among few threads, which is
 * the same refinement, finds most violations before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/any_random.h"
#include "support/grammar.h"
#include "support/lin_verdicts.h"
#include "support/seeds.h"
#include "verify/lin_instance.h"

#define MOST_THREADS 4
#define MUCH_WORK    400000 /* of a product in which there must be a violation */

/* Operations of each thread, by the number of threads. */
static const int32_t affordable[MOST_THREADS + 1] = {0, 4, 3, 2, 2};

static struct seeds seeds = {.first = 1, .count = 100};
static unsigned most_milliseconds = 2000;
static uint64_t most_work = 5000; /* steps of a product; larger ones are left out */

static struct {
    unsigned verdicts[VERDICT_INTERNAL + 1];
    unsigned compared;                  /* of what holds: numbers of threads */
    unsigned reproduced;                /* of what is violated */
    unsigned missed;                    /* not decided, though some few threads violate it */
    unsigned threads[MOST_THREADS + 1]; /* of what is violated; the last: or more */
} tally;

/* One to four threads, a few operations of each; -1: any number. */
static enum verdict of_threads(struct lin_fixture *fixture, uint32_t threads, int32_t operations,
                               uint64_t work)
{
    const struct lin_bounds bounds = {.threads = threads, .operations = operations, .values = 3};
    struct limits limits;
    struct assertion_result result;
    limits_init(&limits, &fixture->budget);
    limits.most_work = work;
    const struct assertion_options options = {
        .reductions = REDUCE_DEFAULT, .bounds = &bounds, .limits = &limits};
    enum verdict verdict = lin_verdict_of(fixture, 0, &options, &result);
    assertion_result_release(&result);
    return verdict;
}

/* Any number; *threads: of a violation. */
static enum verdict of_any(struct lin_fixture *fixture, bool questions_alone, uint32_t *threads)
{
    struct limits limits;
    struct assertion_result result;
    limits_init(&limits, &fixture->budget);
    limits.deadline = clock_nanoseconds() + most_milliseconds * UINT64_C(1000000);
    const struct assertion_options options = {
        .reductions = REDUCE_DEFAULT, .questions_alone = questions_alone, .limits = &limits};
    enum verdict verdict = lin_verdict_of(fixture, 0, &options, &result);
    *threads = result.threads;
    assertion_result_release(&result);
    return verdict;
}

/* True and a message if some few threads violate what is said to hold. */
static bool holds_wrongly(struct lin_fixture *fixture, struct text *message)
{
    for (uint32_t threads = 1; threads <= MOST_THREADS; threads++) {
        enum verdict verdict = of_threads(fixture, threads, affordable[threads], most_work);
        tally.compared += verdict == VERDICT_HOLDS;
        if (verdict == VERDICT_HOLDS || verdict == VERDICT_TOO_LARGE)
            continue;
        text_format(message, "it holds, but with %u threads it is %s", threads,
                    verdict_names[verdict]);
        return true;
    }
    return false;
}

/* True and a message if so many threads do not violate it. */
static bool violated_wrongly(struct lin_fixture *fixture, uint32_t threads, struct text *message)
{
    tally.threads[threads < MOST_THREADS ? threads : MOST_THREADS]++;
    enum verdict verdict = of_threads(fixture, threads, -1, MUCH_WORK);
    tally.reproduced += verdict == VERDICT_VIOLATED;
    /* a promise of the model that is broken as well may be met first */
    if (threads > 0 && (verdict == VERDICT_VIOLATED || verdict == VERDICT_TOO_LARGE ||
                        verdict == VERDICT_MODEL_ERROR))
        return false;
    text_format(message, "it is violated with %u threads, but of so many it is %s", threads,
                verdict_names[verdict]);
    return true;
}

/* True and a message if the answer is wrong. */
static bool is_wrong(struct lin_fixture *fixture, bool questions_alone, struct text *message)
{
    uint32_t threads;
    enum verdict verdict = of_any(fixture, questions_alone, &threads);
    tally.verdicts[verdict]++;
    switch (verdict) {
    case VERDICT_HOLDS:
        return holds_wrongly(fixture, message);
    case VERDICT_VIOLATED:
        return violated_wrongly(fixture, threads, message);
    case VERDICT_UNDECIDED:
    case VERDICT_TOO_LARGE:
        tally.missed += of_threads(fixture, 2, 2, most_work) == VERDICT_VIOLATED;
        return false;
    case VERDICT_INTERNAL:
        text_format(message, "%s", fixture->error.message);
        return true;
    default:
        return false;
    }
}

static bool text_is_wrong(const char *text, bool questions_alone, struct text *message)
{
    struct lin_fixture fixture;
    bool wrong = false;
    if (!lin_fixture_open(&fixture, text) || fixture.module.assertions.length != 1)
        tally.verdicts[VERDICT_WRONG_TEXT]++;
    else
        wrong = is_wrong(&fixture, questions_alone, message);
    lin_fixture_close(&fixture);
    assert_int_equal(fixture.budget.used, 0);
    return wrong;
}

static bool still_wrong(void *context, const char *text)
{
    struct text message = TEXT_EMPTY;
    const bool *questions_alone = context;
    bool wrong = text_is_wrong(text, *questions_alone, &message);
    text_release(&message);
    return wrong;
}

/* Of three programs one is asked about a condition, and one has a specification of its own. */
static void append_assertion(uint64_t seed, struct any_program *program)
{
    struct text condition = TEXT_EMPTY;
    bool ordered = strcmp(program->spec, "mutex") == 0 || strncmp(program->spec, "sem", 3) == 0;
    any_random_condition(program, seed, &condition);
    if (seed % 3 != 1)
        text_format(&program->text, "assert it linearizes %s with threads = any", program->spec);
    else
        text_format(&program->text, "assert it never (%s) with threads = any%s",
                    text_string(&condition), ordered ? ", spec = mutex" : "");
    if (program->nodes)
        text_format(&program->text, ", nodes = %u", program->nodes);
    text_append(&program->text, ";\n");
    text_release(&condition);
}

static void look_at(uint64_t seed)
{
    struct any_program program;
    struct text message = TEXT_EMPTY;
    bool questions_alone = seed % 4 != 0;
    if (seed % 3 == 2)
        any_random_create_answers(&program, seed);
    else
        any_random_create(&program, seed);
    append_assertion(seed, &program);
    if (text_is_wrong(text_string(&program.text), questions_alone, &message)) {
        grammar_shrink(&program.text, still_wrong, &questions_alone);
        text_clear(&message);
        (void)text_is_wrong(text_string(&program.text), questions_alone, &message);
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, text_string(&message),
                 text_string(&program.text));
    }
    text_release(&message);
    any_random_release(&program);
}

static void answers_are_those_of_few_threads(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        look_at(seed);
    print_message("seeds %llu to %llu:", (unsigned long long)seeds.first,
                  (unsigned long long)(seeds.first + seeds.count - 1));
    for (size_t i = 0; i < ARRAY_LENGTH(verdict_names); i++)
        print_message(" %u %s,", tally.verdicts[i], verdict_names[i]);
    print_message("\n%u numbers of threads of what holds, %u violations again, of", tally.compared,
                  tally.reproduced);
    for (size_t i = 1; i < ARRAY_LENGTH(tally.threads); i++)
        print_message(" %u", tally.threads[i]);
    print_message(" with 1, 2, 3 and more threads; %u missed\n", tally.missed);
    assert_true(tally.verdicts[VERDICT_HOLDS] > seeds.count / 8);
    assert_true(tally.verdicts[VERDICT_VIOLATED] > seeds.count / 8);
    assert_true(tally.compared > 2 * tally.verdicts[VERDICT_HOLDS]);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *given = getenv(name);
    return given ? strtoull(given, NULL, 10) : otherwise;
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_those_of_few_threads)};
    seeds_from_arguments(&seeds, count, arguments);
    most_work = setting("LINCHPIN_RANDOM_WORK", most_work);
    most_milliseconds = (unsigned)setting("LINCHPIN_RANDOM_MILLISECONDS", most_milliseconds);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
