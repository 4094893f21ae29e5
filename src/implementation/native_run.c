/* The code of steps as one C function, in which an instruction is a label. The stack's words are
 * variables w0, w1, ...: how deep the stack is at an instruction is known. They are integers of 32
 * bits, of which the interpreter's booleans are 0 and 1.
 *
 * Whatever is no common case (a fault, an error, a number that leaves its range, a loop that goes
 * on) is left to the interpreter: the function answers that it asks, and the step is run once
 * more, from its beginning, by the interpreter. So there is no message here, and no count. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "code/interpreter.h"
#include "implementation/native_abi.h"
#include "implementation/native_source.h"
#include "implementation/quiet_steps.h"

#define NOT_REACHED       UINT32_MAX
#define MOST_BACK         1000   /* jumps backwards of a run */
#define MOST_INSTRUCTIONS 900000 /* fewer than the interpreter lets a step have */

struct writer {
    const struct lin_model *model;
    const struct lin_steps *steps;
    struct text *out;
    uint32_t *depths; /* by instruction; NOT_REACHED */
    uint32_t at;
    uint32_t starts[MOST_POOLS];
};

/* ---- how deep the stack is ---- */

static bool reach(struct writer *writer, uint32_t at, uint32_t depth, bool *changed)
{
    if (at >= writer->steps->listing.code.length)
        return false;
    if (writer->depths[at] == NOT_REACHED) {
        writer->depths[at] = depth;
        *changed = true;
    }
    return writer->depths[at] == depth;
}

/* False if some instruction can be reached with the stack now so, now otherwise. */
static bool find_depths(struct writer *writer)
{
    const struct lin_steps *steps = writer->steps;
    const struct instruction *code = steps->listing.code.items;
    const uint32_t length = (uint32_t)steps->listing.code.length;
    bool right = true;
    for (uint32_t i = 0; i < length; i++)
        writer->depths[i] = NOT_REACHED;
    for (bool changed = true; changed && right;) {
        changed = false;
        for (uint32_t i = 0; i < steps->object->operation_count; i++)
            right &= reach(writer, steps->entries[i].start, 0, &changed);
        for (size_t i = 0; i < steps->conditions.length; i++)
            right &= reach(writer, steps->conditions.items[i], 0, &changed);
        for (uint32_t i = 0; i < length; i++) {
            const uint32_t depth = writer->depths[i];
            if (depth == NOT_REACHED)
                continue;
            const struct stack_effect effect = instruction_effect(&code[i]);
            if (depth < effect.pops || (code[i].op == OP_STEP && depth != 0))
                return false;
            const uint32_t then = depth - effect.pops + effect.pushes;
            if (instruction_is_jump(&code[i]))
                right &= reach(writer, (uint32_t)code[i].operand, then, &changed);
            if (instruction_goes_on(&code[i]))
                right &= reach(writer, i + 1, then, &changed);
        }
    }
    return right;
}

static uint32_t most_depth(const struct writer *writer)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < writer->steps->listing.code.length; i++) {
        if (writer->depths[i] == NOT_REACHED)
            continue;
        const struct stack_effect effect =
            instruction_effect(&writer->steps->listing.code.items[i]);
        const uint32_t depth = writer->depths[i] - effect.pops + effect.pushes;
        most = most > writer->depths[i] ? most : writer->depths[i];
        most = most > depth ? most : depth;
    }
    return most;
}

/* ---- instructions ---- */

/* The number of the word `below` the top. */
static uint32_t word(const struct writer *writer, uint32_t below)
{
    return writer->depths[writer->at] - 1 - below;
}

#define WRITE(writer, ...) text_format((writer)->out, __VA_ARGS__)

static void write_ask(struct writer *writer, const char *when)
{
    WRITE(writer, " if (%s) return ASKS;", when);
}

static void write_end(struct writer *writer, const char *ran)
{
    WRITE(writer, " { r->at = %" PRIu32 "; ran = %s; goto ended; }", writer->at, ran);
}

/* w[to] becomes an expression of 64 bits, `x`, that must fit. */
static void write_sum(struct writer *writer, uint32_t to)
{
    WRITE(writer, " if (x != (int32_t)x) return ASKS; w%" PRIu32 " = (int32_t)x;", to);
}

