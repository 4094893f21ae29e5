#include "api/tested_reason.h"

#include <string.h>

#include "api/tested_names.h"

static const char *const names[] = {
    [FINDING_NONE] = NULL,
    [FINDING_NOT_LINEARIZABLE] = "not linearizable",
    [FINDING_RACE] = "data race",
    [FINDING_USE_AFTER_FREE] = "use after free",
    [FINDING_DOUBLE_FREE] = "double free",
    [FINDING_BAD_FREE] = "bad free",
    [FINDING_OUT_OF_BLOCK] = "out of bounds",
    [FINDING_UNINITIALISED] = "uninitialised memory",
    [FINDING_BAD_UNLOCK] = "bad unlock",
    [FINDING_MISUSE] = "misuse",
    [FINDING_EXCEPTION] = "uncaught exception",
    [FINDING_DEADLOCK] = "deadlock",
    [FINDING_WAITS] = "waits for ever",
    [FINDING_LIVELOCK] = "livelock",
    [FINDING_ASSERTION] = "failed assertion",
    [FINDING_ABORT] = "program ends",
    [FINDING_CRASH] = "crash",
};

void tested_append_thread(unsigned thread, struct text *text)
{
    if (thread == THREAD_ALONE)
        text_append(text, "setup or teardown");
    else
        text_format(text, "thread %u", thread + 1);
}

const char *tested_access_verb(unsigned kind)
{
    static const char *const verbs[] = {
        [ACCESS_NONE] = "is",
        [ACCESS_READ] = "reads",
        [ACCESS_WRITE] = "writes",
        [ACCESS_ATOMIC_READ] = "reads atomically",
        [ACCESS_ATOMIC_WRITE] = "writes atomically",
        [ACCESS_FREE] = "frees",
    };
    return verbs[kind];
}

static void append_what(const struct finding *finding, struct text *text)
{
    switch (finding->kind) {
    case FINDING_RACE:
        text_format(text, "%s", tested_access_verb(finding->here.kind));
        break;
    case FINDING_USE_AFTER_FREE:
        text_format(text, "%s memory that is freed", tested_access_verb(finding->here.kind));
        break;
    case FINDING_DOUBLE_FREE:
        text_append(text, "frees a block that is freed");
        break;
    case FINDING_BAD_FREE:
        text_append(text, "frees what is no block of the heap");
        break;
    case FINDING_OUT_OF_BLOCK:
        text_format(text, "%s memory of the heap that is in no block",
                    tested_access_verb(finding->here.kind));
        break;
    case FINDING_UNINITIALISED:
        text_append(text, "reads memory of the heap atomically that nobody has written");
        break;
    case FINDING_BAD_UNLOCK:
        text_append(text, "unlocks a mutex that it does not hold");
        break;
    case FINDING_MISUSE:
        text_append(text, finding->sentence);
        break;
    case FINDING_EXCEPTION:
        text_format(text, "throws an exception that leaves %s", finding->sentence);
        break;
    case FINDING_ABORT:
        text_format(text, "calls %s", finding->sentence);
        break;
    case FINDING_CRASH:
        if (*finding->sentence)
            text_append(text, finding->sentence);
        else
            text_format(text, "is ended by signal %d (%s)", finding->signal,
                        strsignal(finding->signal));
        break;
    default:
        break;
    }
}

static void append_finding(const struct finding *finding, const struct place *places,
                           struct text *text)
{
    if (finding->kind == FINDING_NOT_LINEARIZABLE) {
        text_append(text, "not linearizable: no legal order of the operations explains their "
                          "results");
        return;
    }
    text_format(text, "%s: ", names[finding->kind]);
    if (finding->kind == FINDING_ASSERTION) {
        const char *name = strrchr(finding->file, '/');
        text_format(text, "%s, in ", finding->sentence);
        tested_append_thread(finding->here.thread, text);
        text_format(text, " at %s:%u", name ? name + 1 : finding->file, finding->line);
        return;
    }
    tested_append_thread(finding->here.thread, text);
    text_append(text, " ");
    append_what(finding, text);
    tested_append_place(&places[0], text);
    if (finding->other.kind == ACCESS_NONE)
        return;
    text_append(text, finding->kind == FINDING_RACE ? " what " : ", as ");
    tested_append_thread(finding->other.thread, text);
    text_format(text, " %s", tested_access_verb(finding->other.kind));
    tested_append_place(&places[1], text);
    if (finding->kind == FINDING_RACE)
        text_append(text, ", and neither happens before the other");
}

const char *tested_finding_name(enum finding_kind kind)
{
    return names[kind];
}

enum status tested_append_finding(const struct testing *testing, const struct finding *finding,
                                  struct text *text, struct error *error)
{
    const void *addresses[] = {finding->here.at, finding->other.at};
    struct place places[ARRAY_LENGTH(addresses)];
    TRY(tested_find_places(testing, addresses, ARRAY_LENGTH(addresses), places, error));
    append_finding(finding, places, text);
    places_release(places, ARRAY_LENGTH(places));
    return STATUS_OK;
}
