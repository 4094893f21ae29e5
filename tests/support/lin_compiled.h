/* An implementation read from text, compiled for some number of threads and once more for one
 * thread of a thread system: any number of operations, nodes are kept. */
#ifndef TESTS_SUPPORT_LIN_COMPILED_H
#define TESTS_SUPPORT_LIN_COMPILED_H

#include "implementation/model.h"
#include "support/lin_fixture.h"

/* One thread adds, any may take; what it begins with is open. */
#define ONE_WRITER                                                                                 \
    "impl one_writer { shared value slot; shared bool on; shared int(0..1) way;"                   \
    " init { way = choose(0..1); on = choose(0..1) == 1; way = 0; }"                               \
    " op write(value v) only thread 1 { await (on); slot = v; int(0..1) i = way; way = 1 - i;"     \
    "  return ok; }"                                                                               \
    " op read() { value v = slot; on = true; return v; }"                                          \
    " op clear() only thread 0 { value v = swap(slot, null); assert (v != null); return ok; } }"

struct lin_compiled {
    struct lin_fixture fixture;
    struct labels *labels;
    struct lin_steps steps, alone; /* for setting.threads; for one */
};

/* Object `number` of the text; UINT32_MAX: the first implementation. False if something is wrong,
 * which `fixture.error` says. Close it in any case. */
bool lin_compiled_open(struct lin_compiled *compiled, const char *text, uint32_t number,
                       struct lin_setting setting, const int32_t *parameters);
/* Fails the test if something is wrong. */
void lin_compiled_expect(struct lin_compiled *compiled, const char *text, uint32_t number,
                         struct lin_setting setting, const int32_t *parameters);
/* Nothing of the fixture's budget may be in use then. */
void lin_compiled_close(struct lin_compiled *compiled);

#endif
