#include "unbounded/thread_net.h"

#include <assert.h>
#include <stdio.h>

#define CONTROLS_A_LOOK 16 /* each with all local states beside it */

/* ---- numbers ---- */

static uint32_t intern_control(struct thread_net *net, uint32_t shared, uint32_t state)
{
    const uint32_t words[] = {shared, state};
    return word_arrays_intern(&net->controls, words, ARRAY_LENGTH(words), NULL);
}

static uint32_t intern_local(struct thread_net *net, uint32_t local, auxiliary prophecy)
{
    const uint32_t words[] = {local, (uint32_t)prophecy, (uint32_t)(prophecy >> 32)};
    return word_arrays_intern(&net->locals, words, ARRAY_LENGTH(words), NULL);
}

struct standing thread_net_standing(const struct thread_net *net, uint32_t local)
{
    size_t count;
    const uint32_t *words = word_arrays_get(&net->locals, local, &count);
    assert(count == 3);
    return (struct standing){words[0], words[1] | (auxiliary)words[2] << 32};
}

uint32_t thread_net_shared(const struct thread_net *net, uint32_t control)
{
    size_t count;
    return word_arrays_get(&net->controls, control, &count)[0];
}

/* ---- moves ---- */

/* A pair whose moves are asked for. */
struct asking {
    struct thread_net *net;
    uint32_t control, local; /* of the net */
    struct standing standing;
    uint32_t state;
    struct closure_moves *out;
    size_t first; /* in out */
};

/* The same move, or one that changes nothing, is of no use. */
static bool add_move(const struct asking *asking, uint32_t control, uint32_t local,
                     const struct thread_move *move)
{
    if (control == UINT32_MAX || local == UINT32_MAX)
        return false;
    assert(asking->control != THREAD_NET_BAD && "nothing follows what is bad");
    if (control == THREAD_NET_BAD)
        local = THREAD_NET_IDLE;
    if (control == asking->control && local == asking->local)
        return true;
    for (size_t i = asking->first; i < asking->out->list.length; i++) {
        const struct closure_move *other = &asking->out->list.items[i];
        if (other->control == control && other->local == local)
            return true;
    }
    return vector_push(&asking->out->list, ((struct closure_move){control, local, move}));
}

/* The move with what has been read of it. */
static bool add_read(const struct asking *asking, const struct thread_move *move,
                     struct reading read)
{
    struct thread_net *net = asking->net;
    const struct thread_net_design *design = &net->design;
    auxiliary prophecy = read.auxiliary;
    if (move->answer != ANSWER_NONE) {
        bool keeps = design->alphabet && design->alphabet->roles->object->values_are_processes &&
                     thread_system_turn(design->system, move->next_local) != 0;
        prophecy = keeps ? prophecy : 0;
    }
    bool bad = design->is_bad_control &&
               design->is_bad_control(design->user, move->next_shared, read.state);
    if (bad && design->admits &&
        !design->admits(design->user, move->next_shared, move->next_local, prophecy))
        return true;
    return add_move(asking,
                    bad ? THREAD_NET_BAD : intern_control(net, move->next_shared, read.state),
                    intern_local(net, move->next_local, prophecy), move);
}

static bool add_returns(const struct asking *asking, const struct thread_move *move,
                        struct reading read)
{
    const struct alphabet *alphabet = asking->net->design.alphabet;
    struct reading returns[MOST_LETTERS];
    if (!alphabet || move->answer == ANSWER_NONE)
        return add_read(asking, move, read);
    size_t count = alphabet_return(alphabet, read.state, read.auxiliary, move, returns);
    for (size_t i = 0; i < count; i++)
        if (!add_read(asking, move, returns[i]))
            return false;
    return true;
}

static bool add_calls(const struct asking *asking, const struct thread_move *move)
{
    const struct thread_net_design *design = &asking->net->design;
    struct reading before = {asking->state, asking->standing.auxiliary}, calls[MOST_LETTERS];
    if (!design->alphabet && design->effect) {
        before.auxiliary = move->calls ? 0 : before.auxiliary;
        switch (design->effect(design->user, move, &before)) {
        case EFFECT_BAD:
            return add_move(asking, THREAD_NET_BAD, THREAD_NET_IDLE, move);
        case EFFECT_REFUSED:
            return true;
        case EFFECT_GOOD:
            break;
        }
    }
    if (!design->alphabet && design->remember)
        before.auxiliary = design->remember(design->user, move, move->calls ? 0 : before.auxiliary);
    if (!design->alphabet || !move->calls)
        return add_returns(asking, move, before);
    size_t count = alphabet_call(design->alphabet, before.state, before.auxiliary, move, calls);
    for (size_t i = 0; i < count; i++)
        if (!add_returns(asking, move, calls[i]))
            return false;
    return true;
}