static void write_operator(struct writer *writer, enum opcode op)
{
    static const char *const signs[OP_COUNT] = {[OP_ADD] = "+",
                                                [OP_SUBTRACT] = "-",
                                                [OP_MULTIPLY] = "*",
                                                [OP_DIVIDE] = "/",
                                                [OP_REMAINDER] = "%",
                                                [OP_MODULO] = "%",
                                                [OP_BIT_AND] = "&",
                                                [OP_BIT_OR] = "|",
                                                [OP_BIT_XOR] = "^",
                                                [OP_LESS] = "<",
                                                [OP_LESS_EQUAL] = "<=",
                                                [OP_GREATER] = ">",
                                                [OP_GREATER_EQUAL] = ">=",
                                                [OP_EQUAL] = "==",
                                                [OP_NOT_EQUAL] = "!=",
                                                [OP_XOR] = "^"};
    const uint32_t left = word(writer, 1), right = word(writer, 0);
    if (opcode_orders(op) || op == OP_EQUAL || op == OP_NOT_EQUAL || op == OP_XOR) {
        WRITE(writer, " w%" PRIu32 " = w%" PRIu32 " %s w%" PRIu32 ";", left, left, signs[op],
              right);
        return;
    }
    if (opcode_divides(op))
        WRITE(writer, " if (w%" PRIu32 " == 0) return ASKS;", right);
    WRITE(writer, " x = (int64_t)w%" PRIu32 " %s w%" PRIu32 ";", left, signs[op], right);
    if (op == OP_MODULO)
        WRITE(writer, " if (x < 0) x += w%" PRIu32 ";", right);
    write_sum(writer, left);
}

/* Stores the words from w[first] on at an address. */
static void write_words(struct writer *writer, const char *address, uint32_t first, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        WRITE(writer, " PUT(s[%s + %" PRIu32 "], w%" PRIu32 ")", address, i, first + i);
    if (writer->model->links)
        WRITE(writer, " unlink(s, %s, %" PRIu32 ");", address, words);
}

static void write_load(struct writer *writer, const char *address, uint32_t to, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        WRITE(writer, " w%" PRIu32 " = (int32_t)s[%s + %" PRIu32 "];", to + i, address, i);
}

static void write_address(struct writer *writer, uint32_t slot)
{
    WRITE(writer, " a = (uint32_t)w%" PRIu32 ";", slot);
}

/* Whether the words at `a` are those from w[first] on, in `y`. */
static void write_same(struct writer *writer, uint32_t first, uint32_t words)
{
    WRITE(writer, " y = 1");
    for (uint32_t i = 0; i < words; i++)
        WRITE(writer, " & (s[a + %" PRIu32 "] == (uint32_t)w%" PRIu32 ")", i, first + i);
    WRITE(writer, ";");
}

static void write_dereference(struct writer *writer, const struct instruction *i)
{
    const struct lin_pool *pool = &writer->steps->pools[i->operand];
    const uint32_t top = word(writer, 0);
    WRITE(writer, " if (w%" PRIu32 " == 0) return ASKS;", top);
    if (writer->model->options.write_once && i->small == 1)
        WRITE(writer, " r->reads_write_once = 1;");
    else if (i->small != LIN_ADDRESS_LEFT)
        WRITE(writer, " touched |= (uint64_t)1 << (%" PRIu32 "u + w%" PRIu32 " - 1);",
              writer->starts[i->operand], top);
    WRITE(writer, " w%" PRIu32 " = %" PRIu32 " + (w%" PRIu32 " - 1) * %" PRIu32 ";", top,
          pool->first + i->wide, top, pool->words);
}

static void write_new(struct writer *writer, const struct lin_pool *pool)
{
    const uint32_t to = writer->depths[writer->at];
    WRITE(writer, " y = find(s, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", r);", pool->first,
          pool->words, pool->nodes);
    WRITE(writer, " if (y == -2) return ASKS; if (y == -1) {");
    if (pool->is_default)
        WRITE(writer, " r->exhausted = 1;");
    write_end(writer, "OUT_OF_NODES");
    WRITE(writer, " } w%" PRIu32 " = y + 1; a = %" PRIu32 " + y * %" PRIu32 ";", to, pool->first,
          pool->words);
    for (uint32_t i = 0; i < pool->words; i++)
        WRITE(writer, " PUT(s[a + %" PRIu32 "], %" PRId32 ")", i, pool->initial[i]);
    if (writer->model->links)
        WRITE(writer, " unlink(s, a, %" PRIu32 ");", pool->words);
}

