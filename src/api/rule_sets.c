/* Inductive rules: reading those of a file, and testing their properties. */
#include <string.h>

#include <linchpin/rule_sets.h>

#include "api/objects.h"
#include "api/rules.h"
#include "base/require.h"
#include "base/text.h"
#include "lin/check.h"
#include "lin/parser.h"
#include "lin/rules.h"
#include "lin/spec.h"
#include "rules/by_rule.h"
#include "rules/lin_automata.h"
#include "rules/rule_set_check.h"
#include "spec/builtin.h"

#define RULE_SET_RESULT_MAGIC UINT32_C(0x6c707274)
#define DEFAULT_BOUND         4

_Static_assert(LP_RULES_MOST_OPERATIONS == RULE_MOST_EVENTS,
               "linchpin/rule_sets.h says what rules/ says");

/* ---- reading ---- */

static lp_rule_sets *sets_create(lp_context *context)
{
    lp_rule_sets *sets = memory_zeroed(&context->budget, sizeof *sets);
    if (!sets)
        return NULL;
    sets->magic = RULE_SETS_MAGIC;
    sets->context = context;
    arena_init(&sets->arena, &context->budget);
    return sets;
}

void lp_rule_sets_destroy(lp_rule_sets *sets)
{
    if (!sets)
        return;
    REQUIRE_ALIVE(sets, RULE_SETS_MAGIC);
    sets->magic = 0;
    lin_module_release(&sets->module);
    arena_release(&sets->arena);
    memory_release(&sets->context->budget, sets, sizeof *sets);
}

/* From here on the script has been read with this status. */
static lp_status finish_reading(lp_rule_sets *made, enum status status, lp_rule_sets **sets,
                                struct error *fault, lp_error *error)
{
    if (status == STATUS_OK)
        status = lin_parse(&made->script, &made->arena, &made->module, fault);
    if (status == STATUS_OK)
        status = lin_check(&made->module, fault);
    if (status == STATUS_LIMIT)
        error_set(fault, status, NULL, 0, "a limit was reached before the rules were read");
    lp_status told = report_status(status, fault, error);
    if (status == STATUS_OK)
        *sets = made;
    else
        lp_rule_sets_destroy(made);
    return told;
}

