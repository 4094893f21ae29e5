/* From the first violation to the one that is told. */
#ifndef API_TESTED_SMALLER_H
#define API_TESTED_SMALLER_H

#include "api/testing.h"

/* Looks for a smaller scenario that is violated, made of some of the calls of this one or by fewer
 * threads. Scenario and result become those of the smallest found. */
enum status tested_find_smaller(struct testing *testing, struct scenario *scenario,
                                struct exchange_result *result, struct error *error) MUST_CHECK;

/* Looks among the executions of the scenario for a clearer one (exchange_request.clearest). */
enum status tested_find_clearer(struct testing *testing, const struct scenario *scenario,
                                struct exchange_result *result, struct error *error) MUST_CHECK;

/* Runs the scenario under the other memory models, too. */
enum status tested_find_under(struct testing *testing, const struct scenario *scenario,
                              struct error *error) MUST_CHECK;

#endif
