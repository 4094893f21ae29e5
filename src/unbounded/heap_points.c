#include "unbounded/heap_points.h"

#include <string.h>

#include "base/log.h"
#include "unbounded/heap_certificate.h"
#include "unbounded/heap_marks.h"
#include "unbounded/heap_provided.h"
#include "unbounded/heap_spans.h"

#define MOST_CHOICES    16
#define MOST_PLACEMENTS 2000

/* Where one operation may take effect. */
struct heap_choices {
    uint32_t changing[MOST_CHOICES], reading[MOST_CHOICES];
    uint32_t changing_count, reading_count;
    uint64_t excluded[MOST_CHOICES]; /* by changing: readings with which it fails by itself */
    uint32_t chosen, read;
    bool has_given;  /* points; they are those that are tried now */
    bool only_reads; /* and may answer a value: `changing` but the first are steps that read */
};

struct search {
    const struct heap_points *points;
    struct heap_shape shape;
    struct method_roles roles;
    struct alphabet *alphabets;
    uint32_t observers;        /* automata, or parts of the specification */
    struct heap_proof *proofs; /* of these, with the placement that is tried */
    struct heap_choices choices[HEAP_MOST_OPERATIONS];
    uint32_t operations;
    struct heap_answer *answer;
    size_t best;       /* views of the failure that came last */
    bool tries_given;  /* where there are some */
    bool has_given;    /* some operation has */
    bool given_helps;  /* some of them are for other threads' operations */
    bool helps;        /* with those that are given, some of them for other threads' operations */
    bool given_failed; /* whatever the points of the others are */
    /* An operation meets another one at this instruction, + 1; 0: none does. Then the first proof
     * watches, and the automata are those behind it. */
    uint32_t meeting;
    uint16_t meets, met; /* the operations */
    bool spanning;       /* operations that bring values span, unless points of theirs are given */
    struct alphabet watched;
    struct alphabet *of_spans; /* the alphabets where some span */
    bool by_calls; /* all are read by their calls and returns, or where it is settled what they take
                    */
    enum heap_way *ways; /* then, by automaton; */
    uint32_t ghosts;     /* and of the shape */
};

/* Whether operations are met: then the first proof watches. */
static bool watches(const struct search *search)
{
    return search->meeting || search->helps;
}

static const struct alphabet *alphabet_of(const struct search *search, uint32_t observer)
{
    if (watches(search))
        return observer == 0 ? &search->watched : &search->alphabets[observer - 1];
    if (search->spanning || search->by_calls)
        return &search->of_spans[observer];
    return search->points->specification ? NULL : &search->alphabets[observer];
}

/* Whether an operation has answers that change nothing. */
static bool may_only_read(const struct search *search, uint32_t operation)
{
    if (search->points->specification) /* any moment does */
        return false;
    return method_roles_of(&search->roles, operation) & ~(1u << METHOD_ADDS);
}

/* Whether what an operation answers may be a value. One that does, and never changes anything,
 * reads what the automaton need not leave where it is: each of its steps is tried as its point. */
static bool answers_values(const struct search *search, uint32_t operation)
{
    return !search->points->specification &&
           (method_roles_of(&search->roles, operation) & 1u << METHOD_ANSWERS);
}

static void add_choice(uint32_t *items, uint32_t *count, uint32_t at)
{
    if (*count < MOST_CHOICES)
        items[(*count)++] = at;
}

/* Whether a step that changes something may be where an operation takes effect. */
static bool may_change(const struct search *search, uint32_t operation)
{
    const struct heap_specification *specification = search->points->specification;
    return !specification || !specification->only_reads(specification->user, (uint16_t)operation);
}

/* heap_proof_path, where something failed. */
static uint32_t find_path(const struct heap_proof *proof, struct heap_cause *path)
{
    const enum heap_failure_kind kind = proof->failure.kind;
    return kind == HEAP_PROVED || kind == HEAP_LIMIT ? 0 : heap_proof_path(proof, path);
}

