/* A process is named by a reference as assertions begin with one, arguments and all; so the copy of
 * the model gets an assertion more, whose process is taken. */
#include "api/process.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "implementation/canonical.h"
#include "verify/lin_any_setting.h"
#include "verify/lin_instance_open.h"

/* The process that is meant where none was named; null: there is none without parameters. */
static const char *default_reference(const lp_model *model)
{
    const struct csp_module *module = &model->instance.module;
    if (model_copy_assertions(&model->instance))
        return model->assertions[0].process;
    if (model->instance.is_lin)
        return NULL;
    for (size_t i = module->definitions.length; i-- > 0;)
        if (module->definitions.items[i].parameter_count == 0)
            return module->definitions.items[i].name;
    return NULL;
}

static enum status complain(const lp_model *model, const char *reference, const struct error *fault,
                            struct error *error)
{
    char message[ERROR_MESSAGE_SIZE];
    snprintf(message, sizeof message, "%.*s", (int)strcspn(fault->message, "\n"), fault->message);
    return error_set(error, STATUS_USAGE, NULL, 0, "`%.100s` %s: %.800s", reference,
                     model->instance.is_lin ? "is not what could stand behind `assert`"
                                            : "names no process",
                     message);
}

/* ---- what stands behind a reference ---- */

/* Reads the word, or the sign, and spaces before it. */
static bool take(const char **at, const char *word)
{
    const char *begin = *at + strspn(*at, " ");
    size_t length = strlen(word);
    bool found = strncmp(begin, word, length) == 0;
    if (found)
        *at = begin + length;
    return found;
}

/* Reads a number from 1 to `most`, and spaces before it. */
static bool take_number(const char **at, unsigned long most, unsigned *number)
{
    char *end;
    const char *begin = *at + strspn(*at, " ");
    unsigned long found = isdigit((unsigned char)*begin) ? strtoul(begin, &end, 10) : 0;
    if (found < 1 || found > most)
        return false;
    *number = (unsigned)found;
    *at = end;
    return true;
}

/* `Main() with copies = 3`, `Main() with processes = apart`, or both: the length of the reference
 * itself. What cannot be read belongs to it, which then names no process. */
static size_t take_settings(struct process *process, const char *reference)
{
    const char *with = strstr(reference, " with "), *at = with ? with + strlen(" with ") : "";
    unsigned copies = 0;
    bool apart = false, good = with != NULL;
    do {
        if (take(&at, "copies"))
            good = good && take(&at, "=") && take_number(&at, UINT16_MAX, &copies);
        else
            good = good && take(&at, "processes") && take(&at, "=") && (apart = take(&at, "apart"));
    } while (good && take(&at, ","));
    if (!good || *at)
        return strlen(reference);
    process->copies = copies;
    process->apart = apart;
    return (size_t)(with - reference);
}

/* `i linearizes s with threads = any [3 threads, 2 values]`: likewise. `[2 values]` alone stands in
 * place of the values of an assertion with a number of threads. */
static size_t take_bounds(struct process *process, const char *reference)
{
    const char *bracket = strrchr(reference, '['), *at = bracket;
    unsigned threads = 0, values;
    if (!at || at == reference || !take(&at, "["))
        return strlen(reference);
    const char *first = at;
    if (!take_number(&at, LIN_MOST_THREADS, &threads) || !take(&at, "threads") || !take(&at, ",")) {
        threads = 0;
        at = first;
    }
    if (!take_number(&at, LIN_MOST_VALUES, &values) || !take(&at, "values") || !take(&at, "]") ||
        *at)
        return strlen(reference);
    process->bounds = (struct lin_bounds){.threads = threads, .operations = -1, .values = values};
    return (size_t)(bracket - reference);
}

/* Whether a text begins with the name, and that ends there. */
static bool begins_with(const char *text, const char *name, size_t length)
{
    char next = strncmp(text, name, length) == 0 ? text[length] : 'x';
    return next != '_' && !isalnum((unsigned char)next);
}

/* What an implementation alone stands for, `treiber` or `hw_queue(2)`: the first assertion about
 * it that says how many threads there are, else the first; null: there is none. */
static const char *first_about(const lp_model *model, const char *name, size_t length)
{
    const struct lin_module *module = &model->instance.lin;
    const char *any = NULL;
    for (size_t i = 0; i < model_copy_assertions(&model->instance); i++) {
        const char *assertion = model->assertions[i].process;
        if (!begins_with(assertion, name, length))
            continue;
        if (!lin_assertion_is_any(&module->assertions.items[i]))
            return assertion;
        any = any ? any : assertion;
    }
    return any;
}

/* The end of an implementation's name and arguments that the reference begins with. */
static size_t length_of_name(const char *reference)
{
    size_t length = 0, behind;
    while (reference[length] == '_' || isalnum((unsigned char)reference[length]))
        length++;
    behind = length + strspn(reference + length, " ");
    if (length && reference[behind] == '(')
        return behind + strcspn(reference + behind, ")") + (strchr(reference, ')') != NULL);
    return length;
}

/* `with threads = 3`, and not `with stack refines ...`. */
static bool is_options(const char *text)
{
    if (strncmp(text, "with ", 5) != 0)
        return false;
    text += 5 + strspn(text + 5, " ");
    while (*text == '_' || isalnum((unsigned char)*text))
        text++;
    return text[strspn(text, " ")] == '=';
}

/* In `.lin` an assertion is what is walked. An implementation stands for the first one about it;
 * `IMPL with OPTIONS`, or one of which nothing is asserted, for its threads alone. */
