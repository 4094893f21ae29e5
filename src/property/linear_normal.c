#include "property/linear_normal.h"

#include <stdlib.h>
#include <string.h>

#include "model/turning.h"

/* ---- threads: what each is about ----
 *
 * A status is interned: { phase, operation, argument (2 words), result (2 words) }. An idle thread
 * has none; a possibility lists only the others, by thread. */

enum phase {
    PHASE_CALLED,
    PHASE_DONE,
};

#define STATUS_WORDS 6

void linear_normal_release(struct linear_normal *normal)
{
    word_arrays_release(&normal->states);
    word_arrays_release(&normal->statuses);
    word_arrays_release(&normal->possibilities);
    word_arrays_release(&normal->sets);
    linear_events_release(&normal->events);
    vector_release(&normal->set);
    vector_release(&normal->marks);
    vector_release(&normal->scratch);
    vector_release(&normal->words);
    vector_release(&normal->edges);
    outcomes_release(&normal->outcomes);
    normal_steps_release(&normal->steps);
}

/* Whether what the specification answers agrees with what the event shows; 1 and 0 stand for true
 * and false. */
static bool agrees(const struct linear_event *event, value given)
{
    if (!event->has_result || given == event->result)
        return true;
    if (given == VALUE_TRUE || given == VALUE_FALSE)
        return event->result == value_small(given == VALUE_TRUE);
    return false;
}

/* ---- states, statuses, possibilities ---- */

static bool intern_state(struct linear_normal *normal, const uint64_t *words, size_t length,
                         uint32_t *state)
{
    *state = word_arrays_intern(&normal->states, (const uint32_t *)words, 2 * length, NULL);
    return *state != UINT32_MAX;
}

/* Loads a state's words into normal->words. */
static bool load_state(struct linear_normal *normal, uint32_t state, size_t *length)
{
    size_t halves;
    const uint32_t *words = word_arrays_get(&normal->states, state, &halves);
    if (!vector_reserve(&normal->words, halves / 2 + 1))
        return false;
    memcpy(normal->words.items, words, halves * sizeof *words);
    *length = halves / 2;
    return true;
}

static bool intern_status(struct linear_normal *normal, enum phase phase, uint16_t operation,
                          value argument, value result, uint32_t *id)
{
    const uint32_t words[STATUS_WORDS] = {phase,
                                          operation,
                                          (uint32_t)argument,
                                          (uint32_t)(argument >> 32),
                                          (uint32_t)result,
                                          (uint32_t)(result >> 32)};
    *id = word_arrays_intern(&normal->statuses, words, STATUS_WORDS, NULL);
    return *id != UINT32_MAX;
}

static value status_value(const uint32_t *words, size_t at)
{
    return words[at] | (uint64_t)words[at + 1] << 32;
}

static const uint32_t *status_words(const struct linear_normal *normal, uint32_t id)
{
    size_t length;
    return word_arrays_get(&normal->statuses, id, &length);
}

static void set_start(struct linear_normal *normal)
{
    normal->set.length = 0;
    if (++normal->mark == 0) {
        memset(normal->marks.items, 0, normal->marks.length * sizeof *normal->marks.items);
        normal->mark = 1;
    }
}

/* Adds what stands in scratch to the set. */
static bool set_add(struct linear_normal *normal)
{
    uint32_t id = word_arrays_intern(&normal->possibilities, normal->scratch.items,
                                     normal->scratch.length, NULL);
    if (id == UINT32_MAX)
        return false;
    while (normal->marks.length <= id)
        if (!vector_push(&normal->marks, 0))
            return false;
    if (normal->marks.items[id] == normal->mark)
        return true;
    normal->marks.items[id] = normal->mark;
    return vector_push(&normal->set, id);
}

#define STATUS_IDLE UINT32_MAX

/* Writes a possibility to scratch: `id` with this state, and this thread's status replaced. */
static bool derive(struct linear_normal *normal, uint32_t id, uint32_t state, uint32_t thread,
                   uint32_t status)
{
    size_t length, at = 1;
    const uint32_t *words = word_arrays_get(&normal->possibilities, id, &length);
    normal->scratch.length = 0;
    bool room = vector_push(&normal->scratch, state);
    for (; room && at < length && words[at] < thread; at += 2)
        room = vector_push(&normal->scratch, words[at]) &&
               vector_push(&normal->scratch, words[at + 1]);
    if (room && status != STATUS_IDLE)
        room = vector_push(&normal->scratch, thread) && vector_push(&normal->scratch, status);
    if (at < length && words[at] == thread)
        at += 2;
    for (; room && at < length; at += 2)
        room = vector_push(&normal->scratch, words[at]) &&
               vector_push(&normal->scratch, words[at + 1]);
    return room;
}

