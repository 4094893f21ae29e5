/* Monitors of registers together with the definition (support/register_oracle.h), breadth first:
 * whatever may be called, answered, stay pending or fail next, with a look at which the monitor may
 * drop what it need not keep, and without. Behind each event both must say the same. Two states are
 * one if they are the same but for the names of values and for the times, of which only the order
 * counts: what is kept of a monitor is what stands in a checkpoint.
 *
 *     test_online_product                                        what is in the table below
 *     test_online_product NAME DEPTH VALUES RUNNING apf              of one kind, by hand
 *     test_online_product NAME DEPTH VALUES RUNNING apf SEED STATES  some of each depth, by
 * chance
 *
 * A mistake is told as the shortest way to it, as test_online has histories by hand: +N:V call N
 * writes V, -N reads, *N:V>W replaces V by W, .N or .N:V answers, =N replaced, /N did not, ?N stays
 * pending, !N fails; ~ behind it: the monitor does not look; ^: another one goes on from the state
 * that it says, _: it goes on from that itself. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/faults.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/table.h"
#include "base/text.h"
#include "spec/cas_register.h"
#include "spec/register.h"
#include "stream/online.h"
#include "support/generate.h"
#include "support/register_oracle.h"

/* Numbers by which times, operations and values are known in what a monitor writes. */
#define TIMES_FROM   (UINT64_C(1) << 32)
#define SERIALS_FROM (UINT64_C(1) << 36)
#define VALUES_FROM  (UINT64_C(1) << 40)
#define KNOWN_MOST   512 /* of each */
#define PENDING_MOST 4

struct kind {
    const char *name;
    bool with_cas;
    uint16_t read, write, cas; /* operations */
};

static const struct kind kinds[] = {
    {"register", false, REGISTER_READ, REGISTER_WRITE, 0},
    {"cas-register", true, CAS_REGISTER_READ, CAS_REGISTER_WRITE, CAS_REGISTER_CAS},
};

struct bounds {
    const char *name;
    uint32_t depth, values, running; /* events; values besides the one at first; calls at a time */
    const char *with; /* a: values are written again; p: calls stay pending; f: calls fail */
    uint64_t seed;
    uint32_t states; /* of a depth, chosen by chance; 0: all */
};

