#include "space/state_groups.h"

#include <assert.h>

#include "base/attributes.h"
#include "base/bits.h"
#include "base/hash.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAS_GROUPS 1
#define TARGETED   __attribute__((target("avx2,bmi2")))
#else
#define HAS_GROUPS 0
#endif

#define GROUP      8
#define PAIRS      (GROUP / 2)
#define BYTE_BITS  8
#define LANES      (GROUP / 2)
#define MOST_SLOTS 4096 /* of larger states a layout is large enough without */

struct state_group {
    uint32_t bases[GROUP];
    uint32_t beyond[GROUP]; /* bits that no difference has */
    uint64_t masks[PAIRS];  /* the bits of each pair of differences; of bytes all in the first */
    uint8_t counts[PAIRS];  /* how many these are */
    uint8_t parts;          /* 1: bytes; PAIRS */
    bool is_constant;       /* there are no bits */
    uint8_t shift;          /* where bits of bytes begin in what is read of eight bytes; */
    uint32_t byte;          /* where these are; NOWHERE: the bits are in two words */
    uint32_t first;         /* slot */
    uint32_t at;            /* bits of the groups before; of one without bits 0 */
};

#define NOWHERE UINT32_MAX

typedef uint64_t unaligned_word __attribute__((aligned(1), may_alias));

struct state_groups {
    uint32_t count, words; /* of a state */
    struct state_group items[];
};

/* ---- hashing ---- */

/* The sum of products of neighbouring slots, to each of which a number of its place was added (NH,
 * of Black, Halevi, Krawczyk, Krovetz and Rogaway: UMAC, CRYPTO 1999), in four lanes. Places are
 * told apart by steps from one group to the next. The last group may overlap the one before. Of
 * groups that are 0, such as those of nodes that are not in use, nothing is added. */
static const uint32_t keys[GROUP] = {0x9e3779b1, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f,
                                     0x165667b1, 0xd3a2646c, 0xfd7046c5, 0xb55a4f09};

#define KEY_STEP 0x5851f42du

static uint64_t finish_hash(const uint64_t *lanes, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < LANES; i++)
        hash = (hash ^ lanes[i]) * UINT64_C(0x9fb21c651e98df25) + (hash >> 32);
    return hash_word(hash);
}

static void hash_group(const uint32_t *slots, uint32_t step, uint64_t *lanes)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < GROUP; i++)
        any |= slots[i];
    for (uint32_t i = 0; i < LANES && any; i++)
        lanes[i] += (uint64_t)(slots[2 * i] + keys[2 * i] + step) *
                    (slots[2 * i + 1] + keys[2 * i + 1] + step);
}

uint64_t state_groups_hash_singly(const uint32_t *slots, uint32_t count)
{
    uint64_t lanes[LANES] = {0};
    uint32_t step = 0;
    for (uint32_t i = 0; i + GROUP < count; i += GROUP, step += KEY_STEP)
        hash_group(slots + i, step, lanes);
    hash_group(slots + count - GROUP, step, lanes);
    return finish_hash(lanes, count);
}

#if HAS_GROUPS

TARGETED static uint64_t hash_at_once(const uint32_t *slots, uint32_t count)
{
    const __m256i step = _mm256_set1_epi32((int)KEY_STEP);
    __m256i key = _mm256_loadu_si256((const __m256i_u *)keys), sum = _mm256_setzero_si256();
    for (uint32_t i = 0; i < count; i += GROUP, key = _mm256_add_epi32(key, step)) {
        const uint32_t first = i + GROUP < count ? i : count - GROUP;
        __m256i group = _mm256_loadu_si256((const __m256i_u *)(slots + first));
        if (_mm256_testz_si256(group, group))
            continue;
        group = _mm256_add_epi32(group, key);
        sum = _mm256_add_epi64(sum, _mm256_mul_epu32(group, _mm256_srli_epi64(group, 32)));
    }
    uint64_t lanes[LANES];
    _mm256_storeu_si256((__m256i_u *)lanes, sum);
    return finish_hash(lanes, count);
}

uint64_t state_groups_hash(const uint32_t *slots, uint32_t count)
{
    if (count < GROUP)
        return hash_bytes(slots, count * sizeof *slots, 0);
    return __builtin_cpu_supports("avx2") ? hash_at_once(slots, count)
                                          : state_groups_hash_singly(slots, count);
}

