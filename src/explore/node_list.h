/* The nodes of a search in the order of their numbers, in little memory. They are in chunks of
 * NODES_A_CHUNK; those of a full one are rows of bits, as many for each of the three numbers as the
 * greatest of the chunk needs beyond the least:
 *
 *     | state - least state | with + 1 | parent + 1 - least |     one node
 *
 * Nodes that are found one after the other were found from nodes near one another, and breadth
 * first their states have numbers near one another, so these differences are small. The nodes of
 * the last chunk are as they came, and those of a level that is being found may be, too.
 *
 * Nodes that have been taken up are hardly looked at any more. Chunks of such are closed: in blocks
 * of NODES_A_BLOCK, of which a row has what is more than in the row before; who looks for a node
 * reads its block from the beginning. Breadth first a row is then half as long.
 *
 *     | blocks: first state, first parent, least with | rows |
 *     | difference of the state | of the parent | 0, or with - least + 1 |     one row
 *
 * (Lemire and Boytsov, Decoding billions of integers per second, Software: Practice and Experience
 * 2015, have them as binary packing with a frame of reference, and with differential coding.) */
#ifndef EXPLORE_NODE_LIST_H
#define EXPLORE_NODE_LIST_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/bits.h"
#include "base/faults.h"
#include "base/vector.h"

/* The most that a node's number can be is one less. */
#define NODE_NONE UINT32_MAX

#define NODES_A_CHUNK SIZE_OR_SMALL(1024, 8)
#define NODES_A_BLOCK SIZE_OR_SMALL(64, 4)

struct search_node {
    uint32_t state;
    uint32_t with;   /* what the state is paired with; 0 where it is alone */
    uint32_t parent; /* the node it was found from; NODE_NONE: it is initial */
};

struct node_chunk {
    uint64_t *words;        /* one more than the bits need */
    uint32_t state, parent; /* the least ones; of parent + 1, modulo 2^32 */
    uint8_t state_bits, with_bits, parent_bits;
    bool is_closed; /* of what is above it has `words` only, which begin with the blocks */
};

struct node_block {
    uint32_t state, parent; /* of the first; of parent + 1 */
    uint32_t with;          /* the least of those that have one */
    uint32_t at : 14;       /* words in front of it, from the first block's on */
    uint32_t state_bits : 6, parent_bits : 6, with_bits : 6;
};

struct node_list {
    VECTOR(struct node_chunk) chunks; /* full ones */
    VECTOR(struct search_node) last;  /* those behind them */
    uint32_t length;
    uint32_t closed; /* chunks in front of this one are, or would be no smaller */
    uint32_t full;   /* so many are made chunks of: NODES_A_CHUNK, or none while they wait */
    /* Scratch of node_list_gather. */
    VECTOR(uint32_t) order;  /* of what waits */
    VECTOR(uint32_t) groups; /* by state: which group it was of, of all that were ever made */
    VECTOR(uint32_t) ends;   /* of the level's groups */
    uint32_t group_count;    /* that were ever made */
};

void node_list_init(struct node_list *list, struct budget *budget);
void node_list_release(struct node_list *list);
void node_list_clear(struct node_list *list);

size_t node_list_bytes(const struct node_list *list);

/* Makes room behind the last one; false when refused. */
bool node_list_extend(struct node_list *list) MUST_CHECK;

/* Appends a node; false when refused. */
static inline MUST_CHECK bool node_list_push(struct node_list *list, struct search_node node)
{
    if ((list->last.length >= list->full || list->last.length == list->last.capacity) &&
        !node_list_extend(list))
        return false;
    list->last.items[list->last.length++] = node;
    list->length++;
    return true;
}

/* Gives the nodes from `first` on, of which none was found from another, other numbers, so that
 * those of one state are beside one another: states in the order in which their first nodes were
 * found, and so the nodes of each. What is found afterwards waits as it comes, to be gathered,
 * until node_list_go_on. False when refused: some may be gone. */
bool node_list_gather(struct node_list *list, uint32_t first) MUST_CHECK;
void node_list_go_on(struct node_list *list);

/* Nodes in front of one have been taken up: chunks of these are made smaller, if there is memory
 * for that. */
void node_list_close(struct node_list *list, uint32_t end);

/* Makes it UINT32_MAX what a node is paired with. */
void node_list_unpair(struct node_list *list, uint32_t node);

/* How many nodes are in the chunk of which `first` is the first. */
static inline uint32_t node_list_chunk(const struct node_list *list, uint32_t first)
{
    assert(first % NODES_A_CHUNK == 0 && first < list->length);
    return list->length - first < NODES_A_CHUNK ? list->length - first : NODES_A_CHUNK;
}

/* Makes others of the nodes in that chunk. False when refused: they are as they were. */
bool node_list_replace(struct node_list *list, uint32_t first,
                       const struct search_node *nodes) MUST_CHECK;

/* So many nodes from one on. */
void node_list_read(const struct node_list *list, uint32_t first, uint32_t count,
                    struct search_node *nodes);

static inline struct search_node node_list_get(const struct node_list *list, uint32_t node)
{
    assert(node < list->length);
    if (node / NODES_A_CHUNK >= list->chunks.length)
        return list->last.items[node - list->chunks.length * NODES_A_CHUNK];
    const struct node_chunk *chunk = &list->chunks.items[node / NODES_A_CHUNK];
    if (UNLIKELY(chunk->is_closed)) {
        struct search_node read;
        node_list_read(list, node, 1, &read);
        return read;
    }
    const uint32_t with_at = chunk->state_bits, parent_at = with_at + chunk->with_bits,
                   bits = parent_at + chunk->parent_bits, at = node % NODES_A_CHUNK * bits;
    if (LIKELY(bits <= WORD_BITS && parent_at < WORD_BITS)) { /* a row is read as one number */
        const uint64_t row = bits_read(chunk->words, at, bits);
        return (struct search_node){
            .state = (uint32_t)(row & bits_below(with_at)) + chunk->state,
            .with = (uint32_t)(row >> with_at & bits_below(chunk->with_bits)) - 1,
            .parent = (uint32_t)(row >> parent_at) + chunk->parent - 1};
    }
    return (struct search_node){
        .state = (uint32_t)bits_read(chunk->words, at, chunk->state_bits) + chunk->state,
        .with = (uint32_t)bits_read(chunk->words, at + with_at, chunk->with_bits) - 1,
        .parent = (uint32_t)bits_read(chunk->words, at + parent_at, chunk->parent_bits) +
                  chunk->parent - 1};
}

#endif
