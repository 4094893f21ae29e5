#include "cli/input.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "report/execution.h"
#include "report/json.h"

static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* The runs of all operands that left no history. */
static void find_without(char *const *operands, size_t count, lp_context *context,
                         struct inputs *inputs)
{
    size_t *lengths = memory_small(count * sizeof *lengths), at = 0;
    inputs->missed = memory_small(count * sizeof *inputs->missed);
    for (size_t i = 0; i < count; i++) {
        if (!inputs->found[i] || lp_history_find_without(context, operands[i], &inputs->missed[i],
                                                         &lengths[i], NULL) != LP_OK) {
            inputs->missed[i] = NULL;
            lengths[i] = 0;
        }
        inputs->without_count += lengths[i];
    }
    inputs->without = memory_small(inputs->without_count * sizeof *inputs->without);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < lengths[i]; j++)
            inputs->without[at++] = inputs->missed[i][j];
    free(lengths);
}

void inputs_expand(char *const *operands, size_t count, struct inputs *inputs)
{
    size_t *lengths = memory_small(count * sizeof *lengths);
    lp_context *context = lp_context_create(0);
    *inputs = (struct inputs){.found_count = count};
    inputs->found = memory_small(count * sizeof *inputs->found);
    for (size_t i = 0; i < count; i++) {
        /* A folder in which nothing is found stays: reading it will say so. */
        inputs->found[i] = NULL;
        if (!context || !is_folder(operands[i]) ||
            lp_history_find(context, operands[i], &inputs->found[i], &lengths[i], NULL) != LP_OK)
            lengths[i] = 1;
        inputs->count += lengths[i];
    }
    inputs->names = memory_small(inputs->count * sizeof *inputs->names);
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < lengths[i]; j++)
            inputs->names[at++] = inputs->found[i] ? inputs->found[i][j] : operands[i];
    find_without(operands, count, context, inputs);
    if (context)
        lp_context_destroy(context);
    free(lengths);
}

void inputs_release(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->found_count; i++) {
        free(inputs->found[i]);
        free(inputs->missed[i]);
    }
    free(inputs->found);
    free(inputs->missed);
    free(inputs->without);
    free(inputs->names);
}

bool input_is_standard(const char *operand)
{
    return operand[0] == '-' && (operand[1] == 0 || operand[1] == '#');
}

bool input_is_stream(const char *operand)
{
    struct stat facts;
    return input_is_standard(operand) ||
           (stat(operand, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode));
}

/* Keeps of the histories the one named `name` (behind the #). */
static lp_status choose(const char *operand, const char *name, lp_history **histories,
                        size_t *count, lp_error *error)
{
    struct text names = TEXT_EMPTY;
    size_t chosen = *count;
    for (size_t i = 0; i < *count; i++) {
        const char *mark = strrchr(lp_history_name(histories[i]), '#');
        const char *found = mark ? mark + 1 : lp_history_name(histories[i]);
        if (strcmp(found, name) == 0)
            chosen = i;
        text_format(&names, "%s%s", i ? ", " : "", found);
    }
    if (chosen == *count) {
        *error = (lp_error){0};
        snprintf(error->file, sizeof error->file, "%s", operand);
        snprintf(error->message, sizeof error->message,
                 "expected one of the histories in the file: %s, found '%s'", text_string(&names),
                 name);
        text_release(&names);
        return LP_INPUT;
    }
    text_release(&names);
    for (size_t i = 0; i < *count; i++)
        if (i != chosen)
            lp_history_destroy(histories[i]);
    histories[0] = histories[chosen];
    *count = 1;
    return LP_OK;
}

lp_status input_read(lp_context *context, const char *operand, const lp_read_options *options,
                     lp_history ***histories, size_t *count, lp_error *error)
{
    struct stat found;
    const char *mark = strrchr(operand, '#');
    *histories = NULL;
    *count = 0;
    if (!mark || stat(operand, &found) == 0)
        return lp_history_read(context, operand, options, histories, count, error);

    struct text path = TEXT_EMPTY;
    text_append_bytes(&path, operand, (size_t)(mark - operand));
    lp_status status =
        lp_history_read(context, text_string(&path), options, histories, count, error);
    text_release(&path);
    if (status != LP_OK)
        return status;
    status = choose(operand, mark + 1, *histories, count, error);
    if (status != LP_OK) {
        input_release(*histories, *count);
        *histories = NULL;
        *count = 0;
    }
    return status;
}

void input_release(lp_history **histories, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lp_history_destroy(histories[i]);
    free(histories);
}

char *input_name(const char *operand, const lp_history *history)
{
    const char *name = lp_history_name(history);
    struct text text = TEXT_EMPTY;
    if (strcmp(operand, "-") != 0) {
        text_append(&text, name);
        return text_take(&text);
    }
    const char *mark = strrchr(name, '#');
    text_append(&text, "-");
    text_append(&text, mark ? mark : "");
    return text_take(&text);
}

