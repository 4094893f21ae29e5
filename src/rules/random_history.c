#include "rules/random_history.h"

#define MOMENT 16 /* between two operations of the sequential execution */
#define TRIES  8  /* for an operation that the specification allows */

struct inventing {
    struct random *random;
    const struct spec *spec;
    const struct rule_object *object;
    struct budget *budget;
    struct labelling labelling;
    struct outcomes state; /* after its operations */
    bool added[HISTORY_MOST_OPERATIONS];
    bool valued[HISTORY_MOST_OPERATIONS]; /* by value: its operations have one */
};

/* ---- a legal execution ---- */

static uint8_t choose_value(struct inventing *inventing, const struct object_method *method)
{
    uint8_t values[HISTORY_MOST_OPERATIONS], count = 0;
    if (method->role == METHOD_EMPTY)
        return inventing->labelling.value_count;
    for (uint8_t v = 0; v < inventing->labelling.value_count; v++)
        if (inventing->valued[v] && !(method->role == METHOD_ADDS && inventing->added[v]))
            values[count++] = v;
    bool new =
        count == 0 || random_chance(inventing->random, method->role == METHOD_ADDS ? 9 : 1, 10);
    return new ? inventing->labelling.value_count : values[random_below(inventing->random, count)];
}

static struct labelled_operation choose_operation(struct inventing *inventing)
{
    const struct rule_object *object = inventing->object;
    uint8_t method = (uint8_t)random_below(inventing->random, object->method_count);
    return (struct labelled_operation){method, choose_value(inventing, &object->methods[method])};
}

static void note_operation(struct inventing *inventing, struct labelled_operation operation)
{
    struct labelling *labelling = &inventing->labelling;
    enum method_role role = inventing->object->methods[operation.method].role;
    if (operation.value == labelling->value_count)
        labelling->value_count++;
    inventing->valued[operation.value] = role != METHOD_EMPTY;
    inventing->added[operation.value] |= role == METHOD_ADDS;
    labelling->count++;
}

/* The operation behind the others; `*legal`: the specification allows it there. */
static enum status try_operation(struct inventing *inventing, struct labelled_operation operation,
                                 bool *legal, struct error *error)
{
    struct labelling *labelling = &inventing->labelling;
    const struct spec *spec = inventing->spec;
    const struct outcome *before = &inventing->state.items.items[inventing->state.items.length - 1];
    struct call call;
    struct outcomes outcomes;
    unsigned at = labelling->count;
    labelling->operations[at] = operation;
    *legal = labelled_may_follow(inventing->object, labelling, at, (1u << at) - 1);
    TRY(labelled_call_bind(spec, inventing->object, labelling, at, &call, error));
    outcomes_init(&outcomes, inventing->budget);
    bool good = spec->class->step(spec, inventing->state.words.items + before->start,
                                  before->length, &call, &outcomes);
    *legal = *legal && good && outcomes.items.length > 0;
    if (*legal) {
        uint32_t which = random_below(inventing->random, (uint32_t)outcomes.items.length);
        const struct outcome *after = &outcomes.items.items[which];
        outcomes_clear(&inventing->state);
        good = outcomes_add(&inventing->state, outcomes.words.items + after->start, after->length,
                            after->result);
    }
    outcomes_release(&outcomes);
    if (!good && spec->class->fault)
        TRY(spec->class->fault(spec, error));
    return granted(good);
}

/* Where nothing that was tried is legal, what was tried last is taken all the same. */
static enum status invent(struct inventing *inventing, unsigned count, struct error *error)
{
    while (inventing->labelling.count < count) {
        struct labelled_operation operation = {0};
        bool legal = false;
        for (unsigned i = 0; i < TRIES && !legal; i++) {
            operation = choose_operation(inventing);
            TRY(try_operation(inventing, operation, &legal, error));
        }
        note_operation(inventing, operation);
    }
    return STATUS_OK;
}

/* ---- around a history ---- */

