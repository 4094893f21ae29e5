/* linchpin simulate: one walk through a model: at random, along a trace, or as the user says. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/results.h"
#include "cli/units.h"
#include "report/execution.h"
#include "report/json.h"
#include "report/step.h"
#include "report/text.h"
#include "report/trace.h"

#define DEFAULT_STEPS     100
#define POLL_MILLISECONDS 100 /* between two looks whether the user interrupted */

/* How a walk ended. */
enum ended {
    ENDED_STEPS,    /* as many as were asked for, or the whole trace */
    ENDED_DEADLOCK, /* no step is possible */
    ENDED_DONE,     /* it has terminated */
    ENDED_QUIT,     /* the user has seen enough */
};

struct simulation {
    const struct options *options;
    char *file;    /* of FILE:LINE */
    uint32_t line; /* 0: none */
    struct session *session;
    struct terminal terminal;
    lp_walk *walk;
    lp_execution taken; /* its texts are copies */
    lp_step *steps;     /* of `taken` */
    size_t capacity;
    uint64_t seed;
    struct random random;
    FILE *talk; /* where the user is asked */
    enum ended ended;
    lp_walk_end ending; /* where it is done */
};

/* ---- what was taken ---- */

static void record(struct simulation *simulation, const lp_step *step)
{
    lp_execution *taken = &simulation->taken;
    if (taken->length == simulation->capacity) {
        simulation->capacity = simulation->capacity ? 2 * simulation->capacity : 64;
        lp_step *moved =
            realloc(simulation->steps, simulation->capacity * sizeof *simulation->steps);
        if (!moved)
            abort();
        simulation->steps = moved;
        taken->steps = moved;
    }
    step_copy(&simulation->steps[taken->length++], step);
}

static void unrecord(struct simulation *simulation)
{
    step_release(&simulation->steps[--simulation->taken.length]);
}

static void release_taken(struct simulation *simulation)
{
    while (simulation->taken.length)
        unrecord(simulation);
    free(simulation->steps);
    variables_release(simulation->taken.start, simulation->taken.start_count);
}

/* ---- choosing ---- */

static lp_status take(struct simulation *simulation, size_t index, lp_error *error)
{
    const lp_step *steps;
    size_t count;
    lp_status status = lp_walk_steps(simulation->walk, &steps, &count, error);
    if (status != LP_OK)
        return status;
    record(simulation, &steps[index]);
    return lp_walk_take(simulation->walk, index, error);
}

/* Whether nothing is possible any more; says why. */
static bool is_over(struct simulation *simulation, size_t count)
{
    if (count)
        return false;
    simulation->ending = lp_walk_ending(simulation->walk);
    simulation->ended = simulation->ending == LP_END_DEADLOCK ? ENDED_DEADLOCK : ENDED_DONE;
    return true;
}

static lp_status walk_at_random(struct simulation *simulation, size_t most, lp_error *error)
{
    for (size_t i = 0; i < most && !atomic_load(&simulation->session->interrupted); i++) {
        const lp_step *steps;
        size_t count;
        lp_status status = lp_walk_steps(simulation->walk, &steps, &count, error);
        if (status != LP_OK)
            return status;
        if (is_over(simulation, count))
            return LP_OK;
        status = take(simulation, random_below(&simulation->random, (uint32_t)count), error);
        if (status != LP_OK)
            return status;
    }
    simulation->ended = ENDED_STEPS;
    return LP_OK;
}

/* Shows where the walk stands, and what is possible there. */
static void show_choice(const struct simulation *simulation, const lp_step *steps, size_t count)
{
    struct text text = TEXT_EMPTY, changes = TEXT_EMPTY;
    const lp_variable *variables;
    size_t variable_count;
    lp_error error;
    const struct terminal *terminal = &simulation->terminal;
    text_append(&text, "after ");
    report_text_count(simulation->taken.length, "step", "steps", &text);
    if (lp_walk_state(simulation->walk, &variables, &variable_count, &error) == LP_OK) {
        text_append(&text, variable_count ? ": " : "");
        execution_variables(variables, variable_count, terminal, &text);
    }
    text_append(&text, "\n");
    for (size_t i = 0; i < count; i++) {
        text_format(&text, "  %3zu  process %" PRIu32 "  ", i + 1, steps[i].process);
        utf8_append_shown(&text, steps[i].event, strlen(steps[i].event), terminal->unicode);
        text_clear(&changes);
        execution_variables(steps[i].changes, steps[i].change_count, terminal, &changes);
        if (changes.length)
            text_format(&text, "   (%s)", text_string(&changes));
        text_append(&text, "\n");
    }
    fputs(text_string(&text), simulation->talk);
    text_release(&changes);
    text_release(&text);
}