static enum status find_moves(void *user, uint32_t control, uint32_t local,
                              struct closure_moves *out, struct error *error)
{
    struct thread_net *net = user;
    const struct thread_net_design *design = &net->design;
    if (control == THREAD_NET_BAD)
        return STATUS_OK;
    size_t count;
    const uint32_t *words = word_arrays_get(&net->controls, control, &count);
    const struct asking asking = {.net = net,
                                  .control = control,
                                  .local = local,
                                  .standing = thread_net_standing(net, local),
                                  .state = words[1],
                                  .out = out,
                                  .first = out->list.length};
    uint32_t shared = words[0];
    const struct thread_moves *moves;
    TRY(thread_system_expand(design->system, shared, asking.standing.local, &moves, error));
    for (uint32_t i = 0; i < moves->count; i++) {
        const struct thread_move *move = &moves->items[i];
        bool good = true;
        if (!thread_move_brings_only(move, design->colours))
            continue;
        if (design->is_bad_move && design->is_bad_move(design->user, move))
            good = add_move(&asking, THREAD_NET_BAD, THREAD_NET_IDLE, move);
        else if (move->ending == ENDING_NONE)
            good = add_calls(&asking, move);
        TRY_MEMORY(good);
    }
    return STATUS_OK;
}

static bool admits(void *user, uint32_t control, uint32_t local)
{
    const struct thread_net *net = user;
    const struct thread_net_design *design = &net->design;
    if (control == THREAD_NET_BAD || !design->admits)
        return true;
    struct standing standing = thread_net_standing(net, local);
    return design->admits(design->user, thread_net_shared(net, control), standing.local,
                          standing.auxiliary);
}

/* False when refused. */
static bool add_initial(struct thread_net *net, uint32_t shared)
{
    const struct thread_net_design *design = &net->design;
    uint32_t state = design->alphabet ? design->alphabet->automaton->initial : 0;
    bool bad = design->is_bad_control && design->is_bad_control(design->user, shared, state);
    uint32_t control = bad ? THREAD_NET_BAD : intern_control(net, shared, state);
    return control != UINT32_MAX && vector_push(&net->initial, control);
}

static bool add_idle(struct thread_net *net)
{
    const struct thread_system *system = net->design.system;
    for (uint32_t i = 0; i < system->kinds.length; i++)
        if (intern_local(net, system->kinds.items[i].idle, 0) != i)
            return false;
    return true;
}

/* The bad control and the idle local states have the first numbers. */
static enum status close_pairs(struct thread_net *net, const struct limits *limits,
                               struct error *error)
{
    const struct thread_system *system = net->design.system;
    bool good = intern_control(net, UINT32_MAX, 0) == THREAD_NET_BAD && add_idle(net);
    for (size_t i = 0; good && i < system->initial.length; i++)
        good = add_initial(net, system->initial.items[i]);
    good = good && closure_begin(&net->closure, net->initial.items, net->initial.length,
                                 (uint32_t)system->kinds.length);
    TRY_MEMORY(good);
    TRY(closure_run(&net->closure, limits, error));
    return closure_check(&net->closure, net->initial.items, net->initial.length,
                         (uint32_t)system->kinds.length, limits, error);
}

/* ---- the net ---- */

/* The bad control has a place even if nothing leads there: to be asked for. */
static bool add_control_places(struct thread_net *net)
{
    char name[24];
    uint32_t initial = net->initial.length == 1 ? net->initial.items[0] : NET_NONE;
    for (uint32_t c = 0; c < net->closure.controls.length; c++) {
        bool possible = c == THREAD_NET_BAD || net->closure.controls.items[c].pairs.length > 0;
        snprintf(name, sizeof name, "g%u", c);
        uint32_t number = possible ? net_add_place(&net->net, name, c == initial, false) : NET_NONE;
        net->net.controls += possible;
        if (!vector_push(&net->control_places, number))
            return false;
    }
    return true;
}

