/* A label is decoded once, when it is met: its operation is looked up in the specification and its
 * argument bound by it. What is not well-formed is invalid input. */
#include "property/linear_event.h"

#include <assert.h>
#include <string.h>

/* What a kind of label means. */
static enum linear_event_kind event_kind(enum label_kind kind, bool points)
{
    switch (kind) {
    case LABEL_INVOKE:
        return LINEAR_INVOKE;
    case LABEL_RESPOND:
        return LINEAR_RESPOND;
    case LABEL_POINT:
        return points ? LINEAR_POINT : LINEAR_OTHER;
    case LABEL_FAULT:
    case LABEL_NO_POINT:
    case LABEL_SECOND_POINT:
    case LABEL_IDLE_POINT:
        return LINEAR_FAULT;
    case LABEL_SEVERAL:
        return LINEAR_SEVERAL;
    case LABEL_TURN:
        return LINEAR_TURN;
    default:
        return LINEAR_OTHER;
    }
}

static bool is_of_operation(enum linear_event_kind kind)
{
    return kind == LINEAR_INVOKE || kind == LINEAR_RESPOND || kind == LINEAR_POINT;
}

bool linear_is_visible(const struct labels *labels, label l, bool points)
{
    return is_of_operation(event_kind(labels_kind(labels, l), points));
}

int linear_argument_count(const struct spec_operation *operation)
{
    const char *shape = operation->argument;
    if (shape[0] == '[' && shape[1] == '[')
        return -1;
    int count = *shape != 0;
    for (; *shape; shape++)
        count += *shape == ' ';
    return count;
}

static value component(uint32_t slot)
{
    if (slot == (uint32_t)INT32_MIN || slot == (uint32_t)INT32_MIN + 1)
        return value_boolean(slot != (uint32_t)INT32_MIN);
    return value_small((int32_t)slot);
}

/* Of several components; VALUE_REFUSED. */
static value list_of(const struct linear_events *events, const uint32_t *components, size_t count)
{
    value items[LINEAR_MOST_ARGUMENTS];
    assert(count <= ARRAY_LENGTH(items));
    for (size_t i = 0; i < count; i++)
        items[i] = components[i] == COMPONENT_NULL ? VALUE_NIL : component(components[i]);
    return value_list(events->spec->pool, items, count);
}

enum status linear_events_complain(const struct linear_events *events, label l, struct error *error,
                                   const char *expected)
{
    struct text text = TEXT_EMPTY;
    labels_print(events->labels, l, &text);
    enum status status =
        error_set(error, STATUS_INPUT, NULL, 0, "expected %s, found the event `%s`", expected,
                  text_string(&text));
    text_release(&text);
    return status;
}

/* The argument of `count` components, bound by the specification. */
static enum status bind_argument(struct linear_events *events, label l, const uint32_t *components,
                                 size_t count, struct linear_event *event, struct error *error)
{
    value items[LINEAR_MOST_ARGUMENTS];
    if (count > ARRAY_LENGTH(items))
        return linear_events_complain(events, l, error, "at most 8 components of an argument");
    for (size_t i = 0; i < count; i++)
        items[i] = component(components[i]);
    struct recorded recorded = {.process = event->thread};
    if (count == 1)
        recorded.argument = items[0];
    else if (count > 1)
        recorded.argument = value_list(events->spec->pool, items, count);
    TRY_MEMORY(recorded.argument != VALUE_REFUSED);
    struct call call;
    struct text complaint = TEXT_EMPTY;
    enum status status = spec_bind(events->spec, event->operation, &recorded, &call, &complaint);
    event->argument = call.argument;
    if (status == STATUS_INPUT)
        status = linear_events_complain(events, l, error, text_string(&complaint));
    text_release(&complaint);
    return status;
}

/* How many components the event may have: at least, at most; false: it has another number. */
static bool components_fit(const struct action *said, enum linear_event_kind kind, int arguments,
                           bool lists, size_t *most)
{
    size_t least = 1 + (kind == LINEAR_RESPOND ? 0 : (size_t)arguments);
    *most = least + (kind == LINEAR_INVOKE ? 0 : 1);
    if (lists && kind == LINEAR_RESPOND && said->count > *most)
        *most = said->count;
    return said->count >= least && said->count <= *most && (int32_t)said->components[0] >= 0;
}

