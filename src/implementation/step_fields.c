/* What may be *read of* a node by way of a reference: the fields that the code, from where a thread
 * stands, may load through it, or through what it is copied to, before it writes them through it. A
 * reference may be in a local, of which that is known at each instruction; or in a place that
 * threads share, a field of a struct or a shared variable, of which it is known once for all: what
 * any instruction may read of what it has loaded there.
 *
 *     load a place     the place:  what is read of the words that were loaded
 *     store to one     the words:  what is read of the place
 *     x.f = ...        x:          not f, before
 *     ... x.f ...      x:          f as well
 *
 * Backwards, from instruction to instruction, until nothing changes; the stack's words are followed
 * like locals. Which place an address is of is found by the flow of implementation/step_ways.h. */
#include "implementation/step_fields.h"

#include <string.h>

#include "base/memory.h"
#include "implementation/step_places.h"
#include "implementation/step_ways.h"

#define MOST_FIELDS 63
#define READ        (UINT64_C(1) << 63) /* of an address: it is loaded from */

/* What an instruction has access to by an address. */
struct reading_access {
    uint32_t place;        /* a field, or field_count + a shared variable, or PLACE_... */
    uint32_t first, count; /* PLACE_OWN: locals */
    uint32_t overwritten;  /* 1 + the local whose node's field is written as a whole; 0: none */
};

#define PLACE_NONE UINT32_MAX
#define PLACE_OWN  (UINT32_MAX - 1)

struct reading {
    struct lin_steps *steps;
    struct lin_ways ways;
    uint32_t field_count;
    uint32_t *fields;                /* by word of a row of all pools': its field */
    uint32_t *depths;                /* by instruction: 1 + words on the stack; 0: it never runs */
    struct reading_access *accesses; /* by instruction */
    uint32_t deepest;
    uint64_t *places;      /* what is read of what they lead to */
    uint64_t *before;      /* the same by instruction, and by local and word of the stack */
    uint64_t *now, *taken; /* by those; by words that an instruction pushes */
    bool changed, lost;
};

static const struct instruction *code_of(const struct reading *reading)
{
    return reading->steps->listing.code.items;
}

/* ---- fields ---- */

static uint32_t field_words(const struct lin_pool *pool, uint32_t field)
{
    return pool->lengths[field] * lin_step_words_of(&pool->of->fields[field]->type);
}

static uint64_t field_bit(const struct reading *reading, uint32_t pool, uint32_t word)
{
    return UINT64_C(1) << reading->fields[reading->ways.starts[pool] + word];
}

/* Numbers the fields of all structs in one row. */
static bool number_fields(struct reading *reading, struct arena *scratch)
{
    const struct lin_steps *steps = reading->steps;
    reading->fields = arena_allocate(scratch, reading->ways.words * sizeof *reading->fields);
    if (!reading->fields)
        return false;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        uint32_t word = reading->ways.starts[i];
        reading->fields[word++] = 0; /* a node's status is nobody's to read */
        for (uint32_t j = 0; j < pool->of->field_count; j++, reading->field_count++)
            for (uint32_t k = 0; k < field_words(pool, j); k++)
                reading->fields[word++] = reading->field_count;
    }
    return true;
}

/* ---- where instructions have access to ---- */

/* How many words lie above the address that an instruction pops; UINT32_MAX: it pops none. */
static uint32_t above_address(const struct instruction *i)
{
    switch ((enum opcode)i->op) {
    case OP_LOAD:
    case OP_LOCK:
    case OP_UNLOCK:
        return 0;
    case OP_FETCH_ADD:
        return 1;
    case OP_STORE:
    case OP_SWAP:
        return i->wide;
    case OP_CAS:
        return 2 * i->wide;
    default:
        return UINT32_MAX;
    }
}

static uint32_t place_of_slot(const struct reading *reading, uint32_t slot)
{
    const struct lin_steps *steps = reading->steps;
    for (uint32_t i = 0; i < steps->object->variable_count; i++) {
        const struct lin_layout_of_shared *layout = &steps->shared[i];
        if (slot >= layout->first && slot - layout->first < layout->length * layout->words)
            return reading->field_count + i;
    }
    return PLACE_NONE;
}

