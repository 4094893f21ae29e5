#include "support/memory_program.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

static const uint64_t CELLS[PROGRAM_LOCATIONS]; /* never read: they stand for the locations */

static enum memory_order_c11 pick(struct random *random, const enum memory_order_c11 *orders,
                                  unsigned count)
{
    return orders[random_below(random, count)];
}

static const enum memory_order_c11 LOADS[] = {ORDER_RELAXED, ORDER_ACQUIRE, ORDER_SEQ_CST};
static const enum memory_order_c11 STORES[] = {ORDER_RELAXED, ORDER_RELEASE, ORDER_SEQ_CST};
static const enum memory_order_c11 FENCES[] = {ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL,
                                               ORDER_SEQ_CST, ORDER_SEQ_CST};
static const enum memory_order_c11 UPDATES[] = {ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE,
                                                ORDER_ACQ_REL, ORDER_SEQ_CST};

static struct program_instruction random_instruction(struct random *random, unsigned locations)
{
    struct program_instruction made = {.location = random_below(random, locations),
                                       .value = 1 + random_below(random, 2)};
    uint32_t kind = random_below(random, 20);
    if (kind < 7) {
        made.kind = PROGRAM_LOAD;
        made.order = pick(random, LOADS, 3);
    } else if (kind < 13) {
        made.kind = PROGRAM_STORE;
        made.order = pick(random, STORES, 3);
        made.mixes_last = random_chance(random, 1, 6);
    } else if (kind < 15) {
        made.kind = PROGRAM_UPDATE;
        made.order = pick(random, UPDATES, 5);
    } else if (kind < 17) {
        made.kind = PROGRAM_COMPARE_EXCHANGE;
        made.order = pick(random, UPDATES, 5);
        made.failure_order = pick(random, LOADS, 3);
        made.expected = random_below(random, 3);
        made.is_weak = random_chance(random, 1, 2);
    } else if (kind < 19) {
        made.kind = PROGRAM_FENCE;
        made.order = pick(random, FENCES, 5);
    } else {
        made.kind = random_chance(random, 1, 2) ? PROGRAM_SKIP_UNLESS : PROGRAM_WAIT_FOR;
        made.order = pick(random, LOADS, 3);
        made.value = random_below(random, 3);
    }
    return made;
}

static unsigned events_of(const struct program_instruction *instruction)
{
    switch (instruction->kind) {
    case PROGRAM_UPDATE:
    case PROGRAM_COMPARE_EXCHANGE:
        return 2;
    case PROGRAM_SKIP_UNLESS:
        return 0;
    default:
        return 1;
    }
}

/* Adds an instruction, if there is room. */
static void add(struct memory_program *program, unsigned thread, unsigned events, unsigned *used,
                const struct program_instruction *made)
{
    if (program->length[thread] == PROGRAM_LENGTH || *used + events_of(made) > events)
        return;
    *used += events_of(made);
    program->instructions[thread][program->length[thread]++] = *made;
}

/* Threads of the shapes that litmus tests are made of: R read, W write, U update, F fence, at one
 * location (small letters) or another. */
static void add_fragments(struct memory_program *program, struct random *random, unsigned events)
{
    static const char *const FRAGMENTS[] = {"WaWb",    "RaRb",  "WaFWb", "RaFRb", "WaFRb",
                                            "WaRb",    "RaWb",  "Ua",    "UaRb",  "WaUb",
                                            "WaFWbWb", "UaFRb", "RaFWb", "Ca"};
    unsigned used = 0, one = 0;
    const char *fragment = NULL;
    bool is_strong = random_chance(random, 1, 4), is_weak = random_chance(random, 1, 3);
    for (unsigned thread = 0; thread < program->threads; thread++) {
        bool mirrors = fragment && random_chance(random, 1, 2); /* the thread before */
        if (!mirrors)
            fragment = FRAGMENTS[random_below(random, sizeof FRAGMENTS / sizeof *FRAGMENTS)];
        one = mirrors ? 1 - one : random_below(random, 2);
        for (const char *letters = fragment; *letters; letters++) {
            struct program_instruction made = {.value = 1 + random_below(random, 2)};
            bool strong = is_strong || (!is_weak && random_chance(random, 1, 3));
            switch (*letters) {
            case 'R':
                made.kind = PROGRAM_LOAD;
                made.order = strong ? ORDER_SEQ_CST : pick(random, LOADS, is_weak ? 1 : 2);
                break;
            case 'W':
                made.kind = PROGRAM_STORE;
                made.order = strong ? ORDER_SEQ_CST : pick(random, STORES, is_weak ? 1 : 2);
                break;
            case 'F':
                made.kind = PROGRAM_FENCE;
                made.order = pick(random, FENCES, 5);
                break;
            default:
                made.kind = *letters == 'U' ? PROGRAM_UPDATE : PROGRAM_COMPARE_EXCHANGE;
                made.order = strong ? ORDER_SEQ_CST : pick(random, UPDATES, is_weak ? 1 : 4);
                made.expected = random_below(random, 2);
            }
            if (letters[1] == 'a' || letters[1] == 'b')
                made.location = *++letters == 'a' ? one : 1 - one;
            add(program, thread, events, &used, &made);
        }
    }
}

