/* The walk is an odometer: for each number of calls, each number of threads and each way to split
 * the calls among them it counts through all choices of operation and argument, and leaves out what
 * is not the least of its class. The class of a scenario is what becomes of it by permuting its
 * threads and numbering new values anew; what is out of some range then, or breaks only_thread, is
 * no scenario of the walk. */
#include "scenario/scenarios.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggestion.h"

const struct scenario_bounds scenarios_promised = {.calls = {[1] = 3, [2] = 7, [3] = 6}};
const struct scenario_bounds scenarios_larger = {.calls = {[2] = 12, [3] = 12, [4] = 12}};

/* ---- reading ---- */

struct reader {
    const char *text, *at;
    const struct scenario_interface *interface;
    struct scenario *scenario;
    bool is_missing[SCENARIO_CALLS]; /* a new value that is not given */
    struct error *error;
};

static void skip_blanks(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (at[length] && !strchr(";|", at[length]) && !isspace((unsigned char)at[length]))
        length++;
    return length;
}

static enum status complain(const struct reader *reader, const char *expected)
{
    unsigned column = (unsigned)(reader->at - reader->text) + 1;
    size_t length = word_length(reader->at);
    if (!*reader->at)
        return error_set(reader->error, STATUS_USAGE, NULL, 0,
                         "scenario, column %u: expected %s, found its end", column, expected);
    return error_set(reader->error, STATUS_USAGE, NULL, 0,
                     "scenario, column %u: expected %s, found `%.*s`", column, expected,
                     length ? (int)length : 1, reader->at);
}

static enum status complain_of_operation(const struct reader *reader)
{
    const struct scenario_interface *interface = reader->interface;
    const char *names[SCENARIO_OPERATIONS];
    struct text expected = TEXT_EMPTY;
    text_append(&expected, "an operation (");
    for (size_t i = 0; i < interface->count; i++) {
        names[i] = interface->operations[i].name;
        text_format(&expected, "%s%s", i ? ", " : "", names[i]);
    }
    size_t nearest = suggestion_find(reader->at, word_length(reader->at), names, interface->count);
    text_append(&expected, ")");
    if (nearest < interface->count)
        text_format(&expected, ", perhaps %s", names[nearest]);
    enum status status = complain(reader, text_string(&expected));
    text_release(&expected);
    return status;
}

