/* What a monitor of the library consists of. */
#ifndef API_MONITOR_H
#define API_MONITOR_H

#include <linchpin/monitor.h>

#include "api/objects.h"
#include "stream/late.h"
#include "stream/merged.h"
#include "stream/recorders.h"

#define MONITOR_MAGIC UINT32_C(0x6c706d6f)

struct lp_monitor {
    uint32_t magic;
    lp_context *context;
    struct limits limits;
    struct stream *stream;
    struct feed feed;     /* of the only log; else there are `merged` ones */
    struct merged merged; /* without logs: not open */
    struct recorders recorders;
    lp_client *handles; /* of these */
    struct late late;   /* most = 0: nothing is late */
    lp_binding *bindings;
    struct binding *inner;
    size_t binding_count;
    size_t room; /* bytes of both */
    bool independent;
    bool forgets;           /* what the thread makes */
    bool failed;            /* it is of no more use */
    lp_monitor_state state; /* shown last */
    uint32_t events;        /* recorded: the "line" of the next one, from 1 */
    struct text key;        /* of checkpoints */
    uint64_t created;       /* clock_nanoseconds() */
};

/* What a call comes to: behind one that failed the monitor is of no more use. */
lp_status monitor_conclude(lp_monitor *monitor, enum status status, const struct error *fault,
                           lp_error *error);

/* Says in `key` what a checkpoint of the monitor is of: a line each, so that the one that differs
 * can be named. */
void monitor_make_key(lp_monitor *monitor, const lp_monitor_options *options);

#endif
