/* Two passes. The first looks at the shape of the answers, and mostly that is all: none is a key
 * and a value. Where some are, the second collects what was written, as lists [key value], for
 * asking which of the two readings could have come about. Failed operations count as the others:
 * that one did not happen says nothing about how values are written down. */
#include "history/keyed_results.h"

#include <stdlib.h>

#include "spec/bind.h"
#include "spec/keyed.h"
#include "spec/map.h"
#include "value/print.h"

struct survey {
    struct binder *binder;
    struct object_binding *object;
    size_t keyed, other;                         /* answers that are not nil */
    const struct operation *keyed_at, *other_at; /* the first of each */
    VECTOR(value) written;                       /* [key value]; sorted by word */
    VECTOR(value) appended;                      /* keys; likewise */
    bool lists;                                  /* a value may be a list of two */
    bool plain_explains, keyed_explains;
};

typedef enum status visitor(struct survey *survey, const struct operation *operation,
                            uint16_t found, const struct recorded *recorded, struct error *error);

static enum status refused(const struct survey *survey, struct error *error)
{
    return error_set(error, STATUS_LIMIT, survey->binder->history->name, 0,
                     "the memory limit is reached");
}

static enum status visit_all(struct survey *survey, visitor *visit, struct error *error)
{
    const struct history *history = survey->binder->history;
    for (size_t i = 0; i < history->operations.length; i++) {
        const struct operation *operation = &history->operations.items[i];
        struct recorded recorded;
        struct bound bound;
        uint16_t found;
        if (binder_object(survey->binder, operation) != survey->object)
            continue;
        TRY(binder_place(survey->binder, operation, &recorded, &found, &bound, error));
        TRY(visit(survey, operation, found, &recorded, error));
    }
    return STATUS_OK;
}

/* The key of a get: the argument, or of [k nil] with an answer [k v] the first component. */
static bool is_keyed(const struct recorded *recorded)
{
    const value *answer = bind_items(recorded->result, 2);
    const value *argument = bind_items(recorded->argument, 2);
    return answer && (answer[0] == recorded->argument ||
                      (argument && argument[1] == VALUE_NIL && argument[0] == answer[0]));
}

static bool is_answer(uint16_t found, const struct recorded *recorded)
{
    return found == MAP_GET && recorded->completed && recorded->result_recorded &&
           recorded->result != VALUE_NIL;
}

static enum status look_at_answer(struct survey *survey, const struct operation *operation,
                                  uint16_t found, const struct recorded *recorded,
                                  struct error *error)
{
    (void)error;
    if (!is_answer(found, recorded))
        return STATUS_OK;
    bool keyed = is_keyed(recorded);
    size_t *count = keyed ? &survey->keyed : &survey->other;
    if (++*count == 1)
        *(keyed ? &survey->keyed_at : &survey->other_at) = operation;
    return STATUS_OK;
}

static bool is_list_of_two(value v)
{
    return bind_items(v, 2) != NULL;
}

/* Values of a wrong shape are left to the specification to complain of. */
static enum status collect_written(struct survey *survey, const struct operation *operation,
                                   uint16_t found, const struct recorded *recorded,
                                   struct error *error)
{
    (void)operation;
    bool conditional = found == MAP_CAS || found == MAP_PUT_IF_REVISION;
    const value *items = bind_items(recorded->argument, conditional ? 3 : 2);
    bool kept = true;
    if (!items || found == MAP_GET || found == MAP_DELETE)
        return STATUS_OK;
    value pair[2] = {items[0], items[conditional ? 2 : 1]};
    if (found == MAP_APPEND) {
        survey->lists |= value_kind_of(pair[1]) != KIND_STRING;
        kept = vector_push(&survey->appended, pair[0]);
    } else {
        survey->lists |= is_list_of_two(pair[1]);
        value written = value_list(survey->object->spec->pool, pair, 2);
        kept = written != VALUE_REFUSED && vector_push(&survey->written, written);
    }
    return kept ? STATUS_OK : refused(survey, error);
}

static void look_at_initial(struct survey *survey)
{
    size_t length;
    value initial = survey->object->spec->initial;
    const value *items = value_get_items(initial, &length);
    survey->lists |= is_list_of_two(initial);
    if (value_kind_of(initial) != KIND_MAP)
        return;
    for (size_t i = 1; i < length; i += 2)
        survey->lists |= is_list_of_two(items[i]);
}

static int compare_words(const void *a, const void *b)
{
    value first = *(const value *)a, second = *(const value *)b;
    return (first > second) - (first < second);
}

static void sort(value *items, size_t length)
{
    if (length > 1)
        qsort(items, length, sizeof *items, compare_words);
}

static bool contains(const value *items, size_t length, value wanted)
{
    return length && bsearch(&wanted, items, length, sizeof *items, compare_words);
}

