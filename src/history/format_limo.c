/* LiMo's histories, and Violin's before them:
 *
 *     # @object atomic-stack
 *     [1] call push(1)
 *     [2] call pop
 *     [1] return
 *     [2] return 1
 *
 * The number names an operation, or the thread it runs in: either way one operation at a time. What
 * the object's operations are called varies (add and remove of a queue, of a stack), so @object
 * decides. `call pop(1)` with a plain `return` means that 1 was popped; a plain `return` alone, as
 * `return empty`, that there was nothing to pop. */
#include <inttypes.h>
#include <string.h>

#include "base/names.h"
#include "base/utf8.h"
#include "history/format.h"
#include "history/lines.h"
#include "history/recognise.h"
#include "history/scan.h"
#include "history/writing.h"
#include "spec/spec.h"
#include "value/print.h"

enum role {
    ROLE_OTHER,
    ROLE_PUTS,  /* what its completion says means nothing */
    ROLE_TAKES, /* what it was called with, or else nothing, is what it answered */
};

struct limo_function {
    char name[SCAN_NAME_LENGTH]; /* empty: there are no more */
    const char *aliases;         /* separated by blanks, as below */
    enum role role;
};

struct limo_object {
    const char *specification, *aliases;
    struct limo_function functions[3];
};

static const struct limo_object objects[] = {
    {"stack",
     "",
     {{"push", "add put insert", ROLE_PUTS},
      {"pop", "remove rem rmv get take", ROLE_TAKES},
      {"", "", ROLE_OTHER}}},
    {"queue",
     "",
     {{"enqueue", "enq add put insert offer", ROLE_PUTS},
      {"dequeue", "deq remove rem rmv get take poll", ROLE_TAKES},
      {"", "", ROLE_OTHER}}},
    {"priority-queue",
     "priorityqueue priority_queue pqueue",
     {{"insert", "add put offer enqueue enq push", ROLE_PUTS},
      {"delete-min", "delete_min deletemin remove rem rmv get take poll dequeue deq pop",
       ROLE_TAKES},
      {"", "", ROLE_OTHER}}},
    {"set",
     "",
     {{"add", "insert put", ROLE_OTHER},
      {"remove", "rem rmv delete", ROLE_OTHER},
      {"contains", "ctn member", ROLE_OTHER}}},
};

#define MAX_NUMBER INT64_C(999999999999999999) /* what scan_integer reads */

/* The context that the lines are read in; lines.h passes on the inner one. */
struct limo_context {
    struct read_context context;
    const struct limo_object *object; /* null: not said, or none of ours */
    struct text said;                 /* by @object; empty: nothing */
};

/* Whether `name` is `main` or one of the blank-separated `others`. */
static bool is_one_of(const char *name, size_t length, const char *main, const char *others)
{
    if (length == strlen(main) && !memcmp(name, main, length))
        return true;
    for (size_t word; *others; others += word + (others[word] == ' ')) {
        word = strcspn(others, " ");
        if (word == length && !memcmp(name, others, length))
            return true;
    }
    return false;
}

static const struct limo_object *find_object(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_LENGTH(objects); i++)
        if (is_one_of(name, length, objects[i].specification, objects[i].aliases))
            return &objects[i];
    return NULL;
}

static const struct limo_function *find_function(const struct limo_object *object, const char *name,
                                                 size_t length)
{
    for (size_t i = 0; object && i < ARRAY_LENGTH(object->functions); i++)
        if (object->functions[i].name[0] &&
            is_one_of(name, length, object->functions[i].name, object->functions[i].aliases))
            return &object->functions[i];
    return NULL;
}

/* What a call takes or a return gives: nil for `empty`, a value that EDN writes with exactly these
 * letters (so that different texts stay different), or else the letters themselves. `names`
 * may be null. */
