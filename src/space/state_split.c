#include "space/state_split.h"

#include "base/hash.h"
#include "base/table.h"

void state_split_budget(struct budget *budget, struct budget *parent)
{
    const size_t left = budget_left(parent);
    budget_init(budget, parent, left == SIZE_MAX ? 0 : left + !left);
}

/* The slot before which about so many eighths of the bits are. */
static uint32_t slot_behind(const struct state_sample *sample, uint32_t eighths)
{
    const struct slot_field *fields = sample->layout->fields;
    uint32_t bits = 0, before = 0, slot = 0;
    for (uint32_t i = 0; i < sample->layout->slots; i++)
        bits += fields[i].bits;
    while (slot + 1 < sample->layout->slots && (slot == 0 || before * 8 < bits * eighths))
        before += fields[slot++].bits;
    return slot;
}

/* How many different halves there are of the states, cut at a slot; by their hashes, which is near
 * enough. UINT32_MAX when refused. */
static uint32_t count_halves(const struct state_sample *sample, uint32_t slot)
{
    struct budget budget;
    struct table halves[2];
    bool room = true;
    state_split_budget(&budget, sample->budget);
    table_init(&halves[0], &budget);
    table_init(&halves[1], &budget);
    for (uint32_t id = 0; id < sample->count && room; id++) {
        const uint32_t *state = sample->state(sample->table, id);
        const uint64_t hashes[] = {
            hash_bytes(state, slot * sizeof *state, 0),
            hash_bytes(state + slot, (sample->layout->slots - slot) * sizeof *state, 0)};
        for (unsigned half = 0; half < 2 && room; half++) {
            struct table_search search = table_search(&halves[half], hashes[half]);
            room = table_next(&search) || table_add(&halves[half], hashes[half], 0);
        }
    }
    const size_t count = halves[0].count + halves[1].count;
    table_release(&halves[0]);
    table_release(&halves[1]);
    return room ? (uint32_t)count : UINT32_MAX;
}

/* Models begin with what is shared, and that is neither the one end nor the other. */
uint32_t state_split_choose(const struct state_sample *sample, uint32_t most)
{
    uint32_t best = 0, fewest = (uint32_t)((uint64_t)sample->count * most / 100);
    for (uint32_t eighths = 2; eighths <= 5; eighths++) {
        const uint32_t slot = slot_behind(sample, eighths), halves = count_halves(sample, slot);
        if (halves >= fewest)
            continue;
        fewest = halves;
        best = slot;
    }
    return best;
}
