#include "history/infer.h"

#include <ctype.h>
#include <string.h>

#include "base/names.h"
#include "base/suggestion.h"
#include "spec/bind.h"
#include "spec/builtin.h"
#include "spec/grow_set.h"

/* One bit per class in the order of the table. */
typedef uint32_t class_set;

static class_set classes_with(const char *function)
{
    size_t count;
    const struct spec_class *const *classes = spec_classes(&count);
    class_set set = 0;
    for (size_t i = 0; i < count; i++)
        if (!classes[i]->parameters &&
            spec_operation_find(classes[i], function, strlen(function)) >= 0)
            set |= (class_set)1 << i;
    return set;
}

#define LEAST_MISSPELLED 4 /* letters: `set` is no misspelled `get` */

/* Whether two names differ in upper and lower case at most. */
static bool is_same_word(const char *one, const char *other)
{
    while (*one && tolower((unsigned char)name_letter(*one)) ==
                       tolower((unsigned char)name_letter(*other))) {
        one++;
        other++;
    }
    return !*one && !*other;
}

/* Whether the name, which no specification knows, is an operation's in other letters or misspelled.
 */
static bool is_near(const char *name, const char *known)
{
    const size_t length = strlen(name);
    return is_same_word(name, known) ||
           (length >= LEAST_MISSPELLED && suggestion_find(name, length, &known, 1) == 0);
}

/* Null: none. */
static const char *nearest_operation(const char *name)
{
    size_t count;
    const struct spec_class *const *classes = spec_classes(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < classes[i]->operation_count; j++) {
            const struct spec_operation *operation = &classes[i]->operations[j];
            if (is_near(name, operation->name))
                return operation->name;
            for (size_t k = 0; k < ARRAY_LENGTH(operation->aliases) && operation->aliases[k]; k++)
                if (is_near(name, operation->aliases[k]))
                    return operation->aliases[k];
        }
    return NULL;
}

static enum status unknown_function(const struct history *history,
                                    const struct operation *operation, struct error *error)
{
    const char *name = history_function_name(history, operation->function);
    const char *nearest = nearest_operation(name);
    return error_set(error, STATUS_INPUT, history->name, operation->invoke_line,
                     "expected an operation of a built-in specification (linchpin specs lists "
                     "them), found %s%s%s%s",
                     name, nearest ? "; did you mean " : "", nearest ? nearest : "",
                     nearest ? "?" : "");
}

/* The names of the functions marked in `used`, for messages. */
static void list_functions(const struct history *history, const bool *used, struct text *text)
{
    const char *separator = "";
    for (size_t i = 0; i < history->functions.length; i++) {
        if (!used[i])
            continue;
        text_format(text, "%s%s", separator, history_function_name(history, (uint16_t)i));
        separator = ", ";
    }
}

static enum status undecided(const struct history *history, const bool *used, class_set smallest,
                             struct error *error)
{
    struct text functions = TEXT_EMPTY, names = TEXT_EMPTY;
    list_functions(history, used, &functions);
    size_t count;
    const struct spec_class *const *classes = spec_classes(&count);
    for (size_t i = 0; i < count; i++)
        if (smallest >> i & 1)
            text_format(&names, "%s%s", names.length ? ", " : "", classes[i]->name);
    if (smallest)
        error_set(error, STATUS_USAGE, history->name, 0,
                  "no specification given, and several have the operations used (%s): %s",
                  text_string(&functions), text_string(&names));
    else
        error_set(error, STATUS_USAGE, history->name, 0,
                  "no specification given, and no built-in one has all operations used (%s)",
                  text_string(&functions));
    text_release(&functions);
    text_release(&names);
    return STATUS_USAGE;
}

/* What an operation answered; of [key value] (--independent) the value. */
static value answer_of(const struct operation *operation)
{
    const value *argument = bind_items(operation->argument, 2);
    const value *result = bind_items(operation->result, 2);
    bool pair = argument && result && argument[1] == VALUE_NIL && argument[0] == result[0];
    return pair ? result[1] : operation->result;
}