static void write_free(struct writer *writer, const struct lin_pool *pool)
{
    const uint32_t top = word(writer, 0);
    WRITE(writer, " if (w%" PRIu32 " == 0) return ASKS;", top);
    WRITE(writer, " a = %" PRIu32 " + (w%" PRIu32 " - 1) * %" PRIu32 ";", pool->first, top,
          pool->words);
    WRITE(writer, " if (s[a] == %d) return ASKS; s[a] = %d;", LIN_NODE_FREED, LIN_NODE_FREED);
}

static void write_choose(struct writer *writer)
{
    const uint32_t low = word(writer, 1), high = word(writer, 0);
    WRITE(writer, " x = (int64_t)w%" PRIu32 " - w%" PRIu32 " + 1; if (x <= 0)", high, low);
    write_end(writer, "BLOCKED");
    WRITE(writer, " if (x > INT32_MAX || !r->choose) return ASKS;");
    WRITE(writer, " a = r->choose(r->host, (uint32_t)x, 1); if (a == UINT32_MAX) return ASKS;");
    WRITE(writer, " x = (int64_t)w%" PRIu32 " + a;", low);
    write_sum(writer, low);
}

static void write_range(struct writer *writer, const struct range_limit *range)
{
    const uint32_t top = word(writer, 0);
    WRITE(writer, " if (w%" PRIu32 " < %" PRId64 "LL || w%" PRIu32 " > %" PRId64 "LL) return ASKS;",
          top, range->low, top, range->high);
}

static void write_fetch_add(struct writer *writer, const struct instruction *i)
{
    const uint32_t slot = word(writer, 1), more = word(writer, 0);
    int64_t low = INT32_MIN, high = INT32_MAX;
    if ((uint32_t)i->operand != UINT32_MAX) {
        low = writer->steps->ranges.items[i->operand].low;
        high = writer->steps->ranges.items[i->operand].high;
    }
    write_address(writer, slot);
    WRITE(writer, " x = (int64_t)(int32_t)s[a] + w%" PRIu32 ";", more);
    WRITE(writer, " if (x < %" PRId64 "LL || x > %" PRId64 "LL) return ASKS;", low, high);
    WRITE(writer, " w%" PRIu32 " = (int32_t)s[a]; PUT(s[a], (int32_t)x)", slot);
    if (writer->model->links)
        WRITE(writer, " unlink(s, a, 1);");
}

static void write_swap(struct writer *writer, uint32_t words)
{
    const uint32_t slot = word(writer, words), first = word(writer, words - 1);
    write_address(writer, slot);
    WRITE(writer, " { uint32_t old[%" PRIu32 "];", words);
    for (uint32_t n = 0; n < words; n++)
        WRITE(writer, " old[%" PRIu32 "] = s[a + %" PRIu32 "];", n, n);
    write_words(writer, "a", first, words);
    for (uint32_t n = 0; n < words; n++)
        WRITE(writer, " w%" PRIu32 " = (int32_t)old[%" PRIu32 "];", slot + n, n);
    WRITE(writer, " }");
}

/* Behind a LOAD, STORE or CAS of one word at `a`, as lin_run_note_access: `y` is whether the word
 * there becomes another one. */