/* The local whose node's field a STORE overwrites, as of reading_access: it was loaded right before
 * the DEREFERENCE, and has not been written since. */
static uint32_t overwritten_of(const struct reading *reading, uint32_t at,
                               const struct lin_way_word *address)
{
    const struct instruction *code = code_of(reading), *from = &code[address->origin];
    const struct lin_pool *pool = &reading->steps->pools[from->operand];
    uint32_t words = 0;
    if (code[at].op != OP_STORE || address->moved || address->origin == 0 ||
        from[-1].op != OP_LOAD_OWN || from[-1].wide != 1)
        return 0;
    for (uint32_t i = 1; i < pool->words; i++)
        words +=
            reading->fields[address->first - from->wide + i] == reading->fields[address->first];
    for (uint32_t i = address->origin; i < at; i++)
        if (code[i].op == OP_ADDRESS_OWN || code[i].op == OP_STEP ||
            (code[i].op == OP_STORE_OWN && from[-1].operand >= code[i].operand &&
             from[-1].operand < code[i].operand + (int32_t)code[i].wide))
            return 0;
    return words == code[at].wide ? (uint32_t)from[-1].operand + 1 : 0;
}

static struct reading_access access_by(const struct reading *reading, uint32_t at,
                                       const struct lin_way_word *address)
{
    switch ((enum lin_way_word_kind)address->kind) {
    case LIN_WORD_SHARED:
        return (struct reading_access){.place = place_of_slot(reading, address->first)};
    case LIN_WORD_FIELD:
        return (struct reading_access){.place = reading->fields[address->first],
                                       .overwritten = overwritten_of(reading, at, address)};
    case LIN_WORD_OWN:
        return (struct reading_access){
            .place = PLACE_OWN, .first = address->first, .count = address->count};
    default:
        return (struct reading_access){.place = PLACE_NONE};
    }
}

static uint64_t note_access(void *observer, struct lin_ways *ways, uint32_t at)
{
    struct reading *reading = observer;
    const struct instruction *i = &code_of(reading)[at];
    const uint32_t above = above_address(i);
    struct reading_access *access = &reading->accesses[at];
    reading->depths[at] = (uint32_t)ways->now.length - reading->steps->locals + 1;
    if (reading->deepest < reading->depths[at])
        reading->deepest = reading->depths[at];
    if (i->op == OP_LOAD_SHARED || i->op == OP_STORE_SHARED)
        *access = (struct reading_access){.place = place_of_slot(reading, (uint32_t)i->operand)};
    else if (above != UINT32_MAX)
        *access = access_by(reading, at, &ways->now.items[ways->now.length - above - 1]);
    else
        return 0;
    reading->lost |= access->place == PLACE_NONE;
    return 0;
}

static const struct lin_ways_class class = {.begins = note_access};

/* ---- backwards over an instruction ---- */

static uint64_t read_of(const struct reading *reading, const struct reading_access *access)
{
    uint64_t fields = 0;
    if (access->place != PLACE_OWN)
        return reading->places[access->place];
    for (uint32_t i = access->first; i < access->first + access->count; i++)
        fields |= reading->now[i];
    return fields;
}

/* These fields are read of what was loaded there. */
static void read_more(struct reading *reading, const struct reading_access *access, uint64_t fields)
{
    for (uint32_t i = 0; access->place == PLACE_OWN && i < access->count; i++)
        reading->now[access->first + i] |= fields;
    if (access->place == PLACE_OWN || !(fields & ~reading->places[access->place]))
        return;
    reading->places[access->place] |= fields;
    reading->changed = true;
}

static uint64_t all_taken(const struct reading *reading, uint32_t count)
{
    uint64_t fields = 0;
    for (uint32_t i = 0; i < count; i++)
        fields |= reading->taken[i];
    return fields & ~READ;
}

