#include "support/endless.h"

#include <stdlib.h>

void endless_open(struct endless *endless, uint64_t seed, enum endless_order order,
                  uint32_t processes, uint32_t keys, uint64_t inside, uint32_t pending)
{
    *endless = (struct endless){.order = order,
                                .processes = processes,
                                .keys = keys,
                                .inside = inside,
                                .pending = pending,
                                .room = inside + 4096,
                                .next_process = processes,
                                .next_value = 1};
    random_seed(&endless->random, seed);
    endless->ring = calloc(endless->room, sizeof *endless->ring);
    endless->values = calloc(keys + 1, sizeof *endless->values);
    if (!endless->ring || !endless->values)
        abort();
    for (uint32_t i = 0; i < processes; i++)
        endless->busy[i].process = i;
}

void endless_close(struct endless *endless)
{
    free(endless->ring);
    free(endless->values);
}

static bool chooses_to_add(struct endless *endless)
{
    if (endless->keys)
        return random_chance(&endless->random, 1, 2);
    uint64_t inside = endless->tail - endless->head;
    if (endless->order == ENDLESS_TOTAL)
        return random_chance(&endless->random, 1, 2);
    if (endless->order == ENDLESS_COUNT)
        return endless->planned <= 0 || (endless->planned < (int64_t)endless->inside &&
                                         random_chance(&endless->random, 1, 2));
    return random_chance(&endless->random, inside < endless->inside ? 55 : 45, 100);
}

static void exchange(int64_t *a, int64_t *b)
{
    int64_t exchanged = *a;
    *a = *b;
    *b = exchanged;
}

static void put(struct endless *endless, int64_t value)
{
    int64_t *heap = endless->ring;
    if (endless->tail - endless->head == endless->room)
        abort(); /* the walk never goes so far */
    uint64_t place = endless->tail++;
    heap[place % endless->room] = value;
    for (; endless->order == ENDLESS_LEAST && place && heap[place] < heap[(place - 1) / 2];
         place = (place - 1) / 2)
        exchange(&heap[place], &heap[(place - 1) / 2]);
}

/* 0: there is none. */
static int64_t take(struct endless *endless)
{
    int64_t *heap = endless->ring;
    if (endless->tail == endless->head)
        return 0;
    if (endless->order == ENDLESS_OLDEST)
        return heap[endless->head++ % endless->room];
    uint64_t left = --endless->tail, place = 0;
    if (endless->order == ENDLESS_NEWEST)
        return heap[left];
    exchange(&heap[0], &heap[left]);
    for (uint64_t child; (child = 2 * place + 1) < left; place = child) {
        child += child + 1 < left && heap[child + 1] < heap[child];
        if (heap[place] <= heap[child])
            break;
        exchange(&heap[place], &heap[child]);
    }
    return heap[left];
}

/* Of an object that counts. */
static void count(struct endless *endless, struct endless_process *process)
{
    const bool total = endless->order == ENDLESS_TOTAL;
    if (total)
        process->value = process->adds ? 1 : endless->count;
    else if (endless->count == (process->adds ? (int64_t)endless->inside : 0))
        return; /* it waits */
    process->state = 2;
    if (process->adds)
        endless->count++;
    else if (!total)
        endless->count--;
}

static void take_effect(struct endless *endless, struct endless_process *process)
{
    if (endless->order >= ENDLESS_COUNT) {
        count(endless, process);
        return;
    }
    process->state = 2;
    int64_t *held = &endless->values[process->key];
    process->swapped = process->swaps && *held == process->expected;
    if (process->swaps && !process->swapped)
        return;
    if (endless->keys && process->adds) {
        process->before = *held;
        *held = process->value;
    } else if (endless->keys)
        process->value = endless->values[process->key];
    else if (process->adds)
        put(endless, process->value);
    else
        process->value = take(endless);
}

/* In no order where the least comes out first. */
static int64_t new_value(struct endless *endless)
{
    int64_t next = endless->next_value++;
    return endless->order == ENDLESS_LEAST
               ? 1 + (int64_t)((uint64_t)next * 2654435761u % 4294967291u)
               : next;
}

struct endless_event endless_next(struct endless *endless)
{
    for (;;) {
        uint32_t place = random_below(&endless->random, endless->processes);
        struct endless_process *process = &endless->busy[place];
        if (endless->steps++ < process->hangs_until)
            continue;
        struct endless_event event = {.process = process->process, .place = place};
        bool stays = process->state == 1 && endless->pending && !process->goes_on &&
                     (process->adds || !endless->unseen) &&
                     random_below(&endless->random, 1000000) < endless->pending;
        if (process->state == 0) {
            *process = (struct endless_process){.serial = endless->operations++,
                                                .process = process->process,
                                                .state = 1,
                                                .adds = chooses_to_add(endless)};
            if (endless->keys)
                process->key = random_below(&endless->random, endless->keys);
            if (process->adds)
                process->value = endless->order < ENDLESS_COUNT ? new_value(endless) : 1;
            endless->planned += process->adds ? 1 : -1;
            process->expected = endless->known[place];
            process->swaps = endless->with_cas && process->adds && process->expected &&
                             random_chance(&endless->random, 1, 2);
            if (endless->hangs && random_below(&endless->random, 1000000) < endless->hangs)
                process->hangs_until = endless->steps + endless->hanging;
            event.begins = true;
        } else if (stays) {
            if (!endless->unseen && random_chance(&endless->random, 1, 2))
                take_effect(endless, process);
            if (process->state == 1)
                endless->planned -= process->adds ? 1 : -1;
            event.pending = true;
            endless->pendings++;
            if (endless->silent) {
                *process = (struct endless_process){.process = endless->next_process++};
                continue;
            }
        } else if (process->state == 1) {
            process->goes_on = true;
            take_effect(endless, process);
            continue;
        }
        event.serial = process->serial;
        event.key = process->key;
        event.adds = process->adds;
        event.value = process->value;
        event.before = process->before;
        event.swaps = process->swaps;
        event.swapped = process->swapped;
        event.expected = process->expected;
        if (!event.begins && !stays && (!event.swaps || event.swapped))
            endless->known[place] = event.value;
        if (!event.begins)
            process->state = 0;
        if (stays)
            process->process = endless->next_process++;
        return event;
    }
}
