#include "runtime/sections.h"

#include <string.h>

#include "runtime/callbacks.h"
#include "runtime/clocks.h"
#include "runtime/retry.h"

enum {
    MOST_ENTRIES = 16,
    MOST_READS = 64,
    MOST_KEPT_LOCKS = 4,
    MOST_LOCATIONS = 32,
    MOST_LEFT = 64,
    BYTES = 1 << 15,
    /* Of a frame, what the callback has saved: registers, and where to return. It is used again
     * once the callback has been left. */
    CALLBACK_BYTES = (SAVED_WORDS + 2) * sizeof(uint64_t)
};

/* The locks that a thread holds alone. */
struct lockset {
    unsigned count;
    const void *locks[MOST_KEPT_LOCKS];
};

struct section_read {
    const char *address;
    size_t size;
    uint64_t value;
    bool is_atomic, is_take;
    bool is_own; /* of the thread's own stack: others write it, too, where they are given it */
    struct lockset held;
};

/* A thread as it was when it came to a lock. */
struct entry {
    bool is_over; /* it has given back what it held then */
    size_t start, size;
    unsigned events, reads;
    struct spin_call call;
    struct held_locks held;
};

static struct sections {
    unsigned entry_count, read_count;
    unsigned last; /* the entry that its last iteration began with */
    size_t used;
    struct entry entries[MOST_ENTRIES];
    struct section_read reads[MOST_READS];
    char bytes[BYTES];
} threads[REGION_THREADS];

/* Locations of locks: each once. */
struct locations {
    unsigned count;
    const void *items[MOST_LOCATIONS];
};

static struct {
    bool enabled, is_unsound, has_grown, left_out, sees_several;
    struct locations taken, tried; /* in iterations that were left out; by anybody */
    struct left_read {
        unsigned thread;
        struct section_read read;
    } left[MOST_LEFT];
} all;

struct sections_summary sections_summary;

void sections_enable(bool enabled)
{
    memset(&all, 0, sizeof all);
    sections_summary.left = 0;
    all.enabled = enabled;
}

void sections_forget_kept(unsigned thread)
{
    sections_summary.kept &= ~(1U << thread);
    threads[thread].entry_count = threads[thread].read_count = 0;
    threads[thread].used = 0;
}

/* ---- what a thread does ---- */

static bool hold(const struct held_locks *held, const void *lock)
{
    for (unsigned i = 0; i < held->count; i++)
        if (held->items[i].lock == lock)
            return true;
    return false;
}

/* Whether all entries so far have such a read behind them. */
static bool is_read_already(const struct sections *sections, const struct section_read *read)
{
    for (unsigned i = sections->entries[sections->entry_count - 1].reads; i < sections->read_count;
         i++)
        if (sections->reads[i].is_own && sections->reads[i].address == read->address &&
            sections->reads[i].size == read->size)
            return true;
    return false;
}

static void add_read(unsigned number, const struct section_read *read)
{
    struct sections *sections = &threads[number];
    const struct held_locks *held = &execution.threads[number].held;
    if (sections->entry_count == 0)
        return;
    if (sections->read_count == MOST_READS || (!read->is_own && read->size > sizeof(uint64_t))) {
        sections_forget(number);
        return;
    }
    struct section_read *added = &sections->reads[sections->read_count++];
    *added = *read;
    for (unsigned i = 0; i < held->count && added->held.count < MOST_KEPT_LOCKS; i++)
        if (!held->items[i].shared)
            added->held.locks[added->held.count++] = held->items[i].lock;
}

void sections_see_take(unsigned thread, const struct exploration_access *access)
{
    add_read(thread, &(struct section_read){.address = access->address,
                                            .size = access->size,
                                            .is_atomic = true,
                                            .is_take = true});
}

void sections_add_read(unsigned thread, const void *address, size_t size, uint64_t value,
                       bool is_atomic)
{
    add_read(thread, &(struct section_read){
                         .address = address, .size = size, .value = value, .is_atomic = is_atomic});
}

void sections_see_own_read(unsigned thread, const void *address, size_t size)
{
    const struct section_read read = {.address = address, .size = size, .is_own = true};
    if (threads[thread].entry_count && !is_read_already(&threads[thread], &read))
        add_read(thread, &read);
}

void sections_see_give(unsigned thread, const void *lock)
{
    struct sections *sections = &threads[thread];
    for (unsigned i = 0; i < sections->entry_count; i++)
        sections->entries[i].is_over |= hold(&sections->entries[i].held, lock);
}

/* ---- what others may notice ---- */

static bool has(const struct locations *locations, const void *lock)
{
    for (unsigned i = 0; i < locations->count; i++)
        if (locations->items[i] == lock)
            return true;
    return false;
}

static void add_location(struct locations *locations, const struct locations *others,
                         const void *lock)
{
    if (has(locations, lock))
        return;
    if (locations->count == MOST_LOCATIONS || has(others, lock)) {
        all.is_unsound = true;
        return;
    }
    locations->items[locations->count++] = lock;
}

void sections_see_try(const void *lock)
{
    if (all.enabled)
        add_location(&all.tried, &all.taken, lock);
}

void sections_see_several(const void *lock)
{
    all.sees_several = true;
    add_location(&all.taken, &all.tried, lock);
}

void sections_look_at_write(unsigned thread, const void *address, size_t size, bool is_atomic)
{
    const struct held_locks *held = &execution.threads[thread].held;
    const char *from = address;
    for (unsigned i = 0; i < sections_summary.left; i++) {
        const struct section_read *read = &all.left[i].read;
        bool is_guarded = false;
        if (all.left[i].thread == thread || (is_atomic && read->is_atomic) ||
            from >= read->address + read->size || read->address >= from + size)
            continue;
        for (unsigned k = 0; k < read->held.count; k++)
            is_guarded |= hold(held, read->held.locks[k]);
        all.is_unsound |= !is_guarded;
    }
}

