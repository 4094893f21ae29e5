#include "implementation/step_paths.h"

#include <string.h>

#define MOST_INSTRUCTIONS 200000 /* of all ways from one instruction on */
#define MOST_JUMPS        200    /* on a way: each has a copy of what is known */

static uint32_t make_term(struct lin_paths *paths, struct lin_term term)
{
    if (!vector_push(&paths->terms, term)) {
        paths->refused = true;
        return 0;
    }
    return (uint32_t)paths->terms.length - 1;
}

static uint32_t unknown(struct lin_paths *paths)
{
    return make_term(paths, (struct lin_term){.kind = LIN_TERM_UNKNOWN});
}

static uint32_t constant(struct lin_paths *paths, uint32_t word)
{
    return make_term(paths, (struct lin_term){.kind = LIN_TERM_CONSTANT, .first = word});
}

/* ---- what is known ---- */

bool lin_path_is_null(const struct lin_paths *paths, uint32_t term)
{
    const struct lin_term *of = lin_path_term(paths, term);
    return of->kind == LIN_TERM_CONSTANT && of->first == 0;
}

static bool is_same_term(const struct lin_paths *paths, uint32_t one, uint32_t other)
{
    const struct lin_term *a = lin_path_term(paths, one), *b = lin_path_term(paths, other);
    return one == other || (a->kind == b->kind && a->first == b->first &&
                            (a->kind == LIN_TERM_LOCAL || a->kind == LIN_TERM_CONSTANT));
}

bool lin_path_equal(const struct lin_paths *paths, const struct lin_path *path, uint32_t one,
                    uint32_t other)
{
    bool equal = is_same_term(paths, one, other);
    for (uint32_t i = 0; i < path->fact_count && !equal; i++) {
        const struct lin_path_fact *fact = &path->facts[i];
        equal = fact->equal &&
                ((is_same_term(paths, fact->one, one) && is_same_term(paths, fact->other, other)) ||
                 (is_same_term(paths, fact->one, other) && is_same_term(paths, fact->other, one)));
    }
    return equal;
}

/* Whether a word is known not to be null. */
static bool is_no_null(const struct lin_paths *paths, const struct lin_path *path, uint32_t term)
{
    bool is_node = false;
    for (uint32_t i = 0; i < path->fact_count && !is_node; i++) {
        const struct lin_path_fact *fact = &path->facts[i];
        is_node = !fact->equal &&
                  ((is_same_term(paths, fact->one, term) && lin_path_is_null(paths, fact->other)) ||
                   (is_same_term(paths, fact->other, term) && lin_path_is_null(paths, fact->one)));
    }
    return is_node;
}

enum lin_path_end lin_path_follow(const struct lin_paths *paths, const struct lin_path *path,
                                  uint64_t *nodes)
{
    const uint32_t reference = lin_path_top(path, 0);
    const struct lin_term *term = lin_path_term(paths, reference);
    if (is_no_null(paths, path, reference))
        return LIN_PATH_GOES_ON;
    if (term->kind != LIN_TERM_LOCAL)
        return LIN_PATH_FAILS;
    nodes[term->first / 64] |= UINT64_C(1) << term->first % 64;
    return LIN_PATH_GOES_ON;
}

uint32_t lin_path_content(const struct lin_paths *paths, const struct lin_path *path, uint32_t node,
                          uint32_t pool, uint32_t field)
{
    for (uint32_t i = path->content_count; i-- > 0;) {
        const struct lin_path_content *content = &path->contents[i];
        if (content->pool == pool && content->field == field)
            return is_same_term(paths, content->node, node) ? content->word : UINT32_MAX;
    }
    return UINT32_MAX;
}

static void add_fact(struct lin_path *path, uint32_t one, uint32_t other, bool equal)
{
    if (path->fact_count < LIN_PATH_FACTS)
        path->facts[path->fact_count++] =
            (struct lin_path_fact){.one = one, .other = other, .equal = equal};
}

/* ---- instructions ---- */

