#include "rules/history.h"

#include <assert.h>
#include <string.h>

#include "value/value.h"

/* ---- labellings ---- */

struct labelling_search {
    const struct rule_object *object;
    unsigned count;
    enum history_choice choice;
    struct labellings *labellings;
};

static bool has_value(const struct object_method *method)
{
    return method->role != METHOD_EMPTY;
}

/* The rest of the operations have no value, and ascend by method. */
static bool finish_labelling(const struct labelling_search *search, uint32_t method,
                             struct labelling labelling)
{
    if (labelling.count == search->count)
        return vector_push(&search->labellings->items, labelling);
    for (; method < search->object->method_count; method++) {
        struct labelling longer = labelling;
        if (has_value(&search->object->methods[method]))
            continue;
        longer.operations[longer.count++] =
            (struct labelled_operation){(uint8_t)method, longer.value_count++};
        if (!finish_labelling(search, method, longer))
            return false;
    }
    return true;
}

/* How often one value is an operand of each method, as a number: of the method with index m there
 * are from 0 to `most`, and that of the first is the lowest digit. */
static uint32_t count_signatures(const struct rule_object *object)
{
    uint32_t count = 1;
    for (uint32_t m = 0; m < object->method_count; m++)
        if (has_value(&object->methods[m]))
            count *= object->methods[m].most + 1;
    return count;
}

/* Appends one more value with that signature; false: it does not fit or is not chosen. */
static bool add_value(const struct labelling_search *search, uint32_t signature,
                      struct labelling *labelling)
{
    const struct rule_object *object = search->object;
    uint32_t adds = 0;
    for (uint32_t m = 0; m < object->method_count; m++) {
        const struct object_method *method = &object->methods[m];
        uint32_t times = has_value(method) ? signature % (method->most + 1) : 0;
        if (has_value(method))
            signature /= method->most + 1;
        adds += method->role == METHOD_ADDS ? times : 0;
        if (labelling->count + times > search->count || adds > 1 ||
            (search->choice == HISTORY_MATCHED && times != (m < 2)) ||
            (search->choice == HISTORY_IN_TURN && (m == 0 ? times != 1 : times > 1)))
            return false;
        while (times--)
            labelling->operations[labelling->count++] =
                (struct labelled_operation){(uint8_t)m, labelling->value_count};
    }
    labelling->value_count++;
    return true;
}

/* The largest signature first, so that a multiset of values is found once. */
static bool extend_labelling(const struct labelling_search *search, uint32_t most,
                             struct labelling labelling)
{
    for (uint32_t signature = most; signature >= 1; signature--) {
        struct labelling longer = labelling;
        if (add_value(search, signature, &longer) && !extend_labelling(search, signature, longer))
            return false;
    }
    return (search->choice == HISTORY_MATCHED && labelling.count < search->count) ||
           finish_labelling(search, 0, labelling);
}

bool labellings_find(const struct rule_object *object, unsigned count, enum history_choice choice,
                     struct labellings *labellings)
{
    const struct labelling_search search = {object, count, choice, labellings};
    assert(count <= HISTORY_MOST_ENUMERATED);
    return extend_labelling(&search, count_signatures(object) - 1, (struct labelling){0});
}

/* ---- legal orders ---- */

struct ordering {
    const struct spec *spec;
    const struct rule_object *object;
    const struct labelling *labelling;
    struct call calls[HISTORY_MOST_OPERATIONS];
    uint8_t order[HISTORY_MOST_OPERATIONS];
    struct legal_orders *orders;
    struct budget *budget;
};

/* The result is VALUE_REFUSED when the pool refuses. */
static struct recorded record_operation(const struct rule_object *object, struct value_pool *pool,
                                        struct labelled_operation operation, unsigned index)
{
    const struct object_method *method = &object->methods[operation.method];
    struct recorded recorded = {.completed = true, .result_recorded = true, .process = index};
    value number = value_small(operation.value + 1);
    if (object->values_are_processes)
        recorded.process = operation.value;
    else if (method->role == METHOD_ANSWERS)
        recorded.result = number;
    else if (has_value(method))
        recorded.argument = number;
    if (method->result == RESULT_ANY)
        recorded.result_recorded = false;
    else if (method->result == RESULT_SYMBOL)
        recorded.result = value_text(pool, KIND_SYMBOL, method->symbol, strlen(method->symbol));
    else if (method->result != RESULT_ITS_OWN)
        recorded.result = method->result == RESULT_TRUE ? VALUE_TRUE : VALUE_FALSE;
    return recorded;
}

