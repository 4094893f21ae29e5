/* Linearization points for the operations of other threads, on random implementations: the answer,
 * with whatever reductions, is that of an interpreter of its own, which takes every interleaving of
 * the statements and knows nothing of the program's compiled form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/interning.h"
#include "base/random.h"
#include "support/lin_verdicts.h"
#include "support/seeds.h"

#define THREADS   2
#define MOST      7 /* statements of an operation */
#define MOST_WORK 60000

/* ---- programs: two operations, swap(v) and read(), of one cell ---- */

enum kind {
    ASK,        /* asked[thread] = v; */
    LOOK,       /* w = waiting; */
    REGISTER,   /* waiting = thread + 1; */
    LEAVE,      /* waiting = 0; */
    READ,       /* r = last; */
    WRITE,      /* last = v; */
    SWAP,       /* r = swap(last, v); */
    READ_ASKED, /* u = asked[1 - thread]; */
    READ_REPLY, /* r = reply[thread]; */
    REPLY,      /* reply[1 - thread] = r; */
    HELP,       /* atomic { r = last; last = u; reply[1 - thread] = r; ... } */
    SERVE,      /* atomic { if (asked[1 - thread] != none) { what it asks for is done; ... } } */
    SERVE_SELF, /* the same with asked[thread] */
    IF_CAS,     /* if (cas(waiting, w, 0)) { ... } */
    IF_CAS_IN,  /* if (cas(waiting, 0, thread + 1)) { ... } */
    IF_WAITS,   /* if (waiting == thread + 1) { ... } */
    IF_LEFT,    /* if (waiting != thread + 1) { ... } */
    KINDS,
};

static const char *const texts[KINDS] = {
    [ASK] = "asked[thread] = v; ",
    [LOOK] = "w = waiting; ",
    [REGISTER] = "waiting = thread + 1; ",
    [LEAVE] = "waiting = 0; ",
    [READ] = "r = last; ",
    [WRITE] = "last = v; ",
    [SWAP] = "r = swap(last, v); ",
    [READ_ASKED] = "u = asked[1 - thread]; ",
    [READ_REPLY] = "r = reply[thread]; ",
    [REPLY] = "reply[1 - thread] = r; ",
    [HELP] = "atomic { r = last; last = u; reply[1 - thread] = r; ",
    [SERVE] = "atomic { if (asked[1 - thread] != none) { r = last; last = asked[1 - thread]; "
              "asked[1 - thread] = none; reply[1 - thread] = r; ",
    [SERVE_SELF] = "atomic { if (asked[thread] != none) { r = last; last = asked[thread]; "
                   "asked[thread] = none; reply[thread] = r; ",
    [IF_CAS] = "if (cas(waiting, w, 0)) { ",
    [IF_CAS_IN] = "if (cas(waiting, 0, thread + 1)) { ",
    [IF_WAITS] = "if (waiting == thread + 1) { ",
    [IF_LEFT] = "if (waiting != thread + 1) { ",
};

/* Whose point: the operation's own where none is said. */
enum owner {
    OWN,
    OTHER,
    SELF,
    LOOKED_AT, /* w - 1, which may be nobody */
    FIRST,
    OWNERS,
};

static const char *const owners[OWNERS] = {"", "1 - thread: ", "thread: ", "w - 1: ", "0: "};

/* What is answered. */
enum answer {
    ANSWER_R,
    ANSWER_U,
    ANSWER_OPEN,
    ANSWERS,
};

static const char *const answers[ANSWERS] = {"r", "u", ""};

struct point {
    enum owner owner;
    enum answer answer;
};

struct statement {
    enum kind kind;
    struct point points[2]; /* behind it, or in its block */
    unsigned point_count;
    bool returns; /* r, likewise */
};

struct operation {
    struct statement statements[MOST];
    unsigned count;
    enum answer answer; /* what it returns at the end */
    bool takes;         /* an argument */
};

struct program {
    struct operation operations[2];
    unsigned times; /* that each thread calls */
    bool opaque;    /* values, not numbers */
};

static bool is_conditional(enum kind kind)
{
    return kind >= IF_CAS;
}

