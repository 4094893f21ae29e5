/* What a term can do, rule by rule. Nothing has happened yet when a move is made: programs run and
 * channels change when it is taken. An input on a channel without buffer is made for one message
 * that somebody offers: the composition asks its components, one by one, who would take it. */
#include <string.h>

#include "support/csp_oracle_term.h"

#define MAX_UNFOLDINGS 100
#define TERMINATE      "terminate"

typedef const struct oracle_term *term;
typedef struct oracle_moves moves;
typedef struct oracle_move move;
typedef struct oracle_valuation valuation;

/* The message on offer; null: none. */
typedef const move *offer;

static void add(struct oracle *oracle, moves *out, move made)
{
    if (out->count == out->capacity) {
        out->capacity = out->capacity * 2 + 4;
        move *items = oracle_allocate(oracle, out->capacity * sizeof *items);
        if (out->count)
            memcpy(items, out->items, out->count * sizeof *items);
        out->items = items;
    }
    out->items[out->count++] = made;
}

static bool terminates(const move *m)
{
    return m->label && strcmp(m->label, TERMINATE) == 0;
}

static bool is_silent(const move *m)
{
    return m->kind == ORACLE_STEP && !m->label;
}

static moves steps(struct oracle *oracle, term t, valuation *now, offer wanted);

/* ---- prefixes ---- */

static void add_program(move *made, const struct csp_process *node,
                        const struct oracle_environment *environment)
{
    made->programs[0] = node->program;
    made->environments[0] = environment;
}

static void event(struct oracle *oracle, term t, valuation *now, moves *out)
{
    move made = {.target = t->children[0], .data = t->node->program != NULL};
    if (t->node->event.name)
        made.label = oracle_event_name(oracle, &t->node->event, t->environment, now);
    add_program(&made, t->node, t->environment);
    add(oracle, out, made);
}

/* The channel of a communication, and which of its array. */
static void find_channel(struct oracle *oracle, term t, valuation *now, move *made)
{
    made->channel = oracle_channel(oracle, t->node->name);
    if (made->channel < 0)
        oracle_fail(oracle, "%s is no channel", t->node->name);
    if (t->node->index)
        made->element = oracle_evaluate(oracle, t->node->index, t->environment, now).number;
    if (made->element < 0 || made->element >= oracle->channel_counts[made->channel])
        oracle_fail(oracle, "index of %s", t->node->name);
}

static const char *channel_label(struct oracle *oracle, const move *made, char sign)
{
    struct writer text = {.oracle = oracle};
    const struct csp_channel *channel = &oracle->module->channels.items[made->channel];
    writer_append(&text, channel->name);
    if (channel->array_size)
        writer_format(&text, "[%d]", made->element);
    for (unsigned i = 0; i < made->message.count; i++) {
        writer_char(&text, i ? '.' : sign);
        oracle_print_value(made->message.values[i], &text);
    }
    return writer_text(&text);
}

static void output(struct oracle *oracle, term t, valuation *now, moves *out)
{
    move made = {.target = t->children[0], .data = true};
    find_channel(oracle, t, now, &made);
    made.message.count = t->node->argument_count;
    for (unsigned i = 0; i < made.message.count; i++)
        made.message.values[i] = oracle_whole(oracle, t->node->arguments[i], t->environment, now);
    add_program(&made, t->node, t->environment);
    int32_t capacity = oracle->capacities[made.channel];
    if (capacity == 0) {
        made.kind = ORACLE_OFFER;
        add(oracle, out, made);
    } else if ((int32_t)now->channels[made.channel][made.element].count < capacity) {
        made.action = ORACLE_PUT;
        made.label = channel_label(oracle, &made, '!');
        add(oracle, out, made);
    }
}