static const struct bounds usual[] = {
    {"register", 6, 3, 3, "apf", 0, 0},      {"cas-register", 4, 2, 2, "apf", 0, 0},
    {"cas-register", 5, 4, 3, "", 0, 0},     {"cas-register", 16, 8, 4, "", 1, 60},
    {"cas-register", 30, 8, 4, "pf", 2, 30},
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
struct step {
    uint32_t from; /* a step; 0: the beginning */
    uint8_t what, way;
    uint8_t number; /* of the call, among those that run */
    uint8_t answer;
    struct register_call call;
};

/* What is open, with the definition's and the monitor's part. */
struct state {
    uint32_t handles[REGISTER_ORACLE_RUNNING];
    uint64_t serials[REGISTER_ORACLE_RUNNING];
    uint64_t times, made; /* how many there are of each: times, operations */
    uint8_t values;       /* names in use, from 1 */
    struct online *online;
    struct register_oracle oracle;
};

struct place {
    size_t at, length;
    uint32_t step;
};

struct level {
    VECTOR(struct place) places;
    struct packed bytes;
};

struct product {
    const struct kind *kind;
    struct bounds bounds;
    struct subject subject;
    struct limits limits;
    struct random random;
    struct level levels[2]; /* the one that is gone through, and the next */
    struct table seen;
    VECTOR(uint64_t) prints; /* two of each state that was seen */
    VECTOR(struct step) steps;
    struct packed written, renamed, bytes; /* a monitor, twice; a state */
    uint8_t names[REGISTER_ORACLE_VALUES]; /* of values, by what they were called before */
    uint64_t events, violations, left, refused, rests, full, fresh;
};

/* ---- numbers ---- */

static value value_of(uint8_t name)
{
    return name ? value_small((int64_t)(VALUES_FROM + name)) : VALUE_NIL;
}

/* The name of a value; 0: it is none, or the one that is there at first. */
static uint8_t name_of(uint64_t number)
{
    const uint64_t least = value_of(1);
    return number >= least && number < value_small((int64_t)(VALUES_FROM + REGISTER_ORACLE_VALUES))
               ? (uint8_t)(value_small_get(number) - (int64_t)VALUES_FROM)
               : 0;
}

struct ranks {
    uint64_t items[KNOWN_MOST];
    size_t count;
};

static void rank_add(struct ranks *ranks, uint64_t number)
{
    size_t at = ranks->count;
    for (size_t i = 0; i < ranks->count; i++)
        if (ranks->items[i] == number)
            return;
    assert_true(ranks->count < KNOWN_MOST);
    for (; at && ranks->items[at - 1] > number; at--)
        ranks->items[at] = ranks->items[at - 1];
    ranks->items[at] = number;
    ranks->count++;
}

static uint64_t rank_of(const struct ranks *ranks, uint64_t number)
{
    size_t at = 0;
    while (ranks->items[at] != number)
        at++;
    return at;
}

static bool is_from(uint64_t number, uint64_t from)
{
    return number >= from && number < from + (from >> 2);
}

static void give_name(struct product *product, struct state *state, uint8_t name)
{
    if (name && !product->names[name])
        product->names[name] = ++state->values;
}

static void name_open(struct product *product, struct state *state)
{
    const struct register_oracle *oracle = &state->oracle;
    for (uint32_t i = 0; i < oracle->running_count; i++) {
        give_name(product, state, oracle->running[i].expected);
        give_name(product, state, oracle->running[i].written);
    }
    for (uint32_t i = 0; i < oracle->pending_count; i++) {
        give_name(product, state, oracle->pending[i].expected);
        give_name(product, state, oracle->pending[i].written);
    }
    for (uint32_t i = 0; i < oracle->count; i++) {
        give_name(product, state, oracle->configurations[i].value);
        for (uint32_t j = 0; j < oracle->running_count; j++)
            for (uint8_t v = 1; v < REGISTER_ORACLE_VALUES; v++)
                if (oracle->running[j].kind == REGISTER_CALL_READ &&
                    oracle->configurations[i].met[j] >> v & 1)
                    give_name(product, state, v);
    }
}

/* Makes product->renamed of product->written: with names in the order in which values are met, and
 * the ranks of times and of serial numbers. Does the same with the rest of the state. */
static void rename_all(struct product *product, struct state *state)
{
    struct ranks times = {.count = 0}, serials = {.count = 0};
    struct archive archive = archive_from_memory(product->written.items);
    const uint8_t *end = product->written.items + product->written.length;
    state->values = 0;
    memset(product->names, 0, sizeof product->names);
    while (archive.at < end) {
        const uint64_t number = archive_number(&archive, 0);
        if (is_from(number, TIMES_FROM))
            rank_add(&times, number);
        else if (is_from(number, SERIALS_FROM))
            rank_add(&serials, number);
        else
            give_name(product, state, name_of(number));
    }
    name_open(product, state);
    for (uint32_t i = 0; i < state->oracle.running_count; i++)
        rank_add(&serials, state->serials[i]);
    for (uint32_t i = 0; i < state->oracle.running_count; i++)
        state->serials[i] = SERIALS_FROM + rank_of(&serials, state->serials[i]);
    state->times = times.count;
    state->made = serials.count;
    register_oracle_rename(&state->oracle, product->names);
    archive = archive_from_memory(product->written.items);
    product->renamed.length = 0;
    struct archive again = archive_to_memory(&product->renamed);
    while (archive.at < end) {
        uint64_t number = archive_number(&archive, 0);
        if (is_from(number, TIMES_FROM))
            number = TIMES_FROM + rank_of(&times, number);
        else if (is_from(number, SERIALS_FROM))
            number = SERIALS_FROM + rank_of(&serials, number);
        else if (name_of(number))
            number = value_of(product->names[name_of(number)]);
        archive_number(&again, number);
    }
    assert_int_equal(again.status, STATUS_OK);
}

/* ---- states ---- */

static void put(struct product *product, const void *bytes, size_t length)
{
    struct packed *packed = &product->bytes;
    assert_true(vector_reserve(packed, packed->length + length));
    memcpy(packed->items + packed->length, bytes, length);
    packed->length += length;
}

static const uint8_t *get(const uint8_t *at, void *bytes, size_t length)
{
    memcpy(bytes, at, length);
    return at + length;
}

static void write_monitor(struct product *product, struct online *online)
{
    product->written.length = 0;
    struct archive archive = archive_to_memory(&product->written);
    online_archive(&online, VALUE_NIL, false, &product->limits, &archive);
    assert_int_equal(archive.status, STATUS_OK);
}

/* What is open, and behind it the monitor: product->bytes. The state gets its names. */
static void pack_state(struct product *product, struct state *state)
{
    const struct register_oracle *oracle = &state->oracle;
    const uint32_t running = oracle->running_count;
    write_monitor(product, state->online);
    rename_all(product, state);
    product->bytes.length = 0;
    put(product, &state->times, sizeof state->times);
    put(product, &state->made, sizeof state->made);
    put(product, &state->values, sizeof state->values);
    put(product, oracle, offsetof(struct register_oracle, configurations));
    put(product, oracle->configurations, oracle->count * sizeof *oracle->configurations);
    put(product, state->handles, running * sizeof *state->handles);
    put(product, state->serials, running * sizeof *state->serials);
    put(product, product->renamed.items, product->renamed.length);
}

/* All but the monitor, which stands where this ends. */
static const uint8_t *unpack_state(const uint8_t *at, struct state *state)
{
    struct register_oracle *oracle = &state->oracle;
    at = get(at, &state->times, sizeof state->times);
    at = get(at, &state->made, sizeof state->made);
    at = get(at, &state->values, sizeof state->values);
    at = get(at, oracle, offsetof(struct register_oracle, configurations));
    at = get(at, oracle->configurations, oracle->count * sizeof *oracle->configurations);
    at = get(at, state->handles, oracle->running_count * sizeof *state->handles);
    state->online = NULL;
    return get(at, state->serials, oracle->running_count * sizeof *state->serials);
}

/* `initial`: the value at first; null: nil. */
static struct online *create(struct product *product, const value *initial)
{
    const struct spec *spec = product->subject.spec;
    struct online *online =
        product->kind->with_cas
            ? online_cas_create(spec, VALUE_NIL, false, initial, &product->limits)
            : online_create(spec, VALUE_NIL, false, &product->limits, DROPS_AT_ONCE);
    assert_non_null(online);
    online->drops = DROPS_AT_ONCE;
    if (initial && online->class->begin)
        assert_true(online->class->begin(online, *initial));
    return online;
}

static struct online *read_monitor(struct product *product, const uint8_t *bytes)
{
    struct online *online = create(product, NULL);
    struct archive archive = archive_from_memory(bytes);
    online_archive(&online, VALUE_NIL, false, &product->limits, &archive);
    assert_int_equal(archive.status, STATUS_OK);
    return online;
}

/* Whether it is there for the first time. */
static bool is_new(struct product *product)
{
    const uint64_t first = hash_bytes(product->bytes.items, product->bytes.length, 1);
    const uint64_t second = hash_bytes(product->bytes.items, product->bytes.length, 2);
    const uint32_t number = (uint32_t)(product->prints.length / 2);
    struct table_search search = table_search(&product->seen, first);
    while (table_next(&search))
        if (product->prints.items[2 * search.number] == first &&
            product->prints.items[2 * search.number + 1] == second)
            return false;
    assert_true(vector_push(&product->prints, first) && vector_push(&product->prints, second) &&
                table_add(&product->seen, first, number));
    return true;
}

/* Keeps a state for the next level, if it is new, and chosen where only some are. */
static void keep_state(struct product *product, struct state *state, const struct step *step)
{
    struct level *next = &product->levels[1];
    pack_state(product, state);
    if (!is_new(product))
        return;
    size_t at = next->places.length;
    product->fresh++;
    if (product->bounds.states && at == product->bounds.states) {
        at = random_below(&product->random, (uint32_t)product->fresh);
        if (at >= product->bounds.states)
            return;
    }
    const struct place place = {.at = next->bytes.length,
                                .length = product->bytes.length,
                                .step = (uint32_t)product->steps.length};
    assert_true(vector_push(&product->steps, *step) &&
                vector_reserve(&next->bytes, place.at + place.length));
    memcpy(next->bytes.items + place.at, product->bytes.items, place.length);
    next->bytes.length += place.length;
    if (at == next->places.length)
        assert_true(vector_push(&next->places, place));
    else
        next->places.items[at] = place;
}

/* ---- events ---- */

static struct call call_of(struct product *product, const struct register_call *call)
{
    const struct kind *kind = product->kind;
    const value items[] = {value_of(call->expected), value_of(call->written)};
    if (call->kind == REGISTER_CALL_READ)
        return (struct call){.operation = kind->read, .read_only = true};
    if (call->kind == REGISTER_CALL_WRITE)
        return (struct call){.operation = kind->write, .argument = items[1]};
    const value pair = value_list(product->subject.pool, items, 2);
    assert_int_not_equal(pair, VALUE_REFUSED);
    return (struct call){.operation = kind->cas, .argument = pair};
}

static void know_answer(const struct step *step, struct call *call)
{
    if (step->what != HAPPENS_ANSWER || step->call.kind == REGISTER_CALL_WRITE)
        return;
    call->result_known = true;
    call->result = step->call.kind == REGISTER_CALL_READ ? value_of(step->answer)
                                                         : value_boolean(step->answer);
}

/* Tells both what happens. */
static enum online_answer tell(struct product *product, struct state *state,
                               const struct step *step)
{
    static const enum stage stages[] = {STAGE_RUNNING, STAGE_COMPLETES, STAGE_PENDING,
                                        STAGE_FAILED};
    const uint32_t number = step->number;
    struct online_event event = {.now = TIMES_FROM + state->times,
                                 .call = call_of(product, &step->call),
                                 .stage = stages[step->what],
                                 .handle = &state->handles[number]};
    know_answer(step, &event.call);
    if (step->what == HAPPENS_CALL)
        state->serials[number] = SERIALS_FROM + state->made;
    event.serial = state->serials[number];
    switch ((enum what)step->what) {
    case HAPPENS_CALL:
        register_oracle_call(&state->oracle, step->call);
        break;
    case HAPPENS_ANSWER:
        register_oracle_answer(&state->oracle, number, step->answer);
        break;
    case HAPPENS_PENDS:
        register_oracle_pend(&state->oracle, number);
        break;
    case HAPPENS_FAILS:
        register_oracle_fail(&state->oracle, number);
    }
    const enum online_answer answer = state->online->class->event(state->online, &event);
    for (uint32_t i = number; step->what != HAPPENS_CALL && i < state->oracle.running_count; i++) {
        state->handles[i] = state->handles[i + 1];
        state->serials[i] = state->serials[i + 1];
    }
    return answer;
}

/* What the monitor does behind an event that is possible. */
static enum online_answer go_on(struct product *product, struct state *state, enum way way)
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
    const struct register_oracle *oracle = &state->oracle;
    for (uint32_t i = 0; i < oracle->count; i++)
        if (!oracle->configurations[i].pending && value_of(oracle->configurations[i].value) != now)
            return ONLINE_IMPOSSIBLE;
    if (settles)
        return ONLINE_POSSIBLE;
    if (oracle->running_count + oracle->pending_count || oracle->count != 1)
        return ONLINE_IMPOSSIBLE;
    online_destroy(online);
    state->online = create(product, &now);
    return ONLINE_POSSIBLE;
}

