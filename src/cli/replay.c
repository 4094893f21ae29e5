/* linchpin replay: a violation that was kept, step by step. What is shown is read from the input
 * again; what the trace says of it is checked again first. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/columns.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/replay.h"
#include "cli/session.h"
#include "report/json.h"
#include "report/label.h"
#include "report/text.h"
#include "report/trace.h"

#define MOST_STATES 20 /* of an order, the last ones: what comes before is undisputed */

struct replay {
    const struct options *options;
    const struct trace *trace;
    struct terminal terminal;
    lp_context *context;
    const lp_history *history;
    struct bindings bindings;
    lp_spec_options spec;
    lp_check_options check;
    lp_violation found;
    struct report_violation violation;
    const lp_value *key; /* of the violation; null: none */
    bool interactive;    /* wait for Enter after each step */
    bool left;           /* the user has seen enough */
};

/* Shows a line; on a terminal waits for Enter ("q" leaves). */
static void show_step(struct replay *replay, struct text *line)
{
    fputs(text_string(line), stdout);
    text_clear(line);
    if (replay->interactive)
        replay->left = !replay_wait();
    else
        fputc('\n', stdout);
}

struct step {
    uint32_t position;
    size_t operation; /* in violation.operations */
    bool begins;
};

static int by_position(const void *left, const void *right)
{
    const struct step *a = left, *b = right;
    return (a->position > b->position) - (a->position < b->position);
}

static size_t collect_steps(const struct report_violation *violation, struct step *steps)
{
    size_t count = 0;
    for (size_t i = 0; i < violation->operation_count; i++) {
        const lp_operation *recorded = &violation->operations[i].recorded;
        steps[count++] = (struct step){recorded->invoke, i, true};
        if (recorded->outcome != LP_OUTCOME_UNKNOWN && recorded->response != LP_NEVER)
            steps[count++] = (struct step){recorded->response, i, false};
    }
    qsort(steps, count, sizeof *steps, by_position);
    return count;
}

/* "dequeue → 7 begins" only tells the result where it is known: at the end. */
static void append_call(const struct replay *replay, const struct report_operation *operation,
                        struct text *text)
{
    struct report_operation call = *operation;
    call.recorded.outcome = LP_OUTCOME_OK;
    call.recorded.result_recorded = false;
    label_operation(&call, replay->key, &replay->terminal, text);
}

static void append_event(const struct replay *replay, const struct step *step, struct text *line)
{
    const struct report_operation *operation = &replay->violation.operations[step->operation];
    const lp_operation *recorded = &operation->recorded;
    struct text at = TEXT_EMPTY;
    label_event_place(replay->history, operation->index, !step->begins, &at);
    terminal_style(&replay->terminal, operation->core ? STYLE_STRONG : STYLE_DIM, line);
    if (at.length)
        text_format(line, "%-12s ", text_string(&at));
    text_release(&at);
    label_process(recorded->process, &replay->terminal, line);
    text_append(line, step->begins ? "  calls    " : "  returns  ");
    if (step->begins)
        append_call(replay, operation, line);
    else
        label_operation(operation, replay->key, &replay->terminal, line);
    if (step->begins && recorded->outcome == LP_OUTCOME_UNKNOWN)
        text_append(line, "   (pending: it may or may not have happened)");
    terminal_style(&replay->terminal, STYLE_PLAIN, line);
}

static void show_events(struct replay *replay)
{
    struct text line = TEXT_EMPTY;
    size_t room = 2 * replay->violation.operation_count;
    struct step *steps = memory_small(room * sizeof *steps);
    size_t count = collect_steps(&replay->violation, steps);
    puts("");
    for (size_t i = 0; i < count && !replay->left; i++) {
        text_format(&line, "  %3zu  ", i + 1);
        append_event(replay, &steps[i], &line);
        show_step(replay, &line);
    }
    free(steps);
    text_release(&line);
}

static void append_operation(const struct replay *replay, uint32_t index, struct text *line)
{
    struct report_operation operation =
        report_operation_find(replay->history, &replay->found, index);
    label_operation(&operation, replay->key, &replay->terminal, line);
}

