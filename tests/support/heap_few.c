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

bool heap_few_violate(const char *text, const char *specification)
{
    static const char *const few[] = {"threads = 2, ops = 2", "threads = 3, ops = 1",
                                      "threads = 3, ops = 2"};
    bool violated = false;
    int length;
    const char *name = find_name(text, &length);
    for (size_t i = 0; i < ARRAY_LENGTH(few) && !violated; i++) {
        struct lin_fixture fixture;
        struct text asserted = TEXT_EMPTY;
        text_format(&asserted, "%s\nassert %.*s linearizes %s with %s;\n", text, length, name,
                    specification, few[i]);
        if (!lin_fixture_open(&fixture, text_string(&asserted)))
            fail_msg("%s\n%s", fixture.error.message, text_string(&asserted));
        violated = lin_verdict(&fixture, 0, REDUCE_DEFAULT, MOST_WORK) == VERDICT_VIOLATED;
        lin_fixture_close(&fixture);
        text_release(&asserted);
    }
    return violated;
}
