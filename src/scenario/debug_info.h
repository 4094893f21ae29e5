/* What compilers write down of variables and types (DWARF), as readelf lists it. Of its entries
 * those are kept by which memory is told; they stand in the order of their offsets, what is inside
 * of an entry right behind it, one deeper. */
#ifndef SCENARIO_DEBUG_INFO_H
#define SCENARIO_DEBUG_INFO_H

#include "scenario/command.h"

enum debug_kind {
    DEBUG_NOTHING,
    DEBUG_STRUCTURE, /* and a class */
    DEBUG_UNION,
    DEBUG_MEMBER,
    DEBUG_BASE, /* a class that another one inherits */
    DEBUG_ARRAY,
    DEBUG_RANGE,   /* of the indices of an array */
    DEBUG_POINTER, /* and a reference */
    DEBUG_OTHER_NAME /* typedef, const, volatile, _Atomic, restrict */,
    DEBUG_SCALAR, /* base types, enumerations */
    DEBUG_VARIABLE,
    DEBUG_FUNCTION,
    DEBUG_TYPE_PARAMETER, /* of a template */
};

struct debug_entry {
    uint64_t offset;
    uint64_t type;    /* the offset of its entry; 0: none */
    uint64_t of;      /* the entry that this one completes; 0: none */
    uint64_t size;    /* in bytes; 0: not known. Of a function: from its first address on */
    uint64_t at;      /* an address, or, of members, bytes from the start */
    uint64_t count;   /* of a range; 0: not known */
    const char *name; /* in the listing; null: none */
    uint32_t name_length, line, depth;
    uint32_t file; /* in which `line` is: its number in the unit's table */
    uint8_t kind;  /* enum debug_kind */
    bool has_at, has_bits, is_static;
    bool is_indexed; /* `at` is an index into the unit's addresses, until all is read */
    uint32_t unit;
};

struct debug_unit {
    uint64_t offset, table;              /* of its files */
    size_t first_address, address_count; /* while it is read */
};

struct debug_file {
    uint64_t table;
    const char *name; /* in the listing, without its folder */
    uint32_t number, name_length;
};

struct debug_info {
    struct text listing;
    VECTOR(struct debug_entry) entries;
    VECTOR(struct debug_unit) units;
    VECTOR(struct debug_file) files;
};

/* Reads that of a program; nothing, if it has none. To be released whatever the status. */
enum status debug_info_read(const char *program, struct budget *budget, struct debug_info *info,
                            struct error *error) MUST_CHECK;
void debug_info_release(struct debug_info *info);

/* The entry at an offset; null: none that is kept. */
const struct debug_entry *debug_info_find(const struct debug_info *info, uint64_t offset);

/* Whether the line of an entry is one of a file of that name, whatever its folder. */
bool debug_info_is_in(const struct debug_info *info, const struct debug_entry *entry,
                      const char *file);

/* The first entry inside of one, and the one behind an entry beside it; null: none. */
const struct debug_entry *debug_info_first(const struct debug_info *info,
                                           const struct debug_entry *entry);
const struct debug_entry *debug_info_next(const struct debug_info *info,
                                          const struct debug_entry *entry);

#endif
