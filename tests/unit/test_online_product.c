/* Monitors of src/stream together with the definition (support/object_oracle.h), breadth first:
 * whatever may be called, answered, stay pending or fail next, with a look at which the monitor may
 * drop what it need not keep, and without. Behind each event both must say the same. Two states are
 * one if they are the same but for the names of values and for times (support/product_state.h).
 *
 *     test_online_product                                        what is in the table below
 *     test_online_product NAME DEPTH VALUES RUNNING WITH              of one kind, by hand
 *     test_online_product NAME DEPTH VALUES RUNNING WITH SEED STATES  some of each depth, by chance
 *     test_online_product NAME DEPTH VALUES RUNNING WITH SEED STATES FIRST...  behind these events
 *
 * WITH has letters: p that operations stay pending, f that they fail, a that values come again, s
 * that the monitor drops seldom, n that it drops nothing, w that the monitors of whole histories
 * (src/monitor) say the same of what has happened.
 *
 * A mistake is told as the shortest way to it, as test_online has histories by hand: +N:V call N
 * writes or adds V, -N reads, (N takes, *N:V>W replaces V by W, %N tries, .N or .N:V answers, ?N
 * stays pending, !N fails; ~ behind it: the monitor does not look; ^: another one goes on from the
 * state that it says, _: it goes on from that itself. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/faults.h"
#include "base/random.h"
#include "base/text.h"
#include "history/part.h"
#include "monitor/monitors.h"
#include "support/product_kinds.h"
#include "support/product_state.h"

#define PENDING_MOST 4
#define WAY_MOST     256

struct bounds {
    const char *name;
    uint32_t depth, values, running; /* events; values besides the one at first; calls at a time */
    const char *with; /* a: values are written again; p: calls stay pending; f: calls fail */
    uint64_t seed;
    uint32_t states;   /* of a depth, chosen by chance; 0: all */
    const char *first; /* what happens first, as a mistake is told; null: nothing */
};

