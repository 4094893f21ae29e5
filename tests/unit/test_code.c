/* The interpreter by itself: small random programs, compiled by hand into a listing, against a
 * plain evaluator of their trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "code/interpreter.h"
#include "code/listing.h"
#include "support/seeds.h"

#define LOCALS     4
#define MOST_NODES 2000
#define MOST_TAKEN 100

/* ---- trees ---- */

enum kind {
    NUMBER, /* first: expressions that are integers */
    LOCAL,
    SUM, /* any operator on two integers */
    NEGATION,
    EITHER, /* c ? a : b */
    CHOICE, /* from `number` to a */
    CALL,   /* of the function on a and b */
    COMPARISON,
    BOTH, /* a && b, the right side if it matters */
    OPPOSITE,
    SET, /* statements: local = a */
    IF,
    REPEAT, /* body a, `number` times, counted by a local of its own */
    BLOCK,
};

struct node {
    enum kind kind;
    enum opcode op;
    int32_t number; /* or a local */
    struct node *a, *b, *c;
};

struct program {
    struct random random;
    struct node nodes[MOST_NODES];
    unsigned count;
    unsigned choices, repeats;
    struct node *function; /* of its locals 0 and 1 */
    struct node *body;
    bool in_function;
};

static struct node *node(struct program *program, enum kind kind)
{
    assert_true(program->count < MOST_NODES);
    struct node *made = &program->nodes[program->count++];
    *made = (struct node){.kind = kind};
    return made;
}

static struct node *condition(struct program *program, unsigned depth);

static struct node *integer(struct program *program, unsigned depth)
{
    static const int32_t numbers[] = {0, 1, 2, 3, -1, 7, 100000, INT32_MAX, INTEGER_SMALLEST};
    static const enum opcode ops[] = {OP_ADD,    OP_SUBTRACT, OP_MULTIPLY, OP_DIVIDE, OP_REMAINDER,
                                      OP_MODULO, OP_BIT_AND,  OP_BIT_OR,   OP_BIT_XOR};
    uint32_t drawn = random_below(&program->random, depth == 0 ? 2 : 9);
    struct node *made = node(program, drawn == 0   ? NUMBER
                                      : drawn == 1 ? LOCAL
                                      : drawn == 6 ? NEGATION
                                      : drawn == 7 ? EITHER
                                                   : SUM);
    if (drawn == 8 && !program->in_function)
        made->kind = program->choices < 3 ? CHOICE : CALL;
    made->number = made->kind == NUMBER
                       ? numbers[random_below(&program->random, ARRAY_LENGTH(numbers))]
                       : (int32_t)random_below(&program->random, program->in_function ? 2 : LOCALS);
    made->op = ops[random_below(&program->random, ARRAY_LENGTH(ops))];
    if (made->kind == CHOICE) { /* few to choose from */
        program->choices++;
        made->a = node(program, NUMBER);
        made->a->number = made->number + (int32_t)random_below(&program->random, 3) - 1;
    } else if (made->kind > LOCAL) {
        made->a = integer(program, depth - 1);
    }
    if (made->kind == SUM || made->kind == EITHER || made->kind == CALL)
        made->b = integer(program, depth - 1);
    if (made->kind == EITHER)
        made->c = condition(program, depth - 1);
    return made;
}

static struct node *condition(struct program *program, unsigned depth)
{
    static const enum opcode ops[] = {OP_LESS,          OP_LESS_EQUAL, OP_GREATER,
                                      OP_GREATER_EQUAL, OP_EQUAL,      OP_NOT_EQUAL};
    uint32_t drawn = random_below(&program->random, depth == 0 ? 1 : 4);
    struct node *made = node(program, drawn == 1 ? BOTH : drawn == 2 ? OPPOSITE : COMPARISON);
    made->op = ops[random_below(&program->random, ARRAY_LENGTH(ops))];
    unsigned below = depth ? depth - 1 : 0;
    made->a = made->kind == COMPARISON ? integer(program, below) : condition(program, below);
    if (made->kind != OPPOSITE)
        made->b = made->kind == COMPARISON ? integer(program, below) : condition(program, below);
    return made;
}

