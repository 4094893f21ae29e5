/* The monitor of rule sets: whether a history can be linearized to what a rule makes is what trying
 * all orders says; every violation that it finds is one; and where rules are step-by-step
 * linearizable and everything is known, it finds one of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lin/spec.h"
#include "monitor/monitors.h"
#include "monitor/rules_match.h"
#include "rules/history.h"
#include "spec/rule_set_words.h"
#include "support/generate.h"
#include "support/oracle.h"
#include "support/rule_derivation.h"

#define SEED  UINT64_C(20261125)
#define PARTS 1500

/* ---- one rule and one witness ---- */

struct matching {
    const struct rule_set *set;
    const struct rule_labelling *labelling;
    struct rules_view view;
    struct part part;
    struct rules_event events[2 * RULE_MOST_EVENTS];
    uint16_t method[RULE_MOST_EVENTS];
    uint32_t group[RULE_MOST_EVENTS], next[RULE_MOST_EVENTS], first[RULE_MOST_EVENTS];
    uint32_t ranks[RULE_MOST_EVENTS];
    bool out[RULE_MOST_EVENTS];
    uint8_t item[RULE_MOST_EVENTS];
    uint64_t matches, others, undecided;
    unsigned number;
};

/* Some order of the operations that respects the history, continued in every way. */
static bool try_orders(const struct matching *matching, const struct word *word, unsigned rule,
                       uint32_t witness, unsigned done, struct rule_event *events, unsigned length)
{
    const struct rule_labelling *labelling = matching->labelling;
    bool ordered = matching->set->values == RULE_VALUES_ORDERED;
    if (length == labelling->count) {
        const struct rule_word made = {events, length, ordered ? matching->ranks : NULL};
        return derivation_makes(matching->set, rule, &made, witness);
    }
    for (unsigned i = 0; i < labelling->count; i++) {
        if ((done >> i & 1) || (word->before[i] & ~done))
            continue;
        events[length] = labelling->events[i];
        if (try_orders(matching, word, rule, witness, done | 1u << i, events, length + 1))
            return true;
    }
    return false;
}

static bool match_history(void *context, const struct word *word)
{
    struct matching *matching = context;
    struct rule_event events[RULE_MOST_EVENTS];
    for (unsigned at = 0; at < 2u * matching->labelling->count; at++)
        matching->events[at] =
            (struct rules_event){word->events[at] & ~WORD_RETURN, word->events[at] & WORD_RETURN};
    for (unsigned r = 1; r < matching->set->rule_count; r++)
        for (uint32_t x = 0; x < matching->labelling->group_count; x++) {
            enum rules_match found = rules_match(&matching->view, r, x);
            bool expected = try_orders(matching, word, r, x, 0, events, 0);
            matching->matches += expected;
            matching->others += !expected;
            matching->undecided += found == RULES_UNDECIDED;
            if (found != RULES_UNDECIDED && (found == RULES_MATCH) != expected)
                fail_msg("random rules %u of seed %llu: rule %u, witness %u", matching->number,
                         (unsigned long long)SEED, r, x);
        }
    return true;
}

static bool match_labelling(void *context, const struct rule_labelling *labelling)
{
    struct matching *matching = context;
    const struct labelling shape = {.count = labelling->count};
    matching->labelling = labelling;
    matching->part = (struct part){.count = labelling->count, .positions = 2u * labelling->count};
    matching->view = (struct rules_view){
        .part = &matching->part,
        .set = matching->set,
        .events = matching->events,
        .method = matching->method,
        .group = matching->group,
        .next = matching->next,
        .group_count = labelling->group_count,
        .first = matching->first,
        .ranks = matching->set->values == RULE_VALUES_ORDERED ? matching->ranks : NULL,
        .out = matching->out,
        .item = matching->item};
    for (unsigned g = 0; g < labelling->group_count; g++) {
        matching->first[g] = GROUP_NONE;
        matching->ranks[g] = labelling->group_count - 1u - g;
    }
    for (unsigned i = 0; i < labelling->count; i++) {
        uint32_t *first = &matching->first[labelling->events[i].group];
        matching->method[i] = labelling->events[i].method;
        matching->group[i] = labelling->events[i].group;
        matching->next[i] = *first;
        *first = i;
    }
    return words_visit(&shape, HISTORY_ALL, match_history, matching);
}

