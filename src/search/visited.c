#include "search/visited.h"

#include <assert.h>
#include <string.h>

#include "base/faults.h"
#include "base/hash.h"

#define FREE            UINT32_MAX
#define WHOLE           ((uint32_t)1 << 31) /* of an entry's event: kept by the whole hash */
#define FIRST_ENTRIES   SIZE_OR_SMALL(64u, 4u)
#define PAGE_ENTRIES    SIZE_OR_SMALL(4096u, 16u)
#define DOMINATING_MOST SIZE_OR_SMALL(8, 2)
static_assert(FIRST_ENTRIES >= 4, "where three of four entries are taken one is free");

struct visited_entry {
    uint32_t event; /* FREE: none */
    uint32_t state;
    uint64_t load;
};

struct visited_page {
    uint32_t depth;    /* how many bits of the hash its entries share */
    uint32_t capacity; /* a power of two; only a first page is below PAGE_ENTRIES */
    uint32_t used;
    struct visited_entry entries[];
};

static size_t page_size(uint32_t capacity)
{
    return sizeof(struct visited_page) + capacity * sizeof(struct visited_entry);
}

static struct visited_page *page_create(struct budget *budget, uint32_t capacity, uint32_t depth)
{
    struct visited_page *page = memory_allocate(budget, page_size(capacity));
    if (!page)
        return NULL;
    page->depth = depth;
    page->capacity = capacity;
    page->used = 0;
    memset(page->entries, 0xff, capacity * sizeof *page->entries); /* FREE */
    return page;
}

bool visited_init(struct visited *visited, const struct load_shape *shape, struct budget *budget)
{
    *visited = (struct visited){.budget = budget, .shape = shape};
    arrays_init(&visited->loads, budget);
    visited->directory = memory_zeroed(budget, sizeof(struct visited_page *));
    if (!visited->directory)
        return false;
    visited->directory[0] = page_create(budget, FIRST_ENTRIES, 0);
    return visited->directory[0] != NULL;
}

void visited_release(struct visited *visited)
{
    size_t count = (size_t)1 << visited->depth;
    for (size_t i = 0; visited->directory && i < count && visited->directory[i];) {
        struct visited_page *page = visited->directory[i];
        i += (size_t)1 << (visited->depth - page->depth);
        memory_release(visited->budget, page, page_size(page->capacity));
    }
    memory_release(visited->budget, visited->directory, count * sizeof *visited->directory);
    arrays_release(&visited->loads);
}

/* ---- Dominance ---- */

static const uint64_t *load_of(const struct visited *visited, const struct visited_entry *entry)
{
    return visited->shape->width == 1 ? &entry->load
                                      : arrays_get(&visited->loads, (uint32_t)entry->load);
}

/* Whether the same operations that change states have taken effect. */
static bool same_effects(const struct load_shape *shape, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t i = 0; i < shape->width; i++)
        if ((a[i] ^ b[i]) & shape->effects[i])
            return false;
    return true;
}

/* Given the same effects: whether `a` has all of b's reads, and no lane above b's. */
static bool dominates(const struct load_shape *shape, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t i = 0; i < shape->width; i++) {
        uint64_t guards = shape->guards[i], lanes = shape->lanes[i];
        if (b[i] & ~a[i] & shape->reads[i])
            return false;
        if (((((b[i] & lanes) | guards) - (a[i] & lanes)) & guards) != guards)
            return false;
    }
    return true;
}

/* ---- Pages ---- */

/* Of what those agree in that may dominate one another; with WHOLE in the event, of everything. */
static uint64_t hash_of(const struct load_shape *shape, uint32_t event, uint32_t state,
                        const uint64_t *load)
{
    uint64_t hash = (uint64_t)event << 32 | state;
    for (uint32_t i = 0; i < shape->width; i++)
        hash = hash_pair(hash, event & WHOLE ? load[i] : load[i] & shape->effects[i]);
    return hash;
}

static struct visited_page **page_of(const struct visited *visited, uint64_t hash)
{
    return &visited->directory[visited->depth ? hash >> (64 - visited->depth) : 0];
}

/* Puts an entry known to be new into a page that has room. */
static void page_put(struct visited_page *page, const struct visited_entry *entry, uint64_t hash)
{
    uint32_t mask = page->capacity - 1, at = (uint32_t)hash & mask;
    while (page->entries[at].event != FREE)
        at = (at + 1) & mask;
    page->entries[at] = *entry;
    page->used++;
    assert(page->used < page->capacity);
}

static void page_move(const struct visited *visited, const struct visited_page *from,
                      struct visited_page *low, struct visited_page *high)
{
    for (uint32_t i = 0; i < from->capacity; i++) {
        const struct visited_entry *entry = &from->entries[i];
        if (entry->event == FREE)
            continue;
        uint64_t hash =
            hash_of(visited->shape, entry->event, entry->state, load_of(visited, entry));
        page_put(high && hash >> (64 - high->depth) & 1 ? high : low, entry, hash);
    }
}

