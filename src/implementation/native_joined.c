/* What model_steps.c does around the runs of a step, as C: local steps join the one before them,
 * and iterations of which nothing is left are found. It is the same here, run by run. A model with
 * linearization points, prints or calls of programs has none of it: their labels would have to be
 * taken back. */
#include <inttypes.h>

#include "implementation/native_abi.h"
#include "implementation/native_source.h"

#define MOST_LOCALS 128 /* sets of them are words of 64 */

#define WRITE(...) text_format(out, __VA_ARGS__)

bool lin_native_joins(const struct lin_model *model)
{
    const struct lin_steps *steps = model->steps;
    bool executes = false;
    for (size_t i = 0; i < steps->listing.code.length; i++)
        executes |= lin_native_executes((enum opcode)steps->listing.code.items[i].op);
    return !executes && steps->live_locals <= MOST_LOCALS && steps->locals <= MOST_LOCALS;
}

bool lin_native_asks_heads(const struct lin_model *model)
{
    return model->options.decided || lin_asks_unnoticed(model);
}

static uint32_t live_words(const struct lin_steps *steps)
{
    return steps->locals > 0 ? (uint32_t)bits_words(steps->locals) : 1;
}

/* Locals 64 * word and so on. */
static uint64_t live_at(const struct lin_steps *steps, uint32_t at, uint32_t word)
{
    uint64_t live = 0;
    for (uint32_t i = 64 * word; i < steps->locals && i < 64 * (word + 1); i++)
        live |= (uint64_t)lin_steps_live(steps, at, i) << i % 64;
    return live;
}

/* By instruction: whether it is a STEP, and one that may end unnoticed; what pure iterations are
 * known by. */
void lin_native_write_step_tables(const struct lin_model *model, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    const uint32_t length = (uint32_t)steps->listing.code.length;
    WRITE("static const uint8_t steps[] = {");
    for (uint32_t i = 0; i < length; i++)
        WRITE("%d,", steps->listing.code.items[i].op != OP_STEP ? 0
                     : model->quiet.items[i].behind             ? 2
                                                                : 1);
    WRITE("};\n");
    if (model->options.decided) {
        WRITE("static const uint8_t decides[] = {");
        for (uint32_t i = 0; i < length; i++)
            WRITE("%d,",
                  steps->decided_from && steps->decided_from[i] != steps->decided_from[i + 1]);
        WRITE("};\n");
    }
    if (lin_native_asks_heads(model)) {
        WRITE("static const uint8_t heads[] = {");
        for (uint32_t i = 0; i < length; i++)
            WRITE("%d,", steps->pure && steps->pure[i].is_head);
        WRITE("};\n");
    }
    if (!model->options.pure)
        return;
    WRITE("static const struct { uint64_t token, pure, live[%" PRIu32 "]; uint32_t needs_link; }"
          " pures[] = {\n",
          live_words(steps));
    for (uint32_t i = 0; i < length; i++) {
        const bool is_step = steps->listing.code.items[i].op == OP_STEP;
        const struct lin_pure_step *pure = &steps->pure[i];
        WRITE("{%" PRIu64 "u, %" PRIu64 "u, {", is_step ? pure->token : 0,
              is_step ? pure->pure : 0);
        for (uint32_t j = 0; j < live_words(steps); j++)
            WRITE("%" PRIu64 "u,", is_step ? live_at(steps, i, j) : 0);
        WRITE("}, %d},\n", pure->needs_link);
    }
    WRITE("};\n");
}

/* Whether all but this thread's own part is the same. */
static void write_others_alike(const struct lin_steps *steps, uint32_t thread, struct text *out)
{
    const uint32_t first = steps->thread_first + thread * steps->thread_words,
                   behind = first + steps->thread_words;
    WRITE("case %" PRIu32 ": return memcmp(before, after, %" PRIu32 " * sizeof *after) == 0 &&"
          " memcmp(before + %" PRIu32 ", after + %" PRIu32 ", %" PRIu32 " * sizeof *after) == 0;\n",
          thread, first, behind, behind, steps->slots - behind);
}