static struct node *statement(struct program *program, unsigned depth)
{
    uint32_t drawn = random_below(&program->random, depth == 0 ? 1 : 5);
    struct node *made = node(program, drawn < 2    ? SET
                                      : drawn == 2 ? IF
                                      : drawn == 3 ? BLOCK
                                                   : REPEAT);
    made->number = (int32_t)random_below(&program->random, LOCALS);
    made->a = made->kind == SET ? integer(program, 3) : statement(program, depth - 1);
    if (made->kind == IF || made->kind == BLOCK)
        made->b = statement(program, depth - 1);
    if (made->kind == IF)
        made->c = condition(program, 2);
    if (made->kind == REPEAT)
        program->repeats++;
    return made;
}

/* ---- the plain evaluator ---- */

struct plain {
    const struct program *program;
    int64_t locals[LOCALS];
    int64_t taken[MOST_TAKEN], most[MOST_TAKEN]; /* choices: what is taken, how many there are */
    unsigned made, known;
    enum ran ran; /* not RAN_ON: nothing more is done */
};

static int64_t fits(struct plain *plain, int64_t result)
{
    if (result < INTEGER_SMALLEST || result > INT32_MAX)
        plain->ran = plain->ran == RAN_ON ? RAN_INTO_FAULT : plain->ran;
    return result;
}

static int64_t operate(struct plain *plain, enum opcode op, int64_t a, int64_t b)
{
    if (b == 0 && (op == OP_DIVIDE || op == OP_REMAINDER || op == OP_MODULO)) {
        plain->ran = RAN_INTO_FAULT;
        return 0;
    }
    return op == OP_ADD          ? a + b
           : op == OP_SUBTRACT   ? a - b
           : op == OP_MULTIPLY   ? a * b
           : op == OP_DIVIDE     ? a / b
           : op == OP_REMAINDER  ? a - a / b * b
           : op == OP_MODULO     ? (a % b + (a % b < 0 ? b : 0))
           : op == OP_BIT_AND    ? (a & b)
           : op == OP_BIT_OR     ? (a | b)
           : op == OP_BIT_XOR    ? (a ^ b)
           : op == OP_LESS       ? a < b
           : op == OP_EQUAL      ? a == b
           : op == OP_NOT_EQUAL  ? a != b
           : op == OP_GREATER    ? a > b
           : op == OP_LESS_EQUAL ? a <= b
                                 : a >= b;
}

static int64_t choose(struct plain *plain, int64_t low, int64_t high)
{
    if (low > high) {
        plain->ran = RAN_BLOCKED;
        return 0;
    }
    if (low == high)
        return low;
    assert_true(plain->made < MOST_TAKEN);
    if (plain->made == plain->known)
        plain->taken[plain->known++] = 0;
    plain->most[plain->made] = high - low + 1;
    return low + plain->taken[plain->made++];
}

static int64_t evaluate(struct plain *plain, const struct node *node)
{
    int64_t a, b;
    if (plain->ran != RAN_ON)
        return 0;
    switch (node->kind) {
    case NUMBER:
        return node->number;
    case LOCAL:
        return plain->locals[node->number];
    case EITHER:
        return evaluate(plain, node->c) ? evaluate(plain, node->a) : evaluate(plain, node->b);
    case CHOICE:
        return choose(plain, node->number, evaluate(plain, node->a));
    case BOTH:
        return evaluate(plain, node->a) && evaluate(plain, node->b);
    case OPPOSITE:
        return !evaluate(plain, node->a);
    case NEGATION:
        return fits(plain, -evaluate(plain, node->a));
    case SUM:
    case COMPARISON:
        a = evaluate(plain, node->a);
        b = evaluate(plain, node->b);
        return plain->ran == RAN_ON ? fits(plain, operate(plain, node->op, a, b)) : 0;
    case CALL: {
        struct plain inner = {.program = plain->program};
        inner.locals[0] = evaluate(plain, node->a);
        inner.locals[1] = evaluate(plain, node->b);
        inner.ran = plain->ran;
        a = evaluate(&inner, plain->program->function);
        plain->ran = inner.ran;
        return a;
    }
    case SET:
        a = evaluate(plain, node->a);
        if (plain->ran == RAN_ON)
            plain->locals[node->number] = a;
        return 0;
    case IF:
        return evaluate(plain, node->c) ? evaluate(plain, node->a) : evaluate(plain, node->b);
    case REPEAT:
        for (int32_t i = 0; i < node->number; i++)
            evaluate(plain, node->a);
        return 0;
    default:
        evaluate(plain, node->a);
        return evaluate(plain, node->b);
    }
}

