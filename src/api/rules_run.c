/* Running violation automata on a recorded history.
 *
 * Automata are for whole histories. An operation that never returned and whose method and value are
 * known all the same is read as returning at the end; one whose answer may have been any is left
 * out. What automata make of that is told, and decides nothing. */
#include "rules/run.h"

#include <stdlib.h>
#include <string.h>

#include "api/rules.h"
#include "base/log.h"
#include "base/require.h"
#include "base/text.h"
#include "value/print.h"

#define RULES_RUN_MAGIC UINT32_C(0x6c707276)
#define LEFT_OUT        UINT32_MAX

/* An event of the history: `returned` of an operation, at a position of its order. */
struct placed {
    uint64_t position;
    uint32_t operation;
    bool returned;
};

struct reading_history {
    lp_rules_run visible; /* first: lp_rules_run_destroy gets its address */
    uint32_t magic;
    lp_context *context;
    struct arena arena;
    const lp_rules *rules;
    const lp_history *history;
    struct spec *spec;
    size_t count; /* operations of the history */
    const char **methods;
    uint32_t *numbers; /* by operation: its number in the word; LEFT_OUT */
    uint32_t *of;      /* by number: the operation of the history */
    value *values;     /* by number of a value; VALUE_REFUSED: it is none that is recorded */
    uint32_t *adder;   /* by value: the operation that adds it; LEFT_OUT */
    uint32_t *taker;   /* of processes, by value: the operation that releases; LEFT_OUT */
    struct run_operation *operations;
    struct labelled_event *events;
    struct run_word word;
};

static enum status complain(const struct reading_history *reading, uint32_t line,
                            struct error *error, const char *what)
{
    return error_set(error, STATUS_INPUT, lp_history_name(reading->history), line, "%s", what);
}

/* ---- methods ---- */

static bool answers(const struct object_method *method, const lp_operation *operation)
{
    value result = operation->result;
    switch (method->result) {
    case RESULT_TRUE:
        return result == VALUE_TRUE;
    case RESULT_FALSE:
        return result == VALUE_FALSE;
    case RESULT_SYMBOL:
        return value_text_is(result, method->symbol);
    case RESULT_ANY:
        return true;
    default:
        break;
    }
    if (method->role == METHOD_ANSWERS)
        return operation->result_recorded && result != VALUE_NIL;
    return method->role != METHOD_EMPTY || (operation->result_recorded && result == VALUE_NIL);
}

/* The first method that the operation can be an event of; `*certain`: whatever it answers. */
static uint32_t find_method(const struct reading_history *reading, const lp_operation *operation,
                            bool *known, bool *certain)
{
    const struct rule_object *object = reading->rules->object;
    const struct spec_class *class = reading->spec->class;
    int own = spec_operation_find(class, operation->function, strlen(operation->function));
    uint32_t found = object->method_count, candidates = 0;
    bool ended = operation->response != LP_NEVER && operation->outcome == LP_OUTCOME_OK;
    for (uint32_t m = 0; m < object->method_count; m++) {
        const char *name = object->methods[m].operation;
        if (own < 0 || spec_operation_find(class, name, strlen(name)) != own)
            continue;
        candidates++;
        if (found == object->method_count &&
            (!ended || object->values_are_processes || answers(&object->methods[m], operation)))
            found = m;
    }
    *known = candidates > 0;
    *certain = candidates == 1 &&
               (object->values_are_processes || object->methods[found].role != METHOD_ANSWERS);
    return found;
}

/* ---- values ---- */

/* The number of a recorded value, a new one if there is none yet. */
static uint32_t number_value(struct reading_history *reading, value recorded)
{
    uint32_t number = 0;
    while (number < reading->word.value_count &&
           (recorded == VALUE_REFUSED || reading->values[number] != recorded))
        number++;
    if (number == reading->word.value_count) {
        reading->values[number] = recorded;
        reading->adder[number] = reading->taker[number] = LEFT_OUT;
        reading->word.value_count++;
    }
    return number;
}

/* Of a release: what its process has acquired last, and not released; LEFT_OUT: nothing. */
static uint32_t find_acquired(const struct reading_history *reading, lp_value process)
{
    for (uint32_t v = reading->word.value_count; v > 0; v--)
        if (reading->adder[v - 1] != LEFT_OUT && reading->taker[v - 1] == LEFT_OUT &&
            lp_history_operation(reading->history, reading->adder[v - 1]).process == process)
            return v - 1;
    return LEFT_OUT;
}

