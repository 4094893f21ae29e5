/* Linearizability decided by several ranks, on random implementations: the verdict of one process,
 * and of what holds its counts of pairs and steps, however many ranks there are and however often
 * they exchange what they find; executions that are told are confirmed as ever. Ranks are threads
 * here, with a transport of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "support/lin_random.h"
#include "support/lin_random_pure.h"
#include "support/lin_random_write_once.h"
#include "support/lin_verdicts.h"
#include "support/seeds.h"
#include "support/thread_transport.h"

#define MOST_WORK 20000 /* of a search by one; larger ones are left out */

static struct seeds seeds = {1, 60};

#define ON_RANKS (REDUCE_DEFAULT & ~(reductions)REDUCE_STICKY)

struct question {
    const char *text;
    size_t number; /* of the assertion */
    reductions used;
    uint32_t round;
    unsigned poor; /* a rank that has only so much memory, in bytes; 0: none has */
    size_t memory;
};

struct answer {
    enum verdict verdict;
    uint64_t states, transitions;
    size_t steps;
};

static struct answer decide(const struct question *question, struct transport_meeting *ranks,
                            uint64_t most_work)
{
    struct lin_fixture fixture;
    struct limits limits;
    struct assertion_result result;
    if (!lin_fixture_open(&fixture, question->text))
        abort(); /* in a thread nothing else ends the test */
    limits_init(&limits, &fixture.budget);
    limits.most_work = most_work;
    if (question->memory && ranks && ranks->transport->rank == question->poor)
        fixture.budget.limit = atomic_load(&fixture.budget.used) + question->memory;
    const struct assertion_options options = {.reductions = question->used,
                                              .order = EXPLORE_OLDEST_FIRST,
                                              .ranks = ranks,
                                              .limits = &limits};
    struct answer answer = {.verdict =
                                lin_verdict_of(&fixture, question->number, &options, &result)};
    answer.states = result.states;
    answer.transitions = result.transitions;
    answer.steps = result.trace.steps.length;
    if (ranks && !ranks->held)
        transport_meet(ranks, false);
    assertion_result_release(&result);
    lin_fixture_close(&fixture);
    return answer;
}

struct shared_question {
    const struct question *question;
    struct answer answer; /* of rank 0 */
};

static void decide_on_rank(void *user, const struct transport *transport)
{
    struct shared_question *asked = user;
    struct transport_meeting meeting = {.transport = transport, .round = asked->question->round};
    const struct answer answer = decide(asked->question, &meeting, 0);
    if (transport->rank == 0)
        asked->answer = answer;
}

/* What is found first where a model has a violation and a point out of place the same number of
 * steps away is a matter of the order within a level, which is another one on several ranks. */
static bool is_misplaced(enum verdict one, enum verdict other)
{
    return (one == VERDICT_MODEL_ERROR && other == VERDICT_VIOLATED) ||
           (one == VERDICT_VIOLATED && other == VERDICT_MODEL_ERROR);
}

/* Whether it was small enough. */
static bool compare(uint64_t seed, const struct question *question, unsigned count)
{
    struct thread_ranks ranks;
    struct shared_question asked = {.question = question};
    const struct answer one = decide(question, NULL, MOST_WORK);
    if (one.verdict == VERDICT_TOO_LARGE)
        return false;
    thread_ranks_init(&ranks, count);
    thread_ranks_run(&ranks, decide_on_rank, &asked);
    thread_ranks_release(&ranks);
    const struct answer *several = &asked.answer;
    const bool same =
        is_misplaced(one.verdict, several->verdict) ||
        (one.verdict == several->verdict &&
         (one.verdict != VERDICT_HOLDS ||
          (one.states == several->states && one.transitions == several->transitions)) &&
         (one.verdict != VERDICT_VIOLATED || several->steps > 0));
    if (!same)
        fail_msg("seed %llu, assertion %zu: %s with %llu states and %llu transitions, on %u ranks "
                 "%s with %llu and %llu\n%s",
                 (unsigned long long)seed, question->number, verdict_names[one.verdict],
                 (unsigned long long)one.states, (unsigned long long)one.transitions, count,
                 verdict_names[several->verdict], (unsigned long long)several->states,
                 (unsigned long long)several->transitions, question->text);
    return true;
}

