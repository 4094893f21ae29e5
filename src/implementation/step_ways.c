#include "implementation/step_ways.h"

#include <string.h>

#include "base/memory.h"

/* ---- words ---- */

static const struct lin_way_word nothing = {.kind = LIN_WORD_PLAIN},
                                 something = {.names = LIN_WAYS_OTHER};

static bool push(struct lin_ways *ways, struct lin_way_word word)
{
    return vector_push(&ways->now, word);
}

static bool push_many(struct lin_ways *ways, struct lin_way_word word, uint32_t count)
{
    bool pushed = true;
    for (uint32_t i = 0; i < count && pushed; i++)
        pushed = push(ways, word);
    return pushed;
}

/* So many words from the top; they stay until something else is pushed. */
static const struct lin_way_word *pop(struct lin_ways *ways, uint32_t count)
{
    assert(ways->now.length >= ways->steps->locals + count);
    ways->now.length -= count;
    return ways->now.items + ways->now.length;
}

static uint64_t names_of(const struct lin_way_word *words, uint32_t count)
{
    uint64_t names = 0;
    for (uint32_t i = 0; i < count; i++)
        names |= words[i].names;
    return names;
}

/* Nothing is claimed of a node any longer. */
static void publish(struct lin_ways *ways, uint64_t names)
{
    names &= ~LIN_WAYS_OTHER;
    ways->published |= names;
    for (size_t i = 0; names && i < ways->now.length; i++) {
        ways->now.items[i].if_false &= ~names;
        ways->now.items[i].if_true &= ~names;
    }
}

uint64_t lin_ways_name(const struct lin_steps *steps, const struct lin_entry *entry, uint32_t at)
{
    uint32_t number = 0;
    for (uint32_t i = entry->start; i < at; i++)
        number += steps->listing.code.items[i].op == OP_NEW;
    return number < LIN_WAYS_NAMES ? UINT64_C(1) << number : LIN_WAYS_OTHER;
}

/* A node is made where another one was: of that nothing is known any more. */
static bool make_node(struct lin_ways *ways, uint32_t at)
{
    uint64_t name = lin_ways_name(ways->steps, ways->entry, at);
    if (name == LIN_WAYS_OTHER)
        return push(ways, something);
    for (size_t i = 0; i < ways->now.length; i++) {
        struct lin_way_word *word = &ways->now.items[i];
        if (word->names & name)
            word->names = (word->names & ~name) | LIN_WAYS_OTHER;
    }
    ways->published &= ~name;
    return push(ways, (struct lin_way_word){.names = name});
}

/* ---- memory ---- */

/* Something may be written there. */
static void note_write(struct lin_ways *ways, const struct lin_way_word *address, uint32_t count)
{
    if (ways->class->writes)
        publish(ways, ways->class->writes(ways->observer, ways, ways->at, address, count));
}

static void publish_nodes(struct lin_ways *ways, uint64_t names)
{
    if (ways->class->publishes && (names & ~LIN_WAYS_OTHER))
        ways->class->publishes(ways->observer, ways->at, names & ~LIN_WAYS_OTHER);
    publish(ways, names);
}

/* These words may be written there. */
static void store(struct lin_ways *ways, const struct lin_way_word *address,
                  const struct lin_way_word *words, uint32_t count)
{
    uint64_t names = names_of(words, count);
    note_write(ways, address, count);
    if (address->kind != LIN_WORD_OWN) {
        publish_nodes(ways, names);
        return;
    }
    for (uint32_t i = address->first; i < address->first + address->count; i++) {
        struct lin_way_word *local = &ways->now.items[i];
        *local = (struct lin_way_word){.names = local->names | names};
    }
}

static struct lin_way_word load(const struct lin_ways *ways, const struct lin_way_word *address)
{
    if (address->kind != LIN_WORD_OWN)
        return something;
    return (struct lin_way_word){.names =
                                     names_of(ways->now.items + address->first, address->count)};
}