/* Whether some read of the object answered a list or a set: it was of all that was added. */
static bool reads_all(const struct history *history, uint16_t object)
{
    for (size_t i = 0; i < history->operations.length; i++) {
        const struct operation *operation = &history->operations.items[i];
        enum value_kind kind = value_kind_of(answer_of(operation));
        if (operation->object == object && (kind == KIND_LIST || kind == KIND_SET) &&
            strcmp(history_function_name(history, operation->function), "read") == 0)
            return true;
    }
    return false;
}

static class_set grow_set_alone(void)
{
    size_t count, at = 0;
    const struct spec_class *const *classes = spec_classes(&count);
    while (classes[at] != &grow_set_class)
        at++;
    return (class_set)1 << at;
}

/* A counter and a set that is read as a whole have add and read both: what reads answered tells.
 * Reads alone are of a register, whatever they answered, and additions alone of nothing that could
 * be told. */
static class_set without_grow_set(const struct history *history, uint16_t object, const bool *used,
                                  class_set candidates)
{
    bool adds = false;
    for (size_t i = 0; i < history->functions.length; i++)
        adds |= used[i] && strcmp(history_function_name(history, (uint16_t)i), "add") == 0;
    bool meant = adds && reads_all(history, object);
    return meant ? candidates : candidates & ~grow_set_alone();
}

/* Those of the candidates with the fewest operations. */
static class_set smallest_of(class_set candidates)
{
    size_t count, fewest = SIZE_MAX;
    const struct spec_class *const *classes = spec_classes(&count);
    class_set smallest = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(candidates >> i & 1) || classes[i]->operation_count > fewest)
            continue;
        if (classes[i]->operation_count < fewest)
            smallest = 0;
        fewest = classes[i]->operation_count;
        smallest |= (class_set)1 << i;
    }
    return smallest;
}

/* Marks the functions that operations of the object use, and intersects the classes that have
 * them. */
static enum status find_candidates(const struct history *history, uint16_t object, bool *used,
                                   class_set *candidates, struct error *error)
{
    *candidates = ~(class_set)0;
    for (size_t i = 0; i < history->operations.length; i++) {
        const struct operation *operation = &history->operations.items[i];
        if (operation->object != object || used[operation->function])
            continue;
        used[operation->function] = true;
        class_set with = classes_with(history_function_name(history, operation->function));
        if (!with)
            return unknown_function(history, operation, error);
        *candidates &= with;
    }
    return STATUS_OK;
}

enum status history_infer(const struct history *history, uint16_t object, const char **name,
                          struct error *error)
{
    if (history->specification) {
        *name = history->specification;
        return STATUS_OK;
    }
    size_t functions = history->functions.length, count;
    const struct spec_class *const *classes = spec_classes(&count);
    bool *used = memory_zeroed(history->budget, functions * sizeof *used);
    if (!used)
        return error_set(error, STATUS_LIMIT, history->name, 0, "the memory limit is reached");
    class_set candidates, smallest;
    enum status status = find_candidates(history, object, used, &candidates, error);
    if (status == STATUS_OK) {
        bool any = candidates == ~(class_set)0;
        smallest = smallest_of(without_grow_set(history, object, used, candidates));
        if (any)
            *name = classes[0]->name;
        else if (smallest && !(smallest & (smallest - 1)))
            *name = classes[__builtin_ctz(smallest)]->name;
        else
            status = undecided(history, used,
                               smallest ? smallest | (candidates & grow_set_alone()) : 0, error);
    }
    memory_release(history->budget, used, functions * sizeof *used);
    return status;
}

void history_infer_explain(const struct history *history, uint16_t object,
                           const struct spec_class *inferred, struct text *text)
{
    class_set others = ~(class_set)0;
    size_t count, listed = 0;
    const struct spec_class *const *classes = spec_classes(&count);
    for (size_t i = 0; i < history->operations.length; i++)
        if (history->operations.items[i].object == object)
            others &=
                classes_with(history_function_name(history, history->operations.items[i].function));
    text_format(text, "; %s was inferred from the operations (--spec names another",
                inferred->name);
    for (size_t i = 0; i < count; i++)
        if (others >> i & 1 && classes[i] != inferred)
            text_format(text, "%s%s", listed++ ? " or " : ", such as ", classes[i]->name);
    text_append_char(text, ')');
}
