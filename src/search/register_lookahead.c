/* Searches the configurations of one register as the general search does its own: it walks along
 * the responses of the operations on the register, lets one take effect only when a response is
 * due, and reads at once what can be read. Pending operations may write at any time once they were
 * invoked, any number of times; that allows more than there is, and keeps the question small. */
#include "search/register_lookahead.h"

#include <assert.h>

#include "base/bisect.h"
#include "spec/keyed.h"
#include "spec/multi_register.h"

#define SLOTS_MOST 64
#define WORK_MOST  4000000 /* and 1000 for each operation */

/* What is known of a configuration that was met. */
enum verdict_of_one {
    ONE_ASKED, /* the answer is being looked for */
    ONE_OPEN,
    ONE_HOPELESS,
};

/* What a pending operation may write. */
struct pending_write {
    uint32_t invoke;
    value sets;
};

struct one_register {
    value holds;                /* at the end of the trail that was followed */
    VECTOR(uint32_t) responses; /* touches, by response */
    VECTOR(uint32_t) first;     /* those that run at the i-th: in `running`, up to the next */
    VECTOR(uint32_t) running;   /* touches */
    VECTOR(uint32_t) open;      /* those that run, while the register is made */
    VECTOR(struct pending_write) pending; /* by invocation */
};

static const struct interval *interval_of(const struct register_lookahead *registers,
                                          uint32_t touch)
{
    return &registers->plan->part->intervals[registers->touches.items[touch].operation];
}

/* ---- What operations do ---- */

/* The touch of that register among those of the operation listed last, a new one if there is none.
 * Null when refused. */
static struct touch *touch_of(struct register_lookahead *registers, uint32_t operation, value key)
{
    uint32_t number = numbering_add(&registers->numbering, key);
    if (number == registers->keys.length && !vector_push(&registers->keys, key))
        return NULL;
    for (size_t i = registers->first[operation]; i < registers->touches.length; i++)
        if (registers->touches.items[i].number == number)
            return &registers->touches.items[i];
    struct touch touch = {.operation = operation, .number = number};
    if (!vector_push(&registers->touches, touch))
        return NULL;
    return &registers->touches.items[registers->touches.length - 1];
}

static bool add_access(struct register_lookahead *registers, uint32_t operation, value key,
                       bool writes, bool known, value v)
{
    struct touch *touch = touch_of(registers, operation, key);
    if (!touch)
        return false;
    if (writes) {
        touch->has_sets = true;
        touch->sets = v;
    } else if (known && !touch->has_sets) { /* else it sees what it wrote itself */
        touch->has_needs = true;
        touch->needs = v;
    }
    return true;
}

static bool list_touches(struct register_lookahead *registers, uint32_t operation)
{
    const struct call *call = &registers->plan->part->intervals[operation].call;
    size_t length;
    if (call->operation == MULTI_REGISTER_READ)
        return add_access(registers, operation, call->argument, false, call->result_known,
                          call->result);
    if (call->operation == MULTI_REGISTER_WRITE) {
        const value *items = value_get_items(call->argument, &length);
        return add_access(registers, operation, items[0], true, true, items[1]);
    }
    const value *micros =
        value_get_items(call->result_known ? call->result : call->argument, &length);
    for (size_t i = 0; i < length; i++) {
        size_t count;
        const value *items = value_get_items(micros[i], &count);
        bool writes = value_text_is(items[0], "write");
        bool known = count == 3 && call->result_known;
        if (!add_access(registers, operation, items[1], writes, known, count == 3 ? items[2] : 0))
            return false;
    }
    return true;
}

static void show_keys(const struct call *call, struct span *span)
{
    size_t length;
    const value *items = value_get_items(call->argument, &length);
    if (call->operation == MULTI_REGISTER_READ)
        span_include(span, call->argument);
    else if (call->operation == MULTI_REGISTER_WRITE)
        span_include(span, items[0]);
    else
        for (size_t i = 0; i < length; i++)
            span_include(span, value_get_items(items[i], &(size_t){0})[1]);
}

static bool list_all_touches(struct register_lookahead *registers)
{
    const struct part *part = registers->plan->part;
    struct span span = SPAN_EMPTY;
    for (uint32_t i = 0; i < part->count; i++)
        show_keys(&part->intervals[i].call, &span);
    registers->first = arena_allocate(&registers->arena, (part->count + 1u) * sizeof(uint32_t));
    if (!registers->first || !numbering_init(&registers->numbering, &span, &registers->arena))
        return false;
    for (uint32_t i = 0; i < part->count; i++) {
        registers->first[i] = (uint32_t)registers->touches.length;
        if (!list_touches(registers, i))
            return false;
    }
    registers->first[part->count] = (uint32_t)registers->touches.length;
    return true;
}

