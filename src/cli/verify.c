/* linchpin verify: the models are read first; then every assertion is a piece of work of its own,
 * several at once, each with a context and its share of the memory. What a share is too small for
 * is decided again at the end, alone and with all of it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/ordered.h"
#include "cli/results.h"
#include "cli/units.h"
#include "cli/words.h"
#include "report/execution.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/model_trace.h"
#include "report/verification.h"

struct verify {
    const struct options *options;
    struct session session;
    struct progress progress;
    struct ordered ordered;
    struct report_style style;
    struct units units;
    struct results results;
    unsigned jobs, workers;
};

/* A unit while it is being decided. */
struct deciding {
    struct verify *verify;
    size_t index;
    const struct unit *unit;
    struct outcome *outcome;
    double began;
    lp_assertion assertion;
    char *messages;
};

/* ---- what is said ---- */

/* "[3/12] queue.csp:31: 1,200,000 states (800,000/s), 340 MB, 12 s" */
static void show_progress(void *user, const lp_verify_progress *now)
{
    const struct deciding *deciding = user;
    struct verify *verify = deciding->verify;
    struct text line = TEXT_EMPTY;
    if (!progress_due(&verify->progress))
        return;
    if (verify->units.count > 1)
        text_format(&line, "[%zu/%zu] ", deciding->index + 1, verify->units.count);
    const char *operand = deciding->unit->source->operand;
    utf8_append_shown(&line, operand, strlen(operand), true);
    text_format(&line, ":%u: ", deciding->assertion.line);
    text_append_count(&line, now->explored);
    text_append(&line, " states");
    if (now->seconds > 0) {
        text_append(&line, " (");
        text_append_count(&line, (uint64_t)((double)now->explored / now->seconds));
        text_append(&line, "/s)");
    }
    text_format(&line, ", %zu MB, %.0f s", now->memory >> 20, now->seconds);
    progress_draw(&verify->progress, text_string(&line));
    text_release(&line);
}

/* "12 assertions: 10 hold, 2 violated, 1 unknown; 1 error" */
static void summarise(const struct verify *verify, const struct tally *tally)
{
    size_t all = tally->verdicts[0] + tally->verdicts[1] + tally->verdicts[2];
    const struct options *options = verify->options;
    if (verify->ordered.failed || options->quiet || (options->json && !options->verbose) ||
        all + tally->errors < 2)
        return;
    if (all)
        fprintf(stderr, "%zu %s: %zu %s", all, all == 1 ? "assertion" : "assertions",
                tally->verdicts[LP_HOLDS], tally->verdicts[LP_HOLDS] == 1 ? "holds" : "hold");
    if (tally->verdicts[LP_VIOLATED])
        fprintf(stderr, ", %zu violated", tally->verdicts[LP_VIOLATED]);
    if (tally->verdicts[LP_UNDECIDED])
        fprintf(stderr, ", %zu unknown", tally->verdicts[LP_UNDECIDED]);
    if (tally->errors)
        fprintf(stderr, "%s%zu %s", all ? "; " : "", tally->errors,
                tally->errors == 1 ? "error" : "errors");
    fprintf(stderr, " (%.2f s)\n", session_clock() - verify->session.started);
}

/* ---- one assertion ---- */

/* An error, and where it is a fault at run time the execution that leads to it. */
static void fail(struct deciding *deciding, lp_status status, const lp_error *error,
                 const lp_verification *fault)
{
    struct text text = TEXT_EMPTY;
    const char *operand = deciding->unit->source->operand;
    struct terminal plain = TERMINAL_PLAIN;
    plain.unicode = true;
    const struct model_errors *errors = &deciding->unit->source->errors;
    bool unread = error == &errors->items[0];
    if (unread)
        model_errors_append(errors, operand, deciding->verify->options->json, &text);
    else
        error_append(error, operand, &text);
    if (fault) {
        bool shown = fault->execution.length || fault->execution.start_count;
        text_append(&text, "  found while deciding ");
        utf8_append_shown(&text, operand, strlen(operand), true);
        text_format(&text, ":%u: %s\n", deciding->assertion.line, deciding->assertion.text);
        text_append(&text, shown ? "\n" : "");
        if (shown)
            execution_table(&fault->execution, false, &plain, &text);
        text_append(&text, shown ? "\n" : "");
    }
    deciding->messages = text_take(&text);
    deciding->outcome->tally.errors += unread ? errors->count : 1;
    deciding->outcome->status =
        exit_worst(deciding->outcome->status, status == LP_INTERNAL ? EXIT_FAULT : EXIT_INPUT);
    if (deciding->verify->options->junit)
        junit_append_error(operand, error->message, &deciding->outcome->junit);
}