static value read_value(struct scan_names *names, struct value_pool *pool, const char *text,
                        size_t length)
{
    int64_t integer = 0;
    if (LIKELY(scan_integer(text, &integer) == text + length))
        return value_integer(pool, integer);
    if (is_one_of(text, length, "empty", "Empty EMPTY"))
        return VALUE_NIL;
    value v = VALUE_NIL;
    size_t used;
    bool same = false;
    if (value_parse_edn(pool, text, length, &used, NULL, 1, &v, NULL) == STATUS_OK &&
        used == length && value_kind_of(v) != KIND_SYMBOL) {
        struct text printed = TEXT_EMPTY;
        value_print_edn(v, &printed);
        same = printed.length == length && !memcmp(printed.bytes, text, length);
        text_release(&printed);
    }
    if (same)
        return v;
    return names ? scan_name(names, pool, KIND_STRING, text, length)
                 : value_text(pool, KIND_STRING, text, length);
}

static enum status unexpected(const struct line_parser *parser, const char *line, size_t length)
{
    return error_set(parser->error, STATUS_INPUT, parser->file, parser->line,
                     "expected [NUMBER] call NAME(VALUE) or [NUMBER] return VALUE, found %.*s",
                     length > 60 ? 60 : (int)length, line);
}

/* The function and value behind `call `. */
static enum status read_call(struct line_parser *parser, const char *at, const char *end,
                             struct event *event)
{
    const struct limo_context *limo = (const struct limo_context *)parser->context;
    struct value_pool *pool = parser->context->pool;
    const char *stop = at;
    while (stop < end && *stop != '(' && *stop != ' ' && *stop != '\t')
        stop++;
    const struct limo_function *function = find_function(limo->object, at, (size_t)(stop - at));
    event->type = EVENT_INVOKE;
    event->function =
        function
            ? scan_name(parser->state, pool, KIND_STRING, function->name, strlen(function->name))
            : scan_name(parser->state, pool, KIND_STRING, at, (size_t)(stop - at));
    const char *text = stop, *text_end = end;
    if (text < end && *text == '(') {
        if (end[-1] != ')')
            return error_set(parser->error, STATUS_INPUT, parser->file, parser->line,
                             "expected ) at the end of the call, found the end of the line");
        text++;
        text_end--;
    }
    while (text < text_end && (*text == ' ' || *text == '\t'))
        text++;
    while (text < text_end && (text_end[-1] == ' ' || text_end[-1] == '\t'))
        text_end--;
    if (text == text_end)
        return STATUS_OK;
    event->has_value = true;
    event->value = read_value(parser->state, pool, text, (size_t)(text_end - text));
    return STATUS_OK;
}

static enum status read_return(struct line_parser *parser, const char *at, const char *end,
                               struct event *event)
{
    event->type = EVENT_OK;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (at == end)
        return STATUS_OK;
    event->has_value = true;
    event->value = read_value(parser->state, parser->context->pool, at, (size_t)(end - at));
    return STATUS_OK;
}

/* [NUMBER], a blank, and a word: the place behind them, or null. */
static const char *pass_word(const char *at, const char *end, const char *word, value *process)
{
    int64_t number = 0;
    size_t length = strlen(word);
    if (!memchr(at, ']', (size_t)(end - at)))
        return NULL;
    if (*at != '[' || at[1] == '-' || !(at = scan_integer(at + 1, &number)) || *at != ']')
        return NULL;
    *process = value_small(number);
    at++;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if ((size_t)(end - at) < length || memcmp(at, word, length) != 0)
        return NULL;
    at += length;
    return at == end || *at == ' ' || *at == '\t' ? at : NULL;
}

/* What the line `# @object atomic-queue` says: behind `atomic-`, to the end of the word. */
static bool says_object(const char *line, size_t length, const char **name, size_t *name_length)
{
    static const char key[] = "@object", prefix[] = "atomic-";
    const char *end = line + length, *at = line;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (at == end || *at != '#' || !(at = memmem(at, (size_t)(end - at), key, sizeof key - 1)))
        return false;
    at += sizeof key - 1;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if ((size_t)(end - at) >= sizeof prefix - 1 && !memcmp(at, prefix, sizeof prefix - 1))
        at += sizeof prefix - 1;
    *name = at;
    while (at < end && (unsigned char)*at > ' ')
        at++;
    *name_length = (size_t)(at - *name);
    return *name_length > 0;
}