/* ---- The registers ---- */

static bool add_pending(struct one_register *one, uint32_t invoke, value sets)
{
    for (size_t i = 0; i < one->pending.length; i++)
        if (one->pending.items[i].sets == sets)
            return true;
    struct pending_write write = {.invoke = invoke, .sets = sets};
    return vector_push(&one->pending, write);
}

static bool add_invocation(struct register_lookahead *registers, uint32_t number)
{
    struct touch *touch = &registers->touches.items[number];
    struct one_register *one = &registers->all[touch->number];
    const struct interval *interval = interval_of(registers, number);
    if (interval->response == POSITION_NEVER)
        return !touch->has_sets || add_pending(one, interval->invoke, touch->sets);
    uint64_t used = 0;
    for (size_t i = 0; i < one->open.length; i++)
        used |= (uint64_t)1 << registers->touches.items[one->open.items[i]].slot;
    if (!~used) {
        registers->applies = false; /* too many at once */
        return true;
    }
    touch->slot = (uint8_t)__builtin_ctzll(~used);
    return vector_push(&one->open, number);
}

static bool add_response(struct register_lookahead *registers, uint32_t number)
{
    struct one_register *one = &registers->all[registers->touches.items[number].number];
    size_t count = one->open.length, at = 0;
    if (!vector_push(&one->responses, number) ||
        !vector_push(&one->first, (uint32_t)one->running.length) ||
        !vector_reserve(&one->running, one->running.length + count))
        return false;
    memcpy(one->running.items + one->running.length, one->open.items,
           count * sizeof *one->open.items);
    one->running.length += count;
    while (one->open.items[at] != number)
        at++;
    for (; at + 1 < count; at++)
        one->open.items[at] = one->open.items[at + 1];
    one->open.length--;
    return true;
}

static bool make_registers(struct register_lookahead *registers)
{
    const struct plan *plan = registers->plan;
    size_t count = registers->keys.length;
    registers->all = arena_allocate(&registers->arena, count * sizeof *registers->all);
    if (!registers->all)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct one_register *one = &registers->all[i];
        one->holds = keyed_initial(plan->part->spec, registers->keys.items[i]);
        vectors_init(registers->limits->budget, &one->responses, &one->first, &one->running,
                     &one->open, &one->pending);
    }
    registers->applies = true;
    for (uint32_t e = 0; e < plan->event_count && registers->applies; e++) {
        uint32_t operation = plan->events[e] / 2;
        for (uint32_t i = registers->first[operation]; i < registers->first[operation + 1]; i++)
            if (!(plan->events[e] & 1 ? add_response(registers, i) : add_invocation(registers, i)))
                return false;
    }
    return true;
}

bool register_lookahead_init(struct register_lookahead *registers, const struct plan *plan,
                             struct limits *limits)
{
    struct budget *budget = limits->budget;
    const struct part *part = plan->part;
    *registers = (struct register_lookahead){.plan = plan, .limits = limits};
    registers->most_work = WORK_MOST + UINT64_C(1000) * part->count;
    arena_init(&registers->arena, budget);
    arrays_init(&registers->met, budget);
    vectors_init(budget, &registers->keys, &registers->touches, &registers->verdicts,
                 &registers->frames, &registers->next, &registers->changes);
    if (part->spec->class != &multi_register_class || part->has_key)
        return true;
    return list_all_touches(registers) && make_registers(registers);
}

void register_lookahead_release(struct register_lookahead *registers)
{
    for (size_t i = 0; registers->all && i < registers->keys.length; i++) {
        struct one_register *one = &registers->all[i];
        vectors_release(&one->responses, &one->first, &one->running, &one->open, &one->pending);
    }
    vectors_release(&registers->keys, &registers->touches, &registers->verdicts, &registers->frames,
                    &registers->next, &registers->changes);
    arrays_release(&registers->met);
    arena_release(&registers->arena);
}

/* ---- Configurations of one register ---- */

static const struct touch *touch_at(const struct register_lookahead *registers, uint32_t number)
{
    return &registers->touches.items[number];
}

static uint64_t slot_bit(const struct touch *touch)
{
    return (uint64_t)1 << touch->slot;
}

