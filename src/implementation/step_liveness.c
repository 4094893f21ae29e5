#include "implementation/step_liveness.h"

#include <string.h>

/* In a set of locals, those from `first` on become members, or no longer are. */
static void set_locals(struct bits set, uint32_t first, uint32_t count, bool member)
{
    for (uint32_t i = first; i < first + count; i++)
        if (member)
            bits_set(set, i);
        else
            bits_clear(set, i);
}

/* What says whether the operation had its point, and the arguments that it will be made with. */
static void add_point(const struct lin_steps *steps, const struct instruction *instruction,
                      struct bits set)
{
    const struct lin_entry *entry = &steps->entries[instruction->wide];
    bool makes = instruction->op == OP_LINEARIZE;
    if (entry->pointed)
        set_locals(set, entry->pointed, 1 + (makes ? entry->operation->parameter_count : 0), true);
}

/* Where threads make points for one another, both are looked at wherever the operation stands. */
static void add_points_of_others(const struct lin_steps *steps, size_t at, struct bits set)
{
    const struct lin_entry *entry = NULL;
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        if (steps->entries[i].start <= at)
            entry = &steps->entries[i];
    if (entry && entry->pointed)
        set_locals(set, entry->pointed, 1 + entry->operation->parameter_count, true);
}

/* In `set`, which is empty. */
static void live_before(const struct lin_steps *steps, size_t at, struct bits set)
{
    const struct instruction *instruction = &steps->listing.code.items[at];
    enum opcode op = (enum opcode)instruction->op;
    uint32_t operand = (uint32_t)instruction->operand;
    if (instruction_goes_on(instruction) && at + 1 < steps->listing.code.length)
        bits_add(set, lin_steps_live_at(steps, at + 1));
    switch (op) {
    case OP_JUMP:
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
        bits_add(set, lin_steps_live_at(steps, operand));
        break;
    case OP_ANSWER:
        add_point(steps, instruction, set);
        if (instruction->small != LIN_TYPE_SYMBOL)
            set_locals(set, steps->result,
                       instruction->small == LIN_TYPE_LIST ? steps->shapes.items[operand].count : 1,
                       true);
        break;
    case OP_LINEARIZE:
    case OP_LINEARIZE_OF:
        add_point(steps, instruction, set);
        break;
    case OP_STORE_OWN:
    case OP_LOAD_OWN:
    case OP_ADDRESS_OWN:
        set_locals(set, operand, instruction->wide, op != OP_STORE_OWN);
        break;
    default:
        break;
    }
    if (steps->helps)
        add_points_of_others(steps, at, set);
}

enum status lin_step_find_live(struct lin_steps *steps)
{
    size_t count = steps->listing.code.length;
    size_t words = count * bits_words(steps->locals);
    struct bits set = bits_in_arena(steps->arena, steps->locals);
    TRY_MEMORY(set.words && vector_reserve(&steps->live, words));
    steps->live.length = words;
    steps->live_locals = steps->locals;
    memset(steps->live.items, 0, steps->live.length * sizeof *steps->live.items);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = count; i-- > 0;) {
            bits_clear_all(set);
            live_before(steps, i, set);
            changed |= bits_add(lin_steps_live_at(steps, i), set);
        }
    }
    return STATUS_OK;
}