static const struct bounds usual[] = {
    {"register", 5, 3, 3, "apfw", 0, 0, NULL},
    {"cas-register", 4, 2, 2, "pfw", 0, 0, NULL},
    {"cas-register", 4, 4, 3, "a", 0, 0, NULL},
    {"cas-register", 16, 8, 4, "w", 1, 40, NULL},
    {"cas-register", 30, 8, 4, "pf", 2, 20, NULL},
    /* Only pending 1 can have replaced 2, or 1 that runs. */
    {"cas-register", 2, 10, 3, "pf", 0, 0, "+1:0>1 ?1 +2:0>2 .2 *3:2>3 .3:0 +4:0>4 .4 -5:0>0 .5:4"},
    {"cas-register", 2, 10, 3, "pf", 0, 0, "+1:0>1 +2:0>2 .2 *3:2>3 .3:0 +4:0>4 .4 -5:0>0 .5:4"},
    /* Pending 10 is put by, read back and taken back. */
    {"cas-register", 1, 12, 6, "pf", 0, 0,
     "+1:0>1~ -2:0>0~ +3:0>2~ .3~ *4:2>3~ .4:1~ -5:0>0 .5:1 *6:4>5 *7:1>6 .6:0 *8:3>7 .1 +9:0>8~ "
     ".7:0~ .8:0 +10:0>9 ?10"},
    /* Pending 10 can have replaced 1 in time for 8, but then 13 does not find it. */
    {"cas-register", 1, 16, 6, "pf", 0, 0,
     "*1:0>1~ .1:1~ *2:1>2~ *3:3>4~ .3:0 +4:0>5~ -5:0>0~ +6:0>6 !2~ !4~ *7:1>7 *8:1>8 !7 *9:0>9 "
     "!5~ "
     ".9:0~ *10:1>10 -11:0>0 .8:0~ !6~ *12:0>11~ .11:1 ?10 -13:0>0~ +14:0>12~ .14 .12:0 *15:12>13 "
     ".15:1 *16:0>14 +17:0>15 .17~"},
    /* Only pending 1 and 4 can have replaced 2 and 5, each only one. */
    {"cas-register", 2, 10, 3, "pf", 0, 0,
     "+1:0>1 ?1 +2:0>2 .2 *3:2>3 .3:0 +4:0>4 ?4 +5:0>5 .5 -6:0>0 .6:5 *7:5>6 .7:0 +8:0>7 .8 "
     "-9:0>0 .9:7"},
    /* 2 and 3 were both replaced, which can have been by one another, and by 5. */
    {"cas-register", 2, 10, 3, "pf", 0, 0,
     "+1:0>1 .1 +2:0>2 +3:0>3 *4:1>4 .4:0 .2 .3 +5:0>5 *6:3>6 .6:0 *7:2>7 .7:0 .5 -8:0>0 .8:5"},
    /* 1 and 4 were replaced, only one of them by 2, and 1 not by 5, which may never happen. */
    {"cas-register", 2, 12, 3, "pf", 0, 0,
     "+1:0>1 .1 +2:0>2 *3:1>3 .3:0 +4:0>4 .4 +5:0>5 ?5 *6:4>6 .6:0 +7:0>7 .7 -8:0>0 .8:7 .2 "
     "+9:0>8 .9 -10:0>0 .10:8"},
    /* 1 needs pending 2: before 6, behind it, comes 3, and before that 4 does not begin, though
     * when 6 answers it had begun before 1 was due. So 2 is not there for 9, if 10 fails. */
    {"cas-register", 1, 16, 7, "pf", 0, 0,
     "+1:0>1~ .1~ +2:0>2~ ?2~ +3:0>3~ +4:0>4~ *5:1>5~ .5:0~ +6:0>6~ .3~ -7:0>0~ .6~ -8:0>0~ "
     ".8:3~ +9:0>7~ .9~ -10:0>0~ .10:7~ +11:0>8~ .11~ +12:0>9~ .7:4~ .4~ -13:0>0~ .13:8~ .12~ "
     "+14:0>10~ *15:9>11~ .15:0"},
    /* The same, where 4 comes in front of 7 in no order in which it is of use, and behind that it
     * can replace 8. */
    {"cas-register", 1, 16, 7, "pf", 0, 0,
     "+1:0>1~ .1~ +2:0>2~ ?2~ +3:0>3~ +4:0>4~ *5:1>5~ .5:0~ +6:0>6~ .3~ -7:0>0~ .6~ -8:0>0~ "
     ".8:3~ +9:0>7~ .9~ -10:0>0~ .10:7~ +11:0>8~ .11~ *12:8>9~ .12:0~ .7:4~ .4~ +13:0>10~ .13~ "
     "-14:0>0~ .14:10~ +15:0>11~ .15"},
    {"map of one key", 5, 2, 3, "pf", 0, 0, NULL},
    {"map of one key", 20, 4, 3, "apfw", 3, 20, NULL},
    {"queue", 6, 3, 3, "pf", 0, 0, NULL},
    {"queue", 30, 6, 4, "pfw", 4, 20, NULL},
    {"stack", 4, 3, 3, "pf", 0, 0, NULL},
    {"stack", 30, 6, 4, "pfw", 5, 20, NULL},
    {"priority-queue", 4, 3, 3, "pf", 0, 0, NULL},
    {"priority-queue", 30, 6, 4, "pfw", 6, 20, NULL},
    {"set of one key", 5, 0, 3, "pf", 0, 0, NULL},
    {"set of one key", 30, 0, 4, "pfw", 7, 20, NULL},
    {"mutex with try-acquire", 5, 0, 3, "pf", 0, 0, NULL},
    {"mutex with try-acquire", 30, 0, 4, "pf", 8, 20, NULL},
    {"semaphore", 5, 0, 4, "pf", 0, 0, NULL},
    {"semaphore", 30, 0, 4, "pf", 9, 20, NULL},
    {"counter", 5, 0, 3, "pfw", 0, 0, NULL},
};

enum what {
    HAPPENS_CALL,
    HAPPENS_ANSWER,
    HAPPENS_PENDS,
    HAPPENS_FAILS,
};

/* What the monitor does behind an event. */
enum way {
    WAY_TOLD,    /* nothing */
    WAY_LOOKS,   /* it looks; one that does so with each event has nothing else to do */
    WAY_RESTS,   /* it looks, and another one goes on */
    WAY_SETTLES, /* it looks, and goes on from a value */
};

