/* Reads an implementation of a `.lin` file and what is asserted of it, to instructions with
 * jumps. */
#include <string.h>

#include "parser.h"

/* ---- statements ---- */

static struct instruction *emit(struct parser *p, int what, size_t line, expression place,
                                expression used)
{
    struct operation_code *code = p->code;
    code->code = room(code->code, code->length + 1, sizeof *code->code);
    struct instruction *made = &code->code[code->length++];
    bool touches = (place && place->shares) || (used && used->shares) || what == WAIT ||
                   what == LOCK || what == UNLOCK || what == ATOMIC;
    *made = (struct instruction){.what = what, .line = line, .place = place, .value = used};
    made->steps = touches && !p->atomic;
    return made;
}

/* The jump at `at` leads to where code goes on. */
static void land(struct parser *p, size_t at)
{
    p->code->code[at].target = p->code->length;
}

static void jump_back(struct parser *p, size_t target)
{
    emit(p, JUMP, p->line, NULL, NULL)->target = target;
}

static size_t branch(struct parser *p, size_t line, expression condition)
{
    emit(p, BRANCH, line, NULL, condition);
    return p->code->length - 1;
}

static void parse_statement(struct parser *p);

static void parse_block(struct parser *p)
{
    size_t locals = p->locals.count;
    while (!accept(p, "}"))
        parse_statement(p);
    p->locals.count = locals;
}

static void parse_simple(struct parser *p, size_t line)
{
    expression place = parse_expression(p);
    bool adds = is(p, "+=") || is(p, "++"), subtracts = is(p, "-=") || is(p, "--");
    bool assigns = is(p, "=");
    if ((assigns || adds || subtracts) && !is_location(place))
        unknown(p);
    if (assigns) {
        advance(p);
        emit(p, STORE, line, place, parse_expression(p));
    } else if (adds || subtracts) {
        bool by_one = p->token[1] != '=';
        if (place->kind != LOCAL && !p->atomic)
            unknown(p);
        advance(p);
        struct expression *sum =
            make(BINARY, place, by_one ? constant(1) : parse_expression(p), NULL);
        sum->operator[0] = adds ? '+' : '-';
        emit(p, STORE, line, place, sum);
    } else
        emit(p, EVALUATE, line, NULL, place);
}

static void parse_local(struct parser *p, size_t line, const struct type *type)
{
    do {
        size_t number = p->program->locals++;
        struct names made = {NULL, 0};
        struct variable local = *declare(p, &made, type, number);
        expression first = accept(p, "=") ? parse_expression(p) : constant(local.first);
        if (is(p, "["))
            unknown(p);
        *add(&p->locals) = local;
        struct expression *place = make(LOCAL, NULL, NULL, NULL);
        place->number = number;
        place->type = *type;
        emit(p, STORE, line, place, first);
    } while (accept(p, ","));
}

/* A declaration or an expression, without the semicolon. */
static void parse_plain(struct parser *p)
{
    size_t line = p->line;
    struct type type;
    if (parse_type(p, &type))
        parse_local(p, line, &type);
    else
        parse_simple(p, line);
}

static void parse_if(struct parser *p, size_t line)
{
    expect(p, "(");
    expression condition = parse_expression(p);
    expect(p, ")");
    size_t otherwise = branch(p, line, condition);
    parse_statement(p);
    if (accept(p, "else")) {
        jump_back(p, 0);
        size_t end = p->code->length - 1;
        land(p, otherwise);
        parse_statement(p);
        land(p, end);
    } else
        land(p, otherwise);
}

static void begin_loop(struct parser *p, struct loop *loop)
{
    *loop = (struct loop){.outer = p->loop};
    p->loop = loop;
}

static void land_all(struct parser *p, const size_t *jumps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        land(p, jumps[i]);
}

static void end_loop(struct parser *p)
{
    land_all(p, p->loop->breaks, p->loop->break_count);
    p->loop = p->loop->outer;
}

/* Goes back to a place in the text, or on to one. */
static void go_to(struct parser *p, const struct parser *place)
{
    p->at = place->at;
    p->line = place->line;
    p->token = place->token;
    p->length = place->length;
}

