#include "spec/builtin.h"

#include <ctype.h>
#include <string.h>

#include "base/names.h"
#include "base/suggestion.h"
#include "spec/cas_register.h"
#include "spec/counter.h"
#include "spec/deque.h"
#include "spec/grow_set.h"
#include "spec/map.h"
#include "spec/multi_register.h"
#include "spec/mutex.h"
#include "spec/priority_queue.h"
#include "spec/queue.h"
#include "spec/register.h"
#include "spec/semaphore.h"
#include "spec/set.h"
#include "spec/stack.h"
#include "spec/unordered_queue.h"

static const struct spec_class *const classes[] = {
    &register_class,
    &cas_register_class,
    &mutex_class,
    &semaphore_class,
    &queue_class,
    &bounded_queue_class,
    &unordered_queue_class,
    &stack_class,
    &bounded_stack_class,
    &set_class,
    &grow_set_class,
    &counter_class,
    &priority_queue_class,
    &deque_class,
    &bounded_deque_class,
    &multi_register_class,
    &map_class,
};

const struct spec_class *const *spec_classes(size_t *count)
{
    *count = ARRAY_LENGTH(classes);
    return classes;
}

bool spec_class_is_builtin(const struct spec_class *class)
{
    for (size_t i = 0; i < ARRAY_LENGTH(classes); i++)
        if (classes[i] == class)
            return true;
    return false;
}

/* That of an object without bounds comes first; behind it that of the bounded one. */
const struct spec_class *spec_class_find(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_LENGTH(classes); i++)
        if (name_is(classes[i]->name, name, length))
            return classes[i];
    return NULL;
}

static enum status unknown_class(const char *name, size_t length, struct error *error)
{
    struct text text = TEXT_EMPTY;
    text_append(&text, "expected a specification (");
    for (size_t i = 0; i < ARRAY_LENGTH(classes); i++) {
        text_format(&text, "%s%s", i > 0 ? ", " : "", classes[i]->name);
        if (classes[i]->parameters)
            text_format(&text, "(%s)", classes[i]->parameters);
    }
    text_append(&text, "), found ");
    text_append_bytes(&text, name, length);
    const char *names[ARRAY_LENGTH(classes)];
    for (size_t i = 0; i < ARRAY_LENGTH(classes); i++)
        names[i] = classes[i]->name;
    size_t nearest = suggestion_find(name, length, names, ARRAY_LENGTH(names));
    if (nearest < ARRAY_LENGTH(names))
        text_format(&text, "; did you mean %s?", names[nearest]);
    error_set(error, STATUS_USAGE, NULL, 0, "%s", text_string(&text));
    text_release(&text);
    return STATUS_USAGE;
}

/* The class of `queue`, or of `queue(2)`, if both are there; that of `queue(initial = [1])` is the
 * first. */
static const struct spec_class *find_with(const char *request, size_t length)
{
    const struct spec_class *plain = spec_class_find(request, length);
    const char *parameters = strchr(request + length, '(');
    if (!plain || plain->parameters || !parameters ||
        isalpha((unsigned char)parameters[1 + strspn(parameters + 1, " \t")]))
        return plain;
    for (size_t i = 0; i < ARRAY_LENGTH(classes); i++)
        if (classes[i]->parameters && name_is(classes[i]->name, request, length))
            return classes[i];
    return plain;
}

enum status spec_create(const struct spec_request *request, struct value_pool *pool,
                        struct budget *budget, struct spec **spec, struct error *error)
{
    *spec = NULL;
    size_t length = spec_name_length(request->name);
    const struct spec_class *class = find_with(request->name, length);
    if (!class)
        return unknown_class(request->name, length, error);
    return spec_create_class(class, request, NULL, pool, budget, spec, error);
}