static void keep_trace(struct deciding *deciding, const struct verification_report *report)
{
    const struct options *options = deciding->verify->options;
    struct outcome *outcome = deciding->outcome;
    if (!options->trace || verification_answer(report) != LP_VIOLATED ||
        !report->result->has_execution)
        return;
    struct model_trace_request request = {.hash = lp_model_hash(deciding->unit->source->model),
                                          .reduce = options->reduce,
                                          .search = options->search,
                                          .method = options->method,
                                          .fairness = options->fairness};
    FILE *out = open_memstream(&outcome->trace, &outcome->trace_length);
    if (!out)
        return;
    model_trace_write(&request, report, out);
    fclose(out);
}

static void append_replay(const struct deciding *deciding, struct text *text)
{
    struct text assertion = TEXT_EMPTY;
    text_format(&assertion, "%s:%u", deciding->unit->source->operand, deciding->assertion.line);
    words_append_model_replay(deciding->verify->options, text_string(&assertion),
                              deciding->verify->units.count == 1, text);
    text_release(&assertion);
}

static void render(struct deciding *deciding, const struct verification_report *report, FILE *out)
{
    static const int statuses[] = {
        [LP_HOLDS] = EXIT_HOLDS, [LP_VIOLATED] = EXIT_VIOLATION, [LP_UNDECIDED] = EXIT_UNDECIDED};
    const struct verify *verify = deciding->verify;
    struct text text = TEXT_EMPTY, replay = TEXT_EMPTY;
    struct report_style style = verify->style, plain = {.terminal = TERMINAL_PLAIN};
    lp_answer answer = verification_answer(report);
    append_replay(deciding, &replay);
    style.replay = plain.replay = text_string(&replay);
    plain.terminal.unicode = true;
    deciding->outcome->status = exit_worst(deciding->outcome->status, statuses[answer]);
    deciding->outcome->tally.verdicts[answer]++;
    if (verify->options->json) {
        yajl_gen json = json_begin(out);
        verification_json_fields(report, json);
        json_end(json, out);
    } else {
        verification_text(report, &style, &text);
        fwrite(text_string(&text), 1, text.length, out);
    }
    if (verify->options->junit) {
        text_clear(&text);
        verification_text(report, &plain, &text);
        verification_junit(report, text_string(&text), &deciding->outcome->junit);
    }
    keep_trace(deciding, report);
    text_release(&text);
    text_release(&replay);
}

/* The library was given what is left of time and memory; the user knows the limits of the command
 * line. What was covered stands behind " after ". */
static void render_answer(struct deciding *deciding, const lp_verification *result, FILE *out)
{
    struct text reason = TEXT_EMPTY;
    const struct session *session = &deciding->verify->session;
    lp_limit limit = result ? result->limit : limit_find(session, deciding->began);
    const char *said = result ? result->reason : "";
    if (limit != LP_LIMIT_NONE) {
        const char *covered = strstr(said, " after ");
        limit_append(session, limit, deciding->began, &reason);
        if (result)
            text_append(&reason, covered ? covered : "");
        else
            text_append(&reason, deciding->assertion.text ? " before it was decided"
                                                          : " before it was read");
    } else
        text_append(&reason, said);
    struct verification_report report = {.input = deciding->unit->source->operand,
                                         .assertion = deciding->assertion,
                                         .reason = reason.length ? text_string(&reason) : NULL,
                                         .result = result,
                                         .limit = limit};
    render(deciding, &report, out);
    text_release(&reason);
}

static bool wants_memory(const struct deciding *deciding, lp_status status,
                         const lp_verification *result, unsigned share)
{
    const struct session *session = &deciding->verify->session;
    bool refused = status == LP_LIMIT || (status == LP_OK && result->limit == LP_LIMIT_MEMORY);
    return refused && share > 1 && !atomic_load(&session->interrupted) &&
           session_remaining(session, deciding->began, NULL) > 0;
}

