/* Random programs with random objects: what they print is compared with sets of prints that are
 * made one interleaving at a time; the specification's by an interpreter of the test's own. And
 * where an implementation linearizes the specification, no program prints anything new with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/interning.h"
#include "base/random.h"
#include "lin/check.h"
#include "support/lin_random.h"
#include "support/lin_random_write_once.h"
#include "support/lin_verdicts.h"
#include "support/seeds.h"
#include "value/print.h"
#include "verify/lin_instance_open.h"

#define MOST_WORK    20000 /* steps of a product */
#define MOST_RUNS    8000  /* pairs of a state and the prints before it, that are enumerated */
#define MOST_THREADS 3
#define MOST_LINES   16
#define VARIABLES    2 /* of a thread: v0, v1 */
#define MOST_WORDS   1200

/* ---- programs ----
 *
 * A thread is a list of lines, each written as a statement and interpreted as it stands. */

enum line_kind {
    LINE_CALL,   /* v = OP(arguments), or OP(arguments) */
    LINE_PRINT,  /* print v */
    LINE_TEXT,   /* print "t" */
    LINE_UNLESS, /* if (v == constant): else on at `to` */
    LINE_EITHER, /* on here or at `to` */
    LINE_JUMP,   /* on at `to` */
};

struct line {
    enum line_kind kind;
    const struct lin_operation *operation;
    int64_t low[4], high[4]; /* of arguments: one of these */
    int variable;            /* -1: none */
    int constant;            /* 0: null */
    uint32_t to;
};

struct program {
    struct random random;
    const struct lin_object *object;
    uint32_t threads, counts[MOST_THREADS], calls[MOST_THREADS];
    struct line lines[MOST_THREADS][MOST_LINES];
};

static bool constant_of(const struct lin_expression *expression, int64_t *number)
{
    *number = expression->integer;
    return expression->kind == LIN_EXPRESSION_INTEGER;
}

/* Arguments that the operation takes; false if there is no telling. */
static bool choose_arguments(struct program *program, struct line *line)
{
    for (uint32_t i = 0; i < line->operation->parameter_count; i++) {
        const struct lin_type *type = &line->operation->parameters[i]->type;
        int64_t low = type->kind == LIN_TYPE_VALUE, high = type->kind == LIN_TYPE_BOOL ? 1 : 2;
        if (i == 4 ||
            (type->low && (!constant_of(type->low, &low) || !constant_of(type->high, &high))))
            return false;
        line->low[i] = line->high[i] =
            low + random_below(&program->random, (uint32_t)(high - low + 1));
        if (type->kind == LIN_TYPE_VALUE && random_chance(&program->random, 1, 6)) {
            line->low[i] = low;
            line->high[i] = high;
        }
    }
    return true;
}

static bool add_call(struct program *program, uint32_t thread, int variable)
{
    const struct lin_object *object = program->object;
    struct line *line = &program->lines[thread][program->counts[thread]++];
    int64_t only = thread;
    *line = (struct line){.kind = LINE_CALL, .variable = variable};
    for (int tries = 0; tries < 10; tries++) {
        line->operation =
            object->operations[random_below(&program->random, object->operation_count)];
        if (!line->operation->only_thread ||
            (constant_of(line->operation->only_thread, &only) && only == thread))
            break;
    }
    program->calls[thread]++;
    return only == thread && choose_arguments(program, line);
}

static void add(struct program *program, uint32_t thread, struct line line)
{
    program->lines[thread][program->counts[thread]++] = line;
}

static bool add_lines(struct program *program, uint32_t thread)
{
    struct random *random = &program->random;
    uint32_t *count = &program->counts[thread];
    int variable = (int)random_below(random, VARIABLES);
    switch (random_below(random, 7)) {
    case 0:
        return add_call(program, thread, -1);
    case 1: { /* if (v == c) print v; */
        int constant = (int)random_below(random, 3);
        add(program, thread,
            (struct line){
                .kind = LINE_UNLESS, .variable = variable, .constant = constant, .to = *count + 2});
        add(program, thread, (struct line){.kind = LINE_PRINT, .variable = variable});
        return true;
    }
    case 2: /* either { print "t"; } or { call } */
        add(program, thread, (struct line){.kind = LINE_EITHER, .to = *count + 3});
        add(program, thread, (struct line){.kind = LINE_TEXT});
        add(program, thread, (struct line){.kind = LINE_JUMP, .to = *count + 2});
        return add_call(program, thread, variable);
    case 3:
        add(program, thread, (struct line){.kind = LINE_TEXT});
        return true;
    default:
        if (!add_call(program, thread, variable))
            return false;
        if (random_chance(random, 2, 3))
            add(program, thread, (struct line){.kind = LINE_PRINT, .variable = variable});
        return true;
    }
}