/* What the first line says that says it. */
static bool find_said(const char *head, size_t length, const char **name, size_t *name_length)
{
    const char *end = head + length, *at = head;
    if (length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        if (says_object(at, (size_t)(stop - at), name, name_length))
            return true;
        at = newline ? newline + 1 : end;
    }
    return false;
}

/* The object decides how all operations are read, so it must be known before they are. */
static enum status check_comment(struct line_parser *parser, const char *line, size_t length)
{
    const struct limo_context *limo = (const struct limo_context *)parser->context;
    const char *name;
    size_t name_length;
    if (!says_object(line, length, &name, &name_length))
        return STATUS_OK;
    const struct limo_object *object = find_object(name, name_length);
    if (object ? object == limo->object
               : limo->said.length == name_length && !memcmp(limo->said.bytes, name, name_length))
        return STATUS_OK;
    if (limo->said.length == 0)
        return error_set(parser->error, STATUS_INPUT, parser->file, parser->line,
                         "expected @object within the first 64 KiB, found it behind operations "
                         "that were read without");
    return error_set(parser->error, STATUS_INPUT, parser->file, parser->line,
                     "expected one @object for all operations, found %.*s behind %.*s",
                     name_length > 60 ? 60 : (int)name_length, name,
                     limo->said.length > 60 ? 60 : (int)limo->said.length, limo->said.bytes);
}

static enum status parse_line(struct line_parser *parser, const char *line, size_t length)
{
    const char *end = line + length, *at = line, *behind;
    while (*at == ' ' || *at == '\t')
        at++;
    if (*at == '#')
        return check_comment(parser, line, length);
    struct event event = {.time = TIME_NONE, .line = parser->line};
    if ((behind = pass_word(at, end, "call", &event.process))) {
        while (behind < end && (*behind == ' ' || *behind == '\t'))
            behind++;
        if (behind == end || *behind == '(')
            return unexpected(parser, at, (size_t)(end - at));
        TRY(read_call(parser, behind, end, &event));
    } else if ((behind = pass_word(at, end, "return", &event.process))) {
        TRY(read_return(parser, behind, end, &event));
    } else {
        return unexpected(parser, at, (size_t)(end - at));
    }
    if (UNLIKELY(!utf8_is_valid(line, length)))
        return error_set(parser->error, STATUS_INPUT, parser->file, parser->line,
                         "expected UTF-8, found other bytes");
    if (event.function == VALUE_REFUSED || event.value == VALUE_REFUSED)
        return reading_stopped(parser->context, parser->error);
    return lines_push(parser, &event);
}

/* The result of what takes may stand in its call, or nowhere when there was nothing. */
static enum status settle_taking(struct operation *operation, const char *name, const char *file,
                                 struct error *error)
{
    if (operation->result_recorded && operation->argument != VALUE_NIL &&
        operation->result != operation->argument)
        return error_set(error, STATUS_INPUT, file, operation->response_line,
                         "expected the return of what `%s` was called with in line %u, found "
                         "another value",
                         name, operation->invoke_line);
    if (!operation->result_recorded)
        operation->result = operation->argument;
    operation->result_recorded = true;
    operation->argument = VALUE_NIL;
    return STATUS_OK;
}

static enum status settle(struct history *history, const struct limo_object *object,
                          const char *file, struct error *error)
{
    for (size_t i = 0; object && i < history->operations.length; i++) {
        struct operation *operation = &history->operations.items[i];
        const char *name = history_function_name(history, operation->function);
        const struct limo_function *function = find_function(object, name, strlen(name));
        if (!function || operation->outcome != OUTCOME_OK)
            continue;
        if (function->role == ROLE_TAKES)
            TRY(settle_taking(operation, name, file, error));
        if (function->role == ROLE_PUTS) {
            operation->result = VALUE_NIL;
            operation->result_recorded = false;
        }
    }
    return STATUS_OK;
}

