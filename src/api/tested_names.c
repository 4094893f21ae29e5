#include "api/tested_names.h"

#include <inttypes.h>
#include <string.h>

#include "api/tested_types.h"

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
    TRY(tested_find_places(testing, addresses, result->block_count, names->blocks, error));
    TRY(debug_info_read(text_string(&program->path), &program->context->budget, &names->types,
                        error));
    tested_find_types(&names->types, result, names->blocks, names->block_types);
    return STATUS_OK;
}

void memory_names_release(struct memory_names *names)
{
    places_release(names->blocks, EXCHANGE_BLOCKS);
    text_release(&names->symbols);
    debug_info_release(&names->types);
}

struct naming {
    const struct memory_names *names;
    uintptr_t address;
    unsigned size; /* 0: of what begins there */
    struct text *text;
    bool is_part; /* not all of a variable or a block, and told as such */
};

/* The end of a name: the way from the start of what it is to the bytes, "->next" from a block. What
 * is in the middle of something that has no members is told by its offset. */
static void append_part(struct naming *naming, struct debug_part part, bool is_block,
                        struct text *text)
{
    struct text way = TEXT_EMPTY;
    uint64_t left = debug_append_part(&naming->names->types, part, naming->size, &way);
    const char *string = text_string(&way);
    if (naming->size == 0 && left > 0) {
        string = "";
        left = part.offset;
    }
    naming->is_part |= string[0] != 0;
    if (is_block && string[0] == '.')
        text_format(text, "->%s", string + 1);
    else
        text_append(text, string);
    if (left > 0)
        text_format(text, "+%" PRIu64, left);
    text_release(&way);
}

/* The bytes of a block of a type; where it has several, in one of them. */
static void append_in_block(struct naming *naming, const struct debug_entry *type,
                            uint64_t block_size, uint64_t offset)
{
    const struct debug_info *info = &naming->names->types;
    uint64_t one = debug_type_size(info, type);
    bool is_array = one && block_size > one && !debug_type_is_open(info, type);
    struct text *text = naming->text;
    if (is_array && (offset > 0 || naming->size > 0)) {
        naming->is_part = true;
        text_format(text, "[%" PRIu64 "]", offset / one);
        append_part(naming, (struct debug_part){type, offset % one}, false, text);
    } else {
        append_part(naming, (struct debug_part){type, offset}, true, text);
    }
}

/* Of several blocks that one line asks for the first, second, ... */
static void append_block_name(const struct memory_names *names, uint32_t block, struct text *text)
{
    const struct place *place = &names->blocks[block];
    unsigned number = 1;
    for (uint32_t i = 0; i < block; i++) {
        const struct place *other = &names->blocks[i];
        number += place->line == other->line &&
                  (place->file && other->file ? strcmp(place->file, other->file) == 0
                                              : place->file == other->file);
    }
    if (names->result->blocks[block].address == names->result->object)
        text_append(text, "object");
    else if (place->file)
        text_format(text, "block %u of %s:%u", number, tested_base_name(place->file), place->line);
    else
        text_format(text, "block %u", number);
}

static bool append_block(struct naming *naming)
{
    const struct exchange_result *result = naming->names->result;
    for (uint32_t i = 0; i < result->block_count; i++) {
        const struct exchange_block *block = &result->blocks[i];
        const struct debug_entry *type = naming->names->block_types[i];
        uintptr_t start = (uintptr_t)block->address;
        uint64_t offset = naming->address - start;
        if (naming->address < start || offset > block->size)
            continue;
        append_block_name(naming->names, i, naming->text);
        if (offset == block->size)
            type = NULL;
        append_in_block(naming, type, block->size, offset);
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

/* A variable: its name by its symbol, which has the functions and namespaces that it is in. */
static bool append_variable(struct naming *naming)
{
    struct text *text = naming->text;
    struct debug_part part =
        debug_find_variable(&naming->names->types, (const void *)naming->address);
    const void *start = (const void *)(naming->address - part.offset);
    if (!part.type)
        return places_name(&naming->names->symbols, (const void *)naming->address, text);
    if (!places_name(&naming->names->symbols, start, text))
        return false;
    append_part(naming, part, false, text);
    return true;
}

/* Of the location that a word has which threads sleep on, the word. */
static uintptr_t find_word(const struct exchange_result *result, uintptr_t address)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct exchange_sleeping *sleeping = &result->sleeping[i];
        const uintptr_t start = (uintptr_t)sleeping->locations;
        if (start && address >= start && address - start < sleeping->size)
            return (uintptr_t)sleeping->words + (address - start);
    }
    return address;
}

bool memory_names_append(const struct memory_names *names, const void *address, unsigned size,
                         struct text *text)
{
    struct text name = TEXT_EMPTY;
    struct naming naming = {.names = names,
                            .address = find_word(names->result, (uintptr_t)address),
                            .size = size,
                            .text = &name};
    bool is_known = naming.address >= LEAST_ADDRESS &&
                    (append_block(&naming) || append_stack(names, naming.address, &name) ||
                     append_variable(&naming));
    if (is_known)
        text_format(text, "%s%s", naming.is_part && size == 0 ? "&" : "", text_string(&name));
    text_release(&name);
    return is_known;
}

static void append_word(const struct memory_names *names, uint64_t stored, unsigned size,
                        struct text *text)
{
    unsigned spare = 64 - size * 8;
    int64_t number = (int64_t)(stored << spare) >> spare;
    if (size == sizeof(void *) &&
        memory_names_append(names, (const void *)(uintptr_t)stored, 0, text))
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

/* ---- places ---- */

enum status tested_find_places(const struct testing *testing, const void *const *addresses,
                               size_t count, struct place *places, struct error *error)
{
    const lp_program *program = testing->program;
    return places_find(text_string(&program->path), addresses, count, &program->context->budget,
                       places, error);
}

const char *tested_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void tested_append_place(const struct place *place, struct text *text)
{
    if (place->file)
        text_format(text, " at %s:%u", tested_base_name(place->file), place->line);
}
