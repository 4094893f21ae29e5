#include "scenario/waiting.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

const char waiting_prefix[] = "waits: ";

struct waiting {
    struct spec_class class;
    const struct spec *inner;
    struct spec_operation *operations; /* those of `inner`, and as many that wait */
    char *names;                       /* of those that wait */
    size_t count, size;                /* operations of `inner`; bytes of `names` */
};

bool waiting_is_said(const struct spec_class *class)
{
    for (size_t i = 0; i < class->operation_count; i++)
        if (class->operations[i].waits)
            return true;
    return false;
}

static bool init(const struct spec *spec, value key, struct outcomes *state)
{
    const struct waiting *waiting = spec->data;
    return waiting->inner->class->init(waiting->inner, key, state);
}

/* What is recorded of one that waits is its argument alone. */
static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    const struct waiting *waiting = spec->data;
    const struct spec_class *inner = waiting->inner->class;
    bool waits = operation >= waiting->count;
    struct recorded called = *recorded;
    enum status status = STATUS_OK;
    if (waits) {
        called.completed = called.result_recorded = call->result_known = false;
        called.result = call->result = VALUE_NIL;
        operation = (uint16_t)(operation - waiting->count);
    }
    if (inner->bind)
        status = inner->bind(waiting->inner, operation, &called, call, complaint);
    if (waits) {
        call->result_known = false;
        call->read_only = true;
    }
    return status;
}

static bool step_waiting(const struct waiting *waiting, const uint64_t *words, size_t length,
                         const struct call *call, struct outcomes *outcomes)
{
    const struct spec *inner = waiting->inner;
    struct call called = *call;
    struct outcomes answers;
    called.operation = (uint16_t)(call->operation - waiting->count);
    called.read_only = false;
    if (!inner->class->operations[called.operation].waits)
        return true; /* it does not wait: in no state */
    outcomes_init(&answers, inner->budget);
    answers.limits = outcomes->limits;
    bool done = inner->class->step(inner, words, length, &called, &answers);
    if (done && answers.items.length == 0)
        done = outcomes_add(outcomes, words, length, VALUE_NIL);
    outcomes_release(&answers);
    return done;
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    const struct waiting *waiting = spec->data;
    if (call->operation >= waiting->count)
        return step_waiting(waiting, words, length, call, outcomes);
    return waiting->inner->class->step(waiting->inner, words, length, call, outcomes);
}

static void print_state(const struct spec *spec, const uint64_t *words, size_t length,
                        struct text *text)
{
    const struct spec *inner = ((const struct waiting *)spec->data)->inner;
    inner->class->print_state(inner, words, length, text);
}

static enum status fault(const struct spec *spec, struct error *error)
{
    const struct spec *inner = ((const struct waiting *)spec->data)->inner;
    return inner->class->fault ? inner->class->fault(inner, error) : STATUS_OK;
}

static void release(struct waiting *waiting, struct budget *budget)
{
    memory_release(budget, waiting->names, waiting->size);
    memory_release(budget, waiting->operations, 2 * waiting->count * sizeof *waiting->operations);
    memory_release(budget, waiting, sizeof *waiting);
}

static void destroy(struct spec *spec)
{
    release(spec->data, spec->budget);
}

/* The table of operations; false when refused. */
static bool describe(struct waiting *waiting, struct budget *budget)
{
    const struct spec_operation *operations = waiting->inner->class->operations;
    size_t longest = 0;
    for (size_t i = 0; i < waiting->count; i++)
        if (strlen(operations[i].name) > longest)
            longest = strlen(operations[i].name);
    const size_t room = longest + strlen(waiting_prefix) + 1;
    waiting->size = waiting->count * room;
    waiting->names = memory_zeroed(budget, waiting->size);
    waiting->operations = memory_zeroed(budget, 2 * waiting->count * sizeof *waiting->operations);
    if (!waiting->names || !waiting->operations)
        return false;
    for (size_t i = 0; i < waiting->count; i++) {
        char *name = waiting->names + i * room;
        snprintf(name, room, "%s%s", waiting_prefix, operations[i].name);
        waiting->operations[i] = operations[i];
        waiting->operations[waiting->count + i] = (struct spec_operation){
            .name = name, .argument = operations[i].argument, .result = "", .read_only = true};
    }
    return true;
}

enum status waiting_spec(const struct spec *inner, struct spec **spec, struct error *error)
{
    const struct spec_request request = {.name = ""};
    struct waiting *waiting = memory_zeroed(inner->budget, sizeof *waiting);
    enum status status = STATUS_LIMIT;
    assert(inner->class->together_count == 0);
    *spec = NULL;
    if (!waiting)
        return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    waiting->inner = inner;
    waiting->count = inner->class->operation_count;
    if (describe(waiting, inner->budget)) {
        waiting->class = (struct spec_class){.name = inner->class->name,
                                             .summary = inner->class->summary,
                                             .operations = waiting->operations,
                                             .operation_count = 2 * waiting->count,
                                             .tells_callers = spec_tells_callers(inner),
                                             .destroy = destroy,
                                             .bind = bind,
                                             .init = init,
                                             .step = step,
                                             .print_state = print_state,
                                             .fault = fault};
        status = spec_create_class(&waiting->class, &request, waiting, inner->pool, inner->budget,
                                   spec, error);
    } else
        error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    if (status != STATUS_OK)
        release(waiting, inner->budget);
    return status;
}
