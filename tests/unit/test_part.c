/* Cutting histories into parts: against a naive recomputation on random histories, and the messages
 * for what does not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "history/infer.h"
#include "history/part.h"
#include "spec/builtin.h"
#include "support/generate.h"

struct fixture {
    struct budget budget;
    struct value_pool *pool;
    struct history *history;
    struct history_builder *builder;
    uint32_t line;
};

static void fixture_open(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, 0);
    fixture->pool = value_pool_create(&fixture->budget);
    fixture->history = history_create("test.json", fixture->pool, &fixture->budget);
    fixture->builder = history_builder_create(fixture->history);
    assert_non_null(fixture->builder);
}

/* All memory was given back. */
static void fixture_close(struct fixture *fixture)
{
    history_destroy(fixture->history);
    value_pool_destroy(fixture->pool);
    assert_int_equal(fixture->budget.used, 0);
}

static value text_value(struct fixture *fixture, const char *text)
{
    return value_text(fixture->pool, KIND_STRING, text, strlen(text));
}

/* Appends an event; texts in EDN, null where the event has none. */
static void add_event(struct fixture *fixture, int process, enum event_type type, const char *f,
                      const char *content, const char *key, const char *object)
{
    struct event event = {
        .process = value_small(process),
        .function = text_value(fixture, f),
        .value = content ? test_value(fixture->pool, content) : VALUE_NIL,
        .key = key ? test_value(fixture->pool, key) : VALUE_NIL,
        .object = object ? text_value(fixture, object) : VALUE_NIL,
        .time = TIME_NONE,
        .line = ++fixture->line,
        .type = (uint8_t)type,
        .has_value = content != NULL,
        .has_key = key != NULL,
        .has_object = object != NULL,
    };
    struct error error;
    assert_int_equal(history_builder_event(fixture->builder, &event, &error), STATUS_OK);
}

static void finish(struct fixture *fixture)
{
    struct error error;
    assert_int_equal(history_builder_finish(fixture->builder, &error), STATUS_OK);
    fixture->builder = NULL;
}

static struct spec *make_spec(struct fixture *fixture, const char *name)
{
    struct spec_request request = {.name = name};
    struct spec *spec;
    struct error error;
    assert_int_equal(spec_create(&request, fixture->pool, &fixture->budget, &spec, &error),
                     STATUS_OK);
    return spec;
}

/* --- random histories against a naive recomputation --- */

#define MOST_OPERATIONS 40
#define MOST_KEYS       3

/* What the generator knows of an operation. */
struct record {
    uint32_t object; /* 0: none */
    int independent; /* -1: none */
    int keys[MOST_KEYS];
    uint32_t key_count;
    uint32_t invoke, response; /* POSITION_NEVER: pending */
    bool failed;
    uint32_t part; /* naive: the least index of an operation in the same part */
};

struct scene {
    struct fixture fixture;
    const char *spec_name;
    bool independent, key_field, objects, whole;
    struct record records[MOST_OPERATIONS];
    uint32_t count, positions;
};

static const char *const object_names[] = {NULL, "a", "b"};

/* The function and value of a random operation; fills in the keys it touches. */
static const char *random_call(struct scene *scene, struct random *random, struct record *record,
                               struct text *content)
{
    int key = (int)random_below(random, 4), v = (int)random_below(random, 3);
    if (strcmp(scene->spec_name, "queue") == 0) {
        text_format(content, "%d", v);
        return "enqueue";
    }
    record->keys[0] = key;
    record->key_count = 1;
    if (strcmp(scene->spec_name, "set") == 0) {
        text_format(content, "%d", key);
        return random_chance(random, 1, 2) ? "add" : "contains";
    }
    if (strcmp(scene->spec_name, "map") == 0) {
        if (scene->key_field && !scene->independent)
            text_format(content, "%d", v);
        else
            text_format(content, "[%d %d]", key, v);
        return "put";
    }
    record->key_count = random_below(random, MOST_KEYS + 1);
    text_append(content, "[");
    for (uint32_t i = 0; i < record->key_count; i++) {
        record->keys[i] = (int)random_below(random, 8);
        text_format(content, random_chance(random, 1, 2) ? "[:write %d 1]" : "[:read %d nil]",
                    record->keys[i]);
    }
    text_append(content, "]");
    return "txn";
}

