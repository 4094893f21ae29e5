#include "cli/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "report/github.h"
#include "report/junit.h"
#include "report/proof.h"
#include "report/sarif.h"

static bool is_silent(const struct options *options)
{
    return options->json && !options->verbose;
}

/* The cores of a machine are shared by its ranks. */
static unsigned own_cores(const struct ranks *ranks)
{
    const unsigned cores = parallel_cores() / ranks_here(ranks);
    return cores ? cores : 1;
}

bool run_open(struct run *run, const struct run_kind *kind, const struct options *options,
              const void *request)
{
    *run = (struct run){.kind = kind, .options = options, .request = request};
    if (!session_init(&run->session, kind->command, options))
        return false;
    run->session.progress = &run->progress;
    progress_init(&run->progress,
                  !options->no_progress && !is_silent(options) && !ranks_is_helper(options->ranks));
    run->style =
        (struct report_style){.terminal = terminal_detect(ranks_standard_output(options->ranks),
                                                          (enum colour_choice)options->colour),
                              .quiet = options->quiet};
    run->jobs = options->jobs ? (unsigned)options->jobs : own_cores(options->ranks);
    return true;
}

int run_close(struct run *run, int status)
{
    progress_release(&run->progress);
    return session_release(&run->session, status);
}

/* ---- what is said ---- */

bool work_progress_begin(const struct work *work, struct text *line)
{
    if (!progress_due(&work->run->progress))
        return false;
    if (work->run->count > 1)
        text_format(line, "[%zu/%zu] ", work->index + 1, work->run->count);
    utf8_append_shown(line, work->name, strlen(work->name), true);
    text_append(line, ": ");
    return true;
}

void work_progress_rate(uint64_t explored, double seconds, struct text *line)
{
    if (seconds <= 0)
        return;
    text_append(line, " (");
    text_append_count(line, (uint64_t)((double)explored / seconds));
    text_append(line, "/s)");
}

void work_progress_end(const struct work *work, size_t memory, double seconds, struct text *line)
{
    text_format(line, ", %zu MB, %.0f s", memory >> 20, seconds);
    progress_draw(&work->run->progress, text_string(line));
    text_release(line);
}

bool work_narrate_done(const struct work *work, struct text *line)
{
    text_format(line, "done, %.3f s, ", session_clock() - work->began);
    return true;
}

static void narrate_end(const struct work *work)
{
    struct text line = TEXT_EMPTY;
    if (work->context && work->run->kind->narrate && work->run->kind->narrate(work, &line)) {
        text_append_size(&line, lp_context_memory_peak(work->context));
        text_append(&line, " at most");
        results_narrate(work->run->options, &work->run->progress, work->name, &line);
    }
    text_release(&line);
}

/* "; 10 as expected, 1 not, 1 not reached" */
static void say_expected(const struct tally *tally, size_t all)
{
    size_t good = tally->judged[LP_HOLDS];
    if (good == all) {
        fputs("; all as expected", stderr);
        return;
    }
    fprintf(stderr, "; %zu as expected", good);
    if (tally->judged[LP_VIOLATED])
        fprintf(stderr, ", %zu not", tally->judged[LP_VIOLATED]);
    if (tally->judged[LP_UNDECIDED])
        fprintf(stderr, ", %zu not reached", tally->judged[LP_UNDECIDED]);
}

