/* Invariants: the pieces divide the open nodes, in their order; the first node of each is on the
 * path, and the path runs through the pieces one after the other. Where the first node of the last
 * piece is left, nothing in it leads to an older open node, and the component is complete. */
#include "explore/components.h"

#include <assert.h>

bool components_init(struct components *components, const struct components_of *of, void *self,
                     uint32_t nodes, struct budget *budget)
{
    *components = (struct components){.of = of, .self = self};
    depth_first_init(&components->search, budget);
    vectors_init(budget, &components->known, &components->open, &components->pieces);
    if (!vector_reserve(&components->known, nodes))
        return false;
    for (uint32_t node = 0; node < nodes; node++)
        components->known.items[node] = 0;
    components->known.length = nodes;
    return true;
}

void components_release(struct components *components)
{
    depth_first_release(&components->search);
    vectors_release(&components->known, &components->open, &components->pieces);
}

void components_forget(struct components *components, uint32_t node)
{
    assert(components_get(components, node) != NODE_NONE); /* else it is still needed */
    components->known.items[node] = 0;
}

/* A node becomes open, in a piece of its own. */
static enum status add_piece(struct components *components, uint32_t node)
{
    const uint32_t place = (uint32_t)components->open.length;
    const struct component_piece piece = {.first = place, .led_by = components->marks};
    if (place >= COMPONENT_COMPLETE - 1 || !vector_push(&components->open, node) ||
        !vector_push(&components->pieces, piece))
        return STATUS_LIMIT;
    components->known.items[node] = place + 1;
    assert(components->pieces.length <= components->open.length); /* none is empty */
    return STATUS_OK;
}

/* The edge followed last leads to the open node at that place: what is above its piece becomes part
 * of it. */
static void join_pieces(struct components *components, uint32_t place)
{
    uint64_t marks = components->marks;
    struct component_piece *piece = &components->pieces.items[components->pieces.length - 1];
    for (; piece->first > place; piece--) {
        assert(components->pieces.length > 1 && piece[-1].first < piece->first);
        marks |= piece->marks | piece->led_by;
        components->pieces.length--;
    }
    assert(piece->first <= place); /* the piece that has the node */
    piece->marks |= marks;
    piece->cyclic = true;
}

static enum status meet(void *self, uint32_t node, bool *enter)
{
    struct components *components = self;
    while (components->known.length <= node)
        TRY_MEMORY(vector_push(&components->known, 0));
    const uint32_t known = components->known.items[node];
    *enter = known == 0;
    if (*enter)
        return add_piece(components, node);
    if (known & COMPONENT_COMPLETE)
        return STATUS_OK;
    assert(known <= components->open.length && components->open.items[known - 1] == node);
    join_pieces(components, known - 1);
    return components->of->closed
               ? components->of->closed(components->self, &components->search.stop)
               : STATUS_OK;
}

static enum status edge(void *self, uint32_t node, uint32_t number, uint32_t *target)
{
    struct components *components = self;
    return components->of->edge(components->self, node, number, target);
}

/* The nodes of the last piece are a component: those met last first. */
static enum status complete(struct components *components)
{
    const uint32_t first = components_piece(components)->first;
    const uint32_t count = (uint32_t)components->open.length - first;
    uint32_t *members = components->open.items + first;
    if (components->count >= COMPONENT_COMPLETE - 1)
        return STATUS_LIMIT;
    for (uint32_t i = 0, j = count - 1; i < j; i++, j--) {
        const uint32_t swapped = members[i];
        members[i] = members[j];
        members[j] = swapped;
    }
    for (uint32_t i = 0; i < count; i++)
        components->known.items[members[i]] = COMPONENT_COMPLETE | components->count;
    components->count++;
    components->open.length = first;
    if (components->of->complete)
        TRY(components->of->complete(components->self, members, count, &components->search.stop));
    components->pieces.length--;
    return STATUS_OK;
}

static enum status leave(void *self, uint32_t node)
{
    struct components *components = self;
    const uint32_t first = components_piece(components)->first;
    assert(first < components->known.items[node]); /* it is in the last piece */
    return components->open.items[first] == node ? complete(components) : STATUS_OK;
}

enum status components_from(struct components *components, uint32_t root)
{
    static const struct depth_visitor visitor = {meet, edge, leave};
    if (components_met(components, root))
        return STATUS_OK;
    components->marks = 0;
    return depth_first_from(&components->search, &visitor, components, root);
}