/* Pops the words, what they are compared with, and an address. Which nodes are published by it
 * depends on what it answers. */
static bool store_perhaps(struct lin_ways *ways, uint32_t count, bool compares)
{
    const struct lin_way_word *words = pop(ways, count);
    const struct lin_way_word address = *pop(ways, (compares ? count : 0) + 1);
    uint64_t claimed = address.kind == LIN_WORD_OWN ? 0 : ~ways->published;
    store(ways, &address, words, count);
    return push(ways, (struct lin_way_word){.if_false = claimed & ~LIN_WAYS_OTHER});
}

static bool swap(struct lin_ways *ways, uint32_t count)
{
    const struct lin_way_word *words = pop(ways, count);
    const struct lin_way_word address = *pop(ways, 1);
    const struct lin_way_word old = load(ways, &address);
    store(ways, &address, words, count);
    return push_many(ways, old, count);
}

static bool dereference(struct lin_ways *ways, const struct instruction *instruction, uint32_t at)
{
    struct lin_way_word address = {.names = pop(ways, 1)->names,
                                   .first = ways->starts[instruction->operand] + instruction->wide,
                                   .origin = at,
                                   .kind = LIN_WORD_FIELD};
    return push(ways, address);
}

/* ---- instructions ---- */

/* True and false claim anything of what they are not. */
static struct lin_way_word constant(const struct instruction *instruction)
{
    bool truth = datum_bits(instruction_word(instruction)) != 0;
    return (struct lin_way_word){.if_false = truth ? ~LIN_WAYS_OTHER : 0,
                                 .if_true = truth ? 0 : ~LIN_WAYS_OTHER};
}

static bool pick(struct lin_ways *ways, const struct instruction *instruction)
{
    struct lin_way_word *record = ways->now.items + ways->now.length - instruction->small;
    memmove(record, record + instruction->operand, instruction->wide * sizeof *record);
    ways->now.length -= instruction->small - instruction->wide;
    return true;
}

/* What only computes, or is not known here. */
static bool run_other(struct lin_ways *ways, const struct instruction *instruction)
{
    struct stack_effect effect = instruction_effect(instruction);
    const struct lin_way_word *words = pop(ways, effect.pops);
    bool compares = instruction->op == OP_SAME || instruction->op == OP_EQUAL ||
                    instruction->op == OP_NOT_EQUAL;
    for (uint32_t i = 0; i < effect.pops; i++)
        if (words[i].kind != LIN_WORD_PLAIN)
            store(ways, &words[i], NULL, 0);
    if (!compares)
        publish_nodes(ways, names_of(words, effect.pops));
    return push_many(ways, compares ? nothing : something, effect.pushes);
}

/* Into locals by name. */
static void store_own(struct lin_ways *ways, const struct instruction *i)
{
    const struct lin_way_word *words = pop(ways, i->wide), address = {.kind = LIN_WORD_OWN,
                                                                      .first = (uint32_t)i->operand,
                                                                      .count = i->wide};
    memcpy(ways->now.items + i->operand, words, i->wide * sizeof *words);
    note_write(ways, &address, i->wide);
}

