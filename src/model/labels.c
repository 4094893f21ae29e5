/* Texts and events are found and read without a lock; what is new is added under one. */
#include "model/labels.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/blocks.h"
#include "base/hash.h"
#include "base/shared_table.h"

struct labels {
    struct budget *budget;
    struct arena arena;
    pthread_mutex_t lock;  /* of all that is added */
    struct blocks actions; /* struct action, by label */
    struct shared_table numbers;
    atomic_uint count;
    struct blocks texts; /* const char * */
    struct shared_table text_numbers;
    uint32_t text_count;
};

struct labels *labels_create(struct budget *budget)
{
    struct labels *labels = memory_zeroed(budget, sizeof *labels);
    if (!labels)
        return NULL;
    labels->budget = budget;
    arena_init(&labels->arena, budget);
    blocks_init(&labels->actions, budget, sizeof(struct action));
    shared_table_init(&labels->numbers, budget);
    blocks_init(&labels->texts, budget, sizeof(const char *));
    shared_table_init(&labels->text_numbers, budget);
    pthread_mutex_init(&labels->lock, NULL);
    if (labels_intern_named(labels, LABEL_NOTE, "τ", NULL, 0) != LABEL_TAU ||
        labels_intern_named(labels, LABEL_EVENT, "terminate", NULL, 0) != LABEL_TERMINATE) {
        labels_destroy(labels);
        return NULL;
    }
    return labels;
}

void labels_destroy(struct labels *labels)
{
    if (!labels)
        return;
    shared_table_release(&labels->numbers);
    shared_table_release(&labels->text_numbers);
    blocks_release(&labels->actions);
    blocks_release(&labels->texts);
    arena_release(&labels->arena);
    pthread_mutex_destroy(&labels->lock);
    memory_release(labels->budget, labels, sizeof *labels);
}

/* ---- texts ---- */

static const char *text_find(const struct labels *labels, const char *text, size_t length,
                             uint64_t hash)
{
    struct shared_search search = shared_table_search(&labels->text_numbers, hash);
    while (shared_table_next(&search)) {
        const char *kept = *(const char **)blocks_at(&labels->texts, search.number);
        if (strncmp(kept, text, length) == 0 && !kept[length])
            return kept;
    }
    return NULL;
}

static const char *text_add(struct labels *labels, const char *text, size_t length, uint64_t hash)
{
    const char **entry = blocks_reach(&labels->texts, labels->text_count);
    const char *copy = arena_copy_text(&labels->arena, text, length);
    if (!entry || !copy)
        return NULL;
    *entry = copy;
    if (!shared_table_add(&labels->text_numbers, hash, labels->text_count))
        return NULL;
    labels->text_count++;
    return copy;
}

const char *labels_text(struct labels *labels, const char *text, size_t length)
{
    const uint64_t hash = hash_bytes(text, length, 0);
    const char *kept = text_find(labels, text, length, hash);
    if (kept)
        return kept;
    pthread_mutex_lock(&labels->lock);
    kept = text_find(labels, text, length, hash); /* by now, perhaps */
    if (!kept)
        kept = text_add(labels, text, length, hash);
    pthread_mutex_unlock(&labels->lock);
    return kept;
}

/* ---- events ---- */

const struct action *labels_get(const struct labels *labels, label id)
{
    assert(id < labels_count(labels));
    return blocks_at(&labels->actions, id);
}

size_t labels_count(const struct labels *labels)
{
    return atomic_load_explicit(&labels->count, memory_order_acquire);
}

static uint64_t action_hash(const struct action *action)
{
    uint64_t hash = hash_pair((uintptr_t)action->name ^ (uint64_t)action->kind << 56,
                              (uintptr_t)action->symbol);
    for (uint32_t i = 0; i < action->count; i++)
        hash = hash_pair(hash, action->components[i]);
    return hash;
}

static bool same_action(const struct action *a, const struct action *b)
{
    return a->kind == b->kind && a->name == b->name && a->symbol == b->symbol &&
           a->count == b->count &&
           (a->count == 0 ||
            memcmp(a->components, b->components, a->count * sizeof *a->components) == 0);
}

static label action_find(const struct labels *labels, const struct action *action, uint64_t hash)
{
    struct shared_search search = shared_table_search(&labels->numbers, hash);
    while (shared_table_next(&search))
        if (same_action(blocks_at(&labels->actions, search.number), action))
            return search.number;
    return LABEL_REFUSED;
}

/* The entry is whole before it is counted, and counted before it can be found. */
static label action_add(struct labels *labels, const struct action *action, uint64_t hash)
{
    label id = atomic_load_explicit(&labels->count, memory_order_relaxed);
    struct action *entry = blocks_reach(&labels->actions, id);
    uint32_t *components =
        arena_allocate(&labels->arena, (action->count + (size_t)1) * sizeof *components);
    if (!entry || !components)
        return LABEL_REFUSED;
    if (action->count)
        memcpy(components, action->components, action->count * sizeof *components);
    *entry = *action;
    entry->components = components;
    assert(action_find(labels, action, hash) == LABEL_REFUSED); /* equal ones have one label */
    atomic_store_explicit(&labels->count, id + 1, memory_order_release);
    if (shared_table_add(&labels->numbers, hash, id))
        return id;
    atomic_store_explicit(&labels->count, id, memory_order_release);
    return LABEL_REFUSED;
}