/* while (...) ..., and what stands between the semicolons of `for`. */
static void parse_while(struct parser *p, size_t line, bool is_for)
{
    struct loop loop;
    struct parser update, after;
    size_t locals = p->locals.count;
    expect(p, "(");
    if (is_for && !accept(p, ";")) {
        parse_plain(p);
        expect(p, ";");
    }
    size_t start = p->code->length;
    expression condition = is_for && is(p, ";") ? constant(WORD_TRUE) : parse_expression(p);
    size_t out = branch(p, line, condition);
    if (is_for)
        expect(p, ";");
    for (update = *p; is_for && !is(p, ")");)
        if (is(p, "("))
            skip_brackets(p);
        else if (p->length)
            advance(p);
        else
            unknown(p);
    expect(p, ")");
    begin_loop(p, &loop);
    parse_statement(p);
    land_all(p, loop.continues, loop.continue_count);
    after = *p;
    if (is_for && !is(&update, ")")) {
        go_to(p, &update);
        parse_plain(p);
        go_to(p, &after);
    }
    jump_back(p, start);
    land(p, out);
    end_loop(p);
    p->locals.count = locals;
}

static void parse_do(struct parser *p)
{
    struct loop loop;
    size_t start = p->code->length;
    begin_loop(p, &loop);
    parse_statement(p);
    land_all(p, loop.continues, loop.continue_count);
    size_t line = p->line;
    expect(p, "while");
    expect(p, "(");
    size_t out = branch(p, line, parse_expression(p));
    expect(p, ")");
    expect(p, ";");
    jump_back(p, start);
    land(p, out);
    end_loop(p);
}

static void parse_jump(struct parser *p, bool breaks)
{
    struct loop *loop = p->loop;
    if (!loop)
        unknown(p);
    size_t **jumps = breaks ? &loop->breaks : &loop->continues;
    size_t *count = breaks ? &loop->break_count : &loop->continue_count;
    *jumps = room(*jumps, *count + 1, sizeof **jumps);
    (*jumps)[(*count)++] = p->code->length;
    jump_back(p, 0);
    expect(p, ";");
}

static void parse_atomic(struct parser *p, size_t line)
{
    if (p->atomic)
        unknown(p);
    emit(p, ATOMIC, line, NULL, NULL);
    p->atomic = true;
    expect(p, "{");
    parse_block(p);
    p->atomic = false;
    emit(p, ATOMIC_END, line, NULL, NULL);
}

static void parse_waiting(struct parser *p, int what, size_t line)
{
    expect(p, "(");
    expression e = what == LOCK || what == UNLOCK ? parse_place(p) : parse_expression(p);
    expect(p, ")");
    expect(p, ";");
    bool places = what == LOCK || what == UNLOCK;
    emit(p, what, line, places ? e : NULL, places ? NULL : e);
}

static void parse_statement(struct parser *p)
{
    size_t line = p->line;
    enter(p);
    if (accept(p, "{"))
        parse_block(p);
    else if (accept(p, "if"))
        parse_if(p, line);
    else if (is(p, "while") || is(p, "for")) {
        bool is_for = accept(p, "for");
        if (!is_for)
            advance(p);
        parse_while(p, line, is_for);
    } else if (accept(p, "do"))
        parse_do(p);
    else if (is(p, "break") || is(p, "continue")) {
        bool breaks = is(p, "break");
        advance(p);
        parse_jump(p, breaks);
    } else if (accept(p, "atomic"))
        parse_atomic(p, line);
    else if (accept(p, "await") || accept(p, "assume"))
        parse_waiting(p, WAIT, line);
    else if (accept(p, "assert"))
        parse_waiting(p, CLAIM, line);
    else if (accept(p, "lock"))
        parse_waiting(p, LOCK, line);
    else if (accept(p, "unlock"))
        parse_waiting(p, UNLOCK, line);
    else if (accept(p, "return")) {
        p->answers = true;
        emit(p, RETURN, line, NULL, is(p, ";") ? constant(WORD_OK) : parse_expression(p));
        p->answers = false;
        expect(p, ";");
    } else if (!accept(p, ";")) {
        parse_plain(p);
        expect(p, ";");
    }
    p->depth--;
}

/* ---- implementations ---- */

static void parse_body(struct parser *p, struct operation_code *code)
{
    p->code = code;
    expect(p, "{");
    parse_block(p);
    emit(p, RETURN, p->line, NULL, constant(WORD_OK));
}