static bool takes_key_field(const struct scene *scene)
{
    return strcmp(scene->spec_name, "map") == 0;
}

/* Invokes a random operation; returns its function. */
static const char *add_invocation(struct scene *scene, struct random *random, uint32_t process)
{
    struct record *record = &scene->records[scene->count++];
    *record = (struct record){.independent = -1, .response = POSITION_NEVER};
    struct text content = TEXT_EMPTY, whole = TEXT_EMPTY, key = TEXT_EMPTY;
    const char *function = random_call(scene, random, record, &content);
    int independent = (int)random_below(random, 3);
    if (scene->independent && !scene->key_field)
        text_format(&whole, "[%d %s]", independent, text_string(&content));
    else
        text_append(&whole, text_string(&content));
    if (scene->independent || (scene->key_field && !takes_key_field(scene)))
        record->independent = independent;
    if (scene->key_field)
        text_format(&key, "%d", takes_key_field(scene) ? record->keys[0] : independent);
    if (scene->whole)
        record->key_count = 0;
    record->object = scene->objects ? 1 + random_below(random, 2) : 0;
    record->invoke = scene->positions++;
    add_event(&scene->fixture, (int)process, EVENT_INVOKE, function, text_string(&whole),
              scene->key_field ? text_string(&key) : NULL, object_names[record->object]);
    text_release(&content);
    text_release(&whole);
    text_release(&key);
    return function;
}

static void add_completion(struct scene *scene, struct random *random, uint32_t process,
                           const char *function, struct record *record)
{
    uint32_t kind = random_below(random, 6);
    enum event_type type = kind == 0 ? EVENT_FAIL : kind == 1 ? EVENT_INFO : EVENT_OK;
    if (type == EVENT_OK)
        record->response = scene->positions;
    record->failed = type == EVENT_FAIL;
    scene->positions++;
    add_event(&scene->fixture, (int)process, type, function, NULL, NULL, NULL);
}

static void random_scene(struct scene *scene, struct random *random)
{
    static const char *const names[] = {"queue", "set", "map", "multi-register"};
    fixture_open(&scene->fixture);
    scene->count = scene->positions = 0;
    scene->spec_name = names[random_below(random, 4)];
    scene->independent = random_chance(random, 1, 3);
    scene->key_field = random_chance(random, 1, 3);
    scene->objects = random_chance(random, 1, 3);
    scene->whole = random_chance(random, 1, 5);
    if (takes_key_field(scene) && scene->independent)
        scene->key_field = false;
    struct record *running[4] = {NULL};
    const char *functions[4] = {NULL};
    for (uint32_t left = random_below(random, 2 * MOST_OPERATIONS); left > 0; left--) {
        uint32_t process = random_below(random, 4);
        if (running[process]) {
            add_completion(scene, random, process, functions[process], running[process]);
            running[process] = NULL;
        } else if (scene->count < MOST_OPERATIONS) {
            running[process] = &scene->records[scene->count];
            functions[process] = add_invocation(scene, random, process);
        }
    }
    finish(&scene->fixture);
}

static bool touch_the_same(const struct record *a, const struct record *b)
{
    if (a->failed || b->failed || a->object != b->object || a->independent != b->independent)
        return false;
    if (a->key_count == 0 && b->key_count == 0)
        return true;
    for (uint32_t i = 0; i < a->key_count; i++)
        for (uint32_t j = 0; j < b->key_count; j++)
            if (a->keys[i] == b->keys[j])
                return true;
    return false;
}

/* Labels spread from operation to operation until nothing changes. */
static void cut_naively(struct scene *scene)
{
    for (uint32_t i = 0; i < scene->count; i++)
        scene->records[i].part = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < scene->count; i++)
            for (uint32_t j = 0; j < scene->count; j++) {
                struct record *a = &scene->records[i], *b = &scene->records[j];
                if (a->part < b->part && touch_the_same(a, b)) {
                    b->part = a->part;
                    changed = true;
                }
            }
    }
}