/* Whether `key` can have held v; false when refused, too, and then `*refused`. */
static bool can_have_held(const struct survey *survey, value key, value v, bool *refused)
{
    enum value_kind kind = value_kind_of(v);
    if (v == VALUE_NIL || keyed_initial(survey->object->spec, key) == v)
        return true;
    if ((kind == KIND_LIST || kind == KIND_STRING) &&
        contains(survey->appended.items, survey->appended.length, key))
        return true;
    value pair[2] = {key, v};
    value written = value_list(survey->object->spec->pool, pair, 2);
    *refused |= written == VALUE_REFUSED;
    return contains(survey->written.items, survey->written.length, written);
}

static enum status try_readings(struct survey *survey, const struct operation *operation,
                                uint16_t found, const struct recorded *recorded,
                                struct error *error)
{
    (void)operation;
    bool refuse = false;
    if (!is_answer(found, recorded) || !is_keyed(recorded))
        return STATUS_OK;
    const value *answer = bind_items(recorded->result, 2);
    survey->plain_explains &= can_have_held(survey, recorded->argument, recorded->result, &refuse);
    survey->keyed_explains &= can_have_held(survey, answer[0], answer[1], &refuse);
    return refuse ? refused(survey, error) : STATUS_OK;
}

static enum status undecided(const struct survey *survey, struct error *error)
{
    struct text message = TEXT_EMPTY;
    text_append(&message, survey->other
                              ? "expected every answer of get as [key value] or none, found "
                              : "expected answers of get that are either values or "
                                "[key value], found ");
    value_print_edn(survey->keyed_at->result, &message);
    if (survey->other) {
        text_append(&message, " here and ");
        value_print_edn(survey->other_at->result, &message);
        if (survey->other_at->response_line)
            text_format(&message, " on line %u", survey->other_at->response_line);
    } else {
        text_append(&message, ", which may be both, for values that are lists of two are written");
    }
    text_append(&message, "; --results=keyed or --results=plain says which is meant");
    enum status status =
        binder_complain(survey->binder, survey->keyed_at, true, text_string(&message), error);
    text_release(&message);
    return status;
}

static enum status settle(struct survey *survey, struct error *error)
{
    TRY(visit_all(survey, collect_written, error));
    look_at_initial(survey);
    if (survey->other == 0 && !survey->lists) {
        survey->object->keyed_results = true;
        return STATUS_OK;
    }
    sort(survey->written.items, survey->written.length);
    sort(survey->appended.items, survey->appended.length);
    survey->plain_explains = true;
    survey->keyed_explains = survey->other == 0;
    TRY(visit_all(survey, try_readings, error));
    return survey->plain_explains && !survey->keyed_explains ? STATUS_OK : undecided(survey, error);
}

/* Whether some operation completed with a list of two: mostly none did. */
static bool has_pairs(const struct survey *survey)
{
    const struct history *history = survey->binder->history;
    for (size_t i = 0; i < history->operations.length; i++)
        if (is_list_of_two(history->operations.items[i].result))
            return true;
    return false;
}

/* How the answers of a map are to be read:
 *
 * - plain, if no answer is its key and a value;
 * - keyed, if every answer that is not nil is, and no list of two was written, is the initial value
 *   or can have come about by appending;
 * - plain, if every answer that is a key and a value can be what the key held, and not every answer
 *   can be that key with what it held;
 * - else it cannot be told. */
static enum status infer(struct binder *binder, struct object_binding *object, struct error *error)
{
    struct survey survey = {.binder = binder, .object = object};
    vectors_init(binder->history->budget, &survey.written, &survey.appended);
    if (!has_pairs(&survey))
        return STATUS_OK;
    enum status status = visit_all(&survey, look_at_answer, error);
    if (status == STATUS_OK && survey.keyed)
        status = settle(&survey, error);
    vectors_release(&survey.written, &survey.appended);
    return status;
}

enum status keyed_results_read(struct binder *binder, struct error *error)
{
    enum results_reading reading = binder->options->results;
    bool any = binder->history->operations.length == 0;
    for (size_t i = 0; i < binder->object_count; i++) {
        struct object_binding *object = &binder->objects[i];
        if (!object->spec || object->spec->class != &map_class)
            continue;
        any = true;
        object->keyed_results = reading == RESULTS_KEYED;
        if (reading == RESULTS_INFERRED)
            TRY(infer(binder, object, error));
    }
    if (!any && reading != RESULTS_INFERRED)
        return error_set(error, STATUS_USAGE, binder->history->name, 0,
                         "how results are read can be said of the specification map only");
    return STATUS_OK;
}

bool keyed_results_strip(uint16_t found, struct recorded *recorded)
{
    if (found != MAP_GET)
        return true;
    const value *argument = bind_items(recorded->argument, 2);
    const value *answer = bind_items(recorded->result, 2);
    bool answered = recorded->completed && recorded->result_recorded;
    bool nil = recorded->result == VALUE_NIL;
    if (argument && argument[1] == VALUE_NIL &&
        !(answered && answer && answer[0] == recorded->argument))
        recorded->argument = argument[0];
    if (!answered || nil)
        return true;
    if (!answer || answer[0] != recorded->argument)
        return false;
    recorded->result = answer[1];
    return true;
}
