#include "explore/node_list.h"

#include <string.h>

void node_list_init(struct node_list *list, struct budget *budget)
{
    list->length = 0;
    vectors_init(budget, &list->chunks, &list->last);
}

static size_t size_of(const struct node_chunk *chunk)
{
    const uint32_t bits = (uint32_t)chunk->state_bits + chunk->with_bits + chunk->parent_bits;
    return (bits_words((size_t)NODES_A_CHUNK * bits) + 1) * sizeof(uint64_t);
}

void node_list_clear(struct node_list *list)
{
    for (size_t i = 0; i < list->chunks.length; i++)
        memory_release(list->chunks.budget, list->chunks.items[i].words,
                       size_of(&list->chunks.items[i]));
    list->chunks.length = list->last.length = 0;
    list->length = 0;
}

void node_list_release(struct node_list *list)
{
    node_list_clear(list);
    vectors_release(&list->chunks, &list->last);
}

size_t node_list_bytes(const struct node_list *list)
{
    size_t bytes = list->chunks.capacity * sizeof *list->chunks.items +
                   list->last.capacity * sizeof *list->last.items;
    for (size_t i = 0; i < list->chunks.length; i++)
        bytes += size_of(&list->chunks.items[i]);
    return bytes;
}

/* ---- chunks ---- */

/* What `count` nodes need. */
static struct node_chunk chunk_for(const struct search_node *nodes, uint32_t count)
{
    struct search_node least = {UINT32_MAX, 0, UINT32_MAX}, most = {0};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t with = nodes[i].with + 1, parent = nodes[i].parent + 1;
        least.state = nodes[i].state < least.state ? nodes[i].state : least.state;
        least.parent = parent < least.parent ? parent : least.parent;
        most.state = nodes[i].state > most.state ? nodes[i].state : most.state;
        most.with = with > most.with ? with : most.with;
        most.parent = parent > most.parent ? parent : most.parent;
    }
    return (struct node_chunk){.state = least.state,
                               .parent = least.parent,
                               .state_bits = bits_needed(most.state - least.state),
                               .with_bits = bits_needed(most.with),
                               .parent_bits = bits_needed(most.parent - least.parent)};
}

/* Writes `count` nodes as bits; false when refused. */
static bool chunk_make(struct node_chunk *chunk, const struct search_node *nodes, uint32_t count,
                       struct budget *budget)
{
    *chunk = chunk_for(nodes, count);
    chunk->words = memory_zeroed(budget, size_of(chunk));
    struct bits_end end = {.to = chunk->words};
    for (uint32_t i = 0; i < count && chunk->words; i++) {
        bits_append(&end, chunk->state_bits, nodes[i].state - chunk->state);
        bits_append(&end, chunk->with_bits, nodes[i].with + UINT32_C(1));
        bits_append(&end, chunk->parent_bits, nodes[i].parent + 1 - chunk->parent);
    }
    return chunk->words;
}

bool node_list_extend(struct node_list *list)
{
    if (list->last.length < NODES_A_CHUNK)
        return vector_reserve(&list->last, list->last.length + 1);
    struct node_chunk chunk;
    if (!vector_reserve(&list->chunks, list->chunks.length + 1) ||
        !chunk_make(&chunk, list->last.items, NODES_A_CHUNK, list->chunks.budget))
        return false;
    list->chunks.items[list->chunks.length++] = chunk;
    list->last.length = 0;
    return true;
}

void node_list_unpair(struct node_list *list, uint32_t node)
{
    assert(node < list->length);
    if (node / NODES_A_CHUNK == list->chunks.length) {
        list->last.items[node % NODES_A_CHUNK].with = UINT32_MAX;
        return;
    }
    const struct node_chunk *chunk = &list->chunks.items[node / NODES_A_CHUNK];
    const uint32_t row = (uint32_t)chunk->state_bits + chunk->with_bits + chunk->parent_bits;
    bits_write(chunk->words, (size_t)(node % NODES_A_CHUNK) * row + chunk->state_bits,
               chunk->with_bits, 0);
}

bool node_list_replace(struct node_list *list, uint32_t first, const struct search_node *nodes)
{
    const uint32_t count = node_list_chunk(list, first);
    if (first / NODES_A_CHUNK == list->chunks.length) {
        memcpy(list->last.items, nodes, count * sizeof *nodes);
        return true;
    }
    struct node_chunk *chunk = &list->chunks.items[first / NODES_A_CHUNK], made;
    if (!chunk_make(&made, nodes, count, list->chunks.budget))
        return false;
    memory_release(list->chunks.budget, chunk->words, size_of(chunk));
    *chunk = made;
    return true;
}
