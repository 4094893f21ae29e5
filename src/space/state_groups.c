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
    uint32_t count, words;       /* of a state */
    bool are_bytes;              /* no slot needs more */
    struct packing packing;      /* then; its groups are */
    struct packed_group *packed; /* behind `items` */
    struct state_group items[];
};

/* ---- hashing ---- */

/* Of slots that are all less than 256 that of model/packing.h. The last word may have slots of the
 * one before.
 * Of others the sum of products of neighbouring slots, to each of which a number of its place was
 * added (NH, of Black, Halevi, Krawczyk, Krovetz and Rogaway: UMAC, CRYPTO 1999), in four lanes.
 * Places are told apart by steps from one group to the next. The last group may overlap the one
 * before. Of groups that are 0, such as those of nodes that are not in use, nothing is added. */
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

static uint64_t hash_wide_singly(const uint32_t *slots, uint32_t count)
{
    uint64_t lanes[LANES] = {0};
    uint32_t step = 0;
    for (uint32_t i = 0; i + GROUP < count; i += GROUP, step += KEY_STEP)
        hash_group(slots + i, step, lanes);
    hash_group(slots + count - GROUP, step, lanes);
    return finish_hash(lanes, count);
}

static uint64_t group_bytes(const uint32_t *slots)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < GROUP; i++)
        bytes |= (uint64_t)slots[i] << i * BYTE_BITS;
    return bytes;
}

static bool are_bytes(const uint32_t *slots, uint32_t count)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++)
        any |= slots[i];
    return any >> BYTE_BITS == 0;
}

uint64_t state_groups_hash_singly(const uint32_t *slots, uint32_t count)
{
    uint64_t hash = packing_hash_begin(count);
    if (!are_bytes(slots, count))
        return hash_wide_singly(slots, count);
    for (uint32_t i = 0; i < count; i += GROUP)
        hash = packing_hash_add(hash, group_bytes(slots + (i + GROUP < count ? i : count - GROUP)));
    return packing_hash_end(hash);
}

#if HAS_GROUPS

TARGETED static uint64_t hash_wide(const uint32_t *slots, uint32_t count)
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

/* The lowest byte of each of eight words. */
TARGETED static inline uint64_t gather_bytes(__m256i group)
{
    const __m128i halves =
        _mm_packus_epi32(_mm256_castsi256_si128(group), _mm256_extracti128_si256(group, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(halves, halves));
}

TARGETED static inline bool has_only_bytes(__m256i any)
{
    return _mm256_testz_si256(any, _mm256_set1_epi32(~0xff));
}

TARGETED static uint64_t hash_at_once(const uint32_t *slots, uint32_t count)
{
    __m256i any = _mm256_setzero_si256();
    uint64_t hash = packing_hash_begin(count);
    for (uint32_t i = 0; i < count; i += GROUP) {
        const __m256i group = _mm256_loadu_si256(
            (const __m256i_u *)(slots + (i + GROUP < count ? i : count - GROUP)));
        any = _mm256_or_si256(any, group);
        hash = packing_hash_add(hash, gather_bytes(group));
    }
    return has_only_bytes(any) ? packing_hash_end(hash) : hash_wide(slots, count);
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
    return sizeof(struct state_groups) +
           count * (sizeof(struct state_group) + sizeof(struct packed_group));
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

/* Finds how bytes are packed, if they are. A difference below 0 is then beyond, too. */
static void packing_find(struct state_groups *groups, uint32_t slots)
{
    groups->are_bytes = true;
    groups->packed = (struct packed_group *)(groups->items + groups->count);
    groups->packing = (struct packing){slots, groups->words, groups->count, groups->packed};
    for (uint32_t i = 0, at = 0; i < groups->count; at += groups->items[i++].counts[0]) {
        const struct state_group *group = &groups->items[i];
        const uint32_t end = at % WORD_BITS + group->counts[0];
        struct packed_group *packed = &groups->packed[i];
        *packed = (struct packed_group){.mask = group->masks[0],
                                        .word = at / WORD_BITS,
                                        .shift = (uint8_t)(at % WORD_BITS),
                                        .fills = end >= WORD_BITS,
                                        .crosses = end > WORD_BITS};
        if (group->is_constant) /* its word need not be there */
            packed->word = packed->shift = packed->fills = packed->crosses = 0;
        groups->are_bytes &= group->parts == 1;
        for (uint32_t j = 0; j < GROUP; j++) {
            const uint64_t byte = UINT64_C(0xff) << j * BYTE_BITS;
            if (group->first + j < i * GROUP)
                continue; /* another group's */
            groups->are_bytes &= (uint64_t)group->bases[j] + ~group->beyond[j] <= UINT8_MAX;
            packed->bases |= (uint64_t)group->bases[j] << j * BYTE_BITS;
            packed->beyond |= byte & ~group->masks[0];
        }
    }
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
    packing_find(groups, slots);
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
            const uint64_t bits = _pext_u64(gather_bytes(codes), group->masks[0]);
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

/* What is put behind one another, and what was seen on the way. */
struct put_bits {
    uint64_t word, *to;
    uint64_t beyond; /* 0: all fitted */
    uint64_t hash;
    __m256i any; /* bits of slots */
};

TARGETED static inline void put_bytes(struct put_bits *put, const struct packed_group *group,
                                      uint64_t differences)
{
    const uint64_t bits = _pext_u64(differences, group->mask);
    put->beyond |= differences & group->beyond;
    put->word |= bits << group->shift;
    if (group->fills) {
        *put->to++ = put->word;
        put->word = bits >> 1 >> (WORD_BITS - 1 - group->shift);
    }
}

TARGETED static inline void pack_group(struct put_bits *put, const struct packed_group *group,
                                       const uint32_t *state)
{
    const __m256i slots = _mm256_loadu_si256((const __m256i_u *)state);
    const uint64_t bytes = gather_bytes(slots);
    put->any = _mm256_or_si256(put->any, slots);
    put->hash = packing_hash_add(put->hash, bytes);
    put_bytes(put, group, bytes - group->bases);
}

/* Of slots that are bytes both in the state and in the layout; else they are taken once more. */
TARGETED bool state_groups_pack_hashed(const struct state_groups *groups, const uint32_t *state,
                                       uint64_t *words, uint64_t *hash)
{
    const uint32_t count = groups->count, last = groups->items[count - 1].first;
    struct put_bits put = {.to = words, .hash = packing_hash_begin(last + GROUP)};
    put.any = _mm256_setzero_si256();
    if (UNLIKELY(!groups->are_bytes)) {
        *hash = state_groups_hash(state, last + GROUP);
        return state_groups_pack(groups, state, words);
    }
    for (uint32_t i = 0; i + 1 < count; i++)
        pack_group(&put, &groups->packed[i], state + i * GROUP);
    pack_group(&put, &groups->packed[count - 1], state + last);
    if (UNLIKELY(!has_only_bytes(put.any))) {
        *hash = state_groups_hash(state, last + GROUP);
        return state_groups_pack(groups, state, words);
    }
    if (put.to < words + groups->words)
        *put.to = put.word;
    *hash = packing_hash_end(put.hash);
    return put.beyond == 0;
}

const struct packing *state_groups_packing(const struct state_groups *groups)
{
    return groups->are_bytes ? &groups->packing : NULL;
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

const struct packing *state_groups_packing(const struct state_groups *groups)
{
    (void)groups;
    return NULL;
}

bool state_groups_pack_hashed(const struct state_groups *groups, const uint32_t *state,
                              uint64_t *words, uint64_t *hash)
{
    (void)groups, (void)state, (void)words, (void)hash;
    return false;
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