/* ---- layouts ---- */

/* Early processors with these instructions take a hundred cycles for one. */
bool state_groups_fit(uint32_t slots)
{
    return slots >= GROUP && slots <= MOST_SLOTS && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("amdfam15h") &&
           !__builtin_cpu_is("amdfam17h");
}

static size_t groups_size(uint32_t count)
{
    return sizeof(struct state_groups) + count * sizeof(struct state_group);
}

/* A group, of whose slots those before `from` have no bits. Returns how many bits it has. */
static uint32_t group_make(struct state_group *group, const struct slot_field *fields,
                           uint32_t first, uint32_t from, uint32_t at)
{
    uint32_t widest = 0, bits = 0;
    *group = (struct state_group){.first = first};
    for (uint32_t i = from; i < first + GROUP; i++)
        widest = fields[i].bits > widest ? fields[i].bits : widest;
    group->parts = widest <= BYTE_BITS ? 1 : PAIRS;
    for (uint32_t i = 0; i < GROUP; i++) {
        const struct slot_field *field = &fields[first + i];
        group->bases[i] = field->base;
        if (first + i < from)
            continue; /* another group's, which looks whether it fits */
        group->beyond[i] = ~field->mask;
        const uint32_t part = group->parts == 1 ? 0 : i / 2,
                       shift = group->parts == 1 ? i * BYTE_BITS : i % 2 * (WORD_BITS / 2);
        group->masks[part] |= (uint64_t)field->mask << shift;
        group->counts[part] = (uint8_t)(group->counts[part] + field->bits);
        bits += field->bits;
    }
    group->at = bits ? at : 0; /* where there is a word to be read */
    group->is_constant = bits == 0;
    return bits;
}

/* Finds eight bytes, within these words, that have all bits of the group. */
static void group_find(struct state_group *group, uint32_t words)
{
    const uint32_t last = (words - 1) * (uint32_t)sizeof(uint64_t),
                   byte = group->at / BYTE_BITS < last ? group->at / BYTE_BITS : last;
    const uint32_t shift = group->at - byte * BYTE_BITS;
    group->byte = shift + group->counts[0] <= WORD_BITS ? byte : NOWHERE;
    group->shift = (uint8_t)shift;
}

struct state_groups *state_groups_create(struct budget *budget, const struct slot_field *fields,
                                         uint32_t slots)
{
    const uint32_t count = (slots + GROUP - 1) / GROUP;
    struct state_groups *groups = memory_allocate(budget, groups_size(count));
    if (!groups)
        return NULL;
    groups->count = count;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = i * GROUP, first = from + GROUP <= slots ? from : slots - GROUP;
        bits += group_make(&groups->items[i], fields, first, from, bits);
    }
    groups->words = bits ? (uint32_t)bits_words(bits) : 1;
    for (uint32_t i = 0; i < count; i++)
        group_find(&groups->items[i], groups->words);
    return groups;
}

void state_groups_destroy(struct state_groups *groups, struct budget *budget)
{
    if (groups)
        memory_release(budget, groups, groups_size(groups->count));
}

/* Puts `count` bits where there are none yet. */
static inline void put_bits(uint64_t *words, uint32_t at, uint64_t bits, uint32_t count)
{
    const uint32_t shift = at % WORD_BITS;
    words[at / WORD_BITS] |= bits << shift;
    if (shift + count > WORD_BITS)
        words[at / WORD_BITS + 1] |= bits >> (WORD_BITS - shift);
}

