#include "report/verification.h"

#include <string.h>

#include "base/quantity.h"
#include "base/utf8.h"
#include "report/execution.h"

#define MOST_OFFERED 4 /* that the reason names itself */

lp_answer verification_answer(const struct verification_report *report)
{
    return report->result ? report->result->answer : LP_UNDECIDED;
}

const char *verification_verdict(lp_answer answer)
{
    static const char *const names[] = {
        [LP_HOLDS] = "holds", [LP_VIOLATED] = "violated", [LP_UNDECIDED] = "unknown"};
    return names[answer];
}

/* "queue.csp:31: violated: P() refines Q() (refinement, 1,000 states, 1,812 transitions, 0.010 s)"
 */
static void append_verdict(const struct verification_report *report,
                           const struct terminal *terminal, struct text *text)
{
    static const enum style styles[] = {
        [LP_HOLDS] = STYLE_GOOD, [LP_VIOLATED] = STYLE_BAD, [LP_UNDECIDED] = STYLE_UNKNOWN};
    const lp_verification *result = report->result;
    lp_answer answer = verification_answer(report);
    const char *assertion = report->assertion.text;
    utf8_append_shown(text, report->input, strlen(report->input), terminal->unicode);
    if (assertion)
        text_format(text, ":%u", report->assertion.line);
    text_append(text, ": ");
    terminal_append(terminal, styles[answer], verification_verdict(answer), text);
    if (assertion) {
        text_append(text, ": ");
        utf8_append_shown(text, assertion, strlen(assertion), terminal->unicode);
    }
    if (result) {
        text_format(text, " (%s, ", result->method);
        if (result->fairness != LP_FAIRNESS_NONE)
            text_format(text, "%s, ", lp_fairness_name(result->fairness));
        report_text_count(result->states, "state", "states", text);
        text_append(text, ", ");
        report_text_count(result->transitions, "transition", "transitions", text);
        text_append(text, ", ");
        report_text_seconds(result->seconds, text);
        text_append(text, ")");
    }
    text_append(text, "\n");
}

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

static void append_execution(const lp_verification *result, const struct terminal *terminal,
                             struct text *text)
{
    text_append(text, "\n");
    execution_table(&result->execution, result->failure == LP_FAILURE_EVENT, terminal, text);
    text_append(text, "\n  the visible events:\n");
    execution_visible(&result->execution, terminal, text);
    append_offered(result, terminal, text);
    append_history(result, terminal, text);
}

/* "the implementation lacks `add` of the specification: nothing is said of it" */
static void append_missing(const lp_verification *result, const struct terminal *terminal,
                           struct text *text)
{
    struct text said = TEXT_EMPTY;
    text_append(&said, "the implementation lacks ");
    for (size_t i = 0; i < result->missing_count; i++)
        text_format(&said, "%s`%s`",
                    i == 0                           ? ""
                    : i + 1 == result->missing_count ? " and "
                                                     : ", ",
                    result->missing[i]);
    text_format(&said, " of the specification: nothing is said of %s",
                result->missing_count == 1 ? "it" : "them");
    report_text_reason(text_string(&said), terminal, text);
    text_release(&said);
}

static void append_number(uint64_t number, int width, struct text *text)
{
    struct text digits = TEXT_EMPTY;
    text_append_count(&digits, number);
    text_format(text, "  %*s", width, text_string(&digits));
    text_release(&digits);
}

static const char *const answers[] = {
    [LP_QUESTION_SAFE] = "never", [LP_QUESTION_UNSAFE] = "perhaps", [LP_QUESTION_OPEN] = "open"};

/* What an assertion about any number of threads came down to. */
static void append_questions(const lp_verification *result, const struct terminal *terminal,
                             struct text *text)
{
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
        append_number(question->controls, 9, text);
        append_number(question->places, 10, text);
        append_number(question->transitions, 11, text);
        text_format(text, "  %9.3f\n", question->seconds);
    }
    text_release(&head);
}

void verification_text(const struct verification_report *report, const struct report_style *style,
                       struct text *text)
{
    const struct terminal *terminal = &style->terminal;
    const lp_verification *result = report->result;
    append_verdict(report, terminal, text);
    bool limited = result && result->answer == LP_HOLDS && result->met_bounds;
    if (report->reason && (!style->quiet || limited))
        report_text_reason(report->reason, terminal, text);
    if (style->quiet)
        return;
    if (result && result->missing_count)
        append_missing(result, terminal, text);
    if (result && result->question_count && !result->has_execution)
        append_questions(result, terminal, text);
    if (result && result->has_execution)
        append_execution(result, terminal, text);
    if (result && result->answer == LP_VIOLATED && result->has_execution && style->replay)
        report_text_commands(style->replay, terminal, text);
}
