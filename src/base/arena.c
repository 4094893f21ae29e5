#include "base/arena.h"

#include <string.h>

#include "base/faults.h"

/* Small arenas stay small: a partition has one of its own. */
#define FIRST_CHUNK ((size_t)SIZE_OR_SMALL(4096, 32))
/* Beyond this a larger chunk no longer saves time. */
#define LAST_CHUNK ((size_t)SIZE_OR_SMALL(256 << 10, 64))

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* with this header */
};

void arena_init(struct arena *arena, struct budget *budget)
{
    *arena = (struct arena){.budget = budget};
}

static void *arena_refill(struct arena *arena, size_t size)
{
    size_t chunk_size = FIRST_CHUNK;
    if (arena->chunks)
        chunk_size = arena->chunks->size >= LAST_CHUNK / 2 ? LAST_CHUNK : arena->chunks->size * 2;
    if (chunk_size < size + sizeof(struct arena_chunk))
        chunk_size = size + sizeof(struct arena_chunk);
    struct arena_chunk *chunk = memory_allocate(arena->budget, chunk_size);
    if (!chunk)
        return NULL;
    *chunk = (struct arena_chunk){.next = arena->chunks, .size = chunk_size};
    arena->chunks = chunk;
    unsigned char *block = (unsigned char *)(chunk + 1);
    arena->next = block + size;
    arena->end = (unsigned char *)chunk + chunk_size;
    return block;
}

void *arena_allocate(struct arena *arena, size_t size)
{
    size = size ? (size + 7) & ~(size_t)7 : 8; /* of size 0, too, a block that is not null */
    if (LIKELY((size_t)(arena->end - arena->next) >= size)) {
        void *block = arena->next;
        arena->next += size;
        return block;
    }
    return arena_refill(arena, size);
}

void *arena_zeroed(struct arena *arena, size_t size)
{
    void *block = arena_allocate(arena, size);
    if (block)
        memset(block, 0, size);
    return block;
}

char *arena_copy_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_allocate(arena, length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

void arena_release(struct arena *arena)
{
    for (struct arena_chunk *chunk = arena->chunks; chunk;) {
        struct arena_chunk *next = chunk->next;
        memory_release(arena->budget, chunk, chunk->size);
        chunk = next;
    }
    arena_init(arena, arena->budget);
}
