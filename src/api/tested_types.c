#include "api/tested_types.h"

struct typing {
    const struct debug_info *info;
    const struct exchange_result *result;
    const struct debug_entry **types; /* of blocks */
    bool is_made[EXCHANGE_BLOCKS];    /* known by where it was asked for */
    bool is_both[EXCHANGE_BLOCKS];    /* two types point to it */
};

static struct debug_part find_part(const struct typing *typing, const void *address)
{
    const struct exchange_result *result = typing->result;
    for (uint32_t i = 0; i < result->block_count; i++) {
        uint64_t offset = (uintptr_t)address - (uintptr_t)result->blocks[i].address;
        if (offset < result->blocks[i].size)
            return (struct debug_part){typing->types[i], offset};
    }
    return debug_find_variable(typing->info, address);
}

static bool set_target(struct typing *typing, uint64_t address, const struct debug_entry *target)
{
    const struct exchange_result *result = typing->result;
    for (uint32_t i = 0; i < result->block_count; i++) {
        if ((uintptr_t)result->blocks[i].address != address || typing->is_made[i] ||
            typing->is_both[i] || !debug_type_fits(typing->info, target, result->blocks[i].size) ||
            debug_type_equals(typing->types[i], target))
            continue;
        typing->is_both[i] = typing->types[i] != NULL;
        typing->types[i] = typing->is_both[i] ? NULL : target;
        return true;
    }
    return false;
}

/* What the words of an accessed value point to; whether anything new is known of a block. */
static bool follow(struct typing *typing, const struct execution_event *event)
{
    struct debug_part part =
        find_part(typing, typing->result->graph.locations[event->location].address);
    bool is_new = false;
    for (unsigned at = 0; part.type && at + sizeof(void *) <= event->size; at += sizeof(void *)) {
        struct debug_part word = {part.type, part.offset + at};
        const struct debug_entry *target = debug_find_target(typing->info, word);
        if (target)
            is_new |= set_target(typing, (uint64_t)(event->value >> (at * 8)), target);
    }
    return is_new;
}

void tested_find_types(const struct debug_info *info, const struct exchange_result *result,
                       const struct place *places, const struct debug_entry **types)
{
    struct typing typing = {.info = info, .result = result, .types = types};
    const struct execution_graph *graph = &result->graph;
    bool is_new = true;
    for (uint32_t i = 0; i < result->block_count; i++) {
        const struct exchange_block *block = &result->blocks[i];
        types[i] = debug_find_made(info, &places[i], block->at, block->size);
        typing.is_made[i] = types[i] != NULL;
    }
    while (is_new) {
        is_new = false;
        for (event_number i = 0; i < graph->event_count; i++)
            if (event_is_access(&graph->events[i]))
                is_new |= follow(&typing, &graph->events[i]);
    }
}
