/* Comparing violation automata with the specification of their object. */
#include <inttypes.h>
#include <string.h>

#include "api/rules.h"
#include "base/quantity.h"
#include "base/require.h"
#include "base/text.h"
#include "lin/spec.h"
#include "rules/random_check.h"
#include "rules/random_history.h"
#include "spec/builtin.h"

#define RULES_RESULT_MAGIC UINT32_C(0x6c707272)
#define DEFAULT_BOUND      4

_Static_assert(LP_RULE_DEAD == VIOLATION_DEAD && LP_RULE_COLOURS == VIOLATION_COLOURS &&
                   LP_RULES_MOST_OPERATIONS == HISTORY_MOST_ENUMERATED &&
                   LP_RULES_RANDOM_LEAST == RANDOM_LEAST_OPERATIONS &&
                   LP_RULES_RANDOM_MOST == RANDOM_MOST_OPERATIONS &&
                   (int)LP_RULES_CLOSURE == (int)RULES_CLOSURE &&
                   (int)LP_RULES_STRICT == (int)RULES_STRICT &&
                   (int)LP_RULES_MATCHED == (int)HISTORY_MATCHED &&
                   (int)LP_RULES_IN_TURN == (int)HISTORY_IN_TURN,
               "linchpin/rules.h says what rules/ says");

struct comparing {
    lp_rules_result visible; /* first: lp_rules_result_destroy gets its address */
    uint32_t magic;
    lp_context *context;
    struct arena arena;
    const lp_rules *rules;
    struct rules_finding finding;
    struct random_finding random;
};

void rules_convert_history(const struct rule_object *object, const struct rules_history *found,
                           lp_rule_history *history)
{
    *history = (lp_rule_history){0};
    if (!found->found)
        return;
    history->operation_count = found->labelling.count;
    for (size_t i = 0; i < history->operation_count; i++) {
        struct labelled_operation operation = found->labelling.operations[i];
        history->operations[i] =
            (lp_rule_operation){.method = object->methods[operation.method].name,
                                .value = operation.value,
                                .has_value = object->methods[operation.method].role != METHOD_EMPTY,
                                .colour = found->colours[operation.value],
                                .marked = found->marks >> i & 1};
    }
    for (uint32_t at = 0; at < 2 * history->operation_count; at++) {
        uint8_t event = found->word.events[at];
        lp_rule_operation *operation = &history->operations[event & ~WORD_RETURN];
        *(event & WORD_RETURN ? &operation->ret : &operation->call) = at;
        event = found->read[at];
        operation = &history->operations[event & ~WORD_RETURN];
        *(event & WORD_RETURN ? &operation->read_ret : &operation->read_call) = at;
    }
}

static bool convert_sizes(struct comparing *comparing)
{
    lp_rules_size *sizes =
        arena_allocate(&comparing->arena, HISTORY_MOST_ENUMERATED * sizeof *sizes);
    comparing->visible.sizes = sizes;
    for (unsigned n = 1; sizes && n <= HISTORY_MOST_ENUMERATED; n++) {
        const struct rules_size *found = &comparing->finding.by_size[n];
        if (found->histories)
            sizes[comparing->visible.size_count++] = (lp_rules_size){
                n, found->histories, found->linearizable, found->missed, found->false_alarms};
    }
    return sizes != NULL;
}

static bool convert_automata(struct comparing *comparing)
{
    const struct rules_finding *finding = &comparing->finding;
    size_t count = comparing->rules->automata.length;
    lp_rules_automaton_result *automata =
        arena_allocate(&comparing->arena, count * sizeof *automata);
    comparing->visible.automata = automata;
    for (size_t a = 0; automata && a < count; a++) {
        automata[a].accepted = finding->accepted[a];
        automata[a].alone = finding->alone[a];
        rules_convert_history(comparing->rules->object, &finding->examples[a],
                              &automata[a].example);
    }
    return automata != NULL;
}

/* "; what violates REnqDeq may be missed, of which no automata are made" */
static void append_unmade(const lp_rules *rules, struct text *text)
{
    for (size_t i = 0; i < rules->unmade.length; i++)
        text_format(text, "%s%s", i ? " or " : "what violates ", rules->unmade.items[i].rule);
    text_append(text, ", of which no automata are made");
}