static void matching_is_what_trying_all_orders_says(void **unused)
{
    (void)unused;
    struct random random;
    struct matching matching = {0};
    random_seed(&random, SEED);
    for (unsigned i = 0; i < 250; i++) {
        struct rule_set set;
        struct rule_shapes shapes;
        struct budget budget;
        rule_set_random(&set, &random);
        matching.set = &set;
        matching.number = i;
        budget_init(&budget, NULL, 0);
        vector_init(&shapes.items, &budget);
        assert_true(rule_shapes_find(&set, 3, &shapes));
        for (unsigned n = 1; n <= 3; n++)
            assert_true(rule_labellings_visit(&shapes, n, match_labelling, &matching));
        vector_release(&shapes.items);
    }
    print_message("%llu match, %llu do not, %llu undecided\n", (unsigned long long)matching.matches,
                  (unsigned long long)matching.others, (unsigned long long)matching.undecided);
    assert_true(matching.matches > 1000 && matching.others > 1000);
    assert_true(matching.undecided < matching.others / 10);
}

/* ---- histories ---- */

struct subject_rules {
    struct subject subject;
    struct spec *spec;
    struct sample rebound;
};

static void open_rules(struct subject_rules *rules, const char *workload, const char *name)
{
    char path[512];
    struct error error;
    struct spec_request request = {0};
    *rules = (struct subject_rules){0};
    snprintf(path, sizeof path, "%s/examples/rules/%s.lin", SOURCE_DIR, name);
    subject_open(&rules->subject, workload_find(workload));
    if (lin_spec_open(path, &request, rules->subject.pool, &rules->subject.budget, &rules->spec,
                      &error) != STATUS_OK)
        fail_msg("%s: %s", path, error.message);
}

static void close_rules(struct subject_rules *rules)
{
    sample_release(&rules->rebound);
    spec_destroy(rules->spec);
    subject_close(&rules->subject);
}

/* The part with every call bound again, by the rules. */
static const struct part *rebind(struct subject_rules *rules, const struct part *part)
{
    sample_copy_part(&rules->rebound, part);
    rules->rebound.part.spec = rules->spec;
    for (uint32_t i = 0; i < part->count; i++) {
        struct interval *interval = &rules->rebound.intervals[i];
        const char *name = part->spec->class->operations[interval->call.operation].name;
        int operation = spec_operation_find(rules->spec->class, name, strlen(name));
        const struct recorded recorded = {.argument = interval->call.argument,
                                          .result = interval->call.result,
                                          .completed = interval->response != POSITION_NEVER,
                                          .result_recorded = interval->call.result_known,
                                          .process = interval->call.process};
        struct text complaint = TEXT_EMPTY;
        assert_true(operation >= 0);
        assert_int_equal(
            spec_bind(rules->spec, (uint16_t)operation, &recorded, &interval->call, &complaint),
            STATUS_OK);
        text_release(&complaint);
    }
    return &rules->rebound.part;
}

static enum verdict monitor(struct subject_rules *rules, const struct part *part)
{
    struct limits limits;
    struct decision decision;
    struct error error;
    limits_init(&limits, &rules->subject.budget);
    decision_init(&decision, &rules->subject.budget);
    assert_true(monitor_applies(part, &limits, NULL));
    assert_int_equal(monitor_decide(part, &limits, &decision, &error), STATUS_OK);
    enum verdict verdict = decision.verdict;
    assert_int_equal(decision.limit, LIMIT_NONE);
    if (verdict == VERDICT_VIOLATION) { /* so is the evidence by itself */
        struct sample alone = {0};
        assert_true(decision.evidence.length > 0 && decision.reason.length > 0);
        sample_copy_part(&alone, part);
        alone.part.count = 0;
        for (size_t i = 0; i < decision.evidence.length; i++)
            alone.intervals[alone.part.count++] = part->intervals[decision.evidence.items[i]];
        sample_renumber(&alone);
        assert_false(oracle_linearizable(&alone.part));
        sample_release(&alone);
    }
    decision_release(&decision);
    return verdict;
}

