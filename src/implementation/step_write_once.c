/* A forward data flow over the code of each operation, which runs it on abstract words.
 *
 * A node that the operation makes is *published* once a reference to it may be in memory: it was
 * stored, compared and swapped into something shared or into any node, or handed to whatever is not
 * known here to keep it. Until then only the operation's own locals lead to it. The nodes of an
 * operation are named by the NEW that made them, the latest of each; what else a reference may name
 * is ANY_OTHER, which counts as published. So does what is loaded from memory.
 *
 * A word has the names that it may be a reference to, null apart. A boolean also has claims: nodes
 * that are not published if it is false, or if it is true. That is how a cas that failed leaves a
 * node unpublished, whatever way its answer takes to the jump that asks for it. Where ways meet,
 * names and published nodes are united; of the claims those remain that hold on both ways, be it
 * because the node is not published there at all.
 *
 * A field is write-once if nodes of its struct are never given back and every write to it, in all
 * operations, is to unpublished nodes. docs/internals/reductions.md has what follows from that. */
#include "implementation/step_write_once.h"

#include <string.h>

#include "base/memory.h"
#include "implementation/step_places.h"

#define ANY_OTHER  (UINT64_C(1) << 63)
#define MOST_NAMED 63 /* NEWs of an operation; what others make is ANY_OTHER */

enum word_kind {
    WORD_PLAIN,
    WORD_SHARED, /* an address of a shared variable, */
    WORD_OWN,    /* of one of the thread's own, */
    WORD_FIELD,  /* of a field, in the node that `names` tells */
};

struct word {
    uint64_t names;
    uint64_t if_false, if_true; /* claims */
    uint32_t first, count;      /* WORD_OWN: locals; WORD_FIELD: a bit of `late` */
    uint32_t origin;            /* WORD_FIELD: the DEREFERENCE */
    enum word_kind kind;
};

/* Of an instruction that is jumped to: what was found before it. */
struct joint {
    uint64_t published;
    size_t first; /* word */
    uint32_t depth;
    bool waits; /* to be looked at */
};

struct analysis {
    struct lin_steps *steps;
    const struct lin_entry *entry;
    uint32_t *starts;         /* by pool: where its words begin in `late` */
    struct bits late;         /* by word of a node: its field is written to published nodes */
    struct bits reads, other; /* by DEREFERENCE: its address is loaded from; used otherwise */
    uint32_t *joints_of;      /* by instruction: 1 + its joint */
    VECTOR(struct joint) joints;
    VECTOR(struct word) kept; /* of joints: locals, then the stack */
    VECTOR(struct word) now;
    uint64_t published;
    bool lost; /* the code is not what is expected here: nothing is said */
};

/* ---- words ---- */

static const struct word nothing = {.kind = WORD_PLAIN}, something = {.names = ANY_OTHER};

static bool push(struct analysis *analysis, struct word word)
{
    return vector_push(&analysis->now, word);
}

static bool push_many(struct analysis *analysis, struct word word, uint32_t count)
{
    bool pushed = true;
    for (uint32_t i = 0; i < count && pushed; i++)
        pushed = push(analysis, word);
    return pushed;
}

/* So many words from the top; they stay until something else is pushed. */
static const struct word *pop(struct analysis *analysis, uint32_t count)
{
    assert(analysis->now.length >= analysis->steps->locals + count);
    analysis->now.length -= count;
    return analysis->now.items + analysis->now.length;
}

static uint64_t names_of(const struct word *words, uint32_t count)
{
    uint64_t names = 0;
    for (uint32_t i = 0; i < count; i++)
        names |= words[i].names;
    return names;
}

/* Nothing is claimed of a node any longer. */
static void publish(struct analysis *analysis, uint64_t names)
{
    names &= ~ANY_OTHER;
    analysis->published |= names;
    for (size_t i = 0; names && i < analysis->now.length; i++) {
        analysis->now.items[i].if_false &= ~names;
        analysis->now.items[i].if_true &= ~names;
    }
}

/* A node is made where another one was: of that nothing is known any more. */
static bool make_node(struct analysis *analysis, uint32_t at)
{
    uint32_t number = 0;
    for (uint32_t i = analysis->entry->start; i < at; i++)
        number += analysis->steps->listing.code.items[i].op == OP_NEW;
    if (number >= MOST_NAMED)
        return push(analysis, something);
    uint64_t name = UINT64_C(1) << number;
    for (size_t i = 0; i < analysis->now.length; i++) {
        struct word *word = &analysis->now.items[i];
        if (word->names & name)
            word->names = (word->names & ~name) | ANY_OTHER;
    }
    analysis->published &= ~name;
    return push(analysis, (struct word){.names = name});
}

