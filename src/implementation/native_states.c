/* The canonical form of a model's states as C: what implementation/canonical.c and symmetry.c do,
 * with the state's layout written out. Where these name an algorithm it is the same here, step by
 * step: states must come out alike whoever makes them canonical. */
#include <inttypes.h>

#include "code/word.h"
#include "implementation/native_abi.h"
#include "implementation/native_source.h"

#define WRITE(...) text_format(out, __VA_ARGS__)

static bool is_last(const struct lin_steps *steps, uint32_t pool)
{
    return pool + 1 == steps->pool_count;
}

/* ---- by instruction ---- */

/* `entry_of`: 1 + the operation of a thread's LIN_THREAD_AT, 0: it runs none. `answers_of`: which
 * words of the answer there are values. */
void lin_native_write_state_tables(const struct lin_model *model, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    const uint32_t length = (uint32_t)steps->listing.code.length;
    WRITE("static const uint8_t entries[] = {0");
    for (uint32_t i = 0; i < length; i++)
        WRITE(",%u", (unsigned)(entry_at(steps, i) - steps->entries) + 1);
    WRITE("};\nstatic const uint8_t answers[] = {0");
    for (uint32_t i = 0; i < length; i++) {
        const struct instruction *at = &steps->listing.code.items[i];
        uint32_t values = at->op == OP_ANSWER && at->small == LIN_TYPE_VALUE;
        if (at->op == OP_ANSWER && at->small == LIN_TYPE_LIST) {
            const struct lin_list_shape *shape = &steps->shapes.items[at->operand];
            values = 0;
            for (uint32_t j = 0; j < shape->count && j < LIN_MOST_PARTS; j++)
                values |= (uint32_t)(shape->kinds[j] == LIN_TYPE_VALUE) << j;
        }
        WRITE(",%" PRIu32, values);
    }
    WRITE("};\n#define ENTRY(own) ((own)[%d] <= %" PRIu32 " ? entries[(own)[%d]] : 0)\n",
          LIN_THREAD_AT, length, LIN_THREAD_AT);
    WRITE("#define ANSWERS(own) ((own)[%d] <= %" PRIu32 " ? answers[(own)[%d]] : 0)\n",
          LIN_THREAD_AT, length, LIN_THREAD_AT);
}

/* ---- forgetting ---- */

static void write_forgotten(const struct lin_model *model, uint32_t at, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    const struct lin_entry *entry = entry_at(steps, at);
    for (uint32_t i = 0; i < steps->locals; i++) {
        bool forgets = model->options.forget;
        for (uint32_t j = 0; j < entry->reference_count; j++)
            forgets |= entry->references[j].slot == i;
        if (forgets && !lin_steps_live(steps, at, i))
            WRITE(" own[%" PRIu32 "] = 0;", LIN_THREAD_HEADER + i);
    }
}

static void write_forget(const struct lin_model *model, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    WRITE("static void forget(SLOT *own) {\nswitch (own[%d]) {\n", LIN_THREAD_AT);
    for (uint32_t i = 0; i < steps->listing.code.length; i++) {
        const enum opcode op = (enum opcode)steps->listing.code.items[i].op;
        if (op != OP_STEP && op != OP_ANSWER)
            continue;
        WRITE("case %" PRIu32 ":", i + 1);
        write_forgotten(model, i, out);
        WRITE(" break;\n");
    }
    WRITE("case 0: case UINT32_MAX: memset(own + %d, 0, %" PRIu32 " * sizeof *own);\n}\n}\n",
          LIN_THREAD_HEADER, steps->locals);
}

/* ---- walks over the nodes ---- */

/* `FOUND(start, word)` for each word that refers to a node: of shared variables, */
static void write_shared_references(const struct lin_steps *steps, const uint32_t *starts,
                                    struct text *out)
{
    for (size_t i = 0; i < steps->shared_references.length; i++)
        WRITE(" FOUND(%" PRIu32 ", s[%" PRIu32 "], %" PRIu32 ")",
              starts[steps->shared_references.items[i].pool],
              steps->shared_references.items[i].slot, steps->shared_references.items[i].pool);
    WRITE("\n");
}

