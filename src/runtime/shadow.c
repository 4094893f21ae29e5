/* A granule stands for 8 bytes. What it says is of the execution whose number it has; of an older
 * one it is as it was kept. Its accesses are a list in a pool that is emptied for each execution.
 */
#include "runtime/shadow.h"

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

struct granule {
    uint32_t execution;
    uint32_t records;
    uint8_t allocated, initialised, freed; /* a bit for each byte */
    uint8_t kept_allocated, kept_initialised, kept_freed;
    /* Of all executions: the bytes of which reads were left out, and those that were written. */
    uint8_t left_out_plain, left_out_atomic, written_plain, written_atomic;
    uint8_t left_out_write, seen_write;
    uint8_t left_out_update, read_plain;
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
    uint8_t kind : 4, part : 2;
};

static struct {
    struct granule *region, *globals;
    struct record *records;
    uint32_t record_count, record_room;
    uint32_t execution;
    bool is_left_out;
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

/* Null: nothing is known of this memory. */
static struct granule *granule_of(uintptr_t address)
{
    struct granule *granule;
    uintptr_t globals = (uintptr_t)globals_start() / GRANULE;
    if (address - REGION_BASE < REGION_SIZE)
        granule = &shadow.region[(address - REGION_BASE) / GRANULE];
    else if (address >= (uintptr_t)globals_start() && address < (uintptr_t)globals_end())
        granule = &shadow.globals[address / GRANULE - globals];
    else if (!(granule = granule_of_storage(address)))
        return NULL;
    if (granule->is_synchronised)
        return NULL;
    if (granule->execution != shadow.execution) {
        granule->execution = shadow.execution;
        granule->records = NO_RECORD;
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

static bool walk_next(struct walk *walk)
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

static bool fail(struct finding *found, enum finding_kind kind, const struct record *earlier)
{
    found->kind = kind;
    if (earlier)
        found->other = (struct finding_access){.kind = earlier->kind,
                                               .thread = earlier->thread,
                                               .time = earlier->time,
                                               .at = earlier->at};
    return false;
}

static bool fail_freed(const struct granule *granule, uint8_t bytes,
                       const struct shadow_access *access, struct finding *found)
{
    const struct record *by = NULL;
    for (uint32_t i = granule->records; i && !by; i = shadow.records[i].next)
        if (shadow.records[i].kind == ACCESS_FREE && shadow.records[i].bytes & bytes)
            by = &shadow.records[i];
    return fail(found, access->kind == ACCESS_FREE ? FINDING_DOUBLE_FREE : FINDING_USE_AFTER_FREE,
                by);
}

/* Remembers an access, in place of one that it makes of no account. False: there is no room. */
static bool remember(struct granule *granule, uint8_t bytes, enum part part,
                     const struct shadow_access *access)
{
    struct record *place = NULL;
    for (uint32_t i = granule->records; i && !place; i = shadow.records[i].next) {
        struct record *record = &shadow.records[i];
        if (record->thread == access->thread && record->kind == access->kind &&
            (record->bytes & ~bytes) == 0)
            place = record;
    }
    if (!place) {
        if (shadow.record_count == shadow.record_room)
            return false;
        place = &shadow.records[shadow.record_count];
        place->next = granule->records;
        granule->records = shadow.record_count++;
    }
    place->at = access->at;
    place->thread = (uint8_t)access->thread;
    place->kind = (uint8_t)access->kind & 0xF;
    place->part = (uint8_t)part & 3;
    place->time = (uint8_t)access->time;
    place->bytes = bytes;
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
        (granule->written_plain & (granule->left_out_plain | granule->left_out_atomic)) |
            (granule->written_atomic & granule->left_out_plain) ||
        (granule->left_out_write & granule->seen_write) ||
        (granule->left_out_update & granule->read_plain);
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

bool shadow_is_left_out(void)
{
    return shadow.is_left_out;
}

static void note_access(struct granule *granule, uint8_t bytes, const struct shadow_access *access)
{
    if (access->kind == ACCESS_ATOMIC_READ || access->thread == THREAD_ALONE || access->is_private)
        return;
    uint8_t *noted = access->kind == ACCESS_READ           ? &granule->read_plain
                     : access->kind == ACCESS_ATOMIC_WRITE ? &granule->written_atomic
                                                           : &granule->written_plain;
    if ((*noted & bytes) == bytes)
        return;
    *noted |= bytes;
    look_at_left_out(granule);
}

static bool touch(struct walk *walk, enum part part, const struct shadow_access *access,
                  bool is_heap, struct finding *found)
{
    struct granule *granule = walk->granule;
    uint8_t bytes = walk->bytes;
    if (is_heap) {
        if (granule->freed & bytes)
            return fail_freed(granule, bytes, access, found);
        if (bytes & ~granule->allocated && access->kind != ACCESS_FREE) /* of 0 bytes: none is */
            return fail(found, FINDING_OUT_OF_BLOCK, NULL);
    }
    for (uint32_t i = granule->records; i; i = shadow.records[i].next)
        if (shadow.records[i].bytes & bytes && races(&shadow.records[i], access))
            return fail(found, FINDING_RACE, &shadow.records[i]);
    if (is_heap && access->asks_initialised && !(granule->initialised & bytes))
        return fail(found, FINDING_UNINITIALISED, NULL);
    note_access(granule, bytes, access);
    if (access->kind == ACCESS_FREE)
        granule->freed |= bytes;
    else if (kind_writes(access->kind))
        granule->initialised |= bytes;
    if (access->thread != THREAD_ALONE || access->kind == ACCESS_FREE)
        return remember(granule, bytes, part, access) || fail_full(found);
    return true;
}

bool shadow_access(const struct shadow_access *access, const void *address, size_t size,
                   struct finding *found)
{
    struct walk walk = walk_of(address, size);
    bool is_heap = region_holds(address) && region_is_heap(address);
    enum part part = kind_is_atomic(access->kind) && size > GRANULE ? PART_FIRST : PART_WHOLE;
    for (; walk_next(&walk); part = part == PART_FIRST ? PART_SECOND : part)
        if (walk.granule && !touch(&walk, part, access, is_heap, found)) {
            found->here = (struct finding_access){.kind = (uint8_t)access->kind,
                                                  .thread = (uint8_t)access->thread,
                                                  .time = (uint8_t)access->time,
                                                  .at = access->at};
            found->address = address;
            return false;
        }
    return true;
}

const char *shadow_atomic(const char *from, const char *end, unsigned *size)
{
    struct walk walk = walk_of(from, (size_t)(end - from));
    const char *first = NULL;
    while (!first && walk_next(&walk)) {
        const char *base = (const char *)((walk.address - 1) & ~(uintptr_t)(GRANULE - 1));
        for (uint32_t i = walk.granule ? walk.granule->records : 0; i; i = shadow.records[i].next) {
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
