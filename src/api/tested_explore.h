/* Having a test program go through a scenario. */
#ifndef API_TESTED_EXPLORE_H
#define API_TESTED_EXPLORE_H

#include "api/testing.h"

enum {
    EXPLORE_TOLD = 20000 /* executions, of which the clearest one is told */
};

struct explore_request {
    struct scenario scenario;
    lp_memory_model model;
    double seconds;      /* after which to stop, unless other limits come first; 0: those alone */
    uint64_t executions; /* likewise */
    const struct limits *limits; /* null: those of all */
    bool clearest, leaves_out;   /* as in struct exchange_request */
    /* A process of the test, for scenarios one after the other (scenario/conversation.h); null:
       a new one is begun, and ended. */
    struct conversation **kept;
};

/* Goes through a scenario. What is found is looked for in another process again; if it is not found
 * there the end is END_DIFFERS. STATUS_LIMIT when a limit of all comes before the program answers;
 * STATUS_INPUT when it ends without. */
enum status tested_explore(struct testing *testing, const struct explore_request *request,
                           struct exchange_result *result, struct error *error) MUST_CHECK;

/* The one execution that a schedule has; END_DIFFERS: it is none of the program. */
enum status tested_replay(struct testing *testing, const struct scenario *scenario,
                          const struct schedule *schedule, struct exchange_result *result,
                          struct error *error) MUST_CHECK;

#endif
