/* linchpin graph: the state graph of a model, or the automaton of a formula, as text or, with
 * graphviz, as a picture. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/quantity.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/results.h"
#include "cli/units.h"
#include "report/automaton.h"
#include "report/graph.h"

#define DEFAULT_STATES 10000

enum format {
    FORMAT_DOT,
    FORMAT_JSON,
    FORMAT_AUT, /* of models only */
    FORMAT_HOA, /* of formulas only */
    FORMAT_SVG, /* from here on graphviz writes it */
    FORMAT_PNG,
    FORMAT_PDF,
    FORMAT_NONE,
};

static const char *const formats[] = {"dot", "json", "aut", "hoa", "svg", "png", "pdf"};

/* What is drawn: one of the two. */
struct drawn {
    const lp_graph *graph;
    const lp_automaton *automaton;
};

struct request {
    const struct options *options;
    char *file;    /* of FILE:LINE; null: a formula is drawn */
    uint32_t line; /* 0: none */
    const struct session *session;
    enum format format;
    struct drawn drawn;
};

/* ---- what is asked for ---- */

static enum format format_named(const char *name)
{
    enum format format = FORMAT_DOT;
    while (format < FORMAT_NONE && strcmp(formats[format], name) != 0)
        format++;
    return format;
}

/* By --to, else what the output's name ends with. */
static bool choose_format(struct request *request)
{
    const struct options *options = request->options;
    const char *name = options->to;
    const char *end = options->output ? strrchr(options->output, '.') : NULL;
    if (!name && (!options->output || strcmp(options->output, "-") == 0))
        name = "dot";
    if (!name && end && strcmp(end, ".gv") == 0)
        name = "dot";
    if (!name)
        name = end ? end + 1 : "";
    request->format = format_named(name);
    if (request->format != FORMAT_NONE &&
        request->format != (options->ltl ? FORMAT_AUT : FORMAT_HOA))
        return true;
    fprintf(stderr, "linchpin graph: %s: expected dot, json, %s, svg, png or pdf, found '%s'\n",
            options->to ? "--to" : "what --output ends with", options->ltl ? "hoa" : "aut", name);
    return false;
}

/* Options that say how a model is drawn say nothing of a formula. */
static bool options_make_sense(const struct options *options)
{
    const char *other = options->normal ? "normal" : options->max_states ? "max-states" : NULL;
    if (!options->ltl || !other)
        return true;
    fprintf(stderr, "linchpin graph: --ltl and --%s do not go together\n", other);
    return false;
}

static int complain(const struct request *request, lp_status status, const lp_error *error)
{
    struct text text = TEXT_EMPTY;
    if (status == LP_LIMIT) {
        limit_append(request->session, limit_find(request->session, request->session->started),
                     request->session->started, &text);
        fprintf(stderr, "linchpin graph: %s; nothing is drawn\n", text_string(&text));
        text_release(&text);
        return EXIT_UNDECIDED;
    }
    if (status != LP_USAGE)
        return error_print(status, error, request->file ? request->file : "formula", false);
    fprintf(stderr, "linchpin graph: %s\n", error->message);
    return EXIT_INPUT;
}

/* ---- pictures ---- */

static int complain_dot(const char *format, int error)
{
    if (error == ENOENT)
        fprintf(stderr,
                "linchpin graph: %s needs the program dot of graphviz, which is not installed "
                "(--to dot writes what it would draw)\n",
                format);
    else
        fprintf(stderr, "linchpin graph: dot cannot be run: %s\n", strerror(error));
    return EXIT_INPUT;
}

/* Runs `dot -Tformat` from one file to another; EXIT_HOLDS when it was content. */
static int run_dot(const char *format, int in, int out)
{
    extern char **environ;
    char option[16];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t child;
    int state;
    snprintf(option, sizeof option, "-T%s", format);
    char *arguments[] = {(char *)(uintptr_t) "dot", option, NULL};
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none); /* the session has blocked some */
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    int failed = posix_spawnp(&child, "dot", &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (failed)
        return complain_dot(format, failed);
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return EXIT_HOLDS;
    fputs("linchpin graph: dot failed\n", stderr);
    return EXIT_INPUT;
}

static void write_dot(const struct drawn *drawn, FILE *out)
{
    if (drawn->automaton)
        automaton_write_dot(drawn->automaton, out);
    else
        graph_write_dot(drawn->graph, out);
}

static int draw(const struct drawn *drawn, const char *format, FILE *out)
{
    FILE *text = tmpfile();
    if (!text) {
        fprintf(stderr, "linchpin graph: no temporary file can be made: %s\n", strerror(errno));
        return EXIT_INPUT;
    }
    write_dot(drawn, text);
    int result = EXIT_INPUT;
    if (fflush(text) == 0 && fflush(out) == 0 && fseek(text, 0, SEEK_SET) == 0)
        result = run_dot(format, fileno(text), fileno(out));
    else
        fprintf(stderr, "linchpin graph: the graph cannot be written: %s\n", strerror(errno));
    fclose(text);
    return result;
}