static bool directory_double(struct visited *visited)
{
    size_t count = (size_t)1 << visited->depth, size = sizeof *visited->directory;
    struct visited_page **directory = memory_allocate(visited->budget, 2 * count * size);
    if (!directory)
        return false;
    for (size_t i = 0; i < count; i++)
        directory[2 * i] = directory[2 * i + 1] = visited->directory[i];
    memory_release(visited->budget, visited->directory, count * size);
    visited->directory = directory;
    visited->depth++;
    return true;
}

/* Makes room where `hash` belongs. */
static bool page_grow(struct visited *visited, uint64_t hash)
{
    struct visited_page *full = *page_of(visited, hash);
    assert(full->depth <= visited->depth);
    if (full->capacity < PAGE_ENTRIES) { /* the only page */
        struct visited_page *larger = page_create(visited->budget, full->capacity * 4, 0);
        if (!larger)
            return false;
        page_move(visited, full, larger, NULL);
        visited->directory[0] = larger;
        memory_release(visited->budget, full, page_size(full->capacity));
        return true;
    }
    if (full->depth == visited->depth && !directory_double(visited))
        return false;
    struct visited_page *low = page_create(visited->budget, PAGE_ENTRIES, full->depth + 1);
    struct visited_page *high = page_create(visited->budget, PAGE_ENTRIES, full->depth + 1);
    if (!low || !high) {
        memory_release(visited->budget, low, page_size(PAGE_ENTRIES));
        memory_release(visited->budget, high, page_size(PAGE_ENTRIES));
        return false;
    }
    page_move(visited, full, low, high);
    size_t span = (size_t)1 << (visited->depth - full->depth);
    struct visited_page **first =
        &visited->directory[(size_t)(page_of(visited, hash) - visited->directory) & ~(span - 1)];
    for (size_t i = 0; i < span; i++)
        first[i] = i < span / 2 ? low : high;
    memory_release(visited->budget, full, page_size(full->capacity));
    return true;
}

/* What is kept in an entry of the load; false when a budget refuses. */
static bool keep_load(struct visited *visited, const uint64_t *load, uint64_t *kept)
{
    *kept = load[0];
    if (visited->shape->width == 1)
        return true;
    uint32_t number = arrays_intern(&visited->loads, load, visited->shape->width);
    *kept = number;
    return number != ARRAY_REFUSED;
}

static enum visit add(struct visited *visited, uint32_t event, uint32_t state, const uint64_t *load,
                      uint64_t hash)
{
    struct visited_entry entry = {.event = event, .state = state};
    if (!keep_load(visited, load, &entry.load))
        return VISIT_REFUSED;
    for (;;) {
        struct visited_page *page = *page_of(visited, hash);
        if (page->used < page->capacity / 4 * 3) {
            page_put(page, &entry, hash);
            return VISIT_NEW;
        }
        if (!page_grow(visited, hash))
            return VISIT_REFUSED;
    }
}

/* Meets a configuration that is kept, if at all, by its whole hash. */
static enum visit meet_whole(struct visited *visited, uint32_t event, uint32_t state,
                             const uint64_t *load)
{
    const struct load_shape *shape = visited->shape;
    event |= WHOLE;
    uint64_t hash = hash_of(shape, event, state, load);
    const struct visited_page *page = *page_of(visited, hash);
    uint32_t mask = page->capacity - 1;
    for (uint32_t at = (uint32_t)hash & mask; page->entries[at].event != FREE;
         at = (at + 1) & mask) {
        const struct visited_entry *entry = &page->entries[at];
        if (entry->event == event && entry->state == state &&
            memcmp(load_of(visited, entry), load, shape->width * sizeof *load) == 0)
            return VISIT_DOMINATED;
    }
    return add(visited, event, state, load, hash);
}

enum visit visited_meet(struct visited *visited, uint32_t event, uint32_t state,
                        const uint64_t *load)
{
    assert(event < WHOLE);
    const struct load_shape *shape = visited->shape;
    uint64_t hash = hash_of(shape, event, state, load);
    struct visited_page *page = *page_of(visited, hash);
    struct visited_entry *worse = NULL; /* one that the new configuration dominates */
    uint32_t mask = page->capacity - 1, alike = 0;
    for (uint32_t at = (uint32_t)hash & mask; page->entries[at].event != FREE;
         at = (at + 1) & mask) {
        struct visited_entry *entry = &page->entries[at];
        if (entry->event != event || entry->state != state)
            continue;
        const uint64_t *known = load_of(visited, entry);
        if (!same_effects(shape, known, load))
            continue;
        if (dominates(shape, known, load))
            return VISIT_DOMINATED;
        if (dominates(shape, load, known))
            worse = entry;
        alike++;
    }
    if (worse)
        return keep_load(visited, load, &worse->load) ? VISIT_NEW : VISIT_REFUSED;
    if (alike >= DOMINATING_MOST)
        return meet_whole(visited, event, state, load);
    return add(visited, event, state, load, hash);
}
