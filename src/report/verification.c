#include "report/verification.h"

#define MOST_OFFERED 4 /* that the reason names itself */

/* The events that the specification offers where the execution ends, in words if the reason has not
 * named all. */
static void add_offered(struct node *root, const lp_verification *found)
{
    static const char *const names[] = {[LP_FAILURE_EVENT] = "event",
                                        [LP_FAILURE_REFUSAL] = "refusal",
                                        [LP_FAILURE_DIVERGENCE] = "divergence"};
    if (found->failure == LP_FAILURE_NONE)
        return;
    node_add_text(root, "failure", names[found->failure]);
    node_add_texts(root, "offered", found->offered, found->offered_count);
    if (found->offered_count <= MOST_OFFERED)
        return;
    node_add_gap(root);
    struct text *events = node_add_paragraph(root, 2, NULL);
    text_append(events, "all that the specification offers at the end:");
    for (size_t i = 0; i < found->offered_count; i++)
        text_format(events, "%s%s", i ? ", " : " ", found->offered[i]);
}

/* The operations of the execution, drawn and in words as of a history that was recorded; as events
 * of the native history format; and what the checker of histories says of them. */
static void add_history(struct result *result, const lp_verification *found)
{
    struct node *root = &result->root;
    const lp_violation *violation = &found->check->violations[0];
    struct node *history = node_add_object(root, "history");
    node_add_text(history, "spec", found->check->spec);
    node_add_text(history, "reason", violation->reason);
    node_add_indices(history, "core", violation->core, violation->core_length);
    node_add_found(history, NODE_EVENTS, "events", found->history, NULL);
    node_add_gap(root);
    text_append(node_add_paragraph(root, 2, "  its operations: "), violation->reason);
    node_add_gap(root);
    node_add_found(root, NODE_TIMELINE, NULL, found->history, &result->drawn);
    result->drawn_as = *violation;
    result->drawn_as.has_key = false; /* no heading names it here, so the operations do */
    report_violation_fill(&result->drawn, found->history, &result->drawn_as, false);
}

static void add_execution(struct result *result, const lp_verification *found)
{
    struct node *root = &result->root;
    node_add_gap(root);
    node_add_found(root, NODE_EXECUTION, NULL, NULL, &found->execution)->boolean =
        found->failure == LP_FAILURE_EVENT;
    node_add_gap(root);
    text_append(node_add_line(root, 2, STYLE_PLAIN), "the visible events:");
    node_add_found(root, NODE_VISIBLE, NULL, NULL, &found->execution);
    add_offered(root, found);
    if (found->check)
        add_history(result, found);
}

/* "`add`, `read` and `get`" */
static void append_names(const char *const *names, size_t count, struct text *text)
{
    for (size_t i = 0; i < count; i++)
        text_format(text, "%s`%s`", i == 0 ? "" : i + 1 == count ? " and " : ", ", names[i]);
}

/* "nothing is proved of `add`, which the specification has and the implementation lacks" */
static void add_missing(struct node *root, const lp_verification *found)
{
    struct text *said = node_add_paragraph(root, 2, NULL);
    text_append(said, "nothing is proved of ");
    append_names(found->missing, found->missing_count, said);
    text_append(said, ", which the specification has and the implementation lacks");
    node_add_texts(root, "missing", found->missing, found->missing_count);
    if (!found->uncalled_count)
        return;
    text_append(said, ", nor of ");
    append_names(found->uncalled, found->uncalled_count, said);
    text_format(said, ", which %s never called: the client order does not come to %s",
                found->uncalled_count == 1 ? "is" : "are",
                found->uncalled_count == 1 ? "it" : "them");
    node_add_texts(root, "never_called", found->uncalled, found->uncalled_count);
}

/* What an assertion about any number of threads came down to; a table where no execution is shown.
 */