static bool make_program(struct program *program, const struct lin_object *object, uint64_t seed)
{
    *program = (struct program){.object = object};
    random_seed(&program->random, seed);
    program->threads = random_chance(&program->random, 1, 5) ? 3 : 2;
    for (uint32_t i = 0; i < program->threads; i++) {
        uint32_t most = program->threads == 3 ? 1 : 2 + random_below(&program->random, 3);
        for (uint32_t j = 0; j < most; j++)
            if (!add_lines(program, i))
                return false;
    }
    return true;
}

static void write_call(const struct line *line, struct text *text)
{
    if (line->variable >= 0)
        text_format(text, "v%d = ", line->variable);
    text_format(text, "%s(", line->operation->name);
    for (uint32_t i = 0; i < line->operation->parameter_count; i++) {
        text_append(text, i ? ", " : "");
        if (line->operation->parameters[i]->type.kind == LIN_TYPE_BOOL)
            text_append(text, line->low[i] ? "true" : "false");
        else if (line->low[i] == line->high[i])
            text_format(text, "%lld", (long long)line->low[i]);
        else
            text_format(text, "choose(%lld..%lld)", (long long)line->low[i],
                        (long long)line->high[i]);
    }
    text_append(text, ");\n");
}

static void write_line(const struct line *line, struct text *text)
{
    switch (line->kind) {
    case LINE_CALL:
        write_call(line, text);
        break;
    case LINE_PRINT:
        text_format(text, "print v%d;\n", line->variable);
        break;
    case LINE_TEXT:
        text_append(text, "print \"t\";\n");
        break;
    case LINE_UNLESS:
        if (line->constant)
            text_format(text, "if (v%d == %d)\n", line->variable, line->constant);
        else
            text_format(text, "if (v%d == empty)\n", line->variable);
        break;
    case LINE_EITHER:
        text_append(text, "either {\n");
        break;
    case LINE_JUMP:
        text_append(text, "} or {\n");
        break;
    }
}

static void write_program(const struct program *program, struct text *text)
{
    text_append(text, "program p {\n");
    for (uint32_t i = 0; i < program->threads; i++) {
        uint32_t closed = UINT32_MAX;
        text_append(text, "thread { value v0; value v1;\n");
        for (uint32_t j = 0; j < program->counts[i]; j++) {
            write_line(&program->lines[i][j], text);
            if (program->lines[i][j].kind == LINE_JUMP)
                closed = j + 1;
            if (closed == j)
                text_append(text, "}\n");
        }
        text_append(text, "}\n");
    }
    text_append(text, "}\n");
}

/* ---- what is printed ---- */

/* Sets of sequences of labels, all their beginnings among them. */
struct prints {
    struct word_arrays sequences;
    bool faults; /* some execution ends with a fault */
    bool complete;
};

static bool intern(struct word_arrays *arrays, const uint32_t *words, size_t count)
{
    bool fresh;
    assert_true(word_arrays_intern(arrays, words, count, &fresh) != UINT32_MAX);
    return fresh;
}

/* Whether all of one is in the other; that grows by what is not. */
static bool is_included(const struct prints *part, struct prints *whole)
{
    for (uint32_t i = 0; i < part->sequences.items.length; i++) {
        size_t length;
        const uint32_t *words = word_arrays_get(&part->sequences, i, &length);
        if (intern(&whole->sequences, words, length))
            return false;
    }
    return true;
}