/* ---- what is wrong ---- */

/* What values and calls are called on the way to a state. */
struct told {
    uint8_t values[REGISTER_ORACLE_VALUES]; /* by what they are called in the state */
    uint32_t calls[REGISTER_ORACLE_RUNNING], count;
    uint8_t used;
};

static unsigned tell_value(struct told *told, uint8_t name)
{
    if (name && !told->values[name])
        told->values[name] = ++told->used;
    return told->values[name];
}

static void print_step(struct told *told, const struct step *step, struct text *text)
{
    static const char *const ways[] = {"~", "", "^", "_"};
    const struct register_call *call = &step->call;
    const unsigned expected = tell_value(told, call->expected);
    const unsigned written = tell_value(told, call->written);
    if (step->what == HAPPENS_CALL)
        told->calls[step->number] = ++told->count;
    const unsigned number = told->calls[step->number];
    if (step->what == HAPPENS_PENDS || step->what == HAPPENS_FAILS)
        text_format(text, "%c%u", step->what == HAPPENS_PENDS ? '?' : '!', number);
    else if (step->what == HAPPENS_ANSWER && call->kind == REGISTER_CALL_CAS)
        text_format(text, "%c%u", step->answer ? '=' : '/', number);
    else if (step->what == HAPPENS_ANSWER && call->kind == REGISTER_CALL_WRITE)
        text_format(text, ".%u", number);
    else if (step->what == HAPPENS_ANSWER)
        text_format(text, ".%u:%u", number, tell_value(told, step->answer));
    else if (call->kind == REGISTER_CALL_CAS)
        text_format(text, "*%u:%u>%u", number, expected, written);
    else if (call->kind == REGISTER_CALL_WRITE)
        text_format(text, "+%u:%u", number, written);
    else
        text_format(text, "-%u", number);
    text_format(text, "%s ", ways[step->way]);
    if (step->what != HAPPENS_CALL)
        memmove(&told->calls[step->number], &told->calls[step->number + 1],
                (REGISTER_ORACLE_RUNNING - 1 - step->number) * sizeof *told->calls);
}