/* How a state comes from another. */
struct happening {
    uint32_t from; /* a step; 0: the beginning */
    uint8_t what, way;
    uint8_t number;           /* of the call, among those that run */
    uint8_t answer, possible; /* kind->calls[possible] */
    struct object_call call;
    /* What calls and values have been called since the beginning: */
    uint32_t told_number;
    uint64_t told_expected, told_value, told_answer;
};

/* By what they are called in a state. */
struct told {
    uint64_t values[OBJECT_ORACLE_NAMES]; /* in their order, where that matters */
    uint32_t calls[OBJECT_ORACLE_RUNNING], count;
    uint64_t used;
};

struct place {
    size_t at, length;
    uint32_t step;
    struct told told;
};

struct level {
    VECTOR(struct place) places;
    struct packed bytes;
};

struct product {
    const struct product_kind *kind;
    struct bounds bounds;
    struct subject subject;
    struct limits limits;
    struct random random;
    struct level levels[2]; /* the one that is gone through, and the next */
    struct product_states states;
    VECTOR(struct happening) steps;
    struct told told;           /* of what is tried */
    uint64_t wholes, undecided; /* histories as a whole, and which their monitor leaves */
    uint64_t events, violations, left, refused, rests, full, fresh;
    const char *first; /* what has to happen next; empty: anything */
};

static bool is_with(const struct product *product, char letter)
{
    return strchr(product->bounds.with, letter) != NULL;
}

/* ---- states ---- */

static void print_step(const struct product *product, const struct happening *step,
                       struct text *text);

/* Whether that is what has to happen now. */
static bool is_wanted(const struct product *product, const struct happening *step)
{
    if (!*product->first)
        return true;
    struct text text = TEXT_EMPTY;
    print_step(product, step, &text);
    char *told = text_take(&text);
    const size_t length = strcspn(product->first, " ");
    const bool wanted = strlen(told) == length + 1 && !memcmp(told, product->first, length);
    free(told);
    return wanted;
}

/* Keeps a state for the next level, if it is new, and chosen where only some are. */
static void keep_state(struct product *product, struct product_state *state,
                       const struct happening *step)
{
    struct level *next = &product->levels[1];
    if (!is_wanted(product, step))
        return;
    product_state_write(&product->states, state);
    if (!product_state_is_new(&product->states))
        return;
    size_t at = next->places.length;
    product->fresh++;
    if (product->bounds.states && at == product->bounds.states) {
        at = random_below(&product->random, (uint32_t)product->fresh);
        if (at >= product->bounds.states)
            return;
    }
    struct place place = {.at = next->bytes.length,
                          .length = product->states.bytes.length,
                          .step = (uint32_t)product->steps.length,
                          .told = product->told};
    memset(place.told.values, 0, sizeof place.told.values);
    for (uint32_t i = 1; i < OBJECT_ORACLE_NAMES; i++)
        if (product->states.names[i])
            place.told.values[product->states.names[i]] = product->told.values[i];
    assert_true(vector_push(&product->steps, *step) &&
                vector_reserve(&next->bytes, place.at + place.length));
    memcpy(next->bytes.items + place.at, product->states.bytes.items, place.length);
    next->bytes.length += place.length;
    if (at == next->places.length)
        assert_true(vector_push(&next->places, place));
    else
        next->places.items[at] = place;
}

/* ---- events ---- */

static const struct possible_call *possible_of(const struct product *product,
                                               const struct happening *step)
{
    return &product->kind->calls[step->possible];
}

/* Whether it is called with a value that it writes or adds. */
static bool writes_name(const struct product *product, const struct possible_call *call)
{
    return product->kind->object <= OBJECT_PRIORITY && !call->is_deletion &&
           (call->operation == OBJECT_CAS || call->operation == OBJECT_WRITE ||
            call->operation == OBJECT_ADD);
}

