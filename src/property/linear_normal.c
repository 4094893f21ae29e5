/* Sets of operations that take effect together (spec.h) do so as one: each member runs then.
 *
 * A set is closed under operations taking effect: whenever one is called, all orders in which the
 * running operations may have taken effect by then are in the set (unless points say where they
 * do). A response keeps the possibilities in which the operation has taken effect with that result.
 *
 * A call and a renumbering make roots of roots. For a response the effects of the roots are walked
 * up to where the thread is done: what follows from there is done with the same result.
 *
 * Where operations may stay open each takes effect as a set of one, begins in its first set, and is
 * done in its last. */
#include "property/linear_normal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

void linear_normal_release(struct linear_normal *normal)
{
    shared_words_release(&normal->states);
    shared_words_release(&normal->statuses);
    shared_words_release(&normal->asked);
    blocks_release(&normal->effects);
    pthread_mutex_destroy(&normal->keeping);
    operations_normal_release(&normal->base);
    word_rows_release(&normal->rows);
    possibility_set_release(&normal->walked);
    vectors_release(&normal->words, &normal->found, &normal->edges);
    outcomes_release(&normal->outcomes);
    linear_forget_effects(normal);
    recall_release(&normal->ran);
    recall_release(&normal->answered);
}

static enum status set_finish(struct operations_normal *base, bool by_response, normal_id *id)
{
    *id = NORMAL_NONE;
    if (base->possibilities.set.items.length == 0)
        return STATUS_OK;
    return linear_intern_set((struct linear_normal *)base, !by_response, id);
}

/* ---- steps ---- */

static enum status initial(struct normal *base, normal_id *id, struct error *error)
{
    struct linear_normal *normal = (struct linear_normal *)base;
    uint32_t state = 0;
    (void)error;
    outcomes_clear(&normal->outcomes);
    TRY_MEMORY(normal->spec->class->init(normal->spec, VALUE_NIL, &normal->outcomes));
    const struct outcome *outcome = &normal->outcomes.items.items[0];
    possibilities_start(&normal->base.possibilities);
    normal->base.possibilities.scratch.length = 0;
    TRY_MEMORY(linear_intern_state(normal, normal->outcomes.words.items + outcome->start,
                                   outcome->length, &state) &&
               vector_push(&normal->base.possibilities.scratch, state) &&
               possibilities_add(&normal->base.possibilities));
    return set_finish(&normal->base, true, id);
}

/* inv: the thread, which must be idle, is called: its status. A thread is about something in all
 * members of a set or in none. */
static enum status invoke(struct linear_normal *normal, struct possibility_row row, label l,
                          const struct linear_event *event, struct error *error)
{
    struct possibilities *possibilities = &normal->base.possibilities;
    possibility member = 0;
    uint32_t called = 0;
    TRY_MEMORY(linear_intern_status(normal, PHASE_CALLED, event->operation, event->argument,
                                    VALUE_NIL, &called));
    for (bool is_first = true; possibility_row_next(&row, &member); is_first = false) {
        if (is_first && possibility_of(possibilities, member, event->thread) != POSSIBILITY_IDLE)
            return linear_events_complain(&normal->base.events, l, error,
                                          "a response of the thread first");
        assert(possibility_of(possibilities, member, event->thread) == POSSIBILITY_IDLE);
        TRY_MEMORY(possibilities_put(possibilities, member, possibility_own(member), event->thread,
                                     called));
    }
    return STATUS_OK;
}

/* Whether the answer is what the event shows. One that is a set is shown as a list of its elements,
 * in any order. */
static enum status answers(const struct linear_normal *normal, const struct linear_event *event,
                           value given, bool *agrees)
{
    bool refused = false;
    *agrees = linear_event_agrees(event, given) ||
              spec_agrees(event->result, given, normal->words.budget, &refused);
    return refused ? STATUS_LIMIT : STATUS_OK;
}