static lp_fairness chosen_fairness(const struct options *options)
{
    lp_fairness fairness = LP_FAIRNESS_NONE;
    if (options->fairness && strcmp(options->fairness, "weak") == 0)
        return LP_FAIRNESS_PROCESS_WEAK;
    if (options->fairness && strcmp(options->fairness, "strong") == 0)
        return LP_FAIRNESS_PROCESS_STRONG;
    while (options->fairness && strcmp(lp_fairness_name(fairness), options->fairness) != 0)
        fairness++;
    return fairness;
}

static lp_status ask(struct deciding *deciding, lp_context *context, lp_verification **result,
                     lp_error *error)
{
    const struct verify *verify = deciding->verify;
    const struct options *options = verify->options;
    bool over = session_remaining(&verify->session, deciding->began, NULL) <= 0;
    if (!context || over || atomic_load(&verify->session.interrupted))
        return LP_LIMIT;
    bool depth = options->search && strcmp(options->search, "depth") == 0;
    bool automata = options->method && strcmp(options->method, "automata") == 0;
    lp_verify_options inner = {.reductions = options->reduce,
                               .search = depth ? LP_SEARCH_DEPTH : LP_SEARCH_BREADTH,
                               .method = automata ? LP_VERIFY_AUTOMATA : LP_VERIFY_REFINEMENT,
                               .fairness = chosen_fairness(options),
                               .timeout = session_timeout(&verify->session, deciding->began),
                               .progress = show_progress,
                               .progress_user = deciding};
    return lp_verify(context, deciding->unit->source->model, deciding->unit->assertion, &inner,
                     result, error);
}

static void narrate_end(const struct deciding *deciding, const lp_context *context)
{
    struct text about = TEXT_EMPTY, line = TEXT_EMPTY;
    text_format(&about, "%s:%u", deciding->unit->source->operand, deciding->assertion.line);
    text_format(&line, "done, %.3f s, ", session_clock() - deciding->began);
    text_append_size(&line, lp_context_memory_peak(context));
    text_append(&line, " at most");
    results_narrate(deciding->verify->options, &deciding->verify->progress, text_string(&about),
                    &line);
    text_release(&line);
    text_release(&about);
}

static void finish(struct deciding *deciding, lp_status status, const lp_verification *result,
                   const lp_error *error)
{
    struct ordered *ordered = &deciding->verify->ordered;
    FILE *out = ordered_begin(ordered, deciding->index);
    if (status == LP_OK || status == LP_LIMIT)
        render_answer(deciding, result, out);
    else
        fail(deciding, status, error, result);
    if (!ordered_end(ordered, deciding->index, deciding->messages))
        session_interrupt(&deciding->verify->session); /* nobody hears the rest */
}

static void decide_unit(struct verify *verify, size_t index, unsigned share)
{
    struct deciding deciding = {.verify = verify,
                                .index = index,
                                .unit = &verify->units.items[index],
                                .outcome = &verify->results.items[index],
                                .began = session_clock() - verify->results.items[index].spent};
    const struct source_model *source = deciding.unit->source;
    lp_error error = {0};
    if (!unit_assertion(deciding.unit, &deciding.assertion)) {
        finish(&deciding, source->status, NULL, &source->errors.items[0]);
        return;
    }
    lp_verification *result = NULL;
    lp_context *context = session_open(&verify->session, share);
    lp_status status = ask(&deciding, context, &result, &error);
    deciding.outcome->again = wants_memory(&deciding, status, result, share);
    if (deciding.outcome->again)
        deciding.outcome->spent = session_clock() - deciding.began;
    else
        finish(&deciding, status, result, &error);
    lp_verification_destroy(result);
    if (context) {
        narrate_end(&deciding, context);
        session_close(&verify->session, context);
    }
}

static void decide_share(void *context, size_t index, unsigned worker)
{
    (void)worker;
    struct verify *verify = context;
    decide_unit(verify, index, verify->workers);
}

/* ---- the command ---- */

