/* The built-in specifications, a second time. Operations are letters:
 *
 *     r w c d    read, write, compare and swap a register, or a key of a map; delete a key
 *     b f B F    remove from the back or front of a sequence, insert there
 *     + - ?      add to, remove from, look into a set; + i r count
 *     a r t      acquire, release, try to acquire */
#include <stdlib.h>
#include <string.h>

#include "recheck.h"

enum family {
    REGISTER,
    MAP_KEY,
    LOCK,
    PERMITS,
    SEQUENCE,
    ELEMENT,
    COUNT
};

/* What is looked at: the answer, or the answer if it is a boolean; the answer may stand in the
 * invocation, for there is no argument; the argument may not be nil, has to be an integer, is not
 * looked at, has to be nil. */
enum {
    ANSWERS = 1,
    BOOLEANS = 2,
    NO_ARGUMENT = 4,
    STORES = 8,
    ADDS = 16,
    IGNORES = 32,
    ALONE = 64
};

struct operation_kind {
    const char *name;
    char what;
    int about;
};

struct kind_of_object {
    const char *name;
    enum family family;
    struct operation_kind operations[5];
};

#define READS   (ANSWERS | NO_ARGUMENT)
#define INSERTS (STORES | BOOLEANS)

static const struct kind_of_object kinds[] = {
    {"register", REGISTER, {{"read", 'r', READS}, {"write", 'w', 0}}},
    {"cas-register", REGISTER, {{"read", 'r', READS}, {"write", 'w', 0}, {"cas", 'c', 0}}},
    {"mutex",
     LOCK,
     {{"acquire", 'a', IGNORES},
      {"release", 'r', IGNORES},
      {"try-acquire", 't', BOOLEANS | IGNORES}}},
    {"semaphore", PERMITS, {{"acquire", 'a', IGNORES}, {"release", 'r', IGNORES}}},
    {"queue",
     SEQUENCE,
     {{"enqueue", 'B', INSERTS},
      {"dequeue", 'f', READS},
      {"enq", 'B', INSERTS},
      {"deq", 'f', READS}}},
    {"stack", SEQUENCE, {{"push", 'B', INSERTS}, {"pop", 'b', READS}}},
    {"deque",
     SEQUENCE,
     {{"push-back", 'B', INSERTS},
      {"push-front", 'F', INSERTS},
      {"pop-back", 'b', READS},
      {"pop-front", 'f', READS}}},
    {"set", ELEMENT, {{"add", '+', INSERTS}, {"remove", '-', INSERTS}, {"contains", '?', INSERTS}}},
    {"counter", COUNT, {{"add", '+', ADDS}, {"inc", 'i', ALONE}, {"read", 'r', READS}}},
    {"map",
     MAP_KEY,
     {{"get", 'r', ANSWERS}, {"put", 'w', STORES}, {"delete", 'd', 0}, {"cas", 'c', STORES}}},
};

/* A hyphen and an underscore are the same in names. */
static bool same_name(const char *name, const char *found, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!name[i] || name[i] != (found[i] == '_' ? '-' : found[i]))
            return false;
    return name[length] == 0;
}

static bool has_nil(value list)
{
    bool nil = false;
    for (size_t i = 0; i < list->length; i++)
        nil |= list->items[i] == VALUE_NIL;
    return nil;
}

/* Whether an object of that kind can hold it at first. */
static bool may_begin(const struct object *object, value initial)
{
    int64_t number;
    switch (object->kind->family) {
    case LOCK:
        return value_is(initial, "free") || (value_is(initial, "held") && !object->owned);
    case PERMITS:
        return get_integer(initial, &number) && number >= 0 && number <= object->bound;
    case COUNT:
        return get_integer(initial, &number);
    case SEQUENCE:
    case ELEMENT:
        return initial->kind == LIST && !has_nil(initial) &&
               (!object->bound || initial->length <= (uint64_t)object->bound);
    default:
        return true;
    }
}