/* What an answer is to a possibility. */
enum answered {
    ANSWERS_NOT,   /* the thread's result is another */
    ANSWERS_LATER, /* it has none yet, but may have one in what follows */
    ANSWERS,
};

/* Works that out for all that are about the same as one, and what they are about then. */
static enum status answer(struct linear_normal *normal, possibility of, label l,
                          const struct linear_event *event, enum answered *answered,
                          uint32_t *about, struct error *error)
{
    const uint32_t status = possibility_of(&normal->base.possibilities, of, event->thread);
    const uint32_t *words = status == POSSIBILITY_IDLE ? NULL : linear_status_words(normal, status);
    possibility then = of;
    bool agrees = false;
    if (!words || words[1] != event->operation)
        return linear_events_complain(&normal->base.events, l, error,
                                      "a call of this operation by the thread first");
    if (words[0] != PHASE_DONE && normal->base.events.points)
        return linear_events_complain(&normal->base.events, l, error,
                                      "a linearization point of this operation first");
    if (words[0] == PHASE_DONE)
        TRY(answers(normal, event, linear_status_value(words, 4), &agrees));
    if (agrees)
        TRY_MEMORY(possibilities_change(&normal->base.possibilities, of, possibility_own(of),
                                        event->thread, POSSIBILITY_IDLE, &then));
    *answered = agrees ? ANSWERS : words[0] == PHASE_DONE ? ANSWERS_NOT : ANSWERS_LATER;
    *about = possibility_about(then);
    return granted(recall_put(&normal->answered, (uint32_t[]){possibility_about(of), l, 0}, *about,
                              *answered));
}

/* res: the thread has taken effect with this result, and is idle again. *later: it has not yet in
 * this possibility, but may in what follows from it. */
static enum status respond(struct linear_normal *normal, possibility of, label l,
                           const struct linear_event *event, bool *later, struct error *error)
{
    const uint32_t *known = recall_find(&normal->answered, possibility_about(of), l, 0);
    enum answered answered = known ? (enum answered)known[1] : ANSWERS_NOT;
    uint32_t about = known ? known[0] : 0;
    if (!known)
        TRY(answer(normal, of, l, event, &answered, &about, error));
    *later = answered == ANSWERS_LATER;
    return granted(answered != ANSWERS ||
                   possibility_set_add(&normal->base.possibilities.set,
                                       possibility_make(possibility_own(of), about)));
}

/* The same of all that these possibilities stand for. */
static enum status respond_all(struct linear_normal *normal, struct possibility_row row, label l,
                               const struct linear_event *event, struct error *error)
{
    struct possibility_set *walked = &normal->walked;
    possibility member = 0;
    possibility_set_start(walked);
    while (possibility_row_next(&row, &member))
        TRY_MEMORY(possibility_set_add(walked, member));
    for (size_t i = 0; i < walked->items.length; i++) {
        bool later = false;
        TRY(respond(normal, walked->items.items[i], l, event, &later, error));
        if (!later || !linear_stores_roots(normal))
            continue;
        if (limits_look(normal->base.limits, &normal->base.taken))
            return STATUS_LIMIT;
        normal->found.length = 0;
        TRY(linear_effects(normal, walked->items.items[i]));
        for (size_t j = 0; j < normal->found.length; j++)
            TRY_MEMORY(possibility_set_add(walked, normal->found.items[j]));
    }
    return STATUS_OK;
}

/* lin: the operation that the thread has called runs here and now. */
static enum status point(struct linear_normal *normal, possibility of, label l,
                         const struct linear_event *event, struct error *error)
{
    uint32_t called = possibility_of(&normal->base.possibilities, of, event->thread);
    const uint32_t *words = called == POSSIBILITY_IDLE ? NULL : linear_status_words(normal, called);
    if (!words || words[1] != event->operation || linear_status_value(words, 2) != event->argument)
        return linear_events_complain(&normal->base.events, l, error,
                                      "a call by the thread, with these arguments, first");
    if (words[0] == PHASE_DONE)
        return linear_events_complain(&normal->base.events, l, error,
                                      "one linearization point of each operation");
    normal->found.length = 0;
    TRY_MEMORY(linear_take_effect(normal, of, event->thread, called, event));
    for (size_t i = 0; i < normal->found.length; i++)
        TRY_MEMORY(possibility_set_add(&normal->base.possibilities.set, normal->found.items[i]));
    return STATUS_OK;
}

