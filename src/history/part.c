/* Cutting a history into parts, in time linear in the history:
 *
 * 1. Every operation gets a node: one per object, independent key and key of the specification,
 *    found by hashing. An operation that touches several keys joins their nodes (union-find).
 * 2. Joined nodes are the parts, numbered by their first operation; counting gives each its room.
 * 3. A sweep over the positions gives the events of every part positions without gaps.
 * 4. The operations are bound a second time, now straight into place. That is cheaper than keeping
 *    them and moving them: values are interned, so binding is a few comparisons.
 *
 * Beside the 40 bytes of an interval an operation takes 4 bytes for its part and, where positions
 * change, 4 for each of its events, until the parts are there. */
#include "history/part.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "history/bind.h"

#define NONE UINT32_MAX

struct node {
    value key, independent;
    uint32_t parent; /* union-find: itself at a root */
    uint32_t part;   /* of a root; NONE before its first operation */
    uint16_t object;
    bool has_key, has_independent;
    bool joined; /* of a root: it has more than one key */
};

struct cutter {
    const struct history *history;
    struct budget *budget;
    struct binder binder;
    struct parts *parts;
    VECTOR(struct node) nodes;
    uint32_t *table; /* 1 + node, or 0; open addressing */
    size_t capacity; /* a power of two, or 0 */
    uint32_t *group; /* per operation its node, later its part; NONE if it failed */
    struct spec_keys keys;
};

static enum status refused(const struct cutter *cutter, struct error *error)
{
    return error_set(error, STATUS_LIMIT, cutter->history->name, 0, "the memory limit is reached");
}

static uint64_t node_hash(const struct node *node)
{
    return hash_pair(hash_pair(node->key, node->independent), node->object);
}

static bool node_same(const struct node *a, const struct node *b)
{
    return a->key == b->key && a->independent == b->independent && a->object == b->object &&
           a->has_key == b->has_key && a->has_independent == b->has_independent;
}

static bool table_grow(struct cutter *cutter)
{
    size_t capacity = cutter->capacity ? cutter->capacity * 2 : 64;
    uint32_t *table = memory_zeroed(cutter->budget, capacity * sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < cutter->nodes.length; i++) {
        size_t at = node_hash(&cutter->nodes.items[i]) & (capacity - 1);
        while (table[at])
            at = (at + 1) & (capacity - 1);
        table[at] = (uint32_t)i + 1;
    }
    memory_release(cutter->budget, cutter->table, cutter->capacity * sizeof *table);
    cutter->table = table;
    cutter->capacity = capacity;
    return true;
}

/* The node like `wanted`, added if there is none yet; NONE when refused. */
static uint32_t node_of(struct cutter *cutter, const struct node *wanted)
{
    if (cutter->nodes.length * 2 >= cutter->capacity && !table_grow(cutter))
        return NONE;
    size_t at = node_hash(wanted) & (cutter->capacity - 1);
    for (; cutter->table[at]; at = (at + 1) & (cutter->capacity - 1))
        if (node_same(&cutter->nodes.items[cutter->table[at] - 1], wanted))
            return cutter->table[at] - 1;
    uint32_t index = (uint32_t)cutter->nodes.length;
    if (!vector_push(&cutter->nodes, *wanted))
        return NONE;
    cutter->nodes.items[index].parent = index;
    cutter->nodes.items[index].part = NONE;
    cutter->table[at] = index + 1;
    return index;
}

/* The root of a node, halving the path on the way. */
static uint32_t find_root(struct cutter *cutter, uint32_t index)
{
    struct node *nodes = cutter->nodes.items;
    while (nodes[index].parent != index) {
        nodes[index].parent = nodes[nodes[index].parent].parent;
        index = nodes[index].parent;
    }
    return index;
}

/* The older node becomes the root, so the forest does not depend on hashes. */
static void join(struct cutter *cutter, uint32_t a, uint32_t b)
{
    a = find_root(cutter, a);
    b = find_root(cutter, b);
    if (a == b)
        return;
    uint32_t root = a < b ? a : b, other = a < b ? b : a;
    cutter->nodes.items[other].parent = root;
    cutter->nodes.items[root].joined = true;
}