static struct point make_point(struct random *random)
{
    static const enum owner drawn[] = {OWN, OWN, OTHER, OTHER, SELF, LOOKED_AT, LOOKED_AT, FIRST};
    return (struct point){drawn[random_below(random, ARRAY_LENGTH(drawn))],
                          random_chance(random, 1, 3)   ? ANSWER_OPEN
                          : random_chance(random, 3, 4) ? ANSWER_R
                                                        : ANSWER_U};
}

static struct statement make_statement(struct random *random, enum kind kind, unsigned chance)
{
    struct statement made = {.kind = kind};
    while (made.point_count < 2 && random_chance(random, chance, 10))
        made.points[made.point_count++] = make_point(random);
    made.returns = is_conditional(kind) && random_chance(random, 1, 3);
    return made;
}

static void add(struct operation *operation, struct statement made)
{
    if (operation->count < MOST)
        operation->statements[operation->count++] = made;
}

/* A kind of statement that the operation may have: without an argument none that names it. */
static enum kind draw_kind(struct random *random, const struct operation *operation)
{
    static const enum kind without[] = {LOOK,  REGISTER, LEAVE,  READ,    READ_ASKED, READ_REPLY,
                                        REPLY, HELP,     IF_CAS, IF_LEFT, IF_WAITS,   IF_CAS_IN};
    return operation->takes ? (enum kind)random_below(random, KINDS)
                            : without[random_below(random, ARRAY_LENGTH(without))];
}

/* Something that is nearly right: it takes effect by itself, or helps the one that waits. */
static void make_sensible(struct random *random, struct operation *operation)
{
    static const struct point own = {OWN, ANSWER_R}, other = {OTHER, ANSWER_R};
    struct statement effect = {
        .kind = operation->takes ? SWAP : READ, .points = {own}, .point_count = 1};
    struct statement help = {.kind = HELP, .points = {other}, .point_count = 1};
    struct statement look = {.kind = LOOK}, read = {.kind = READ_ASKED};
    struct statement won = {.kind = IF_CAS,
                            .points = {{LOOKED_AT, ANSWER_OPEN}},
                            .point_count = random_below(random, 2)};
    if (random_chance(random, 1, 3)) {
        add(operation, look);
        add(operation, read);
        add(operation, won);
        if (random_chance(random, 1, 2))
            add(operation, help);
    }
    add(operation, effect);
    if (random_chance(random, 1, 4))
        operation->statements[random_below(random, operation->count)] =
            make_statement(random, draw_kind(random, operation), 3);
}

static void make_operation(struct random *random, struct operation *operation)
{
    if (random_chance(random, 1, 2)) {
        make_sensible(random, operation);
        return;
    }
    unsigned count = 1 + random_below(random, MOST - 2);
    for (unsigned i = 0; i < count; i++)
        add(operation, make_statement(random, draw_kind(random, operation), 2));
    operation->answer = random_chance(random, 4, 5) ? ANSWER_R : ANSWER_U;
}

/* Both threads find each other: one waits with its argument, the other gives it its answer. */
static void make_rendezvous(struct random *random, struct operation *operation)
{
    static const struct point others = {LOOKED_AT, ANSWER_R}, own = {OWN, ANSWER_R};
    add(operation, (struct statement){.kind = ASK});
    add(operation, (struct statement){.kind = IF_CAS_IN});
    add(operation, (struct statement){.kind = LOOK});
    add(operation, (struct statement){.kind = READ_ASKED});
    add(operation, make_statement(random, random_chance(random, 1, 2) ? IF_CAS : IF_LEFT, 3));
    struct statement help = {.kind = HELP, .points = {others}, .point_count = 1};
    if (random_chance(random, 1, 2))
        help.points[help.point_count++] = own;
    add(operation, help);
    add(operation, make_statement(random, READ_REPLY, 1));
}

