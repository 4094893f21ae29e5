/* A `.lin` module read from text, with all that deciding its assertions needs. */
#ifndef TESTS_SUPPORT_LIN_FIXTURE_H
#define TESTS_SUPPORT_LIN_FIXTURE_H

#include "base/limits.h"
#include "lin/check.h"
#include "value/value.h"

struct lin_fixture {
    struct budget budget;
    struct limits limits; /* over it; none at first */
    struct value_pool *pool;
    struct arena arena;
    struct script script;
    struct lin_module module;
    struct error error;
};

/* False if the text is wrong, which `error` explains. Close it in any case; the budget then has
 * nothing in use. */
bool lin_fixture_open(struct lin_fixture *fixture, const char *text);
void lin_fixture_close(struct lin_fixture *fixture);

#endif