static bool run(struct lin_ways *ways, uint32_t at)
{
    const struct instruction *i = &ways->steps->listing.code.items[at];
    struct lin_way_word word;
    const struct lin_way_word *words;
    switch ((enum opcode)i->op) {
    case OP_PUSH:
        return push(ways, constant(i));
    case OP_POP:
        (void)pop(ways, (uint32_t)i->operand);
        return true;
    case OP_STEP:
    case OP_JUMP:
    case OP_CHECK_RANGE:
        return true;
    case OP_THREAD:
        return push(ways, nothing);
    case OP_NOT:
        word = *pop(ways, 1);
        return push(ways,
                    (struct lin_way_word){.if_false = word.if_true, .if_true = word.if_false});
    case OP_LOAD_OWN:
        for (uint32_t j = 0; j < i->wide; j++)
            if (!push(ways, ways->now.items[(uint32_t)i->operand + j]))
                return false;
        return true;
    case OP_STORE_OWN:
        store_own(ways, i);
        return true;
    case OP_ADDRESS:
        return push(ways, (struct lin_way_word){.kind = LIN_WORD_SHARED,
                                                .first = (uint32_t)i->operand,
                                                .origin = at});
    case OP_ADDRESS_OWN:
        return push(ways, (struct lin_way_word){.kind = LIN_WORD_OWN,
                                                .first = (uint32_t)i->operand,
                                                .count = i->wide});
    case OP_AT:
        word = pop(ways, 2)[0];
        word.moved = true;
        return push(ways, word);
    case OP_OFFSET:
        ways->now.items[ways->now.length - 1].moved = true;
        return true;
    case OP_DEREFERENCE:
        return dereference(ways, i, at);
    case OP_LOAD_SHARED:
        return push_many(ways, something, i->wide);
    case OP_LOAD:
        word = *pop(ways, 1);
        if (ways->class->reads)
            ways->class->reads(ways->observer, ways, at, &word, i->wide);
        return push_many(ways, load(ways, &word), i->wide);
    case OP_STORE:
        words = pop(ways, i->wide + 1);
        word = words[0];
        store(ways, &word, words + 1, i->wide);
        return true;
    case OP_PICK:
        return pick(ways, i);
    case OP_CAS:
        return store_perhaps(ways, i->wide, true);
    case OP_STORE_CONDITIONAL:
        return store_perhaps(ways, i->wide, false);
    case OP_SWAP:
        return swap(ways, i->wide);
    case OP_NEW:
        return make_node(ways, at);
    case OP_AWAIT:
    case OP_ASSERT:
        ways->published &= ~pop(ways, 1)->if_true;
        return true;
    default:
        return run_other(ways, i);
    }
}

/* ---- ways ---- */

/* Takes up in a joint what comes to it; whether that is anything new. */
static bool join_word(struct lin_way_word *kept, const struct lin_way_word *coming,
                      uint64_t published, bool *lost)
{
    struct lin_way_word joined = *kept;
    joined.names |= coming->names;
    joined.if_false &= coming->if_false | ~published;
    joined.if_true &= coming->if_true | ~published;
    *lost |= joined.kind != coming->kind || joined.first != coming->first ||
             joined.count != coming->count || joined.origin != coming->origin ||
             joined.moved != coming->moved;
    bool grows = joined.names != kept->names || joined.if_false != kept->if_false ||
                 joined.if_true != kept->if_true;
    *kept = joined;
    return grows;
}

static bool begin_joint(struct lin_ways *ways, uint32_t at, uint64_t published)
{
    const struct lin_way_joint joint = {.published = published,
                                        .first = ways->kept.length,
                                        .depth = (uint32_t)ways->now.length,
                                        .waits = true};
    for (size_t i = 0; i < ways->now.length; i++) {
        struct lin_way_word word = ways->now.items[i];
        word.if_false |= ~published;
        word.if_true |= ~published;
        if (!vector_push(&ways->kept, word))
            return false;
    }
    ways->joints_of[at] = (uint32_t)ways->joints.length + 1;
    return vector_push(&ways->joints, joint);
}

/* What is now comes to an instruction that is jumped to. */
static bool come_to(struct lin_ways *ways, uint32_t at, uint64_t published)
{
    if (!ways->joints_of[at])
        return begin_joint(ways, at, published);
    struct lin_way_joint *joint = &ways->joints.items[ways->joints_of[at] - 1];
    if (joint->depth != ways->now.length) {
        ways->lost = true;
        return true;
    }
    bool grows = (joint->published | published) != joint->published;
    joint->published |= published;
    for (uint32_t i = 0; i < joint->depth; i++)
        grows |= join_word(&ways->kept.items[joint->first + i], &ways->now.items[i], published,
                           &ways->lost);
    joint->waits |= grows;
    return true;
}

