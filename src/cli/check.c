/* linchpin check: each input is a piece of work; what it holds is decided history by history,
 * several at once where there are threads left. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/quantity.h"
#include "cli/client_logs.h"
#include "cli/command.h"
#include "cli/follow.h"
#include "cli/run.h"
#include "cli/streamed.h"
#include "cli/words.h"
#include "report/proof.h"
#include "report/report.h"
#include "report/trace.h"

/* What was asked of every history. */
struct request {
    struct spec_choice choice;
    lp_method method;
    const struct inputs *inputs;
    struct client_log *logs; /* of each input */
};

struct answer {
    struct work *work;
    lp_status status;
    lp_result *result;
    lp_error error;
};

/* Of an input. */
struct checked {
    lp_history **histories;
    size_t count;
    struct answer *answers; /* of each history */
    const struct report *shown;
    lp_context *followed; /* of the only history, with --follow; else null */
    struct follow_answer answer;
    bool in_part; /* the answer is told of what is kept: with --follow, or where memory does not
                     hold the history as a whole */
};

/* ---- deciding ---- */

/* "12 of 100 parts, 1,200,000 steps (800,000/s)" */
static void show_progress(void *user, const lp_progress *now)
{
    const struct work *work = ((const struct answer *)user)->work;
    struct text line = TEXT_EMPTY;
    if (!work_progress_begin(work, &line))
        return;
    text_append_count(&line, now->parts_done);
    text_append(&line, " of ");
    report_text_count(now->parts, "part, ", "parts, ", &line);
    text_append_count(&line, now->explored);
    text_append(&line, " steps");
    work_progress_rate(now->explored, now->seconds, &line);
    work_progress_end(work, now->memory, now->seconds, &line);
}

static void decide_history(void *context, size_t i, unsigned worker)
{
    (void)worker;
    struct work *work = context;
    const struct checked *checked = work->own;
    struct answer *answer = &checked->answers[i];
    const struct options *options = work->run->options;
    const struct request *request = work->run->request;
    struct bindings bindings = {0};
    lp_check_options inner = {
        .size = sizeof inner,
        .method = request->method,
        .inferred = &request->choice.options,
        .independent = options->independent,
        .results = results_named(options->results),
        .all = options->all,
        .jobs = checked->count >= work->jobs ? 1 : work->jobs / (unsigned)checked->count,
        .timeout = session_timeout(&work->run->session, work->began),
        .progress = show_progress,
        .progress_user = answer,
        .require = options->require};
    answer->work = work;
    answer->status = bindings_create(work->context, &request->choice, &bindings, &answer->error);
    if (answer->status == LP_OK)
        answer->status =
            lp_check(work->context, checked->histories[i], bindings.count ? bindings.items : NULL,
                     bindings.count, &inner, &answer->result, &answer->error);
    bindings_release(&bindings);
}

/* `passing`: it has been decided meanwhile. */
static void narrate_read(const struct work *work, const lp_history *history, size_t operations,
                         bool passing)
{
    struct text line = TEXT_EMPTY;
    text_append(&line, "read ");
    text_append_count(&line, operations);
    text_format(&line, " operations (%s)%s, %.3f s, ", lp_history_format(history),
                passing ? " in one pass" : "", session_clock() - work->began);
    text_append_size(&line, lp_context_memory(work->context));
    results_narrate(work->run->options, &work->run->progress, lp_history_name(history), &line);
    text_release(&line);
}

/* The answer to the only history there is. */
static void keep_answer(struct work *work, lp_history *history, lp_result *result)
{
    struct checked *checked = work->own;
    checked->histories = memory_small(sizeof *checked->histories);
    checked->answers = memory_small(sizeof *checked->answers);
    checked->histories[0] = history;
    checked->answers[0] = (struct answer){.work = work, .status = LP_OK, .result = result};
    checked->count = 1;
}