/* A line of standard input without its end; false at the end, or when the user interrupts. */
static bool read_line(const struct simulation *simulation, char *line, int size)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (simulation->terminal.interactive && poll(&input, 1, POLL_MILLISECONDS) == 0)
        if (atomic_load(&simulation->session->interrupted))
            return false;
    if (!fgets(line, size, stdin))
        return false;
    line[strcspn(line, "\r\n")] = 0;
    return true;
}

/* The index of the step that the user chooses; `count` to take one back, `count` + 1 to end. */
static size_t choose(const struct simulation *simulation, size_t count)
{
    char line[64], *end;
    for (;;) {
        if (count)
            fprintf(simulation->talk, "step (1-%zu, b back, q quit)? ", count);
        else
            fputs("no step is possible (b back, q quit)? ", simulation->talk);
        fflush(simulation->talk);
        if (!read_line(simulation, line, sizeof line) || strcmp(line, "q") == 0)
            return count + 1;
        if (strcmp(line, "b") == 0)
            return count;
        errno = 0;
        unsigned long number = strtoul(line, &end, 10);
        if (*line >= '1' && *line <= '9' && !*end && !errno && number <= count)
            return number - 1;
        if (count)
            fprintf(simulation->talk, "expected a number from 1 to %zu, b or q\n", count);
        else
            fputs("expected b or q\n", simulation->talk);
    }
}

static lp_status walk_guided(struct simulation *simulation, lp_error *error)
{
    for (;;) {
        const lp_step *steps;
        size_t count;
        lp_status status = lp_walk_steps(simulation->walk, &steps, &count, error);
        if (status != LP_OK)
            return status;
        show_choice(simulation, steps, count);
        size_t chosen = choose(simulation, count);
        if (chosen == count + 1) {
            fputs("\n", simulation->talk);
            if (!is_over(simulation, count))
                simulation->ended = ENDED_QUIT;
            return LP_OK;
        }
        if (chosen < count)
            status = take(simulation, chosen, error);
        else if (lp_walk_back(simulation->walk))
            unrecord(simulation);
        if (status != LP_OK)
            return status;
    }
}

/* ---- the command ---- */

static const char *const ends[] = {[ENDED_STEPS] = "steps",
                                   [ENDED_DEADLOCK] = "deadlock",
                                   [ENDED_DONE] = "terminated",
                                   [ENDED_QUIT] = "quit"};

static void report_json_line(const struct simulation *simulation)
{
    yajl_gen json = json_begin(stdout);
    json_add_text(json, "input", simulation->file);
    json_add_text(json, "process", lp_walk_process(simulation->walk));
    json_add_number(json, "seed", simulation->seed);
    json_add_text(json, "ended", ends[simulation->ended]);
    execution_json_fields(&simulation->taken, json);
    json_end(json, stdout);
}

static void report_people(const struct simulation *simulation)
{
    struct text text = TEXT_EMPTY;
    execution_table(&simulation->taken, false, &simulation->terminal, &text);
    if (simulation->ended == ENDED_DEADLOCK)
        text_append(&text, "\n  deadlock: no step is possible here\n");
    if (simulation->ended == ENDED_DONE)
        text_append(&text, simulation->ending == LP_END_RETURNED
                               ? "\n  every operation has returned, and the "
                                 "threads may call no more\n"
                               : "\n  the process has terminated\n");
    fputs(text_string(&text), stdout);
    text_release(&text);
}

static void report_walk(const struct simulation *simulation)
{
    if (simulation->options->json)
        report_json_line(simulation);
    else
        report_people(simulation);
}

static int complain(const struct simulation *simulation, lp_status status, const lp_error *error)
{
    if (status == LP_LIMIT) {
        fputs("linchpin simulate: the memory limit was reached\n", stderr);
        return EXIT_UNDECIDED;
    }
    if (status != LP_USAGE || simulation->options->json)
        return error_print(status, error, simulation->file, simulation->options->json);
    fprintf(stderr, "linchpin simulate: %s\n", error->message);
    return EXIT_INPUT;
}

