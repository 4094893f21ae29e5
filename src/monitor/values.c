/* Reading a container's history value by value (after Gibbons, Bruno and Phillips, SPAA 2002, and
 * Bouajjani, Emmi, Enea and Hamza, ICALP 2015; ours are the treatment of pending operations and
 * the points for empty results). Every pass is linear: positions are a permutation, so ordering by
 * them is walking over them. docs/internals/monitors.md has the argument. */
#include "monitor/values.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "spec/replay.h"
#include "value/print.h"

/* How many operations of each sort the part has. */
struct tally {
    struct span removed; /* values that completed removals answered */
    uint32_t adds, empties, pending_removes;
};

struct collector {
    struct values *values;
    struct decision *decision;
    struct inapplicable *why;
    uint16_t add, remove;
    struct tally tally;
    struct numbering numbering; /* of removed values: the number is the element's */
    uint32_t twice[2];          /* two removals of one value; INTERVAL_NONE: none found */
};

static enum step count_operations(struct collector *collector)
{
    struct tally *tally = &collector->tally;
    const struct part *part = collector->values->part;
    tally->removed = SPAN_EMPTY;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        bool pending = interval->response == POSITION_NEVER;
        if (interval->call.operation == collector->add) {
            tally->adds++;
            continue;
        }
        assert(interval->call.operation == collector->remove);
        if (pending && interval->call.result_known)
            return step_inapplicable(collector->why, i, "a pending operation has a result",
                                     VALUE_REFUSED, "");
        if (!pending && !interval->call.result_known)
            return step_inapplicable(collector->why, i, "the result of a ", VALUE_REFUSED,
                                     "removal is not known");
        if (pending)
            tally->pending_removes++;
        else if (interval->call.result == VALUE_NIL)
            tally->empties++;
        else
            span_include(&tally->removed, interval->call.result);
    }
    return STEP_READY;
}

/* The initial contents, found by removing from a fresh object until it is empty. */
static bool collect_initial(struct values *values, uint16_t remove)
{
    const struct part *part = values->part;
    if (!part->spec->has_initial)
        return true;
    VECTOR(value) found;
    vector_init(&found, values->limits->budget);
    struct spec_object *object = spec_open(part->spec, part->key, values->limits->budget);
    const struct call call = {.operation = remove};
    value result = VALUE_NIL;
    bool kept = object != NULL;
    while (kept && (kept = spec_apply(part->spec, object, &call, &result) == APPLIED_LEGAL) &&
           result != VALUE_NIL)
        kept = vector_push(&found, result);
    if (object)
        spec_close(part->spec, object);
    if (kept) {
        values->base = (uint32_t)found.length;
        values->initial = arena_allocate(&values->arena, found.length * sizeof(value));
        kept = values->initial != NULL;
    }
    for (size_t i = 0; kept && i < found.length; i++)
        values->initial[i] = found.items[i];
    vector_release(&found);
    return kept;
}

static bool allocate(struct collector *collector)
{
    struct values *values = collector->values;
    const struct tally *tally = &collector->tally;
    struct arena *arena = &values->arena;
    if (!collect_initial(values, collector->remove) ||
        !numbering_init(&collector->numbering, &tally->removed, arena))
        return false;
    values->positions = values->base + values->part->positions;
    values->at = arena_allocate(arena, (size_t)values->positions * sizeof *values->at);
    values->empties = arena_allocate(arena, (size_t)tally->empties * sizeof(uint32_t));
    values->pending_removes =
        arena_allocate(arena, (size_t)tally->pending_removes * sizeof(uint32_t));
    size_t elements = (size_t)tally->adds + values->base;
    return values->at && values->empties && values->pending_removes &&
           vector_reserve(&values->elements, elements);
}

