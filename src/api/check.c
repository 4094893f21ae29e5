/* Checking a history: the options and the answer of decide/ in the installed types. */
#include <linchpin/check.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "api/both_orders.h"
#include "api/objects.h"
#include "api/question.h"
#include "base/arena.h"
#include "base/require.h"
#include "decide/check.h"
#include "history/order.h"
#include "history/skipped.h"

_Static_assert((int)LP_UNKNOWN == (int)VERDICT_UNKNOWN, "lp_verdict is enum verdict");
_Static_assert((int)LP_RESULTS_KEYED == (int)RESULTS_KEYED, "lp_results is enum results_reading");
_Static_assert((int)LP_METHOD_DEFINITION == (int)METHOD_DEFINITION, "lp_method is enum method");

/* What lp_result is the beginning of. */
struct result {
    lp_result visible; /* first: the handle is its address */
    uint32_t magic;
    struct budget budget; /* of the check, below the context's */
    struct check check;
    struct text spec, method;
    lp_violation *violations;
    lp_partial *partials; /* of all violations, back to back */
    struct arena arena;   /* texts that must outlive the specifications */
    lp_warning warnings[3];
    struct text said;   /* of the order of the events */
    struct text unread; /* of times that say nothing of it */
    struct text silent; /* of logs that may lack what explains a violation */
};

/* Between the callback given and the one below. */
struct progress {
    const lp_check_options *options;
    const struct budget *budget;
    uint64_t started;
};

static void forward_progress(void *user, const struct check_progress *inner)
{
    const struct progress *progress = user;
    lp_progress outer = {.parts_done = inner->parts_done,
                         .parts = inner->parts,
                         .explored = inner->explored,
                         .memory = atomic_load(&progress->budget->used),
                         .seconds = seconds_since(progress->started)};
    progress->options->progress(progress->options->progress_user, &outer);
}

/* ---- the answer in the installed types ---- */

static int compare_indices(const void *a, const void *b)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

/* From places in the history to public indices, in place. */
static void to_records(const struct history *history, uint32_t *items, size_t length, bool sort)
{
    for (size_t i = 0; i < length; i++)
        items[i] = history->operations.items[items[i]].record;
    if (sort && length > 1)
        qsort(items, length, sizeof *items, compare_indices);
}

static void describe_specs(struct result *result, const lp_binding *bindings, size_t count)
{
    text_clear(&result->spec);
    for (size_t i = 0; i < count; i++) {
        text_append(&result->spec, i > 0 ? "," : "");
        if (bindings[i].object)
            text_format(&result->spec, "%s=", bindings[i].object);
        text_append(&result->spec, lp_spec_name(bindings[i].spec));
    }
    result->visible.spec = text_string(&result->spec);
}

static void describe_methods(struct result *result, enum method asked)
{
    unsigned used = result->check.methods;
    if (used == 0) /* nothing had to be decided, or nothing could be */
        used = 1u << (asked == METHOD_AUTO ? METHOD_SEARCH : asked);
    for (unsigned method = METHOD_MONITOR; method <= METHOD_DEFINITION; method++) {
        if (!(used & 1u << method))
            continue;
        text_append(&result->method, result->method.length > 0 ? "+" : "");
        text_append(&result->method, method_name((enum method)method));
    }
    result->visible.method = text_string(&result->method);
}

static void convert_partials(const struct history *history, struct decision *decision,
                             lp_partial *partials)
{
    for (size_t i = 0; i < decision->partials.length; i++) {
        struct partial_linearization *partial = &decision->partials.items[i];
        to_records(history, partial->order, partial->length, false);
        to_records(history, partial->stuck, partial->stuck_length, true);
        partials[i] = (lp_partial){.order = partial->order,
                                   .order_length = partial->length,
                                   .stuck = partial->stuck,
                                   .stuck_length = partial->stuck_length,
                                   .state = partial->state};
    }
}

static lp_violation convert_violation(const struct history *history, struct violation *violation,
                                      lp_partial *partials)
{
    struct decision *decision = &violation->decision;
    to_records(history, decision->evidence.items, decision->evidence.length, true);
    to_records(history, violation->core.members.items, violation->core.members.length, true);
    to_records(history, violation->context.items, violation->context.length, true);
    convert_partials(history, decision, partials);
    const char *object = NULL;
    if (violation->object != NO_OBJECT)
        object = value_get_text(history->objects.items[violation->object], NULL);
    return (lp_violation){.object = object,
                          .has_key = violation->has_key,
                          .key = violation->key,
                          .keyed_results = violation->keyed_results,
                          .method = method_name(violation->method),
                          .reason = text_string(&decision->reason),
                          .core = violation->core.members.items,
                          .core_length = violation->core.members.length,
                          .core_complete = violation->core.complete,
                          .context = violation->context.items,
                          .context_length = violation->context.length,
                          .evidence = decision->evidence.items,
                          .evidence_length = decision->evidence.length,
                          .partials = partials,
                          .partial_count = decision->partials.length};
}