static bool push(struct lin_path *path, uint32_t term)
{
    if (path->depth == LIN_PATH_WORDS)
        return false;
    path->stack[path->depth++] = term;
    return true;
}

static bool push_unknown(struct lin_paths *paths, struct lin_path *path, uint32_t count)
{
    bool pushed = true;
    for (uint32_t i = 0; i < count && pushed; i++)
        pushed = push(path, unknown(paths));
    return pushed;
}

static bool drop(struct lin_path *path, uint32_t count)
{
    if (path->depth < count)
        return false;
    path->depth -= count;
    return true;
}

static void add_content(struct lin_path *path, const struct lin_term *address, uint32_t word)
{
    if (path->content_count == LIN_PATH_FACTS)
        path->content_count = 0;
    path->contents[path->content_count++] = (struct lin_path_content){
        .node = address->first, .pool = address->pool, .field = address->field, .word = word};
}

/* A word may have been written to an address. */
static void write_to(struct lin_paths *paths, struct lin_path *path, uint32_t address,
                     uint32_t words, uint32_t word)
{
    const struct lin_term to = *lin_path_term(paths, address);
    for (uint32_t i = to.first;
         to.kind == LIN_TERM_OWN_ADDRESS && i < to.first + to.field && i < LIN_PATH_WORDS; i++)
        path->own[i] = unknown(paths);
    if (to.kind != LIN_TERM_FIELD_ADDRESS)
        return;
    path->writes++;
    if (to.moved || words != 1)
        path->content_count = 0;
    else
        add_content(path, &to, word);
}

static bool load(struct lin_paths *paths, struct lin_path *path, uint32_t words)
{
    const struct lin_term from = *lin_path_term(paths, lin_path_top(path, 0));
    struct lin_term loaded = {.first = from.first, .field = from.field, .pool = from.pool};
    path->depth--;
    if (words == 1 && !from.moved && from.kind == LIN_TERM_SHARED_ADDRESS)
        loaded.kind = LIN_TERM_SHARED;
    else if (words == 1 && !from.moved && from.kind == LIN_TERM_FIELD_ADDRESS)
        loaded.kind = LIN_TERM_FIELD;
    else
        return push_unknown(paths, path, words);
    return push(path, make_term(paths, loaded));
}

static bool compare(struct lin_paths *paths, struct lin_path *path, const struct instruction *i,
                    bool differs)
{
    const bool negates = i->op == OP_NOT_EQUAL || (i->op == OP_SAME && i->small);
    const uint32_t words = i->op == OP_SAME ? i->wide : 1;
    if (path->depth < 2 * words)
        return false;
    const struct lin_term same = {.kind = negates ? LIN_TERM_DIFFERENT : LIN_TERM_SAME,
                                  .first = lin_path_top(path, 0),
                                  .field = words == 1 ? lin_path_top(path, 1) : 0};
    path->depth -= 2 * words;
    if (differs)
        return push(path, constant(paths, negates));
    return words == 1 ? push(path, make_term(paths, same)) : push_unknown(paths, path, 1);
}

static bool negate(struct lin_paths *paths, struct lin_path *path)
{
    struct lin_term term = *lin_path_term(paths, lin_path_top(path, 0));
    path->depth--;
    if (term.kind == LIN_TERM_SAME || term.kind == LIN_TERM_DIFFERENT)
        term.kind = term.kind == LIN_TERM_SAME ? LIN_TERM_DIFFERENT : LIN_TERM_SAME;
    else if (term.kind == LIN_TERM_CONSTANT)
        term.first = !term.first;
    else if (term.kind == LIN_TERM_LINKED)
        term.moved = !term.moved;
    else
        term = (struct lin_term){.kind = LIN_TERM_UNKNOWN};
    return push(path, make_term(paths, term));
}