/* The place of an event among those of its part. */
static uint32_t naive_place(const struct scene *scene, uint32_t part, uint32_t position)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct record *record = &scene->records[i];
        if (record->failed || record->part != part)
            continue;
        place += record->invoke < position;
        place += record->response != POSITION_NEVER && record->response < position;
    }
    return place;
}

/* Whether all operations of a part touch one key, and which. */
static bool naive_key(const struct scene *scene, uint32_t part, int *key)
{
    *key = -1;
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct record *record = &scene->records[i];
        if (record->failed || record->part != part)
            continue;
        for (uint32_t j = 0; j < record->key_count; j++) {
            if (*key >= 0 && *key != record->keys[j])
                return false;
            *key = record->keys[j];
        }
    }
    return *key >= 0;
}

static void check_part(const struct scene *scene, const struct part *part, uint32_t label)
{
    uint32_t count = 0, pending = 0, positions = 0;
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct record *record = &scene->records[i];
        if (record->failed || record->part != label)
            continue;
        assert_true(count < part->count);
        const struct interval *interval = &part->intervals[count++];
        bool completed = record->response != POSITION_NEVER;
        assert_int_equal(interval->index, i);
        assert_int_equal(interval->invoke, naive_place(scene, label, record->invoke));
        assert_int_equal(interval->response,
                         completed ? naive_place(scene, label, record->response) : POSITION_NEVER);
        pending += !completed;
        positions += completed ? 2 : 1;
    }
    assert_int_equal(part->count, count);
    assert_int_equal(part->pending, pending);
    assert_int_equal(part->positions, positions);
    int key;
    bool one_key = naive_key(scene, label, &key);
    assert_int_equal(part->has_key, one_key);
    assert_true(part->key == (one_key ? value_small(key) : VALUE_NIL));
    const struct record *first = &scene->records[label];
    assert_int_equal(part->has_independent, first->independent >= 0);
    assert_true(part->independent ==
                (first->independent >= 0 ? value_small(first->independent) : VALUE_NIL));
    if (first->object)
        assert_true(value_text_is(scene->fixture.history->objects.items[part->object],
                                  object_names[first->object]));
    else
        assert_int_equal(part->object, NO_OBJECT);
}

static void check_scene(struct scene *scene)
{
    struct spec *spec = make_spec(&scene->fixture, scene->spec_name);
    struct binding bindings[2];
    size_t binding_count = 0, objects = scene->fixture.history->objects.length;
    for (size_t i = 0; i < objects; i++)
        bindings[binding_count++] =
            (struct binding){value_get_text(scene->fixture.history->objects.items[i], NULL), spec};
    if (objects == 0)
        bindings[binding_count++] = (struct binding){NULL, spec};
    struct bind_options options = {.bindings = bindings,
                                   .binding_count = binding_count,
                                   .independent = scene->independent,
                                   .whole = scene->whole};
    struct parts parts;
    struct error error = {0};
    enum status status = parts_create(scene->fixture.history, &options, &parts, &error);
    if (status != STATUS_OK)
        fail_msg("%s", error.message);
    cut_naively(scene);
    size_t count = 0;
    for (uint32_t i = 0; i < scene->count; i++)
        if (!scene->records[i].failed && scene->records[i].part == i) {
            assert_true(count < parts.items.length);
            check_part(scene, &parts.items.items[count++], i);
        }
    assert_int_equal(parts.items.length, count);
    parts_release(&parts);
    spec_destroy(spec);
}

static void parts_are_those_of_a_naive_cut(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 20);
    struct scene *scene = malloc(sizeof *scene);
    assert_non_null(scene);
    for (int i = 0; i < 3000; i++) {
        random_scene(scene, &random);
        check_scene(scene);
        fixture_close(&scene->fixture);
    }
    free(scene);
}

/* --- bound values --- */

