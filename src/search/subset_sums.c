/* Sums are taken of words times weights, a random odd number for each word, modulo 2^64: equal sums
 * of vectors are equal there, and different ones nearly always differ. What is proposed is tried,
 * so a coincidence costs time and no more. */
#include "search/subset_sums.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/hash.h"

#define WIDTH_MOST   4096
#define STEPS_MOST   20000
#define READERS_MOST 64
#define ANSWER_MOST  4096 /* items of an answer that are looked at */
#define SAMPLES_MOST 64   /* answers that a reader is learned from */
#define MOVERS_MOST  26   /* looked at together; those beyond are left out */
#define SETS_MOST    8    /* for one read */
#define SHORT_MOST   18   /* operations of which all sets are looked at to see that none will do */

static uint64_t weight(uint32_t word)
{
    return hash_word(word + 1) | 1;
}

/* ---- What is learned ---- */

/* The words of a state in sums->words; false when refused, or of another width. */
static bool load_words(struct subset_sums *sums, struct transitions *transitions, uint32_t state)
{
    size_t length;
    const uint64_t *words = transitions_words(transitions, state, &length);
    sums->words.length = 0;
    if (!words || length != sums->width || !vector_reserve(&sums->words, length))
        return false;
    memcpy(sums->words.items, words, length * sizeof *words);
    sums->words.length = length;
    return true;
}

/* Compares a step, from the words in sums->words to `after`, with what the class is known to add.
 */
static void compare_step(struct subset_sums *sums, struct sum_class *class, const uint64_t *after)
{
    const uint64_t *before = sums->words.items;
    int64_t *delta = sums->deltas.items + class->delta;
    for (size_t i = 0; i < sums->width && class->adds; i++) {
        bool numbers = value_is_small(before[i]) && value_is_small(after[i]);
        int64_t added = numbers ? value_small_get(after[i]) - value_small_get(before[i]) : 0;
        class->adds = numbers || before[i] == after[i];
        if (!class->known)
            delta[i] = added;
        class->adds &= delta[i] == added;
        class->moves |= added != 0;
    }
}

/* Learns what a class adds from one step, or that it does not. False when refused. */
static bool learn_class(struct subset_sums *sums, struct transitions *transitions, uint32_t class,
                        uint32_t state, transition to)
{
    struct sum_class *learned = &sums->classes.items[class];
    uint32_t count = transition_count(transitions, to);
    if (count == 0 || (learned->known && !learned->adds))
        return true;
    size_t length;
    bool loaded = count == 1 && load_words(sums, transitions, state);
    const uint64_t *after = loaded ? transitions_words(transitions, to, &length) : NULL;
    if (!learned->known) {
        learned->adds = true;
        learned->delta = sums->deltas.length;
        if (!vector_reserve(&sums->deltas, sums->deltas.length + sums->width))
            return false;
        sums->deltas.length += sums->width;
    }
    if (after && length == sums->width)
        compare_step(sums, learned, after);
    else
        learned->adds = false;
    learned->known = true;
    return true;
}

/* Learns from the steps of another search. Whether operations that change something mostly add. */
static bool learn_classes(struct subset_sums *sums, struct transitions *learned, bool *add)
{
    size_t adding = 0, others = 0;
    for (size_t i = 0, steps = 0; i < learned->entry_count && steps < STEPS_MOST; i++) {
        const struct transition_entry *entry = &learned->entries[i];
        if (entry->class == CLASS_REFUSED)
            continue;
        if (!learn_class(sums, learned, entry->class, entry->state, entry->to))
            return false;
        steps++;
    }
    for (size_t i = 0; i < sums->classes.length; i++) {
        adding += sums->classes.items[i].adds && sums->classes.items[i].moves;
        others += sums->classes.items[i].known && !sums->classes.items[i].adds;
    }
    *add = adding > others;
    return true;
}

static bool is_of(const struct sum_reader *reader, const struct call *call)
{
    return call->operation == reader->operation && call->argument == reader->argument;
}

/* What a state is asked: the items of the answer of the call, whose known result counts only where
 * it is that of the state. */