/* From an instruction on, with what is now, to where the way ends or comes to a joint. */
static bool run_way(struct lin_ways *ways, uint32_t at)
{
    const struct instruction *code = ways->steps->listing.code.items;
    for (bool first = true;; first = false, at++) {
        if (!first && ways->joints_of[at])
            return come_to(ways, at, ways->published);
        const struct instruction *i = &code[at];
        ways->at = at;
        if (ways->class->begins)
            publish(ways, ways->class->begins(ways->observer, ways, at));
        uint64_t published = ways->published;
        if (i->op == OP_JUMP_IF_FALSE || i->op == OP_JUMP_IF_TRUE) {
            const struct lin_way_word asked = *pop(ways, 1);
            bool if_false = i->op == OP_JUMP_IF_FALSE;
            published &= ~(if_false ? asked.if_false : asked.if_true);
            ways->published &= ~(if_false ? asked.if_true : asked.if_false);
        } else if (!run(ways, at))
            return false;
        if (instruction_is_jump(i) && !come_to(ways, (uint32_t)i->operand, published))
            return false;
        if (ways->lost || !instruction_goes_on(i))
            return true;
    }
}

static bool run_joint(struct lin_ways *ways, uint32_t at)
{
    struct lin_way_joint *joint = &ways->joints.items[ways->joints_of[at] - 1];
    joint->waits = false;
    ways->published = joint->published;
    ways->now.length = 0;
    for (uint32_t i = 0; i < joint->depth; i++)
        if (!vector_push(&ways->now, ways->kept.items[joint->first + i]))
            return false;
    return run_way(ways, at);
}

bool lin_ways_run(struct lin_ways *ways, uint32_t entry)
{
    const uint32_t start = ways->steps->entries[entry].start;
    const uint32_t end = lin_ways_end(ways->steps, entry);
    ways->entry = &ways->steps->entries[entry];
    ways->published = ways->tokens;
    ways->now.length = 0;
    if (!push_many(ways, something, ways->steps->locals) ||
        !begin_joint(ways, start, ways->published))
        return false;
    for (bool changed = true; changed && !ways->lost;) {
        changed = false;
        for (uint32_t at = start; at < end && !ways->lost; at++) {
            uint32_t joint = ways->joints_of[at];
            if (!joint || !ways->joints.items[joint - 1].waits)
                continue;
            changed = true;
            if (!run_joint(ways, at))
                return false;
        }
    }
    return true;
}

uint32_t lin_ways_end(const struct lin_steps *steps, uint32_t entry)
{
    return entry + 1 < steps->object->operation_count ? steps->entries[entry + 1].start
                                                      : listing_here(&steps->listing);
}

enum status lin_ways_open(struct lin_ways *ways, struct lin_steps *steps,
                          const struct lin_ways_class *class, void *observer)
{
    struct budget *budget = steps->arena->budget;
    *ways = (struct lin_ways){.steps = steps, .class = class, .observer = observer};
    vectors_init(budget, &ways->joints, &ways->kept, &ways->now);
    ways->starts = memory_allocate(budget, steps->pool_count * sizeof *ways->starts);
    for (uint32_t i = 0; ways->starts && i < steps->pool_count; i++) {
        ways->starts[i] = ways->words;
        ways->words += steps->pools[i].words;
    }
    ways->joints_of =
        memory_zeroed(budget, listing_here(&steps->listing) * sizeof *ways->joints_of);
    return granted(ways->starts && ways->joints_of);
}

void lin_ways_close(struct lin_ways *ways)
{
    const struct lin_steps *steps = ways->steps;
    struct budget *budget = steps->arena->budget;
    memory_release(budget, ways->joints_of,
                   listing_here(&steps->listing) * sizeof *ways->joints_of);
    memory_release(budget, ways->starts, steps->pool_count * sizeof *ways->starts);
    vectors_release(&ways->joints, &ways->kept, &ways->now);
}
