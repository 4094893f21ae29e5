/* All steps of a state as one C function, where each slot is a byte: from the bits of the state to
 * those of the states that follow (model/packing.h), what runs and the canonical form in between
 * being that of the other functions, written once more for bytes. Where steps are joined or left
 * out that is native_reduced.c; here none are.
 * A word that is none is a case for the interpreter. The steps come in the order in which
 * model_calls.c and model.c have them. */
#include <inttypes.h>

#include "implementation/native_abi.h"
#include "implementation/native_source.h"

#define WRITE(...) text_format(out, __VA_ARGS__)

#define MOST_BYTE UINT8_MAX
#define NAMES                                                                                      \
    "run", "find", "forget", "is_numbered", "number", "is_local", "comes_after", "arrange",        \
        "forget_fields", "is_stale", "is_decided", "comes_back", "join", "joined"

/* ---- which models ---- */

/* With all arguments; 0: some are no bytes. */
static uint64_t calls_of(const struct lin_entry *entry)
{
    uint64_t calls = 1;
    for (uint32_t i = 0; i < entry->operation->parameter_count; i++) {
        const struct lin_step_range *range = &entry->parameters[i];
        if (range->low < 0 || range->high < range->low || range->high > MOST_BYTE)
            return 0;
        calls *= (uint64_t)(range->high - range->low) + 1;
        if (calls > LIN_MOST_EXPANDED)
            return 0;
    }
    return calls;
}

uint32_t lin_native_calls(const struct lin_model *model)
{
    const struct lin_steps *steps = model->steps;
    uint64_t calls = 0;
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        calls += calls_of(&steps->entries[i]);
    return (uint32_t)calls;
}

/* Keys of one answer. */
static uint32_t answer_words(const struct lin_steps *steps)
{
    return steps->result_words ? LIN_KEY_ANSWER : 1;
}

/* The first key of an answer. */
static uint32_t answers_first(const struct lin_model *model)
{
    return LIN_KEY_CALLS + lin_native_calls(model) * model->steps->setting.threads;
}

struct lin_key lin_native_key(const struct lin_model *model, uint32_t key)
{
    const struct lin_steps *steps = model->steps;
    const struct instruction *code = steps->listing.code.items;
    const uint32_t threads = steps->setting.threads, first = answers_first(model);
    if (key < first)
        return (struct lin_key){.call = (key - LIN_KEY_CALLS) / threads,
                                .thread = (key - LIN_KEY_CALLS) % threads};
    const uint32_t which = (key - first) / answer_words(steps);
    uint32_t left = which / threads;
    while (code->op != OP_ANSWER || left-- > 0)
        code++;
    return (struct lin_key){
        .answer = code, .thread = which % threads, .word = (key - first) % answer_words(steps)};
}

static bool has_only_bytes(const struct lin_steps *steps)
{
    uint64_t calls = 0;
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        const uint64_t more = calls_of(&steps->entries[i]);
        calls += more;
        if (more == 0 || calls > LIN_MOST_EXPANDED)
            return false;
    }
    for (uint32_t i = 0; i < steps->pool_count; i++)
        for (uint32_t j = 0; j < steps->pools[i].words; j++)
            if (steps->pools[i].initial[j] < 0 || steps->pools[i].initial[j] > MOST_BYTE)
                return false;
    return steps->listing.code.length < MOST_BYTE &&
           (steps->setting.threads) * (calls + 1) <= LIN_MOST_EXPANDED;
}

bool lin_native_reduces(const struct lin_model *model)
{
    const struct lin_options *options = &model->options;
    return options->intervals || options->local || options->write_once || options->pure ||
           options->stale || options->decided || options->refuted || options->fields ||
           options->symmetry || options->values;
}

/* Whether calls are told by the operation, the arguments and the thread alone. */
static bool calls_freely(const struct lin_steps *steps)
{
    const struct lin_setting *setting = &steps->setting;
    bool pointed = false;
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        pointed |= steps->entries[i].pointed != 0;
    return !pointed && !setting->words && !setting->fresh && !setting->total &&
           !setting->client_count && !setting->unbounded;
}