label labels_intern(struct labels *labels, const struct action *action)
{
    uint64_t hash = action_hash(action);
    label id = action_find(labels, action, hash);
    if (id != LABEL_REFUSED)
        return id;
    pthread_mutex_lock(&labels->lock);
    id = action_find(labels, action, hash); /* by now, perhaps */
    if (id == LABEL_REFUSED)
        id = action_add(labels, action, hash);
    pthread_mutex_unlock(&labels->lock);
    assert(id == LABEL_REFUSED || id < labels_count(labels));
    return id;
}

label labels_intern_named(struct labels *labels, enum label_kind kind, const char *name,
                          const uint32_t *components, size_t count)
{
    const struct action action = {.kind = kind,
                                  .name = labels_text(labels, name, strlen(name)),
                                  .components = components,
                                  .count = (uint32_t)count};
    return action.name ? labels_intern(labels, &action) : LABEL_REFUSED;
}

label labels_renumbered(struct labels *labels, label own, struct renumbering by)
{
    const uint32_t components[] = {own, by.threads, by.values};
    const struct action event = {
        .kind = LABEL_TURN, .components = components, .count = ARRAY_LENGTH(components)};
    assert(labels_kind(labels, own) != LABEL_TURN); /* one renumbering behind a step */
    return renumbering_is_none(by) ? own : labels_intern(labels, &event);
}

label labels_own(const struct labels *labels, label l, struct renumbering *by)
{
    const struct action *event = labels_get(labels, l);
    *by = RENUMBERING_NONE;
    if (event->kind != LABEL_TURN)
        return l;
    *by = (struct renumbering){event->components[1], event->components[2]};
    return event->components[0];
}

label labels_hidden(struct labels *labels, label visible)
{
    struct text text = TEXT_EMPTY;
    text_append_char(&text, '[');
    labels_print(labels, visible, &text);
    text_append_char(&text, ']');
    label hidden = labels_intern_named(labels, LABEL_NOTE, text_string(&text), NULL, 0);
    text_release(&text);
    return hidden;
}

static bool copy_text(struct arena *arena, const char *text, const char **copy)
{
    *copy = text ? arena_copy_text(arena, text, strlen(text)) : NULL;
    return !text || *copy;
}

bool action_copy(struct arena *arena, const struct action *action, struct action *copy)
{
    uint32_t *components = arena_allocate(arena, (action->count + (size_t)1) * sizeof *components);
    *copy = *action;
    copy->components = components;
    if (components && action->count)
        memcpy(components, action->components, action->count * sizeof *components);
    return components && copy_text(arena, action->name, &copy->name) &&
           copy_text(arena, action->symbol, &copy->symbol);
}

/* ---- words ---- */

/* What stands before an event's name, or, for those without one, in its place. */
static const char *const words[] = {
    [LABEL_EVENT] = "",
    [LABEL_OUTPUT] = "",
    [LABEL_INPUT] = "",
    [LABEL_SYNC] = "",
    [LABEL_NOTE] = "",
    [LABEL_INVOKE] = "inv",
    [LABEL_RESPOND] = "res",
    [LABEL_POINT] = "lin",
    [LABEL_FAULT] = "fault",
    [LABEL_ERROR] = "error",
    [LABEL_NO_POINT] = "no-point",
    [LABEL_SECOND_POINT] = "second-point",
    [LABEL_IDLE_POINT] = "idle-point",
    [LABEL_CHANGE] = "change",
    [LABEL_SEVERAL] = "",
    [LABEL_TURN] = "renumbered",
    [LABEL_NAME] = "",
};

enum label_kind label_kind_of_word(const char *word)
{
    for (enum label_kind kind = LABEL_INVOKE; kind <= LABEL_POINT; kind++)
        if (strcmp(words[kind], word) == 0)
            return kind;
    return LABEL_EVENT;
}

/* The words that enclose the elements of an array: SLOT_OPEN and SLOT_CLOSE of code/word.h. */
#define OPEN  ((uint32_t)INT32_MIN + 2)
#define CLOSE ((uint32_t)INT32_MIN + 3)

/* `of_several`: of a result that is a list. */
static void print_component(uint32_t component, bool of_several, struct text *text)
{
    if (component == OPEN)
        text_append(text, "[");
    else if (component == CLOSE)
        text_append(text, "]");
    else if (component == COMPONENT_FALSE)
        text_append(text, "false");
    else if (component == COMPONENT_TRUE)
        text_append(text, "true");
    else if (component == COMPONENT_NULL && of_several)
        text_append(text, "null");
    else
        text_format(text, "%d", (int32_t)component);
}

void labels_print(const struct labels *labels, label id, struct text *text)
{
    const struct action *action = labels_get(labels, id);
    const char *word = words[action->kind];
    for (uint32_t i = 0; action->kind == LABEL_SEVERAL && i < action->count; i++) {
        text_append(text, i > 0 ? " " : "");
        labels_print(labels, action->components[i], text);
    }
    if (action->kind == LABEL_SEVERAL)
        return;
    text_append(text, word);
    if (action->name)
        text_format(text, "%s%s", *word ? "." : "", action->name);
    if (action->kind == LABEL_NOTE)
        return;
    if (action->symbol)
        text_format(text, "=%s", action->symbol);
    bool within = false; /* an array */
    for (uint32_t i = 0; i < action->count; i++) {
        uint32_t component = action->components[i];
        bool first = i == 0;
        if (!within)
            text_append_char(text, first && action->kind == LABEL_OUTPUT  ? '!'
                                   : first && action->kind == LABEL_INPUT ? '?'
                                                                          : '.');
        else if (component != CLOSE && action->components[i - 1] != OPEN)
            text_append(text, ", ");
        within = component == OPEN || (within && component != CLOSE);
        print_component(component, action->kind == LABEL_RESPOND && action->count > 2, text);
    }
}
