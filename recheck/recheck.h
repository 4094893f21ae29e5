/* linchpin-recheck: believes nothing of a certificate but what it can check itself.
 *
 * It shares no code with linchpin but that of SHA-256. Whatever is wrong ends the program at once:
 * `refuse` (exit status 1) where the certificate does not show what it claims, `unreadable` (2)
 * where a file cannot be read or is not what it should be, `too_large` (3) where the check would
 * take more than the limit, `not_known` (3) where linchpin-recheck lacks what linchpin can do. So
 * nothing here returns an error, and nothing is released before the end. */
#ifndef RECHECK_H
#define RECHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---- files and messages (main.c) ---- */

struct file {
    const char *path;
    const char *bytes; /* a zero byte stands behind them */
    size_t length;
};

_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void not_known(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void too_large(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void unreadable(const char *path, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void *room(void *old, size_t count, size_t size); /* as reallocarray, never null */

/* ---- values (value.c) ---- */

enum kind {
    NIL,
    BOOLEAN,
    INTEGER,
    REAL,
    STRING,
    LIST,
    MAP
};

/* Equal values are one: they are compared by address. Items of a map are keys and values in turn,
 * in the order of the keys' addresses. */
struct value {
    enum kind kind;
    size_t length;    /* of the text, or how many items there are */
    const char *text; /* of a boolean "true" or "false", of numbers their digits */
    const struct value **items;
    size_t *number; /* of who numbers values; 0 at first */
};
typedef const struct value *value;

extern const struct value value_nil;
#define VALUE_NIL (&value_nil)

value read_json(const char *path, size_t line, const char *text, size_t length);

/* Goes through the lines of a file: `at` and `line` are 0 at first. */
bool next_line(const struct file *file, size_t *at, size_t *line, const char **text,
               size_t *length);

value value_text(enum kind kind, const char *text, size_t length);
value value_items(enum kind kind, const value *items, size_t length);
value value_integer(int64_t integer);
value value_boolean(bool boolean);
bool value_is(value v, const char *text);
bool get_integer(value v, int64_t *integer);
value get_field(value map, const char *key); /* null: it has none */
bool is_pair(value v);
int compare_addresses(const void *one, const void *other);

/* ---- recorded histories (history.c) ---- */

enum outcome {
    OK,
    FAIL,
    UNKNOWN
};

#define NEVER SIZE_MAX

struct operation {
    value process, function, key; /* key: null if there is none */
    value argument, result;
    bool recorded; /* the completion carried a value */
    enum outcome outcome;
    size_t invoke, response; /* positions among all events */
    size_t line;
};

struct history {
    const struct file *file;
    struct operation *operations;
    size_t count, positions;
};

void read_history(const struct file *file, struct history *history);

/* ---- sequential specifications (object.c) ---- */

struct object {
    const struct kind_of_object *kind;
    value initial; /* null: not given */
    int64_t bound; /* 0: none */
    bool owned, independent;
};

/* An operation as the specification sees it. */
struct call {
    const struct object *object;
    int what;
    value argument, result;
    bool known; /* the result has to be that one */
    value process;
    value part; /* calls of different parts never interact */
    size_t invoke, response;
};

/* What the object holds. */
struct state {
    value *items;
    size_t length, room;
    value answer; /* of the last step; null: it says nothing */
};

/* "queue", "queue(3)"; with the options, which are those of the kind of object. */
void object_init(struct object *object, const char *spec, size_t length);
void object_bind(const struct object *object, const struct history *history, size_t index,
                 struct call *call);
void object_start(const struct call *first, struct state *state);

/* Takes the step, unless it is not legal (false; the state is then undefined). */
bool object_step(const struct call *call, struct state *state);

/* The letter of an operation (object.c); 0: there is none of that name. */
char object_letter(const struct object *object, const char *name, size_t length);

/* Whether a client of a model calls the first operation and the second in turn. */
bool object_takes_turns(const struct object *object);

/* Whether keys are its own, and not those of independent objects. */
bool object_has_keys(const struct object *object);

/* Of calls whose results are not known, whether those that change only what nobody asks for may be
 * left out: `calls` are all that are in question, the first `fixed` have happened. Clears
 * `matters[i]` where call i may. */
void object_leave_out(const struct call *calls, size_t fixed, size_t count, bool *matters);

/* ---- what is claimed ---- */

/* Lines of evidence, up to {"end": ...}; null at the end. (main.c) */
struct evidence;
value next_evidence(struct evidence *evidence);
const struct file *claimed_input(value claim, const char *path, const char *sha256);

void check_history(value claim, struct evidence *evidence, size_t limit);
void check_automaton(value claim, struct evidence *evidence, size_t limit);
void check_net(value claim, struct evidence *evidence, size_t limit);
void check_model(value claim, struct evidence *evidence, size_t limit);

#endif
