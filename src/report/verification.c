#include "report/verification.h"

#include <string.h>

#include "base/utf8.h"
#include "report/execution.h"

#define MOST_OFFERED 4 /* that the reason names itself */

/* The events that the specification offers where the execution ends, if the reason has not named
 * all. */
static void append_offered(const lp_verification *result, const struct terminal *terminal,
                           struct text *text)
{
    struct text events = TEXT_EMPTY;
    if (result->failure == LP_FAILURE_NONE || result->offered_count <= MOST_OFFERED)
        return;
    text_append(&events, "all that the specification offers at the end:");
    for (size_t i = 0; i < result->offered_count; i++) {
        text_append(&events, i ? ", " : " ");
        utf8_append_shown(&events, result->offered[i], strlen(result->offered[i]),
                          terminal->unicode);
    }
    text_append(text, "\n");
    terminal_wrap(terminal, text_string(&events), 2, 0, text);
    text_release(&events);
}

/* The operations of the execution, drawn and in words as of a history that was recorded. */
static void append_history(const lp_verification *result, const struct terminal *terminal,
                           struct text *text)
{
    struct report_violation violation;
    if (!result->check)
        return;
    lp_violation found = result->check->violations[0];
    found.has_key = false; /* no heading names it here, so the operations do */
    report_violation_fill(&violation, result->history, &found, false);
    text_append(text, "\n  its operations: ");
    struct text reason = TEXT_EMPTY;
    const char *said = found.reason;
    utf8_append_shown(&reason, said, strlen(said), terminal->unicode);
    terminal_wrap(terminal, text_string(&reason), 2, 18, text);
    text_append(text, "\n");
    report_text_timeline(result->history, &violation, terminal, text);
    text_release(&reason);
    report_violation_release(&violation);
}

static void append_execution(const void *found, const struct terminal *terminal, struct text *text)
{
    const lp_verification *result = found;
    text_append(text, "\n");
    execution_table(&result->execution, result->failure == LP_FAILURE_EVENT, terminal, text);
    text_append(text, "\n  the visible events:\n");
    execution_visible(&result->execution, terminal, text);
    append_offered(result, terminal, text);
    append_history(result, terminal, text);
}

/* "`add`, `read` and `get`" */
static void append_names(const char *const *names, size_t count, struct text *text)
{
    for (size_t i = 0; i < count; i++)
        text_format(text, "%s`%s`", i == 0 ? "" : i + 1 == count ? " and " : ", ", names[i]);
}

/* "the implementation lacks `add` of the specification: nothing is said of it" */
static void append_missing(const void *found, const struct terminal *terminal, struct text *text)
{
    const lp_verification *result = found;
    struct text said = TEXT_EMPTY;
    text_append(&said, "the implementation lacks ");
    append_names(result->missing, result->missing_count, &said);
    text_format(&said, " of the specification: nothing is said of %s",
                result->missing_count == 1 ? "it" : "them");
    if (result->uncalled_count) {
        text_append(&said, ", nor of ");
        append_names(result->uncalled, result->uncalled_count, &said);
        text_format(&said, ", which %s never called: the client order does not come to %s",
                    result->uncalled_count == 1 ? "is" : "are",
                    result->uncalled_count == 1 ? "it" : "them");
    }
    report_text_reason(text_string(&said), terminal, text);
    text_release(&said);
}

static const char *const answers[] = {
    [LP_QUESTION_SAFE] = "never", [LP_QUESTION_UNSAFE] = "perhaps", [LP_QUESTION_OPEN] = "open"};

/* What an assertion about any number of threads came down to. */
static void append_questions(const void *found, const struct terminal *terminal, struct text *text)
{
    const lp_verification *result = found;
    static const char title[] = "what could be wrong";
    int width = (int)strlen(title);
    for (size_t i = 0; i < result->question_count; i++)
        if ((int)strlen(result->questions[i].name) > width)
            width = (int)strlen(result->questions[i].name);
    text_append(text, "\n    ");
    struct text head = TEXT_EMPTY;
    text_format(&head, "%-*s  ever     proved by     controls      places  transitions    seconds",
                width, title);
    terminal_append(terminal, STYLE_DIM, text_string(&head), text);
    text_append(text, "\n");
    for (size_t i = 0; i < result->question_count; i++) {
        const lp_question *question = &result->questions[i];
        text_format(text, "    %-*s  %-7s  %-11s", width, question->name, answers[question->answer],
                    question->answer == LP_QUESTION_SAFE ? question->method : "");
        report_text_column(question->controls, 9, text);
        report_text_column(question->places, 10, text);
        report_text_column(question->transitions, 11, text);
        text_format(text, "  %9.3f\n", question->seconds);
    }
    text_release(&head);
}

static void add_parts(struct result *result, const lp_assertion *assertion,
                      const lp_verification *found)
{
    static const struct evidence_kind missing = {append_missing, verification_json_missing},
                                      asked = {append_questions, verification_json_questions},
                                      questions = {NULL, verification_json_questions},
                                      execution = {append_execution, verification_json_execution};
    result_add_text(result, "input", result->input);
    result_add_number(result, "line", assertion->line);
    result_add_text(result, "assertion", assertion->text);
    result_add_verdict(result);
    result_add_number(result, "states", found->states);
    result_add_number(result, "transitions", found->transitions);
    result_add_seconds(result);
    result_add_number(result, "memory_bytes", found->memory);
    result_add_text(result, "method", found->method);
    if (found->is_temporal)
        result_add_text(result, "fairness", lp_fairness_name(found->fairness));
    result_add_texts(result, "reductions", found->reductions, found->reduction_count);
    result_add_reason(result);
    if (found->missing_count)
        result_add_evidence(result, &missing, found);
    result_add_limit(result);
    if (found->threads)
        result_add_number(result, "threads", found->threads);
    if (found->question_count)
        result_add_evidence(result, found->has_execution ? &questions : &asked, found);
    if (found->values)
        result_add_number(result, "values", found->values);
    if (found->has_extreme)
        result_add_integer(result, "extreme", found->extreme);
    if (found->has_execution)
        result_add_evidence(result, &execution, found);
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
    }
    add_parts(result, assertion, found);
}
