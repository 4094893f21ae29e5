#include "explore/node_list.h"

#include <string.h>

void node_list_init(struct node_list *list, struct budget *budget)
{
    list->length = list->group_count = list->closed = 0;
    list->full = NODES_A_CHUNK;
    vectors_init(budget, &list->chunks, &list->last, &list->order, &list->groups, &list->ends);
}

#define BLOCKS      (NODES_A_CHUNK / NODES_A_BLOCK)
#define BLOCK_WORDS (sizeof(struct node_block) / sizeof(uint64_t))

static const struct node_block *blocks_of(const struct node_chunk *chunk)
{
    return (const struct node_block *)(const void *)chunk->words;
}

static uint32_t row_bits(const struct node_block *block)
{
    return (uint32_t)block->state_bits + block->parent_bits + block->with_bits;
}

/* The words of all blocks and rows, with one behind. */
static size_t words_of_closed(const struct node_block *blocks)
{
    const struct node_block *last = &blocks[BLOCKS - 1];
    return last->at + bits_words((size_t)NODES_A_BLOCK * row_bits(last)) + 1;
}

static size_t size_of(const struct node_chunk *chunk)
{
    if (chunk->is_closed)
        return words_of_closed(blocks_of(chunk)) * sizeof(uint64_t);
    const uint32_t bits = (uint32_t)chunk->state_bits + chunk->with_bits + chunk->parent_bits;
    return (bits_words((size_t)NODES_A_CHUNK * bits) + 1) * sizeof(uint64_t);
}

void node_list_clear(struct node_list *list)
{
    for (size_t i = 0; i < list->chunks.length; i++)
        memory_release(list->chunks.budget, list->chunks.items[i].words,
                       size_of(&list->chunks.items[i]));
    list->chunks.length = list->last.length = 0;
    list->length = list->closed = 0;
}

void node_list_release(struct node_list *list)
{
    node_list_clear(list);
    vectors_release(&list->chunks, &list->last, &list->order, &list->groups, &list->ends);
}

size_t node_list_bytes(const struct node_list *list)
{
    size_t bytes = list->chunks.capacity * sizeof *list->chunks.items +
                   list->last.capacity * sizeof *list->last.items +
                   list->order.capacity * sizeof *list->order.items +
                   list->groups.capacity * sizeof *list->groups.items +
                   list->ends.capacity * sizeof *list->ends.items;
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
    const uint32_t with_at = chunk->state_bits, parent_at = with_at + chunk->with_bits,
                   bits = parent_at + chunk->parent_bits;
    chunk->words = memory_zeroed(budget, size_of(chunk));
    struct bits_end end = {.to = chunk->words};
    if (LIKELY(bits <= WORD_BITS && parent_at < WORD_BITS)) { /* a row is written as one number */
        for (uint32_t i = 0; i < count && chunk->words; i++)
            bits_append(&end, bits,
                        (nodes[i].state - chunk->state) |
                            (uint64_t)(nodes[i].with + UINT32_C(1)) << with_at |
                            (uint64_t)(nodes[i].parent + 1 - chunk->parent) << parent_at);
        return chunk->words;
    }
    for (uint32_t i = 0; i < count && chunk->words; i++) {
        bits_append(&end, chunk->state_bits, nodes[i].state - chunk->state);
        bits_append(&end, chunk->with_bits, nodes[i].with + UINT32_C(1));
        bits_append(&end, chunk->parent_bits, nodes[i].parent + 1 - chunk->parent);
    }
    return chunk->words;
}

/* Makes a chunk of nodes; false when refused. */
static bool add_chunk(struct node_list *list, const struct search_node *nodes)
{
    struct node_chunk chunk;
    if (!vector_reserve(&list->chunks, list->chunks.length + 1) ||
        !chunk_make(&chunk, nodes, NODES_A_CHUNK, list->chunks.budget))
        return false;
    list->chunks.items[list->chunks.length++] = chunk;
    return true;
}

/* ---- closed chunks ---- */