static bool collect_removals(struct collector *collector)
{
    struct values *values = collector->values;
    for (uint32_t i = 0; i < values->part->count; i++) {
        const struct interval *interval = &values->part->intervals[i];
        if (interval->call.operation != collector->remove)
            continue;
        if (interval->response == POSITION_NEVER) {
            values->pending_removes[values->pending_remove_count++] = i;
            continue;
        }
        if (interval->call.result == VALUE_NIL) {
            values->empties[values->empty_count++] = i;
            continue;
        }
        uint32_t number = numbering_add(&collector->numbering, interval->call.result);
        if (number < values->elements.length) {
            if (collector->twice[0] == INTERVAL_NONE) {
                collector->twice[0] = values->elements.items[number].remove;
                collector->twice[1] = i;
            }
            continue;
        }
        const struct element element = {.add_invoke = POSITION_NEVER,
                                        .add_response = POSITION_NEVER,
                                        .remove_invoke = values->base + interval->invoke,
                                        .remove_response = values->base + interval->response,
                                        .add = INTERVAL_NONE,
                                        .remove = i};
        if (!vector_push(&values->elements, element))
            return false;
    }
    return true;
}

/* Gives `v` its element: that of its removal, else a new one. `*inapplicable_value`: it has been
 * added before and is removed, so that nobody can tell which of the two was. */
static bool collect_add(struct collector *collector, value v, struct element add,
                        bool *added_before)
{
    struct values *values = collector->values;
    uint32_t number = numbering_find(&collector->numbering, v);
    *added_before = false;
    if (number == NUMBER_NONE) {
        /* Pending and never removed: it need not have happened. */
        return add.add_response == POSITION_NEVER || vector_push(&values->elements, add);
    }
    struct element *element = &values->elements.items[number];
    *added_before = element->add_invoke != POSITION_NEVER;
    element->add_invoke = add.add_invoke;
    element->add_response = add.add_response;
    element->add = add.add;
    return true;
}

static enum step collect_adds(struct collector *collector)
{
    struct values *values = collector->values;
    struct element add = {.remove_invoke = POSITION_NEVER,
                          .remove_response = POSITION_NEVER,
                          .add = INTERVAL_NONE,
                          .remove = INTERVAL_NONE};
    bool added_before;
    for (uint32_t i = 0; i < values->base; i++) {
        add.add_invoke = values->container->newest_first ? values->base - 1 - i : i;
        add.add_response = add.add_invoke;
        if (!collect_add(collector, values->initial[i], add, &added_before))
            return STEP_REFUSED;
        if (added_before)
            return step_inapplicable(collector->why, values->part->count, "value ",
                                     values->initial[i], " stands twice in the initial contents");
    }
    for (uint32_t i = 0; i < values->part->count; i++) {
        const struct interval *interval = &values->part->intervals[i];
        if (interval->call.operation != collector->add)
            continue;
        add.add = i;
        add.add_invoke = values->base + interval->invoke;
        add.add_response = interval->response == POSITION_NEVER ? POSITION_NEVER
                                                                : values->base + interval->response;
        if (!collect_add(collector, interval->call.argument, add, &added_before))
            return STEP_REFUSED;
        if (added_before)
            return step_inapplicable(collector->why, i, "value ", interval->call.argument,
                                     " is added twice, and removed");
    }
    return STEP_READY;
}

/* "value 5 was dequeued <how>", with the element's operations and one more as evidence. */
static enum step removed_wrongly(const struct values *values, struct decision *decision,
                                 const struct element *element, const char *how, uint32_t other)
{
    if (!decision)
        return STEP_READY;
    text_append(&decision->reason, "value ");
    values_print(values, element, &decision->reason);
    text_format(&decision->reason, " was %s %s", values->container->removed, how);
    bool shown = values_show(element, decision) &&
                 (other == INTERVAL_NONE || vector_push(&decision->evidence, other));
    return step_violation(shown);
}

static void tighten(struct element *element)
{
    if (element->add_response > element->remove_response)
        element->add_response = element->remove_response;
    if (element->remove_invoke < element->add_invoke)
        element->remove_invoke = element->add_invoke;
}