static bool matches(struct oracle *oracle, term t, valuation *now,
                    const struct oracle_tuple *message)
{
    if (t->node->argument_count != message->count)
        return false;
    for (unsigned i = 0; i < message->count; i++) {
        if (oracle_receives(oracle, t->node->arguments[i], t->environment))
            continue;
        struct oracle_value wanted =
            oracle_whole(oracle, t->node->arguments[i], t->environment, now);
        if (wanted.is_boolean != message->values[i].is_boolean ||
            wanted.number != message->values[i].number)
            return false;
    }
    return true;
}

static valuation *act(struct oracle *oracle, const move *made, const valuation *now);

/* The input of made->message, which it may refuse. */
static void take_in(struct oracle *oracle, term t, valuation *now, move made, moves *out)
{
    const struct oracle_environment *inner = t->environment;
    if (!matches(oracle, t, now, &made.message))
        return;
    for (unsigned i = 0; i < made.message.count; i++) {
        if (!oracle_receives(oracle, t->node->arguments[i], t->environment))
            continue;
        struct oracle_environment *next = oracle_allocate(oracle, sizeof *next);
        *next = (struct oracle_environment){.outer = inner,
                                            .name = t->node->arguments[i]->name,
                                            .kind = ORACLE_CONSTANT,
                                            .value = made.message.values[i]};
        inner = next;
    }
    if (t->node->condition &&
        !oracle_holds(oracle, t->node->condition, inner, act(oracle, &made, now)))
        return;
    made.data = true;
    made.target = oracle_instantiate(oracle, t->node->children[0], inner);
    add_program(&made, t->node, inner);
    add(oracle, out, made);
}

static void input(struct oracle *oracle, term t, valuation *now, offer wanted, moves *out)
{
    move made = {.action = ORACLE_TAKE};
    find_channel(oracle, t, now, &made);
    if (oracle->capacities[made.channel] == 0) {
        made.action = ORACLE_NOTHING;
        made.kind = ORACLE_ACCEPT;
        if (!wanted || wanted->channel != made.channel || wanted->element != made.element)
            return;
        made.message = wanted->message;
        take_in(oracle, t, now, made, out);
        return;
    }
    const struct oracle_queue *queue = &now->channels[made.channel][made.element];
    if (queue->count == 0)
        return;
    made.message = queue->tuples[0];
    made.label = channel_label(oracle, &made, '?');
    take_in(oracle, t, now, made, out);
}

/* ---- contexts: what a part can do, seen from around it ---- */

static void add_all(struct oracle *oracle, moves *out, const moves *some)
{
    for (unsigned i = 0; i < some->count; i++)
        add(oracle, out, some->items[i]);
}

/* The term with child `i` replaced. */
static term with_child(struct oracle *oracle, term t, unsigned i, term child)
{
    term *children = oracle_allocate(oracle, (t->count + 1) * sizeof *children);
    memcpy(children, t->children, t->count * sizeof *children);
    children[i] = child;
    return oracle_rebuild(oracle, t, children);
}

static void sequence(struct oracle *oracle, term t, valuation *now, offer wanted, moves *out)
{
    moves first = steps(oracle, t->children[0], now, wanted);
    for (unsigned i = 0; i < first.count; i++) {
        move made = first.items[i];
        if (terminates(&made)) {
            made.label = NULL; /* shown as τ */
            made.target = t->children[1];
        } else {
            made.target = with_child(oracle, t, 0, made.target);
        }
        add(oracle, out, made);
    }
}

static void external(struct oracle *oracle, term t, valuation *now, offer wanted, moves *out)
{
    for (unsigned i = 0; i < t->count; i++) {
        moves some = steps(oracle, t->children[i], now, wanted);
        for (unsigned j = 0; j < some.count; j++) {
            move made = some.items[j];
            if (is_silent(&made))
                made.target = with_child(oracle, t, i, made.target);
            add(oracle, out, made);
        }
    }
}

