#include "support/heap_few.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "support/lin_verdicts.h"

#define MOST_WORK 200000

/* The name of the text's first implementation. */
static const char *find_name(const char *text, int *length)
{
    const char *name = strstr(text, "impl ");
    assert_non_null(name);
    name += strlen("impl ");
    *length = (int)strcspn(name, " {");
    return name;
}

/* Whether an assertion about few threads comes out as one of some verdicts, given as bits. */
static bool comes_out(const char *text, const char *specification, const char *with,
                      unsigned verdicts)
{
    static const char *const few[] = {"threads = 2, ops = 2", "threads = 3, ops = 1",
                                      "threads = 3, ops = 2"};
    bool found = false;
    int length;
    const char *name = find_name(text, &length);
    for (size_t i = 0; i < ARRAY_LENGTH(few) && !found; i++) {
        struct lin_fixture fixture;
        struct text asserted = TEXT_EMPTY;
        text_format(&asserted, "%s\nassert %.*s linearizes %s with %s%s;\n", text, length, name,
                    specification, few[i], with);
        if (!lin_fixture_open(&fixture, text_string(&asserted)))
            fail_msg("%s\n%s", fixture.error.message, text_string(&asserted));
        found = verdicts >> lin_verdict(&fixture, 0, REDUCE_DEFAULT, MOST_WORK) & 1;
        lin_fixture_close(&fixture);
        text_release(&asserted);
    }
    return found;
}

bool heap_few_violate(const char *text, const char *specification)
{
    return comes_out(text, specification, "", 1u << VERDICT_VIOLATED);
}

bool heap_few_miss_points(const char *text, const char *specification)
{
    return comes_out(text, specification, ", points = complete",
                     1u << VERDICT_VIOLATED | 1u << VERDICT_MODEL_ERROR);
}