/* of the thread at `own`, */
static void write_own_references(const struct lin_steps *steps, const uint32_t *starts,
                                 struct text *out)
{
    WRITE("switch (ENTRY(own)) {\n");
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        const struct lin_entry *entry = &steps->entries[i];
        WRITE("case %" PRIu32 ":", i + 1);
        for (uint32_t j = 0; j < entry->reference_count; j++)
            WRITE(" FOUND(%" PRIu32 ", own[%" PRIu32 "], %" PRIu32 ")",
                  starts[entry->references[j].pool], LIN_THREAD_HEADER + entry->references[j].slot,
                  entry->references[j].pool);
        WRITE(" break;\n");
    }
    WRITE("}\n");
}

/* of the node `n` of a pool. */
static void write_node_references(const struct lin_pool *pool, const uint32_t *starts,
                                  struct text *out)
{
    for (uint32_t j = 0; j < pool->reference_count; j++)
        WRITE(" FOUND(%" PRIu32 ", n[%" PRIu32 "], %" PRIu32 ")", starts[pool->references[j].pool],
              pool->references[j].slot, pool->references[j].pool);
}

/* Runs `q` through what was found: `n` is its node in the state, or in the heap as it was before.
 * In between comes what `write` has for a pool. */
static void write_walk(const struct lin_model *model, const uint32_t *starts, bool is_moved,
                       void (*write)(const struct lin_model *model, const struct lin_pool *pool,
                                     struct text *out),
                       struct text *out)
{
    const struct lin_steps *steps = model->steps;
    WRITE("for (uint32_t head = 0; head < tail; head++) {\nuint32_t q = order[head];\n");
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        if (pool->nodes == 0)
            continue;
        if (!is_last(steps, i))
            WRITE("if (q < %" PRIu32 ") ", starts[i] + pool->nodes);
        WRITE("{ %sSLOT *n = %s + %" PRIu32 " + (q - %" PRIu32 ") * %" PRIu32 ";",
              is_moved ? "" : "const ", is_moved ? "moved" : "s",
              pool->first - (is_moved ? steps->heap_first : 0), starts[i], pool->words);
        if (write)
            write(model, pool, out);
        write_node_references(pool, starts, out);
        WRITE(" continue; }\n");
    }
    WRITE("}\n");
}

static void write_is_local(const struct lin_model *model, const uint32_t *starts, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    WRITE("#define FOUND(start, word, pool) if (word) { const uint32_t f = start + (word) - 1;"
          " const uint64_t bit = (uint64_t)1 << f; if (touched & bit) return 0;"
          " if (!(seen & bit)) { seen |= bit; order[tail++] = f; } }\n");
    WRITE("static int32_t is_local(const SLOT *s, uint32_t thread, uint64_t touched) {\n"
          "uint64_t seen = 0; uint32_t tail = 0; uint8_t order[%d];\n"
          "if (!touched) return 1;\n",
          LIN_NATIVE_MOST_NODES);
    write_shared_references(steps, starts, out);
    WRITE("for (uint32_t t = 0; t < %" PRIu32 "; t++) {\n"
          "const SLOT *own = s + %" PRIu32 " + t * %" PRIu32 ";\nif (t == thread) continue;\n",
          steps->setting.threads, steps->thread_first, steps->thread_words);
    write_own_references(steps, starts, out);
    WRITE("}\n");
    write_walk(model, starts, false, NULL, out);
    for (uint32_t i = 0; i < steps->pool_count && model->frees; i++)
        for (uint32_t j = 0; j < steps->pools[i].nodes; j++)
            WRITE("if ((touched >> %" PRIu32 " & 1) && s[%" PRIu32 "] == %d) return 0;\n",
                  starts[i] + j, steps->pools[i].first + j * steps->pools[i].words, LIN_NODE_FREED);
    WRITE("return 1;\n}\n#undef FOUND\n");
}

/* The node moves to its new place, where its references are renumbered. */
static void write_move(const struct lin_model *model, const struct lin_pool *pool, struct text *out)
{
    (void)model;
    WRITE(" const SLOT *o = n; n = s + %" PRIu32 " + (numbers[q] - 1) * %" PRIu32 ";", pool->first,
          pool->words);
    for (uint32_t i = 0; i < pool->words; i++)
        WRITE(" n[%" PRIu32 "] = o[%" PRIu32 "];", i, i);
}