static void keys_are_taken_off_or_put_in_front(void **unused)
{
    (void)unused;
    struct fixture fixture;
    fixture_open(&fixture);
    add_event(&fixture, 0, EVENT_INVOKE, "put", "7", "\"x\"", NULL);
    add_event(&fixture, 0, EVENT_OK, "put", NULL, NULL, NULL);
    add_event(&fixture, 0, EVENT_INVOKE, "cas", "[7 8]", "\"x\"", NULL);
    add_event(&fixture, 0, EVENT_OK, "cas", NULL, NULL, NULL);
    add_event(&fixture, 0, EVENT_INVOKE, "get", "nil", "\"x\"", NULL);
    add_event(&fixture, 0, EVENT_OK, "get", "8", NULL, NULL);
    finish(&fixture);
    struct spec *map = make_spec(&fixture, "map");
    struct binding binding = {NULL, map};
    struct bind_options options = {.bindings = &binding, .binding_count = 1};
    struct parts parts;
    struct error error;
    assert_int_equal(parts_create(fixture.history, &options, &parts, &error), STATUS_OK);
    assert_int_equal(parts.items.length, 1);
    const struct interval *intervals = parts.items.items[0].intervals;
    assert_true(intervals[0].call.argument == test_value(fixture.pool, "[\"x\" 7]"));
    assert_true(intervals[1].call.argument == test_value(fixture.pool, "[\"x\" 7 8]"));
    assert_true(intervals[2].call.argument == test_value(fixture.pool, "\"x\""));
    assert_true(intervals[2].call.result == value_small(8));
    parts_release(&parts);
    spec_destroy(map);
    fixture_close(&fixture);

    fixture_open(&fixture);
    add_event(&fixture, 0, EVENT_INVOKE, "read", "[5 nil]", NULL, NULL);
    add_event(&fixture, 0, EVENT_OK, "read", "[5 3]", NULL, NULL);
    finish(&fixture);
    struct spec *cell = make_spec(&fixture, "register");
    binding.spec = cell;
    options.independent = true;
    assert_int_equal(parts_create(fixture.history, &options, &parts, &error), STATUS_OK);
    assert_true(parts.items.items[0].independent == value_small(5));
    assert_true(parts.items.items[0].intervals[0].call.result == value_small(3));
    parts_release(&parts);
    spec_destroy(cell);
    fixture_close(&fixture);
}

/* --- what does not fit --- */

struct misfit_event {
    int process;
    enum event_type type;
    const char *f, *content, *key, *object;
};

struct misfit {
    const char *spec;   /* "queue", or "q=queue" for an object */
    const char *second; /* another, or null */
    bool independent;
    struct misfit_event events[6]; /* ends at a null f */
    enum status status;
    uint32_t line;
    const char *message;
};