/* With --follow: one history, what is left of it, and the answer about all of it. */
static lp_status decide_followed(struct work *work, lp_error *error)
{
    struct checked *checked = work->own;
    const struct request *request = work->run->request;
    struct follow_answer *answer = &checked->answer;
    checked->followed = lp_context_create(work->run->session.memory);
    if (!checked->followed)
        return LP_LIMIT;
    session_set_patient(&work->run->session, checked->followed);
    lp_status status =
        follow_logs(work, checked->followed, &request->choice, request->inputs, answer, error);
    if (status != LP_OK)
        return status;
    keep_answer(work, answer->history, answer->result);
    checked->in_part = true;
    return LP_OK;
}

/* Reads all of the input, and decides each history that it holds. */
static lp_status decide_whole(struct work *work, lp_error *error)
{
    struct checked *checked = work->own;
    const struct options *options = work->run->options;
    lp_read_options reading = {.size = sizeof reading,
                               .format = options->format,
                               .jobs = work->jobs,
                               .order = order_named(options->order),
                               .timeout = session_timeout(&work->run->session, work->began)};
    if (work_is_over(work))
        return LP_LIMIT;
    lp_status status = input_read(work->context, work->name, &reading, &checked->histories,
                                  &checked->count, error);
    for (size_t i = 0; i < checked->count; i++)
        narrate_read(work, checked->histories[i], lp_history_length(checked->histories[i]), false);
    checked->answers = memory_small(checked->count * sizeof *checked->answers);
    memset(checked->answers, 0, checked->count * sizeof *checked->answers);
    parallel_for(work->jobs, checked->count, decide_history, work);
    for (size_t i = 0; i < checked->count; i++) {
        const struct answer *answer = &checked->answers[i];
        if (answer->status == LP_LIMIT ||
            (answer->status == LP_OK && answer->result->verdict == LP_UNKNOWN &&
             answer->result->limit == LP_LIMIT_MEMORY))
            work->short_of_memory = true;
    }
    return status;
}

static void release_answers(struct checked *checked)
{
    for (size_t i = 0; i < checked->count; i++)
        lp_result_destroy(checked->answers[i].result);
    free(checked->answers);
    input_release(checked->histories, checked->count);
    checked->answers = NULL;
    checked->histories = NULL;
    checked->count = 0;
}

/* The answer of one pass. */
static void keep_streamed(struct work *work, const struct streamed_answer *answer)
{
    narrate_read(work, answer->history, answer->result->operations, true);
    keep_answer(work, answer->history, answer->result);
}

/* Memory, all that there is, does not hold the history, or what its decision takes: decides it as
 * --follow does, or else finds that out again. */
static lp_status decide_in_part(struct work *work, lp_error *error)
{
    struct checked *checked = work->own;
    const struct request *request = work->run->request;
    struct streamed_answer answer = {0};
    release_answers(checked);
    work_renew_context(work);
    work->short_of_memory = false;
    checked->in_part = streamed_follow(work, &request->choice, &answer);
    if (!checked->in_part) {
        work_renew_context(work);
        return decide_whole(work, error);
    }
    keep_streamed(work, &answer);
    checked->answer.state = answer.state;
    return LP_OK;
}

static lp_status decide(struct work *work, lp_error *error)
{
    if (work->run->options->follow)
        return decide_followed(work, error);
    const struct request *request = work->run->request;
    struct streamed_answer answer = {0};
    if (streamed_decide(work, &request->choice, &answer)) {
        keep_streamed(work, &answer);
        return LP_OK;
    }
    lp_status status = decide_whole(work, error);
    bool is_short = (status == LP_LIMIT || work->short_of_memory) && work->share == 1 &&
                    limit_find(&work->run->session, work->began) == LP_LIMIT_MEMORY;
    return is_short && streamed_can_follow(work) ? decide_in_part(work, error) : status;
}

static void release(struct work *work)
{
    struct checked *checked = work->own;
    release_answers(checked);
    if (checked->followed)
        session_set_patient(&work->run->session, NULL);
    lp_context_destroy(checked->followed);
}

/* ---- showing ---- */

