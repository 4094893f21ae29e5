/* Compares violation automata with the definition, in parallel: a labelling is a piece of work. Its
 * legal orders are found once, through the specification; a history is linearizable if one of them
 * contains its interval order. */
#include "rules/check.h"

#include <assert.h>
#include <string.h>

#include "base/log.h"
#include "base/parallel.h"
#include "rules/accept.h"

/* What one thread has found about an automaton among the histories of one size. */
struct automaton_tally {
    uint64_t accepted, alone;
    struct rules_history example;
    size_t example_at; /* the labelling it is from */
};

/* What it has found in all. */
struct tally {
    struct rules_size size;
    struct automaton_tally *automata;
    struct rules_history missed, false_alarm;
    size_t missed_at, false_alarm_at, culprit;
};

struct worker {
    const struct checking *checking;
    struct tally tally;
    struct legal_orders orders;
    struct acceptance acceptance;
    size_t labelling_at;
    uint32_t seen;      /* histories, since the last look at the limits */
    bool stopped;       /* the limits were looked at, and reached */
    enum status status; /* of the specification */
    struct error error;
};

struct checking {
    const struct rules_request *request;
    struct limits *limits;
    struct arena *arena;
    struct prepared_automaton *prepared;
    struct labellings labellings;
    struct worker *workers;
    unsigned size;
    size_t most_configurations; /* of any automaton */
    atomic_bool stopped;
    struct rules_finding *finding;
};

/* ---- histories ---- */

static void keep_history(const struct worker *worker, struct rules_history *kept)
{
    const struct acceptance *acceptance = &worker->acceptance;
    *kept = (struct rules_history){.found = true,
                                   .labelling = *acceptance->labelling,
                                   .word = *acceptance->word,
                                   .marks = acceptance->marks};
    memcpy(kept->colours, acceptance->colours, sizeof kept->colours);
    memcpy(kept->read, acceptance->read, sizeof kept->read);
}

static bool accepts(struct worker *worker, size_t automaton, bool linearizable)
{
    enum rules_words words = worker->checking->request->words;
    struct acceptance *acceptance = &worker->acceptance;
    acceptance->automaton = &worker->checking->prepared[automaton];
    bool accepted = accepts_canonical_word(acceptance);
    if (!accepted && words != RULES_EXACT && (words == RULES_CLOSURE || linearizable))
        accepted = accepts_some_word(acceptance, words == RULES_CLOSURE);
    worker->stopped = worker->stopped || acceptance->stopped;
    return accepted;
}

static void examine_linearizable(struct worker *worker)
{
    struct tally *tally = &worker->tally;
    tally->size.linearizable++;
    for (size_t a = 0; a < worker->checking->request->automaton_count; a++) {
        if (!accepts(worker, a, true))
            continue;
        tally->size.false_alarms++;
        if (!tally->false_alarm.found) {
            keep_history(worker, &tally->false_alarm);
            tally->false_alarm_at = worker->labelling_at;
            tally->culprit = a;
        }
        return;
    }
}

/* What no other automaton accepts is a better example. */
static void keep_example(struct worker *worker, size_t automaton, bool alone)
{
    struct rules_history *example = &worker->tally.automata[automaton].example;
    if (example->found && (example->alone || !alone))
        return;
    keep_history(worker, example);
    example->alone = alone;
    worker->tally.automata[automaton].example_at = worker->labelling_at;
}

static void examine_violation(struct worker *worker)
{
    struct tally *tally = &worker->tally;
    size_t count = 0, last = 0;
    for (size_t a = 0; a < worker->checking->request->automaton_count; a++) {
        if (!accepts(worker, a, false))
            continue;
        count++;
        last = a;
        tally->automata[a].accepted++;
        keep_example(worker, a, false);
    }
    if (count == 1) {
        tally->automata[last].alone++;
        if (!tally->automata[last].example.alone && accepts(worker, last, false))
            keep_example(worker, last, true);
    }
    if (count || worker->stopped)
        return;
    tally->size.missed++;
    if (!tally->missed.found) {
        memset(worker->acceptance.colours, 0, sizeof worker->acceptance.colours);
        worker->acceptance.marks = 0;
        memcpy(worker->acceptance.read, worker->acceptance.word->events,
               sizeof worker->acceptance.read);
        keep_history(worker, &tally->missed);
        tally->missed_at = worker->labelling_at;
    }
}

