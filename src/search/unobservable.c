#include "search/unobservable.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "spec/map.h"
#include "spec/revision.h"

#define VALUE_WORD 1 /* of the state of one key: key, value, perhaps a stamp */

/* ---- Lexicographic order: all that begin alike stand together ---- */

static int compare_words(value a, value b)
{
    return (a > b) - (a < b);
}

static int compare_lists(value a, value b)
{
    size_t a_length, b_length;
    const value *a_items = value_get_items(a, &a_length), *b_items = value_get_items(b, &b_length);
    for (size_t i = 0; i < a_length && i < b_length; i++)
        if (a_items[i] != b_items[i])
            return compare_words(a_items[i], b_items[i]);
    return (a_length > b_length) - (a_length < b_length);
}

static int compare_strings(value a, value b)
{
    size_t a_length, b_length;
    const char *a_letters = value_get_text(a, &a_length), *b_letters = value_get_text(b, &b_length);
    int order = memcmp(a_letters, b_letters, a_length < b_length ? a_length : b_length);
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int compare(const void *first, const void *second)
{
    value a = *(const value *)first, b = *(const value *)second;
    if (a == b)
        return 0;
    enum value_kind kind = value_kind_of(a), other = value_kind_of(b);
    if (kind != other)
        return kind < other ? -1 : 1;
    if (kind == KIND_STRING)
        return compare_strings(a, b);
    return kind == KIND_LIST ? compare_lists(a, b) : compare_words(a, b);
}

static bool begins_with(value v, value start)
{
    enum value_kind kind = value_kind_of(v);
    size_t length, start_length;
    if (v == start || kind != value_kind_of(start))
        return v == start;
    if (kind == KIND_STRING) {
        const char *letters = value_get_text(v, &length);
        const char *start_letters = value_get_text(start, &start_length);
        return length >= start_length && memcmp(letters, start_letters, start_length) == 0;
    }
    if (kind != KIND_LIST)
        return false;
    const value *items = value_get_items(v, &length);
    const value *start_items = value_get_items(start, &start_length);
    return length >= start_length &&
           (start_length == 0 || memcmp(items, start_items, start_length * sizeof *items) == 0);
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
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&unobservable->seen[middle], &v) < 0)
            low = middle + 1;
        else
            high = middle;
    }
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
