/* What is the same for all specifications: finding operations by name, creating instances, binding,
 * printing. */
#include "spec/spec.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "value/agree.h"
#include "value/print.h"

bool spec_operation_may_wait(const struct spec_class *class, uint16_t operation)
{
    bool may_wait = class->operations[operation].waits;
    const uint32_t *end = class->client_ends;
    for (uint32_t i = 0; i < class->client_count; i++) {
        bool begins = i == 0 || (end && *end == i);
        may_wait |= begins && class->client[i] == operation;
        end += end && *end == i;
    }
    return may_wait;
}

int spec_operation_find(const struct spec_class *class, const char *name, size_t length)
{
    for (size_t i = 0; i < class->operation_count; i++) {
        const struct spec_operation *operation = &class->operations[i];
        if (name_is(operation->name, name, length))
            return (int)i;
        for (size_t j = 0; j < ARRAY_LENGTH(operation->aliases) && operation->aliases[j]; j++)
            if (name_is(operation->aliases[j], name, length))
                return (int)i;
    }
    return -1;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

size_t spec_name_length(const char *text)
{
    return strcspn(text, " \t(");
}

/* Behind a word, if the text begins with it; else null. */
static const char *skip_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || (text[length] && !strchr(" \t=,)", text[length])))
        return NULL;
    return skip_blanks(text + length);
}

/* `= 5`: what the object holds at first. */
static enum status parse_initial(struct spec *spec, const char **text, struct error *error)
{
    size_t used = 0;
    struct error wrong = {0};
    if (spec->has_initial)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "expected one initial value of %s, found two", spec->class->name);
    if (**text != '=')
        return error_set(error, STATUS_USAGE, NULL, 0, "expected `initial = VALUE`, found `%.40s`",
                         *text);
    enum status status = value_parse_edn(spec->pool, *text + 1, strlen(*text + 1), &used, NULL, 0,
                                         &spec->initial, &wrong);
    if (status == STATUS_INPUT)
        return error_set(error, STATUS_USAGE, NULL, 0, "initial value: %.900s", wrong.message);
    TRY(status);
    spec->has_initial = true;
    *text = skip_blanks(*text + 1 + used);
    return STATUS_OK;
}

/* One of `3`, `initial = 5`, `owned`. */
static enum status parse_parameter(struct spec *spec, const char **text, bool *is_none,
                                   struct error *error)
{
    const char *behind = skip_word(*text, "initial");
    if (behind) {
        *text = behind;
        return parse_initial(spec, text, error);
    }
    behind = skip_word(*text, "owned");
    if (behind) {
        spec->owned = true;
        *text = behind;
        return STATUS_OK;
    }
    char *end;
    errno = 0;
    long long number = strtoll(*text, &end, 10);
    *is_none = end == *text || errno || spec->parameter_count == SPEC_MAX_PARAMETERS;
    if (!*is_none)
        spec->parameters[spec->parameter_count++] = number;
    *text = skip_blanks(end);
    return STATUS_OK;
}

/* Reads `(3, 4, initial = 5)`, or nothing, to the end of the text. */
static enum status parse_parameters(struct spec *spec, const char *text, struct error *error)
{
    text = skip_blanks(text);
    const char *whole = text, *name = spec->class->name;
    bool is_none = *text && *text != '(';
    if (!*text)
        return STATUS_OK;
    while (!is_none && (text == whole || *text == ',')) {
        text = skip_blanks(text + 1); /* behind the parenthesis or comma */
        TRY(parse_parameter(spec, &text, &is_none, error));
    }
    if (!is_none && *text == ')' && !*skip_blanks(text + 1))
        return STATUS_OK;
    return error_set(error, STATUS_USAGE, NULL, 0,
                     "parameters of %s: expected integers, `initial = VALUE` or `owned` in "
                     "parentheses, found %s",
                     name, whole);
}

static enum status check_options(const struct spec *spec, struct error *error)
{
    const struct spec_class *class = spec->class;
    if (spec->parameter_count > 0 && !class->parameters)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "expected %s without parameters, found %s(%lld)", class->name, class->name,
                         (long long)spec->parameters[0]);
    if (spec->owned && !class->takes_owned)
        return error_set(error, STATUS_USAGE, NULL, 0, "%s has no owner to be checked",
                         class->name);
    if (spec->nil_reads && !class->takes_nil_reads)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "%s has no reads of nil to be left unchecked", class->name);
    return STATUS_OK;
}

enum status spec_create_class(const struct spec_class *class, const struct spec_request *request,
                              void *data, struct value_pool *pool, struct budget *budget,
                              struct spec **result, struct error *error)
{
    *result = NULL;
    struct spec *spec = memory_zeroed(budget, sizeof *spec);
    if (!spec)
        return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    *spec = (struct spec){.class = class,
                          .pool = pool,
                          .budget = budget,
                          .initial = request->has_initial ? request->initial : VALUE_NIL,
                          .has_initial = request->has_initial,
                          .owned = request->owned,
                          .nil_reads = request->nil_reads,
                          .data = data};
    const char *name = request->name ? request->name : class->name;
    enum status status = parse_parameters(spec, name + spec_name_length(name), error);
    if (status == STATUS_OK)
        status = check_options(spec, error);
    if (status == STATUS_OK && class->create)
        status = class->create(spec, error);
    if (status != STATUS_OK) {
        memory_release(budget, spec, sizeof *spec);
        return status;
    }
    *result = spec;
    return STATUS_OK;
}

void spec_destroy(struct spec *spec)
{
    if (!spec)
        return;
    if (spec->class->destroy)
        spec->class->destroy(spec);
    memory_release(spec->budget, spec, sizeof *spec);
}

enum status spec_bind(const struct spec *spec, uint16_t operation, const struct recorded *recorded,
                      struct call *call, struct text *complaint)
{
    const struct spec_class *class = spec->class;
    assert(operation < class->operation_count);
    *call = (struct call){
        .argument = recorded->argument,
        .result = recorded->result,
        .process = recorded->process,
        .operation = operation,
        .result_known = recorded->completed && recorded->result_recorded,
        .read_only = class->operations[operation].read_only,
    };
    if (class->bind) {
        struct text found = TEXT_EMPTY;
        enum status status = class->bind(spec, operation, recorded, call, &found);
        if (status == STATUS_INPUT) {
            text_format(complaint, "%s: %s", class->operations[operation].name,
                        text_string(&found));
            text_release(&found);
        }
        TRY(status);
    }
    if (!call->result_known)
        call->result = VALUE_NIL;
    return STATUS_OK;
}

void spec_print_call(const struct spec *spec, const struct call *call, struct text *text)
{
    const struct spec_operation *operation = &spec->class->operations[call->operation];
    text_append(text, operation->name);
    if (operation->argument[0]) {
        text_append_char(text, ' ');
        value_print_shown(call->argument, text);
    }
    bool silent = spec_operation_is_silent(operation);
    if (call->result_known && (!silent || call->result != VALUE_NIL)) {
        const struct spec_class *class = spec->class;
        text_append(text, " -> ");
        value_print_shown(class->shown_result ? class->shown_result(call) : call->result, text);
    } else if (!call->result_known && operation->result[0]) {
        text_append(text, " -> ?");
    }
}

bool spec_agrees(value recorded, value answered, struct budget *budget, bool *refused)
{
    return value_agrees(recorded, answered, budget, refused);
}

void spec_find_no_values(const struct spec *spec, const uint64_t *words, size_t length,
                         bool *values)
{
    (void)spec;
    (void)words;
    for (size_t i = 0; i < length; i++)
        values[i] = false;
}
