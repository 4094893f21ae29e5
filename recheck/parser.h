/* What reads a net or a `.lin` file: tokens; and of the latter names and expressions. */
#ifndef PARSER_H
#define PARSER_H

#include "program.h"

enum {
    MOST_DEPTH = 200
};

struct loop {
    struct loop *outer;
    size_t *breaks, *continues;
    size_t break_count, continue_count;
};

struct names {
    struct variable *items;
    size_t count;
};

struct parser {
    const struct file *file;
    const char *at; /* behind the token */
    size_t line;
    const char *token; /* `length` long; 0: the end of the file */
    size_t length, depth;
    bool hashes; /* comments begin with #, not with // */
    struct program *program;
    bool atomic;  /* inside it, or in `init` */
    bool answers; /* inside of what is returned */
    struct names constants, locals;
    struct operation_code *code;
    struct loop *loop;
};

void advance(struct parser *p);
bool named(const char *name, size_t length, const char *text, size_t text_length);
bool is(const struct parser *p, const char *text);
_Noreturn void unknown(const struct parser *p);
bool accept(struct parser *p, const char *text);
void expect(struct parser *p, const char *text);
bool is_name(const struct parser *p);
const char *take_name(struct parser *p, size_t *length);
void skip_brackets(struct parser *p);
void enter(struct parser *p);
const struct variable *find(const struct variable *all, size_t count, const char *name,
                            size_t length);
struct variable *add(struct names *names);
void add_constant(struct parser *p, const char *name, size_t length, word held);
struct expression *make(enum expression_kind kind, expression one, expression two,
                        expression three);
struct expression *constant(word held);
expression parse_expression(struct parser *p);
bool is_location(expression e);
expression parse_place(struct parser *p);
word parse_constant(struct parser *p);
size_t find_structure(const struct parser *p); /* how many there are: none is named so */
bool parse_type(struct parser *p, struct type *type);
struct variable *declare(struct parser *p, struct names *names, const struct type *type,
                         size_t number);

#endif
