#include "scenario/debug_info.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

/* Each line has a 0 in place of its end. */
struct reading {
    struct debug_info *info;
    struct debug_entry *entry; /* that attributes are of; null: of one that is not kept */
    bool is_unit;              /* they are of the unit itself */
    bool in_addresses, in_files;
    struct debug_unit *unit; /* whose addresses are listed; null: not known */
    uint64_t table;          /* of files, that is listed */
    VECTOR(uint64_t) addresses;
};

static bool starts_with(const char *line, size_t length, const char *start)
{
    size_t size = strlen(start);
    return length >= size && memcmp(line, start, size) == 0;
}

static enum debug_kind kind_of(const char *tag, size_t length)
{
    static const struct {
        const char *tag;
        enum debug_kind kind;
    } kinds[] = {{"DW_TAG_structure_type", DEBUG_STRUCTURE},
                 {"DW_TAG_class_type", DEBUG_STRUCTURE},
                 {"DW_TAG_union_type", DEBUG_UNION},
                 {"DW_TAG_member", DEBUG_MEMBER},
                 {"DW_TAG_inheritance", DEBUG_BASE},
                 {"DW_TAG_array_type", DEBUG_ARRAY},
                 {"DW_TAG_subrange_type", DEBUG_RANGE},
                 {"DW_TAG_pointer_type", DEBUG_POINTER},
                 {"DW_TAG_reference_type", DEBUG_POINTER},
                 {"DW_TAG_typedef", DEBUG_OTHER_NAME},
                 {"DW_TAG_const_type", DEBUG_OTHER_NAME},
                 {"DW_TAG_volatile_type", DEBUG_OTHER_NAME},
                 {"DW_TAG_atomic_type", DEBUG_OTHER_NAME},
                 {"DW_TAG_restrict_type", DEBUG_OTHER_NAME},
                 {"DW_TAG_base_type", DEBUG_SCALAR},
                 {"DW_TAG_enumeration_type", DEBUG_SCALAR},
                 {"DW_TAG_variable", DEBUG_VARIABLE},
                 {"DW_TAG_subprogram", DEBUG_FUNCTION},
                 {"DW_TAG_template_type_param", DEBUG_TYPE_PARAMETER}};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (strlen(kinds[i].tag) == length && memcmp(kinds[i].tag, tag, length) == 0)
            return kinds[i].kind;
    return DEBUG_NOTHING;
}

/* " <1><2d>: Abbrev Number: 2 (DW_TAG_structure_type)" */
static bool begin_entry(struct reading *reading, const char *line, size_t length)
{
    struct debug_info *info = reading->info;
    const char *tag = strstr(line, "(DW_TAG_"), *offset = strstr(line, "><");
    reading->entry = NULL;
    reading->is_unit = false;
    if (!tag || !offset)
        return true; /* the end of what is inside of another one */
    size_t size = length - (size_t)(tag + 1 - line) - 1;
    reading->is_unit = starts_with(tag, size + 1, "(DW_TAG_compile_unit");
    struct debug_entry entry = {.kind = (uint8_t)kind_of(tag + 1, size),
                                .depth = (uint32_t)strtoul(line + 2, NULL, 10),
                                .offset = strtoull(offset + 2, NULL, 16),
                                .unit = (uint32_t)info->units.length};
    const struct debug_entry *last =
        info->entries.length ? &info->entries.items[info->entries.length - 1] : NULL;
    if (info->units.length == 0)
        return true;
    /* Others are kept only where what is behind them would seem to be inside of, or beside, what is
     * in front. */
    if (entry.kind == DEBUG_NOTHING &&
        (!last || last->unit != entry.unit || entry.depth > last->depth))
        return true;
    if (!vector_push(&info->entries, entry))
        return false;
    reading->entry = &info->entries.items[info->entries.length - 1];
    return true;
}

/* The number in "8", "0x8", "(index: 0x1): 401136" (always in hexadecimal). */
static bool read_number(const char *value, uint64_t *number)
{
    char *end;
    const char *behind = strstr(value, "): ");
    bool is_indexed = value[0] == '(' && behind;
    *number = strtoull(is_indexed ? behind + 3 : value, &end, is_indexed ? 16 : 0);
    return end != value && value[0] != '-';
}

/* What follows "block: ... (" is an expression; only single addresses and offsets are understood.
 */
static void set_at(struct debug_entry *entry, const char *value)
{
    static const char *const words[] = {"(DW_OP_addr: ", "(DW_OP_addrx <", "(DW_OP_plus_uconst: "};
    const char *found = NULL;
    char *end;
    if (value[0] == '(' || strstr(value, "block:")) {
        for (size_t i = 0; !found && i < ARRAY_LENGTH(words); i++) {
            found = strstr(value, words[i]);
            if (!found)
                continue;
            entry->at = strtoull(found + strlen(words[i]), &end, i == 2 ? 10 : 16);
            entry->is_indexed = i == 1;
            entry->has_at = *end == ')' || (*end == '>' && end[1] == ')');
        }
    } else if (entry->kind == DEBUG_MEMBER || entry->kind == DEBUG_BASE) {
        entry->has_at = read_number(value, &entry->at);
    }
}

