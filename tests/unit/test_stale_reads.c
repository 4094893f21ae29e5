/* States in which a thread holds what is stale are left out: the answer must be that of the full
 * product. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/attributes.h"
#include "support/grammar.h"
#include "support/lin_random_stale.h"
#include "support/lin_verdicts.h"
#include "support/seeds.h"

#define MOST_WORK 40000 /* steps of a product; larger ones are left out */

static struct seeds seeds = {.first = 1, .count = 150};

static const reductions sets[] = {REDUCE_STALE,
                                  REDUCE_STALE | REDUCE_SLICE,
                                  REDUCE_STALE | REDUCE_INTERVALS,
                                  REDUCE_STALE | REDUCE_PURE | REDUCE_INTERVALS,
                                  REDUCE_STALE | REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER,
                                  REDUCE_STALE | REDUCE_SYMMETRY | REDUCE_ANTICHAIN,
                                  REDUCE_DEFAULT,
                                  REDUCE_DEFAULT | REDUCE_STALE};

struct tally {
    unsigned held, violated, fewer;
};

struct decided {
    enum verdict verdict;
    bool used;
    uint64_t states;
};

static struct decided decide(struct lin_fixture *fixture, reductions used)
{
    struct limits limits;
    struct assertion_result result;
    limits_init(&limits, &fixture->budget);
    limits.most_work = MOST_WORK;
    const struct assertion_options options = {.reductions = used, .limits = &limits};
    struct decided decided = {.verdict = lin_verdict_of(fixture, 0, &options, &result)};
    decided.states = result.states;
    decided.used = result.reductions & REDUCE_STALE;
    assertion_result_release(&result);
    return decided;
}

static bool is_answer(enum verdict verdict)
{
    return verdict == VERDICT_HOLDS || verdict == VERDICT_VIOLATED || verdict == VERDICT_INTERNAL;
}

static bool differs(const char *text, struct text *message, struct tally *tally)
{
    struct lin_fixture fixture;
    bool found = false;
    const bool parsed = lin_fixture_open(&fixture, text) && fixture.module.assertions.length == 1;
    const struct decided full =
        parsed ? decide(&fixture, REDUCE_NONE) : (struct decided){.verdict = VERDICT_WRONG_TEXT};
    if (full.verdict == VERDICT_WRONG_TEXT)
        text_format(message, "%u: %s", fixture.error.line, fixture.error.message);
    found = full.verdict == VERDICT_WRONG_TEXT && tally;
    for (size_t i = 0; is_answer(full.verdict) && i < ARRAY_LENGTH(sets) && !found; i++) {
        const struct decided reduced = decide(&fixture, sets[i]);
        found = is_answer(reduced.verdict) && reduced.verdict != full.verdict;
        if (found)
            text_format(message, "the full product %s, with reductions %x it %s: %s",
                        verdict_names[full.verdict], sets[i], verdict_names[reduced.verdict],
                        fixture.error.message);
        if (tally && i == 0 && reduced.used && full.verdict == VERDICT_HOLDS)
            tally->fewer += reduced.states < full.states;
    }
    if (tally) {
        tally->held += full.verdict == VERDICT_HOLDS;
        tally->violated += full.verdict == VERDICT_VIOLATED;
    }
    lin_fixture_close(&fixture);
    return found;
}

static bool still_differs(void *context, const char *text)
{
    struct text message = TEXT_EMPTY;
    (void)context;
    const bool found = differs(text, &message, NULL);
    text_release(&message);
    return found;
}

static void what_is_stale_is_never_needed(void **unused)
{
    struct tally tally = {0};
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY, message = TEXT_EMPTY;
        lin_random_print_stale(seed, &text);
        if (differs(text_string(&text), &message, &tally)) {
            grammar_shrink(&text, still_differs, NULL);
            text_clear(&message);
            (void)differs(text_string(&text), &message, NULL);
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, text_string(&message),
                     text_string(&text));
        }
        text_release(&message);
        text_release(&text);
    }
    print_message("%u hold, %u of them with fewer states; %u are violated\n", tally.held,
                  tally.fewer, tally.violated);
    assert_true(tally.held > seeds.count / 8);
    assert_true(tally.violated > seeds.count / 8);
    assert_true(tally.fewer > seeds.count / 40);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stale_is_never_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
