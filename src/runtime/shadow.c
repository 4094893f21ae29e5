/* A granule stands for 8 bytes. What it says is of the execution whose number it has; of an older
 * one it is as it was kept. Its accesses are a list in a pool that is emptied for each execution.
 */
#include "runtime/shadow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/attributes.h"
#include "runtime/globals.h"
#include "runtime/heap.h"

enum {
    GRANULE = 8,
    NO_RECORD = 0
};

/* Who has accessed a granule: for each group of kinds of accesses a bit for each thread. */
enum group {
    GROUP_READ,
    GROUP_WRITE, /* frees among them */
    GROUP_ATOMIC_READ,
    GROUP_ATOMIC_WRITE,
    GROUPS
};

#define GROUP_BITS     16
#define MEMBERS(GROUP) (UINT64_C(0xffff) << (GROUP)*GROUP_BITS)
#define OF_THREAD      UINT64_C(0x0001000100010001)

/* By kind of access: its group, which others it conflicts with, and all bytes if these are written
 * or freed by it. */
static const struct {
    uint64_t conflicts;
    unsigned group;
    uint8_t writes, frees;
} kinds[] = {
    [ACCESS_READ] = {MEMBERS(GROUP_WRITE) | MEMBERS(GROUP_ATOMIC_WRITE), GROUP_READ, 0, 0},
    [ACCESS_WRITE] = {UINT64_MAX, GROUP_WRITE, UINT8_MAX, 0},
    [ACCESS_ATOMIC_READ] = {MEMBERS(GROUP_WRITE), GROUP_ATOMIC_READ, 0, 0},
    [ACCESS_ATOMIC_WRITE] = {MEMBERS(GROUP_WRITE) | MEMBERS(GROUP_READ), GROUP_ATOMIC_WRITE,
                             UINT8_MAX, 0},
    [ACCESS_FREE] = {UINT64_MAX, GROUP_WRITE, 0, UINT8_MAX},
};

static_assert((int)REGION_THREADS <= GROUP_BITS, "a bit for each thread");

struct granule {
    uint64_t accessed; /* what its records say, in short */
    uint32_t execution;
    uint32_t records;
    uint8_t atomic;                        /* the bytes of locations accessed atomically, ... */
    uint8_t starts;                        /* ... the first ones of each, ... */
    bool overlaps;                         /* ... unless they overlap, or go on in others */
    uint8_t allocated, initialised, freed; /* a bit for each byte */
    uint8_t kept_allocated, kept_initialised, kept_freed;
    /* Of all executions of a scenario: the bytes of which reads were left out, and those that were
       accessed, by group. */
    uint8_t left_out_plain, left_out_atomic;
    uint8_t left_out_write, seen_write;
    uint8_t left_out_update;
    uint8_t round_plain, round_atomic, round_update;
    uint8_t noted[GROUPS];
    bool is_synchronised; /* nothing is remembered of it */
};

/* An atomic access of 16 bytes is two records, one in each granule. */
enum part {
    PART_WHOLE,
    PART_FIRST,
    PART_SECOND
};

struct record {
    const void *at;
    uint32_t next;
    uint8_t thread, time, bytes;
    uint8_t kind : 4, part : 4;
};

static struct {
    struct granule *region, *globals;
    uintptr_t globals_start, globals_end;
    struct record *records;
    uint32_t record_count, record_room;
    uint32_t execution, first; /* the number of this execution, and of the first of the scenario */
    bool is_left_out, is_round_noticed;
    struct {
        uintptr_t start, end;
        struct granule *granules;
    } storage[REGION_THREADS]; /* thread-local */
} shadow;

static void *map(size_t size)
{
    void *got = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return got == MAP_FAILED ? NULL : got;
}

/* std::cout and its kin, where a program has them: several threads may use them at once, though
 * what is compiled of it with the sources has no locks. */
extern char _ZSt4cout[] __attribute__((weak)), _ZSt4cerr[] __attribute__((weak)),
    _ZSt4clog[] __attribute__((weak));

enum {
    STREAM = 272 /* sizeof(std::ostream) */
};