static enum step check_and_tighten(struct collector *collector)
{
    struct values *values = collector->values;
    struct decision *decision = collector->decision;
    struct element *elements = values->elements.items;
    char how[64];
    if (collector->twice[0] != INTERVAL_NONE) {
        value v = values->part->intervals[collector->twice[0]].call.result;
        return removed_wrongly(values, decision,
                               &elements[numbering_find(&collector->numbering, v)], "twice",
                               collector->twice[1]);
    }
    for (size_t i = 0; i < values->elements.length; i++) {
        bool added = elements[i].add_invoke != POSITION_NEVER;
        if (!added || elements[i].remove_response < elements[i].add_invoke) {
            snprintf(how, sizeof how, added ? "before it was %s" : "but never %s",
                     values->container->added);
            return removed_wrongly(values, decision, &elements[i], how, INTERVAL_NONE);
        }
        tighten(&elements[i]);
    }
    return STEP_READY;
}

static void fill_positions(struct values *values)
{
    const struct element *elements = values->elements.items;
    const struct interval *intervals = values->part->intervals;
    memset(values->at, 0xff, (size_t)values->positions * sizeof *values->at);
    for (uint32_t i = 0; i < values->elements.length; i++) {
        const uint32_t operations[] = {elements[i].add, elements[i].remove};
        for (int j = 0; j < 2; j++) {
            if (operations[j] == INTERVAL_NONE)
                continue;
            const struct interval *interval = &intervals[operations[j]];
            values->at[values->base + interval->invoke] = i;
            if (interval->response != POSITION_NEVER)
                values->at[values->base + interval->response] = i;
        }
        if (elements[i].add == INTERVAL_NONE)
            values->at[elements[i].add_invoke] = i;
    }
}

enum step values_collect(struct values *values, const struct part *part,
                         const struct container *container, struct limits *limits,
                         struct decision *decision, struct inapplicable *why)
{
    const struct spec_class *class = part->spec->class;
    struct collector collector = {
        .values = values,
        .decision = decision,
        .why = why,
        .add = (uint16_t)spec_operation_find(class, container->add, strlen(container->add)),
        .remove =
            (uint16_t)spec_operation_find(class, container->remove, strlen(container->remove)),
        .twice = {INTERVAL_NONE, INTERVAL_NONE}};
    *values = (struct values){.part = part, .container = container, .limits = limits};
    arena_init(&values->arena, limits->budget);
    vector_init(&values->elements, limits->budget);
    enum step step = count_operations(&collector);
    if (step == STEP_READY && (!allocate(&collector) || !collect_removals(&collector)))
        step = STEP_REFUSED;
    if (step == STEP_READY)
        step = collect_adds(&collector);
    if (step == STEP_READY)
        step = check_and_tighten(&collector);
    if (step == STEP_READY && decision)
        fill_positions(values);
    return step;
}

void values_release(struct values *values)
{
    vector_release(&values->elements);
    arena_release(&values->arena);
}

value values_value(const struct values *values, const struct element *element)
{
    if (element->add != INTERVAL_NONE)
        return values->part->intervals[element->add].call.argument;
    if (element->add_invoke == POSITION_NEVER)
        return values->part->intervals[element->remove].call.result;
    assert(element->add_invoke < values->base && "there at first, perhaps with a pending removal");
    uint32_t place = element->add_invoke;
    return values->initial[values->container->newest_first ? values->base - 1 - place : place];
}

void values_print(const struct values *values, const struct element *element, struct text *text)
{
    value_print_edn(values_value(values, element), text);
}

bool values_show(const struct element *element, struct decision *decision)
{
    return (element->add == INTERVAL_NONE || vector_push(&decision->evidence, element->add)) &&
           (element->remove == INTERVAL_NONE || vector_push(&decision->evidence, element->remove));
}

enum step values_explain_pending(const struct values *values, struct decision *decision,
                                 const char *what)
{
    const struct part *part = values->part;
    const char *remove = values->container->remove;
    assert(values->pending_remove_count > 0);
    if (values->pending_remove_count == 1)
        text_format(&decision->reason, "whatever the pending %s took%s", remove, what);
    else
        text_format(&decision->reason, "whatever the %" PRIu32 " pending %ss took%s",
                    values->pending_remove_count, remove, what);
    for (uint32_t i = 0; i < part->count; i++)
        if (part->intervals[i].response != POSITION_NEVER && !vector_push(&decision->evidence, i))
            return STEP_REFUSED;
    return STEP_VIOLATION;
}
