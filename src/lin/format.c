/* Tokens and the comments between them are pieces; each is told what it is to its neighbours (a
 * sign before one operand, a brace of a set); then lines are built with their indents, and comments
 * behind code put into columns. At the end the result is read again: it must have the same tokens.
 */
#include "lin/format.h"

#include <string.h>

#include "lin/lexer.h"
#include "lin/parser.h"

#define INDENT      4
#define COMMENT_GAP 4 /* spaces before a comment behind code, at least */

enum piece_kind {
    PIECE_TOKEN,
    PIECE_LINE_COMMENT,
    PIECE_BLOCK_COMMENT,
};

/* A token or a comment, with what stands before it. */
struct piece {
    uint8_t kind;          /* enum piece_kind */
    uint8_t token;         /* its kind */
    bool spaced;           /* white space before it */
    bool unary;            /* a sign before its operand */
    bool literal;          /* a brace of a set or a map */
    bool ends_line;        /* the name of a file that is included */
    bool foreign;          /* in a block with signs of its own: its spaces are the author's */
    bool closes_condition; /* the `)` of if, while, for, switch: a statement follows */
    bool ends_label;       /* the `:` of a case */
    place at;
    uint32_t length;
    uint32_t newlines; /* before it */
};

/* An open bracket. */
struct bracket {
    unsigned indent; /* of the line that it is in */
    bool block;      /* a brace around statements */
    bool condition;  /* of if, while, for */
    bool parameters; /* of a function that is declared */
};

/* A line as it will be. */
struct line {
    place code; /* into `built` */
    uint32_t code_length;
    uint32_t comment; /* index of the piece behind the code; UINT32_MAX: none */
    bool blank_before;
};

struct formatter {
    const struct script *script;
    VECTOR(struct piece) pieces;
    VECTOR(struct bracket) brackets;
    VECTOR(struct line) lines;
    struct text built;
    struct text *out;
    struct error *error;
};

/* ---- pieces ---- */

static bool add_piece(struct formatter *formatter, struct piece piece, place *at,
                      uint32_t *newlines, bool *spaced)
{
    piece.newlines = *newlines;
    piece.spaced = *spaced;
    *newlines = 0;
    *spaced = false;
    *at = piece.at + piece.length;
    return vector_push(&formatter->pieces, piece);
}

/* The comments between two tokens, and the token behind them. */
static enum status add_with_comments(struct formatter *formatter, place *at, struct piece token)
{
    const char *text = formatter->script->text;
    uint32_t newlines = 0;
    bool spaced = false;
    while (*at < token.at) {
        if (text[*at] == '/') {
            bool line = text[*at + 1] == '/';
            const char *from = text + *at;
            size_t length =
                line ? strcspn(from, "\r\n") : (size_t)(strstr(from + 2, "*/") + 2 - from);
            struct piece comment = {.kind = line ? PIECE_LINE_COMMENT : PIECE_BLOCK_COMMENT,
                                    .at = *at,
                                    .length = (uint32_t)length};
            while (line && comment.length > 0 && strchr(" \t", from[comment.length - 1]))
                comment.length--;
            TRY_MEMORY(add_piece(formatter, comment, at, &newlines, &spaced));
            continue;
        }
        newlines += text[*at] == '\n';
        spaced = true;
        (*at)++;
    }
    return granted(add_piece(formatter, token, at, &newlines, &spaced));
}

static enum status collect(struct formatter *formatter, struct arena *arena)
{
    struct names names;
    struct tokens tokens;
    struct dialect plain = lin_dialect;
    plain.foreign = ""; /* directives stay as they are */
    names_init(&names, arena);
    vector_init(&tokens.items, arena->budget);
    enum status status = tokenize(formatter->script, &plain, &names, &tokens, formatter->error);
    place at = formatter->script->parts[formatter->script->main].start;
    for (size_t i = 0; status == STATUS_OK && i < tokens.items.length; i++) {
        const struct token *token = &tokens.items.items[i];
        bool quoted = token->kind == TOKEN_STRING;
        struct piece piece = {
            .token = token->kind, .at = token->at - quoted, .length = token->length + 2 * quoted};
        status = add_with_comments(formatter, &at, piece);
    }
    vector_release(&tokens.items);
    names_release(&names);
    return status;
}