/* "12 nets: 10 safe, 2 unsafe, 1 unknown; 1 error (0.05 s)" */
static void summarise(const struct run *run, const struct tally *tally)
{
    const struct run_kind *kind = run->kind;
    size_t all = tally_answers(tally), good = tally->verdicts[LP_HOLDS],
           bad = tally->verdicts[LP_VIOLATED], unknown = tally->verdicts[LP_UNDECIDED];
    bool counted = all || kind->counts_none;
    if (!kind->pieces[0] || run->ordered.failed || run->options->quiet || is_silent(run->options) ||
        (all + tally->errors < 2 && !run->without))
        return;
    if (counted)
        fprintf(stderr, "%zu %s: %zu %s", all, kind->pieces[all != 1], good, kind->good[good != 1]);
    if (bad)
        fprintf(stderr, ", %zu %s", bad, kind->bad[bad != 1]);
    if (unknown)
        fprintf(stderr, ", %zu unknown", unknown);
    if (run->options->expect && all)
        say_expected(tally, all);
    if (tally->errors)
        fprintf(stderr, "%s%zu %s", counted ? "; " : "", tally->errors,
                tally->errors == 1 ? "error" : "errors");
    if (run->without)
        fprintf(stderr, "; %zu %s without a history", run->without,
                run->without == 1 ? "run" : "runs");
    fprintf(stderr, " (%.2f s)\n", session_clock() - run->session.started);
}

/* ---- one piece ---- */

void work_renew_context(struct work *work)
{
    if (work->context)
        session_close(&work->run->session, work->context);
    work->context = session_open(&work->run->session, work->share, work->name);
}

bool work_is_over(const struct work *work)
{
    const struct session *session = &work->run->session;
    return !work->context || atomic_load(&session->interrupted) ||
           session_remaining(session, work->began, NULL) <= 0;
}

/* "FILE:LINE: warning: MESSAGE" */
static void warn(struct work *work, const struct result *result)
{
    for (size_t i = 0; i < result->warning_count; i++) {
        const lp_warning *warning = &result->warnings[i];
        utf8_append_shown(&work->messages, result->input, strlen(result->input), true);
        if (warning->line)
            text_format(&work->messages, ":%" PRIu32, warning->line);
        text_append(&work->messages, ": warning: ");
        utf8_append_shown(&work->messages, warning->message, strlen(warning->message), true);
        text_append(&work->messages, "\n");
    }
}

static void keep_trace(struct work *work, const struct result *result)
{
    struct outcome *outcome = work->outcome;
    if (!work->run->options->trace || !result->has_replay || outcome->trace)
        return;
    FILE *out = open_memstream(&outcome->trace, &outcome->trace_length);
    if (!out)
        return;
    work->run->kind->trace(work, result, out);
    fclose(out);
}

static void keep_proof(struct work *work, struct result *result)
{
    struct outcome *outcome = work->outcome;
    if (!work->run->options->proof)
        return;
    const char *none = work->run->kind->prove(work, result, &outcome->proof);
    if (none)
        result_fact(result, "%s", none);
    node_add_text(&result->root, "proof", none ? none : "written");
    outcome->claims++;
}

static void append_html(struct work *work, const struct result *result)
{
    struct html_history history = {0};
    const struct run_kind *kind = work->run->kind;
    bool drawn = kind->draw && kind->draw(work, &history);
    html_append_result(result, drawn ? &history : NULL, &work->outcome->html);
    html_history_release(&history);
}

void work_show(struct work *work, struct result *result)
{
    static const int statuses[] = {
        [LP_HOLDS] = EXIT_HOLDS, [LP_VIOLATED] = EXIT_VIOLATION, [LP_UNDECIDED] = EXIT_UNDECIDED};
    const struct options *options = work->run->options;
    struct outcome *outcome = work->outcome;
    struct report_style plain = {.terminal = TERMINAL_PLAIN};
    struct text text = TEXT_EMPTY;
    plain.terminal.unicode = true;
    lp_answer judged = result_judge(result);
    keep_proof(work, result);
    outcome->status = exit_worst(outcome->status, statuses[judged]);
    outcome->tally.verdicts[result->verdict]++;
    outcome->tally.judged[judged]++;
    if (options->json)
        result_json(result, work->out);
    else {
        result_text(result, &work->run->style, &text);
        fwrite(text_string(&text), 1, text.length, work->out);
    }
    if (options->junit) {
        text_clear(&text);
        result_text(result, &plain, &text);
        result_junit(result, text_string(&text), &outcome->junit);
    }
    if (options->html)
        append_html(work, result);
    keep_trace(work, result);
    warn(work, result);
    if (options->github)
        github_append_result(result, &work->messages);
    if (options->sarif)
        sarif_add_result(&outcome->sarif, work->run->kind->command, result);
    result_release(result);
    text_release(&text);
}

