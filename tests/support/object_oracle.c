#include "support/object_oracle.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void object_oracle_init(struct object_oracle *oracle, enum object_kind kind, uint8_t permits)
{
    memset(oracle, 0, offsetof(struct object_oracle, configurations));
    oracle->kind = (uint8_t)kind;
    oracle->permits = permits;
    oracle->count = 1;
    oracle->configurations[0] = (struct object_configuration){0};
    memset(oracle->configurations[0].answers, OBJECT_WAITS, OBJECT_ORACLE_RUNNING);
}

void object_oracle_copy(struct object_oracle *to, const struct object_oracle *from)
{
    memcpy(to, from, offsetof(struct object_oracle, configurations));
    memcpy(to->configurations, from->configurations, from->count * sizeof *to->configurations);
}

bool object_oracle_has_names(const struct object_oracle *oracle)
{
    return oracle->kind <= OBJECT_PRIORITY;
}

/* ---- what operations do ---- */

enum effect {
    EFFECT_NONE, /* it answers, and changes nothing */
    EFFECT_CHANGES,
    EFFECT_IMPOSSIBLE, /* it waits */
};

static void remove_item(struct object_configuration *one, uint8_t at)
{
    one->length--;
    memmove(one->items + at, one->items + at + 1, (size_t)(one->length - at));
    one->items[one->length] = 0;
}

static enum effect add_item(struct object_oracle *oracle, struct object_configuration *one,
                            uint8_t value)
{
    uint8_t at = one->length;
    if (at == OBJECT_ORACLE_INSIDE) {
        oracle->full = true;
        return EFFECT_IMPOSSIBLE;
    }
    for (; oracle->kind == OBJECT_PRIORITY && at && one->items[at - 1] > value; at--)
        one->items[at] = one->items[at - 1];
    one->items[at] = value;
    one->length++;
    return EFFECT_CHANGES;
}

static enum effect use_register(const struct object_call *call, struct object_configuration *one,
                                uint8_t *answer)
{
    const uint8_t now = one->items[0];
    *answer = call->operation == OBJECT_READ ? now : 0;
    if (call->operation == OBJECT_READ || (call->operation == OBJECT_CAS && now != call->expected))
        return EFFECT_NONE;
    *answer = call->operation == OBJECT_CAS;
    one->items[0] = call->value;
    return EFFECT_CHANGES;
}

static enum effect use_container(struct object_oracle *oracle, const struct object_call *call,
                                 struct object_configuration *one, uint8_t *answer)
{
    *answer = 0;
    if (call->operation == OBJECT_ADD)
        return add_item(oracle, one, call->value);
    if (one->length == 0)
        return EFFECT_NONE;
    const uint8_t at = oracle->kind == OBJECT_STACK ? (uint8_t)(one->length - 1) : 0;
    *answer = one->items[at];
    remove_item(one, at);
    return EFFECT_CHANGES;
}

/* An element of a set is there or not; a mutex is held or not. */
static enum effect use_count(struct object_oracle *oracle, const struct object_call *call,
                             struct object_configuration *one, uint8_t *answer)
{
    const uint8_t most = oracle->kind == OBJECT_BIT       ? 1
                         : oracle->kind == OBJECT_PERMITS ? oracle->permits
                                                          : OBJECT_ORACLE_INSIDE;
    const bool takes = call->operation == OBJECT_TAKE;
    const bool waits = oracle->kind == OBJECT_PERMITS && call->operation != OBJECT_TRY;
    *answer = call->operation == OBJECT_READ ? one->length : 0;
    if (call->operation == OBJECT_READ)
        return EFFECT_NONE;
    if (oracle->kind == OBJECT_COUNTER)
        return add_item(oracle, one, 0);
    if (one->length == (takes ? 0 : most))
        return waits ? EFFECT_IMPOSSIBLE : EFFECT_NONE;
    *answer = !waits;
    if (!takes)
        return add_item(oracle, one, 0);
    remove_item(one, 0);
    return EFFECT_CHANGES;
}

/* Lets an operation take effect in the configuration. */
static enum effect apply(struct object_oracle *oracle, const struct object_call *call,
                         struct object_configuration *one, uint8_t *answer)
{
    if (oracle->kind == OBJECT_REGISTER)
        return use_register(call, one, answer);
    if (object_oracle_has_names(oracle))
        return use_container(oracle, call, one, answer);
    return use_count(oracle, call, one, answer);
}

/* ---- configurations ---- */