static const value *ask(struct transitions *transitions, uint32_t state, const struct call *read,
                        size_t *count, value *single)
{
    struct call call = *read;
    call.result_known = false;
    call.result = VALUE_NIL;
    size_t length;
    const uint64_t *words = transitions_words(transitions, state, &length);
    outcomes_clear(&transitions->outcomes);
    if (!words ||
        !transitions->spec->class->step(transitions->spec, words, length, &call,
                                        &transitions->outcomes) ||
        transitions->outcomes.items.length != 1)
        return NULL;
    *single = transitions->outcomes.items.items[0].result;
    enum value_kind kind = value_kind_of(*single);
    if (kind == KIND_LIST || kind == KIND_MAP)
        return value_get_items(*single, count);
    *count = 1;
    return single;
}

/* Leaves only those words to each place of the answer that have what is there. `fits`: count *
 * width of them, all true at first. */
static void compare(struct subset_sums *sums, const value *items, size_t count, bool *fits)
{
    for (size_t place = 0; place < count; place++)
        for (size_t word = 0; word < sums->width; word++)
            fits[place * sums->width + word] &=
                value_is_small(items[place]) && items[place] == sums->words.items[word];
}

/* Learns which words a read answers from the states in which it was tried. */
static bool learn_reader(struct subset_sums *sums, struct transitions *learned,
                         const struct call *read)
{
    struct sum_reader reader = {
        .operation = read->operation, .argument = read->argument, .first = sums->pairs.length};
    bool *fits = NULL, fine = true;
    size_t count = 0, samples = 0, size = 0;
    for (size_t i = 0; i < learned->entry_count && samples < SAMPLES_MOST && fine; i++) {
        const struct transition_entry *entry = &learned->entries[i];
        if (entry->class == CLASS_REFUSED || !is_of(&reader, learned->classes.items[entry->class]))
            continue;
        value single;
        size_t items_count;
        const value *items = ask(learned, entry->state, read, &items_count, &single);
        if (!items || !load_words(sums, learned, entry->state) || items_count > ANSWER_MOST ||
            (samples > 0 && items_count != count))
            break;
        if (samples++ == 0) {
            count = items_count;
            size = count * sums->width;
            fits = memory_allocate(sums->words.budget, size + 1);
            if (fits)
                memset(fits, true, size);
        }
        fine = fits != NULL;
        if (fine)
            compare(sums, items, count, fits);
    }
    for (size_t place = 0; fine && samples == SAMPLES_MOST && place < count; place++)
        for (size_t word = 0; word < sums->width; word++)
            if (fits[place * sums->width + word]) {
                fine = vector_push(&sums->pairs, (uint32_t)place) &&
                       vector_push(&sums->pairs, (uint32_t)word);
                reader.count++;
                break;
            }
    if (fits)
        memory_release(sums->words.budget, fits, size + 1);
    sums->applies |= reader.count > 0;
    return fine && vector_push(&sums->readers, reader);
}

static const struct sum_reader *find_reader(const struct subset_sums *sums, const struct call *call)
{
    for (size_t i = 0; i < sums->readers.length; i++)
        if (is_of(&sums->readers.items[i], call))
            return &sums->readers.items[i];
    return NULL;
}

bool subset_sums_init(struct subset_sums *sums, struct transitions *learned,
                      struct transitions *transitions, const struct part *part,
                      struct budget *budget)
{
    *sums = (struct subset_sums){.part = part, .transitions = transitions};
    vectors_init(budget, &sums->classes, &sums->deltas, &sums->readers, &sums->pairs, &sums->words,
                 &sums->movers, &sums->reads, &sums->halves, &sums->later, &sums->sets);
    size_t count = learned->classes.length, step = 0;
    while (step < learned->entry_count && learned->entries[step].class == CLASS_REFUSED)
        step++;
    if (step == learned->entry_count)
        return true;
    if (!transitions_words(learned, learned->entries[step].state, &sums->width))
        return false;
    if (sums->width == 0 || sums->width > WIDTH_MOST)
        return true;
    assert(transitions->classes.length == count);
    if (!vector_reserve(&sums->classes, count))
        return false;
    memset(sums->classes.items, 0, count * sizeof *sums->classes.items);
    sums->classes.length = count;
    bool add;
    if (!learn_classes(sums, learned, &add))
        return false;
    for (size_t i = 0; i < learned->classes.length && add; i++) {
        const struct call *call = learned->classes.items[i];
        if (call->read_only && call->result_known && sums->readers.length < READERS_MOST &&
            !find_reader(sums, call) && !learn_reader(sums, learned, call))
            return false;
    }
    return true;
}

