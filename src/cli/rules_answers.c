#include "cli/rules_answers.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "report/proof.h"
#include "report/rule_sets.h"
#include "report/rules.h"
#include "report/rules_run.h"

#define DEFAULT_RANDOM 5000 /* histories */

static const struct rules_question *question_of(const struct work *work)
{
    const struct rules_request *request = work->run->request;
    return &request->questions[work->index];
}

/* What is printed about one set is set apart from what has been printed before. */
static void set_apart(const struct work *work)
{
    const struct options *options = work->run->options;
    if (work->index > 0 && !options->json && !options->quiet)
        fputs("\n", work->out);
}

static void fail(struct work *work, lp_status status, const lp_error *error)
{
    if (status != LP_USAGE || work->run->options->json) {
        work_fail(work, status, error);
        return;
    }
    text_format(&work->messages, "linchpin rules: %s\n", error->message);
    work_count_errors(work, status, error, 1, work->name);
}

/* "the time limit of 1 s was reached; up to 3 events no property is violated", or what was found.
 */
static void append_reason(const struct work *work, const lp_limit *found, const char *said,
                          struct result *result)
{
    work_limit(work, found, result);
    if (result->limit == LP_LIMIT_NONE)
        text_append(&result->reason, said);
}

static void append_covered(unsigned size, const char *one, const char *several, const char *what,
                           struct text *reason)
{
    text_append(reason, "; up to ");
    report_text_count(size, one, several, reason);
    text_format(reason, " %s", what);
}

/* ---- inductive rules ---- */

static lp_status test(struct work *work, lp_error *error)
{
    const struct rules_question *question = question_of(work);
    const struct options *options = work->run->options;
    const lp_rule_set_options inner = {.size = sizeof inner,
                                       .bound = (unsigned)options->bound,
                                       .jobs = (unsigned)options->jobs,
                                       .timeout =
                                           session_timeout(&work->run->session, work->began)};
    if (!work->context)
        return LP_LIMIT;
    return lp_rule_set_check(work->context, question->rules, question->index, &inner, work->own,
                             error);
}

static void show_test(struct work *work, lp_status status, const lp_error *error)
{
    const struct rules_question *question = question_of(work);
    const lp_rule_set_result *found = *(lp_rule_set_result *const *)work->own;
    struct rule_set_report report = {.result = found};
    set_apart(work);
    if (status != LP_OK && status != LP_LIMIT) {
        work_fail(work, status, error);
        return;
    }
    lp_rule_sets_at(question->rules, question->index, &report.set);
    struct result result = {.input = work->name};
    append_reason(work, found ? &found->limit : NULL, found ? found->reason : "", &result);
    if (!found)
        text_append(&result.reason, " before anything was tested");
    else if (found->limit != LP_LIMIT_NONE)
        append_covered(found->size, "event", "events", "no property is violated", &result.reason);
    rule_set_fill(&result, &report);
    work_show(work, &result);
}

static void release_test(struct work *work)
{
    lp_rule_set_result_destroy(*(lp_rule_set_result **)work->own);
}

const struct run_kind rules_test = {.command = "rules",
                                    .size = sizeof(lp_rule_set_result *),
                                    .decide = test,
                                    .show = show_test,
                                    .narrate = work_narrate_done,
                                    .release = release_test};

/* ---- automata and their specification ---- */

static lp_status compare(struct work *work, lp_error *error)
{
    const struct options *options = work->run->options;
    static const char *const words[] = {
        [LP_RULES_STRICT] = "strict", [LP_RULES_EXACT] = "exact", [LP_RULES_CLOSURE] = "closure"};
    lp_rules_options inner = {.size = sizeof inner,
                              .bound = (unsigned)options->bound,
                              .histories = options->in_turn   ? LP_RULES_IN_TURN
                                           : options->matched ? LP_RULES_MATCHED
                                                              : LP_RULES_ALL,
                              .random_histories =
                                  options->has_random ? options->random : DEFAULT_RANDOM,
                              .seed = options->has_seed ? options->seed : 1,
                              .jobs = (unsigned)options->jobs,
                              .timeout = session_timeout(&work->run->session, work->began)};
    for (size_t i = 0; options->words && i < ARRAY_LENGTH(words); i++)
        if (strcmp(options->words, words[i]) == 0)
            inner.words = (lp_rules_words)i;
    if (!work->context)
        return LP_LIMIT;
    return lp_rules_check(work->context, question_of(work)->automata->rules, &inner, work->own,
                          error);
}

