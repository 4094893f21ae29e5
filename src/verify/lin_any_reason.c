#include "verify/lin_any_reason.h"

#include <string.h>

#include "implementation/model.h"

#define MOST_NAMED 3 /* questions that are open; the others are counted */

/* ---- one question ---- */

static const char *keep(struct text *text, struct arena *arena)
{
    const char *kept = arena_copy_text(arena, text_string(text), text->length);
    text_release(text);
    return kept;
}

const char *lin_any_doubt(const struct schedule *run, enum holds answer, struct arena *arena)
{
    struct text text = TEXT_EMPTY;
    const char *it = run->threads == 1 ? "it" : "they";
    text_format(&text, "%u thread%s can come there, but ", run->threads,
                run->threads == 1 ? "" : "s");
    if (answer == HOLDS)
        text_format(&text, "what %s did is linearizable, and stays so when what is pending goes on",
                    it);
    else
        text_format(&text, "whether what %s did is a violation was too much to find out", it);
    return keep(&text, arena);
}

/* The local state of each thread behind a run; kinds[0].idle where it has taken no step. */
static void follow(const struct thread_system *system, const struct schedule *run, uint32_t *locals)
{
    for (uint32_t i = 0; i < run->threads; i++)
        locals[i] = system->kinds.items[0].idle;
    for (size_t i = 0; i < run->steps.length; i++)
        locals[run->steps.items[i].thread] = run->steps.items[i].move->next_local;
}

const char *lin_any_stuck(struct thread_system *system, const struct schedule *run,
                          struct arena *arena)
{
    struct text text = TEXT_EMPTY;
    uint32_t *locals = arena_allocate(arena, run->threads * sizeof *locals);
    if (!locals)
        return NULL;
    follow(system, run, locals);
    uint32_t running = 0;
    for (uint32_t i = 0; i < run->threads; i++) {
        if (thread_system_is_idle(system, locals[i]))
            continue;
        text_append(&text, running++ ? ", `" : "it could stand at `");
        thread_system_print_local(system, locals[i], &text);
        text_append(&text, "`");
    }
    if (running)
        text_append(&text, running > 1 ? ", and one of these not return by itself"
                                       : ", and not return by itself");
    return keep(&text, arena);
}

/* ---- the whole ---- */

/* "2 allocations of each struct" */
static void say_allocations(const struct lin_steps *steps, struct text *text)
{
    text_format(text, "%d allocation%s", steps->setting.nodes,
                steps->setting.nodes == 1 ? "" : "s");
    text_append(text, steps->pool_count > 1 ? " of each struct" : "");
}

/* "for any number of threads, operations and values, and at most 2 allocations, within which (one
 * operation after another) `push` can complete 2 times and `pop` any number of times" */
static void say_bounds(const struct lin_instance *instance, const struct lin_completions *within,
                       struct text *text)
{
    const struct lin_steps *steps = &instance->steps;
    bool init_makes = false;
    text_append(text, instance->by_specification
                          ? "for any number of threads and operations, with the numbers that they "
                            "are declared with"
                          : "for any number of threads, operations and values");
    if (instance->any_nodes) {
        text_append(text, ", and any number of nodes, which are collected when nothing refers to "
                          "them");
        return;
    }
    if (!within->takes_nodes)
        return;
    for (uint32_t i = 0; i < steps->pool_count; i++)
        init_makes |= steps->setting.made && steps->setting.made[i];
    text_append(text, ", and at most ");
    say_allocations(steps, text);
    text_append(text, init_makes ? " besides those of `init`" : "");
    if (instance->model.frees)
        text_append(text, " (a node that was given back may be handed out again)");
    text_format(text, ", within which (one operation after another) %s",
                text_string(&within->said));
}

static const char *never_said(const struct lin_instance *instance)
{
    if (instance->assertion->property == LIN_LOCK_FREE)
        return "where operations go on some return";
    return instance->spec ? "nothing that would be wrong can come about"
                          : "the condition is never true";
}

