/* Finds irrelevant pending operations of several registers.
 *
 * Take a linearization, and a pending transaction in it none of whose writes any completed
 * operation read. Leave it out: every completed read still sees the write that it saw. Hence of
 * pending transactions that are alike at most as many are needed as completed operations read what
 * they write; as nothing but the invocation bounds when a pending operation happens, those invoked
 * first will do. */
#include "decide/irrelevant_pending.h"

#include "base/hash.h"
#include "spec/multi_register.h"

#define READ UINT32_MAX /* as the operation of a row: so many reads of (key, value) */

/* Calls with equal pairs count as one: that overcounts, and so keeps more than is needed. */
static value pair_of(value key, value v)
{
    return hash_pair(key, v);
}

/* The key and value of a micro-operation of that name; false if it is another or has no value. */
static bool is_micro(value micro, const char *name, value *key, value *v)
{
    size_t length;
    const value *items = value_get_items(micro, &length);
    if (length != 3 || !value_text_is(items[0], name))
        return false;
    *key = items[1];
    *v = items[2];
    return true;
}

/* Counts what a completed call read; false when refused. */
static bool count_reads(const struct call *call, struct tally *tally)
{
    if (!call->result_known || call->operation == MULTI_REGISTER_WRITE)
        return true;
    if (call->operation == MULTI_REGISTER_READ)
        return tally_add(tally, READ, pair_of(call->argument, call->result), UINT32_MAX) !=
               UINT32_MAX;
    size_t length;
    const value *micros = value_get_items(call->result, &length);
    for (size_t i = 0; i < length; i++) {
        value key, v;
        if (is_micro(micros[i], "read", &key, &v) &&
            tally_add(tally, READ, pair_of(key, v), UINT32_MAX) == UINT32_MAX)
            return false;
    }
    return true;
}

/* How many reads there are of what the call writes. */
static uint32_t count_readers(const struct call *call, const struct tally *tally)
{
    size_t length;
    const value *items = value_get_items(call->argument, &length);
    if (call->operation == MULTI_REGISTER_READ)
        return 0;
    if (call->operation == MULTI_REGISTER_WRITE)
        return tally_get(tally, READ, pair_of(items[0], items[1]));
    uint32_t readers = 0;
    for (size_t i = 0; i < length; i++) {
        value key, v;
        if (is_micro(items[i], "write", &key, &v))
            readers += tally_get(tally, READ, pair_of(key, v));
    }
    return readers;
}

void irrelevant_in_registers(const struct part *part, struct tally *tally, bool *irrelevant)
{
    tally_clear(tally);
    bool counted = true;
    for (uint32_t i = 0; i < part->count; i++) {
        irrelevant[i] = false;
        if (part->intervals[i].response != POSITION_NEVER)
            counted = counted && count_reads(&part->intervals[i].call, tally);
    }
    for (uint32_t i = 0; i < part->count && counted; i++) {
        const struct call *call = &part->intervals[i].call;
        if (part->intervals[i].response != POSITION_NEVER)
            continue;
        uint32_t readers = count_readers(call, tally);
        irrelevant[i] =
            readers == 0 || tally_add(tally, call->operation, call->argument, 0) >= readers;
    }
}
