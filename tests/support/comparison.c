#include "support/comparison.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decide/decide.h"
#include "decide/definition.h"
#include "decide/witness.h"
#include "support/oracle.h"
#include "support/scatter.h"

/* With nearly everything pending, looking at evidence costs far more than deciding the part. */
#define EVIDENCE_ONE_IN 4

/* What the definition or a monitor says of one part. */
struct opinion {
    struct budget budget;
    struct limits limits;
    struct decision decision;
};

static void opinion_ask(struct opinion *opinion, decide *ask, const struct part *part)
{
    struct error error = {0};
    budget_init(&opinion->budget, NULL, 0);
    limits_init(&opinion->limits, &opinion->budget);
    decision_init(&opinion->decision, &opinion->budget);
    if (ask(part, &opinion->limits, &opinion->decision, &error) != STATUS_OK)
        fail_msg("%s", error.message);
}

static void opinion_release(struct opinion *opinion)
{
    decision_release(&opinion->decision);
    assert_int_equal(opinion->budget.used, 0);
}

static bool violates(const struct part *part)
{
    struct opinion opinion;
    opinion_ask(&opinion, definition_decide, part);
    enum verdict verdict = opinion.decision.verdict;
    assert_int_not_equal(verdict, VERDICT_UNKNOWN);
    opinion_release(&opinion);
    return verdict == VERDICT_VIOLATION;
}

/* The violation with all operations outside the evidence turned pending. */
static bool evidence_violates(const struct part *part, const struct decision *decision)
{
    bool shown[ORACLE_MOST] = {false};
    for (size_t i = 0; i < decision->evidence.length; i++)
        shown[decision->evidence.items[i]] = true;
    return !oracle_relaxed_linearizable(part, shown);
}

static const char *evidence_fault(const struct part *part, const struct decision *decision)
{
    if (decision->evidence.length == 0)
        return "the violation has no evidence";
    for (size_t i = 0; i < decision->evidence.length; i++) {
        if (decision->evidence.items[i] >= part->count)
            return "the evidence names an operation that is not there";
        for (size_t j = 0; j < i; j++)
            if (decision->evidence.items[j] == decision->evidence.items[i])
                return "the evidence names an operation twice";
    }
    return decision->reason.length ? NULL : "the violation has no reason";
}

/* What is wrong with the monitor's answer, null if nothing is. */
static const char *decision_fault(const struct part *part, struct opinion *opinion)
{
    const struct decision *decision = &opinion->decision;
    bool violation = violates(part);
    if (decision->verdict == VERDICT_UNKNOWN)
        return "undecided";
    if (decision->verdict != (violation ? VERDICT_VIOLATION : VERDICT_LINEARIZABLE))
        return violation ? "linearizable, but it is a violation" : "violation, but it is none";
    if (violation)
        return evidence_fault(part, decision);
    return witness_is_valid(part, decision->linearization.items, decision->linearization.length,
                            &opinion->limits, NULL)
               ? NULL
               : "the linearization is not valid";
}

static bool applies(const struct part *part, const char **fault)
{
    struct budget budget;
    struct limits limits;
    struct inapplicable why = {0};
    budget_init(&budget, NULL, 0);
    limits_init(&limits, &budget);
    bool yes = monitor_applies(part, &limits, &why);
    *fault = NULL;
    if (!yes && (why.reason.length == 0 || why.interval > part->count))
        *fault = "does not apply, and does not say why";
    if (yes != monitor_applies(part, &limits, NULL))
        *fault = "applies depends on being asked why";
    text_release(&why.reason);
    assert_int_equal(budget.used, 0);
    return yes;
}

static void print_weak(const struct part *part, const struct decision *decision)
{
    struct text text = TEXT_EMPTY;
    sample_print(part, &text);
    print_message("weak: %s: %s\n", text_string(&text), text_string(&decision->reason));
    for (size_t i = 0; i < decision->evidence.length; i++)
        print_message("    operation %" PRIu32 "\n", decision->evidence.items[i]);
    text_release(&text);
}

static enum status decide_left(const struct part *part, struct limits *limits,
                               struct decision *decision, struct error *error)
{
    return part_decide(part, METHOD_AUTO, limits, decision, NULL, error);
}

/* What is wrong with what others say of a part that the monitor leaves to them. */
static const char *left_fault(const struct part *part)
{
    struct opinion opinion;
    opinion_ask(&opinion, decide_left, part);
    const enum verdict verdict = opinion.decision.verdict;
    opinion_release(&opinion);
    return verdict == (violates(part) ? VERDICT_VIOLATION : VERDICT_LINEARIZABLE)
               ? NULL
               : "what the monitor leaves is not decided as by the definition";
}

