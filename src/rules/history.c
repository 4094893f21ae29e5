#include "rules/history.h"

#include <assert.h>
#include <string.h>

#include "value/value.h"

/* ---- labellings ---- */

/* How often one value is added and answered. The largest first, so that a multiset of values is
 * found once. */
struct signature {
    unsigned adds, answers;
};

static unsigned signature_number(struct signature signature)
{
    return 2 * signature.answers + signature.adds;
}

static void add_operations(struct labelling *labelling, enum method_role role, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        labelling->operations[labelling->count++] =
            (struct labelled_operation){(uint8_t)role, labelling->value_count};
}

/* The rest of the operations have no value. */
static bool finish_labelling(const struct rule_object *object, unsigned count,
                             struct labelling labelling, struct labellings *labellings)
{
    if (labelling.count < count && !object->methods[METHOD_EMPTY].name)
        return true;
    for (; labelling.count < count; labelling.value_count++)
        add_operations(&labelling, METHOD_EMPTY, 1);
    return vector_push(&labellings->items, labelling);
}

static bool extend_labelling(const struct rule_object *object, unsigned count, bool matched,
                             unsigned most, struct labelling labelling,
                             struct labellings *labellings)
{
    for (unsigned number = most; number >= 1; number--) {
        struct signature signature = {number & 1, number >> 1};
        struct labelling longer = labelling;
        if (labelling.count + signature.adds + signature.answers > count ||
            (matched && (signature.adds != 1 || signature.answers != 1)))
            continue;
        add_operations(&longer, METHOD_ADDS, signature.adds);
        add_operations(&longer, METHOD_ANSWERS, signature.answers);
        longer.value_count++;
        if (!extend_labelling(object, count, matched, number, longer, labellings))
            return false;
    }
    if (matched && labelling.count < count)
        return true;
    return finish_labelling(object, count, labelling, labellings);
}

bool labellings_find(const struct rule_object *object, unsigned count, bool matched,
                     struct labellings *labellings)
{
    assert(count <= HISTORY_MOST_OPERATIONS);
    unsigned most = signature_number((struct signature){1, object->most_answers});
    return extend_labelling(object, count, matched, most, (struct labelling){0}, labellings);
}

/* ---- legal orders ---- */

struct ordering {
    const struct spec *spec;
    const struct labelling *labelling;
    struct call calls[HISTORY_MOST_OPERATIONS];
    uint8_t order[HISTORY_MOST_OPERATIONS];
    struct legal_orders *orders;
    struct budget *budget;
};

static enum status bind_operation(struct ordering *ordering, const struct rule_object *object,
                                  unsigned index, struct error *error)
{
    const struct spec *spec = ordering->spec;
    struct labelled_operation operation = ordering->labelling->operations[index];
    const char *name = object->methods[operation.role].operation;
    struct recorded recorded = {.completed = true, .result_recorded = true, .process = index};
    value number = value_small(operation.value + 1);
    if (object->values_are_processes)
        recorded.process = operation.value;
    else if (operation.role == METHOD_ADDS)
        recorded.argument = number;
    else if (operation.role == METHOD_ANSWERS)
        recorded.result = number;
    struct text complaint = TEXT_EMPTY;
    int found = spec_operation_find(spec->class, name, strlen(name));
    assert(found >= 0);
    enum status status =
        spec_bind(spec, (uint16_t)found, &recorded, &ordering->calls[index], &complaint);
    if (status == STATUS_INPUT)
        error_set(error, status, NULL, 0, "%s", text_string(&complaint));
    text_release(&complaint);
    return status;
}

static bool keep_order(const struct ordering *ordering)
{
    struct legal_orders *orders = ordering->orders;
    for (unsigned i = 0; i < ordering->labelling->count; i++)
        if (!vector_push(&orders->operations, ordering->order[i]))
            return false;
    orders->count++;
    return true;
}