enum status labelled_call_bind(const struct spec *spec, const struct rule_object *object,
                               const struct labelling *labelling, unsigned operation,
                               struct call *call, struct error *error)
{
    struct labelled_operation labelled = labelling->operations[operation];
    const struct recorded recorded = record_operation(object, spec->pool, labelled, operation);
    const char *name = object->methods[labelled.method].operation;
    struct text complaint = TEXT_EMPTY;
    TRY_MEMORY(recorded.result != VALUE_REFUSED);
    int found = spec_operation_find(spec->class, name, strlen(name));
    assert(found >= 0);
    enum status status = spec_bind(spec, (uint16_t)found, &recorded, call, &complaint);
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

bool labelled_may_follow(const struct rule_object *object, const struct labelling *labelling,
                         unsigned operation, unsigned done)
{
    const struct labelled_operation *operations = labelling->operations;
    int held = 0;
    if (!object->values_are_processes ||
        object->methods[operations[operation].method].role == METHOD_ADDS)
        return true;
    for (unsigned i = 0; i < labelling->count; i++)
        if ((done >> i & 1) && operations[i].value == operations[operation].value)
            held += object->methods[operations[i].method].role == METHOD_ADDS ? 1 : -1;
    return held > 0;
}

static bool order_from(struct ordering *ordering, unsigned length, unsigned done,
                       const uint64_t *words, size_t word_count);

/* All that an operation may do behind those that are done; an order that can be legal in two ways
 * is found twice. */
static bool order_operation(struct ordering *ordering, unsigned length, unsigned done,
                            const uint64_t *words, size_t word_count, unsigned operation)
{
    const struct spec *spec = ordering->spec;
    struct outcomes outcomes;
    outcomes_init(&outcomes, ordering->budget);
    bool good = spec->class->step(spec, words, word_count, &ordering->calls[operation], &outcomes);
    for (size_t i = 0; good && i < outcomes.items.length; i++) {
        const struct outcome *outcome = &outcomes.items.items[i];
        ordering->order[length] = (uint8_t)operation;
        good = order_from(ordering, length + 1, done | 1u << operation,
                          outcomes.words.items + outcome->start, outcome->length);
    }
    outcomes_release(&outcomes);
    return good;
}

static bool order_from(struct ordering *ordering, unsigned length, unsigned done,
                       const uint64_t *words, size_t word_count)
{
    bool good = true;
    if (length == ordering->labelling->count)
        return keep_order(ordering);
    for (unsigned i = 0; i < ordering->labelling->count && good; i++)
        if (!(done >> i & 1) && labelled_may_follow(ordering->object, ordering->labelling, i, done))
            good = order_operation(ordering, length, done, words, word_count, i);
    return good;
}

enum status legal_orders_find(const struct spec *spec, const struct rule_object *object,
                              const struct labelling *labelling, struct legal_orders *orders,
                              struct error *error)
{
    struct ordering ordering = {.spec = spec,
                                .object = object,
                                .labelling = labelling,
                                .orders = orders,
                                .budget = orders->operations.budget};
    struct outcomes state;
    orders->operations.length = orders->count = 0;
    for (unsigned i = 0; i < labelling->count; i++)
        TRY(labelled_call_bind(spec, object, labelling, i, &ordering.calls[i], error));
    outcomes_init(&state, ordering.budget);
    bool good = spec->class->init(spec, VALUE_NIL, &state) &&
                order_from(&ordering, 0, 0, state.words.items, state.items.items[0].length);
    outcomes_release(&state);
    if (!good && spec->class->fault)
        TRY(spec->class->fault(spec, error));
    return granted(good);
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
    enum history_choice choice;
    bool (*visit)(void *context, const struct word *word);
    void *context;
    struct word word;
};

/* In a matched labelling value v is added by operation 2 v and taken by the next one; of clients in
 * turn a release is the operation behind its acquire. */
static bool may_call(const struct writing *writing, unsigned operation, unsigned called,
                     unsigned returned)
{
    switch (writing->choice) {
    case HISTORY_MATCHED:
        return operation % 2 || operation == 0 || (called >> (operation - 2) & 1);
    case HISTORY_IN_TURN:
        return writing->labelling->operations[operation].method == 0 ||
               (returned >> (operation - 1) & 1);
    default:
        return true;
    }
}

static bool may_return(const struct writing *writing, unsigned operation, unsigned called)
{
    return writing->choice != HISTORY_MATCHED || operation % 2 == 0 ||
           (called >> (operation - 1) & 1);
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
        if (!(called & bit) && (returning || ascends) && may_call(writing, i, called, returned)) {
            word->before[i] = (uint16_t)returned;
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

bool words_visit(const struct labelling *labelling, enum history_choice choice,
                 bool (*visit)(void *context, const struct word *word), void *context)
{
    struct writing writing = {
        .labelling = labelling, .choice = choice, .visit = visit, .context = context};
    return write_from(&writing, 0, 0, -1, false);
}
