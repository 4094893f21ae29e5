/* All steps of a state as one C function where they are joined and left out, what is alike is
 * exchanged, and each slot is a byte: what model.c, model_steps.c and the symmetry on top of them
 * do, from bits to bits, in the same order. What a step is labelled by is said for each that is
 * tried, those that are left out included, for labels have the numbers in which they are met. */
#include <inttypes.h>

#include "implementation/native_abi.h"
#include "implementation/native_source.h"

#define WRITE(...) text_format(out, __VA_ARGS__)

/* The step is left out; where it is within an operation nothing of it is labelled. */
static void write_left_out(const char *when, const char *counted, uint32_t said, struct text *out)
{
    WRITE("if (%s) { %s; event->keys |= %" PRIu32 "u; x->asked -= event->keys == %" PRIu32
          "u; return 1; }\n",
          when, counted, said, LIN_KEY_STEP | said);
}

/* What becomes of a run that has ended well, whose thread is at `own`. */
static void write_kept(const struct lin_model *model, struct text *out)
{
    const struct lin_options *options = &model->options;
    if (options->pure)
        write_left_out("j->is_pure", "x->pure++", LIN_KEY_NO_STEP, out);
    WRITE("own[%d] = (SLOT)(r->at + 1);\n", LIN_THREAD_AT);
    if (options->intervals) {
        WRITE("if (!steps[r->at]) { event->keys |= (uint64_t)(");
        lin_native_write_answer_key(model, "r->at", "r->thread", out);
        WRITE(") << 32; own[%d] = own[%d] = 0; }\n", LIN_THREAD_AT, LIN_THREAD_LINK);
    }
    WRITE("forget(own);\n");
    if (options->stale)
        write_left_out("is_stale(s)", "x->stale++", LIN_KEY_NO_STEP | LIN_KEY_IN_PARTS, out);
}

/* Stores the state that a step leads to, in the form that all have. */
static void write_store(const struct lin_model *model, struct text *out)
{
    WRITE("TARGET static inline int32_t store(struct lin_native_expansion *x, SLOT *s,"
          " struct lin_native_event *event) {\n");
    if (model->options.fields)
        WRITE("forget_fields(s);\n");
    if (lin_is_arranged(&model->options))
        WRITE("uint32_t by[2]; arrange(s, by); event->by = by[0] | (uint64_t)by[1] << 32;"
              " x->renumbered += event->by != 0;\n");
    else
        WRITE("number(s);\n");
    WRITE("return put(x, s);\n}\n");
}

/* One way of a thread, which has one only. */
static void write_way(const struct lin_model *model, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    WRITE("TARGET static int32_t way(struct lin_native_expansion *x, struct lin_native_joined *j,"
          " uint32_t key, int32_t *stands) {\n"
          "struct lin_native_run *const r = &j->run; SLOT *const s = (SLOT *)(void *)r->slots;\n"
          "SLOT *const own = s + %" PRIu32 " + r->thread * %" PRIu32 ";\n"
          "const uint32_t start = r->at; (void)start;\n"
          "struct lin_native_event *const event = x->events + x->asked++;\n"
          "event->keys = key; event->by = 0; r->wrong = 0;\n"
          "const int32_t ran = joined(j);\n"
          "if (ran == ASKS || r->wrong) return 0;\n"
          "x->exhausted |= r->exhausted;\n"
          "*stands = ran == WELL && (r->at >= start%s);\n",
          steps->thread_first, steps->thread_words,
          lin_native_asks_heads(model) ? " || heads[r->at]" : "");
    write_left_out("ran != WELL", "(void)0", LIN_KEY_NO_STEP, out);
    write_kept(model, out);
    WRITE("return store(x, s, event);\n}\n");
}

static void write_call(const struct lin_model *model, uint32_t number, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    const struct lin_entry *entry = &steps->entries[number];
    lin_native_write_each_call(entry, out);
    WRITE("{");
    lin_native_write_arguments(steps, entry, out);
    WRITE(" j->run.at = %" PRIu32 "; if (!way(x, j, %d + call++ * %" PRIu32 " + t, stands))"
          " return 0; }\n",
          entry->start, LIN_KEY_CALLS, steps->setting.threads);
    for (uint32_t i = 0; i < entry->operation->parameter_count; i++) {
        const uint32_t slot = LIN_THREAD_HEADER + steps->result_words + i;
        WRITE("mine[%" PRIu32 "] = own[%" PRIu32 "];\n", slot, slot);
    }
}