/* Behind what is said in parentheses of where it stands: "(indirect string, offset: 0x18): first"
 */
static const char *read_name(const char *value, uint32_t *length)
{
    const char *behind = value[0] == '(' ? strstr(value, "): ") : NULL;
    const char *name = behind ? behind + 3 : value;
    size_t size = strlen(name);
    while (size > 0 && (name[size - 1] == ' ' || name[size - 1] == '\t'))
        size--;
    *length = (uint32_t)size;
    return size ? name : NULL;
}

static void set_of_entry(struct debug_entry *entry, const char *attribute, size_t length,
                         const char *value)
{
    uint64_t number;
    bool has_number = read_number(value, &number);
    bool is_reference = value[0] == '<' && value[1] == '0';
    uint64_t reference = is_reference ? strtoull(value + 1, NULL, 16) : 0;
#define IS(name) (length == strlen(name) && memcmp(attribute, name, length) == 0)
    if (IS("DW_AT_name"))
        entry->name = read_name(value, &entry->name_length);
    else if (IS("DW_AT_type"))
        entry->type = reference;
    else if (IS("DW_AT_specification") || IS("DW_AT_abstract_origin"))
        entry->of = reference;
    else if (IS("DW_AT_data_member_location") || IS("DW_AT_location"))
        set_at(entry, value);
    else if (IS("DW_AT_bit_size"))
        entry->has_bits = true;
    else if (IS("DW_AT_external") && entry->kind == DEBUG_MEMBER)
        entry->is_static = true;
    else if (!has_number)
        return;
    else if (IS("DW_AT_byte_size") || IS("DW_AT_high_pc"))
        entry->size = number;
    else if (IS("DW_AT_low_pc"))
        entry->at = number, entry->has_at = true;
    else if (IS("DW_AT_upper_bound"))
        entry->count = number + 1;
    else if (IS("DW_AT_count"))
        entry->count = number;
    else if (IS("DW_AT_decl_line"))
        entry->line = (uint32_t)number;
    else if (IS("DW_AT_decl_file"))
        entry->file = (uint32_t)number;
#undef IS
}

/* "    <3b>   DW_AT_name        : (indirect string, offset: 0xd8): number" */
static void read_attribute(struct reading *reading, const char *line)
{
    struct debug_info *info = reading->info;
    const char *attribute = strstr(line, "DW_AT_");
    if (!attribute || info->units.length == 0)
        return;
    size_t name = strcspn(attribute, " :");
    const char *value = attribute + name;
    value += strspn(value, " ");
    if (*value == ':')
        value++;
    value += strspn(value, " \t");
    struct debug_unit *unit = &info->units.items[info->units.length - 1];
    if (reading->is_unit && starts_with(attribute, name, "DW_AT_stmt_list"))
        (void)read_number(value, &unit->table);
    else if (reading->entry)
        set_of_entry(reading->entry, attribute, name, value);
}

static struct debug_unit *find_unit(const struct debug_info *info, uint64_t offset)
{
    for (size_t i = 0; i < info->units.length; i++)
        if (info->units.items[i].offset == offset)
            return &info->units.items[i];
    return NULL;
}

/* "	3:	0000000000404060", of the unit whose addresses are listed; they are numbered from 0
 * on. */
static bool read_address(struct reading *reading, const char *line)
{
    struct debug_unit *unit = reading->unit;
    char *colon;
    uint64_t index = strtoull(line, &colon, 10);
    if (!unit || colon == line || *colon != ':' || index != unit->address_count)
        return true;
    if (index == 0)
        unit->first_address = reading->addresses.length;
    unit->address_count++;
    return vector_push(&reading->addresses, strtoull(colon + 1, NULL, 16));
}

static void set_addresses(const struct reading *reading)
{
    struct debug_info *info = reading->info;
    for (size_t i = 0; i < info->entries.length; i++) {
        struct debug_entry *entry = &info->entries.items[i];
        const struct debug_unit *unit = &info->units.items[entry->unit - 1];
        if (!entry->is_indexed)
            continue;
        entry->has_at = entry->at < unit->address_count;
        entry->is_indexed = false;
        if (entry->has_at)
            entry->at = reading->addresses.items[unit->first_address + entry->at];
    }
}

/* "  4\t2\t(indirect line string, offset: 0x2c): places.c"; in the older format with two more
 * columns. The table ends with an empty line. */
