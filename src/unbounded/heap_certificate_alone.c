#include "unbounded/heap_certificate_alone.h"

#define MOST_STEPS_ALONE 400
#define MOST_DEPTH_ALONE 60

struct alone {
    struct heap_moves *moves;
    uint32_t steps, depth;
    bool answered, open, refused;
    struct thread_move answer;
};

static void go_alone(void *user, struct heap_view *view, const uint32_t *moved);

/* Behind a step. Where values are marked, nodes stay where they are, for they name values. */
static void go_on_alone(struct alone *alone, const struct heap_view *after)
{
    const struct heap_shape *shape = alone->moves->shape;
    struct heap_view same;
    if (shape->marks) {
        same = *after;
        go_alone(alone, &same, NULL);
    } else if (!heap_shorten(shape, after, go_alone, alone)) {
        alone->open = true;
    }
}

static bool note_answer(void *user, const struct heap_view *before, const struct heap_view *after,
                        const struct thread_move *move, uint32_t at)
{
    struct alone *alone = user;
    (void)before;
    (void)at;
    if (move->ending) {
        alone->open = true;
    } else if (move->answer == ANSWER_NONE) {
        go_on_alone(alone, after);
    } else {
        alone->open |= alone->answered && (alone->answer.answer != move->answer ||
                                           alone->answer.result != move->result);
        alone->answered = true;
        alone->answer = *move;
    }
    return !alone->open;
}

static void go_alone(void *user, struct heap_view *view, const uint32_t *moved)
{
    struct alone *alone = user;
    (void)moved;
    if (alone->open)
        return;
    if (++alone->steps > MOST_STEPS_ALONE || alone->depth == MOST_DEPTH_ALONE) {
        alone->open = true;
        return;
    }
    alone->depth++;
    if (heap_moves_of(alone->moves, view, note_answer, alone) != STATUS_OK)
        alone->refused = alone->open = true;
    alone->depth--;
}

bool certificate_answer_alone(struct heap_moves *moves, const struct heap_view *after,
                              struct thread_move *move, bool *refused)
{
    struct alone alone = {.moves = moves, .answered = move->answer, .answer = *move};
    if (!alone.answered)
        go_on_alone(&alone, after);
    move->answer = alone.answer.answer;
    move->result = alone.answer.result;
    *refused |= alone.refused;
    return alone.answered && !alone.open;
}
