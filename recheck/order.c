/* Histories: a linearization is taken step by step; that there is none is shown by trying all.
 *
 * The claim of a violation names a core: of the operations outside it no more is used than that
 * each may have happened, at any time after its invocation. So the history is no more than the
 * core's operations, the invocations of the others, and an order that is looked for.
 *
 * Wherever there is a linearization, one is found by waiting: when an operation of the core
 * returns that has not taken effect yet, a sequence of operations takes effect that ends with it;
 * nothing else happens at any other moment. So after each return there is a set of configurations
 * (which running operations have taken effect, how many of each class of others, the state), and
 * the history is a violation if that set is empty once. Others are of a class if they do the same:
 * which of them have taken effect does not matter, but how many. */
#include <stdlib.h>
#include <string.h>

#include "recheck.h"

static bool is_set(value options, const char *option)
{
    value set = get_field(options, option);
    if (set && set->kind != BOOLEAN)
        refuse("the option %s is true or false", option);
    return set == value_boolean(true);
}

/* All others would be told as if they had been looked at. */
static void check_options(value options)
{
    static const char *const known[] = {"initial", "owned", "independent"};
    if (options && options->kind != MAP)
        refuse("the options are no object");
    for (size_t i = 0, k; options && i < options->length; i += 2) {
        for (k = 0; k < LENGTH(known) && !value_is(options->items[i], known[k]); k++)
            ;
        if (k == LENGTH(known))
            not_known("the option %s", options->items[i]->text);
    }
}

/* All that may have happened; the index is the operation's. */
static struct call *bind_all(value claim, const struct history *history)
{
    static struct object object;
    value spec = get_field(claim, "spec"), given = get_field(claim, "options");
    if (!spec || spec->kind != STRING)
        refuse("the claim has no specification");
    check_options(given);
    object = (struct object){.initial = get_field(given, "initial"),
                             .owned = is_set(given, "owned"),
                             .independent = is_set(given, "independent")};
    object_init(&object, spec->text, spec->length);
    struct call *calls = room(NULL, history->count + 1, sizeof *calls);
    for (size_t i = 0; i < history->count; i++) {
        const struct operation *operation = &history->operations[i];
        if (!object.independent && !object_has_keys(&object) &&
            !operation->key != !history->operations[0].key)
            refuse("%s:%zu: some operations have a key, and some have none", history->file->path,
                   operation->line);
        object_bind(&object, history, i, &calls[i]);
    }
    return calls;
}

/* ---- evidence: lists of indices, over several lines ---- */

/* Marks which are named; gives them in their order. */
static size_t read_indices(struct evidence *evidence, const char *key,
                           const struct history *history, bool *named, size_t *order)
{
    size_t count = 0;
    for (value line; (line = next_evidence(evidence));) {
        value list = get_field(line, key);
        if (!list || list->kind != LIST)
            refuse("expected a list \"%s\"", key);
        for (size_t i = 0; i < list->length; i++) {
            int64_t index;
            if (!get_integer(list->items[i], &index) || index < 0 ||
                (uint64_t)index >= history->count)
                refuse("the history has no operation %s", list->items[i]->text);
            if (named[index])
                refuse("operation %s is named twice", list->items[i]->text);
            if (history->operations[index].outcome == FAIL)
                refuse("operation %s did not happen", list->items[i]->text);
            named[index] = true;
            order[count++] = (size_t)index;
        }
    }
    return count;
}

/* ---- linearizations ---- */

static void check_order(const struct history *history, const struct call *calls, const bool *named,
                        const size_t *order, size_t count)
{
    size_t latest = 0, parts = 0;
    struct state *states = room(NULL, count + 1, sizeof *states);
    for (size_t i = 0; i < history->count; i++)
        if (history->operations[i].outcome == OK && !named[i])
            refuse("operation %zu happened, and is not in the order", i);
    for (size_t i = 0; i < count; i++) {
        const struct call *call = &calls[order[i]];
        if (call->response < latest)
            refuse("operation %zu had returned before one in front of it was invoked", order[i]);
        latest = call->invoke > latest ? call->invoke : latest;
        size_t *number = call->part->number;
        if (!*number) {
            *number = ++parts;
            states[*number] = (struct state){.length = 0};
            object_start(call, &states[*number]);
        }
        if (!object_step(call, &states[*number]))
            refuse("operation %zu cannot answer so where it stands in the order", order[i]);
    }
    for (size_t i = 0; i < count; i++)
        *calls[order[i]].part->number = 0;
}

/* ---- violations ---- */

#define MOST_RUNNING 62