static void write_note(struct writer *writer, const struct instruction *i)
{
    const struct lin_model *model = writer->model;
    const struct lin_access *access = &writer->steps->accesses[writer->at];
    const bool writes = i->op != OP_LOAD, may_stay = !writes || !model->links;
    if (access->pool == LIN_ACCESS_TO_FRESH) {
        const uint32_t expected = word(writer, 1);
        if (model->options.decided)
            WRITE(writer,
                  " if (w%" PRIu32 " && s[a] != (uint32_t)w%" PRIu32
                  ") r->reads_write_once = 1; else",
                  expected, expected);
        WRITE(writer, " shared = 1;");
        return;
    }
    if (access->pool == LIN_ACCESS_TO_ITEM) {
        if (!model->options.local || !may_stay)
            WRITE(writer, " shared = 1;");
        else
            WRITE(writer,
                  " if (%sa - (%" PRIu32 " + thread * %" PRIu32 ") >= %" PRIu32 "u) shared = 1;",
                  writes ? "y || " : "", access->field, access->words, access->words);
        return;
    }
    const struct lin_pool *pool = &writer->steps->pools[access->pool];
    WRITE(writer, " { uint64_t guards = 0;");
    for (uint64_t left = access->supposed & model->supposed; left; left &= left - 1) {
        const uint32_t guard = writer->steps->suppositions.items[__builtin_ctzll(left)].guard;
        if (guard == LIN_ENDS_THERE)
            continue;
        WRITE(writer,
              " if (s[a - %" PRIu32 " + %" PRIu32 "] != (uint32_t)%" PRId32 ") guards |= %" PRIu64
              "u;",
              access->field, guard, pool->initial[guard], left & -left);
    }
    if (writes)
        WRITE(writer, " if (y) { r->wrong |= guards; guards = 0;");
    for (uint64_t left = access->supposed & model->supposed; left && writes; left &= left - 1)
        if (writer->steps->suppositions.items[__builtin_ctzll(left)].guard == LIN_ENDS_THERE)
            WRITE(writer,
                  " if (w%" PRIu32 " && s[%" PRIu32 " + ((uint32_t)w%" PRIu32 " - 1) * %" PRIu32
                  "]) r->wrong |= %" PRIu64 "u;",
                  word(writer, 0), pool->first + access->field, word(writer, 0), pool->words,
                  left & -left);
    if (writes)
        WRITE(writer, " }");
    WRITE(writer,
          " if (%s) r->reads_write_once = 1; else touched |= (uint64_t)1 << (%" PRIu32
          "u + (a - %" PRIu32 ") / %" PRIu32 "); }",
          may_stay ? "guards" : "0", writer->starts[access->pool], pool->first, pool->words);
}

static void write_cas(struct writer *writer, const struct instruction *i)
{
    const uint32_t words = i->wide;
    const uint32_t slot = word(writer, 2 * words);
    write_address(writer, slot);
    write_same(writer, slot + 1, words);
    if (i->small) {
        WRITE(writer, " { const int32_t same = y; y = same && s[a] != (uint32_t)w%" PRIu32 ";",
              slot + 2);
        write_note(writer, i);
        WRITE(writer, " y = same; }");
    }
    WRITE(writer, " if (y) {");
    write_words(writer, "a", slot + 1 + words, words);
    WRITE(writer, " } w%" PRIu32 " = y;", slot);
}

static void write_same_words(struct writer *writer, const struct instruction *i)
{
    const uint32_t first = word(writer, 2 * i->wide - 1);
    WRITE(writer, " y = 1");
    for (uint32_t n = 0; n < i->wide; n++)
        WRITE(writer, " & (w%" PRIu32 " == w%" PRIu32 ")", first + n, first + i->wide + n);
    WRITE(writer, "; w%" PRIu32 " = y%s;", first, i->small ? " ^ 1" : "");
}

static void write_store_conditional(struct writer *writer, uint32_t words)
{
    const uint32_t slot = word(writer, words);
    write_address(writer, slot);
    WRITE(writer, " y = own[%d] == (%" PRIu32 "u << 16 | (a + 1)); own[%d] = 0; if (y) {",
          LIN_THREAD_LINK - LIN_THREAD_HEADER, words, LIN_THREAD_LINK - LIN_THREAD_HEADER);
    write_words(writer, "a", slot + 1, words);
    WRITE(writer, " } w%" PRIu32 " = y;", slot);
}

static void write_jump(struct writer *writer, const struct instruction *i)
{
    if (i->op != OP_JUMP)
        WRITE(writer, " if (%sw%" PRIu32 ")", i->op == OP_JUMP_IF_FALSE ? "!" : "",
              word(writer, 0));
    WRITE(writer, " {");
    if ((uint32_t)i->operand <= writer->at)
        write_ask(writer, "back++ == MOST_BACK");
    WRITE(writer, " goto i%" PRIu32 "; }", (uint32_t)i->operand);
}