static void add_questions(struct node *root, const lp_verification *found)
{
    static const char *const verdicts[] = {[LP_QUESTION_SAFE] = "safe",
                                           [LP_QUESTION_UNSAFE] = "unsafe",
                                           [LP_QUESTION_OPEN] = "unknown"};
    static const char *const answers[] = {[LP_QUESTION_SAFE] = "never",
                                          [LP_QUESTION_UNSAFE] = "perhaps",
                                          [LP_QUESTION_OPEN] = "open"};
    static const struct column columns[] = {
        {"rule", "what could be wrong", 0}, {"verdict", "ever", -7},
        {"method", "proved by", -11},       {"controls", "controls", 9},
        {"places", "places", 10},           {"transitions", "transitions", 11},
        {"seconds", "seconds", 9},          {0}};
    struct node *table = node_add_table(root, "questions", found->has_execution ? NULL : columns);
    table->dim = true;
    for (size_t i = 0; i < found->question_count; i++) {
        const lp_question *question = &found->questions[i];
        struct node *row = node_add_object(table, NULL);
        node_add_text(row, "rule", question->name);
        node_add_text(row, "about", question->about);
        node_add_cell(row, "verdict", verdicts[question->answer], answers[question->answer]);
        node_add_cell(row, "method", *question->method ? question->method : NULL,
                      question->answer == LP_QUESTION_SAFE ? NULL : "");
        node_add_text(row, "reason", *question->reason ? question->reason : NULL);
        node_add_number(row, "markings", question->explored);
        node_add_number(row, "controls", question->controls);
        node_add_number(row, "places", question->places);
        node_add_number(row, "transitions", question->transitions);
        node_add_seconds(row, question->seconds);
    }
}

static void add_parts(struct result *result, const lp_assertion *assertion,
                      const lp_verification *found)
{
    struct node *root = &result->root;
    node_add_text(root, "input", result->input);
    node_add_number(root, "line", assertion->line);
    node_add_text(root, "assertion", assertion->text);
    result_add_verdict(result);
    node_add_number(root, "states", found->states);
    node_add_number(root, "transitions", found->transitions);
    result_add_seconds(result);
    node_add_number(root, "memory_bytes", found->memory);
    node_add_text(root, "method", found->method);
    if (found->is_temporal)
        node_add_text(root, "fairness", lp_fairness_name(found->fairness));
    node_add_texts(root, "reductions", found->reductions, found->reduction_count);
    result_add_reason(result);
    if (found->resumed)
        node_add_boolean(root, "resumed", true);
    if (found->missing_count)
        add_missing(root, found);
    result_add_limit(result);
    if (found->threads)
        node_add_number(root, "threads", found->threads);
    if (found->question_count)
        add_questions(root, found);
    if (found->values)
        node_add_number(root, "values", found->values);
    if (found->has_extreme)
        node_add_integer(root, "extreme", found->extreme);
    if (found->has_execution && found->search == LP_SEARCH_DEPTH)
        node_add_text(root, "search", "depth");
    if (found->has_execution)
        add_execution(result, found);
}

void verification_fill(struct result *result, const lp_assertion *assertion,
                       const lp_verification *found)
{
    static const lp_verification unread = {.answer = LP_UNDECIDED};
    result->decided = found != NULL;
    found = found ? found : &unread;
    result->verdict = found->answer;
    result->words = result_answers;
    text_append(&result->subject, result->input);
    if (assertion->text)
        text_format(&result->subject, ":%u", assertion->line);
    result->about = assertion->text;
    result->line = assertion->line;
    result->family = result->input;
    result->seconds = found->seconds;
    result->insistent = found->answer == LP_HOLDS && found->met_bounds;
    result->has_replay = found->answer == LP_VIOLATED && found->has_execution;
    if (result->decided) {
        result_fact(result, "%s", found->method);
        if (found->fairness != LP_FAIRNESS_NONE)
            result_fact(result, "%s", lp_fairness_name(found->fairness));
        result_count(result, found->states, "state", "states");
        result_count(result, found->transitions, "transition", "transitions");
        if (found->resumed)
            result_fact(result, "resumed");
    }
    add_parts(result, assertion, found);
}
