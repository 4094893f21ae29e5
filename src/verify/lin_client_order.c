#include "verify/lin_client_order.h"

#include <string.h>

#include "lin/check.h"

bool lin_ordering_specification(const struct lin_module *module,
                                const struct lin_assertion *assertion,
                                struct lin_reference *reference)
{
    *reference = assertion->specification;
    if (assertion->property == LIN_LINEARIZES)
        return true;
    for (uint32_t i = 0; i < assertion->option_count; i++) {
        const struct lin_option *option = &assertion->options[i];
        *reference = (struct lin_reference){
            .name = option->word, .at = option->word_at, .end = option->word_at};
        if (strcmp(option->name, "spec") == 0)
            return true;
    }
    for (size_t i = 0; i < module->assertions.length; i++) {
        const struct lin_assertion *other = &module->assertions.items[i];
        *reference = other->specification;
        if (other->property == LIN_LINEARIZES &&
            strcmp(other->implementation.name, assertion->implementation.name) == 0)
            return true;
    }
    return false;
}

struct lin_client_order lin_client_order_of(const struct lin_module *module,
                                            const struct lin_assertion *assertion)
{
    static const char *const locks[] = {"acquire", "release"};
    static const struct lin_client_order none = {NULL, 0, NULL},
                                         of_locks = {locks, ARRAY_LENGTH(locks), NULL};
    struct lin_reference reference;
    if (!lin_ordering_specification(module, assertion, &reference) || !reference.name)
        return none;
    const char *name = reference.name;
    const struct lin_object *own = lin_find_object(module, name, true);
    if (own)
        return (struct lin_client_order){own->client, own->client_count, own->client_ends};
    return strcmp(name, "mutex") == 0 || strcmp(name, "semaphore") == 0 ? of_locks : none;
}

static bool offers(const struct lin_object *object, const char *operation)
{
    bool found = false;
    for (uint32_t i = 0; i < object->operation_count && !found; i++)
        found = strcmp(object->operations[i]->name, operation) == 0;
    return found;
}

/* Where the order ends that begins at a name. */
static uint32_t end_of_order(struct lin_client_order order, uint32_t first)
{
    const uint32_t *end = order.ends;
    while (end && *end <= first)
        end++;
    return end ? *end : order.count;
}

const char *lin_client_order_lacks(struct lin_client_order order, const struct lin_object *object,
                                   uint32_t *at)
{
    const uint32_t end = end_of_order(order, *at);
    const char *lacks = NULL;
    for (; *at < end; ++*at)
        if (!lacks && !offers(object, order.names[*at]))
            lacks = order.names[*at];
    return lacks;
}

bool lin_client_order_calls(struct lin_client_order order, const struct lin_object *object,
                            const char *operation)
{
    bool named = false, called = false;
    for (uint32_t at = 0; at < order.count;) {
        const uint32_t end = end_of_order(order, at);
        bool reached = true;
        for (; at < end; at++) {
            const bool is_it = strcmp(order.names[at], operation) == 0;
            reached &= offers(object, order.names[at]);
            named |= is_it;
            called |= is_it && reached;
        }
    }
    return called || !named;
}