/* Many groups are at their bases, as those of nodes that are not in use: of them nothing is put. */
TARGETED bool state_groups_pack(const struct state_groups *groups, const uint32_t *state,
                                uint64_t *words)
{
    __m256i over = _mm256_setzero_si256();
    const struct state_group *end = groups->items + groups->count;
    for (uint32_t i = 0; i < groups->words; i++)
        words[i] = 0;
    for (const struct state_group *group = groups->items; group < end; group++) {
        const __m256i codes =
            _mm256_sub_epi32(_mm256_loadu_si256((const __m256i_u *)(state + group->first)),
                             _mm256_loadu_si256((const __m256i_u *)group->bases));
        if (_mm256_testz_si256(codes, codes))
            continue;
        over = _mm256_or_si256(
            over, _mm256_and_si256(codes, _mm256_loadu_si256((const __m256i_u *)group->beyond)));
        if (LIKELY(group->parts == 1)) {
            const __m128i halves = _mm_packus_epi32(_mm256_castsi256_si128(codes),
                                                    _mm256_extracti128_si256(codes, 1)),
                          bytes = _mm_packus_epi16(halves, halves);
            const uint64_t bits = _pext_u64((uint64_t)_mm_cvtsi128_si64(bytes), group->masks[0]);
            uint64_t *to = &words[group->at / WORD_BITS];
            to[0] |= bits << group->at % WORD_BITS;
            if (group->at % WORD_BITS + group->counts[0] > WORD_BITS)
                to[1] |= bits >> (WORD_BITS - group->at % WORD_BITS);
            continue;
        }
        uint64_t pairs[PAIRS];
        _mm256_storeu_si256((__m256i_u *)pairs, codes);
        for (uint32_t i = 0, at = group->at; i < PAIRS; at += group->counts[i++])
            if (group->counts[i])
                put_bits(words, at, _pext_u64(pairs[i], group->masks[i]), group->counts[i]);
    }
    return _mm256_testz_si256(over, over);
}

/* `count` bits from bit `at` on, and more behind them. */
static inline uint64_t read_bits(const uint64_t *words, uint32_t at, uint32_t count)
{
    const uint32_t shift = at % WORD_BITS;
    uint64_t bits = words[at / WORD_BITS] >> shift;
    if (shift + count > WORD_BITS)
        bits |= words[at / WORD_BITS + 1] << (WORD_BITS - shift);
    return bits;
}

TARGETED static inline void group_unpack(const struct state_group *group, const uint64_t *words,
                                         uint32_t *state)
{
    __m256i codes;
    if (group->is_constant) {
        codes = _mm256_setzero_si256();
    } else if (group->parts == 1) {
        uint64_t bits;
        if (group->byte == NOWHERE)
            bits = read_bits(words, group->at, group->counts[0]);
        else
            bits = *(const unaligned_word *)((const char *)words + group->byte) >> group->shift;
        codes =
            _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)_pdep_u64(bits, group->masks[0])));
    } else {
        uint64_t pairs[PAIRS];
        for (uint32_t i = 0, at = group->at; i < PAIRS; at += group->counts[i++])
            pairs[i] = group->counts[i]
                           ? _pdep_u64(read_bits(words, at, group->counts[i]), group->masks[i])
                           : 0;
        codes = _mm256_loadu_si256((const __m256i_u *)pairs);
    }
    codes = _mm256_add_epi32(codes, _mm256_loadu_si256((const __m256i_u *)group->bases));
    _mm256_storeu_si256((__m256i_u *)(state + group->first), codes);
}

/* The last group first: it writes slots of the one before. */
TARGETED void state_groups_unpack(const struct state_groups *groups, const uint64_t *words,
                                  uint32_t *state)
{
    assert(groups->count > 0);
    const struct state_group *last = groups->items + groups->count - 1;
    group_unpack(last, words, state);
    for (const struct state_group *group = groups->items; group < last; group++)
        group_unpack(group, words, state);
}

#else

uint64_t state_groups_hash(const uint32_t *slots, uint32_t count)
{
    return count < GROUP ? hash_bytes(slots, count * sizeof *slots, 0)
                         : state_groups_hash_singly(slots, count);
}

bool state_groups_fit(uint32_t slots)
{
    (void)slots;
    return false;
}

struct state_groups *state_groups_create(struct budget *budget, const struct slot_field *fields,
                                         uint32_t slots)
{
    (void)budget, (void)fields, (void)slots;
    return NULL;
}

void state_groups_destroy(struct state_groups *groups, struct budget *budget)
{
    (void)groups, (void)budget;
}

bool state_groups_pack(const struct state_groups *groups, const uint32_t *state, uint64_t *words)
{
    (void)groups, (void)state, (void)words;
    return false;
}

void state_groups_unpack(const struct state_groups *groups, const uint64_t *words, uint32_t *state)
{
    (void)groups, (void)words, (void)state;
}

#endif