/* Nothing was found, but where so little can happen that says nothing. */
static void say_lacking(const struct lin_instance *instance, const struct lin_completions *within,
                        struct text *text)
{
    text_format(text, "%s, but within ", never_said(instance));
    say_allocations(&instance->steps, text);
    text_format(text, " %s: with more `nodes` there is more to be asked",
                text_string(&within->lacking));
}

static size_t count_answers(const struct assertion_result *result, enum asked answer)
{
    size_t count = 0;
    for (size_t i = 0; i < result->asked.items.length; i++)
        count += result->asked.items.items[i].answer == answer;
    return count;
}

/* Begins another part of the sentence. */
static struct text *begin(struct text *text, const char *words)
{
    text_append(text, text->length ? "; " : "");
    text_append(text, words);
    return text;
}

static void say_doubts(const struct assertion_result *result, struct text *text)
{
    for (size_t i = 0; i < result->asked.items.length; i++) {
        const struct asked_question *asked = &result->asked.items.items[i];
        if (asked->answer != ASKED_UNSAFE)
            continue;
        text_format(begin(text, "`"), "%s`", asked->name);
        if (*asked->about)
            text_format(text, " (%s)", asked->about);
        text_append(text, " cannot be ruled out");
        if (*asked->reason)
            text_format(text, ": %s", asked->reason);
    }
}

static void say_open(const struct assertion_result *result, size_t open, bool were_asked,
                     struct text *text)
{
    size_t said = 0;
    for (size_t i = 0; i < result->asked.items.length && said < MOST_NAMED; i++) {
        const struct asked_question *asked = &result->asked.items.items[i];
        if (asked->answer != ASKED_OPEN)
            continue;
        if (said++ == 0)
            begin(text, "open: ");
        text_format(text, "%s`%s`", said > 1 ? ", " : "", asked->name);
        if (*asked->reason && were_asked)
            text_format(text, " (%s)", asked->reason);
    }
    if (open > said)
        text_format(text, " and %zu more", open - said);
}

/* Whether all that matters where every operation returns is ruled out. */
static bool holds_without_waiting(const struct assertion_result *result)
{
    bool holds = true;
    for (size_t i = 0; i < result->asked.items.length; i++) {
        const struct asked_question *asked = &result->asked.items.items[i];
        holds &= asked->answer == ASKED_SAFE || asked->is_minor;
    }
    return holds;
}

void lin_any_conclude(const struct lin_instance *instance, uint32_t operations, bool few_were_cut,
                      const struct lin_completions *within, struct assertion_result *result)
{
    struct text *text = &result->reason;
    const size_t all = result->asked.items.length, open = count_answers(result, ASKED_OPEN);
    text_clear(text);
    if (result->answer == HOLDS && within->lacking.length) {
        result->answer = UNDECIDED;
        say_lacking(instance, within, text);
        return;
    }
    if (result->answer == HOLDS) {
        say_bounds(instance, within, text);
        text_append(text, ", under sequentially consistent memory: ");
        text_append(text, never_said(instance));
        if (instance->by_points)
            text_append(text, ", for each operation takes effect at one of its own steps");
        if (instance->any_nodes)
            text_format(text, ", for %s", result->asked.items.items[0].reason);
        if (instance->rules.own)
            text_format(text, ", if the automata of the file describe all violations of `%s`",
                        instance->assertion->specification.name);
        return;
    }
    if (result->limit != LIMIT_NONE) {
        assertion_say_limit(result);
        if (few_were_cut)
            text_append(text, " in the search among few threads");
        else
            text_format(text, " after %zu of %zu questions were answered", all - open, all);
    }
    say_doubts(result, text);
    say_open(result, open, few_were_cut || result->limit == LIMIT_NONE, text);
    if (holds_without_waiting(result))
        begin(text, "executions in which every operation returns are linearizable");
    else if (operations > 0)
        text_format(begin(text, "few threads with up to "),
                    "%u operation%s together show no violation", operations,
                    operations == 1 ? "" : "s");
}
