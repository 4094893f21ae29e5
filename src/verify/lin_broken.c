/* The automata read the history event by event, for every colouring of its values that an automaton
 * can tell apart. An operation that returned is read as a method that has its answer. */
#include "verify/lin_broken.h"

#include <string.h>

#include "spec/builtin.h"
#include "spec/spec.h"

#define MOST_OPERATIONS 12 /* more have too many colourings */
#define MOST_EVENTS     (2 * MOST_OPERATIONS)
#define MOST_NUMBERS    64  /* threads */
#define NO_VALUE        255 /* null, or an answer that is none */

enum answered {
    ANSWERED_NOT, /* pending */
    ANSWERED_PLAIN,
    ANSWERED_FALSE,
    ANSWERED_TRUE,
    ANSWERED_VALUE,
    ANSWERED_OTHER,
};

struct operation {
    const char *name;
    const char *symbol;       /* that it answered, or null */
    uint8_t argument, result; /* values, by number */
    uint8_t answered;         /* enum answered */
};

struct reading {
    const struct rule_object *object;
    const struct spec_class *class; /* of a built-in one; else null */
    const struct violation_automaton *automaton;
    struct operation operations[MOST_OPERATIONS];
    uint8_t events[MOST_EVENTS]; /* the operation; its second event is its return */
    unsigned operation_count, event_count;
    uint8_t running[MOST_NUMBERS]; /* by thread: 1 + its operation */
    uint8_t held[MOST_NUMBERS]; /* by thread, where values are processes: what it acquired last */
    unsigned processes;
    uint8_t colours[256]; /* by value; 0: none yet */
    struct {
        uint32_t method; /* of the automaton */
        uint8_t value;
        bool is_called;
    } read[MOST_OPERATIONS];
};

/* ---- the history ---- */

/* The value of an event, behind the thread; those from 200 on do not come up. */
static uint8_t value_in(const struct action *event)
{
    int32_t number = event->count > 1 ? (int32_t)event->components[1] : 0;
    return number > 0 && number < 200 ? (uint8_t)number : NO_VALUE;
}

static bool take_call(struct reading *reading, const struct action *event, uint32_t thread)
{
    if (reading->operation_count == MOST_OPERATIONS)
        return false;
    struct operation *operation = &reading->operations[reading->operation_count];
    *operation =
        (struct operation){.name = event->name, .argument = value_in(event), .result = NO_VALUE};
    if (reading->object->values_are_processes) {
        if (strcmp(reading->object->methods[0].operation, event->name) == 0)
            reading->held[thread] = (uint8_t)++reading->processes;
        operation->argument = operation->result = reading->held[thread];
    }
    reading->events[reading->event_count++] = (uint8_t)reading->operation_count++;
    reading->running[thread] = (uint8_t)reading->operation_count;
    return true;
}

static enum answered answer_of(const struct action *event)
{
    if (event->count > 1)
        return event->components[1] == COMPONENT_FALSE  ? ANSWERED_FALSE
               : event->components[1] == COMPONENT_TRUE ? ANSWERED_TRUE
                                                        : ANSWERED_VALUE;
    return event->symbol ? ANSWERED_OTHER : ANSWERED_PLAIN;
}

static void take_return(struct reading *reading, const struct action *event, uint32_t thread)
{
    unsigned number = reading->running[thread] - 1U;
    struct operation *operation = &reading->operations[number];
    operation->answered = (uint8_t)answer_of(event);
    operation->symbol = event->symbol;
    if (event->count > 1)
        operation->result = value_in(event);
    reading->events[reading->event_count++] = (uint8_t)number;
    reading->running[thread] = 0;
}

/* False if the history is too large. */
static bool take_history(struct reading *reading, const struct trace *trace)
{
    for (size_t i = 0; i < trace->steps.length; i++) {
        const struct trace_step *step = &trace->steps.items[i];
        const struct action *event = &step->said;
        bool calls = event->kind == LABEL_INVOKE;
        if (!step->visible || (!calls && event->kind != LABEL_RESPOND))
            continue;
        if (step->process >= MOST_NUMBERS)
            return false;
        if (calls && !take_call(reading, event, step->process))
            return false;
        if (!calls && reading->running[step->process])
            take_return(reading, event, step->process);
    }
    return true;
}

/* ---- the automaton ---- */

static bool is_named(const struct reading *reading, const struct operation *operation,
                     const char *name)
{
    const struct spec_class *class = reading->class;
    if (strcmp(name, operation->name) == 0)
        return true;
    int found = class ? spec_operation_find(class, operation->name, strlen(operation->name)) : -1;
    return found >= 0 && found == spec_operation_find(class, name, strlen(name));
}