static struct call call_of(struct product *product, const struct happening *step)
{
    const struct subject *subject = &product->subject;
    const struct object_call *call = &step->call;
    struct call made = {.operation = possible_of(product, step)->number,
                        .read_only = call->operation == OBJECT_READ};
    value items[3] = {subject->key}; /* a register's has none */
    uint32_t count = subject->has_key;
    if (call->operation == OBJECT_CAS)
        items[count++] = product_value(call->expected);
    if (writes_name(product, possible_of(product, step)))
        items[count++] = product_value(call->value);
    if (count)
        made.argument = count > 1 ? value_list(subject->pool, items, count) : items[0];
    assert_int_not_equal(made.argument, VALUE_REFUSED);
    return made;
}

/* Whether the answer is the name of a value. */
static bool answers_name(const struct product *product, const struct happening *step)
{
    const uint8_t operation = step->call.operation;
    return product->kind->object <= OBJECT_PRIORITY &&
           (operation == OBJECT_READ || operation == OBJECT_TAKE);
}

static void know_answer(const struct product *product, const struct happening *step,
                        struct call *call)
{
    if (step->what != HAPPENS_ANSWER || !possible_of(product, step)->answers)
        return;
    call->result_known = true;
    call->result = answers_name(product, step)               ? product_value(step->answer)
                   : product->kind->object == OBJECT_COUNTER ? value_small(step->answer)
                                                             : value_boolean(step->answer);
}

/* Tells both what happens. */
static enum online_answer tell(struct product *product, struct product_state *state,
                               const struct happening *step)
{
    static const enum stage stages[] = {STAGE_RUNNING, STAGE_COMPLETES, STAGE_PENDING,
                                        STAGE_FAILED};
    const uint32_t number = step->number;
    struct online_event event = {.now = PRODUCT_TIMES_FROM + state->times,
                                 .call = call_of(product, step),
                                 .stage = stages[step->what],
                                 .handle = &state->handles[number]};
    know_answer(product, step, &event.call);
    if (step->what == HAPPENS_CALL)
        state->serials[number] = PRODUCT_SERIALS_FROM + state->made;
    event.serial = state->serials[number];
    switch ((enum what)step->what) {
    case HAPPENS_CALL:
        object_oracle_call(&state->oracle, step->call);
        break;
    case HAPPENS_ANSWER:
        object_oracle_answer(&state->oracle, number, step->answer);
        break;
    case HAPPENS_PENDS:
        object_oracle_pend(&state->oracle, number);
        break;
    case HAPPENS_FAILS:
        object_oracle_fail(&state->oracle, number);
    }
    const enum online_answer answer = state->online->class->event(state->online, &event);
    for (uint32_t i = number; step->what != HAPPENS_CALL && i < state->oracle.running_count; i++) {
        state->handles[i] = state->handles[i + 1];
        state->serials[i] = state->serials[i + 1];
    }
    return answer;
}

/* As online_class.rests has it: a value, or a number, of a semaphore of what is left. */
static uint64_t state_now(const struct product *product, const struct object_configuration *one)
{
    if (product->kind->object == OBJECT_REGISTER)
        return product_value(one->items[0]);
    return product->kind->permits > 1 ? product->kind->permits - (uint64_t)one->length
                                      : one->length;
}

/* What the monitor does behind an event that is possible. */
static enum online_answer go_on(struct product *product, struct product_state *state, enum way way)
{
    struct online *online = state->online;
    uint64_t now;
    enum online_answer answer = ONLINE_POSSIBLE;
    if (way != WAY_TOLD && online->class->look)
        answer = online->class->look(online);
    if (answer != ONLINE_POSSIBLE || way < WAY_RESTS)
        return answer;
    const bool settles = way == WAY_SETTLES;
    if (settles ? !online->class->settles || !online->class->settles(online, &now)
                : !online->class->rests || !online->class->rests(online, &now))
        return ONLINE_LEAVES;
    const struct object_oracle *oracle = &state->oracle;
    for (uint32_t i = 0; i < oracle->count; i++)
        if (!oracle->configurations[i].pending &&
            state_now(product, &oracle->configurations[i]) != now)
            return ONLINE_IMPOSSIBLE;
    if (settles)
        return ONLINE_POSSIBLE;
    if (oracle->running_count + oracle->pending_count || oracle->count != 1)
        return ONLINE_IMPOSSIBLE;
    online_destroy(online);
    state->online = product_monitor(&product->states, &now);
    return ONLINE_POSSIBLE;
}

/* ---- what is wrong ---- */