/* ---- memory ---- */

static bool is_private(const struct analysis *analysis, uint64_t names)
{
    return !(names & (ANY_OTHER | analysis->published));
}

/* Something may be written there. */
static void note_write(struct analysis *analysis, const struct word *address)
{
    if (address->kind != WORD_FIELD)
        return;
    bits_set(analysis->other, address->origin);
    if (!is_private(analysis, address->names))
        bits_set(analysis->late, address->first);
}

/* These words may be written there. */
static void store(struct analysis *analysis, const struct word *address, const struct word *words,
                  uint32_t count)
{
    uint64_t names = names_of(words, count);
    note_write(analysis, address);
    if (address->kind != WORD_OWN) {
        publish(analysis, names);
        return;
    }
    for (uint32_t i = address->first; i < address->first + address->count; i++) {
        struct word *local = &analysis->now.items[i];
        *local = (struct word){.names = local->names | names};
    }
}

static struct word load(const struct analysis *analysis, const struct word *address)
{
    if (address->kind != WORD_OWN)
        return something;
    return (struct word){.names = names_of(analysis->now.items + address->first, address->count)};
}

/* Pops the words, what they are compared with, and an address. Which nodes are published by it
 * depends on what it answers. */
static bool store_perhaps(struct analysis *analysis, uint32_t count, bool compares)
{
    const struct word *words = pop(analysis, count);
    const struct word address = *pop(analysis, (compares ? count : 0) + 1);
    uint64_t claimed = address.kind == WORD_OWN ? 0 : ~analysis->published;
    store(analysis, &address, words, count);
    return push(analysis, (struct word){.if_false = claimed & ~ANY_OTHER});
}

static bool swap(struct analysis *analysis, uint32_t count)
{
    const struct word *words = pop(analysis, count);
    const struct word address = *pop(analysis, 1);
    const struct word old = load(analysis, &address);
    store(analysis, &address, words, count);
    return push_many(analysis, old, count);
}

static bool dereference(struct analysis *analysis, const struct instruction *instruction,
                        uint32_t at)
{
    struct word address = {.names = pop(analysis, 1)->names,
                           .first = analysis->starts[instruction->operand] + instruction->wide,
                           .origin = at,
                           .kind = WORD_FIELD};
    return push(analysis, address);
}

/* ---- instructions ---- */

/* True and false claim anything of what they are not. */
static struct word constant(const struct instruction *instruction)
{
    bool truth = datum_bits(instruction_word(instruction)) != 0;
    return (struct word){.if_false = truth ? ~ANY_OTHER : 0, .if_true = truth ? 0 : ~ANY_OTHER};
}

static bool pick(struct analysis *analysis, const struct instruction *instruction)
{
    struct word *record = analysis->now.items + analysis->now.length - instruction->small;
    memmove(record, record + instruction->operand, instruction->wide * sizeof *record);
    analysis->now.length -= instruction->small - instruction->wide;
    return true;
}

/* What only computes, or is not known here. */
static bool run_other(struct analysis *analysis, const struct instruction *instruction)
{
    struct stack_effect effect = instruction_effect(instruction);
    const struct word *words = pop(analysis, effect.pops);
    bool compares = instruction->op == OP_SAME || instruction->op == OP_EQUAL ||
                    instruction->op == OP_NOT_EQUAL;
    for (uint32_t i = 0; i < effect.pops; i++)
        if (words[i].kind != WORD_PLAIN)
            store(analysis, &words[i], NULL, 0);
    if (!compares)
        publish(analysis, names_of(words, effect.pops));
    return push_many(analysis, compares ? nothing : something, effect.pushes);
}

