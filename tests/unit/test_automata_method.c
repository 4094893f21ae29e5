/* `linearizes` decided by violation automata, against refinement with as many values as are ever
 * inserted: on random implementations that only copy values, and on published ones. Where an
 * operation may wait for ever after it has changed something the automata may leave it open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "support/any_random.h"
#include "support/grammar.h"
#include "support/lin_verdicts.h"
#include "support/seeds.h"

#define MOST_WORK    20000 /* steps of a product of a random implementation */
#define MOST_THREADS 3
#define MOST_CALLS   2 /* of a thread */

/* ---- random implementations ---- */

static struct seeds seeds = {.first = 1, .count = 70};

static struct tally {
    unsigned compared, holds, violated, open, programs;
} tally;

static bool is_answer(enum verdict verdict)
{
    return verdict == VERDICT_HOLDS || verdict == VERDICT_VIOLATED;
}

static const reductions all_sets[] = {REDUCE_NONE,          REDUCE_INTERVALS, REDUCE_SLICE,
                                      REDUCE_PARTIAL_ORDER, REDUCE_SYMMETRY,  REDUCE_ANTICHAIN};

static enum verdict by_automata(struct lin_fixture *fixture, size_t number, reductions used)
{
    struct limits limits;
    struct assertion_result result;
    limits_init(&limits, &fixture->budget);
    limits.most_work = MOST_WORK;
    const struct assertion_options options = {
        .reductions = used, .linearizing = LINEARIZING_BY_AUTOMATA, .limits = &limits};
    enum verdict verdict = lin_verdict_of(fixture, number, &options, &result);
    assertion_result_release(&result);
    return verdict;
}

/* True and a message if the automata, with these reductions, contradict what refinement says. */
static bool contradicts(struct lin_fixture *fixture, size_t number, enum verdict refinement,
                        reductions used, enum verdict *automata, struct text *message)
{
    *automata = by_automata(fixture, number, used);
    bool differ = is_answer(refinement) && is_answer(*automata) && refinement != *automata;
    if (!differ && *automata != VERDICT_INTERNAL)
        return false;
    text_format(message, "assertion %zu: by refinement %s, by automata with %x %s: %s", number,
                verdict_names[refinement], used, verdict_names[*automata], fixture->error.message);
    return true;
}

/* With all reductions, and with one or none. */
static bool differs_on(struct lin_fixture *fixture, size_t number, struct text *message)
{
    enum verdict refinement = lin_verdict(fixture, number, REDUCE_DEFAULT, MOST_WORK);
    enum verdict automata, again;
    bool found = contradicts(fixture, number, refinement, REDUCE_DEFAULT, &automata, message);
    tally.compared += is_answer(refinement) && is_answer(automata);
    tally.holds += automata == VERDICT_HOLDS;
    tally.violated += automata == VERDICT_VIOLATED;
    tally.open += is_answer(refinement) && automata == VERDICT_UNDECIDED;
    return found || contradicts(fixture, number, refinement,
                                all_sets[number % ARRAY_LENGTH(all_sets)], &again, message);
}

static bool differs(const char *text, struct text *message)
{
    struct lin_fixture fixture;
    bool found = false, parsed = lin_fixture_open(&fixture, text);
    tally.programs += parsed;
    for (size_t i = 0; parsed && !found && i < fixture.module.assertions.length; i++)
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

static void write_program(uint64_t seed, struct text *text)
{
    struct any_program program;
    any_random_create(&program, seed);
    text_append(text, text_string(&program.text));
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++)
        for (unsigned calls = 1; calls <= MOST_CALLS; calls++) {
            text_format(text, "assert it linearizes %s with threads = %u, ops = %u, values = %u",
                        program.spec, threads, calls, threads * calls);
            if (program.nodes)
                text_format(text, ", nodes = %u", program.nodes);
            text_append(text, ";\n");
        }
    any_random_release(&program);
}

static void methods_agree_on_random_implementations(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY, message = TEXT_EMPTY;
        write_program(seed, &text);
        bool found = differs(text_string(&text), &message);
        if (found) {
            grammar_shrink(&text, still_differs, NULL);
            text_clear(&message);
            (void)differs(text_string(&text), &message);
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, text_string(&message),
                     text_string(&text));
        }
        text_release(&message);
        text_release(&text);
    }
    print_message("seeds %llu to %llu: %u programs; %u assertions compared, %u hold, %u are "
                  "violated, %u left open\n",
                  (unsigned long long)seeds.first,
                  (unsigned long long)(seeds.first + seeds.count - 1), tally.programs,
                  tally.compared, tally.holds, tally.violated, tally.open);
    assert_true(tally.compared > seeds.count);
    assert_true(tally.holds > seeds.count / 2 && tally.violated > seeds.count / 2);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_agree_on_random_implementations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
