#include "report/stressed.h"

#include <inttypes.h>
#include <string.h>

static const char *const findings[] = {[LP_STRESS_NOTHING] = NULL,
                                       [LP_STRESS_VIOLATION] = "not linearizable",
                                       [LP_STRESS_HANG] = "hang",
                                       [LP_STRESS_CRASH] = "crash"};

/* "queue, 3 threads, 1,204 rounds, 28,896 operations, seed 7" */
static void add_facts(struct result *result, const struct stressed *stressed)
{
    const lp_stress_result *found = stressed->found;
    result_fact(result, "%s", *found->spec ? found->spec : "no specification");
    result_count(result, stressed->threads, "thread", "threads");
    result_count(result, found->rounds, "round", "rounds");
    result_count(result, found->operations, "operation", "operations");
    result_fact(result, "seed %" PRIu64, stressed->seed);
}

static void add_fields(struct result *result, const struct stressed *stressed)
{
    const lp_stress_result *found = stressed->found;
    struct node *root = &result->root;
    node_add_text(root, "input", result->input);
    node_add_text(root, "test", found->test);
    node_add_text(root, "spec", *found->spec ? found->spec : NULL);
    result_add_verdict(result);
    node_add_text(root, "finding", findings[found->finding]);
    node_add_number(root, "threads", stressed->threads);
    node_add_number(root, "rounds", found->rounds);
    if (found->left_out)
        node_add_number(root, "left_out", found->left_out);
    node_add_number(root, "operations", found->operations);
    node_add_number(root, "seed", stressed->seed);
    if (found->finding != LP_STRESS_NOTHING)
        node_add_number(root, "round", found->round);
    result_add_seconds(result);
    result_add_reason(result);
}

/* What lines and times are those of. */
static void add_source(struct node *root, const char *kept)
{
    node_add_gap(root);
    struct text *line = node_add_paragraph(root, 2, NULL);
    text_append(line, "Lines are those of the round's history, ");
    if (kept)
        text_format(line, "in %s.", kept);
    else
        text_append(line, "which --history FILE keeps.");
}

void stressed_fill(struct result *result, const struct stressed *stressed)
{
    static const char *const words[] = {
        [LP_LINEARIZABLE] = "linearizable", [LP_VIOLATION] = "violation", [LP_UNKNOWN] = "unknown"};
    const lp_stress_result *found = stressed->found;
    result->decided = true;
    result->verdict = (lp_answer)found->verdict;
    result->words = words;
    text_format(&result->subject, "%s: %s", result->input, found->test);
    result->family = "stress";
    result->seconds = found->seconds;
    result->told = stressed->report != NULL;
    add_facts(result, stressed);
    add_fields(result, stressed);
    if (found->finding == LP_STRESS_VIOLATION && strcmp(found->spec, "auto") == 0)
        text_append(node_add_paragraph(&result->root, 2, NULL),
                    "legal is what the code answers with one operation after the other");
    if (stressed->report) {
        report_add_evidence(&result->root, stressed->report);
        add_source(&result->root, stressed->kept);
    }
    if (stressed->again) {
        node_add_gap(&result->root);
        text_append(node_add_line(&result->root, 2, STYLE_PLAIN), "the same operations again:");
        text_append(node_add_line(&result->root, 4, STYLE_PLAIN), stressed->again);
    }
}
