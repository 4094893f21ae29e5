/* Steps are those of unbounded/heap_moves.h, by which certificates are checked, and not those by
 * which the set was closed. */
#include "unbounded/heap_progress.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "unbounded/heap_certificate.h"
#include "unbounded/heap_deeds.h"
#include "unbounded/heap_moves.h"
#include "unbounded/heap_provided.h"

#define NONE         UINT32_MAX
#define VIEWS_A_LOOK 64

/* A step from one class of views to another one, in which no operation returns. */
struct arc {
    uint32_t from, to, at;
    bool changes;
};

/* What is known of an instruction in whose steps something changes. */
struct changing {
    uint32_t at;
    uint64_t keeps, lowers; /* ranks that never grow, that always become less: bits */
    bool is_ruled_out;
};

struct looking {
    const struct heap_progress *progress;
    struct heap_progress_answer *answer;
    struct heap_shape shape;
    struct heap_moves moves;
    const struct word_arrays *views;
    struct heap_rank ranks[HEAP_MOST_RANKS];
    uint32_t rank_count;
    struct changing changing[HEAP_MOST_LASTING];
    uint32_t changing_count;
    struct heap_rounds quiet;   /* steps between views in which nothing changes */
    struct word_arrays classes; /* what a thread knows by itself, whatever others do */
    struct word_arrays known;   /* arcs of classes, as words */
    VECTOR(struct arc) arcs;    /* these */
    struct heap_rounds among;   /* likewise, beside them, as steps */
    uint32_t from, from_class;  /* of the view that is looked at */
    unsigned looked;
    bool refused;
};

static void give_up(struct looking *looking, const char *unable)
{
    if (looking->answer->kind == HEAP_LOCK_FREE) {
        looking->answer->kind = HEAP_PROGRESS_UNABLE;
        looking->answer->unable = unable;
    }
}

/* ---- an observer that sees nothing ---- */

static bool meet_nothing(void *user, const struct thread_move *call)
{
    (void)user;
    (void)call;
    return true;
}

static bool only_reads(void *user, uint16_t operation)
{
    (void)user;
    (void)operation;
    return true;
}

static uint32_t one_part(void *user)
{
    (void)user;
    return 1;
}

static bool begin_nothing(void *user, uint32_t part, uint32_t *initial)
{
    (void)user;
    (void)part;
    *initial = 0;
    return true;
}

static bool read_no_call(void *user, const struct thread_move *call, uint8_t *argument)
{
    (void)user;
    (void)call;
    *argument = HEAP_INDIFFERENT;
    return true;
}

static bool run_nothing(void *user, uint32_t state, uint16_t operation, uint8_t argument,
                        uint32_t *next, uint8_t *answer)
{
    (void)user;
    (void)operation;
    (void)argument;
    *next = state;
    *answer = HEAP_IMPOSSIBLE;
    return true;
}

static bool read_no_answer(void *user, const struct thread_move *move, uint32_t *answers)
{
    (void)user;
    (void)move;
    *answers = 0;
    return true;
}

static const struct heap_specification nothing = {.meet = meet_nothing,
                                                  .only_reads = only_reads,
                                                  .parts = one_part,
                                                  .begin = begin_nothing,
                                                  .read_call = read_no_call,
                                                  .run = run_nothing,
                                                  .read_answer = read_no_answer};
static const struct heap_placement nowhere;

/* ---- steps ---- */

static bool changes_anything(const struct heap_shape *shape, const struct heap_view *before,
                             const struct heap_view *after)
{
    bool changes = false;
    for (uint32_t i = 0; i < shape->steps->heap_first; i++)
        changes |= before->shared[i] != after->shared[i];
    for (uint32_t n = 0; n < before->count; n++)
        for (uint32_t i = 0; i < shape->fields[before->nodes[n].pool]; i++)
            changes |= before->nodes[n].fields[i] != after->nodes[n].fields[i] &&
                       !heap_is_unnoticed(shape, &before->nodes[n], i);
    return changes;
}

/* What a thread knows that no other one can change: where it stands, and its locals, of references
 * whether they are null. */
static uint32_t class_of(struct looking *looking, const struct heap_view *view)
{
    uint32_t words[HEAP_MOST_THREAD];
    const struct lin_steps *steps = looking->shape.steps;
    const struct lin_entry *entry = entry_at(steps, view->thread[LIN_THREAD_AT] - 1);
    memcpy(words, view->thread, sizeof words);
    for (uint32_t i = 0; i < entry->reference_count; i++) {
        uint32_t *word = &words[LIN_THREAD_HEADER + entry->references[i].slot];
        *word = *word != 0;
    }
    const uint32_t number = word_arrays_intern(&looking->classes, words, steps->thread_words, NULL);
    looking->refused |= number == NONE;
    return number;
}