static bool is_word(const struct formatter *formatter, const struct piece *piece, const char *word)
{
    return piece->kind == PIECE_TOKEN && piece->length == strlen(word) &&
           memcmp(formatter->script->text + piece->at, word, piece->length) == 0;
}

static bool is_any_word(const struct formatter *formatter, const struct piece *piece,
                        const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(formatter, piece, words[i]))
            return true;
    return false;
}

/* ---- what pieces are ---- */

/* Whether a token ends an operand, so that a sign behind it has two. */
static bool ends_operand(const struct piece *piece)
{
    switch (piece->token) {
    case LIN_NAME:
    case LIN_INTEGER:
    case LIN_STRING:
    case LIN_TRUE:
    case LIN_FALSE:
    case LIN_NULL:
    case LIN_RIGHT_PAREN:
    case LIN_RIGHT_BRACKET:
    case LIN_RIGHT_BRACE:
    case LIN_INCREMENT:
    case LIN_DECREMENT:
        return !piece->closes_condition;
    default:
        return false;
    }
}

static bool opens(unsigned token)
{
    return token == LIN_LEFT_PAREN || token == LIN_LEFT_BRACKET || token == LIN_LEFT_BRACE;
}

static bool closes(unsigned token)
{
    return token == LIN_RIGHT_PAREN || token == LIN_RIGHT_BRACKET || token == LIN_RIGHT_BRACE;
}

/* The token before a piece; null: there is none. */
static const struct piece *token_before(const struct formatter *formatter, size_t at)
{
    while (at > 0 && formatter->pieces.items[at - 1].kind != PIECE_TOKEN)
        at--;
    return at > 0 ? &formatter->pieces.items[at - 1] : NULL;
}

/* A brace behind these opens a set or a map, and no block. */
static bool comes_before_literal(const struct formatter *formatter, const struct piece *piece)
{
    static const char *const words[] = {"=",  ",", "(", "[",  ":",  "?", "return",
                                        "in", "+", "-", "==", "!=", "&", "|"};
    return piece && !piece->ends_label && is_any_word(formatter, piece, words, ARRAY_LENGTH(words));
}

static bool is_statement_word(const struct formatter *formatter, const struct piece *piece)
{
    static const char *const words[] = {"if", "while", "for", "switch"};
    return piece && is_any_word(formatter, piece, words, ARRAY_LENGTH(words));
}

/* Whether signs mean something else from here on than in expressions: formulas, rules. */
static bool is_foreign(const struct formatter *formatter, const struct piece *piece,
                       const struct piece *before, bool foreign)
{
    static const char *const begin[] = {"rules", "satisfies"};
    if (formatter->brackets.length > 0 || piece->kind != PIECE_TOKEN)
        return foreign;
    if (is_any_word(formatter, piece, begin, ARRAY_LENGTH(begin)))
        return true;
    bool ended = is_word(formatter, piece, "with") ||
                 (before && (before->token == LIN_RIGHT_BRACE || before->token == LIN_SEMICOLON));
    return foreign && !ended;
}

static bool is_directive(const struct formatter *formatter, const struct piece *piece,
                         const struct piece *before)
{
    return piece->token == LIN_STRING && before && is_word(formatter, before, "include");
}

/* Whether `case 1:` or `default:` begins with a piece. */
static bool begins_label(const struct formatter *formatter, size_t at)
{
    const struct piece *piece = &formatter->pieces.items[at], *before = token_before(formatter, at);
    bool first = before && (before->token == LIN_SEMICOLON || before->token == LIN_LEFT_BRACE ||
                            before->token == LIN_RIGHT_BRACE || before->ends_label);
    if (!first || piece->foreign || before->literal)
        return false;
    if (is_word(formatter, piece, "default"))
        return piece[1].token == LIN_COLON;
    return is_word(formatter, piece, "case") && piece[1].token != LIN_ASSIGN &&
           piece[1].token != LIN_LEFT_PAREN;
}

