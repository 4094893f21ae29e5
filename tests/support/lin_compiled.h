/* An implementation read from text, compiled for some number of threads and once more for one
 * thread of a thread system: any number of operations, nodes are kept. */
#ifndef TESTS_SUPPORT_LIN_COMPILED_H
#define TESTS_SUPPORT_LIN_COMPILED_H

#include "model/lin_model.h"
#include "support/lin_fixture.h"

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