void object_init(struct object *object, const char *spec, size_t length)
{
    const char *bracket = memchr(spec, '(', length);
    size_t name = bracket ? (size_t)(bracket - spec) : length, digits = length - name;
    for (size_t i = 0; i < LENGTH(kinds); i++)
        if (same_name(kinds[i].name, spec, name))
            object->kind = &kinds[i];
    if (!object->kind)
        refuse("linchpin-recheck does not know the specification %.*s", (int)length, spec);
    enum family family = object->kind->family;
    bool bounded = bracket && digits > 2 && strspn(bracket + 1, "0123456789") == digits - 2 &&
                   spec[length - 1] == ')' &&
                   get_integer(value_text(INTEGER, bracket + 1, digits - 2), &object->bound);
    if (bracket ? !bounded || object->bound < 1 || (family != PERMITS && family != SEQUENCE)
                : family == PERMITS)
        refuse("the specification %.*s is none", (int)length, spec);
    if (object->owned && family != LOCK)
        refuse("%s has no owner", object->kind->name);
    if (object->initial && !may_begin(object, object->initial))
        refuse("a %s cannot hold that at first", object->kind->name);
}

/* ---- binding: what of an operation is looked at ---- */

static const struct operation_kind *find_kind(const struct object *object, const char *name,
                                              size_t length)
{
    const struct operation_kind *kind = object->kind->operations;
    for (; kind->name; kind++)
        if (same_name(kind->name, name, length))
            return kind;
    return NULL;
}

char object_letter(const struct object *object, const char *name, size_t length)
{
    const struct operation_kind *kind = find_kind(object, name, length);
    return kind ? kind->what : 0;
}

bool object_takes_turns(const struct object *object)
{
    return object->kind->family == LOCK || object->kind->family == PERMITS;
}

bool object_has_keys(const struct object *object)
{
    return object->kind->family == MAP_KEY;
}

_Noreturn static void misshapen(const struct history *history, const struct operation *operation)
{
    refuse("%s:%zu: not an operation of the specification, as far as linchpin-recheck knows it",
           history->file->path, operation->line);
}

/* Whether they are [key nil] and [key value]. */
static bool are_keyed(value argument, value answer)
{
    return is_pair(argument) && is_pair(answer) && argument->items[1] == VALUE_NIL &&
           argument->items[0] == answer->items[0];
}

/* Of a map the key becomes the part, and the rest is a register's operation. The key stands first
 * in the argument, unless it has a field of its own. */
static void bind_key(const struct operation *operation, struct call *call,
                     const struct history *history)
{
    value part[2] = {call->part, operation->key ? operation->key : call->argument};
    size_t length = call->what == 'c' ? 3 : 2;
    if (call->what != 'r' && call->what != 'd' && !operation->key) {
        if (call->argument->kind != LIST || call->argument->length != length)
            misshapen(history, operation);
        part[1] = call->argument->items[0];
        call->argument = length == 2 ? call->argument->items[1]
                                     : value_items(LIST, call->argument->items + 1, 2);
    }
    if (part[1] == VALUE_NIL || (call->known && call->result->kind == MAP))
        misshapen(history, operation);
    if (call->what == 'r' && call->known && is_pair(call->result) &&
        (call->result->items[0] == part[1] || are_keyed(part[1], call->result)))
        not_known("%s:%zu: linchpin-recheck does not know whether [key value] is answered",
                  history->file->path, operation->line);
    call->part = value_items(LIST, part, 2);
}

/* What of the answer is looked at, and whether the values are those of such an operation. */
static bool bind_values(struct call *call, int about, bool done)
{
    const struct object *object = call->object;
    value stored = call->argument;
    bool checked = about & BOOLEANS && (object->kind->family != SEQUENCE || object->bound);
    int64_t integer;
    if (call->what == 'c') {
        if (!is_pair(stored))
            return false;
        stored = stored->items[1];
        call->result = value_boolean(!(call->known && call->result == value_boolean(false)));
        call->known = done;
    } else if (call->known)
        call->known = about & ANSWERS || (checked && call->result->kind == BOOLEAN);
    return (!(about & STORES) || stored != VALUE_NIL) &&
           (!(about & ALONE) || stored == VALUE_NIL) &&
           (!(about & ADDS) || get_integer(stored, &integer)) &&
           (!call->known || object->kind->family != COUNT || get_integer(call->result, &integer));
}