static enum status find_value(struct reading_history *reading, uint32_t index,
                              const struct object_method *method, uint32_t *number,
                              struct error *error)
{
    const lp_operation operation = lp_history_operation(reading->history, index);
    struct text text = TEXT_EMPTY;
    bool adds = method->role == METHOD_ADDS;
    if (reading->rules->object->values_are_processes)
        *number =
            adds ? number_value(reading, VALUE_REFUSED) : find_acquired(reading, operation.process);
    else if (method->role == METHOD_EMPTY)
        *number = number_value(reading, VALUE_REFUSED);
    else
        *number = number_value(reading, method->role == METHOD_ANSWERS ? operation.result
                                                                       : operation.argument);
    if (*number == LEFT_OUT)
        return complain(reading, operation.invoke_line, error,
                        "expected a process to release what it has acquired, which is what the "
                        "automata are for");
    if (adds && reading->adder[*number] != LEFT_OUT) {
        text_format(&text,
                    "expected each value to be added once, which is what the automata are "
                    "for, found a second `%s ",
                    operation.function);
        value_print_edn(operation.argument, &text);
        text_append(&text, "`");
        enum status status = complain(reading, operation.invoke_line, error, text_string(&text));
        text_release(&text);
        return status;
    }
    if (adds)
        reading->adder[*number] = index;
    else
        reading->taker[*number] = index;
    return STATUS_OK;
}

/* ---- the word ---- */

static enum status read_operation(struct reading_history *reading, uint32_t index,
                                  struct error *error)
{
    const lp_operation operation = lp_history_operation(reading->history, index);
    const struct rule_object *object = reading->rules->object;
    bool pending = operation.outcome == LP_OUTCOME_UNKNOWN || operation.response == LP_NEVER;
    bool known, certain;
    uint32_t method = find_method(reading, &operation, &known, &certain), number;
    char message[200];
    if (operation.object || operation.has_key)
        return complain(reading, operation.invoke_line, error,
                        "expected a history of one object, without keys");
    if (!known || (!pending && method == object->method_count)) {
        snprintf(message, sizeof message, "expected %s of a %s, found `%s`%s",
                 known ? "an answer" : "an operation", reading->rules->automata.items[0].object,
                 operation.function, known ? " with an answer that none of its methods has" : "");
        return complain(reading, operation.invoke_line, error, message);
    }
    if (operation.outcome == LP_OUTCOME_FAIL)
        reading->visible.failed++;
    else if (pending && !certain)
        reading->visible.left_out++;
    if (operation.outcome == LP_OUTCOME_FAIL || (pending && !certain))
        return STATUS_OK;
    reading->visible.completed += pending;
    TRY(find_value(reading, index, &object->methods[method], &number, error));
    reading->of[reading->word.operation_count] = index;
    reading->operations[reading->word.operation_count] = (struct run_operation){method, number};
    reading->numbers[index] = reading->word.operation_count++;
    reading->methods[index] = object->methods[method].name;
    return STATUS_OK;
}

static int by_position(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    return (a->position > b->position) - (a->position < b->position);
}

static enum status write_events(struct reading_history *reading)
{
    size_t count = reading->word.operation_count;
    struct placed *placed = arena_allocate(&reading->arena, (2 * count + 1) * sizeof *placed);
    TRY_MEMORY(placed);
    for (uint32_t i = 0; i < count; i++) {
        const lp_operation operation = lp_history_operation(reading->history, reading->of[i]);
        bool pending = operation.outcome == LP_OUTCOME_UNKNOWN || operation.response == LP_NEVER;
        placed[2 * i] = (struct placed){operation.invoke, i, false};
        placed[2 * i + 1] =
            (struct placed){pending ? (uint64_t)UINT32_MAX + i : operation.response, i, true};
    }
    qsort(placed, 2 * count, sizeof *placed, by_position);
    for (size_t at = 0; at < 2 * count; at++)
        reading->events[at] = (struct labelled_event){placed[at].operation, placed[at].returned};
    reading->word.events = reading->events;
    reading->word.operations = reading->operations;
    reading->word.length = 2 * count;
    return STATUS_OK;
}