void work_count_errors(struct work *work, lp_status status, const lp_error *errors, size_t count,
                       const char *input)
{
    struct outcome *outcome = work->outcome;
    const struct options *options = work->run->options;
    struct text story = TEXT_EMPTY;
    for (size_t i = 0; i < count && i < MODEL_ERRORS; i++) {
        if (count > 1)
            text_format(&story, "%s%s:%" PRIu32 ": ", i ? "\n" : "",
                        *errors[i].file ? errors[i].file : input, errors[i].line);
        text_append(&story, errors[i].message);
        if (options->github)
            github_append_error(&errors[i], input, &work->messages);
        if (options->sarif)
            sarif_add_error(&outcome->sarif, &errors[i], input);
    }
    if (count > MODEL_ERRORS) {
        text_append_char(&story, '\n');
        errors_append_unlisted(count, &story);
    }
    outcome->tally.errors += count;
    outcome->tally.refused++;
    outcome->status = exit_worst(outcome->status, status == LP_INTERNAL ? EXIT_FAULT
                                                  : status == LP_LIMIT  ? EXIT_UNDECIDED
                                                                        : EXIT_INPUT);
    if (options->junit)
        junit_append_error(input, &errors[0], text_string(&story), &outcome->junit);
    if (options->proof) {
        proof_of_nothing(input, "no certificate: there is an error in the input", &outcome->proof);
        outcome->claims++;
    }
    if (options->html)
        html_append_error(input, text_string(&story), &outcome->html);
    text_release(&story);
}

void work_fail(struct work *work, lp_status status, const lp_error *error)
{
    lp_error limit = *error;
    if (status == LP_LIMIT && !*error->message) {
        snprintf(limit.message, sizeof limit.message, "the memory limit was reached");
        error = &limit;
    }
    error_append(error, work->name, NULL, work->run->options->json, &work->messages);
    work_count_errors(work, status, error, 1, work->name);
}

void work_limit(const struct work *work, const lp_limit *found, struct result *result)
{
    result->limit = found ? *found : limit_find(&work->run->session, work->began);
    const struct session *session = &work->run->session;
    const double now = session_clock();
    /* --timeout is of parts that began nobody knows when: it was reached unless the total was. */
    bool is_total = work->run->kind->times_parts && session_remaining(session, now, NULL) <= 0;
    if (result->limit != LP_LIMIT_NONE)
        limit_append(session, result->limit, is_total ? now : work->began, &result->reason);
}

static void show(struct work *work, lp_status status, const lp_error *error)
{
    struct ordered *ordered = &work->run->ordered;
    work->out = ordered_begin(ordered, work->index);
    work->run->kind->show(work, status, error);
    if (!ordered_end(ordered, work->index,
                     work->messages.length ? text_take(&work->messages) : NULL))
        session_interrupt(&work->run->session); /* nobody hears the rest */
    spread_give(&work->run->spread, work->index);
}

static void decide(struct run *run, size_t index, unsigned share, unsigned jobs)
{
    struct outcome *outcome = &run->results.items[index];
    struct work work = {.run = run,
                        .index = index,
                        .name = run->names[index],
                        .outcome = outcome,
                        .share = share,
                        .jobs = jobs,
                        .began = session_clock() - outcome->spent,
                        .own = memory_small(run->kind->size)};
    lp_error error = {0};
    work.context = session_open(&run->session, share, work.name);
    memset(work.own, 0, run->kind->size);
    lp_status status = run->kind->decide(&work, &error);
    bool refused = status == LP_LIMIT || work.short_of_memory;
    outcome->again = refused && share > 1 && !atomic_load(&run->session.interrupted) &&
                     session_remaining(&run->session, work.began, NULL) > 0;
    if (outcome->again)
        outcome->spent = session_clock() - work.began;
    else
        show(&work, status, &error);
    narrate_end(&work);
    run->kind->release(&work);
    free(work.own);
    text_release(&work.messages);
    if (work.context)
        session_close(&run->session, work.context);
}

