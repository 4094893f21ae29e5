/* Memory that is given back all at once: chunks, a bump pointer, no header per block. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/memory.h"

struct arena_chunk;

struct arena {
    struct budget *budget;
    struct arena_chunk *chunks;
    unsigned char *next, *end;
};

void arena_init(struct arena *arena, struct budget *budget);

/* `size` bytes aligned to 8, uninitialised; null when the budget refuses. Owned by the arena. */
void *arena_allocate(struct arena *arena, size_t size) MUST_CHECK;

/* The same, all 0. */
void *arena_zeroed(struct arena *arena, size_t size) MUST_CHECK;

/* A copy of `length` bytes with a 0 byte behind them; null when the budget refuses. */
char *arena_copy_text(struct arena *arena, const char *text, size_t length) MUST_CHECK;

void arena_release(struct arena *arena);

#endif