/* Operations are met in the order of their calls, so that a release knows its acquire. */
static enum status read_history(struct reading_history *reading, struct error *error)
{
    size_t count = reading->count + 1;
    struct arena *arena = &reading->arena;
    struct placed *order = arena_allocate(arena, count * sizeof *order);
    reading->numbers = arena_allocate(arena, count * sizeof *reading->numbers);
    reading->of = arena_allocate(arena, count * sizeof *reading->of);
    reading->methods = arena_allocate(arena, count * sizeof *reading->methods);
    reading->visible.methods = reading->methods;
    reading->values = arena_allocate(arena, count * sizeof *reading->values);
    reading->adder = arena_allocate(arena, count * sizeof *reading->adder);
    reading->taker = arena_allocate(arena, count * sizeof *reading->taker);
    reading->operations = arena_allocate(arena, count * sizeof *reading->operations);
    reading->events = arena_allocate(arena, 2 * count * sizeof *reading->events);
    TRY_MEMORY(order && reading->numbers && reading->of && reading->methods && reading->values &&
               reading->adder && reading->taker && reading->operations && reading->events);
    for (uint32_t i = 0; i < reading->count; i++) {
        reading->numbers[i] = LEFT_OUT;
        reading->methods[i] = NULL;
        order[i] = (struct placed){lp_history_operation(reading->history, i).invoke, i, false};
    }
    qsort(order, reading->count, sizeof *order, by_position);
    for (size_t i = 0; i < reading->count; i++)
        TRY(read_operation(reading, order[i].operation, error));
    reading->visible.operations = reading->word.operation_count;
    return write_events(reading);
}

/* ---- running ---- */

static enum status keep_run(struct reading_history *reading, const struct run *run,
                            lp_rules_reading *kept)
{
    *kept = (lp_rules_reading){.accepted = run->accepted};
    if (!run->accepted)
        return STATUS_OK;
    unsigned char *colours = arena_allocate(&reading->arena, reading->count + 1);
    bool *marked = arena_allocate(&reading->arena, (reading->count + 1) * sizeof *marked);
    TRY_MEMORY(colours && marked);
    for (size_t i = 0; i < reading->count; i++) {
        uint32_t number = reading->numbers[i];
        bool read = number != LEFT_OUT;
        colours[i] = read ? run->colours[reading->operations[number].value] : 0;
        marked[i] = read && run->marked[number];
    }
    kept->colours = colours;
    kept->marked = marked;
    if (run->at < reading->word.length) {
        kept->operation = reading->of[reading->events[run->at].operation];
        kept->returned = reading->events[run->at].returns;
    }
    return STATUS_OK;
}

static enum status run_all(struct reading_history *reading, struct limits *limits)
{
    const lp_rules *rules = reading->rules;
    lp_rules_reading *readings =
        arena_allocate(&reading->arena, rules->automata.length * sizeof *readings);
    reading->visible.readings = readings;
    for (size_t a = 0; readings && a < rules->automata.length; a++) {
        struct prepared_automaton prepared;
        struct run run;
        TRY_MEMORY(automaton_prepare(&rules->automata.items[a], rules->object, &reading->arena,
                                     &prepared));
        TRY(automaton_run(&prepared, rules->automata.items[a].complete, &reading->word, limits,
                          &reading->arena, &run));
        TRY(keep_run(reading, &run, &readings[a]));
        reading->visible.accepting += run.accepted;
        LOG(limits->log, "automata: %s %s the history", rules->automata.items[a].name,
            run.accepted ? "accepts" : "does not accept");
    }
    return granted(readings);
}

/* ---- the answer ---- */

static enum status decide(struct reading_history *reading, const lp_rules_options *options,
                          struct error *error)
{
    lp_context *context = reading->context;
    lp_spec *spec = NULL;
    lp_result *result = NULL;
    lp_error fault = {0};
    const char *name = reading->rules->automata.items[0].object;
    const lp_spec_options owned = {.size = sizeof owned,
                                   .owned = reading->spec->class->takes_owned};
    lp_status status;
    if (reading->rules->script) {
        struct spec *own;
        TRY(rules_make_spec(reading->rules, &own, error));
        TRY(spec_wrap(context, own, NULL, NULL, &spec, error));
        status = LP_OK;
    } else {
        status = lp_spec_create(context, name, &owned, &spec, &fault);
    }
    const lp_binding binding = {NULL, spec};
    const lp_check_options inner = {
        .size = sizeof inner, .jobs = options->jobs, .timeout = options->timeout};
    if (status == LP_OK)
        status = lp_check(context, reading->history, &binding, 1, &inner, &result, &fault);
    lp_spec_destroy(spec);
    if (status != LP_OK)
        return error_set(error, status == LP_LIMIT ? STATUS_LIMIT : STATUS_INPUT, NULL, 0, "%s",
                         fault.message);
    reading->visible.decided = result->verdict;
    reading->visible.limit = result->limit;
    lp_result_destroy(result);
    return STATUS_OK;
}

