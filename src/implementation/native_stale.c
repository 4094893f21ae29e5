/* Which states hold what is stale, and which steps are decided, as C: what implementation/stale.c
 * asks of a state. */
#include <inttypes.h>

#include "implementation/native_abi.h"
#include "implementation/native_source.h"

#define WRITE(...) text_format(out, __VA_ARGS__)

/* `return 1;` where the thread at `own` holds what is stale. */
static void write_held(const struct lin_steps *steps, const struct lin_stale *stale,
                       struct text *out)
{
    const struct lin_pool *pool = &steps->pools[stale->pool];
    WRITE(" if (1");
    for (uint32_t i = 0; i < LIN_MOST_FOLLOWED; i++)
        if (stale->nodes[i / 64] >> i % 64 & 1)
            WRITE(" && own[%" PRIu32 "]", LIN_THREAD_HEADER + i);
    WRITE(") { const uint32_t node = own[%" PRIu32 "];", LIN_THREAD_HEADER + stale->local);
    if (stale->supposed)
        WRITE(" if (s[%" PRIu32 " + (node - 1) * %" PRIu32 "])", pool->first + stale->along,
              pool->words);
    if (stale->linked)
        WRITE(" if (s[%" PRIu32 " + (node - 1) * %" PRIu32 "]) return 1; }\n",
              pool->first + stale->along, pool->words);
    else
        WRITE(" { uint32_t at = s[%" PRIu32 "]; for (uint32_t i = 0; i <= %" PRIu32
              " && at && at != node; i++) at = s[%" PRIu32 " + (at - 1) * %" PRIu32
              "]; if (!at) return 1; } }\n",
              stale->slot, pool->nodes, pool->first + stale->along, pool->words);
}

/* By the instruction that the thread at `own` stands before; items ascend by it. */
static void write_switch(const struct lin_steps *steps, const struct lin_stale *items, size_t count,
                         struct text *out)
{
    WRITE("switch (own[%d]) {\n", LIN_THREAD_AT);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || items[i - 1].at != items[i].at)
            WRITE("case %" PRIu32 ":", items[i].at + 1);
        write_held(steps, &items[i], out);
        if (i + 1 == count || items[i + 1].at != items[i].at)
            WRITE(" break;\n");
    }
    WRITE("}\n");
}

void lin_native_write_stale(const struct lin_model *model, struct text *out)
{
    const struct lin_steps *steps = model->steps;
    WRITE("static int32_t is_stale(const SLOT *s) {\n"
          "for (uint32_t t = 0; t < %" PRIu32 "; t++) {\n"
          "const SLOT *own = s + %" PRIu32 " + t * %" PRIu32 ";\n(void)own;\n",
          steps->setting.threads, steps->thread_first, steps->thread_words);
    if (model->options.stale)
        write_switch(steps, steps->stale.items, steps->stale.length, out);
    WRITE("}\nreturn 0;\n}\n"
          "static int32_t is_decided(const SLOT *s, uint32_t thread) {\n"
          "const SLOT *own = s + %" PRIu32 " + thread * %" PRIu32 ";\n(void)own;\n",
          steps->thread_first, steps->thread_words);
    if (model->options.decided)
        write_switch(steps, steps->decided.items, steps->decided.length, out);
    WRITE("return 0;\n}\n");
}