/* Finds out what each piece is to its neighbours. Brackets match, for the file has been parsed. */
static bool classify(struct formatter *formatter)
{
    bool foreign = false;
    unsigned labels = 0; /* colons to come until a label ends, those of `?` among them */
    for (size_t i = 0; i < formatter->pieces.length; i++) {
        struct piece *piece = &formatter->pieces.items[i];
        const struct piece *before = token_before(formatter, i);
        size_t open = formatter->brackets.length;
        piece->foreign = foreign = is_foreign(formatter, piece, before, foreign);
        if (piece->kind != PIECE_TOKEN)
            continue;
        bool sign = piece->token == LIN_MINUS || piece->token == LIN_INCREMENT ||
                    piece->token == LIN_DECREMENT || piece->token == LIN_STAR ||
                    piece->token == LIN_AND;
        bool of_type =
            piece->token == LIN_STAR && open > 0 && formatter->brackets.items[open - 1].parameters;
        piece->unary =
            piece->token == LIN_BANG || of_type ||
            (sign && (!before || !ends_operand(before) || is_word(formatter, before, "case")));
        piece->literal = piece->token == LIN_LEFT_BRACE && comes_before_literal(formatter, before);
        piece->ends_line = is_directive(formatter, piece, before);
        labels += begins_label(formatter, i) || (labels > 0 && piece->token == LIN_QUESTION);
        piece->ends_label = labels == 1 && piece->token == LIN_COLON;
        labels -= labels > 0 && piece->token == LIN_COLON;
        if (opens(piece->token)) {
            struct bracket bracket = {
                .block = piece->token == LIN_LEFT_BRACE && !piece->literal,
                .condition = piece->token == LIN_LEFT_PAREN && is_statement_word(formatter, before),
                .parameters = piece->token == LIN_LEFT_PAREN && open == 1 && before &&
                              before->token == LIN_NAME && !is_word(formatter, before, "int")};
            if (!vector_push(&formatter->brackets, bracket))
                return false;
        } else if (closes(piece->token) && open > 0) {
            const struct bracket *bracket = &formatter->brackets.items[open - 1];
            piece->closes_condition = bracket->condition;
            piece->literal = piece->token == LIN_RIGHT_BRACE && !bracket->block;
            formatter->brackets.length--;
        }
    }
    formatter->brackets.length = 0;
    return true;
}

/* ---- spaces ---- */

/* Words with a space before the parenthesis behind them. */
static bool is_spaced_word(const struct formatter *formatter, const struct piece *piece)
{
    static const char *const words[] = {"if",     "while", "for", "return",   "await",  "assume",
                                        "assert", "never", "in",  "print",    "switch", "case",
                                        "else",   "with",  "or",  "satisfies"};
    return is_any_word(formatter, piece, words, ARRAY_LENGTH(words));
}

static bool is_tight_sign(unsigned token)
{
    return token == LIN_DOT || token == LIN_DOT_DOT;
}

/* Signs between two operands. */
static bool is_binary_sign(const struct piece *piece)
{
    return piece->token >= LIN_ADD_ASSIGN && piece->token <= LIN_CARET &&
           piece->token != LIN_SEMICOLON && piece->token != LIN_COMMA &&
           piece->token != LIN_COLON && piece->token != LIN_HASH && !opens(piece->token) &&
           !closes(piece->token) && !is_tight_sign(piece->token) && !piece->unary;
}

/* Between the operands of arithmetic the author may leave out both spaces: int(0..N-1). */
static bool is_spread(const struct piece *sign)
{
    bool arithmetic = sign->token == LIN_PLUS || sign->token == LIN_MINUS ||
                      sign->token == LIN_STAR || sign->token == LIN_SLASH ||
                      sign->token == LIN_PERCENT;
    return !arithmetic || sign->spaced || sign[1].spaced;
}

