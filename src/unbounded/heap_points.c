#include "unbounded/heap_points.h"

#include <string.h>

#include "base/log.h"

#define MOST_CHOICES    16
#define MOST_PLACEMENTS 2000

/* Where one operation may take effect. */
struct heap_choices {
    uint32_t changing[MOST_CHOICES], reading[MOST_CHOICES];
    uint32_t changing_count, reading_count;
    uint64_t excluded[MOST_CHOICES]; /* by changing: readings with which it fails by itself */
    uint32_t chosen, read;
};

struct search {
    const struct heap_points *points;
    struct heap_shape shape;
    struct method_roles roles;
    struct alphabet *alphabets;
    struct heap_choices choices[HEAP_MOST_OPERATIONS];
    uint32_t operations;
    struct heap_answer *answer;
    size_t best; /* views of the failure that came last */
};

/* Whether an operation has answers that change nothing. */
static bool may_only_read(const struct search *search, uint32_t operation)
{
    for (unsigned i = 0; i < search->roles.object->method_count; i++) {
        const enum method_role role = search->roles.object->methods[i].role;
        if ((search->roles.methods[operation] >> i & 1) && role != METHOD_ADDS)
            return true;
    }
    return false;
}

static void add_choice(uint32_t *items, uint32_t *count, uint32_t at)
{
    if (*count < MOST_CHOICES)
        items[(*count)++] = at;
}

/* Only what is given back may be a lock. */
static void keep_locks(struct search *search, const struct heap_proof *proof)
{
    bool in_nodes = false;
    search->shape.locks &= proof->released;
    for (uint32_t i = 0; i < search->points->system->steps->pool_count; i++)
        in_nodes |= (search->shape.lock_fields[i] &= proof->released_fields[i]) != 0;
    if (in_nodes && search->answer->kind == HEAP_PROVED) {
        search->answer->kind = HEAP_TOO_LARGE;
        search->answer->unable = "nodes have locks: `nodes = M` asks about at most M allocations";
    }
}

static enum status find_choices(struct search *search)
{
    const struct heap_points *points = search->points;
    struct heap_proof proof;
    heap_proof_init(&proof, points->system, &search->shape, NULL, NULL, points->budget,
                    points->limits, points->error);
    enum status status = heap_proof_run(&proof);
    search->answer->kind = proof.failure.kind;
    search->answer->operation = proof.failure.operation;
    search->answer->at = proof.failure.at;
    search->answer->unable = proof.failure.kind == HEAP_TOO_LARGE ? proof.failure.reason : NULL;
    for (size_t i = 0; i < proof.candidates.length; i++) {
        const struct heap_candidate *candidate = &proof.candidates.items[i];
        struct heap_choices *choices = &search->choices[candidate->operation];
        if (candidate->changes)
            add_choice(choices->changing, &choices->changing_count, candidate->at);
        if (may_only_read(search, candidate->operation))
            add_choice(choices->reading, &choices->reading_count, candidate->at);
    }
    keep_locks(search, &proof);
    for (uint32_t i = 0; i < search->operations; i++) {
        struct heap_choices *choices = &search->choices[i];
        if (!choices->changing_count)
            add_choice(choices->changing, &choices->changing_count, 0);
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

static bool advance(struct search *search)
{
    for (uint32_t i = search->operations; i-- > 0;)
        if (advance_one(&search->choices[i]))
            return true;
    return false;
}

static void place_points(const struct search *search, struct heap_placement *placement)
{
    memset(placement, 0, sizeof *placement);
    for (uint32_t i = 0; i < search->operations; i++) {
        const struct heap_choices *choices = &search->choices[i];
        placement->points[i] = (struct heap_point){choices->changing[choices->chosen],
                                                   choices->reading[choices->read]};
    }
}

/* Whether a placement fails whatever the others' are. */
static bool is_own_fault(enum heap_failure_kind kind)
{
    return kind == HEAP_NO_EFFECT || kind == HEAP_SECOND_EFFECT || kind == HEAP_OTHER_ANSWER ||
           kind == HEAP_OPEN_ANSWER;
}

static enum status try_placement(struct search *search)
{
    const struct heap_points *points = search->points;
    struct heap_answer *answer = search->answer;
    struct heap_placement placement;
    size_t views = 0, effects = 0;
    place_points(search, &placement);
    answer->tried++;
    for (size_t i = 0; i < points->automata->count; i++) {
        struct heap_proof proof;
        heap_proof_init(&proof, points->system, &search->shape, &search->alphabets[i], &placement,
                        points->budget, points->limits, points->error);
        enum status status = heap_proof_run(&proof);
        const struct heap_failure failure = proof.failure;
        views += proof.parents.length;
        effects += proof.effects.length;
        LOG(points->limits->log, "any heap: %s: %zu views, %zu effects, %llu merges, failure %d",
            points->automata->items[i].name, proof.parents.length, proof.effects.length,
            (unsigned long long)proof.merges, (int)failure.kind);
        heap_proof_release(&proof);
        TRY(status);
        if (failure.kind == HEAP_PROVED)
            continue;
        struct heap_choices *choices = &search->choices[failure.operation];
        if (is_own_fault(failure.kind))
            choices->excluded[choices->chosen] |= UINT64_C(1) << choices->read;
        if (answer->kind == HEAP_PROVED || views >= search->best) {
            search->best = views;
            answer->kind = failure.kind;
            answer->placement = placement;
            answer->operation = failure.operation;
            answer->at = failure.at;
            answer->automaton = points->automata->items[i].name;
            answer->unable = failure.kind == HEAP_TOO_LARGE ? failure.reason : NULL;
        }
        return STATUS_OK;
    }
    *answer = (struct heap_answer){
        .placement = placement, .views = views, .effects = effects, .tried = answer->tried};
    search->best = SIZE_MAX;
    return STATUS_OK;
}

static enum status search_placements(struct search *search)
{
    const struct heap_points *points = search->points;
    for (bool more = true; more && search->answer->tried < MOST_PLACEMENTS;) {
        TRY(try_placement(search));
        if (search->best == SIZE_MAX || limits_reached(points->limits) != LIMIT_NONE)
            return STATUS_OK;
        more = advance(search);
    }
    return STATUS_OK;
}

enum status heap_points_find(const struct heap_points *points, struct heap_answer *answer)
{
    const struct lin_steps *steps = points->system->steps;
    struct search search = {.points = points, .answer = answer};
    *answer = (struct heap_answer){0};
    answer->unable = heap_shape_make(steps, &search.shape);
    search.operations = steps->object->operation_count;
    if (!answer->unable && search.operations > HEAP_MOST_OPERATIONS)
        answer->unable = "there are too many operations";
    if (!answer->unable && points->system->kinds.length > 1)
        answer->unable = "an operation is for one thread only: `nodes = M` asks about at most M "
                         "allocations";
    if (!answer->unable && points->system->model.frees)
        answer->unable = "nodes are given back: `nodes = M` asks about at most M allocations";
    if (answer->unable) {
        answer->kind = HEAP_TOO_LARGE;
        return STATUS_OK;
    }
    TRY(method_roles_find(steps->object, points->object, points->arena, &search.roles,
                          points->error));
    search.alphabets =
        arena_allocate(points->arena, points->automata->count * sizeof *search.alphabets);
    TRY_MEMORY(search.alphabets);
    for (size_t i = 0; i < points->automata->count; i++)
        TRY(alphabet_make(&points->automata->items[i], &search.roles, true, points->arena,
                          &search.alphabets[i]));
    TRY(find_choices(&search));
    if (answer->kind != HEAP_PROVED)
        return STATUS_OK;
    return search_placements(&search);
}