void object_bind(const struct object *object, const struct history *history, size_t index,
                 struct call *call)
{
    const struct operation *operation = &history->operations[index];
    const struct operation_kind *kind =
        find_kind(object, operation->function->text, operation->function->length);
    value part[2] = {VALUE_NIL, VALUE_NIL};
    if (!kind)
        misshapen(history, operation);
    *call = (struct call){.object = object,
                          .what = kind->what,
                          .argument = operation->argument,
                          .result = operation->result,
                          .known = operation->outcome == OK && operation->recorded,
                          .process = operation->process,
                          .invoke = operation->invoke,
                          .response = operation->response};
    enum family family = object->kind->family;
    if (operation->key && family != MAP_KEY)
        part[1] = operation->key;
    else if (object->independent && is_pair(call->argument)) {
        part[1] = call->argument->items[0];
        call->argument = call->argument->items[1];
        if (call->known && (!is_pair(call->result) || call->result->items[0] != part[1]))
            misshapen(history, operation);
        if (call->known)
            call->result = call->result->items[1];
    } else if (object->independent)
        misshapen(history, operation);
    /* LiMo's `call pop(7)`: the answer stands in the invocation. */
    bool done = operation->outcome == OK, no_argument = kind->about & NO_ARGUMENT;
    if (kind->about & (NO_ARGUMENT | IGNORES | ALONE) && call->known &&
        are_keyed(call->argument, call->result)) /* it was not said that there are keys */
        misshapen(history, operation);
    if (no_argument && done && !operation->recorded && call->argument != VALUE_NIL) {
        call->known = true;
        call->result = call->argument;
    }
    call->part = value_items(LIST, part, 2);
    if (family == MAP_KEY)
        bind_key(operation, call, history);
    if (!bind_values(call, kind->about, done))
        misshapen(history, operation);
    if (family == ELEMENT) {
        part[0] = call->part;
        part[1] = call->argument;
        call->part = value_items(LIST, part, 2);
    }
    if (no_argument)
        call->argument = VALUE_NIL;
}

/* ---- steps ---- */

static void insert(struct state *state, size_t at, value item)
{
    if (state->length == state->room)
        state->items = room(state->items, state->room = 2 * state->room + 4, sizeof item);
    memmove(state->items + at + 1, state->items + at, (state->length - at) * sizeof item);
    state->items[at] = item;
    state->length++;
}

static void take(struct state *state, size_t at)
{
    state->length--;
    memmove(state->items + at, state->items + at + 1, (state->length - at) * sizeof(value));
}

static void put(struct state *state, value item)
{
    state->length = 0;
    insert(state, 0, item);
}

/* What a key holds at first: --initial is one value for all, or a map. */
static value initial_of(const struct object *object, value key)
{
    value initial = object->initial ? object->initial : VALUE_NIL;
    if (initial->kind != MAP)
        return initial;
    for (size_t i = 0; i < initial->length; i += 2)
        if (initial->items[i] == key)
            return initial->items[i + 1];
    return VALUE_NIL;
}

void object_start(const struct call *first, struct state *state)
{
    const struct object *object = first->object;
    value initial = object->initial;
    state->length = 0;
    switch (object->kind->family) {
    case MAP_KEY:
        put(state, initial_of(object, first->part->items[1]));
        return;
    case REGISTER:
        put(state, initial ? initial : VALUE_NIL);
        return;
    case LOCK:
        put(state, value_is(initial, "held") ? value_boolean(true) : VALUE_NIL);
        return;
    case PERMITS:
        put(state, initial ? initial : value_integer(object->bound));
        return;
    case COUNT:
        put(state, initial ? initial : value_integer(0));
        return;
    case ELEMENT:
        for (size_t i = 0; initial && i < initial->length; i++)
            if (initial->items[i] == first->argument)
                put(state, first->argument);
        return;
    case SEQUENCE:
        for (size_t i = 0; initial && i < initial->length; i++)
            insert(state, i, initial->items[i]);
    }
}

static bool answers(const struct call *call, struct state *state, value answer)
{
    state->answer = answer;
    return !call->known || call->result == answer;
}

static bool step_register(const struct call *call, struct state *state)
{
    value held = state->items[0], argument = call->argument;
    switch (call->what) {
    case 'r':
        return answers(call, state, held);
    case 'c':
        if (!answers(call, state, value_boolean(held == argument->items[0])))
            return false;
        if (held == argument->items[0])
            put(state, argument->items[1]);
        return true;
    case 'd':
        put(state, VALUE_NIL);
        return true;
    default:
        put(state, argument);
        return true;
    }
}

static bool step_lock(const struct call *call, struct state *state)
{
    bool free_now = state->items[0] == VALUE_NIL, tries = call->what == 't';
    value holder = call->object->owned ? call->process : value_boolean(true);
    if (tries && !answers(call, state, value_boolean(free_now)))
        return false;
    if (call->what == 'r') {
        bool may = state->items[0] == holder;
        put(state, VALUE_NIL);
        return may;
    }
    if (free_now)
        put(state, holder);
    return free_now || tries;
}