void memory_program_random(struct memory_program *program, uint64_t seed, unsigned events)
{
    struct random random;
    random_seed(&random, seed);
    memset(program, 0, sizeof *program);
    program->threads = 2 + random_below(&random, PROGRAM_THREADS - 1);
    if (random_chance(&random, 2, 3)) {
        add_fragments(program, &random, events);
        return;
    }
    unsigned locations = 1 + random_below(&random, PROGRAM_LOCATIONS), used = 0;
    for (unsigned tries = 0; tries < 60 && used < events; tries++) {
        unsigned thread = random_below(&random, program->threads);
        struct program_instruction made = random_instruction(&random, locations);
        add(program, thread, events, &used, &made);
    }
}

static const char *parse_order(const char *text, enum memory_order_c11 *order)
{
    static const struct {
        const char *name;
        enum memory_order_c11 order;
    } NAMES[] = {{".rlx", ORDER_RELAXED},
                 {".acq", ORDER_ACQUIRE},
                 {".rel", ORDER_RELEASE},
                 {".ar", ORDER_ACQ_REL},
                 {".sc", ORDER_SEQ_CST}};
    for (unsigned i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strncmp(text, NAMES[i].name, strlen(NAMES[i].name)) == 0) {
            *order = NAMES[i].order;
            return text + strlen(NAMES[i].name);
        }
    fprintf(stderr, "no memory order: %s\n", text);
    abort();
}

void memory_program_parse(struct memory_program *program, const char *text)
{
    static const char LETTERS[] = "RWUCF";
    static const enum program_kind KINDS[] = {PROGRAM_LOAD, PROGRAM_STORE, PROGRAM_UPDATE,
                                              PROGRAM_COMPARE_EXCHANGE, PROGRAM_FENCE};
    memset(program, 0, sizeof *program);
    program->threads = 1;
    while (*text) {
        unsigned thread = program->threads - 1;
        if (*text == ' ') {
            text++;
            continue;
        }
        if (*text == '|') {
            text++;
            program->threads++;
            assert(program->threads <= PROGRAM_THREADS);
            continue;
        }
        const char *letter = strchr(LETTERS, *text++);
        assert(letter && program->length[thread] < PROGRAM_LENGTH);
        struct program_instruction made = {
            .kind = KINDS[letter - LETTERS], .value = 1, .adds = true};
        if (made.kind != PROGRAM_FENCE)
            made.location = (unsigned)(*text++ - 'x');
        if (made.kind == PROGRAM_COMPARE_EXCHANGE)
            made.expected = (uint64_t)(*text++ - '0');
        if (made.kind == PROGRAM_STORE || made.kind == PROGRAM_COMPARE_EXCHANGE)
            made.value = (uint64_t)(*text++ - '0');
        text = parse_order(text, &made.order);
        program->instructions[thread][program->length[thread]++] = made;
    }
}

void memory_program_print(const struct memory_program *program)
{
    static const char *const KINDS[] = {"load",  "store",       "update",  "compare_exchange",
                                        "fence", "skip_unless", "wait_for"};
    static const char *const ORDERS[] = {"rlx", "con", "acq", "rel", "ar", "sc", "plain"};
    for (unsigned i = 0; i < program->threads; i++) {
        fprintf(stderr, "thread %u:\n", i);
        for (unsigned j = 0; j < program->length[i]; j++) {
            const struct program_instruction *one = &program->instructions[i][j];
            fprintf(stderr, "    %s x%u %s/%s value %d expected %d%s\n", KINDS[one->kind],
                    one->location, ORDERS[one->order], ORDERS[one->failure_order], (int)one->value,
                    (int)one->expected,
                    one->mixes_last ? " ^ last"
                    : one->is_weak  ? " weak"
                                    : "");
        }
    }
}

const struct program_instruction *memory_program_next(const struct memory_program *program,
                                                      unsigned thread, struct program_thread *state)
{
    while (!state->stuck && state->at < program->length[thread]) {
        const struct program_instruction *next = &program->instructions[thread][state->at];
        if (next->kind != PROGRAM_SKIP_UNLESS)
            return next;
        state->at = state->last == next->value ? state->at + 1 : program->length[thread];
    }
    return NULL;
}