/* `FOUND(start, word, pool)` for each reference of the shared variables and of the threads. */
static void write_roots(const struct lin_steps *steps, const char *qualifier,
                        const uint32_t *starts, struct text *out)
{
    write_shared_references(steps, starts, out);
    WRITE("for (uint32_t t = 0; t < %" PRIu32 "; t++) {\n"
          "%sSLOT *own = s + %" PRIu32 " + t * %" PRIu32 ";\n",
          steps->setting.threads, qualifier, steps->thread_first, steps->thread_words);
    write_own_references(steps, starts, out);
    WRITE("}\n");
}

/* Whether all nodes have their numbers already, and there are no others: behind those that are in
 * use a pool has none, for `new` takes the first that is free. */
static void write_is_numbered(const struct lin_model *model, const uint32_t *starts,
                              struct text *out)
{
    const struct lin_steps *steps = model->steps;
    WRITE("static int32_t is_numbered(const SLOT *s) {\n"
          "uint32_t found[%" PRIu32 "] = {0}, tail = 0; uint8_t order[%d];\n"
          "#define FOUND(start, word, pool) if ((word) > found[pool]) {"
          " if ((word) != ++found[pool]) return 0; order[tail++] = start + (word) - 1; }\n",
          steps->pool_count, LIN_NATIVE_MOST_NODES);
    write_roots(steps, "const ", starts, out);
    write_walk(model, starts, false, NULL, out);
    for (uint32_t i = 0; i < steps->pool_count; i++)
        if (steps->pools[i].nodes)
            WRITE("if (found[%" PRIu32 "] < %" PRIu32 " && s[%" PRIu32 " + found[%" PRIu32
                  "] * %" PRIu32 "]) return 0;\n",
                  i, steps->pools[i].nodes, steps->pools[i].first, i, steps->pools[i].words);
    WRITE("return 1;\n}\n#undef FOUND\n");
}

static void write_number(const struct lin_model *model, const uint32_t *starts, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    const uint32_t nodes = pool_starts(steps, (uint32_t[MOST_POOLS]){0});
    const uint32_t heap = steps->thread_first - steps->heap_first;
    write_is_numbered(model, starts, out);
    WRITE("#define FOUND(start, word, pool) if (word) { const uint32_t f = start + (word) - 1;"
          " if (!numbers[f]) { numbers[f] = ++found[pool]; order[tail++] = f; }"
          " word = numbers[f]; }\n");
    WRITE("static void number(SLOT *s) {\n"
          "uint8_t numbers[%" PRIu32 "] = {0}, found[%" PRIu32 "] = {0}, order[%" PRIu32
          "]; uint32_t tail = 0;\n"
          "SLOT moved[%" PRIu32 "];\n"
          "if (is_numbered(s)) return;\n"
          "memcpy(moved, s + %" PRIu32 ", sizeof moved);\n"
          "memset(s + %" PRIu32 ", 0, sizeof moved);\n",
          nodes, steps->pool_count, nodes, heap, steps->heap_first, steps->heap_first);
    write_roots(steps, "", starts, out);
    write_walk(model, starts, true, write_move, out);
    WRITE("}\n#undef FOUND\n");
}

/* ---- fields that may be read ---- */

/* Of what this word refers to these fields may be read: `read0` has a bit for each node of which
 * field 0 may be, and so on; `waits` those of which more may be than when they were looked through.
 */
static void write_more(uint32_t start, const char *words, uint32_t word, uint64_t fields,
                       struct text *out)
{
    WRITE(" if (%s[%" PRIu32 "]) { const uint64_t bit = (uint64_t)1 << (%" PRIu32 "u + %s[%" PRIu32
          "] - 1); if (bit & ~(~(uint64_t)0",
          words, word, start, words, word);
    for (uint64_t left = fields; left; left &= left - 1)
        WRITE(" & read%d", __builtin_ctzll(left));
    WRITE(")) { waits |= bit;");
    for (uint64_t left = fields; left; left &= left - 1)
        WRITE(" read%d |= bit;", __builtin_ctzll(left));
    WRITE(" } }");
}

