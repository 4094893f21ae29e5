/* Compares automata with the definition on random histories, in parallel: each history is a piece
 * of work, with a seed that follows from its number. A difference is made again from its number,
 * and shrunk by leaving operations out. */
#include "rules/random_check.h"

#include <string.h>

#include <inttypes.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/parallel.h"
#include "rules/linearize.h"
#include "rules/random_history.h"
#include "rules/run.h"

#define CHUNK 64 /* histories between two looks at what the others have found */

/* A violation to which other operations are added. */
#define SMALL_LEAST 3
#define SMALL_MOST  6
#define SMALL_TRIES 8

/* One history, and what was found about it. */
struct examined {
    struct timed_history history;
    struct labelling labelling;
    struct word word;
    bool linearizable, accepted;
    size_t by; /* where accepted: the first automaton that does */
    struct run run;
};

struct random_worker {
    uint64_t linearizable, histories, overlooked;
    enum status status;
    struct error error;
    bool found;
    uint64_t number; /* of the difference that was found */
};

struct random_checking {
    const struct rules_request *request;
    const struct random_request *random;
    struct limits *limits;
    struct prepared_automaton *prepared;
    struct random_worker *workers;
    atomic_bool stopped;          /* by a limit, or a fault */
    atomic_uint_least64_t before; /* only histories with lesser numbers are of interest */
};

/* ---- one history ---- */

static void mix_blocks(struct random *random, struct word *word)
{
    for (unsigned at = 1; at < word->length; at++) {
        unsigned first = at;
        while (first > 0 &&
               (word->events[first - 1] & WORD_RETURN) == (word->events[at] & WORD_RETURN))
            first--;
        unsigned with = first + random_below(random, at - first + 1);
        uint8_t event = word->events[at];
        word->events[at] = word->events[with];
        word->events[with] = event;
    }
}

static enum status run_on(const struct random_checking *checking, struct examined *examined,
                          struct arena *arena)
{
    struct labelled_event events[2 * HISTORY_MOST_OPERATIONS];
    struct run_operation operations[HISTORY_MOST_OPERATIONS];
    const struct labelling *labelling = &examined->labelling;
    for (unsigned i = 0; i < examined->word.length; i++)
        events[i] = (struct labelled_event){examined->word.events[i] & ~WORD_RETURN,
                                            (examined->word.events[i] & WORD_RETURN) != 0};
    for (unsigned i = 0; i < labelling->count; i++)
        operations[i] =
            (struct run_operation){labelling->operations[i].method, labelling->operations[i].value};
    const struct run_word word = {events, examined->word.length, operations, labelling->count,
                                  labelling->value_count};
    for (size_t a = 0; a < checking->request->automaton_count && !examined->accepted; a++) {
        TRY(automaton_run(&checking->prepared[a], NULL, &word, checking->limits, arena,
                          &examined->run));
        examined->accepted = examined->run.accepted;
        examined->by = a;
    }
    return STATUS_OK;
}

/* Of the history in `examined` all the rest; `arena` holds its run. */
static enum status examine(const struct random_checking *checking, struct random *random,
                           struct examined *examined, struct arena *arena, struct error *error)
{
    const struct rules_request *request = checking->request;
    timed_history_write(&examined->history, request->object, &examined->labelling, &examined->word);
    examined->accepted = false;
    TRY(history_is_linearizable(request->spec, request->object, &examined->labelling,
                                &examined->word, checking->limits->budget, &examined->linearizable,
                                error));
    TRY(run_on(checking, examined, arena));
    if (examined->accepted || !examined->linearizable)
        return STATUS_OK;
    const struct word canonical = examined->word;
    mix_blocks(random, &examined->word);
    TRY(run_on(checking, examined, arena));
    if (!examined->accepted)
        examined->word = canonical;
    return STATUS_OK;
}

static bool differs(const struct random_checking *checking, const struct examined *examined)
{
    return examined->linearizable == examined->accepted &&
           (examined->accepted || !checking->request->partial);
}

/* A small history, a violation if one comes about soon. */
static enum status invent_small(const struct random_checking *checking, struct random *random,
                                struct examined *examined, struct error *error)
{
    const struct rules_request *request = checking->request;
    struct budget *budget = checking->limits->budget;
    examined->linearizable = true;
    for (unsigned i = 0; i < SMALL_TRIES && examined->linearizable; i++) {
        unsigned count = SMALL_LEAST + random_below(random, SMALL_MOST - SMALL_LEAST + 1);
        TRY(random_history(random, request->spec, request->object, request->histories, count,
                           budget, &examined->history, error));
        timed_history_write(&examined->history, request->object, &examined->labelling,
                            &examined->word);
        TRY(history_is_linearizable(request->spec, request->object, &examined->labelling,
                                    &examined->word, budget, &examined->linearizable, error));
    }
    return STATUS_OK;
}

static enum status invent_and_examine(const struct random_checking *checking, uint64_t number,
                                      struct random *random, struct examined *examined,
                                      struct arena *arena, struct error *error)
{
    const struct rules_request *request = checking->request;
    random_seed(random, hash_pair(checking->random->seed, number));
    unsigned count = RANDOM_LEAST_OPERATIONS +
                     random_below(random, RANDOM_MOST_OPERATIONS - RANDOM_LEAST_OPERATIONS + 1);
    if (random_chance(random, 1, 2)) {
        TRY(random_history(random, request->spec, request->object, request->histories, count,
                           checking->limits->budget, &examined->history, error));
    } else {
        TRY(invent_small(checking, random, examined, error));
        random_history_extend(random, request->object, request->histories, count,
                              &examined->history);
    }
    return examine(checking, random, examined, arena, error);
}

/* ---- all of them ---- */

