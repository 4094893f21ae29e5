/* Writes the Petri nets that an assertion about any number of threads comes down to.
 *
 * Usage: any-nets MODEL.lin FOLDER, of the first assertion in the file. For each question a thread
 * transition system FOLDER/QUESTION.tts with its .prop; and a line of standard output each:
 * question, verdict, what answered it, markings, controls, local states, transitions, and the
 * seconds that making the net and deciding it took.
 *
 * A .tts has any number of threads in local state 0 at first, and its first control is 0. Of our
 * nets threads that are idle at first have no place: they get local state 0 here. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lin/check.h"
#include "lin/parser.h"
#include "petri/format.h"
#include "rules/shipped.h"
#include "unbounded/questions.h"
#include "verify/lin_instance_open.h"

struct asking {
    struct limits limits;
    struct budget budget;
    struct arena arena;
    struct script script;
    struct lin_module module;
    struct value_pool *pool;
    struct labels *labels;
    struct lin_instance instance;
    struct thread_system system;
    struct questions questions;
    struct violation_automata automata;
    const char *folder, *name; /* of the question */
    struct error error;
};

/* ---- files ---- */

static FILE *create(const struct asking *asking, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", asking->folder, asking->name, suffix);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(2);
    }
    return file;
}

/* The control that arcs have a token in, and the local state; 0: of an idle thread. */
struct token {
    uint32_t control, local;
};

static struct token token_of(const struct net *net, struct arcs arcs, uint32_t initial)
{
    struct token found = {0, 0};
    for (uint32_t i = 0; i < arcs.count; i++) {
        uint32_t at = arcs.items[i].place;
        if (at >= net->controls)
            found.local = at - net->controls + 1;
        else /* the initial one and the first change places */
            found.control = at == initial ? 0 : at == 0 ? initial : at;
    }
    return found;
}

/* Only nets that begin in one control, with idle threads. */
static void write_net(void *user, const struct net *net)
{
    const struct asking *asking = user;
    uint32_t initial = NET_NONE;
    for (uint32_t p = 0; p < net->places.length; p++) {
        if (!net->places.items[p].initial)
            continue;
        if (p >= net->controls || initial != NET_NONE)
            return;
        initial = p;
    }
    FILE *out = create(asking, "tts");
    fprintf(out, "%" PRIu32 " %zu\n", net->controls, net->places.length - net->controls + 1);
    for (size_t t = 0; t < net->transitions.length; t++) {
        const struct net_transition *transition = &net->transitions.items[t];
        struct token from = token_of(net, transition->takes, initial);
        struct token to = token_of(net, transition->gives, initial);
        fprintf(out, "%" PRIu32 " %" PRIu32 " -> %" PRIu32 " %" PRIu32 "\n", from.control,
                from.local, to.control, to.local);
    }
    fclose(out);
    out = create(asking, "prop");
    fprintf(out, "%" PRIu32 "|0\n", token_of(net, net->targets.items[0], initial).control);
    fclose(out);
}

/* ---- questions ---- */

static enum status ask(struct asking *asking, const char *name, struct question question,
                       bool *safe)
{
    static const char *const verdicts[] = {
        [VERDICT_SAFE] = "safe", [VERDICT_UNSAFE] = "unsafe", [VERDICT_UNKNOWN] = "unknown"};
    struct question_answer answer;
    asking->name = name;
    question.made = write_net;
    question.user = asking;
    enum status status =
        question_ask(&asking->questions, &question, &asking->limits, &answer, &asking->error);
    if (status == STATUS_OK)
        printf("%s %s %s %" PRIu64 " %zu %zu %zu %.3f\n", name, verdicts[answer.verdict],
               *answer.method ? answer.method : "-", answer.explored, answer.controls,
               answer.locals, answer.transitions, answer.seconds);
    fflush(stdout);
    *safe = answer.verdict == VERDICT_SAFE;
    question_answer_release(&answer);
    return status;
}

static enum status ask_all(struct asking *asking)
{
    bool safe, leaves_nothing = true;
    const char *object = asking->questions.roles.object->name;
    TRY(ask(asking, "range", (struct question){.kind = QUESTION_ERROR}, &safe));
    TRY(ask(asking, "fault", (struct question){.kind = QUESTION_FAULT}, &safe));
    if (strcmp(object, "stack") == 0)
        TRY(ask(asking, "leftover", (struct question){.kind = QUESTION_REMOVED_AGAIN},
                &leaves_nothing));
    for (size_t i = 0; i < asking->automata.count; i++) {
        const struct violation_automaton *automaton = &asking->automata.items[i];
        struct question question = {.kind = QUESTION_RULE,
                                    .automaton = automaton,
                                    .taken = leaves_nothing &&
                                             strcmp(automaton->name, "stack_order") == 0};
        if (automaton->for_prefixes)
            TRY(ask(asking, automaton->name, question, &safe));
    }
    if (asking->questions.roles.object->values_are_processes)
        return STATUS_OK;
    return ask(asking, "stuck", (struct question){.kind = QUESTION_BLOCKED}, &safe);
}

static enum status prepare(struct asking *asking, const char *path)
{
    static const struct lin_options nothing;
    TRY(script_read(path, &asking->arena, &asking->limits, &asking->script, &asking->error));
    TRY(lin_parse(&asking->script, &asking->arena, &asking->module, &asking->error));
    TRY(lin_check(&asking->module, &asking->error));
    if (asking->module.assertions.length == 0)
        return error_set(&asking->error, STATUS_USAGE, NULL, 0, "no assertion");
    TRY(lin_instance_open(&asking->instance, &asking->module, &asking->module.assertions.items[0],
                          &nothing, asking->labels, asking->pool, &asking->limits, &asking->error));
    if (!asking->instance.is_any)
        return error_set(&asking->error, STATUS_USAGE, NULL, 0, "not about any number of threads");
    asking->automata = asking->instance.rules.automata;
    TRY(thread_system_create(&asking->system, &asking->instance.steps, asking->labels,
                             &asking->limits, &asking->error));
    return questions_init(&asking->questions, &asking->system, asking->instance.rules.object,
                          &asking->budget, &asking->error);
}

int main(int count, char **arguments)
{
    static struct asking asking;
    if (count != 3) {
        fprintf(stderr, "usage: any-nets MODEL.lin FOLDER\n");
        return 2;
    }
    budget_init(&asking.budget, NULL, (size_t)8 << 30);
    limits_init(&asking.limits, &asking.budget);
    arena_init(&asking.arena, &asking.budget);
    asking.pool = value_pool_create(&asking.budget);
    asking.labels = labels_create(&asking.budget);
    asking.folder = arguments[2];
    enum status status = prepare(&asking, arguments[1]);
    if (status == STATUS_OK)
        status = ask_all(&asking);
    if (status != STATUS_OK)
        fprintf(stderr, "any-nets: %s\n", asking.error.message);
    return status == STATUS_OK ? 0 : 2; /* memory is the process's */
}