/* Of a model: every run, one step at a time. */
static void enumerate(const struct lin_model *model, struct budget *budget, struct prints *prints)
{
    struct worker *worker = worker_create(&model->model);
    struct word_arrays runs;
    struct successors next;
    struct error error;
    uint32_t run[MOST_WORDS], words[MOST_WORDS], slots = model->model.slots;
    word_arrays_init(&runs, budget);
    successors_init(&next, budget);
    prints->complete = worker && slots < MOST_WORDS - 40;
    prints->complete = prints->complete && worker_initial(worker, &next, &error) == STATUS_OK;
    bool exhausted = next.exhausted;
    for (size_t i = 0; prints->complete && i < next.steps.length; i++)
        intern(&runs, next.states.items + i * slots, slots);
    for (uint32_t i = 0; prints->complete && i < runs.items.length; i++) {
        size_t length;
        const uint32_t *stored = word_arrays_get(&runs, i, &length);
        memcpy(run, stored, length * sizeof *run);
        intern(&prints->sequences, run + slots, length - slots);
        successors_clear(&next);
        prints->complete = i < MOST_RUNS && length < MOST_WORDS - 1 &&
                           worker_successors(worker, run, &next, &error) == STATUS_OK;
        exhausted |= next.exhausted;
        for (size_t j = 0; prints->complete && j < next.steps.length; j++) {
            label l = next.steps.items[j].label;
            size_t count = length;
            prints->faults |= l == model->fault && !model->options.ignores_faults;
            if (l == model->fault)
                continue;
            memcpy(words, next.states.items + j * slots, slots * sizeof *words);
            memcpy(words + slots, run + slots, (length - slots) * sizeof *words);
            if (l != LABEL_TAU)
                words[count++] = l;
            intern(&runs, words, count);
        }
    }
    prints->complete &= !exhausted;
    successors_release(&next);
    worker_destroy(worker);
    word_arrays_release(&runs);
}

/* ---- the specification's side, interpreted ---- */

/* lines, variables, prints, the object's state */
struct moment {
    uint32_t at[MOST_THREADS];
    value variables[MOST_THREADS][VARIABLES];
    uint32_t count;
    label printed[3 * MOST_LINES];
    size_t length;
    uint64_t object[64];
};

struct interpreter {
    const struct program *program;
    const struct spec *spec;
    struct labels *labels;
    struct prints *prints;
    struct word_arrays seen;
    VECTOR(struct moment) waiting;
};

static void reach(struct interpreter *all, const struct moment *moment)
{
    uint32_t words[sizeof *moment / sizeof(uint32_t)];
    struct moment clean;
    memset(&clean, 0, sizeof clean);
    memcpy(clean.at, moment->at, sizeof clean.at);
    memcpy(clean.variables, moment->variables, sizeof clean.variables);
    clean.count = moment->count;
    memcpy(clean.printed, moment->printed, moment->count * sizeof *moment->printed);
    clean.length = moment->length;
    memcpy(clean.object, moment->object, moment->length * sizeof *moment->object);
    memcpy(words, &clean, sizeof clean);
    if (!intern(&all->seen, words, ARRAY_LENGTH(words)))
        return;
    intern(&all->prints->sequences, moment->printed, moment->count);
    assert_true(vector_push(&all->waiting, clean));
}

static void print_in(struct interpreter *all, struct moment *moment, uint32_t thread,
                     const char *what)
{
    struct text name = TEXT_EMPTY;
    text_format(&name, "print.%u.%s", thread, what);
    moment->printed[moment->count++] =
        labels_intern_named(all->labels, LABEL_EVENT, text_string(&name), NULL, 0);
    text_release(&name);
}

static void print_value_in(struct interpreter *all, struct moment *moment, uint32_t thread, value v)
{
    struct text text = TEXT_EMPTY;
    if (v == VALUE_NIL)
        text_append(&text, "null");
    else if (v == VALUE_TRUE || v == VALUE_FALSE)
        text_append(&text, v == VALUE_TRUE ? "1" : "0");
    else
        value_print_edn(v, &text);
    print_in(all, moment, thread, text_string(&text));
    text_release(&text);
}

