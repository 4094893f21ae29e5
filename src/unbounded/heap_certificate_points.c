#include "unbounded/heap_certificate_points.h"

#include "unbounded/heap_certificate_automaton.h"
#include "unbounded/heap_certificate_marks.h"

/* Whether all operations that bring values span, and it is settled what all others take. */
static bool knows_no_points(const struct alphabet *alphabet, const struct heap_placement *placement,
                            bool watches, uint32_t operations)
{
    bool all = !watches && !placement->meets;
    for (uint32_t i = 0; i < operations; i++) {
        const struct heap_point *point = &placement->points[i];
        const bool adds = certificate_only_adds(alphabet, i);
        const unsigned others = 1u << METHOD_ANSWERS | 1u << METHOD_EMPTY;
        all &= point->spans == adds && point->settles == !adds && !point->given && !point->always &&
               !point->reading && !point->meeting &&
               (adds || !(method_roles_of(alphabet->roles, i) & ~others));
    }
    return all;
}

const char *certificate_look_at_points(const struct heap_shape *shape,
                                       const struct alphabet *alphabet,
                                       const struct heap_placement *placement, bool watches,
                                       bool once[VIOLATION_COLOURS + 1], bool *forbids_repeats)
{
    bool spans = false, settles = false;
    const char *fault = NULL;
    for (uint32_t i = 0; i < HEAP_MOST_OPERATIONS; i++) {
        spans |= placement->points[i].spans;
        settles |= placement->points[i].settles;
    }
    if ((settles || shape->marks) &&
        !knows_no_points(alphabet, placement, watches, shape->steps->object->operation_count))
        return "an operation takes effect somewhere, others do so nowhere";
    if (placement->meets && !certificate_only_adds(alphabet, placement->adder))
        return "an operation may be met that does not only bring values";
    if (shape->marks)
        return certificate_says_more(alphabet, (enum heap_marks)shape->marks);
    if (settles)
        fault = certificate_needs_points(alphabet);
    *forbids_repeats = certificate_forbids_repeats(alphabet);
    for (uint8_t colour = 1; colour <= VIOLATION_COLOURS; colour++)
        once[colour] = certificate_is_brought_once(alphabet, colour);
    if (!fault && spans && (watches || certificate_misses_returns(alphabet)))
        fault = "operations that never return might be what the automaton accepts";
    return fault;
}
