/* Places become lines and columns in one walk over each file's text. */
#include "api/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/memory.h"
#include "base/require.h"
#include "base/text.h"

#define NAMES_MAGIC UINT32_C(0x6c706e61)

struct lp_names {
    uint32_t magic;
    lp_name *items;
    size_t count;
    char **files; /* of the script's parts; null for the model's own */
    uint32_t file_count;
};

/* The reference at a place; they are sorted by place. */
static const struct reference *find(const struct references *references, place at)
{
    size_t low = 0, high = references->items.length;
    BISECT(low, high, middle, references->items.items[middle].at < at);
    return low < references->items.length && references->items.items[low].at == at
               ? &references->items.items[low]
               : NULL;
}

/* Lines and columns of all references, in the order of their places. */
static void find_lines(const struct script *script, const struct references *references,
                       lp_names *names)
{
    uint32_t part = 0, line = 1;
    place line_start = 0, at = 0;
    for (size_t i = 0; i < names->count; i++) {
        const struct reference *reference = &references->items.items[i];
        uint32_t found = script_part_at(script, reference->at);
        if (i == 0 || found != part) {
            part = found;
            line = 1;
            at = line_start = script->parts[part].start;
        }
        for (; at < reference->at; at++)
            if (script->text[at] == '\n') {
                line++;
                line_start = at + 1;
            }
        names->items[i] = (lp_name){.name = text_copy(reference->name),
                                    .kind = (lp_name_kind)reference->kind,
                                    .file = names->files[part],
                                    .line = line,
                                    .column = reference->at - line_start + 1};
    }
}

static void find_declarations(const struct script *script, const struct references *references,
                              lp_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        lp_name *name = &names->items[i];
        const place declared = references->items.items[i].declared;
        if (declared == REFERENCE_BUILT_IN)
            continue;
        const struct reference *reference = find(references, declared);
        const lp_name *other =
            reference ? &names->items[reference - references->items.items] : NULL;
        name->declared_file = other ? other->file : names->files[script_part_at(script, declared)];
        name->declared_line = other ? other->line : script_line(script, declared);
        name->declared_column = other ? other->column : script_column(script, declared);
    }
}

lp_names *names_create(const struct script *script, struct references *references)
{
    if (references->refused || !references->items.length)
        return NULL;
    references_sort(references);
    lp_names *names = memory_small(sizeof *names);
    *names = (lp_names){
        .magic = NAMES_MAGIC, .count = references->items.length, .file_count = script->part_count};
    names->items = memory_small(names->count * sizeof *names->items);
    names->files = memory_small(names->file_count * sizeof *names->files);
    for (uint32_t i = 0; i < names->file_count; i++)
        names->files[i] = i == script->main ? NULL : text_copy(script->parts[i].name);
    find_lines(script, references, names);
    find_declarations(script, references, names);
    return names;
}

bool lp_name_at(const lp_names *names, size_t index, lp_name *name)
{
    REQUIRE_ALIVE(names, NAMES_MAGIC);
    REQUIRE_NOT_NULL(name);
    if (index >= names->count)
        return false;
    *name = names->items[index];
    return true;
}

void lp_names_destroy(lp_names *names)
{
    if (!names)
        return;
    REQUIRE_ALIVE(names, NAMES_MAGIC);
    names->magic = 0;
    for (size_t i = 0; i < names->count; i++)
        free((char *)(uintptr_t)names->items[i].name);
    for (uint32_t i = 0; i < names->file_count; i++)
        free(names->files[i]);
    free(names->items);
    free(names->files);
    free(names);
}

const char *lp_name_kind_name(lp_name_kind kind)
{
    static const char *const words[] = {
        [LP_NAME_CONSTANT] = "constant",
        [LP_NAME_VARIABLE] = "variable",
        [LP_NAME_LOCAL] = "local variable",
        [LP_NAME_PARAMETER] = "parameter",
        [LP_NAME_FIELD] = "field",
        [LP_NAME_TYPE] = "type",
        [LP_NAME_OPERATION] = "operation",
        [LP_NAME_FUNCTION] = "function",
        [LP_NAME_SPECIFICATION] = "specification",
        [LP_NAME_IMPLEMENTATION] = "implementation",
        [LP_NAME_PROGRAM] = "program",
        [LP_NAME_PROCESS] = "process",
        [LP_NAME_CHANNEL] = "channel",
        [LP_NAME_EVENT] = "event",
        [LP_NAME_RULES] = "set of rules",
        [LP_NAME_RULE] = "rule",
        [LP_NAME_AUTOMATON] = "automaton",
        [LP_NAME_METHOD] = "method",
        [LP_NAME_STATE] = "state",
    };
    _Static_assert(sizeof words / sizeof *words == LP_NAME_KINDS, "a word for each kind");
    _Static_assert((int)LP_NAME_KINDS == (int)REFERENCE_KINDS, "the same kinds");
    REQUIRE(kind < LP_NAME_KINDS, "there is no such kind");
    return words[kind];
}
