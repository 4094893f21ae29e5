/* A labelling is a piece of work of its own. Its legal orders are found once, through the
 * specification; a history is linearizable if one of them contains its interval order. An automaton
 * is run on a word with the values coloured as they are met, so that what is dead is dead for all
 * colourings that begin so; all words of a history, or of its closure, are searched with the set of
 * calls and returns already read, and the state, as configuration. */
#include "rules/check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

#define LOOK_EVERY 1024 /* histories between two looks at the limits */

/* An automaton with its methods by role; what cannot lead to acceptance is dead. */
struct prepared {
    uint32_t *next; /* by state, event, role, mark and colour */
    const bool *accepting;
    uint32_t state_count, initial;
    bool has_copy[METHOD_ROLES]; /* of the method of that role */
    unsigned digits;             /* for what has been read of an operation, see search_from */
};

/* What one thread has found among the histories of one size. */
struct tally {
    struct rules_size size;
    uint64_t *accepted, *alone;
    struct rules_history *examples;
    size_t *example_at; /* labellings they are from */
    struct rules_history missed, false_alarm;
    size_t missed_at, false_alarm_at, culprit;
};

struct worker {
    const struct checking *checking;
    struct tally tally;
    struct legal_orders orders;
    uint64_t *seen; /* configurations of a search through words, as bits */
    bool in_blocks; /* the words searched are those of the history, else of its closure */
    uint8_t block_calls[2 * HISTORY_MOST_OPERATIONS]; /* by position: the block it is in */
    uint8_t block_returns[2 * HISTORY_MOST_OPERATIONS];
    size_t labelling_at;
    const struct labelling *labelling;
    const struct word *word;
    const struct prepared *automaton;
    uint8_t colours[HISTORY_MOST_OPERATIONS];
    unsigned marks; /* bits, by operation */
    bool stopped;   /* the limits were looked at, and reached */
    bool refused;
    struct error error;
};

struct checking {
    const struct rules_request *request;
    struct limits *limits;
    struct arena *arena;
    struct prepared *prepared;
    struct labellings labellings;
    struct worker *workers;
    unsigned size;
    size_t most_configurations; /* of any automaton */
    atomic_bool stopped;
    struct rules_finding *finding;
};

/* ---- automata ---- */

static size_t letter_of(uint32_t state, unsigned event, unsigned role, bool marked, unsigned colour)
{
    size_t method = (((size_t)state * 2 + event) * METHOD_ROLES + role) * 2 + marked;
    return method * VIOLATION_COLOURS + colour - 1;
}

#define LETTERS ((size_t)2 * METHOD_ROLES * 2 * VIOLATION_COLOURS)

/* Which states lead to acceptance, the accepting ones among them. */
static void find_useful(const struct prepared *prepared, bool *useful)
{
    memcpy(useful, prepared->accepting, prepared->state_count * sizeof *useful);
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t s = 0; s < prepared->state_count; s++)
            for (size_t l = 0; l < LETTERS && !useful[s]; l++) {
                uint32_t to = prepared->next[s * LETTERS + l];
                useful[s] = to != VIOLATION_DEAD && useful[to];
                grows = grows || useful[s];
            }
    }
}

/* Of a search through the words of histories of `operations`. */
static size_t count_configurations(const struct prepared *prepared, unsigned operations)
{
    size_t count = prepared->state_count;
    for (unsigned i = 0; i < operations; i++)
        count *= prepared->digits;
    return count;
}

static void set_letters(const struct violation_automaton *automaton, uint32_t method, unsigned role,
                        struct prepared *prepared)
{
    bool marked = automaton->unmarked[method] != method;
    for (uint32_t s = 0; s < automaton->state_count; s++)
        for (unsigned event = 0; event < 2; event++)
            for (unsigned colour = 1; colour <= VIOLATION_COLOURS; colour++)
                prepared->next[letter_of(s, event, role, marked, colour)] =
                    violation_automaton_next(automaton, s, event, method, colour);
    if (marked) {
        prepared->has_copy[role] = true;
        prepared->digits = 4;
    }
}

