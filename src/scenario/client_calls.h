/* Whether clients have called as an object allows. */
#ifndef SCENARIO_CLIENT_CALLS_H
#define SCENARIO_CLIENT_CALLS_H

#include "scenario/contract.h"

struct client_call {
    struct call call; /* call.process: the client; what it answers is not looked at */
    bool returned;    /* else it may have happened or not, and is its client's last one */
};

/* Of recorded calls, those of each client in its order: CONTRACT_KEPT if they are legal, whatever
 * they answer, in some order in which each client makes its own one after the other, but which
 * client comes first is free. Of a specification that lets operations take effect together:
 * CONTRACT_KEPT. CONTRACT_LIMIT also where memory is refused. */
enum contract_answer client_calls_look(const struct spec *spec, const struct client_call *calls,
                                       uint32_t count, struct limits *limits);

#endif