static lp_status refuse(lp_error *error)
{
    struct error fault = {0};
    error_set(&fault, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    return report_status(STATUS_LIMIT, &fault, error);
}

lp_status lp_rule_sets_read(lp_context *context, const char *path, lp_rule_sets **sets,
                            lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(path);
    REQUIRE_NOT_NULL(sets);
    *sets = NULL;
    struct error fault = {0};
    struct limits limits;
    lp_rule_sets *made = sets_create(context);
    if (!made)
        return refuse(error);
    limits_for(&limits, context, &context->budget, 0);
    enum status status = script_read(path, &made->arena, &limits, &made->script, &fault);
    return finish_reading(made, status, sets, &fault, error);
}

lp_status lp_rule_sets_parse(lp_context *context, const char *name, const char *text, size_t length,
                             lp_rule_sets **sets, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(name);
    REQUIRE(text || length == 0, "text is null");
    REQUIRE_NOT_NULL(sets);
    *sets = NULL;
    struct error fault = {0};
    lp_rule_sets *made = sets_create(context);
    if (!made)
        return refuse(error);
    enum status status =
        script_from_text(name, text ? text : "", length, &made->arena, &made->script, &fault);
    return finish_reading(made, status, sets, &fault, error);
}

static const char *outside_of(const struct rule_set *set)
{
    static const char *const reasons[] = {
        [RULE_VALUES_RENAMED] = NULL,
        [RULE_VALUES_DISTINCT] = "they are only about values that are distinct",
        [RULE_VALUES_ORDERED] = "they compare values",
    };
    return reasons[set->values];
}

bool lp_rule_sets_at(const lp_rule_sets *sets, size_t index, lp_rule_set *set)
{
    REQUIRE_ALIVE(sets, RULE_SETS_MAGIC);
    REQUIRE_NOT_NULL(set);
    if (index >= sets->module.rules.length)
        return false;
    const struct rule_set *found = sets->module.rules.items[index]->set;
    *set = (lp_rule_set){.name = found->name,
                         .specification = found->subject,
                         .outside = outside_of(found),
                         .rules = found->rule_count};
    return true;
}

/* ---- testing ---- */

struct testing {
    lp_rule_set_result visible; /* first: lp_rule_set_result_destroy gets its address */
    uint32_t magic;
    lp_context *context;
    struct arena arena;
    const struct rule_set *set;
    struct rule_set_finding finding;
    struct by_rule_finding by_rule;
    lp_rule_comparison comparisons[RULE_MOST_RULES];
    lp_rule_property properties[RULE_PROPERTIES];
    lp_rule_set_size sizes[RULE_MOST_EVENTS];
};

static const struct {
    const char *name, *title, *source;
} titles[RULE_PROPERTIES] = {
    [RULE_LAST_UNIQUE] = {"last-unique", "each execution has one last rule", "non-ambiguity"},
    [RULE_LAST_KEPT] = {"last-kept", "its permutations have the same", "non-ambiguity"},
    [RULE_PROJECTED] = {"projected", "projections of what is derived are derived", "Lemma 2"},
    [RULE_MATCHED] = {"matched", "what projects to what rules match is derived", "Lemma 3"},
    [RULE_PREFIXES] = {"prefixes", "prefixes of what is derived are derived", ""},
    [RULE_STEP_BY_STEP] = {"step-by-step", "step-by-step linearizable", "Definition 7"},
    [RULE_BY_PROJECTIONS] = {"by-projections", "projections decide linearizability", "Lemma 5"},
    [RULE_BY_LAST_RULES] = {"by-last-rules", "projections and their last rules do", "Lemma 6"},
    [RULE_ALLOWED] = {"allowed", "what is derived is allowed", ""},
    [RULE_ALL_ALLOWED] = {"all-allowed", "what is allowed is derived", ""},
    [RULE_EQUAL_VALUES] = {"equal-values", "both where values may be equal", ""},
};

static const char *keep_text(struct testing *testing, struct text *text)
{
    const char *kept = arena_copy_text(&testing->arena, text_string(text), text->length);
    text_release(text);
    return kept;
}

static const char *why_not_asked(const struct testing *testing, enum rule_property property)
{
    if (property == RULE_BY_LAST_RULES)
        return "there is no unique last rule";
    if (!testing->set->subject)
        return "there is no specification of that name";
    return "values are distinct";
}

static void convert_history(const struct testing *testing, const struct rule_example *example,
                            lp_rule_history *history)
{
    uint8_t letters[RULE_MOST_EVENTS];
    if (!example->has_history)
        return;
    rule_example_letters(testing->set, example, letters);
    history->operation_count = example->labelling.count;
    for (size_t i = 0; i < history->operation_count; i++) {
        struct rule_event event = example->labelling.events[i];
        uint8_t letter = letters[event.group];
        history->operations[i] =
            (lp_rule_operation){.method = testing->set->methods[event.method].name,
                                .value = letter == UINT8_MAX ? 0 : letter,
                                .has_value = letter != UINT8_MAX};
    }
    for (uint32_t at = 0; at < 2 * history->operation_count; at++) {
        uint8_t event = example->history.events[at];
        lp_rule_operation *operation = &history->operations[event & ~WORD_RETURN];
        *(event & WORD_RETURN ? &operation->ret : &operation->call) = at;
    }
}

/* How many rules have automata that are not right. */
static unsigned convert_comparisons(struct testing *testing)
{
    const struct by_rule_finding *finding = &testing->by_rule;
    lp_rule_set_result *visible = &testing->visible;
    unsigned wrong = 0;
    visible->not_compared = finding->not_asked;
    visible->comparison_histories = finding->histories;
    visible->comparison_size = finding->size;
    visible->comparisons = testing->comparisons;
    for (unsigned r = 1; r < testing->set->rule_count; r++) {
        const struct compared_rule *found = &finding->rules[r];
        lp_rule_comparison *rule = &testing->comparisons[visible->comparison_count++];
        *rule = (lp_rule_comparison){.rule = testing->set->rules[r].name,
                                     .made = found->automata.made,
                                     .own = found->own,
                                     .automata = found->automata.count,
                                     .violations = found->violations,
                                     .first = found->first,
                                     .accepted = found->accepted,
                                     .missed = found->missed,
                                     .false_alarms = found->false_alarms};
        if (!found->difference.found)
            continue;
        wrong++;
        rules_convert_history(&testing->by_rule.object, &found->difference, &rule->difference);
        if (found->is_false_alarm)
            rule->culprit = found->automata.items[found->culprit].name;
    }
    return wrong;
}

static bool convert_property(struct testing *testing, enum rule_property property)
{
    static const lp_answer verdicts[] = {[RULE_HOLDS] = LP_HOLDS,
                                         [RULE_VIOLATED] = LP_VIOLATED,
                                         [RULE_OPEN] = LP_UNDECIDED,
                                         [RULE_NOT_ASKED] = LP_UNDECIDED};
    const struct rule_property_finding *found = &testing->finding.properties[property];
    lp_rule_property *visible = &testing->properties[property];
    *visible = (lp_rule_property){.name = titles[property].name,
                                  .title = titles[property].title,
                                  .source = titles[property].source,
                                  .verdict = verdicts[found->verdict],
                                  .asked = found->verdict != RULE_NOT_ASKED};
    if (!visible->asked)
        visible->reason = why_not_asked(testing, property);
    if (found->verdict != RULE_VIOLATED)
        return true;
    struct text text = TEXT_EMPTY;
    rule_example_explain(testing->set, property, &found->example, testing->context->pool, &text);
    visible->size = found->size;
    visible->reason = keep_text(testing, &text);
    convert_history(testing, &found->example, &visible->history);
    return visible->reason != NULL;
}

static bool convert_reason(struct testing *testing, unsigned violated, unsigned wrong)
{
    lp_rule_set_result *visible = &testing->visible;
    const char *events = visible->size == 1 ? "event" : "events";
    struct text text = TEXT_EMPTY;
    if (visible->verdict == LP_HOLDS)
        text_format(&text,
                    "of all executions and histories of at most %u %s, none violates a property",
                    visible->size, events);
    else if (violated)
        text_format(&text, "%u of the properties %s violated", violated,
                    violated == 1 ? "is" : "are");
    else if (wrong)
        text_format(&text, "the automata made from %u of the rules do not accept what violates %s",
                    wrong, wrong == 1 ? "it" : "them");
    else
        text_format(&text, "a limit was reached; up to %u %s no property is violated",
                    visible->size, events);
    visible->reason = keep_text(testing, &text);
    return visible->reason != NULL;
}

static enum status convert(struct testing *testing)
{
    const struct rule_set_finding *finding = &testing->finding;
    lp_rule_set_result *visible = &testing->visible;
    unsigned violated = 0;
    bool good = true;
    for (unsigned p = 0; p < RULE_PROPERTIES && good; p++) {
        good = convert_property(testing, p);
        violated += testing->properties[p].verdict == LP_VIOLATED;
    }
    for (unsigned n = 1; n <= RULE_MOST_EVENTS; n++) {
        const struct rule_set_size *size = &finding->by_size[n];
        if (size->words)
            testing->sizes[visible->size_count++] = (lp_rule_set_size){
                n, size->words, size->derived, size->histories, size->linearizable};
    }
    visible->sizes = testing->sizes;
    visible->properties = testing->properties;
    visible->property_count = RULE_PROPERTIES;
    visible->size = finding->size;
    unsigned wrong = convert_comparisons(testing);
    enum limit limit = finding->limit ? finding->limit : testing->by_rule.limit;
    visible->limit = (lp_limit)limit;
    visible->verdict = violated || wrong     ? LP_VIOLATED
                       : limit == LIMIT_NONE ? LP_HOLDS
                                             : LP_UNDECIDED;
    return granted(good && convert_reason(testing, violated, wrong));
}

/* The specification to compare with; null: there is none. */
static enum status make_subject(const lp_rule_sets *sets, const struct rule_set *set,
                                struct spec **spec, struct error *error)
{
    lp_context *context = sets->context;
    struct spec_request request = {.name = set->subject};
    *spec = NULL;
    if (!set->subject)
        return STATUS_OK;
    char name[64] = "";
    size_t length = strcspn(set->subject, "( ");
    if (length < sizeof name)
        memcpy(name, set->subject, length);
    if (lin_find_object(&sets->module, name, true))
        TRY(lin_spec_from_script(&sets->script, set->subject, &request, context->pool,
                                 &context->budget, spec, error));
    if (*spec)
        return rules_expect_single(spec, error);
    return spec_create(&request, context->pool, &context->budget, spec, error);
}

/* The automata of the file that say which rule they belong to. */
static enum status find_own(struct testing *testing, const lp_rule_sets *sets,
                            struct violation_automata *own, struct error *error)
{
    const struct rule_set *set = testing->set;
    *own = (struct violation_automata){0};
    if (!set->subject)
        return STATUS_OK;
    TRY(lin_automata_of(&sets->module, set->subject, &testing->arena, own));
    for (unsigned r = 1; r < set->rule_count; r++) {
        unsigned count = 0;
        for (size_t i = 0; i < own->count; i++)
            count +=
                own->items[i].violates && strcmp(own->items[i].violates, set->rules[r].name) == 0;
        if (count > MADE_MOST)
            return error_set(error, STATUS_INPUT, set->file, set->line,
                             "expected at most %d automata of the rule `%s`, found %u", MADE_MOST,
                             set->rules[r].name, count);
    }
    return STATUS_OK;
}

static enum status test(struct testing *testing, const lp_rule_sets *sets,
                        const lp_rule_set_options *options, struct error *error)
{
    struct limits limits;
    struct spec *spec;
    uint64_t started = clock_nanoseconds();
    limits_for(&limits, testing->context, &testing->context->budget, options->timeout);
    enum status status = make_subject(sets, testing->set, &spec, error);
    if (status == STATUS_USAGE) {
        struct error copy = *error;
        status = error_set(error, STATUS_INPUT, testing->set->file, testing->set->line, "%s",
                           copy.message);
    }
    TRY(status);
    const struct rule_set_request request = {.set = testing->set,
                                             .spec = spec,
                                             .bound =
                                                 options->bound ? options->bound : DEFAULT_BOUND,
                                             .threads = threads_for(options->jobs)};
    status = rule_set_check(&request, &limits, &testing->finding, error);
    spec_destroy(spec);
    TRY(status);
    struct violation_automata own;
    TRY(find_own(testing, sets, &own, error));
    if (testing->finding.limit == LIMIT_NONE)
        TRY(rules_check_by_rule(testing->set, &own, request.bound, request.threads, &limits,
                                &testing->arena, &testing->by_rule, error));
    else
        testing->by_rule.not_asked = "a limit came first";
    testing->visible.seconds = seconds_since(started);
    return convert(testing);
}

lp_status lp_rule_set_check(lp_context *context, const lp_rule_sets *sets, size_t index,
                            const lp_rule_set_options *options, lp_rule_set_result **result,
                            lp_error *error)
{
    lp_rule_set_options own;
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_ALIVE(sets, RULE_SETS_MAGIC);
    REQUIRE(index < sets->module.rules.length, "there is no set of that number");
    REQUIRE_NOT_NULL(result);
    REQUIRE_SIZED(&own, options, timeout);
    options = &own;
    REQUIRE(options->bound <= LP_RULES_MOST_OPERATIONS, "the bound is too large");
    *result = NULL;
    struct error fault = {0};
    struct testing *testing = memory_zeroed(&context->budget, sizeof *testing);
    if (!testing)
        return refuse(error);
    testing->magic = RULE_SET_RESULT_MAGIC;
    testing->context = context;
    testing->set = sets->module.rules.items[index]->set;
    arena_init(&testing->arena, &context->budget);
    enum status status = test(testing, sets, options, &fault);
    if (status == STATUS_LIMIT)
        error_set(&fault, status, NULL, 0, "the memory limit is reached");
    lp_status told = report_status(status, &fault, error);
    if (status == STATUS_OK)
        *result = &testing->visible;
    else
        lp_rule_set_result_destroy(&testing->visible);
    return told;
}

void lp_rule_set_result_destroy(lp_rule_set_result *result)
{
    if (!result)
        return;
    struct testing *testing = (struct testing *)result;
    REQUIRE_ALIVE(testing, RULE_SET_RESULT_MAGIC);
    testing->magic = 0;
    arena_release(&testing->arena);
    memory_release(&testing->context->budget, testing, sizeof *testing);
}