bool lin_native_expands(const struct lin_model *model)
{
    const struct lin_steps *steps = model->steps;
    bool chooses = model->links || model->frees;
    for (size_t i = 0; i < steps->listing.code.length; i++) {
        const struct instruction *at = &steps->listing.code.items[i];
        chooses |= at->op == OP_CHOOSE || (at->op == OP_ANSWER && at->small == LIN_TYPE_LIST);
    }
    for (size_t i = 0; i < steps->decided.length; i++) /* an answer is no run */
        chooses |= steps->listing.code.items[steps->decided.items[i].at].op != OP_STEP;
    return !chooses && calls_freely(steps) && lin_native_joins(model) && has_only_bytes(steps) &&
           steps->slots >= PACKING_GROUP;
}

/* ---- states as bits ---- */

static uint32_t groups_of(const struct lin_steps *steps)
{
    return (steps->slots + PACKING_GROUP - 1) / PACKING_GROUP;
}

/* The first slot of a group. */
static uint32_t first_of(const struct lin_steps *steps, uint32_t group)
{
    return group + 1 < groups_of(steps) ? group * PACKING_GROUP : steps->slots - PACKING_GROUP;
}

/* The last group first: it writes slots of the one before. */
static void write_get(const struct lin_steps *steps, struct text *out)
{
    const uint32_t groups = groups_of(steps);
    WRITE("TARGET static inline void get(const struct lin_native_expansion *x, SLOT *s) {\n"
          "const struct packed_group *const g = x->from; uint64_t bits;\n");
    for (uint32_t i = 0; i < groups; i++) {
        const uint32_t group = (i + groups - 1) % groups;
        WRITE("bits = x->state[g[%" PRIu32 "].word] >> g[%" PRIu32 "].shift;"
              " if (g[%" PRIu32 "].crosses) bits |= x->state[g[%" PRIu32 "].word + 1] << 1 <<"
              " (63 - g[%" PRIu32 "].shift);"
              " bits = __builtin_ia32_pdep_di(bits, g[%" PRIu32 "].mask) + g[%" PRIu32 "].bases;"
              " memcpy(s + %" PRIu32 ", &bits, sizeof bits);\n",
              group, group, group, group, group, group, group, first_of(steps, group));
    }
    WRITE("}\n");
}

/* Puts a state behind the others; 0: the layout has no room for it. */
static void write_put(const struct lin_steps *steps, struct text *out)
{
    const uint32_t groups = groups_of(steps);
    WRITE("TARGET static inline int32_t put(struct lin_native_expansion *x, const SLOT *s) {\n"
          "const struct packed_group *const g = x->to;\n"
          "uint64_t *to = x->words + (size_t)x->count * x->most, *const end = to + x->most;\n"
          "uint64_t word = 0, beyond = 0, bits;\n");
    for (uint32_t i = 0; i < groups; i++)
        WRITE("uint64_t b%" PRIu32 "; memcpy(&b%" PRIu32 ", s + %" PRIu32 ", sizeof bits);"
              " const uint64_t d%" PRIu32 " = b%" PRIu32 " - g[%" PRIu32 "].bases;"
              " beyond |= d%" PRIu32 " & g[%" PRIu32 "].beyond;\n",
              i, i, first_of(steps, i), i, i, i, i, i);
    WRITE("if (beyond) return 0;\n"
          "if (x->hashes) { uint64_t hash = packing_hash_begin(%" PRIu32 ");",
          steps->slots);
    for (uint32_t i = 0; i < groups; i++)
        WRITE(" hash = packing_hash_add(hash, b%" PRIu32 ");", i);
    WRITE(" x->hashes[x->count] = packing_hash_end(hash); }\nx->count++;\n"
          "if (x->most == 1) { *to = 0");
    for (uint32_t i = 0; i < groups; i++)
        WRITE(" | __builtin_ia32_pext_di(d%" PRIu32 ", g[%" PRIu32 "].mask) << g[%" PRIu32
              "].shift",
              i, i, i);
    WRITE("; return 1; }\n");
    for (uint32_t i = 0; i < groups; i++)
        WRITE("bits = __builtin_ia32_pext_di(d%" PRIu32 ", g[%" PRIu32 "].mask);"
              " word |= bits << g[%" PRIu32 "].shift;"
              " if (g[%" PRIu32 "].fills) { *to++ = word; word = bits >> 1 >>"
              " (63 - g[%" PRIu32 "].shift); }\n",
              i, i, i, i, i);
    WRITE("if (to < end) *to = word;\nreturn 1;\n}\n");
}