/* What a block of nodes needs, but for its place. */
static struct node_block block_for(const struct search_node *nodes)
{
    struct node_block block = {.state = nodes->state, .parent = nodes->parent + 1};
    uint32_t states = 0, parents = 0, least = UINT32_MAX, most = 0;
    for (uint32_t i = 1; i < NODES_A_BLOCK; i++) {
        states |= bits_fold(nodes[i].state - nodes[i - 1].state);
        parents |= nodes[i].parent - nodes[i - 1].parent;
    }
    for (uint32_t i = 0; i < NODES_A_BLOCK; i++) { /* one that has none is not the least */
        const uint32_t behind = nodes[i].with + 1;
        least = nodes[i].with < least ? nodes[i].with : least;
        most = behind > most ? behind : most;
    }
    block.state_bits = bits_needed(states) & 63;
    block.parent_bits = bits_needed(parents) & 63;
    block.with_bits = (most ? bits_needed(most - least) : 0) & 63;
    block.with = least;
    return block;
}

static void write_block(const struct node_block *block, const struct search_node *nodes,
                        uint64_t *words)
{
    const uint32_t parent_at = block->state_bits, with_at = parent_at + block->parent_bits,
                   bits = row_bits(block);
    struct bits_end end = {.to = words};
    uint32_t state = block->state, parent = block->parent;
    for (uint32_t i = 0; i < NODES_A_BLOCK; i++) {
        const uint32_t with = nodes[i].with == UINT32_MAX ? 0 : nodes[i].with - block->with + 1;
        bits_append(&end, bits,
                    bits_fold(nodes[i].state - state) |
                        (uint64_t)(nodes[i].parent + 1 - parent) << parent_at |
                        (uint64_t)with << with_at);
        state = nodes[i].state;
        parent = nodes[i].parent + 1;
    }
}

/* Reads `count` nodes of a block, from `first` on. */
static void read_block(const struct node_block *block, const uint64_t *words, uint32_t first,
                       uint32_t count, struct search_node *nodes)
{
    const uint32_t parent_at = block->state_bits, with_at = parent_at + block->parent_bits,
                   bits = row_bits(block);
    uint32_t state = block->state, parent = block->parent;
    for (uint32_t i = 0; i < first + count; i++) {
        const uint64_t row = bits_read(words, (size_t)i * bits, bits);
        const uint32_t with = (uint32_t)(row >> with_at);
        state += bits_unfold((uint32_t)(row & bits_below(parent_at)));
        parent += (uint32_t)(row >> parent_at & bits_below(block->parent_bits));
        if (i >= first)
            nodes[i - first] =
                (struct search_node){.state = state,
                                     .with = with ? with - 1 + block->with : UINT32_MAX,
                                     .parent = parent - 1};
    }
}

static void unpair_closed(const struct node_chunk *chunk, uint32_t node)
{
    const struct node_block *block = &blocks_of(chunk)[node / NODES_A_BLOCK];
    const uint32_t bits = row_bits(block);
    bits_write(chunk->words + block->at,
               (size_t)(node % NODES_A_BLOCK) * bits + block->state_bits + block->parent_bits,
               block->with_bits, 0);
}

/* Leaves it as it is where it would be no smaller, or that is refused. */
static void close_chunk(struct node_chunk *chunk, const struct search_node *nodes,
                        struct budget *budget)
{
    struct node_block blocks[BLOCKS];
    size_t at = BLOCKS * BLOCK_WORDS;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        blocks[i] = block_for(nodes + (size_t)i * NODES_A_BLOCK);
        if (row_bits(&blocks[i]) >= WORD_BITS)
            return;
        blocks[i].at = at & ((1u << 14) - 1);
        at += bits_words((size_t)NODES_A_BLOCK * row_bits(&blocks[i]));
    }
    struct node_chunk closed = {.is_closed = true};
    const size_t size = words_of_closed(blocks) * sizeof(uint64_t);
    if (size >= size_of(chunk))
        return;
    closed.words = memory_zeroed(budget, size);
    if (!closed.words)
        return;
    memcpy(closed.words, blocks, sizeof blocks);
    for (uint32_t i = 0; i < BLOCKS; i++)
        write_block(&blocks[i], nodes + (size_t)i * NODES_A_BLOCK, closed.words + blocks[i].at);
    memory_release(budget, chunk->words, size_of(chunk));
    *chunk = closed;
}