/* Of each local of a thread, by where it stands. */
static void write_own_reads(const struct lin_steps *steps, const uint32_t *starts, struct text *out)
{
    WRITE("switch (own[%d]) {\n", LIN_THREAD_AT);
    for (uint32_t at = 0; at < steps->listing.code.length; at++) {
        if (steps->reads_from[at] == steps->reads_from[at + 1])
            continue;
        WRITE("case %" PRIu32 ":", at + 1);
        for (uint32_t i = steps->reads_from[at]; i < steps->reads_from[at + 1]; i++) {
            const struct lin_reads *reads = &steps->reads.items[i];
            write_more(starts[reads->pool], "own", LIN_THREAD_HEADER + reads->local, reads->fields,
                       out);
        }
        WRITE(" break;\n");
    }
    WRITE("}\n");
}

static void write_node_reads(const struct lin_steps *steps, uint32_t number, const uint32_t *starts,
                             struct text *out)
{
    const struct lin_pool *pool = &steps->pools[number];
    if (!is_last(steps, number))
        WRITE("if (q < %" PRIu32 ") ", starts[number] + pool->nodes);
    WRITE("{ const SLOT *n = s + %" PRIu32 " + (q - %" PRIu32 ") * %" PRIu32 ";", pool->first,
          starts[number], pool->words);
    for (uint32_t i = 0; i < pool->reference_count; i++) {
        if (!pool->reference_reads[i])
            continue;
        WRITE(" if (read%d >> q & 1) {",
              __builtin_ctzll(pool->field_bits[pool->references[i].slot]));
        write_more(starts[pool->references[i].pool], "n", pool->references[i].slot,
                   pool->reference_reads[i], out);
        WRITE(" }");
    }
    WRITE(" continue; }\n");
}

#define MOST_UNROLLED 32 /* fields */

/* Fields of nodes that are not in use are 0, so that nothing is asked but whether they are read. */
static void write_unrolled_fields(const struct lin_pool *pool, uint32_t start, struct text *out)
{
    for (uint32_t i = 0; i < pool->nodes; i++)
        for (uint32_t j = 1; j < pool->words; j++)
            WRITE("if (!(read%d >> %" PRIu32 " & 1)) s[%" PRIu32 "] = 0;\n",
                  __builtin_ctzll(pool->field_bits[j]), start + i,
                  pool->first + i * pool->words + j);
}

/* Fields of nodes in use, which no free one is in front of; those of others are 0. */
static void write_forgotten_fields(const struct lin_pool *pool, uint32_t start, struct text *out)
{
    if (pool->nodes * (pool->words - 1) <= MOST_UNROLLED) {
        write_unrolled_fields(pool, start, out);
        return;
    }
    WRITE("{ uint32_t used = 0; uint64_t left;\n"
          "while (used < %" PRIu32 " && s[%" PRIu32 " + used * %" PRIu32 "]) used++;\n"
          "const uint64_t all = used < 64 ? ((uint64_t)1 << used) - 1 : ~(uint64_t)0;\n",
          pool->nodes, pool->first, pool->words);
    for (uint32_t i = 1; i < pool->words; i++)
        WRITE("for (left = all & ~(read%d >> %" PRIu32 "); left; left &= left - 1)"
              " s[%" PRIu32 " + (uint32_t)__builtin_ctzll(left) * %" PRIu32 "] = 0;\n",
              __builtin_ctzll(pool->field_bits[i]), start, pool->first + i, pool->words);
    WRITE("}\n");
}

