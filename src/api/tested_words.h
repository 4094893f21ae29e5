/* An answer about real code in words. */
#ifndef API_TESTED_WORDS_H
#define API_TESTED_WORDS_H

#include "api/testing.h"

/* Says what was found in a scenario, or why it was not decided. STATUS_LIMIT when memory is
 * refused; STATUS_USAGE where the test and its specification do not fit. */
enum status tested_tell(struct testing *testing, const struct scenario *scenario,
                        const struct exchange_result *result, struct error *error) MUST_CHECK;

/* The same of a schedule's execution. STATUS_USAGE, too, when the schedule does not fit. */
enum status tested_tell_replay(struct testing *testing, const struct scenario *scenario,
                               const struct exchange_result *result,
                               struct error *error) MUST_CHECK;

/* Appends for what each thread of an execution waits in which nothing goes on any more. */
enum status tested_append_waits(const struct testing *testing, const struct exchange_result *result,
                                struct text *text, struct error *error) MUST_CHECK;

/* Says that nothing was found. */
enum status tested_tell_holds(struct testing *testing, struct error *error) MUST_CHECK;

/* Says that every scenario of the promised set with at most so many calls was gone through. */
enum status tested_tell_covered(struct testing *testing, unsigned calls) MUST_CHECK;

#endif
