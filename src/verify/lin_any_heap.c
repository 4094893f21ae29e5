#include "verify/lin_any_heap.h"

#include "base/log.h"
#include "base/text.h"
#include "unbounded/heap_points.h"
#include "verify/lin_any_lines.h"
#include "verify/lin_any_parts.h"

/* "lines 36, 52", of one kind of statement among some instructions; whether there are some. */
static bool append_points(const struct lin_instance *instance, uint32_t from, uint32_t end, int op,
                          struct text *text)
{
    struct text lines = TEXT_EMPTY;
    unsigned count = 0, last = 0;
    for (uint32_t i = from; i < end; i++) {
        const unsigned line = lin_any_line(instance, i + 1);
        if (instance->steps.code.instructions[i].op != op || line == last)
            continue;
        text_format(&lines, "%s%u", count++ ? ", " : "", line);
        last = line;
    }
    if (count)
        text_format(text, "line%s %s", count > 1 ? "s" : "", text_string(&lines));
    text_release(&lines);
    return count > 0;
}

/* "where it says so (lines 36, 52), or where others say so (line 40)" */
static void append_given(const struct lin_instance *instance,
                         const struct heap_placement *placement, uint32_t operation,
                         struct text *text)
{
    const struct lin_steps *steps = &instance->steps;
    const uint32_t whole = (uint32_t)steps->code.length,
                   end = operation + 1 < steps->object->operation_count
                             ? steps->entries[operation + 1].start
                             : whole;
    struct text lines = TEXT_EMPTY;
    const bool own =
        append_points(instance, steps->entries[operation].start, end, OP_LINEARIZE, &lines);
    if (own)
        text_format(text, "where it says so (%s)", text_string(&lines));
    text_clear(&lines);
    if (placement->helps && operation == placement->adder &&
        append_points(instance, 0, whole, OP_LINEARIZE_OF, &lines))
        text_format(text, "%swhere who helps says so (%s)", own ? ", or " : "",
                    text_string(&lines));
    text_release(&lines);
}

/* "at some moment between its call and line 19, or its return if it finds nothing" */
static void append_settled(const struct lin_instance *instance, const struct heap_point *point,
                           struct text *text)
{
    text_append(text, "at some moment between its call and ");
    if (point->changing)
        text_format(text, "line %u, or ", lin_any_line(instance, point->changing));
    text_append(text, "its return");
    text_append(text, point->changing ? " if it finds nothing" : "");
}

/* "`pop` takes effect at line 19, or as it last reads at line 16 if it changes nothing"; where the
 * specification observes, "`add` takes effect at line 19, or at some moment if it changes nothing"
 */
static void append_placement(const struct lin_instance *instance,
                             const struct heap_placement *placement, struct text *text)
{
    for (uint32_t i = 0; i < instance->steps.object->operation_count; i++) {
        const struct heap_point *point = &placement->points[i];
        text_format(text, "%s`%s` takes effect ", i ? ", and " : "",
                    instance->steps.entries[i].operation->name);
        if (point->given)
            append_given(instance, placement, i, text);
        if (point->spans)
            text_append(text, "at some moment between its call and its return");
        if (point->moment)
            text_append(text, "at some moment at which what it answers was written last");
        if (point->settles)
            append_settled(instance, point, text);
        else if (point->changing)
            text_format(text, "at line %u", lin_any_line(instance, point->changing));
        if (point->reading)
            text_format(text, "%sas it last reads at line %u%s", point->changing ? ", or " : "",
                        lin_any_line(instance, point->reading),
                        point->changing ? " if it changes nothing" : "");
        if (point->meeting)
            text_format(text, "%sat line %u, right behind the `%s` of what it answers",
                        point->changing || point->reading ? ", or " : "",
                        lin_any_line(instance, point->meeting),
                        instance->steps.entries[placement->adder].operation->name);
        if (placement->meets && !placement->helps && !placement->moments && i == placement->adder)
            text_format(text, "%swhere it is met", point->changing ? ", or " : "");
        if (instance->by_specification)
            text_format(text, "%sat some moment%s", point->changing || point->given ? ", or " : "",
                        point->changing || point->given ? " if it changes nothing" : "");
        else if (!point->changing && !point->reading && !point->given && !point->meeting &&
                 !point->spans && !point->settles && !point->moment &&
                 !(placement->meets && i == placement->adder))
            text_append(text, "nowhere");
    }
}

