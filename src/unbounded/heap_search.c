#include "unbounded/heap_search.h"

#include <string.h>

#include "base/log.h"
#include "unbounded/heap_certificate.h"

#define MOST_PLACEMENTS 2000

/* Whether operations are met: then the first proof watches. */
static bool watches(const struct heap_search *search)
{
    return search->meeting || search->helps || search->moments;
}

static const struct alphabet *alphabet_of(const struct heap_search *search, uint32_t observer)
{
    if (watches(search))
        return observer == 0 ? &search->watched : &search->alphabets[observer - 1];
    if (search->spanning || search->by_calls)
        return &search->of_spans[observer];
    return search->points->specification ? NULL : &search->alphabets[observer];
}

void heap_search_add_choice(uint32_t *items, uint32_t *count, uint32_t at)
{
    if (*count < HEAP_MOST_CHOICES)
        items[(*count)++] = at;
}

uint32_t heap_search_path(const struct heap_proof *proof, struct heap_cause *path)
{
    const enum heap_failure_kind kind = proof->failure.kind;
    return kind == HEAP_PROVED || kind == HEAP_LIMIT ? 0 : heap_proof_path(proof, path);
}

static bool is_excluded(const struct heap_choices *choices)
{
    return choices->excluded[choices->chosen] >> choices->read & 1;
}

/* The next choice of one operation; false, and the first, behind the last. */
static bool advance_one(struct heap_choices *choices)
{
    do {
        if (++choices->read < choices->reading_count)
            continue;
        choices->read = 0;
        if (++choices->chosen < choices->changing_count)
            continue;
        choices->chosen = 0;
        while (is_excluded(choices)) { /* the first that is left */
            if (++choices->read < choices->reading_count)
                continue;
            choices->read = 0;
            if (++choices->chosen == choices->changing_count) {
                choices->chosen = 0;
                return false;
            }
        }
        return false;
    } while (is_excluded(choices));
    return true;
}

static bool is_given(const struct heap_search *search, uint32_t operation)
{
    return search->tries_given && search->choices[operation].has_given;
}

/* Whether an operation brings values, and does nothing else. */
bool heap_search_only_adds(const struct heap_search *search, uint32_t operation)
{
    return !search->points->specification &&
           method_roles_of(&search->roles, operation) == 1u << METHOD_ADDS;
}

static bool spans(const struct heap_search *search, uint32_t operation)
{
    return (search->spanning || search->by_calls) && !is_given(search, operation) &&
           heap_search_only_adds(search, operation);
}

static bool is_fixed(const struct heap_search *search, uint32_t operation)
{
    return is_given(search, operation) || spans(search, operation) ||
           (search->helps && operation == search->met) ||
           (search->moments && operation != search->met);
}

static bool advance(struct heap_search *search)
{
    for (uint32_t i = search->operations; i-- > 0;)
        if (!is_fixed(search, i) && advance_one(&search->choices[i]))
            return true;
    return false;
}

static void place_points(const struct heap_search *search, struct heap_placement *placement)
{
    memset(placement, 0, sizeof *placement);
    for (uint32_t i = 0; i < search->operations; i++) {
        const struct heap_choices *choices = &search->choices[i];
        if (search->moments && i != search->met)
            placement->points[i] = (struct heap_point){.moment = true};
        else if (is_given(search, i))
            placement->points[i] = (struct heap_point){.given = true};
        else if (spans(search, i))
            placement->points[i] = (struct heap_point){.spans = true};
        else if (search->by_calls)
            placement->points[i] = (struct heap_point){
                .changing = choices->changing[choices->chosen], .settles = true};
        else if (choices->only_reads && choices->chosen > 0)
            placement->points[i] =
                (struct heap_point){.changing = choices->changing[choices->chosen], .always = true};
        else
            placement->points[i] =
                (struct heap_point){.changing = choices->changing[choices->chosen],
                                    .reading = choices->reading[choices->read]};
    }
    placement->meets = watches(search);
    placement->helps = search->helps;
    placement->moments = search->moments;
    placement->adder = search->met;
    if (search->helps) /* elsewhere it takes effect nowhere, whether it has points of its own or not
                        */
        placement->points[search->met] = (struct heap_point){.given = true};
    if (search->meeting) {
        struct heap_point *point = &placement->points[search->meets];
        point->meeting = search->meeting;
        if (point->changing == search->meeting)
            point->changing = 0;
    }
}

/* Whether a placement fails whatever the others' are. What a specification answers depends on when
 * others take effect. */
static bool is_own_fault(const struct heap_search *search, enum heap_failure_kind kind)
{
    if (search->points->specification)
        return kind == HEAP_SECOND_EFFECT;
    if (watches(search) && kind == HEAP_NO_EFFECT)
        return false; /* others may have met it elsewhere */
    return kind == HEAP_NO_EFFECT || kind == HEAP_SECOND_EFFECT || kind == HEAP_OTHER_ANSWER ||
           kind == HEAP_OPEN_ANSWER;
}