/* The next of the choices; false after the last. */
static bool advance(struct plain *plain)
{
    for (plain->known = plain->made; plain->known > 0; plain->known--)
        if (++plain->taken[plain->known - 1] < plain->most[plain->known - 1])
            return true;
    return false;
}

/* ---- compiling ---- */

static uint32_t counters; /* locals that count */

static void emit(struct listing *listing, enum opcode op, int32_t operand)
{
    assert_int_equal(listing_emit(listing, listing_here(listing),
                                  (struct instruction){.op = (uint8_t)op, .operand = operand}),
                     STATUS_OK);
}

static void push(struct listing *listing, datum word)
{
    assert_int_equal(listing_push(listing, listing_here(listing), word), STATUS_OK);
}

static uint32_t jump(struct listing *listing, enum opcode op)
{
    uint32_t number;
    assert_int_equal(listing_jump(listing, listing_here(listing), op, &number), STATUS_OK);
    return number;
}

static void compile(struct listing *listing, const struct node *node);

/* c; JUMP_IF_FALSE other; a; JUMP end; other: b; end: where b is null, it is `false`. */
static void branch(struct listing *listing, const struct node *c, const struct node *a,
                   const struct node *b)
{
    compile(listing, c);
    uint32_t other = jump(listing, OP_JUMP_IF_FALSE);
    compile(listing, a);
    uint32_t end = jump(listing, OP_JUMP);
    listing_land(listing, other);
    if (b)
        compile(listing, b);
    else
        push(listing, datum_boolean(false));
    listing_land(listing, end);
}

static void repeat(struct listing *listing, const struct node *node)
{
    int32_t counter = (int32_t)(LOCALS + counters++);
    push(listing, datum_integer(node->number));
    emit(listing, OP_STORE_LOCAL, counter);
    uint32_t start = listing_here(listing);
    emit(listing, OP_LOAD_LOCAL, counter);
    push(listing, datum_integer(0));
    emit(listing, OP_GREATER, 0);
    uint32_t leave = jump(listing, OP_JUMP_IF_FALSE);
    compile(listing, node->a);
    emit(listing, OP_LOAD_LOCAL, counter);
    push(listing, datum_integer(-1));
    emit(listing, OP_ADD, 0);
    emit(listing, OP_STORE_LOCAL, counter);
    listing_lead(listing, jump(listing, OP_JUMP), start);
    listing_land(listing, leave);
}

static void compile(struct listing *listing, const struct node *node)
{
    switch (node->kind) {
    case NUMBER:
        push(listing, datum_integer(node->number));
        break;
    case LOCAL:
        emit(listing, OP_LOAD_LOCAL, node->number);
        break;
    case EITHER:
    case IF:
        branch(listing, node->c, node->a, node->b);
        break;
    case BOTH:
        branch(listing, node->a, node->b, NULL);
        break;
    case REPEAT:
        repeat(listing, node);
        break;
    case CHOICE:
        push(listing, datum_integer(node->number));
        compile(listing, node->a);
        emit(listing, OP_CHOOSE, 0);
        break;
    default:
        compile(listing, node->a);
        if (node->b)
            compile(listing, node->b);
        if (node->kind != BLOCK)
            emit(listing,
                 node->kind == NEGATION   ? OP_NEGATE
                 : node->kind == OPPOSITE ? OP_NOT
                 : node->kind == CALL     ? OP_CALL
                 : node->kind == SET      ? OP_STORE_LOCAL
                                          : node->op,
                 node->kind == SET ? node->number : 0);
    }
}

/* ---- both ---- */

struct world {
    struct evaluation evaluation; /* first */
    struct budget budget;
};

static enum ran host_run(struct evaluation *e, const struct instruction *i)
{
    assert_true(i->op >= OP_NEGATE && i->op <= OP_BIT_XOR); /* whose result is none */
    assert_true(e->depth >= e->base + instruction_effect(i).pops);
    return RAN_INTO_FAULT;
}

static enum ran host_grow(struct evaluation *e, uint32_t least)
{
    return evaluation_grow(e, &((struct world *)e)->budget, least);
}