/* The name of a specification, which need not live as long as the answer. */
static const char *copy_name(struct result *result, const struct question *question,
                             const struct spec *spec)
{
    size_t i = 0;
    while (question->inner[i].spec != spec)
        i++;
    const char *name = lp_spec_name(question->bindings[i].spec);
    const char *copy = arena_copy_text(&result->arena, name, strlen(name));
    return copy ? copy : "";
}

/* Names live as long as the answer; where there is no memory for them there are none. */
static void find_silent(struct result *result, const struct spec *spec, lp_violation *violation)
{
    const struct spec_class *class = spec->class;
    const char **names =
        arena_allocate(&result->arena, (class->operation_count + 1) * sizeof *names);
    for (size_t i = 0; names && i < class->operation_count; i++) {
        const struct spec_operation *operation = &class->operations[i];
        if (!spec_operation_is_silent(operation))
            continue;
        char *name = arena_copy_text(&result->arena, operation->name, strlen(operation->name));
        if (name)
            names[violation->silent_count++] = name;
    }
    violation->silent = names;
}

static void convert_violations(struct result *result, const struct question *question)
{
    struct check *check = &result->check;
    size_t partials = 0, count = check->violations.length;
    for (size_t i = 0; i < count; i++)
        partials += check->violations.items[i].decision.partials.length;
    result->violations = memory_small(count * sizeof *result->violations);
    result->partials = memory_small(partials * sizeof *result->partials);
    lp_partial *next = result->partials;
    for (size_t i = 0; i < count; i++) {
        struct violation *violation = &check->violations.items[i];
        result->violations[i] = convert_violation(question->history->history, violation, next);
        result->violations[i].spec = copy_name(result, question, violation->spec);
        find_silent(result, violation->spec, &result->violations[i]);
        next += violation->decision.partials.length;
    }
    result->visible.violations = result->violations;
    result->visible.violation_count = count;
}

static void convert_result(struct result *result, const struct question *question)
{
    struct check *check = &result->check;
    const struct history *history = question->history->history;
    lp_result *visible = &result->visible;
    visible->verdict = (lp_verdict)check->verdict;
    visible->limit = (lp_limit)check->limit;
    visible->reason = text_string(&check->reason);
    visible->covered = check->verdict == VERDICT_UNKNOWN ? visible->reason + check->covered : "";
    visible->operations = history->operations.length;
    for (size_t i = 0; i < history->operations.length; i++)
        visible->pending += history->operations.items[i].outcome == OUTCOME_UNKNOWN;
    visible->keyed_results = check->keyed_results;
    visible->skipped = history->annotations.length;
    visible->passed_over = history->passed_over;
    visible->parts = check->part_count;
    visible->parts_decided = check->parts_decided;
    visible->explored = check->explored;
    to_records(history, check->linearization.items, check->linearization.length, false);
    visible->linearization = check->linearization.items;
    visible->linearization_length = check->linearization.length;
    convert_violations(result, question);
}

/* ---- checking ---- */

static struct result *result_create(lp_context *context)
{
    struct result *result = memory_zeroed(&context->budget, sizeof *result);
    if (!result)
        return NULL;
    result->magic = RESULT_MAGIC;
    budget_init(&result->budget, &context->budget, 0);
    arena_init(&result->arena, &context->budget);
    return result;
}

static void result_free(struct result *result)
{
    struct budget *parent = result->budget.parent;
    arena_release(&result->arena);
    free(result->violations);
    free(result->partials);
    text_release(&result->spec);
    text_release(&result->method);
    text_release(&result->said);
    text_release(&result->unread);
    text_release(&result->silent);
    result->magic = 0;
    memory_release(parent, result, sizeof *result);
}

static void warn(struct result *result, uint32_t line, const char *message)
{
    assert(result->visible.warning_count < ARRAY_LENGTH(result->warnings));
    result->visible.warnings = result->warnings;
    result->warnings[result->visible.warning_count++] = (lp_warning){line, message};
}