static bool names_equal(const char *a, const char *b, size_t length)
{
    if (strlen(a) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (a[i] != b[i] && !(strchr("-_", a[i]) && strchr("-_", b[i])))
            return false;
    return true;
}

static enum status read_argument(struct reader *reader, struct scenario_call *call)
{
    const struct scenario_operation *operation = &reader->interface->operations[call->operation];
    bool fresh = scenario_operation_is_fresh(operation),
         given = *reader->at && !strchr(";|", *reader->at);
    char expected[160];
    snprintf(expected, sizeof expected,
             fresh ? "a number" : "a number from %" PRId64 " to %" PRId64, operation->from,
             operation->to);
    call->argument = 0;
    if (!scenario_operation_has_argument(operation))
        return given ? complain(reader, "; or | (the operation has no argument)") : STATUS_OK;
    if (!given && fresh) {
        reader->is_missing[reader->scenario->call_count] = true;
        return STATUS_OK;
    }
    if (!given && operation->from == operation->to) {
        call->argument = operation->from;
        return STATUS_OK;
    }
    char *end;
    errno = 0;
    long long number = strtoll(reader->at, &end, 10);
    if (end != reader->at + word_length(reader->at) || end == reader->at || errno ||
        (!fresh && (number < operation->from || number > operation->to)))
        return complain(reader, expected);
    reader->at = end;
    call->argument = number;
    return STATUS_OK;
}

static enum status read_call(struct reader *reader)
{
    struct scenario *scenario = reader->scenario;
    const struct scenario_interface *interface = reader->interface;
    size_t length = word_length(reader->at);
    struct scenario_call call = {0};
    while (call.operation < interface->count &&
           !names_equal(interface->operations[call.operation].name, reader->at, length))
        call.operation++;
    if (call.operation == interface->count)
        return complain_of_operation(reader);
    int only_thread = interface->operations[call.operation].only_thread;
    if (only_thread && (unsigned)only_thread != scenario->thread_count) {
        char expected[80];
        snprintf(expected, sizeof expected, "what thread %u may call", scenario->thread_count);
        return complain(reader, expected);
    }
    if (scenario->call_count == SCENARIO_CALLS)
        return complain(reader, "at most 16 calls");
    reader->at += length;
    skip_blanks(reader);
    TRY(read_argument(reader, &call));
    skip_blanks(reader);
    if (*reader->at && !strchr(";|", *reader->at))
        return complain(reader, "; or |");
    scenario->calls[scenario->call_count++] = call;
    scenario->lengths[scenario->thread_count - 1]++;
    return STATUS_OK;
}

static bool is_given(const struct reader *reader, int64_t number)
{
    const struct scenario *scenario = reader->scenario;
    for (unsigned i = 0; i < scenario->call_count; i++)
        if (!reader->is_missing[i] && scenario->calls[i].argument == number &&
            scenario_operation_is_fresh(
                &reader->interface->operations[scenario->calls[i].operation]))
            return true;
    return false;
}

static void fill_in_missing(struct reader *reader)
{
    int64_t next = 1;
    for (unsigned i = 0; i < reader->scenario->call_count; i++) {
        if (!reader->is_missing[i])
            continue;
        while (is_given(reader, next))
            next++;
        reader->scenario->calls[i].argument = next++;
    }
}

enum status scenario_parse(const char *text, const struct scenario_interface *interface,
                           struct scenario *scenario, struct error *error)
{
    struct reader reader = {
        .text = text, .at = text, .interface = interface, .scenario = scenario, .error = error};
    memset(scenario, 0, sizeof *scenario);
    scenario->thread_count = 1;
    for (;;) {
        skip_blanks(&reader);
        TRY(read_call(&reader));
        if (!*reader.at)
            break;
        if (*reader.at == '|' && scenario->thread_count++ == SCENARIO_THREADS)
            return complain(&reader, "at most 7 threads");
        reader.at++;
    }
    fill_in_missing(&reader);
    return STATUS_OK;
}

/* ---- printing ---- */

void scenario_print(const struct scenario *scenario, const struct scenario_interface *interface,
                    struct text *text)
{
    const struct scenario_call *call = scenario->calls;
    for (unsigned thread = 0; thread < scenario->thread_count; thread++) {
        text_append(text, thread ? " | " : "");
        for (unsigned i = 0; i < scenario->lengths[thread]; i++, call++) {
            const struct scenario_operation *operation = &interface->operations[call->operation];
            text_format(text, "%s%s", i ? "; " : "", operation->name);
            if (scenario_operation_has_argument(operation))
                text_format(text, " %" PRId64, call->argument);
        }
    }
}

/* ---- symmetry ---- */

/* New names of values that are new at each call, in the order in which they come up. */
struct renaming_of_fresh {
    int64_t old[SCENARIO_CALLS];
    unsigned count;
};

static int64_t renamed(const struct renaming_of_fresh *renaming, int64_t argument)
{
    for (unsigned i = 0; i < renaming->count; i++)
        if (renaming->old[i] == argument)
            return i + 1;
    return argument;
}

static bool call_is_fresh(const struct scenario_interface *interface,
                          const struct scenario_call *call)
{
    return scenario_operation_is_fresh(&interface->operations[call->operation]);
}

/* The scenario with thread `places[i]` in i-th place, and its new values numbered from 1. False if
 * a call is then out of its range or its thread. */
static bool permute(const struct scenario *from, const struct scenario_interface *interface,
                    const unsigned *places, struct scenario *to)
{
    unsigned starts[SCENARIO_THREADS], start = 0;
    struct renaming_of_fresh renaming = {.count = 0};
    for (unsigned i = 0; i < from->thread_count; i++) {
        starts[i] = start;
        start += from->lengths[i];
    }
    to->thread_count = from->thread_count;
    to->call_count = 0;
    for (unsigned i = 0; i < from->thread_count; i++) {
        to->lengths[i] = from->lengths[places[i]];
        for (unsigned j = 0; j < to->lengths[i]; j++) {
            struct scenario_call call = from->calls[starts[places[i]] + j];
            int only_thread = interface->operations[call.operation].only_thread;
            if (only_thread && (unsigned)only_thread != i + 1)
                return false;
            if (call_is_fresh(interface, &call))
                renaming.old[renaming.count++] = call.argument;
            to->calls[to->call_count++] = call;
        }
    }
    for (unsigned i = 0; i < to->call_count; i++) {
        struct scenario_call *call = &to->calls[i];
        const struct scenario_operation *operation = &interface->operations[call->operation];
        if (!scenario_operation_has_argument(operation))
            continue;
        call->argument = renamed(&renaming, call->argument);
        if (!scenario_operation_is_fresh(operation) &&
            (call->argument < operation->from || call->argument > operation->to))
            return false;
    }
    return true;
}

static int compare(const struct scenario *a, const struct scenario *b)
{
    for (unsigned i = 0; i < a->thread_count; i++)
        if (a->lengths[i] != b->lengths[i])
            return a->lengths[i] > b->lengths[i] ? -1 : 1;
    for (unsigned i = 0; i < a->call_count; i++) {
        const struct scenario_call *x = &a->calls[i], *y = &b->calls[i];
        if (x->operation != y->operation)
            return x->operation < y->operation ? -1 : 1;
        if (x->argument != y->argument)
            return x->argument < y->argument ? -1 : 1;
    }
    return 0;
}

/* The next permutation in lexicographic order; false behind the last one. */
static bool next_permutation(unsigned *places, unsigned count)
{
    unsigned i = count - 1;
    while (i > 0 && places[i - 1] > places[i])
        i--;
    if (i == 0)
        return false;
    unsigned j = count - 1;
    while (places[j] < places[i - 1])
        j--;
    unsigned moved = places[i - 1];
    places[i - 1] = places[j];
    places[j] = moved;
    for (j = count - 1; i < j; i++, j--) {
        moved = places[i];
        places[i] = places[j];
        places[j] = moved;
    }
    return true;
}

static bool is_least_of_its_class(const struct scenario *scenario,
                                  const struct scenario_interface *interface)
{
    unsigned places[SCENARIO_THREADS];
    for (unsigned i = 0; i < scenario->thread_count; i++)
        places[i] = i;
    while (next_permutation(places, scenario->thread_count)) {
        struct scenario permuted;
        if (permute(scenario, interface, places, &permuted) && compare(&permuted, scenario) < 0)
            return false;
    }
    return true;
}

/* ---- the walk ---- */

static bool add_choices(struct scenario_walk *walk, uint16_t number)
{
    const struct scenario_operation *operation = &walk->interface->operations[number];
    bool fresh = scenario_operation_is_fresh(operation);
    int64_t last = fresh ? operation->from : operation->to;
    for (int64_t argument = operation->from;; argument++) {
        if (walk->choice_count == SCENARIO_MOST_CHOICES)
            return false;
        walk->choices[walk->choice_count++] =
            (struct scenario_call){.operation = number, .argument = fresh ? 0 : argument};
        if (argument == last)
            return true;
    }
}

enum status scenario_walk_init(struct scenario_walk *walk,
                               const struct scenario_interface *interface,
                               const struct scenario_bounds *bounds,
                               const struct scenario_bounds *except, struct error *error)
{
    assert(interface->count > 0 && interface->count <= SCENARIO_OPERATIONS);
    *walk = (struct scenario_walk){.interface = interface, .bounds = *bounds};
    if (except)
        walk->except = *except;
    for (unsigned threads = 0; threads <= SCENARIO_THREADS; threads++)
        if (bounds->calls[threads] > SCENARIO_CALLS)
            return error_set(error, STATUS_USAGE, NULL, 0,
                             "scenarios: expected at most %d calls, found %u", SCENARIO_CALLS,
                             bounds->calls[threads]);
    for (uint16_t i = 0; i < interface->count; i++)
        if (!add_choices(walk, i))
            return error_set(error, STATUS_USAGE, NULL, 0,
                             "arguments of the operations: expected at most %d in all, found more "
                             "(%s is called from %" PRId64 " to %" PRId64 ")",
                             SCENARIO_MOST_CHOICES, interface->operations[i].name,
                             interface->operations[i].from, interface->operations[i].to);
    return STATUS_OK;
}

/* So many calls for so many threads are to be gone through. */
static bool is_in_bounds(const struct scenario_walk *walk, unsigned threads, unsigned calls)
{
    return threads <= calls && calls <= walk->bounds.calls[threads] &&
           calls > walk->except.calls[threads];
}

/* The last calls all to the first thread. */
static void split_first(struct scenario *scenario)
{
    for (unsigned i = 1; i < scenario->thread_count; i++)
        scenario->lengths[i] = 1;
    scenario->lengths[0] = scenario->call_count - scenario->thread_count + 1;
}

/* The next way to split the calls among the threads; false behind the last one. */
static bool split_next(struct scenario *scenario)
{
    unsigned last = scenario->thread_count - 1;
    for (unsigned i = last; i-- > 0;) {
        if (scenario->lengths[i] == 1)
            continue;
        unsigned moved = scenario->lengths[last] + 1; /* what is behind i + 1 has one each */
        scenario->lengths[i]--;
        scenario->lengths[last] = 1;
        scenario->lengths[i + 1] = moved;
        return true;
    }
    return false;
}

static bool next_size(struct scenario_walk *walk)
{
    struct scenario *scenario = &walk->scenario;
    do {
        if (++scenario->thread_count > SCENARIO_THREADS) {
            scenario->thread_count = 1;
            scenario->call_count++;
        }
        if (scenario->call_count > SCENARIO_CALLS)
            return false;
    } while (!is_in_bounds(walk, scenario->thread_count, scenario->call_count));
    split_first(scenario);
    return true;
}

/* The next choices of operations, splits or sizes; false behind the last. */
static bool advance(struct scenario_walk *walk)
{
    if (!walk->begun) {
        walk->begun = true;
        return next_size(walk);
    }
    for (unsigned i = walk->scenario.call_count; i-- > 0;) {
        if (++walk->chosen[i] < walk->choice_count)
            return true;
        walk->chosen[i] = 0;
    }
    return (walk->scenario.thread_count > 1 && split_next(&walk->scenario)) || next_size(walk);
}

/* Fills in the calls that are chosen; false if one may not stand in its thread. */
static bool make(struct scenario_walk *walk)
{
    struct scenario *scenario = &walk->scenario;
    int64_t fresh = 0;
    unsigned number = 0;
    for (unsigned thread = 0; thread < scenario->thread_count; thread++)
        for (unsigned i = 0; i < scenario->lengths[thread]; i++, number++) {
            struct scenario_call call = walk->choices[walk->chosen[number]];
            int only_thread = walk->interface->operations[call.operation].only_thread;
            if (only_thread && (unsigned)only_thread != thread + 1)
                return false;
            if (call_is_fresh(walk->interface, &call))
                call.argument = ++fresh;
            scenario->calls[number] = call;
        }
    return true;
}

bool scenario_walk_next(struct scenario_walk *walk, struct scenario *scenario)
{
    while (advance(walk))
        if (make(walk) && is_least_of_its_class(&walk->scenario, walk->interface)) {
            *scenario = walk->scenario;
            return true;
        }
    return false;
}