static bool prepare(struct checking *checking, const struct violation_automaton *automaton,
                    struct prepared *prepared)
{
    size_t count = automaton->state_count * LETTERS;
    bool *useful = arena_allocate(checking->arena, automaton->state_count * sizeof *useful);
    *prepared =
        (struct prepared){.next = arena_allocate(checking->arena, count * sizeof *prepared->next),
                          .accepting = automaton->accepting,
                          .state_count = automaton->state_count,
                          .initial = automaton->initial,
                          .digits = 3};
    if (!useful || !prepared->next)
        return false;
    for (size_t i = 0; i < count; i++)
        prepared->next[i] = VIOLATION_DEAD;
    for (uint32_t m = 0; m < automaton->method_count; m++) {
        const char *method = automaton->methods[automaton->unmarked[m]];
        uint32_t role = rule_object_find_method(checking->request->object, method);
        assert(role < METHOD_ROLES);
        set_letters(automaton, m, role, prepared);
    }
    find_useful(prepared, useful);
    for (size_t i = 0; i < count; i++)
        if (prepared->next[i] != VIOLATION_DEAD && !useful[prepared->next[i]])
            prepared->next[i] = VIOLATION_DEAD;
    size_t configurations = count_configurations(prepared, checking->request->bound);
    if (configurations > checking->most_configurations)
        checking->most_configurations = configurations;
    return true;
}

static uint32_t step(const struct worker *worker, uint32_t state, unsigned event,
                     unsigned operation)
{
    struct labelled_operation read = worker->labelling->operations[operation];
    bool marked = worker->marks >> operation & 1;
    return worker->automaton
        ->next[letter_of(state, event, read.role, marked, worker->colours[read.value])];
}

/* In how many ways an operation can be called: unmarked, and marked. */
static unsigned count_marks(const struct worker *worker, unsigned operation)
{
    return worker->automaton->has_copy[worker->labelling->operations[operation].role] ? 2 : 1;
}

static void set_mark(struct worker *worker, unsigned operation, unsigned mark)
{
    worker->marks = (worker->marks & ~(1u << operation)) | mark << operation;
}

/* Reads the rest of the word from `at` on; values without a colour, and operations that are called,
 * are tried with each colour and mark. */
static bool accepts_word(struct worker *worker, unsigned at, uint32_t state)
{
    if (at == worker->word->length)
        return worker->automaton->accepting[state];
    unsigned event = worker->word->events[at], operation = event & ~WORD_RETURN;
    uint8_t *colour = &worker->colours[worker->labelling->operations[operation].value];
    uint8_t first = *colour ? *colour : 1, last = *colour ? *colour : VIOLATION_COLOURS;
    uint8_t before = *colour;
    for (*colour = first; *colour <= last; (*colour)++) {
        unsigned marks = event >= WORD_RETURN ? 1 : count_marks(worker, operation);
        for (unsigned mark = 0; mark < marks; mark++) {
            if (event < WORD_RETURN)
                set_mark(worker, operation, mark);
            uint32_t next = step(worker, state, event >= WORD_RETURN, operation);
            if (next != VIOLATION_DEAD && accepts_word(worker, at + 1, next))
                return true;
        }
    }
    *colour = before;
    return false;
}

/* ---- many words ---- */

/* Words of one history differ in the order within blocks. */
static void find_blocks(struct worker *worker)
{
    const struct word *word = worker->word;
    for (unsigned start = 0, end; start < word->length; start = end) {
        unsigned kind = word->events[start] & WORD_RETURN, members = 0;
        for (end = start; end < word->length && (word->events[end] & WORD_RETURN) == kind; end++)
            members |= 1u << (word->events[end] & ~WORD_RETURN);
        for (unsigned at = start; at < end; at++) {
            worker->block_calls[at] = kind ? 0 : (uint8_t)members;
            worker->block_returns[at] = kind ? (uint8_t)members : 0;
        }
    }
}

/* The operations of which a call, or a return, may be read next. */
static unsigned readable_calls(const struct worker *worker, unsigned at, unsigned returned)
{
    unsigned calls = 0;
    if (worker->in_blocks)
        return worker->block_calls[at];
    for (unsigned i = 0; i < worker->labelling->count; i++)
        if (!(returned & ~(unsigned)worker->word->before[i]))
            calls |= 1u << i;
    return calls;
}

/* What has been read of an operation is a digit of a configuration's code: nothing, a call, a
 * return, or where the automaton reads marks the call of a marked one. */
enum {
    DIGIT_CALLED = 1,
    DIGIT_RETURNED,
    DIGIT_CALLED_MARKED
};

struct reading {
    unsigned called, returned; /* bits, by operation */
    unsigned at;               /* events so far */
    size_t code;
    uint32_t state;
};

static bool search_from(struct worker *worker, struct reading reading);

