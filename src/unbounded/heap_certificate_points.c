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

/* Whether it is watched what was written last, and all but who writes reads that, of a register. */
static bool reads_at_moments(const struct alphabet *alphabet,
                             const struct heap_placement *placement, bool watches,
                             uint32_t operations)
{
    const struct rule_object *object = rule_object_find("register");
    bool all = watches && placement->meets && alphabet->roles->object == object;
    for (uint32_t i = 0; i < operations; i++) {
        const struct heap_point *point = &placement->points[i];
        all &= point->moment == (i != placement->adder) && !point->meeting &&
               (!point->moment ||
                (!certificate_only_adds(alphabet, i) && !point->given && !point->changing));
    }
    return all;
}

uint32_t certificate_see_written(const struct heap_point *point, uint32_t state, uint32_t promise)
{
    if (!point->moment || state >> 2 == HEAP_LAST_OTHER)
        return promise;
    return promise | (state >> 2 == HEAP_LAST_FIRST ? 2u : 1u) << HEAP_PROMISE_SEEN_SHIFT;
}

const char *certificate_look_back(const struct alphabet *alphabet, const struct thread_move *move,
                                  uint32_t promise)
{
    const bool finds_nothing = move->answer == ANSWER_PLAIN,
               finds_first = move->answer == ANSWER_VALUED && move->result == 1;
    const uint32_t seen = promise >> HEAP_PROMISE_SEEN_SHIFT;
    if (move->answer == ANSWER_NONE)
        return NULL;
    if (method_roles_forbid(alphabet->roles, move) || move->answer == ANSWER_OTHER ||
        (move->answer == ANSWER_VALUED && move->result == 0))
        return "an operation ends with an answer that it must not give";
    if ((finds_nothing && !(seen & 1)) || (finds_first && !(seen & 2)))
        return "a read answers what was written last at no moment since its call";
    return NULL;
}

const char *certificate_look_at_points(const struct heap_shape *shape,
                                       const struct alphabet *alphabet,
                                       const struct heap_placement *placement, bool watches,
                                       bool once[VIOLATION_COLOURS + 1], bool *forbids_repeats)
{
    const uint32_t operations = shape->steps->object->operation_count;
    bool spans = false, settles = false, moments = placement->moments;
    const char *fault = NULL;
    for (uint32_t i = 0; i < HEAP_MOST_OPERATIONS; i++) {
        spans |= placement->points[i].spans;
        settles |= placement->points[i].settles;
        moments |= placement->points[i].moment;
    }
    if (moments &&
        !(placement->moments && reads_at_moments(alphabet, placement, watches, operations)))
        return "an operation takes effect at some moment, and is no read of a register";
    if ((settles || shape->marks) && !knows_no_points(alphabet, placement, watches, operations))
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