/* Fields that are asked for when the one is accessed, whether it may still change. */
static uint64_t guards_of(const struct reading *reading, uint32_t pool, uint32_t field)
{
    const struct lin_steps *steps = reading->steps;
    uint64_t guards = 0;
    for (size_t i = 0; i < steps->suppositions.length; i++) {
        const struct lin_supposition *supposed = &steps->suppositions.items[i];
        if (supposed->pool == pool && supposed->field == field &&
            supposed->guard != LIN_ENDS_THERE && (steps->setting.supposed >> i & 1))
            guards |= field_bit(reading, pool, supposed->guard);
    }
    return guards;
}

/* `words` are those on the stack that the instruction pops; they are 0. */
static void read_memory(struct reading *reading, const struct instruction *i,
                        const struct reading_access *access, uint64_t *words)
{
    const uint32_t above = above_address(i), pushed = instruction_effect(i).pushes;
    const uint64_t stored = read_of(reading, access);
    words[0] = i->op == OP_STORE && !i->small ? 0 : READ;
    for (uint32_t j = 0; j < i->wide && above >= i->wide && i->op != OP_FETCH_ADD; j++)
        words[1 + above - i->wide + j] = stored;
    if (i->op == OP_LOAD || i->op == OP_SWAP)
        read_more(reading, access, all_taken(reading, pushed));
    if (access->overwritten && !i->small)
        reading->now[access->overwritten - 1] &= ~(UINT64_C(1) << access->place);
}

/* Those that take words only to compute with them, and leave none that could lead to a node. */
static bool only_computes(enum opcode op)
{
    switch (op) {
    case OP_PUSH:
    case OP_POP:
    case OP_THREAD:
    case OP_JUMP:
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
    case OP_CHECK_RANGE:
    case OP_ASSUME:
    case OP_ASSERT:
    case OP_CHOOSE:
    case OP_ADDRESS:
    case OP_ADDRESS_OWN:
    case OP_SAME:
    case OP_NEW:
    case OP_AWAIT:
    case OP_RUNNING:
    case OP_STEP:
    case OP_ANSWER:
    case OP_LINEARIZE:
    case OP_LINEARIZE_OF:
    case OP_END:
    case OP_AS_INT:
    case OP_AS_BOOL:
    case OP_AS_VALUE:
    case OP_AS_ANSWER:
    case OP_PRINT:
    case OP_INVOKE:
        return true;
    default:
        return op >= OP_NEGATE && op <= OP_XOR;
    }
}

/* From what is read behind an instruction to what is read before it. */
static void read_before(struct reading *reading, uint32_t at)
{
    const struct instruction *i = &code_of(reading)[at];
    const struct stack_effect effect = instruction_effect(i);
    const struct reading_access *access = &reading->accesses[at];
    uint64_t *words = reading->now + reading->steps->locals + reading->depths[at] - 1 - effect.pops;
    uint64_t *locals = reading->now + i->operand;
    memcpy(reading->taken, words, effect.pushes * sizeof *words);
    memset(words, 0, (effect.pops > effect.pushes ? effect.pops : effect.pushes) * sizeof *words);
    switch ((enum opcode)i->op) {
    case OP_LOAD_OWN:
        for (uint32_t j = 0; j < i->wide; j++)
            locals[j] |= reading->taken[j];
        return;
    case OP_STORE_OWN:
        memcpy(words, locals, i->wide * sizeof *words);
        memset(locals, 0, i->wide * sizeof *locals);
        return;
    case OP_LOAD_SHARED:
        read_more(reading, access, all_taken(reading, i->wide));
        return;
    case OP_STORE_SHARED:
        for (uint32_t j = 0; j < i->wide; j++)
            words[j] = read_of(reading, access);
        return;
    case OP_AT:
    case OP_OFFSET:
        words[0] = reading->taken[0];
        return;
    case OP_DEREFERENCE:
        if (reading->taken[0] & READ)
            words[0] = field_bit(reading, (uint32_t)i->operand, i->wide) |
                       guards_of(reading, (uint32_t)i->operand, i->wide);
        return;
    case OP_PICK:
        memcpy(words + i->operand, reading->taken, i->wide * sizeof *words);
        return;
    default:
        if (above_address(i) != UINT32_MAX)
            read_memory(reading, i, access, words);
        else
            reading->lost |= !only_computes((enum opcode)i->op);
    }
}

/* ---- to where nothing changes ---- */