/* An interval that begins at or behind `from`: short, of any length, or up to the end. */
static void add_anywhere(struct random *random, struct timed_history *history, uint8_t method,
                         uint8_t which, uint32_t from, uint32_t range)
{
    unsigned at = history->labelling.count++, kind = random_below(random, 4);
    uint32_t start = from + random_below(random, range - from);
    uint32_t length = 1 + random_below(random, kind < 2 ? MOMENT : range);
    history->labelling.operations[at] = (struct labelled_operation){method, which};
    history->called[at] = 2 * (int32_t)start + 1;
    history->returned[at] = 2 * (int32_t)(kind == 3 ? 2 * range : start + length);
}

/* A method that is given values and adds none; the number of methods if there is none. */
static uint8_t find_taking(const struct rule_object *object)
{
    uint8_t method = 0;
    while (method < object->method_count && (object->methods[method].role == METHOD_ADDS ||
                                             object->methods[method].role == METHOD_EMPTY))
        method++;
    return method;
}

/* At the end some of the values that are only added are taken as well. */
static void take_what_is_left(struct inventing *inventing, struct timed_history *history,
                              unsigned count, uint32_t range)
{
    uint8_t taking = find_taking(inventing->object);
    for (uint8_t v = 0; v < history->labelling.value_count; v++) {
        unsigned operations = 0;
        bool added = false;
        for (unsigned i = 0; i < history->labelling.count; i++) {
            struct labelled_operation operation = history->labelling.operations[i];
            operations += operation.value == v;
            added |= operation.value == v &&
                     inventing->object->methods[operation.method].role == METHOD_ADDS;
        }
        if (added && operations == 1 && taking < inventing->object->method_count &&
            history->labelling.count < count && random_chance(inventing->random, 1, 2))
            add_anywhere(inventing->random, history, taking, v, range - MOMENT, range);
    }
}

/* One operation without a value; or a value that is added and, mostly, then taken or looked at. */
static void add_bystanders(struct inventing *inventing, struct timed_history *history,
                           unsigned count, uint32_t range)
{
    const struct rule_object *object = inventing->object;
    struct random *random = inventing->random;
    uint8_t own = history->labelling.value_count;
    uint8_t method = (uint8_t)random_below(random, object->method_count);
    uint8_t other = (uint8_t)random_below(random, object->method_count);
    enum method_role role = object->methods[method].role, next = object->methods[other].role;
    if (role != METHOD_ADDS && role != METHOD_EMPTY)
        return;
    history->labelling.value_count++;
    unsigned first = history->labelling.count;
    add_anywhere(random, history, method, own, 0, range);
    if (role == METHOD_ADDS && next != METHOD_ADDS && next != METHOD_EMPTY &&
        history->labelling.count < count && history->called[first] > 0)
        add_anywhere(random, history, other, own, (uint32_t)history->called[first] / 2, range);
}

/* How many events come before a time, and one more. */
static int32_t position_of(const struct timed_history *history, int32_t time)
{
    int32_t position = 1;
    for (unsigned i = 0; i < history->labelling.count; i++)
        position += (history->called[i] < time) + (history->returned[i] < time);
    return position;
}

static void build_around(struct inventing *inventing, const struct timed_history *base,
                         unsigned count, struct timed_history *history)
{
    uint32_t range = (2 * base->labelling.count + 1) * MOMENT;
    *history = *base;
    for (unsigned i = 0; i < base->labelling.count; i++) {
        history->called[i] = 2 * MOMENT * position_of(base, base->called[i]) + 1;
        history->returned[i] = 2 * MOMENT * position_of(base, base->returned[i]);
    }
    take_what_is_left(inventing, history, count, range);
    while (history->labelling.count < count)
        add_bystanders(inventing, history, count, range);
}

/* ---- times ---- */

/* Odd times are calls and even ones returns, so that the two are never equal. */
static void give_times(struct random *random, struct timed_history *history)
{
    static const uint32_t widths[] = {1, MOMENT / 2, MOMENT, 2 * MOMENT, 4 * MOMENT};
    uint32_t width = widths[random_below(random, sizeof widths / sizeof *widths)];
    for (unsigned i = 0; i < history->labelling.count; i++) {
        int32_t moment = (int32_t)i * MOMENT;
        history->called[i] = 2 * (moment - (int32_t)random_below(random, width)) + 1;
        history->returned[i] = 2 * (moment + 1 + (int32_t)random_below(random, width));
    }
}