/* The node of an operation; `bound` null: that of its object. NONE when refused. */
static uint32_t group_of(struct cutter *cutter, const struct operation *operation,
                         const struct bound *bound)
{
    struct node node = {.object = operation->object};
    if (!bound)
        return node_of(cutter, &node);
    const struct spec *spec = bound->spec;
    node.independent = bound->independent;
    node.has_independent = bound->has_independent;
    cutter->keys.items.length = 0;
    if (spec->class->keys && !cutter->binder.options->whole &&
        !spec->class->keys(spec, &bound->call, &cutter->keys))
        return NONE;
    uint32_t first = NONE;
    for (size_t i = 0; i < cutter->keys.items.length; i++) {
        node.key = cutter->keys.items.items[i];
        node.has_key = true;
        uint32_t found = node_of(cutter, &node);
        if (found == NONE)
            return NONE;
        if (first == NONE)
            first = found;
        else
            join(cutter, first, found);
    }
    return first == NONE ? node_of(cutter, &node) : first;
}

/* What is wrong with operation `last`, or with one before it that was not looked at yet: the first
 * fault of the file is reported. */
static enum status first_fault(struct cutter *cutter, uint32_t last, struct error *error)
{
    struct bound bound;
    for (uint32_t i = 0; i < last; i++)
        TRY(binder_bind(&cutter->binder, i, &bound, error));
    return binder_bind(&cutter->binder, last, &bound, error);
}

/* Step 1. Only what is split, or failed and is not looked at again, needs to be bound for it. */
static enum status group_operations(struct cutter *cutter, struct error *error)
{
    const struct history *history = cutter->history;
    for (uint32_t i = 0; i < history->operations.length; i++) {
        const struct operation *operation = &history->operations.items[i];
        bool failed = operation->outcome == OUTCOME_FAIL, splits;
        struct bound bound = {0};
        TRY(binder_meet(&cutter->binder, i, &bound.spec, &splits, error));
        if ((failed || splits) && binder_bind(&cutter->binder, i, &bound, NULL) != STATUS_OK)
            return first_fault(cutter, i, error);
        cutter->group[i] = NONE;
        if (failed)
            continue;
        cutter->group[i] = group_of(cutter, operation, splits ? &bound : NULL);
        if (cutter->group[i] == NONE)
            return refused(cutter, error);
    }
    return binder_check_all_used(&cutter->binder, error);
}

static bool part_add(struct cutter *cutter, const struct node *root, const struct spec *spec)
{
    bool one_key = root->has_key && !root->joined;
    struct part part = {.spec = spec,
                        .key = one_key ? root->key : VALUE_NIL,
                        .has_key = one_key,
                        .independent = root->independent,
                        .has_independent = root->has_independent,
                        .object = root->object};
    return vector_push(&cutter->parts->items, part);
}

/* Step 2: from nodes to parts, in the order of their first operation, with room for the intervals.
 */
static enum status create_parts(struct cutter *cutter, struct error *error)
{
    const struct history *history = cutter->history;
    struct parts *parts = cutter->parts;
    for (uint32_t i = 0; i < history->operations.length; i++) {
        const struct operation *operation = &history->operations.items[i];
        if (cutter->group[i] == NONE)
            continue;
        struct node *root = &cutter->nodes.items[find_root(cutter, cutter->group[i])];
        if (root->part == NONE) {
            root->part = (uint32_t)parts->items.length;
            if (!part_add(cutter, root, binder_spec(&cutter->binder, operation)))
                return refused(cutter, error);
        }
        struct part *part = &parts->items.items[root->part];
        cutter->group[i] = root->part;
        part->count++;
        part->pending += operation->outcome != OUTCOME_OK;
        parts->interval_count++;
    }
    parts->intervals =
        memory_allocate(cutter->budget, parts->interval_count * sizeof *parts->intervals);
    if (!parts->intervals)
        return refused(cutter, error);
    struct interval *next = parts->intervals;
    for (size_t i = 0; i < parts->items.length; i++) {
        parts->items.items[i].intervals = next;
        next += parts->items.items[i].count;
    }
    return STATUS_OK;
}

