#include "monitor/register_accesses.h"

#include "spec/cas_register.h"
#include "spec/map.h"
#include "spec/register.h"
#include "spec/replay.h"
#include "spec/revision.h"

struct row {
    const struct spec_class *class;
    uint16_t operation;
    enum access_kind kind;
    bool keyed, deletes;
};

static const struct row table[] = {
    {.class = &register_class, .operation = REGISTER_READ, .kind = ACCESS_READ},
    {.class = &register_class, .operation = REGISTER_WRITE, .kind = ACCESS_WRITE},
    {.class = &cas_register_class, .operation = CAS_REGISTER_READ, .kind = ACCESS_READ},
    {.class = &cas_register_class, .operation = CAS_REGISTER_WRITE, .kind = ACCESS_WRITE},
    {.class = &cas_register_class, .operation = CAS_REGISTER_CAS, .kind = ACCESS_SWAP},
    {.class = &map_class, .operation = MAP_GET, .kind = ACCESS_READ, .keyed = true},
    {.class = &map_class, .operation = MAP_PUT, .kind = ACCESS_WRITE, .keyed = true},
    {.class = &map_class, .operation = MAP_CAS, .kind = ACCESS_SWAP, .keyed = true},
    {.class = &map_class,
     .operation = MAP_DELETE,
     .kind = ACCESS_WRITE,
     .keyed = true,
     .deletes = true},
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
    *accesses = (struct accesses){.part = part, .absent = VALUE_NIL};
    struct call read = {.argument = VALUE_NIL}, deletion = {.argument = VALUE_NIL};
    bool is_register = false;
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
        const struct row *row = &table[i];
        if (row->class != part->spec->class)
            continue;
        is_register = true;
        accesses->keyed = row->keyed;
        accesses->kinds[row->operation] = (uint8_t)row->kind;
        accesses->deletes[row->operation] = row->deletes;
        struct call call = {.argument = part->key, .operation = row->operation};
        if (row->kind == ACCESS_READ)
            read = call;
        if (row->deletes) {
            deletion = call;
            accesses->has_deletion = true;
        }
    }
    if (!is_register || (accesses->keyed && !part->has_key))
        return false;
    accesses->initial = ask(part, limits, NULL, &read);
    if (accesses->has_deletion)
        accesses->absent = ask(part, limits, &deletion, &read);
    return true;
}

/* Of a completed swap: whether it says that it swapped, or that it did not, and nothing else. */
static enum access_kind swap_kind(const struct call *call)
{
    struct answer answer;
    if (!call->result_known)
        return ACCESS_OTHER;
    if (call->result == VALUE_TRUE || call->result == VALUE_FALSE)
        return call->result == VALUE_TRUE ? ACCESS_SWAP : ACCESS_FAILED;
    if (!answer_parse(call->result, &answer) || !answer.has_ok || answer.has_value ||
        answer.has_revision)
        return ACCESS_OTHER;
    return answer.ok ? ACCESS_SWAP : ACCESS_FAILED;
}

struct access accesses_of_call(const struct accesses *accesses, const struct call *call,
                               bool pending)
{
    static const struct access other = {.kind = ACCESS_OTHER};
    enum access_kind kind =
        call->operation < ACCESSES_MOST ? accesses->kinds[call->operation] : ACCESS_OTHER;
    const bool keyed = accesses->keyed;
    const value *items = NULL;
    size_t length;
    switch (kind) {
    case ACCESS_READ:
        if (pending || !call->result_known)
            return (struct access){.kind = ACCESS_FREE};
        return keyed && answer_shows_revision(call->result)
                   ? other
                   : (struct access){.kind = kind, .expected = call->result};
    case ACCESS_WRITE:
        if (call->result_known)
            return other;
        if (accesses->deletes[call->operation])
            return (struct access){.kind = kind, .written = accesses->absent};
        if (keyed)
            items = value_get_items(call->argument, &length);
        return (struct access){.kind = kind, .written = keyed ? items[1] : call->argument};
    case ACCESS_SWAP:
        if (pending)
            kind = call->result_known ? ACCESS_OTHER : ACCESS_SWAP;
        else
            kind = swap_kind(call);
        if (kind == ACCESS_OTHER)
            return other;
        items = value_get_items(call->argument, &length) + keyed;
        if (items[0] != items[1] || kind == ACCESS_FAILED)
            return (struct access){.kind = kind, .expected = items[0], .written = items[1]};
        /* Replacing a value by itself reads it. */
        return (struct access){.kind = pending ? ACCESS_FREE : ACCESS_READ, .expected = items[0]};
    default:
        return other;
    }
}