static const char *name_of_observer(const struct heap_search *search, uint32_t observer)
{
    const struct heap_points *points = search->points;
    if (watches(search) && observer == 0)
        return search->moments ? "what was written last" : "who is met";
    if (watches(search))
        return points->automata->items[observer - 1].name;
    return points->specification ? "specification" : points->automata->items[observer].name;
}

static enum status begin(struct heap_search *search, uint32_t observer, uint32_t *initial)
{
    const struct heap_specification *specification = search->points->specification;
    return granted(!specification || specification->begin(specification->user, observer, initial));
}

/* What is marked in its views. */
static struct heap_shape shape_of(const struct heap_search *search, uint32_t observer)
{
    struct heap_shape shape = search->shape;
    const enum heap_way way = search->by_calls ? search->ways[observer] : HEAP_WAY_NONE;
    if (way == HEAP_WAY_COVER || way == HEAP_WAY_LOWEST) {
        shape.marks = way == HEAP_WAY_COVER ? HEAP_MARKS_COVER : HEAP_MARKS_LOWEST;
        shape.ghosts = search->ghosts;
    }
    return shape;
}

/* A proof with one of the observers; its failure, if any, is in `failed`. Release it. */
static enum status prove(struct heap_search *search, uint32_t observer,
                         const struct heap_placement *placement, struct heap_proof *proof,
                         struct heap_answer *failed)
{
    const struct heap_points *points = search->points;
    const struct heap_shape shape = shape_of(search, observer);
    heap_proof_init(proof, points->system, &shape, alphabet_of(search, observer), placement,
                    points->budget, points->limits, points->error);
    proof->specification = points->specification;
    if (watches(search) && observer == 0)
        heap_proof_watch(proof);
    enum status status = begin(search, observer, &proof->initial);
    if (status == STATUS_OK)
        status = heap_proof_run(proof);
    *failed = (struct heap_answer){
        .kind = proof->failure.kind,
        .placement = *placement,
        .operation = proof->failure.operation,
        .at = proof->failure.at,
        .automaton = name_of_observer(search, observer),
        .unable = proof->failure.kind == HEAP_TOO_LARGE ? proof->failure.reason : NULL,
        .tried = search->answer->tried};
    failed->path_length = heap_search_path(proof, failed->path);
    LOG(points->limits->log, "any heap: %s: %zu views, %zu effects, %llu merges, failure %d",
        name_of_observer(search, observer), proof->parents.length, proof->effects.length,
        (unsigned long long)proof->merges, (int)failed->kind);
    return status;
}

static void keep_failure(struct heap_search *search, const struct heap_answer *failed, size_t views)
{
    struct heap_answer *answer = search->answer;
    struct heap_choices *choices = &search->choices[failed->operation];
    if (is_own_fault(search, failed->kind) && is_fixed(search, failed->operation))
        search->given_failed = true;
    else if (is_own_fault(search, failed->kind))
        choices->excluded[choices->chosen] |=
            choices->only_reads && choices->chosen > 0 ? UINT64_MAX : UINT64_C(1) << choices->read;
    if (answer->kind != HEAP_PROVED && views < search->best)
        return;
    search->best = views;
    *answer = *failed;
}

/* The closed sets are a certificate, which does not believe how they came about. One that cannot be
 * checked for want of room is a failure of the proof, in `failed`. */
static enum status check_certificates(struct heap_search *search, const struct heap_proof *proofs,
                                      struct heap_answer *failed)
{
    const struct heap_points *points = search->points;
    bool reads_all_answers = points->specification != NULL, forbids_repeats = false, marks = false;
    struct limits limits; /* a turn may end in the check */
    limits_init_within(&limits, points->limits, points->budget);
    limits.deadline = points->last_deadline;
    for (uint32_t i = 0; i < search->observers; i++) {
        struct heap_certificate certificate = {.shape = proofs[i].steps.shape,
                                               .alphabet = proofs[i].alphabet,
                                               .specification = points->specification,
                                               .watches = proofs[i].watches,
                                               .initial = proofs[i].initial,
                                               .placement = proofs[i].placement,
                                               .views = &proofs[i].views};
        struct heap_checked checked;
        const uint64_t since = clock_nanoseconds();
        TRY(begin(search, i, &certificate.initial));
        TRY(heap_certificate_check(&certificate, points->system, points->budget, &limits, &checked,
                                   points->error));
        LOG(points->limits->log,
            "any heap: %s: certificate checked in %.3f s: %llu deeds, %llu joins",
            name_of_observer(search, i), seconds_since(since), (unsigned long long)checked.deeds,
            (unsigned long long)checked.joins);
        reads_all_answers |= checked.reads_all_answers;
        forbids_repeats |= checked.forbids_repeats;
        marks |= certificate.shape.marks != HEAP_MARKS_NONE;
        if (checked.is_too_large) {
            *failed = (struct heap_answer){.kind = HEAP_TOO_LARGE,
                                           .placement = *proofs[i].placement,
                                           .automaton = name_of_observer(search, i),
                                           .unable = "the check of what was proved met too many "
                                                     "nodes at once",
                                           .tried = search->answer->tried};
            return STATUS_OK;
        }
    }
    if (!reads_all_answers || (marks && !forbids_repeats))
        return error_set(points->error, STATUS_INTERNAL, NULL, 0, "the certificate is wrong: %s",
                         reads_all_answers ? "no automaton says that a value is taken once"
                                           : "no automaton reads all answers");
    return STATUS_OK;
}