static const char *complete(const lp_model *model, const char *reference, struct text *made)
{
    size_t length = length_of_name(reference);
    const char *rest = reference + length + strspn(reference + length, " ");
    if (!model->instance.is_lin || !length || (*rest && !is_options(rest)))
        return reference;
    const char *found = *rest ? NULL : first_about(model, reference, length);
    if (found)
        return found;
    text_append_bytes(made, reference, length);
    text_format(made, " never (false)%s%s", *rest ? " " : "", rest);
    return text_string(made);
}

/* The model with the assertion behind it. */
static enum status add_assertion(struct process *process, const lp_model *model,
                                 const char *reference, struct error *error)
{
    struct text text = TEXT_EMPTY;
    size_t length = model->instance.is_lin ? take_bounds(process, reference)
                                           : take_settings(process, reference);
    text_format(&text,
                model->instance.is_lin ? "\nassert %.*s;\n" : "\n#assert %.*s deadlockfree;\n",
                (int)length, reference);
    enum status status =
        model_copy_extend(&process->instance, model, text_string(&text), &process->budget, error);
    text_release(&text);
    /* The model itself has been read before, so that the fault is in the line added. */
    if (status == STATUS_INPUT) {
        struct error fault = *error;
        return complain(model, reference, &fault, error);
    }
    return status;
}

/* The model of the assertion that was added. */
static enum status create_model(struct process *process, lp_context *context, size_t assertion,
                                bool walked, struct error *error)
{
    struct lin_options options = {0};
    const struct model_copy *instance = &process->instance;
    const struct csp_counting counting = {.copies = process->copies, .apart = process->apart};
    if (!instance->is_lin) {
        TRY(csp_model_create(&process->instance.program,
                             instance->module.assertions.items[assertion].process, process->labels,
                             &process->limits, &counting, NULL, &process->csp, error));
        process->model = &process->csp->model;
        return STATUS_OK;
    }
    const struct lin_assertion *asserted = &instance->lin.assertions.items[assertion];
    if (!lin_assertion_is_any(asserted) && process->bounds.threads)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "`%.200s` says twice how many threads there are", process->name);
    if (lin_assertion_is_any(asserted) && !process->bounds.threads)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "expected how many threads there are to walk with: `%.200s [2 threads, 2 "
                         "values]`",
                         process->name);
    process->has_lin = true;
    options.names = options.forget = walked; /* what is dead is not shown, and may open a loop */
    TRY(lin_instance_open_bounded(&process->lin, &instance->lin, asserted, &process->bounds,
                                  &options, process->labels, context->pool, &process->limits,
                                  error));
    process->model = &process->lin.model.model;
    return STATUS_OK;
}

enum status process_is_same(struct process *process, const uint32_t *one, const uint32_t *other,
                            bool *same)
{
    size_t slots = process->model->slots;
    struct lin_worker *lin = (struct lin_worker *)process->worker;
    if (!process->has_lin) {
        *same = memcmp(one, other, process->model->identity_slots * sizeof *one) == 0;
        return STATUS_OK;
    }
    uint32_t *copies = memory_allocate(&process->budget, 2 * slots * sizeof *copies);
    TRY_MEMORY(copies);
    memcpy(copies, one, slots * sizeof *copies);
    memcpy(copies + slots, other, slots * sizeof *copies);
    bool made = lin_number_nodes(lin, copies) && lin_number_nodes(lin, copies + slots);
    *same = made && memcmp(copies, copies + slots, slots * sizeof *copies) == 0;
    memory_release(&process->budget, copies, 2 * slots * sizeof *copies);
    return granted(made);
}

static enum status open_reference(struct process *process, lp_context *context,
                                  const lp_model *model, const char *reference, bool walked,
                                  struct error *error)
{
    size_t assertions = model_copy_assertions(&model->instance);
    process->opened = true;
    TRY(add_assertion(process, model, reference, error));
    if (strchr(reference, ';') || model_copy_assertions(&process->instance) != assertions + 1)
        return error_set(error, STATUS_USAGE, NULL, 0, "`%.100s` names no process", reference);
    process->name = arena_copy_text(&process->instance.arena, reference, strlen(reference));
    process->labels = labels_create(&process->budget);
    TRY_MEMORY(process->name && process->labels);
    enum status status = create_model(process, context, assertions, walked, error);
    if (status == STATUS_OK && !(process->worker = worker_create(process->model)))
        status = STATUS_LIMIT;
    if (status == STATUS_INPUT &&
        error->line > script_line(&model->instance.script, (place)model->instance.script.length)) {
        struct error fault = *error;
        return complain(model, reference, &fault, error);
    }
    return status;
}

enum status process_open(struct process *process, lp_context *context, const lp_model *model,
                         const char *reference, bool walked, double timeout, struct error *error)
{
    struct text made = TEXT_EMPTY;
    *process = (struct process){0};
    budget_init(&process->budget, &context->budget, 0);
    limits_for(&process->limits, context, &process->budget, timeout);
    reference = reference ? complete(model, reference, &made) : default_reference(model);
    if (!reference)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "expected the name of a process: the model has neither an assertion nor a "
                         "process without parameters");
    enum status status = open_reference(process, context, model, reference, walked, error);
    text_release(&made);
    return status;
}

void process_explain_limit(const struct process *process, struct error *error)
{
    enum limit limit = process && process->opened ? limits_reached(&process->limits) : LIMIT_MEMORY;
    error_set(error, STATUS_LIMIT, NULL, 0, "%s",
              limit == LIMIT_TIME        ? "the time limit is reached"
              : limit == LIMIT_INTERRUPT ? "interrupted"
                                         : "the memory limit is reached");
}

void process_release(struct process *process)
{
    if (!process->opened)
        return;
    worker_destroy(process->worker);
    csp_model_destroy(process->csp);
    if (process->has_lin)
        lin_instance_close(&process->lin);
    labels_destroy(process->labels);
    model_copy_release(&process->instance);
}
