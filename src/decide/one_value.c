#include "decide/one_value.h"

#include "spec/cas_register.h"
#include "spec/keyed.h"
#include "spec/map.h"
#include "spec/register.h"
#include "spec/revision.h"

static struct effect effect_of_read(const struct call *call)
{
    if (!call->result_known)
        return (struct effect){.kind = EFFECT_NONE};
    return (struct effect){.kind = EFFECT_SEES, .needed = call->result};
}

static struct effect effect_of_swap(value old, value new, bool known, bool swapped)
{
    if (known && !swapped)
        return (struct effect){.kind = EFFECT_DIFFERS, .needed = old};
    return (struct effect){.kind = EFFECT_SWAPS, .needed = old, .left = new};
}

/* Both registers number their first operations alike. */
static struct effect effect_on_register(const struct call *call)
{
    const value *items;
    switch (call->operation) {
    case CAS_REGISTER_READ:
        return effect_of_read(call);
    case CAS_REGISTER_WRITE:
        return (struct effect){.kind = EFFECT_SETS, .left = call->argument};
    default:
        items = value_get_items(call->argument, &(size_t){0});
        return effect_of_swap(items[0], items[1], call->result_known, call->result == VALUE_TRUE);
    }
}

static struct effect effect_on_map(const struct call *call)
{
    struct answer answer = {0};
    const value *items = value_get_items(call->argument, &(size_t){0});
    bool known = call->result_known;
    switch (call->operation) {
    case MAP_GET:
        if (!known || !answer_shows_revision(call->result))
            return effect_of_read(call);
        break;
    case MAP_PUT:
        if (!known)
            return (struct effect){.kind = EFFECT_SETS, .left = items[1]};
        break;
    case MAP_DELETE:
        if (!known)
            return (struct effect){.kind = EFFECT_SETS, .left = VALUE_NIL};
        break;
    case MAP_CAS:
        if (known && (!answer_parse(call->result, &answer) || answer.has_value ||
                      answer.has_revision || !answer.has_ok))
            break;
        return effect_of_swap(items[1], items[2], known, answer.ok);
    default:
        break;
    }
    return (struct effect){.kind = EFFECT_UNCLEAR};
}

struct effect effect_of(const struct part *part, const struct call *call)
{
    const struct spec_class *class = part->spec->class;
    if (class == &register_class || class == &cas_register_class)
        return effect_on_register(call);
    if (class == &map_class && part->has_key)
        return effect_on_map(call);
    return (struct effect){.kind = EFFECT_UNCLEAR};
}

bool part_holds_one_value(const struct part *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (effect_of(part, &part->intervals[i].call).kind == EFFECT_UNCLEAR)
            return false;
    return true;
}

value one_value_initial(const struct part *part)
{
    return part->spec->class == &map_class ? keyed_initial(part->spec, part->key)
                                           : part->spec->initial;
}