static void write_trace(const struct work *work, const struct result *result, FILE *out)
{
    const struct options *options = work->run->options;
    const struct report *report = ((const struct checked *)work->own)->shown;
    struct trace request = {.hash = lp_history_hash(report->history),
                            .specs = (char **)(uintptr_t)options->specs,
                            .spec_count = options->spec_count,
                            .initial = (char *)(uintptr_t)options->initial,
                            .format = (char *)(uintptr_t)options->format,
                            .method = (char *)(uintptr_t)options->method,
                            .results = (char *)(uintptr_t)options->results,
                            .order = (char *)(uintptr_t)options->order,
                            .independent = options->independent,
                            .owned = options->owned,
                            .knossos_nil = options->knossos_nil};
    trace_write(&request, result, report->violations[0].found, out);
}

static bool has_own_specification(const struct options *options)
{
    for (size_t i = 0; i < options->spec_count; i++)
        if (strstr(options->specs[i], ".lin"))
            return true;
    return false;
}

/* An initial value or owners, as in `mutex(owned)`. */
static bool has_parameters(const struct options *options)
{
    for (size_t i = 0; i < options->spec_count; i++) {
        const char *bracket = strchr(options->specs[i], '(');
        if (bracket && bracket[strspn(bracket, "( \t0123456789)")])
            return true;
    }
    return false;
}

static const char *prove(const struct work *work, const struct result *result, struct text *proof)
{
    const struct options *options = work->run->options;
    const struct report *report = ((const struct checked *)work->own)->shown;
    const struct proof_request request = {.initial = options->initial,
                                          .independent = options->independent,
                                          .owned = options->owned,
                                          .knossos_nil = options->knossos_nil,
                                          .by_time = order_named(options->order) == LP_ORDER_TIME,
                                          .specification = has_own_specification(options),
                                          .parameters = has_parameters(options)};
    if (!report)
        return proof_of_nothing(result->input, "no certificate: the verdict is unknown", proof);
    return proof_of_history(report->history, report->result, &request, proof);
}

/* ---- what is drawn ---- */

static bool draw(const struct work *work, struct html_history *drawn)
{
    const struct report *report = ((const struct checked *)work->own)->shown;
    if (!report)
        return false;
    drawn->history = report->history;
    drawn->result = report->result;
    if (((const struct checked *)work->own)->in_part)
        return true; /* the states are not those of the specification's own beginning */
    const struct request *request = work->run->request;
    struct bindings bindings = {0};
    lp_error error;
    const lp_check_options options = {.size = sizeof options,
                                      .inferred = &request->choice.options,
                                      .independent = work->run->options->independent,
                                      .results = results_named(work->run->options->results)};
    if (bindings_create(work->context, &request->choice, &bindings, &error) == LP_OK)
        html_history_follow(drawn, work->context, bindings.items, bindings.count, &options);
    bindings_release(&bindings);
    return true;
}

static void write_witness(const struct report *report, FILE *out)
{
    lp_error error;
    const lp_result *result = report->result;
    lp_history *sequential =
        lp_history_sequential(report->history, result->linearization, result->linearization_length);
    if (!sequential || lp_history_write(sequential, NULL, out, &error) != LP_OK)
        fprintf(out, "(the order cannot be written: %s)\n",
                sequential ? error.message : "no memory is left");
    lp_history_destroy(sequential);
}

/* What --late has left out of the answer. */
static void append_late(const lp_monitor_state *state, struct text *text)
{
    text_append_count(text, state->late);
    text_format(text, " operation%s ran for longer than --late, and %s taken as pending; ",
                state->late == 1 ? "" : "s", state->late == 1 ? "was" : "were");
    text_append_count(text, state->late_answers);
    text_format(text, " of %s answered later, which was not judged",
                state->late == 1 ? "them" : "these");
}

