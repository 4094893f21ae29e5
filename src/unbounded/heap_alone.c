/* Goes on with one thread, in all its ways, until its operation answers; of ways that take long it
 * is not known. */
#include "unbounded/heap_alone.h"

#define MOST_ALONE_STEPS 400
#define MOST_ALONE_DEPTH 60

struct alone {
    struct heap_steps *steps;
    struct error *error;
    unsigned taken, depth;
    bool known, several, refused;
    struct thread_move answer;
};

static void run_alone(struct alone *alone, const struct heap_view *view);

static void go_on_alone(void *user, struct heap_view *view)
{
    struct alone *alone = user;
    /* Names of values are those of the nodes of the step. */
    const bool keeps = alone->steps->shape.marks;
    if (!alone->several && (keeps || heap_view_arrange(&alone->steps->shape, view, NULL)))
        run_alone(alone, view);
    else
        alone->several = true;
}

static bool note_alone(void *user, const struct heap_step *step)
{
    struct alone *alone = user;
    if (step->move.ending) {
        alone->several = true;
    } else if (step->move.answer == ANSWER_NONE) {
        struct heap_view after;
        heap_view_copy(&after, step->after);
        heap_view_refine(&alone->steps->shape, &after, go_on_alone, alone);
    } else if (!alone->known) {
        alone->known = true;
        alone->answer = step->move;
    } else {
        alone->several |=
            alone->answer.answer != step->move.answer || alone->answer.result != step->move.result;
    }
    return !alone->several;
}

static void run_alone(struct alone *alone, const struct heap_view *view)
{
    if (++alone->taken > MOST_ALONE_STEPS || ++alone->depth > MOST_ALONE_DEPTH) {
        alone->several = true;
        return;
    }
    if (heap_steps_of(alone->steps, view, note_alone, alone, alone->error) != STATUS_OK)
        alone->refused = true;
    alone->depth--;
}

bool heap_answer_alone(struct heap_steps *steps, const struct heap_step *step,
                       struct thread_move *answer, bool *refused, struct error *error)
{
    *answer = step->move;
    if (answer->answer != ANSWER_NONE)
        return true;
    struct alone alone = {.steps = steps, .error = error};
    struct heap_view after;
    heap_view_copy(&after, step->after);
    heap_view_refine(&steps->shape, &after, go_on_alone, &alone);
    answer->answer = alone.answer.answer;
    answer->result = alone.answer.result;
    *refused |= alone.refused;
    return alone.known && !alone.several;
}