static const char *fault_of(struct comparison *comparison, const struct part *part, bool count)
{
    const char *fault;
    bool applicable = applies(part, &fault);
    if (fault || !applicable) {
        comparison->parts += count;
        return fault;
    }
    struct opinion opinion;
    opinion_ask(&opinion, monitor_decide, part);
    if (comparison->may_give_up > 0 && opinion.decision.verdict == VERDICT_UNKNOWN) {
        comparison->parts += count;
        comparison->applicable += count;
        comparison->given_up += count;
        comparison->given_up_linearizable += count && !violates(part);
        opinion_release(&opinion);
        return left_fault(part);
    }
    fault = decision_fault(part, &opinion);
    if (count && !fault) {
        bool violation = opinion.decision.verdict == VERDICT_VIOLATION;
        comparison->parts++;
        comparison->applicable++;
        comparison->violations += violation;
        comparison->linearizable += !violation;
        comparison->evidence += opinion.decision.evidence.length;
        bool looked_at = violation && comparison->violations % EVIDENCE_ONE_IN == 0;
        comparison->looked_at += looked_at;
        if (looked_at && evidence_violates(part, &opinion.decision))
            comparison->evident++;
        else if (looked_at && getenv("LINCHPIN_SHOW_WEAK_EVIDENCE"))
            print_weak(part, &opinion.decision);
    }
    opinion_release(&opinion);
    return fault;
}

static bool still_faulty(void *context, const struct part *part)
{
    return fault_of(context, part, false) != NULL;
}

void comparison_part(struct comparison *comparison, const struct part *part)
{
    if (!fault_of(comparison, part, true))
        return;
    struct sample sample = {0};
    struct text text = TEXT_EMPTY;
    sample_copy_part(&sample, part);
    sample_shrink(&sample, still_faulty, comparison);
    sample_print(&sample.part, &text);
    print_error("%s: %s\n", comparison->label, text_string(&text));
    fail_msg("%s", fault_of(comparison, &sample.part, false));
}

void comparison_visit(void *context, const struct part *part)
{
    comparison_part(context, part);
}

void comparison_print(const struct comparison *comparison)
{
    print_message(
        "%s: %" PRIu64 " parts, monitor applies to %" PRIu64 ", %" PRIu64
        " violations (evidence suffices for %" PRIu64 " of %" PRIu64 ", %.1f operations)\n",
        comparison->label, comparison->parts, comparison->applicable, comparison->violations,
        comparison->evident, comparison->looked_at,
        comparison->violations ? (double)comparison->evidence / (double)comparison->violations
                               : 0.0);
    if (comparison->may_give_up > 0)
        print_message("%s: the monitor gave up %" PRIu64 " times, %" PRIu64
                      " of them linearizable\n",
                      comparison->label, comparison->given_up, comparison->given_up_linearizable);
}

/* Neither verdict may be a rare case: one in `share` at most has the other. */
static void check_shares(const struct comparison *comparison, const struct comparison *before,
                         uint64_t share)
{
    comparison_print(comparison);
    uint64_t applicable = comparison->applicable - before->applicable;
    uint64_t violations = comparison->violations - before->violations;
    assert_in_range(violations, applicable / share, applicable - applicable / share);
}

void comparison_random(struct comparison *comparison, const struct subject *subject,
                       const struct random_comparison *how)
{
    struct random random;
    struct sample sample = {0};
    random_seed(&random, how->seed);
    print_message("%s: seed %" PRIu64 "\n", comparison->label, how->seed);
    struct comparison before = *comparison;
    for (uint64_t tries = 0; comparison->applicable < before.applicable + how->least; tries++) {
        if (tries == how->least * 50)
            fail_msg("the monitor applies to too few parts");
        struct shape shape = {.operations =
                                  1 + random_below(&random, how->invoked ? how->invoked : 9),
                              .processes = 1 + random_below(&random, 4),
                              .values = how->values,
                              .pending_percent = random_below(&random, 3) * 15,
                              .unknown_percent = random_chance(&random, 1, 8) ? 20 : 0,
                              .eagerness = random_below(&random, 4)};
        sample_random(&sample, subject, &random, &shape);
        for (uint32_t mutations = random_below(&random, 8); mutations > 0; mutations--)
            sample_mutate(&sample, subject, &random);
        if (sample.part.count <= 9)
            comparison_part(comparison, &sample.part);
    }
    sample_release(&sample);
    check_shares(comparison, &before, 5);
}

