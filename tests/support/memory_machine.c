/* Runs small programs one step at a time, in every order. */
#include "support/memory_oracle.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    BUFFER = 8,
    READS = 32
};

struct machine {
    uint64_t memory[PROGRAM_LOCATIONS];
    struct program_thread threads[PROGRAM_THREADS];
    struct {
        unsigned location;
        uint64_t value;
    } buffer[PROGRAM_THREADS][BUFFER];
    unsigned buffered[PROGRAM_THREADS];
    uint64_t reads[PROGRAM_THREADS][READS];
    unsigned read_count[PROGRAM_THREADS];
};

struct machine_search {
    const struct memory_program *program;
    bool buffers;
    struct text_set seen, *outcomes;
};

static void write_outcome(uint64_t reads[PROGRAM_THREADS][READS], const unsigned *counts,
                          char *words)
{
    size_t length = 0;
    words[0] = '\0';
    for (unsigned i = 0; i < PROGRAM_THREADS; i++) {
        for (unsigned j = 0; j < counts[i]; j++)
            length +=
                (size_t)snprintf(words + length, GRAPH_WORDS - length, "%d ", (int)reads[i][j]);
        length += (size_t)snprintf(words + length, GRAPH_WORDS - length, "| ");
    }
}

static uint64_t load(const struct machine *machine, unsigned thread, unsigned location)
{
    for (unsigned i = machine->buffered[thread]; i > 0; i--)
        if (machine->buffer[thread][i - 1].location == location)
            return machine->buffer[thread][i - 1].value;
    return machine->memory[location];
}

/* One instruction of a thread, `fails`: a weak compare-exchange that stores nothing all the same;
 * false if it has to wait for its buffer. */
static bool take_step(const struct machine_search *search, struct machine *machine, unsigned thread,
                      const struct program_instruction *next, bool fails)
{
    struct program_thread *state = &machine->threads[thread];
    bool locked = next->kind == PROGRAM_UPDATE || next->kind == PROGRAM_COMPARE_EXCHANGE ||
                  ((next->kind == PROGRAM_FENCE || next->kind == PROGRAM_STORE) &&
                   next->order == ORDER_SEQ_CST);
    bool reads = next->kind != PROGRAM_STORE && next->kind != PROGRAM_FENCE;
    uint64_t old = 0, stored;
    if (locked && machine->buffered[thread] > 0)
        return false;
    if (reads) {
        old = load(machine, thread, next->location);
        machine->reads[thread][machine->read_count[thread]++] = old;
    }
    if (!fails && memory_program_stores(next, state, old, &stored)) {
        if (locked || !search->buffers) {
            machine->memory[next->location] = stored;
        } else {
            unsigned at = machine->buffered[thread]++;
            assert(at < BUFFER);
            machine->buffer[thread][at].location = next->location;
            machine->buffer[thread][at].value = stored;
        }
    }
    memory_program_advance(next, state, old);
    return true;
}

static void flush_one(struct machine *machine, unsigned thread)
{
    machine->memory[machine->buffer[thread][0].location] = machine->buffer[thread][0].value;
    machine->buffered[thread]--;
    memmove(&machine->buffer[thread][0], &machine->buffer[thread][1],
            machine->buffered[thread] * sizeof machine->buffer[thread][0]);
    memset(&machine->buffer[thread][machine->buffered[thread]], 0,
           sizeof machine->buffer[thread][0]);
}

static void explore(struct machine_search *search, const struct machine *machine)
{
    char key[2 * sizeof *machine + 1], words[GRAPH_WORDS];
    const unsigned char *bytes = (const unsigned char *)machine;
    for (size_t i = 0; i < sizeof *machine; i++) {
        key[2 * i] = (char)('a' + bytes[i] / 16);
        key[2 * i + 1] = (char)('a' + bytes[i] % 16);
    }
    key[2 * sizeof *machine] = '\0';
    if (!text_set_add(&search->seen, key))
        return;
    bool finished = true;
    for (unsigned i = 0; i < search->program->threads; i++) {
        struct machine later = *machine;
        if (machine->buffered[i] > 0) {
            finished = false;
            flush_one(&later, i);
            explore(search, &later);
            later = *machine;
        }
        const struct program_instruction *next =
            memory_program_next(search->program, i, &later.threads[i]);
        finished &= !next && !later.threads[i].stuck;
        for (unsigned fails = 0; next && fails <= next->is_weak; fails++) {
            struct machine after = later;
            if (take_step(search, &after, i, next, fails))
                explore(search, &after);
        }
    }
    if (!finished)
        return;
    struct machine end = *machine;
    write_outcome(end.reads, end.read_count, words);
    (void)text_set_add(search->outcomes, words);
}

void memory_oracle_outcomes(const struct memory_program *program, enum memory_model model,
                            struct text_set *outcomes)
{
    struct machine_search search = {
        .program = program, .buffers = model == MEMORY_TSO, .outcomes = outcomes};
    struct machine machine;
    memset(&machine, 0, sizeof machine);
    explore(&search, &machine);
    text_set_release(&search.seen);
}

void memory_graph_outcome(const struct execution_graph *graph, char *words)
{
    uint64_t reads[PROGRAM_THREADS][READS];
    unsigned counts[PROGRAM_THREADS] = {0};
    for (unsigned index = 1; index < READS; index++)
        for (unsigned i = 0; i < graph->event_count; i++) {
            const struct execution_event *event = &graph->events[i];
            if (event->index == index && event->kind == EVENT_KIND_READ)
                reads[event->thread][counts[event->thread]++] = event->value;
        }
    write_outcome(reads, counts, words);
}