void subset_sums_release(struct subset_sums *sums)
{
    vectors_release(&sums->classes, &sums->deltas, &sums->readers, &sums->pairs, &sums->words,
                    &sums->movers, &sums->reads, &sums->halves, &sums->later, &sums->sets);
}

/* ---- Questions ---- */

void subset_sums_open(struct subset_sums *sums)
{
    sums->added = 0;
    sums->all_known = true;
    sums->movers.length = sums->reads.length = sums->sets.length = 0;
}

bool subset_sums_add_read(struct subset_sums *sums, uint32_t operation)
{
    return vector_push(&sums->reads, operation);
}

bool subset_sums_add_mover(struct subset_sums *sums, uint32_t class, uint32_t state, transition to)
{
    struct sum_mover mover = {.place = sums->added++, .class = class};
    if (!sums->classes.items[class].known &&
        !learn_class(sums, sums->transitions, class, state, to))
        return false;
    const struct sum_class *known = &sums->classes.items[class];
    sums->all_known &= known->adds && sums->movers.length < MOVERS_MOST;
    return !known->adds || !known->moves || sums->movers.length == MOVERS_MOST ||
           vector_push(&sums->movers, mover);
}

static int compare_halves(const void *first, const void *second)
{
    const struct half_sum *a = first, *b = second;
    return (a->sum > b->sum) - (a->sum < b->sum);
}

/* What a class adds to the words that a reader reads. */
static uint64_t sum_of(const struct subset_sums *sums, const struct sum_reader *reader,
                       uint32_t class)
{
    const int64_t *delta = sums->deltas.items + sums->classes.items[class].delta;
    uint64_t sum = 0;
    for (size_t i = 0; i < reader->count; i++) {
        uint32_t word = sums->pairs.items[reader->first + 2 * i + 1];
        sum += (uint64_t)delta[word] * weight(word);
    }
    return sum;
}

/* The sums of all sets of the first half of the movers, for the words that a reader reads. */
static bool open_halves(struct subset_sums *sums, const struct sum_reader *reader)
{
    for (size_t i = 0; i < sums->movers.length; i++)
        sums->movers.items[i].sum = sum_of(sums, reader, sums->movers.items[i].class);
    size_t half = sums->movers.length / 2, count = (size_t)1 << half;
    if (!vector_reserve(&sums->halves, count))
        return false;
    sums->halves.items[0] = (struct half_sum){0};
    for (size_t i = 0; i < half; i++)
        for (size_t j = 0; j < (size_t)1 << i; j++) {
            struct half_sum sum = sums->halves.items[j];
            sum.sum += sums->movers.items[i].sum;
            sum.movers |= (uint64_t)1 << i;
            sums->halves.items[((size_t)1 << i) + j] = sum;
        }
    sums->halves.length = count;
    qsort(sums->halves.items, count, sizeof *sums->halves.items, compare_halves);
    sums->work += count * (half + 1);
    return true;
}

/* Puts a set in its place among those from `first` on, of which SETS_MOST at most are kept. */
static bool add_set(struct subset_sums *sums, size_t first, uint64_t movers)
{
    int size = __builtin_popcountll(movers);
    for (size_t i = 0; i < sums->movers.length; i++) /* what adds nothing here is left out */
        if (movers >> i & 1 && sums->movers.items[i].sum == 0)
            return true;
    if (!vector_push(&sums->sets, movers))
        return false;
    uint64_t *sets = sums->sets.items;
    for (size_t i = sums->sets.length - 1; i > first && __builtin_popcountll(sets[i - 1]) > size;
         i--) {
        sets[i] = sets[i - 1];
        sets[i - 1] = movers;
    }
    if (sums->sets.length - first > SETS_MOST)
        sums->sets.length--;
    return true;
}

/* Finds sets of movers that add `lacking`. */
static bool meet(struct subset_sums *sums, uint64_t lacking)
{
    size_t half = sums->movers.length / 2, rest = sums->movers.length - half;
    size_t first = sums->sets.length;
    assert(sums->halves.length == (size_t)1 << half && sums->movers.length <= MOVERS_MOST);
    uint64_t sum = 0, gray = 0;
    sums->work += ((size_t)1 << rest) * 4;
    for (uint64_t step = 1;; step++) {
        const struct half_sum *halves = sums->halves.items;
        size_t low = 0, high = sums->halves.length;
        BISECT(low, high, middle, halves[middle].sum < lacking - sum);
        for (; low < sums->halves.length && halves[low].sum == lacking - sum; low++)
            if (!add_set(sums, first, halves[low].movers | gray << half))
                return false;
        if (step >> rest)
            return true;
        int flipped = __builtin_ctzll(step);
        gray ^= (uint64_t)1 << flipped;
        uint64_t by = sums->movers.items[half + (size_t)flipped].sum;
        sum += gray >> flipped & 1 ? by : -by;
    }
}