/* ---- steps ---- */

static void write_step(struct text *out)
{
    WRITE("TARGET static inline int32_t step(struct lin_native_expansion *x,"
          " struct lin_native_run *r, SLOT *s, SLOT *own, uint32_t key) {\n"
          "r->slots = (uint32_t *)(void *)s;\n"
          "const int32_t ran = run(r);\n"
          "if (ran == ASKS) return 0;\n"
          "x->keys[x->asked++] = ran == WELL ? key : key | %" PRIu32 ";\n"
          "if (ran != WELL) return 1;\n"
          "own[%d] = (SLOT)(r->at + 1); forget(own); number(s);\n"
          "return put(x, s);\n}\n",
          LIN_KEY_NO_STEP, LIN_THREAD_AT);
}

void lin_native_write_each_call(const struct lin_entry *entry, struct text *out)
{
    if (entry->only >= 0)
        WRITE("if (t != %" PRId32 ") call += %" PRIu64 "; else\n", entry->only, calls_of(entry));
    for (uint32_t i = 0; i < entry->operation->parameter_count; i++)
        WRITE("for (uint32_t a%" PRIu32 " = %" PRId32 "; a%" PRIu32 " <= %" PRId32 "; a%" PRIu32
              "++)\n",
              i, entry->parameters[i].low, i, entry->parameters[i].high, i);
}

void lin_native_write_arguments(const struct lin_steps *steps, const struct lin_entry *entry,
                                struct text *out)
{
    for (uint32_t i = 0; i < entry->operation->parameter_count; i++)
        WRITE(" mine[%" PRIu32 "] = (SLOT)a%" PRIu32 ";",
              LIN_THREAD_HEADER + steps->result_words + i, i);
}

static void write_call(const struct lin_steps *steps, uint32_t number, struct text *out)
{
    const struct lin_entry *entry = &steps->entries[number];
    lin_native_write_each_call(entry, out);
    WRITE("{ memcpy(after, s, sizeof s);");
    if (steps->setting.operations >= 0)
        WRITE(" mine[%d]--;", LIN_THREAD_LEFT);
    lin_native_write_arguments(steps, entry, out);
    WRITE(" r.at = %" PRIu32 "; if (!step(x, &r, after, mine, %d + call++ * %" PRIu32 " + t))"
          " return 0; }\n",
          entry->start, LIN_KEY_CALLS, steps->setting.threads);
}

/* By instruction: which ANSWER it is. */
static void write_answers(const struct lin_steps *steps, struct text *out)
{
    uint32_t count = 0;
    WRITE("static const uint8_t answer_at[] = {");
    for (uint32_t i = 0; i < steps->listing.code.length; i++) {
        WRITE("%" PRIu32 ",", count);
        count += steps->listing.code.items[i].op == OP_ANSWER;
    }
    WRITE("};\n");
}

void lin_native_write_answer_key(const struct lin_model *model, const char *at, const char *thread,
                                 struct text *out)
{
    const struct lin_steps *steps = model->steps;
    WRITE("%" PRIu32 " + (answer_at[%s] * %" PRIu32 " + %s) * %" PRIu32, answers_first(model), at,
          steps->setting.threads, thread, answer_words(steps));
    if (steps->result_words)
        WRITE(" + own[%" PRIu32 "]", LIN_THREAD_HEADER + steps->result);
}