/* Whether there is a space before the right one of two tokens in a line; `keep`: as it was. */
static bool is_apart(const struct formatter *formatter, const struct piece *left,
                     const struct piece *right)
{
    const bool keep = right->spaced;
    if (left->kind != PIECE_TOKEN || right->kind != PIECE_TOKEN)
        return true;
    if (left->foreign && right->foreign)
        return keep;
    if (left->token == LIN_ARROW || right->token == LIN_ARROW)
        return true;
    if (is_tight_sign(left->token) || is_tight_sign(right->token))
        return false;
    if (right->token == LIN_COMMA || right->token == LIN_SEMICOLON ||
        right->token == LIN_RIGHT_PAREN || right->token == LIN_RIGHT_BRACKET || right->ends_label)
        return left->token == LIN_SEMICOLON && right->token != LIN_RIGHT_PAREN && keep;
    if (left->token == LIN_COMMA || left->token == LIN_SEMICOLON)
        return true;
    if (left->token == LIN_LEFT_PAREN || left->token == LIN_LEFT_BRACKET || left->unary ||
        left->token == LIN_HASH)
        return false;
    if (right->token == LIN_LEFT_BRACE)
        return left->token != LIN_LEFT_BRACE || keep;
    if (left->token == LIN_LEFT_BRACE || right->token == LIN_RIGHT_BRACE)
        return left->literal || right->literal
                   ? false
                   : left->token != LIN_LEFT_BRACE || right->token != LIN_RIGHT_BRACE || keep;
    if (left->token == LIN_RIGHT_BRACE || left->closes_condition)
        return true;
    if (is_binary_sign(left) || is_binary_sign(right))
        return is_spread(is_binary_sign(left) ? left : right);
    if (right->token == LIN_LEFT_PAREN || right->token == LIN_LEFT_BRACKET)
        return left->token == LIN_RIGHT_BRACKET  ? keep
               : is_spaced_word(formatter, left) ? true
                                                 : !ends_operand(left) && keep;
    if (right->token == LIN_INCREMENT || right->token == LIN_DECREMENT)
        return right->unary;
    if (right->unary && (right->token == LIN_STAR || right->token == LIN_AND))
        return true;
    bool word =
        right->token == LIN_NAME || (right->token > LIN_LAST_COMMON && right->token <= LIN_NULL);
    if (left->token == LIN_COLON || (word && ends_operand(left)))
        return true;
    return keep;
}

/* ---- lines ---- */

/* Where the columns of a piece's own line begin. */
static place line_start(const struct formatter *formatter, place at)
{
    place first = formatter->script->parts[formatter->script->main].start;
    while (at > first && formatter->script->text[at - 1] != '\n')
        at--;
    return at;
}