static bool convert_reason(struct comparing *comparing)
{
    lp_rules_result *visible = &comparing->visible;
    struct text text = TEXT_EMPTY;
    bool at_random = comparing->random.missed.found || comparing->random.false_alarm.found;
    if (visible->verdict == LP_VIOLATED && visible->accepted)
        text_format(&text, "%s accepts a history that is linearizable",
                    comparing->rules->automata.items[visible->culprit].name);
    else if (visible->verdict == LP_VIOLATED)
        text_append(&text,
                    "there is a history that is not linearizable and that no automaton accepts");
    else if (visible->verdict == LP_HOLDS)
        text_format(&text,
                    "of all histories of at most %u %s, the automata accept exactly those that "
                    "are not linearizable",
                    visible->size, visible->size == 1 ? "operation" : "operations");
    else if (visible->limit == LP_LIMIT_NONE) {
        text_append(&text, "there are histories that are not linearizable and that no automaton "
                           "accepts; they may be ");
        append_unmade(comparing->rules, &text);
    } else
        text_format(&text, "a limit was reached; up to %u %s there is no difference", visible->size,
                    visible->size == 1 ? "operation" : "operations");
    if (visible->random && at_random)
        text_format(&text, ", found at random (seed %" PRIu64 ")", visible->seed);
    else if (visible->random && visible->verdict == LP_HOLDS) {
        text_append(&text, "; and so they do of ");
        text_append_count(&text, visible->random_histories);
        text_format(&text, " random ones of %d to %d operations (seed %" PRIu64 ")",
                    LP_RULES_RANDOM_LEAST, LP_RULES_RANDOM_MOST, visible->seed);
    }
    visible->reason = arena_copy_text(&comparing->arena, text_string(&text), text.length);
    text_release(&text);
    return visible->reason != NULL;
}

static enum status convert(struct comparing *comparing)
{
    const struct rules_finding *finding = &comparing->finding;
    const struct random_finding *random = &comparing->random;
    lp_rules_result *visible = &comparing->visible;
    visible->size = finding->size;
    visible->limit = (lp_limit)(finding->limit ? finding->limit : random->limit);
    visible->verdict = finding->complete && random->limit == LIMIT_NONE ? LP_HOLDS : LP_UNDECIDED;
    visible->random_histories = random->histories;
    visible->random_linearizable = random->linearizable;
    visible->random_missed = comparing->rules->unmade.length ? random->overlooked : 0;
    /* A false alarm is shown first: it is one automaton's fault. */
    if (visible->random_missed && visible->verdict == LP_HOLDS)
        visible->verdict = LP_UNDECIDED;
    visible->accepted = finding->false_alarm.found || random->false_alarm.found;
    visible->culprit = random->false_alarm.found ? random->culprit : finding->culprit;
    const struct rules_history *found[] = {&finding->false_alarm, &random->false_alarm,
                                           &finding->missed, &random->missed};
    bool partial = comparing->rules->unmade.length > 0;
    for (unsigned i = 0; i < 4 && !visible->difference.operation_count; i++)
        if (found[i]->found) {
            visible->verdict = i >= 2 && partial ? LP_UNDECIDED : LP_VIOLATED;
            rules_convert_history(comparing->rules->object, found[i], &visible->difference);
        }
    return granted(convert_sizes(comparing) && convert_automata(comparing) &&
                   convert_reason(comparing));
}

/* Whether the histories that were chosen are ones of the object. */
static enum status check_choice(const lp_rules *rules, const lp_rules_options *options,
                                struct error *error)
{
    const struct rule_object *object = rules->object;
    const char *name = rules->automata.items[0].object;
    if (options->histories == LP_RULES_IN_TURN &&
        (!object->values_are_processes || object->method_count != 2))
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "only clients of a mutex or semaphore call in turn, not those of a %s",
                         name);
    bool takes = object->method_count > 1 && object->methods[1].role != METHOD_ADDS &&
                 object->methods[1].role != METHOD_EMPTY;
    if (options->histories == LP_RULES_MATCHED && !takes)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "only where the second method of a specification takes a value are there "
                         "matched histories: not of a %s",
                         name);
    return STATUS_OK;
}

