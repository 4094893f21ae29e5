/* Strongly connected components, by Tarjan's algorithm (1972) without recursion. In each the steps
 * along which a number becomes less, if it grows on none, are left out: none of them is taken for
 * ever. Then what is left of it is looked at again, until nothing is, or nothing can be left out.
 */
#include "unbounded/heap_rounds.h"

#include <string.h>

#include "base/arena.h"

#define NONE UINT32_MAX

void heap_rounds_init(struct heap_rounds *rounds, struct budget *budget)
{
    *rounds = (struct heap_rounds){.budget = budget};
    vector_init(&rounds->steps, budget);
}

void heap_rounds_release(struct heap_rounds *rounds)
{
    vector_release(&rounds->steps);
}

struct search {
    struct heap_rounds *rounds;
    uint32_t views, found, components;
    uint32_t *first;      /* by view: of its steps; and one more */
    uint32_t *next;       /* by view: of these the one that is taken next */
    uint32_t *order;      /* by view: when it was found, from 1; 0: not yet */
    uint32_t *low;        /* by view: the first found that it leads back to */
    uint32_t *component;  /* by view; NONE: not known */
    uint32_t *way, *open; /* views: on the way, and found without a component */
    uint32_t way_length, open_length;
};

/* ---- components ---- */

static void find_view(struct search *search, uint32_t view)
{
    search->order[view] = search->low[view] = ++search->found;
    search->next[view] = search->first[view];
    search->way[search->way_length++] = search->open[search->open_length++] = view;
}

static void lower(struct search *search, uint32_t view, uint32_t to)
{
    if (search->low[to] < search->low[view])
        search->low[view] = search->low[to];
}

/* All that is behind the last view of the way has been found. */
static void leave_view(struct search *search)
{
    const uint32_t view = search->way[--search->way_length];
    if (search->low[view] == search->order[view]) {
        uint32_t member = NONE;
        while (member != view) {
            member = search->open[--search->open_length];
            search->component[member] = search->components;
        }
        search->components++;
    }
    if (search->way_length > 0)
        lower(search, search->way[search->way_length - 1], view);
}

static void find_from(struct search *search, uint32_t view)
{
    const struct heap_quiet_step *steps = search->rounds->steps.items;
    find_view(search, view);
    while (search->way_length > 0) {
        view = search->way[search->way_length - 1];
        if (search->next[view] == search->first[view + 1]) {
            leave_view(search);
            continue;
        }
        const struct heap_quiet_step *step = &steps[search->next[view]++];
        if (step->is_left_out || search->component[step->to] != NONE)
            continue;
        if (!search->order[step->to])
            find_view(search, step->to);
        else
            lower(search, view, step->to);
    }
}

static void find_components(struct search *search)
{
    search->found = search->components = 0;
    memset(search->order, 0, search->views * sizeof *search->order);
    for (uint32_t i = 0; i < search->views; i++)
        search->component[i] = NONE;
    for (uint32_t i = 0; i < search->views; i++)
        if (!search->order[i])
            find_from(search, i);
}

/* Whether a step that is not left out stays in its component, so that it may be taken for ever. */
static bool is_inside(const struct search *search, const struct heap_quiet_step *step)
{
    return !step->is_left_out && search->component[step->from] == search->component[step->to];
}

/* ---- what is left out ---- */

/* Ands what is kept by the steps inside each component, and ors what some of them lower. */
static bool leave_out(struct search *search, uint64_t *kept, uint64_t *lowered)
{
    struct heap_rounds *rounds = search->rounds;
    bool some = false;
    memset(kept, 0xff, search->components * sizeof *kept);
    memset(lowered, 0, search->components * sizeof *lowered);
    for (size_t i = 0; i < rounds->steps.length; i++) {
        const struct heap_quiet_step *step = &rounds->steps.items[i];
        if (!is_inside(search, step))
            continue;
        kept[search->component[step->from]] &= step->keeps;
        lowered[search->component[step->from]] |= step->lowers;
    }
    for (size_t i = 0; i < rounds->steps.length; i++) {
        struct heap_quiet_step *step = &rounds->steps.items[i];
        if (!is_inside(search, step))
            continue;
        const uint64_t ranks =
            kept[search->component[step->from]] & lowered[search->component[step->from]];
        if (step->lowers & ranks & -ranks) { /* the first of them */
            step->is_left_out = some = true;
        }
    }
    return some;
}

/* ---- a round ---- */

/* Goes on from a view inside its component until a view comes again. */
static void tell_round(struct search *search, uint32_t view)
{
    struct heap_rounds *rounds = search->rounds;
    uint32_t *taken = search->next, count = 0;
    memset(search->order, 0, search->views * sizeof *search->order);
    while (!search->order[view]) {
        uint32_t number = search->first[view];
        search->order[view] = ++count;
        while (!is_inside(search, &rounds->steps.items[number]))
            number++;
        taken[count - 1] = number;
        view = rounds->steps.items[number].to;
    }
    for (uint32_t i = search->order[view] - 1; i < count; i++) {
        if (rounds->round_length < HEAP_MOST_ROUND)
            rounds->round[rounds->round_length] = rounds->steps.items[taken[i]].at;
        rounds->round_length++;
    }
}

static const struct heap_quiet_step *find_inside(const struct search *search)
{
    for (size_t i = 0; i < search->rounds->steps.length; i++)
        if (is_inside(search, &search->rounds->steps.items[i]))
            return &search->rounds->steps.items[i];
    return NULL;
}

static void look(struct search *search, uint64_t *kept, uint64_t *lowered)
{
    find_components(search);
    const struct heap_quiet_step *inside = find_inside(search);
    while (inside && leave_out(search, kept, lowered)) {
        search->rounds->walks = true;
        find_components(search);
        inside = find_inside(search);
    }
    if (inside)
        tell_round(search, inside->from);
}

/* Room for a search among so many views, and where each view's steps are. False if there is none.
 */
static bool begin(struct search *search, struct heap_rounds *rounds, uint32_t views,
                  struct arena *arena)
{
    *search = (struct search){.rounds = rounds, .views = views};
    uint32_t **const rows[] = {&search->first,     &search->next, &search->order, &search->low,
                               &search->component, &search->way,  &search->open};
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        *rows[i] = arena_allocate(arena, ((size_t)views + 1) * sizeof **rows[i]);
        if (!*rows[i])
            return false;
    }
    for (uint32_t i = 0, at = 0; i <= views; i++) {
        while (at < rounds->steps.length && rounds->steps.items[at].from < i)
            at++;
        search->first[i] = at;
    }
    return true;
}

enum status heap_rounds_components(struct heap_rounds *rounds, uint32_t views, uint32_t *component)
{
    struct arena arena;
    struct search search;
    arena_init(&arena, rounds->budget);
    const bool room = begin(&search, rounds, views, &arena);
    if (room) {
        find_components(&search);
        memcpy(component, search.component, views * sizeof *component);
    }
    arena_release(&arena);
    return granted(room);
}

enum status heap_rounds_find(struct heap_rounds *rounds, uint32_t views)
{
    struct arena arena;
    struct search search;
    arena_init(&arena, rounds->budget);
    bool granted_all = begin(&search, rounds, views, &arena);
    uint64_t *kept = arena_allocate(&arena, ((size_t)views + 1) * sizeof *kept),
             *lowered = arena_allocate(&arena, ((size_t)views + 1) * sizeof *lowered);
    granted_all = granted_all && kept && lowered;
    if (granted_all)
        look(&search, kept, lowered);
    arena_release(&arena);
    return granted(granted_all);
}