/* Whether the first may go on in each way in which the second may. */
static bool covers(const struct object_configuration *first,
                   const struct object_configuration *second)
{
    if (memcmp(first, second, offsetof(struct object_configuration, pending)) != 0 ||
        (first->pending & ~second->pending))
        return false;
    for (uint32_t i = 0; i < OBJECT_ORACLE_RUNNING; i++)
        if (second->met[i] & ~first->met[i])
            return false;
    return true;
}

static void add(struct object_oracle *oracle, const struct object_configuration *added)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < oracle->count; i++)
        if (covers(&oracle->configurations[i], added))
            return;
    for (uint32_t i = 0; i < oracle->count; i++)
        if (!covers(added, &oracle->configurations[i]))
            oracle->configurations[kept++] = oracle->configurations[i];
    oracle->count = kept;
    if (kept == OBJECT_ORACLE_MOST) {
        oracle->full = true;
        return;
    }
    oracle->configurations[oracle->count++] = *added;
}

/* Lets the calls that run meet the state. */
static void meet(struct object_oracle *oracle, struct object_configuration *one)
{
    for (uint32_t i = 0; i < oracle->running_count; i++) {
        struct object_configuration same = *one;
        uint8_t answer;
        if (one->answers[i] == OBJECT_WAITS &&
            apply(oracle, &oracle->running[i], &same, &answer) == EFFECT_NONE)
            one->met[i] |= UINT32_C(1) << answer;
    }
}

/* Adds what may follow a configuration. */
static void add_next(struct object_oracle *oracle, const struct object_configuration *from)
{
    uint8_t answer;
    for (uint32_t i = 0; i < oracle->running_count; i++) {
        struct object_configuration next = *from;
        if (from->answers[i] != OBJECT_WAITS ||
            apply(oracle, &oracle->running[i], &next, &answer) != EFFECT_CHANGES)
            continue;
        next.answers[i] = answer;
        next.met[i] = 0; /* it makes no difference any more */
        meet(oracle, &next);
        add(oracle, &next);
    }
    for (uint32_t i = 0; i < oracle->pending_count; i++) {
        struct object_configuration next = *from;
        if ((from->pending >> i & 1) ||
            apply(oracle, &oracle->pending[i], &next, &answer) != EFFECT_CHANGES)
            continue;
        next.pending |= (uint8_t)(1u << i);
        meet(oracle, &next);
        add(oracle, &next);
    }
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct object_configuration));
}

/* Lets take effect what may, until there is nothing new. */
static void close(struct object_oracle *oracle)
{
    static struct object_configuration before[OBJECT_ORACLE_MOST];
    for (bool grows = true; grows && !oracle->full;) {
        const uint32_t count = oracle->count;
        memcpy(before, oracle->configurations, count * sizeof *before);
        for (uint32_t i = 0; i < count; i++)
            add_next(oracle, &before[i]);
        grows = oracle->count != count ||
                memcmp(before, oracle->configurations, count * sizeof *before) != 0;
    }
    qsort(oracle->configurations, oracle->count, sizeof *oracle->configurations, compare);
}

/* Makes those that are left of what was changed one by one. */
static void add_again(struct object_oracle *oracle)
{
    const uint32_t count = oracle->count;
    oracle->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct object_configuration one = oracle->configurations[i];
        add(oracle, &one);
    }
}

/* ---- events ---- */

void object_oracle_call(struct object_oracle *oracle, struct object_call call)
{
    assert(oracle->running_count < OBJECT_ORACLE_RUNNING);
    oracle->running[oracle->running_count++] = call;
    for (uint32_t i = 0; i < oracle->count; i++)
        meet(oracle, &oracle->configurations[i]);
    close(oracle);
}

static uint8_t without_bit(uint8_t bits, uint32_t number)
{
    const uint8_t below = (uint8_t)((1u << number) - 1);
    return (uint8_t)((bits & below) | (bits >> 1 & ~below));
}

/* Pending operations that have taken effect wherever there is an order are over. */
static void forget_pending(struct object_oracle *oracle)
{
    for (uint32_t i = oracle->pending_count; i-- > 0;) {
        bool everywhere = true;
        for (uint32_t j = 0; j < oracle->count; j++)
            everywhere &= oracle->configurations[j].pending >> i & 1;
        if (!everywhere && oracle->pending[i].operation != OBJECT_READ)
            continue;
        oracle->pending_count--;
        for (uint32_t j = i; j < oracle->pending_count; j++)
            oracle->pending[j] = oracle->pending[j + 1];
        oracle->pending[oracle->pending_count] = (struct object_call){0};
        for (uint32_t j = 0; j < oracle->count; j++)
            oracle->configurations[j].pending = without_bit(oracle->configurations[j].pending, i);
    }
    add_again(oracle);
}