/* The touches that run at a response. */
static const uint32_t *running_at(const struct one_register *one, uint32_t response,
                                  uint32_t *count)
{
    size_t first = one->first.items[response];
    size_t next =
        response + 1 < one->first.length ? one->first.items[response + 1] : one->running.length;
    *count = (uint32_t)(next - first);
    return one->running.items + first;
}

static bool can_follow(const struct touch *touch, value holds)
{
    return !touch->has_needs || touch->needs == holds;
}

/* Reads what can be read. */
static void settle(struct register_lookahead *registers, struct register_configuration *at)
{
    uint32_t count;
    const uint32_t *running = running_at(&registers->all[at->number], at->response, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct touch *touch = touch_at(registers, running[i]);
        if (!touch->has_sets && can_follow(touch, at->holds))
            at->done |= slot_bit(touch);
    }
    registers->work += count;
}

/* Walks to the next response that is due; false if there is none. */
static bool walk_on(struct register_lookahead *registers, struct register_configuration *at)
{
    const struct one_register *one = &registers->all[at->number];
    for (settle(registers, at);; settle(registers, at)) {
        uint32_t due = one->responses.items[at->response], count;
        if (!(at->done & slot_bit(touch_at(registers, due))))
            return true;
        if (++at->response == one->responses.length)
            return false;
        uint32_t passed = interval_of(registers, due)->response;
        const uint32_t *running = running_at(one, at->response, &count);
        uint64_t before = 0; /* slots of those that ran at the last response too */
        for (uint32_t i = 0; i < count; i++)
            if (interval_of(registers, running[i])->invoke < passed)
                before |= slot_bit(touch_at(registers, running[i]));
        at->done &= before;
    }
}

/* The number of a configuration and whether it is new; ARRAY_REFUSED. */
static uint32_t meet(struct register_lookahead *registers, const struct register_configuration *at,
                     bool *is_new)
{
    uint64_t words[] = {(uint64_t)at->number << 32 | at->response, at->done, at->holds};
    uint32_t number = arrays_intern(&registers->met, words, ARRAY_LENGTH(words));
    *is_new = number == registers->verdicts.length;
    if (number != ARRAY_REFUSED && *is_new && !vector_push(&registers->verdicts, ONE_ASKED))
        return ARRAY_REFUSED;
    return number;
}

/* Adds what follows when the register holds `holds`, perhaps by a pending write, and then something
 * takes effect. False when refused. */
static bool add_successors(struct register_lookahead *registers,
                           const struct register_configuration *at, value holds)
{
    struct register_configuration next = *at;
    next.holds = holds;
    uint32_t count;
    const uint32_t *running = running_at(&registers->all[at->number], at->response, &count);
    if (holds != at->holds) {
        settle(registers, &next);
        if (next.done != at->done && !vector_push(&registers->next, next))
            return false;
    }
    for (uint32_t i = count; i-- > 0;) {
        const struct touch *touch = touch_at(registers, running[i]);
        if (!touch->has_sets || at->done & slot_bit(touch) || !can_follow(touch, holds) ||
            (holds != at->holds && !touch->has_needs))
            continue;
        struct register_configuration after = next;
        after.done = at->done | slot_bit(touch);
        after.holds = touch->sets;
        if (!vector_push(&registers->next, after))
            return false;
    }
    registers->work += count;
    return true;
}

static bool branch(struct register_lookahead *registers, const struct register_configuration *at,
                   uint32_t number)
{
    const struct one_register *one = &registers->all[at->number];
    struct register_frame frame = {.configuration = number, .next = registers->next.length};
    uint32_t due = interval_of(registers, one->responses.items[at->response])->response;
    for (size_t i = 0; i < one->pending.length && one->pending.items[i].invoke < due; i++)
        if (one->pending.items[i].sets != at->holds &&
            !add_successors(registers, at, one->pending.items[i].sets))
            return false;
    return add_successors(registers, at, at->holds) && vector_push(&registers->frames, frame);
}

/* All that led here can go on. */
static enum outlook found_open(struct register_lookahead *registers)
{
    for (size_t i = 0; i < registers->frames.length; i++)
        registers->verdicts.items[registers->frames.items[i].configuration] = ONE_OPEN;
    registers->frames.length = registers->next.length = 0;
    return OUTLOOK_OPEN;
}

