/* linchpin verify: the models are read first; then every assertion is a piece of work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/run.h"
#include "cli/units.h"
#include "cli/words.h"
#include "report/execution.h"
#include "report/expectation.h"
#include "report/model_trace.h"
#include "report/proof.h"
#include "report/verification.h"

/* Of an assertion. */
struct verified {
    const struct unit *unit;
    lp_assertion assertion;
    lp_answer expected; /* with --expect */
    lp_verification *result;
};

/* ---- deciding ---- */

/* "1,200,000 states (800,000/s)" */
static void show_progress(void *user, const lp_verify_progress *now)
{
    struct text line = TEXT_EMPTY;
    if (!work_progress_begin(user, &line))
        return;
    report_text_count(now->explored, "states", "states", &line);
    work_progress_rate(now->explored, now->seconds, &line);
    work_progress_end(user, now->memory, now->seconds, &line);
}

static lp_search chosen_search(const struct options *options)
{
    const char *search = options->search ? options->search : "auto";
    return options->bitstate                ? LP_SEARCH_BITSTATE
           : options->swarm                 ? LP_SEARCH_SWARM
           : strcmp(search, "depth") == 0   ? LP_SEARCH_DEPTH
           : strcmp(search, "breadth") == 0 ? LP_SEARCH_BREADTH
                                            : LP_SEARCH_AUTO;
}

static lp_engine chosen_engine(const struct options *options)
{
    const char *engine = options->engine ? options->engine : "auto";
    return strcmp(engine, "native") == 0     ? LP_ENGINE_NATIVE
           : strcmp(engine, "bytecode") == 0 ? LP_ENGINE_BYTECODE
                                             : LP_ENGINE_AUTO;
}

static lp_fairness chosen_fairness(const struct options *options)
{
    lp_fairness fairness = LP_FAIRNESS_NONE;
    if (options->fairness)
        fairness_find(options->fairness, strlen(options->fairness), &fairness);
    return fairness;
}

/* Ranks decide an assertion together, or none of them does. */
static bool is_over_anywhere(const struct work *work)
{
    const struct ranks *ranks = work->run->options->ranks;
    uint64_t is_over = work_is_over(work);
    if (ranks)
        ranks->transport->reduce(ranks->transport, TRANSPORT_MOST, &is_over, 1);
    return is_over;
}

/* Deciding may take long, in vain where it is the certificate that is wanted. */
static void foresee_proof(const struct work *work, const struct verified *verified)
{
    const struct options *options = work->run->options;
    struct text why = TEXT_EMPTY;
    if (options->proof && !options->json &&
        proof_of_model_foreseen(verified->unit->source->model, &verified->assertion, &why))
        fprintf(stderr, "%s: warning: %s\n", work->name, text_string(&why));
    text_release(&why);
}

static lp_status decide(struct work *work, lp_error *error)
{
    const struct options *options = work->run->options;
    const struct units *units = work->run->request;
    struct verified *verified = work->own;
    const bool several = options->ranks && options->ranks->transport->ranks > 1;
    struct transport_meeting meeting = {.transport = several ? options->ranks->transport : NULL};
    verified->unit = &units->items[work->index];
    const struct source_model *source = verified->unit->source;
    if (!unit_assertion(verified->unit, &verified->assertion)) {
        *error = source->errors.items[0];
        return source->status;
    }
    if (options->expect && !expectation_read(verified->assertion.expected, chosen_fairness(options),
                                             &verified->expected, error)) {
        error->line = verified->assertion.line;
        return LP_INPUT;
    }
    if (is_over_anywhere(work))
        return LP_LIMIT;
    foresee_proof(work, verified);
    bool automata = options->method && strcmp(options->method, "automata") == 0;
    lp_verify_options inner = {.size = sizeof inner,
                               .reductions = options->reduce,
                               .search = chosen_search(options),
                               .method = automata ? LP_VERIFY_AUTOMATA : LP_VERIFY_REFINEMENT,
                               .fairness = chosen_fairness(options),
                               .timeout = session_timeout(&work->run->session, work->began),
                               .progress = show_progress,
                               .progress_user = work,
                               .engine = chosen_engine(options),
                               .jobs = work->jobs,
                               .checkpoint = options->checkpoint,
                               .ranks = several ? (struct lp_ranks *)&meeting : NULL};
    lp_status status = lp_verify(work->context, source->model, verified->unit->assertion, &inner,
                                 &verified->result, error);
    if (status == LP_USAGE && !*error->file)
        error->line = verified->assertion.line;
    work->short_of_memory = status == LP_OK && verified->result->limit == LP_LIMIT_MEMORY;
    return status;
}