static void interrupt(struct oracle *oracle, term t, valuation *now, offer wanted, moves *out)
{
    moves first = steps(oracle, t->children[0], now, wanted);
    moves second = steps(oracle, t->children[1], now, wanted);
    for (unsigned i = 0; i < first.count; i++) {
        move made = first.items[i];
        if (!terminates(&made))
            made.target = with_child(oracle, t, 0, made.target);
        add(oracle, out, made);
    }
    for (unsigned i = 0; i < second.count; i++) {
        move made = second.items[i];
        if (is_silent(&made))
            made.target = with_child(oracle, t, 1, made.target);
        add(oracle, out, made);
    }
}

/* Hiding and atomic: around what follows as well. */
static void around(struct oracle *oracle, term t, valuation *now, offer wanted, moves *out)
{
    moves some = steps(oracle, t->children[0], now, wanted);
    for (unsigned i = 0; i < some.count; i++) {
        move made = some.items[i];
        if (!terminates(&made))
            made.target = with_child(oracle, t, 0, made.target);
        if (t->kind == PROCESS_ATOMIC)
            made.atomic = true;
        else if (made.label && oracle_set_has(t->sets, made.label)) {
            struct writer shown = {.oracle = oracle};
            writer_format(&shown, "[%s]", made.label);
            made.shown = writer_text(&shown);
            made.label = NULL;
        }
        add(oracle, out, made);
    }
}

/* ---- compositions ---- */

static bool is_shared(term t, const move *m)
{
    unsigned owners = 0;
    if (t->kind != PROCESS_PARALLEL || !m->label || m->data || m->kind != ORACLE_STEP)
        return false;
    for (unsigned i = 0; i < t->count; i++)
        owners += oracle_set_has(&t->sets[i], m->label);
    return owners > 1;
}

/* Every way in which all that own `label`, from component `i` on, take part in it. */
static void together(struct oracle *oracle, term t, const moves *parts, unsigned i,
                     const char *label, term *children, bool atomic, uint64_t processes, moves *out)
{
    if (i == t->count) {
        term *copy = oracle_allocate(oracle, t->count * sizeof *copy);
        memcpy(copy, children, t->count * sizeof *copy);
        add(oracle, out,
            (move){.label = label,
                   .target = oracle_rebuild(oracle, t, copy),
                   .atomic = atomic,
                   .processes = processes});
        return;
    }
    if (!oracle_set_has(&t->sets[i], label)) {
        together(oracle, t, parts, i + 1, label, children, atomic, processes, out);
        return;
    }
    term before = children[i];
    for (unsigned j = 0; j < parts[i].count; j++) {
        const move *part = &parts[i].items[j];
        if (!part->label || strcmp(part->label, label) != 0 || part->data)
            continue;
        children[i] = part->target;
        together(oracle, t, parts, i + 1, label, children, atomic || part->atomic,
                 processes | UINT64_C(1) << i, out);
    }
    children[i] = before;
}

static void joint_events(struct oracle *oracle, term t, const moves *parts, moves *out)
{
    struct oracle_set done = {0};
    term *children = oracle_allocate(oracle, (t->count + 1) * sizeof *children);
    memcpy(children, t->children, t->count * sizeof *children);
    for (unsigned i = 0; i < t->count; i++) {
        for (unsigned j = 0; j < parts[i].count; j++) {
            const move *part = &parts[i].items[j];
            if (!is_shared(t, part) || oracle_set_has(&done, part->label))
                continue;
            const char **names = oracle_allocate(oracle, (done.count + 1) * sizeof *names);
            memcpy(names, done.names ? done.names : names, done.count * sizeof *names);
            names[done.count++] = part->label;
            done.names = names;
            together(oracle, t, parts, 0, part->label, children, false, 0, out);
        }
    }
}