static void parse_operation(struct parser *p)
{
    struct program *program = p->program;
    struct operation_code operation = {.only = -1};
    size_t before = program->locals;
    p->locals.count = 0;
    program->locals = 0;
    operation.name = take_name(p, &operation.name_length);
    expect(p, "(");
    if (!is(p, ")")) {
        if (!parse_type(p, &operation.parameter) || operation.parameter.kind == A_NODE)
            unknown(p);
        declare(p, &p->locals, &operation.parameter, program->locals++);
        operation.parameters = 1;
    }
    expect(p, ")");
    if (accept(p, "only")) {
        expect(p, "thread");
        operation.only = parse_constant(p);
    }
    parse_body(p, &operation);
    program->locals = program->locals > before ? program->locals : before;
    program->operations = room(program->operations, program->operation_count + 1, sizeof operation);
    program->operations[program->operation_count++] = operation;
}

static void parse_structure(struct parser *p)
{
    struct program *program = p->program;
    struct structure *made = &program->structures[find_structure(p)];
    struct names fields = {NULL, 0};
    advance(p);
    expect(p, "{");
    while (!accept(p, "}")) {
        struct type type;
        if (!parse_type(p, &type))
            unknown(p);
        do
            declare(p, &fields, &type, fields.count);
        while (accept(p, ","));
        expect(p, ";");
    }
    made->fields = fields.items;
    made->count = fields.count;
    if (fields.count > program->most_fields)
        program->most_fields = fields.count;
}

static void parse_shared(struct parser *p)
{
    struct program *program = p->program;
    struct names names = {program->shared, program->shared_count};
    struct type type;
    if (!parse_type(p, &type))
        unknown(p);
    do {
        struct variable *made = declare(p, &names, &type, program->words);
        program->shared = names.items; /* they may have moved, and are looked at below */
        program->shared_count = names.count;
        if (accept(p, "[")) {
            word length = parse_constant(p);
            if (length < 1 || length > 1000)
                unknown(p);
            made->length = (size_t)length;
            expect(p, "]");
        }
        if (accept(p, "=")) {
            expression first = parse_expression(p);
            if (first->kind != CONSTANT)
                unknown(p);
            made->first = first->value;
        }
        program->words += made->length ? made->length : 1;
    } while (accept(p, ","));
    expect(p, ";");
}

/* Over a declaration: to the end of its brackets, or behind its semicolon. */
static void pass_over(struct parser *p)
{
    while (p->length && !is(p, ";") && !is(p, "{"))
        advance(p);
    if (is(p, "{"))
        skip_brackets(p);
    else
        advance(p);
}

static void name_structure(struct parser *p)
{
    struct program *program = p->program;
    struct structure made = {.count = 0};
    made.name = take_name(p, &made.name_length);
    program->structures =
        room(program->structures, program->structure_count + 1, sizeof *program->structures);
    program->structures[program->structure_count++] = made;
    pass_over(p);
}

/* The declarations of one kind; "": only names of structures. */
static void parse_declarations(struct parser *p, const char *kind)
{
    expect(p, "{");
    while (!accept(p, "}")) {
        bool structure = is(p, "struct"), known = structure || is(p, "shared") || is(p, "op");
        if (!known && !is(p, "init"))
            unknown(p);
        if (structure && !*kind) {
            advance(p);
            name_structure(p);
        } else if (!accept(p, kind))
            pass_over(p);
        else if (structure)
            parse_structure(p);
        else if (strcmp(kind, "shared") == 0)
            parse_shared(p);
        else if (strcmp(kind, "op") == 0)
            parse_operation(p);
        else {
            p->locals.count = 0;
            p->atomic = true;
            parse_body(p, &p->program->start);
            p->atomic = false;
        }
    }
}

/* Names may be used in front of where they are declared, so it is gone through kind by kind. */
static void parse_implementation(struct parser *p)
{
    static const char *const kinds[] = {"", "struct", "shared", "init", "op"};
    const struct parser start = *p;
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        go_to(p, &start);
        parse_declarations(p, kinds[i]);
    }
}

/* ---- assertions ---- */

/* Arguments in brackets, if there are any; of each the name of the parameter, or null. */
static size_t parse_arguments(struct parser *p, struct variable *arguments, size_t most)
{
    size_t count = 0;
    if (!accept(p, "("))
        return 0;
    while (!accept(p, ")")) {
        if (count == most || (count && !accept(p, ",")))
            unknown(p);
        arguments[count] = (struct variable){.name = NULL};
        if (is_name(p) && !find(p->constants.items, p->constants.count, p->token, p->length)) {
            arguments[count].name = take_name(p, &arguments[count].name_length);
            expect(p, "=");
        }
        arguments[count++].first = parse_constant(p);
    }
    return count;
}

