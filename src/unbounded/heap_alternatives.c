#include "unbounded/heap_alternatives.h"

#include "base/log.h"
#include "unbounded/heap_spans.h"

/* ---- reads at some moment ---- */

/* Where there is no proof, a read of a register takes effect at any moment at which what it answers
 * was written last. That, and that each write takes effect once, is all there is to observe. */
enum status heap_search_moments(struct heap_search *search)
{
    struct heap_answer of_none = *search->answer;
    const uint32_t observers = search->observers;
    if (!heap_is_register(search->points->object) || search->points->specification ||
        !heap_search_find_met(search))
        return STATUS_OK;
    search->moments = true;
    search->given_failed = false;
    search->observers = 1;
    search->best = 0;
    heap_search_watch(search);
    heap_search_forget(search);
    *search->answer = (struct heap_answer){.kind = HEAP_PROVED, .tried = of_none.tried};
    TRY(heap_search_placements(search));
    search->moments = false;
    search->observers = observers;
    of_none.tried = search->answer->tried;
    if (search->best != SIZE_MAX)
        *search->answer = of_none;
    return STATUS_OK;
}

/* ---- operations that meet ---- */

/* It may take effect only where it is met. */
static void add_nowhere(struct heap_choices *choices)
{
    if (choices->changing[0] != 0)
        heap_search_add_choice(choices->changing, &choices->changing_count, 0);
}

/* Where there is no proof, each step in which an operation that takes values changes something is
 * tried as one in which it meets who brings one. */
enum status heap_search_meetings(struct heap_search *search)
{
    struct heap_answer of_none = *search->answer;
    bool done = false;
    if (search->points->specification || !heap_search_find_met(search))
        return STATUS_OK;
    search->tries_given = search->given_failed = false;
    heap_search_watch(search);
    add_nowhere(&search->choices[search->met]);
    for (uint32_t i = 0; i < search->operations && !done; i++) {
        const struct heap_choices *choices = &search->choices[i];
        if (!(method_roles_of(&search->roles, i) & 1u << METHOD_ANSWERS) ||
            choices->changing[0] == 0)
            continue;
        for (uint32_t j = 0; j < choices->changing_count && !done; j++) {
            search->meeting = choices->changing[j];
            search->meets = (uint16_t)i;
            search->best = 0;
            heap_search_forget(search);
            *search->answer = (struct heap_answer){.tried = of_none.tried};
            TRY(heap_search_each(search, &done));
            of_none.tried = search->answer->tried;
        }
    }
    search->meeting = 0;
    search->observers--;
    if (search->best != SIZE_MAX)
        *search->answer = of_none;
    return STATUS_OK;
}

/* ---- operations that span ---- */

/* Where there is no proof, those that bring values are read by their calls and returns; with each
 * placement of the others. */
enum status heap_search_spans(struct heap_search *search)
{
    struct heap_answer of_none = *search->answer;
    bool may = false;
    for (uint32_t i = 0; i < search->operations; i++)
        may |= heap_search_only_adds(search, i);
    for (uint32_t i = 0; i < search->observers && may; i++)
        may = heap_may_span(&search->alphabets[i]);
    if (!may)
        return STATUS_OK;
    search->of_spans =
        arena_allocate(search->points->arena, search->observers * sizeof *search->of_spans);
    TRY_MEMORY(search->of_spans);
    for (uint32_t i = 0; i < search->observers; i++) {
        search->of_spans[i] = search->alphabets[i];
        TRY(heap_span_alphabet(&search->of_spans[i], search->points->arena));
    }
    search->spanning = true;
    search->given_failed = false;
    search->best = 0;
    heap_search_forget(search);
    *search->answer = (struct heap_answer){.kind = HEAP_PROVED}; /* not a failure, so far */
    TRY(heap_search_placements(search));
    search->spanning = false;
    of_none.tried += search->answer->tried;
    if (search->best != SIZE_MAX)
        *search->answer = of_none;
    search->answer->tried = of_none.tried;
    return STATUS_OK;
}

/* ---- operations without points ---- */

/* How each automaton is followed. Null; else why one of them, or the implementation, is not. */
static const char *find_ways(struct heap_search *search)
{
    struct heap_shape shape = search->shape;
    bool forbids_repeats = false;
    const char *unable = heap_marks_provide(&shape);
    search->ghosts = shape.ghosts;
    for (uint32_t i = 0; i < search->observers && !unable; i++) {
        const struct alphabet *alphabet = &search->alphabets[i];
        search->ways[i] = heap_way_of(alphabet);
        if (search->ways[i] == HEAP_WAY_NONE ||
            (search->ways[i] == HEAP_WAY_SETTLED && !heap_may_span(alphabet)))
            unable = alphabet->automaton->name;
        forbids_repeats |= search->ways[i] == HEAP_WAY_SETTLED && heap_forbids_repeats(alphabet);
    }
    if (!unable && !forbids_repeats)
        unable = "no automaton says that a value is taken once";
    for (uint32_t i = 0; i < search->operations && !unable; i++) {
        const unsigned roles = method_roles_of(&search->roles, i);
        if (roles != 1u << METHOD_ADDS && (roles & 1u << METHOD_ADDS))
            unable = "an operation brings a value and does something else";
    }
    return unable;
}

/* The automata as they are read then. Of those that are followed by marks the values are not told
 * apart by their calls. */
static enum status make_alphabets_of_calls(struct heap_search *search)
{
    search->of_spans =
        arena_allocate(search->points->arena, search->observers * sizeof *search->of_spans);
    TRY_MEMORY(search->of_spans);
    for (uint32_t i = 0; i < search->observers; i++) {
        search->of_spans[i] = search->alphabets[i];
        if (search->ways[i] == HEAP_WAY_SETTLED)
            TRY(heap_span_alphabet(&search->of_spans[i], search->points->arena));
        else
            search->of_spans[i].colours = 1u << HEAP_VALUE_PLAIN;
    }
    return STATUS_OK;
}

/* Where there is no proof, no point is asked for at all: of an operation that takes values, each
 * step in which it changes something is tried as the one that settles which. */
enum status heap_search_calls(struct heap_search *search)
{
    struct heap_answer of_none = *search->answer;
    bool done = false;
    search->ways = arena_allocate(search->points->arena, search->observers * sizeof *search->ways);
    TRY_MEMORY(search->ways);
    const char *unable =
        search->points->specification ? "the specification observes" : find_ways(search);
    LOG(search->points->limits->log, "any heap: without points: %s", unable ? unable : "tried");
    if (unable) {
        if (search->points->by_calls) {
            search->answer->kind = HEAP_TOO_LARGE;
            search->answer->unable = unable;
        }
        return STATUS_OK;
    }
    TRY(make_alphabets_of_calls(search));
    search->by_calls = true;
    search->tries_given = search->given_failed = false;
    search->best = 0;
    heap_search_forget(search);
    for (uint32_t i = 0; i < search->operations; i++)
        search->choices[i].reading_count = 1;                    /* none of them is looked at */
    *search->answer = (struct heap_answer){.kind = HEAP_PROVED}; /* not a failure, so far */
    TRY(heap_search_each(search, &done));
    of_none.tried += search->answer->tried;
    if (search->best != SIZE_MAX && !search->points->by_calls)
        *search->answer = of_none;
    search->answer->tried = of_none.tried;
    return STATUS_OK;
}