void node_list_close(struct node_list *list, uint32_t end)
{
    struct search_node nodes[NODES_A_CHUNK];
    const uint32_t chunks = (uint32_t)list->chunks.length;
    for (; list->closed < end / NODES_A_CHUNK && list->closed < chunks; list->closed++) {
        struct node_chunk *chunk = &list->chunks.items[list->closed];
        node_list_read(list, list->closed * NODES_A_CHUNK, NODES_A_CHUNK, nodes);
        if (!chunk->is_closed)
            close_chunk(chunk, nodes, list->chunks.budget);
    }
}

/* ---- all chunks ---- */

bool node_list_extend(struct node_list *list)
{
    if (list->last.length < list->full)
        return vector_reserve(&list->last, list->last.length + 1);
    size_t done = 0;
    for (; list->last.length - done >= NODES_A_CHUNK; done += NODES_A_CHUNK)
        if (!add_chunk(list, list->last.items + done))
            break;
    list->last.length -= done;
    memmove(list->last.items, list->last.items + done,
            list->last.length * sizeof *list->last.items);
    return list->last.length < NODES_A_CHUNK;
}

void node_list_unpair(struct node_list *list, uint32_t node)
{
    assert(node < list->length);
    if (node / NODES_A_CHUNK >= list->chunks.length) {
        list->last.items[node - list->chunks.length * NODES_A_CHUNK].with = UINT32_MAX;
        return;
    }
    const struct node_chunk *chunk = &list->chunks.items[node / NODES_A_CHUNK];
    if (chunk->is_closed) {
        unpair_closed(chunk, node % NODES_A_CHUNK);
        return;
    }
    const uint32_t row = (uint32_t)chunk->state_bits + chunk->with_bits + chunk->parent_bits;
    bits_write(chunk->words, (size_t)(node % NODES_A_CHUNK) * row + chunk->state_bits,
               chunk->with_bits, 0);
}

bool node_list_replace(struct node_list *list, uint32_t first, const struct search_node *nodes)
{
    const uint32_t count = node_list_chunk(list, first);
    if (first / NODES_A_CHUNK >= list->chunks.length) {
        memcpy(list->last.items + (first - list->chunks.length * NODES_A_CHUNK), nodes,
               count * sizeof *nodes);
        return true;
    }
    struct node_chunk *chunk = &list->chunks.items[first / NODES_A_CHUNK], made;
    if (!chunk_make(&made, nodes, count, list->chunks.budget))
        return false;
    memory_release(list->chunks.budget, chunk->words, size_of(chunk));
    *chunk = made;
    return true;
}

/* Those of a chunk, whose rows are read as one number each. */
static void read_rows(const struct node_chunk *chunk, uint32_t first, uint32_t count,
                      struct search_node *nodes)
{
    const uint32_t with_at = chunk->state_bits, parent_at = with_at + chunk->with_bits,
                   bits = parent_at + chunk->parent_bits;
    const uint64_t mask = bits_below(bits), states = bits_below(with_at),
                   withs = bits_below(chunk->with_bits);
    size_t at = (size_t)first * bits;
    for (uint32_t i = 0; i < count; i++, at += bits) {
        const uint64_t row = bits_from(chunk->words, at) & mask; /* there is a word behind */
        nodes[i] = (struct search_node){.state = (uint32_t)(row & states) + chunk->state,
                                        .with = (uint32_t)(row >> with_at & withs) - 1,
                                        .parent = (uint32_t)(row >> parent_at) + chunk->parent - 1};
    }
}

static void read_closed(const struct node_chunk *chunk, uint32_t first, uint32_t count,
                        struct search_node *nodes)
{
    while (count > 0) {
        const struct node_block *block = &blocks_of(chunk)[first / NODES_A_BLOCK];
        const uint32_t in_block = NODES_A_BLOCK - first % NODES_A_BLOCK,
                       some = count < in_block ? count : in_block;
        read_block(block, chunk->words + block->at, first % NODES_A_BLOCK, some, nodes);
        first += some;
        nodes += some;
        count -= some;
    }
}