void comparison_around(struct comparison *comparison, const struct subject *subject,
                       const char *text, uint64_t seed, uint64_t count)
{
    struct random random;
    struct sample sample = {0};
    random_seed(&random, seed);
    print_message("%s: seed %" PRIu64 "\n", comparison->label, seed);
    struct comparison before = *comparison;
    for (uint64_t i = 0; i < count; i++) {
        sample_parse(&sample, subject, text);
        for (uint32_t changes = random_below(&random, 6); changes > 0; changes--)
            if (random_chance(&random, 1, 4))
                sample_mutate(&sample, subject, &random);
            else
                scatter_nudge(&sample, &random);
        comparison_part(comparison, &sample.part);
    }
    sample_release(&sample);
    check_shares(comparison, &before, 10);
}

void comparison_scatter(struct comparison *comparison, const struct subject *subject, uint64_t seed,
                        uint64_t count)
{
    struct random random;
    struct sample sample = {0};
    random_seed(&random, seed);
    print_message("%s, scattered: seed %" PRIu64 "\n", comparison->label, seed);
    struct comparison before = *comparison;
    for (uint64_t i = 0; i < count; i++) {
        const struct scatter scatter = scatter_any(&random, 9);
        scatter_part(&sample, subject, &random, &scatter);
        comparison_part(comparison, &sample.part);
    }
    sample_release(&sample);
    check_shares(comparison, &before, 5);
}

void comparison_exhaustive(struct comparison *comparison, const struct subject *subject,
                           uint32_t most, uint32_t keep_one_in)
{
    for (uint32_t operations = 0; operations <= most; operations++) {
        struct enumeration enumeration = {.operations = operations,
                                          .values = 2,
                                          .keep_one_in = operations == most ? keep_one_in : 1,
                                          .seed = operations,
                                          .visit = comparison_visit,
                                          .context = comparison};
        sample_enumerate(subject, &enumeration);
    }
    comparison_print(comparison);
}

void comparison_stories(struct comparison *comparison, const struct subject *subject,
                        const struct story *stories, size_t count)
{
    struct sample sample = {0};
    for (size_t i = 0; i < count; i++) {
        struct opinion opinion;
        struct text evidence = TEXT_EMPTY;
        sample_parse(&sample, subject, stories[i].part);
        comparison_part(comparison, &sample.part);
        opinion_ask(&opinion, monitor_decide, &sample.part);
        const struct decision *decision = &opinion.decision;
        for (size_t j = 0; j < decision->evidence.length; j++)
            text_format(&evidence, j ? " %" PRIu32 : "%" PRIu32, decision->evidence.items[j]);
        if (strcmp(text_string(&decision->reason), stories[i].reason ? stories[i].reason : "") ||
            (stories[i].evidence && strcmp(text_string(&evidence), stories[i].evidence)))
            fail_msg("%s: %s (evidence %s)", stories[i].part, text_string(&decision->reason),
                     text_string(&evidence));
        text_release(&evidence);
        opinion_release(&opinion);
    }
    sample_release(&sample);
    assert_int_equal(comparison->applicable, comparison->parts);
}

void monitor_compare(const struct workload *workload, uint32_t most, uint32_t keep_one_in,
                     const struct random_comparison *random)
{
    monitor_compare_giving_up(workload, most, keep_one_in, random, 0);
}

void monitor_compare_giving_up(const struct workload *workload, uint32_t most, uint32_t keep_one_in,
                               const struct random_comparison *random, uint32_t percent)
{
    struct subject subject;
    subject_open(&subject, workload);
    struct comparison comparison = {.label = workload->name, .may_give_up = percent};
    comparison_exhaustive(&comparison, &subject, most, keep_one_in);
    comparison_random(&comparison, &subject, random);
    assert_int_equal(comparison.evident, comparison.looked_at);
    assert_true(comparison.given_up * 100 <= comparison.applicable * percent);
    subject_close(&subject);
}

void monitor_tell(const struct workload *workload, const struct story *stories, size_t count)
{
    struct subject subject;
    subject_open(&subject, workload);
    struct comparison comparison = {.label = workload->name};
    comparison_stories(&comparison, &subject, stories, count);
    subject_close(&subject);
}

void monitor_refuse(const struct refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct subject subject;
        struct sample sample = {0};
        struct limits limits;
        struct inapplicable why = {0};
        subject_open(&subject, workload_find(refusals[i].workload));
        limits_init(&limits, &subject.budget);
        sample_parse(&sample, &subject, refusals[i].part);
        assert_false(monitor_applies(&sample.part, &limits, &why));
        assert_string_equal(text_string(&why.reason), refusals[i].reason);
        assert_int_equal(why.interval, refusals[i].interval);
        text_release(&why.reason);
        sample_release(&sample);
        subject_close(&subject);
    }
}
