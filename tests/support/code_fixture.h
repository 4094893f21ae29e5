/* Test programs of real code for tests: built in a folder of their own, and run. */
#ifndef SUPPORT_CODE_FIXTURE_H
#define SUPPORT_CODE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scenario/build.h"
#include "scenario/conversation.h"

struct code_fixture {
    struct budget budget;
    char folder[64];
    struct text program, compilers;
    struct listed_tests tests;
    struct conversation *kept; /* with a process that has explored scenarios; null: none */
    size_t kept_test;
};

/* Whether a compiler is there. */
bool code_has_compiler(const char *name);

/* Builds sources; fails the test when that fails. */
void code_build(struct code_fixture *code, const char *const *sources, size_t source_count,
                const char *const *flags, size_t flag_count);

/* Builds what cannot be built: the message goes to `error`. */
void code_build_refused(const char *source_text, const char *suffix, const char *flag,
                        struct error *error);

/* Runs a test. Null: a scenario in which each operation is a thread. */
void code_run(struct code_fixture *code, size_t test, enum memory_model model, const char *scenario,
              struct exchange_result *result);

/* Runs a test as `wishes` say: its model and what stands behind the scenario. A process that has
 * explored before must answer as a new one does. */
void code_explore(struct code_fixture *code, size_t test, const struct exchange_request *wishes,
                  const char *scenario, struct exchange_result *result);

/* Writes a source into the folder, and builds it. */
void code_build_text(struct code_fixture *code, const char *source_text, const char *suffix,
                     const char *flag);

void code_release(struct code_fixture *code);

#endif