void lin_native_write_condition(const char *run, struct text *out)
{
    WRITE("if (x->condition != UINT32_MAX) { memcpy(after, s, sizeof s);"
          " %s.slots = (uint32_t *)(void *)after; %s.at = x->condition;"
          " if (run(&%s) != WELL) return 0; x->holds = %s.value; }\n",
          run, run, run, run);
}

static void write_expand(const struct lin_model *model, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    WRITE("TARGET static int32_t expand(struct lin_native_expansion *x) {\n"
          "SLOT s[%" PRIu32 "], after[%" PRIu32 "]; struct lin_native_run r = {0};\n"
          "get(x, s); x->count = x->asked = 0;\n",
          steps->slots, steps->slots);
    lin_native_write_condition("r", out);
    WRITE("for (uint32_t t = 0; t < %" PRIu32 "; t++) {\n"
          "const SLOT *const own = s + %" PRIu32 " + t * %" PRIu32 ";"
          " SLOT *const mine = after + (own - s);\nr.thread = t;\n",
          steps->setting.threads, steps->thread_first, steps->thread_words);
    WRITE("if (own[%d]) { memcpy(after, s, sizeof s); switch (own[%d]) {\n", LIN_THREAD_AT,
          LIN_THREAD_AT);
    for (uint32_t i = 0; i < steps->listing.code.length; i++)
        if (steps->listing.code.items[i].op == OP_ANSWER)
            WRITE("case %" PRIu32 ":", i + 1);
    WRITE(" mine[%d] = mine[%d] = 0; forget(mine); number(after); if (!put(x, after)) return 0;"
          " const uint32_t at = own[%d] - 1u; x->keys[x->asked++] = ",
          LIN_THREAD_AT, LIN_THREAD_LINK, LIN_THREAD_AT);
    lin_native_write_answer_key(model, "at", "t", out);
    WRITE("; break;\ndefault: r.at = own[%d]; if (!step(x, &r, after, mine, %d)) return 0; }"
          " continue; }\n",
          LIN_THREAD_AT, LIN_KEY_STEP);
    if (steps->setting.operations >= 0)
        WRITE("if (!own[%d]) continue;\n", LIN_THREAD_LEFT);
    WRITE("uint32_t call = 0;\n");
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        write_call(steps, i, out);
    WRITE("}\nx->exhausted = r.exhausted;\nreturn 1;\n}\n");
}

bool lin_native_write_expand(const struct lin_model *model, struct text *out)
{
    static const char *const names[] = {NAMES};
    WRITE("#if defined(__x86_64__) && defined(__GNUC__)\n"
          "#define EXPAND expand\n#define TARGET __attribute__((target(\"bmi2\")))\n"
          "#undef SLOT\n#undef PUT\n#define SLOT uint8_t\n"
          "#define PUT(slot, word) { const uint32_t put = (uint32_t)(word);"
          " if (put > %d) return ASKS; slot = (SLOT)put; }\n",
          MOST_BYTE);
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        WRITE("#define %s(...) %s_of_bytes(__VA_ARGS__)\n", names[i], names[i]);
    if (!lin_native_write_run(model, out))
        return false;
    write_get(model->steps, out);
    write_put(model->steps, out);
    write_answers(model->steps, out);
    if (lin_native_reduces(model)) {
        lin_native_write_states(model, out);
        lin_native_write_stale(model, out);
        lin_native_write_joined(model, out);
        lin_native_write_reduced(model, out);
    } else {
        lin_native_write_canonical(model, out);
        write_step(out);
        write_expand(model, out);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        WRITE("#undef %s\n", names[i]);
    WRITE("#else\n#define EXPAND 0\n#endif\n");
    return true;
}
