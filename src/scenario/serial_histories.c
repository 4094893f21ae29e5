/* A state is the number of a node of the tree: that of the sequence which leads to it. Two of them
 * with the same answers to come are different states; scenarios are too small for that to matter.
 */
#include "scenario/serial_histories.h"

#include <assert.h>

#include "base/memory.h"

enum {
    ROOT = 0,
    NOWHERE = 0 /* nothing leads back to the root */
};

struct node {
    uint32_t first, next; /* of its children; of those of its parent */
    int64_t result;       /* of the call that leads to it */
    uint16_t call;
    uint16_t waits; /* the calls that did not return behind it, a bit each */
};

_Static_assert(SCENARIO_CALLS <= 16, "a set of calls is a bit for each");

struct serial_histories {
    struct budget *budget;
    struct spec_class class;
    const struct scenario *scenario; /* null: nothing is named */
    const struct scenario_interface *interface;
    VECTOR(struct node) nodes;
};

struct serial_histories *serial_histories_create(struct budget *budget)
{
    struct serial_histories *histories = memory_zeroed(budget, sizeof *histories);
    if (!histories)
        return NULL;
    histories->budget = budget;
    vector_init(&histories->nodes, budget);
    if (vector_push(&histories->nodes, (struct node){.result = 0}))
        return histories;
    serial_histories_destroy(histories);
    return NULL;
}

void serial_histories_destroy(struct serial_histories *histories)
{
    if (!histories)
        return;
    vector_release(&histories->nodes);
    memory_release(histories->budget, histories, sizeof *histories);
}

void serial_histories_name(struct serial_histories *histories, const struct scenario *scenario,
                           const struct scenario_interface *interface)
{
    histories->scenario = scenario;
    histories->interface = interface;
}

/* ---- the tree ---- */

static uint32_t find_child(const struct serial_histories *histories, uint32_t parent,
                           const struct serial_step *step)
{
    const struct node *nodes = histories->nodes.items;
    uint32_t child = nodes[parent].first;
    while (child != NOWHERE &&
           (nodes[child].call != step->call || nodes[child].result != step->result))
        child = nodes[child].next;
    return child;
}

/* NOWHERE when refused. */
static uint32_t add_child(struct serial_histories *histories, uint32_t parent,
                          const struct serial_step *step)
{
    uint32_t child = find_child(histories, parent, step);
    const struct node made = {.next = histories->nodes.items[parent].first,
                              .result = step->result,
                              .call = (uint16_t)step->call};
    if (child != NOWHERE)
        return child;
    child = (uint32_t)histories->nodes.length;
    if (histories->nodes.length == UINT32_MAX || !vector_push(&histories->nodes, made))
        return NOWHERE;
    histories->nodes.items[parent].first = child;
    return child;
}

bool serial_histories_add(struct serial_histories *histories, const struct serial_step *steps,
                          size_t count, unsigned waits)
{
    uint32_t node = ROOT;
    for (size_t i = 0; i < count; i++) {
        assert(steps[i].call < SCENARIO_CALLS);
        node = add_child(histories, node, &steps[i]);
        if (node == NOWHERE)
            return false;
    }
    if (waits != SERIAL_NOBODY)
        histories->nodes.items[node].waits |= (uint16_t)(1u << waits);
    return true;
}

size_t serial_histories_count(const struct serial_histories *histories)
{
    size_t count = 0;
    for (size_t i = 0; i < histories->nodes.length; i++)
        count += histories->nodes.items[i].first == NOWHERE;
    return count;
}

/* ---- the specification ---- */

value serial_answer(struct value_pool *pool, int64_t result)
{
    switch (result) {
    case SCENARIO_EMPTY:
        return VALUE_NIL;
    case SCENARIO_NO:
        return VALUE_FALSE;
    case SCENARIO_YES:
        return VALUE_TRUE;
    default: /* "done" is a number that no other result is */
        return value_integer(pool, result);
    }
}

static bool init(const struct spec *spec, value key, struct outcomes *state)
{
    const uint64_t root = ROOT;
    (void)spec;
    (void)key;
    return outcomes_add(state, &root, 1, VALUE_NIL);
}

static unsigned number_of(const struct call *call)
{
    int64_t number = 0;
    bool is_number = value_get_integer(call->argument, &number);
    assert(is_number && number >= 0 && number < SCENARIO_CALLS);
    (void)is_number;
    return (unsigned)number;
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    const struct serial_histories *histories = spec->data;
    const struct node *nodes = histories->nodes.items;
    unsigned number = number_of(call);
    (void)length;
    for (uint64_t child = nodes[words[0]].first; child != NOWHERE; child = nodes[child].next) {
        if (nodes[child].call != number)
            continue;
        value answer = serial_answer(spec->pool, nodes[child].result);
        if (answer == VALUE_REFUSED)
            return false;
        if ((!call->result_known || call->result == answer) &&
            !outcomes_add(outcomes, &child, 1, answer))
            return false;
    }
    return true;
}

static bool waits_in(const struct spec *spec, const uint64_t *words, size_t length,
                     const struct call *call)
{
    const struct serial_histories *histories = spec->data;
    (void)length;
    return histories->nodes.items[words[0]].waits >> number_of(call) & 1;
}

/* ---- for people ---- */

static unsigned thread_of(const struct scenario *scenario, unsigned call)
{
    unsigned thread = 0;
    for (unsigned end = scenario->lengths[0]; call >= end; end += scenario->lengths[thread])
        thread++;
    return thread + 1;
}

static void begin_next(const struct serial_histories *histories, unsigned call, bool *begun,
                       struct text *text)
{
    const struct scenario *scenario = histories->scenario;
    text_format(text, "%s%s of thread %u", *begun ? ", " : "one where, alone, ",
                histories->interface->operations[scenario->calls[call].operation].name,
                thread_of(scenario, call));
    *begun = true;
}

static void print_state(const struct spec *spec, const uint64_t *words, size_t length,
                        struct text *text)
{
    const struct serial_histories *histories = spec->data;
    const struct node *nodes = histories->nodes.items;
    const struct node *here = &nodes[words[0]];
    bool begun = false;
    (void)length;
    for (unsigned call = 0; histories->scenario && call < histories->scenario->call_count; call++) {
        for (uint32_t child = here->first; child != NOWHERE; child = nodes[child].next) {
            if (nodes[child].call != call)
                continue;
            begin_next(histories, call, &begun, text);
            text_append(text, " answers ");
            scenario_print_result(nodes[child].result, text);
        }
        if (here->waits >> call & 1) {
            begin_next(histories, call, &begun, text);
            text_append(text, " does not return");
        }
    }
}

enum status serial_histories_spec(struct serial_histories *histories, struct value_pool *pool,
                                  struct spec **spec, struct error *error)
{
    static const struct spec_operation call = {
        .name = "call", .argument = "number", .result = "v", .waits = true};
    const struct spec_request request = {.name = NULL};
    histories->class = (struct spec_class){.name = "auto",
                                           .summary = "the code, one operation after the other",
                                           .operations = &call,
                                           .operation_count = 1,
                                           .init = init,
                                           .step = step,
                                           .waits_in = waits_in,
                                           .print_state = print_state};
    return spec_create_class(&histories->class, &request, histories, pool, histories->budget, spec,
                             error);
}
