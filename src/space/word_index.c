#include "space/word_index.h"

#include <string.h>

#include "base/attributes.h"
#include "base/faults.h"

#define LINE         sizeof(struct word_line)
#define FIRST_LINES  ((size_t)SIZE_OR_SMALL(64, 2))
#define FIRST_BEYOND ((size_t)SIZE_OR_SMALL(8, 2))
#define LONG         ((size_t)1 << SIZE_OR_SMALL(14, 2)) /* lines */
#define PASSED       ((size_t)1 << 12)

/* At most so many tenths of the places are in use. */
#define MOST_TENTHS 8

void word_index_init(struct word_index *index, struct budget *budget)
{
    *index = (struct word_index){.budget = budget};
}

/* With a line in front of which the first may begin. */
static size_t size_of(size_t lines)
{
    return (lines + 1) * LINE;
}

size_t word_index_bytes(const struct word_index *index)
{
    return index->block ? size_of(index->capacity + index->beyond) : 0;
}

void word_index_release(struct word_index *index)
{
    memory_release(index->budget, index->block, word_index_bytes(index));
    word_index_init(index, index->budget);
}

/* With no words in it. False when refused. */
static bool create(struct word_index *index, struct budget *budget, size_t capacity, size_t beyond)
{
    *index = (struct word_index){.budget = budget,
                                 .block = memory_scattered(budget, size_of(capacity + beyond)),
                                 .capacity = capacity,
                                 .beyond = beyond,
                                 .most = capacity * WORD_LINE_MOST * MOST_TENTHS / 10};
    index->lines = (struct word_line *)(((uintptr_t)index->block + LINE - 1) & ~(LINE - 1));
    return index->block;
}

/* Puts a word of another index. */
static void put_again(struct word_index *index, uint64_t word, uint32_t number)
{
    struct word_line *line = word_index_line(index, word);
    while (line->count == WORD_LINE_MOST)
        line++;
    const bool room = word_index_put(index, line, word, number);
    assert(room);
    (void)room;
}

/* Copies all. What was copied of a long one is given back by and by, so that two are never there at
 * once. */
static void copy(struct word_index *to, const struct word_index *from)
{
    const size_t lines = from->capacity + from->beyond;
    for (size_t begin = 0, end; begin < lines; begin = end) {
        end = lines - begin > PASSED ? begin + PASSED : lines;
        for (size_t i = begin; i < end; i++)
            for (uint32_t at = 0; at < from->lines[i].count; at++)
                put_again(to, from->lines[i].words[at], from->lines[i].numbers[at]);
        if (lines >= LONG)
            memory_pass(from->block, begin * LINE, end * LINE);
    }
}

/* How many lines beyond the end a larger one needs. What stands beyond is what those in front of it
 * have no room for, from some line on. From that fraction of the capacity on a larger one has no
 * less lines, but for the one that begins there: so one more is used, and the last never is. */
static size_t beyond_for(const struct word_index *index)
{
    size_t used = 0;
    while (used < index->beyond && index->lines[index->capacity + used].count)
        used++;
    return used + 2 > FIRST_BEYOND ? used + 2 : FIRST_BEYOND;
}

static bool grow(struct word_index *index, size_t capacity, size_t beyond)
{
    struct word_index larger;
    assert(capacity >= index->capacity);
    if (!create(&larger, index->budget, capacity, beyond))
        return false;
    copy(&larger, index);
    assert(larger.count == index->count);
    word_index_release(index);
    *index = larger;
    return true;
}

/* By half; by less where memory is short. */
static size_t next_capacity(const struct word_index *index, size_t least)
{
    size_t capacity = index->capacity + index->capacity / 2;
    if (budget_left(index->budget) < size_of(capacity))
        capacity = index->capacity + index->capacity / 8;
    capacity = capacity < FIRST_LINES ? FIRST_LINES : capacity;
    return capacity < least ? least : capacity;
}

bool word_index_grow(struct word_index *index, size_t more)
{
    const size_t least = (index->count + more) * 10 / (MOST_TENTHS * WORD_LINE_MOST) + 2;
    return grow(index, next_capacity(index, least), beyond_for(index));
}

bool word_index_put_beyond(struct word_index *index, uint64_t word, uint32_t number)
{
    if (!grow(index, index->capacity, 2 * index->beyond))
        return false;
    put_again(index, word, number);
    return true;
}