/* What was held when it was to end: left out of the answer, or decided early. */
static void append_held(const struct follow_answer *answer, struct text *text)
{
    text_append_count(text, answer->left_out + answer->settled);
    text_append(text, answer->left_out + answer->settled == 1 ? " event" : " events");
    text_append(text, answer->left_out
                          ? " within --window of the newest not decided: the logs were still "
                            "being written, or end within a line"
                          : " decided though --window had not passed, with which there is a "
                            "violation: if a log was still being written, what it lacks may "
                            "explain it");
}

/* Four more at most: see show_result. */
static void add_warning(const struct text *text, lp_warning *warnings, struct result *result)
{
    warnings[result->warning_count++] = (lp_warning){.message = text_string(text)};
}

/* Null: a limit stopped the work before there was an answer. */
static void show_result(struct work *work, struct result *result, const struct report *report)
{
    const struct options *options = work->run->options;
    struct checked *checked = work->own;
    const struct follow_answer *answer = &checked->answer;
    checked->shown = report;
    if (!checked->in_part)
        words_append_replay(options, result->input, &result->replay);
    report_fill(result, report);
    result->has_replay &= !checked->in_part;
    struct text late = TEXT_EMPTY, held = TEXT_EMPTY, unread = TEXT_EMPTY, part = TEXT_EMPTY;
    lp_warning *warnings = memory_small((result->warning_count + 4) * sizeof *warnings);
    if (result->warning_count) /* those of the answer itself */
        memcpy(warnings, result->warnings, result->warning_count * sizeof *warnings);
    result->warnings = warnings;
    if (report && report->followed && report->followed->late) {
        append_late(report->followed, &late);
        add_warning(&late, warnings, result);
    }
    if (report && (answer->left_out || answer->settled)) {
        append_held(answer, &held);
        add_warning(&held, warnings, result);
    }
    if (report && *answer->unread.message) {
        text_format(&unread, "%s: %s; the violation is of what was read before",
                    answer->unread.file, answer->unread.message);
        add_warning(&unread, warnings, result);
    }
    if (report && checked->in_part && !options->follow && report->result->verdict == LP_VIOLATION) {
        text_append(&part, "memory (--memory) does not hold the history as a whole: it was decided "
                           "as --follow does, and the violation is told of what is kept then");
        add_warning(&part, warnings, result);
    }
    work_show(work, result);
    free(warnings);
    text_release(&unread);
    text_release(&late);
    text_release(&held);
    text_release(&part);
    if (report && options->witness && !options->json && report->result->verdict == LP_LINEARIZABLE)
        write_witness(report, work->out);
}

static void show_unread(struct work *work, const char *name, const char *doing)
{
    struct result result = {.input = name};
    work_limit(work, NULL, &result);
    text_format(&result.reason, " %s", doing);
    show_result(work, &result, NULL);
}

static uint64_t byte_of(const struct follow_bytes *bytes, uint32_t line)
{
    uint64_t byte;
    return line && follow_bytes_find(bytes, line, &byte) ? byte : REPORT_NO_BYTE;
}

/* Says where in the log what is told begins. */
static void find_part(struct report *report, const struct follow_bytes *bytes)
{
    struct report_part part = {.first = report->followed->line};
    if (!bytes->path || report->followed->verdict != LP_VIOLATION)
        return;
    for (uint32_t i = 0; i < lp_history_length(report->history); i++) {
        uint32_t line = lp_history_operation(report->history, i).invoke_line;
        if (line && line < part.first)
            part.first = line;
    }
    for (size_t i = 0; i < report->violation_count; i++)
        for (size_t j = 0; j < report->violations[i].operation_count; j++) {
            struct report_operation *operation = &report->violations[i].operations[j];
            operation->invoke_byte = byte_of(bytes, operation->recorded.invoke_line);
            operation->response_byte = byte_of(bytes, operation->recorded.response_line);
        }
    part.byte = byte_of(bytes, report->followed->line);
    part.first_byte = byte_of(bytes, (uint32_t)part.first);
    part.known = part.byte != REPORT_NO_BYTE && part.first_byte != REPORT_NO_BYTE;
    report->part = part;
}