/* Where the specification's name begins in "object=queue": an = inside parentheses is none. */
static const char *spec_part(const char *word)
{
    size_t length = strcspn(word, "=(");
    return word[length] == '=' ? word + length + 1 : word;
}

lp_status bindings_create(lp_context *context, const struct spec_choice *choice,
                          struct bindings *bindings, lp_error *error)
{
    bindings->items = memory_small(choice->count * sizeof *bindings->items);
    bindings->objects = memory_small(choice->count * sizeof *bindings->objects);
    bindings->specs = memory_small(choice->count * sizeof *bindings->specs);
    bindings->count = 0;
    for (size_t i = 0; i < choice->count; i++) {
        const char *word = choice->specs[i], *name = spec_part(word);
        struct text object = TEXT_EMPTY;
        if (name != word)
            text_append_bytes(&object, word, (size_t)(name - word) - 1);
        bindings->specs[i] = NULL;
        bindings->objects[i] = name != word ? text_take(&object) : NULL;
        bindings->count++;
        lp_status status =
            lp_spec_create(context, name, &choice->options, &bindings->specs[i], error);
        if (status != LP_OK)
            return status;
        bindings->items[i] = (lp_binding){bindings->objects[i], bindings->specs[i]};
    }
    return LP_OK;
}

void bindings_release(struct bindings *bindings)
{
    for (size_t i = 0; i < bindings->count; i++) {
        if (bindings->specs[i])
            lp_spec_destroy(bindings->specs[i]);
        free(bindings->objects[i]);
    }
    free(bindings->items);
    free(bindings->objects);
    free(bindings->specs);
    *bindings = (struct bindings){0};
}

bool format_is_known(const char *command, const char *option, const char *format, bool writable)
{
    struct text names = TEXT_EMPTY;
    const char *name, *description;
    bool can_write, known = !format;
    for (size_t i = 0; !known && lp_format_at(i, &name, &description, &can_write); i++) {
        if (writable && !can_write)
            continue;
        known = strcmp(name, format) == 0;
        text_format(&names, "%s%s", names.length ? ", " : "", name);
    }
    if (!known)
        fprintf(stderr, "linchpin %s: %s: expected one of %s, found '%s'\n", command, option,
                text_string(&names), format);
    text_release(&names);
    return known;
}

lp_order order_named(const char *name)
{
    if (!name)
        return LP_ORDER_UNSAID;
    return strcmp(name, "time") == 0 ? LP_ORDER_TIME : LP_ORDER_FILE;
}

void input_append_without(const char *run, bool json, struct text *text)
{
    if (json) {
        yajl_gen object = json_begin_text(text);
        json_add_text(object, "input", run);
        json_add_text(object, "without", "history");
        json_end_text(object);
    } else {
        utf8_append_shown(text, run, strlen(run), true);
        text_append(text, ": note: a run without a history");
    }
    text_append(text, "\n");
}

static void append_lines(const lp_error *error, const char *operand, struct text *text)
{
    const char *file = *error->file ? error->file : operand;
    utf8_append_shown(text, file, strlen(file), true);
    if (error->line)
        text_format(text, ":%" PRIu32, error->line);
    text_append(text, ": error: ");
    for (const char *line = error->message; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        utf8_append_shown(text, line, strcspn(line, "\n"), true);
        text_append(text, "\n");
    }
}

static void append_object(const lp_error *error, const char *operand,
                          const struct error_at_run_time *at_run_time, struct text *text)
{
    yajl_gen json = json_begin_text(text);
    json_add_text(json, "input", operand);
    json_add_text(json, "file", *error->file ? error->file : operand);
    if (error->line)
        json_add_number(json, "line", error->line);
    json_add_text(json, "error", error->message);
    if (at_run_time) {
        json_add_text(json, "assertion", at_run_time->assertion);
        json_add_number(json, "assertion_line", at_run_time->line);
        if (at_run_time->execution)
            execution_json_fields(at_run_time->execution, json);
    }
    json_end_text(json);
    text_append(text, "\n");
}

void error_append(const lp_error *error, const char *operand,
                  const struct error_at_run_time *at_run_time, bool json, struct text *text)
{
    if (json)
        append_object(error, operand, at_run_time, text);
    else
        append_lines(error, operand, text);
}

lp_status model_read(lp_context *context, const char *path, lp_model **model,
                     struct model_errors *errors)
{
    errors->count = 0;
    return lp_model_read_all(context, path, model, errors->items, MODEL_ERRORS, &errors->count);
}

int error_print(lp_status status, const lp_error *error, const char *operand, bool json)
{
    struct text text = TEXT_EMPTY;
    error_append(error, operand, NULL, json, &text);
    fputs(text_string(&text), stderr);
    text_release(&text);
    return status == LP_INTERNAL ? EXIT_FAULT : status == LP_LIMIT ? EXIT_UNDECIDED : EXIT_INPUT;
}

