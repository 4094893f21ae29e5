/* Violation automata: reading those of an object, and comparing them with its specification. */
#include <string.h>

#include <linchpin/rules.h>

#include "api/objects.h"
#include "api/require.h"
#include "base/text.h"
#include "rules/check.h"
#include "rules/shipped.h"

#define RULES_MAGIC        UINT32_C(0x6c707275)
#define RULES_RESULT_MAGIC UINT32_C(0x6c707272)
#define DEFAULT_BOUND      4

struct lp_rules {
    uint32_t magic;
    lp_context *context;
    struct arena arena; /* scripts and automata */
    VECTOR(struct violation_automaton) automata;
};

_Static_assert(LP_RULE_DEAD == VIOLATION_DEAD && LP_RULE_COLOURS == VIOLATION_COLOURS &&
                   LP_RULES_MOST_OPERATIONS == HISTORY_MOST_OPERATIONS &&
                   (int)LP_RULES_CLOSURE == (int)RULES_CLOSURE &&
                   (int)LP_RULES_STRICT == (int)RULES_STRICT &&
                   (int)LP_RULES_MATCHED == (int)HISTORY_MATCHED &&
                   (int)LP_RULES_IN_TURN == (int)HISTORY_IN_TURN,
               "linchpin/rules.h says what rules/ says");

/* ---- reading ---- */

lp_rules *lp_rules_create(lp_context *context)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    lp_rules *rules = memory_zeroed(&context->budget, sizeof *rules);
    if (!rules)
        return NULL;
    rules->magic = RULES_MAGIC;
    rules->context = context;
    arena_init(&rules->arena, &context->budget);
    vector_init(&rules->automata, &context->budget);
    return rules;
}

void lp_rules_destroy(lp_rules *rules)
{
    if (!rules)
        return;
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    rules->magic = 0;
    vector_release(&rules->automata);
    arena_release(&rules->arena);
    memory_release(&rules->context->budget, rules, sizeof *rules);
}

static enum status check_methods(const struct violation_automaton *automaton, const char *name,
                                 struct error *error)
{
    const struct rule_object *object = rule_object_find(automaton->object);
    if (!object)
        return error_set(error, STATUS_INPUT, name, 0,
                         "expected an automaton of a %s, found one of '%s'", rule_object_names(),
                         automaton->object);
    for (uint32_t m = 0; m < automaton->method_count; m++) {
        const char *method = automaton->methods[automaton->unmarked[m]];
        struct text methods = TEXT_EMPTY;
        if (rule_object_find_method(object, method) < object->method_count)
            continue;
        rule_object_append_methods(object, &methods);
        error_set(error, STATUS_INPUT, name, 0, "expected methods of a %s (%s), found '%s'",
                  automaton->object, text_string(&methods), automaton->methods[m]);
        text_release(&methods);
        return STATUS_INPUT;
    }
    return STATUS_OK;
}

/* `name`: the input's, for messages. */
static enum status add_automaton(lp_rules *rules, const struct violation_automaton *automaton,
                                 const char *name, struct error *error)
{
    TRY(check_methods(automaton, name, error));
    for (size_t i = 0; i < rules->automata.length; i++) {
        const struct violation_automaton *other = &rules->automata.items[i];
        if (strcmp(other->object, automaton->object) != 0)
            return error_set(error, STATUS_INPUT, name, 0,
                             "expected an automaton of the same object as '%s', a %s, found one "
                             "of a %s",
                             other->name, other->object, automaton->object);
        if (strcmp(other->name, automaton->name) == 0)
            return error_set(error, STATUS_INPUT, name, 0,
                             "expected automata of different names, found a second '%s'",
                             automaton->name);
    }
    return vector_push(&rules->automata, *automaton) ? STATUS_OK : STATUS_LIMIT;
}

static enum status read_automaton(lp_rules *rules, const struct script *script, struct error *error)
{
    struct violation_automaton automaton;
    TRY(violation_automaton_read(script, &rules->arena, &automaton, error));
    return add_automaton(rules, &automaton, script->name, error);
}

static lp_status finish_reading(enum status status, struct error *fault, lp_error *error)
{
    if (status == STATUS_LIMIT)
        error_set(fault, status, NULL, 0, "a limit was reached before the automaton was read");
    return report_status(status, fault, error);
}

lp_status lp_rules_read(lp_rules *rules, const char *path, lp_error *error)
{
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    REQUIRE_NOT_NULL(path);
    struct error fault = {0};
    struct limits limits;
    struct script script;
    limits_for(&limits, rules->context, &rules->context->budget, 0);
    enum status status = script_read(path, &rules->arena, &limits, &script, &fault);
    if (status == STATUS_OK)
        status = read_automaton(rules, &script, &fault);
    return finish_reading(status, &fault, error);
}

lp_status lp_rules_parse(lp_rules *rules, const char *name, const char *text, size_t length,
                         lp_error *error)
{
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    REQUIRE_NOT_NULL(name);
    REQUIRE(text || length == 0, "text is null");
    struct error fault = {0};
    struct script script;
    enum status status =
        script_from_text(name, text ? text : "", length, &rules->arena, &script, &fault);
    if (status == STATUS_OK)
        status = read_automaton(rules, &script, &fault);
    return finish_reading(status, &fault, error);
}