enum status rules_expect_single(struct spec **spec, struct error *error)
{
    if ((*spec)->class->together_count == 0)
        return STATUS_OK;
    enum status status =
        error_set(error, STATUS_INPUT, NULL, 0,
                  "expected a specification without `%s`, found `%s`: rules and automata are about "
                  "one operation after the other",
                  (*spec)->class->is_open ? "op open" : "together", (*spec)->class->name);
    spec_destroy(*spec);
    *spec = NULL;
    return status;
}

enum status rules_make_spec(const lp_rules *rules, struct spec **spec, struct error *error)
{
    lp_context *context = rules->context;
    const char *name = rules->automata.items[0].object;
    const struct spec_request request = {.name = name};
    if (rules->script) {
        TRY(lin_spec_from_script(rules->script, name, &request, context->pool, &context->budget,
                                 spec, error));
        return rules_expect_single(spec, error);
    }
    return spec_create(&request, context->pool, &context->budget, spec, error);
}

static enum status compare(struct comparing *comparing, const lp_rules_options *options,
                           struct error *error)
{
    lp_context *context = comparing->context;
    lp_rules_result *visible = &comparing->visible;
    const lp_rules *rules = comparing->rules;
    struct limits limits;
    struct spec *spec;
    uint64_t started = clock_nanoseconds();
    limits_for(&limits, context, &context->budget, options->timeout);
    TRY(check_choice(rules, options, error));
    TRY(rules_make_spec(rules, &spec, error));
    const struct rules_request request = {.object = rules->object,
                                          .automata = rules->automata.items,
                                          .automaton_count = rules->automata.length,
                                          .spec = spec,
                                          .bound = options->bound ? options->bound : DEFAULT_BOUND,
                                          .histories = (enum history_choice)options->histories,
                                          .words = (enum rules_words)options->words,
                                          .partial = rules->unmade.length > 0,
                                          .threads = threads_for(options->jobs)};
    enum status status =
        rules_check(&request, &limits, &comparing->arena, &comparing->finding, error);
    visible->random = options->random_histories > 0 && options->histories != LP_RULES_MATCHED &&
                      options->words != LP_RULES_CLOSURE;
    visible->seed = options->seed;
    const struct rules_finding *finding = &comparing->finding;
    const struct random_request random = {options->seed, options->random_histories};
    if (status == STATUS_OK && visible->random && finding->complete &&
        (request.partial || !finding->missed.found) && !finding->false_alarm.found)
        status = rules_check_random(&request, &random, &limits, &comparing->random, error);
    spec_destroy(spec);
    TRY(status);
    comparing->visible.seconds = seconds_since(started);
    return convert(comparing);
}

lp_status lp_rules_check(lp_context *context, const lp_rules *rules,
                         const lp_rules_options *options, lp_rules_result **result, lp_error *error)
{
    lp_rules_options own;
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    REQUIRE_NOT_NULL(result);
    REQUIRE_SIZED(&own, options, timeout);
    options = &own;
    REQUIRE(options->bound <= LP_RULES_MOST_OPERATIONS, "the bound is too large");
    struct error fault = {0};
    *result = NULL;
    if (!rules->automata.length) {
        error_set(&fault, STATUS_USAGE, NULL, 0, "there are no automata to check");
        return report_status(STATUS_USAGE, &fault, error);
    }
    enum status status = STATUS_LIMIT;
    struct comparing *comparing = memory_zeroed(&context->budget, sizeof *comparing);
    if (comparing) {
        comparing->magic = RULES_RESULT_MAGIC;
        comparing->context = context;
        comparing->rules = rules;
        arena_init(&comparing->arena, &context->budget);
        status = compare(comparing, options, &fault);
    }
    if (status == STATUS_LIMIT)
        error_set(&fault, status, NULL, 0, "the memory limit is reached");
    if (status == STATUS_OK)
        *result = &comparing->visible;
    else if (comparing)
        lp_rules_result_destroy(&comparing->visible);
    return report_status(status, &fault, error);
}

void lp_rules_result_destroy(lp_rules_result *result)
{
    if (!result)
        return;
    struct comparing *comparing = (struct comparing *)result;
    REQUIRE_ALIVE(comparing, RULES_RESULT_MAGIC);
    comparing->magic = 0;
    arena_release(&comparing->arena);
    memory_release(&comparing->context->budget, comparing, sizeof *comparing);
}