static enum status limo_read(struct read_context *context, struct error *error)
{
    static const struct line_format lines = {
        .name = "limo", .state_size = sizeof(struct scan_names), .parse = parse_line};
    struct limo_context limo = {.context = *context};
    const char *head, *name;
    size_t length, name_length;
    TRY(source_peek(context->source, &head, &length, (size_t)64 << 10, error));
    if (find_said(head, length, &name, &name_length)) {
        limo.object = find_object(name, name_length);
        text_append_bytes(&limo.said, name, name_length);
    }
    enum status status = lines_read(&limo.context, &lines, error);
    struct histories *histories = context->histories;
    if (status == STATUS_OK) {
        struct history *history = histories->items.items[histories->items.length - 1];
        if (limo.object)
            history->specification = limo.object->specification;
        else if (limo.said.length > 0)
            history->specification =
                arena_copy_text(&history->arena, limo.said.bytes, limo.said.length);
        if (limo.said.length > 0 && !history->specification)
            status = reading_stopped(context, error);
        else
            status = settle(history, limo.object, source_name(context->source), error);
    }
    text_release(&limo.said);
    return status;
}

/* The first line that is neither blank nor a comment must be an event's; comments alone must have
 * @object among them. */
static int limo_recognise(const char *head, size_t length, bool whole)
{
    const char *end = head + length, *at = recognise_skip(head, end, '#');
    value process;
    if (at == end)
        return whole && recognise_has(head, length, "# @object") ? 2 : 0;
    return pass_word(at, end, "call", &process) || pass_word(at, end, "return", &process) ? 2 : 0;
}

/* The object whose operations the history's are. */
static const struct limo_object *object_of(const struct history *history)
{
    if (history->specification)
        return find_object(history->specification, strlen(history->specification));
    for (size_t i = 0; i < ARRAY_LENGTH(objects); i++) {
        size_t known = 0;
        for (size_t f = 0; f < history->functions.length; f++)
            for (size_t k = 0; k < ARRAY_LENGTH(objects[i].functions); k++)
                known += objects[i].functions[k].name[0] &&
                         value_text_is(history->functions.items[f], objects[i].functions[k].name);
        if (known == history->functions.length && known > 0)
            return &objects[i];
    }
    return NULL;
}

#define LIMO_NOT_SAID "a value that is a symbol, or text that no line can hold"

/* Whether the text from `start` on reads as v. */
static bool reads_as(const struct text *text, size_t start, value v, struct value_pool *pool)
{
    const char *letters = text->bytes + start;
    size_t length = text->length - start;
    if (length == 0 || (unsigned char)letters[0] <= ' ' ||
        (unsigned char)letters[length - 1] <= ' ')
        return false;
    for (size_t i = 0; i < length; i++)
        if (letters[i] == '\n')
            return false;
    return read_value(NULL, pool, letters, length) == v;
}

/* The value as a text that reads back: its letters, or EDN; false if neither does. */
static bool say_value(value v, struct value_pool *pool, struct text *text)
{
    size_t length, start = text->length;
    const char *letters = value_get_text(v, &length);
    if (v == VALUE_NIL) {
        text_append(text, "empty");
        return true;
    }
    if (letters && value_kind_of(v) == KIND_STRING) {
        text_append_bytes(text, letters, length);
        if (reads_as(text, start, v, pool))
            return true;
        text->length = start;
    }
    value_print_edn(v, text);
    return value_is_small(v) || reads_as(text, start, v, pool);
}

/* One word, of which no parenthesis or blank is part. */
static bool is_name(value v)
{
    size_t length;
    const char *letters = value_get_text(v, &length);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)letters[i] <= ' ' || letters[i] == '(')
            return false;
    return length > 0;
}

/* Whether the processes can be the numbers: they are such, and none calls again after an operation
 * that may have happened, which here just never returns. */