static void append_failure(const struct lin_instance *instance, const struct heap_answer *found,
                           struct text *text)
{
    static const char *const failures[] = {
        [HEAP_FAULT] = "it does what it must not do, or answers what it never may",
        [HEAP_NO_EFFECT] = "it returns without having taken effect",
        [HEAP_SECOND_EFFECT] = "it takes effect twice",
        [HEAP_OTHER_ANSWER] = "it answers something else than where it took effect",
        [HEAP_OPEN_ANSWER] = "where it takes effect it is open what it will answer",
        [HEAP_WRONG_EMPTY] = "what it answers was wrong where it last read",
        [HEAP_NOT_MET] = "who brings what it answers does not run, or has taken effect before",
        [HEAP_LOST] = "a value that is surely inside is where not all threads see it",
        [HEAP_MISPLACED] = "a value is put into a second node, or written over",
        [HEAP_MOVED_BACK] = "what a shared variable does not lead to any more comes back there",
        [HEAP_ACCEPTED] = "it breaks the rule",
    };
    text_append(text, "no steps were found at which the operations could take effect: ");
    if (found->tried) {
        text_append(text, "where ");
        append_placement(instance, &found->placement, text);
        text_append(text, ", ");
    }
    text_format(text, "this cannot be ruled out of `%s`",
                instance->steps.entries[found->operation].operation->name);
    if (found->at) {
        text_append(text, " at line ");
        lin_any_append_step(instance, found->at, text);
    }
    text_format(text, ": %s", failures[found->kind]);
    if (found->kind == HEAP_ACCEPTED)
        text_format(text, " `%s`", found->automaton);
}

enum status lin_any_heap_ask(const struct lin_instance *instance, struct questions *questions,
                             const struct limits *limits, uint64_t last_deadline,
                             struct question_answer *answer, struct error *error)
{
    struct heap_answer found;
    struct lin_any_parts parts;
    struct text text = TEXT_EMPTY;
    place at;
    const bool specified = instance->by_specification;
    const struct heap_points points = {.system = questions->system,
                                       .object = instance->rules.object,
                                       .automata = &instance->rules.automata,
                                       .specification = specified ? &parts.specification : NULL,
                                       .budget = questions->budget,
                                       .arena = &questions->arena,
                                       .limits = limits,
                                       .last_deadline = last_deadline,
                                       .error = error};
    const uint64_t begin = clock_nanoseconds();
    *answer = (struct question_answer){.verdict = VERDICT_UNKNOWN, .method = "views"};
    schedule_init(&answer->schedule, questions->budget);
    if (specified)
        lin_any_parts_init(&parts, questions->system, instance->spec, questions->budget, error);
    enum status status = heap_points_find(&points, &found);
    const char *unprovided = specified ? parts.states.unable : NULL;
    const bool chooses = specified && parts.states.chooses;
    if (unprovided)
        found.kind = HEAP_TOO_LARGE;
    if (specified)
        lin_any_parts_release(&parts);
    if (status == STATUS_LIMIT || (status == STATUS_OK && found.kind != HEAP_PROVED &&
                                   limits_reached(limits) != LIMIT_NONE)) {
        answer->limit = limits_which(limits);
        return STATUS_OK;
    }
    TRY(status);
    if (found.kind == HEAP_PROVED) {
        append_placement(instance, &found.placement, &text);
        if (found.given_do_not)
            text_append(&text, "; the points that are given do not do");
        text_format(&text, "; a certificate of %zu views was checked", found.views);
    } else if (unprovided) {
        lin_any_append_unprovided(instance, unprovided,
                                  chooses ? lin_any_choice(instance, &at) : NULL, &text);
    } else if (found.unable) {
        text_append(&text, found.unable);
        if (found.is_not_provided)
            text_append(&text, ": `nodes = M` asks about at most M allocations");
        lin_any_append_path(instance, found.path, found.path_length, &text);
    } else {
        append_failure(instance, &found, &text);
        lin_any_append_path(instance, found.path, found.path_length, &text);
    }
    LOG(limits->log, "any heap: %u placements tried: %s", found.tried, text_string(&text));
    return lin_any_answer_by_views(questions, begin, found.kind == HEAP_PROVED, found.views,
                                   found.effects, &text, answer);
}