/* Columns of a text: bytes that begin a character. */
static unsigned width(const char *text, size_t length)
{
    unsigned columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

static unsigned column(const struct formatter *formatter, place at)
{
    place start = line_start(formatter, at);
    return width(formatter->script->text + start, at - start);
}

static void append_spaces(struct text *text, unsigned count)
{
    for (; count > 0; count--)
        text_append_char(text, ' ');
}

/* A comment; the further lines of one that has several move with the first. */
static void append_comment(const struct formatter *formatter, const struct piece *piece,
                           unsigned to, struct text *text)
{
    const char *from = formatter->script->text + piece->at, *end = from + piece->length;
    unsigned was = column(formatter, piece->at);
    while (from < end) {
        size_t length = strcspn(from, "\n");
        bool last = from + length >= end;
        size_t shown = last ? (size_t)(end - from) : length;
        while (shown > 0 && strchr(" \t\r", from[shown - 1]))
            shown--;
        text_append_bytes(text, from, shown);
        if (last)
            return;
        text_append_char(text, '\n');
        from += length + 1;
        unsigned blank = (unsigned)strspn(from, " \t");
        from += blank;
        if (*from != '\n' && *from != '\r')
            append_spaces(text, blank + to > was ? blank + to - was : 0);
    }
}

static bool is_statement_end(const struct formatter *formatter, size_t at)
{
    const struct piece *before = token_before(formatter, at);
    if (!before || before->token == LIN_SEMICOLON || before->ends_line || before->ends_label)
        return true;
    return (before->token == LIN_LEFT_BRACE && !before->literal) ||
           before->token == LIN_RIGHT_BRACE;
}

/* How far the line that begins with piece `at` is indented; `last`: the line before,
 * `statement`: the line in which the statement began, which is updated. */
static unsigned indent_of(const struct formatter *formatter, size_t at, unsigned last,
                          unsigned *statement)
{
    const struct piece *first = &formatter->pieces.items[at];
    const struct piece *before = token_before(formatter, at);
    size_t open = formatter->brackets.length;
    const struct bracket *top = open ? &formatter->brackets.items[open - 1] : NULL;
    unsigned block = top ? top->indent + INDENT : 0;
    if (first->kind == PIECE_TOKEN && closes(first->token))
        return top ? top->indent : 0;
    if (top && !top->block)
        return block;
    if (is_statement_end(formatter, at))
        return *statement = begins_label(formatter, at) ? block - INDENT : block;
    bool header = before->closes_condition || is_word(formatter, before, "else") ||
                  is_word(formatter, before, "do");
    bool brace = first->kind == PIECE_TOKEN && first->token == LIN_LEFT_BRACE;
    if (brace)
        return *statement;
    return (header ? last : *statement) + INDENT;
}

static bool follow_brackets(struct formatter *formatter, const struct piece *piece, unsigned indent)
{
    if (piece->kind != PIECE_TOKEN)
        return true;
    if (closes(piece->token) && formatter->brackets.length > 0)
        formatter->brackets.length--;
    if (!opens(piece->token))
        return true;
    struct bracket bracket = {.indent = indent,
                              .block = piece->token == LIN_LEFT_BRACE && !piece->literal};
    return vector_push(&formatter->brackets, bracket);
}

/* Builds the line of pieces from `first` to before `end`. */
static bool build_line(struct formatter *formatter, size_t first, size_t end, unsigned indent)
{
    const struct piece *pieces = formatter->pieces.items;
    struct text *built = &formatter->built;
    const struct piece *before = token_before(formatter, first);
    bool opened =
        before && before->token == LIN_LEFT_BRACE && before == &formatter->pieces.items[first - 1];
    bool closing = pieces[first].kind == PIECE_TOKEN && closes(pieces[first].token);
    struct line line = {.code = (place)built->length,
                        .comment = UINT32_MAX,
                        .blank_before =
                            first > 0 && pieces[first].newlines > 1 && !opened && !closing};
    size_t code_end = end;
    if (end - first > 1 && pieces[end - 1].kind != PIECE_TOKEN)
        line.comment = (uint32_t)--code_end;
    append_spaces(built, indent);
    for (size_t i = first; i < code_end; i++) {
        const struct piece *piece = &pieces[i];
        if (i > first && is_apart(formatter, piece - 1, piece))
            text_append_char(built, ' ');
        if (piece->kind == PIECE_TOKEN)
            text_append_bytes(built, formatter->script->text + piece->at, piece->length);
        else
            append_comment(formatter, piece, indent, built);
        if (!follow_brackets(formatter, piece, indent))
            return false;
    }
    line.code_length = (uint32_t)(built->length - line.code);
    return vector_push(&formatter->lines, line);
}

static bool build_lines(struct formatter *formatter)
{
    unsigned indent = 0, statement = 0;
    size_t count = formatter->pieces.length - 1; /* without the end */
    for (size_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && formatter->pieces.items[end].newlines == 0)
            end++;
        indent = indent_of(formatter, first, indent, &statement);
        if (!build_line(formatter, first, end, indent))
            return false;
    }
    return true;
}

/* ---- comments behind code ---- */

static unsigned code_width(const struct formatter *formatter, const struct line *line)
{
    const char *code = formatter->built.bytes + line->code;
    return width(code, line->code_length);
}

/* The column of the comments of lines from `first` to before `end`: that which they all have if
 * there is room, else behind the longest. */