static const struct misfit misfits[] = {
    {"queue",
     NULL,
     false,
     {{0, EVENT_INVOKE, "enqueue", "1", NULL, NULL}, {1, EVENT_INVOKE, "push", "1", NULL, NULL}},
     STATUS_INPUT,
     2,
     "expected an operation of queue (enqueue, dequeue), found push"},
    {"queue",
     NULL,
     false,
     {{0, EVENT_INVOKE, "push", "1", NULL, NULL}, {0, EVENT_FAIL, "push", NULL, NULL, NULL}},
     STATUS_INPUT,
     1,
     "expected an operation of queue (enqueue, dequeue), found push"},
    {"queue",
     NULL,
     false,
     {{0, EVENT_INVOKE, "enqueue", "nil", NULL, NULL}},
     STATUS_INPUT,
     1,
     "enqueue: expected a value other than nil (which reads as empty), found nil"},
    {"counter",
     NULL,
     false,
     {{0, EVENT_INVOKE, "read", NULL, NULL, NULL}, {0, EVENT_OK, "read", "\"x\"", NULL, NULL}},
     STATUS_INPUT,
     2,
     "read: expected an integer of 64 bits as result, found \"x\""},
    {"register",
     NULL,
     true,
     {{0, EVENT_INVOKE, "write", "3", NULL, NULL}},
     STATUS_INPUT,
     1,
     "expected [key value], found 3"},
    {"register",
     NULL,
     true,
     {{0, EVENT_INVOKE, "read", "[1 nil]", NULL, NULL}, {0, EVENT_OK, "read", "[2 3]", NULL, NULL}},
     STATUS_INPUT,
     2,
     "expected [key value] with the key of the invocation, found [2 3]"},
    {"register",
     NULL,
     false,
     {{0, EVENT_INVOKE, "write", "3", "1", NULL}, {1, EVENT_INVOKE, "write", "3", NULL, NULL}},
     STATUS_INPUT,
     2,
     "expected a key field, as in earlier operations, found none"},
    {"register",
     NULL,
     false,
     {{0, EVENT_INVOKE, "write", "3", NULL, NULL}, {1, EVENT_INVOKE, "write", "3", "1", NULL}},
     STATUS_INPUT,
     2,
     "expected no key field, as in earlier operations, found one"},
    /* the first fault of the file, whichever object it is of */
    {"q=queue",
     "s=set",
     false,
     {{0, EVENT_INVOKE, "enqueue", "nil", NULL, "q"}, {1, EVENT_INVOKE, "add", "nil", NULL, "s"}},
     STATUS_INPUT,
     1,
     "enqueue: expected a value other than nil (which reads as empty), found nil"},
    {"q=queue",
     NULL,
     false,
     {{0, EVENT_INVOKE, "enqueue", "1", NULL, NULL}},
     STATUS_USAGE,
     0,
     "a specification for the object q: the history's operations name no object"},
    {"q=queue",
     NULL,
     false,
     {{0, EVENT_INVOKE, "enqueue", "1", NULL, "q"}, {1, EVENT_INVOKE, "read", NULL, NULL, "r"}},
     STATUS_USAGE,
     0,
     "no specification for the object r: the history's objects are q, r, each needs a "
     "specification (OBJECT=NAME)"},
    {"q=queue",
     "s=set",
     false,
     {{0, EVENT_INVOKE, "enqueue", "1", NULL, "q"}},
     STATUS_USAGE,
     0,
     "no operation is of the object s: the history's objects are q, each needs a specification "
     "(OBJECT=NAME)"},
    {"q=queue",
     "q=queue",
     false,
     {{0, EVENT_INVOKE, "enqueue", "1", NULL, "q"}},
     STATUS_USAGE,
     0,
     "two specifications for q: the history's objects are q, each needs a specification "
     "(OBJECT=NAME)"},
    {"queue",
     "set",
     false,
     {{0, EVENT_INVOKE, "enqueue", "1", NULL, NULL}},
     STATUS_USAGE,
     0,
     "two specifications for one object: the history's operations name no object"},
    {"queue",
     NULL,
     false,
     {{0, EVENT_INVOKE, "enqueue", "1", NULL, "q"}, {1, EVENT_INVOKE, "enqueue", "1", NULL, NULL}},
     STATUS_USAGE,
     0,
     "an operation without object has no specification: the history's objects are q, each needs a "
     "specification (OBJECT=NAME)"},
    {"queue",
     "q=queue",
     false,
     {{0, EVENT_INVOKE, "enqueue", "1", NULL, "q"}},
     STATUS_USAGE,
     0,
     "a specification for no object: the history's objects are q, each needs a specification "
     "(OBJECT=NAME)"},
};

static struct binding make_binding(struct fixture *fixture, const char *text, char *object)
{
    const char *equals = strchr(text, '=');
    if (!equals)
        return (struct binding){NULL, make_spec(fixture, text)};
    memcpy(object, text, (size_t)(equals - text));
    object[equals - text] = 0;
    return (struct binding){object, make_spec(fixture, equals + 1)};
}

