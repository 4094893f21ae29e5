#include "model/labels.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/table.h"
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
    struct table numbers;
};

struct labels *labels_create(struct budget *budget)
{
    struct labels *labels = memory_zeroed(budget, sizeof *labels);
    if (!labels)
        return NULL;
    labels->budget = budget;
    arena_init(&labels->arena, budget);
    vector_init(&labels->items, budget);
    table_init(&labels->numbers, budget);
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
    table_release(&labels->numbers);
    vector_release(&labels->items);
    arena_release(&labels->arena);
    pthread_mutex_destroy(&labels->lock);
    memory_release(labels->budget, labels, sizeof *labels);
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
    label number = (label)labels->items.length;
    if (!entry->name || !vector_reserve(&labels->items, number + (size_t)1) ||
        !table_add(&labels->numbers, wanted->hash, number))
        return LABEL_REFUSED;
    if (wanted->count)
        memcpy(components, wanted->components, wanted->count * sizeof *components);
    entry->components = components;
    labels->items.items[labels->items.length++] = entry;
    return number;
}

static label label_find(const struct labels *labels, const struct label_entry *wanted)
{
    for (struct table_search search = table_search(&labels->numbers, wanted->hash);
         table_next(&search);)
        if (entry_is(labels->items.items[search.number], wanted))
            return search.number;
    return LABEL_REFUSED;
}

label labels_intern(struct labels *labels, enum label_kind kind, const char *name,
                    const uint32_t *components, size_t count)
{
    struct label_entry wanted = {
        .name = name, .components = components, .count = (uint32_t)count, .kind = (uint8_t)kind};
    wanted.hash = hash_pair(hash_bytes(name, strlen(name), kind),
                            count ? hash_bytes(components, count * sizeof *components, 0) : 0);
    pthread_mutex_lock(&labels->lock);
    label found = label_find(labels, &wanted);
    if (found == LABEL_REFUSED)
        found = label_create(labels, &wanted);
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
