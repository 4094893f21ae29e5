/* Only the node that each was found from is kept: the edge between the two is the first that leads
 * from one to the other, since edges are followed in their order. */
#include "explore/shortest_way.h"

#include <assert.h>
#include <string.h>

struct walk {
    struct shortest_way *way;
    const struct way_edges *edges;
    void *self; /* of `edges` */
    struct finder finder;
    uint32_t last; /* the node whose edge ends the way; NODE_NONE: none did yet */
    uint32_t number;
};

void shortest_way_init(struct shortest_way *way, struct budget *budget)
{
    vectors_init(budget, &way->steps, &way->met.words);
    nodes_init(&way->nodes, &nodes_are_states, &way->met, budget);
    vector_init(&way->path.items, budget);
}

void shortest_way_release(struct shortest_way *way)
{
    vectors_release(&way->steps, &way->met.words);
    nodes_release(&way->nodes);
    vector_release(&way->path.items);
}

static enum status visit(void *self, uint32_t node, bool *stop)
{
    struct walk *walk = self;
    const uint32_t here = nodes_get(&walk->way->nodes, node).state;
    for (uint32_t number = 0;; number++) {
        uint32_t target = NODE_NONE;
        TRY(walk->edges->edge(walk->self, here, number, &target, stop));
        if (target == NODE_NONE)
            return STATUS_OK;
        if (*stop) {
            walk->last = node;
            walk->number = number;
            return STATUS_OK;
        }
        if (target != here)
            TRY(finder_find(&walk->finder, target, 0, node));
    }
}

static enum status found_nodes(void *self, uint32_t *count)
{
    return finder_settle(&((struct walk *)self)->finder, count);
}

/* Appends the step by which the search came from one node to another. */
static enum status write_step(struct walk *walk, uint32_t from, uint32_t to)
{
    for (uint32_t number = 0;; number++) {
        uint32_t target = NODE_NONE;
        bool ends = false;
        TRY(walk->edges->edge(walk->self, from, number, &target, &ends));
        assert(target != NODE_NONE && !ends); /* `to` was found from there, and did not end it */
        if (target == to)
            return granted(vector_push(&walk->way->steps, ((struct way_step){from, number})));
    }
}

static enum status write_way(struct walk *walk)
{
    struct shortest_way *way = walk->way;
    way->path.items.length = 0;
    TRY_MEMORY(nodes_path(&way->nodes, walk->last, &way->path));
    const uint32_t *path = way->path.items.items;
    for (size_t i = 1; i < way->path.items.length; i++) {
        const struct search_node to = nodes_get(&way->nodes, path[i]);
        assert(path[i - 1] < path[i] &&
               to.parent == path[i - 1]); /* found before what it leads to */
        TRY(write_step(walk, nodes_get(&way->nodes, to.parent).state, to.state));
    }
    const struct way_step last = {nodes_get(&way->nodes, walk->last).state, walk->number};
    return granted(vector_push(&way->steps, last));
}

static enum status walk_all(struct walk *walk, struct explorer *explorer, const uint32_t *from,
                            size_t count)
{
    static const struct visitor visitor = {.visit = visit, .found = found_nodes};
    for (size_t i = 0; i < count; i++)
        TRY(finder_find(&walk->finder, from[i], 0, NODE_NONE));
    TRY(explore(explorer, &visitor, walk));
    if (walk->last == NODE_NONE)
        return STATUS_OK;
    TRY(write_way(walk));
    assert(walk->way->steps.length ==
           explorer->depth + 1); /* of the level that was taken up last */
    return STATUS_OK;
}

enum status shortest_way_find(struct shortest_way *way, const struct way_edges *edges, void *self,
                              const uint32_t *from, size_t count, bool *found)
{
    struct walk walk = {.way = way, .edges = edges, .self = self, .last = NODE_NONE};
    struct explorer explorer;
    node_list_clear(&way->nodes.items);
    way->steps.length = way->met.words.length = 0;
    finder_init(&walk.finder, &way->nodes, false);
    explorer_init(&explorer, EXPLORE_OLDEST_FIRST, NULL, way->nodes.items.chunks.budget);
    enum status status = walk_all(&walk, &explorer, from, count);
    explorer_release(&explorer);
    *found = status == STATUS_OK && walk.last != NODE_NONE;
    return status;
}
