/* A node is met, entered if the visitor says so, and left when it has no more edges: so the path is
 * a way from the root, each node found by edge `next` - 1 of the one before it. */
#include "explore/depth_first.h"

#include <assert.h>

void depth_first_init(struct depth_first *search, struct budget *budget)
{
    search->stop = false;
    search->explorer = NULL;
    vector_init(&search->path, budget);
}

void depth_first_release(struct depth_first *search)
{
    vector_release(&search->path);
}

/* Of a node that was entered. */
static enum status tell_explorer(struct depth_first *search)
{
    struct explorer *explorer = search->explorer;
    const size_t length = search->path.length;
    if (length > explorer->depth)
        explorer->depth = length;
    TRY(explorer_take(explorer));
    explorer_tell(explorer, (uint32_t)explorer->taken, (uint32_t)length);
    return STATUS_OK;
}

static enum status meet(struct depth_first *search, const struct depth_visitor *visitor, void *self,
                        uint32_t node)
{
    bool enter = false;
    if (!vector_reserve(&search->path, search->path.length + 1)) /* before anything is marked */
        return STATUS_LIMIT;
    TRY(visitor->meet(self, node, &enter));
    if (!enter)
        return STATUS_OK;
    search->path.items[search->path.length++] = (struct depth_step){.node = node};
    return search->explorer ? tell_explorer(search) : STATUS_OK;
}

enum status depth_first_from(struct depth_first *search, const struct depth_visitor *visitor,
                             void *self, uint32_t root)
{
    assert(visitor->meet && visitor->edge);
    search->path.length = 0; /* one that was stopped leaves its path */
    search->stop = false;
    TRY(meet(search, visitor, self, root));
    while (search->path.length > 0 && !search->stop) {
        struct depth_step *last = &search->path.items[search->path.length - 1];
        const uint32_t node = last->node;
        uint32_t target = NODE_NONE;
        TRY(visitor->edge(self, node, last->next++, &target));
        if (target != NODE_NONE) {
            TRY(meet(search, visitor, self, target));
            continue;
        }
        assert(search->path.items[search->path.length - 1].node == node);
        search->path.length--;
        if (visitor->leave)
            TRY(visitor->leave(self, node));
    }
    return STATUS_OK;
}