static int decide_all(struct verify *verify, struct result_files *files)
{
    int status = EXIT_HOLDS;
    bool traced;
    results_init(&verify->results, verify->units.count);
    ordered_init(&verify->ordered, verify->units.count, &verify->progress);
    parallel_for(verify->workers, verify->units.count, decide_share, verify);
    for (size_t i = 0; i < verify->units.count; i++)
        if (verify->results.items[i].again)
            decide_unit(verify, i, 1);
    progress_clear(&verify->progress);
    if (verify->ordered.failed)
        status = exit_unwritten(verify->ordered.reason);
    ordered_release(&verify->ordered);
    struct tally tally = results_sum(&verify->results, &status);
    status =
        exit_worst(status, result_files_write(files, &verify->results,
                                              session_clock() - verify->session.started, &traced));
    if (verify->options->trace && !traced) {
        struct text line = TEXT_EMPTY;
        text_append(&line, "not written, there is no violation");
        results_narrate(verify->options, &verify->progress, verify->options->trace, &line);
        text_release(&line);
    }
    summarise(verify, &tally);
    results_release(&verify->results);
    return status;
}

/* One line for each assertion, nothing decided. */
static int list(const struct verify *verify)
{
    int status = EXIT_HOLDS;
    for (size_t i = 0; i < verify->units.count; i++) {
        const struct unit *unit = &verify->units.items[i];
        lp_assertion assertion;
        struct text text = TEXT_EMPTY;
        if (unit_assertion(unit, &assertion)) {
            utf8_append_shown(&text, unit->source->operand, strlen(unit->source->operand),
                              verify->style.terminal.unicode);
            printf("%s:%u: %s\n", text_string(&text), assertion.line, assertion.text);
        } else {
            bool limited = unit->source->status == LP_LIMIT;
            model_errors_append(&unit->source->errors, unit->source->operand, verify->options->json,
                                &text);
            fputs(text_string(&text), stderr);
            status = exit_worst(status, limited ? EXIT_UNDECIDED : EXIT_INPUT);
        }
        text_release(&text);
    }
    return status;
}

/* Whether no file that is written is one of the models: FILE:LINE names FILE. */
static bool outputs_make_sense(const struct verify *verify)
{
    const struct options *options = verify->options;
    for (size_t i = 0; i < verify->units.source_count; i++) {
        const char *model = verify->units.sources[i].operand;
        if (result_writes_over(options->junit, model) ||
            result_writes_over(options->trace, model)) {
            fprintf(stderr, "linchpin verify: '%s' is an input, and would be written over\n",
                    model);
            return false;
        }
    }
    return true;
}

static int run(struct verify *verify)
{
    const struct options *options = verify->options;
    struct result_files files = {0};
    if (!outputs_make_sense(verify) || !result_files_open(options, "verify", &files))
        return EXIT_INPUT;
    lp_context *models = session_open(&verify->session, 1);
    if (!models) {
        fputs("linchpin verify: the memory limit was reached\n", stderr);
        result_files_abandon(&files);
        return EXIT_UNDECIDED;
    }
    units_read(&verify->units, models);
    size_t count = verify->units.count;
    verify->workers = count < verify->jobs ? (unsigned)count : verify->jobs;
    int status;
    if (options->list) {
        result_files_abandon(&files);
        status = list(verify);
    } else
        status = decide_all(verify, &files);
    units_release(&verify->units);
    session_close(&verify->session, models);
    return status;
}

int verify_run(const struct options *options)
{
    lp_error error = {0};
    struct verify verify = {.options = options};
    if (options->reduce && lp_reductions_check(options->reduce, &error) != LP_OK) {
        fprintf(stderr, "linchpin verify: --reduce: %s\n", error.message);
        return EXIT_INPUT;
    }
    session_init(&verify.session, options);
    progress_init(&verify.progress, !options->no_progress && !(options->json && !options->verbose));
    verify.style = (struct report_style){
        .terminal = terminal_detect(STDOUT_FILENO, (enum colour_choice)options->colour),
        .quiet = options->quiet};
    verify.jobs = options->jobs ? (unsigned)options->jobs : parallel_cores();
    units_name(options->operands, options->operand_count, &verify.units);
    int status = run(&verify);
    units_forget(&verify.units);
    progress_release(&verify.progress);
    session_release(&verify.session);
    return status;
}