static bool add_local_places(struct thread_net *net)
{
    const struct thread_system *system = net->design.system;
    char name[24];
    for (uint32_t l = 0; l < net->closure.local_count; l++) {
        uint32_t number = NET_NONE;
        snprintf(name, sizeof name, "l%u", l);
        if (l != THREAD_NET_IDLE)
            number = net_add_place(&net->net, name, l < system->kinds.length, false);
        if (!vector_push(&net->local_places, number))
            return false;
    }
    return true;
}

static bool add_transition(struct thread_net *net, uint32_t from_control, uint32_t from,
                           const struct closure_move *move)
{
    assert(net->control_places.items[from_control] != NET_NONE &&
           net->control_places.items[move->control] != NET_NONE);
    const struct arc takes[] = {{net->control_places.items[from_control], 1},
                                {net->local_places.items[from], 1}};
    const struct arc gives[] = {{net->control_places.items[move->control], 1},
                                {net->local_places.items[move->local], 1}};
    struct thread_net_step step = {move->move, move->control, from, move->local};
    net_add_transition(&net->net, NULL, 0, takes, from == THREAD_NET_IDLE ? 1 : 2, gives,
                       move->local == THREAD_NET_IDLE ? 1 : 2);
    return vector_push(&net->steps, step);
}

static bool add_moves(struct thread_net *net, uint32_t control, const struct closure_pair *pair)
{
    const struct closure *closure = &net->closure;
    const struct thread_net_design *design = &net->design;
    const struct closure_move bad = {THREAD_NET_BAD, THREAD_NET_IDLE, NULL};
    for (uint32_t j = 0; j < pair->count; j++) {
        const struct closure_move *move = &closure->moves.list.items[pair->first + j];
        if (closure_has(closure, move->control, move->local) &&
            !add_transition(net, control, pair->local, move))
            return false;
    }
    return !design->is_bad_pair || !design->is_bad_pair(design->user, net, control, pair->local) ||
           add_transition(net, control, pair->local, &bad);
}

static enum status add_transitions(struct thread_net *net, const struct limits *limits)
{
    const struct closure *closure = &net->closure;
    uint32_t looked = 0;
    for (uint32_t c = 0; c < closure->controls.length; c++) {
        const struct closure_control *row = &closure->controls.items[c];
        for (size_t i = 0; i < row->pairs.length; i++)
            TRY_MEMORY(add_moves(net, c, &closure->pairs.items[row->pairs.items[i]]));
        if (limits_look_every(limits, &looked, CONTROLS_A_LOOK))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

/* Where the implementation begins in one of several shared states, a transition chooses. */
static bool add_start(struct thread_net *net)
{
    if (net->initial.length == 1)
        return true;
    struct arc start = {net_add_place(&net->net, "start", 1, false), 1};
    for (size_t i = 0; i < net->initial.length; i++) {
        uint32_t control = net->initial.items[i];
        struct arc first = {net->control_places.items[control], 1};
        net_add_transition(&net->net, NULL, 0, &start, 1, &first, 1);
        if (!vector_push(&net->steps,
                         ((struct thread_net_step){NULL, control, NET_NONE, NET_NONE})))
            return false;
    }
    return true;
}

enum status thread_net_make(struct thread_net *net, const struct thread_net_design *design,
                            struct budget *budget, const struct limits *limits, struct error *error)
{
    const struct closure_source source = {net, find_moves, admits};
    *net = (struct thread_net){.design = *design, .budget = budget};
    word_arrays_init(&net->controls, budget);
    word_arrays_init(&net->locals, budget);
    closure_init(&net->closure, &source, budget);
    net_init(&net->net, budget);
    vectors_init(budget, &net->control_places, &net->local_places, &net->steps, &net->initial);
    TRY(close_pairs(net, limits, error));
    TRY_MEMORY(add_control_places(net) && add_local_places(net) && !net->net.refused);
    TRY(add_transitions(net, limits));
    TRY_MEMORY(add_start(net));
    assert(net->net.refused || net->steps.length == net->net.transitions.length);
    net_add_target(&net->net, &(struct arc){net->control_places.items[THREAD_NET_BAD], 1}, 1);
    return net->net.refused ? STATUS_LIMIT : STATUS_OK;
}

void thread_net_release(struct thread_net *net)
{
    word_arrays_release(&net->controls);
    word_arrays_release(&net->locals);
    closure_release(&net->closure);
    net_release(&net->net);
    vectors_release(&net->control_places, &net->local_places, &net->steps, &net->initial);
}
