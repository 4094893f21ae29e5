/* Components by Tarjan's algorithm (1972), without recursion; then, in each, breadth first over
 * pairs of a node and the threads that have done their part, from its first node back to it. */
#include "scenario/lasso.h"

#include <string.h>

#include "base/vector.h"

enum {
    CHANGED = 1 << EXECUTION_THREADS, /* of a set of threads: memory has changed */
    SETS = CHANGED * 2,
    NOBODY = 0xff,
    WORDS = 5 /* of each node, in a walk */
};

struct walk {
    const struct lasso_node *nodes;
    uint32_t count;
    uint32_t *low, *number, *component; /* of each node; number: from 1, 0 is not met yet */
    uint32_t *open, *path;              /* stacks of nodes */
    uint8_t *next;                      /* of each node on the path: the thread that comes next */
    uint32_t components;
};

static void close_component(struct walk *walk, uint32_t node, uint32_t *open_count)
{
    uint32_t taken;
    do {
        taken = walk->open[--*open_count];
        walk->component[taken] = walk->components;
    } while (taken != node);
    walk->components++;
}

/* All that is reached from the first node, which is all there is. */
static void find_components(struct walk *walk)
{
    uint32_t numbered = 0, open_count = 0, depth = 0;
    walk->path[depth++] = 0;
    while (depth > 0) {
        uint32_t node = walk->path[depth - 1];
        if (walk->number[node] == 0) {
            walk->number[node] = walk->low[node] = ++numbered;
            walk->open[open_count++] = node;
        }
        if (walk->next[node] < EXECUTION_THREADS) {
            int32_t to = walk->nodes[node].to[walk->next[node]++];
            if (to >= 0 && walk->number[to] == 0)
                walk->path[depth++] = (uint32_t)to;
            else if (to >= 0 && walk->component[to] == UINT32_MAX &&
                     walk->number[to] < walk->low[node])
                walk->low[node] = walk->number[to];
            continue;
        }
        if (walk->low[node] == walk->number[node])
            close_component(walk, node, &open_count);
        depth--;
        if (depth > 0 && walk->low[node] < walk->low[walk->path[depth - 1]])
            walk->low[walk->path[depth - 1]] = walk->low[node];
    }
}

/* A component, its nodes numbered anew. */
struct part {
    uint32_t *nodes, *place; /* place: of each node of the whole graph */
    uint32_t count;
    unsigned able; /* threads that can step somewhere */
    bool is_closed, changes;
};

static void take_part(const struct walk *walk, uint32_t component, struct part *part)
{
    *part = (struct part){.nodes = walk->open, .place = walk->low, .is_closed = true};
    for (uint32_t i = 0; i < walk->count; i++) {
        if (walk->component[i] != component)
            continue;
        part->place[i] = part->count;
        part->nodes[part->count++] = i;
        for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++) {
            int32_t to = walk->nodes[i].to[thread];
            bool stays = to >= 0 && walk->component[to] == component;
            part->able |= to != LASSO_NOWHERE ? 1U << thread : 0;
            part->is_closed &= to == LASSO_NOWHERE || stays;
            part->changes |= stays && walk->nodes[i].changes >> thread & 1;
        }
    }
}

struct visit {
    int32_t from; /* the visit before; LASSO_NOWHERE: not there yet */
    uint8_t by;
};

static unsigned behind_step(const struct lasso_node *node, unsigned thread, bool each_changes,
                            unsigned set)
{
    bool changes = node->changes >> thread & 1;
    set |= changes ? CHANGED : 0;
    return changes || !each_changes ? set | 1U << thread : set;
}

/* Writes the steps of a way down, from its end. */
static bool write_steps(const struct walk *walk, const struct part *part,
                        const struct visit *visits, int32_t last, struct lasso *lasso)
{
    unsigned circle = 0, stem = 0;
    for (int32_t at = last; visits[at].by != NOBODY; at = visits[at].from)
        circle++;
    for (uint32_t node = part->nodes[0]; walk->nodes[node].parent >= 0;
         node = (uint32_t)walk->nodes[node].parent)
        stem++;
    if (stem + circle > EXECUTION_EVENTS)
        return false;
    lasso->stem = stem;
    lasso->length = stem + circle;
    for (int32_t at = last; visits[at].by != NOBODY; at = visits[at].from)
        lasso->steps[stem + --circle] = visits[at].by;
    for (uint32_t node = part->nodes[0]; walk->nodes[node].parent >= 0;
         node = (uint32_t)walk->nodes[node].parent)
        lasso->steps[--stem] = walk->nodes[node].by;
    return true;
}