static void release(struct work *work)
{
    const struct verified *verified = work->own;
    lp_verification_destroy(verified->result);
}

/* ---- showing ---- */

/* Where a fault at run time was found, and unless `quiet` the execution that leads to it. */
static void append_fault(const struct verified *verified, const char *name, bool quiet,
                         struct text *text)
{
    const lp_execution *execution = &verified->result->execution;
    struct terminal plain = TERMINAL_PLAIN;
    plain.unicode = true;
    text_append(text, "  found while deciding ");
    utf8_append_shown(text, name, strlen(name), true);
    text_format(text, ": %s\n", verified->assertion.text);
    if (quiet || (!execution->length && !execution->start_count))
        return;
    text_append(text, "\n");
    execution_table(execution, false, &plain, text);
    text_append(text, "\n");
}

static void append_at_run_time(struct work *work, const lp_error *error)
{
    const struct verified *verified = work->own;
    const lp_execution *execution = verified->result ? &verified->result->execution : NULL;
    bool shown =
        execution && !work->run->options->quiet && (execution->length || execution->start_count);
    const struct error_at_run_time at_run_time = {.assertion = verified->assertion.text,
                                                  .line = verified->assertion.line,
                                                  .execution = shown ? execution : NULL};
    error_append(error, verified->unit->source->operand, &at_run_time, work->run->options->json,
                 &work->messages);
}

static void fail(struct work *work, lp_status status, const lp_error *error)
{
    const struct verified *verified = work->own;
    const struct source_model *source = verified->unit->source;
    bool unread = !verified->assertion.text;
    if (unread)
        model_errors_append(&source->errors, source->operand, work->run->options->json,
                            &work->messages);
    else
        append_at_run_time(work, error);
    if (verified->result && !work->run->options->json)
        append_fault(verified, work->name, work->run->options->quiet, &work->messages);
    work_count_errors(work, status, unread ? source->errors.items : error,
                      unread ? source->errors.count : 1, source->operand);
}

static void write_trace(const struct work *work, const struct result *result, FILE *out)
{
    const struct verified *verified = work->own;
    const struct options *options = work->run->options;
    struct model_trace_request request = {.hash = lp_model_hash(verified->unit->source->model),
                                          .reduce = options->reduce,
                                          .search = options->bitstate ? "bitstate"
                                                    : options->swarm  ? "swarm"
                                                                      : options->search,
                                          .method = options->method,
                                          .fairness = options->fairness};
    model_trace_write(&request, result, &verified->assertion, verified->result, out);
}

static void show(struct work *work, lp_status status, const lp_error *error)
{
    const struct verified *verified = work->own;
    const lp_verification *found = verified->result;
    if (status != LP_OK && status != LP_LIMIT) {
        fail(work, status, error);
        return;
    }
    struct result result = {.input = verified->unit->source->operand};
    work_limit(work, found ? &found->limit : NULL, &result);
    if (found)
        text_append(&result.reason, result.limit == LP_LIMIT_NONE ? found->reason : found->covered);
    else
        text_append(&result.reason,
                    verified->assertion.text ? " before it was decided" : " before it was read");
    verification_fill(&result, &verified->assertion, found);
    if (found && found->stats && work->run->options->stats)
        search_stats_fill(&result, found);
    if (work->run->options->expect)
        result_expect(&result, verified->expected);
    words_append_model_replay(work->run->options, work->name, work->run->count == 1,
                              &result.replay);
    work_show(work, &result);
    if (found && *found->checkpoint_fault) {
        lp_error fault = {0};
        snprintf(fault.message, sizeof fault.message, "%s", found->checkpoint_fault);
        work_fail(work, LP_USAGE, &fault);
    }
}

static bool narrate(const struct work *work, struct text *line)
{
    const struct verified *verified = work->own;
    return verified->assertion.text && work_narrate_done(work, line);
}

static const char *prove(const struct work *work, const struct result *result, struct text *proof)
{
    const struct verified *verified = work->own;
    if (!verified->result)
        return proof_of_nothing(result->input, "no certificate: the verdict is unknown", proof);
    return proof_of_model(work->context, verified->unit->source->model, &verified->assertion,
                          verified->result, proof);
}