static enum status follow(struct operations_normal *base, normal_id from, label l,
                          const struct linear_event *event, struct error *error)
{
    struct linear_normal *normal = (struct linear_normal *)base;
    struct possibility_row row = possibilities_row(&base->possibilities, from);
    possibility member = 0;
    if (event->kind == LINEAR_RESPOND)
        return respond_all(normal, row, l, event, error);
    if (event->kind == LINEAR_INVOKE)
        return invoke(normal, row, l, event, error);
    while (possibility_row_next(&row, &member))
        TRY(point(normal, member, l, event, error));
    return STATUS_OK;
}

static bool rename_state(struct linear_normal *normal, uint32_t *state,
                         const struct renaming *renaming)
{
    const struct spec *spec = normal->spec;
    size_t length = 0;
    return linear_load_state(normal, *state, &length) &&
           spec->class->rename(spec, renaming, normal->words.items, length) &&
           linear_intern_state(normal, normal->words.items, length, state);
}

static bool rename_status(struct linear_normal *normal, uint32_t *status,
                          const struct renaming *renaming)
{
    const uint32_t *words = linear_status_words(normal, *status);
    struct value_pool *pool = normal->spec->pool;
    value argument = renaming_apply(renaming, pool, linear_status_value(words, 2));
    value result = renaming_apply(renaming, pool, linear_status_value(words, 4));
    return argument != VALUE_REFUSED && result != VALUE_REFUSED &&
           linear_intern_status(normal, (enum phase)words[0], (uint16_t)words[1], argument, result,
                                status);
}

static bool rename_possibility(struct operations_normal *base, const struct renaming *renaming)
{
    struct linear_normal *normal = (struct linear_normal *)base;
    uint32_t *words = base->possibilities.scratch.items;
    assert(base->possibilities.scratch.length % 2 == 1);
    bool renamed = rename_state(normal, &words[0], renaming);
    for (size_t at = 1; renamed && at < base->possibilities.scratch.length; at += 2)
        renamed = rename_status(normal, &words[at + 1], renaming);
    return renamed;
}

/* What the model calls an operation: "enq", if that is how it has been called. Null when refused.
 */
