#include "report/junit.h"
#include "report/verification.h"

void verification_junit(const struct verification_report *report, const char *story,
                        struct text *text)
{
    static const struct {
        const char *fault, *type;
    } kinds[] = {[LP_HOLDS] = {NULL, NULL},
                 [LP_VIOLATED] = {"failure", "violated"},
                 [LP_UNDECIDED] = {"error", "unknown"}};
    lp_answer answer = verification_answer(report);
    struct text name = TEXT_EMPTY;
    text_append(&name, report->input);
    if (report->assertion.text)
        text_format(&name, ":%u: %s", report->assertion.line, report->assertion.text);
    junit_append_case(report->input, text_string(&name),
                      report->result ? report->result->seconds : 0, kinds[answer].fault,
                      kinds[answer].type, report->reason ? report->reason : "", story, text);
    text_release(&name);
}