void node_list_read(const struct node_list *list, uint32_t first, uint32_t count,
                    struct search_node *nodes)
{
    assert(first + count <= list->length);
    while (count > 0) {
        const uint32_t in_chunk = NODES_A_CHUNK - first % NODES_A_CHUNK,
                       some = count < in_chunk ? count : in_chunk;
        const struct node_chunk *chunk = list->chunks.items + first / NODES_A_CHUNK;
        if (first / NODES_A_CHUNK < list->chunks.length && chunk->is_closed)
            read_closed(chunk, first % NODES_A_CHUNK, some, nodes);
        else if (first / NODES_A_CHUNK < list->chunks.length &&
                 chunk->state_bits + chunk->with_bits < WORD_BITS &&
                 (uint32_t)chunk->state_bits + chunk->with_bits + chunk->parent_bits <= WORD_BITS)
            read_rows(chunk, first % NODES_A_CHUNK, some, nodes);
        else
            for (uint32_t i = 0; i < some; i++)
                nodes[i] = node_list_get(list, first + i);
        first += some;
        nodes += some;
        count -= some;
    }
}

/* ---- levels ---- */

void node_list_go_on(struct node_list *list)
{
    list->full = NODES_A_CHUNK;
}

/* Leaves the nodes from `first` on as they came. */
static bool take_back(struct node_list *list, uint32_t first)
{
    const uint32_t begin = first - first % NODES_A_CHUNK;
    if (begin / NODES_A_CHUNK >= list->chunks.length)
        return true;
    const size_t back = list->chunks.length * NODES_A_CHUNK - begin;
    if (!vector_reserve(&list->last, back + list->last.length))
        return false;
    if (list->last.length)
        memmove(list->last.items + back, list->last.items,
                list->last.length * sizeof *list->last.items);
    for (uint32_t i = 0; i < back; i++)
        list->last.items[i] = node_list_get(list, begin + i);
    list->last.length += back;
    for (size_t i = begin / NODES_A_CHUNK; i < list->chunks.length; i++)
        memory_release(list->chunks.budget, list->chunks.items[i].words,
                       size_of(&list->chunks.items[i]));
    list->chunks.length = begin / NODES_A_CHUNK;
    assert(list->closed <= list->chunks.length); /* those of a level have not been taken up */
    return true;
}

/* Counts how many of the nodes from a place on each group has: those of a state, in the order in
 * which the first of each stands. */
static bool count_groups(struct node_list *list, size_t from, uint32_t before)
{
    list->ends.length = 0;
    for (size_t i = from; i < list->last.length; i++) {
        const uint32_t state = list->last.items[i].state;
        while (UNLIKELY(list->groups.length <= state))
            if (!vector_push(&list->groups, 0))
                return false;
        uint32_t *group = &list->groups.items[state];
        if (*group <= before) { /* of an earlier level, or of none */
            if (!vector_push(&list->ends, 0))
                return false;
            *group = ++list->group_count;
        }
        list->ends.items[*group - before - 1]++;
    }
    return true;
}

/* Leaves the places of the nodes from one on, group by group. */
static bool order_groups(struct node_list *list, size_t from)
{
    const uint32_t before = list->group_count;
    if (!vector_reserve(&list->order, list->last.length) || !count_groups(list, from, before))
        return false;
    size_t begin = from;
    for (size_t i = 0; i < list->ends.length; i++) {
        const uint32_t size = list->ends.items[i];
        list->ends.items[i] = (uint32_t)begin;
        begin += size;
    }
    for (size_t i = 0; i < from; i++)
        list->order.items[i] = (uint32_t)i;
    for (size_t i = from; i < list->last.length; i++) {
        const uint32_t group = list->groups.items[list->last.items[i].state] - before - 1;
        list->order.items[list->ends.items[group]++] = (uint32_t)i;
    }
    return true;
}

bool node_list_gather(struct node_list *list, uint32_t first)
{
    struct search_node nodes[NODES_A_CHUNK];
    uint32_t filled = 0;
    list->full = UINT32_MAX;
    if (!take_back(list, first) || !order_groups(list, first - list->chunks.length * NODES_A_CHUNK))
        return false;
    const uint32_t count = (uint32_t)list->last.length;
    for (uint32_t i = 0; i < count; i++) {
        nodes[filled++] = list->last.items[list->order.items[i]];
        if (filled < NODES_A_CHUNK)
            continue;
        filled = 0;
        if (!add_chunk(list, nodes)) {
            list->length = (uint32_t)list->chunks.length * NODES_A_CHUNK;
            list->last.length = 0;
            return false;
        }
    }
    list->last.length = filled;
    if (filled)
        memcpy(list->last.items, nodes, filled * sizeof *nodes);
    return true;
}
