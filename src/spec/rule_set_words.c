#include "spec/rule_set_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- shapes ---- */

static bool add_shape(struct rule_shapes *shapes, struct rule_shape shape)
{
    for (unsigned i = 1; i < shape.count; i++) /* insertion sort */
        for (unsigned j = i; j > 0 && shape.methods[j] < shape.methods[j - 1]; j--) {
            uint8_t method = shape.methods[j];
            shape.methods[j] = shape.methods[j - 1];
            shape.methods[j - 1] = method;
        }
    return vector_push(&shapes->items, shape);
}

static int compare_shapes(const void *one, const void *other)
{
    return memcmp(one, other, sizeof(struct rule_shape));
}

/* Whether the shape has a method that stands for the same calls as this input. */
static bool has_input(const struct rule_set *set, const struct rule_shape *shape, uint8_t method)
{
    for (unsigned i = 0; i < shape->count && set->methods[method].is_input; i++)
        if (rule_methods_are_alike(&set->methods[shape->methods[i]], &set->methods[method]))
            return true;
    return false;
}

static bool shapes_from(const struct rule_set *set, const struct rule *rule, unsigned item,
                        unsigned most, struct rule_shape shape, struct rule_shapes *shapes)
{
    while (item < rule->item_count && rule->items[item].kind == RULE_VARIABLE)
        item++;
    if (item == rule->item_count)
        return add_shape(shapes, shape);
    uint8_t method = rule->items[item].number;
    unsigned least = rule->items[item].kind == RULE_METHOD;
    unsigned times = least || set->methods[method].is_input ? 1 : most;
    for (unsigned i = 0; i <= times && shape.count <= most; i++) {
        if (i >= least && !shapes_from(set, rule, item + 1, most, shape, shapes))
            return false;
        if (shape.count == most || has_input(set, &shape, method))
            break;
        shape.methods[shape.count++] = method;
    }
    return true;
}

bool rule_shapes_find(const struct rule_set *set, unsigned most, struct rule_shapes *shapes)
{
    for (unsigned r = 1; r < set->rule_count; r++)
        if (!shapes_from(set, &set->rules[r], 0, most, (struct rule_shape){0}, shapes))
            return false;
    struct rule_shape *items = shapes->items.items;
    size_t kept = 0;
    if (shapes->items.length)
        qsort(items, shapes->items.length, sizeof *items, compare_shapes);
    for (size_t i = 0; i < shapes->items.length; i++)
        if (i == 0 || compare_shapes(&items[i], &items[i - 1]) != 0)
            items[kept++] = items[i];
    shapes->items.length = kept;
    return true;
}

/* ---- labellings ---- */

static bool labellings_from(const struct rule_shapes *shapes, unsigned count, size_t first,
                            struct rule_labelling labelling,
                            bool (*visit)(void *context, const struct rule_labelling *labelling),
                            void *context)
{
    if (labelling.count == count)
        return visit(context, &labelling);
    for (size_t s = first; s < shapes->items.length; s++) {
        const struct rule_shape *shape = &shapes->items.items[s];
        struct rule_labelling longer = labelling;
        if (labelling.count + shape->count > count)
            continue;
        for (unsigned i = 0; i < shape->count; i++)
            longer.events[longer.count++] =
                (struct rule_event){shape->methods[i], longer.group_count};
        longer.shapes[longer.group_count++] = (uint32_t)s;
        if (!labellings_from(shapes, count, s, longer, visit, context))
            return false;
    }
    return true;
}

bool rule_labellings_visit(const struct rule_shapes *shapes, unsigned count,
                           bool (*visit)(void *context, const struct rule_labelling *labelling),
                           void *context)
{
    return labellings_from(shapes, count, 0, (struct rule_labelling){0}, visit, context);
}

/* ---- words ---- */

struct writing {
    const struct rule_set *set;
    const struct rule_labelling *labelling;
    bool (*visit)(void *context, const struct rule_word *word);
    void *context;
    struct rule_event events[RULE_MOST_EVENTS];
    uint32_t ranks[RULE_MOST_EVENTS];
};

static bool visit_with_ranks(struct writing *writing, uint32_t group, uint32_t taken)
{
    const struct rule_labelling *labelling = writing->labelling;
    if (group == labelling->group_count) {
        const struct rule_word word = {writing->events, labelling->count, writing->ranks};
        return writing->visit(writing->context, &word);
    }
    for (uint32_t rank = 0; rank < labelling->group_count; rank++) {
        if (taken >> rank & 1)
            continue;
        writing->ranks[group] = rank;
        if (!visit_with_ranks(writing, group + 1, taken | UINT32_C(1) << rank))
            return false;
    }
    return true;
}

/* Whether event `i` may come next: after those that are the same, and if its group begins with it,
 * after the groups of the same shape before it have begun. */
static bool may_come(const struct rule_labelling *labelling, unsigned i, uint32_t written,
                     uint32_t begun)
{
    struct rule_event event = labelling->events[i];
    if (i > 0 && !(written >> (i - 1) & 1) && labelling->events[i - 1].group == event.group &&
        labelling->events[i - 1].method == event.method)
        return false;
    return event.group == 0 || (begun >> event.group & 1) || (begun >> (event.group - 1) & 1) ||
           labelling->shapes[event.group - 1] != labelling->shapes[event.group];
}

static bool write_from(struct writing *writing, unsigned length, uint32_t written, uint32_t begun)
{
    const struct rule_labelling *labelling = writing->labelling;
    if (length == labelling->count) {
        const struct rule_word word = {writing->events, length, NULL};
        return writing->set->values == RULE_VALUES_ORDERED
                   ? visit_with_ranks(writing, 0, 0)
                   : writing->visit(writing->context, &word);
    }
    for (unsigned i = 0; i < labelling->count; i++) {
        if ((written >> i & 1) || !may_come(labelling, i, written, begun))
            continue;
        writing->events[length] = labelling->events[i];
        if (!write_from(writing, length + 1, written | UINT32_C(1) << i,
                        begun | UINT32_C(1) << labelling->events[i].group))
            return false;
    }
    return true;
}

bool rule_words_visit(const struct rule_set *set, const struct rule_labelling *labelling,
                      bool (*visit)(void *context, const struct rule_word *word), void *context)
{
    struct writing writing = {
        .set = set, .labelling = labelling, .visit = visit, .context = context};
    return write_from(&writing, 0, 0, 0);
}

/* ---- for people ---- */

/* Of those groups whose value says anything, how many begin before the one of event `at`. */
static unsigned groups_before(const struct rule_set *set, const struct rule_word *word, uint32_t at)
{
    unsigned before = 0;
    for (uint32_t i = 0; word->events[i].group != word->events[at].group; i++) {
        bool first = rule_set_shows_value(set, word->events[i].method);
        for (uint32_t j = 0; j < i && first; j++)
            first = word->events[j].group != word->events[i].group;
        before += first;
    }
    return before;
}

void rule_word_print(const struct rule_set *set, const struct rule_word *word, struct text *text)
{
    for (uint32_t i = 0; i < word->length; i++) {
        const struct rule_event *event = &word->events[i];
        text_format(text, "%s%s", i ? ", " : "", set->methods[event->method].name);
        if (!rule_set_shows_value(set, event->method))
            continue;
        unsigned number = word->ranks ? word->ranks[event->group] : groups_before(set, word, i);
        text_format(text, " %c", (char)('a' + number));
    }
    if (word->length == 0)
        text_append(text, "nothing");
}