/* The states along one order, as far as it goes, and what cannot follow. */
static void show_order(struct replay *replay, size_t index)
{
    const struct trace_partial *partial = &replay->trace->partials[index];
    lp_error error;
    char *states[MOST_STATES] = {NULL};
    size_t legal = 0;
    struct text line = TEXT_EMPTY;
    size_t first = partial->order_length > MOST_STATES ? partial->order_length - MOST_STATES : 0;
    /* Where a limit leaves no time for the states, the order is shown without. */
    (void)lp_order_states(replay->context, replay->history, replay->bindings.items,
                          replay->bindings.count, &replay->check, partial->order,
                          partial->order_length, first, states, &legal, &error);
    printf("\n  order %zu of %zu: %zu operations%s\n", index + 1, replay->trace->partial_count,
           partial->order_length, first ? ", the last ones" : "");
    for (size_t i = first; i < partial->order_length && !replay->left; i++) {
        struct text label = TEXT_EMPTY;
        append_operation(replay, partial->order[i], &label);
        size_t columns = utf8_columns(text_string(&label), label.length);
        text_format(&line, "  %5zu  %s%*s", i + 1, text_string(&label),
                    columns < 30 ? (int)(30 - columns) : 1, "");
        const char *state = states[i - first];
        if (state) {
            text_append(&line, replay->terminal.unicode ? " → " : " -> ");
            utf8_append_shown(&line, state, strlen(state), replay->terminal.unicode);
        }
        show_step(replay, &line);
        text_release(&label);
    }
    for (size_t i = 0; i < partial->stuck_length && !replay->left; i++) {
        text_append(&line, "         ");
        terminal_style(&replay->terminal, STYLE_BAD, &line);
        append_operation(replay, partial->stuck[i], &line);
        text_append(&line, " cannot follow");
        terminal_style(&replay->terminal, STYLE_PLAIN, &line);
        puts(text_string(&line));
        text_clear(&line);
    }
    text_release(&line);
    for (size_t i = 0; i < MOST_STATES; i++)
        free(states[i]);
}

/* What the trace says of its core, checked again; appends what came out, unless an error. *checked:
 * the core was found to be a violation again. */
static int verify_core(struct replay *replay, struct text *said, bool *checked)
{
    const struct trace *trace = replay->trace;
    struct text text = TEXT_EMPTY;
    lp_error error = {0};
    bool violation = false, minimal = false;
    int result = EXIT_VIOLATION;
    if (!trace->core_length) {
        text_append(said, "  The trace has no core to check again.\n");
        return result;
    }
    lp_status status = lp_core_verify(replay->context, replay->history, replay->bindings.items,
                                      replay->bindings.count, &replay->check, trace->core,
                                      trace->core_length, &violation, &minimal, &error);
    if (status == LP_LIMIT) {
        text_append(&text, "A limit was reached before the core was checked again.");
        result = EXIT_UNDECIDED;
    } else if (status != LP_OK) {
        return error_print(status, &error, trace->input, replay->options->json);
    } else if (!violation) {
        return input_complain(replay->options->operands[0], replay->options->json,
                              "the operations that the trace calls a violation are none");
    } else {
        *checked = true;
        text_append_count(&text, trace->core_length);
        text_append(&text, trace->core_length == 1 ? " operation, checked again: it is a violation"
                                                   : " operations, checked again: they are a "
                                                     "violation");
        text_append(&text,
                    minimal ? ", and no fewer of them are." : "; fewer of them might be one too.");
    }
    terminal_wrap(&replay->terminal, text_string(&text), 2, 0, said);
    text_release(&text);
    return result;
}

void replay_write(const char *command, bool checked, struct result *result)
{
    yajl_gen json = json_begin(stdout);
    json_add_text(json, "command", command);
    json_add_boolean(json, "checked", checked);
    result_json_fields(result, json);
    json_end(json, stdout);
    result_release(result);
}

static void write_json(const struct replay *replay, bool checked)
{
    const struct trace *trace = replay->trace;
    struct result result = {.input = trace->input};
    node_add_text(&result.root, "input", trace->input);
    node_add_text(&result.root, "spec", trace->spec);
    node_add_text(&result.root, "verdict", "violation");
    node_add_text(&result.root, "reason", trace->reason);
    report_add_violation(&result.root, &replay->violation);
    replay_write("check", checked, &result);
}

static int step_through(struct replay *replay)
{
    const struct trace *trace = replay->trace;
    struct text text = TEXT_EMPTY;
    bool checked = false;
    utf8_append_shown(&text, trace->input, strlen(trace->input), replay->terminal.unicode);
    text_append(&text, ": ");
    terminal_append(&replay->terminal, STYLE_BAD, "violation", &text);
    text_format(&text, " (%s)\n", trace->spec);
    struct text said = TEXT_EMPTY;
    report_text_reason(trace->reason, &replay->terminal, &said);
    int result = verify_core(replay, &said, &checked);
    bool shown = result == EXIT_VIOLATION || result == EXIT_UNDECIDED;
    if (replay->options->json && result != EXIT_INPUT && result != EXIT_FAULT) {
        write_json(replay, checked);
    } else if (shown && replay->options->quiet) {
        fputs(text_string(&text), stdout);
    } else if (shown) {
        text_append_bytes(&text, text_string(&said), said.length);
        text_append(&text, "\n");
        report_text_timeline(replay->history, &replay->violation, &replay->terminal, &text);
        fputs(text_string(&text), stdout);
        show_events(replay);
        for (size_t i = 0; i < trace->partial_count && !replay->left; i++)
            show_order(replay, i);
    }
    text_release(&said);
    text_release(&text);
    return result;
}

static bool indices_fit(const uint32_t *indices, size_t length, size_t count)
{
    for (size_t i = 0; i < length; i++)
        if (indices[i] >= count)
            return false;
    return true;
}

