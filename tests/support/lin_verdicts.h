/* The assertions of a `.lin` module decided, with the answers that tests compare. */
#ifndef TESTS_SUPPORT_LIN_VERDICTS_H
#define TESTS_SUPPORT_LIN_VERDICTS_H

#include "support/lin_fixture.h"
#include "verify/lin_assertion.h"

enum verdict {
    VERDICT_HOLDS,
    VERDICT_VIOLATED,
    VERDICT_UNDECIDED, /* a pool ran out; automata see too little */
    VERDICT_MODEL_ERROR,
    VERDICT_TOO_LARGE,
    VERDICT_WRONG_TEXT,
    VERDICT_INTERNAL,
};

/* By enum verdict. */
extern const char *const verdict_names[VERDICT_INTERNAL + 1];

/* One assertion, with at most that many steps of its product. */
enum verdict lin_verdict(struct lin_fixture *fixture, size_t number, reductions used,
                         uint64_t most_work);

/* The same with other options and limits. The result is to be released in any case. */
enum verdict lin_verdict_of(struct lin_fixture *fixture, size_t number,
                            const struct assertion_options *options,
                            struct assertion_result *result);

#endif