lp_status lp_rules_ship(lp_rules *rules, const char *specification, bool for_prefixes,
                        lp_error *error)
{
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    REQUIRE_NOT_NULL(specification);
    struct error fault = {0};
    struct violation_automata shipped;
    enum status status = violation_automata_of(specification, &rules->arena, &shipped, &fault);
    if (status == STATUS_OK && !shipped.count)
        status = error_set(&fault, STATUS_USAGE, NULL, 0, "expected a %s, found '%s'",
                           violation_automata_specifications(), specification);
    for (size_t i = 0; i < shipped.count && status == STATUS_OK; i++)
        if (for_prefixes ? shipped.items[i].for_prefixes : shipped.items[i].for_histories)
            status = add_automaton(rules, &shipped.items[i], specification, &fault);
    return finish_reading(status, &fault, error);
}

bool lp_rules_at(const lp_rules *rules, size_t index, lp_rule_automaton *automaton)
{
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    REQUIRE_NOT_NULL(automaton);
    if (index >= rules->automata.length)
        return false;
    const struct violation_automaton *found = &rules->automata.items[index];
    *automaton = (lp_rule_automaton){.name = found->name,
                                     .object = found->object,
                                     .rule = found->rule,
                                     .methods = found->methods,
                                     .method_count = found->method_count,
                                     .state_count = found->state_count,
                                     .initial = found->initial,
                                     .state_names = found->state_names,
                                     .accepting = found->accepting,
                                     .complete = found->complete,
                                     .for_histories = found->for_histories,
                                     .for_prefixes = found->for_prefixes,
                                     .next = found->next};
    return true;
}

/* ---- comparing ---- */

struct comparing {
    lp_rules_result visible; /* first: lp_rules_result_destroy gets its address */
    uint32_t magic;
    lp_context *context;
    struct arena arena;
    const lp_rules *rules;
    const struct rule_object *object;
    struct rules_finding finding;
};

static void convert_history(const struct rule_object *object, const struct rules_history *found,
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
    }
}

static bool convert_sizes(struct comparing *comparing)
{
    lp_rules_size *sizes =
        arena_allocate(&comparing->arena, HISTORY_MOST_OPERATIONS * sizeof *sizes);
    comparing->visible.sizes = sizes;
    for (unsigned n = 1; sizes && n <= HISTORY_MOST_OPERATIONS; n++) {
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
        convert_history(comparing->object, &finding->examples[a], &automata[a].example);
    }
    return automata != NULL;
}

static bool convert_reason(struct comparing *comparing)
{
    lp_rules_result *visible = &comparing->visible;
    struct text text = TEXT_EMPTY;
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
    else
        text_format(&text, "a limit was reached; up to %u %s there is no difference", visible->size,
                    visible->size == 1 ? "operation" : "operations");
    visible->reason = arena_copy_text(&comparing->arena, text_string(&text), text.length);
    text_release(&text);
    return visible->reason != NULL;
}

static enum status convert(struct comparing *comparing)
{
    const struct rules_finding *finding = &comparing->finding;
    lp_rules_result *visible = &comparing->visible;
    visible->size = finding->size;
    visible->limit = (lp_limit)finding->limit;
    visible->verdict = finding->complete ? LP_HOLDS : LP_UNDECIDED;
    /* A false alarm is shown first: it is one automaton's fault. */
    visible->accepted = finding->false_alarm.found;
    visible->culprit = finding->culprit;
    if (finding->missed.found || finding->false_alarm.found)
        visible->verdict = LP_VIOLATED;
    convert_history(comparing->object, visible->accepted ? &finding->false_alarm : &finding->missed,
                    &visible->difference);
    return convert_sizes(comparing) && convert_automata(comparing) && convert_reason(comparing)
               ? STATUS_OK
               : STATUS_LIMIT;
}

static enum status compare(struct comparing *comparing, const lp_rules_options *options,
                           struct error *error)
{
    lp_context *context = comparing->context;
    struct limits limits;
    struct spec *spec;
    uint64_t started = clock_nanoseconds();
    const char *object = comparing->rules->automata.items[0].object;
    comparing->object = rule_object_find(object);
    if (options->histories == LP_RULES_IN_TURN && !comparing->object->values_are_processes)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "only clients of a mutex or semaphore call in turn, not those of a %s",
                         object);
    const struct spec_request named = {.name = object};
    limits_for(&limits, context, &context->budget, options->timeout);
    TRY(spec_create(&named, context->pool, &context->budget, &spec, error));
    const struct rules_request request = {.object = comparing->object,
                                          .automata = comparing->rules->automata.items,
                                          .automaton_count = comparing->rules->automata.length,
                                          .spec = spec,
                                          .bound = options->bound ? options->bound : DEFAULT_BOUND,
                                          .histories = (enum history_choice)options->histories,
                                          .words = (enum rules_words)options->words,
                                          .threads = threads_for(options->jobs)};
    enum status status =
        rules_check(&request, &limits, &comparing->arena, &comparing->finding, error);
    spec_destroy(spec);
    TRY(status);
    comparing->visible.seconds = (double)(clock_nanoseconds() - started) * 1e-9;
    return convert(comparing);
}

lp_status lp_rules_check(lp_context *context, const lp_rules *rules,
                         const lp_rules_options *options, lp_rules_result **result, lp_error *error)
{
    static const lp_rules_options defaults;
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    REQUIRE_NOT_NULL(result);
    options = options ? options : &defaults;
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