static void begin(struct product *product, struct state *state)
{
    register_oracle_init(&state->oracle);
    state->times = state->made = 1; /* times begin at 1, and so do numbers of operations */
    state->values = 0;
    state->online = create(product, NULL);
}

static void print_way(struct product *product, const struct step *last, struct text *text)
{
    struct told told = {.count = 0};
    struct state state;
    uint32_t way[256], length = 0;
    for (uint32_t at = last->from; at; at = product->steps.items[at].from)
        way[length++] = at;
    begin(product, &state);
    while (length--) {
        const struct step *step = &product->steps.items[way[length]];
        struct told before;
        print_step(&told, step, text);
        (void)tell(product, &state, step);
        (void)go_on(product, &state, (enum way)step->way);
        pack_state(product, &state);
        before = told;
        memset(told.values, 0, sizeof told.values);
        for (uint32_t i = 1; i < REGISTER_ORACLE_VALUES; i++)
            if (product->names[i])
                told.values[product->names[i]] = before.values[i];
    }
    online_destroy(state.online);
    print_step(&told, last, text);
}

static void expect(struct product *product, const struct state *state, const struct step *step,
                   enum online_answer answer)
{
    const bool possible = state->oracle.count > 0;
    if (answer == (possible ? ONLINE_POSSIBLE : ONLINE_IMPOSSIBLE))
        return;
    struct text text = TEXT_EMPTY;
    print_way(product, step, &text);
    fail_msg("%s: expected %s, found %d: %s", product->kind->name,
             possible ? "possible" : "impossible", (int)answer, text_string(&text));
}

