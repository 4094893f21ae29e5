/* A value that is an object is written out when it is met for the first time, its items before it;
 * from then on it is a number. Words that are no objects, the small integers among them, stand for
 * themselves. */
#include "stream/archive.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "spec/builtin.h"
#include "value/value.h"

#define OBJECT_TAG  2 /* the lowest three bits of a value that is an object */
#define MOST_LENGTH UINT32_MAX
#define SMALL_BELOW 4096
#define MOST_DEPTH  1000 /* values within values; no reader makes half as many */

/* How a value begins; beyond these it is the number of one that was met, and ITS_NUMBER. */
enum {
    ITSELF,
    DEFINED,
    ITS_NUMBER,
};

void archive_init(struct archive *archive, struct sections_out *out, struct sections_in *in,
                  struct value_pool *pool, struct error *error)
{
    struct budget *budget = value_pool_budget(pool);
    *archive = (struct archive){.out = out, .in = in, .pool = pool, .error = error};
    table_init(&archive->numbers, budget);
    vectors_init(budget, &archive->values, &archive->are_values);
}

void archive_release(struct archive *archive)
{
    table_release(&archive->numbers);
    vectors_release(&archive->values, &archive->are_values);
}

struct archive archive_to_memory(struct packed *packed)
{
    return (struct archive){.packed = packed};
}

struct archive archive_from_memory(const uint8_t *bytes)
{
    return (struct archive){.at = bytes};
}

static bool is_in_memory(const struct archive *archive)
{
    return archive->packed || archive->at;
}

