#include "scenario/debug_types.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum {
    MOST_NAMES = 32 /* of one type: typedef, const, _Atomic */
};

/* ---- types ---- */

/* What a typedef or a qualified type is. */
static const struct debug_entry *strip(const struct debug_info *info,
                                       const struct debug_entry *type)
{
    for (unsigned i = 0; type && type->kind == DEBUG_OTHER_NAME; i++)
        type = type->type && i < MOST_NAMES ? debug_info_find(info, type->type) : NULL;
    return type;
}

static const struct debug_entry *type_of(const struct debug_info *info,
                                         const struct debug_entry *entry)
{
    for (unsigned i = 0; entry && !entry->type && entry->of && i < MOST_NAMES; i++)
        entry = debug_info_find(info, entry->of);
    return entry && entry->type ? strip(info, debug_info_find(info, entry->type)) : NULL;
}

/* The elements from a dimension on; 0: not known. */
static uint64_t count_from(const struct debug_info *info, const struct debug_entry *range)
{
    uint64_t count = 1;
    for (; range; range = debug_info_next(info, range))
        if (range->kind == DEBUG_RANGE)
            count *= range->count;
    return count;
}

static const struct debug_entry *first_range(const struct debug_info *info,
                                             const struct debug_entry *array)
{
    const struct debug_entry *range = debug_info_first(info, array);
    while (range && range->kind != DEBUG_RANGE)
        range = debug_info_next(info, range);
    return range;
}

uint64_t debug_type_size(const struct debug_info *info, const struct debug_entry *type)
{
    uint64_t elements = 1;
    for (unsigned i = 0; type && type->kind == DEBUG_ARRAY && i < MOST_NAMES; i++) {
        elements *= count_from(info, first_range(info, type));
        type = type_of(info, type);
    }
    if (!type || type->kind == DEBUG_ARRAY)
        return 0;
    return elements * (type->kind == DEBUG_POINTER && !type->size ? sizeof(void *) : type->size);
}

static bool is_record(const struct debug_entry *type)
{
    return type && (type->kind == DEBUG_STRUCTURE || type->kind == DEBUG_UNION);
}

bool debug_type_equals(const struct debug_entry *one, const struct debug_entry *other)
{
    if (one == other)
        return true;
    return one && other && one->kind == other->kind && one->size == other->size && one->name &&
           other->name && one->name_length == other->name_length &&
           memcmp(one->name, other->name, one->name_length) == 0;
}

/* ---- the way to a member ---- */

/* Of the language and its library, or what a compiler adds: "_M_p", "__val", "_vptr.Node". */
static bool is_reserved(const struct debug_entry *member)
{
    const char *name = member->name;
    uint32_t length = member->name_length;
    return name && length > 1 && name[0] == '_' &&
           (name[1] == '_' || isupper((unsigned char)name[1]) ||
            (length > 5 && memcmp(name, "_vptr", 5) == 0));
}

/* The elements of a std::array, which are called as those of an array are. */
static bool is_elements(const struct debug_entry *member)
{
    static const char *const names[] = {"_M_elems", "__elems_"}; /* of libstdc++, of libc++ */
    for (size_t i = 0; member->name && i < ARRAY_LENGTH(names); i++)
        if (member->name_length == strlen(names[i]) &&
            memcmp(member->name, names[i], member->name_length) == 0)
            return true;
    return false;
}

struct way {
    const struct debug_info *info;
    struct debug_part part;
    uint64_t size;
    bool is_address;    /* of what begins there, the outermost that does */
    bool into_reserved; /* names do not matter */
    struct text *text;  /* null: nobody wants it */
};

static void append_name(const struct way *way, const struct debug_entry *member)
{
    if (way->text && member->kind == DEBUG_MEMBER && member->name && !is_elements(member))
        text_format(way->text, ".%.*s", (int)member->name_length, member->name);
}

static bool has_bytes(const struct way *way, const struct debug_entry *record,
                      const struct debug_entry *member)
{
    uint64_t size = debug_type_size(way->info, type_of(way->info, member));
    bool has_at = member->has_at || record->kind == DEBUG_UNION;
    if (!has_at || member->is_static || member->has_bits || member->at > way->part.offset ||
        (!way->into_reserved && is_reserved(member) && !is_elements(member)))
        return false;
    if (size == 0) { /* an array without a length, at the end */
        const struct debug_entry *type = type_of(way->info, member);
        return type && type->kind == DEBUG_ARRAY && way->part.offset >= record->size;
    }
    return way->part.offset - member->at + way->size <= size;
}

/* The member that has all the bytes; of a union only if there is no other one. Classes that are
 * inherited come last: one that is empty has a byte of its own in name only. */
static const struct debug_entry *find_member(const struct way *way,
                                             const struct debug_entry *record)
{
    static const enum debug_kind kinds[] = {DEBUG_MEMBER, DEBUG_BASE};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        const struct debug_entry *found = NULL, *member = debug_info_first(way->info, record);
        unsigned count = 0;
        for (; member; member = debug_info_next(way->info, member))
            if (member->kind == kinds[i] && has_bytes(way, record, member)) {
                found = member;
                count++;
            }
        if (count > 0)
            return count == 1 ? found : NULL;
    }
    return NULL;
}

static bool enter_record(struct way *way)
{
    const struct debug_entry *member = find_member(way, way->part.type);
    const struct debug_entry *type = member ? type_of(way->info, member) : NULL;
    if (!type)
        return false;
    append_name(way, member);
    way->part = (struct debug_part){type, way->part.offset - member->at};
    return true;
}