static void show_answer(struct work *work, const lp_history *history, const char *name,
                        const lp_result *found)
{
    struct report *report = report_create(history, found, work->run->options->witness);
    if (((const struct checked *)work->own)->in_part) {
        const struct request *request = work->run->request;
        report->followed = &((const struct checked *)work->own)->answer.state;
        report->has_no_trace = true;
        if (work->run->options->follow && request->inputs->count > 1)
            report->logs = (const char *const *)request->inputs->names;
        find_part(report, &((const struct checked *)work->own)->answer.bytes);
    }
    struct result result = {.input = name, .limit = found->limit};
    if (found->verdict == LP_UNKNOWN) {
        work_limit(work, &found->limit, &result);
        text_append(&result.reason, found->covered);
    } else
        text_append(&result.reason, found->reason ? found->reason : "");
    show_result(work, &result, report);
    report_destroy(report);
}

static void note_log(const struct work *work, const lp_history *history, const lp_result *found)
{
    const struct checked *checked = work->own;
    const struct request *request = work->run->request;
    if (checked->count == 1 && request->inputs->count > 1 && !work->run->options->follow)
        client_log_note(&request->logs[work->index], history, found->verdict == LP_VIOLATION);
}

/* A file of --follow that could not be written when it ended. */
static void fail_unwritten(struct work *work, const struct follow_written *written)
{
    if (written->status != LP_OK && written->status != LP_LIMIT)
        work_fail(work, LP_USAGE, &written->error);
}

static void show(struct work *work, lp_status status, const lp_error *error)
{
    const struct checked *checked = work->own;
    if (status == LP_LIMIT)
        show_unread(work, work->name, "before it was read");
    else if (status != LP_OK)
        work_fail(work, status, error);
    for (size_t i = 0; i < checked->count; i++) {
        const struct answer *answer = &checked->answers[i];
        char *name = input_name(work->name, checked->histories[i]);
        if (answer->status == LP_OK) {
            show_answer(work, checked->histories[i], name, answer->result);
            note_log(work, checked->histories[i], answer->result);
        } else if (answer->status == LP_LIMIT)
            show_unread(work, name, "before it was decided");
        else
            work_fail(work, answer->status, &answer->error);
        free(name);
    }
    fail_unwritten(work, &checked->answer.metrics);
    fail_unwritten(work, &checked->answer.checkpoint);
}

static bool narrate(const struct work *work, struct text *line)
{
    (void)work;
    text_append(line, "done, ");
    return true;
}

/* ---- the command ---- */

static lp_method method_named(const char *name)
{
    if (!name || strcmp(name, "auto") == 0)
        return LP_METHOD_AUTO;
    if (strcmp(name, "monitor") == 0)
        return LP_METHOD_MONITOR;
    return strcmp(name, "search") == 0 ? LP_METHOD_SEARCH : LP_METHOD_DEFINITION;
}

/* Standard input named twice would be empty the second time. */
static bool inputs_make_sense(const struct options *options, const struct inputs *inputs)
{
    size_t standard = 0;
    for (size_t i = 0; i < inputs->count; i++)
        standard += input_is_standard(inputs->names[i]);
    if (standard > 1)
        fprintf(stderr, "linchpin check: expected one - for standard input, found %zu\n", standard);
    for (size_t i = 0; i < options->operand_count && standard <= 1; i++)
        if (!outputs_spare(options, "check", options->operands[i]))
            return false;
    return standard <= 1;
}

static bool keep_makes_sense(const struct options *options)
{
    const struct {
        bool given;
        const char *name;
    } others[] = {{options->keep > 0 || options->keep_bytes > 0, "keep"},
                  {options->window > 0, "window"},
                  {options->late > 0, "late"},
                  {options->metrics != NULL, "metrics"},
                  {options->checkpoint != NULL, "checkpoint"}};
    bool sense = true;
    for (size_t i = 0; i < ARRAY_LENGTH(others) && !options->follow; i++)
        if (others[i].given) {
            fprintf(stderr, "linchpin check: --%s is for --follow\n", others[i].name);
            sense = false;
        }
    return sense;
}