/* In every way that the arguments and the specification leave open. */
static void call(struct interpreter *all, const struct moment *before, uint32_t thread,
                 const struct line *line)
{
    const struct lin_operation *operation = line->operation;
    int found = spec_operation_find(all->spec->class, operation->name, strlen(operation->name));
    assert_true(found >= 0 && operation->parameter_count <= 1);
    bool takes = operation->parameter_count == 1;
    for (int64_t v = line->low[0]; v <= line->high[0]; v++) {
        struct recorded recorded = {.process = thread};
        struct call bound;
        struct text complaint = TEXT_EMPTY;
        if (takes)
            recorded.argument = operation->parameters[0]->type.kind == LIN_TYPE_BOOL
                                    ? value_boolean(v)
                                    : value_small(v);
        assert_int_equal(spec_bind(all->spec, (uint16_t)found, &recorded, &bound, &complaint),
                         STATUS_OK);
        struct outcomes outcomes;
        outcomes_init(&outcomes, NULL);
        assert_true(
            all->spec->class->step(all->spec, before->object, before->length, &bound, &outcomes));
        for (size_t i = 0; i < outcomes.items.length; i++) {
            const struct outcome *outcome = &outcomes.items.items[i];
            struct moment after = *before;
            assert_true(outcome->length <= ARRAY_LENGTH(after.object));
            after.at[thread]++;
            after.length = outcome->length;
            memcpy(after.object, outcomes.words.items + outcome->start,
                   outcome->length * sizeof *after.object);
            bool answers = all->spec->class->operations[found].result[0] != 0;
            if (line->variable >= 0)
                after.variables[thread][line->variable] = answers ? outcome->result : VALUE_NIL;
            reach(all, &after);
        }
        outcomes_release(&outcomes);
    }
}

static bool is_constant(value v, int constant)
{
    return constant == 0 ? v == VALUE_NIL
                         : v == value_small(constant) || (constant == 1 && v == VALUE_TRUE);
}

static void take_line(struct interpreter *all, const struct moment *before, uint32_t thread)
{
    const struct line *line = &all->program->lines[thread][before->at[thread]];
    struct moment after = *before;
    after.at[thread]++;
    switch (line->kind) {
    case LINE_CALL:
        call(all, before, thread, line);
        return;
    case LINE_PRINT:
        print_value_in(all, &after, thread, before->variables[thread][line->variable]);
        break;
    case LINE_TEXT:
        print_in(all, &after, thread, "\"t\"");
        break;
    case LINE_UNLESS:
        if (!is_constant(before->variables[thread][line->variable], line->constant))
            after.at[thread] = line->to;
        break;
    case LINE_EITHER:
        reach(all, &after);
        after.at[thread] = line->to;
        break;
    case LINE_JUMP:
        after.at[thread] = line->to;
        break;
    }
    reach(all, &after);
}

static void interpret(const struct program *program, const struct spec *spec, struct labels *labels,
                      struct budget *budget, struct prints *prints)
{
    struct interpreter all = {.program = program, .spec = spec, .labels = labels, .prints = prints};
    struct moment moment = {0};
    struct outcomes initial;
    word_arrays_init(&all.seen, budget);
    vector_init(&all.waiting, budget);
    outcomes_init(&initial, NULL);
    assert_true(spec->class->init(spec, VALUE_NIL, &initial));
    moment.length = initial.items.items[0].length;
    memcpy(moment.object, initial.words.items, moment.length * sizeof *moment.object);
    outcomes_release(&initial);
    reach(&all, &moment);
    prints->complete = true;
    while (all.waiting.length > 0 && prints->complete) {
        moment = all.waiting.items[--all.waiting.length];
        bool ended = true;
        for (uint32_t i = 0; i < program->threads; i++) {
            ended &= moment.at[i] == program->counts[i];
            if (moment.at[i] < program->counts[i])
                take_line(&all, &moment, i);
        }
        if (ended) {
            moment.printed[moment.count++] = LABEL_TERMINATE;
            intern(&prints->sequences, moment.printed, moment.count);
        }
        prints->complete = all.seen.items.length < MOST_RUNS;
    }
    vector_release(&all.waiting);
    word_arrays_release(&all.seen);
}

/* ---- the comparison ---- */

/* The assertions that stand behind the random ones. */
enum question {
    OBJECT_LINEARIZES, /* as many threads and operations as the program has */
    OBJECT_REFINES,
    SPEC_REFINES,
    OBJECT_REFINES_ITSELF,
    QUESTIONS,
};