/* All steps of the thread t; *stands: what it has taken is not seen by others, and leads on. */
static void write_thread(const struct lin_model *model, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    WRITE("TARGET static int32_t steps_of(struct lin_native_expansion *x,"
          " struct lin_native_joined *j, const SLOT *s, uint32_t t, int32_t *stands) {\n"
          "const SLOT *const own = s + %" PRIu32 " + t * %" PRIu32 ";\n"
          "j->run.thread = t; j->before = (const uint32_t *)(const void *)s; j->is_call = 0;"
          " *stands = 0;\n"
          "if (own[%d]) {\n",
          steps->thread_first, steps->thread_words, LIN_THREAD_AT);
    if (!model->options.intervals) {
        WRITE("const uint32_t at = own[%d] - 1u;\n"
              "if (!steps[at]) { SLOT *const after = (SLOT *)(void *)j->run.slots;\n"
              "struct lin_native_event *const event = x->events + x->asked++;\n"
              "SLOT *const mine = after + (own - s); memcpy(after, s, %" PRIu32 ");\n"
              "event->by = 0; event->keys = (uint64_t)(",
              LIN_THREAD_AT, steps->slots);
        lin_native_write_answer_key(model, "at", "t", out);
        WRITE(") << 32; mine[%d] = mine[%d] = 0; forget(mine); return store(x, after, event); }\n",
              LIN_THREAD_AT, LIN_THREAD_LINK);
    }
    WRITE("j->run.at = own[%d]; return way(x, j, %d, stands); }\n", LIN_THREAD_AT, LIN_KEY_STEP);
    if (steps->setting.operations >= 0)
        WRITE("if (!own[%d]) return 1;\n", LIN_THREAD_LEFT);
    WRITE("uint32_t call = 0; SLOT called[%" PRIu32 "]; memcpy(called, s, sizeof called);\n"
          "SLOT *const mine = called + (own - s);"
          " j->before = (const uint32_t *)(const void *)called; j->is_call = 1;\n",
          steps->slots);
    if (steps->setting.operations >= 0)
        WRITE("mine[%d]--;\n", LIN_THREAD_LEFT);
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        write_call(model, i, out);
    WRITE("return 1;\n}\n");
}

/* The steps of one thread that stand for all; else none of them. */
static void write_decided(const struct lin_steps *steps, struct text *out)
{
    WRITE("for (uint32_t t = 0; t < %" PRIu32 "; t++) {\n"
          "const uint32_t at = s[%" PRIu32 " + t * %" PRIu32 "];\n"
          "if (!at || !decides[at - 1] || !is_decided(s, t)) continue;\n"
          "const uint32_t exhausted = x->exhausted;\n"
          "if (!steps_of(x, &j, s, t, &stands)) return 0;\n"
          "if (stands && x->count) { x->decided = 1; return 1; }\n"
          "for (uint32_t i = 0; i < x->asked; i++) x->events[i].keys |= %" PRIu32 "u;\n"
          "x->count = x->renumbered = x->pure = x->stale = 0; x->exhausted = exhausted; }\n",
          steps->setting.threads, steps->thread_first + LIN_THREAD_AT, steps->thread_words,
          LIN_KEY_NO_STEP);
}

/* Of the steps found so far the last ones, from `first` on, stand for all: that of one thread. */
static void write_keep_last(struct text *out)
{
    WRITE(
        "static void keep_last(struct lin_native_expansion *x, uint32_t first, uint32_t asked) {\n"
        "for (uint32_t i = 0; i < asked; i++) x->events[i].keys |= %" PRIu32 "u;\n"
        "x->count -= first;\n"
        "memmove(x->words, x->words + (size_t)first * x->most,"
        " (size_t)x->count * x->most * sizeof *x->words);\n"
        "if (x->hashes) memmove(x->hashes, x->hashes + first,"
        " x->count * sizeof *x->hashes);\nx->decided = 1;\n}\n",
        LIN_KEY_NO_STEP);
}

static void write_stands_for_all(const struct lin_model *model, struct text *out)
{
    WRITE("const uint32_t at = s[%" PRIu32 " + t * %" PRIu32 "];\n"
          "if (x->count > count && at && stands && j.is_unnoticed && steps[at - 1] &&"
          " !heads[at - 1]) {\n"
          "keep_last(x, count, asked);\n"
          "x->renumbered -= renumbered; x->pure -= pure; x->stale -= stale; return 1; }\n",
          model->steps->thread_first + LIN_THREAD_AT, model->steps->thread_words);
}

void lin_native_write_reduced(const struct lin_model *model, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    const bool asks_unnoticed = lin_asks_unnoticed(model) && steps->pure;
    write_store(model, out);
    write_way(model, out);
    write_thread(model, out);
    if (asks_unnoticed)
        write_keep_last(out);
    WRITE("TARGET static int32_t expand(struct lin_native_expansion *x) {\n"
          "SLOT s[%" PRIu32 "], after[%" PRIu32 "]; int32_t stands; size_t none = 0;\n"
          "struct lin_native_joined j;\n"
          "get(x, s); x->count = x->asked = x->exhausted = 0;\n"
          "x->renumbered = x->pure = x->stale = x->decided = 0;\n"
          "j.run.slots = (uint32_t *)(void *)after; j.run.choose = 0; j.run.execute = 0;"
          " j.made = j.chosen = &none;\n",
          steps->slots, steps->slots);
    lin_native_write_condition("j.run", out);
    if (model->options.decided)
        write_decided(steps, out);
    WRITE("for (uint32_t t = 0; t < %" PRIu32 "; t++) {\n", steps->setting.threads);
    if (asks_unnoticed)
        WRITE("const uint32_t count = x->count, asked = x->asked, renumbered = x->renumbered,"
              " pure = x->pure, stale = x->stale;\n");
    WRITE("if (!steps_of(x, &j, s, t, &stands)) return 0;\n");
    if (asks_unnoticed)
        write_stands_for_all(model, out);
    WRITE("}\nreturn 1;\n}\n");
}