/* ---- all of them ---- */

static bool is_read_once(void *user, size_t index)
{
    const struct run *run = user;
    return run->streams && input_is_stream(run->names[index]);
}

static bool is_interrupted(void *user)
{
    struct run *run = user;
    return atomic_load(&run->session.interrupted);
}

static void decide_share(struct run *run, size_t index)
{
    /* What cannot be read a second time is decided at the end, alone and with all the memory. */
    bool *again = &run->results.items[index].again;
    *again = run->workers > 1 && is_read_once(run, index);
    if (*again)
        return;
    size_t left = run->count - index;
    unsigned threads = left < run->workers ? run->jobs / (unsigned)left : 1;
    if (run->workers < run->jobs && threads < run->jobs / run->workers)
        threads = run->jobs / run->workers;
    decide(run, index, run->workers, threads);
}

static void take_part(void *context, size_t i, unsigned worker)
{
    struct run *run = context;
    size_t index;
    (void)i;
    (void)worker;
    while (spread_take(&run->spread, &index))
        decide_share(run, index);
}

/* All pieces are decided, here or elsewhere. */
static void decide_all(struct run *run)
{
    const bool by_all = run->kind->by_all && run->options->ranks;
    run->spread = (struct spread){.stays = is_read_once, .is_over = is_interrupted, .user = run};
    if (by_all)
        run->workers = 1;
    spread_begin(&run->spread, by_all ? NULL : run->options->ranks, run->count, &run->results,
                 &run->ordered);
    parallel_for(run->workers, run->workers, take_part, run);
    for (size_t i = 0; i < run->count; i++)
        if (run->results.items[i].again)
            decide(run, i, 1, run->jobs);
    spread_end(&run->spread);
}

static void say_untraced(struct run *run)
{
    struct text line = TEXT_EMPTY;
    text_format(&line, "not written, there is no %s", run->kind->untraced);
    results_narrate(run->options, &run->progress, run->options->trace, &line);
    text_release(&line);
}

static int write_files(struct run *run, struct result_files *files)
{
    bool traced;
    double seconds = session_clock() - run->session.started;
    int status = result_files_write(files, &run->results, seconds, &traced);
    if (run->options->trace && !traced)
        say_untraced(run);
    return status;
}

static uint64_t hash_names(const char *const *names, size_t count)
{
    uint64_t hash = hash_bytes(&count, sizeof count, 0);
    for (size_t i = 0; i < count; i++)
        hash = hash_bytes(names[i], strlen(names[i]), hash);
    return hash;
}

int run_all(struct run *run, const char *const *names, size_t count, struct result_files *files)
{
    int status = EXIT_HOLDS;
    run->names = names;
    run->count = count;
    if (!run->workers)
        run->workers = count < run->jobs ? (unsigned)count : run->jobs;
    if (!ranks_agree(run->options->ranks, hash_names(names, count))) {
        result_files_abandon(files);
        return EXIT_INPUT;
    }
    results_init(&run->results, count);
    ordered_init(&run->ordered, count, &run->progress);
    run->ordered.keeps = ranks_is_helper(run->options->ranks);
    decide_all(run);
    progress_clear(&run->progress);
    if (run->ordered.failed)
        status = exit_unwritten(run->ordered.reason);
    ordered_release(&run->ordered);
    if (ranks_is_helper(run->options->ranks)) {
        result_files_abandon(files);
        results_release(&run->results);
        return EXIT_HOLDS;
    }
    struct tally tally = results_sum(&run->results, &status);
    status = exit_worst(status, write_files(run, files));
    summarise(run, &tally);
    results_release(&run->results);
    return status;
}
