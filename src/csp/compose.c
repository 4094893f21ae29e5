#include "csp/compose.h"

#include "csp/follow.h"
#include "csp/prefix.h"

typedef const uint32_t *words;

/* Of moves that are followed those of the outermost composition have notes. */
static enum status add_replaced(struct csp_worker *worker, const struct composition *composition,
                                const struct move *move, const uint32_t *gone, const term *come,
                                size_t count)
{
    if (LIKELY(!worker->following.on || !move->process))
        return csp_add_replaced(worker, composition, *move, gone, come, count);
    struct move followed = *move;
    TRY(csp_follow_replaced(worker, composition, gone, come, count, &followed));
    return csp_add_replaced(worker, composition, followed, gone, come, count);
}

/* Both halves of a synchronous communication, of two different components. */
static enum status communicate(struct csp_worker *worker, const struct composition *composition,
                               const part_moves *parts, const uint32_t *slots, struct error *error)
{
    bool ignored;
    for (size_t i = 0; i < parts->length; i++) {
        const struct part_move *out = &parts->items[i];
        if (out->move.kind != MOVE_OFFER)
            continue;
        for (size_t j = 0; j < parts->length; j++) {
            const struct part_move *in = &parts->items[j];
            if (in->move.kind != MOVE_ACCEPT || in->move.channel != out->move.channel ||
                in->move.content != out->move.content)
                continue;
            if (in->component == out->component &&
                csp_component_count(worker, composition, in->component) == 1)
                continue;
            if (in->move.faulty)
                TRY(csp_test(worker, in->move.faulty, slots, &ignored, error));
            const uint32_t gone[] = {out->component, in->component};
            const term come[] = {out->move.target, in->move.target};
            struct move move = csp_silent_move(TERM_STOP);
            size_t length;
            words tuple =
                object_items(worker->shared->program->objects, out->move.content, &length);
            move.label = move.shown =
                csp_channel_label(worker, LABEL_SYNC, out->move.channel, tuple + 1, tuple[0]);
            move.programs[0] = out->move.programs[0];
            move.programs[1] = in->move.programs[0];
            move.process = out->move.process;
            move.processes = out->move.processes | in->move.processes;
            move.atomic = out->move.atomic || in->move.atomic;
            move.data = true;
            if (gone[0] == gone[1] && worker->shared->pool.counting.cut_off &&
                csp_component_count(worker, composition, gone[0]) == COPIES_ANY)
                atomic_store(&worker->shared->inexact, true);
            TRY(add_replaced(worker, composition, &move, gone, come, 2));
        }
    }
    return STATUS_OK;
}

/* Termination of a composition: all components at once. */
static enum status terminate(struct csp_worker *worker, const struct composition *composition,
                             const part_moves *parts)
{
    uint32_t able = 0, last = UINT32_MAX;
    uint64_t processes = 0;
    bool atomic_one = false;
    for (size_t i = 0; i < parts->length; i++) {
        const struct part_move *part = &parts->items[i];
        if (part->move.label != LABEL_TERMINATE)
            continue;
        atomic_one |= part->move.atomic; /* a component may be able to in several ways */
        processes |= part->move.processes;
        able += part->component != last;
        last = part->component;
    }
    if (able < composition->count)
        return STATUS_OK;
    struct move move = csp_silent_move(TERM_STOP);
    move.label = move.shown = LABEL_TERMINATE;
    move.atomic = atomic_one;
    move.processes = processes;
    return csp_add_move(worker, move);
}

/* Whose alphabets have a label: of many components they are asked one by one. */
struct owners {
    bool known;
    uint64_t bits;
};

static enum status owners_of(struct csp_worker *worker, const struct composition *composition,
                             uint32_t alphabets, label l, struct owners *owners)
{
    *owners = (struct owners){.known = composition->count <= OWNERS_MOST};
    return owners->known
               ? csp_owners_of(&worker->owners, &worker->terms, alphabets, l, &owners->bits)
               : STATUS_OK;
}

static bool owns(const struct csp_worker *worker, const struct composition *composition,
                 struct owners owners, uint32_t i, label l)
{
    size_t length;
    if (owners.known)
        return owners.bits >> i & 1;
    words at = term_words(&worker->terms, composition->t, &length);
    return label_set_has(&worker->terms, at[1 + composition->count + i], l);
}