/* Whether there are points that are given, and some of them are not those that are tried. */
static bool leaves_given(const struct heap_search *search)
{
    return search->has_given && (!search->tries_given || search->helps != search->given_helps);
}

static enum status try_placement(struct heap_search *search)
{
    struct heap_answer *answer = search->answer;
    struct heap_placement placement;
    struct heap_answer failed = {.kind = HEAP_PROVED};
    enum status status = STATUS_OK;
    size_t views = 0, effects = 0;
    uint32_t tried = 0;
    place_points(search, &placement);
    answer->tried++;
    while (tried < search->observers && status == STATUS_OK && failed.kind == HEAP_PROVED) {
        struct heap_proof *proof = &search->proofs[tried];
        status = prove(search, tried++, &placement, proof, &failed);
        views += proof->parents.length;
        effects += proof->effects.length;
    }
    if (status == STATUS_OK && failed.kind == HEAP_PROVED)
        status = check_certificates(search, search->proofs, &failed);
    if (status == STATUS_OK && failed.kind != HEAP_PROVED) {
        keep_failure(search, &failed, views);
    } else if (status == STATUS_OK) {
        *answer = (struct heap_answer){.placement = placement,
                                       .views = views,
                                       .effects = effects,
                                       .tried = answer->tried,
                                       .parts = search->observers,
                                       .shape = search->shape,
                                       .given_do_not = leaves_given(search)};
        search->best = SIZE_MAX;
    }
    while (tried-- > 0)
        heap_proof_release(&search->proofs[tried]);
    return status;
}

/* *done: there is a proof, or no time for one. */
enum status heap_search_each(struct heap_search *search, bool *done)
{
    const struct heap_points *points = search->points;
    *done = false;
    for (bool more = true;
         more && !search->given_failed && search->answer->tried < MOST_PLACEMENTS;) {
        TRY(try_placement(search));
        *done = search->best == SIZE_MAX || limits_reached(points->limits) != LIMIT_NONE;
        if (*done)
            return STATUS_OK;
        more = advance(search);
    }
    return STATUS_OK;
}

/* What was excluded was so beside others' points, and may have been theirs. */
void heap_search_forget(struct heap_search *search)
{
    for (uint32_t i = 0; i < search->operations; i++) {
        struct heap_choices *choices = &search->choices[i];
        choices->chosen = choices->read = 0;
        memset(choices->excluded, 0, sizeof choices->excluded);
    }
}

/* The one operation that brings values, and does nothing else. */
bool heap_search_find_met(struct heap_search *search)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < search->operations; i++)
        if (heap_search_only_adds(search, i)) {
            search->met = (uint16_t)i;
            found++;
        }
    return found == 1;
}

/* The first proof watches who is met, behind which come those with automata. */
void heap_search_watch(struct heap_search *search)
{
    search->watched = search->alphabets[0];
    search->watched.colours = HEAP_WATCH_COLOURS;
    search->observers += !search->moments;
}

/* Those that are given, with every one of the operations that have none; then, without them, all.
 */
enum status heap_search_placements(struct heap_search *search)
{
    struct heap_answer of_given;
    bool done;
    search->tries_given = search->has_given;
    search->helps = search->has_given && search->given_helps && !search->spanning;
    if (search->helps)
        heap_search_watch(search);
    TRY(heap_search_each(search, &done));
    if (done || !search->has_given)
        return STATUS_OK;
    if (search->helps)
        search->observers -= !search->moments;
    search->helps = false;
    of_given = *search->answer;
    search->tries_given = search->given_failed = false;
    search->best = 0;
    heap_search_forget(search);
    *search->answer = (struct heap_answer){.tried = of_given.tried};
    TRY(heap_search_each(search, &done));
    if (search->best != SIZE_MAX) { /* what is given is what is told of */
        of_given.tried = search->answer->tried;
        *search->answer = of_given;
    }
    search->answer->given_do_not = true;
    return STATUS_OK;
}
