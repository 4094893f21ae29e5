#include "search/unobservable.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "spec/map.h"
#include "spec/revision.h"

#define VALUE_WORD 1 /* of the state of one key: key, value, perhaps a stamp */

/* ---- Lexicographic order: all that begin alike stand together ---- */

/* What a string or list consists of, as bytes; null for any other value. */
static const char *contents_of(value v, size_t *length)
{
    enum value_kind kind = value_kind_of(v);
    if (kind == KIND_STRING)
        return value_get_text(v, length);
    if (kind != KIND_LIST)
        return NULL;
    const value *items = value_get_items(v, length);
    *length *= sizeof *items;
    return *length ? (const char *)items : "";
}

static int compare(const void *first, const void *second)
{
    value a = *(const value *)first, b = *(const value *)second;
    enum value_kind kind = value_kind_of(a), other = value_kind_of(b);
    size_t a_length, b_length;
    if (kind != other)
        return kind < other ? -1 : 1;
    const char *a_bytes = contents_of(a, &a_length), *b_bytes = contents_of(b, &b_length);
    if (a == b || !a_bytes)
        return (a > b) - (a < b);
    int order = memcmp(a_bytes, b_bytes, a_length < b_length ? a_length : b_length);
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static bool begins_with(value v, value start)
{
    size_t length, start_length;
    if (v == start || value_kind_of(v) != value_kind_of(start))
        return v == start;
    const char *bytes = contents_of(v, &length), *begin = contents_of(start, &start_length);
    return bytes && length >= start_length && memcmp(bytes, begin, start_length) == 0;
}

/* ---- What is seen ---- */

static bool is_plain(const struct part *part, bool *appended)
{
    *appended = false;
    if (part->spec->class != &map_class || !part->has_key)
        return false;
    for (uint32_t i = 0; i < part->count; i++) {
        switch (part->intervals[i].call.operation) {
        case MAP_APPEND:
            *appended = true;
            break;
        case MAP_GET:
        case MAP_PUT:
        case MAP_DELETE:
            break;
        default:
            return false;
        }
    }
    return true;
}

/* A result with a revision is seen both as it stands, should it be what was put, and in part. */
static void add_seen(struct unobservable *unobservable, const struct call *call)
{
    struct answer answer;
    if (call->operation != MAP_GET || !call->result_known)
        return;
    unobservable->seen[unobservable->seen_count++] = call->result;
    if (answer_parse(call->result, &answer) && answer.has_value)
        unobservable->seen[unobservable->seen_count++] = answer.value;
}

bool unobservable_init(struct unobservable *unobservable, const struct part *part,
                       struct budget *budget)
{
    *unobservable = (struct unobservable){.budget = budget};
    for (int i = 0; i < UNOBSERVABLE_KINDS; i++)
        unobservable->representatives[i] = VALUE_REFUSED;
    bool appended;
    if (!is_plain(part, &appended) || !appended)
        return true;
    unobservable->seen_room = 2 * (size_t)part->count;
    unobservable->seen = memory_allocate(budget, unobservable->seen_room * sizeof(value));
    if (!unobservable->seen)
        return false;
    for (uint32_t i = 0; i < part->count; i++)
        add_seen(unobservable, &part->intervals[i].call);
    assert(unobservable->seen_count <= unobservable->seen_room);
    qsort(unobservable->seen, unobservable->seen_count, sizeof(value), compare);
    unobservable->applies = true;
    return true;
}

void unobservable_release(struct unobservable *unobservable)
{
    memory_release(unobservable->budget, unobservable->seen,
                   unobservable->seen_room * sizeof(value));
}

static bool is_seen(const struct unobservable *unobservable, value v)
{
    size_t low = 0, high = unobservable->seen_count;
    BISECT(low, high, middle, compare(&unobservable->seen[middle], &v) < 0);
    return low < unobservable->seen_count && begins_with(unobservable->seen[low], v);
}

void unobservable_unify(struct unobservable *unobservable, uint64_t *words)
{
    if (!unobservable->applies)
        return;
    value v = words[VALUE_WORD];
    if (v == VALUE_NIL || is_seen(unobservable, v))
        return;
    enum value_kind kind = value_kind_of(v);
    value *representative = &unobservable->representatives[kind == KIND_STRING ? 0
                                                           : kind == KIND_LIST ? 1
                                                                               : 2];
    if (*representative == VALUE_REFUSED)
        *representative = v;
    words[VALUE_WORD] = *representative;
}