static bool processes_are_numbers(const struct history *history)
{
    int64_t number;
    for (size_t i = 0; i < history->processes.length; i++)
        if (!value_get_integer(history->processes.items[i], &number) || number < 0 ||
            number > MAX_NUMBER)
            return false;
    for (size_t i = 0; i < history->operations.length; i++)
        if (history->operations.items[i].outcome == OUTCOME_UNKNOWN &&
            history->operations.items[i].response != POSITION_NEVER)
            return false;
    return true;
}

/* How a history is written. */
struct limo_writing {
    const struct limo_object *object;
    bool processes; /* the numbers are those of processes, else of operations */
};

/* Whether it may matter to the operation which process calls it: a mutex has an owner. */
static bool is_of_holders(const char *name)
{
    return strcmp(name, "acquire") == 0 || strcmp(name, "release") == 0 ||
           name_is("try-acquire", name, strlen(name));
}

static const char *say_event(const struct event_writing *writing, const struct history *history,
                             const struct written_event *event, struct text *text)
{
    const struct limo_writing *limo = writing->context;
    const struct operation *operation = &history->operations.items[event->operation];
    const char *name = history_function_name(history, operation->function);
    const struct limo_function *function = find_function(limo->object, name, strlen(name));
    bool silent = function && function->role == ROLE_PUTS;
    if (operation->outcome == OUTCOME_FAIL)
        return "an operation that did not happen";
    if (operation->has_key || operation->object != NO_OBJECT)
        return operation->has_key ? "a key" : "an object";
    if (!limo->processes && is_of_holders(name))
        return "a process that has no number, or calls again after an operation that may have "
               "happened";
    if (!is_name(history->functions.items[operation->function]))
        return "such a name";
    if (event->response && operation->outcome == OUTCOME_UNKNOWN)
        return NULL;
    if (event->response && silent && value_kind_of(operation->result) == KIND_BOOLEAN)
        return "whether there was room for a value";
    if (event->response && function && function->role == ROLE_TAKES) {
        if (!operation->result_recorded)
            return "a result that was not recorded";
        if (operation->argument != VALUE_NIL && operation->argument != operation->result)
            return "an argument that is not the result";
    }
    int64_t number = (int64_t)operation->record + 1;
    if (limo->processes)
        (void)value_get_integer(history->processes.items[operation->process], &number);
    text_format(text, "[%" PRId64 "] ", number);
    if (event->response) {
        text_append(text, operation->result_recorded && !silent ? "return " : "return");
        if (operation->result_recorded && !silent &&
            !say_value(operation->result, history->pool, text))
            return LIMO_NOT_SAID;
    } else {
        text_format(text, "call %s", name);
        if (operation->argument != VALUE_NIL) {
            text_append(text, "(");
            if (!say_value(operation->argument, history->pool, text))
                return LIMO_NOT_SAID;
            text_append(text, ")");
        }
    }
    text_append(text, "\n");
    return NULL;
}

static enum status limo_write(const struct history *history, FILE *out, struct error *error)
{
    /* A file of this format that does not name its object must not seem to. */
    bool named = history->specification || strcmp(history->format, "limo") != 0;
    const struct limo_writing limo = {.object = named ? object_of(history) : NULL,
                                      .processes = processes_are_numbers(history)};
    struct text before = TEXT_EMPTY;
    if (limo.object || history->specification)
        text_format(&before, "# @object atomic-%s\n",
                    limo.object ? limo.object->specification : history->specification);
    const struct event_writing writing = {.format = "limo",
                                          .before = text_string(&before),
                                          .between = "",
                                          .after = "",
                                          .say = say_event,
                                          .context = &limo};
    enum status status = writing_events(history, &writing, out, error);
    text_release(&before);
    return status;
}

const struct format format_limo = {
    .name = "limo",
    .description = "LiMo's and Violin's: # @object atomic-stack, [1] call push(1), [1] return",
    .recognise = limo_recognise,
    .read = limo_read,
    .write = limo_write,
};