static bool examine(void *context, const struct word *word)
{
    struct worker *worker = context;
    worker->acceptance.word = word;
    worker->tally.size.histories++;
    worker->seen++;
    worker->stopped |= limits_work(worker->checking->limits, &worker->seen, STEPS_A_LOOK);
    if (word_is_linearizable(word, worker->acceptance.labelling, &worker->orders))
        examine_linearizable(worker);
    else
        examine_violation(worker);
    return !worker->stopped;
}

static void examine_labelling(void *context, size_t i, unsigned number)
{
    struct checking *checking = context;
    struct worker *worker = &checking->workers[number];
    const struct rules_request *request = checking->request;
    if (atomic_load(&checking->stopped))
        return;
    const struct labelling *labelling = &checking->labellings.items.items[i];
    worker->acceptance.labelling = labelling;
    worker->labelling_at = i;
    enum status status = legal_orders_find(request->spec, request->object, labelling,
                                           &worker->orders, &worker->error);
    worker->status = status;
    if (status != STATUS_OK || !words_visit(labelling, request->histories, examine, worker))
        atomic_store(&checking->stopped, true);
}

/* ---- sizes ---- */

static bool open_worker(struct checking *checking, struct worker *worker)
{
    size_t count = checking->request->automaton_count;
    struct tally *tally = &worker->tally;
    *worker = (struct worker){.checking = checking};
    vector_init(&worker->orders.operations, checking->limits->budget);
    tally->automata = arena_allocate(checking->arena, count * sizeof *tally->automata);
    struct bits seen = bits_in_arena(checking->arena, checking->most_configurations);
    worker->acceptance = (struct acceptance){.limits = checking->limits, .seen = seen};
    return tally->automata && seen.words;
}

static void clear_tally(struct tally *tally, size_t count)
{
    tally->size = (struct rules_size){0};
    memset(tally->automata, 0, count * sizeof *tally->automata);
    tally->missed.found = tally->false_alarm.found = false;
}

/* The one of the earliest labelling, whichever thread had it; of examples the better one. */
static bool comes_first(const struct rules_history *found, size_t at,
                        const struct rules_history *best, size_t best_at)
{
    if (!found->found || !best->found)
        return found->found;
    return found->alone != best->alone ? found->alone : at < best_at;
}

static void add_size(const struct rules_size *more, struct rules_size *sum)
{
    sum->histories += more->histories;
    sum->linearizable += more->linearizable;
    sum->missed += more->missed;
    sum->false_alarms += more->false_alarms;
}

/* Merges what the threads have found of one size into the first one's tally. */
static struct tally *merge_tallies(struct checking *checking)
{
    struct tally *sum = &checking->workers[0].tally;
    for (unsigned w = 1; w < checking->request->threads; w++) {
        const struct tally *tally = &checking->workers[w].tally;
        add_size(&tally->size, &sum->size);
        for (size_t a = 0; a < checking->request->automaton_count; a++) {
            const struct automaton_tally *own = &tally->automata[a];
            struct automaton_tally *all = &sum->automata[a];
            all->accepted += own->accepted;
            all->alone += own->alone;
            if (comes_first(&own->example, own->example_at, &all->example, all->example_at)) {
                all->example = own->example;
                all->example_at = own->example_at;
            }
        }
        if (comes_first(&tally->missed, tally->missed_at, &sum->missed, sum->missed_at)) {
            sum->missed = tally->missed;
            sum->missed_at = tally->missed_at;
        }
        if (comes_first(&tally->false_alarm, tally->false_alarm_at, &sum->false_alarm,
                        sum->false_alarm_at)) {
            sum->false_alarm = tally->false_alarm;
            sum->false_alarm_at = tally->false_alarm_at;
            sum->culprit = tally->culprit;
        }
    }
    return sum;
}

/* What a size that was not compared to its end has found counts as a difference, and for nothing
 * else. */
static void keep_size(struct checking *checking, bool whole)
{
    struct rules_finding *finding = checking->finding;
    const struct tally *sum = merge_tallies(checking);
    if (!finding->missed.found)
        finding->missed = sum->missed;
    finding->false_alarm = sum->false_alarm;
    finding->culprit = sum->culprit;
    finding->by_size[checking->size] = sum->size;
    if (whole)
        finding->size = checking->size;
    for (size_t a = 0; a < checking->request->automaton_count; a++) {
        const struct automaton_tally *own = &sum->automata[a];
        finding->accepted[a] += own->accepted;
        finding->alone[a] += own->alone;
        if (comes_first(&own->example, 1, &finding->examples[a], 0))
            finding->examples[a] = own->example;
    }
}