static void leave_out_streams(void)
{
    char *const streams[] = {_ZSt4cout, _ZSt4cerr, _ZSt4clog};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        for (size_t at = 0; streams[i] && at < STREAM; at += GRANULE)
            shadow
                .globals[((uintptr_t)streams[i] + at) / GRANULE -
                         (uintptr_t)globals_start() / GRANULE]
                .is_synchronised = true;
}

bool shadow_open(void)
{
    size_t globals = (size_t)(globals_end() - globals_start()) / GRANULE + 2;
    shadow.region = map(REGION_SIZE / GRANULE * sizeof(struct granule));
    shadow.globals = map(globals * sizeof(struct granule));
    shadow.globals_start = (uintptr_t)globals_start();
    shadow.globals_end = (uintptr_t)globals_end();
    shadow.record_room = 1 << 22;
    shadow.records = map(shadow.record_room * sizeof(struct record));
    shadow.execution = 1;
    shadow.record_count = 1;
    if (shadow.globals != NULL)
        leave_out_streams();
    return shadow.region && shadow.globals && shadow.records;
}

bool shadow_add_storage(unsigned thread, const void *start, size_t size)
{
    shadow.storage[thread].granules = map((size / GRANULE + 2) * sizeof(struct granule));
    shadow.storage[thread].start = (uintptr_t)start;
    shadow.storage[thread].end = (uintptr_t)start + size;
    return shadow.storage[thread].granules;
}

void shadow_open_scenario(void)
{
    shadow.first = shadow.execution + 1;
    shadow.is_left_out = shadow.is_round_noticed = false;
}

void shadow_begin(void)
{
    shadow.execution++;
    shadow.record_count = 1;
}

static struct granule *granule_of_storage(uintptr_t address)
{
    for (unsigned i = 0; i < REGION_THREADS; i++)
        if (address >= shadow.storage[i].start && address < shadow.storage[i].end)
            return &shadow.storage[i]
                        .granules[address / GRANULE - shadow.storage[i].start / GRANULE];
    return NULL;
}

static void __attribute__((noinline)) forget_executions(struct granule *granule)
{
    granule->left_out_plain = granule->left_out_atomic = granule->left_out_write = 0;
    granule->left_out_update = granule->seen_write = 0;
    granule->round_plain = granule->round_atomic = granule->round_update = 0;
    memset(granule->noted, 0, sizeof granule->noted);
}

/* Null: nothing is known of this memory. */
static inline struct granule *granule_of(uintptr_t address)
{
    struct granule *granule;
    if (address - REGION_BASE < REGION_SIZE)
        granule = &shadow.region[(address - REGION_BASE) / GRANULE];
    else if (address >= shadow.globals_start && address < shadow.globals_end)
        granule = &shadow.globals[address / GRANULE - shadow.globals_start / GRANULE];
    else if (!(granule = granule_of_storage(address)))
        return NULL;
    if (granule->is_synchronised)
        return NULL;
    if (granule->execution != shadow.execution) {
        if (granule->execution < shadow.first)
            forget_executions(granule);
        granule->execution = shadow.execution;
        granule->accessed = 0;
        granule->records = NO_RECORD;
        granule->atomic = 0;
        granule->starts = 0;
        granule->overlaps = false;
        granule->allocated = granule->kept_allocated;
        granule->initialised = granule->kept_initialised;
        granule->freed = granule->kept_freed;
    }
    return granule;
}

/* ---- a walk over the granules of some bytes ---- */

struct walk {
    uintptr_t address, end;
    struct granule *granule;
    uint8_t bytes; /* of the granule */
};

static struct walk walk_of(const void *address, size_t size)
{
    return (struct walk){.address = (uintptr_t)address, .end = (uintptr_t)address + size};
}

static inline bool walk_next(struct walk *walk)
{
    if (walk->address >= walk->end)
        return false;
    unsigned first = walk->address % GRANULE;
    size_t left = walk->end - walk->address, count = GRANULE - first;
    if (count > left)
        count = left;
    walk->bytes = (uint8_t)(((1U << count) - 1) << first);
    walk->granule = granule_of(walk->address);
    walk->address += count;
    return true;
}

