#include "monitor/accesses.h"

#include <string.h>

#include "spec/revision.h"

struct row {
    const char *class, *operation;
    enum access_kind kind;
    bool keyed, deletes;
};

static const struct row table[] = {
    {.class = "register", .operation = "read", .kind = ACCESS_READ},
    {.class = "register", .operation = "write", .kind = ACCESS_WRITE},
    {.class = "cas-register", .operation = "read", .kind = ACCESS_READ},
    {.class = "cas-register", .operation = "write", .kind = ACCESS_WRITE},
    {.class = "cas-register", .operation = "cas", .kind = ACCESS_SWAP},
    {.class = "map", .operation = "get", .kind = ACCESS_READ, .keyed = true},
    {.class = "map", .operation = "put", .kind = ACCESS_WRITE, .keyed = true},
    {.class = "map", .operation = "cas", .kind = ACCESS_SWAP, .keyed = true},
    {.class = "map", .operation = "delete", .kind = ACCESS_WRITE, .keyed = true, .deletes = true},
};

/* Asks a fresh object what a read answers, at first or after `before`. */
static value ask(const struct part *part, struct limits *limits, const struct call *before,
                 const struct call *read)
{
    value answer = VALUE_REFUSED;
    struct spec_object *object = spec_open(part->spec, part->key, limits->budget);
    if (!object)
        return VALUE_REFUSED;
    if ((before && spec_apply(part->spec, object, before, NULL) != APPLIED_LEGAL) ||
        spec_apply(part->spec, object, read, &answer) != APPLIED_LEGAL)
        answer = VALUE_REFUSED;
    spec_close(part->spec, object);
    return answer;
}

bool accesses_init(struct accesses *accesses, const struct part *part, struct limits *limits)
{
    const struct spec_class *class = part->spec->class;
    *accesses = (struct accesses){.part = part};
    struct call read = {.argument = VALUE_NIL}, deletion = {.argument = VALUE_NIL};
    bool is_register = false, has_deletion = false;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct row *row = &table[i];
        if (strcmp(row->class, class->name) != 0)
            continue;
        int operation = spec_operation_find(class, row->operation, strlen(row->operation));
        if (operation < 0 || operation >= ACCESSES_MOST)
            return false;
        is_register = true;
        accesses->keyed = row->keyed;
        accesses->kinds[operation] = (uint8_t)row->kind;
        accesses->deletes[operation] = row->deletes;
        struct call call = {.argument = row->keyed ? part->key : VALUE_NIL,
                            .operation = (uint16_t)operation};
        if (row->kind == ACCESS_READ)
            read = call;
        if (row->deletes) {
            deletion = call;
            has_deletion = true;
        }
    }
    if (!is_register || (accesses->keyed && !part->has_key))
        return false;
    accesses->initial = ask(part, limits, NULL, &read);
    accesses->absent = has_deletion ? ask(part, limits, &deletion, &read) : VALUE_NIL;
    return true;
}

/* Whether the completed swap says that it swapped, and nothing else. */
static bool has_swapped(const struct call *call)
{
    struct answer answer;
    return call->result_known &&
           (call->result == VALUE_TRUE || (answer_parse(call->result, &answer) && answer.has_ok &&
                                           answer.ok && !answer.has_value && !answer.has_revision));
}

struct access accesses_of(const struct accesses *accesses, const struct interval *interval)
{
    static const struct access other = {.kind = ACCESS_OTHER};
    const struct call *call = &interval->call;
    enum access_kind kind =
        call->operation < ACCESSES_MOST ? accesses->kinds[call->operation] : ACCESS_OTHER;
    bool pending = interval->response == POSITION_NEVER, keyed = accesses->keyed;
    const value *items = NULL;
    size_t length;
    switch (kind) {
    case ACCESS_READ:
        if (pending || !call->result_known)
            return (struct access){.kind = ACCESS_FREE};
        /* One that is not read-only saw a revision, too. */
        return call->read_only ? (struct access){.kind = kind, .expected = call->result} : other;
    case ACCESS_WRITE:
        if (call->result_known)
            return other;
        if (accesses->deletes[call->operation])
            return (struct access){.kind = kind, .written = accesses->absent};
        if (keyed)
            items = value_get_items(call->argument, &length);
        return (struct access){.kind = kind, .written = keyed ? items[1] : call->argument};
    case ACCESS_SWAP:
        if (pending ? call->result_known : !has_swapped(call))
            return other;
        items = value_get_items(call->argument, &length) + keyed;
        if (items[0] != items[1])
            return (struct access){.kind = kind, .expected = items[0], .written = items[1]};
        /* Replacing a value by itself reads it. */
        return (struct access){.kind = pending ? ACCESS_FREE : ACCESS_READ, .expected = items[0]};
    default:
        return other;
    }
}