bool memory_program_stores(const struct program_instruction *instruction,
                           const struct program_thread *state, uint64_t old, uint64_t *stored)
{
    switch (instruction->kind) {
    case PROGRAM_STORE:
        *stored = instruction->value ^ (instruction->mixes_last ? state->last : 0);
        return true;
    case PROGRAM_UPDATE:
        *stored = instruction->adds ? old + instruction->value : old ^ instruction->value;
        return true;
    case PROGRAM_COMPARE_EXCHANGE:
        *stored = instruction->value;
        return old == instruction->expected;
    default:
        return false;
    }
}

void memory_program_advance(const struct program_instruction *instruction,
                            struct program_thread *state, uint64_t read)
{
    state->at++;
    if (instruction->kind == PROGRAM_STORE || instruction->kind == PROGRAM_FENCE)
        return;
    state->last = read;
    state->stuck = instruction->kind == PROGRAM_WAIT_FOR && read != instruction->value;
}

static enum exploration_step act(const struct program_instruction *instruction, unsigned thread,
                                 struct program_thread *state, struct exploration *exploration)
{
    struct exploration_access access = {.thread = thread,
                                        .address = &CELLS[instruction->location],
                                        .size = 8,
                                        .order = instruction->order,
                                        .failure_order = instruction->failure_order,
                                        .operand = instruction->value,
                                        .expected = instruction->expected,
                                        .may_fail = instruction->is_weak,
                                        .at = instruction};
    event_number event = EXECUTION_NONE;
    enum exploration_step step;
    if (instruction->kind == PROGRAM_FENCE) {
        step = exploration_fence(exploration, thread, instruction->order, instruction, &event);
    } else if (instruction->kind == PROGRAM_STORE) {
        uint64_t stored = 0;
        (void)memory_program_stores(instruction, state, 0, &stored);
        access.operand = stored;
        step = exploration_write(exploration, &access, &event);
    } else {
        if (instruction->kind == PROGRAM_UPDATE)
            access.operation = instruction->adds ? OPERATION_ADD : OPERATION_XOR;
        else if (instruction->kind == PROGRAM_COMPARE_EXCHANGE)
            access.operation = OPERATION_COMPARE_EXCHANGE;
        step = exploration_read(exploration, &access, &event);
    }
    if (step == STEP_TAKEN)
        memory_program_advance(instruction, state,
                               (uint64_t)exploration_graph(exploration)->events[event].value);
    return step;
}

bool memory_program_run(const struct memory_program *program, struct exploration *exploration,
                        bool *complete)
{
    unsigned stuck;
    bool ran = memory_program_run_stuck(program, exploration, &stuck);
    *complete = stuck == 0;
    return ran;
}

bool memory_program_run_stuck(const struct memory_program *program, struct exploration *exploration,
                              unsigned *stuck)
{
    struct program_thread states[PROGRAM_THREADS] = {{0}};
    *stuck = 0;
    for (;;) {
        unsigned runnable = 0;
        for (unsigned i = 0; i < program->threads; i++)
            if (memory_program_next(program, i, &states[i]))
                runnable |= 1u << i;
        int thread = exploration_turn(exploration, runnable);
        if (thread < 0)
            break;
        const struct program_instruction *next =
            memory_program_next(program, (unsigned)thread, &states[thread]);
        if (!next || act(next, (unsigned)thread, &states[thread], exploration) != STEP_TAKEN)
            return false;
    }
    for (unsigned i = 0; i < program->threads; i++)
        *stuck |= (unsigned)states[i].stuck << i;
    return !exploration_repeats(exploration);
}

static unsigned thread_index(const struct execution_graph *graph, event_number source)
{
    return source < 0 ? 0 : graph->events[source].thread * 32u + graph->events[source].index;
}

void memory_graph_describe(const struct execution_graph *graph, char *words)
{
    size_t length = 0;
    words[0] = '\0';
    for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++)
        for (unsigned index = 1; index <= EXECUTION_EVENTS; index++)
            for (unsigned i = 0; i < graph->event_count; i++) {
                const struct execution_event *event = &graph->events[i];
                if (event->thread != thread || event->index != index)
                    continue;
                int location = -1;
                if (event_is_access(event))
                    location =
                        (int)((const uint64_t *)graph->locations[event->location].address - CELLS);
                length += (size_t)snprintf(
                    words + length, GRAPH_WORDS - length, "%u.%u %c%d=%d %u;", thread, index,
                    "bec_RWF"[event->kind], location, (int)event -> value,
                    event -> kind == EVENT_KIND_READ ? thread_index(graph, event->source)
                                                     : event -> kind == EVENT_KIND_WRITE
                    ? event -> rank
                    : 0);
            }
}
