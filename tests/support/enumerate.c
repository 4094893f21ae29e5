/* Every small part. A part is built event by event: the next operation is invoked with one of the
 * choices (a call with its result, or a pending one), or a running operation responds. Parts that
 * differ only in the order of neighbouring responses, or of neighbouring invocations, have the same
 * precedence; of those only one is built: neighbouring responses come in the order of their
 * operations, neighbouring invocations in the order of their choices. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/generate.h"

#define MAX_OPERATIONS 6

struct choice {
    struct call call;
    bool pending;
};

struct builder {
    const struct subject *subject;
    const struct enumeration *enumeration;
    struct choice *choices;
    size_t choice_count;
    struct sample sample;
    struct random random;
    size_t chosen[MAX_OPERATIONS]; /* choice of each operation so far */
    uint64_t visited;
};

static void add_choice(struct builder *builder, const char *operation,
                       const struct recorded *recorded)
{
    size_t size = (builder->choice_count + 1) * sizeof *builder->choices;
    builder->choices = realloc(builder->choices, size);
    builder->choices[builder->choice_count++] = (struct choice){
        .call = subject_call(builder->subject, operation, recorded),
        .pending = !recorded->completed,
    };
}

/* The next tuple of `slots` values in 1 .. limit; false after the last. */
static bool next_values(int64_t *values, uint32_t slots, int64_t limit)
{
    for (uint32_t i = 0; i < slots; i++) {
        if (values[i]++ < limit)
            return true;
        values[i] = 1;
    }
    return false;
}

static void add_results(struct builder *builder, const struct call_template *template,
                        struct recorded recorded)
{
    recorded.completed = true;
    recorded.result_recorded = false;
    add_choice(builder, template->operation, &recorded);
    if (!template->results)
        return;
    char results[128], *rest = results;
    assert(strlen(template->results) < sizeof results);
    strcpy(results, template->results);
    /* Results with blanks inside are lists; a list is the only one then. */
    while (rest && *rest) {
        char *result = *rest == '[' ? rest : strsep(&rest, " ");
        if (result == rest)
            rest = NULL;
        int64_t values[] = {1, 1, 1, 1};
        do {
            recorded.result_recorded = true;
            recorded.result = template_value(builder->subject, result, values);
            add_choice(builder, template->operation, &recorded);
        } while (next_values(values, template_slots(result), builder->enumeration->values));
    }
}

static void collect_choices(struct builder *builder)
{
    const struct workload *workload = builder->subject->workload;
    for (size_t i = 0; i < WORKLOAD_MAX_CALLS && workload->calls[i].operation; i++) {
        const struct call_template *template = &workload->calls[i];
        int64_t values[] = {1, 1, 1, 1};
        do {
            struct recorded recorded = {
                .argument = template_value(builder->subject, template->argument, values)};
            add_choice(builder, template->operation, &recorded);
            add_results(builder, template, recorded);
        } while (
            next_values(values, template_slots(template->argument), builder->enumeration->values));
    }
}

static void visit(struct builder *builder)
{
    builder->visited++;
    builder->enumeration->visit(builder->enumeration->context, &builder->sample.part);
}

/* Whether the last operation of a part may be this choice: where parts are sampled, not always. */
static bool is_kept(struct builder *builder)
{
    const struct enumeration *enumeration = builder->enumeration;
    return builder->sample.part.count + 1 < enumeration->operations ||
           enumeration->keep_one_in <= 1 ||
           random_below(&builder->random, enumeration->keep_one_in) == 0;
}

/* Adds every event that may follow. `last`: the last event was the response of operation last - 1;
 * 0 if it was an invocation (`invoked`) or there was none. */
static void extend(struct builder *builder, uint32_t last, bool invoked);

static void invoke(struct builder *builder, size_t choice, uint32_t process)
{
    struct part *part = &builder->sample.part;
    struct interval *interval = &builder->sample.intervals[part->count];
    *interval = (struct interval){.call = builder->choices[choice].call,
                                  .invoke = part->positions,
                                  .response = POSITION_NEVER,
                                  .index = part->count};
    interval->call.process = process;
    builder->chosen[part->count] = choice;
    uint32_t pending = builder->choices[choice].pending;
    part->count++;
    part->positions++;
    part->pending += pending;
    extend(builder, 0, true);
    part->count--;
    part->positions--;
    part->pending -= pending;
}

static bool is_running(const struct builder *builder, uint32_t operation)
{
    return builder->sample.intervals[operation].response == POSITION_NEVER &&
           !builder->choices[builder->chosen[operation]].pending;
}

/* Invokes `choice` in every process that is free, and one that is new; only an owned object can
 * tell them apart. */
static void invoke_everywhere(struct builder *builder, size_t choice)
{
    uint32_t count = builder->sample.part.count;
    if (!builder->subject->workload->owned) {
        invoke(builder, choice, count);
        return;
    }
    uint32_t seen = 0;
    for (uint32_t process = 0; process <= seen; process++) {
        bool running = false;
        for (uint32_t i = 0; i < count; i++) {
            if (builder->sample.intervals[i].call.process >= seen)
                seen = builder->sample.intervals[i].call.process + 1;
            running |=
                builder->sample.intervals[i].call.process == process && is_running(builder, i);
        }
        if (!running)
            invoke(builder, choice, process);
    }
}

static void extend(struct builder *builder, uint32_t last, bool invoked)
{
    struct part *part = &builder->sample.part;
    bool open = false;
    for (uint32_t i = 0; i < part->count; i++) {
        if (!is_running(builder, i))
            continue;
        open = true;
        if (i < last)
            continue;
        builder->sample.intervals[i].response = part->positions++;
        extend(builder, i + 1, false);
        builder->sample.intervals[i].response = POSITION_NEVER;
        part->positions--;
    }
    if (part->count < builder->enumeration->operations) {
        size_t first = invoked && part->count ? builder->chosen[part->count - 1] : 0;
        for (size_t choice = first; choice < builder->choice_count; choice++)
            if (is_kept(builder))
                invoke_everywhere(builder, choice);
    } else if (!open)
        visit(builder);
}

uint64_t sample_enumerate(const struct subject *subject, const struct enumeration *enumeration)
{
    assert(enumeration->operations <= MAX_OPERATIONS);
    struct builder builder = {.subject = subject, .enumeration = enumeration};
    random_seed(&builder.random, enumeration->seed);
    sample_start(&builder.sample, subject, MAX_OPERATIONS);
    collect_choices(&builder);
    extend(&builder, 0, false);
    free(builder.choices);
    sample_release(&builder.sample);
    return builder.visited;
}
