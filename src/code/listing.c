#include "code/listing.h"

void listing_init(struct listing *listing, struct budget *budget)
{
    vectors_init(budget, &listing->code, &listing->places);
}

void listing_release(struct listing *listing)
{
    vectors_release(&listing->code, &listing->places);
}

enum status listing_emit(struct listing *listing, place at, struct instruction instruction)
{
    assert(instruction.op < OP_COUNT && listing->code.length == listing->places.length);
    return granted(vector_push(&listing->code, instruction) && vector_push(&listing->places, at));
}

enum status listing_push(struct listing *listing, place at, datum constant)
{
    return listing_emit(listing, at, instruction_push(constant));
}

enum status listing_jump(struct listing *listing, place at, enum opcode op, uint32_t *jump)
{
    *jump = listing_here(listing);
    return listing_emit(listing, at, (struct instruction){.op = (uint8_t)op});
}

void listing_lead(struct listing *listing, uint32_t jump, uint32_t target)
{
    assert(jump < listing->code.length && instruction_is_jump(&listing->code.items[jump]));
    assert(target <= listing->code.length);
    listing->code.items[jump].operand = (int32_t)target;
}

void listing_cut(struct listing *listing, uint32_t start)
{
    assert(start <= listing->code.length);
    listing->code.length = start;
    listing->places.length = start;
}

bool listing_is_constant(const struct listing *listing, uint32_t start, uint32_t operands)
{
    bool constant = listing->code.length == start + operands;
    for (uint32_t i = start; constant && i < start + operands; i++)
        constant = listing->code.items[i].op == OP_PUSH;
    return constant;
}

enum status listing_jump_with(struct listing *listing, place at, struct jumps *jumps)
{
    uint32_t jump;
    TRY(listing_jump(listing, at, OP_JUMP, &jump));
    return granted(vector_push(&jumps->items, jump));
}

void listing_land_all(struct listing *listing, const struct jumps *jumps)
{
    for (size_t i = 0; i < jumps->items.length; i++)
        listing_land(listing, jumps->items.items[i]);
}
