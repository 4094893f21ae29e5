#include "code/codes.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/blocks.h"
#include "base/hash.h"
#include "base/shared_table.h"

struct codes {
    struct budget *budget;
    struct arena arena;
    struct blocks items; /* struct code; number 0 is no code */
    struct shared_table numbers;
    pthread_mutex_t lock; /* of all that is added */
    code_id count;
};

struct codes *codes_create(struct budget *budget)
{
    struct codes *codes = memory_zeroed(budget, sizeof *codes);
    if (!codes)
        return NULL;
    codes->budget = budget;
    codes->count = 1;
    arena_init(&codes->arena, budget);
    blocks_init(&codes->items, budget, sizeof(struct code));
    shared_table_init(&codes->numbers, budget);
    pthread_mutex_init(&codes->lock, NULL);
    if (!blocks_reach(&codes->items, 0)) {
        codes_destroy(codes);
        return NULL;
    }
    return codes;
}

void codes_destroy(struct codes *codes)
{
    if (!codes)
        return;
    shared_table_release(&codes->numbers);
    blocks_release(&codes->items);
    arena_release(&codes->arena);
    pthread_mutex_destroy(&codes->lock);
    memory_release(codes->budget, codes, sizeof *codes);
}

static uint64_t code_hash(const struct code *code)
{
    return hash_bytes(code->instructions, code->length * sizeof *code->instructions, code->locals);
}

static bool same_code(const struct code *a, const struct code *b)
{
    return a->length == b->length && a->locals == b->locals &&
           (a->length == 0 || /* an empty program */
            memcmp(a->instructions, b->instructions, a->length * sizeof *a->instructions) == 0);
}

/* 0 where there is none. */
static code_id code_find(const struct codes *codes, const struct code *code, uint64_t hash)
{
    struct shared_search search = shared_table_search(&codes->numbers, hash);
    while (shared_table_next(&search))
        if (same_code(codes_get(codes, search.number), code))
            return search.number;
    return 0;
}

static code_id code_add(struct codes *codes, const struct code *code, uint64_t hash)
{
    size_t size = code->length * sizeof *code->instructions;
    struct instruction *instructions = arena_allocate(&codes->arena, size);
    place *places = arena_allocate(&codes->arena, code->length * sizeof *places);
    struct code *kept = blocks_reach(&codes->items, codes->count);
    if (!instructions || !places || !kept)
        return 0;
    if (size) {
        memcpy(instructions, code->instructions, size);
        memcpy(places, code->places, code->length * sizeof *places);
    }
    *kept = *code;
    kept->instructions = instructions;
    kept->places = places;
    return shared_table_add(&codes->numbers, hash, codes->count) ? codes->count++ : 0;
}

/* Whether jumps lead to instructions of the code or to its end. */
static inline bool jumps_within(const struct code *code)
{
    bool within = true;
    for (uint32_t i = 0; i < code->length; i++)
        within &= !instruction_is_jump(&code->instructions[i]) ||
                  (uint32_t)code->instructions[i].operand <= code->length;
    return within;
}

uint32_t codes_count(struct codes *codes)
{
    pthread_mutex_lock(&codes->lock);
    const uint32_t count = codes->count;
    pthread_mutex_unlock(&codes->lock);
    return count;
}

code_id codes_intern(struct codes *codes, const struct code *code)
{
    assert(jumps_within(code));
    uint64_t hash = code_hash(code);
    code_id id = code_find(codes, code, hash);
    if (id)
        return id;
    pthread_mutex_lock(&codes->lock);
    id = code_find(codes, code, hash); /* by now, perhaps */
    if (!id)
        id = code_add(codes, code, hash);
    pthread_mutex_unlock(&codes->lock);
    return id;
}

const struct code *codes_get(const struct codes *codes, code_id id)
{
    return blocks_at(&codes->items, id);
}

bool code_is_constant(const struct codes *codes, code_id id, datum *constant)
{
    const struct code *code = codes_get(codes, id);
    if (code->length != 1 || code->instructions[0].op != OP_PUSH)
        return false;
    *constant = instruction_word(&code->instructions[0]);
    return true;
}

bool code_starts_outside(const struct codes *codes, code_id id)
{
    const struct code *code = codes_get(codes, id);
    if (code->length < 2 || code->instructions[0].op != OP_PUSH ||
        (code->instructions[1].op != OP_LOAD_SLOT_AT &&
         code->instructions[1].op != OP_LOAD_LARGE_AT &&
         code->instructions[1].op != OP_LOAD_FIXED_AT))
        return false;
    int32_t index = code->instructions[0].operand;
    return index < 0 || (uint32_t)index >= code->instructions[1].wide;
}

/* Whether the word on top behind it is a boolean. */
static bool decides(const struct instruction *i)
{
    return i->op == OP_EQUAL || i->op == OP_NOT_EQUAL || i->op == OP_NOT;
}

bool code_may_fault(const struct codes *codes, code_id id)
{
    const struct code *code = codes_get(codes, id);
    for (uint32_t i = 0; i < code->length; i++) {
        const struct instruction *at = &code->instructions[i];
        switch ((enum opcode)at->op) {
        case OP_PUSH:
        case OP_POP:
        case OP_LOAD_SLOT:
        case OP_LOAD_FIXED:
        case OP_EQUAL:
        case OP_NOT_EQUAL:
            break;
        case OP_STORE_SLOT:
            if (at->range)
                return true;
            break;
        case OP_NOT:
            if (i == 0 || !decides(at - 1))
                return true;
            break;
        case OP_JUMP_IF_FALSE:
        case OP_JUMP_IF_TRUE:
            if (i == 0 || !decides(at - 1) || at->operand <= (int32_t)i)
                return true;
            break;
        default:
            return true;
        }
    }
    return false;
}

void code_accesses(const struct codes *codes, code_id id,
                   void (*visit)(void *context, uint32_t first, uint32_t count, bool write),
                   void *context)
{
    const struct code *code = codes_get(codes, id);
    for (uint32_t i = 0; i < code->length; i++) {
        struct slot_access access = instruction_slots(&code->instructions[i]);
        if (access.reads)
            visit(context, access.first, access.count, false);
        if (access.writes)
            visit(context, access.first, access.count, true);
    }
}
