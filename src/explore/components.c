/* Open nodes are those whose component is not complete, in the order in which they were met. The
 * members of one component lie together there, from the one that was met first (its root) on: `low`
 * of a node is its own index exactly if it is a root when it is left. */
#include "explore/components.h"

#include <assert.h>

bool components_init(struct components *components, const struct components_of *of, void *self,
                     uint32_t nodes, struct budget *budget)
{
    *components = (struct components){.of = of, .self = self};
    depth_first_init(&components->search, budget);
    vector_init(&components->index, budget);
    vector_init(&components->low, budget);
    vector_init(&components->component, budget);
    vector_init(&components->open, budget);
    if (!vector_reserve(&components->index, nodes) || !vector_reserve(&components->low, nodes) ||
        !vector_reserve(&components->component, nodes))
        return false;
    for (uint32_t node = 0; node < nodes; node++) {
        components->index.items[node] = 0;
        components->component.items[node] = NODE_NONE;
    }
    components->index.length = components->low.length = components->component.length = nodes;
    return true;
}

void components_release(struct components *components)
{
    depth_first_release(&components->search);
    vector_release(&components->index);
    vector_release(&components->low);
    vector_release(&components->component);
    vector_release(&components->open);
}

void components_forget(struct components *components, uint32_t node)
{
    assert(components_get(components, node) != NODE_NONE); /* else it is still needed */
    components->index.items[node] = 0;
}

/* The end of the path reaches an index: so its component does. */
static void lower(struct components *components, uint32_t index)
{
    const size_t length = components->search.path.length;
    if (length == 0)
        return;
    uint32_t *low = &components->low.items[components->search.path.items[length - 1].node];
    *low = index < *low ? index : *low;
}

static enum status meet(void *self, uint32_t node, bool *enter)
{
    struct components *components = self;
    assert(node < components->index.length);
    *enter = components->index.items[node] == 0;
    if (*enter) {
        components->index.items[node] = components->low.items[node] = ++components->met;
        components->component.items[node] = NODE_NONE;
        return vector_push(&components->open, node) ? STATUS_OK : STATUS_LIMIT;
    }
    if (components_get(components, node) == NODE_NONE)
        lower(components, components->index.items[node]);
    return STATUS_OK;
}

static enum status edge(void *self, uint32_t node, uint32_t number, uint32_t *target)
{
    struct components *components = self;
    return components->of->edge(components->self, node, number, target);
}

static enum status leave(void *self, uint32_t node)
{
    struct components *components = self;
    const uint32_t low = components->low.items[node];
    assert(low != 0 && low <= components->index.items[node]);
    if (low != components->index.items[node]) {
        lower(components, low);
        return STATUS_OK;
    }
    size_t first = components->open.length;
    do {
        assert(first > 0); /* the root itself is there */
        first--;
        components->component.items[components->open.items[first]] = components->count;
    } while (components->open.items[first] != node);
    uint32_t *members = components->open.items + first;
    const uint32_t count = (uint32_t)(components->open.length - first);
    for (uint32_t i = 0, j = count - 1; i < j; i++, j--) {
        const uint32_t swapped = members[i];
        members[i] = members[j];
        members[j] = swapped;
    }
    components->count++;
    components->open.length = first;
    return components->of->complete ? components->of->complete(components->self, members, count,
                                                               &components->search.stop)
                                    : STATUS_OK;
}

enum status components_from(struct components *components, uint32_t root)
{
    static const struct depth_visitor visitor = {meet, edge, leave};
    if (components_met(components, root))
        return STATUS_OK;
    return depth_first_from(&components->search, &visitor, components, root);
}
