/* Cutting a history into parts, in time linear in the history:
 *
 * 1. Every operation is bound, and gets a node: one per object, independent key and key of the
 *    specification, found by hashing. One that touches several keys joins their nodes (union-find).
 * 2. Joined nodes are the parts, numbered by their first operation; their counts give each its
 * room.
 * 3. A sweep over all positions gives the events of every part positions without gaps.
 * 4. The intervals, so far in the order of the history, are copied to their parts. In place, one
 *    exchange after the other, would save the copy's room, but each would wait for the memory that
 *    the one before names: with very many parts that takes most of the time.
 *
 * Beside the 40 bytes of its interval an operation takes 4 bytes for its part, where positions
 * change 4 for each of its events, and with several parts 40 for the copy, until the parts are
 * there. */
#include "history/part.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "history/bind.h"
#include "history/keyed_results.h"

#define NONE UINT32_MAX

struct node {
    const struct spec *spec;
    value key, independent;
    uint32_t parent;         /* union-find: itself at a root */
    uint32_t part;           /* from step 2 on */
    uint32_t count, pending; /* its operations; those of several nodes count for the first */
    uint16_t object;
    bool has_key, has_independent;
    bool joined; /* of a root: it has more than one key */
    bool keyed_results;
};

struct cutter {
    const struct history *history;
    struct budget *budget;
    struct binder binder;
    struct parts *parts;
    VECTOR(struct node) nodes;
    uint32_t *table; /* 1 + node, or 0; open addressing */
    size_t capacity; /* a power of two, or 0 */
    uint32_t *group; /* per interval: its node, then its part */
    bool joined;     /* some node has been joined to another */
    struct spec_keys keys;
};

static enum status refused(const struct cutter *cutter, struct error *error)
{
    return error_set(error, STATUS_LIMIT, cutter->history->name, 0, "the memory limit is reached");
}

/* Where a node is looked for in the table: at first where its key says, so that keys which are near
 * one another, as those in use at a time often are, are near in memory; then, as in CPython's
 * dictionaries, at places that more and more of the bits decide, all places in the end. (The order
 * of hashes, which base/table.h keeps, would put such keys far from one another.) */
struct probe {
    uint64_t at, rest;
};

static struct probe probe_first(const struct node *node)
{
    uint64_t start = (node->key >> 3) + hash_word(node->independent) + node->object;
    return (struct probe){.at = start, .rest = start};
}