static void show_comparison(struct work *work, lp_status status, const lp_error *error)
{
    const struct automata_set *automata = question_of(work)->automata;
    const lp_rules_result *found = *(lp_rules_result *const *)work->own;
    const struct rules_report report = {.inputs = automata->inputs,
                                        .rules = automata->rules,
                                        .result = found,
                                        .examples = work->run->options->examples};
    lp_rule_unmade unmade;
    set_apart(work);
    if (status != LP_OK && status != LP_LIMIT) {
        fail(work, status, error);
        return;
    }
    struct result result = {.input = work->name};
    append_reason(work, found ? &found->limit : NULL, found ? found->reason : "", &result);
    if (!found)
        text_append(&result.reason, " before anything was compared");
    else if (found->limit != LP_LIMIT_NONE)
        append_covered(found->size, "operation", "operations",
                       lp_rules_unmade(automata->rules, 0, &unmade) ? "there is no false alarm"
                                                                    : "there is no difference",
                       &result.reason);
    rules_fill(&result, &report);
    work_show(work, &result);
}

static void release_comparison(struct work *work)
{
    lp_rules_result_destroy(*(lp_rules_result **)work->own);
}

const struct run_kind rules_compare = {.command = "rules",
                                       .size = sizeof(lp_rules_result *),
                                       .decide = compare,
                                       .show = show_comparison,
                                       .narrate = work_narrate_done,
                                       .release = release_comparison};

/* ---- automata on a recorded history ---- */

struct on_history {
    lp_history **histories;
    size_t count;
    const struct rules_run_report *shown; /* the one that is being shown */
};

static lp_status read_histories(struct work *work, lp_error *error)
{
    struct on_history *read = work->own;
    const lp_read_options reading = {.size = sizeof reading,
                                     .format = work->run->options->format,
                                     .jobs = (unsigned)work->run->options->jobs,
                                     .timeout = session_timeout(&work->run->session, work->began)};
    if (!work->context)
        return LP_LIMIT;
    return input_read(work->context, work->name, &reading, &read->histories, &read->count, error);
}

static void show_limit(struct work *work, const char *name, const lp_error *error)
{
    error_append(error, name, NULL, work->run->options->json, &work->messages);
    work->outcome->status = exit_worst(work->outcome->status, EXIT_UNDECIDED);
    if (work->run->options->proof) {
        proof_of_nothing(name, "no certificate: the verdict is unknown", &work->outcome->proof);
        work->outcome->claims++;
    }
}

static void run_on(struct work *work, const lp_history *history)
{
    const lp_rules *rules = question_of(work)->automata->rules;
    const lp_rules_options inner = {.size = sizeof inner,
                                    .jobs = (unsigned)work->run->options->jobs,
                                    .timeout =
                                        session_timeout(&work->run->session, session_clock())};
    lp_rules_run *run = NULL;
    lp_error error = {0};
    char *name = input_name(work->name, history);
    lp_status status = lp_rules_run_on(work->context, rules, history, &inner, &run, &error);
    if (status == LP_OK) {
        const struct rules_run_report report = {history, rules, run};
        struct result result = {.input = name, .limit = run->limit};
        text_append(&result.reason, run->reason);
        rules_run_fill(&result, &report);
        ((struct on_history *)work->own)->shown = &report;
        work_show(work, &result);
    } else if (status == LP_LIMIT)
        show_limit(work, name, &error);
    else
        work_fail(work, status, &error);
    lp_rules_run_destroy(run);
    free(name);
}

static void show_runs(struct work *work, lp_status status, const lp_error *error)
{
    const struct on_history *read = work->own;
    set_apart(work);
    if (status == LP_LIMIT)
        show_limit(work, work->name, error);
    else if (status != LP_OK)
        work_fail(work, status, error);
    for (size_t i = 0; i < read->count; i++)
        run_on(work, read->histories[i]);
}

static const char *prove_run(const struct work *work, const struct result *result,
                             struct text *proof)
{
    const struct rules_run_report *shown = ((const struct on_history *)work->own)->shown;
    (void)result;
    return proof_of_run(shown->history, shown->rules, question_of(work)->automata->inputs,
                        shown->run, proof);
}

static void release_histories(struct work *work)
{
    const struct on_history *read = work->own;
    input_release(read->histories, read->count);
}

const struct run_kind rules_run_on = {.command = "rules",
                                      .size = sizeof(struct on_history),
                                      .decide = read_histories,
                                      .show = show_runs,
                                      .prove = prove_run,
                                      .narrate = work_narrate_done,
                                      .release = release_histories};

/* ---- all of these ---- */

static lp_status decide(struct work *work, lp_error *error)
{
    return question_of(work)->kind->decide(work, error);
}

static void show(struct work *work, lp_status status, const lp_error *error)
{
    question_of(work)->kind->show(work, status, error);
}

static const char *prove(const struct work *work, const struct result *result, struct text *proof)
{
    const struct run_kind *kind = question_of(work)->kind;
    return kind->prove
               ? kind->prove(work, result, proof)
               : proof_of_nothing(result->input,
                                  "no certificate: linchpin-recheck compares no automata", proof);
}

static void release(struct work *work)
{
    question_of(work)->kind->release(work);
}

const struct run_kind rules_answers = {.command = "rules",
                                       .size = sizeof(struct on_history), /* the largest */
                                       .decide = decide,
                                       .show = show,
                                       .prove = prove,
                                       .narrate = work_narrate_done,
                                       .release = release};