static void note_change(struct looking *looking, const struct heap_view *before,
                        const struct heap_view *after, uint32_t at)
{
    uint32_t number = 0;
    while (number < looking->changing_count && looking->changing[number].at != at)
        number++;
    if (number == HEAP_MOST_LASTING) {
        give_up(looking, "there are too many steps that change something");
        return;
    }
    struct changing *changing = &looking->changing[number];
    if (number == looking->changing_count) {
        looking->changing_count++;
        *changing = (struct changing){.at = at, .keeps = UINT64_MAX, .lowers = UINT64_MAX};
    }
    for (uint32_t i = 0; i < looking->rank_count; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        if (!(changing->keeps & bit))
            continue;
        const enum heap_rank_change change =
            heap_rank_compare(&looking->shape, &looking->ranks[i], before, after);
        if (change == HEAP_RANK_MAY_GROW)
            changing->keeps &= ~bit;
        if (change != HEAP_RANK_BECOMES_LESS)
            changing->lowers &= ~bit;
    }
}

static void add_arc(struct looking *looking, const struct arc *arc)
{
    const uint32_t words[] = {arc->from, arc->to, arc->at, arc->changes};
    bool fresh = false;
    const uint32_t number = word_arrays_intern(&looking->known, words, ARRAY_LENGTH(words), &fresh);
    looking->refused |= number == NONE || (fresh && !vector_push(&looking->arcs, *arc));
}

struct behind {
    struct looking *looking;
    struct heap_quiet_step step;
};

static void add_quiet(void *user, struct heap_view *view, const uint32_t *moved)
{
    struct behind *behind = user;
    struct looking *looking = behind->looking;
    uint32_t words[HEAP_MOST_WORDS];
    (void)moved;
    behind->step.to =
        word_arrays_find(looking->views, words, heap_view_write(&looking->shape, view, words));
    if (behind->step.to == NONE)
        give_up(looking, "the set of views is not closed");
    else
        looking->refused |= !vector_push(&looking->quiet.steps, behind->step);
}

static bool look_at_step(void *user, const struct heap_view *before, const struct heap_view *after,
                         const struct thread_move *move, uint32_t at)
{
    struct looking *looking = user;
    if (move->calls && !thread_move_brings_only(move, 1u << 1))
        return true;
    if (move->ending) {
        give_up(looking, "an operation does what it must not do");
        return false;
    }
    const bool changes = changes_anything(&looking->shape, before, after);
    if (changes)
        note_change(looking, before, after, at);
    if (looking->from_class == NONE || move->answer != ANSWER_NONE)
        return true;
    add_arc(looking, &(struct arc){looking->from_class, class_of(looking, after), at, changes});
    if (changes)
        return true;
    struct behind behind = {looking, {.from = looking->from, .at = at}};
    heap_ranks_of_locals(&looking->shape, before, after, &behind.step.keeps, &behind.step.lowers);
    struct heap_view seen;
    heap_view_copy(&seen, after);
    seen.observer = before->observer;
    seen.promise = before->promise;
    if (!heap_shorten(&looking->shape, &seen, add_quiet, &behind))
        give_up(looking, heap_too_many_nodes);
    return looking->answer->kind == HEAP_LOCK_FREE;
}