static uint32_t width_of(const struct reading *reading)
{
    return reading->steps->locals + reading->deepest + 1;
}

static uint64_t *row_before(const struct reading *reading, uint32_t at)
{
    return reading->before + (size_t)at * width_of(reading);
}

static void take_row(struct reading *reading, uint32_t at)
{
    const uint64_t *row = row_before(reading, at);
    for (uint32_t i = 0; i < width_of(reading); i++)
        reading->now[i] |= row[i];
}

/* What is asked where a thread stands, whether its reference is stale, is read as well. */
static void read_for_stale(struct reading *reading, const struct lin_stale *items,
                           const uint32_t *from, uint32_t at)
{
    for (uint32_t i = from ? from[at] : 0; from && i < from[at + 1]; i++) {
        const struct lin_stale *stale = &items[i];
        const uint64_t along = field_bit(reading, stale->pool, stale->along);
        const struct reading_access variable = {.place = place_of_slot(reading, stale->slot)};
        const struct reading_access field = {
            .place = reading->fields[reading->ways.starts[stale->pool] + stale->along]};
        if (stale->linked) {
            reading->now[stale->local] |= along;
            continue;
        }
        reading->now[stale->local] |= stale->supposed ? along : 0;
        read_more(reading, &variable, along);
        read_more(reading, &field, along);
    }
}

/* What is supposed of nodes that are linked is looked at. */
static void read_for_links(struct reading *reading)
{
    const struct lin_steps *steps = reading->steps;
    for (size_t i = 0; i < steps->suppositions.length; i++) {
        const struct lin_supposition *supposed = &steps->suppositions.items[i];
        const uint32_t word = reading->ways.starts[supposed->pool] + supposed->field;
        if (supposed->guard == LIN_ENDS_THERE && (steps->setting.supposed >> i & 1))
            reading->places[reading->fields[word]] |=
                field_bit(reading, supposed->pool, supposed->field);
    }
}

static void read_all_before(struct reading *reading, uint32_t at)
{
    const struct instruction *i = &code_of(reading)[at];
    const uint32_t width = width_of(reading);
    uint64_t *row = row_before(reading, at);
    memset(reading->now, 0, width * sizeof *reading->now);
    if (instruction_goes_on(i))
        take_row(reading, at + 1);
    if (instruction_is_jump(i))
        take_row(reading, (uint32_t)i->operand);
    read_before(reading, at);
    read_for_stale(reading, reading->steps->stale.items, reading->steps->stale_from, at);
    read_for_stale(reading, reading->steps->decided.items, reading->steps->decided_from, at);
    reading->changed |= memcmp(row, reading->now, width * sizeof *row) != 0;
    memcpy(row, reading->now, width * sizeof *row);
}

static bool find_reads(struct reading *reading, struct arena *scratch)
{
    const struct lin_steps *steps = reading->steps;
    const uint32_t count = listing_here(&steps->listing), width = width_of(reading);
    const uint32_t places = reading->field_count + steps->object->variable_count;
    const size_t bytes = (size_t)count * width * sizeof *reading->before;
    reading->before = arena_allocate(scratch, bytes);
    reading->places = arena_allocate(scratch, places * sizeof *reading->places);
    reading->now = arena_allocate(scratch, width * sizeof *reading->now);
    reading->taken = arena_allocate(scratch, width * sizeof *reading->taken);
    if (!reading->before || !reading->places || !reading->now || !reading->taken)
        return false;
    memset(reading->before, 0, bytes);
    memset(reading->places, 0, places * sizeof *reading->places);
    read_for_links(reading);
    do {
        reading->changed = false;
        for (uint32_t at = count; at-- > 0 && !reading->lost;)
            if (reading->depths[at])
                read_all_before(reading, at);
    } while (reading->changed && !reading->lost);
    return true;
}

/* ---- all of it ---- */