static bool step_sequence(const struct call *call, struct state *state)
{
    bool bounded = call->object->bound > 0, inserts = call->what < 'a';
    if (!inserts) {
        size_t at = call->what == 'b' && state->length ? state->length - 1 : 0;
        value answer = state->length ? state->items[at] : VALUE_NIL;
        if (state->length)
            take(state, at);
        return answers(call, state, answer);
    }
    bool fits = !bounded || state->length < (uint64_t)call->object->bound;
    size_t at = call->what == 'F' ? 0 : state->length;
    if (fits)
        insert(state, at, call->argument);
    return !bounded || answers(call, state, value_boolean(fits));
}

/* The elements of a set, in the order of their addresses: of a history one, if it is there. */
static bool step_set(const struct call *call, struct state *state)
{
    size_t at = 0;
    while (at < state->length && compare_addresses(&state->items[at], &call->argument) < 0)
        at++;
    bool there = at < state->length && state->items[at] == call->argument;
    if (call->what == '+' && !there)
        insert(state, at, call->argument);
    if (call->what == '-' && there)
        take(state, at);
    return answers(call, state, value_boolean((call->what == '+') != there));
}

static bool step_numbers(const struct call *call, struct state *state)
{
    int64_t held = 0, add = 1;
    get_integer(state->items[0], &held);
    if (call->object->kind->family == PERMITS) {
        add = call->what == 'a' ? -1 : 1;
        put(state, value_integer(held + add));
        return held + add >= 0 && held + add <= call->object->bound;
    }
    if (call->what == 'r')
        return answers(call, state, state->items[0]);
    if (call->what == '+')
        get_integer(call->argument, &add);
    if (__builtin_add_overflow(held, add, &held))
        not_known("linchpin-recheck counts up to 64 bits only");
    put(state, value_integer(held));
    return true;
}

bool object_step(const struct call *call, struct state *state)
{
    state->answer = NULL;
    switch (call->object->kind->family) {
    case REGISTER:
    case MAP_KEY:
        return step_register(call, state);
    case LOCK:
        return step_lock(call, state);
    case PERMITS:
    case COUNT:
        return step_numbers(call, state);
    case SEQUENCE:
        return step_sequence(call, state);
    case ELEMENT:
        break;
    }
    return step_set(call, state);
}

/* ---- what need not have happened ---- */

static bool is_among(value v, const value *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (all[i] == v)
            return true;
    return false;
}

/* Values that somebody has to find: what was answered, and what a swap that may help finds. */
static size_t collect(const struct call *calls, size_t fixed, size_t count, value *wanted)
{
    size_t found = 0, before;
    for (size_t i = 0; i < fixed; i++)
        if (calls[i].known && calls[i].what != 'c')
            wanted[found++] = calls[i].result;
        else if (calls[i].what == 'c')
            wanted[found++] = calls[i].argument->items[0];
    do {
        before = found;
        for (size_t i = fixed; i < count; i++)
            if (calls[i].what == 'c' && is_among(calls[i].argument->items[1], wanted, found) &&
                !is_among(calls[i].argument->items[0], wanted, found))
                wanted[found++] = calls[i].argument->items[0];
    } while (found > before);
    return found;
}

/* An operation that stores a value may be left out if nobody who happened finds that value:
 *
 * - registers and keys: what was there before stays until the next write. Not where a swap
 *   failed, for then it matters that another value is there.
 * - queues, stacks and deques without bound, together with what removes the value:
 *   all others keep their order. Not where a removal has no known answer: it may be that value. */
void object_leave_out(const struct call *calls, size_t fixed, size_t count, bool *matters)
{
    enum family family = calls[0].object->kind->family;
    bool registers = family == REGISTER || family == MAP_KEY;
    bool sequence = family == SEQUENCE && !calls[0].object->bound;
    if (!registers && !sequence)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct call *call = &calls[i];
        if ((i < fixed && call->what == 'c' && call->result != value_boolean(true)) ||
            (i < fixed && sequence && call->what >= 'a' && !call->known))
            return;
    }
    value *wanted = room(NULL, 2 * count, sizeof *wanted);
    size_t found = collect(calls, fixed, count, wanted);
    for (size_t i = fixed; i < count; i++) {
        const struct call *call = &calls[i];
        bool stores = strchr("wcdBF", call->what);
        value stored = call->what == 'd'   ? VALUE_NIL
                       : call->what == 'c' ? call->argument->items[1]
                                           : call->argument;
        matters[i] = !stores || is_among(stored, wanted, found);
    }
}
