#include "runtime/relaxed.h"

static struct exchange_relaxed known;
static uint64_t filter; /* a bit for places with the same remainder */

static uint64_t bit_of(const void *at)
{
    return UINT64_C(1) << (uintptr_t)at % 64;
}

static bool is_known(const void *at)
{
    for (uint32_t i = 0; filter & bit_of(at) && i < known.count; i++)
        if (known.places[i] == at)
            return true;
    return false;
}

void relaxed_begin(const struct exchange_relaxed *places)
{
    known = *places;
    filter = 0;
    for (uint32_t i = 0; i < known.count; i++)
        filter |= bit_of(known.places[i]);
}

static bool add(const struct finding_access *access)
{
    bool is_plain = access->kind == ACCESS_READ || access->kind == ACCESS_WRITE;
    if (!is_plain || is_known(access->at) || known.count == EXCHANGE_RELAXED)
        return false;
    known.places[known.count++] = access->at;
    filter |= bit_of(access->at);
    return true;
}

bool relaxed_add(const struct finding *race)
{
    bool here = add(&race->here), other = add(&race->other);
    return here || other;
}

bool relaxed_has(const void *at, const void *address, size_t size)
{
    return filter & bit_of(at) && is_known(at) && size <= sizeof(uint64_t) &&
           (uintptr_t)address % size == 0;
}

const struct exchange_relaxed *relaxed_places(void)
{
    return &known;
}
