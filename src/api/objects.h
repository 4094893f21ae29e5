/* What is behind the installed handles, and the conversions between the installed types and those
 * of the rooms below, which are the same numbers under other names. */
#ifndef API_OBJECTS_H
#define API_OBJECTS_H

#include <linchpin/monitor.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/status.h"
#include "history/history.h"
#include "spec/spec.h"

#define CONTEXT_MAGIC UINT32_C(0x6c70636f)
#define HISTORY_MAGIC UINT32_C(0x6c706869)
#define SPEC_MAGIC    UINT32_C(0x6c707370)
#define RESULT_MAGIC  UINT32_C(0x6c707265)

struct lp_context {
    uint32_t magic;
    struct budget budget;
    atomic_bool interrupt;
    struct log log;
    struct value_pool *pool;
};

struct lp_history {
    uint32_t magic;
    lp_context *context;
    struct history *history;
    struct history_builder *builder; /* while open, else null */
    value object, key;               /* of the operations that follow; nil: none */
    uint32_t events;                 /* recorded so far: the "line" of the next one, from 1 */
    bool by_event, by_interval;      /* how it is recorded; not both */
    uint64_t hash;
    uint32_t *places; /* place in history->operations of each index; null: the same */
};

struct lp_spec {
    uint32_t magic;
    lp_context *context;
    struct spec *spec;
    char *name;
    struct custom_spec *custom; /* null: built in */
};

/* Copies what the inside says about a failure; a null `to` is allowed. */
lp_status report_status(enum status status, const struct error *from, lp_error *to);

/* Takes over a history that is complete; null when the budget refuses: then
 * it is the caller's still. */
lp_history *history_wrap(lp_context *context, struct history *history, uint64_t hash);

/* Limits over `budget` with the context's interrupt and log and, unless 0, a deadline in `timeout`
 * seconds from now. */
void limits_for(struct limits *limits, lp_context *context, struct budget *budget, double timeout);

/* 0: one thread per core. */
unsigned threads_for(unsigned jobs);

/* The one value in EDN that `text` is; STATUS_INPUT, saying what else was found. */
enum status parse_value(lp_context *context, const char *text, value *result,
                        struct error *error) MUST_CHECK;

/* Takes over `inner`, which is destroyed if the budget refuses. A null `name` is made from the
 * class and its parameters. */
enum status spec_wrap(lp_context *context, struct spec *inner, const char *name,
                      struct custom_spec *custom, lp_spec **spec, struct error *error) MUST_CHECK;

/* The specification with the initial value that the history's file fixes, where its user asked for
 * none; null where nothing changes (or where it does not take such a value). Owned by the caller.
 */
struct spec *spec_for_history(const lp_spec *spec, const struct history *history);

/* As lp_check, whose options these are, whole; at most so many steps for each part; 0: as many as
 * it takes. */
lp_status check_within(lp_context *context, const lp_history *history, const lp_binding *bindings,
                       size_t binding_count, const lp_check_options *options, uint64_t most_work,
                       lp_result **result, lp_error *error);

/* What an answer about a history that was followed says beside how far it is. */
struct followed_words {
    const lp_binding *bindings;
    size_t binding_count;
    size_t parts;
    uint64_t explored;
    double seconds;           /* since it began */
    bool monitored, searched; /* some object was decided by a monitor, by search */
    bool keyed_results;       /* as lp_result has it */
    bool partly;              /* of the object at fault not all operations are kept */
    uint32_t doubtful_line;   /* from which on it is not decided; 0: not known */
    const char *log, *given_up_log, *doubtful_log; /* of the lines; null: there is only one */
    uint32_t silent; /* logs not read as far as the violation, which may lack what is earlier */
    const char *silent_log; /* the first of them */
};

/* Makes an answer about what is kept of a history one about all of it. */
void result_follow(lp_result *result, const lp_monitor_state *state,
                   const struct followed_words *words);

/* Releases what a user-supplied specification keeps, once its struct spec is destroyed. */
void custom_spec_release(struct custom_spec *custom);

#endif
