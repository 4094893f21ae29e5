/* The installed reports: answers, one after the other, in the form that was asked for. */
#include <linchpin/report.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/require.h"
#include "base/terminal.h"
#include "html/html.h"
#include "report/report.h"
#include "report/result.h"
#include "report/verification.h"

#define REPORT_MAGIC UINT32_C(0x6c707274)

struct lp_report {
    uint32_t magic;
    lp_report_form form;
    struct report_style style;
    bool linearization;
    FILE *out;
    char *written; /* behind `out` */
    size_t size;
};

lp_report *lp_report_create(lp_report_form form, const lp_report_options *options)
{
    lp_report_options own;
    REQUIRE(form >= LP_REPORT_TEXT && form <= LP_REPORT_HTML, "no such form");
    REQUIRE_SIZED(&own, options, linearization);
    options = &own;
    REQUIRE(options->columns == 0 || options->columns >= TERMINAL_LEAST_COLUMNS,
            "the columns are fewer than 40");
    lp_report *report = calloc(1, sizeof *report);
    if (!report)
        return NULL;
    *report = (lp_report){
        .magic = REPORT_MAGIC,
        .form = form,
        .style = {.terminal = {.colour = options->colour,
                               .unicode = !options->ascii,
                               .columns = options->columns ? options->columns : TERMINAL_COLUMNS},
                  .quiet = options->quiet},
        .linearization = options->linearization};
    report->out = open_memstream(&report->written, &report->size);
    if (!report->out) {
        free(report);
        return NULL;
    }
    if (form == LP_REPORT_HTML)
        html_begin(report->out);
    return report;
}

/* Writes a result, and releases it. `drawn`: the history that a page has; null: none. */
static void append(lp_report *report, struct result *result, const struct html_history *drawn)
{
    struct text text = TEXT_EMPTY;
    if (report->form == LP_REPORT_JSON)
        result_json(result, report->out);
    else if (report->form == LP_REPORT_TEXT)
        result_text(result, &report->style, &text);
    else
        html_append_result(result, drawn, &text);
    fwrite(text_string(&text), 1, text.length, report->out);
    text_release(&text);
    result_release(result);
}

void lp_report_check(lp_report *report, lp_context *context, const lp_history *history,
                     const lp_binding *bindings, size_t binding_count,
                     const lp_check_options *options, const lp_result *found, const char *input)
{
    REQUIRE_ALIVE(report, REPORT_MAGIC);
    REQUIRE_NOT_NULL(found);
    lp_check_options own;
    REQUIRE_SIZED(&own, options, require);
    struct report *evidence = report_create(history, found, report->linearization);
    struct html_history drawn = {.history = history, .result = found};
    struct result result = {.input = input ? input : lp_history_name(history),
                            .limit = found->limit};
    text_append(&result.reason, found->reason ? found->reason : "");
    report_fill(&result, evidence);
    if (report->form == LP_REPORT_HTML)
        html_history_follow(&drawn, context, bindings, binding_count, &own);
    append(report, &result, &drawn);
    html_history_release(&drawn);
    report_destroy(evidence);
}

void lp_report_verification(lp_report *report, const lp_model *model, size_t index,
                            const lp_verification *found, const char *input)
{
    REQUIRE_ALIVE(report, REPORT_MAGIC);
    REQUIRE_NOT_NULL(found);
    lp_assertion assertion;
    REQUIRE(lp_model_assertion_at(model, index, &assertion), "the model has no such assertion");
    struct result result = {.input = input ? input : lp_model_name(model), .limit = found->limit};
    text_append(&result.reason, found->reason ? found->reason : "");
    verification_fill(&result, &assertion, found);
    append(report, &result, NULL);
}

static void destroy(lp_report *report)
{
    report->magic = 0;
    free(report);
}

char *lp_report_finish(lp_report *report, size_t *length)
{
    REQUIRE_ALIVE(report, REPORT_MAGIC);
    if (report->form == LP_REPORT_HTML)
        html_end(report->out);
    char *written = NULL;
    if (fclose(report->out) == 0) {
        written = report->written;
        if (length)
            *length = report->size;
    } else {
        free(report->written);
    }
    destroy(report);
    return written;
}

void lp_report_destroy(lp_report *report)
{
    if (!report)
        return;
    REQUIRE_ALIVE(report, REPORT_MAGIC);
    fclose(report->out);
    free(report->written);
    destroy(report);
}