/* What the state lacks for a read; false if that cannot be said. */
static bool lacks(const struct subset_sums *sums, const struct sum_reader *reader,
                  const struct call *read, uint64_t *lacking)
{
    enum value_kind kind = value_kind_of(read->result);
    size_t count = 1;
    const value *items = &read->result;
    if (kind == KIND_LIST || kind == KIND_MAP)
        items = value_get_items(read->result, &count);
    *lacking = 0;
    for (size_t i = 0; i < reader->count; i++) {
        uint32_t place = sums->pairs.items[reader->first + 2 * i];
        uint32_t word = sums->pairs.items[reader->first + 2 * i + 1];
        uint64_t now = sums->words.items[word];
        if (place >= count || !value_is_small(items[place]) || !value_is_small(now))
            return false;
        *lacking += (uint64_t)(value_small_get(items[place]) - value_small_get(now)) * weight(word);
    }
    return true;
}

static int fewer_first(const void *first, const void *second)
{
    int a = __builtin_popcountll(*(const uint64_t *)first);
    int b = __builtin_popcountll(*(const uint64_t *)second);
    return (a > b) - (a < b);
}

bool subset_sums_find(struct subset_sums *sums, uint32_t state)
{
    const struct sum_reader *opened = NULL;
    if (!load_words(sums, sums->transitions, state))
        return true; /* of another width: nothing is proposed; a refusal will be met again */
    for (size_t i = 0; i < sums->reads.length; i++) {
        const struct call *read = &sums->part->intervals[sums->reads.items[i]].call;
        const struct sum_reader *reader = read->result_known ? find_reader(sums, read) : NULL;
        uint64_t lacking;
        if (!reader || reader->count == 0 || !lacks(sums, reader, read, &lacking) || lacking == 0)
            continue;
        if (opened != reader && !open_halves(sums, reader))
            return false;
        opened = reader;
        if (!meet(sums, lacking))
            return false;
    }
    if (sums->sets.length)
        qsort(sums->sets.items, sums->sets.length, sizeof *sums->sets.items, fewer_first);
    return true;
}

static int compare_sums(const void *first, const void *second)
{
    uint64_t a = *(const uint64_t *)first, b = *(const uint64_t *)second;
    return (a > b) - (a < b);
}

/* Makes the sums of all sets of `count` summands. */
static void make_sums(const uint64_t *summands, uint32_t count, uint64_t *sums)
{
    sums[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < 1u << i; j++)
            sums[(1u << i) + j] = sums[j] + summands[i];
}

bool subset_sums_are_short(struct subset_sums *sums, uint32_t read)
{
    const struct call *call = &sums->part->intervals[read].call;
    const struct sum_reader *reader = call->result_known ? find_reader(sums, call) : NULL;
    uint64_t summands[SHORT_MOST], low[1 << SHORT_MOST / 2], high[1 << SHORT_MOST / 2], lacking;
    uint32_t count = 0;
    if (!sums->all_known || sums->words.length < sums->width || !reader || reader->count == 0 ||
        sums->movers.length + sums->later.length > SHORT_MOST ||
        !lacks(sums, reader, call, &lacking))
        return false;
    for (size_t i = 0; i < sums->movers.length; i++)
        summands[count++] = sum_of(sums, reader, sums->movers.items[i].class);
    for (size_t i = 0; i < sums->later.length; i++) {
        const struct sum_class *class = &sums->classes.items[sums->later.items[i]];
        if (!class->adds)
            return false;
        summands[count++] = sum_of(sums, reader, sums->later.items[i]);
    }
    uint32_t half = count / 2, rest = count - half;
    make_sums(summands, half, low);
    make_sums(summands + half, rest, high);
    qsort(low, (size_t)1 << half, sizeof *low, compare_sums);
    sums->work += (uint64_t)8 << rest;
    for (uint32_t i = 0; i < 1u << rest; i++) {
        uint64_t wanted = lacking - high[i];
        if (bsearch(&wanted, low, (size_t)1 << half, sizeof *low, compare_sums))
            return false;
    }
    return true;
}