static void write_forget_fields(const struct lin_model *model, const uint32_t *starts,
                                struct text *out)
{
    const struct lin_steps *steps = model->steps;
    WRITE("static void forget_fields(SLOT *s) {\nuint64_t waits = 0");
    for (uint32_t i = 0; i < 64; i++)
        WRITE(", read%" PRIu32 " = 0", i);
    WRITE(";\n");
    for (size_t i = 0; i < steps->shared_references.length; i++)
        if (steps->shared_reads[i])
            write_more(starts[steps->shared_references.items[i].pool], "s",
                       steps->shared_references.items[i].slot, steps->shared_reads[i], out);
    WRITE("for (uint32_t t = 0; t < %" PRIu32 "; t++) {\n"
          "const SLOT *own = s + %" PRIu32 " + t * %" PRIu32 ";\n",
          steps->setting.threads, steps->thread_first, steps->thread_words);
    write_own_reads(steps, starts, out);
    WRITE("}\nwhile (waits) {\nconst uint32_t q = (uint32_t)__builtin_ctzll(waits);"
          " waits &= waits - 1;\n");
    for (uint32_t i = 0; i < steps->pool_count; i++)
        if (steps->pools[i].nodes)
            write_node_reads(steps, i, starts, out);
    WRITE("}\n");
    for (uint32_t i = 0; i < steps->pool_count; i++)
        if (steps->pools[i].nodes)
            write_forgotten_fields(&steps->pools[i], starts[i], out);
    WRITE("}\n");
}

/* ---- names of values ---- */

static bool is_named(const struct lin_steps *steps, uint32_t v)
{
    return lin_steps_name_value(steps, v);
}

static uint32_t free_names(const struct lin_steps *steps)
{
    uint32_t count = 0;
    for (uint32_t v = 1; v <= steps->setting.values && v <= TURNING_MOST; v++)
        count += !is_named(steps, v);
    return count;
}

/* The values of some words, in order. */
static void write_give(const struct lin_value_slots *slots, const char *words, uint32_t first,
                       struct text *out)
{
    for (uint32_t i = 0; i < slots->count; i++)
        WRITE(" GIVE(%s[%" PRIu32 "])", words, first + slots->items[i]);
}

static void write_give_node(const struct lin_model *model, const struct lin_pool *pool,
                            struct text *out)
{
    (void)model;
    write_give(&pool->values, "n", 0, out);
    WRITE(" if (ALL_NAMED) goto named;");
}

static void write_names(const struct lin_steps *steps, struct text *out)
{
    WRITE("uint8_t of[%d] = {", TURNING_MOST);
    for (uint32_t v = 1; v <= TURNING_MOST; v++)
        WRITE("%" PRIu32 ",", v <= steps->setting.values && is_named(steps, v) ? v : 0);
    WRITE("}; uint32_t given = 0;\nstatic const uint8_t names[] = {");
    for (uint32_t v = 1; v <= steps->setting.values && v <= TURNING_MOST; v++)
        if (!is_named(steps, v))
            WRITE("%" PRIu32 ",", v);
    WRITE("0};\n");
}

static void write_name_from_shared(const struct lin_model *model, const uint32_t *starts,
                                   struct text *out)
{
    const struct lin_steps *steps = model->steps;
    write_give(&steps->shared_values, "s", 0, out);
    WRITE("\nif (!(ALL_NAMED)) {\n");
    if (pool_starts(steps, (uint32_t[MOST_POOLS]){0})) {
        WRITE("uint64_t seen = 0; uint32_t tail = 0; uint8_t order[%d];\n", LIN_NATIVE_MOST_NODES);
        WRITE("#define FOUND(start, word, pool) if (word) { const uint32_t f = start + (word) - 1;"
              " const uint64_t bit = (uint64_t)1 << f;"
              " if (!(seen & bit)) { seen |= bit; order[tail++] = f; } }\n");
        write_shared_references(steps, starts, out);
        write_walk(model, starts, false, write_give_node, out);
        WRITE("#undef FOUND\n");
    }
    WRITE("named: ;\n}\n");
}

/* `USE(word)` for each value of a thread at `own`: of its locals, and of what it answers. */
static void write_own_values(const struct lin_steps *steps, const char *use, struct text *out)
{
    WRITE("switch (ENTRY(own)) {\n");
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        const struct lin_value_slots *values = &steps->entries[i].values;
        WRITE("case %" PRIu32 ":", i + 1);
        for (uint32_t j = 0; j < values->count; j++)
            WRITE(" %s(own[%" PRIu32 "])", use, LIN_THREAD_HEADER + values->items[j]);
        WRITE(" break;\n");
    }
    WRITE("}\nfor (uint32_t j = 0, w = ANSWERS(own); w >> j; j++)"
          " if (w >> j & 1) { %s(own[%" PRIu32 " + j]) }\n",
          use, LIN_THREAD_HEADER + steps->result);
}