/* Forgets the call; `bit`: where it has taken effect as a pending one from now on; 0: nowhere. */
static void remove_call(struct object_oracle *oracle, uint32_t number, uint8_t bit)
{
    for (uint32_t i = 0; i < oracle->count; i++) {
        struct object_configuration *one = &oracle->configurations[i];
        if (one->answers[number] != OBJECT_WAITS)
            one->pending |= bit;
        for (uint32_t j = number; j + 1 < OBJECT_ORACLE_RUNNING; j++) {
            one->met[j] = one->met[j + 1];
            one->answers[j] = one->answers[j + 1];
        }
        one->met[OBJECT_ORACLE_RUNNING - 1] = 0;
        one->answers[OBJECT_ORACLE_RUNNING - 1] = OBJECT_WAITS;
    }
    oracle->running_count--;
    for (uint32_t i = number; i < oracle->running_count; i++)
        oracle->running[i] = oracle->running[i + 1];
    oracle->running[oracle->running_count] = (struct object_call){0};
    add_again(oracle);
    forget_pending(oracle);
    close(oracle);
}

void object_oracle_answer(struct object_oracle *oracle, uint32_t number, uint8_t answer)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < oracle->count; i++) {
        const struct object_configuration *one = &oracle->configurations[i];
        if (one->answers[number] == answer || (one->met[number] >> answer & 1))
            oracle->configurations[kept++] = *one;
    }
    oracle->count = kept;
    remove_call(oracle, number, 0);
}

void object_oracle_pend(struct object_oracle *oracle, uint32_t number)
{
    assert(oracle->pending_count < OBJECT_ORACLE_PENDING);
    const uint8_t bit = (uint8_t)(1u << oracle->pending_count);
    oracle->pending[oracle->pending_count++] = oracle->running[number];
    remove_call(oracle, number, bit);
}

void object_oracle_fail(struct object_oracle *oracle, uint32_t number)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < oracle->count; i++)
        if (oracle->configurations[i].answers[number] == OBJECT_WAITS)
            oracle->configurations[kept++] = oracle->configurations[i];
    oracle->count = kept;
    remove_call(oracle, number, 0);
}

/* ---- names ---- */

static bool answers_name(const struct object_call *call)
{
    return call->operation == OBJECT_READ || call->operation == OBJECT_TAKE;
}

void object_oracle_each_name(const struct object_oracle *oracle,
                             void (*visit)(void *context, uint8_t name), void *context)
{
    for (uint32_t i = 0; i < oracle->running_count + oracle->pending_count; i++) {
        const struct object_call *call = i < oracle->running_count
                                             ? &oracle->running[i]
                                             : &oracle->pending[i - oracle->running_count];
        visit(context, call->expected);
        visit(context, call->value);
    }
    for (uint32_t i = 0; i < oracle->count; i++) {
        const struct object_configuration *one = &oracle->configurations[i];
        for (uint8_t j = 0; j < OBJECT_ORACLE_INSIDE; j++)
            visit(context, one->items[j]);
        for (uint32_t j = 0; j < oracle->running_count; j++) {
            if (!answers_name(&oracle->running[j]))
                continue;
            if (one->answers[j] != OBJECT_WAITS)
                visit(context, one->answers[j]);
            for (uint32_t met = one->met[j]; met; met &= met - 1)
                visit(context, (uint8_t)__builtin_ctz(met));
        }
    }
}

static void rename_call(struct object_call *call, const uint8_t *names)
{
    call->expected = names[call->expected];
    call->value = names[call->value];
}

void object_oracle_rename(struct object_oracle *oracle, const uint8_t *names)
{
    for (uint32_t i = 0; i < oracle->running_count; i++)
        rename_call(&oracle->running[i], names);
    for (uint32_t i = 0; i < oracle->pending_count; i++)
        rename_call(&oracle->pending[i], names);
    for (uint32_t i = 0; i < oracle->count; i++) {
        struct object_configuration *one = &oracle->configurations[i];
        for (uint8_t j = 0; j < OBJECT_ORACLE_INSIDE; j++)
            one->items[j] = names[one->items[j]];
        for (uint32_t j = 0; j < oracle->running_count; j++) {
            uint32_t met = one->met[j];
            if (!answers_name(&oracle->running[j]))
                continue;
            if (one->answers[j] != OBJECT_WAITS)
                one->answers[j] = names[one->answers[j]];
            one->met[j] = 0;
            for (; met; met &= met - 1)
                one->met[j] |= UINT32_C(1) << names[__builtin_ctz(met)];
        }
    }
    qsort(oracle->configurations, oracle->count, sizeof *oracle->configurations, compare);
}