static bool enter_array(struct way *way)
{
    const struct debug_entry *array = way->part.type, *element = type_of(way->info, array);
    uint64_t size = debug_type_size(way->info, element), all = debug_type_size(way->info, array);
    if (size == 0 || (all && way->part.offset + way->size > all))
        return false;
    uint64_t index = way->part.offset / size;
    if (way->part.offset % size + way->size > size)
        return false; /* of several elements */
    for (const struct debug_entry *range = first_range(way->info, array); range;) {
        const struct debug_entry *next = debug_info_next(way->info, range);
        uint64_t each = next ? count_from(way->info, next) : 1;
        if (each == 0)
            return false;
        if (way->text)
            text_format(way->text, "[%" PRIu64 "]", index / each);
        index %= each;
        range = next;
    }
    way->part = (struct debug_part){element, way->part.offset % size};
    return true;
}

static void go(struct way *way)
{
    bool goes_on = true;
    way->part.type = strip(way->info, way->part.type);
    for (unsigned i = 0; goes_on && i < 2 * MOST_NAMES; i++) {
        if (!way->part.type || (way->is_address && way->part.offset == 0))
            return;
        goes_on = is_record(way->part.type)             ? enter_record(way)
                  : way->part.type->kind == DEBUG_ARRAY ? enter_array(way)
                                                        : false;
    }
}

uint64_t debug_append_part(const struct debug_info *info, struct debug_part part, uint64_t size,
                           struct text *text)
{
    struct way way = {
        .info = info, .part = part, .size = size ? size : 1, .is_address = !size, .text = text};
    go(&way);
    return way.part.offset;
}

const struct debug_entry *debug_find_target(const struct debug_info *info, struct debug_part part)
{
    struct way way = {.info = info, .part = part, .size = sizeof(void *), .into_reserved = true};
    go(&way);
    return way.part.type && way.part.type->kind == DEBUG_POINTER && way.part.offset == 0
               ? type_of(info, way.part.type)
               : NULL;
}

/* ---- whose type it is ---- */

struct debug_part debug_find_variable(const struct debug_info *info, const void *address)
{
    for (size_t i = 0; i < info->entries.length; i++) {
        const struct debug_entry *entry = &info->entries.items[i];
        uint64_t offset = (uintptr_t)address - entry->at;
        if (entry->kind != DEBUG_VARIABLE || !entry->has_at)
            continue;
        const struct debug_entry *type = type_of(info, entry);
        if (type && offset < debug_type_size(info, type))
            return (struct debug_part){type, offset};
    }
    return (struct debug_part){0};
}

/* Some class has it as a part of itself. */
static bool is_inherited(const struct debug_info *info, const struct debug_entry *type)
{
    for (size_t i = 0; i < info->entries.length; i++) {
        const struct debug_entry *entry = &info->entries.items[i];
        if (entry->kind == DEBUG_BASE && debug_type_equals(type_of(info, entry), type))
            return true;
    }
    return false;
}

/* It ends with an array that has no length. */
bool debug_type_is_open(const struct debug_info *info, const struct debug_entry *type)
{
    bool open = false;
    const struct debug_entry *member = debug_info_first(info, type);
    for (; type->kind == DEBUG_STRUCTURE && member; member = debug_info_next(info, member)) {
        const struct debug_entry *is = type_of(info, member);
        if (member->kind == DEBUG_MEMBER && member->has_at && !member->is_static)
            open = is && is->kind == DEBUG_ARRAY && debug_type_size(info, is) == 0;
    }
    return open;
}

bool debug_type_fits(const struct debug_info *info, const struct debug_entry *type, uint64_t size)
{
    uint64_t one = debug_type_size(info, type);
    if (!one || size < one)
        return false;
    return size == one || debug_type_is_open(info, type) ||
           (size % one == 0 && !is_inherited(info, type));
}

static const struct debug_entry *find_declared(const struct debug_info *info,
                                               const struct place *place, uint64_t size)
{
    const struct debug_entry *found = NULL;
    for (size_t i = 0; place->file && i < info->entries.length; i++) {
        const struct debug_entry *entry = &info->entries.items[i];
        if (entry->kind != DEBUG_VARIABLE || entry->line != place->line ||
            !debug_info_is_in(info, entry, place->file))
            continue;
        const struct debug_entry *pointer = type_of(info, entry);
        const struct debug_entry *type =
            pointer && pointer->kind == DEBUG_POINTER ? type_of(info, pointer) : NULL;
        if (!type || !debug_type_fits(info, type, size))
            continue;
        if (found && !debug_type_equals(found, type))
            return NULL;
        found = type;
    }
    return found;
}

static const struct debug_entry *find_made_by_template(const struct debug_info *info,
                                                       const void *at, uint64_t size)
{
    static const char make[] = "make<";
    for (size_t i = 0; i < info->entries.length; i++) {
        const struct debug_entry *entry = &info->entries.items[i], *origin = entry;
        if (entry->kind != DEBUG_FUNCTION || !entry->has_at ||
            (uintptr_t)at - entry->at - 1 >= entry->size)
            continue;
        while (origin && !origin->name && origin->of)
            origin = debug_info_find(info, origin->of);
        if (!origin || !origin->name || origin->name_length < strlen(make) ||
            memcmp(origin->name, make, strlen(make)) != 0)
            continue;
        const struct debug_entry *parameter = debug_info_first(info, entry);
        while (parameter && parameter->kind != DEBUG_TYPE_PARAMETER)
            parameter = debug_info_next(info, parameter);
        const struct debug_entry *type = parameter ? type_of(info, parameter) : NULL;
        if (type && debug_type_size(info, type) == size)
            return type;
    }
    return NULL;
}

const struct debug_entry *debug_find_made(const struct debug_info *info, const struct place *place,
                                          const void *at, uint64_t size)
{
    const struct debug_entry *made = at ? find_made_by_template(info, at, size) : NULL;
    return made ? made : find_declared(info, place, size);
}
