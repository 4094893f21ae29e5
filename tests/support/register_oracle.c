#include "support/register_oracle.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void register_oracle_init(struct register_oracle *oracle)
{
    oracle->running_count = oracle->pending_count = 0;
    oracle->full = false;
    oracle->count = 1;
    memset(&oracle->configurations[0], 0, sizeof oracle->configurations[0]);
}

void register_oracle_copy(struct register_oracle *to, const struct register_oracle *from)
{
    memcpy(to, from, offsetof(struct register_oracle, configurations));
    memcpy(to->configurations, from->configurations, from->count * sizeof *to->configurations);
}

/* ---- configurations ---- */

/* Whether the first may go on in each way in which the second may. */
static bool covers(const struct register_configuration *first,
                   const struct register_configuration *second)
{
    if (first->value != second->value || first->taken != second->taken ||
        (first->pending & ~second->pending))
        return false;
    for (uint32_t i = 0; i < REGISTER_ORACLE_RUNNING; i++)
        if (second->met[i] & ~first->met[i])
            return false;
    return true;
}

static void add(struct register_oracle *oracle, const struct register_configuration *added)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < oracle->count; i++)
        if (covers(&oracle->configurations[i], added))
            return;
    for (uint32_t i = 0; i < oracle->count; i++)
        if (!covers(added, &oracle->configurations[i]))
            oracle->configurations[kept++] = oracle->configurations[i];
    oracle->count = kept;
    if (kept == REGISTER_ORACLE_MOST) {
        oracle->full = true;
        return;
    }
    oracle->configurations[oracle->count++] = *added;
}

/* Lets the calls that run meet the value now. */
static void meet(const struct register_oracle *oracle, struct register_configuration *one)
{
    for (uint32_t i = 0; i < oracle->running_count; i++) {
        const struct register_call *call = &oracle->running[i];
        if (one->taken >> i & 1)
            one->met[i] = 0; /* it makes no difference any more */
        else if (call->kind == REGISTER_CALL_READ)
            one->met[i] |= (uint16_t)(1u << one->value);
        else if (call->kind == REGISTER_CALL_CAS)
            one->met[i] |= one->value != call->expected;
    }
}

static bool may_take_effect(const struct register_call *call, uint8_t now)
{
    return call->kind == REGISTER_CALL_WRITE ||
           (call->kind == REGISTER_CALL_CAS && call->expected == now);
}

/* Adds what may follow a configuration. */
static void add_next(struct register_oracle *oracle, struct register_configuration from)
{
    const uint32_t all = oracle->running_count + oracle->pending_count;
    for (uint32_t i = 0; i < all; i++) {
        const bool runs = i < oracle->running_count;
        const uint32_t number = runs ? i : i - oracle->running_count;
        const struct register_call *call =
            runs ? &oracle->running[number] : &oracle->pending[number];
        const uint16_t bit = (uint16_t)(1u << number);
        if (((runs ? from.taken : from.pending) & bit) || !may_take_effect(call, from.value))
            continue;
        struct register_configuration next = from;
        if (runs)
            next.taken |= (uint8_t)bit;
        else
            next.pending |= bit;
        next.value = call->written;
        meet(oracle, &next);
        add(oracle, &next);
    }
}

/* Lets take effect what may, until there is nothing new. One that is added goes behind all others,
 * so that those in front have been gone through; what is taken out moves them. */
static void close(struct register_oracle *oracle)
{
    for (bool grows = true; grows && !oracle->full;) {
        static struct register_configuration before[REGISTER_ORACLE_MOST];
        const uint32_t count = oracle->count;
        memcpy(before, oracle->configurations, count * sizeof *before);
        for (uint32_t i = 0; i < count; i++)
            add_next(oracle, before[i]);
        grows = oracle->count != count ||
                memcmp(before, oracle->configurations, count * sizeof *before) != 0;
    }
}

/* Makes those that are left of what was changed one by one. */
static void add_again(struct register_oracle *oracle)
{
    const uint32_t count = oracle->count;
    oracle->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct register_configuration one = oracle->configurations[i];
        add(oracle, &one);
    }
}

/* ---- events ---- */

void register_oracle_call(struct register_oracle *oracle, struct register_call call)
{
    assert(oracle->running_count < REGISTER_ORACLE_RUNNING);
    oracle->running[oracle->running_count++] = call;
    for (uint32_t i = 0; i < oracle->count; i++)
        meet(oracle, &oracle->configurations[i]);
    close(oracle);
}

static void remove_bit(uint32_t number, uint8_t *bits)
{
    const uint8_t below = (uint8_t)((1u << number) - 1);
    *bits = (uint8_t)((*bits & below) | (*bits >> 1 & ~below));
}

