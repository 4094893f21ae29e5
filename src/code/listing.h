/* Code being made: instructions with their places in the source, and jumps whose targets come
 * later. All compilers emit into one of these. */
#ifndef CODE_LISTING_H
#define CODE_LISTING_H

#include "base/vector.h"
#include "code/instruction.h"

struct listing {
    VECTOR(struct instruction) code;
    VECTOR(place) places; /* one an instruction */
};

void listing_init(struct listing *listing, struct budget *budget);
void listing_release(struct listing *listing);

/* Each STATUS_LIMIT when refused. */
enum status listing_emit(struct listing *listing, place at,
                         struct instruction instruction) MUST_CHECK;
enum status listing_push(struct listing *listing, place at, datum constant) MUST_CHECK;

/* A jump (OP_JUMP...) whose target is not known yet; `*jump` is its number. */
enum status listing_jump(struct listing *listing, place at, enum opcode op,
                         uint32_t *jump) MUST_CHECK;

/* The number of the next instruction. */
static inline uint32_t listing_here(const struct listing *listing)
{
    return (uint32_t)listing->code.length;
}

/* Makes an instruction, there or the next, the target of a jump. */
void listing_lead(struct listing *listing, uint32_t jump, uint32_t target);

static inline void listing_land(struct listing *listing, uint32_t jump)
{
    listing_lead(listing, jump, listing_here(listing));
}

/* Forgets the instructions from `start` on. */
void listing_cut(struct listing *listing, uint32_t start);

/* Whether what was emitted from `start` on does nothing but push `operands` constants. */
bool listing_is_constant(const struct listing *listing, uint32_t start, uint32_t operands);

/* The code, as long as nothing more is emitted. */
static inline struct code listing_code(const struct listing *listing, uint32_t start,
                                       uint32_t locals)
{
    assert(start <= listing->code.length);
    return (struct code){.instructions = listing->code.items + start,
                         .places = listing->places.items + start,
                         .length = listing_here(listing) - start,
                         .locals = locals};
}

/* Jumps to the same place, which comes later. */
struct jumps {
    VECTOR(uint32_t) items;
};

static inline void jumps_init(struct jumps *jumps, const struct listing *listing)
{
    vector_init(&jumps->items, listing->code.budget);
}

static inline void jumps_release(struct jumps *jumps)
{
    vector_release(&jumps->items);
}

/* A jump that is one of them. */
enum status listing_jump_with(struct listing *listing, place at, struct jumps *jumps) MUST_CHECK;

/* Makes the next instruction the target of them all. */
void listing_land_all(struct listing *listing, const struct jumps *jumps);

#endif