static enum status look_at_views(struct looking *looking)
{
    for (uint32_t i = 0; i < looking->views->items.length; i++) {
        struct heap_view view;
        size_t count;
        heap_view_read(&looking->shape, word_arrays_get(looking->views, i, &count), &view);
        looking->from = i;
        looking->from_class = view.thread[LIN_THREAD_AT] ? class_of(looking, &view) : NONE;
        TRY(heap_moves_of(&looking->moves, &view, look_at_step, looking));
        if (looking->moves.failure)
            give_up(looking, looking->moves.failure);
        if (looking->answer->kind != HEAP_LOCK_FREE)
            return STATUS_OK;
        if (looking->refused ||
            limits_look_every(looking->progress->limits, &looking->looked, VIEWS_A_LOOK))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

/* ---- changes ---- */

static bool is_left(const struct looking *looking, uint32_t at)
{
    for (uint32_t i = 0; i < looking->changing_count; i++)
        if (looking->changing[i].at == at)
            return !looking->changing[i].is_ruled_out;
    return true;
}

/* Sets in which component each class is, by steps in which nothing changes or by changes that are
 * left. */
static enum status find_components(struct looking *looking, uint32_t *component)
{
    for (size_t i = 0; i < looking->arcs.length; i++)
        looking->among.steps.items[i].is_left_out =
            looking->arcs.items[i].changes && !is_left(looking, looking->arcs.items[i].at);
    return heap_rounds_components(&looking->among, (uint32_t)looking->classes.items.length,
                                  component);
}

/* Whether an operation may come back to an instruction, whose changes are left, to change something
 * again. */
static bool comes_back(const struct looking *looking, uint32_t at, const uint32_t *component)
{
    for (size_t i = 0; i < looking->arcs.length; i++) {
        const struct arc *arc = &looking->arcs.items[i];
        if (arc->changes && arc->at == at && component[arc->from] == component[arc->to])
            return true;
    }
    return false;
}

static void rule_out(struct looking *looking, uint32_t number, uint32_t rank)
{
    struct heap_progress_answer *answer = looking->answer;
    looking->changing[number].is_ruled_out = true;
    answer->lasting[answer->lasting_count++] =
        (struct heap_lasting){.at = looking->changing[number].at,
                              .is_ranked = rank != NONE,
                              .rank = rank != NONE ? looking->ranks[rank] : (struct heap_rank){0}};
}

/* Those that an operation makes once, then no more; *some: there are. */
static enum status rule_out_single(struct looking *looking, uint32_t *component, bool *some)
{
    *some = false;
    TRY(find_components(looking, component));
    for (uint32_t i = 0; i < looking->changing_count; i++) {
        if (looking->changing[i].is_ruled_out ||
            comes_back(looking, looking->changing[i].at, component))
            continue;
        rule_out(looking, i, NONE);
        *some = true;
    }
    return STATUS_OK;
}

/* Those that make a rank less, if no change which is left makes it greater; returns whether there
 * is such a rank. */
static bool rule_out_ranked(struct looking *looking)
{
    uint64_t kept = UINT64_MAX, lowered = 0;
    for (uint32_t i = 0; i < looking->changing_count; i++)
        if (!looking->changing[i].is_ruled_out) {
            kept &= looking->changing[i].keeps;
            lowered |= looking->changing[i].lowers;
        }
    const uint64_t ranks = kept & lowered;
    const uint32_t rank = ranks ? (uint32_t)__builtin_ctzll(ranks) : NONE;
    if (rank >= looking->rank_count)
        return false;
    for (uint32_t i = 0; i < looking->changing_count; i++)
        if (!looking->changing[i].is_ruled_out && looking->changing[i].lowers >> rank & 1)
            rule_out(looking, i, rank);
    return true;
}

static int compare_arcs(const void *one, const void *other)
{
    const struct arc *a = one, *b = other;
    return (a->from > b->from) - (a->from < b->from);
}

/* The arcs as steps, ascending by where they come from. */
static bool order_arcs(struct looking *looking)
{
    bool room = true;
    if (looking->arcs.length)
        qsort(looking->arcs.items, looking->arcs.length, sizeof *looking->arcs.items, compare_arcs);
    for (size_t i = 0; i < looking->arcs.length && room; i++) {
        const struct arc *arc = &looking->arcs.items[i];
        room = vector_push(&looking->among.steps, ((struct heap_quiet_step){
                                                      .from = arc->from,
                                                      .to = arc->to,
                                                      .at = arc->at,
                                                  }));
    }
    return room;
}

static enum status rule_out_changes(struct looking *looking)
{
    struct heap_progress_answer *answer = looking->answer;
    VECTOR(uint32_t) component;
    vector_init(&component, looking->progress->budget);
    enum status status =
        granted(order_arcs(looking) && vector_reserve(&component, looking->classes.items.length));
    for (bool some = true; some && status == STATUS_OK;) {
        status = rule_out_single(looking, component.items, &some);
        some = status == STATUS_OK && (some || rule_out_ranked(looking));
    }
    vector_release(&component);
    for (uint32_t i = 0; i < looking->changing_count && answer->kind == HEAP_LOCK_FREE; i++)
        if (!looking->changing[i].is_ruled_out) {
            answer->kind = HEAP_CHANGES_ON;
            answer->at = looking->changing[i].at;
        }
    return status;
}

/* ---- the whole ---- */

static enum status look_for_rounds(struct looking *looking)
{
    struct heap_progress_answer *answer = looking->answer;
    TRY(heap_rounds_find(&looking->quiet, (uint32_t)looking->views->items.length));
    answer->walks = looking->quiet.walks;
    answer->round_length = looking->quiet.round_length;
    memcpy(answer->round, looking->quiet.round, sizeof answer->round);
    if (answer->round_length)
        answer->kind = HEAP_GOES_ROUND;
    return STATUS_OK;
}

/* An instruction, + 1, of an operation at which it waits for others; 0: there is none. */
static uint32_t find_waiting(const struct lin_steps *steps)
{
    for (uint32_t i = 0; i < steps->listing.code.length; i++) {
        const int op = steps->listing.code.items[i].op;
        if ((op == OP_LOCK || op == OP_AWAIT || op == OP_ASSUME) &&
            !lin_steps_are_initial(steps, i))
            return i + 1;
    }
    return 0;
}

static enum status look(struct looking *looking, const struct word_arrays *views)
{
    const struct heap_progress *progress = looking->progress;
    looking->views = views;
    looking->moves = (struct heap_moves){.shape = &looking->shape,
                                         .system = progress->system,
                                         .budget = progress->budget,
                                         .error = progress->error};
    looking->rank_count = heap_ranks_of(&looking->shape, looking->ranks);
    TRY(look_at_views(looking));
    if (looking->answer->kind == HEAP_LOCK_FREE)
        TRY(rule_out_changes(looking));
    return looking->answer->kind == HEAP_LOCK_FREE ? look_for_rounds(looking) : STATUS_OK;
}

static enum status check_set(const struct looking *looking, const struct heap_proof *proof)
{
    const struct heap_progress *progress = looking->progress;
    const struct heap_certificate certificate = {.shape = looking->shape,
                                                 .specification = &nothing,
                                                 .placement = &nowhere,
                                                 .views = &proof->views};
    struct heap_checked checked;
    struct limits limits;
    limits_init_within(&limits, progress->limits, progress->budget);
    limits.deadline = progress->last_deadline;
    TRY(heap_certificate_check(&certificate, progress->system, progress->budget, &limits, &checked,
                               progress->error));
    if (checked.is_too_large) {
        looking->answer->kind = HEAP_PROGRESS_UNABLE;
        looking->answer->unable = "the check of the set of views met too many nodes at once";
    }
    return STATUS_OK;
}

static void take_failure(struct looking *looking, const struct heap_proof *proof)
{
    struct heap_progress_answer *answer = looking->answer;
    if (proof->failure.kind == HEAP_PROVED)
        return;
    answer->kind = HEAP_PROGRESS_OPEN;
    answer->failure = proof->failure;
    if (proof->failure.kind != HEAP_LIMIT)
        answer->path_length = heap_proof_path(proof, answer->path);
}

/* Without an observer, which tells what locks there are; or with one that sees nothing, and then
 * all the rest. */
static enum status close_set(struct looking *looking, bool observes)
{
    const struct heap_progress *progress = looking->progress;
    struct heap_progress_answer *answer = looking->answer;
    struct heap_proof proof;
    heap_proof_init(&proof, progress->system, &looking->shape, NULL, observes ? &nowhere : NULL,
                    progress->budget, progress->limits, progress->error);
    proof.specification = observes ? &nothing : NULL;
    looking->shape.plain = proof.steps.shape.plain;
    enum status status = heap_proof_run(&proof);
    take_failure(looking, &proof);
    answer->views = proof.views.items.length;
    answer->effects = proof.effects.length;
    LOG(progress->limits->log, "any heap: progress: %zu views, %zu effects, failure %d",
        answer->views, answer->effects, (int)proof.failure.kind);
    if (status == STATUS_OK && answer->kind == HEAP_LOCK_FREE && !observes) {
        const char *unable = heap_keep_locks(&proof, &looking->shape);
        if (unable)
            give_up(looking, unable);
    }
    if (status == STATUS_OK && answer->kind == HEAP_LOCK_FREE && observes)
        status = check_set(looking, &proof);
    if (status == STATUS_OK && answer->kind == HEAP_LOCK_FREE && observes)
        status = look(looking, &proof.views);
    heap_proof_release(&proof);
    return status;
}

enum status heap_progress_find(const struct heap_progress *progress,
                               struct heap_progress_answer *answer)
{
    struct looking looking = {.progress = progress, .answer = answer};
    *answer = (struct heap_progress_answer){.kind = HEAP_LOCK_FREE};
    const char *unable = heap_provide(progress->system, &looking.shape);
    if (unable)
        give_up(&looking, unable);
    answer->at = find_waiting(progress->system->steps);
    if (answer->at && answer->kind == HEAP_LOCK_FREE)
        answer->kind = HEAP_WAITS;
    if (answer->kind != HEAP_LOCK_FREE)
        return STATUS_OK;
    heap_shape_tell_numbers(&looking.shape);
    heap_rounds_init(&looking.quiet, progress->budget);
    heap_rounds_init(&looking.among, progress->budget);
    vector_init(&looking.arcs, progress->budget);
    word_arrays_init(&looking.classes, progress->budget);
    word_arrays_init(&looking.known, progress->budget);
    enum status status = close_set(&looking, false);
    if (status == STATUS_OK && answer->kind == HEAP_LOCK_FREE)
        status = close_set(&looking, true);
    heap_rounds_release(&looking.quiet);
    heap_rounds_release(&looking.among);
    vector_release(&looking.arcs);
    word_arrays_release(&looking.classes);
    word_arrays_release(&looking.known);
    return status;
}
