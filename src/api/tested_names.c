#include "api/tested_names.h"

#include <inttypes.h>
#include <string.h>

enum {
    LEAST_ADDRESS =
        1 << 16,        /* nothing is mapped below, where symbols of thread-local storage are */
    LEAST_WORD = -1024, /* "small": counters below zero, codes of errors */
    LEAST_BYTE = -16,
};

enum status memory_names_open(const struct testing *testing, const struct exchange_result *result,
                              struct memory_names *names, struct error *error)
{
    const void *addresses[EXCHANGE_BLOCKS];
    const lp_program *program = testing->program;
    memset(names, 0, sizeof *names);
    names->result = result;
    for (uint32_t i = 0; i < result->block_count; i++)
        addresses[i] = result->blocks[i].at;
    TRY(places_read_symbols(text_string(&program->path), &program->context->budget, &names->symbols,
                            error));
    return tested_find_places(testing, addresses, result->block_count, false, names->blocks, error);
}

void memory_names_release(struct memory_names *names)
{
    places_release(names->blocks, EXCHANGE_BLOCKS);
    text_release(&names->symbols);
}

static void append_offset(uintptr_t offset, struct text *text)
{
    if (offset)
        text_format(text, "+%" PRIuPTR, offset);
}

/* Of several blocks that one line asks for the first, second, ... */
static bool append_block(const struct memory_names *names, uintptr_t address, struct text *text)
{
    const struct exchange_result *result = names->result;
    for (uint32_t i = 0; i < result->block_count; i++) {
        const struct place *place = &names->blocks[i];
        uintptr_t start = (uintptr_t)result->blocks[i].address;
        unsigned number = 1;
        if (address < start || address > start + result->blocks[i].size)
            continue;
        for (uint32_t j = 0; j < i; j++) {
            const struct place *other = &names->blocks[j];
            number += place->line == other->line &&
                      (place->file && other->file ? strcmp(place->file, other->file) == 0
                                                  : place->file == other->file);
        }
        if (result->blocks[i].address == result->object)
            text_append(text, "object");
        else if (place->file)
            text_format(text, "block %u of %s:%u", number, tested_base_name(place->file),
                        place->line);
        else
            text_format(text, "block %u", number);
        append_offset(address - start, text);
        return true;
    }
    return false;
}

static bool append_stack(const struct memory_names *names, uintptr_t address, struct text *text)
{
    const struct exchange_result *result = names->result;
    uintptr_t offset = address - (uintptr_t)result->stacks;
    if (!result->stack_stride || address < (uintptr_t)result->stacks ||
        offset / result->stack_stride > THREAD_ALONE ||
        offset % result->stack_stride >= result->stack_size)
        return false;
    unsigned thread = (unsigned)(offset / result->stack_stride);
    if (thread == THREAD_ALONE)
        text_append(text, "stack of setup");
    else
        text_format(text, "stack of thread %u", thread + 1);
    text_format(text, "-%" PRIu64, result->stack_size - offset % result->stack_stride);
    return true;
}

bool memory_names_append(const struct memory_names *names, const void *address, struct text *text)
{
    return (uintptr_t)address >= LEAST_ADDRESS && (append_block(names, (uintptr_t)address, text) ||
                                                   append_stack(names, (uintptr_t)address, text) ||
                                                   places_name(&names->symbols, address, text));
}

static void append_word(const struct memory_names *names, uint64_t stored, unsigned size,
                        struct text *text)
{
    unsigned spare = 64 - size * 8;
    int64_t number = (int64_t)(stored << spare) >> spare;
    if (size == sizeof(void *) && memory_names_append(names, (const void *)(uintptr_t)stored, text))
        return;
    if (number < 0 && number >= (size == 1 ? LEAST_BYTE : LEAST_WORD))
        text_format(text, "%" PRId64, number);
    else
        text_format(text, "%" PRIu64, stored);
}

void memory_names_append_value(const struct memory_names *names, memory_value stored, unsigned size,
                               struct text *text)
{
    if (size <= sizeof(uint64_t)) {
        append_word(names, (uint64_t)stored, size, text);
        return;
    }
    text_append_char(text, '(');
    append_word(names, (uint64_t)stored, sizeof(uint64_t), text);
    text_append(text, ", ");
    append_word(names, (uint64_t)(stored >> 64), sizeof(uint64_t), text);
    text_append_char(text, ')');
}