static void note_difference(struct random_checking *checking, struct random_worker *worker,
                            uint64_t number)
{
    uint64_t before = atomic_load(&checking->before);
    while (number < before && !atomic_compare_exchange_weak(&checking->before, &before, number))
        ;
    if (!worker->found || number < worker->number)
        worker->number = number;
    worker->found = true;
}

static void examine_chunk(void *context, size_t chunk, unsigned number)
{
    struct random_checking *checking = context;
    struct random_worker *worker = &checking->workers[number];
    struct random random;
    uint64_t end = (chunk + 1) * (uint64_t)CHUNK;
    if (end > checking->random->count)
        end = checking->random->count;
    for (uint64_t i = chunk * (uint64_t)CHUNK; i < end; i++) {
        struct arena arena;
        struct examined examined;
        if (atomic_load(&checking->stopped) || atomic_load(&checking->before) < i)
            return;
        arena_init(&arena, checking->limits->budget);
        worker->status =
            invent_and_examine(checking, i, &random, &examined, &arena, &worker->error);
        arena_release(&arena);
        if (worker->status != STATUS_OK || limits_reached(checking->limits) != LIMIT_NONE) {
            atomic_store(&checking->stopped, true);
            return;
        }
        atomic_fetch_add(&checking->limits->work, 1);
        worker->histories++;
        worker->linearizable += examined.linearizable;
        worker->overlooked += !examined.linearizable && !examined.accepted;
        if (differs(checking, &examined))
            note_difference(checking, worker, i);
    }
}

/* ---- the difference ---- */

static void keep(const struct examined *examined, struct rules_history *kept)
{
    *kept = (struct rules_history){
        .found = true, .labelling = examined->labelling, .word = examined->word};
    memcpy(kept->read, examined->word.events, sizeof kept->read);
    for (unsigned v = 0; examined->accepted && v < examined->labelling.value_count; v++)
        kept->colours[v] = examined->run.colours[v];
    for (unsigned i = 0; examined->accepted && i < examined->labelling.count; i++)
        kept->marks |= (unsigned)examined->run.marked[i] << i;
}

/* Whether the history, with an operation left out, still makes a difference of this kind; if so it
 * replaces the one that was examined. */
static enum status leave_out(const struct random_checking *checking, unsigned operation,
                             struct random *random, struct examined *examined, struct arena *arena,
                             bool *left_out, struct error *error)
{
    struct examined smaller = *examined;
    timed_history_remove(&smaller.history, operation);
    TRY(examine(checking, random, &smaller, arena, error));
    *left_out = differs(checking, &smaller) && smaller.accepted == examined->accepted;
    if (*left_out)
        *examined = smaller;
    return STATUS_OK;
}

static enum status tell_difference(const struct random_checking *checking, uint64_t number,
                                   struct arena *arena, struct random_finding *finding,
                                   struct error *error)
{
    struct examined examined;
    struct random random;
    TRY(invent_and_examine(checking, number, &random, &examined, arena, error));
    for (unsigned i = 0; i < examined.history.labelling.count;) {
        bool left_out;
        TRY(leave_out(checking, i, &random, &examined, arena, &left_out, error));
        i = left_out ? 0 : i + 1;
    }
    keep(&examined, examined.accepted ? &finding->false_alarm : &finding->missed);
    finding->culprit = examined.by;
    return STATUS_OK;
}

static enum status conclude(const struct random_checking *checking, struct arena *arena,
                            struct random_finding *finding, struct error *error)
{
    const struct random_worker *first = NULL;
    for (unsigned w = 0; w < checking->request->threads; w++) {
        const struct random_worker *worker = &checking->workers[w];
        finding->histories += worker->histories;
        finding->linearizable += worker->linearizable;
        finding->overlooked += worker->overlooked;
        if (worker->status != STATUS_OK && worker->status != STATUS_LIMIT) {
            *error = worker->error;
            return worker->status;
        }
        if (worker->found && (!first || worker->number < first->number))
            first = worker;
    }
    if (first)
        finding->histories = first->number + 1;
    if (first)
        return tell_difference(checking, first->number, arena, finding, error);
    if (atomic_load(&checking->stopped))
        finding->limit = limits_which(checking->limits);
    return STATUS_OK;
}

enum status rules_check_random(const struct rules_request *request,
                               const struct random_request *random, struct limits *limits,
                               struct random_finding *finding, struct error *error)
{
    struct random_checking checking = {.request = request, .random = random, .limits = limits};
    struct arena arena;
    *finding = (struct random_finding){0};
    atomic_init(&checking.before, UINT64_MAX);
    arena_init(&arena, limits->budget);
    checking.prepared =
        arena_allocate(&arena, request->automaton_count * sizeof *checking.prepared);
    checking.workers = arena_zeroed(&arena, request->threads * sizeof *checking.workers);
    bool good = checking.prepared && checking.workers;
    for (size_t a = 0; good && a < request->automaton_count; a++)
        good = automaton_prepare(&request->automata[a], request->object, &arena,
                                 &checking.prepared[a]);
    enum status status = STATUS_LIMIT;
    if (good) {
        LOG(limits->log, "rules: %s random histories, seed %" PRIu64,
            count_text(random->count).digits, random->seed);
        parallel_for(request->threads, (size_t)((random->count + CHUNK - 1) / CHUNK), examine_chunk,
                     &checking);
        status = conclude(&checking, &arena, finding, error);
        LOG(limits->log, "rules: %s of the random histories looked at, %s linearizable%s",
            count_text(finding->histories).digits, count_text(finding->linearizable).digits,
            finding->missed.found        ? "; one is missed"
            : finding->false_alarm.found ? "; one is a false alarm"
                                         : "");
    } else {
        error_set(error, STATUS_LIMIT, NULL, 0, "memory");
    }
    arena_release(&arena);
    return status;
}