static void communication(struct oracle *oracle, term t, unsigned from, const move *offered,
                          valuation *now, moves *out)
{
    for (unsigned to = 0; to < t->count; to++) {
        if (to == from)
            continue;
        moves others = steps(oracle, t->children[to], now, offered);
        for (unsigned k = 0; k < others.count; k++) {
            const move *accepted = &others.items[k];
            if (accepted->kind != ORACLE_ACCEPT)
                continue;
            term *children = oracle_allocate(oracle, t->count * sizeof *children);
            memcpy(children, t->children, t->count * sizeof *children);
            children[from] = offered->target;
            children[to] = accepted->target;
            move made = *offered;
            made.processes = UINT64_C(1) << from | UINT64_C(1) << to;
            made.kind = ORACLE_STEP;
            made.target = oracle_rebuild(oracle, t, children);
            made.label = channel_label(oracle, offered, '.');
            made.atomic = offered->atomic || accepted->atomic;
            made.programs[1] = accepted->programs[0];
            made.environments[1] = accepted->environments[0];
            add(oracle, out, made);
        }
    }
}

static void composition(struct oracle *oracle, term t, valuation *now, offer wanted, moves *out)
{
    moves *parts = oracle_allocate(oracle, (t->count + 1) * sizeof *parts);
    unsigned able = 0;
    bool atomic = false;
    for (unsigned i = 0; i < t->count; i++) {
        bool ends = false;
        parts[i] = steps(oracle, t->children[i], now, wanted);
        for (unsigned j = 0; j < parts[i].count; j++) {
            move made = parts[i].items[j];
            made.processes = UINT64_C(1) << i;
            if (terminates(&made)) {
                ends = true;
                atomic |= made.atomic;
            } else if (!is_shared(t, &made)) {
                made.target = with_child(oracle, t, i, made.target);
                add(oracle, out, made);
            }
            if (parts[i].items[j].kind == ORACLE_OFFER)
                communication(oracle, t, i, &parts[i].items[j], now, out);
        }
        able += ends;
    }
    joint_events(oracle, t, parts, out);
    if (able == t->count)
        add(oracle, out,
            (move){.label = TERMINATE,
                   .target = oracle_stop(oracle),
                   .atomic = atomic,
                   .processes = t->count == 0 ? 0 : UINT64_MAX >> (64 - t->count)});
}

/* ---- all kinds ---- */

static void branch(struct oracle *oracle, term t, valuation *now, moves *out)
{
    move made = {.shown = "[if]"};
    for (unsigned i = 0; !made.target && i < t->count; i++)
        if (!t->node->conditions[i] ||
            oracle_holds(oracle, t->node->conditions[i], t->environment, now))
            made.target = t->children[i];
    if (!made.target) {
        static const struct csp_process skip = {.kind = PROCESS_SKIP};
        made.target = oracle_instantiate(oracle, &skip, NULL);
    }
    add(oracle, out, made);
}

static void unfold(struct oracle *oracle, term t, valuation *now, offer wanted, moves *out)
{
    const struct csp_definition *definition =
        &oracle->module->definitions.items[oracle_definition(oracle, t->node->name)];
    if (oracle->unfoldings >= MAX_UNFOLDINGS)
        oracle_fail(oracle, "the recursion of %s is not guarded", definition->name);
    const struct oracle_environment *inner =
        oracle_bind_arguments(oracle, t->node, t->environment, now);
    oracle->unfoldings++;
    moves some = steps(oracle, oracle_instantiate(oracle, definition->body, inner), now, wanted);
    oracle->unfoldings--;
    add_all(oracle, out, &some);
}

