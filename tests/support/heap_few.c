#include "support/heap_few.h"

#include "base/text.h"
#include "support/lin_verdicts.h"

#define MOST_WORK 200000

bool heap_few_violate(const char *text, const char *specification)
{
    static const char *const few[] = {"threads = 2, ops = 2", "threads = 3, ops = 1",
                                      "threads = 3, ops = 2"};
    bool violated = false;
    for (size_t i = 0; i < ARRAY_LENGTH(few) && !violated; i++) {
        struct lin_fixture fixture;
        struct text asserted = TEXT_EMPTY;
        text_format(&asserted, "%s\nassert it linearizes %s with %s;\n", text, specification,
                    few[i]);
        violated = lin_fixture_open(&fixture, text_string(&asserted)) &&
                   lin_verdict(&fixture, 0, REDUCE_DEFAULT, MOST_WORK) == VERDICT_VIOLATED;
        lin_fixture_close(&fixture);
        text_release(&asserted);
    }
    return violated;
}
