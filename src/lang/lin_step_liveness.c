#include "lang/lin_step_liveness.h"

#include <string.h>

/* In a set of locals, those from `first` on become members, or no longer are. */
static void set_locals(uint64_t *set, uint32_t first, uint32_t count, bool member)
{
    for (uint32_t i = first; i < first + count; i++) {
        uint64_t bit = UINT64_C(1) << i % 64;
        set[i / 64] = member ? set[i / 64] | bit : set[i / 64] & ~bit;
    }
}

/* What says whether the operation had its point, and the arguments that it will be made with. */
static void add_point(const struct lin_steps *steps, const struct lin_instruction *instruction,
                      uint64_t *set)
{
    const struct lin_entry *entry = &steps->entries[instruction->wide];
    bool makes = instruction->op == LIN_DO_LINEARIZE;
    if (entry->pointed)
        set_locals(set, entry->pointed, 1 + (makes ? entry->operation->parameter_count : 0), true);
}

static void add_live(const struct lin_steps *steps, size_t at, uint64_t *set)
{
    const uint64_t *live = steps->live.items + at * steps->live_words;
    for (uint32_t i = 0; i < steps->live_words; i++)
        set[i] |= live[i];
}

/* In `set`, which is empty. */
static void live_before(const struct lin_steps *steps, size_t at, uint64_t *set)
{
    const struct lin_instruction *instruction = &steps->listing.code.items[at];
    enum lin_step_op op = (enum lin_step_op)instruction->op;
    uint32_t operand = (uint32_t)instruction->operand;
    bool goes_on = op != LIN_DO_JUMP && op != LIN_DO_RETURN && op != LIN_DO_END;
    if (goes_on && at + 1 < steps->listing.code.length)
        add_live(steps, at + 1, set);
    switch (op) {
    case LIN_DO_JUMP:
    case LIN_DO_JUMP_IF_FALSE:
    case LIN_DO_JUMP_IF_TRUE:
        add_live(steps, operand, set);
        break;
    case LIN_DO_RETURN:
        add_point(steps, instruction, set);
        if (instruction->small != LIN_TYPE_SYMBOL)
            set_locals(set, steps->result, 1, true);
        break;
    case LIN_DO_LINEARIZE:
        add_point(steps, instruction, set);
        break;
    case LIN_DO_STORE_LOCAL:
    case LIN_DO_LOAD_LOCAL:
    case LIN_DO_ADDRESS_LOCAL:
        set_locals(set, operand, instruction->wide, op != LIN_DO_STORE_LOCAL);
        break;
    default:
        break;
    }
}

enum status lin_step_find_live(struct lin_steps *steps)
{
    size_t count = steps->listing.code.length;
    uint32_t words = steps->live_words = steps->locals / 64 + 1;
    uint64_t *set = arena_allocate(steps->arena, words * sizeof *set);
    if (!set || !vector_reserve(&steps->live, count * words))
        return STATUS_LIMIT;
    steps->live.length = count * words;
    memset(steps->live.items, 0, steps->live.length * sizeof *set);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = count; i-- > 0;) {
            uint64_t *live = steps->live.items + i * words;
            memset(set, 0, words * sizeof *set);
            live_before(steps, i, set);
            changed |= memcmp(live, set, words * sizeof *set) != 0;
            memcpy(live, set, words * sizeof *set);
        }
    }
    return STATUS_OK;
}