static void move_operation(struct random *random, struct timed_history *history, unsigned operation)
{
    int32_t by = 2 * ((int32_t)random_below(random, 8 * MOMENT) - 4 * MOMENT);
    history->called[operation] += by;
    history->returned[operation] += by;
}

/* Another value, of those that have operations like it. */
static void change_value(struct inventing *inventing, struct timed_history *history,
                         unsigned operation)
{
    struct labelled_operation *changed = &history->labelling.operations[operation];
    enum method_role role = inventing->object->methods[changed->method].role;
    uint8_t other = (uint8_t)random_below(inventing->random, history->labelling.value_count);
    if (role != METHOD_ADDS && role != METHOD_EMPTY && inventing->valued[other])
        changed->value = other;
}

static void disturb(struct inventing *inventing, struct timed_history *history)
{
    unsigned changes = random_below(inventing->random, 4);
    for (unsigned i = 0; i < changes; i++) {
        unsigned operation = random_below(inventing->random, history->labelling.count);
        if (random_chance(inventing->random, 1, 4))
            change_value(inventing, history, operation);
        else
            move_operation(inventing->random, history, operation);
    }
}

/* The acquire of a release's value; where there is none, or a release of it before, the number of
 * operations. */
static unsigned find_acquire(const struct labelling *labelling, unsigned release)
{
    unsigned acquire = labelling->count;
    for (unsigned i = 0; i < labelling->count; i++) {
        if (labelling->operations[i].value != labelling->operations[release].value)
            continue;
        if (labelling->operations[i].method == 0)
            acquire = i;
        else if (i < release)
            return labelling->count;
    }
    return acquire;
}

/* Of clients in turn a release is called when the acquire of its value has returned; what releases
 * nothing is left out. */
static void take_turns(struct timed_history *history)
{
    for (unsigned i = 0; i < history->labelling.count;) {
        unsigned acquire = i;
        if (history->labelling.operations[i].method != 0)
            acquire = find_acquire(&history->labelling, i);
        if (acquire == history->labelling.count) {
            timed_history_remove(history, i);
            continue;
        }
        if (acquire != i && history->called[i] < history->returned[acquire])
            history->called[i] = history->returned[acquire] + 1;
        if (history->returned[i] < history->called[i])
            history->returned[i] = history->called[i] + 1;
        i++;
    }
}

static enum status invent_anew(struct inventing *inventing, unsigned count,
                               struct timed_history *history, struct error *error)
{
    outcomes_init(&inventing->state, inventing->budget);
    enum status status = inventing->spec->class->init(inventing->spec, VALUE_NIL, &inventing->state)
                             ? STATUS_OK
                             : STATUS_LIMIT;
    if (status == STATUS_OK)
        status = invent(inventing, count, error);
    outcomes_release(&inventing->state);
    TRY(status);
    *history = (struct timed_history){.labelling = inventing->labelling};
    give_times(inventing->random, history);
    disturb(inventing, history);
    return STATUS_OK;
}

enum status random_history(struct random *random, const struct spec *spec,
                           const struct rule_object *object, enum history_choice choice,
                           unsigned count, struct budget *budget, struct timed_history *history,
                           struct error *error)
{
    struct inventing inventing = {
        .random = random, .spec = spec, .object = object, .budget = budget};
    TRY(invent_anew(&inventing, count, history, error));
    if (choice == HISTORY_IN_TURN)
        take_turns(history);
    return STATUS_OK;
}

void random_history_extend(struct random *random, const struct rule_object *object,
                           enum history_choice choice, unsigned count,
                           struct timed_history *history)
{
    struct inventing inventing = {.random = random, .object = object};
    const struct timed_history base = *history;
    build_around(&inventing, &base, count, history);
    if (choice == HISTORY_IN_TURN)
        take_turns(history);
}