struct moment {
    size_t position, call;
    bool returns;
};

/* How many of a class have been invoked, and one of them. */
struct class {
    struct call call;
    size_t invoked;
};

/* Each a list: which slots have taken effect, how many of each class, what the object holds. The
 * number of one that is among them is `stamp`. */
struct configurations {
    value *items;
    size_t count, room, stamp;
};

static int64_t count_of(value v)
{
    int64_t count = 0;
    get_integer(v, &count);
    return count;
}

struct search {
    struct call *calls; /* of the core, then the others */
    size_t core, count;
    struct class *classes;
    size_t class_count, *class_of;
    const struct call *running[MOST_RUNNING];
    struct configurations now, next;
    struct state state;
    value *scratch;
    size_t limit;
};

/* Adds what `from` becomes with that number done, one more of a class, and the search's state. */
static void add_configuration(struct search *search, struct configurations *all, value from,
                              uint64_t done, size_t class)
{
    const struct state *state = &search->state;
    size_t before = 1 + search->class_count, count = before + state->length;
    value *items = search->scratch = room(search->scratch, count, sizeof *items);
    memcpy(items, from->items, before * sizeof *items);
    items[0] = value_integer((int64_t)done);
    if (class < search->class_count)
        items[1 + class] = value_integer(count_of(from->items[1 + class]) + 1);
    memcpy(items + before, state->items, state->length * sizeof *items);
    value made = value_items(LIST, items, count);
    if (*made->number == all->stamp)
        return;
    *made->number = all->stamp;
    if (search->limit-- == 0)
        too_large("more configurations than --limit allows");
    if (all->count == all->room)
        all->items = room(all->items, all->room = 2 * all->room + 64, sizeof made);
    all->items[all->count++] = made;
}

/* Never the same twice: values keep the stamp of the set that had them last. */
static size_t new_stamp(void)
{
    static size_t last;
    return ++last;
}

static void load_state(struct search *search, value from)
{
    struct state *state = &search->state;
    size_t before = 1 + search->class_count;
    state->length = from->length - before;
    if (state->length > state->room)
        state->items = room(state->items, state->room = state->length, sizeof *state->items);
    memcpy(state->items, from->items + before, state->length * sizeof *state->items);
}

/* All that can take effect next; what nobody has to answer for, and changes nothing, need not. */
static void expand(struct search *search, value from)
{
    uint64_t done = (uint64_t)count_of(from->items[0]);
    const struct state *state = &search->state;
    size_t before = 1 + search->class_count;
    for (size_t slot = 0; slot < MOST_RUNNING; slot++) {
        uint64_t bit = UINT64_C(1) << slot;
        if (!search->running[slot] || done & bit)
            continue;
        load_state(search, from);
        if (object_step(search->running[slot], &search->state))
            add_configuration(search, &search->now, from, done | bit, NEVER);
    }
    for (size_t i = 0; i < search->class_count; i++) {
        if ((size_t)count_of(from->items[1 + i]) >= search->classes[i].invoked)
            continue;
        load_state(search, from);
        if (object_step(&search->classes[i].call, &search->state) &&
            (state->length != from->length - before ||
             memcmp(state->items, from->items + before, state->length * sizeof(value)) != 0))
            add_configuration(search, &search->now, from, done, i);
    }
}

/* The operation in that slot returns; whether it can. */
static bool let_return(struct search *search, size_t slot)
{
    uint64_t bit = UINT64_C(1) << slot;
    struct configurations last = search->now;
    search->next.count = 0;
    search->next.stamp = new_stamp();
    for (size_t i = 0; i < search->now.count; i++) {
        value from = search->now.items[i];
        uint64_t done = (uint64_t)count_of(from->items[0]);
        load_state(search, from);
        if (done & bit)
            add_configuration(search, &search->next, from, done & ~bit, NEVER);
        else
            expand(search, from);
    }
    last = search->now;
    search->now = search->next;
    search->next = last;
    search->running[slot] = NULL;
    return search->now.count > 0;
}

static int compare_moments(const void *one, const void *other)
{
    const struct moment *a = one, *b = other;
    return (a->position > b->position) - (a->position < b->position);
}

static size_t list_moments(const struct search *search, struct moment *moments)
{
    size_t count = 0;
    for (size_t i = 0; i < search->count; i++) {
        moments[count++] = (struct moment){search->calls[i].invoke, i, false};
        if (i < search->core)
            moments[count++] = (struct moment){search->calls[i].response, i, true};
    }
    qsort(moments, count, sizeof *moments, compare_moments);
    return count;
}