/* What a value is called since the beginning; 0: nil. A new one is between its neighbours. */
static uint64_t tell_value(const struct product *product, struct told *told, uint8_t name)
{
    if (!name || told->values[name])
        return name ? told->values[name] : 0;
    if (!product->states.in_order)
        return told->values[name] = ++told->used;
    const uint64_t below = name > 1 ? told->values[name - 1] : 0;
    const uint64_t above = name + 1 < OBJECT_ORACLE_NAMES ? told->values[name + 1] : 0;
    return told->values[name] = above ? below + (above - below) / 2 : below + (UINT64_C(1) << 32);
}

/* Says what is called how, and keeps it for what comes. */
static void tell_names(const struct product *product, struct told *told, struct happening *step)
{
    if (step->what == HAPPENS_CALL)
        told->calls[step->number] = ++told->count;
    step->told_number = told->calls[step->number];
    step->told_expected = tell_value(product, told, step->call.expected);
    step->told_value = tell_value(product, told, step->call.value);
    step->told_answer =
        answers_name(product, step) ? tell_value(product, told, step->answer) : step->answer;
    for (uint32_t i = step->number; step->what != HAPPENS_CALL && i + 1 < OBJECT_ORACLE_RUNNING;
         i++)
        told->calls[i] = told->calls[i + 1];
}

static void print_step(const struct product *product, const struct happening *step,
                       struct text *text)
{
    static const char *const ways[] = {"~", "", "^", "_"};
    if (step->what == HAPPENS_PENDS || step->what == HAPPENS_FAILS)
        text_format(text, "%c%u", step->what == HAPPENS_PENDS ? '?' : '!', step->told_number);
    else if (step->what == HAPPENS_ANSWER && !possible_of(product, step)->answers)
        text_format(text, ".%u", step->told_number);
    else if (step->what == HAPPENS_ANSWER)
        text_format(text, ".%u:%" PRIu64, step->told_number, step->told_answer);
    else
        text_format(text, "%c%u:%" PRIu64 ">%" PRIu64, "-+*+(%"[step->call.operation],
                    step -> told_number, step -> told_expected, step -> told_value);
    text_format(text, "%s ", ways[step->way]);
}

static void begin(struct product *product, struct product_state *state)
{
    object_oracle_init(&state->oracle, product->kind->object, product->kind->permits);
    state->times = state->made = 1; /* times begin at 1, and so do numbers of operations */
    state->values = 0;
    state->online = product_monitor(&product->states, NULL);
}

/* The steps that lead there, the last one left out, `way` in the order back. */
static uint32_t way_to(const struct product *product, const struct happening *last, uint32_t *way)
{
    uint32_t length = 0;
    for (uint32_t at = last->from; at; at = product->steps.items[at].from)
        way[length++] = at;
    return length;
}

static void print_way(const struct product *product, const struct happening *last,
                      struct text *text)
{
    uint32_t way[WAY_MOST], length = way_to(product, last, way);
    while (length--)
        print_step(product, &product->steps.items[way[length]], text);
    print_step(product, last, text);
}

static void expect(struct product *product, const struct product_state *state,
                   const struct happening *step, enum online_answer answer)
{
    const bool possible = state->oracle.count > 0;
    if (answer == (possible ? ONLINE_POSSIBLE : ONLINE_IMPOSSIBLE))
        return;
    struct text text = TEXT_EMPTY;
    print_way(product, step, &text);
    fail_msg("%s: expected %s, found %d: %s", product->kind->name,
             possible ? "possible" : "impossible", (int)answer, text_string(&text));
}

/* ---- histories as a whole ---- */

static value told_value(uint64_t told)
{
    return told ? value_small((int64_t)told) : VALUE_NIL;
}

/* As call_of, and know_answer. */
static struct call told_call(struct product *product, const struct happening *step)
{
    const struct subject *subject = &product->subject;
    struct call made = {.operation = possible_of(product, step)->number,
                        .read_only = step->call.operation == OBJECT_READ};
    value items[3] = {subject->key};
    uint32_t count = subject->has_key;
    if (step->call.operation == OBJECT_CAS)
        items[count++] = told_value(step->told_expected);
    if (writes_name(product, possible_of(product, step)))
        items[count++] = told_value(step->told_value);
    if (count)
        made.argument = count > 1 ? value_list(subject->pool, items, count) : items[0];
    return made;
}