static void probe_next(struct probe *probe)
{
    probe->rest >>= 5;
    probe->at = probe->at * 5 + probe->rest + 1;
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
        struct probe probe = probe_first(&cutter->nodes.items[i]);
        while (table[probe.at & (capacity - 1)])
            probe_next(&probe);
        table[probe.at & (capacity - 1)] = (uint32_t)i + 1;
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
    struct probe probe = probe_first(wanted);
    uint32_t *slot;
    while (*(slot = &cutter->table[probe.at & (cutter->capacity - 1)])) {
        if (node_same(&cutter->nodes.items[*slot - 1], wanted))
            return *slot - 1;
        probe_next(&probe);
    }
    uint32_t index = (uint32_t)cutter->nodes.length;
    if (!vector_push(&cutter->nodes, *wanted))
        return NONE;
    cutter->nodes.items[index].parent = index;
    *slot = index + 1;
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

static void join(struct cutter *cutter, uint32_t a, uint32_t b)
{
    a = find_root(cutter, a);
    b = find_root(cutter, b);
    if (a == b)
        return;
    cutter->nodes.items[b].parent = a;
    cutter->nodes.items[a].joined = true;
    cutter->joined = true;
}

/* The node of an operation; NONE when refused. */
static uint32_t node_of_operation(struct cutter *cutter, uint16_t object, const struct bound *bound)
{
    const struct spec *spec = bound->spec;
    struct node node = {.spec = spec,
                        .independent = bound->independent,
                        .has_independent = bound->has_independent,
                        .object = object,
                        .keyed_results = bound->keyed_results};
    if (!spec->class->keys || cutter->binder.options->whole)
        return node_of(cutter, &node);
    cutter->keys.items.length = 0;
    if (!spec->class->keys(spec, &bound->call, &cutter->keys))
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

/* Step 1. Failed operations are bound as well, since they may be wrong, and left out. */
static enum status bind_operations(struct cutter *cutter, struct error *error)
{
    const struct history *history = cutter->history;
    struct parts *parts = cutter->parts;
    size_t count = 0;
    for (uint32_t i = 0; i < history->operations.length; i++) {
        const struct operation *operation = &history->operations.items[i];
        bool completed = operation->outcome == OUTCOME_OK;
        struct bound bound;
        TRY(binder_bind(&cutter->binder, i, &bound, error));
        if (operation->outcome == OUTCOME_FAIL)
            continue;
        uint32_t node = node_of_operation(cutter, operation->object, &bound);
        if (node == NONE)
            return refused(cutter, error);
        cutter->nodes.items[node].count++;
        cutter->nodes.items[node].pending += !completed;
        cutter->group[count] = node;
        bound.call.number = i;
        parts->intervals[count++] =
            (struct interval){.call = bound.call,
                              .invoke = operation->invoke,
                              .response = completed ? operation->response : POSITION_NEVER,
                              .index = i};
    }
    parts->keyed_results = binder_has_keyed_results(&cutter->binder);
    return binder_check_all_used(&cutter->binder, error);
}

static bool part_add(struct cutter *cutter, const struct node *root)
{
    bool one_key = root->has_key && !root->joined;
    struct part part = {.spec = root->spec,
                        .key = one_key ? root->key : VALUE_NIL,
                        .has_key = one_key,
                        .independent = root->independent,
                        .has_independent = root->has_independent,
                        .processes = cutter->history->processes.items,
                        .object = root->object,
                        .keyed_results = root->keyed_results};
    return vector_push(&cutter->parts->items, part);
}

/* Step 2. Nodes are in the order of their first operations, so each part is met first at the node
 * of its first operation. Roots may come later than others of their part. */
static enum status create_parts(struct cutter *cutter, struct error *error)
{
    struct parts *parts = cutter->parts;
    struct node *nodes = cutter->nodes.items;
    for (uint32_t i = 0; i < cutter->nodes.length; i++)
        nodes[i].part = NONE;
    for (uint32_t i = 0; i < cutter->nodes.length; i++) {
        struct node *root = &nodes[find_root(cutter, i)];
        if (root->part == NONE) {
            root->part = (uint32_t)parts->items.length;
            if (!part_add(cutter, root))
                return refused(cutter, error);
        }
        struct part *part = &parts->items.items[root->part];
        part->count += nodes[i].count;
        part->pending += nodes[i].pending;
        nodes[i].part = root->part;
    }
    for (size_t i = 0; cutter->joined && i < parts->interval_count; i++)
        cutter->group[i] = nodes[cutter->group[i]].part;
    return STATUS_OK;
}

/* Step 3: `places` is a table of all positions of the history, `next` one of all parts. */
static void number_events(struct cutter *cutter, uint32_t *places, uint32_t *next)
{
    struct interval *intervals = cutter->parts->intervals;
    size_t count = cutter->parts->interval_count;
    memset(places, 0xff, cutter->history->positions * sizeof *places);
    memset(next, 0, cutter->parts->items.length * sizeof *next);
    for (size_t i = 0; i < count; i++) {
        places[intervals[i].invoke] = cutter->group[i];
        if (intervals[i].response != POSITION_NEVER)
            places[intervals[i].response] = cutter->group[i];
    }
    for (uint32_t i = 0; i < cutter->history->positions; i++)
        if (places[i] != NONE)
            places[i] = next[places[i]]++;
    for (size_t i = 0; i < count; i++) {
        intervals[i].invoke = places[intervals[i].invoke];
        if (intervals[i].response != POSITION_NEVER)
            intervals[i].response = places[intervals[i].response];
    }
}

/* Step 4. False when refused. */
static bool move_intervals(struct cutter *cutter, uint32_t *next)
{
    struct parts *parts = cutter->parts;
    size_t size = parts->interval_count * sizeof *parts->intervals;
    struct interval *moved = memory_allocate(cutter->budget, size);
    if (!moved)
        return false;
    for (size_t i = 0; i < parts->items.length; i++)
        next[i] = (uint32_t)(parts->items.items[i].intervals - parts->intervals);
    for (size_t i = 0; i < parts->interval_count; i++)
        moved[next[cutter->group[i]]++] = parts->intervals[i];
    for (size_t i = 0; i < parts->items.length; i++)
        parts->items.items[i].intervals =
            moved + (parts->items.items[i].intervals - parts->intervals);
    memory_release(cutter->budget, parts->intervals, size);
    parts->intervals = moved;
    return true;
}

/* Whether the part is all of the history, and so has its positions already. */
static bool is_whole(const struct cutter *cutter, const struct part *part)
{
    return part->count == cutter->parts->interval_count &&
           part->positions == cutter->history->positions;
}

static enum status arrange_intervals(struct cutter *cutter, struct error *error)
{
    struct parts *parts = cutter->parts;
    const struct interval *next_interval = parts->intervals;
    size_t length = parts->items.length;
    for (size_t i = 0; i < length; i++) {
        struct part *part = &parts->items.items[i];
        part->positions = 2 * part->count - part->pending;
        part->intervals = next_interval;
        next_interval += part->count;
    }
    if (length > 0 && is_whole(cutter, &parts->items.items[0]))
        return STATUS_OK;
    size_t places_size = cutter->history->positions * sizeof(uint32_t);
    size_t next_size = length * sizeof(uint32_t);
    uint32_t *places = memory_allocate(cutter->budget, places_size);
    uint32_t *next = memory_allocate(cutter->budget, next_size);
    bool done = places && next;
    if (done)
        number_events(cutter, places, next);
    memory_release(cutter->budget, places, places_size);
    if (done && length > 1)
        done = move_intervals(cutter, next);
    memory_release(cutter->budget, next, next_size);
    return done ? STATUS_OK : refused(cutter, error);
}

static enum status cut(struct cutter *cutter, struct error *error)
{
    const struct history *history = cutter->history;
    struct parts *parts = cutter->parts;
    for (size_t i = 0; i < history->operations.length; i++)
        parts->interval_count += history->operations.items[i].outcome != OUTCOME_FAIL;
    size_t count = parts->interval_count, size = count * sizeof *cutter->group;
    parts->intervals = memory_allocate(cutter->budget, count * sizeof *parts->intervals);
    cutter->group = memory_allocate(cutter->budget, size);
    enum status status = STATUS_OK;
    if (!parts->intervals || !cutter->group)
        status = refused(cutter, error);
    if (status == STATUS_OK)
        status = bind_operations(cutter, error);
    if (status == STATUS_OK)
        status = create_parts(cutter, error);
    memory_release(cutter->budget, cutter->table, cutter->capacity * sizeof *cutter->table);
    vectors_release(&cutter->nodes, &cutter->keys.items);
    if (status == STATUS_OK)
        status = arrange_intervals(cutter, error);
    memory_release(cutter->budget, cutter->group, size);
    return status;
}

enum status parts_create(const struct history *history, const struct bind_options *options,
                         struct parts *parts, struct error *error)
{
    struct budget *budget = history->budget;
    *parts = (struct parts){.budget = budget};
    vector_init(&parts->items, budget);
    struct cutter cutter = {.history = history, .budget = budget, .parts = parts};
    vectors_init(budget, &cutter.nodes, &cutter.keys.items);
    TRY(binder_create(history, options, &cutter.binder, error));
    enum status status = keyed_results_read(&cutter.binder, error);
    if (status == STATUS_OK)
        status = cut(&cutter, error);
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
