/* Tests a rule set, in parallel: a labelling is a piece of work, and the sizes are taken one after
 * the other. What the specification allows is enumerated once for each size. */
#include "rules/rule_set_check.h"

#include <assert.h>
#include <string.h>

#include "base/log.h"
#include "base/parallel.h"

#define CALLS_A_LOOK SIZE_OR_SMALL(64, 1) /* sets of calls, each with all its derivations */

struct checking {
    const struct rule_set_request *request;
    struct limits *limits;
    struct rule_set_finding *finding;
    struct rule_subject subject;
    VECTOR(struct rule_labelling) labellings;
    struct rule_inspection *workers;
    struct error *errors; /* by worker */
    bool decided[RULE_PROPERTIES];
    unsigned size;
    uint32_t seen; /* sets of calls, since the last look at the limits */
    atomic_bool stopped;
    enum status status;
    struct error *error;
};

/* ---- labellings ---- */

static bool add_labelling(void *context, const struct rule_labelling *labelling)
{
    struct checking *checking = context;
    return vector_push(&checking->labellings, *labelling);
}

/* ---- one labelling ---- */

static void inspect_ranked(struct rule_inspection *inspection,
                           const struct rule_labelling *labelling, const uint32_t *ranks)
{
    enum status status = rule_tables_make(&inspection->tables, inspection->request->set, labelling,
                                          ranks, inspection->limits->budget);
    inspection->stopped |= status != STATUS_OK;
    if (!inspection->stopped)
        rule_inspect_words(inspection);
    if (!inspection->stopped)
        rule_inspect_histories(inspection);
    rule_tables_release(&inspection->tables);
}

static void inspect_with_ranks(struct rule_inspection *inspection,
                               const struct rule_labelling *labelling, unsigned group,
                               unsigned taken, uint32_t *ranks)
{
    if (group == labelling->group_count) {
        inspect_ranked(inspection, labelling, ranks);
        return;
    }
    for (unsigned rank = 0; rank < labelling->group_count && !inspection->stopped; rank++) {
        if (taken >> rank & 1)
            continue;
        ranks[group] = rank;
        inspect_with_ranks(inspection, labelling, group + 1, taken | 1u << rank, ranks);
    }
}

/* Looks at a labelling's executions and histories; with all orders of its values, if the set has
 * one. What is found goes to the tally. */
static void inspect(struct rule_inspection *inspection, const struct rule_labelling *labelling)
{
    uint32_t ranks[RULE_MOST_EVENTS] = {0};
    if (inspection->request->set->values == RULE_VALUES_ORDERED)
        inspect_with_ranks(inspection, labelling, 0, 0, ranks);
    else
        inspect_ranked(inspection, labelling, NULL);
}

static void inspect_labelling(void *context, size_t i, unsigned number)
{
    struct checking *checking = context;
    struct rule_inspection *worker = &checking->workers[number];
    if (atomic_load(&checking->stopped))
        return;
    worker->number = i;
    inspect(worker, &checking->labellings.items[i]);
    if (worker->stopped)
        atomic_store(&checking->stopped, true);
}

/* The violation of the earliest labelling, whichever thread had it. */
static void merge(struct checking *checking)
{
    struct rule_set_finding *finding = checking->finding;
    size_t at[RULE_PROPERTIES] = {0};
    bool violated[RULE_PROPERTIES] = {0};
    for (unsigned w = 0; w < checking->request->threads; w++) {
        const struct rule_tally *tally = &checking->workers[w].tally;
        struct rule_set_size *sum = &finding->by_size[checking->size];
        sum->words += tally->size.words;
        sum->derived += tally->size.derived;
        sum->histories += tally->size.histories;
        sum->linearizable += tally->size.linearizable;
        for (unsigned p = 0; p < RULE_PROPERTIES; p++) {
            struct rule_property_finding *property = &finding->properties[p];
            if (!tally->violated[p] || (violated[p] && at[p] < tally->at[p]))
                continue;
            violated[p] = checking->decided[p] = true;
            at[p] = tally->at[p];
            *property =
                (struct rule_property_finding){RULE_VIOLATED, checking->size, tally->examples[p]};
        }
    }
}

static void inspect_size(struct checking *checking, const struct rule_shapes *shapes)
{
    checking->labellings.length = 0;
    if (!rule_labellings_visit(shapes, checking->size, add_labelling, checking)) {
        atomic_store(&checking->stopped, true);
        return;
    }
    for (unsigned w = 0; w < checking->request->threads; w++)
        memset(&checking->workers[w].tally, 0, sizeof checking->workers[w].tally);
    parallel_for(checking->request->threads, checking->labellings.length, inspect_labelling,
                 checking);
    for (unsigned w = 0; w < checking->request->threads; w++)
        if (checking->workers[w].status == STATUS_INPUT) {
            checking->status = STATUS_INPUT;
            *checking->error = checking->errors[w];
        }
    merge(checking);
}

/* ---- what the specification allows ---- */