/* `power`: the value of the operation's digit. */
static bool search_call(struct worker *worker, struct reading reading, unsigned operation,
                        size_t power)
{
    for (unsigned mark = 0; mark < count_marks(worker, operation); mark++) {
        set_mark(worker, operation, mark);
        uint32_t next = step(worker, reading.state, VIOLATION_CALL, operation);
        size_t digit = mark ? DIGIT_CALLED_MARKED : DIGIT_CALLED;
        if (next != VIOLATION_DEAD &&
            search_from(worker,
                        (struct reading){reading.called | 1u << operation, reading.returned,
                                         reading.at + 1, reading.code + power * digit, next}))
            return true;
    }
    return false;
}

static bool search_return(struct worker *worker, struct reading reading, unsigned operation,
                          size_t power)
{
    uint32_t next = step(worker, reading.state, VIOLATION_RETURN, operation);
    size_t digit = worker->marks >> operation & 1 ? DIGIT_CALLED_MARKED : DIGIT_CALLED;
    size_t code = reading.code - power * digit + power * DIGIT_RETURNED;
    return next != VIOLATION_DEAD &&
           search_from(worker, (struct reading){reading.called, reading.returned | 1u << operation,
                                                reading.at + 1, code, next});
}

static bool search_from(struct worker *worker, struct reading reading)
{
    const struct prepared *automaton = worker->automaton;
    unsigned count = worker->labelling->count, at = reading.at;
    size_t configuration = reading.code * automaton->state_count + reading.state, power = 1;
    uint64_t bit = UINT64_C(1) << (configuration % 64);
    if (at == 2 * count)
        return automaton->accepting[reading.state];
    if (worker->seen[configuration / 64] & bit)
        return false;
    worker->seen[configuration / 64] |= bit;
    unsigned calls = readable_calls(worker, at, reading.returned) & ~reading.called;
    unsigned running = reading.called & ~reading.returned;
    unsigned returns = worker->in_blocks ? running & worker->block_returns[at] : running;
    for (unsigned i = 0; i < count; i++, power *= automaton->digits) {
        if ((calls >> i & 1 && search_call(worker, reading, i, power)) ||
            (returns >> i & 1 && search_return(worker, reading, i, power)))
            return true;
    }
    return false;
}

/* Whether some word of the history, or of its closure, is accepted with some colouring. */
static bool accepts_some_word(struct worker *worker, bool in_blocks)
{
    unsigned values = worker->labelling->value_count;
    size_t bits = count_configurations(worker->automaton, worker->labelling->count);
    memset(worker->colours, 1, sizeof worker->colours);
    worker->in_blocks = in_blocks;
    if (in_blocks)
        find_blocks(worker);
    for (;;) {
        memset(worker->seen, 0, (bits + 63) / 64 * sizeof *worker->seen);
        if (search_from(worker, (struct reading){.state = worker->automaton->initial}))
            return true;
        worker->stopped = worker->stopped || limits_reached(worker->checking->limits) != LIMIT_NONE;
        unsigned i = 0;
        while (i < values && worker->colours[i] == VIOLATION_COLOURS)
            worker->colours[i++] = 1;
        if (i == values || worker->stopped)
            return false;
        worker->colours[i]++;
    }
}

/* ---- histories ---- */

static void keep_history(const struct worker *worker, struct rules_history *kept)
{
    *kept = (struct rules_history){
        .found = true, .labelling = *worker->labelling, .word = *worker->word};
    kept->marks = worker->marks;
    memcpy(kept->colours, worker->colours, sizeof kept->colours);
}

static bool accepts(struct worker *worker, size_t automaton, bool linearizable)
{
    enum rules_words words = worker->checking->request->words;
    worker->automaton = &worker->checking->prepared[automaton];
    memset(worker->colours, 0, sizeof worker->colours);
    worker->marks = 0;
    if (accepts_word(worker, 0, worker->automaton->initial))
        return true;
    if (words == RULES_EXACT || (words == RULES_STRICT && !linearizable))
        return false;
    return accepts_some_word(worker, words == RULES_STRICT);
}

static void examine_linearizable(struct worker *worker)
{
    struct tally *tally = &worker->tally;
    tally->size.linearizable++;
    for (size_t a = 0; a < worker->checking->request->automaton_count; a++) {
        if (!accepts(worker, a, true))
            continue;
        tally->size.false_alarms++;
        if (!tally->false_alarm.found) {
            keep_history(worker, &tally->false_alarm);
            tally->false_alarm_at = worker->labelling_at;
            tally->culprit = a;
        }
        return;
    }
}

