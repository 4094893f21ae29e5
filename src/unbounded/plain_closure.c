#include "unbounded/plain_closure.h"

static enum status find_moves(void *user, uint32_t control, uint32_t local,
                              struct closure_moves *out, struct error *error)
{
    struct plain_closure *plain = user;
    const struct thread_moves *moves;
    TRY(thread_system_expand(plain->system, control, local, &moves, error));
    for (uint32_t i = 0; i < moves->count; i++) {
        const struct thread_move *move = &moves->items[i];
        if (thread_move_brings_only(move, plain->colours) && move->ending == ENDING_NONE &&
            !vector_push(&out->list,
                         ((struct closure_move){move->next_shared, move->next_local, move})))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

enum status plain_closure_make(struct plain_closure *plain, struct thread_system *system,
                               unsigned colours, struct budget *budget, const struct limits *limits,
                               struct error *error)
{
    const struct closure_source source = {plain, find_moves, NULL};
    *plain = (struct plain_closure){.system = system, .colours = colours};
    closure_init(&plain->closure, &source, budget);
    bool good = closure_begin(&plain->closure, system->initial.items, system->initial.length,
                              (uint32_t)system->kinds.length);
    TRY_MEMORY(good);
    TRY(closure_run(&plain->closure, limits, error));
    return closure_check(&plain->closure, system->initial.items, system->initial.length,
                         (uint32_t)system->kinds.length, limits, error);
}

void plain_closure_release(struct plain_closure *plain)
{
    closure_release(&plain->closure);
}