/* Decides, also in the order of the times where nobody said which one is meant. */
static enum status decide_history(struct result *result, const struct history *history,
                                  const struct check_options *options, struct limits *limits,
                                  struct error *error)
{
    TRY(check_history(history, options, limits, &result->check, error));
    if (history->operations.length == 0)
        warn(result, 0, "the history has no operations, so that it says nothing of the object");
    if (history->unread.found && history->order == ORDER_UNSAID) {
        order_print_unread(history, &result->unread);
        text_append(&result->unread,
                    "; such times are ignored, and the order of the file was taken");
        warn(result, history->unread.line, text_string(&result->unread));
    }
    if (!history->reversal.found || history->order != ORDER_UNSAID)
        return STATUS_OK;
    enum status status =
        both_orders_check(history, options, limits, &result->check, &result->said, error);
    if (status == STATUS_OK)
        warn(result, history->reversal.line, text_string(&result->said));
    else
        check_release(&result->check);
    return status;
}

static enum status check_required(const struct history *history, size_t least, struct error *error)
{
    size_t count = history->operations.length;
    if (count >= least)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, history->name, 0,
                     "expected at least %zu operation%s, as required, found %zu", least,
                     least == 1 ? "" : "s", count);
}

static enum status check_into(struct result *result, lp_context *context,
                              const struct question *question, const lp_check_options *options,
                              uint64_t most_work, struct error *error)
{
    struct limits limits;
    limits_for(&limits, context, &result->budget, options->timeout);
    struct progress progress = {
        .options = options, .budget = &context->budget, .started = clock_nanoseconds()};
    struct check_options inner = {
        .bind = {.bindings = question->inner,
                 .binding_count = question->binding_count,
                 .independent = options->independent,
                 .inferred = question->inferred && !question->history->history->specification,
                 .results = (enum results_reading)options->results},
        .method = (enum method)options->method,
        .all = options->all,
        .untold = options->untold,
        .threads = threads_for(options->jobs),
        .most_work = most_work,
        .timeout = options->timeout,
        .progress = options->progress ? forward_progress : NULL,
        .progress_user = &progress,
    };
    TRY(skipped_check(question->history->history, &inner.bind, question->inferred != NULL, error));
    TRY(check_required(question->history->history, options->require, error));
    TRY(decide_history(result, question->history->history, &inner, &limits, error));
    describe_specs(result, question->bindings, question->binding_count);
    describe_methods(result, inner.method);
    convert_result(result, question);
    result->visible.seconds = seconds_since(progress.started);
    return STATUS_OK;
}

/* A fault of one of the specifications: whatever was decided is of no use then. */
static enum status find_fault(const struct question *question, struct error *error)
{
    for (size_t i = 0; i < question->binding_count; i++)
        if (question->inner[i].spec->class->fault)
            TRY(question->inner[i].spec->class->fault(question->inner[i].spec, error));
    return STATUS_OK;
}

/* ---- histories that are followed ---- */

/* A violation of which what is kept does not tell why, or not soon enough. */
static void leave_untold(struct result *result)
{
    bool left = result->visible.verdict == LP_UNKNOWN && result->visible.limit == LP_LIMIT_TIME;
    lp_violation untold = {.spec = result->visible.spec,
                           .method = result->visible.method,
                           .reason = left ? "no order of the operations is left; the search for "
                                            "those that show why took too many steps"
                                          : "no order of the operations is left; the operations "
                                            "that are kept do not show why (--keep keeps more)"};
    free(result->violations);
    result->violations = memory_small(sizeof untold);
    result->violations[0] = untold;
    result->visible.violations = result->violations;
    result->visible.violation_count = 1;
    result->visible.verdict = LP_VIOLATION;
    result->visible.limit = LP_LIMIT_NONE;
}

/* "line 7 of client.jsonl" */
static void append_line(uint32_t line, const char *log, struct text *text)
{
    text_format(text, "line %u%s%s", line, log ? " of " : "", log ? log : "");
}

/* A client that holds lines back, in a buffer, is not told from one that is at rest. */
static void warn_of_silent(struct result *result, const struct followed_words *words)
{
    text_format(&result->silent, "nothing as late as the violation was read of %s",
                words->silent_log);
    if (words->silent > 1)
        text_format(&result->silent, " and %u log%s more", words->silent - 1,
                    words->silent > 2 ? "s" : "");
    text_append(&result->silent, ": if lines are still to come, which a client gathers in a buffer "
                                 "perhaps, they may explain the violation");
    warn(result, 0, text_string(&result->silent));
}

