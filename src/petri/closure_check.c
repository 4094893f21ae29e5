/* Checks that the relation of a closure (closure.h) holds of the initial configurations and is kept
 * by all moves, which are asked for again. Nothing is believed of how it came about. */
#include "petri/closure.h"

struct checking {
    const struct closure *closure;
    struct closure_moves moves; /* asked for again */
    struct error *error;
};

static enum status fault(const struct checking *checking, const char *what)
{
    return error_set(checking->error, STATUS_INTERNAL, NULL, 0, "the closure is wrong: %s", what);
}

/* Whether a pair may be left out. */
static bool is_refused(const struct closure *closure, uint32_t control, uint32_t local)
{
    return closure->source.admits && !closure->source.admits(closure->source.user, control, local);
}

static bool is_beside(const struct closure *closure, uint32_t pair, uint32_t local)
{
    return bits_get(closure_beside(closure, pair), local);
}

static enum status check_initial(const struct checking *checking, const uint32_t *controls,
                                 size_t control_count, uint32_t local_count)
{
    for (size_t i = 0; i < control_count; i++)
        for (uint32_t l = 0; l < local_count; l++) {
            uint32_t pair = closure_pair(checking->closure, controls[i], l);
            if (pair == NET_NONE)
                return fault(checking, "an initial pair is impossible");
            for (uint32_t other = 0; other < local_count; other++)
                if ((other != l || l == 0) && !is_beside(checking->closure, pair, other))
                    return fault(checking, "two initial local states exclude one another");
        }
    return STATUS_OK;
}

/* One that is beside the thread that moves, and stays where it is. */
static bool comes_along(const struct closure *closure, uint32_t control, struct bits beside,
                        const struct closure_move *move, uint32_t other)
{
    uint32_t before = closure_pair(closure, control, other);
    uint32_t then = closure_pair(closure, move->control, other);
    uint32_t moved = closure_pair(closure, move->control, move->local);
    if (then == NET_NONE)
        return is_refused(closure, move->control, other);
    if (before == NET_NONE || !is_beside(closure, moved, other) ||
        !is_beside(closure, then, move->local))
        return false;
    struct bits old = closure_beside(closure, before), new = closure_beside(closure, then);
    for (size_t word = 0; word < closure->beside.words; word++) {
        uint64_t left = beside.words[word] & old.words[word] & ~new.words[word];
        while (left)
            if (!is_refused(closure, move->control, (uint32_t)word * WORD_BITS + bits_take(&left)))
                return false;
    }
    return true;
}

static enum status check_move(const struct checking *checking, uint32_t control, uint32_t pair,
                              const struct closure_move *move)
{
    const struct closure *closure = checking->closure;
    struct bits beside = closure_beside(closure, pair);
    if (!closure_has(closure, move->control, move->local))
        return is_refused(closure, move->control, move->local)
                   ? STATUS_OK
                   : fault(checking, "a move leads to a pair that is impossible");
    for (size_t at = 0; (at = bits_next(beside, at)) < beside.size; at++)
        if (!comes_along(closure, control, beside, move, (uint32_t)at))
            return fault(checking, "a move leads to local states that exclude one another");
    return STATUS_OK;
}

static enum status check_pair(struct checking *checking, uint32_t control, uint32_t number)
{
    const struct closure *closure = checking->closure;
    const struct closure_pair *pair = &closure->pairs.items[number];
    if (closure_pair(closure, control, pair->local) != number)
        return fault(checking, "a pair has two numbers");
    checking->moves.list.length = 0;
    TRY(closure->source.moves(closure->source.user, control, pair->local, &checking->moves,
                              checking->error));
    if (pair->first == NET_NONE || pair->count != checking->moves.list.length)
        return fault(checking, "a pair lacks some of its moves");
    for (uint32_t i = 0; i < pair->count; i++) {
        const struct closure_move *move = &checking->moves.list.items[i];
        const struct closure_move *known = &closure->moves.list.items[pair->first + i];
        if (move->control != known->control || move->local != known->local)
            return fault(checking, "a pair has other moves");
        TRY(check_move(checking, control, number, move));
    }
    return STATUS_OK;
}

enum status closure_check(const struct closure *closure, const uint32_t *controls,
                          size_t control_count, uint32_t local_count, const struct limits *limits,
                          struct error *error)
{
    struct checking checking = {.closure = closure, .error = error};
    uint32_t looked = 0;
    TRY(check_initial(&checking, controls, control_count, local_count));
    vector_init(&checking.moves.list, closure->budget);
    enum status status = STATUS_OK;
    for (uint32_t c = 0; status == STATUS_OK && c < closure->controls.length; c++)
        for (size_t i = 0; status == STATUS_OK && i < closure->controls.items[c].pairs.length;
             i++) {
            status = check_pair(&checking, c, closure->controls.items[c].pairs.items[i]);
            if (limits_look(limits, &looked))
                status = STATUS_LIMIT;
        }
    vector_release(&checking.moves.list);
    return status;
}