/* ---- steps ---- */

/* With the same monitor. */
static void copy_state(struct state *to, const struct state *from)
{
    memcpy(to, from, offsetof(struct state, oracle));
    register_oracle_copy(&to->oracle, &from->oracle);
}

/* What comes of an event, looked at or not. */
static void try_ways(struct product *product, struct state *state, struct step *step,
                     enum online_answer answer)
{
    if (answer == ONLINE_IMPOSSIBLE) {
        expect(product, state, step, answer);
        product->violations++;
        return;
    }
    if (state->online->class->look && state->oracle.count) {
        struct state same;
        copy_state(&same, state);
        keep_state(product, &same, step);
    }
    for (step->way = WAY_LOOKS; step->way <= WAY_SETTLES; step->way++) {
        struct state same;
        copy_state(&same, state);
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

static void try_step(struct product *product, const struct place *place, struct step step)
{
    struct state state;
    const uint8_t *monitor = unpack_state(product->levels[0].bytes.items + place->at, &state);
    state.online = read_monitor(product, monitor);
    step.from = place->step;
    step.way = WAY_TOLD;
    product->events++;
    enum online_answer answer = tell(product, &state, &step);
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

static void try_call(struct product *product, const struct place *place, uint32_t number,
                     struct register_call call)
{
    try_step(product, place,
             (struct step){.what = HAPPENS_CALL, .number = (uint8_t)number, .call = call});
}

static bool is_with(const struct product *product, char letter)
{
    return strchr(product->bounds.with, letter) != NULL;
}

static uint8_t first_written(const struct product *product, const struct state *state)
{
    return is_with(product, 'a') ? 0 : (uint8_t)(state->values + 1);
}

/* Of the values that nobody has named two are as good as any: the next ones. */
static void try_calls(struct product *product, const struct place *place, const struct state *state)
{
    const uint32_t running = state->oracle.running_count, most = product->bounds.values;
    const uint8_t next = (uint8_t)(state->values < most ? state->values + 1u : most);
    if (running == product->bounds.running)
        return;
    try_call(product, place, running, (struct register_call){.kind = REGISTER_CALL_READ});
    for (uint8_t written = first_written(product, state); written <= next; written++)
        try_call(product, place, running,
                 (struct register_call){.kind = REGISTER_CALL_WRITE, .written = written});
    for (uint8_t expected = 0; product->kind->with_cas && expected <= next; expected++) {
        const uint8_t last = expected > state->values && expected < most ? expected + 1 : next;
        for (uint8_t written = first_written(product, state); written <= last; written++)
            if (written != expected)
                try_call(product, place, running,
                         (struct register_call){
                             .kind = REGISTER_CALL_CAS, .expected = expected, .written = written});
    }
}

static void try_ends(struct product *product, const struct place *place, const struct state *state)
{
    for (uint8_t number = 0; number < state->oracle.running_count; number++) {
        const struct register_call call = state->oracle.running[number];
        struct step step = {.what = HAPPENS_ANSWER, .number = number, .call = call};
        const uint8_t answers = call.kind == REGISTER_CALL_READ  ? state->values
                                : call.kind == REGISTER_CALL_CAS ? 1
                                                                 : 0;
        for (step.answer = 0; step.answer <= answers; step.answer++)
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
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (strcmp(kinds[i].name, bounds->name) == 0)
            product->kind = &kinds[i];
    assert_non_null(product->kind);
    subject_open(&product->subject, workload_find(bounds->name));
    struct budget *budget = &product->subject.budget;
    limits_init(&product->limits, budget);
    random_seed(&product->random, bounds->seed);
    table_init(&product->seen, budget);
    for (size_t i = 0; i < ARRAY_LENGTH(product->levels); i++)
        vectors_init(budget, &product->levels[i].places, &product->levels[i].bytes);
    vectors_init(budget, &product->prints, &product->steps, &product->written, &product->renamed,
                 &product->bytes);
}

static void close_product(struct product *product)
{
    table_release(&product->seen);
    for (size_t i = 0; i < ARRAY_LENGTH(product->levels); i++)
        vectors_release(&product->levels[i].places, &product->levels[i].bytes);
    vectors_release(&product->prints, &product->steps, &product->written, &product->renamed,
                    &product->bytes);
    subject_close(&product->subject);
}

static void keep_first(struct product *product)
{
    struct state state;
    const struct step none = {.from = 0};
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
    if (product->bounds.states) { /* there is no end of what is seen */
        table_clear(&product->seen);
        product->prints.length = 0;
    }
    for (size_t i = 0; i < product->levels[0].places.length; i++) {
        const struct place place = product->levels[0].places.items[i];
        struct state state;
        (void)unpack_state(product->levels[0].bytes.items + place.at, &state);
        try_calls(product, &place, &state);
        try_ends(product, &place, &state);
    }
}

static void try_bounds(const struct bounds *bounds)
{
    struct product product;
    open_product(&product, bounds);
    keep_first(&product);
    for (uint32_t depth = 0; depth < bounds->depth; depth++)
        try_level(&product);
    printf("%s: %u events deep, %u values, %u running: %zu states, %" PRIu64 " events, %" PRIu64
           " violations, %" PRIu64 " for the search, %" PRIu64 " unknown, %" PRIu64
           " go on from a value, %" PRIu64 " too many\n",
           bounds->name, bounds->depth, bounds->values, bounds->running, product.steps.length,
           product.events, product.violations, product.left, product.refused, product.rests,
           product.full);
    assert_int_equal(product.refused + product.full, 0);
    assert_true(product.violations > 0 && product.rests > 0);
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
                                  .states = argc > 7 ? number_from(argv[7]) : 0};
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_product)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