/* The trace that is to be followed first; EXIT_HOLDS if there is none. */
static int read_trace(const struct simulation *simulation, const lp_model *model,
                      struct model_trace **trace)
{
    struct traces traces;
    struct error error;
    const char *path = simulation->options->along;
    *trace = NULL;
    if (!path)
        return EXIT_HOLDS;
    if (trace_read(path, &traces, &error) != STATUS_OK)
        return input_complain_read(path, simulation->options->json, &error);
    if (!traces.model || traces.model->hash != lp_model_hash(model)) {
        int status = input_complain(path, simulation->options->json,
                                    "expected a trace of this model, found one of another %s",
                                    traces.model ? "model" : "kind");
        traces_release(&traces);
        return status;
    }
    *trace = traces.model;
    return EXIT_HOLDS;
}

static int follow_trace(struct simulation *simulation, const struct model_trace *trace)
{
    size_t followed;
    lp_error error = {0};
    lp_status status = lp_walk_along(simulation->walk, &trace->execution, &followed, &error);
    if (status != LP_OK)
        return complain(simulation, status, &error);
    if (followed < trace->execution.length)
        return input_complain(simulation->options->along, simulation->options->json,
                              "the model cannot take step %zu of the trace", followed + 1);
    for (size_t i = 0; i < followed; i++)
        record(simulation, &trace->execution.steps[i]);
    return EXIT_HOLDS;
}

static int walk_on(struct simulation *simulation, const struct model_trace *trace)
{
    const struct options *options = simulation->options;
    const lp_variable *start;
    lp_error error = {0};
    lp_execution *taken = &simulation->taken;
    lp_status status = lp_walk_state(simulation->walk, &start, &taken->start_count, &error);
    if (status == LP_OK) {
        taken->start = trace ? variables_copy(trace->execution.start, trace->execution.start_count)
                             : variables_copy(start, taken->start_count);
        int followed = trace ? follow_trace(simulation, trace) : EXIT_HOLDS;
        if (followed != EXIT_HOLDS)
            return followed;
        size_t steps = options->steps ? options->steps : trace ? 0 : DEFAULT_STEPS;
        if (options->guided)
            status = walk_guided(simulation, &error);
        else
            status = walk_at_random(simulation, steps, &error);
    }
    if (status == LP_OK) {
        report_walk(simulation);
        return EXIT_HOLDS;
    }
    int result = complain(simulation, status, &error);
    if (status == LP_INPUT && !options->json) /* a fault of the model: the way to it */
        report_people(simulation);
    return result;
}

static int simulate_model(struct session *session, lp_context *context, void *user)
{
    struct simulation *simulation = user;
    const struct options *options = simulation->options;
    struct model_trace *trace;
    lp_model *model;
    lp_error error = {0};
    struct model_errors errors;
    simulation->session = session;
    lp_status status = model_read(context, simulation->file, &model, &errors);
    if (status == LP_INPUT)
        return model_errors_print(&errors, simulation->file, options->json);
    if (status != LP_OK)
        return complain(simulation, status, &errors.items[0]);
    int result = read_trace(simulation, model, &trace);
    if (result == EXIT_HOLDS) {
        const char *process = options->operand_count > 1 ? options->operands[1] : NULL;
        status = units_process(model, simulation->line, &process, &error);
        if (!process && trace)
            process = trace->process;
        if (status == LP_OK)
            status = lp_walk_create(context, model, process, &simulation->walk, &error);
        result =
            status == LP_OK ? walk_on(simulation, trace) : complain(simulation, status, &error);
        lp_walk_destroy(simulation->walk);
    }
    model_trace_destroy(trace);
    lp_model_destroy(model);
    session_narrate_end(session, options, context, simulation->file);
    return result;
}

int simulate_run(const struct options *options)
{
    struct simulation simulation = {
        .options = options,
        .terminal = terminal_detect(STDOUT_FILENO, (enum colour_choice)options->colour),
        .talk = options->json ? stderr : stdout,
        .seed = options->has_seed ? options->seed : (uint64_t)(session_clock() * 1e6) % 1000000};
    simulation.file = units_file(options->operands[0], &simulation.line);
    if (!outputs_spare(options, "simulate", simulation.file)) {
        free(simulation.file);
        return EXIT_INPUT;
    }
    random_seed(&simulation.random, simulation.seed);
    if (!options->has_seed && !options->guided && !options->along && !options->json)
        fprintf(stderr, "linchpin simulate: --seed %" PRIu64 " takes this walk again\n",
                simulation.seed);
    int result =
        session_run(options, "simulate", options->operands[0], simulate_model, &simulation);
    release_taken(&simulation);
    free(simulation.file);
    return result;
}