/* Whether nothing is pending, every answer is known, and no value is given twice. */
static bool is_all_known(const struct part *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const struct call *call = &part->intervals[i].call;
        bool answers = part->spec->class->operations[call->operation].result[0] != 0;
        if (part->intervals[i].response == POSITION_NEVER || (answers && !call->result_known))
            return false;
        for (uint32_t j = 0; j < i && !answers; j++)
            if (part->intervals[j].call.operation == call->operation &&
                part->intervals[j].call.argument == call->argument)
                return false;
    }
    return true;
}

/* `complete`: nothing is pending, all is known, each value is new. */
static void compare(const char *workload, const char *name, bool complete)
{
    struct subject_rules rules;
    struct random random;
    struct sample sample = {0};
    unsigned violations = 0, found = 0;
    open_rules(&rules, workload, name);
    random_seed(&random, SEED);
    bool ordered = strcmp(name, "priority_queue") == 0;
    for (unsigned i = 0; i < PARTS; i++) {
        struct shape shape = {.operations = 1 + random_below(&random, 9),
                              .processes = 1 + random_below(&random, 5),
                              .values = complete || ordered ? 0 : 3,
                              .pending_percent = complete ? 0 : 15,
                              .unknown_percent = complete ? 0 : 10,
                              .mutate_percent = 70,
                              .eagerness = random_below(&random, 3)};
        sample_random(&sample, &rules.subject, &random, &shape);
        if (complete && !is_all_known(&sample.part))
            continue;
        bool expected = !oracle_linearizable(&sample.part);
        enum verdict verdict = monitor(&rules, rebind(&rules, &sample.part));
        violations += expected;
        found += verdict == VERDICT_VIOLATION;
        if (verdict == VERDICT_LINEARIZABLE || (verdict == VERDICT_VIOLATION && !expected) ||
            (complete && expected && verdict != VERDICT_VIOLATION)) {
            struct text text = TEXT_EMPTY;
            sample_print(&sample.part, &text);
            fail_msg("%s: part %u of seed %llu: %s", name, i, (unsigned long long)SEED,
                     text_string(&text));
        }
    }
    print_message("%s, %s: %u of %u violations\n", name, complete ? "all known" : "not all known",
                  found, violations);
    assert_true(found > PARTS / 100 && violations < PARTS * 3 / 4);
    sample_release(&sample);
    close_rules(&rules);
}

static void violations_are_found_where_all_is_known(void **unused)
{
    (void)unused;
    compare("queue", "queue", true);
    compare("stack", "stack", true);
    compare("register", "register", true);
    compare("priority-queue", "priority_queue", true);
}

static void violations_that_are_found_are_violations(void **unused)
{
    (void)unused;
    compare("queue", "queue", false);
    compare("stack", "stack", false);
    compare("register", "register", false);
    compare("priority-queue", "priority_queue", false);
}

static void what_is_guessed_is_left_to_the_search(void **unused)
{
    (void)unused;
    static const char *const names[][2] = {
        {"mutex", "mutex"}, {"semaphore", "semaphore"}, {"set", "set"}};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        struct subject_rules rules;
        struct sample sample = {0};
        struct limits limits;
        struct inapplicable why = {.reason = TEXT_EMPTY};
        open_rules(&rules, names[i][0], names[i][1]);
        sample_start(&sample, &rules.subject, 0);
        limits_init(&limits, &rules.subject.budget);
        assert_false(monitor_applies(rebind(&rules, &sample.part), &limits, &why));
        assert_non_null(strstr(text_string(&why.reason), "which operations belong together"));
        text_release(&why.reason);
        sample_release(&sample);
        close_rules(&rules);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matching_is_what_trying_all_orders_says),
        cmocka_unit_test(violations_are_found_where_all_is_known),
        cmocka_unit_test(violations_that_are_found_are_violations),
        cmocka_unit_test(what_is_guessed_is_left_to_the_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