static size_t find_slot(const struct search *search, const struct call *call)
{
    size_t slot = 0;
    while (slot < MOST_RUNNING && search->running[slot] != call)
        slot++;
    if (slot == MOST_RUNNING)
        too_large("more than %d operations of the core at once", MOST_RUNNING);
    return slot;
}

/* Whether some return is impossible. */
static bool is_refuted(struct search *search)
{
    struct moment *moments = room(NULL, 2 * search->count + 1, sizeof *moments);
    size_t count = list_moments(search, moments);
    value *none = room(NULL, search->class_count + 1, sizeof *none);
    for (size_t i = 0; i <= search->class_count; i++)
        none[i] = value_integer(0);
    search->now.stamp = new_stamp();
    object_start(&search->calls[0], &search->state);
    add_configuration(search, &search->now, value_items(LIST, none, search->class_count + 1), 0,
                      NEVER);
    bool refuted = false;
    for (size_t i = 0; i < count && !refuted; i++) {
        const struct call *call = &search->calls[moments[i].call];
        if (moments[i].returns)
            refuted = !let_return(search, find_slot(search, call));
        else if (moments[i].call < search->core)
            search->running[find_slot(search, NULL)] = call;
        else if (search->class_of[moments[i].call] != NEVER)
            search->classes[search->class_of[moments[i].call]].invoked++;
    }
    return refuted;
}

static size_t find_class(struct search *search, const struct call *call)
{
    for (size_t i = 0; i < search->class_count; i++) {
        const struct call *other = &search->classes[i].call;
        if (other->what == call->what && other->argument == call->argument &&
            (!call->object->owned || other->process == call->process))
            return i;
    }
    search->classes[search->class_count] = (struct class){.call = *call};
    return search->class_count++;
}

/* The calls of the core's part: those of the core, then the others, which have no answers. */
static void choose_calls(struct search *search, const struct history *history,
                         const struct call *calls, const bool *named, const size_t *core)
{
    search->calls = room(NULL, history->count + 1, sizeof *search->calls);
    for (size_t i = 0; i < search->core; i++) {
        if (history->operations[core[i]].outcome != OK ||
            calls[core[i]].part != calls[core[0]].part)
            refuse("operation %zu does not belong to the core", core[i]);
        search->calls[search->count++] = calls[core[i]];
    }
    for (size_t i = 0; i < history->count; i++) {
        if (named[i] || history->operations[i].outcome == FAIL ||
            calls[i].part != calls[core[0]].part)
            continue;
        search->calls[search->count] = calls[i];
        search->calls[search->count++].known = false;
    }
}

static void check_core(const struct history *history, const struct call *calls, const bool *named,
                       const size_t *core, size_t count, size_t limit)
{
    struct search search = {
        .core = count, .limit = limit, .state = {.items = room(NULL, 1, sizeof(value)), .room = 1}};
    if (count == 0)
        refuse("the core has no operation");
    choose_calls(&search, history, calls, named, core);
    bool *matters = room(NULL, search.count, sizeof *matters);
    memset(matters, 1, search.count * sizeof *matters);
    object_leave_out(search.calls, count, search.count, matters);
    search.classes = room(NULL, search.count, sizeof *search.classes);
    search.class_of = room(NULL, search.count, sizeof *search.class_of);
    for (size_t i = count; i < search.count; i++)
        search.class_of[i] = matters[i] ? find_class(&search, &search.calls[i]) : NEVER;
    if (!is_refuted(&search))
        refuse("the operations of the core have an order");
}

void check_history(value claim, struct evidence *evidence, size_t limit)
{
    struct history history;
    int64_t operations;
    read_history(claimed_input(claim, "input", "sha256"), &history);
    if (!get_integer(get_field(claim, "operations"), &operations) ||
        (uint64_t)operations != history.count)
        refuse("the history has %zu operations", history.count);
    struct call *calls = bind_all(claim, &history);
    bool *named = room(NULL, history.count + 1, sizeof *named);
    size_t *order = room(NULL, history.count + 1, sizeof *order);
    memset(named, 0, history.count + 1);
    value verdict = get_field(claim, "verdict");
    if (value_is(verdict, "linearizable")) {
        size_t count = read_indices(evidence, "order", &history, named, order);
        check_order(&history, calls, named, order, count);
    } else if (value_is(verdict, "violation")) {
        size_t count = read_indices(evidence, "core", &history, named, order);
        check_core(&history, calls, named, order, count, limit);
    } else
        refuse("the verdict of a history is linearizable or violation");
}