/* What is asked for is done by whoever comes first, then by the one that asked. */
static void make_announced(struct random *random, struct program *program)
{
    struct statement serve = {.kind = SERVE, .points = {{OTHER, ANSWER_R}}, .point_count = 1};
    struct statement serve_self = {
        .kind = SERVE_SELF, .points = {{OWN, ANSWER_R}}, .point_count = 1};
    struct statement ask = {.kind = ASK}, reply = {.kind = READ_REPLY};
    struct statement read = {.kind = READ, .points = {{OWN, ANSWER_R}}, .point_count = 1};
    struct operation *first = &program->operations[0], *second = &program->operations[1];
    first->count = second->count = 0;
    first->answer = second->answer = ANSWER_R;
    add(first, ask);
    if (random_chance(random, 2, 3))
        add(first, serve);
    add(first, serve_self);
    add(first, reply);
    if (random_chance(random, 2, 3))
        add(second, serve);
    add(second, read);
    struct operation *changed = random_chance(random, 1, 2) ? first : second;
    struct statement *statement = &changed->statements[random_below(random, changed->count)];
    if (random_chance(random, 1, 3))
        *statement = make_statement(random, draw_kind(random, changed), 3);
    else if (statement->point_count && random_chance(random, 1, 3))
        statement->points[0] = make_point(random);
}

static void make_program(uint64_t seed, struct program *program)
{
    struct random random;
    random_seed(&random, seed);
    *program = (struct program){.times = 1 + random_below(&random, 2),
                                .opaque = random_chance(&random, 1, 2)};
    program->operations[0].takes = true;
    for (size_t i = 0; i < ARRAY_LENGTH(program->operations); i++)
        make_operation(&random, &program->operations[i]);
    if (random_chance(&random, 1, 2)) {
        make_announced(&random, program);
    } else if (random_chance(&random, 1, 4)) {
        program->operations[0].count = 0;
        make_rendezvous(&random, &program->operations[0]);
    }
}

/* ---- as text ---- */

static void print_points(const struct statement *statement, struct text *text)
{
    for (unsigned i = 0; i < statement->point_count; i++) {
        const struct point *point = &statement->points[i];
        text_format(text, "linearize %s%s; ", owners[point->owner], answers[point->answer]);
    }
}

/* The statement's text, with the null of its type. */
static void print_kind(enum kind kind, bool opaque, struct text *text)
{
    const char *from = texts[kind], *none;
    for (; (none = strstr(from, "none")); from = none + 4) {
        text_append_bytes(text, from, (size_t)(none - from));
        text_append(text, opaque ? "null" : "0");
    }
    text_append(text, from);
}

static void print_operation(const struct operation *operation, bool opaque, struct text *text)
{
    const char *type = opaque ? "value" : "int(0..2)";
    text_format(text, "%s r; %s u; int(0..2) w;\n", type, type);
    for (unsigned i = 0; i < operation->count; i++) {
        const struct statement *statement = &operation->statements[i];
        print_kind(statement->kind, opaque, text);
        print_points(statement, text);
        if (statement->returns)
            text_append(text, "return r; ");
        if (is_conditional(statement->kind) || statement->kind == HELP)
            text_append(text, "} ");
        else if (statement->kind == SERVE || statement->kind == SERVE_SELF)
            text_append(text, "} } ");
        text_append_char(text, '\n');
    }
    text_format(text, "return %s; }\n", answers[operation->answer]);
}

static void print_program(const struct program *program, struct text *text)
{
    const char *type = program->opaque ? "value" : "int(0..2)";
    const char *taken = program->opaque ? "value" : "int(1..2)";
    text_format(text,
                "spec cell { %s last; op swap_in(%s v) { %s o = last; last = v; return o; }"
                " op read() { return last; } }\n",
                program->opaque ? "value" : "int", taken, program->opaque ? "value" : "int");
    text_format(text,
                "impl it { shared %s last; shared %s asked[threads]; shared %s reply[threads];"
                " shared int(0..2) waiting;\nop swap_in(%s v) { ",
                type, type, type, taken);
    print_operation(&program->operations[0], program->opaque, text);
    text_append(text, "op read() { ");
    print_operation(&program->operations[1], program->opaque, text);
    text_format(text,
                "}\nassert it linearizes cell with threads = 2, ops = %u, values = 2, points = "
                "complete;",
                program->times);
}

/* ---- the interpreter ---- */

struct own {
    uint32_t left, operation, at; /* operation: 1 + its number; 0: none runs */
    uint32_t v, r, u, w, answer;
    uint32_t pointed, specified; /* had its point; what the cell answered then */
    uint32_t returned;           /* it waits for its response only */
};