/* Its answer tells whether the field has the word. */
static bool compare_and_swap(struct lin_paths *paths, struct lin_path *path, uint32_t words,
                             bool differs)
{
    const uint32_t address = lin_path_top(path, 2 * words);
    struct lin_term answer = *lin_path_term(paths, address);
    const bool links = answer.kind == LIN_TERM_FIELD_ADDRESS && words == 1 && !answer.moved;
    answer.kind = links ? LIN_TERM_LINKED : LIN_TERM_UNKNOWN;
    answer.word = lin_path_top(path, 0);
    if (!differs)
        write_to(paths, path, address, 0, 0);
    answer.writes = path->writes;
    path->depth -= 2 * words + 1;
    return push(path, differs ? constant(paths, 0) : make_term(paths, answer));
}

/* What it takes is gone, what it leaves is not known; what it may write neither. */
static bool run_other(struct lin_paths *paths, struct lin_path *path, const struct instruction *i)
{
    const struct stack_effect effect = instruction_effect(i);
    if (path->depth < effect.pops)
        return false;
    for (uint32_t j = 0; j < effect.pops; j++)
        write_to(paths, path, lin_path_top(path, j), 0, 0);
    path->depth -= effect.pops;
    return push_unknown(paths, path, effect.pushes);
}

static bool pick(struct lin_path *path, const struct instruction *i)
{
    if (path->depth < i->small)
        return false;
    uint32_t *record = path->stack + path->depth - i->small;
    memmove(record, record + i->operand, i->wide * sizeof *record);
    path->depth -= i->small - i->wide;
    return true;
}

static bool is_own(uint32_t first, uint32_t count)
{
    return first <= LIN_PATH_WORDS && count <= LIN_PATH_WORDS - first;
}

static bool run(struct lin_paths *paths, struct lin_path *path, uint32_t at, bool differs)
{
    const struct instruction *i = &paths->steps->listing.code.items[at];
    const uint32_t operand = (uint32_t)i->operand, effect = instruction_effect(i).pops;
    struct lin_term term = {0};
    if (path->depth < effect)
        return false;
    switch ((enum opcode)i->op) {
    case OP_PUSH:
        return push(path, constant(paths, (uint32_t)datum_bits(instruction_word(i))));
    case OP_POP:
        return drop(path, operand);
    case OP_STEP:
    case OP_JUMP:
    case OP_CHECK_RANGE:
        return true;
    case OP_NOT:
        return negate(paths, path);
    case OP_LOAD_OWN:
        for (uint32_t j = 0; j < i->wide; j++)
            if (!is_own(operand, i->wide) || !push(path, path->own[operand + j]))
                return false;
        return true;
    case OP_STORE_OWN:
        path->depth -= i->wide;
        if (!is_own(operand, i->wide))
            return false;
        memcpy(path->own + operand, path->stack + path->depth, i->wide * sizeof *path->own);
        return true;
    case OP_ADDRESS:
        term = (struct lin_term){.kind = LIN_TERM_SHARED_ADDRESS, .first = operand};
        return push(path, make_term(paths, term));
    case OP_ADDRESS_OWN:
        term = (struct lin_term){.kind = LIN_TERM_OWN_ADDRESS, .first = operand, .field = i->wide};
        return push(path, make_term(paths, term));
    case OP_AT:
    case OP_OFFSET:
        term = *lin_path_term(paths, lin_path_top(path, i->op == OP_AT));
        term.moved = true;
        path->depth -= effect;
        return push(path, make_term(paths, term));
    case OP_DEREFERENCE:
        term = (struct lin_term){.kind = LIN_TERM_FIELD_ADDRESS,
                                 .first = lin_path_top(path, 0),
                                 .field = i->wide,
                                 .pool = operand};
        path->depth--;
        return push(path, make_term(paths, term));
    case OP_LOAD_SHARED:
        if (i->wide != 1)
            return push_unknown(paths, path, i->wide);
        term = (struct lin_term){.kind = LIN_TERM_SHARED, .first = operand};
        return push(path, make_term(paths, term));
    case OP_LOAD:
        return load(paths, path, i->wide);
    case OP_STORE:
        write_to(paths, path, lin_path_top(path, i->wide), i->wide, lin_path_top(path, 0));
        return drop(path, i->wide + 1);
    case OP_CAS:
        return compare_and_swap(paths, path, i->wide, differs);
    case OP_PICK:
        return pick(path, i);
    case OP_SAME:
    case OP_EQUAL:
    case OP_NOT_EQUAL:
        return compare(paths, path, i, differs);
    default:
        return run_other(paths, path, i);
    }
}

