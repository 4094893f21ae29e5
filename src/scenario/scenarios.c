/* The walk is an odometer: for each number of calls, each number of threads and each way to split
 * the calls among them it counts through all choices of operation and argument, and leaves out what
 * is not the least of its class. The class of a scenario is what becomes of it by permuting its
 * threads and numbering new values anew; what is out of some range then, or breaks only_thread, is
 * no scenario of the walk. (Whether threads keep to their orders is the same in a whole class.) */
#include "scenario/scenarios.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/suggestion.h"

const struct scenario_bounds scenarios_promised = {.calls = {[1] = 3, [2] = 7, [3] = 6}};
const struct scenario_bounds scenarios_larger = {.calls = {[2] = 12, [3] = 12, [4] = 12}};

/* ---- reading ---- */

struct reader {
    const char *text, *at;
    const struct scenario_interface *interface;
    struct scenario *scenario;
    bool is_missing[SCENARIO_CALLS][3]; /* a new value that is not given, by argument */
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

/* What one argument of an operation may be. */
struct range {
    int64_t from, to;
};

static bool is_fresh(struct range range)
{
    return range.from > range.to;
}

static struct range range_of(const struct scenario_operation *operation, unsigned which)
{
    return which == 0   ? (struct range){operation->from, operation->to}
           : which == 1 ? (struct range){operation->from2, operation->to2}
                        : (struct range){operation->from3, operation->to3};
}

static unsigned argument_count(const struct scenario_operation *operation)
{
    return operation->takes_three + operation->takes_two +
           scenario_operation_has_argument(operation);
}

static int64_t *argument_of(struct scenario_call *call, unsigned which)
{
    return which == 0 ? &call->argument : which == 1 ? &call->second : &call->third;
}

static enum status read_argument(struct reader *reader, struct range range, bool *is_missing,
                                 int64_t *argument)
{
    bool fresh = is_fresh(range), given = *reader->at && !strchr(";|", *reader->at);
    char expected[160], *end;
    snprintf(expected, sizeof expected,
             fresh ? "a number" : "a number from %" PRId64 " to %" PRId64, range.from, range.to);
    if (!given && fresh) {
        *is_missing = true;
        return STATUS_OK;
    }
    if (!given && range.from == range.to) {
        *argument = range.from;
        return STATUS_OK;
    }
    errno = 0;
    long long number = strtoll(reader->at, &end, 10);
    if (end != reader->at + word_length(reader->at) || end == reader->at || errno ||
        (!fresh && (number < range.from || number > range.to)))
        return complain(reader, expected);
    reader->at = end;
    *argument = number;
    return STATUS_OK;
}

static enum status read_arguments(struct reader *reader, struct scenario_call *call)
{
    const struct scenario_operation *operation = &reader->interface->operations[call->operation];
    bool *is_missing = reader->is_missing[reader->scenario->call_count];
    unsigned count = argument_count(operation);
    for (unsigned i = 0; i < count; i++) {
        TRY(read_argument(reader, range_of(operation, i), &is_missing[i], argument_of(call, i)));
        skip_blanks(reader);
    }
    if (count == 0 && *reader->at && !strchr(";|", *reader->at))
        return complain(reader, "; or | (the operation has no argument)");
    return STATUS_OK;
}

/* Whether an operation that may be called once is among the calls so far. */
static bool is_one_too_many(const struct scenario_interface *interface,
                            const struct scenario_call *calls, unsigned count, uint16_t operation)
{
    if (interface->operations[operation].is_once)
        for (unsigned i = 0; i < count; i++)
            if (calls[i].operation == operation)
                return true;
    return false;
}

static enum status read_call(struct reader *reader)
{
    struct scenario *scenario = reader->scenario;
    const struct scenario_interface *interface = reader->interface;
    size_t length = word_length(reader->at);
    struct scenario_call call = {0};
    while (call.operation < interface->count &&
           !name_is(interface->operations[call.operation].name, reader->at, length))
        call.operation++;
    if (call.operation == interface->count)
        return complain_of_operation(reader);
    int only_thread = interface->operations[call.operation].only_thread;
    if (only_thread && (unsigned)only_thread != scenario->thread_count)
        return error_set(reader->error, STATUS_USAGE, NULL, 0,
                         "scenario, column %u: expected what thread %u may call, found `%.*s`: "
                         "only thread %d may call it",
                         (unsigned)(reader->at - reader->text) + 1, scenario->thread_count,
                         (int)length, reader->at, only_thread);
    if (is_one_too_many(interface, scenario->calls, scenario->call_count, call.operation))
        return error_set(reader->error, STATUS_USAGE, NULL, 0,
                         "scenario, column %u: expected an operation that may be called again, "
                         "found `%.*s`: only one call may be of it",
                         (unsigned)(reader->at - reader->text) + 1, (int)length, reader->at);
    if (scenario->call_count == SCENARIO_CALLS)
        return complain(reader, "at most 16 calls");
    reader->at += length;
    skip_blanks(reader);
    TRY(read_arguments(reader, &call));
    if (*reader->at && !strchr(";|", *reader->at))
        return complain(reader, "; or |");
    scenario->calls[scenario->call_count++] = call;
    scenario->lengths[scenario->thread_count - 1]++;
    return STATUS_OK;
}

static bool is_given(struct reader *reader, int64_t number)
{
    struct scenario *scenario = reader->scenario;
    for (unsigned i = 0; i < scenario->call_count; i++) {
        const struct scenario_operation *operation =
            &reader->interface->operations[scenario->calls[i].operation];
        for (unsigned j = 0; j < argument_count(operation); j++)
            if (!reader->is_missing[i][j] && *argument_of(&scenario->calls[i], j) == number &&
                is_fresh(range_of(operation, j)))
                return true;
    }
    return false;
}

static void fill_in_missing(struct reader *reader)
{
    int64_t next = 1;
    for (unsigned i = 0; i < reader->scenario->call_count; i++)
        for (unsigned j = 0; j < 3; j++) {
            if (!reader->is_missing[i][j])
                continue;
            while (is_given(reader, next))
                next++;
            *argument_of(&reader->scenario->calls[i], j) = next++;
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
            if (operation->takes_two)
                text_format(text, " %" PRId64, call->second);
            if (operation->takes_three)
                text_format(text, " %" PRId64, call->third);
        }
    }
}