static size_t count_assertions(const char *text)
{
    struct lin_fixture fixture;
    assert_true(lin_fixture_open(&fixture, text));
    const size_t count = fixture.module.assertions.length;
    lin_fixture_close(&fixture);
    return count;
}

static void compare_all(void (*print)(uint64_t seed, struct text *text))
{
    static const uint32_t rounds[] = {1, 3, 50, 0};
    /* ranks suppose nothing */
    static const reductions used[] = {ON_RANKS, REDUCE_NONE,
                                      ON_RANKS & ~(reductions)REDUCE_ANTICHAIN};
    unsigned compared = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY;
        print(seed, &text);
        const size_t assertions = count_assertions(text_string(&text));
        for (size_t i = 0; i < assertions; i++) {
            const struct question question = {.text = text_string(&text),
                                              .number = i,
                                              .used = used[seed % ARRAY_LENGTH(used)],
                                              .round = rounds[seed / 3 % ARRAY_LENGTH(rounds)]};
            compared += compare(seed, &question, 2 + (unsigned)(seed % 3));
        }
        text_release(&text);
    }
    print_message("%u assertions were decided by several ranks\n", compared);
    assert_true(compared > seeds.count / 4);
}

static void ranks_answer_as_one(void **unused)
{
    (void)unused;
    compare_all(lin_random_print);
}

static void with_points_and_sets(void **unused)
{
    (void)unused;
    compare_all(lin_random_print_points);
    compare_all(lin_random_print_sets);
}

static void with_iterations_and_fields(void **unused)
{
    (void)unused;
    compare_all(lin_random_print_pure);
    compare_all(lin_random_print_write_once);
}

/* Whether three ranks know the answer that one has; no rank waits for another in vain. */
static bool is_known(const struct question *question, enum verdict right)
{
    struct thread_ranks ranks;
    struct shared_question asked = {.question = question};
    thread_ranks_init(&ranks, 3);
    thread_ranks_run(&ranks, decide_on_rank, &asked);
    thread_ranks_release(&ranks);
    if (asked.answer.verdict == VERDICT_TOO_LARGE || asked.answer.verdict == VERDICT_INTERNAL)
        return false;
    assert_int_equal(asked.answer.verdict, right);
    return true;
}

/* Memory is refused to one rank, early or late: what is said is right, or that it is not known. */
static void a_rank_without_memory_ends_all(void **unused)
{
    (void)unused;
    unsigned unknown = 0, known = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY;
        lin_random_print(seed, &text);
        const struct question question = {.text = text_string(&text),
                                          .used = ON_RANKS,
                                          .round = 1 + seed % 20,
                                          .poor = seed % 3,
                                          .memory = 1000 + 1237 * (seed * 7919 % 500)};
        const struct answer one = decide(&question, NULL, MOST_WORK);
        if (one.verdict != VERDICT_TOO_LARGE) {
            const bool is = is_known(&question, one.verdict);
            unknown += !is;
            known += is;
        }
        text_release(&text);
    }
    print_message("%u times it was not known, %u times it was\n", unknown, known);
    assert_true(unknown > 0 && known > 0);
}

/* The least memory that will do is looked for, so that what is refused is what comes last: the way
 * to a violation. */
static void a_rank_lacks_memory_for_the_way(void **unused)
{
    (void)unused;
    unsigned violated = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count && violated < 4; seed++) {
        struct text text = TEXT_EMPTY;
        lin_random_print(seed, &text);
        struct question question = {
            .text = text_string(&text), .used = ON_RANKS, .poor = 1 + seed % 2};
        const struct answer one = decide(&question, NULL, MOST_WORK);
        size_t low = 0, high = (size_t)16 << 20;
        violated += one.verdict == VERDICT_VIOLATED;
        while (one.verdict == VERDICT_VIOLATED && high - low > 32) {
            question.memory = low + (high - low) / 2;
            if (is_known(&question, one.verdict))
                high = question.memory;
            else
                low = question.memory;
        }
        text_release(&text);
    }
    assert_true(violated > 0);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_answer_as_one),
        cmocka_unit_test(with_points_and_sets),
        cmocka_unit_test(with_iterations_and_fields),
        cmocka_unit_test(a_rank_without_memory_ends_all),
        cmocka_unit_test(a_rank_lacks_memory_for_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
