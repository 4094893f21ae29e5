#include "space/state_groups.h"

#include <assert.h>

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
    uint32_t first;         /* slot */
    uint32_t at;            /* bits of the groups before; of one without bits 0 */
};

struct state_groups {
    uint32_t count;
    struct state_group items[];
};

/* ---- hashing ---- */

/* The sum of products of neighbouring slots, to each of which a number of its place was added (NH,
 * of Black, Halevi, Krawczyk, Krovetz and Rogaway: UMAC, CRYPTO 1999), in four lanes. Places are
 * told apart by steps from one group to the next. The last group may overlap the one before. */
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
    for (uint32_t i = 0; i < LANES; i++)
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
    __m256i key = _mm256_loadu_si256((const __m256i_u *)keys), sum = _mm256_setzero_si256(), group;
    for (uint32_t i = 0; i + GROUP < count; i += GROUP) {
        group = _mm256_add_epi32(_mm256_loadu_si256((const __m256i_u *)(slots + i)), key);
        sum = _mm256_add_epi64(sum, _mm256_mul_epu32(group, _mm256_srli_epi64(group, 32)));
        key = _mm256_add_epi32(key, step);
    }
    group = _mm256_add_epi32(_mm256_loadu_si256((const __m256i_u *)(slots + count - GROUP)), key);
    sum = _mm256_add_epi64(sum, _mm256_mul_epu32(group, _mm256_srli_epi64(group, 32)));
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
    return bits;
}

struct state_groups *state_groups_create(struct budget *budget, const struct slot_field *fields,
                                         uint32_t slots)
{
    const uint32_t count = (slots + GROUP - 1) / GROUP;
    struct state_groups *groups = memory_allocate(budget, groups_size(count));
    if (!groups)
        return NULL;
    groups->count = count;
    for (uint32_t i = 0, at = 0; i < count; i++) {
        const uint32_t from = i * GROUP, first = from + GROUP <= slots ? from : slots - GROUP;
        at += group_make(&groups->items[i], fields, first, from, at);
    }
    return groups;
}

void state_groups_destroy(struct state_groups *groups, struct budget *budget)
{
    if (groups)
        memory_release(budget, groups, groups_size(groups->count));
}

struct writing {
    uint64_t *to;
    uint64_t word;
    uint32_t used;
};

static inline void append(struct writing *writing, uint64_t bits, uint32_t count)
{
    writing->word |= bits << writing->used;
    writing->used += count;
    if (writing->used < WORD_BITS)
        return;
    *writing->to++ = writing->word;
    writing->used -= WORD_BITS;
    writing->word = writing->used ? bits >> (count - writing->used) : 0;
}

TARGETED bool state_groups_pack(const struct state_groups *groups, const uint32_t *state,
                                uint64_t *words)
{
    struct writing writing = {words, 0, 0};
    __m256i over = _mm256_setzero_si256();
    const struct state_group *end = groups->items + groups->count;
    for (const struct state_group *group = groups->items; group < end; group++) {
        const __m256i codes =
            _mm256_sub_epi32(_mm256_loadu_si256((const __m256i_u *)(state + group->first)),
                             _mm256_loadu_si256((const __m256i_u *)group->bases));
        over = _mm256_or_si256(
            over, _mm256_and_si256(codes, _mm256_loadu_si256((const __m256i_u *)group->beyond)));
        if (group->parts == 1) {
            const __m128i halves = _mm_packus_epi32(_mm256_castsi256_si128(codes),
                                                    _mm256_extracti128_si256(codes, 1)),
                          bytes = _mm_packus_epi16(halves, halves);
            append(&writing, _pext_u64((uint64_t)_mm_cvtsi128_si64(bytes), group->masks[0]),
                   group->counts[0]);
            continue;
        }
        uint64_t pairs[PAIRS];
        _mm256_storeu_si256((__m256i_u *)pairs, codes);
        for (uint32_t i = 0; i < PAIRS; i++)
            append(&writing, _pext_u64(pairs[i], group->masks[i]), group->counts[i]);
    }
    if (writing.used)
        *writing.to = writing.word;
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
    if (group->parts == 1) {
        const uint64_t bits = read_bits(words, group->at, group->counts[0]);
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