/* ---- ways ---- */

static bool go(struct lin_paths *paths, struct lin_path *path, uint32_t at);

/* Both ways from a jump, or the one that there is. */
static bool part(struct lin_paths *paths, struct lin_path *path, uint32_t at)
{
    const struct instruction *jump = &paths->steps->listing.code.items[at];
    if (path->depth == 0 || path->jumps == MOST_JUMPS)
        return false;
    const struct lin_term asked = *lin_path_term(paths, lin_path_top(path, 0));
    const bool compares = asked.kind == LIN_TERM_SAME || asked.kind == LIN_TERM_DIFFERENT;
    path->depth--;
    for (unsigned truth = 0; truth < 2; truth++) {
        if (asked.kind == LIN_TERM_CONSTANT && (asked.first != 0) != truth)
            continue;
        const bool jumps = truth == (jump->op == OP_JUMP_IF_TRUE);
        struct lin_path way = *path;
        way.jumps++;
        if (compares)
            add_fact(&way, asked.first, asked.field, truth == (asked.kind == LIN_TERM_SAME));
        else if (asked.kind == LIN_TERM_LINKED && truth != asked.moved &&
                 asked.writes == path->writes)
            add_content(&way, &asked, asked.word);
        if (!go(paths, &way, jumps ? (uint32_t)jump->operand : at + 1))
            return false;
    }
    return true;
}

static bool go(struct lin_paths *paths, struct lin_path *path, uint32_t at)
{
    for (;;) {
        if (at >= paths->steps->listing.code.length || paths->left == 0 || paths->refused)
            return false;
        paths->left--;
        const struct instruction *i = &paths->steps->listing.code.items[at];
        const enum opcode op = (enum opcode)i->op;
        const enum lin_path_end end = path->depth < instruction_effect(i).pops
                                          ? LIN_PATH_FAILS
                                          : paths->class->begins(paths->observer, paths, path, at);
        if (end != LIN_PATH_GOES_ON)
            return end == LIN_PATH_ENDS;
        if (op == OP_JUMP_IF_FALSE || op == OP_JUMP_IF_TRUE)
            return part(paths, path, at);
        const bool asks = op == OP_SAME || op == OP_EQUAL || op == OP_NOT_EQUAL || op == OP_CAS;
        const bool differs = asks && paths->class->differs &&
                             paths->class->differs(paths->observer, paths, path, at);
        if (!run(paths, path, at, differs))
            return false;
        if (op == OP_JUMP)
            at = (uint32_t)i->operand;
        else if (instruction_goes_on(i))
            at++;
        else
            return true;
    }
}

void lin_paths_init(struct lin_paths *paths, const struct lin_steps *steps,
                    const struct lin_paths_class *class, void *observer)
{
    *paths = (struct lin_paths){.steps = steps, .class = class, .observer = observer};
    vector_init(&paths->terms, steps->arena->budget);
}

bool lin_paths_run(struct lin_paths *paths, uint32_t from)
{
    struct lin_path path = {0};
    if (paths->steps->locals > LIN_PATH_WORDS)
        return false;
    paths->left = MOST_INSTRUCTIONS;
    paths->terms.length = 0;
    for (uint32_t i = 0; i < paths->steps->locals; i++)
        path.own[i] = make_term(paths, (struct lin_term){.kind = LIN_TERM_LOCAL, .first = i});
    return !paths->refused && go(paths, &path, from);
}

void lin_paths_release(struct lin_paths *paths)
{
    vector_release(&paths->terms);
}
