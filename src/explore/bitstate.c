/* What waits is a stack, in which entries that were found from one lie together. So when one at
 * some depth is taken from it, the way before it is that of the entry taken up last one step less
 * deep: it is the one from which this was found. */
#include "explore/bitstate.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

#define BITS_EACH  3
#define LINE_BYTES 64
#define LINE_WORDS (LINE_BYTES / 8)
#define LINE_BITS  (LINE_BYTES * 8)
#define HEAD_WORDS 2 /* of an entry: its depth, and the label */

static size_t stride(const struct bitstate *search)
{
    return HEAD_WORDS + search->words;
}

bool bitstate_init(struct bitstate *search, uint32_t words, uint32_t identity, size_t bytes,
                   struct explorer *explorer, struct budget *budget)
{
    size_t size = LINE_BYTES;
    while (size <= bytes / 2)
        size *= 2;
    *search = (struct bitstate){
        .words = words, .identity = identity, .bytes = size, .explorer = explorer};
    vectors_init(budget, &search->waiting, &search->path);
    search->filter = memory_zeroed(budget, size);
    return search->filter != NULL;
}

void bitstate_release(struct bitstate *search)
{
    memory_release(search->waiting.budget, search->filter, search->bytes);
    vectors_release(&search->waiting, &search->path);
}

void bitstate_restart(struct bitstate *search, uint64_t seed)
{
    if (search->found)
        memset(search->filter, 0, search->bytes);
    search->found = 0;
    search->missed = 0;
    search->is_cut = false;
    search->waiting.length = search->path.length = 0;
    search->shuffles = seed != 0;
    random_seed(&search->random, seed);
}

/* Sets the bits of an entry, which are all in one line of the processor's cache; whether they were
 * set before. */
static bool mark(struct bitstate *search, const uint32_t *words)
{
    const uint64_t hash = hash_bytes(words, search->identity * sizeof *words, 0);
    uint64_t *line = search->filter + (hash & (search->bytes / LINE_BYTES - 1)) * LINE_WORDS;
    uint64_t chosen = hash_word(hash);
    unsigned set = 0, fresh = 0;
    for (unsigned i = 0; i < LINE_WORDS; i++)
        set += (unsigned)__builtin_popcountll(line[i]);
    for (unsigned i = 0; i < BITS_EACH; i++, chosen /= LINE_BITS) {
        uint64_t *word = &line[chosen % LINE_BITS / 64];
        const uint64_t bit = UINT64_C(1) << chosen % 64;
        fresh += !(*word & bit);
        *word |= bit;
    }
    const double full = (double)set / LINE_BITS;
    if (fresh) /* as likely as this it would have been taken for another */
        search->missed += full * full * full;
    return fresh == 0;
}

bool bitstate_find(struct bitstate *search, label by, const uint32_t *words)
{
    const uint32_t depth = (uint32_t)(search->path.length / stride(search));
    if (search->is_cut || mark(search, words))
        return true;
    search->found++;
    search->is_cut = search->most && search->found >= search->most;
    const size_t length = search->waiting.length;
    if (!vector_reserve(&search->waiting, length + stride(search)))
        return false;
    uint32_t *entry = search->waiting.items + length;
    entry[0] = depth;
    entry[1] = by;
    memcpy(entry + HEAD_WORDS, words, search->words * sizeof *words);
    search->waiting.length += stride(search);
    return true;
}

/* Puts what was found from one entry, which begins there, into another order. */
static void shuffle(struct bitstate *search, size_t from)
{
    const size_t each = stride(search);
    uint32_t *entries = search->waiting.items + from;
    for (size_t i = (search->waiting.length - from) / each; i > 1; i--) {
        uint32_t *last = entries + (i - 1) * each;
        uint32_t *other = entries + random_below(&search->random, (uint32_t)i) * each;
        for (size_t word = 0; word < each; word++) {
            const uint32_t kept = last[word];
            last[word] = other[word];
            other[word] = kept;
        }
    }
}

/* Moves the entry that was found last from what waits to the way's end. */
static bool take_last(struct bitstate *search)
{
    const size_t each = stride(search);
    search->waiting.length -= each;
    const uint32_t *entry = search->waiting.items + search->waiting.length;
    search->path.length = entry[0] * each;
    if (!vector_reserve(&search->path, search->path.length + each))
        return false;
    memcpy(search->path.items + search->path.length, entry, each * sizeof *entry);
    search->path.length += each;
    if (entry[0] > search->longest)
        search->longest = entry[0];
    return true;
}

enum status bitstate_run(struct bitstate *search, bitstate_visit *visit, void *self, bool *stop)
{
    if (search->shuffles)
        shuffle(search, 0);
    while (search->waiting.length > 0 && !*stop) {
        const size_t each = stride(search), before = search->waiting.length - each;
        TRY_MEMORY(take_last(search));
        const size_t length = bitstate_way_length(search);
        const struct bitstate_entry entry = bitstate_way(search, length - 1);
        TRY(explorer_take(search->explorer));
        explorer_tell(search->explorer,
                      search->found < NODE_NONE ? (uint32_t)search->found : NODE_NONE,
                      (uint32_t)(before / each));
        if (search->most_depth && entry.depth >= search->most_depth) {
            search->is_cut = true;
            continue;
        }
        TRY(visit(self, &entry, stop));
        if (search->is_cut && search->most && search->found >= search->most)
            return STATUS_OK;
        if (search->shuffles)
            shuffle(search, before);
    }
    return STATUS_OK;
}

size_t bitstate_way_length(const struct bitstate *search)
{
    return search->path.length / stride(search);
}

struct bitstate_entry bitstate_way(const struct bitstate *search, size_t at)
{
    const uint32_t *entry = search->path.items + at * stride(search);
    return (struct bitstate_entry){.depth = entry[0], .by = entry[1], .words = entry + HEAD_WORDS};
}