/* The first fault of the specification that some thread met. */
static enum status find_fault(const struct checking *checking, struct error *error)
{
    for (unsigned w = 0; w < checking->request->threads; w++) {
        const struct worker *worker = &checking->workers[w];
        if (worker->status == STATUS_OK || worker->status == STATUS_LIMIT)
            continue;
        *error = worker->error;
        return worker->status;
    }
    return STATUS_OK;
}

static void tell_log(const struct checking *checking, bool whole)
{
    const struct rules_size *size = &checking->finding->by_size[checking->size];
    LOG(checking->limits->log,
        "rules: %s histories of %u operations, %s linearizable, %s missed, %s false alarms%s",
        count_text(size->histories).digits, checking->size, count_text(size->linearizable).digits,
        count_text(size->missed).digits, count_text(size->false_alarms).digits,
        whole ? "" : ", ended by a limit");
}

/* Whether to go on with the next size. */
static bool compare_size(struct checking *checking)
{
    const struct rules_request *request = checking->request;
    struct rules_finding *finding = checking->finding;
    checking->labellings.items.length = 0;
    bool whole =
        labellings_find(request->object, checking->size, request->histories, &checking->labellings);
    for (unsigned w = 0; w < request->threads; w++)
        clear_tally(&checking->workers[w].tally, request->automaton_count);
    if (whole)
        parallel_for(request->threads, checking->labellings.items.length, examine_labelling,
                     checking);
    whole = whole && !atomic_load(&checking->stopped);
    keep_size(checking, whole);
    tell_log(checking, whole);
    if (!whole)
        finding->limit = limits_which(checking->limits);
    return whole && (request->partial || !finding->missed.found) && !finding->false_alarm.found;
}

static bool open_finding(struct checking *checking)
{
    struct rules_finding *finding = checking->finding;
    size_t count = checking->request->automaton_count;
    *finding = (struct rules_finding){0};
    finding->accepted = arena_zeroed(checking->arena, count * sizeof *finding->accepted);
    finding->alone = arena_zeroed(checking->arena, count * sizeof *finding->alone);
    finding->examples = arena_zeroed(checking->arena, count * sizeof *finding->examples);
    return finding->accepted && finding->alone && finding->examples;
}

static bool open_checking(struct checking *checking)
{
    const struct rules_request *request = checking->request;
    checking->prepared =
        arena_allocate(checking->arena, request->automaton_count * sizeof *checking->prepared);
    checking->workers =
        arena_allocate(checking->arena, request->threads * sizeof *checking->workers);
    bool good = checking->prepared && checking->workers && open_finding(checking);
    for (size_t a = 0; good && a < request->automaton_count; a++) {
        good = automaton_prepare(&request->automata[a], request->object, checking->arena,
                                 &checking->prepared[a]);
        size_t configurations =
            good ? automaton_configurations(&checking->prepared[a], request->bound) : 0;
        if (configurations > checking->most_configurations)
            checking->most_configurations = configurations;
    }
    for (unsigned w = 0; good && w < request->threads; w++)
        good = open_worker(checking, &checking->workers[w]);
    return good;
}

enum status rules_check(const struct rules_request *request, struct limits *limits,
                        struct arena *arena, struct rules_finding *finding, struct error *error)
{
    struct checking checking = {
        .request = request, .limits = limits, .arena = arena, .finding = finding};
    assert(request->bound >= 1 && request->bound <= HISTORY_MOST_ENUMERATED);
    assert(request->threads >= 1);
    if (!open_checking(&checking))
        return error_set(error, STATUS_LIMIT, NULL, 0, "memory");
    LOG(limits->log, "rules: %zu automata on histories of at most %u operations",
        request->automaton_count, request->bound);
    vector_init(&checking.labellings.items, limits->budget);
    bool going = true;
    for (checking.size = 1; checking.size <= request->bound && going; checking.size++)
        going = compare_size(&checking);
    enum status status = find_fault(&checking, error);
    finding->complete = finding->limit == LIMIT_NONE;
    vector_release(&checking.labellings.items);
    for (unsigned w = 0; w < request->threads; w++)
        vector_release(&checking.workers[w].orders.operations);
    return status;
}