static bool run(struct analysis *analysis, uint32_t at)
{
    const struct instruction *i = &analysis->steps->listing.code.items[at];
    struct word *locals = analysis->now.items, word;
    const struct word *words;
    switch ((enum opcode)i->op) {
    case OP_PUSH:
        return push(analysis, constant(i));
    case OP_POP:
        (void)pop(analysis, (uint32_t)i->operand);
        return true;
    case OP_STEP:
    case OP_JUMP:
    case OP_CHECK_RANGE:
        return true;
    case OP_THREAD:
        return push(analysis, nothing);
    case OP_NOT:
        word = *pop(analysis, 1);
        return push(analysis, (struct word){.if_false = word.if_true, .if_true = word.if_false});
    case OP_LOAD_OWN:
        for (uint32_t j = 0; j < i->wide; j++)
            if (!push(analysis, analysis->now.items[(uint32_t)i->operand + j]))
                return false;
        return true;
    case OP_STORE_OWN:
        words = pop(analysis, i->wide);
        memcpy(locals + i->operand, words, i->wide * sizeof *words);
        return true;
    case OP_ADDRESS:
        return push(analysis, (struct word){.kind = WORD_SHARED});
    case OP_ADDRESS_OWN:
        return push(
            analysis,
            (struct word){.kind = WORD_OWN, .first = (uint32_t)i->operand, .count = i->wide});
    case OP_AT:
        word = pop(analysis, 2)[0];
        return push(analysis, word);
    case OP_OFFSET:
        return true;
    case OP_DEREFERENCE:
        return dereference(analysis, i, at);
    case OP_LOAD_SHARED:
        return push_many(analysis, something, i->wide);
    case OP_LOAD:
        word = *pop(analysis, 1);
        if (word.kind == WORD_FIELD)
            bits_set(analysis->reads, word.origin);
        return push_many(analysis, load(analysis, &word), i->wide);
    case OP_STORE:
        words = pop(analysis, i->wide + 1);
        word = words[0];
        store(analysis, &word, words + 1, i->wide);
        return true;
    case OP_PICK:
        return pick(analysis, i);
    case OP_CAS:
        return store_perhaps(analysis, i->wide, true);
    case OP_STORE_CONDITIONAL:
        return store_perhaps(analysis, i->wide, false);
    case OP_SWAP:
        return swap(analysis, i->wide);
    case OP_NEW:
        return make_node(analysis, at);
    case OP_AWAIT:
    case OP_ASSERT:
        analysis->published &= ~pop(analysis, 1)->if_true;
        return true;
    default:
        return run_other(analysis, i);
    }
}

/* ---- ways ---- */

/* Takes up in a joint what comes to it; whether that is anything new. */
static bool join_word(struct word *kept, const struct word *coming, uint64_t published, bool *lost)
{
    struct word joined = *kept;
    joined.names |= coming->names;
    joined.if_false &= coming->if_false | ~published;
    joined.if_true &= coming->if_true | ~published;
    *lost |= joined.kind != coming->kind || joined.first != coming->first ||
             joined.count != coming->count || joined.origin != coming->origin;
    bool grows = joined.names != kept->names || joined.if_false != kept->if_false ||
                 joined.if_true != kept->if_true;
    *kept = joined;
    return grows;
}

static bool begin_joint(struct analysis *analysis, uint32_t at, uint64_t published)
{
    const struct joint joint = {.published = published,
                                .first = analysis->kept.length,
                                .depth = (uint32_t)analysis->now.length,
                                .waits = true};
    for (size_t i = 0; i < analysis->now.length; i++) {
        struct word word = analysis->now.items[i];
        word.if_false |= ~published;
        word.if_true |= ~published;
        if (!vector_push(&analysis->kept, word))
            return false;
    }
    analysis->joints_of[at] = (uint32_t)analysis->joints.length + 1;
    return vector_push(&analysis->joints, joint);
}

/* What is now comes to an instruction that is jumped to. */
static bool come_to(struct analysis *analysis, uint32_t at, uint64_t published)
{
    if (!analysis->joints_of[at])
        return begin_joint(analysis, at, published);
    struct joint *joint = &analysis->joints.items[analysis->joints_of[at] - 1];
    if (joint->depth != analysis->now.length) {
        analysis->lost = true;
        return true;
    }
    bool grows = (joint->published | published) != joint->published;
    joint->published |= published;
    for (uint32_t i = 0; i < joint->depth; i++)
        grows |= join_word(&analysis->kept.items[joint->first + i], &analysis->now.items[i],
                           published, &analysis->lost);
    joint->waits |= grows;
    return true;
}

/* From an instruction on, with what is now, to where the way ends or comes to a joint. */
static bool run_way(struct analysis *analysis, uint32_t at)
{
    const struct instruction *code = analysis->steps->listing.code.items;
    for (bool first = true;; first = false, at++) {
        if (!first && analysis->joints_of[at])
            return come_to(analysis, at, analysis->published);
        const struct instruction *i = &code[at];
        uint64_t published = analysis->published;
        if (i->op == OP_JUMP_IF_FALSE || i->op == OP_JUMP_IF_TRUE) {
            const struct word asked = *pop(analysis, 1);
            bool if_false = i->op == OP_JUMP_IF_FALSE;
            published &= ~(if_false ? asked.if_false : asked.if_true);
            analysis->published &= ~(if_false ? asked.if_true : asked.if_false);
        } else if (!run(analysis, at))
            return false;
        if (instruction_is_jump(i) && !come_to(analysis, (uint32_t)i->operand, published))
            return false;
        if (analysis->lost || !instruction_goes_on(i))
            return true;
    }
}