static void write_pick(struct writer *writer, const struct instruction *i)
{
    const uint32_t first = word(writer, i->small - 1U);
    for (uint32_t n = 0; n < i->wide; n++)
        WRITE(writer, " w%" PRIu32 " = w%" PRIu32 ";", first + n, first + (uint32_t)i->operand + n);
}

/* What only threads that share a memory have; false: it is left to the interpreter. */
static bool write_shared(struct writer *writer, const struct instruction *i)
{
    const uint32_t depth = writer->depths[writer->at], wide = i->wide;
    char address[16];
    snprintf(address, sizeof address, "%" PRIu32, (uint32_t)i->operand);
    switch ((enum opcode)i->op) {
    case OP_LOAD_SHARED:
        write_load(writer, address, depth, wide);
        return true;
    case OP_STORE_SHARED:
        write_words(writer, address, depth - wide, wide);
        return true;
    case OP_LOAD_OWN:
        for (uint32_t n = 0; n < wide; n++)
            WRITE(writer, " w%" PRIu32 " = (int32_t)own[%" PRIu32 "];", depth + n,
                  (uint32_t)i->operand + n);
        return true;
    case OP_STORE_OWN:
        for (uint32_t n = 0; n < wide; n++)
            WRITE(writer, " PUT(own[%" PRIu32 "], w%" PRIu32 ")", (uint32_t)i->operand + n,
                  depth - wide + n);
        return true;
    case OP_ADDRESS:
        WRITE(writer, " w%" PRIu32 " = %" PRId32 ";", depth, i->operand);
        return true;
    case OP_ADDRESS_OWN:
        WRITE(writer, " w%" PRIu32 " = (int32_t)(own - s) + %" PRId32 ";", depth, i->operand);
        return true;
    case OP_AT:
        WRITE(writer, " w%" PRIu32 " += w%" PRIu32 " * %" PRIu32 ";", word(writer, 1),
              word(writer, 0), wide);
        return true;
    case OP_OFFSET:
        WRITE(writer, " w%" PRIu32 " += %" PRId32 ";", word(writer, 0), i->operand);
        return true;
    case OP_DEREFERENCE:
        write_dereference(writer, i);
        return true;
    case OP_LOAD:
        write_address(writer, word(writer, 0));
        if (i->small)
            write_note(writer, i);
        write_load(writer, "a", word(writer, 0), wide);
        return true;
    case OP_STORE:
        write_address(writer, word(writer, wide));
        if (i->small) {
            WRITE(writer, " y = s[a] != (uint32_t)w%" PRIu32 ";", word(writer, 0));
            write_note(writer, i);
        }
        write_words(writer, "a", depth - wide, wide);
        return true;
    case OP_PICK:
        write_pick(writer, i);
        return true;
    case OP_SAME:
        write_same_words(writer, i);
        return true;
    case OP_CAS:
        write_cas(writer, i);
        return true;
    case OP_SWAP:
        write_swap(writer, wide);
        return true;
    case OP_FETCH_ADD:
        write_fetch_add(writer, i);
        return true;
    case OP_LOAD_LINKED:
        write_address(writer, word(writer, 0));
        WRITE(writer, " own[%d] = %" PRIu32 "u << 16 | (a + 1);",
              LIN_THREAD_LINK - LIN_THREAD_HEADER, wide);
        write_load(writer, "a", word(writer, 0), wide);
        return true;
    case OP_STORE_CONDITIONAL:
        write_store_conditional(writer, wide);
        return true;
    case OP_LOCK:
        write_address(writer, word(writer, 0));
        WRITE(writer, " if (s[a])");
        write_end(writer, "BLOCKED");
        WRITE(writer, " s[a] = 1;%s", writer->model->links ? " unlink(s, a, 1);" : "");
        return true;
    case OP_UNLOCK:
        write_address(writer, word(writer, 0));
        write_ask(writer, "!s[a]");
        WRITE(writer, " s[a] = 0;%s", writer->model->links ? " unlink(s, a, 1);" : "");
        return true;
    case OP_NEW:
        write_new(writer, &writer->steps->pools[i->operand]);
        return true;
    case OP_FREE:
        write_free(writer, &writer->steps->pools[i->operand]);
        return true;
    case OP_END: /* of a condition */
        WRITE(writer, " r->value = w%" PRIu32 ";", word(writer, 0));
        write_end(writer, "WELL");
        return true;
    case OP_STEP:
    case OP_ANSWER:
        write_end(writer, "WELL");
        return true;
    default:
        return false;
    }
}