void shadow_keep(void)
{
    for (unsigned thread = 0; thread < REGION_THREADS; thread++) {
        struct walk walk = walk_of(region_arena(thread), heap_used(thread));
        while (walk_next(&walk)) {
            walk.granule->kept_allocated = walk.granule->allocated;
            walk.granule->kept_initialised = walk.granule->initialised;
            walk.granule->kept_freed = walk.granule->freed;
        }
    }
}

/* ---- the heap ---- */

void shadow_allocate(const void *block, size_t size, bool is_initialised)
{
    struct walk walk = walk_of(block, size);
    while (walk_next(&walk))
        if (walk.granule) {
            walk.granule->allocated |= walk.bytes;
            if (is_initialised)
                walk.granule->initialised |= walk.bytes;
        }
}

void shadow_initialise(const void *address, size_t size)
{
    struct walk walk = walk_of(address, size);
    while (walk_next(&walk))
        if (walk.granule)
            walk.granule->initialised |= walk.bytes;
}

static bool is_initialised(uintptr_t address)
{
    const struct granule *granule = granule_of(address);
    return !granule || !region_holds((void *)address) || !region_is_heap((void *)address) ||
           granule->initialised >> address % GRANULE & 1;
}

void shadow_copy_initialised(const void *to, const void *from, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        struct granule *granule = granule_of((uintptr_t)to + i);
        uint8_t bit = (uint8_t)(1U << ((uintptr_t)to + i) % GRANULE);
        if (granule && is_initialised((uintptr_t)from + i))
            granule->initialised |= bit;
        else if (granule)
            granule->initialised &= (uint8_t)~bit;
    }
}

/* ---- accesses ---- */

static bool kind_writes(unsigned kind)
{
    return kind == ACCESS_WRITE || kind == ACCESS_ATOMIC_WRITE || kind == ACCESS_FREE;
}

static bool kind_is_atomic(unsigned kind)
{
    return kind == ACCESS_ATOMIC_READ || kind == ACCESS_ATOMIC_WRITE;
}

static bool races(const struct record *earlier, const struct shadow_access *access)
{
    return earlier->thread != access->thread && access->thread != THREAD_ALONE &&
           (kind_writes(earlier->kind) || kind_writes(access->kind)) &&
           !(kind_is_atomic(earlier->kind) && kind_is_atomic(access->kind)) &&
           access->now.of[earlier->thread] < earlier->time;
}

static const struct record *__attribute__((noinline))
find_race(const struct granule *granule, uint8_t bytes, const struct shadow_access *access)
{
    for (uint32_t i = granule->records; i; i = shadow.records[i].next)
        if (shadow.records[i].bytes & bytes && races(&shadow.records[i], access))
            return &shadow.records[i];
    return NULL;
}

static bool __attribute__((noinline))
fail(struct finding *found, enum finding_kind kind, const struct record *earlier)
{
    found->kind = kind;
    if (earlier)
        found->other = (struct finding_access){.kind = earlier->kind,
                                               .thread = earlier->thread,
                                               .time = earlier->time,
                                               .at = earlier->at};
    return false;
}

static const struct record *find_free(const struct granule *granule, uint8_t bytes)
{
    const struct record *by = NULL;
    for (uint32_t i = granule->records; i && !by; i = shadow.records[i].next)
        if (shadow.records[i].kind == ACCESS_FREE && shadow.records[i].bytes & bytes)
            by = &shadow.records[i];
    return by;
}

/* The location that the lowest of some bytes belong to, which is accessed atomically, where none
 * overlap. */
static inline uint8_t location_of(const struct granule *granule, uint8_t bytes)
{
    uint8_t from = (uint8_t)(bytes & -bytes), up_to = (uint8_t)(from | (from - 1));
    unsigned start = 31 - (unsigned)__builtin_clz(granule->starts & up_to);
    unsigned behind = (granule->starts | ~(unsigned)granule->atomic) & (~0U << start << 1);
    return (uint8_t)((behind & -behind) - (1U << start));
}

/* Whether bytes of a granule are one location, or of none so far. */
static inline bool is_location(const struct granule *granule, uint8_t bytes)
{
    uint8_t shared = granule->atomic & bytes;
    return !shared || (!granule->overlaps &&
                       (granule->atomic == bytes || location_of(granule, shared) == bytes));
}