static bool is_within(const struct section_read *read, const struct section_read *other)
{
    return read->address >= other->address &&
           read->address + read->size <= other->address + other->size;
}

static void leave_out_read(unsigned thread, const struct section_read *read)
{
    for (unsigned i = 0; i < sections_summary.left; i++) {
        const struct section_read *left = &all.left[i].read;
        if (all.left[i].thread == thread && left->address == read->address &&
            left->size == read->size && left->is_atomic == read->is_atomic &&
            memcmp(&left->held, &read->held, sizeof read->held) == 0)
            return;
    }
    if (sections_summary.left == MOST_LEFT) {
        all.is_unsound = true;
        return;
    }
    all.left[sections_summary.left++] = (struct left_read){thread, *read};
    all.has_grown = true;
}

/* An iteration is left out. What it read up to its first read that could have had another value is
 * read again whenever the thread goes on. */
static void leave_out(unsigned thread, const struct entry *entry)
{
    const struct sections *sections = &threads[thread];
    unsigned again = entry->reads;
    bool has_taken = false;
    while (again < sections->read_count && (!has_taken || sections->reads[again].is_take))
        has_taken |= sections->reads[again++].is_take;
    if (again < sections->read_count)
        again++;
    all.left_out = true;
    for (unsigned i = entry->reads; i < sections->read_count; i++) {
        const struct section_read *read = &sections->reads[i];
        bool is_repeated = i < again;
        if (read->is_take)
            add_location(&all.taken, &all.tried, read->address);
        for (unsigned k = entry->reads; k < again; k++)
            is_repeated |= is_within(read, &sections->reads[k]);
        if (!is_repeated)
            leave_out_read(thread, read);
    }
}

bool sections_have_grown(void)
{
    bool grown = all.has_grown;
    all.has_grown = false;
    return grown;
}

bool sections_are_unsound(void)
{
    return all.is_unsound || ((all.left_out || all.sees_several) && retry_is_strong());
}

/* ---- coming again ---- */

static bool is_same_held(const struct held_locks *a, const struct held_locks *b)
{
    if (a->count != b->count)
        return false;
    for (unsigned i = 0; i < a->count; i++)
        if (a->items[i].lock != b->items[i].lock || a->items[i].times != b->items[i].times ||
            a->items[i].shared != b->items[i].shared)
            return false;
    return true;
}

static void keep(unsigned number, const struct spin_call *call, const char *frame, size_t size)
{
    struct sections *sections = &threads[number];
    const struct thread *thread = &execution.threads[number];
    if (sections->entry_count == MOST_ENTRIES || sections->used + size > BYTES)
        sections_forget(number);
    if (size > BYTES)
        return;
    struct entry *entry = &sections->entries[sections->entry_count++];
    sections_summary.kept |= 1U << number;
    entry->is_over = false;
    entry->call = *call;
    entry->start = sections->used;
    entry->size = size;
    entry->events = thread->now.of[number];
    entry->reads = sections->read_count;
    held_copy(&entry->held, &thread->held);
    memcpy(sections->bytes + sections->used, frame, size);
    sections->used += size;
}

void sections_come(const struct spin_call *call, const char *frame, const void *at)
{
    if (!all.enabled)
        return;
    unsigned number = execution.current;
    struct sections *sections = &threads[number];
    struct thread *thread = thread_current();
    size_t size = (size_t)(region_stack_end(number) - frame);
    for (unsigned i = 0; i < sections->entry_count; i++) {
        const struct entry *entry = &sections->entries[i];
        if (entry->is_over || entry->size != size || !spin_is_same_call(&entry->call, call) ||
            !is_same_held(&entry->held, &thread->held) ||
            memcmp(sections->bytes + entry->start, frame, size) != 0)
            continue;
        if (clock_go_on()) {
            sections_forget(number);
            break;
        }
        sections->last = i;
        leave_out(number, entry);
        thread->lingers = true;
        thread->waits =
            (struct exchange_wait){.kind = WAIT_LOOP, .since = (uint8_t)entry->events, .at = at};
        return;
    }
    keep(number, call, frame, size);
}

/* Since the thread came again only others have written what it had there then. */
static bool is_as_it_was(unsigned thread, const struct entry *entry,
                         const struct section_read *read)
{
    const char *frame = region_stack_end(thread) - entry->size;
    const char *kept = threads[thread].bytes + entry->start;
    return read->address < frame || /* it is in no function any more */
           memcmp(read->address, kept + (read->address - frame), read->size) == 0;
}

bool sections_would_read_again(unsigned thread)
{
    const struct sections *sections = &threads[thread];
    const struct entry *entry = &sections->entries[sections->last];
    for (unsigned i = entry->reads; i < sections->read_count; i++) {
        const struct section_read *read = &sections->reads[i];
        if (read->is_own ? !is_as_it_was(thread, entry, read)
                         : !read->is_atomic &&
                               memory_load(read->address, (unsigned)read->size) != read->value)
            return false;
    }
    /* Compilers do not say of all of the stack when it is read. */
    const char *start = region_stack_end(thread) - entry->size + CALLBACK_BYTES;
    bool is_same = memcmp(start, sections->bytes + entry->start + CALLBACK_BYTES,
                          entry->size - CALLBACK_BYTES) == 0;
    all.is_unsound |= !is_same;
    return is_same;
}