static void check_misfit(const struct misfit *misfit)
{
    struct fixture fixture;
    char objects[2][8];
    fixture_open(&fixture);
    for (size_t i = 0; i < ARRAY_LENGTH(misfit->events) && misfit->events[i].f; i++) {
        const struct misfit_event *event = &misfit->events[i];
        add_event(&fixture, event->process, event->type, event->f, event->content, event->key,
                  event->object);
    }
    finish(&fixture);
    struct binding bindings[2];
    size_t count = 0;
    bindings[count++] = make_binding(&fixture, misfit->spec, objects[0]);
    if (misfit->second)
        bindings[count++] = make_binding(&fixture, misfit->second, objects[1]);
    struct bind_options options = {
        .bindings = bindings, .binding_count = count, .independent = misfit->independent};
    struct parts parts;
    struct error error = {0};
    assert_int_equal(parts_create(fixture.history, &options, &parts, &error), misfit->status);
    assert_string_equal(error.message, misfit->message);
    assert_string_equal(error.file, "test.json");
    assert_int_equal(error.line, misfit->line);
    for (size_t i = 0; i < count; i++)
        spec_destroy((struct spec *)bindings[i].spec);
    fixture_close(&fixture);
}

static void what_does_not_fit_is_named(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(misfits); i++)
        check_misfit(&misfits[i]);
}

/* Whatever allocation is refused, nothing leaks and nothing is decided. */
static void a_refusal_is_a_limit(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 21);
    struct scene *scene = malloc(sizeof *scene);
    assert_non_null(scene);
    do {
        random_scene(scene, &random);
        if (scene->count < 20 || scene->objects || scene->independent)
            fixture_close(&scene->fixture);
        else
            break;
    } while (true);
    struct spec *spec = make_spec(&scene->fixture, scene->spec_name);
    struct binding binding = {NULL, spec};
    struct bind_options options = {.bindings = &binding, .binding_count = 1};
    size_t before = scene->fixture.budget.used, refusals = 0;
    for (size_t room = 0;; room += 8) {
        scene->fixture.budget.limit = before + room;
        struct parts parts;
        struct error error;
        enum status status = parts_create(scene->fixture.history, &options, &parts, &error);
        if (status == STATUS_OK) {
            parts_release(&parts);
            break;
        }
        assert_int_equal(status, STATUS_LIMIT);
        refusals++;
    }
    assert_true(refusals > 5);
    spec_destroy(spec);
    fixture_close(&scene->fixture);
    free(scene);
}

/* --- inference --- */

static const struct {
    const char *functions; /* separated by blanks */
    const char *specification;
    enum status status;
    const char *answer; /* name or message */
} inferences[] = {
    {"", NULL, STATUS_OK, "register"},
    {"read write", NULL, STATUS_OK, "register"},
    {"read", NULL, STATUS_OK, "register"},
    {"write cas read", NULL, STATUS_OK, "cas-register"},
    {"acquire release", NULL, STATUS_OK, "mutex"},
    {"enq deq", NULL, STATUS_OK, "queue"},
    {"enq", NULL, STATUS_OK, "queue"},
    {"dequeue", NULL, STATUS_OK, "queue"},
    {"enqueue dequeue drain", NULL, STATUS_OK, "unordered-queue"},
    {"drain", NULL, STATUS_OK, "unordered-queue"},
    {"push pop", NULL, STATUS_OK, "stack"},
    {"add contains", NULL, STATUS_OK, "set"},
    {"inc", NULL, STATUS_OK, "counter"},
    {"add read", NULL, STATUS_OK, "counter"},
    {"insert delete_min", NULL, STATUS_OK, "priority-queue"},
    {"push_front", NULL, STATUS_OK, "deque"},
    {"put get append", NULL, STATUS_OK, "map"},
    {"txn", NULL, STATUS_OK, "multi-register"},
    {"add remove", "queue", STATUS_OK, "queue"},
    {"add", NULL, STATUS_USAGE,
     "no specification given, and several have the operations used (add): set, grow-set, counter"},
    {"push enqueue", NULL, STATUS_USAGE,
     "no specification given, and no built-in one has all operations used (push, enqueue)"},
    {"read peek", NULL, STATUS_INPUT,
     "expected an operation of a built-in specification (linchpin specs lists them), found peek"},
    {"Put Get", NULL, STATUS_INPUT,
     "expected an operation of a built-in specification (linchpin specs lists them), found Put; "
     "did you mean put?"},
    {"DELETE_MIN", NULL, STATUS_INPUT,
     "expected an operation of a built-in specification (linchpin specs lists them), found "
     "DELETE_MIN; did you mean delete-min?"},
    {"enqeue", NULL, STATUS_INPUT,
     "expected an operation of a built-in specification (linchpin specs lists them), found enqeue; "
     "did you mean enqueue?"},
    {"set get", NULL, STATUS_INPUT,
     "expected an operation of a built-in specification (linchpin specs lists them), found set"},
};