/* ---- the command ---- */

static int write_to(void *user, FILE *out)
{
    const struct request *request = user;
    const struct drawn *drawn = &request->drawn;
    switch (request->format) {
    case FORMAT_DOT:
        write_dot(drawn, out);
        return EXIT_HOLDS;
    case FORMAT_JSON:
        if (drawn->automaton)
            automaton_write_json(drawn->automaton, out);
        else
            graph_write_json(drawn->graph, request->file, out);
        return EXIT_HOLDS;
    case FORMAT_AUT:
        graph_write_aut(drawn->graph, out);
        return EXIT_HOLDS;
    case FORMAT_HOA:
        automaton_write_hoa(drawn->automaton, out);
        return EXIT_HOLDS;
    default:
        return draw(drawn, formats[request->format], out);
    }
}

static int write_drawn(struct request *request, const struct drawn *drawn)
{
    request->drawn = *drawn;
    return output_by("graph", request->options->output, write_to, request);
}

static size_t count_expanded(const lp_graph *graph)
{
    size_t count = 0;
    while (count < graph->node_count && graph->nodes[count].expanded)
        count++;
    return count;
}

/* Says why the graph is not all there is. */
static void say_cut(const struct request *request, const lp_graph *graph, size_t most, bool drawn)
{
    struct text text = TEXT_EMPTY;
    size_t expanded = count_expanded(graph);
    if (graph->limit != LP_LIMIT_NONE)
        limit_append(request->session, graph->limit, request->session->started, &text);
    else {
        text_append(&text, "the limit of ");
        text_append_count(&text, most);
        text_append(&text, " states was reached (--max-states)");
    }
    text_append(&text, ": ");
    if (expanded < graph->node_count) {
        text_append(&text, "of ");
        text_append_count(&text, graph->node_count);
        text_append(&text, " states found, the steps of ");
        text_append_count(&text, graph->node_count - expanded);
        text_append(&text, " are missing");
    } else
        text_append(&text, "there are more normalised states than that");
    fprintf(stderr, "linchpin graph: %s%s\n", text_string(&text),
            drawn ? "" : "; a part cannot be normalised, nothing is drawn");
    text_release(&text);
}

static int graph_model(struct request *request, lp_context *context)
{
    const struct options *options = request->options;
    lp_model *model;
    lp_graph *graph;
    lp_error error = {0};
    lp_graph_options inner = {
        .size = sizeof inner,
        .max_states = options->max_states ? options->max_states : DEFAULT_STATES,
        .normalised = options->normal,
        .timeout = session_timeout(request->session, request->session->started)};
    struct model_errors errors;
    lp_status status = model_read(context, request->file, &model, &errors);
    if (status == LP_INPUT)
        return model_errors_print(&errors, request->file, false);
    if (status != LP_OK)
        return complain(request, status, &errors.items[0]);
    const char *process = options->operand_count > 1 ? options->operands[1] : NULL;
    status = units_process(model, request->line, &process, &error);
    if (status == LP_OK)
        status = lp_graph_create(context, model, process, &inner, &graph, &error);
    lp_model_destroy(model);
    if (status != LP_OK)
        return complain(request, status, &error);
    bool drawn = graph->complete || !options->normal;
    int result = drawn ? write_drawn(request, &(struct drawn){.graph = graph}) : EXIT_HOLDS;
    if (!graph->complete) {
        say_cut(request, graph, inner.max_states, drawn);
        result = exit_worst(result, EXIT_UNDECIDED);
    }
    lp_graph_destroy(graph);
    return result;
}

static int graph_formula(struct request *request, lp_context *context)
{
    lp_automaton *automaton;
    lp_error error = {0};
    double timeout = session_timeout(request->session, request->session->started);
    lp_status status =
        lp_automaton_create(context, request->options->ltl, timeout, &automaton, &error);
    if (status != LP_OK)
        return complain(request, status, &error);
    int result = write_drawn(request, &(struct drawn){.automaton = automaton});
    lp_automaton_destroy(automaton);
    return result;
}

static int draw_in(struct session *session, lp_context *context, void *user)
{
    struct request *request = user;
    request->session = session;
    int result =
        request->options->ltl ? graph_formula(request, context) : graph_model(request, context);
    session_narrate_end(session, request->options, context,
                        request->file ? request->file : "formula");
    return result;
}

int graph_run(const struct options *options)
{
    struct request request = {.options = options};
    if (!options_make_sense(options) || !choose_format(&request))
        return EXIT_INPUT;
    if (!options->ltl)
        request.file = units_file(options->operands[0], &request.line);
    if (request.file && (result_writes_over(options->output, request.file) ||
                         result_writes_over(options->log, request.file))) {
        fprintf(stderr, "linchpin graph: '%s' is the input, and would be written over\n",
                request.file);
        free(request.file);
        return EXIT_INPUT;
    }
    const char *input = request.file ? options->operands[0] : "formula";
    int result = session_run(options, "graph", input, draw_in, &request);
    free(request.file);
    return result;
}