static struct tally {
    unsigned verdicts[VERDICT_INTERNAL + 1], enumerated, linearizable, left_out;
} tally;

static const reductions all_sets[] = {
    REDUCE_PARTIAL_ORDER, REDUCE_SLICE,  REDUCE_ANTICHAIN, REDUCE_PARTIAL_ORDER | REDUCE_SLICE,
    REDUCE_WRITE_ONCE,    REDUCE_PURE,   REDUCE_STALE,     REDUCE_FIELDS,
    REDUCE_DECIDED,       REDUCE_DEFAULT};

static bool is_answer(enum verdict verdict)
{
    return verdict == VERDICT_HOLDS || verdict == VERDICT_VIOLATED || verdict == VERDICT_INTERNAL;
}

static void init_prints(struct prints *prints, struct budget *budget)
{
    *prints = (struct prints){0};
    word_arrays_init(&prints->sequences, budget);
}

/* Both sides' prints, enumerated; false where there are too many. */
static bool enumerate_sides(struct lin_fixture *fixture, const struct program *program,
                            size_t number, bool literal, struct prints *left, struct prints *right,
                            struct text *message)
{
    const struct lin_options nothing = {0};
    struct lin_instance implementation, specification;
    struct prints modelled;
    struct labels *labels = labels_create(&fixture->budget);
    init_prints(&modelled, &fixture->budget);
    assert_int_equal(lin_instance_open(&implementation, &fixture->module,
                                       &fixture->module.assertions.items[number], &nothing, labels,
                                       fixture->pool, &fixture->limits, &fixture->error),
                     STATUS_OK);
    assert_int_equal(lin_instance_open_specification(&specification, &implementation, &nothing),
                     STATUS_OK);
    enumerate(&implementation.model, &fixture->budget, left);
    enumerate(&specification.model, &fixture->budget, &modelled);
    if (literal)
        interpret(program, specification.spec, labels, &fixture->budget, right);
    else
        enumerate(&specification.model, &fixture->budget, right);
    bool complete = left->complete && right->complete;
    if (literal && modelled.complete && right->complete &&
        (!is_included(&modelled, right) || !is_included(right, &modelled)))
        text_append(message, "the model of the specification prints something else");
    word_arrays_release(&modelled.sequences);
    lin_instance_close(&specification);
    lin_instance_close(&implementation);
    labels_destroy(labels);
    return complete;
}

static bool refinement_differs(struct lin_fixture *fixture, const struct program *program,
                               size_t number, bool literal, enum verdict *full,
                               struct text *message)
{
    *full = lin_verdict(fixture, number, REDUCE_NONE, MOST_WORK);
    tally.verdicts[*full]++;
    if (*full == VERDICT_WRONG_TEXT || *full == VERDICT_INTERNAL)
        text_format(message, "assertion %zu: %s", number, fixture->error.message);
    for (size_t i = 0; i < ARRAY_LENGTH(all_sets) && is_answer(*full) && !message->length; i++) {
        enum verdict reduced = lin_verdict(fixture, number, all_sets[i], MOST_WORK);
        if (reduced == VERDICT_INTERNAL || (is_answer(reduced) && reduced != *full))
            text_format(message, "assertion %zu: it %s, with reductions %x it is %s: %s", number,
                        verdict_names[*full], all_sets[i], verdict_names[reduced],
                        fixture->error.message);
    }
    if (!is_answer(*full) || message->length)
        return message->length > 0;
    struct prints left, right;
    init_prints(&left, &fixture->budget);
    init_prints(&right, &fixture->budget);
    if (enumerate_sides(fixture, program, number, literal, &left, &right, message)) {
        tally.enumerated++;
        bool holds = !left.faults && is_included(&left, &right);
        if (holds != (*full == VERDICT_HOLDS))
            text_format(message, "assertion %zu: it %s, the prints say otherwise", number,
                        verdict_names[*full]);
    }
    word_arrays_release(&left.sequences);
    word_arrays_release(&right.sequences);
    return message->length > 0;
}

/* Whether clients call the object in an order: then it linearizes for these only. */
static bool has_order(const struct lin_fixture *fixture, const char *spec)
{
    const struct lin_object *own = lin_find_object(&fixture->module, spec, true);
    return strcmp(spec, "mutex") == 0 || strcmp(spec, "semaphore") == 0 ||
           (own && own->client_count);
}