static enum status find_choices(struct search *search)
{
    const struct heap_points *points = search->points;
    struct heap_proof proof;
    heap_proof_init(&proof, points->system, &search->shape, NULL, NULL, points->budget,
                    points->limits, points->error);
    proof.specification = points->specification;
    enum status status = heap_proof_run(&proof);
    search->answer->kind = proof.failure.kind;
    search->answer->operation = proof.failure.operation;
    search->answer->at = proof.failure.at;
    search->answer->unable = proof.failure.kind == HEAP_TOO_LARGE ? proof.failure.reason : NULL;
    search->answer->path_length = find_path(&proof, search->answer->path);
    for (size_t i = 0; i < proof.candidates.length; i++) {
        const struct heap_candidate *candidate = &proof.candidates.items[i];
        struct heap_choices *choices = &search->choices[candidate->operation];
        choices->has_given |= candidate->given;
        search->has_given |= candidate->given;
        if (candidate->changes && may_change(search, candidate->operation))
            add_choice(choices->changing, &choices->changing_count, candidate->at);
        if (may_only_read(search, candidate->operation))
            add_choice(choices->reading, &choices->reading_count, candidate->at);
    }
    const char *unable = heap_keep_locks(&proof, &search->shape);
    if (unable && search->answer->kind == HEAP_PROVED) {
        search->answer->is_not_provided = true;
        search->answer->kind = HEAP_TOO_LARGE;
        search->answer->unable = unable;
    }
    for (uint32_t i = 0; i < search->operations; i++) {
        struct heap_choices *choices = &search->choices[i];
        choices->only_reads = choices->changing_count == 0 && answers_values(search, i);
        if (!choices->changing_count || points->specification)
            add_choice(choices->changing, &choices->changing_count, 0);
        for (uint32_t j = 0; choices->only_reads && j < choices->reading_count; j++)
            add_choice(choices->changing, &choices->changing_count, choices->reading[j]);
        if (!choices->reading_count)
            add_choice(choices->reading, &choices->reading_count, 0);
    }
    LOG(points->limits->log, "any heap: %zu views without an observer, %zu effects",
        proof.parents.length, proof.effects.length);
    heap_proof_release(&proof);
    return status;
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

static bool is_given(const struct search *search, uint32_t operation)
{
    return search->tries_given && search->choices[operation].has_given;
}

/* Whether an operation brings values, and does nothing else. */
static bool only_adds(const struct search *search, uint32_t operation)
{
    return !search->points->specification &&
           method_roles_of(&search->roles, operation) == 1u << METHOD_ADDS;
}

static bool spans(const struct search *search, uint32_t operation)
{
    return (search->spanning || search->by_calls) && !is_given(search, operation) &&
           only_adds(search, operation);
}

static bool is_fixed(const struct search *search, uint32_t operation)
{
    return is_given(search, operation) || spans(search, operation) ||
           (search->helps && operation == search->met);
}

static bool advance(struct search *search)
{
    for (uint32_t i = search->operations; i-- > 0;)
        if (!is_fixed(search, i) && advance_one(&search->choices[i]))
            return true;
    return false;
}

static void place_points(const struct search *search, struct heap_placement *placement)
{
    memset(placement, 0, sizeof *placement);
    for (uint32_t i = 0; i < search->operations; i++) {
        const struct heap_choices *choices = &search->choices[i];
        if (is_given(search, i))
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
static bool is_own_fault(const struct search *search, enum heap_failure_kind kind)
{
    if (search->points->specification)
        return kind == HEAP_SECOND_EFFECT;
    if (watches(search) && kind == HEAP_NO_EFFECT)
        return false; /* others may have met it elsewhere */
    return kind == HEAP_NO_EFFECT || kind == HEAP_SECOND_EFFECT || kind == HEAP_OTHER_ANSWER ||
           kind == HEAP_OPEN_ANSWER;
}

static const char *name_of_observer(const struct search *search, uint32_t observer)
{
    const struct heap_points *points = search->points;
    if (watches(search))
        return observer == 0 ? "who is met" : points->automata->items[observer - 1].name;
    return points->specification ? "specification" : points->automata->items[observer].name;
}

static enum status begin(struct search *search, uint32_t observer, uint32_t *initial)
{
    const struct heap_specification *specification = search->points->specification;
    return granted(!specification || specification->begin(specification->user, observer, initial));
}

/* What is marked in its views. */
static struct heap_shape shape_of(const struct search *search, uint32_t observer)
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
static enum status prove(struct search *search, uint32_t observer,
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
    failed->path_length = find_path(proof, failed->path);
    LOG(points->limits->log, "any heap: %s: %zu views, %zu effects, %llu merges, failure %d",
        name_of_observer(search, observer), proof->parents.length, proof->effects.length,
        (unsigned long long)proof->merges, (int)failed->kind);
    return status;
}

static void keep_failure(struct search *search, const struct heap_answer *failed, size_t views)
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
static enum status check_certificates(struct search *search, const struct heap_proof *proofs,
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
static bool leaves_given(const struct search *search)
{
    return search->has_given && (!search->tries_given || search->helps != search->given_helps);
}

static enum status try_placement(struct search *search)
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
static enum status try_placements(struct search *search, bool *done)
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
static void forget_choices(struct search *search)
{
    for (uint32_t i = 0; i < search->operations; i++) {
        struct heap_choices *choices = &search->choices[i];
        choices->chosen = choices->read = 0;
        memset(choices->excluded, 0, sizeof choices->excluded);
    }
}

/* The one operation that brings values, and does nothing else. */
static bool find_met(struct search *search)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < search->operations; i++)
        if (only_adds(search, i)) {
            search->met = (uint16_t)i;
            found++;
        }
    return found == 1;
}

/* The first proof watches who is met, behind which come those with automata. */
static void begin_to_watch(struct search *search)
{
    search->watched = search->alphabets[0];
    search->watched.colours = HEAP_WATCH_COLOURS;
    search->observers++;
}

/* Those that are given, with every one of the operations that have none; then, without them, all.
 */
static enum status search_placements(struct search *search)
{
    struct heap_answer of_given;
    bool done;
    search->tries_given = search->has_given;
    search->helps = search->has_given && search->given_helps && !search->spanning;
    if (search->helps)
        begin_to_watch(search);
    TRY(try_placements(search, &done));
    if (done || !search->has_given)
        return STATUS_OK;
    if (search->helps)
        search->observers--;
    search->helps = false;
    of_given = *search->answer;
    search->tries_given = search->given_failed = false;
    search->best = 0;
    forget_choices(search);
    *search->answer = (struct heap_answer){.tried = of_given.tried};
    TRY(try_placements(search, &done));
    if (search->best != SIZE_MAX) { /* what is given is what is told of */
        of_given.tried = search->answer->tried;
        *search->answer = of_given;
    }
    search->answer->given_do_not = true;
    return STATUS_OK;
}

/* ---- operations that meet ---- */

/* It may take effect only where it is met. */
static void add_nowhere(struct heap_choices *choices)
{
    if (choices->changing[0] != 0)
        add_choice(choices->changing, &choices->changing_count, 0);
}

/* Where there is no proof, each step in which an operation that takes values changes something is
 * tried as one in which it meets who brings one. */
static enum status search_meetings(struct search *search)
{
    struct heap_answer of_none = *search->answer;
    bool done = false;
    if (search->points->specification || !find_met(search))
        return STATUS_OK;
    search->tries_given = search->given_failed = false;
    begin_to_watch(search);
    add_nowhere(&search->choices[search->met]);
    for (uint32_t i = 0; i < search->operations && !done; i++) {
        const struct heap_choices *choices = &search->choices[i];
        if (!(method_roles_of(&search->roles, i) & 1u << METHOD_ANSWERS) ||
            choices->changing[0] == 0)
            continue;
        for (uint32_t j = 0; j < choices->changing_count && !done; j++) {
            search->meeting = choices->changing[j];
            search->meets = (uint16_t)i;
            search->best = 0;
            forget_choices(search);
            *search->answer = (struct heap_answer){.tried = of_none.tried};
            TRY(try_placements(search, &done));
            of_none.tried = search->answer->tried;
        }
    }
    search->meeting = 0;
    search->observers--;
    if (search->best != SIZE_MAX)
        *search->answer = of_none;
    return STATUS_OK;
}

/* ---- operations that span ---- */

/* Where there is no proof, those that bring values are read by their calls and returns; with each
 * placement of the others. */
static enum status search_spans(struct search *search)
{
    struct heap_answer of_none = *search->answer;
    bool may = false;
    for (uint32_t i = 0; i < search->operations; i++)
        may |= only_adds(search, i);
    for (uint32_t i = 0; i < search->observers && may; i++)
        may = heap_may_span(&search->alphabets[i]);
    if (!may)
        return STATUS_OK;
    search->of_spans =
        arena_allocate(search->points->arena, search->observers * sizeof *search->of_spans);
    TRY_MEMORY(search->of_spans);
    for (uint32_t i = 0; i < search->observers; i++) {
        search->of_spans[i] = search->alphabets[i];
        TRY(heap_span_alphabet(&search->of_spans[i], search->points->arena));
    }
    search->spanning = true;
    search->given_failed = false;
    search->best = 0;
    forget_choices(search);
    *search->answer = (struct heap_answer){.kind = HEAP_PROVED}; /* not a failure, so far */
    TRY(search_placements(search));
    search->spanning = false;
    of_none.tried += search->answer->tried;
    if (search->best != SIZE_MAX)
        *search->answer = of_none;
    search->answer->tried = of_none.tried;
    return STATUS_OK;
}

/* ---- operations without points ---- */

/* How each automaton is followed. Null; else why one of them, or the implementation, is not. */
static const char *find_ways(struct search *search)
{
    struct heap_shape shape = search->shape;
    bool forbids_repeats = false;
    const char *unable = heap_marks_provide(&shape);
    search->ghosts = shape.ghosts;
    for (uint32_t i = 0; i < search->observers && !unable; i++) {
        const struct alphabet *alphabet = &search->alphabets[i];
        search->ways[i] = heap_way_of(alphabet);
        if (search->ways[i] == HEAP_WAY_NONE ||
            (search->ways[i] == HEAP_WAY_SETTLED && !heap_may_span(alphabet)))
            unable = alphabet->automaton->name;
        forbids_repeats |= search->ways[i] == HEAP_WAY_SETTLED && heap_forbids_repeats(alphabet);
    }
    if (!unable && !forbids_repeats)
        unable = "no automaton says that a value is taken once";
    for (uint32_t i = 0; i < search->operations && !unable; i++) {
        const unsigned roles = method_roles_of(&search->roles, i);
        if (roles != 1u << METHOD_ADDS && (roles & 1u << METHOD_ADDS))
            unable = "an operation brings a value and does something else";
    }
    return unable;
}

/* The automata as they are read then. Of those that are followed by marks the values are not told
 * apart by their calls. */
static enum status make_alphabets_of_calls(struct search *search)
{
    search->of_spans =
        arena_allocate(search->points->arena, search->observers * sizeof *search->of_spans);
    TRY_MEMORY(search->of_spans);
    for (uint32_t i = 0; i < search->observers; i++) {
        search->of_spans[i] = search->alphabets[i];
        if (search->ways[i] == HEAP_WAY_SETTLED)
            TRY(heap_span_alphabet(&search->of_spans[i], search->points->arena));
        else
            search->of_spans[i].colours = 1u << HEAP_VALUE_PLAIN;
    }
    return STATUS_OK;
}

/* Where there is no proof, no point is asked for at all: of an operation that takes values, each
 * step in which it changes something is tried as the one that settles which. */
static enum status search_calls(struct search *search)
{
    struct heap_answer of_none = *search->answer;
    bool done = false;
    search->ways = arena_allocate(search->points->arena, search->observers * sizeof *search->ways);
    TRY_MEMORY(search->ways);
    const char *unable =
        search->points->specification ? "the specification observes" : find_ways(search);
    LOG(search->points->limits->log, "any heap: without points: %s", unable ? unable : "tried");
    if (unable) {
        if (search->points->by_calls) {
            search->answer->kind = HEAP_TOO_LARGE;
            search->answer->unable = unable;
        }
        return STATUS_OK;
    }
    TRY(make_alphabets_of_calls(search));
    search->by_calls = true;
    search->tries_given = search->given_failed = false;
    search->best = 0;
    forget_choices(search);
    for (uint32_t i = 0; i < search->operations; i++)
        search->choices[i].reading_count = 1;                    /* none of them is looked at */
    *search->answer = (struct heap_answer){.kind = HEAP_PROVED}; /* not a failure, so far */
    TRY(try_placements(search, &done));
    of_none.tried += search->answer->tried;
    if (search->best != SIZE_MAX && !search->points->by_calls)
        *search->answer = of_none;
    search->answer->tried = of_none.tried;
    return STATUS_OK;
}

static enum status make_alphabets(struct search *search)
{
    const struct heap_points *points = search->points;
    search->observers = (uint32_t)points->automata->count;
    TRY(method_roles_find(points->system->steps->object, points->object, points->arena,
                          &search->roles, points->error));
    search->alphabets =
        arena_allocate(points->arena, points->automata->count * sizeof *search->alphabets);
    TRY_MEMORY(search->alphabets);
    for (size_t i = 0; i < points->automata->count; i++)
        TRY(alphabet_make(&points->automata->items[i], &search->roles, true, points->arena,
                          &search->alphabets[i]));
    return STATUS_OK;
}

enum status heap_points_find(const struct heap_points *points, struct heap_answer *answer)
{
    const struct lin_steps *steps = points->system->steps;
    struct search search = {.points = points, .answer = answer};
    *answer = (struct heap_answer){0};
    answer->unable = heap_provide(points->system, &search.shape);
    search.operations = steps->object->operation_count;
    if (answer->unable) {
        answer->is_not_provided = true;
        answer->kind = HEAP_TOO_LARGE;
        return STATUS_OK;
    }
    if (points->specification)
        heap_shape_tell_numbers(&search.shape);
    else
        TRY(make_alphabets(&search));
    TRY(find_choices(&search));
    if (points->specification)
        search.observers = points->specification->parts(points->specification->user);
    if (answer->kind != HEAP_PROVED)
        return STATUS_OK;
    search.has_given &= !steps->helps; /* it is not known whose some are */
    search.given_helps = steps->notes_helps && !points->specification;
    if (search.given_helps)
        search.has_given = !steps->helps && find_met(&search);
    search.proofs = arena_allocate(points->arena, (search.observers + 1) * sizeof *search.proofs);
    TRY_MEMORY(search.proofs);
    if (points->by_calls)
        return search_calls(&search);
    TRY(search_placements(&search));
    if (search.best != SIZE_MAX && limits_reached(points->limits) == LIMIT_NONE)
        TRY(search_meetings(&search));
    if (search.best != SIZE_MAX && limits_reached(points->limits) == LIMIT_NONE)
        TRY(search_spans(&search));
    if (search.best != SIZE_MAX && limits_reached(points->limits) == LIMIT_NONE)
        TRY(search_calls(&search));
    return STATUS_OK;
}