/* ---- writing ---- */

void timed_history_remove(struct timed_history *history, unsigned operation)
{
    struct labelling *labelling = &history->labelling;
    for (unsigned i = operation; i + 1 < labelling->count; i++) {
        labelling->operations[i] = labelling->operations[i + 1];
        history->called[i] = history->called[i + 1];
        history->returned[i] = history->returned[i + 1];
    }
    labelling->count--;
}

/* How often the value is an operand of each method, the first one the lowest digit. */
static uint64_t signature(const struct labelling *labelling, const struct rule_object *object,
                          uint8_t which)
{
    uint64_t digits = 0;
    for (unsigned i = 0; i < labelling->count; i++) {
        uint8_t method = labelling->operations[i].method;
        if (labelling->operations[i].value == which && object->methods[method].role != METHOD_EMPTY)
            digits += UINT64_C(1) << 4 * method;
    }
    return digits;
}

/* Whether operation i comes before j in a labelling: values by their signature, the largest first,
 * then by number; what has none behind them; in a value by method. */
static bool comes_before(const struct timed_history *history, const struct rule_object *object,
                         unsigned i, unsigned j)
{
    const struct labelling *labelling = &history->labelling;
    struct labelled_operation one = labelling->operations[i], other = labelling->operations[j];
    if (one.value == other.value)
        return one.method != other.method ? one.method < other.method : i < j;
    uint64_t mine = signature(labelling, object, one.value);
    uint64_t theirs = signature(labelling, object, other.value);
    if (mine == 0 && theirs == 0 && one.method != other.method)
        return one.method < other.method;
    return mine != theirs ? mine > theirs : one.value < other.value;
}

static void write_labelling(const struct timed_history *history, const struct rule_object *object,
                            struct labelling *labelling, uint8_t *order)
{
    uint8_t count = history->labelling.count;
    *labelling = (struct labelling){.count = count};
    for (unsigned i = 0; i < count; i++) {
        unsigned before = 0;
        for (unsigned j = 0; j < count; j++)
            before += j != i && comes_before(history, object, j, i);
        order[before] = (uint8_t)i;
    }
    for (unsigned i = 0; i < count; i++) {
        struct labelled_operation operation = history->labelling.operations[order[i]];
        bool same = i > 0 && history->labelling.operations[order[i - 1]].value == operation.value;
        labelling->value_count += !same;
        labelling->operations[i] =
            (struct labelled_operation){operation.method, (uint8_t)(labelling->value_count - 1)};
    }
}

/* One block after the other: the calls before the next return, then the returns before the next
 * call. */
static void write_word(const struct timed_history *history, const uint8_t *order, struct word *word)
{
    unsigned count = history->labelling.count, called = 0, returned = 0;
    *word = (struct word){0};
    while (word->length < 2 * count) {
        int32_t next_call = INT32_MAX, next_return = INT32_MAX;
        for (unsigned i = 0; i < count; i++)
            if (!(returned >> i & 1) && history->returned[order[i]] < next_return)
                next_return = history->returned[order[i]];
        for (unsigned i = 0; i < count; i++)
            if (!(called >> i & 1) && history->called[order[i]] < next_return) {
                word->before[i] = (uint16_t)returned;
                word->events[word->length++] = (uint8_t)i;
                called |= 1u << i;
            }
        for (unsigned i = 0; i < count; i++)
            if (!(called >> i & 1) && history->called[order[i]] < next_call)
                next_call = history->called[order[i]];
        for (unsigned i = 0; i < count; i++)
            if (!(returned >> i & 1) && history->returned[order[i]] < next_call) {
                word->events[word->length++] = (uint8_t)(i | WORD_RETURN);
                returned |= 1u << i;
            }
    }
}

void timed_history_write(const struct timed_history *history, const struct rule_object *object,
                         struct labelling *labelling, struct word *word)
{
    uint8_t order[HISTORY_MOST_OPERATIONS];
    write_labelling(history, object, labelling, order);
    write_word(history, order, word);
}