static const char *name_of_operation(const struct linear_normal *normal, uint32_t operation)
{
    for (label l = 0; l < normal->base.events.items.length; l++) {
        const struct linear_event *event = &normal->base.events.items.items[l];
        if (event->kind == LINEAR_INVOKE && event->operation == operation)
            return labels_get(normal->base.events.labels, l)->name;
    }
    const char *name = normal->spec->class->operations[operation].name;
    return labels_text(normal->base.events.labels, name, strlen(name));
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

/* A list or set is several components, where events may have these. */
static bool show_result(const struct linear_normal *normal, value result, bool point,
                        uint32_t *components, size_t *count)
{
    size_t length;
    const enum value_kind kind = value_kind_of(result);
    if (!normal->base.events.lists || (kind != KIND_LIST && kind != KIND_SET))
        return show_value(result, components, count);
    const value *items = value_get_items(result, &length);
    bool shown = !point && length > 1 && length <= LINEAR_MOST_ARGUMENTS;
    for (size_t i = 0; shown && i < length; i++)
        if (items[i] == VALUE_NIL)
            components[(*count)++] = COMPONENT_NULL;
        else
            shown = show_value(items[i], components, count);
    return shown;
}

/* The label of a thread's answer, of its point with `point`; LABEL_TAU for one that cannot be
 * written as an event. */
static label label_of_answer(struct linear_normal *normal, uint32_t thread, const uint32_t *status,
                             value result, bool point)
{
    const struct spec_operation *operation = &normal->spec->class->operations[status[1]];
    uint32_t components[LINEAR_MOST_ARGUMENTS + 2] = {thread};
    size_t count = 1, symbol_length = 0;
    const char *symbol = NULL;
    struct action event = {.kind = point ? LABEL_POINT : LABEL_RESPOND,
                           .name = name_of_operation(normal, status[1]),
                           .components = components};
    if (point && !show_argument(operation, linear_status_value(status, 2), components, &count))
        return LABEL_TAU;
    if (operation->result[0] == 0 || result == VALUE_NIL)
        ; /* nothing to show */
    else if (value_kind_of(result) == KIND_SYMBOL)
        symbol = value_get_text(result, &symbol_length);
    else if (!show_result(normal, result, point, components, &count))
        return LABEL_TAU;
    if (symbol)
        event.symbol = labels_text(normal->base.events.labels, symbol, symbol_length);
    event.count = (uint32_t)count;
    return event.name && (event.symbol || !symbol)
               ? labels_intern(normal->base.events.labels, &event)
               : LABEL_REFUSED;
}

/* Makes labels of all that a thread may answer: where it has taken effect, or with points, where it
 * may. */
static bool label_answers_of(struct linear_normal *normal, uint32_t state, uint32_t thread,
                             const uint32_t *status)
{
    if (status[0] == PHASE_DONE)
        return label_of_answer(normal, thread, status, linear_status_value(status, 4), false) !=
               LABEL_REFUSED;
    if (!normal->base.events.points)
        return true;
    if (!linear_run(normal, state, (uint16_t)status[1], linear_status_value(status, 2), thread))
        return false;
    for (size_t i = 0; i < normal->outcomes.items.length; i++)
        if (label_of_answer(normal, thread, status, normal->outcomes.items.items[i].result, true) ==
            LABEL_REFUSED)
            return false;
    return true;
}

static enum status label_answers(struct linear_normal *normal, normal_id from)
{
    size_t length;
    TRY(linear_members(normal, from));
    for (size_t i = 0; i < normal->walked.items.length; i++) {
        const possibility of = normal->walked.items.items[i];
        const uint32_t *words = possibility_threads(&normal->base.possibilities, of, &length);
        for (size_t at = 0; at < length; at += 2)
            TRY_MEMORY(label_answers_of(normal, possibility_own(of), words[at],
                                        linear_status_words(normal, words[at + 1])));
    }
    return STATUS_OK;
}

/* Adds what can follow with a response, or with anything else. */
static enum status add_edges(struct normal *base, normal_id from, bool responses,
                             struct error *error)
{
    struct linear_normal *normal = (struct linear_normal *)base;
    for (label l = 0; l < labels_count(normal->base.events.labels); l++) {
        struct normal_edge edge = {.label = l};
        struct linear_event event;
        if (!linear_is_visible(normal->base.events.labels, l, normal->base.events.points))
            continue;
        enum status status = linear_events_get(&normal->base.events, l, &event, error);
        if (status == STATUS_OK && (event.kind == LINEAR_RESPOND) != responses)
            continue;
        if (status == STATUS_OK)
            status = operations_normal_step(base, from, l, &edge.target, error);
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

static bool includes(struct normal *base, normal_id whole, normal_id part, bool *includes)
{
    return linear_includes((struct linear_normal *)base, whole, part, includes) == STATUS_OK;
}

static bool signature(struct normal *base, normal_id id, uint64_t *signature)
{
    return linear_signature((struct linear_normal *)base, id, signature) == STATUS_OK;
}

/* ---- operations that wait ---- */

/* Whether these threads all wait in a possibility. */
static enum status all_wait(struct linear_normal *normal, possibility of, uint64_t threads,
                            bool *waits)
{
    const uint32_t state = possibility_own(of);
    const uint64_t all = threads;
    *waits = threads != 0;
    while (threads && *waits) {
        const uint32_t thread = bits_take(&threads);
        const uint32_t about = possibility_of(&normal->base.possibilities, of, thread);
        const uint32_t *words =
            about == POSSIBILITY_IDLE ? NULL : linear_status_words(normal, about);
        *waits = words && words[0] != PHASE_DONE && normal->spec->class->operations[words[1]].waits;
        if (!*waits)
            break;
        if (normal->spec->class->is_open)
            continue; /* alone it is a set as well */
        if (!linear_run(normal, state, (uint16_t)words[1], linear_status_value(words, 2), thread))
            return STATUS_LIMIT;
        *waits = normal->outcomes.items.length == 0;
    }
    for (uint32_t i = 0; *waits && i < normal->spec->class->together_count; i++) {
        bool could = false;
        TRY_MEMORY(linear_could_together(normal, of, i, all, &could));
        *waits = !could;
    }
    return STATUS_OK;
}

enum status linear_normal_waits(struct linear_normal *normal, normal_id id, uint64_t threads,
                                bool *waits)
{
    *waits = false;
    if (!normal_is_state(id)) /* there is no explanation */
        return STATUS_OK;
    TRY(linear_members(normal, id));
    for (size_t i = 0; i < normal->walked.items.length && !*waits; i++)
        TRY(all_wait(normal, normal->walked.items.items[i], threads, waits));
    return STATUS_OK;
}

static const struct operations_class operations = {
    .follow = follow,
    .finish = set_finish,
    .rename = rename_possibility,
};

/* ---- several threads ---- */

static struct normal *create_shared(struct normal *base)
{
    struct linear_normal *normal = (struct linear_normal *)base;
    struct budget *budget = normal->words.budget;
    struct linear_normal *shared = memory_allocate(budget, sizeof *shared);
    if (!shared)
        return NULL;
    assert(normal->of == normal);
    linear_normal_init(shared, normal->spec, normal->base.events.labels, normal->base.events.points,
                       budget);
    operations_normal_share(&shared->base, &normal->base);
    shared->of = normal;
    shared_words_leave_alone(&normal->states, false);
    shared_words_leave_alone(&normal->statuses, false);
    shared_words_leave_alone(&normal->asked, false);
    return &shared->base.normal;
}

static enum status destroy_shared(struct normal *base, struct normal *other)
{
    struct linear_normal *shared = (struct linear_normal *)other;
    struct budget *budget = shared->words.budget;
    assert(&shared->of->base.normal == base);
    (void)base;
    const enum status status = operations_normal_unshare(&shared->base);
    linear_normal_release(shared);
    memory_release(budget, shared, sizeof *shared);
    return status;
}

static const struct normal_class linear_class = {
    .initial = initial,
    .step = operations_normal_step,
    .known_step = operations_normal_known_step,
    .share = create_shared,
    .unshare = destroy_shared,
    .edges = edges,
    .includes = includes,
    .signature = signature,
    .known = operations_normal_known,
    .sizes = operations_normal_sizes,
};

void linear_normal_init(struct linear_normal *normal, const struct spec *spec,
                        struct labels *labels, bool points, struct budget *budget)
{
    *normal = (struct linear_normal){.spec = spec};
    operations_normal_init(&normal->base, &linear_class, &operations, spec, labels, points, budget);
    shared_words_init(&normal->states, budget);
    shared_words_init_fixed(&normal->statuses, STATUS_WORDS, budget);
    shared_words_leave_alone(&normal->states, true);
    shared_words_leave_alone(&normal->statuses, true);
    shared_words_init_fixed(&normal->asked, 2, budget);
    shared_words_leave_alone(&normal->asked, true);
    blocks_init(&normal->effects, budget, sizeof(_Atomic uint32_t));
    pthread_mutex_init(&normal->keeping, NULL);
    normal->of = normal;
    word_rows_init(&normal->rows, budget);
    possibility_set_init(&normal->walked, budget);
    vectors_init(budget, &normal->words, &normal->found, &normal->edges);
    outcomes_init(&normal->outcomes, budget);
    recall_init(&normal->ran, budget);
    recall_init(&normal->answered, budget);
}
