#include "history/bind.h"

#include "history/infer.h"

#include "history/keyed_results.h"
#include "value/print.h"

/* What the specification has to say about values that it refused: whether it is the completion's
 * fault shows when the invocation is bound alone. */
static enum status report(const struct binder *binder, const struct operation *operation,
                          const struct spec *spec, uint16_t found, const struct recorded *recorded,
                          const struct text *complaint, struct error *error)
{
    struct recorded invocation = *recorded;
    struct call call;
    struct text unused = TEXT_EMPTY;
    invocation.completed = false;
    bool response = spec_bind(spec, found, &invocation, &call, &unused) == STATUS_OK;
    text_release(&unused);
    bool split = binder->options->independent && !operation->has_key;
    struct text message = TEXT_EMPTY;
    text_format(&message, "%s%s", text_string(complaint),
                split ? " as the value of a [key value] (--independent)" : "");
    if (binder->options->inferred)
        history_infer_explain(binder->history, operation->object,
                              binder_object(binder, operation)->spec->class, &message);
    enum status status = binder_complain(binder, operation, response, text_string(&message), error);
    text_release(&message);
    return status;
}

/* Whether an operation without an argument was invoked with [key nil] and answered [key value]: one
 * of several keys that nobody asked to tell apart. Taken as they are, such values agree with no
 * other, and every history of them would be a violation. */
static bool is_forgotten_key(const struct spec *spec, uint16_t found,
                             const struct recorded *recorded)
{
    size_t length, answered;
    if (spec->class->operations[found].argument[0] || !recorded->completed ||
        !recorded->result_recorded)
        return false;
    const value *pair = value_get_items(recorded->argument, &length);
    if (value_kind_of(recorded->argument) != KIND_LIST || length != 2 || pair[1] != VALUE_NIL)
        return false;
    const value *answer = value_get_items(recorded->result, &answered);
    return value_kind_of(recorded->result) == KIND_LIST && answered == 2 && answer[0] == pair[0];
}

static enum status forgotten_key(const struct binder *binder, const struct operation *operation,
                                 struct error *error)
{
    struct text message = TEXT_EMPTY;
    text_format(&message, "expected no argument of %s, found ",
                history_function_name(binder->history, operation->function));
    value_print_edn(operation->argument, &message);
    text_append(&message, "; if values are [key value], give --independent");
    enum status status = binder_complain(binder, operation, false, text_string(&message), error);
    text_release(&message);
    return status;
}

enum status binder_bind(struct binder *binder, uint32_t index, struct bound *bound,
                        struct error *error)
{
    const struct operation *operation = &binder->history->operations.items[index];
    uint16_t found = 0;
    struct recorded recorded;
    TRY(binder_place(binder, operation, &recorded, &found, bound, error));
    const bool keyed = binder_object(binder, operation)->keyed_results;
    bound->keyed_results |= keyed;
    if (keyed && !keyed_results_strip(found, &recorded))
        return binder_complain_of_pair(binder, operation, true, error);
    if (is_forgotten_key(bound->spec, found, &recorded))
        return forgotten_key(binder, operation, error);
    struct text complaint = TEXT_EMPTY;
    enum status status = spec_bind(bound->spec, found, &recorded, &bound->call, &complaint);
    if (status == STATUS_INPUT)
        status = report(binder, operation, bound->spec, found, &recorded, &complaint, error);
    else if (status != STATUS_OK)
        error_set(error, status, binder->history->name, 0, "the memory limit is reached");
    text_release(&complaint);
    return status;
}