static const struct run_kind kind = {
    .command = "verify",
    .size = sizeof(struct verified),
    .decide = decide,
    .show = show,
    .trace = write_trace,
    .prove = prove,
    .narrate = narrate,
    .release = release,
    .by_all = true,
    .untraced = "violation",
    .pieces = {"assertion", "assertions"},
    .good = {"holds", "hold"},
    .bad = {"violated", "violated"},
};

/* ---- the command ---- */

/* One line for each assertion, nothing decided. */
static int list(const struct run *run, const struct units *units)
{
    int status = EXIT_HOLDS;
    for (size_t i = 0; i < units->count; i++) {
        const struct unit *unit = &units->items[i];
        lp_assertion assertion;
        struct text text = TEXT_EMPTY;
        if (unit_assertion(unit, &assertion)) {
            utf8_append_shown(&text, unit->source->operand, strlen(unit->source->operand),
                              run->style.terminal.unicode);
            printf("%s:%u: %s\n", text_string(&text), assertion.line, assertion.text);
        } else {
            bool limited = unit->source->status == LP_LIMIT;
            int wrong = model_errors_print(&unit->source->errors, unit->source->operand,
                                           run->options->json);
            status = exit_worst(status, limited ? EXIT_UNDECIDED : wrong);
        }
        text_release(&text);
    }
    return status;
}

/* "FILE:LINE" of each unit, or "FILE" where it was not read. */
static int decide_all(struct run *run, const struct units *units, struct result_files *files)
{
    char **names = memory_small(units->count * sizeof *names);
    for (size_t i = 0; i < units->count; i++) {
        lp_assertion assertion;
        struct text name = TEXT_EMPTY;
        text_append(&name, units->items[i].source->operand);
        if (unit_assertion(&units->items[i], &assertion))
            text_format(&name, ":%u", assertion.line);
        names[i] = text_take(&name);
    }
    int status = run_all(run, (const char *const *)names, units->count, files);
    for (size_t i = 0; i < units->count; i++)
        free(names[i]);
    free(names);
    return status;
}

static int read_and_decide(struct run *run, struct units *units)
{
    const struct options *options = run->options;
    struct result_files files = {0};
    if (!result_files_open(options, "verify", &files))
        return EXIT_INPUT;
    lp_context *models = session_open(&run->session, 1, NULL);
    if (!models) {
        fputs("linchpin verify: the memory limit was reached\n", stderr);
        result_files_abandon(&files);
        return EXIT_UNDECIDED;
    }
    units_read(units, models);
    if (options->list)
        result_files_abandon(&files);
    int status = options->list ? list(run, units) : decide_all(run, units, &files);
    units_release(units);
    session_close(&run->session, models);
    return status;
}

/* What is one process's own. */
static bool fits_ranks(const struct options *options)
{
    const char *other = options->checkpoint ? "checkpoint"
                        : options->bitstate ? "bitstate"
                        : options->swarm    ? "swarm"
                                            : NULL;
    if (options->mpi && other)
        fprintf(stderr, "linchpin verify: --%s does not go with --mpi\n", other);
    return !options->mpi || !other;
}

int verify_run(const struct options *options)
{
    lp_error error = {0};
    struct run run;
    struct units units;
    if (options->reduce && lp_reductions_check(options->reduce, &error) != LP_OK) {
        fprintf(stderr, "linchpin verify: --reduce: %s\n", error.message);
        return EXIT_INPUT;
    }
    if (options->bitstate + options->swarm + (options->search != NULL) > 1) {
        fputs("linchpin verify: expected one of --search, --bitstate and --swarm, found several\n",
              stderr);
        return EXIT_INPUT;
    }
    if (!fits_ranks(options))
        return EXIT_INPUT;
    units_name(options->operands, options->operand_count, &units);
    bool spared = true;
    for (size_t i = 0; i < units.source_count && spared; i++)
        spared = outputs_spare(options, "verify", units.sources[i].operand);
    int status = EXIT_INPUT;
    if (spared && run_open(&run, &kind, options, &units)) {
        if (run.jobs > 1)
            memory_ask_for_much();
        status = read_and_decide(&run, &units);
        status = run_close(&run, status);
    }
    units_forget(&units);
    return status;
}