static void the_smallest_specification_is_inferred(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(inferences); i++) {
        struct fixture fixture;
        fixture_open(&fixture);
        char functions[64];
        strcpy(functions, inferences[i].functions);
        int process = 0;
        for (char *rest = functions, *f; (f = strsep(&rest, " ")) != NULL;)
            if (*f)
                add_event(&fixture, process++, EVENT_INVOKE, f, NULL, NULL, NULL);
        finish(&fixture);
        fixture.history->specification = inferences[i].specification;
        const char *name = NULL;
        struct error error = {0};
        assert_int_equal(history_infer(fixture.history, NO_OBJECT, &name, &error),
                         inferences[i].status);
        assert_string_equal(inferences[i].status == STATUS_OK ? name : error.message,
                            inferences[i].answer);
        fixture_close(&fixture);
    }
}

/* A counter's reads answer numbers, those of a set that only grows all that was added. */
static void what_reads_answered_tells_counters_from_sets(void **unused)
{
    (void)unused;
    static const struct {
        const char *add, *argument, *result, *specification;
    } rows[] = {
        {"add", NULL, "5", "counter"},
        {"add", NULL, "nil", "counter"},
        {"add", NULL, "[1 2]", "grow-set"},
        {"add", NULL, "[]", "grow-set"},
        {"add", NULL, "#{1}", "grow-set"},
        {"add", "[:x nil]", "[:x 5]", "counter"}, /* of independent keys */
        {"add", "[:x nil]", "[:x [5]]", "grow-set"},
        {"inc", NULL, "[1 2]", "counter"}, /* which complains of the read */
        {"read", NULL, "[1 2]", "register"},
        {"write", NULL, "[1 2]", "register"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        struct fixture fixture;
        fixture_open(&fixture);
        add_event(&fixture, 0, EVENT_INVOKE, rows[i].add, "1", NULL, NULL);
        add_event(&fixture, 1, EVENT_INVOKE, "read", rows[i].argument, NULL, NULL);
        add_event(&fixture, 1, EVENT_OK, "read", rows[i].result, NULL, NULL);
        finish(&fixture);
        const char *name = NULL;
        struct error error = {0};
        assert_int_equal(history_infer(fixture.history, NO_OBJECT, &name, &error), STATUS_OK);
        assert_string_equal(name, rows[i].specification);
        fixture_close(&fixture);
    }
}

static void each_object_is_inferred_on_its_own(void **unused)
{
    (void)unused;
    struct fixture fixture;
    fixture_open(&fixture);
    add_event(&fixture, 0, EVENT_INVOKE, "enqueue", "1", NULL, "q");
    add_event(&fixture, 1, EVENT_INVOKE, "read", NULL, NULL, "r");
    add_event(&fixture, 2, EVENT_INVOKE, "cas", "[1 2]", NULL, "r");
    finish(&fixture);
    const char *name;
    struct error error;
    assert_int_equal(history_infer(fixture.history, 0, &name, &error), STATUS_OK);
    assert_string_equal(name, "queue");
    assert_int_equal(history_infer(fixture.history, 1, &name, &error), STATUS_OK);
    assert_string_equal(name, "cas-register");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_those_of_a_naive_cut),
        cmocka_unit_test(keys_are_taken_off_or_put_in_front),
        cmocka_unit_test(what_does_not_fit_is_named),
        cmocka_unit_test(a_refusal_is_a_limit),
        cmocka_unit_test(the_smallest_specification_is_inferred),
        cmocka_unit_test(what_reads_answered_tells_counters_from_sets),
        cmocka_unit_test(each_object_is_inferred_on_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