/* Forgets the call; `bit`: where it has taken effect as a pending one from now on; 0: nowhere. */
static void remove_call(struct register_oracle *oracle, uint32_t number, uint16_t bit)
{
    for (uint32_t i = 0; i < oracle->count; i++) {
        struct register_configuration *one = &oracle->configurations[i];
        if (one->taken >> number & 1)
            one->pending |= bit;
        remove_bit(number, &one->taken);
        for (uint32_t j = number; j + 1 < REGISTER_ORACLE_RUNNING; j++)
            one->met[j] = one->met[j + 1];
        one->met[REGISTER_ORACLE_RUNNING - 1] = 0;
    }
    for (uint32_t i = number; i + 1 < oracle->running_count; i++)
        oracle->running[i] = oracle->running[i + 1];
    oracle->running_count--;
    add_again(oracle);
}

/* Pending operations that have taken effect wherever there is an order are over. */
static void forget_pending(struct register_oracle *oracle)
{
    for (uint32_t i = oracle->pending_count; i-- > 0;) {
        bool everywhere = true;
        for (uint32_t j = 0; j < oracle->count; j++)
            everywhere &= oracle->configurations[j].pending >> i & 1;
        if (!everywhere)
            continue;
        for (uint32_t j = i; j + 1 < oracle->pending_count; j++)
            oracle->pending[j] = oracle->pending[j + 1];
        oracle->pending_count--;
        for (uint32_t j = 0; j < oracle->count; j++) {
            uint16_t *bits = &oracle->configurations[j].pending;
            const uint16_t below = (uint16_t)((1u << i) - 1);
            *bits = (uint16_t)((*bits & below) | (*bits >> 1 & ~below));
        }
    }
    add_again(oracle);
}

static bool allows(const struct register_configuration *one, const struct register_call *call,
                   uint32_t number, uint8_t answer)
{
    const bool taken = one->taken >> number & 1;
    if (call->kind == REGISTER_CALL_READ)
        return one->met[number] >> answer & 1;
    if (call->kind == REGISTER_CALL_WRITE || answer)
        return taken;
    return !taken && one->met[number];
}

static void keep_if(struct register_oracle *oracle, uint32_t number, bool fails, uint8_t answer)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < oracle->count; i++) {
        const struct register_configuration *one = &oracle->configurations[i];
        if (fails ? !(one->taken >> number & 1)
                  : allows(one, &oracle->running[number], number, answer))
            oracle->configurations[kept++] = *one;
    }
    oracle->count = kept;
}

void register_oracle_answer(struct register_oracle *oracle, uint32_t number, uint8_t answer)
{
    keep_if(oracle, number, false, answer);
    remove_call(oracle, number, 0);
    forget_pending(oracle);
}

void register_oracle_fail(struct register_oracle *oracle, uint32_t number)
{
    keep_if(oracle, number, true, 0);
    remove_call(oracle, number, 0);
    forget_pending(oracle);
}

void register_oracle_pend(struct register_oracle *oracle, uint32_t number)
{
    uint16_t bit = 0;
    if (oracle->running[number].kind != REGISTER_CALL_READ) {
        if (oracle->pending_count == REGISTER_ORACLE_PENDING) {
            oracle->full = true;
            return;
        }
        bit = (uint16_t)(1u << oracle->pending_count);
        oracle->pending[oracle->pending_count++] = oracle->running[number];
    }
    remove_call(oracle, number, bit);
    forget_pending(oracle);
}

/* ---- names ---- */

static int compare_configurations(const void *first, const void *second)
{
    return memcmp(first, second, sizeof(struct register_configuration));
}

void register_oracle_rename(struct register_oracle *oracle, const uint8_t *names)
{
    for (uint32_t i = 0; i < oracle->count; i++) {
        struct register_configuration *one = &oracle->configurations[i];
        one->value = names[one->value];
        for (uint32_t j = 0; j < oracle->running_count; j++) {
            uint16_t met = 0;
            if (oracle->running[j].kind != REGISTER_CALL_READ)
                continue;
            for (uint32_t v = 0; v < REGISTER_ORACLE_VALUES; v++)
                if (one->met[j] >> v & 1)
                    met |= (uint16_t)(1u << names[v]);
            one->met[j] = met;
        }
    }
    for (uint32_t i = 0; i < oracle->running_count + oracle->pending_count; i++) {
        struct register_call *call = i < oracle->running_count
                                         ? &oracle->running[i]
                                         : &oracle->pending[i - oracle->running_count];
        call->expected = names[call->expected];
        call->written = names[call->written];
    }
    if (oracle->count)
        qsort(oracle->configurations, oracle->count, sizeof *oracle->configurations,
              compare_configurations);
}