static void write_comes_back(const struct lin_steps *steps, struct text *out)
{
    WRITE("static int comes_back(const SLOT *before, const SLOT *after, uint32_t thread,"
          " uint32_t head, uint32_t from) {\n"
          "const uint32_t first = %" PRIu32 " + thread * %" PRIu32 ";\n"
          "if (!(pures[head].token & pures[from].pure)) return 0;\n"
          "if (pures[head].needs_link && before[first + %d] != after[first + %d]) return 0;\n"
          "for (uint32_t word = 0; word < %" PRIu32 "; word++) {\n"
          "uint64_t live = pures[head].live[word];\n"
          "if (live & ~pures[from].live[word]) return 0;\n"
          "for (; live; live &= live - 1) {\n"
          "const uint32_t i = first + %d + 64 * word + (uint32_t)__builtin_ctzll(live);\n"
          "if (before[i] != after[i]) return 0; }}\n"
          "switch (thread) {\n",
          steps->thread_first, steps->thread_words, LIN_THREAD_LINK, LIN_THREAD_LINK,
          live_words(steps), LIN_THREAD_HEADER);
    for (uint32_t i = 0; i < steps->setting.threads; i++) /* of sizes that are known */
        write_others_alike(steps, i, out);
    WRITE("}\nreturn 0;\n}\n");
}

static void write_join(const struct lin_model *model, struct text *out)
{
    const struct lin_options *options = &model->options;
    WRITE("static int join(struct lin_native_joined *j) {\n"
          "struct lin_native_run *const r = &j->run; SLOT *const s = (SLOT *)(void *)r->slots;\n"
          "for (uint32_t count = 0; steps[r->at]; count++) {\n"
          "if (count == %d) return 0;\n"
          "const uint32_t at = r->at;\nint decided = 0;\n",
          LIN_MOST_JOINED);
    if (options->pure)
        WRITE("j->is_pure = j->stood && comes_back((const SLOT *)(const void *)j->stood, s,"
              " r->thread, at, j->stood_at);\nif (j->is_pure) break;\n");
    if (options->decided)
        WRITE("if (decides[at]) { s[%" PRIu32 " + r->thread * %" PRIu32 "] = at + 1;"
              " decided = is_decided(s, r->thread) && !is_stale(s); }\n",
              model->steps->thread_first + LIN_THREAD_AT, model->steps->thread_words);
    if (!options->local && !options->write_once && !options->decided) {
        WRITE("break; }\nreturn 1;\n}\n");
        return;
    }
    WRITE("if (!decided && steps[at] != 2) break;\n"
          "const size_t made = *j->made, chosen = *j->chosen;\n"
          "SLOT saved[%" PRIu32 "]; memcpy(saved, s, sizeof saved);\n"
          "r->at = at + 1; r->touches_shared = r->reads_write_once = 0; r->touched = 0;\n"
          "const int32_t ran = run(r);\nif (ran == ASKS) return 0;\n"
          "if (ran == WELL && *j->made == made && (%s ||"
          " (!r->touches_shared && %s))) continue;\n"
          "memcpy(s, saved, sizeof saved); *j->made = made; r->at = at;\n"
          "if (*j->chosen > chosen) *j->chosen = chosen;\nbreak;\n}\nreturn 1;\n}\n",
          model->steps->slots, options->decided ? "(decided && (r->at > at || heads[r->at]))" : "0",
          options->local ? "is_local(saved, r->thread, r->touched)"
                         : "r->reads_write_once && !r->touched");
}

void lin_native_write_joined(const struct lin_model *model, struct text *out)
{
    const bool pure = model->options.pure;
    if (pure)
        write_comes_back(model->steps, out);
    write_join(model, out);
    WRITE("static int32_t joined(struct lin_native_joined *j) {\n"
          "struct lin_native_run *const r = &j->run;\nint32_t ran;\n"
          "SLOT called[%" PRIu32
          "];\nconst SLOT *const before = (const SLOT *)(const void *)j->before; "
          "(void)before;\nj->stood = 0; j->is_pure = j->is_unnoticed = 0; r->exhausted = 0;\n"
          "memcpy(r->slots, j->before, sizeof called);\n",
          model->steps->slots);
    if (pure)
        WRITE("if (r->at > 0 && steps[r->at - 1])"
              " { j->stood = j->before; j->stood_at = r->at - 1; }\n");
    WRITE("const uint32_t at = r->at;\nr->reads_write_once = 0;\nran = run(r);\n(void)at;\n");
    if (lin_asks_unnoticed(model))
        WRITE("j->is_unnoticed = ran == WELL && !j->is_call && at > 0 && steps[at - 1] == 2 &&"
              " !r->touches_shared && %s;\n",
              model->options.local ? "is_local(before, r->thread, r->touched)"
                                   : "r->reads_write_once && !r->touched");
    if (model->options.intervals) {
        WRITE(
            "if (ran == WELL && j->is_call) {\nif (!join(j)) return ASKS;\nif (steps[r->at]) {\n");
        if (pure)
            WRITE("memcpy(called, r->slots, sizeof called);"
                  " j->stood = (const uint32_t *)(const void *)called; j->stood_at = r->at;\n");
        WRITE("r->at++; ran = run(r);\n}\n}\n");
    }
    WRITE("return ran == WELL && !join(j) ? ASKS : ran;\n}\n");
}