/* Meets a configuration; OUTLOOK_HOPELESS: nothing comes of it so far. */
static enum outlook arrive(struct register_lookahead *registers, struct register_configuration at)
{
    bool is_new;
    if (!walk_on(registers, &at))
        return found_open(registers);
    uint32_t number = meet(registers, &at, &is_new);
    if (number == ARRAY_REFUSED || (is_new && !branch(registers, &at, number)))
        return OUTLOOK_REFUSED;
    return registers->verdicts.items[number] == ONE_OPEN ? found_open(registers) : OUTLOOK_HOPELESS;
}

/* Depth first; what takes effect only grows, so nothing is met that is still being asked about. */
static enum outlook ask(struct register_lookahead *registers, struct register_configuration at)
{
    uint64_t looked = registers->work;
    enum outlook outlook = arrive(registers, at);
    while (outlook == OUTLOOK_HOPELESS && registers->frames.length > 0) {
        const struct register_frame *frame = &registers->frames.items[registers->frames.length - 1];
        if (registers->next.length == frame->next) {
            registers->verdicts.items[frame->configuration] = ONE_HOPELESS;
            registers->frames.length--;
            continue;
        }
        outlook = arrive(registers, registers->next.items[--registers->next.length]);
        if (registers->work - looked >= STEPS_A_LOOK) {
            looked = registers->work;
            if (limits_reached(registers->limits) != LIMIT_NONE)
                return OUTLOOK_REFUSED;
        }
        if (registers->work > registers->most_work && outlook == OUTLOOK_HOPELESS) {
            registers->applies = false;
            return OUTLOOK_OPEN;
        }
    }
    return outlook;
}

/* ---- The trail ---- */

void register_lookahead_cut(struct register_lookahead *registers, uint32_t length)
{
    while (registers->changes.length > 0 &&
           registers->changes.items[registers->changes.length - 1].place >= length) {
        const struct register_change *change =
            &registers->changes.items[--registers->changes.length];
        registers->all[change->number].holds = change->held;
        assert(change->place < registers->followed);
    }
    if (registers->followed > length)
        registers->followed = length;
}

/* Of one register, at an event. */
static enum outlook look_at(struct register_lookahead *registers, uint32_t number, uint32_t event,
                            const uint64_t *load)
{
    const struct one_register *one = &registers->all[number];
    uint32_t low = 0, high = (uint32_t)one->responses.length, count;
    BISECT(low, high, middle,
           interval_of(registers, one->responses.items[middle])->response < event);
    if (low == one->responses.length)
        return OUTLOOK_OPEN;
    struct register_configuration at = {.number = number, .response = low, .holds = one->holds};
    const uint32_t *running = running_at(one, low, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct touch *touch = touch_at(registers, running[i]);
        if (interval_of(registers, running[i])->invoke < event &&
            load_has(load, registers->plan->operations[touch->operation].slot))
            at.done |= slot_bit(touch);
    }
    return ask(registers, at);
}

static enum outlook look_at_all(struct register_lookahead *registers, uint32_t event,
                                const uint64_t *load)
{
    enum outlook outlook = OUTLOOK_OPEN;
    for (uint32_t i = 0; i < registers->keys.length && outlook == OUTLOOK_OPEN; i++)
        outlook = look_at(registers, i, event, load);
    return outlook;
}

/* Follows the trail to `length`; false when refused. */
static bool follow(struct register_lookahead *registers, const uint32_t *trail, uint32_t length)
{
    for (; registers->followed < length; registers->followed++) {
        uint32_t operation = trail[registers->followed];
        for (uint32_t i = registers->first[operation]; i < registers->first[operation + 1]; i++) {
            const struct touch *touch = touch_at(registers, i);
            struct one_register *one = &registers->all[touch->number];
            struct register_change change = {
                .place = registers->followed, .number = touch->number, .held = one->holds};
            if (!touch->has_sets)
                continue;
            if (!vector_push(&registers->changes, change))
                return false;
            one->holds = touch->sets;
        }
    }
    return true;
}

enum outlook register_lookahead_look(struct register_lookahead *registers, uint32_t event,
                                     const uint64_t *load, const uint32_t *trail, uint32_t length)
{
    assert(registers->applies);
    size_t known = registers->changes.length;
    bool first = !registers->looked;
    registers->looked = true;
    if (!follow(registers, trail, length))
        return OUTLOOK_REFUSED;
    if (first)
        return look_at_all(registers, event, load);
    enum outlook outlook = OUTLOOK_OPEN;
    for (size_t i = known; i < registers->changes.length && outlook == OUTLOOK_OPEN; i++)
        outlook = look_at(registers, registers->changes.items[i].number, event, load);
    return outlook;
}