/* Appends the moves in which every owner of the label takes part, from component `next` on; `words`
 * from `mark` on is the composition under construction. */
static enum status join(struct csp_worker *worker, const struct composition *composition,
                        const part_moves *parts, const struct move *first, struct owners owners,
                        uint32_t next, size_t mark)
{
    while (next < composition->count && !owns(worker, composition, owners, next, first->label))
        next++;
    if (next == composition->count) {
        struct move move = *first;
        move.target = term_make(&worker->terms, TERM_KIND_PARALLEL, worker->words.items + mark,
                                1 + 2 * (size_t)composition->count);
        return csp_add_move(worker, move);
    }
    term before = worker->words.items[mark + 1 + next];
    for (size_t i = 0; i < parts->length; i++) {
        const struct part_move *part = &parts->items[i];
        if (part->component != next || part->move.label != first->label || part->move.data ||
            part->move.kind != MOVE_STEP)
            continue;
        struct move joined = *first;
        joined.atomic |= part->move.atomic;
        joined.processes |= part->move.processes;
        worker->words.items[mark + 1 + next] = part->move.target;
        TRY(join(worker, composition, parts, &joined, owners, next + 1, mark));
    }
    worker->words.items[mark + 1 + next] = before;
    return STATUS_OK;
}

/* Whether a move is of an event that several components share; *first: this is the first of them.
 */
static bool is_shared(const struct csp_worker *worker, const struct composition *composition,
                      const struct part_move *part, struct owners owners, bool *first)
{
    if (owners.known) {
        *first = owners.bits && (uint32_t)__builtin_ctzll(owners.bits) == part->component;
        return owners.bits & (owners.bits - 1);
    }
    uint32_t count = 0, lowest = UINT32_MAX;
    for (uint32_t i = 0; i < composition->count; i++) {
        if (owns(worker, composition, owners, i, part->move.label)) {
            count++;
            if (lowest == UINT32_MAX)
                lowest = i;
        }
    }
    *first = lowest == part->component;
    return count > 1;
}

static enum status join_from(struct csp_worker *worker, const struct composition *composition,
                             const part_moves *parts, const struct part_move *part,
                             struct owners owners)
{
    size_t length, mark = worker->words.length;
    words at = term_words(&worker->terms, composition->t, &length);
    for (size_t k = 0; k < length; k++)
        TRY_MEMORY(vector_push(&worker->words, at[k]));
    worker->words.items[mark + 1 + part->component] = part->move.target;
    enum status status =
        join(worker, composition, parts, &part->move, owners, part->component + 1, mark);
    worker->words.length = mark;
    return status;
}

static bool may_be_shared(const struct composition *composition, const struct move *move)
{
    return composition->kind == TERM_KIND_PARALLEL && !move->data && move->label != LABEL_TAU &&
           move->kind == MOVE_STEP;
}

/* The number of the row of a composition's alphabets, where it has few. */
static enum status alphabets_of(struct csp_worker *worker, const struct composition *composition,
                                uint32_t *alphabets)
{
    size_t length;
    words at = term_words(&worker->terms, composition->t, &length);
    if (composition->kind != TERM_KIND_PARALLEL || composition->count > OWNERS_MOST)
        return STATUS_OK;
    *alphabets = csp_alphabets(&worker->owners, at + 1 + composition->count, composition->count);
    return granted(*alphabets != UINT32_MAX);
}

enum status csp_compose(struct csp_worker *worker, const struct composition *composition,
                        const part_moves *parts, const uint32_t *slots, struct error *error)
{
    uint32_t alphabets = 0;
    TRY(alphabets_of(worker, composition, &alphabets));
    for (size_t i = 0; i < parts->length; i++) {
        const struct part_move *part = &parts->items[i];
        if (part->move.label == LABEL_TERMINATE)
            continue;
        if (may_be_shared(composition, &part->move)) {
            bool first = false;
            struct owners owners;
            TRY(owners_of(worker, composition, alphabets, part->move.label, &owners));
            if (is_shared(worker, composition, part, owners, &first)) {
                if (first)
                    TRY(join_from(worker, composition, parts, part, owners));
                continue;
            }
        }
        TRY(add_replaced(worker, composition, &part->move, &part->component, &part->move.target,
                         1));
    }
    TRY(terminate(worker, composition, parts));
    return worker->shared->synchronous ? communicate(worker, composition, parts, slots, error)
                                       : STATUS_OK;
}