static bool run_joint(struct analysis *analysis, uint32_t at)
{
    struct joint *joint = &analysis->joints.items[analysis->joints_of[at] - 1];
    joint->waits = false;
    analysis->published = joint->published;
    analysis->now.length = 0;
    for (uint32_t i = 0; i < joint->depth; i++)
        if (!vector_push(&analysis->now, analysis->kept.items[joint->first + i]))
            return false;
    return run_way(analysis, at);
}

/* Until nothing new comes to any joint. */
static bool run_entry(struct analysis *analysis, const struct lin_entry *entry, uint32_t end)
{
    analysis->entry = entry;
    analysis->published = 0;
    analysis->now.length = 0;
    if (!push_many(analysis, something, analysis->steps->locals) ||
        !begin_joint(analysis, entry->start, 0))
        return false;
    for (bool changed = true; changed && !analysis->lost;) {
        changed = false;
        for (uint32_t at = entry->start; at < end && !analysis->lost; at++) {
            uint32_t joint = analysis->joints_of[at];
            if (!joint || !analysis->joints.items[joint - 1].waits)
                continue;
            changed = true;
            if (!run_joint(analysis, at))
                return false;
        }
    }
    return true;
}

/* ---- fields ---- */

static bool is_freed(const struct lin_steps *steps, uint32_t pool)
{
    bool freed = false;
    for (size_t i = 0; i < steps->listing.code.length; i++) {
        const struct instruction *instruction = &steps->listing.code.items[i];
        freed |= instruction->op == OP_FREE && (uint32_t)instruction->operand == pool;
    }
    return freed;
}

static bool name_fields(const struct analysis *analysis)
{
    struct lin_steps *steps = analysis->steps;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        struct lin_pool *pool = &steps->pools[i];
        uint32_t count = pool->of->field_count, at = analysis->starts[i] + 1;
        bool freed = is_freed(steps, i);
        pool->write_once = arena_allocate(steps->arena, count * sizeof *pool->write_once);
        if (!pool->write_once)
            return false;
        for (uint32_t j = 0; j < count; j++) {
            if (analysis->lost || freed)
                bits_set(analysis->late, at);
            pool->write_once[j] = !bits_get(analysis->late, at);
            at += pool->lengths[j] * lin_step_words_of(&pool->of->fields[j]->type);
        }
    }
    return true;
}

static void mark_reads(const struct analysis *analysis)
{
    struct lin_steps *steps = analysis->steps;
    for (uint32_t at = 0; at < steps->listing.code.length; at++) {
        struct instruction *instruction = &steps->listing.code.items[at];
        if (instruction->op != OP_DEREFERENCE || !bits_get(analysis->reads, at) ||
            bits_get(analysis->other, at) ||
            bits_get(analysis->late, analysis->starts[instruction->operand] + instruction->wide))
            continue;
        instruction->small = 1;
        steps->reads_write_once = true;
    }
}

static bool analyse(struct analysis *analysis)
{
    struct lin_steps *steps = analysis->steps;
    uint32_t count = steps->object->operation_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t end = i + 1 < count ? steps->entries[i + 1].start : listing_here(&steps->listing);
        if (!run_entry(analysis, &steps->entries[i], end))
            return false;
    }
    if (!name_fields(analysis))
        return false;
    mark_reads(analysis);
    return true;
}

enum status lin_step_find_write_once(struct lin_steps *steps)
{
    struct budget *budget = steps->arena->budget;
    uint32_t count = listing_here(&steps->listing), words = 0;
    if (steps->pool_count == 0)
        return STATUS_OK;
    struct analysis analysis = {.steps = steps};
    vectors_init(budget, &analysis.joints, &analysis.kept, &analysis.now);
    analysis.starts = memory_allocate(budget, steps->pool_count * sizeof *analysis.starts);
    for (uint32_t i = 0; analysis.starts && i < steps->pool_count; i++) {
        analysis.starts[i] = words;
        words += steps->pools[i].words;
    }
    analysis.joints_of = memory_zeroed(budget, count * sizeof *analysis.joints_of);
    analysis.late = bits_allocate(budget, words);
    analysis.reads = bits_allocate(budget, count);
    analysis.other = bits_allocate(budget, count);
    bool done = analysis.starts && analysis.joints_of && analysis.late.words &&
                analysis.reads.words && analysis.other.words && analyse(&analysis);
    bits_release(budget, analysis.other);
    bits_release(budget, analysis.reads);
    bits_release(budget, analysis.late);
    memory_release(budget, analysis.joints_of, count * sizeof *analysis.joints_of);
    memory_release(budget, analysis.starts, steps->pool_count * sizeof *analysis.starts);
    vectors_release(&analysis.joints, &analysis.kept, &analysis.now);
    return granted(done);
}