static bool differs(const char *text, const struct program *program, struct text *message)
{
    struct lin_fixture fixture;
    enum verdict refines = VERDICT_WRONG_TEXT, ignored;
    bool parsed = lin_fixture_open(&fixture, text) && fixture.module.assertions.length > 0;
    if (!parsed)
        text_format(message, "%u: %s", fixture.error.line, fixture.error.message);
    size_t first = parsed ? fixture.module.assertions.length - QUESTIONS : 0;
    bool different =
        !parsed ||
        refinement_differs(&fixture, program, first + OBJECT_REFINES, true, &refines, message) ||
        refinement_differs(&fixture, program, first + SPEC_REFINES, false, &ignored, message) ||
        refinement_differs(&fixture, program, first + OBJECT_REFINES_ITSELF, false, &ignored,
                           message);
    if (!different && refines == VERDICT_VIOLATED &&
        !has_order(&fixture, fixture.module.assertions.items[first].specification.name) &&
        lin_verdict(&fixture, first, REDUCE_DEFAULT, MOST_WORK) == VERDICT_HOLDS) {
        text_append(message, "the program tells an object that linearizes its specification");
        different = true;
    } else if (!different && refines == VERDICT_HOLDS) {
        tally.linearizable +=
            lin_verdict(&fixture, first, REDUCE_DEFAULT, MOST_WORK) == VERDICT_HOLDS;
    }
    lin_fixture_close(&fixture);
    assert_int_equal(fixture.budget.used, 0);
    return different;
}

/* The random object of a seed, and a program for it; false where none can be made. The program
 * refers to `fixture`, which is left open. */
static bool make(uint64_t seed, struct lin_fixture *fixture, struct program *program,
                 struct text *text)
{
    (seed % 3 ? lin_random_print : lin_random_print_write_once)(seed, text);
    if (!lin_fixture_open(fixture, text_string(text)) ||
        !make_program(program, lin_find_object(&fixture->module, "it", false), seed))
        return false;
    const struct lin_reference *spec = &fixture->module.assertions.items[0].specification;
    const char *name = fixture->script.text + spec->at;
    int length = (int)(spec->end - spec->at);
    uint32_t calls = 1;
    for (uint32_t i = 0; i < program->threads; i++)
        calls = program->calls[i] > calls ? program->calls[i] : calls;
    write_program(program, text);
    text_format(text, "assert it linearizes %.*s with threads = %u, ops = %u, values = 2;\n",
                length, name, program->threads, calls);
    text_format(text, "assert p with it refines p with %.*s;\n", length, name);
    text_format(text, "assert p with %.*s refines p with it;\n", length, name);
    text_append(text, "assert p with it refines p with it;\n");
    return true;
}

static struct seeds seeds = {.first = 1, .count = 90};

static void programs_print_what_their_interleavings_do(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY, message = TEXT_EMPTY;
        struct lin_fixture fixture;
        struct program program;
        if (!make(seed, &fixture, &program, &text))
            tally.left_out++;
        else if (differs(text_string(&text), &program, &message))
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, text_string(&message),
                     text_string(&text));
        lin_fixture_close(&fixture);
        assert_int_equal(fixture.budget.used, 0);
        text_release(&message);
        text_release(&text);
    }
    print_message("seeds %llu to %llu:", (unsigned long long)seeds.first,
                  (unsigned long long)(seeds.first + seeds.count - 1));
    for (size_t i = 0; i <= VERDICT_INTERNAL; i++)
        print_message(" %u %s,", tally.verdicts[i], verdict_names[i]);
    print_message(" %u enumerated, %u of objects that linearize, %u left out\n", tally.enumerated,
                  tally.linearizable, tally.left_out);
    assert_true(tally.verdicts[VERDICT_HOLDS] > seeds.count / 2);
    assert_true(tally.verdicts[VERDICT_VIOLATED] > seeds.count / 8);
    assert_true(tally.enumerated > seeds.count / 2);
    assert_true(tally.linearizable > seeds.count / 8);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_print_what_their_interleavings_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
