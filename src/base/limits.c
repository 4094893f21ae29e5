#include "base/limits.h"

#include <time.h>

#include "base/faults.h"

void budget_init(struct budget *budget, struct budget *parent, size_t limit)
{
    budget->parent = parent;
    budget->limit = limit;
    atomic_init(&budget->used, 0);
    atomic_init(&budget->peak, 0);
    atomic_init(&budget->refused, false);
}

bool budget_charge(struct budget *budget, size_t bytes)
{
    if (faults_refuse()) {
        for (struct budget *at = budget; at; at = at->parent)
            atomic_store(&at->refused, true);
        return false;
    }
    for (struct budget *at = budget; at; at = at->parent) {
        size_t used = atomic_fetch_add_explicit(&at->used, bytes, memory_order_relaxed) + bytes;
        if (at->limit && used > at->limit) {
            atomic_store(&at->refused, true);
            for (struct budget *back = budget;; back = back->parent) {
                atomic_fetch_sub_explicit(&back->used, bytes, memory_order_relaxed);
                if (back == at)
                    return false;
                atomic_store(&back->refused, true);
            }
        }
    }
    for (struct budget *at = budget; at; at = at->parent) { /* what was refused is no peak */
        size_t used = atomic_load_explicit(&at->used, memory_order_relaxed);
        size_t peak = atomic_load_explicit(&at->peak, memory_order_relaxed);
        while (used > peak &&
               !atomic_compare_exchange_weak_explicit(&at->peak, &peak, used, memory_order_relaxed,
                                                      memory_order_relaxed))
            ;
    }
    return true;
}

void budget_refund(struct budget *budget, size_t bytes)
{
    for (struct budget *at = budget; at; at = at->parent)
        atomic_fetch_sub_explicit(&at->used, bytes, memory_order_relaxed);
}

size_t budget_left(const struct budget *budget)
{
    size_t left = SIZE_MAX;
    for (; budget; budget = budget->parent) {
        size_t used = atomic_load_explicit(&budget->used, memory_order_relaxed);
        size_t here = used < budget->limit ? budget->limit - used : 0;
        if (budget->limit && here < left)
            left = here;
    }
    return left;
}

unsigned budget_hundredths(const struct budget *budget)
{
    unsigned most = 0;
    for (; budget; budget = budget->parent) {
        size_t used = atomic_load_explicit(&budget->used, memory_order_relaxed);
        unsigned here = !budget->limit || used < budget->limit / 100
                            ? 0
                            : (unsigned)(used / (budget->limit / 100 + 1));
        if (here > most)
            most = here;
    }
    return most;
}

void limits_init(struct limits *limits, struct budget *budget)
{
    limits->budget = budget;
    limits->deadline = 0;
    limits->interrupt = NULL;
    limits->stop = NULL;
    limits->log = NULL;
    limits->fault = NULL;
    limits->most_work = 0;
    atomic_init(&limits->too_deep, false);
    atomic_init(&limits->work, 0);
}

void limits_init_within(struct limits *part, const struct limits *whole, struct budget *budget)
{
    limits_init(part, budget);
    part->deadline = whole->deadline;
    part->interrupt = whole->interrupt;
    part->stop = whole->stop;
    part->log = whole->log;
    part->fault = whole->fault;
}

enum limit limits_reached(const struct limits *limits)
{
    if (limits->interrupt && atomic_load_explicit(limits->interrupt, memory_order_relaxed))
        return LIMIT_INTERRUPT;
    if (limits->stop && atomic_load_explicit(limits->stop, memory_order_relaxed))
        return LIMIT_INTERRUPT;
    if (atomic_load_explicit(&limits->too_deep, memory_order_relaxed))
        return LIMIT_DEPTH;
    if (atomic_load_explicit(&limits->budget->refused, memory_order_relaxed))
        return LIMIT_MEMORY;
    if (limits->most_work &&
        atomic_load_explicit(&limits->work, memory_order_relaxed) >= limits->most_work)
        return LIMIT_TIME;
    if (limits->deadline && clock_nanoseconds() >= limits->deadline)
        return LIMIT_TIME;
    return LIMIT_NONE;
}

uint64_t clock_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return faults_clock((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
}

double seconds_since(uint64_t nanoseconds)
{
    const uint64_t now = clock_nanoseconds();
    return now < nanoseconds ? 0 : (double)(now - nanoseconds) * 1e-9;
}

enum limit limits_which(const struct limits *limits)
{
    enum limit limit = limits_reached(limits);
    return limit == LIMIT_NONE ? LIMIT_MEMORY : limit;
}