static unsigned comment_column(const struct formatter *formatter, size_t first, size_t end)
{
    unsigned longest = 0, common = 0;
    bool same = true;
    for (size_t i = first; i < end; i++) {
        const struct line *line = &formatter->lines.items[i];
        unsigned own = column(formatter, formatter->pieces.items[line->comment].at);
        unsigned code = code_width(formatter, line);
        longest = code > longest ? code : longest;
        same &= i == first || own == common;
        common = own;
    }
    return same && common > longest ? common : longest + COMMENT_GAP;
}

static void write_lines(struct formatter *formatter)
{
    struct text *out = formatter->out;
    size_t end = 0;
    unsigned aligned = 0;
    for (size_t i = 0; i < formatter->lines.length; i++) {
        const struct line *line = &formatter->lines.items[i];
        if (line->comment != UINT32_MAX && i >= end) {
            for (end = i + 1; end < formatter->lines.length; end++)
                if (formatter->lines.items[end].comment == UINT32_MAX ||
                    formatter->lines.items[end].blank_before)
                    break;
            aligned = comment_column(formatter, i, end);
        }
        if (line->blank_before)
            text_append_char(out, '\n');
        text_append_bytes(out, formatter->built.bytes + line->code, line->code_length);
        if (line->comment != UINT32_MAX) {
            append_spaces(out, aligned - code_width(formatter, line));
            append_comment(formatter, &formatter->pieces.items[line->comment], aligned, out);
        }
        text_append_char(out, '\n');
    }
}

/* ---- the whole ---- */

static void formatter_init(struct formatter *formatter, const struct script *script,
                           struct budget *budget, struct text *out, struct error *error)
{
    *formatter = (struct formatter){.script = script, .out = out, .error = error};
    vectors_init(budget, &formatter->pieces, &formatter->brackets, &formatter->lines);
}

static void formatter_release(struct formatter *formatter)
{
    vectors_release(&formatter->pieces, &formatter->brackets, &formatter->lines);
    text_release(&formatter->built);
}

/* Whether both have the same tokens, and as many comments. */
static bool are_alike(const struct formatter *one, const struct formatter *other)
{
    if (one->pieces.length != other->pieces.length)
        return false;
    for (size_t i = 0; i < one->pieces.length; i++) {
        const struct piece *left = &one->pieces.items[i], *right = &other->pieces.items[i];
        if (left->kind != right->kind || left->token != right->token)
            return false;
        if (left->kind == PIECE_TOKEN &&
            (left->length != right->length ||
             memcmp(one->script->text + left->at, other->script->text + right->at, left->length) !=
                 0))
            return false;
    }
    return true;
}

/* Nobody's file is rewritten to something else, whatever this module does not know. */
static enum status verify(const struct formatter *formatter, struct arena *arena)
{
    struct script script;
    struct formatter again;
    TRY(script_from_text(formatter->script->name, text_string(formatter->out),
                         formatter->out->length, arena, &script, formatter->error));
    formatter_init(&again, &script, arena->budget, NULL, formatter->error);
    enum status status = collect(&again, arena);
    if (status == STATUS_INPUT || (status == STATUS_OK && !are_alike(formatter, &again)))
        status = error_set(formatter->error, STATUS_INTERNAL, formatter->script->name, 0,
                           "expected that laying out keeps all tokens, found that it does not");
    formatter_release(&again);
    return status;
}

enum status lin_format(const struct script *script, struct arena *arena, struct text *out,
                       struct error *error)
{
    struct formatter formatter;
    struct lin_module module;
    enum status status = lin_parse(script, arena, &module, error);
    lin_module_release(&module);
    TRY(status);
    formatter_init(&formatter, script, arena->budget, out, error);
    status = collect(&formatter, arena);
    if (status == STATUS_OK && (!classify(&formatter) || !build_lines(&formatter)))
        status = STATUS_LIMIT;
    if (status == STATUS_OK) {
        write_lines(&formatter);
        status = verify(&formatter, arena);
    }
    formatter_release(&formatter);
    return status;
}