void scenario_print_result(int64_t result, struct text *text)
{
    static const char *const names[] = {"empty", "done", "no", "yes"};
    if (result <= SCENARIO_YES)
        text_append(text, names[result - SCENARIO_EMPTY]);
    else
        text_format(text, "%" PRId64, result);
}

/* ---- symmetry ---- */

/* New names of values that are new at each call, in the order in which they come up. */
struct renaming_of_fresh {
    int64_t old[3 * SCENARIO_CALLS];
    unsigned count;
};

static int64_t renamed(const struct renaming_of_fresh *renaming, int64_t argument)
{
    for (unsigned i = 0; i < renaming->count; i++)
        if (renaming->old[i] == argument)
            return i + 1;
    return argument;
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
            const struct scenario_operation *operation = &interface->operations[call.operation];
            for (unsigned k = 0; k < argument_count(operation); k++)
                if (is_fresh(range_of(operation, k)))
                    renaming.old[renaming.count++] = *argument_of(&call, k);
            to->calls[to->call_count++] = call;
        }
    }
    for (unsigned i = 0; i < to->call_count; i++) {
        const struct scenario_operation *operation = &interface->operations[to->calls[i].operation];
        for (unsigned k = 0; k < argument_count(operation); k++) {
            struct range range = range_of(operation, k);
            int64_t *argument = argument_of(&to->calls[i], k);
            *argument = renamed(&renaming, *argument);
            if (!is_fresh(range) && (*argument < range.from || *argument > range.to))
                return false;
        }
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
        if (x->second != y->second)
            return x->second < y->second ? -1 : 1;
        if (x->third != y->third)
            return x->third < y->third ? -1 : 1;
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

/* ---- orders ---- */

/* The first call that is not in its thread's order; the number of calls: there is none. */
static unsigned find_out_of_order(const struct scenario *scenario,
                                  const struct scenario_interface *interface)
{
    unsigned number = 0;
    if (!interface->orders)
        return scenario->call_count;
    for (unsigned thread = 0; thread < scenario->thread_count; thread++) {
        orders_standing now = ORDERS_BETWEEN;
        for (unsigned i = 0; i < scenario->lengths[thread]; i++, number++) {
            now = orders_behind(interface->orders, now, scenario->calls[number].operation);
            if (!now)
                return number;
        }
    }
    return number;
}

bool scenario_is_in_order(const struct scenario *scenario,
                          const struct scenario_interface *interface)
{
    return find_out_of_order(scenario, interface) == scenario->call_count;
}

bool scenario_ends_orders(const struct scenario *scenario,
                          const struct scenario_interface *interface)
{
    unsigned number = 0;
    for (unsigned thread = 0; interface->orders && thread < scenario->thread_count; thread++) {
        orders_standing now = ORDERS_BETWEEN;
        for (unsigned i = 0; i < scenario->lengths[thread]; i++, number++)
            now = orders_behind(interface->orders, now, scenario->calls[number].operation);
        if (!(now & ORDERS_BETWEEN))
            return false;
    }
    return true;
}

/* ---- sets ---- */

struct scenario_bounds scenario_bounds_asked(unsigned threads, unsigned calls)
{
    enum {
        WITH_MORE = 6
    };
    struct scenario_bounds bounds = {.calls = {0}};
    unsigned most = threads ? threads : 3;
    for (unsigned i = 1; i <= most && i <= SCENARIO_THREADS; i++) {
        unsigned promised = scenarios_promised.calls[i];
        bounds.calls[i] = calls ? calls : promised ? promised : WITH_MORE;
    }
    return bounds;
}

/* ---- the walk ---- */

static bool add_choice(struct scenario_walk *walk, const struct scenario_call *call)
{
    if (walk->choice_count == SCENARIO_MOST_CHOICES)
        return false;
    walk->choices[walk->choice_count++] = *call;
    return true;
}

/* The numbers to choose from; of new values there is one, which stands for them. */
static struct range choices_of(const struct scenario_operation *operation, unsigned which)
{
    struct range range = range_of(operation, which);
    return is_fresh(range) || argument_count(operation) <= which ? (struct range){0, 0} : range;
}

static bool add_choices(struct scenario_walk *walk, uint16_t number)
{
    const struct scenario_operation *operation = &walk->interface->operations[number];
    struct range first = choices_of(operation, 0), second = choices_of(operation, 1);
    struct range third = choices_of(operation, 2);
    struct scenario_call call = {
        .operation = number, .argument = first.from, .second = second.from, .third = third.from};
    for (;;) { /* the last counts first */
        if (!add_choice(walk, &call))
            return false;
        if (call.third < third.to) {
            call.third++;
        } else if (call.second < second.to) {
            call.second++;
            call.third = third.from;
        } else if (call.argument < first.to) {
            call.argument++;
            call.second = second.from;
            call.third = third.from;
        } else {
            return true;
        }
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
    if (interface->orders && interface->orders->count > ORDERED_CALLS)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "orders of clients: expected at most %d calls in all, found %u",
                         ORDERED_CALLS, (unsigned)interface->orders->count);
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

/* The next choices with another one for call `last` or an earlier one, splits or sizes; false
 * behind the last. */
static bool advance(struct scenario_walk *walk, unsigned last)
{
    struct scenario *scenario = &walk->scenario;
    if (!walk->begun) {
        walk->begun = true;
        return next_size(walk);
    }
    memset(walk->chosen + last + 1, 0, (SCENARIO_CALLS - 1 - last) * sizeof *walk->chosen);
    for (unsigned i = last + 1; i-- > 0;) {
        if (++walk->chosen[i] < walk->choice_count)
            return true;
        walk->chosen[i] = 0;
    }
    return (scenario->thread_count > 1 && split_next(scenario)) || next_size(walk);
}

static void number_new_values(const struct scenario_interface *interface,
                              struct scenario_call *call, int64_t *last)
{
    const struct scenario_operation *operation = &interface->operations[call->operation];
    for (unsigned i = 0; i < argument_count(operation); i++)
        if (is_fresh(range_of(operation, i)))
            *argument_of(call, i) = ++*last;
}

/* Fills in the calls that are chosen. The first that may not stand in its place; the number of
 * calls: there is none. */
static unsigned make(struct scenario_walk *walk)
{
    struct scenario *scenario = &walk->scenario;
    int64_t fresh = 0;
    unsigned number = 0, wrong = scenario->call_count, out_of_order;
    for (unsigned thread = 0; thread < scenario->thread_count; thread++)
        for (unsigned i = 0; i < scenario->lengths[thread]; i++, number++) {
            struct scenario_call call = walk->choices[walk->chosen[number]];
            int only_thread = walk->interface->operations[call.operation].only_thread;
            bool is_elsewhere = only_thread && (unsigned)only_thread != thread + 1;
            if (number < wrong && (is_elsewhere || is_one_too_many(walk->interface, scenario->calls,
                                                                   number, call.operation)))
                wrong = number;
            number_new_values(walk->interface, &call, &fresh);
            scenario->calls[number] = call;
        }
    out_of_order = find_out_of_order(scenario, walk->interface);
    return out_of_order < wrong ? out_of_order : wrong;
}

static bool reaches_limit(struct scenario_walk *walk)
{
    enum {
        TRIES_A_LOOK = 1024
    };
    return walk->limits && ++walk->tries % TRIES_A_LOOK == 0 &&
           limits_reached(walk->limits) != LIMIT_NONE;
}

bool scenario_walk_next(struct scenario_walk *walk, struct scenario *scenario)
{
    unsigned last = walk->begun ? walk->scenario.call_count - 1 : 0;
    while (!walk->ended && advance(walk, last)) {
        unsigned wrong = make(walk), count = walk->scenario.call_count;
        last = wrong < count ? wrong : count - 1;
        if (wrong == count && is_least_of_its_class(&walk->scenario, walk->interface)) {
            *scenario = walk->scenario;
            return true;
        }
        walk->is_cut_off = reaches_limit(walk);
        if (walk->is_cut_off)
            break;
    }
    walk->ended = true;
    return false;
}
