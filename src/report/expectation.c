#include "report/expectation.h"

#include <stdio.h>
#include <string.h>

#include "report/result.h"

/* Of the LENGTH bytes at `text`; false: that is no verdict. */
static bool read_verdict(const char *text, size_t length, lp_answer *verdict)
{
    for (lp_answer answer = LP_HOLDS; answer <= LP_UNDECIDED; answer++)
        if (strlen(result_answers[answer]) == length &&
            memcmp(result_answers[answer], text, length) == 0) {
            *verdict = answer;
            return true;
        }
    return false;
}

bool fairness_find(const char *name, size_t length, lp_fairness *fairness)
{
    static const char prefix[] = "process-";
    for (lp_fairness kind = LP_FAIRNESS_NONE; kind < LP_FAIRNESS_KINDS; kind++) {
        const char *known = lp_fairness_name(kind);
        const char *brief =
            strncmp(known, prefix, sizeof prefix - 1) == 0 ? known + sizeof prefix - 1 : known;
        if ((strlen(known) == length && memcmp(known, name, length) == 0) ||
            (strlen(brief) == length && memcmp(brief, name, length) == 0)) {
            *fairness = kind;
            return true;
        }
    }
    return false;
}

/* "process-weak: holds" */
static bool read_exception(const char *text, size_t length, lp_fairness *fairness,
                           lp_answer *verdict)
{
    const char *colon = memchr(text, ':', length);
    if (!colon || !fairness_find(text, (size_t)(colon - text), fairness))
        return false;
    const char *word = colon + 1 + strspn(colon + 1, " \t");
    return read_verdict(word, (size_t)(text + length - word), verdict);
}

static bool read_all(const char *text, lp_fairness fairness, lp_answer *expected)
{
    size_t length = strcspn(text, ";");
    if (!read_verdict(text, length, expected))
        return false;
    for (const char *piece = text + length; *piece; piece += length) {
        lp_fairness named;
        lp_answer verdict;
        piece += 1 + strspn(piece + 1, " \t");
        length = strcspn(piece, ";");
        if (!read_exception(piece, length, &named, &verdict))
            return false;
        if (named == fairness)
            *expected = verdict;
    }
    return true;
}

bool expectation_read(const char *text, lp_fairness fairness, lp_answer *expected, lp_error *error)
{
    *expected = LP_HOLDS;
    if (!text || read_all(text, fairness, expected))
        return true;
    snprintf(error->message, sizeof error->message,
             "expected holds, violated or unknown behind `expect:`, and behind each `;` "
             "FAIRNESS: and one of them, found '%.200s'",
             text);
    return false;
}