/* They are one, or a part of a larger one. */
static inline void note_location(struct granule *granule, uint8_t bytes, enum part part)
{
    granule->overlaps |= part != PART_WHOLE;
    if (!(granule->atomic & bytes))
        granule->starts |= (uint8_t)(bytes & -bytes);
    granule->atomic |= bytes;
}

static struct record *__attribute__((noinline))
find_older(const struct granule *granule, uint8_t bytes, const struct shadow_access *access)
{
    for (uint32_t i = granule->records; i; i = shadow.records[i].next) {
        struct record *record = &shadow.records[i];
        if (record->thread == access->thread && record->kind == access->kind &&
            (record->bytes & ~bytes) == 0)
            return record;
    }
    return NULL;
}

/* Remembers an access, in place of one that it makes of no account. False: there is no room. */
static inline __attribute__((always_inline)) bool remember(struct granule *granule, uint8_t bytes,
                                                           enum part part,
                                                           const struct shadow_access *access,
                                                           enum access_kind kind)
{
    uint64_t own = UINT64_C(1) << (kinds[kind].group * GROUP_BITS + access->thread);
    struct record *place = granule->accessed & own ? find_older(granule, bytes, access) : NULL;
    uint32_t next = place ? place->next : granule->records;
    if (!place) {
        if (shadow.record_count == shadow.record_room)
            return false;
        place = &shadow.records[shadow.record_count];
        granule->records = shadow.record_count++;
        granule->accessed |= own;
    }
    *place = (struct record){.at = access->at,
                             .next = next,
                             .thread = (uint8_t)access->thread,
                             .time = (uint8_t)access->time,
                             .bytes = bytes,
                             .kind = (uint8_t)kind,
                             .part = (uint8_t)part};
    if (kind_is_atomic(kind))
        note_location(granule, bytes, part);
    return true;
}

static bool fail_full(struct finding *found)
{
    *found = (struct finding){.kind = FINDING_NONE};
    strcpy(found->sentence, "accesses to more than 32 MB in an execution");
    return false;
}

static void look_at_left_out(const struct granule *granule)
{
    shadow.is_left_out |=
        (granule->noted[GROUP_WRITE] & (granule->left_out_plain | granule->left_out_atomic)) |
            (granule->noted[GROUP_ATOMIC_WRITE] & granule->left_out_plain) ||
        (granule->left_out_write & granule->seen_write) ||
        (granule->left_out_update & granule->noted[GROUP_READ]);
    shadow.is_round_noticed |=
        (granule->noted[GROUP_WRITE] &
         (granule->round_plain | granule->round_atomic | granule->round_update)) ||
        (granule->noted[GROUP_ATOMIC_WRITE] & granule->round_plain) ||
        (granule->noted[GROUP_READ] & granule->round_update);
}

void shadow_leave_out(const void *address, size_t size, bool is_atomic)
{
    struct walk walk = walk_of(address, size);
    while (walk_next(&walk))
        if (walk.granule) {
            *(is_atomic ? &walk.granule->left_out_atomic : &walk.granule->left_out_plain) |=
                walk.bytes;
            look_at_left_out(walk.granule);
        }
}

void shadow_leave_out_write(const void *address, size_t size)
{
    struct walk walk = walk_of(address, size);
    while (walk_next(&walk))
        if (walk.granule) {
            walk.granule->left_out_write |= walk.bytes;
            look_at_left_out(walk.granule);
        }
}

void shadow_leave_out_update(const void *address, size_t size)
{
    struct walk walk = walk_of(address, size);
    while (walk_next(&walk))
        if (walk.granule) {
            walk.granule->left_out_update |= walk.bytes;
            look_at_left_out(walk.granule);
        }
}

void shadow_see_write(const void *address, size_t size)
{
    struct walk walk = walk_of(address, size);
    while (walk_next(&walk))
        if (walk.granule) {
            walk.granule->seen_write |= walk.bytes;
            look_at_left_out(walk.granule);
        }
}

bool shadow_has_seen_write(const void *address, size_t size)
{
    struct walk walk = walk_of(address, size);
    while (walk_next(&walk))
        if (walk.granule && walk.bytes & ~walk.granule->seen_write)
            return false;
    return true;
}