static void add_to_history(struct product *product, const struct happening *step, uint32_t position,
                           struct sample *sample)
{
    struct interval *interval = &sample->intervals[step->told_number - 1];
    if (step->what == HAPPENS_CALL) {
        sample->part.count = step->told_number;
        *interval = (struct interval){.call = told_call(product, step),
                                      .invoke = position,
                                      .response = POSITION_NEVER,
                                      .index = step->told_number - 1};
        interval->call.process = step->told_number;
    } else if (step->what == HAPPENS_ANSWER) {
        interval->response = position;
        if (possible_of(product, step)->answers) {
            interval->call.result_known = true;
            interval->call.result = answers_name(product, step) ? told_value(step->told_answer)
                                    : product->kind->object == OBJECT_COUNTER
                                        ? value_small((int64_t)step->told_answer)
                                        : value_boolean(step->told_answer);
        }
    } else if (step->what == HAPPENS_FAILS) {
        interval->invoke = POSITION_NEVER;
    }
}

/* Has the monitor of whole histories decide what has happened. */
static void check_whole(struct product *product, const struct happening *last, bool possible)
{
    uint32_t way[WAY_MOST], length = way_to(product, last, way), position = 0, kept = 0;
    struct sample sample = {0};
    struct decision decision;
    struct error error;
    sample_start(&sample, &product->subject, WAY_MOST);
    while (length--)
        add_to_history(product, &product->steps.items[way[length]], position++, &sample);
    add_to_history(product, last, position, &sample);
    for (uint32_t i = 0; i < sample.part.count; i++)
        if (sample.intervals[i].invoke != POSITION_NEVER)
            sample.intervals[kept++] = sample.intervals[i];
    sample.part.count = kept;
    sample_renumber(&sample);
    decision_init(&decision, product->limits.budget);
    product->wholes++;
    if (!monitor_applies(&sample.part, &product->limits, NULL)) {
        product->undecided++;
    } else {
        assert_int_equal(monitor_decide(&sample.part, &product->limits, &decision, &error),
                         STATUS_OK);
        product->undecided += decision.verdict == VERDICT_UNKNOWN;
        if (decision.verdict != VERDICT_UNKNOWN &&
            (decision.verdict == VERDICT_LINEARIZABLE) != possible) {
            struct text text = TEXT_EMPTY;
            sample_print(&sample.part, &text);
            fail_msg("%s, as a whole: expected %s: %s", product->kind->name,
                     possible ? "possible" : "impossible", text_string(&text));
        }
    }
    decision_release(&decision);
    sample_release(&sample);
}

/* ---- steps ---- */

/* What comes of an event, looked at or not. */
static void try_ways(struct product *product, struct product_state *state, struct happening *step,
                     enum online_answer answer)
{
    if (answer == ONLINE_IMPOSSIBLE) {
        expect(product, state, step, answer);
        product->violations++;
        return;
    }
    if (state->online->class->look && state->oracle.count) {
        struct product_state same;
        product_state_copy(&same, state);
        keep_state(product, &same, step);
    }
    for (step->way = WAY_LOOKS; step->way <= WAY_SETTLES; step->way++) {
        struct product_state same;
        product_state_copy(&same, state);
        answer = go_on(product, &same, (enum way)step->way);
        state->online = same.online;
        if (answer == ONLINE_LEAVES)
            continue;
        if (answer == ONLINE_REFUSED) {
            product->refused++;
            return;
        }
        expect(product, state, step, answer);
        if (!state->oracle.count) {
            product->violations++;
            return;
        }
        product->rests += step->way > WAY_LOOKS;
        keep_state(product, &same, step);
        if (step->way == WAY_RESTS)
            return;
    }
}

