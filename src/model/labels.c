#include "model/labels.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vector.h"

struct label_entry {
    const char *name;
    const uint32_t *components;
    uint32_t count;
    uint8_t kind;
    uint64_t hash;
};

struct labels {
    struct budget *budget;
    struct arena arena;
    pthread_mutex_t lock;
    VECTOR(struct label_entry *) items;
    label *slots; /* label + 1; 0 is free */
    size_t capacity;
};

struct labels *labels_create(struct budget *budget)
{
    struct labels *labels = memory_zeroed(budget, sizeof *labels);
    if (!labels)
        return NULL;
    labels->budget = budget;
    arena_init(&labels->arena, budget);
    vector_init(&labels->items, budget);
    pthread_mutex_init(&labels->lock, NULL);
    if (labels_intern(labels, LABEL_NOTE, "τ", NULL, 0) != LABEL_TAU ||
        labels_intern(labels, LABEL_EVENT, "terminate", NULL, 0) != LABEL_TERMINATE) {
        labels_destroy(labels);
        return NULL;
    }
    return labels;
}

void labels_destroy(struct labels *labels)
{
    if (!labels)
        return;
    memory_release(labels->budget, labels->slots, labels->capacity * sizeof *labels->slots);
    vector_release(&labels->items);
    arena_release(&labels->arena);
    pthread_mutex_destroy(&labels->lock);
    memory_release(labels->budget, labels, sizeof *labels);
}

static bool labels_grow(struct labels *labels)
{
    size_t capacity = labels->capacity ? labels->capacity * 2 : 256;
    label *slots = memory_zeroed(labels->budget, capacity * sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < labels->items.length; i++) {
        size_t at = labels->items.items[i]->hash & (capacity - 1);
        while (slots[at])
            at = (at + 1) & (capacity - 1);
        slots[at] = (label)i + 1;
    }
    memory_release(labels->budget, labels->slots, labels->capacity * sizeof *labels->slots);
    labels->slots = slots;
    labels->capacity = capacity;
    return true;
}

static bool entry_is(const struct label_entry *entry, const struct label_entry *wanted)
{
    return entry->hash == wanted->hash && entry->kind == wanted->kind &&
           entry->count == wanted->count && strcmp(entry->name, wanted->name) == 0 &&
           (wanted->count == 0 || memcmp(entry->components, wanted->components,
                                         wanted->count * sizeof *wanted->components) == 0);
}

static label label_create(struct labels *labels, const struct label_entry *wanted)
{
    struct label_entry *entry = arena_allocate(&labels->arena, sizeof *entry);
    uint32_t *components = arena_allocate(&labels->arena, (wanted->count + 1) * sizeof *components);
    if (!entry || !components)
        return LABEL_REFUSED;
    *entry = *wanted;
    entry->name = arena_copy_text(&labels->arena, wanted->name, strlen(wanted->name));
    if (!entry->name || !vector_push(&labels->items, entry))
        return LABEL_REFUSED;
    if (wanted->count)
        memcpy(components, wanted->components, wanted->count * sizeof *components);
    entry->components = components;
    return (label)(labels->items.length - 1);
}

label labels_intern(struct labels *labels, enum label_kind kind, const char *name,
                    const uint32_t *components, size_t count)
{
    struct label_entry wanted = {
        .name = name, .components = components, .count = (uint32_t)count, .kind = (uint8_t)kind};
    wanted.hash = hash_pair(hash_bytes(name, strlen(name), kind),
                            count ? hash_bytes(components, count * sizeof *components, 0) : 0);
    label found = LABEL_REFUSED;
    pthread_mutex_lock(&labels->lock);
    if (labels->items.length * 2 < labels->capacity || labels_grow(labels)) {
        size_t at = wanted.hash & (labels->capacity - 1);
        while (labels->slots[at] && !entry_is(labels->items.items[labels->slots[at] - 1], &wanted))
            at = (at + 1) & (labels->capacity - 1);
        if (labels->slots[at]) {
            found = labels->slots[at] - 1;
        } else {
            found = label_create(labels, &wanted);
            if (found != LABEL_REFUSED)
                labels->slots[at] = found + 1;
        }
    }
    pthread_mutex_unlock(&labels->lock);
    return found;
}

label labels_hidden(struct labels *labels, label visible)
{
    struct text text = TEXT_EMPTY;
    text_append_char(&text, '[');
    labels_print(labels, visible, &text);
    text_append_char(&text, ']');
    label hidden = labels_intern(labels, LABEL_NOTE, text_string(&text), NULL, 0);
    text_release(&text);
    return hidden;
}

/* Entries never move, but the list of them does: taken under the lock. */
static const struct label_entry *entry_get(const struct labels *labels, label id)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&labels->lock;
    pthread_mutex_lock(lock);
    const struct label_entry *entry = labels->items.items[id];
    pthread_mutex_unlock(lock);
    return entry;
}

size_t labels_count(const struct labels *labels)
{
    return labels->items.length;
}

enum label_kind labels_kind(const struct labels *labels, label id)
{
    return (enum label_kind)entry_get(labels, id)->kind;
}

const char *labels_name(const struct labels *labels, label id)
{
    return entry_get(labels, id)->name;
}

const uint32_t *labels_components(const struct labels *labels, label id, size_t *count)
{
    const struct label_entry *entry = entry_get(labels, id);
    *count = entry->count;
    return entry->components;
}

void labels_print(const struct labels *labels, label id, struct text *text)
{
    const struct label_entry *entry = entry_get(labels, id);
    text_append(text, entry->name);
    for (uint32_t i = 0; i < entry->count; i++) {
        char separator = '.';
        if (i == 0 && entry->kind == LABEL_OUTPUT)
            separator = '!';
        if (i == 0 && entry->kind == LABEL_INPUT)
            separator = '?';
        text_append_char(text, separator);
        if (entry->components[i] <= (uint32_t)INT32_MIN + 1 &&
            entry->components[i] >= (uint32_t)INT32_MIN)
            text_append(text, entry->components[i] == (uint32_t)INT32_MIN ? "false" : "true");
        else
            text_format(text, "%d", (int32_t)entry->components[i]);
    }
}