/* A shortest circle from the first node of a part on which all that is needed happens. */
static bool go_round(const struct walk *walk, const struct part *part, bool each_changes,
                     struct visit *visits, uint32_t *queue, struct lasso *lasso)
{
    unsigned needed = part->able | CHANGED;
    uint32_t head = 0, tail = 0;
    for (size_t i = 0; i < (size_t)part->count * SETS; i++)
        visits[i].from = LASSO_NOWHERE;
    visits[0] = (struct visit){.from = 0, .by = NOBODY};
    queue[tail++] = 0;
    while (head < tail) {
        uint32_t visit = queue[head++];
        const struct lasso_node *node = &walk->nodes[part->nodes[visit / SETS]];
        for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++) {
            int32_t to = node->to[thread];
            if (to < 0 || walk->component[to] != walk->component[part->nodes[0]])
                continue;
            unsigned set = behind_step(node, thread, each_changes, visit % SETS);
            uint32_t reached = part->place[to] * SETS + set;
            if (visits[reached].from != LASSO_NOWHERE)
                continue;
            visits[reached] = (struct visit){.from = (int32_t)visit, .by = (uint8_t)thread};
            if (part->place[to] == 0 && set == needed)
                return write_steps(walk, part, visits, (int32_t)reached, lasso);
            queue[tail++] = reached;
        }
    }
    return false;
}

static bool look_at_part(const struct walk *walk, const struct part *part, struct budget *budget,
                         struct lasso *lasso)
{
    size_t size = (size_t)part->count * SETS;
    if (!part->changes)
        return false;
    struct visit *visits = memory_allocate(budget, size * sizeof *visits);
    uint32_t *queue = memory_allocate(budget, size * sizeof *queue);
    lasso->is_closed = part->is_closed;
    bool found = visits && queue && go_round(walk, part, !part->is_closed, visits, queue, lasso);
    memory_release(budget, visits, size * sizeof *visits);
    memory_release(budget, queue, size * sizeof *queue);
    return found;
}

/* Finds the components. False: memory was refused. */
static bool open_walk(struct walk *walk, const struct lasso_node *nodes, uint32_t count,
                      struct budget *budget)
{
    *walk = (struct walk){.nodes = nodes, .count = count};
    walk->number = memory_zeroed(budget, (size_t)count * WORDS * sizeof(uint32_t));
    walk->next = memory_zeroed(budget, count);
    if (!walk->number || !walk->next)
        return false;
    walk->low = walk->number + count;
    walk->component = walk->low + count;
    walk->open = walk->component + count;
    walk->path = walk->open + count;
    memset(walk->component, 0xff, count * sizeof *walk->component);
    find_components(walk);
    return true;
}

static void close_walk(struct walk *walk, struct budget *budget)
{
    memory_release(budget, walk->number, (size_t)walk->count * WORDS * sizeof(uint32_t));
    memory_release(budget, walk->next, walk->count);
}

bool lasso_find(const struct lasso_node *nodes, uint32_t count, uint32_t *from,
                struct budget *budget, struct lasso *lasso)
{
    struct walk walk;
    bool found = false;
    if (open_walk(&walk, nodes, count, budget))
        for (; !found && *from < walk.components; ++*from) {
            struct part part;
            take_part(&walk, *from, &part);
            found = look_at_part(&walk, &part, budget, lasso);
        }
    close_walk(&walk, budget);
    return found;
}

bool lasso_is_closed(const struct lasso_node *nodes, uint32_t count, uint32_t node,
                     struct budget *budget)
{
    struct walk walk;
    bool closed = false;
    if (open_walk(&walk, nodes, count, budget)) {
        struct part part;
        take_part(&walk, walk.component[node], &part);
        closed = part.is_closed;
    }
    close_walk(&walk, budget);
    return closed;
}