static bool read_file(struct reading *reading, const char *line, size_t length)
{
    char *end;
    struct debug_file file = {.table = reading->table, .number = (uint32_t)strtoul(line, &end, 10)};
    const char *last = length ? memrchr(line, '\t', length) : NULL;
    reading->in_files = length > 0;
    if (!last || end == line || *end != '\t')
        return true; /* the heads of the columns */
    file.name = read_name(last + 1, &file.name_length);
    return !file.name || vector_push(&reading->info->files, file);
}

static bool read_line(struct reading *reading, const char *line, size_t length)
{
    static const char unit_line[] = "  Compilation Unit @ offset ",
                      addresses_line[] = "  For compilation unit at offset ",
                      files_line[] = " The File Name Table", table_line[] = "  Offset: ";
    struct debug_info *info = reading->info;
    if (starts_with(line, length, unit_line)) {
        struct debug_unit unit = {.offset = strtoull(line + strlen(unit_line), NULL, 16)};
        reading->entry = NULL;
        return vector_push(&info->units, unit);
    }
    if (reading->in_files)
        return read_file(reading, line, length);
    if (starts_with(line, length, addresses_line)) {
        reading->in_addresses = true;
        reading->unit = find_unit(info, strtoull(line + strlen(addresses_line), NULL, 16));
    } else if (starts_with(line, length, table_line)) {
        reading->table = strtoull(line + strlen(table_line), NULL, 0);
    } else if (starts_with(line, length, files_line)) {
        reading->in_files = true;
    } else if (reading->in_addresses && line[0] == '\t') {
        return read_address(reading, line);
    } else if (starts_with(line, length, " <")) {
        return begin_entry(reading, line, length);
    } else if (starts_with(line, length, "    <")) {
        read_attribute(reading, line);
    }
    return true;
}

static bool read_listing(struct reading *reading)
{
    struct text *listing = &reading->info->listing;
    for (size_t at = 0; at < listing->length;) {
        char *line = listing->bytes + at, *end = memchr(line, '\n', listing->length - at);
        size_t length = end ? (size_t)(end - line) : listing->length - at;
        line[length] = 0;
        if (!read_line(reading, line, length))
            return false;
        at += length + 1;
    }
    set_addresses(reading);
    return true;
}

enum status debug_info_read(const char *program, struct budget *budget, struct debug_info *info,
                            struct error *error)
{
    struct words words;
    struct reading reading = {.info = info};
    enum status status = STATUS_LIMIT;
    *info = (struct debug_info){.listing = TEXT_EMPTY};
    vectors_init(budget, &info->entries, &info->units, &info->files);
    words_init(&words, budget);
    if (words_add(&words, "env", "LC_ALL=C", "readelf", "--debug-dump=info,addr,rawline", program,
                  NULL)) /* words of the listing are translated elsewhere */
        status = command_need(&words, &info->listing, error);
    words_release(&words);
    vector_init(&reading.addresses, budget);
    if (status == STATUS_OK && !read_listing(&reading))
        status = STATUS_LIMIT;
    vector_release(&reading.addresses);
    return status;
}

void debug_info_release(struct debug_info *info)
{
    vectors_release(&info->entries, &info->units, &info->files);
    text_release(&info->listing);
}

const struct debug_entry *debug_info_find(const struct debug_info *info, uint64_t offset)
{
    size_t low = 0, high = info->entries.length;
    BISECT(low, high, middle, info->entries.items[middle].offset < offset);
    return low < info->entries.length && info->entries.items[low].offset == offset
               ? &info->entries.items[low]
               : NULL;
}

static bool is_named(const struct debug_file *file, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    return file->name_length >= length &&
           memcmp(file->name + file->name_length - length, name, length) == 0 &&
           (file->name_length == length || file->name[file->name_length - length - 1] == '/');
}

bool debug_info_is_in(const struct debug_info *info, const struct debug_entry *entry,
                      const char *file)
{
    uint64_t table = info->units.items[entry->unit - 1].table;
    for (size_t i = 0; i < info->files.length; i++)
        if (info->files.items[i].table == table && info->files.items[i].number == entry->file &&
            is_named(&info->files.items[i], file))
            return true;
    return false;
}

static const struct debug_entry *end_of(const struct debug_info *info)
{
    return info->entries.items + info->entries.length;
}

const struct debug_entry *debug_info_first(const struct debug_info *info,
                                           const struct debug_entry *entry)
{
    const struct debug_entry *next = entry + 1;
    return next < end_of(info) && next->unit == entry->unit && next->depth > entry->depth ? next
                                                                                          : NULL;
}

const struct debug_entry *debug_info_next(const struct debug_info *info,
                                          const struct debug_entry *entry)
{
    const struct debug_entry *next = entry + 1;
    while (next < end_of(info) && next->unit == entry->unit && next->depth > entry->depth)
        next++;
    return next < end_of(info) && next->unit == entry->unit && next->depth == entry->depth ? next
                                                                                           : NULL;
}