/* `use(word)` for each value of a state, in the order of its slots. */
static void write_all_values(const struct lin_steps *steps, const char *use, struct text *out)
{
    for (uint32_t i = 0; i < steps->shared_values.count; i++)
        WRITE(" %s(s[%" PRIu32 "])", use, steps->shared_values.items[i]);
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        if (!pool->values.count)
            continue;
        WRITE("for (uint32_t j = 0; j < %" PRIu32 "; j++) { SLOT *n = s + %" PRIu32
              " + j * %" PRIu32 "; if (!n[0]) break;",
              pool->nodes, pool->first, pool->words);
        for (uint32_t j = 0; j < pool->values.count; j++)
            WRITE(" %s(n[%" PRIu32 "])", use, pool->values.items[j]);
        WRITE(" }\n");
    }
    WRITE("for (uint32_t t = 0; t < %" PRIu32 "; t++) {\nSLOT *own = s + %" PRIu32 " + t * %" PRIu32
          ";\n",
          steps->setting.threads, steps->thread_first, steps->thread_words);
    write_own_values(steps, use, out);
    WRITE("}\n");
}

/* ---- an order of threads ---- */

static void write_compared(const struct lin_model *model, const struct lin_entry *entry,
                           struct text *out)
{
    const struct lin_steps *steps = model->steps;
    for (uint32_t i = 0, reference = 0, known = 0; i < steps->locals; i++) {
        const uint32_t slot = LIN_THREAD_HEADER + i;
        bool is_reference = false, is_value = false;
        if (reference < entry->reference_count && entry->references[reference].slot == i) {
            reference++;
            is_reference = true;
        }
        if (known < entry->values.count && entry->values.items[known] == i) {
            known++;
            is_value = model->options.values;
        }
        WRITE(" l = a[%" PRIu32 "]; r = b[%" PRIu32 "];", slot, slot);
        if (is_reference)
            WRITE(" l = l != 0; r = r != 0;");
        if (is_value)
            WRITE(" l = NAME(l); r = NAME(r);");
        else if (model->options.values && i >= steps->result &&
                 i - steps->result < steps->result_words)
            WRITE(" if (answered >> %" PRIu32 " & 1) { l = NAME(l); r = NAME(r); }",
                  i - steps->result);
        WRITE(" if (l != r) return l > r;\n");
    }
}

/* Whether thread a comes after thread b. */
static void write_comparison(const struct lin_model *model, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    WRITE("#define NAME(v) ((v) == 0 ? 0 : of[(v) - 1] ? of[(v) - 1] : %" PRIu32 ")\n",
          steps->setting.values + 1);
    WRITE("static inline int comes_after(const SLOT *s, const uint8_t *of, uint32_t p,"
          " uint32_t q) {\n"
          "const SLOT *a = s + %" PRIu32 " + p * %" PRIu32 ", *b = s + %" PRIu32 " + q * %" PRIu32
          "; uint32_t l, r;\n",
          steps->thread_first, steps->thread_words, steps->thread_first, steps->thread_words);
    for (uint32_t i = 0; i < LIN_THREAD_HEADER; i++)
        WRITE("if (a[%" PRIu32 "] != b[%" PRIu32 "]) return a[%" PRIu32 "] > b[%" PRIu32 "];\n", i,
              i, i, i);
    WRITE("const uint32_t answered = ANSWERS(a);\nswitch (ENTRY(a)) {\n");
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        WRITE("case %" PRIu32 ":\n", i + 1);
        write_compared(model, &steps->entries[i], out);
        WRITE("break;\n");
    }
    WRITE("}\n");
    for (size_t i = 0; i < model->own_words.length; i++) {
        const struct lin_own_word *own = &model->own_words.items[i];
        WRITE(" l = s[%" PRIu32 " + p * %" PRIu32 "]; r = s[%" PRIu32 " + q * %" PRIu32 "];",
              own->first, own->apart, own->first, own->apart);
        if (own->is_reference)
            WRITE(" l = l != 0; r = r != 0;");
        if (own->is_value && model->options.values)
            WRITE(" l = NAME(l); r = NAME(r);");
        WRITE(" if (l != r) return l > r;\n");
    }
    WRITE("return 0;\n}\n");
}