/* Whether the specification that was named is one. */
static bool specification_makes_sense(const struct spec_choice *choice, bool json)
{
    struct bindings bindings = {0};
    lp_error error = {0};
    lp_context *context = lp_context_create(0);
    if (!context)
        return true;
    lp_status status = bindings_create(context, choice, &bindings, &error);
    if (status == LP_INPUT) /* in the file of a specification */
        lin_errors_print(context, error.file, status, &error, json);
    else if (status != LP_OK && status != LP_LIMIT)
        fprintf(stderr, "linchpin check: %s\n", error.message);
    bindings_release(&bindings);
    lp_context_destroy(context);
    return status == LP_OK || status == LP_LIMIT; /* what is checked finds the limit itself */
}

static const struct run_kind kind = {
    .command = "check",
    .size = sizeof(struct checked),
    .decide = decide,
    .show = show,
    .trace = write_trace,
    .prove = prove,
    .draw = draw,
    .narrate = narrate,
    .release = release,
    .untraced = "violation",
    .pieces = {"history", "histories"},
    .good = {"linearizable", "linearizable"},
    .bad = {"violation", "violations"},
    .counts_none = true,
};

/* The runs that left no history: objects with --json, with -v lines; the summary counts them. */
static void tell_without(const struct inputs *inputs, const struct options *options)
{
    struct text text = TEXT_EMPTY;
    for (size_t i = 0; i < inputs->without_count && (options->json || options->verbose); i++)
        input_append_without(inputs->without[i], options->json, &text);
    if (text.length)
        fputs(text_string(&text), stderr);
    text_release(&text);
}

/* "a.jsonl, b.jsonl" */
static void append_names(const struct inputs *inputs, struct text *text)
{
    for (size_t i = 0; i < inputs->count; i++)
        text_format(text, "%s%s", i ? ", " : "", inputs->names[i]);
}

static void tell_logs(const struct request *request)
{
    if (client_logs_are_of_one_run(request->logs, request->inputs->count))
        fprintf(stderr,
                "linchpin check: each file was decided as a history of its own; no two have a "
                "process in common, and their times overlap, as in logs of the clients of one run. "
                "If they are, decide them together: cat FILE... | linchpin check --order=time -\n");
}

int check_run(const struct options *options)
{
    struct result_files files = {0};
    struct inputs inputs;
    struct run run;
    struct text logs = TEXT_EMPTY;
    struct request request = {.method = method_named(options->method),
                              .choice = {.specs = options->specs,
                                         .count = options->spec_count,
                                         .options = {.size = sizeof(lp_spec_options),
                                                     .initial = options->initial,
                                                     .owned = options->owned,
                                                     .nil_reads = options->knossos_nil}}};
    int status = EXIT_INPUT;
    inputs_expand(options->operands, options->operand_count, &inputs);
    request.inputs = &inputs;
    request.logs = memory_small((inputs.count + 1) * sizeof *request.logs);
    memset(request.logs, 0, inputs.count * sizeof *request.logs);
    if (options->follow) /* one history */
        append_names(&inputs, &logs);
    const char *name = text_string(&logs);
    if (inputs_make_sense(options, &inputs) &&
        (!options->follow || follow_makes_sense(options, &inputs)) && keep_makes_sense(options) &&
        format_is_known("check", "--format", options->format, false) &&
        specification_makes_sense(&request.choice, options->json) &&
        run_open(&run, &kind, options, &request)) {
        run.streams = true;
        run.without = inputs.without_count;
        tell_without(&inputs, options);
        if (result_files_open(options, "check", &files))
            status = options->follow ? run_all(&run, &name, 1, &files)
                                     : run_all(&run, inputs.names, inputs.count, &files);
        status = run_close(&run, status);
        if (!options->json)
            tell_logs(&request);
    }
    client_logs_release(request.logs, inputs.count);
    free(request.logs);
    inputs_release(&inputs);
    text_release(&logs);
    return status;
}