static moves steps(struct oracle *oracle, term t, valuation *now, offer wanted)
{
    moves out = {0}, some;
    bool holds = t->node && t->node->condition && t->kind != PROCESS_INPUT &&
                 t->node->kind != PROCESS_COPIES &&
                 oracle_holds(oracle, t->node->condition, t->environment, now);
    switch (t->kind) {
    case PROCESS_STOP:
        break;
    case PROCESS_SKIP:
        add(oracle, &out, (move){.label = TERMINATE, .target = oracle_stop(oracle)});
        break;
    case PROCESS_EVENT:
        event(oracle, t, now, &out);
        break;
    case PROCESS_OUTPUT:
        output(oracle, t, now, &out);
        break;
    case PROCESS_INPUT:
        input(oracle, t, now, wanted, &out);
        break;
    case PROCESS_REFERENCE:
        unfold(oracle, t, now, wanted, &out);
        break;
    case PROCESS_SEQUENCE:
        sequence(oracle, t, now, wanted, &out);
        break;
    case PROCESS_GUARD:
        return holds ? steps(oracle, t->children[0], now, wanted) : out;
    case PROCESS_IF_ATOMIC:
        return steps(oracle, t->children[holds ? 0 : 1], now, wanted);
    case PROCESS_IF:
        add(oracle, &out, (move){.target = t->children[holds ? 0 : 1], .shown = "[if]"});
        break;
    case PROCESS_IF_BLOCKING:
        if (holds)
            add(oracle, &out, (move){.target = t->children[0], .shown = "[if]"});
        break;
    case PROCESS_CASE:
        branch(oracle, t, now, &out);
        break;
    case PROCESS_CHOICE:
        for (unsigned i = 0; i < t->count; i++) {
            some = steps(oracle, t->children[i], now, wanted);
            add_all(oracle, &out, &some);
        }
        break;
    case PROCESS_INTERNAL:
        for (unsigned i = 0; i < t->count; i++)
            add(oracle, &out, (move){.target = t->children[i]});
        break;
    case PROCESS_EXTERNAL:
        external(oracle, t, now, wanted, &out);
        break;
    case PROCESS_INTERRUPT:
        interrupt(oracle, t, now, wanted, &out);
        break;
    case PROCESS_HIDE:
    case PROCESS_ATOMIC:
        around(oracle, t, now, wanted, &out);
        break;
    case PROCESS_ASSERT:
        if (!holds)
            oracle_fail(oracle, "an assertion fails");
        add(oracle, &out, (move){.label = TERMINATE, .target = oracle_stop(oracle)});
        break;
    default:
        composition(oracle, t, now, wanted, &out);
    }
    return out;
}

moves oracle_moves(struct oracle *oracle, term t, valuation *now)
{
    oracle->unfoldings = 0;
    moves all = steps(oracle, t, now, NULL), kept = {0};
    bool atomic = false;
    for (unsigned i = 0; i < all.count; i++)
        atomic |= all.items[i].atomic && all.items[i].kind == ORACLE_STEP;
    for (unsigned i = 0; i < all.count; i++)
        if (all.items[i].kind == ORACLE_STEP && (all.items[i].atomic || !atomic))
            add(oracle, &kept, all.items[i]);
    return kept;
}

/* ---- taking a step ---- */

/* The channel changed, nothing else yet. */
static valuation *act(struct oracle *oracle, const move *made, const valuation *now)
{
    valuation *after = oracle_copy(oracle, now);
    if (made->action == ORACLE_NOTHING)
        return after;
    const struct oracle_queue *before = &now->channels[made->channel][made->element];
    struct oracle_queue *queue = &after->channels[made->channel][made->element];
    bool put = made->action == ORACLE_PUT;
    queue->count = put ? before->count + 1 : before->count - 1;
    queue->tuples = oracle_allocate(oracle, (before->count + 1) * sizeof *queue->tuples);
    if (before->count)
        memcpy(queue->tuples, before->tuples + !put,
               (before->count - !put) * sizeof *queue->tuples);
    if (put)
        queue->tuples[before->count] = made->message;
    return after;
}

valuation *oracle_take(struct oracle *oracle, const move *made, const valuation *now)
{
    valuation *after = act(oracle, made, now);
    for (unsigned i = 0; i < 2; i++)
        if (made->programs[i])
            oracle_run(oracle, made->programs[i], made->environments[i], after);
    return after;
}