static enum status complain_of_shape(const struct linear_events *events, label l,
                                     enum linear_event_kind kind, struct error *error)
{
    return linear_events_complain(events, l, error,
                                  kind == LINEAR_INVOKE ? "inv.OP.thread and the arguments"
                                  : kind == LINEAR_RESPOND
                                      ? "res.OP.thread and the result, if there is one"
                                      : "lin.OP.thread, the arguments, and the result, "
                                        "if there is one");
}

static enum status decode(struct linear_events *events, label l, struct linear_event *event,
                          struct error *error)
{
    const struct action *said = labels_get(events->labels, l);
    enum linear_event_kind kind = event_kind(said->kind, events->points);
    *event = (struct linear_event){.kind = (uint8_t)kind};
    if (!is_of_operation(kind))
        return STATUS_OK;
    event->kind = LINEAR_OTHER; /* until it is known to be well-formed */
    const struct spec_class *class = events->spec->class;
    int operation = spec_operation_find(class, said->name, strlen(said->name));
    if (operation < 0)
        return linear_events_complain(events, l, error, "an operation that the specification has");
    const struct spec_operation *row = &class->operations[operation];
    int arguments = linear_argument_count(row);
    size_t most;
    if (arguments < 0)
        return linear_events_complain(events, l, error,
                                      "an operation that can be written as an event");
    if (!components_fit(said, kind, arguments, events->lists, &most))
        return complain_of_shape(events, l, kind, error);
    bool answers = row->result[0] != 0;
    event->kind = (uint8_t)kind;
    event->operation = (uint16_t)operation;
    event->thread = said->components[0];
    event->has_result =
        answers && kind != LINEAR_INVOKE && !(said->symbol && strcmp(said->symbol, "?") == 0);
    event->result = VALUE_NIL;
    if (kind == LINEAR_RESPOND && said->count > 2)
        event->result = list_of(events, said->components + 1, said->count - 1);
    else if (said->count == most && kind != LINEAR_INVOKE)
        event->result = component(said->components[said->count - 1]);
    if (said->symbol && event->has_result)
        event->result =
            value_text(events->spec->pool, KIND_SYMBOL, said->symbol, strlen(said->symbol));
    TRY_MEMORY(event->result != VALUE_REFUSED);
    if (kind == LINEAR_RESPOND)
        return STATUS_OK;
    return bind_argument(events, l, said->components + 1, (size_t)arguments, event, error);
}

bool linear_events_met(const struct linear_events *events, enum linear_event_kind kind)
{
    for (size_t l = 0; l < events->items.length; l++)
        if (events->items.items[l].kind == kind)
            return true;
    return false;
}

bool linear_events_call(const struct linear_events *events, size_t operation)
{
    bool called = false;
    for (size_t i = 0; i < events->items.length; i++)
        called |= events->items.items[i].kind == LINEAR_INVOKE &&
                  events->items.items[i].operation == operation;
    return called;
}

enum status linear_events_get(struct linear_events *events, label l, struct linear_event *event,
                              struct error *error)
{
    while (events->items.length <= l)
        TRY_MEMORY(vector_push(&events->items, ((struct linear_event){0})));
    if (events->items.items[l].kind == LINEAR_UNSEEN) {
        TRY(decode(events, l, &events->items.items[l], error));
        events->met++;
    }
    assert(events->items.items[l].kind != LINEAR_UNSEEN);
    *event = events->items.items[l];
    return STATUS_OK;
}

bool linear_events_merge(struct linear_events *into, const struct linear_events *from)
{
    for (size_t l = 0; l < from->items.length; l++) {
        if (l == into->items.length && !vector_push(&into->items, ((struct linear_event){0})))
            return false;
        if (into->items.items[l].kind != LINEAR_UNSEEN ||
            from->items.items[l].kind == LINEAR_UNSEEN)
            continue;
        into->items.items[l] = from->items.items[l];
        into->met++;
    }
    return true;
}

void linear_events_init(struct linear_events *events, const struct spec *spec,
                        struct labels *labels, bool points, struct budget *budget)
{
    *events = (struct linear_events){.spec = spec, .labels = labels, .points = points};
    vector_init(&events->items, budget);
}

void linear_events_release(struct linear_events *events)
{
    vector_release(&events->items);
}