void archive_fail(struct archive *archive, enum status status)
{
    if (archive->status == STATUS_OK && status == STATUS_LIMIT && !is_in_memory(archive))
        error_set(archive->error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    if (archive->status == STATUS_OK)
        archive->status = status;
}

void archive_damaged(struct archive *archive, const char *how)
{
    if (archive->status != STATUS_OK) /* then it may be only that something was refused */
        return;
    assert(!is_in_memory(archive));
    archive->status = sections_damaged(archive->in, how, archive->error);
}

void archive_section(struct archive *archive, uint32_t tag)
{
    if (archive->out)
        sections_begin(archive->out, tag);
    else if (archive->status == STATUS_OK)
        archive->status = sections_enter(archive->in, tag, archive->error);
}

/* ---- numbers ---- */

/* In memory a number, one more than it is, stands for itself if it is small, for its difference
 * from the last that is not, or in eight bytes. Two bits say which. */
enum {
    SMALL,
    DIFFERENCE,
    WHOLE,
};

static bool pack_number(struct archive *archive, uint64_t number)
{
    const uint64_t more = number + 1, folded = packed_fold(more - archive->before);
    if (more < SMALL_BELOW)
        return packed_push_whole(archive->packed, more << 2 | SMALL);
    archive->before = more;
    if (folded >> 62 == 0)
        return packed_push_whole(archive->packed, folded << 2 | DIFFERENCE);
    return packed_push_whole(archive->packed, WHOLE) && packed_push_whole(archive->packed, more);
}

static uint64_t unpack_number(struct archive *archive)
{
    const uint64_t found = packed_take_whole(&archive->at), rest = found >> 2;
    if ((found & 3) == SMALL)
        return rest - 1;
    if ((found & 3) == DIFFERENCE)
        archive->before += packed_unfold(rest);
    else
        archive->before = packed_take_whole(&archive->at);
    return archive->before - 1;
}

uint64_t archive_number(struct archive *archive, uint64_t number)
{
    if (archive->at)
        return unpack_number(archive);
    if (archive->packed) {
        if (!pack_number(archive, number))
            archive_fail(archive, STATUS_LIMIT);
        return number;
    }
    if (archive->out) {
        sections_put(archive->out, number + 1);
        return number;
    }
    uint64_t found = 1;
    if (archive->status == STATUS_OK)
        archive->status = sections_take(archive->in, &found, archive->error);
    return archive->status == STATUS_OK ? found - 1 : 0;
}

uint64_t archive_below(struct archive *archive, uint64_t number, uint64_t below)
{
    assert(archive_reads(archive) || number < below);
    uint64_t found = archive_number(archive, number);
    if (found < below)
        return found;
    archive_damaged(archive, "a number is greater than it can be");
    return 0;
}

uint32_t archive_place(struct archive *archive, uint32_t place, size_t below)
{
    uint64_t found = archive_number(archive, place == UINT32_MAX ? UINT64_MAX : place);
    if (found == UINT64_MAX)
        return UINT32_MAX;
    if (found < below && found < UINT32_MAX)
        return (uint32_t)found;
    archive_damaged(archive, "a place is behind the last");
    return UINT32_MAX;
}

size_t archive_length(struct archive *archive, size_t length)
{
    return (size_t)archive_below(archive, length, MOST_LENGTH);
}

void archive_bytes(struct archive *archive, void *bytes, size_t length)
{
    if (archive->out)
        sections_put_bytes(archive->out, bytes, length);
    else if (archive->status == STATUS_OK)
        archive->status = sections_take_bytes(archive->in, bytes, length, archive->error);
}

/* ---- values ---- */

static bool is_object(value v)
{
    return (v & 7) == OBJECT_TAG;
}

/* Gives a value that was written out its number. */
static void number_value(struct archive *archive, value v)
{
    uint32_t number = (uint32_t)archive->values.length;
    if (number >= MOST_LENGTH || !vector_push(&archive->values, v) ||
        (archive->out && !table_add(&archive->numbers, hash_word(v), number)))
        archive_fail(archive, STATUS_LIMIT);
}

static void put_value(struct archive *archive, value v);

static void put_definition(struct archive *archive, value v)
{
    const struct value_object *object = value_object(v);
    sections_put(archive->out, DEFINED);
    sections_put(archive->out, object->kind);
    switch ((enum value_kind)object->kind) {
    case KIND_INTEGER:
        archive_number(archive, (uint64_t)object->content.integer);
        break;
    case KIND_REAL:
        sections_put_bytes(archive->out, &object->content.real, sizeof object->content.real);
        break;
    case KIND_LIST:
    case KIND_SET:
    case KIND_MAP:
        sections_put(archive->out, object->length);
        for (uint32_t i = 0; i < object->length; i++)
            put_value(archive, object->content.items[i]);
        break;
    default:
        sections_put(archive->out, object->length);
        sections_put_bytes(archive->out, object->content.bytes, object->length);
    }
    number_value(archive, v);
}

static void put_value(struct archive *archive, value v)
{
    if (!is_object(v) || v == VALUE_REFUSED) {
        sections_put(archive->out, ITSELF);
        archive_number(archive, v);
        return;
    }
    struct table_search search = table_search(&archive->numbers, hash_word(v));
    while (table_next(&search))
        if (archive->values.items[search.number] == v) {
            sections_put(archive->out, ITS_NUMBER + (uint64_t)search.number);
            return;
        }
    put_definition(archive, v);
}

static uint64_t take(struct archive *archive, uint64_t below)
{
    uint64_t number = 0;
    if (archive->status == STATUS_OK)
        archive->status = sections_take_below(archive->in, below, &number, archive->error);
    return archive->status == STATUS_OK ? number : 0;
}

static value take_value(struct archive *archive, unsigned depth);

/* One that can be looked into; other words stand where values may be missing. */
static value take_known(struct archive *archive, unsigned depth)
{
    const value v = take_value(archive, depth);
    if (is_object(v) || value_is_small(v) || v == VALUE_NIL || v == VALUE_FALSE || v == VALUE_TRUE)
        return v;
    archive_damaged(archive, "a value is of no kind");
    return VALUE_NIL;
}

static value take_items(struct archive *archive, enum value_kind kind, size_t length,
                        unsigned depth)
{
    VECTOR(value) items;
    vector_init(&items, value_pool_budget(archive->pool));
    for (size_t i = 0; i < length && archive->status == STATUS_OK; i++)
        if (!vector_push(&items, take_known(archive, depth + 1)))
            archive_fail(archive, STATUS_LIMIT);
    value made = VALUE_NIL;
    if (kind == KIND_MAP && length % 2)
        archive_damaged(archive, "a map has a key without a value");
    if (archive->status == STATUS_OK)
        made = kind == KIND_LIST  ? value_list(archive->pool, items.items, length)
               : kind == KIND_SET ? value_set(archive->pool, items.items, length)
                                  : value_map(archive->pool, items.items, length);
    vector_release(&items);
    return made;
}

static value take_text(struct archive *archive, enum value_kind kind, size_t length)
{
    VECTOR(char) letters;
    char part[256];
    vector_init(&letters, value_pool_budget(archive->pool));
    for (size_t left = length; left && archive->status == STATUS_OK;) {
        const size_t some = left < sizeof part ? left : sizeof part;
        archive_bytes(archive, part, some);
        for (size_t i = 0; i < some && archive->status == STATUS_OK; i++)
            if (!vector_push(&letters, part[i]))
                archive_fail(archive, STATUS_LIMIT);
        left -= some;
    }
    value made = VALUE_NIL;
    if (archive->status == STATUS_OK)
        made = value_text(archive->pool, kind, length ? letters.items : "", length);
    vector_release(&letters);
    return made;
}

static value take_definition(struct archive *archive, unsigned depth)
{
    enum value_kind kind = (enum value_kind)take(archive, KIND_MAP + 1);
    double real = 0;
    value made = VALUE_NIL;
    switch (kind) {
    case KIND_NIL:
    case KIND_BOOLEAN:
        archive_damaged(archive, "a value is of no kind");
        break;
    case KIND_INTEGER:
        made = value_integer(archive->pool, (int64_t)archive_number(archive, 0));
        break;
    case KIND_REAL:
        archive_bytes(archive, &real, sizeof real);
        made = value_real(archive->pool, real);
        break;
    case KIND_LIST:
    case KIND_SET:
    case KIND_MAP:
        made = take_items(archive, kind, take(archive, MOST_LENGTH), depth);
        break;
    default:
        made = take_text(archive, kind, take(archive, MOST_LENGTH));
    }
    if (made == VALUE_REFUSED) {
        archive_fail(archive, STATUS_LIMIT);
        return VALUE_NIL;
    }
    number_value(archive, made);
    return made;
}

static value take_value(struct archive *archive, unsigned depth)
{
    if (depth > MOST_DEPTH)
        archive_damaged(archive, "a value is within too many others");
    uint64_t begins = take(archive, ITS_NUMBER + archive->values.length);
    if (archive->status != STATUS_OK)
        return VALUE_NIL;
    if (begins >= ITS_NUMBER)
        return archive->values.items[begins - ITS_NUMBER];
    if (begins == DEFINED)
        return take_definition(archive, depth);
    value itself = archive_number(archive, 0);
    if (is_object(itself) && itself != VALUE_REFUSED)
        archive_damaged(archive, "a value is an address");
    return archive->status == STATUS_OK ? itself : VALUE_NIL;
}

void archive_value(struct archive *archive, value *v)
{
    if (is_in_memory(archive))
        *v = archive_number(archive, *v);
    else if (archive->out)
        put_value(archive, *v);
    else
        *v = take_value(archive, 0);
}

void archive_known_value(struct archive *archive, value *v)
{
    if (archive_reads(archive) && !is_in_memory(archive))
        *v = take_known(archive, 0);
    else
        archive_value(archive, v);
}

void archive_call(struct archive *archive, struct call *call)
{
    archive_value(archive, &call->argument);
    archive_value(archive, &call->result);
    ARCHIVE(archive, call->process);
    ARCHIVE(archive, call->number);
    ARCHIVE(archive, call->operation);
    ARCHIVE(archive, call->result_known);
    ARCHIVE(archive, call->read_only);
}

/* ---- states ---- */

bool archive_knows_states(const struct spec *spec)
{
    return spec->class->find_values || spec_class_is_builtin(spec->class);
}

/* Which words are values cannot be asked before all of them are read: that is written, too. */
void archive_state(struct archive *archive, const struct spec *spec, uint64_t *words, size_t length)
{
    struct archive *a = archive;
    if (!vector_reserve(&a->are_values, length)) {
        archive_fail(a, STATUS_LIMIT);
        return;
    }
    for (size_t i = 0; i < length; i++)
        a->are_values.items[i] = true;
    if (a->out && spec->class->find_values && length)
        spec->class->find_values(spec, words, length, a->are_values.items);
    for (size_t i = 0; i < length; i++) {
        bool is_value = a->are_values.items[i];
        ARCHIVE(a, is_value);
        if (is_value)
            archive_value(a, &words[i]);
        else
            ARCHIVE(a, words[i]);
    }
}

void archive_label(struct archive *archive, struct labels *labels, value v, uint32_t number)
{
    if (!archive_reads(archive) || archive->status != STATUS_OK)
        return;
    if (labels_find(labels, v) != LABEL_NONE)
        archive_damaged(archive, "a name is there twice");
    else if (!labels_add(labels, v, number))
        archive_fail(archive, STATUS_LIMIT);
}