/* What all languages have; false: it is left to the interpreter. */
static bool write_common(struct writer *writer, const struct instruction *i)
{
    const uint32_t depth = writer->depths[writer->at];
    switch ((enum opcode)i->op) {
    case OP_PUSH:
        if (!datum_is_integer(instruction_word(i)) && !datum_is_boolean(instruction_word(i)))
            return false;
        WRITE(writer, " w%" PRIu32 " = (int32_t)%" PRId64 "LL;", depth,
              (int64_t)datum_bits(instruction_word(i)));
        return true;
    case OP_POP:
        return true;
    case OP_THREAD:
        WRITE(writer, " w%" PRIu32 " = (int32_t)thread;", depth);
        return true;
    case OP_NEGATE:
        WRITE(writer, " x = -(int64_t)w%" PRIu32 ";", word(writer, 0));
        write_sum(writer, word(writer, 0));
        return true;
    case OP_NOT:
        WRITE(writer, " w%" PRIu32 " = !w%" PRIu32 ";", word(writer, 0), word(writer, 0));
        return true;
    case OP_JUMP:
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
        write_jump(writer, i);
        return true;
    case OP_CHECK_RANGE:
        write_range(writer, &writer->steps->ranges.items[i->operand]);
        return true;
    case OP_ASSUME:
    case OP_AWAIT:
        WRITE(writer, " if (!w%" PRIu32 ")", word(writer, 0));
        write_end(writer, "BLOCKED");
        return true;
    case OP_ASSERT:
        WRITE(writer, " if (!w%" PRIu32 ") return ASKS;", word(writer, 0));
        return true;
    case OP_CHOOSE:
        write_choose(writer);
        return true;
    default:
        if (i->op < OP_ADD || i->op > OP_XOR)
            return false;
        write_operator(writer, (enum opcode)i->op);
        return true;
    }
}

bool lin_native_executes(enum opcode op)
{
    return op == OP_RUNNING || (op >= OP_LINEARIZE && op != OP_END);
}

/* Points, prints and the calls of programs are the host's; false: it is none of these. */
static bool write_execution(struct writer *writer, const struct instruction *i)
{
    const struct stack_effect effect = instruction_effect(i);
    const uint32_t depth = writer->depths[writer->at], first = depth - effect.pops;
    if (!lin_native_executes((enum opcode)i->op))
        return false;
    WRITE(writer, " { int32_t words[%" PRIu32 "];", effect.pops + effect.pushes + 1);
    for (uint32_t n = 0; n < effect.pops; n++)
        WRITE(writer, " words[%" PRIu32 "] = w%" PRIu32 ";", n, first + n);
    WRITE(writer, " if (!r->execute || !r->execute(r->host, %" PRIu32 ", words)) return ASKS;",
          writer->at);
    for (uint32_t n = 0; n < effect.pushes; n++)
        WRITE(writer, " w%" PRIu32 " = words[%" PRIu32 "];", first + n, n);
    WRITE(writer, " }");
    return true;
}

/* ---- the function ---- */

static void write_instruction(struct writer *writer, uint32_t at)
{
    const struct instruction *i = &writer->steps->listing.code.items[at];
    writer->at = at;
    WRITE(writer, "i%" PRIu32 ":", at);
    if (lin_touches_shared(writer->model, i))
        WRITE(writer, " shared = 1;");
    if (!write_common(writer, i) && !write_shared(writer, i) && !write_execution(writer, i))
        WRITE(writer, " return ASKS;");
    WRITE(writer, ";\n");
}