struct configuration {
    uint32_t last, asked[THREADS], reply[THREADS], waiting;
    uint32_t cell; /* the specification's state */
    struct own threads[THREADS];
};

struct interpreter {
    const struct program *program;
    struct word_arrays seen;
    bool violates, misplaces;
};

static void remember(struct interpreter *interpreter, const struct configuration *state)
{
    assert_true(word_arrays_intern(&interpreter->seen, (const uint32_t *)state,
                                   sizeof *state / sizeof(uint32_t), NULL) != UINT32_MAX);
}

static uint32_t answer_of(const struct own *own, enum answer answer)
{
    return answer == ANSWER_R ? own->r : own->u;
}

/* False: the run ends here. */
static bool take_point(struct interpreter *interpreter, struct configuration *state,
                       uint32_t thread, const struct point *point)
{
    const struct own *own = &state->threads[thread];
    uint32_t owner = point->owner == OTHER       ? 1 - thread
                     : point->owner == LOOKED_AT ? own->w - 1
                     : point->owner == FIRST     ? 0
                                                 : thread;
    if (owner >= THREADS || !state->threads[owner].operation || state->threads[owner].pointed) {
        interpreter->misplaces = true;
        return false;
    }
    struct own *its = &state->threads[owner];
    its->pointed = 1;
    its->specified = state->cell;
    if (its->operation == 1)
        state->cell = its->v;
    interpreter->violates |=
        point->answer != ANSWER_OPEN && answer_of(own, point->answer) != its->specified;
    return point->answer == ANSWER_OPEN || answer_of(own, point->answer) == its->specified;
}

static bool leave(struct interpreter *interpreter, struct own *own, uint32_t answer)
{
    own->returned = 1;
    own->answer = answer;
    interpreter->misplaces |= !own->pointed;
    return own->pointed;
}

/* What the statement does, points left out; whether its block is entered. */
static bool take_effect(struct configuration *state, uint32_t thread, enum kind kind)
{
    struct own *own = &state->threads[thread];
    uint32_t old = state->last, waiting = state->waiting;
    uint32_t served = kind == SERVE ? 1 - thread : thread;
    switch (kind) {
    case ASK:
        state->asked[thread] = own->v;
        break;
    case LOOK:
        own->w = waiting;
        break;
    case REGISTER:
        state->waiting = thread + 1;
        break;
    case LEAVE:
        state->waiting = 0;
        break;
    case READ:
        own->r = old;
        break;
    case WRITE:
        state->last = own->v;
        break;
    case SWAP:
        own->r = old;
        state->last = own->v;
        break;
    case READ_ASKED:
        own->u = state->asked[1 - thread];
        break;
    case READ_REPLY:
        own->r = state->reply[thread];
        break;
    case REPLY:
        state->reply[1 - thread] = own->r;
        break;
    case HELP:
        own->r = state->reply[1 - thread] = old;
        state->last = own->u;
        break;
    case SERVE:
    case SERVE_SELF:
        if (state->asked[served] == 0)
            return false;
        own->r = state->reply[served] = old;
        state->last = state->asked[served];
        state->asked[served] = 0;
        break;
    case IF_CAS:
        if (waiting == own->w)
            state->waiting = 0;
        return waiting == own->w;
    case IF_CAS_IN:
        if (waiting == 0)
            state->waiting = thread + 1;
        return waiting == 0;
    case IF_WAITS:
        return waiting == thread + 1;
    case IF_LEFT:
        return waiting != thread + 1;
    case KINDS:
        break;
    }
    return true;
}

static void step(struct interpreter *interpreter, struct configuration state, uint32_t thread)
{
    struct own *own = &state.threads[thread];
    const struct operation *operation = &interpreter->program->operations[own->operation - 1];
    const struct statement *statement = &operation->statements[own->at++];
    if (take_effect(&state, thread, statement->kind)) {
        for (unsigned i = 0; i < statement->point_count; i++)
            if (!take_point(interpreter, &state, thread, &statement->points[i]))
                return;
        if (statement->returns && !leave(interpreter, own, own->r))
            return;
    }
    if (!own->returned && own->at == operation->count &&
        !leave(interpreter, own, answer_of(own, operation->answer)))
        return;
    remember(interpreter, &state);
}