static void try_step(struct product *product, const struct place *place, struct happening step)
{
    struct product_state state;
    product_state_read(&product->states, product->levels[0].bytes.items + place->at, &state);
    step.from = place->step;
    product->told = place->told;
    tell_names(product, &product->told, &step);
    step.way = WAY_TOLD;
    product->events++;
    enum online_answer answer = tell(product, &state, &step);
    if (is_with(product, 'w') && !state.oracle.full)
        check_whole(product, &step, state.oracle.count > 0);
    if (state.oracle.full)
        product->full++;
    else if (answer == ONLINE_LEAVES)
        product->left++;
    else if (answer == ONLINE_REFUSED)
        product->refused++;
    else
        try_ways(product, &state, &step, answer);
    online_destroy(state.online);
}

/* The values with which something may be called: those that are known if values may come again, and
 * new ones. Of the values that nobody has named two are as good as any, so that is the next one,
 * where their order does not matter; else it is anywhere among the others. */
struct names {
    uint8_t items[OBJECT_ORACLE_NAMES], count;
};

static void names_list(const struct product *product, uint8_t last, bool known, struct names *names)
{
    const bool with_nil = product->kind->object == OBJECT_REGISTER && !product->kind->deletes;
    names->count = 0;
    for (uint8_t name = with_nil ? 0 : 2; known && name <= last; name += 2)
        names->items[names->count++] = name;
    if (last / 2 >= product->bounds.values)
        return;
    for (uint8_t name = product->states.in_order ? 1 : last + 1; name <= last + 1; name += 2)
        names->items[names->count++] = name;
}

static void try_operation(struct product *product, const struct place *place,
                          const struct product_state *state, uint8_t possible)
{
    const struct possible_call *call = &product->kind->calls[possible];
    struct names names = {.count = 1}, expected = {.count = 1};
    struct happening step = {.what = HAPPENS_CALL,
                             .number = (uint8_t)state->oracle.running_count,
                             .possible = possible,
                             .call = {.operation = call->operation}};
    if (call->operation == OBJECT_CAS)
        names_list(product, state->values, true, &expected);
    for (uint8_t i = 0; i < expected.count; i++) {
        const uint8_t last = expected.items[i] > state->values ? state->values + 2 : state->values;
        step.call.expected = expected.items[i];
        if (writes_name(product, call))
            names_list(product, last, is_with(product, 'a'), &names);
        for (uint8_t j = 0; j < names.count; j++) {
            step.call.value = names.items[j];
            if (call->operation != OBJECT_CAS || step.call.value != step.call.expected)
                try_step(product, place, step);
        }
    }
}

static void try_calls(struct product *product, const struct place *place,
                      const struct product_state *state)
{
    if (state->oracle.running_count == product->bounds.running)
        return;
    for (uint8_t i = 0; i < product->kind->count; i++)
        try_operation(product, place, state, i);
}

static uint8_t possible_by(const struct product *product, const struct object_call *call)
{
    uint8_t possible = 0;
    while (product->kind->calls[possible].operation != call->operation ||
           product->kind->calls[possible].is_deletion !=
               (product->kind->deletes && call->operation == OBJECT_WRITE && call->value == 0))
        possible++;
    return possible;
}

static void try_ends(struct product *product, const struct place *place,
                     const struct product_state *state)
{
    for (uint8_t number = 0; number < state->oracle.running_count; number++) {
        const struct object_call call = state->oracle.running[number];
        struct happening step = {.what = HAPPENS_ANSWER,
                                 .number = number,
                                 .possible = possible_by(product, &call),
                                 .call = call};
        const bool names = answers_name(product, &step);
        const uint8_t most = !possible_of(product, &step)->answers     ? 0
                             : names                                   ? state->values
                             : product->kind->object == OBJECT_COUNTER ? 4
                                                                       : 1;
        for (step.answer = 0; step.answer <= most; step.answer += 1 + names)
            try_step(product, place, step);
        step.answer = 0;
        step.what = HAPPENS_FAILS;
        if (is_with(product, 'f'))
            try_step(product, place, step);
        step.what = HAPPENS_PENDS;
        if (is_with(product, 'p') && state->oracle.pending_count < PENDING_MOST)
            try_step(product, place, step);
    }
}

/* ---- all ---- */