int input_complain(const char *operand, bool json, const char *format, ...)
{
    lp_error error = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.message, sizeof error.message, format, arguments);
    va_end(arguments);
    return error_print(LP_INPUT, &error, operand, json);
}

int input_complain_read(const char *operand, bool json, const struct error *error)
{
    lp_error told = {.line = error->line};
    snprintf(told.message, sizeof told.message, "%s", error->message);
    return error_print(LP_INPUT, &told, operand, json);
}

void errors_append_unlisted(size_t count, struct text *text)
{
    text_format(text, "%zu more errors are not listed", count - MODEL_ERRORS);
    if (count >= LP_ERRORS_MOST)
        text_append(text, ", and what is behind them was not read");
}

void model_errors_append(const struct model_errors *errors, const char *operand, bool json,
                         struct text *text)
{
    for (size_t i = 0; i < errors->count && i < MODEL_ERRORS; i++)
        error_append(&errors->items[i], operand, NULL, json, text);
    if (errors->count <= MODEL_ERRORS)
        return;
    lp_error more = {0};
    struct text line = TEXT_EMPTY;
    errors_append_unlisted(errors->count, &line);
    snprintf(more.message, sizeof more.message, "%s", text_string(&line));
    text_release(&line);
    error_append(&more, operand, NULL, json, text);
}

int model_errors_print(const struct model_errors *errors, const char *operand, bool json)
{
    struct text text = TEXT_EMPTY;
    model_errors_append(errors, operand, json, &text);
    fputs(text_string(&text), stderr);
    text_release(&text);
    return EXIT_INPUT;
}

/* What reads a file for its specifications or rules ends at the first fault, and knows faults that
 * are none of models: the others are those of the model, if that one is among them. */
int lin_errors_print(lp_context *context, const char *path, lp_status status, const lp_error *first,
                     bool json)
{
    struct model_errors errors;
    lp_model *model = NULL;
    bool found = false;
    if (status == LP_INPUT && model_read(context, path, &model, &errors) == LP_INPUT)
        for (size_t i = 0; i < errors.count && i < MODEL_ERRORS; i++)
            found = found || (errors.items[i].line == first->line &&
                              strcmp(errors.items[i].message, first->message) == 0);
    lp_model_destroy(model);
    return found ? model_errors_print(&errors, path, json) : error_print(status, first, path, json);
}

static void append_time(double seconds, struct text *text)
{
    if (seconds < 1)
        text_format(text, "%g ms", seconds * 1000);
    else if (seconds < 120)
        text_format(text, "%g s", seconds);
    else
        text_format(text, "%g min", seconds / 60);
}

lp_results results_named(const char *name)
{
    if (!name)
        return LP_RESULTS_INFERRED;
    return strcmp(name, "keyed") == 0 ? LP_RESULTS_KEYED : LP_RESULTS_PLAIN;
}

void limit_append(const struct session *session, lp_limit limit, double began, struct text *text)
{
    bool total = false;
    switch (limit) {
    case LP_LIMIT_INTERRUPT:
        text_append(text, "interrupted");
        return;
    case LP_LIMIT_DEPTH:
        text_append(text, "processes nest more than 2,500 deep");
        return;
    case LP_LIMIT_TIME:
        if (session->timeout <= 0 && session->total_timeout <= 0) { /* what is followed */
            text_append(text, "a search took as many steps as it may");
            return;
        }
        session_remaining(session, began, &total);
        text_append(text, total ? "the total time limit of " : "the time limit of ");
        append_time(total ? session->total_timeout : session->timeout, text);
        break;
    default:
        text_append(text, "the memory limit of ");
        text_append_size(text, session->limit);
    }
    text_append(text, " was reached");
}

lp_limit limit_find(const struct session *session, double began)
{
    if (atomic_load(&session->interrupted))
        return LP_LIMIT_INTERRUPT;
    return session_remaining(session, began, NULL) <= 0 ? LP_LIMIT_TIME : LP_LIMIT_MEMORY;
}

int input_read_for(const char *command, const char *what, const struct session *session,
                   lp_context *context, const char *operand, const lp_read_options *options,
                   bool json, lp_history ***histories, size_t *count)
{
    lp_error error = {0};
    struct text text = TEXT_EMPTY;
    lp_status status = input_read(context, operand, options, histories, count, &error);
    if (status == LP_OK)
        return EXIT_HOLDS;
    if (status != LP_LIMIT)
        return error_print(status, &error, operand, json);
    limit_append(session, limit_find(session, session->started), session->started, &text);
    fprintf(stderr, "linchpin %s: %s before %s was read\n", command, text_string(&text), what);
    text_release(&text);
    return EXIT_UNDECIDED;
}