static void respond(struct interpreter *interpreter, struct configuration state, uint32_t thread)
{
    struct own *own = &state.threads[thread];
    if (own->answer != own->specified) {
        interpreter->violates = true;
        return;
    }
    *own = (struct own){.left = own->left};
    remember(interpreter, &state);
}

static void call(struct interpreter *interpreter, struct configuration state, uint32_t thread)
{
    struct own *own = &state.threads[thread];
    own->left--;
    own->operation = 2;
    remember(interpreter, &state);
    own->operation = 1;
    for (own->v = 1; own->v <= 2; own->v++)
        remember(interpreter, &state);
}

static void interpret(struct interpreter *interpreter)
{
    struct configuration state = {0};
    for (uint32_t i = 0; i < THREADS; i++)
        state.threads[i].left = interpreter->program->times;
    remember(interpreter, &state);
    for (uint32_t i = 0; i < interpreter->seen.items.length; i++) {
        size_t length;
        memcpy(&state, word_arrays_get(&interpreter->seen, i, &length), sizeof state);
        for (uint32_t thread = 0; thread < THREADS; thread++) {
            const struct own *own = &state.threads[thread];
            if (own->returned)
                respond(interpreter, state, thread);
            else if (own->operation)
                step(interpreter, state, thread);
            else if (own->left)
                call(interpreter, state, thread);
        }
    }
}

/* ---- the comparison ---- */

static unsigned tally[VERDICT_INTERNAL + 1], helping;

static bool is_right(enum verdict verdict, const struct interpreter *interpreter)
{
    switch (verdict) {
    case VERDICT_HOLDS:
        return !interpreter->violates && !interpreter->misplaces;
    case VERDICT_VIOLATED:
        return interpreter->violates;
    case VERDICT_MODEL_ERROR:
        return interpreter->misplaces;
    default:
        return verdict == VERDICT_TOO_LARGE;
    }
}

static void check_program(uint64_t seed)
{
    static const reductions sets[] = {REDUCE_NONE,
                                      REDUCE_INTERVALS,
                                      REDUCE_PARTIAL_ORDER,
                                      REDUCE_SLICE,
                                      REDUCE_ANTICHAIN,
                                      REDUCE_SYMMETRY,
                                      REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER,
                                      REDUCE_DEFAULT};
    struct program program;
    struct text text = TEXT_EMPTY;
    struct lin_fixture fixture;
    struct interpreter interpreter = {.program = &program};
    make_program(seed, &program);
    print_program(&program, &text);
    if (!lin_fixture_open(&fixture, text_string(&text)))
        fail_msg("%u: %s\n%s", fixture.error.line, fixture.error.message, text_string(&text));
    word_arrays_init(&interpreter.seen, &fixture.budget);
    interpret(&interpreter);
    for (size_t i = 0; i < ARRAY_LENGTH(sets); i++) {
        enum verdict found = lin_verdict(&fixture, 0, sets[i], MOST_WORK);
        tally[found]++;
        helping += found == VERDICT_HOLDS && strchr(strstr(text_string(&text), "impl"), ':');
        if (!is_right(found, &interpreter))
            fail_msg("seed %llu: with reductions %x it is %s (%s), by definition it%s%s\n%s",
                     (unsigned long long)seed, sets[i], verdict_names[found], fixture.error.message,
                     interpreter.violates ? " violates" : "",
                     interpreter.misplaces ? " misplaces a point" : "", text_string(&text));
    }
    word_arrays_release(&interpreter.seen);
    lin_fixture_close(&fixture);
    assert_int_equal(fixture.budget.used, 0);
    text_release(&text);
}

static struct seeds seeds = {.first = 1, .count = 300};

static void points_for_others_are_where_they_are_said_to_be(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        check_program(seed);
    for (size_t i = 0; i < ARRAY_LENGTH(verdict_names); i++)
        print_message("%u %s, ", tally[i], verdict_names[i]);
    print_message("%u that hold help\n", helping);
    assert_true(helping > seeds.count / 4);
    assert_true(tally[VERDICT_HOLDS] > seeds.count / 4);
    assert_true(tally[VERDICT_VIOLATED] > seeds.count / 4);
    assert_true(tally[VERDICT_MODEL_ERROR] > seeds.count / 4);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_for_others_are_where_they_are_said_to_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
