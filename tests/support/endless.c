#include "support/endless.h"

#include <stdlib.h>

void endless_open(struct endless *endless, uint64_t seed, uint32_t processes, uint32_t keys,
                  uint64_t inside, uint32_t pending)
{
    *endless = (struct endless){.processes = processes,
                                .keys = keys,
                                .inside = inside,
                                .pending = pending,
                                .room = 4 * inside + 4096,
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
    return random_chance(&endless->random, inside < endless->inside ? 55 : 45, 100);
}

static void take_effect(struct endless *endless, struct endless_process *process)
{
    process->state = 2;
    if (endless->keys && process->adds)
        endless->values[process->key] = process->value;
    else if (endless->keys)
        process->value = endless->values[process->key];
    else if (process->adds && endless->tail - endless->head < endless->room)
        endless->ring[endless->tail++ % endless->room] = process->value;
    else if (process->adds)
        abort(); /* the walk never goes so far */
    else
        process->value =
            endless->tail == endless->head ? 0 : endless->ring[endless->head++ % endless->room];
}

struct endless_event endless_next(struct endless *endless)
{
    for (;;) {
        uint32_t place = random_below(&endless->random, endless->processes);
        struct endless_process *process = &endless->busy[place];
        struct endless_event event = {.process = process->process, .place = place};
        bool stays = process->state == 1 && endless->pending &&
                     random_below(&endless->random, 1000000) < endless->pending;
        if (process->state == 0) {
            *process = (struct endless_process){.serial = endless->operations++,
                                                .process = process->process,
                                                .state = 1,
                                                .adds = chooses_to_add(endless)};
            if (endless->keys)
                process->key = random_below(&endless->random, endless->keys);
            if (process->adds)
                process->value = endless->next_value++;
            event.begins = true;
        } else if (stays) {
            if (random_chance(&endless->random, 1, 2))
                take_effect(endless, process);
            event.pending = true;
            endless->pendings++;
        } else if (process->state == 1) {
            take_effect(endless, process);
            continue;
        }
        event.serial = process->serial;
        event.key = process->key;
        event.adds = process->adds;
        event.value = process->value;
        if (!event.begins)
            process->state = 0;
        if (stays)
            process->process = endless->next_process++;
        return event;
    }
}
