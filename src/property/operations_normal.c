/* A step of a set is the union of the steps of its possibilities. Composed labels come down to
 * that: several events one after the other, a renumbering as a map of each possibility. */
#include "property/operations_normal.h"

#include <assert.h>

#include "model/turning.h"

void operations_normal_init(struct operations_normal *normal, const struct normal_class *outer,
                            const struct operations_class *class, const struct spec *spec,
                            struct labels *labels, bool points, struct budget *budget)
{
    *normal = (struct operations_normal){.normal.class = outer, .class = class};
    linear_events_init(&normal->events, spec, labels, points, budget);
    normal_steps_init(&normal->steps, budget);
    possibilities_init(&normal->possibilities, budget);
    normal->steps.numbers.is_alone = outer->share != NULL; /* else threads look at known steps */
    normal->of = normal;
}

void operations_normal_share(struct operations_normal *normal, struct operations_normal *of)
{
    normal->of = of;
    normal->limits = of->limits;
    normal->events.lists = of->events.lists;
    of->steps.numbers.is_alone = false;
    possibilities_share(&normal->possibilities, &of->possibilities);
}

enum status operations_normal_unshare(struct operations_normal *normal)
{
    return granted(linear_events_merge(&normal->of->events, &normal->events));
}

void operations_normal_release(struct operations_normal *normal)
{
    linear_events_release(&normal->events);
    normal_steps_release(&normal->steps);
    possibilities_release(&normal->possibilities);
}

/* Leaves what a set becomes with an event under construction. */
static enum status follow(struct operations_normal *normal, normal_id from, label l,
                          const struct linear_event *event, struct error *error)
{
    possibilities_start(&normal->possibilities);
    return normal->class->follow(normal, from, l, event, error);
}

static enum status step_afresh(struct operations_normal *normal, normal_id from, label l,
                               const struct linear_event *event, normal_id *to, struct error *error)
{
    TRY(follow(normal, from, l, event, error));
    return normal->class->finish(normal, event->kind != LINEAR_INVOKE, to);
}

/* The events of one step, one after the other. */
static enum status step_several(struct operations_normal *normal, normal_id from, label l,
                                normal_id *to, struct error *error)
{
    const struct action *several = labels_get(normal->events.labels, l);
    *to = from;
    for (size_t i = 0; i < several->count && normal_is_state(*to); i++)
        TRY(operations_normal_step(&normal->normal, *to, several->components[i], to, error));
    return STATUS_OK;
}

static struct renaming renaming_of(turning values)
{
    struct renaming renaming = {.count = TURNING_MOST};
    for (uint32_t i = 0; i < TURNING_MOST; i++)
        renaming.to[i] = (uint8_t)(turning_of(values, i) + 1);
    return renaming;
}

/* Adds a possibility with its threads and values renamed. */
static bool put_turned(struct operations_normal *normal, possibility from, struct renumbering by)
{
    struct possibilities *possibilities = &normal->possibilities;
    bool known = false;
    if (!possibilities_put_turned(possibilities, from, by, &known))
        return false;
    if (known)
        return true;
    const struct renaming renaming = renaming_of(by.values);
    return possibilities_turn(possibilities, from, by.threads) &&
           (by.values == TURNING_IDENTITY || normal->class->rename(normal, &renaming)) &&
           possibilities_add_turned(possibilities, from, by);
}

/* What a stored set is with threads and values renamed. */
static enum status turn_set(struct operations_normal *normal, struct renumbering by, normal_id *to)
{
    struct possibility_row row = possibilities_row(&normal->possibilities, *to);
    possibility member = 0;
    possibilities_start(&normal->possibilities);
    while (possibility_row_next(&row, &member))
        TRY_MEMORY(put_turned(normal, member, by));
    return normal->class->finish(normal, false, to);
}

/* A call, a response or a point after which threads and values are renamed: the set between the two
 * is not stored. */
static enum status follow_and_turn(struct operations_normal *normal, normal_id from, label inner,
                                   const struct linear_event *event, struct renumbering by,
                                   normal_id *to, struct error *error)
{
    struct possibilities *possibilities = &normal->possibilities;
    TRY(follow(normal, from, inner, event, error));
    possibilities_start_again(possibilities);
    for (size_t i = 0; i < possibilities->former.items.length; i++)
        TRY_MEMORY(put_turned(normal, possibilities->former.items.items[i], by));
    return normal->class->finish(normal, event->kind != LINEAR_INVOKE, to);
}

/* A step after which threads and values are renamed. */
static enum status step_turn(struct operations_normal *normal, normal_id from, label l,
                             normal_id *to, struct error *error)
{
    struct renumbering by;
    struct linear_event event = {0};
    const label inner = labels_own(normal->events.labels, l, &by);
    assert(!renumbering_is_none(by) && inner != l);
    *to = from;
    if (inner != LABEL_TAU)
        TRY(linear_events_get(&normal->events, inner, &event, error));
    const bool is_one =
        event.kind == LINEAR_INVOKE || event.kind == LINEAR_RESPOND || event.kind == LINEAR_POINT;
    if (is_one && !normal_steps_find(&normal->of->steps, from, inner, to))
        return follow_and_turn(normal, from, inner, &event, by, to, error);
    if (inner != LABEL_TAU && !is_one)
        TRY(operations_normal_step(&normal->normal, from, inner, to, error));
    return normal_is_state(*to) ? turn_set(normal, by, to) : STATUS_OK;
}

static enum status step_uncached(struct operations_normal *normal, normal_id from, label l,
                                 const struct linear_event *event, normal_id *to,
                                 struct error *error)
{
    if (event->kind == LINEAR_SEVERAL)
        return step_several(normal, from, l, to, error);
    if (event->kind == LINEAR_TURN)
        return step_turn(normal, from, l, to, error);
    return step_afresh(normal, from, l, event, to, error);
}

bool operations_normal_known_step(const struct normal *normal, normal_id from, label l,
                                  normal_id *to)
{
    return normal_steps_find(&((const struct operations_normal *)normal)->of->steps, from, l, to);
}

enum status operations_normal_step(struct normal *outer, normal_id from, label l, normal_id *to,
                                   struct error *error)
{
    struct operations_normal *normal = (struct operations_normal *)outer;
    struct linear_event event;
    assert(normal_is_state(from));
    if (normal_steps_find(&normal->of->steps, from, l, to)) /* as most are */
        return STATUS_OK;
    TRY(linear_events_get(&normal->events, l, &event, error));
    if (event.kind == LINEAR_OTHER || event.kind == LINEAR_FAULT) {
        *to = event.kind == LINEAR_FAULT ? NORMAL_NONE : from;
        return STATUS_OK;
    }
    TRY(step_uncached(normal, from, l, &event, to, error));
    return granted(normal_steps_add(&normal->of->steps, from, l, *to));
}

uint64_t operations_normal_known(const struct normal *outer)
{
    const struct operations_normal *normal = (const struct operations_normal *)outer;
    return normal->events.met + shared_words_count(&normal->possibilities.sets);
}

void operations_normal_sizes(const struct normal *outer, struct normal_sizes *sizes)
{
    const struct operations_normal *normal = (const struct operations_normal *)outer;
    *sizes = (struct normal_sizes){.sets = shared_words_count(&normal->possibilities.sets),
                                   .worked_out = normal->steps.count};
}