static void examine_violation(struct worker *worker)
{
    struct tally *tally = &worker->tally;
    size_t count = 0, last = 0;
    for (size_t a = 0; a < worker->checking->request->automaton_count; a++) {
        if (!accepts(worker, a, false))
            continue;
        count++;
        last = a;
        tally->accepted[a]++;
        if (!tally->examples[a].found) {
            keep_history(worker, &tally->examples[a]);
            tally->example_at[a] = worker->labelling_at;
        }
    }
    if (count == 1)
        tally->alone[last]++;
    if (count || worker->stopped)
        return;
    tally->size.missed++;
    if (!tally->missed.found) {
        memset(worker->colours, 0, sizeof worker->colours);
        worker->marks = 0;
        keep_history(worker, &tally->missed);
        tally->missed_at = worker->labelling_at;
    }
}

static bool examine(void *context, const struct word *word)
{
    struct worker *worker = context;
    worker->word = word;
    if (++worker->tally.size.histories % LOOK_EVERY == 0) {
        atomic_fetch_add(&worker->checking->limits->work, LOOK_EVERY);
        worker->stopped = limits_reached(worker->checking->limits) != LIMIT_NONE;
    }
    if (word_is_linearizable(word, worker->labelling, &worker->orders))
        examine_linearizable(worker);
    else
        examine_violation(worker);
    return !worker->stopped;
}

static void examine_labelling(void *context, size_t i, unsigned number)
{
    struct checking *checking = context;
    struct worker *worker = &checking->workers[number];
    const struct rules_request *request = checking->request;
    if (atomic_load(&checking->stopped))
        return;
    worker->labelling = &checking->labellings.items.items[i];
    worker->labelling_at = i;
    enum status status = legal_orders_find(request->spec, request->object, worker->labelling,
                                           &worker->orders, &worker->error);
    assert(status == STATUS_OK || status == STATUS_LIMIT);
    worker->refused = status != STATUS_OK;
    if (worker->refused || !words_visit(worker->labelling, request->matched, examine, worker))
        atomic_store(&checking->stopped, true);
}

/* ---- sizes ---- */

static bool open_worker(struct checking *checking, struct worker *worker)
{
    size_t count = checking->request->automaton_count;
    size_t bits = checking->most_configurations;
    struct tally *tally = &worker->tally;
    *worker = (struct worker){.checking = checking};
    vector_init(&worker->orders.operations, checking->limits->budget);
    tally->accepted = arena_allocate(checking->arena, count * sizeof *tally->accepted);
    tally->alone = arena_allocate(checking->arena, count * sizeof *tally->alone);
    tally->examples = arena_allocate(checking->arena, count * sizeof *tally->examples);
    tally->example_at = arena_allocate(checking->arena, count * sizeof *tally->example_at);
    worker->seen = arena_allocate(checking->arena, (bits + 63) / 64 * sizeof *worker->seen);
    return tally->accepted && tally->alone && tally->examples && tally->example_at && worker->seen;
}

static void clear_tally(struct tally *tally, size_t count)
{
    tally->size = (struct rules_size){0};
    memset(tally->accepted, 0, count * sizeof *tally->accepted);
    memset(tally->alone, 0, count * sizeof *tally->alone);
    memset(tally->examples, 0, count * sizeof *tally->examples);
    tally->missed.found = tally->false_alarm.found = false;
}

/* The one of the earliest labelling, whichever thread had it. */
static bool comes_first(const struct rules_history *found, size_t at,
                        const struct rules_history *best, size_t best_at)
{
    return found->found && (!best->found || at < best_at);
}

static void add_size(const struct rules_size *more, struct rules_size *sum)
{
    sum->histories += more->histories;
    sum->linearizable += more->linearizable;
    sum->missed += more->missed;
    sum->false_alarms += more->false_alarms;
}

/* Merges what the threads have found of one size into the first one's tally. */
static struct tally *merge_tallies(struct checking *checking)
{
    struct tally *sum = &checking->workers[0].tally;
    for (unsigned w = 1; w < checking->request->threads; w++) {
        const struct tally *tally = &checking->workers[w].tally;
        add_size(&tally->size, &sum->size);
        for (size_t a = 0; a < checking->request->automaton_count; a++) {
            sum->accepted[a] += tally->accepted[a];
            sum->alone[a] += tally->alone[a];
            if (comes_first(&tally->examples[a], tally->example_at[a], &sum->examples[a],
                            sum->example_at[a])) {
                sum->examples[a] = tally->examples[a];
                sum->example_at[a] = tally->example_at[a];
            }
        }
        if (comes_first(&tally->missed, tally->missed_at, &sum->missed, sum->missed_at)) {
            sum->missed = tally->missed;
            sum->missed_at = tally->missed_at;
        }
        if (comes_first(&tally->false_alarm, tally->false_alarm_at, &sum->false_alarm,
                        sum->false_alarm_at)) {
            sum->false_alarm = tally->false_alarm;
            sum->false_alarm_at = tally->false_alarm_at;
            sum->culprit = tally->culprit;
        }
    }
    return sum;
}