bool shadow_is_left_out(void)
{
    return shadow.is_left_out;
}

void shadow_leave_round(const void *address, size_t size, enum access_kind kind)
{
    struct walk walk = walk_of(address, size);
    while (walk_next(&walk))
        if (walk.granule) {
            *(kind == ACCESS_READ          ? &walk.granule->round_plain
              : kind == ACCESS_ATOMIC_READ ? &walk.granule->round_atomic
                                           : &walk.granule->round_update) |= walk.bytes;
            look_at_left_out(walk.granule);
        }
}

bool shadow_is_round_noticed(void)
{
    return shadow.is_round_noticed;
}

/* Whether no other thread knows of the memory of an access yet. */
static bool is_private(const struct shadow_access *access, uintptr_t address)
{
    uintptr_t start = (uintptr_t)access->private_from;
    uintptr_t end = (uintptr_t)region_arena(access->thread) + REGION_ARENA;
    return start && address >= start && address < end;
}

static void __attribute__((noinline))
note_access(struct granule *granule, uint8_t bytes, const struct shadow_access *access,
            uintptr_t address)
{
    if (access->thread == THREAD_ALONE || is_private(access, address))
        return;
    granule->noted[kinds[access->kind].group] |= bytes;
    look_at_left_out(granule);
}

/* What an access to bytes of the heap is at fault for, whoever else accesses them. */
static enum finding_kind fault_of_heap(const struct granule *granule, uint8_t bytes,
                                       const struct shadow_access *access)
{
    if (granule->freed & bytes)
        return access->kind == ACCESS_FREE ? FINDING_DOUBLE_FREE : FINDING_USE_AFTER_FREE;
    if (bytes & ~granule->allocated && access->kind != ACCESS_FREE) /* of 0 bytes: none is */
        return FINDING_OUT_OF_BLOCK;
    return FINDING_NONE;
}

static inline bool is_heap(uintptr_t address)
{
    return region_holds((void *)address) && region_is_heap((void *)address);
}

/* The bytes of a granule, the last of them at an address. `kind` is that of the access: where it is
 * known when this is compiled, so is most of what follows from it. */
static inline __attribute__((always_inline)) bool
touch(struct granule *granule, uint8_t bytes, uintptr_t address, enum part part,
      const struct shadow_access *access, enum access_kind kind, struct finding *found)
{
    unsigned group = kinds[kind].group;
    uint64_t others = granule->accessed & ~(OF_THREAD << access->thread);
    const struct record *racing = NULL;
    if (bytes & (granule->freed | ~granule->allocated) && is_heap(address)) {
        enum finding_kind fault = fault_of_heap(granule, bytes, access);
        if (fault != FINDING_NONE)
            return fail(found, fault, find_free(granule, bytes));
    }
    if (others & kinds[kind].conflicts && (racing = find_race(granule, bytes, access)))
        return fail(found, FINDING_RACE, racing);
    if (access->asks_initialised && !(granule->initialised & bytes) && is_heap(address))
        return fail(found, FINDING_UNINITIALISED, NULL);
    if ((granule->noted[group] & bytes) != bytes)
        note_access(granule, bytes, access, address);
    granule->freed |= bytes & kinds[kind].frees;
    granule->initialised |= bytes & kinds[kind].writes;
    if (access->thread != THREAD_ALONE || kind == ACCESS_FREE)
        return remember(granule, bytes, part, access, kind) || fail_full(found);
    return true;
}

static const char *__attribute__((noinline))
find_atomic(const char *from, const char *end, unsigned *size)
{
    struct walk walk = walk_of(from, (size_t)(end - from));
    const char *first = NULL;
    while (!first && walk_next(&walk)) {
        const char *base = (const char *)((walk.address - 1) & ~(uintptr_t)(GRANULE - 1));
        if (!walk.granule || !(walk.granule->atomic & walk.bytes))
            continue;
        for (uint32_t i = walk.granule->records; i; i = shadow.records[i].next) {
            const struct record *record = &shadow.records[i];
            const char *start = base + __builtin_ctz(record->bytes);
            unsigned bytes = (unsigned)__builtin_popcount(record->bytes);
            if (record->part == PART_SECOND)
                start -= GRANULE;
            if (kind_is_atomic(record->kind) && record->bytes & walk.bytes &&
                (!first || start < first)) {
                first = start;
                *size = record->part == PART_WHOLE ? bytes : bytes + GRANULE;
            }
        }
    }
    return first;
}