static enum status conclude(struct reading_history *reading)
{
    lp_rules_run *visible = &reading->visible;
    struct text text = TEXT_EMPTY;
    size_t pending = visible->completed + visible->left_out;
    bool linearizable = visible->decided == LP_LINEARIZABLE;
    visible->verdict = linearizable == (visible->accepting == 0) ? LP_HOLDS : LP_VIOLATED;
    bool open = reading->rules->unmade.length > 0 && !linearizable && !visible->accepting;
    if (pending || open || visible->decided == LP_UNKNOWN)
        visible->verdict = LP_UNDECIDED;
    if (visible->decided == LP_UNKNOWN)
        text_append(&text, "a limit was reached before it was known whether the history is "
                           "linearizable; ");
    else
        text_format(&text, "the history is %slinearizable, and ", linearizable ? "" : "not ");
    if (visible->accepting)
        text_format(&text, "%zu of the automata %s it", visible->accepting,
                    visible->accepting == 1 ? "accepts" : "accept");
    else
        text_append(&text, "no automaton accepts it");
    if (open)
        text_append(&text, "; but of some rules, which it may violate, no automata are made");
    if (pending)
        text_append(&text,
                    "; but automata are for histories in which all operations have returned: ");
    if (visible->completed)
        text_format(&text, "%zu that did not %s read as if at the end", visible->completed,
                    visible->completed == 1 ? "is" : "are");
    if (visible->left_out)
        text_format(&text, "%s%zu, whose %s, %s left out", visible->completed ? ", and " : "",
                    visible->left_out,
                    visible->left_out == 1 ? "answer may be any" : "answers may be any",
                    visible->left_out == 1 ? "is" : "are");
    visible->reason = arena_copy_text(&reading->arena, text_string(&text), text.length);
    text_release(&text);
    return granted(visible->reason);
}

static enum status run_on(struct reading_history *reading, const lp_rules_options *options,
                          struct error *error)
{
    struct limits limits;
    uint64_t started = clock_nanoseconds();
    limits_for(&limits, reading->context, &reading->context->budget, options->timeout);
    TRY(rules_make_spec(reading->rules, &reading->spec, error));
    TRY(read_history(reading, error));
    TRY(run_all(reading, &limits));
    TRY(decide(reading, options, error));
    reading->visible.seconds = seconds_since(started);
    return conclude(reading);
}

lp_status lp_rules_run_on(lp_context *context, const lp_rules *rules, const lp_history *history,
                          const lp_rules_options *options, lp_rules_run **run, lp_error *error)
{
    lp_rules_options own;
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    REQUIRE_ALIVE(history, HISTORY_MAGIC);
    REQUIRE_NOT_NULL(run);
    REQUIRE_SIZED(&own, options, timeout);
    struct error fault = {0};
    *run = NULL;
    if (!rules->automata.length) {
        error_set(&fault, STATUS_USAGE, NULL, 0, "there are no automata to run");
        return report_status(STATUS_USAGE, &fault, error);
    }
    enum status status = STATUS_LIMIT;
    struct reading_history *reading = memory_zeroed(&context->budget, sizeof *reading);
    if (reading) {
        reading->magic = RULES_RUN_MAGIC;
        reading->context = context;
        reading->rules = rules;
        reading->history = history;
        reading->count = lp_history_length(history);
        arena_init(&reading->arena, &context->budget);
        status = run_on(reading, &own, &fault);
    }
    if (status == STATUS_LIMIT)
        error_set(&fault, status, NULL, 0, "a limit was reached before the history was read");
    lp_status told = report_status(status, &fault, error);
    if (status == STATUS_OK)
        *run = &reading->visible;
    else if (reading)
        lp_rules_run_destroy(&reading->visible);
    return told;
}

void lp_rules_run_destroy(lp_rules_run *run)
{
    if (!run)
        return;
    struct reading_history *reading = (struct reading_history *)run;
    REQUIRE_ALIVE(reading, RULES_RUN_MAGIC);
    reading->magic = 0;
    spec_destroy(reading->spec);
    arena_release(&reading->arena);
    memory_release(&reading->context->budget, reading, sizeof *reading);
}