static bool keep_pool(const struct reading *reading, uint32_t number)
{
    struct lin_steps *steps = reading->steps;
    struct lin_pool *pool = &steps->pools[number];
    uint64_t *bits = arena_allocate(steps->arena, pool->words * sizeof *bits);
    uint64_t *reads = arena_allocate(steps->arena, pool->reference_count * sizeof *reads);
    if (!bits || !reads)
        return false;
    bits[0] = 0;
    for (uint32_t i = 1; i < pool->words; i++)
        bits[i] = field_bit(reading, number, i);
    for (uint32_t i = 0; i < pool->reference_count; i++)
        reads[i] =
            reading
                ->places[reading->fields[reading->ways.starts[number] + pool->references[i].slot]];
    pool->field_bits = bits;
    pool->reference_reads = reads;
    return true;
}

/* Of the locals that are references where a thread stands at a STEP. */
static bool keep_row(const struct reading *reading, const struct lin_entry *entry, uint32_t at)
{
    const uint64_t *row = row_before(reading, at);
    for (uint32_t i = 0; i < entry->reference_count; i++) {
        const struct lin_reference_slot *local = &entry->references[i];
        const struct lin_reads reads = {local->slot, local->pool, row[local->slot]};
        if (reads.fields && !vector_push(&reading->steps->reads, reads))
            return false;
    }
    return true;
}

static bool keep_locals(const struct reading *reading)
{
    struct lin_steps *steps = reading->steps;
    const uint32_t count = listing_here(&steps->listing);
    uint32_t *from = arena_allocate(steps->arena, (count + 1) * sizeof *from), entry = 0;
    for (uint32_t at = 0; from && at < count; at++) {
        while (at >= lin_ways_end(steps, entry))
            entry++;
        from[at] = (uint32_t)steps->reads.length;
        if (reading->depths[at] && code_of(reading)[at].op == OP_STEP &&
            !keep_row(reading, &steps->entries[entry], at))
            return false;
    }
    if (from)
        from[count] = (uint32_t)steps->reads.length;
    steps->reads_from = from;
    return from;
}

static bool keep(const struct reading *reading)
{
    struct lin_steps *steps = reading->steps;
    const size_t count = steps->shared_references.length;
    uint64_t *reads = arena_allocate(steps->arena, count * sizeof *reads);
    if (!reads || !keep_locals(reading))
        return false;
    for (uint32_t i = 0; i < steps->pool_count; i++)
        if (!keep_pool(reading, i))
            return false;
    for (size_t i = 0; i < count; i++)
        reads[i] = reading->places[place_of_slot(reading, steps->shared_references.items[i].slot)];
    steps->shared_reads = reads;
    return true;
}

/* What `nodes =` says there are would be enough for longer. (Code that gives nodes back, which are
 * handed out while some reference leads there, or that links to an address, has what is not known
 * to read_before.) */
static bool may_forget(const struct lin_steps *steps)
{
    bool may = steps->pool_count > 0 && steps->object->operation_count > 0 && !steps->helps;
    for (uint32_t i = 0; i < steps->pool_count; i++)
        may &= steps->pools[i].is_default || steps->setting.unbounded;
    return may;
}

static bool find(struct reading *reading, struct arena *scratch)
{
    const struct lin_steps *steps = reading->steps;
    const uint32_t count = listing_here(&steps->listing);
    reading->depths = arena_allocate(scratch, count * sizeof *reading->depths);
    reading->accesses = arena_allocate(scratch, count * sizeof *reading->accesses);
    if (!reading->depths || !reading->accesses || !number_fields(reading, scratch))
        return false;
    memset(reading->depths, 0, count * sizeof *reading->depths);
    if (reading->field_count > MOST_FIELDS)
        return true;
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        if (!lin_ways_run(&reading->ways, i))
            return false;
    if (reading->ways.lost || reading->lost)
        return true;
    return find_reads(reading, scratch) && (reading->lost || keep(reading));
}

enum status lin_step_find_fields(struct lin_steps *steps)
{
    struct reading reading = {.steps = steps};
    struct arena scratch;
    if (!may_forget(steps))
        return STATUS_OK;
    arena_init(&scratch, steps->arena->budget);
    const bool done = lin_ways_open(&reading.ways, steps, &class, &reading) == STATUS_OK &&
                      find(&reading, &scratch);
    lin_ways_close(&reading.ways);
    arena_release(&scratch);
    return granted(done);
}