/* What a size that was not compared to its end has found counts as a difference, and for nothing
 * else. */
static void keep_size(struct checking *checking, bool whole)
{
    struct rules_finding *finding = checking->finding;
    const struct tally *sum = merge_tallies(checking);
    finding->missed = sum->missed;
    finding->false_alarm = sum->false_alarm;
    finding->culprit = sum->culprit;
    finding->by_size[checking->size] = sum->size;
    if (whole)
        finding->size = checking->size;
    for (size_t a = 0; a < checking->request->automaton_count; a++) {
        finding->accepted[a] += sum->accepted[a];
        finding->alone[a] += sum->alone[a];
        if (!finding->examples[a].found)
            finding->examples[a] = sum->examples[a];
    }
}

/* Whether to go on with the next size. */
static bool compare_size(struct checking *checking)
{
    const struct rules_request *request = checking->request;
    struct rules_finding *finding = checking->finding;
    checking->labellings.items.length = 0;
    bool whole =
        labellings_find(request->object, checking->size, request->matched, &checking->labellings);
    for (unsigned w = 0; w < request->threads; w++)
        clear_tally(&checking->workers[w].tally, request->automaton_count);
    if (whole)
        parallel_for(request->threads, checking->labellings.items.length, examine_labelling,
                     checking);
    whole = whole && !atomic_load(&checking->stopped);
    keep_size(checking, whole);
    if (!whole) {
        finding->limit = limits_reached(checking->limits);
        if (finding->limit == LIMIT_NONE)
            finding->limit = LIMIT_MEMORY;
    }
    return whole && !finding->missed.found && !finding->false_alarm.found;
}

static bool open_finding(struct checking *checking)
{
    struct rules_finding *finding = checking->finding;
    size_t count = checking->request->automaton_count;
    *finding = (struct rules_finding){0};
    finding->accepted = arena_allocate(checking->arena, count * sizeof *finding->accepted);
    finding->alone = arena_allocate(checking->arena, count * sizeof *finding->alone);
    finding->examples = arena_allocate(checking->arena, count * sizeof *finding->examples);
    if (!finding->accepted || !finding->alone || !finding->examples)
        return false;
    memset(finding->accepted, 0, count * sizeof *finding->accepted);
    memset(finding->alone, 0, count * sizeof *finding->alone);
    memset(finding->examples, 0, count * sizeof *finding->examples);
    return true;
}

static bool open_checking(struct checking *checking)
{
    const struct rules_request *request = checking->request;
    checking->prepared =
        arena_allocate(checking->arena, request->automaton_count * sizeof *checking->prepared);
    checking->workers =
        arena_allocate(checking->arena, request->threads * sizeof *checking->workers);
    bool good = checking->prepared && checking->workers && open_finding(checking);
    for (size_t a = 0; good && a < request->automaton_count; a++)
        good = prepare(checking, &request->automata[a], &checking->prepared[a]);
    for (unsigned w = 0; good && w < request->threads; w++)
        good = open_worker(checking, &checking->workers[w]);
    return good;
}

enum status rules_check(const struct rules_request *request, struct limits *limits,
                        struct arena *arena, struct rules_finding *finding, struct error *error)
{
    struct checking checking = {
        .request = request, .limits = limits, .arena = arena, .finding = finding};
    assert(request->bound >= 1 && request->bound <= HISTORY_MOST_OPERATIONS);
    assert(request->threads >= 1);
    if (!open_checking(&checking))
        return error_set(error, STATUS_LIMIT, NULL, 0, "memory");
    vector_init(&checking.labellings.items, limits->budget);
    bool going = true;
    for (checking.size = 1; checking.size <= request->bound && going; checking.size++)
        going = compare_size(&checking);
    finding->complete = finding->limit == LIMIT_NONE;
    vector_release(&checking.labellings.items);
    for (unsigned w = 0; w < request->threads; w++)
        vector_release(&checking.workers[w].orders.operations);
    return STATUS_OK;
}