static void parse_options(struct parser *p)
{
    struct program *program = p->program;
    do {
        word *option = is(p, "threads")  ? &program->threads
                       : is(p, "ops")    ? &program->calls
                       : is(p, "values") ? &program->values
                                         : NULL;
        if (!option)
            unknown(p);
        advance(p);
        expect(p, "=");
        if (option == &program->calls && accept(p, "any"))
            *option = -1;
        else
            *option = parse_constant(p);
    } while (accept(p, ","));
    if (program->threads < 1 || program->threads > MOST_THREADS || program->values < 1)
        unknown(p);
}

struct asserted {
    const char *name;
    size_t name_length, count;
    struct variable arguments[16];
};

static void parse_assertion(struct parser *p, struct asserted *asserted)
{
    struct program *program = p->program;
    struct variable argument;
    asserted->name = take_name(p, &asserted->name_length);
    asserted->count = parse_arguments(p, asserted->arguments, LENGTH(asserted->arguments));
    expect(p, "linearizes");
    program->specification = take_name(p, &program->specification_length);
    if (parse_arguments(p, &argument, 1))
        program->specification_argument = argument.first;
    if (accept(p, "with"))
        parse_options(p);
    if (!is(p, ";"))
        unknown(p);
    program->assertion_length = (size_t)(p->token - program->assertion);
}

static void bind_parameters(struct parser *p, const struct asserted *asserted)
{
    size_t count = 0;
    if (!accept(p, "("))
        return;
    while (!accept(p, ")")) {
        size_t length;
        const char *name = (count && !accept(p, ",")) ? (unknown(p), NULL) : take_name(p, &length);
        word held = accept(p, "=") ? parse_constant(p) : INT64_MAX;
        for (size_t i = 0; i < asserted->count; i++) {
            const struct variable *given = &asserted->arguments[i];
            if (given->name ? named(given->name, given->name_length, name, length) : i == count)
                held = given->first;
        }
        if (held == INT64_MAX)
            unknown(p);
        add_constant(p, name, length, held);
        count++;
    }
}

/* Goes through the parts of the file: those that are not asked for are passed over. Looks for the
 * assertion in `line`, or, if that is 0, for the implementation that it speaks of. */
static bool parse_file(struct parser *p, size_t line, struct asserted *asserted)
{
    bool found = false;
    p->at = p->program->file->bytes;
    p->line = 1;
    for (advance(p); p->length;) {
        size_t here = p->line;
        bool is_implementation = is(p, "impl"), is_assertion = is(p, "assert");
        const char *name = p->program->specification;
        if (is(p, "#") || is(p, "include") || is(p, "enum"))
            unknown(p);
        if (accept(p, "const")) {
            size_t length;
            expect(p, "int");
            name = take_name(p, &length);
            expect(p, "=");
            word held = parse_constant(p);
            expect(p, ";");
            if (line)
                add_constant(p, name, length, held);
            continue;
        }
        const char *start = p->token;
        bool specifies = is(p, "spec") || is(p, "rules");
        advance(p);
        if (specifies && !line &&
            named(p->token, p->length, name, p->program->specification_length))
            unknown(p);
        if (is_assertion && line == here) {
            p->program->assertion = start;
            parse_assertion(p, asserted);
            found = true;
        } else if (is_implementation && !line &&
                   named(p->token, p->length, asserted->name, asserted->name_length)) {
            advance(p);
            bind_parameters(p, asserted);
            add_constant(p, "threads", 7, p->program->threads);
            parse_implementation(p);
            found = true;
            continue;
        }
        pass_over(p);
    }
    return found;
}

void read_program(const struct file *file, size_t line, struct program *program)
{
    struct asserted asserted = {.count = 0};
    struct parser parser = {.file = file, .program = program};
    *program = (struct program){
        .file = file, .threads = 2, .calls = 2, .values = 2, .specification_argument = WORD_NULL};
    if (!line || !parse_file(&parser, line, &asserted))
        refuse("%s:%zu: there is no assertion", file->path, line);
    if (!parse_file(&parser, 0, &asserted))
        refuse("%s has no such implementation", file->path);
}