/* Helpers that the model does not always need. */
static void write_helpers(struct writer *writer)
{
    const struct lin_steps *steps = writer->steps;
    if (writer->model->links)
        WRITE(writer,
              "static inline void unlink(uint32_t *s, uint32_t slot, uint32_t count) {\n"
              "  for (uint32_t i = 0; i < %" PRIu32 "; i++) {\n"
              "    uint32_t *link = &s[%" PRIu32 " + i * %" PRIu32 " + %d];\n"
              "    uint32_t first = (*link & 0xffff) - 1, linked = *link >> 16;\n"
              "    if (linked > 0 && first < slot + count && slot < first + linked) *link = 0;\n"
              "  }\n}\n",
              steps->setting.threads, steps->thread_first, steps->thread_words, LIN_THREAD_LINK);
    WRITE(writer,
          "static inline int32_t find(const SLOT *s, uint32_t first, uint32_t words,\n"
          "                           uint32_t nodes, struct lin_native_run *r) {\n"
          "  uint32_t candidates = 0, fresh = UINT32_MAX, chosen;\n"
          "  for (uint32_t i = 0; i < nodes; i++) {\n"
          "    uint32_t status = s[first + i * words];\n"
          "    if (status == %d && fresh == UINT32_MAX) fresh = i;\n%s"
          "    candidates += status == %d || fresh == i;\n"
          "  }\n"
          "  if (candidates == 0) return -1;\n"
          "  chosen = candidates == 1 ? 0 : r->choose(r->host, candidates, 0);\n"
          "  if (chosen == UINT32_MAX) return -2;\n"
          "  for (uint32_t i = 0;; i++)\n"
          "    if ((s[first + i * words] == %d || i == fresh) && chosen-- == 0) return i;\n"
          "}\n",
          LIN_NODE_NONE, writer->model->frees ? "" : "    if (fresh == i) return i;\n",
          LIN_NODE_FREED, LIN_NODE_FREED);
}

static void write_function(struct writer *writer)
{
    const struct lin_steps *steps = writer->steps;
    const uint32_t length = (uint32_t)steps->listing.code.length, words = most_depth(writer);
    const uint32_t back = length * (uint64_t)MOST_BACK < MOST_INSTRUCTIONS
                              ? MOST_BACK
                              : MOST_INSTRUCTIONS / (length + 1);
    write_helpers(writer);
    WRITE(writer,
          "static int32_t run(struct lin_native_run *r) {\n"
          "SLOT *const s = (SLOT *)r->slots; const uint32_t thread = r->thread;\n"
          "SLOT *const own = s + %" PRIu32 " + thread * %" PRIu32 ";\n"
          "uint64_t touched = 0; uint32_t shared = 0, back = 0, a; int32_t ran, y; int64_t x;\n"
          "const uint32_t MOST_BACK = %" PRIu32 ";\n",
          steps->thread_first + LIN_THREAD_HEADER, steps->thread_words, back);
    for (uint32_t i = 0; i < words; i++)
        WRITE(writer, "int32_t w%" PRIu32 ";\n", i);
    WRITE(writer, "switch (r->at) {\n");
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        WRITE(writer, "case %" PRIu32 ": goto i%" PRIu32 ";\n", steps->entries[i].start,
              steps->entries[i].start);
    for (uint32_t i = 0; i + 1 < length; i++)
        if (writer->depths[i] != NOT_REACHED && steps->listing.code.items[i].op == OP_STEP)
            WRITE(writer, "case %" PRIu32 ": goto i%" PRIu32 ";\n", i + 1, i + 1);
    for (size_t i = 0; i < steps->conditions.length; i++)
        WRITE(writer, "case %" PRIu32 ": goto i%" PRIu32 ";\n", steps->conditions.items[i],
              steps->conditions.items[i]);
    WRITE(writer, "default: return ASKS;\n}\n");
    for (uint32_t i = 0; i < length; i++)
        if (writer->depths[i] != NOT_REACHED)
            write_instruction(writer, i);
    WRITE(writer, "return ASKS;\n"
                  "ended: r->touched = touched; r->touches_shared = shared; return ran;\n}\n");
}

bool lin_native_write_run(const struct lin_model *model, struct text *out)
{
    const size_t bytes = model->steps->listing.code.length * sizeof(uint32_t);
    struct writer writer = {.model = model, .steps = model->steps, .out = out};
    writer.depths = memory_allocate(model->model.budget, bytes);
    if (!writer.depths)
        return false;
    (void)pool_starts(model->steps, writer.starts);
    bool known = find_depths(&writer);
    if (known)
        write_function(&writer);
    memory_release(model->model.budget, writer.depths, bytes);
    return known;
}