static void open_product(struct product *product, const struct bounds *bounds)
{
    *product = (struct product){.bounds = *bounds};
    product->kind = product_kind_find(bounds->name);
    subject_open(&product->subject, workload_find(bounds->name));
    struct budget *budget = &product->subject.budget;
    limits_init(&product->limits, budget);
    random_seed(&product->random, bounds->seed);
    product_states_init(&product->states, &product->subject, &product->limits);
    product->states.drops = is_with(product, 's')   ? DROPS_SELDOM
                            : is_with(product, 'n') ? DROPS_NOTHING
                                                    : DROPS_AT_ONCE;
    product->states.with_cas = product->kind->with_cas;
    product->states.in_order = product->kind->object == OBJECT_PRIORITY;
    product->states.looks_late =
        product->kind->object == OBJECT_PRIORITY || product->kind->object == OBJECT_STACK;
    for (size_t i = 0; i < ARRAY_LENGTH(product->levels); i++)
        vectors_init(budget, &product->levels[i].places, &product->levels[i].bytes);
    vector_init(&product->steps, budget);
}

static void close_product(struct product *product)
{
    for (size_t i = 0; i < ARRAY_LENGTH(product->levels); i++)
        vectors_release(&product->levels[i].places, &product->levels[i].bytes);
    vector_release(&product->steps);
    product_states_release(&product->states);
    subject_close(&product->subject);
}

static void keep_first(struct product *product)
{
    struct product_state state;
    const struct happening none = {.from = 0};
    begin(product, &state);
    assert_true(vector_push(&product->steps, none));
    keep_state(product, &state, &none);
    product->levels[1].places.items[0].step = 0;
    online_destroy(state.online);
}

/* Goes through the states of a depth. */
static void try_level(struct product *product)
{
    const struct level done = product->levels[0];
    product->levels[0] = product->levels[1];
    product->levels[1] = done;
    product->levels[1].places.length = product->levels[1].bytes.length = 0;
    product->fresh = 0;
    if (product->bounds.states) /* there is no end of what is seen */
        product_states_forget(&product->states);
    for (size_t i = 0; i < product->levels[0].places.length; i++) {
        const struct place place = product->levels[0].places.items[i];
        struct product_state state;
        (void)product_state_read_open(product->levels[0].bytes.items + place.at, &state);
        try_calls(product, &place, &state);
        try_ends(product, &place, &state);
    }
}

static void try_bounds(const struct bounds *bounds)
{
    struct product product;
    open_product(&product, bounds);
    product.first = "";
    keep_first(&product);
    for (product.first = bounds->first ? bounds->first : ""; *product.first;) {
        try_level(&product);
        assert_true(product.levels[1].places.length > 0);
        product.first += strcspn(product.first, " ");
        product.first += *product.first == ' ';
    }
    for (uint32_t depth = 0; depth < bounds->depth; depth++)
        try_level(&product);
    printf("%s: %u events deep, %u values, %u running: %zu states, %" PRIu64 " events, %" PRIu64
           " violations, %" PRIu64 " for the search, %" PRIu64 " unknown, %" PRIu64
           " go on from a value, %" PRIu64 " too many, %" PRIu64 " as a whole, %" PRIu64
           " of them undecided\n",
           bounds->name, bounds->depth, bounds->values, bounds->running, product.steps.length,
           product.events, product.violations, product.left, product.refused, product.rests,
           product.full, product.wholes, product.undecided);
    if (!product.states.looks_late && !bounds->states) /* a guess, or too long a search */
        assert_int_equal(product.refused, 0);
    assert_true(bounds->states || product.full == 0);
    assert_true(product.violations > 0);
    close_product(&product);
}

static struct bounds by_hand;

static void test_product(void **state)
{
    (void)state;
    if (by_hand.name) {
        try_bounds(&by_hand);
        return;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(usual); i++)
        try_bounds(&usual[i]);
}

static uint32_t number_from(const char *word)
{
    return (uint32_t)strtoul(word, NULL, 10);
}

int main(int argc, char **argv)
{
    if (argc > 5)
        by_hand = (struct bounds){.name = argv[1],
                                  .depth = number_from(argv[2]),
                                  .values = number_from(argv[3]),
                                  .running = number_from(argv[4]),
                                  .with = argv[5],
                                  .seed = argc > 6 ? number_from(argv[6]) : 0,
                                  .states = argc > 7 ? number_from(argv[7]) : 0,
                                  .first = argc > 8 ? argv[8] : NULL};
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_product)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
