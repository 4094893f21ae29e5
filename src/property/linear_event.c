#include "property/linear_event.h"

#include <string.h>

#include "model/turning.h"

static enum linear_event_kind event_kind(const char *name, const char **operation)
{
    static const struct {
        const char *prefix;
        uint8_t kind;
    } kinds[] = {{"inv.", LINEAR_INVOKE}, {"res.", LINEAR_RESPOND}, {"lin.", LINEAR_POINT}};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        if (strncmp(name, kinds[i].prefix, 4) == 0) {
            *operation = name + 4;
            return (enum linear_event_kind)kinds[i].kind;
        }
    }
    return LINEAR_OTHER;
}

bool linear_is_visible(const struct labels *labels, label l, bool points)
{
    const char *operation;
    if (l == LABEL_TAU || labels_kind(labels, l) != LABEL_EVENT)
        return false;
    enum linear_event_kind kind = event_kind(labels_name(labels, l), &operation);
    return kind != LINEAR_OTHER && (kind != LINEAR_POINT || points);
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
    if (recorded.argument == VALUE_REFUSED)
        return STATUS_LIMIT;
    struct call call;
    struct text complaint = TEXT_EMPTY;
    enum status status = spec_bind(events->spec, event->operation, &recorded, &call, &complaint);
    event->argument = call.argument;
    if (status == STATUS_INPUT)
        status = linear_events_complain(events, l, error, text_string(&complaint));
    text_release(&complaint);
    return status;
}

static enum status decode(struct linear_events *events, label l, struct linear_event *event,
                          struct error *error)
{
    const char *operation_name = NULL;
    *event = (struct linear_event){.kind = LINEAR_OTHER};
    if (labels_kind(events->labels, l) != LABEL_EVENT)
        return STATUS_OK;
    const char *name = labels_name(events->labels, l);
    enum linear_event_kind kind = event_kind(name, &operation_name);
    if ((strcmp(name, "fault") == 0 && !events->names_are_free) || strcmp(name, "no-point") == 0 ||
        strcmp(name, "second-point") == 0)
        event->kind = LINEAR_FAULT;
    else if (strchr(name, '+'))
        event->kind = LINEAR_SEVERAL;
    else if (strcmp(name, TURNING_LABEL) == 0)
        event->kind = LINEAR_TURN;
    if (kind == LINEAR_OTHER || (kind == LINEAR_POINT && !events->points))
        return STATUS_OK;
    const struct spec_class *class = events->spec->class;
    size_t name_length = strcspn(operation_name, "=");
    const char *symbol = operation_name[name_length] ? operation_name + name_length + 1 : NULL;
    int operation = spec_operation_find(class, operation_name, name_length);
    if (operation < 0)
        return linear_events_complain(events, l, error, "an operation that the specification has");
    const struct spec_operation *row = &class->operations[operation];
    size_t count;
    const uint32_t *components = labels_components(events->labels, l, &count);
    int arguments = linear_argument_count(row);
    bool answers = row->result[0] != 0;
    size_t least = 1 + (kind == LINEAR_RESPOND ? 0 : (size_t)arguments);
    size_t most = least + (kind == LINEAR_INVOKE ? 0 : 1);
    if (arguments < 0)
        return linear_events_complain(events, l, error,
                                      "an operation that can be written as an event");
    if (count < least || count > most || (int32_t)components[0] < 0)
        return linear_events_complain(events, l, error,
                                      kind == LINEAR_INVOKE ? "inv.OP.thread and the arguments"
                                      : kind == LINEAR_RESPOND
                                          ? "res.OP.thread and the result, if there is one"
                                          : "lin.OP.thread, the arguments, and the result, "
                                            "if there is one");
    event->kind = (uint8_t)kind;
    event->operation = (uint16_t)operation;
    event->thread = components[0];
    event->has_result = answers && kind != LINEAR_INVOKE && !(symbol && strcmp(symbol, "?") == 0);
    event->result =
        count == most && kind != LINEAR_INVOKE ? component(components[count - 1]) : VALUE_NIL;
    if (symbol && event->has_result)
        event->result = value_text(events->spec->pool, KIND_SYMBOL, symbol, strlen(symbol));
    if (event->result == VALUE_REFUSED)
        return STATUS_LIMIT;
    if (kind == LINEAR_RESPOND)
        return STATUS_OK;
    return bind_argument(events, l, components + 1, (size_t)arguments, event, error);
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
        if (!vector_push(&events->items, ((struct linear_event){0})))
            return STATUS_LIMIT;
    if (events->items.items[l].kind == LINEAR_UNSEEN)
        TRY(decode(events, l, &events->items.items[l], error));
    *event = events->items.items[l];
    return STATUS_OK;
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