static bool trace_fits(const struct trace *trace, const lp_history *history)
{
    size_t count = lp_history_length(history);
    bool good = indices_fit(trace->core, trace->core_length, count) &&
                indices_fit(trace->context, trace->context_length, count) &&
                indices_fit(trace->evidence, trace->evidence_length, count);
    for (size_t i = 0; good && i < trace->partial_count; i++)
        good = indices_fit(trace->partials[i].order, trace->partials[i].order_length, count) &&
               indices_fit(trace->partials[i].stuck, trace->partials[i].stuck_length, count);
    return good;
}

bool replay_fits(const char *input, const char *what, uint64_t kept, uint64_t found, bool json)
{
    if (found != kept)
        input_complain(input, json,
                       "expected %s that the trace was made of (xxh3:%016" PRIx64
                       "), found other contents (xxh3:%016" PRIx64 ")",
                       what, kept, found);
    return found == kept;
}

static int replay_history(struct replay *replay)
{
    const struct trace *trace = replay->trace;
    lp_error error = {0};
    struct spec_choice choice = {.specs = (const char *const *)trace->specs,
                                 .count = trace->spec_count,
                                 .options = replay->spec};
    if (!replay_fits(trace->input, "the input", trace->hash, lp_history_hash(replay->history),
                     replay->options->json))
        return EXIT_INPUT;
    if (!trace_fits(trace, replay->history))
        return input_complain(replay->options->operands[0], replay->options->json,
                              "the trace names operations that its input does not have");
    lp_status status = bindings_create(replay->context, &choice, &replay->bindings, &error);
    if (status != LP_OK) {
        input_complain(replay->options->operands[0], replay->options->json, "%s", error.message);
        bindings_release(&replay->bindings);
        return status == LP_LIMIT ? EXIT_UNDECIDED : EXIT_INPUT;
    }
    lp_partial *partials = memory_small((trace->partial_count + 1) * sizeof *partials);
    for (size_t i = 0; i < trace->partial_count; i++) {
        const struct trace_partial *partial = &trace->partials[i];
        partials[i] = (lp_partial){.order = partial->order,
                                   .order_length = partial->order_length,
                                   .state = partial->state,
                                   .stuck = partial->stuck,
                                   .stuck_length = partial->stuck_length};
    }
    replay->found = (lp_violation){.object = trace->object,
                                   .spec = trace->spec,
                                   .reason = trace->reason,
                                   .keyed_results = trace->keyed_results,
                                   .core = trace->core,
                                   .core_length = trace->core_length,
                                   .core_complete = trace->core_complete,
                                   .context = trace->context,
                                   .context_length = trace->context_length,
                                   .evidence = trace->evidence,
                                   .evidence_length = trace->evidence_length,
                                   .partials = partials,
                                   .partial_count = trace->partial_count};
    if (trace->key &&
        lp_value_parse(replay->context, trace->key, &replay->found.key, &error) == LP_OK) {
        replay->found.has_key = true;
        replay->key = &replay->found.key;
    }
    report_violation_fill(&replay->violation, replay->history, &replay->found, true);
    int result = step_through(replay);
    report_violation_release(&replay->violation);
    free(partials);
    bindings_release(&replay->bindings);
    return result;
}

static int replay_trace(struct session *session, lp_context *context, void *user)
{
    struct replay *replay = user;
    lp_history **histories;
    size_t count;
    const struct trace *trace = replay->trace;
    lp_read_options read = {.size = sizeof read,
                            .format = trace->format,
                            .jobs = (unsigned)replay->options->jobs,
                            .order = order_named(trace->order),
                            .timeout = session_timeout(session, session->started)};
    int result = input_read_for("replay", "the input", session, context, trace->input, &read,
                                replay->options->json, &histories, &count);
    if (result != EXIT_HOLDS)
        return result;
    replay->context = context;
    replay->history = histories[0];
    replay->spec = (lp_spec_options){.size = sizeof replay->spec,
                                     .initial = trace->initial,
                                     .owned = trace->owned,
                                     .nil_reads = trace->knossos_nil};
    replay->check = (lp_check_options){.size = sizeof(lp_check_options),
                                       .inferred = &replay->spec,
                                       .independent = trace->independent,
                                       .results = results_named(trace->results),
                                       .jobs = read.jobs,
                                       .timeout = read.timeout};
    result = replay_history(replay);
    input_release(histories, count);
    return result;
}

int replay_run(const struct options *options)
{
    struct error error;
    struct traces traces;
    if (trace_read(options->operands[0], &traces, &error) != STATUS_OK)
        return input_complain_read(options->operands[0], options->json, &error);
    if (!traces.history) {
        int status =
            traces.model ? replay_model(options, traces.model) : replay_test(options, traces.test);
        traces_release(&traces);
        return status;
    }
    struct replay replay = {
        .options = options,
        .trace = traces.history,
        .terminal = terminal_detect(STDOUT_FILENO, (enum colour_choice)options->colour)};
    replay.interactive = replay.terminal.interactive && isatty(STDIN_FILENO) == 1;
    int result = session_run(options, "replay", options->operands[0], replay_trace, &replay);
    traces_release(&traces);
    return result;
}