/* Step 3: replaces, in a table of all positions, each event's by that within its part. */
static void number_events(struct cutter *cutter, uint32_t *places)
{
    const struct history *history = cutter->history;
    memset(places, 0xff, history->positions * sizeof *places);
    for (uint32_t i = 0; i < history->operations.length; i++) {
        const struct operation *operation = &history->operations.items[i];
        if (cutter->group[i] == NONE)
            continue;
        places[operation->invoke] = cutter->group[i];
        if (operation->outcome == OUTCOME_OK)
            places[operation->response] = cutter->group[i];
    }
    struct part *parts = cutter->parts->items.items;
    for (uint32_t i = 0; i < history->positions; i++)
        if (places[i] != NONE)
            places[i] = parts[places[i]].positions++;
}

/* Step 4; `places` null: positions stay as they are. Counts each part's intervals once more. */
static enum status place_intervals(struct cutter *cutter, const uint32_t *places,
                                   struct error *error)
{
    const struct history *history = cutter->history;
    struct part *parts = cutter->parts->items.items;
    for (size_t i = 0; i < cutter->parts->items.length; i++)
        parts[i].count = 0;
    for (uint32_t i = 0; i < history->operations.length; i++) {
        const struct operation *operation = &history->operations.items[i];
        if (cutter->group[i] == NONE)
            continue;
        struct bound bound;
        TRY(binder_bind(&cutter->binder, i, &bound, error));
        struct part *part = &parts[cutter->group[i]];
        size_t offset = (size_t)(part->intervals - cutter->parts->intervals) + part->count++;
        uint32_t response = operation->response;
        if (operation->outcome != OUTCOME_OK)
            response = POSITION_NEVER;
        else if (places)
            response = places[response];
        cutter->parts->intervals[offset] =
            (struct interval){.call = bound.call,
                              .invoke = places ? places[operation->invoke] : operation->invoke,
                              .response = response,
                              .index = i};
    }
    return STATUS_OK;
}

static enum status fill_parts(struct cutter *cutter, struct error *error)
{
    const struct history *history = cutter->history;
    struct parts *parts = cutter->parts;
    struct part *first = parts->items.length ? &parts->items.items[0] : NULL;
    if (first && parts->items.length == 1 &&
        history->positions == 2 * first->count - first->pending) {
        first->positions = history->positions;
        return place_intervals(cutter, NULL, error);
    }
    size_t size = history->positions * sizeof(uint32_t);
    uint32_t *places = memory_allocate(cutter->budget, size);
    if (!places)
        return refused(cutter, error);
    number_events(cutter, places);
    enum status status = place_intervals(cutter, places, error);
    memory_release(cutter->budget, places, size);
    return status;
}

enum status parts_create(const struct history *history, const struct bind_options *options,
                         struct parts *parts, struct error *error)
{
    struct budget *budget = history->budget;
    size_t size = history->operations.length * sizeof(uint32_t);
    *parts = (struct parts){.budget = budget};
    vector_init(&parts->items, budget);
    struct cutter cutter = {.history = history, .budget = budget, .parts = parts};
    vector_init(&cutter.nodes, budget);
    vector_init(&cutter.keys.items, budget);
    TRY(binder_create(history, options, &cutter.binder, error));
    cutter.group = memory_allocate(budget, size);
    enum status status = cutter.group ? STATUS_OK : refused(&cutter, error);
    if (status == STATUS_OK)
        status = group_operations(&cutter, error);
    if (status == STATUS_OK)
        status = create_parts(&cutter, error);
    memory_release(budget, cutter.table, cutter.capacity * sizeof *cutter.table);
    vector_release(&cutter.nodes);
    vector_release(&cutter.keys.items);
    if (status == STATUS_OK)
        status = fill_parts(&cutter, error);
    memory_release(budget, cutter.group, size);
    binder_release(&cutter.binder);
    if (status != STATUS_OK)
        parts_release(parts);
    return status;
}

void parts_release(struct parts *parts)
{
    memory_release(parts->budget, parts->intervals,
                   parts->interval_count * sizeof *parts->intervals);
    vector_release(&parts->items);
    parts->intervals = NULL;
    parts->interval_count = 0;
}