/* The thread's status in a possibility, STATUS_IDLE if it has none. */
static uint32_t find_status(const struct linear_normal *normal, uint32_t id, uint32_t thread)
{
    size_t length;
    const uint32_t *words = word_arrays_get(&normal->possibilities, id, &length);
    for (size_t at = 1; at < length; at += 2)
        if (words[at] == thread)
            return words[at + 1];
    return STATUS_IDLE;
}

/* Runs an operation in a state: outcomes in normal->outcomes. */
static bool run(struct linear_normal *normal, uint32_t state, uint16_t operation, value argument,
                uint32_t thread)
{
    size_t length = 0;
    const struct call call = {.argument = argument, .process = thread, .operation = operation};
    outcomes_clear(&normal->outcomes);
    return load_state(normal, state, &length) &&
           normal->spec->class->step(normal->spec, normal->words.items, length, &call,
                                     &normal->outcomes);
}

/* One called thread of a possibility takes effect, in every way it can. */
static bool take_effect(struct linear_normal *normal, uint32_t id, uint32_t thread, uint32_t status)
{
    size_t ignored;
    uint32_t from = word_arrays_get(&normal->possibilities, id, &ignored)[0];
    const uint32_t *words = status_words(normal, status);
    uint16_t operation = (uint16_t)words[1];
    value argument = status_value(words, 2);
    if (!run(normal, from, operation, argument, thread))
        return false;
    for (size_t i = 0; i < normal->outcomes.items.length; i++) {
        const struct outcome *outcome = &normal->outcomes.items.items[i];
        uint32_t state = 0, done = 0;
        if (!intern_state(normal, normal->outcomes.words.items + outcome->start, outcome->length,
                          &state) ||
            !intern_status(normal, PHASE_DONE, operation, argument, outcome->result, &done) ||
            !derive(normal, id, state, thread, done) || !set_add(normal))
            return false;
    }
    return true;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Closes the set under operations taking effect (unless points say where they do), and interns
 * it. */
static enum status set_finish(struct linear_normal *normal, normal_id *id)
{
    for (size_t i = 0; i < normal->set.length && !normal->events.points; i++) {
        size_t length;
        uint32_t possibility = normal->set.items[i];
        const uint32_t *words = word_arrays_get(&normal->possibilities, possibility, &length);
        for (size_t at = 1; at < length; at += 2)
            if (status_words(normal, words[at + 1])[0] == PHASE_CALLED &&
                !take_effect(normal, possibility, words[at], words[at + 1]))
                return STATUS_LIMIT;
    }
    if (normal->set.length == 0) {
        *id = NORMAL_NONE;
        return STATUS_OK;
    }
    qsort(normal->set.items, normal->set.length, sizeof *normal->set.items, compare_ids);
    *id = word_arrays_intern(&normal->sets, normal->set.items, normal->set.length, NULL);
    return *id == UINT32_MAX ? STATUS_LIMIT : STATUS_OK;
}

/* ---- steps ---- */

static enum status initial(struct normal *base, normal_id *id, struct error *error)
{
    struct linear_normal *normal = (struct linear_normal *)base;
    uint32_t state = 0;
    (void)error;
    outcomes_clear(&normal->outcomes);
    if (!normal->spec->class->init(normal->spec, VALUE_NIL, &normal->outcomes))
        return STATUS_LIMIT;
    const struct outcome *outcome = &normal->outcomes.items.items[0];
    set_start(normal);
    normal->scratch.length = 0;
    if (!intern_state(normal, normal->outcomes.words.items + outcome->start, outcome->length,
                      &state) ||
        !vector_push(&normal->scratch, state) || !set_add(normal))
        return STATUS_LIMIT;
    return set_finish(normal, id);
}

/* inv: the thread, which must be idle, is called. */
static enum status invoke(struct linear_normal *normal, uint32_t id, label l,
                          const struct linear_event *event, struct error *error)
{
    uint32_t called = 0;
    size_t ignored;
    if (find_status(normal, id, event->thread) != STATUS_IDLE)
        return linear_events_complain(&normal->events, l, error, "a response of the thread first");
    uint32_t state = word_arrays_get(&normal->possibilities, id, &ignored)[0];
    if (!intern_status(normal, PHASE_CALLED, event->operation, event->argument, VALUE_NIL,
                       &called) ||
        !derive(normal, id, state, event->thread, called) || !set_add(normal))
        return STATUS_LIMIT;
    return STATUS_OK;
}

/* res: the thread has taken effect with this result, and is idle again. */
static enum status respond(struct linear_normal *normal, uint32_t id, label l,
                           const struct linear_event *event, struct error *error)
{
    uint32_t status = find_status(normal, id, event->thread);
    size_t ignored;
    if (status == STATUS_IDLE || status_words(normal, status)[1] != event->operation)
        return linear_events_complain(&normal->events, l, error,
                                      "a call of this operation by the thread first");
    const uint32_t *words = status_words(normal, status);
    if (words[0] != PHASE_DONE && normal->events.points)
        return linear_events_complain(&normal->events, l, error,
                                      "a linearization point of this operation first");
    if (words[0] != PHASE_DONE || !agrees(event, status_value(words, 4)))
        return STATUS_OK;
    uint32_t state = word_arrays_get(&normal->possibilities, id, &ignored)[0];
    if (!derive(normal, id, state, event->thread, STATUS_IDLE) || !set_add(normal))
        return STATUS_LIMIT;
    return STATUS_OK;
}

/* lin: the operation that the thread has called runs here and now. */
static enum status point(struct linear_normal *normal, uint32_t id, label l,
                         const struct linear_event *event, struct error *error)
{
    size_t ignored;
    uint32_t called = find_status(normal, id, event->thread);
    const uint32_t *words = called == STATUS_IDLE ? NULL : status_words(normal, called);
    if (!words || words[1] != event->operation || status_value(words, 2) != event->argument)
        return linear_events_complain(&normal->events, l, error,
                                      "a call by the thread, with these arguments, first");
    if (words[0] == PHASE_DONE)
        return linear_events_complain(&normal->events, l, error,
                                      "one linearization point of each operation");
    uint32_t from = word_arrays_get(&normal->possibilities, id, &ignored)[0];
    if (!run(normal, from, event->operation, event->argument, event->thread))
        return STATUS_LIMIT;
    for (size_t i = 0; i < normal->outcomes.items.length; i++) {
        const struct outcome *outcome = &normal->outcomes.items.items[i];
        uint32_t state = 0, done = 0;
        if (!agrees(event, outcome->result))
            continue;
        if (!intern_state(normal, normal->outcomes.words.items + outcome->start, outcome->length,
                          &state) ||
            !intern_status(normal, PHASE_DONE, event->operation, event->argument, outcome->result,
                           &done) ||
            !derive(normal, id, state, event->thread, done) || !set_add(normal))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static enum status step_afresh(struct linear_normal *normal, normal_id from, label l,
                               const struct linear_event *event, normal_id *to, struct error *error)
{
    size_t count;
    const uint32_t *members = word_arrays_get(&normal->sets, from, &count);
    set_start(normal);
    for (size_t i = 0; i < count; i++) {
        if (event->kind == LINEAR_INVOKE)
            TRY(invoke(normal, members[i], l, event, error));
        else if (event->kind == LINEAR_RESPOND)
            TRY(respond(normal, members[i], l, event, error));
        else
            TRY(point(normal, members[i], l, event, error));
    }
    return set_finish(normal, to);
}

static enum status step(struct normal *base, normal_id from, label l, normal_id *to,
                        struct error *error);

/* The events of one step, one after the other. */
static enum status step_several(struct normal *base, normal_id from, label l, normal_id *to,
                                struct error *error)
{
    size_t count = 1;
    const struct linear_normal *normal = (const struct linear_normal *)base;
    *to = from;
    for (size_t i = 0; i < count && *to != NORMAL_NONE; i++)
        TRY(step(base, *to, labels_components(normal->events.labels, l, &count)[i], to, error));
    return STATUS_OK;
}

static bool rename_state(struct linear_normal *normal, uint32_t *state,
                         const struct renaming *renaming)
{
    const struct spec *spec = normal->spec;
    size_t length = 0;
    return load_state(normal, *state, &length) &&
           spec->class->rename(spec, renaming, normal->words.items, length) &&
           intern_state(normal, normal->words.items, length, state);
}

static bool rename_status(struct linear_normal *normal, uint32_t *status,
                          const struct renaming *renaming)
{
    const uint32_t *words = status_words(normal, *status);
    struct value_pool *pool = normal->spec->pool;
    value argument = renaming_apply(renaming, pool, status_value(words, 2));
    value result = renaming_apply(renaming, pool, status_value(words, 4));
    return argument != VALUE_REFUSED && result != VALUE_REFUSED &&
           intern_status(normal, (enum phase)words[0], (uint16_t)words[1], argument, result,
                         status);
}

/* Writes a possibility with its threads renumbered to scratch; with its values renamed unless
 * `renaming` is null. */
static bool turn_possibility(struct linear_normal *normal, uint32_t id, turning by,
                             const struct renaming *renaming)
{
    size_t length;
    const uint32_t *words = word_arrays_get(&normal->possibilities, id, &length);
    if (!vector_reserve(&normal->scratch, length))
        return false;
    uint32_t *turned = normal->scratch.items;
    turned[0] = words[0];
    if (renaming && !rename_state(normal, &turned[0], renaming))
        return false;
    for (size_t from = 1; from < length; from += 2) {
        uint32_t thread = turning_of(by, words[from]), status = words[from + 1];
        if (renaming && !rename_status(normal, &status, renaming))
            return false;
        size_t at = from;
        for (; at > 1 && turned[at - 2] > thread; at -= 2) {
            turned[at] = turned[at - 2];
            turned[at + 1] = turned[at - 1];
        }
        turned[at] = thread;
        turned[at + 1] = status;
    }
    normal->scratch.length = length;
    return true;
}

static struct renaming renaming_of(turning values)
{
    struct renaming renaming = {.count = TURNING_MOST};
    for (uint32_t i = 0; i < TURNING_MOST; i++)
        renaming.to[i] = (uint8_t)(turning_of(values, i) + 1);
    return renaming;
}

/* A step after which threads and values are renamed. */
static enum status step_turn(struct normal *base, normal_id from, label l, normal_id *to,
                             struct error *error)
{
    struct linear_normal *normal = (struct linear_normal *)base;
    size_t count;
    const uint32_t *components = labels_components(normal->events.labels, l, &count);
    label inner = components[0];
    turning threads = components[1], values = components[2];
    const struct renaming renaming = renaming_of(values);
    *to = from;
    if (inner != LABEL_TAU)
        TRY(step(base, from, inner, to, error));
    if (*to == NORMAL_NONE)
        return STATUS_OK;
    set_start(normal);
    const uint32_t *members = word_arrays_get(&normal->sets, *to, &count);
    for (size_t i = 0; i < count; i++)
        if (!turn_possibility(normal, members[i], threads,
                              values == TURNING_IDENTITY ? NULL : &renaming) ||
            !set_add(normal))
            return STATUS_LIMIT;
    qsort(normal->set.items, normal->set.length, sizeof *normal->set.items, compare_ids);
    *to = word_arrays_intern(&normal->sets, normal->set.items, normal->set.length, NULL);
    return *to == UINT32_MAX ? STATUS_LIMIT : STATUS_OK;
}

static enum status step_uncached(struct normal *base, normal_id from, label l,
                                 const struct linear_event *event, normal_id *to,
                                 struct error *error)
{
    if (event->kind == LINEAR_SEVERAL)
        return step_several(base, from, l, to, error);
    if (event->kind == LINEAR_TURN)
        return step_turn(base, from, l, to, error);
    return step_afresh((struct linear_normal *)base, from, l, event, to, error);
}

static enum status step(struct normal *base, normal_id from, label l, normal_id *to,
                        struct error *error)
{
    struct linear_normal *normal = (struct linear_normal *)base;
    struct linear_event event;
    TRY(linear_events_get(&normal->events, l, &event, error));
    if (event.kind == LINEAR_OTHER || event.kind == LINEAR_FAULT) {
        *to = event.kind == LINEAR_FAULT ? NORMAL_NONE : from;
        return STATUS_OK;
    }
    if (normal_steps_find(&normal->steps, from, l, to))
        return STATUS_OK;
    TRY(step_uncached(base, from, l, &event, to, error));
    return normal_steps_add(&normal->steps, from, l, *to) ? STATUS_OK : STATUS_LIMIT;
}

/* What the model calls an operation: "enq", if that is how it has been called. */
static const char *name_of_operation(const struct linear_normal *normal, uint32_t operation)
{
    for (label l = 0; l < normal->events.items.length; l++) {
        const struct linear_event *event = &normal->events.items.items[l];
        if (event->kind == LINEAR_INVOKE && event->operation == operation)
            return labels_name(normal->events.labels, l) + 4;
    }
    return normal->spec->class->operations[operation].name;
}

/* Appends what a label shows of a value; false where it cannot. */
static bool show_value(value v, uint32_t *components, size_t *count)
{
    int64_t integer;
    if (v == VALUE_TRUE || v == VALUE_FALSE)
        components[(*count)++] = (uint32_t)INT32_MIN + (v == VALUE_TRUE);
    else if (value_get_integer(v, &integer) && integer > INT32_MIN + 1 && integer <= INT32_MAX)
        components[(*count)++] = (uint32_t)integer;
    else
        return false;
    return true;
}

static bool show_argument(const struct spec_operation *operation, value argument,
                          uint32_t *components, size_t *count)
{
    size_t length;
    const value *items = value_get_items(argument, &length);
    int shown = linear_argument_count(operation);
    if (shown <= 1)
        return shown == 0 || show_value(argument, components, count);
    if ((size_t)shown != length || length > LINEAR_MOST_ARGUMENTS)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!show_value(items[i], components, count))
            return false;
    return true;
}

/* The label of a thread's answer, of its point with `point`; LABEL_TAU for one that cannot be
 * written as an event. */
static label label_of_answer(struct linear_normal *normal, uint32_t thread, const uint32_t *status,
                             value result, bool point)
{
    const struct spec_operation *operation = &normal->spec->class->operations[status[1]];
    uint32_t components[LINEAR_MOST_ARGUMENTS + 2] = {thread};
    size_t count = 1, symbol_length;
    const char *symbol = NULL;
    if (point && !show_argument(operation, status_value(status, 2), components, &count))
        return LABEL_TAU;
    if (operation->result[0] == 0 || result == VALUE_NIL)
        ; /* nothing to show */
    else if (value_kind_of(result) == KIND_SYMBOL)
        symbol = value_get_text(result, &symbol_length);
    else if (!show_value(result, components, &count))
        return LABEL_TAU;
    struct text name = TEXT_EMPTY;
    text_format(&name, "%s.%s%s%s", point ? "lin" : "res", name_of_operation(normal, status[1]),
                symbol ? "=" : "", symbol ? symbol : "");
    label l =
        labels_intern(normal->events.labels, LABEL_EVENT, text_string(&name), components, count);
    text_release(&name);
    return l;
}

/* Makes labels of all that a thread may answer: where it has taken effect, or with points, where it
 * may. */
static bool label_answers_of(struct linear_normal *normal, uint32_t state, uint32_t thread,
                             const uint32_t *status)
{
    if (status[0] == PHASE_DONE)
        return label_of_answer(normal, thread, status, status_value(status, 4), false) !=
               LABEL_REFUSED;
    if (!normal->events.points)
        return true;
    if (!run(normal, state, (uint16_t)status[1], status_value(status, 2), thread))
        return false;
    for (size_t i = 0; i < normal->outcomes.items.length; i++)
        if (label_of_answer(normal, thread, status, normal->outcomes.items.items[i].result, true) ==
            LABEL_REFUSED)
            return false;
    return true;
}

static enum status label_answers(struct linear_normal *normal, normal_id from)
{
    size_t count, length;
    const uint32_t *members = word_arrays_get(&normal->sets, from, &count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *words = word_arrays_get(&normal->possibilities, members[i], &length);
        for (size_t at = 1; at < length; at += 2)
            if (!label_answers_of(normal, words[0], words[at], status_words(normal, words[at + 1])))
                return STATUS_LIMIT;
    }
    return STATUS_OK;
}

/* Adds what can follow with a response, or with anything else. */
static enum status add_edges(struct normal *base, normal_id from, bool responses,
                             struct error *error)
{
    struct linear_normal *normal = (struct linear_normal *)base;
    for (label l = 0; l < labels_count(normal->events.labels); l++) {
        struct normal_edge edge = {.label = l};
        struct linear_event event;
        if (!linear_is_visible(normal->events.labels, l, normal->events.points))
            continue;
        enum status status = linear_events_get(&normal->events, l, &event, error);
        if (status == STATUS_OK && (event.kind == LINEAR_RESPOND) != responses)
            continue;
        if (status == STATUS_OK)
            status = step(base, from, l, &edge.target, error);
        if (status == STATUS_INPUT)
            continue; /* a call of a busy thread, a response of an idle one */
        TRY(status);
        if (edge.target != NORMAL_NONE && !vector_push(&normal->edges, edge))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

/* The events offered: whatever threads may answer, then of all other labels met so far those that
 * can follow. The specification itself knows no end of arguments. */
static enum status edges(struct normal *base, normal_id from, const struct normal_edge **found,
                         uint32_t *count, struct error *error)
{
    struct linear_normal *normal = (struct linear_normal *)base;
    normal->edges.length = 0;
    TRY(label_answers(normal, from));
    TRY(add_edges(base, from, true, error));
    TRY(add_edges(base, from, false, error));
    *found = normal->edges.items;
    *count = (uint32_t)normal->edges.length;
    return STATUS_OK;
}

/* ---- sets ---- */

static bool includes(const struct normal *base, normal_id whole, normal_id part)
{
    const struct linear_normal *normal = (const struct linear_normal *)base;
    return word_arrays_includes(&normal->sets, whole, part);
}

static uint64_t signature(const struct normal *base, normal_id id)
{
    return word_arrays_signature(&((const struct linear_normal *)base)->sets, id);
}

static void print_possibility(const struct linear_normal *normal, uint32_t id, struct text *text)
{
    size_t length, halves;
    const uint32_t *words = word_arrays_get(&normal->possibilities, id, &length);
    const uint32_t *state = word_arrays_get(&normal->states, words[0], &halves);
    uint64_t *whole = memory_small(halves * sizeof *state + 8);
    memcpy(whole, state, halves * sizeof *state);
    normal->spec->class->print_state(normal->spec, whole, halves / 2, text);
    free(whole);
    for (size_t at = 1; at < length; at += 2) {
        const uint32_t *status = status_words(normal, words[at + 1]);
        const struct call call = {.argument = status_value(status, 2),
                                  .result = status_value(status, 4),
                                  .process = words[at],
                                  .operation = (uint16_t)status[1],
                                  .result_known = status[0] == PHASE_DONE};
        text_format(text, " %u: ", words[at]);
        spec_print_call(normal->spec, &call, text);
    }
}

static void print(const struct normal *base, normal_id id, struct text *text)
{
    const struct linear_normal *normal = (const struct linear_normal *)base;
    size_t count;
    const uint32_t *members = word_arrays_get(&normal->sets, id, &count);
    text_append_char(text, '{');
    for (size_t i = 0; i < count; i++) {
        text_append(text, i ? "; " : "");
        print_possibility(normal, members[i], text);
    }
    text_append_char(text, '}');
}

static const struct normal_class linear_class = {
    .initial = initial,
    .step = step,
    .edges = edges,
    .includes = includes,
    .signature = signature,
    .print = print,
};

void linear_normal_init(struct linear_normal *normal, const struct spec *spec,
                        struct labels *labels, bool points, struct budget *budget)
{
    *normal = (struct linear_normal){.normal.class = &linear_class, .spec = spec};
    normal_steps_init(&normal->steps, budget);
    word_arrays_init(&normal->states, budget);
    word_arrays_init(&normal->statuses, budget);
    word_arrays_init(&normal->possibilities, budget);
    word_arrays_init(&normal->sets, budget);
    linear_events_init(&normal->events, spec, labels, points, budget);
    vector_init(&normal->set, budget);
    vector_init(&normal->marks, budget);
    vector_init(&normal->scratch, budget);
    vector_init(&normal->words, budget);
    vector_init(&normal->edges, budget);
    outcomes_init(&normal->outcomes, budget);
}