static void run_both(struct program *program)
{
    static const struct host host = {.run = host_run, .grow = host_grow};
    struct world world;
    struct evaluation *e = &world.evaluation;
    struct listing body, function;
    struct choices choices;
    memset(&world, 0, sizeof world);
    budget_init(&world.budget, NULL, 0);
    listing_init(&body, &world.budget);
    listing_init(&function, &world.budget);
    choices_init(&choices, SIZE_MAX, &world.budget);
    vector_init(&e->callers, &world.budget);
    counters = 0;
    compile(&function, program->function);
    emit(&function, OP_RETURN, 0);
    compile(&body, program->body);
    struct code called = listing_code(&function, 0, 2);
    called.parameters = 2;
    const struct code code = listing_code(&body, 0, LOCALS + program->repeats);
    e->host = &host;
    e->functions = &called;
    e->choices = &choices;
    struct plain plain = {.program = program};
    unsigned runs = 0;
    bool more;
    do {
        plain.made = 0;
        plain.ran = RAN_ON;
        memset(plain.locals, 0, sizeof plain.locals);
        evaluate(&plain, program->body);
        choices_begin(&choices);
        e->depth = e->base = 0;
        e->callers.length = 0;
        e->left = 100000;
        assert_int_equal(evaluation_enter(e, &code, datum_integer(0)), RAN_ON);
        enum ran ran = evaluation_run(e);
        assert_int_equal(ran, plain.ran == RAN_ON ? RAN_WELL : plain.ran);
        for (uint32_t i = 0; i < LOCALS && ran == RAN_WELL; i++)
            assert_int_equal(value_small_get(e->stack[i]), plain.locals[i]);
        if (ran == RAN_WELL)
            assert_int_equal(e->depth, code.locals);
        more = choices_advance(&choices);
        assert_int_equal(more, advance(&plain));
    } while (more && ++runs < 200);
    memory_release(&world.budget, e->stack, e->room * sizeof *e->stack);
    vector_release(&e->callers);
    vector_release(&choices.items);
    listing_release(&body);
    listing_release(&function);
    assert_int_equal(atomic_load(&world.budget.used), 0);
}

static struct seeds seeds = {.first = 1, .count = 5000};

static void programs_do_what_their_trees_say(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct program program = {.in_function = true};
        random_seed(&program.random, seed);
        program.function = integer(&program, 2);
        program.in_function = false;
        const unsigned start = program.count;
        do { /* until it fits */
            program.count = start;
            program.choices = program.repeats = 0;
            program.body = statement(&program, 2);
        } while (program.repeats > 3);
        run_both(&program);
    }
}

/* A loop without end is cut off, and goes on from where it was. */
static void instructions_are_counted(void **unused)
{
    (void)unused;
    const struct instruction loop[] = {
        instruction_push(datum_integer(1)), {.op = OP_STORE_LOCAL}, {.op = OP_JUMP}};
    const place places[] = {0, 1, 2};
    const struct code code = {loop, places, 3, 0, 1};
    datum stack[8];
    struct choices choices = {.most = 0};
    struct evaluation e = {.stack = stack, .room = 8, .left = 7, .choices = &choices};
    assert_int_equal(evaluation_enter(&e, &code, VALUE_NIL), RAN_ON);
    assert_int_equal(evaluation_run(&e), RAN_LONG);
    assert_int_equal(e.at, 1);
    e.left = 1;
    assert_int_equal(evaluation_run(&e), RAN_LONG);
    assert_int_equal(e.at, 2);
    assert_int_equal(stack[0], datum_integer(1));
}

/* Words of the three kinds that slots hold come back as they were. */
static void slots_keep_words(void **unused)
{
    (void)unused;
    const int32_t numbers[] = {0, 1, -1, INT32_MAX, INTEGER_SMALLEST};
    for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++) {
        datum word = datum_integer(numbers[i]);
        assert_int_equal(datum_from_slot(datum_to_slot(word)), word);
        struct instruction push_it = instruction_push(word);
        assert_int_equal(instruction_word(&push_it), word);
        assert_int_equal(datum_bits(word), numbers[i]);
    }
    for (int b = 0; b < 2; b++) {
        assert_int_equal(datum_from_slot(datum_to_slot(datum_boolean(b))), datum_boolean(b));
        assert_int_equal(datum_bits(datum_boolean(b)), b);
    }
    assert_int_equal(datum_tag_of(datum_object(5)), DATUM_OBJECT);
    assert_int_equal(datum_bits(datum_object(5)), 5);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_do_what_their_trees_say),
        cmocka_unit_test(instructions_are_counted),
        cmocka_unit_test(slots_keep_words),
    };
    seeds_from_arguments(&seeds, count, arguments);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