const char *shadow_atomic(const char *from, const char *end, unsigned *size)
{
    unsigned first = (uintptr_t)from % GRANULE;
    size_t count = (size_t)(end - from);
    if (count - 1 >= GRANULE - first)
        return find_atomic(from, end, size);
    const struct granule *granule = granule_of((uintptr_t)from);
    unsigned shared = granule ? granule->atomic & ((1U << count) - 1) << first : 0;
    if (!shared)
        return NULL;
    if (granule->overlaps)
        return find_atomic(from, end, size);
    unsigned location = location_of(granule, (uint8_t)shared);
    unsigned start = (unsigned)__builtin_ctz(location);
    *size = 32 - (unsigned)__builtin_clz(location) - start;
    return from - first + start;
}

static enum shadow_answer fault(const struct shadow_access *access, const void *address,
                                struct finding *found)
{
    found->here = (struct finding_access){.kind = (uint8_t)access->kind,
                                          .thread = (uint8_t)access->thread,
                                          .time = (uint8_t)access->time,
                                          .at = access->at};
    found->address = address;
    return found->kind == FINDING_NONE ? SHADOW_FULL : SHADOW_FAULT;
}

/* Whether an atomic access is of the same bytes as earlier ones, or none of theirs. */
static bool fits(const void *address, size_t size)
{
    unsigned found;
    const char *location = shadow_atomic(address, (const char *)address + size, &found);
    return !location || (location == address && found == size);
}

static enum shadow_answer __attribute__((noinline))
access_several(const struct shadow_access *access, const void *address, size_t size,
               struct finding *found)
{
    struct walk walk = walk_of(address, size);
    bool is_atomic = kind_is_atomic(access->kind);
    enum part part = is_atomic && size > GRANULE ? PART_FIRST : PART_WHOLE;
    if (is_atomic && access->thread != THREAD_ALONE && !fits(address, size))
        return SHADOW_MIXED;
    for (; walk_next(&walk); part = part == PART_FIRST ? PART_SECOND : part)
        if (walk.granule &&
            !touch(walk.granule, walk.bytes, walk.address - 1, part, access, access->kind, found))
            return fault(access, address, found);
    return SHADOW_SEEN;
}

static inline __attribute__((always_inline)) enum shadow_answer
access_granule(const struct shadow_access *access, const void *address, size_t size, uint8_t bytes,
               struct granule *granule, enum access_kind kind, struct finding *found)
{
    if (kind_is_atomic(kind) && !is_location(granule, bytes) && access->thread != THREAD_ALONE &&
        !fits(address, size))
        return SHADOW_MIXED;
    return touch(granule, bytes, (uintptr_t)address + size - 1, PART_WHOLE, access, kind, found)
               ? SHADOW_SEEN
               : fault(access, address, found);
}

enum shadow_answer shadow_access(const struct shadow_access *access, const void *address,
                                 size_t size, struct finding *found)
{
    unsigned first = (uintptr_t)address % GRANULE;
    if (size - 1 >= GRANULE - first)
        return access_several(access, address, size, found);
    struct granule *granule = granule_of((uintptr_t)address);
    uint8_t bytes = (uint8_t)(((1U << size) - 1) << first);
    if (!granule)
        return SHADOW_SEEN;
#define ACCESS_AS(KIND)                                                                            \
    case KIND:                                                                                     \
        return access_granule(access, address, size, bytes, granule, KIND, found)
    switch (access->kind) {
    case ACCESS_NONE:
        break;
        ACCESS_AS(ACCESS_READ);
        ACCESS_AS(ACCESS_WRITE);
        ACCESS_AS(ACCESS_ATOMIC_READ);
        ACCESS_AS(ACCESS_ATOMIC_WRITE);
        ACCESS_AS(ACCESS_FREE);
    }
#undef ACCESS_AS
    return SHADOW_SEEN;
}