static bool fits(const struct reading *reading, const struct operation *operation,
                 const struct object_method *method)
{
    if (!is_named(reading, operation, method->operation))
        return false;
    if (operation->answered == ANSWERED_NOT || method->result == RESULT_ANY)
        return true;
    if (method->result == RESULT_TRUE || method->result == RESULT_FALSE)
        return operation->answered ==
               (method->result == RESULT_TRUE ? ANSWERED_TRUE : ANSWERED_FALSE);
    if (method->result == RESULT_SYMBOL)
        return operation->symbol && strcmp(operation->symbol, method->symbol) == 0;
    return method->role == METHOD_EMPTY     ? operation->answered == ANSWERED_PLAIN
           : method->role == METHOD_ANSWERS ? operation->result != NO_VALUE
                                            : true;
}

/* Whether a value is brought in twice: of such histories the automata say nothing. */
static bool adds_twice(const struct reading *reading)
{
    const struct object_method *adds = reading->object->methods;
    bool added[256] = {false};
    for (unsigned i = 0; i < reading->operation_count; i++) {
        uint8_t number = reading->operations[i].argument;
        if (number == NO_VALUE || !fits(reading, &reading->operations[i], adds))
            continue;
        if (added[number])
            return true;
        added[number] = true;
    }
    return false;
}

/* An operation without a value, or that has not said which, has one of its own. */
static uint8_t value_of(const struct reading *reading, unsigned number,
                        const struct object_method *method)
{
    const struct operation *operation = &reading->operations[number];
    uint8_t found = method->role == METHOD_EMPTY     ? NO_VALUE
                    : method->role == METHOD_ANSWERS ? operation->result
                                                     : operation->argument;
    return found == NO_VALUE ? (uint8_t)(200 + number) : found;
}

static bool accepts(struct reading *reading, unsigned at, uint32_t state);

/* Reads an event with each colour that its value may have. */
static bool accepts_letter(struct reading *reading, unsigned at, uint32_t state)
{
    unsigned number = reading->events[at];
    uint8_t *colour = &reading->colours[reading->read[number].value], before = *colour;
    bool calls = !reading->read[number].is_called, accepted = false;
    reading->read[number].is_called = true;
    for (uint8_t c = before ? before : 1; !accepted && c <= (before ? before : 3); c++) {
        uint32_t next = violation_automaton_next(reading->automaton, state,
                                                 calls ? VIOLATION_CALL : VIOLATION_RETURN,
                                                 reading->read[number].method, c);
        *colour = c;
        accepted = next != VIOLATION_DEAD && accepts(reading, at + 1, next);
    }
    *colour = before;
    reading->read[number].is_called = !calls;
    return accepted;
}

/* A call is read as each method that it may be of. */
static bool accepts_call(struct reading *reading, unsigned at, uint32_t state)
{
    const struct violation_automaton *automaton = reading->automaton;
    unsigned number = reading->events[at];
    for (uint32_t m = 0; m < automaton->method_count; m++) {
        const char *name = automaton->methods[automaton->unmarked[m]];
        uint32_t found = rule_object_find_method(reading->object, name);
        const struct object_method *method = &reading->object->methods[found];
        if (found == reading->object->method_count ||
            !fits(reading, &reading->operations[number], method))
            continue;
        reading->read[number].method = m;
        reading->read[number].value = value_of(reading, number, method);
        if (accepts_letter(reading, at, state))
            return true;
    }
    return false;
}

static bool accepts(struct reading *reading, unsigned at, uint32_t state)
{
    if (reading->automaton->accepting[state] && !reading->automaton->complete[state])
        return true;
    if (at == reading->event_count)
        return false;
    return reading->read[reading->events[at]].is_called ? accepts_letter(reading, at, state)
                                                        : accepts_call(reading, at, state);
}

const struct violation_automaton *lin_find_broken(const struct trace *trace,
                                                  const struct violation_automata *automata)
{
    struct reading reading = {.object = automata->object};
    if (!automata->object)
        return NULL;
    reading.class = spec_class_find(automata->object->name, strlen(automata->object->name));
    if (!take_history(&reading, trace) || adds_twice(&reading))
        return NULL;
    for (size_t i = 0; i < automata->count; i++) {
        reading.automaton = &automata->items[i];
        if (reading.automaton->for_prefixes && accepts(&reading, 0, reading.automaton->initial))
            return reading.automaton;
    }
    return NULL;
}