static void write_turned(uint32_t threads, uint32_t first, uint32_t words, struct text *out)
{
    WRITE("{ SLOT kept[%" PRIu32 "]; memcpy(kept, s + %" PRIu32 ", sizeof kept);\n"
          "for (uint32_t i = 0; i < %" PRIu32 "; i++)"
          " memcpy(s + %" PRIu32 " + i * %" PRIu32 ", kept + sorted[i] * %" PRIu32 ", %" PRIu32
          " * sizeof *kept); }\n",
          threads * words, first, threads, first, words, words, words);
}

static void write_sort(const struct lin_model *model, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    const uint32_t threads = steps->setting.threads;
    WRITE("uint8_t sorted[%" PRIu32 "]; uint32_t turned = 0;\n"
          "for (uint32_t i = 0; i < %" PRIu32 "; i++) sorted[i] = i;\n"
          "for (uint32_t i = 1; i < %" PRIu32 "; i++) { uint32_t at = i;\n"
          "for (; at > 0 && comes_after(s, of, sorted[at - 1], i); at--)"
          " sorted[at] = sorted[at - 1];\n"
          "sorted[at] = i; }\n"
          "for (uint32_t i = 0; i < %" PRIu32 "; i++) turned |= (i ^ sorted[i]) << 4 * sorted[i];\n"
          "by[0] = turned;\nif (turned) {\n",
          threads, threads, threads, threads);
    for (size_t i = 0; i < model->own.length; i++)
        write_turned(threads, model->own.items[i].first, model->own.items[i].words, out);
    write_turned(threads, steps->thread_first, steps->thread_words, out);
    WRITE("}\n");
}

static void write_rename(const struct lin_steps *steps, struct text *out)
{
    WRITE("{\nif (!(ALL_NAMED)) {\n"); /* else one name is left at most */
    write_all_values(steps, "GIVE", out);
    WRITE("}\nfor (uint32_t v = 1; v <= %" PRIu32 "; v++) GIVE(v)\n"
          "uint32_t turned = 0;\n"
          "for (uint32_t i = 0; i < %" PRIu32 "; i++) turned |= (i ^ (of[i] - 1u)) << 4 * i;\n"
          "by[1] = turned;\nif (turned) {\n",
          steps->setting.values, steps->setting.values);
    write_all_values(steps, "RENAME", out);
    WRITE("}\n}\n");
}

static void write_arrange(const struct lin_model *model, const uint32_t *starts, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    const bool values = model->options.values;
    WRITE("#define GIVE(word) { const uint32_t g = (word) - 1;"
          " if (g < %d && !of[g]) of[g] = names[given++]; }\n"
          "#define RENAME(word) if (word) word = of[(word) - 1];\n"
          "#define ALL_NAMED given + 1 >= %" PRIu32 "\n",
          TURNING_MOST, free_names(steps));
    write_comparison(model, out);
    WRITE("static void arrange(SLOT *s, uint32_t *by) {\nby[0] = by[1] = 0;\n");
    write_names(steps, out);
    if (model->options.symmetry && values)
        write_name_from_shared(model, starts, out);
    if (model->options.symmetry)
        write_sort(model, out);
    if (pool_starts(steps, (uint32_t[MOST_POOLS]){0}))
        WRITE("number(s);\n");
    if (values)
        write_rename(steps, out);
    WRITE("}\n");
}

void lin_native_write_canonical(const struct lin_model *model, struct text *out)
{
    uint32_t starts[MOST_POOLS];
    write_forget(model, out);
    if (pool_starts(model->steps, starts))
        write_number(model, starts, out);
    else
        WRITE("static void number(SLOT *s) {}\n");
}

void lin_native_write_states(const struct lin_model *model, struct text *out)
{
    uint32_t starts[MOST_POOLS];
    const uint32_t nodes = pool_starts(model->steps, starts);
    write_is_local(model, starts, out);
    lin_native_write_canonical(model, out);
    write_arrange(model, starts, out);
    if (model->options.fields && nodes)
        write_forget_fields(model, starts, out);
    else
        WRITE("static void forget_fields(SLOT *s) { (void)s; }\n");
}