static bool look_at_calls(void *context, const struct rule_calls *calls)
{
    struct checking *checking = context;
    const struct rule_set *set = checking->request->set;
    enum rule_property property =
        rule_calls_are_differentiated(set, calls) ? RULE_ALL_ALLOWED : RULE_EQUAL_VALUES;
    if (limits_look_every(checking->limits, &checking->seen, CALLS_A_LOOK)) {
        atomic_store(&checking->stopped, true);
        return false;
    }
    if (checking->decided[property] ||
        rule_calls_are_derived(set, calls, !checking->decided[RULE_PREFIXES]))
        return true;
    struct rule_property_finding *found = &checking->finding->properties[property];
    *found = (struct rule_property_finding){.verdict = RULE_VIOLATED, .size = checking->size};
    found->example.calls = *calls;
    found->example.has_calls = true;
    checking->decided[property] = true;
    return !checking->decided[RULE_ALL_ALLOWED] || !checking->decided[RULE_EQUAL_VALUES];
}

static void compare_size(struct checking *checking)
{
    if (checking->decided[RULE_ALL_ALLOWED] && checking->decided[RULE_EQUAL_VALUES])
        return;
    enum status status = rule_subject_visit(&checking->subject, checking->size, look_at_calls,
                                            checking, checking->error);
    if (status == STATUS_LIMIT)
        atomic_store(&checking->stopped, true);
    else
        checking->status = status;
}

/* ---- sizes ---- */

/* What is not asked counts as decided. */
static void ask(struct checking *checking)
{
    const struct rule_set_request *request = checking->request;
    bool *decided = checking->decided;
    decided[RULE_ALLOWED] = decided[RULE_ALL_ALLOWED] = !request->spec;
    decided[RULE_EQUAL_VALUES] = !request->spec || request->set->values != RULE_VALUES_RENAMED;
    for (unsigned p = 0; p < RULE_PROPERTIES; p++)
        checking->finding->properties[p].verdict = decided[p] ? RULE_NOT_ASKED : RULE_HOLDS;
}

static void conclude(struct checking *checking)
{
    struct rule_set_finding *finding = checking->finding;
    struct rule_property_finding *properties = finding->properties;
    bool whole = finding->size == checking->request->bound;
    for (unsigned p = 0; p < RULE_PROPERTIES; p++)
        if (properties[p].verdict == RULE_HOLDS && !whole)
            properties[p].verdict = RULE_OPEN;
    if (properties[RULE_BY_LAST_RULES].verdict != RULE_VIOLATED &&
        (properties[RULE_LAST_UNIQUE].verdict == RULE_VIOLATED ||
         properties[RULE_LAST_KEPT].verdict == RULE_VIOLATED))
        properties[RULE_BY_LAST_RULES].verdict = RULE_NOT_ASKED;
    if (whole)
        return;
    finding->limit = limits_which(checking->limits);
}

static void tell_log(const struct checking *checking)
{
    const struct rule_set_size *size = &checking->finding->by_size[checking->size];
    LOG(checking->limits->log,
        "inductive rules: %s executions of %u operations, %s derived; %s histories, %s linearizable"
        "%s",
        count_text(size->words).digits, checking->size, count_text(size->derived).digits,
        count_text(size->histories).digits, count_text(size->linearizable).digits,
        atomic_load(&checking->stopped) ? ", ended by a limit" : "");
}

static void check_sizes(struct checking *checking, const struct rule_shapes *shapes)
{
    for (checking->size = 1; checking->size <= checking->request->bound; checking->size++) {
        inspect_size(checking, shapes);
        if (checking->status == STATUS_OK && !atomic_load(&checking->stopped))
            compare_size(checking);
        tell_log(checking);
        if (checking->status != STATUS_OK || atomic_load(&checking->stopped))
            return;
        checking->finding->size = checking->size;
    }
}

static void open_workers(struct checking *checking)
{
    for (unsigned w = 0; w < checking->request->threads; w++)
        checking->workers[w] = (struct rule_inspection){.request = checking->request,
                                                        .decided = checking->decided,
                                                        .limits = checking->limits,
                                                        .subject = checking->subject,
                                                        .error = &checking->errors[w]};
}

enum status rule_set_check(const struct rule_set_request *request, struct limits *limits,
                           struct rule_set_finding *finding, struct error *error)
{
    struct error unseen;
    struct checking checking = {.request = request,
                                .limits = limits,
                                .finding = finding,
                                .subject = {request->set, request->spec, limits->budget},
                                .error = error ? error : &unseen};
    struct arena arena;
    struct rule_shapes shapes;
    assert(request->bound >= 1 && request->bound <= RULE_MOST_EVENTS && request->threads >= 1);
    *finding = (struct rule_set_finding){0};
    arena_init(&arena, limits->budget);
    vectors_init(limits->budget, &shapes.items, &checking.labellings);
    checking.workers = arena_allocate(&arena, request->threads * sizeof *checking.workers);
    checking.errors = arena_allocate(&arena, request->threads * sizeof *checking.errors);
    if (checking.workers && checking.errors &&
        rule_shapes_find(request->set, request->bound, &shapes)) {
        open_workers(&checking);
        ask(&checking);
        check_sizes(&checking, &shapes);
        conclude(&checking);
    } else {
        checking.status = error_set(error, STATUS_LIMIT, NULL, 0, "memory");
    }
    vectors_release(&checking.labellings, &shapes.items);
    arena_release(&arena);
    return checking.status;
}
