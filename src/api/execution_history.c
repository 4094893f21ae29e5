/* Makes a history of an execution: the events of its steps that call or answer an operation
 * ("inv.enqueue.0.7") become events of the history. */
#include <linchpin/verify.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "base/text.h"

#define MOST_COMPONENTS 8

/* "inv.enqueue.0.7" taken apart. */
struct operation_event {
    bool begins;
    struct text function;
    lp_value thread;
    lp_value components[MOST_COMPONENTS]; /* those behind the thread */
    size_t count;
    lp_value symbol; /* nil: the answer is none */
};

/* An integer, true or false; LP_VALUE_REFUSED if it is none of these. */
static lp_value component(lp_context *context, const char *text, size_t length)
{
    char copy[32], *end;
    if (length == 4 && memcmp(text, "true", 4) == 0)
        return lp_value_boolean(true);
    if (length == 5 && memcmp(text, "false", 5) == 0)
        return lp_value_boolean(false);
    if (length == 4 && memcmp(text, "null", 4) == 0) /* in a result of several */
        return LP_VALUE_NIL;
    if (length == 0 || length >= sizeof copy)
        return LP_VALUE_REFUSED;
    memcpy(copy, text, length);
    copy[length] = 0;
    errno = 0;
    long long number = strtoll(copy, &end, 10);
    return errno || *end ? LP_VALUE_REFUSED : lp_value_integer(context, number);
}

/* False if the event is about no operation. */
static bool take_apart(lp_context *context, const char *event, struct operation_event *taken)
{
    *taken = (struct operation_event){.begins = strncmp(event, "inv.", 4) == 0};
    if (!taken->begins && strncmp(event, "res.", 4) != 0)
        return false;
    const char *at = event + 4;
    size_t length = strcspn(at, "."), name = strcspn(at, ".=");
    text_append_bytes(&taken->function, at, name);
    if (name < length) { /* an answer that is a symbol: "res.push=full.0" */
        struct text symbol = TEXT_EMPTY;
        text_append_bytes(&symbol, at + name + 1, length - name - 1);
        taken->symbol = lp_value_string(context, text_string(&symbol));
        text_release(&symbol);
    }
    bool threaded = false;
    for (at += length; *at == '.'; at += length) {
        at++;
        length = strcspn(at, ".");
        lp_value value = component(context, at, length);
        if (value == LP_VALUE_REFUSED || taken->count == MOST_COMPONENTS)
            return false;
        if (threaded)
            taken->components[taken->count++] = value;
        else
            taken->thread = value;
        threaded = true;
    }
    return threaded;
}

static lp_status record(lp_context *context, lp_history *history,
                        const struct operation_event *event, lp_error *error)
{
    const char *function = text_string(&event->function);
    lp_value value = event->count == 0   ? LP_VALUE_NIL
                     : event->count == 1 ? event->components[0]
                                         : lp_value_list(context, event->components, event->count);
    if (event->symbol != LP_VALUE_NIL)
        value = event->symbol;
    if (event->begins)
        return lp_history_invoke(history, event->thread, function, value, error);
    /* In histories a compare-and-swap that answered false did not happen. */
    bool swap = strcmp(function, "cas") == 0 && lp_value_kind(value) == LP_BOOLEAN;
    bool failed = swap && value == lp_value_boolean(false);
    return lp_history_complete(history, event->thread, failed ? LP_OUTCOME_FAIL : LP_OUTCOME_OK,
                               swap ? LP_VALUE_NIL : value, error);
}

lp_status lp_execution_history(lp_context *context, const lp_execution *execution, const char *name,
                               lp_history **history, lp_error *error)
{
    REQUIRE_NOT_NULL(execution);
    REQUIRE_NOT_NULL(history);
    *history = NULL;
    lp_history *created = lp_history_create(context, name);
    lp_status status = created ? LP_OK : LP_LIMIT;
    for (size_t i = 0; status == LP_OK && i < execution->length; i++) {
        struct operation_event event;
        if (execution->steps[i].visible && take_apart(context, execution->steps[i].event, &event))
            status = record(context, created, &event, error);
        if (execution->steps[i].visible)
            text_release(&event.function);
    }
    if (status == LP_OK)
        status = lp_history_close(created, error);
    if (status == LP_OK)
        *history = created;
    else
        lp_history_destroy(created);
    return status;
}
