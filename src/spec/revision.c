#include "spec/revision.h"

bool answer_names_create(struct value_pool *pool, struct answer_names *names)
{
    names->ok = value_text(pool, KIND_KEYWORD, "ok", 2);
    names->revision = value_text(pool, KIND_KEYWORD, "revision", 8);
    names->value = value_text(pool, KIND_KEYWORD, "value", 5);
    return names->ok != VALUE_REFUSED && names->revision != VALUE_REFUSED &&
           names->value != VALUE_REFUSED;
}

bool answer_parse(value result, struct answer *answer)
{
    *answer = (struct answer){0};
    size_t length;
    const value *items = value_get_items(result, &length);
    if (value_kind_of(result) != KIND_MAP)
        return false;
    for (size_t i = 0; i < length; i += 2) {
        value content = items[i + 1];
        if (value_text_is(items[i], "ok") && value_kind_of(content) == KIND_BOOLEAN) {
            answer->ok = content == VALUE_TRUE;
            answer->has_ok = true;
        } else if (value_text_is(items[i], "value")) {
            answer->value = content;
            answer->has_value = true;
        } else if (value_text_is(items[i], "revision") &&
                   value_get_integer(content, &answer->revision) && answer->revision >= 0 &&
                   answer->revision < REVISION_MAX) {
            answer->has_revision = true;
        } else {
            return false;
        }
    }
    return true;
}

bool answer_shows_revision(value result)
{
    struct answer answer;
    return answer_parse(result, &answer) && answer.has_value && answer.has_revision &&
           !answer.has_ok;
}

value answer_shown(value result)
{
    struct answer answer;
    bool says_whether =
        answer_parse(result, &answer) && answer.has_ok && !answer.has_value && !answer.has_revision;
    return says_whether ? value_boolean(answer.ok) : result;
}

value answer_bind(struct value_pool *pool, const struct answer_names *names,
                  const struct answer *answer)
{
    value items[6];
    size_t length = 0;
    if (answer->has_ok) {
        items[length++] = names->ok;
        items[length++] = value_boolean(answer->ok);
    }
    if (answer->has_value) {
        items[length++] = names->value;
        items[length++] = answer->value;
    }
    if (answer->has_revision) {
        items[length++] = names->revision;
        items[length++] = value_small(answer->revision);
    }
    return value_map(pool, items, length);
}

static int64_t bound_of(struct cell cell)
{
    return (int64_t)(cell.stamp >> 1);
}

static bool is_exact(struct cell cell)
{
    return cell.stamp & 1;
}

static bool is_there(struct cell cell)
{
    return cell.value != VALUE_NIL;
}

static uint64_t stamp(int64_t bound, bool exact)
{
    return (uint64_t)bound << 1 | exact;
}

bool revision_may_be(struct cell cell, int64_t revision)
{
    if (!is_there(cell))
        return revision == 0;
    return is_exact(cell) ? revision == bound_of(cell) : revision > bound_of(cell);
}

bool revision_may_differ(struct cell cell, int64_t revision)
{
    if (!is_there(cell))
        return revision != 0;
    return !is_exact(cell) || revision != bound_of(cell);
}

bool revision_seen(struct cell *cell, const struct answer *answer)
{
    if (!answer->has_revision)
        return true;
    if (!is_there(*cell)) /* 0, or how far the whole store has got */
        return answer->revision == 0 || answer->revision >= bound_of(*cell);
    if (!revision_may_be(*cell, answer->revision))
        return false;
    cell->stamp = stamp(answer->revision, true);
    return true;
}

bool revision_written(struct cell *cell, value v, const struct answer *answer)
{
    bool nothing_deleted = v == VALUE_NIL && !is_there(*cell);
    int64_t bound = bound_of(*cell);
    if (answer->has_revision) {
        if (nothing_deleted ? answer->revision < bound : answer->revision <= bound)
            return false;
        bound = answer->revision;
    }
    cell->value = v;
    cell->stamp = stamp(bound, answer->has_revision && v != VALUE_NIL);
    return true;
}