static bool order_from(struct ordering *ordering, unsigned length, unsigned done,
                       const uint64_t *words, size_t word_count)
{
    const struct spec *spec = ordering->spec;
    struct outcomes outcomes;
    bool good = true;
    if (length == ordering->labelling->count)
        return keep_order(ordering);
    outcomes_init(&outcomes, ordering->budget);
    for (unsigned i = 0; i < ordering->labelling->count && good; i++) {
        if (done >> i & 1)
            continue;
        outcomes_clear(&outcomes);
        good = spec->class->step(spec, words, word_count, &ordering->calls[i], &outcomes);
        if (!good || !outcomes.items.length)
            continue;
        /* The objects are deterministic once the results are known. */
        const struct outcome *outcome = &outcomes.items.items[0];
        ordering->order[length] = (uint8_t)i;
        good = order_from(ordering, length + 1, done | 1u << i,
                          outcomes.words.items + outcome->start, outcome->length);
    }
    outcomes_release(&outcomes);
    return good;
}

enum status legal_orders_find(const struct spec *spec, const struct rule_object *object,
                              const struct labelling *labelling, struct legal_orders *orders,
                              struct error *error)
{
    struct ordering ordering = {.spec = spec,
                                .labelling = labelling,
                                .orders = orders,
                                .budget = orders->operations.budget};
    struct outcomes state;
    orders->operations.length = orders->count = 0;
    for (unsigned i = 0; i < labelling->count; i++)
        TRY(bind_operation(&ordering, object, i, error));
    outcomes_init(&state, ordering.budget);
    bool good = spec->class->init(spec, VALUE_NIL, &state) &&
                order_from(&ordering, 0, 0, state.words.items, state.items.items[0].length);
    outcomes_release(&state);
    return good ? STATUS_OK : STATUS_LIMIT;
}

bool word_is_linearizable(const struct word *word, const struct labelling *labelling,
                          const struct legal_orders *orders)
{
    unsigned count = labelling->count;
    for (size_t i = 0; i < orders->count; i++) {
        const uint8_t *order = orders->operations.items + i * count;
        unsigned done = 0, at = 0;
        while (at < count && !(word->before[order[at]] & ~done))
            done |= 1u << order[at++];
        if (at == count)
            return true;
    }
    return false;
}

/* ---- words ---- */

struct writing {
    const struct labelling *labelling;
    bool matched;
    bool (*visit)(void *context, const struct word *word);
    void *context;
    struct word word;
};

/* In a matched labelling value v is added by operation 2 v and answered by the next one. */
static bool may_call(const struct writing *writing, unsigned operation, unsigned called)
{
    return !writing->matched || operation % 2 || operation == 0 || (called >> (operation - 2) & 1);
}

static bool may_return(const struct writing *writing, unsigned operation, unsigned called)
{
    return !writing->matched || operation % 2 == 0 || (called >> (operation - 1) & 1);
}

/* `last`: the operation of the last event, a return or a call; in one block they ascend. */
static bool write_from(struct writing *writing, unsigned called, unsigned returned, int last,
                       bool returning)
{
    struct word *word = &writing->word;
    unsigned count = writing->labelling->count;
    bool going = true;
    if (returned == (1u << count) - 1)
        return writing->visit(writing->context, word);
    for (unsigned i = 0; i < count && going; i++) {
        unsigned bit = 1u << i;
        bool ascends = (int)i > last;
        if (!(called & bit) && (returning || ascends) && may_call(writing, i, called)) {
            word->before[i] = (uint8_t)returned;
            word->events[word->length++] = (uint8_t)i;
            going = write_from(writing, called | bit, returned, (int)i, false);
            word->length--;
        } else if ((called & ~returned & bit) && (!returning || ascends) &&
                   may_return(writing, i, called)) {
            word->events[word->length++] = (uint8_t)(i | WORD_RETURN);
            going = write_from(writing, called, returned | bit, (int)i, true);
            word->length--;
        }
    }
    return going;
}

bool words_visit(const struct labelling *labelling, bool matched,
                 bool (*visit)(void *context, const struct word *word), void *context)
{
    struct writing writing = {
        .labelling = labelling, .matched = matched, .visit = visit, .context = context};
    return write_from(&writing, 0, 0, -1, false);
}