void result_follow(lp_result *visible, const lp_monitor_state *state,
                   const struct followed_words *words)
{
    struct result *result = (struct result *)visible;
    describe_specs(result, words->bindings, words->binding_count);
    if (state->verdict == LP_VIOLATION && visible->verdict != LP_VIOLATION)
        leave_untold(result);
    visible->verdict = state->verdict;
    visible->limit = state->limit;
    visible->operations = state->operations;
    visible->pending = state->pending + state->running;
    visible->skipped = state->skipped;
    visible->keyed_results = words->keyed_results;
    visible->parts = visible->parts_decided = words->parts;
    visible->explored += words->explored;
    visible->seconds = words->seconds;
    if (state->operations > 0) /* else that there are none, which is so of what is kept, too */
        visible->warning_count = 0;
    text_clear(&result->method);
    if (words->monitored)
        text_append(&result->method, method_name(METHOD_MONITOR));
    if (words->monitored && words->searched)
        text_append(&result->method, "+");
    if (words->searched || !words->monitored)
        text_append(&result->method, method_name(METHOD_SEARCH));
    visible->method = text_string(&result->method);
    text_clear(&result->said);
    if (state->verdict == LP_VIOLATION) {
        text_format(&result->said, "%s (%s ", visible->violations[0].reason,
                    state->exact ? "certain from" : "certain at the latest from");
        append_line(state->line, words->log, &result->said);
        text_append(&result->said,
                    words->partly ? "; told of the operations that are kept (--keep), as if the "
                                    "object had begun as the earlier ones left it)"
                                  : ")");
    } else if (state->verdict == LP_UNKNOWN && state->given_up_line) {
        if (state->limit == LP_LIMIT_NONE)
            text_append(&result->said, "what is kept does not say how an object goes on");
        text_append(&result->said, ": an object was given up with ");
        append_line(state->given_up_line, words->given_up_log, &result->said);
        text_append(&result->said, ", and no other is violated");
    } else if (state->verdict == LP_UNKNOWN && words->doubtful_line) {
        text_append(&result->said, ": an object is not decided from ");
        append_line(words->doubtful_line, words->doubtful_log, &result->said);
        text_append(&result->said, " on, and no other is violated");
    } else if (state->verdict == LP_UNKNOWN)
        text_append(&result->said, ": what runs at the end is not decided, and no object is "
                                   "violated");
    visible->reason = text_string(&result->said);
    visible->covered = state->verdict == LP_UNKNOWN ? visible->reason : "";
    if (state->verdict == LP_VIOLATION)
        result->violations[0].reason = visible->reason;
    if (words->silent)
        warn_of_silent(result, words);
}

lp_status check_within(lp_context *context, const lp_history *history, const lp_binding *bindings,
                       size_t binding_count, const lp_check_options *options, uint64_t most_work,
                       lp_result **visible, lp_error *error)
{
    struct question question;
    lp_status opened = question_open(&question, context, history, bindings, binding_count,
                                     options->inferred, error);
    if (opened != LP_OK)
        return opened;
    struct error fault;
    struct result *result = result_create(context);
    enum status status = error_set(&fault, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    if (result)
        status = check_into(result, context, &question, options, most_work, &fault);
    enum status faulty = find_fault(&question, &fault);
    if (faulty != STATUS_OK && status == STATUS_OK)
        check_release(&result->check);
    if (faulty != STATUS_OK)
        status = faulty;
    if (status == STATUS_OK)
        *visible = &result->visible;
    report_status(status, &fault, error);
    question_close(&question);
    if (status != STATUS_OK && result)
        result_free(result);
    return (lp_status)status;
}

lp_status lp_check(lp_context *context, const lp_history *history, const lp_binding *bindings,
                   size_t binding_count, const lp_check_options *options, lp_result **result,
                   lp_error *error)
{
    lp_check_options own;
    question_require(__func__, context, history, bindings, binding_count);
    REQUIRE_NOT_NULL(result);
    REQUIRE_SIZED(&own, options, require);
    REQUIRE(own.method >= LP_METHOD_AUTO && own.method <= LP_METHOD_DEFINITION, "no such method");
    REQUIRE(own.results >= LP_RESULTS_INFERRED && own.results <= LP_RESULTS_KEYED,
            "no such reading of results");
    return check_within(context, history, bindings, binding_count, &own, 0, result, error);
}

void lp_result_destroy(lp_result *visible)
{
    if (!visible)
        return;
    struct result *result = (struct result *)visible;
    REQUIRE_ALIVE(result, RESULT_MAGIC);
    check_release(&result->check);
    result_free(result);
}
