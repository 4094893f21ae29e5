#include <stdlib.h>
#include <string.h>

#include "support/csp_oracle_term.h"

typedef const struct oracle_environment *environment;
typedef const struct oracle_term *term;

#define MAX_CHILDREN 64

/* ---- sets of events ---- */

bool oracle_set_has(const struct oracle_set *set, const char *name)
{
    for (unsigned i = 0; i < set->count; i++)
        if (strcmp(set->names[i], name) == 0)
            return true;
    return false;
}

/* Adds a name in its place, once. */
static void set_add(struct oracle *oracle, struct oracle_set *set, const char *name)
{
    if (oracle_set_has(set, name))
        return;
    const char **names = oracle_allocate(oracle, (set->count + 1) * sizeof *names);
    unsigned at = 0, from = 0;
    while (from < set->count && strcmp(set->names[from], name) < 0)
        names[at++] = set->names[from++];
    names[at++] = name;
    while (from < set->count)
        names[at++] = set->names[from++];
    set->names = names;
    set->count++;
}

static void set_add_all(struct oracle *oracle, struct oracle_set *set,
                        const struct oracle_set *other)
{
    for (unsigned i = 0; i < other->count; i++)
        set_add(oracle, set, other->names[i]);
}

/* `inv.push.0`: the operation is a word, not an expression. */
static bool is_word(const struct oracle *oracle, const struct csp_event *event, uint32_t i,
                    environment scope)
{
    const struct csp_expression *e = event->components[i];
    bool operation = strcmp(event->name, "inv") == 0 || strcmp(event->name, "res") == 0 ||
                     strcmp(event->name, "lin") == 0;
    if (i > 0 || !operation || e->kind != EXPRESSION_NAME)
        return false;
    for (; scope; scope = scope->outer)
        if (strcmp(scope->name, e->name) == 0)
            return false;
    return oracle_variable(oracle, e->name) < 0 && oracle_macro(oracle, e->name) < 0;
}

const char *oracle_event_name(struct oracle *oracle, const struct csp_event *event,
                              environment scope, struct oracle_valuation *valuation)
{
    struct writer text = {.oracle = oracle};
    writer_append(&text, event->name);
    for (uint32_t i = 0; i < event->component_count; i++) {
        writer_char(&text, '.');
        if (is_word(oracle, event, i, scope)) {
            writer_append(&text, event->components[i]->name);
            continue;
        }
        struct oracle_folded folded = {0};
        if (valuation)
            folded.value = oracle_evaluate(oracle, event->components[i], scope, valuation);
        else
            folded = oracle_fold(oracle, event->components[i], scope);
        if (!valuation && !folded.constant)
            oracle_fail(oracle, "%s.%s is not known: #alphabet", event->name, folded.text);
        oracle_print_value(folded.value, &text);
    }
    return writer_text(&text);
}

struct event_visit {
    const struct csp_event *event;
    struct oracle_set *set;
};

static void visit_event(struct oracle *oracle, void *context, environment scope)
{
    struct event_visit *visit = context;
    set_add(oracle, visit->set, oracle_event_name(oracle, visit->event, scope, NULL));
}

static void add_events(struct oracle *oracle, const struct csp_event_set *sets, uint32_t count,
                       environment scope, struct oracle_set *set)
{
    for (uint32_t i = 0; i < count; i++) {
        struct event_visit visit = {&sets[i].event, set};
        oracle_ranges(oracle, sets[i].ranges, sets[i].range_count, scope, visit_event, &visit);
    }
}

/* ---- alphabets ---- */

#define MAX_UNFOLDINGS 10000 /* more are taken for a process that never ends to come up anew */

struct alphabet {
    struct oracle_set events, unfolded; /* "P,1" */
    unsigned unfoldings;                /* with those that are under a hiding */
    const struct csp_process *child;
};

static environment bind(struct oracle *oracle, const char *name, struct oracle_value value,
                        environment outer)
{
    struct oracle_environment *inner = oracle_allocate(oracle, sizeof *inner);
    *inner = (struct oracle_environment){
        .outer = outer, .name = name, .kind = ORACLE_CONSTANT, .value = value};
    return inner;
}

static const struct csp_definition *definition_of(struct oracle *oracle,
                                                  const struct csp_process *reference)
{
    int found = oracle_definition(oracle, reference->name);
    if (found < 0)
        oracle_fail(oracle, "%s is no process", reference->name);
    const struct csp_definition *definition = &oracle->module->definitions.items[found];
    if (definition->parameter_count != reference->argument_count)
        oracle_fail(oracle, "arguments of %s", reference->name);
    return definition;
}

static void collect(struct oracle *oracle, struct alphabet *alphabet,
                    const struct csp_process *process, environment scope);

static void collect_reference(struct oracle *oracle, struct alphabet *alphabet,
                              const struct csp_process *reference, environment scope)
{
    const struct csp_definition *definition = definition_of(oracle, reference);
    const struct csp_alphabet *given = NULL;
    environment inner = NULL;
    struct writer text = {.oracle = oracle};
    for (size_t i = 0; i < oracle->module->alphabets.length; i++)
        if (strcmp(oracle->module->alphabets.items[i].process, reference->name) == 0)
            given = &oracle->module->alphabets.items[i];
    writer_append(&text, reference->name);
    for (uint32_t i = 0; i < reference->argument_count; i++) {
        struct oracle_folded folded = oracle_fold(oracle, reference->arguments[i], scope);
        writer_format(&text, ",%s", folded.text);
        if (!folded.constant && given)
            continue; /* the given alphabet may do without */
        if (!folded.constant)
            oracle_fail(oracle, "%s(%s) has no alphabet: #alphabet", reference->name, folded.text);
        inner = bind(oracle, definition->parameters[i].name, folded.value, inner);
    }
    const char *unfolded = writer_text(&text);
    if (given) {
        add_events(oracle, given->events, given->event_count, inner, &alphabet->events);
        return;
    }
    if (oracle_set_has(&alphabet->unfolded, unfolded))
        return;
    if (alphabet->unfoldings++ == MAX_UNFOLDINGS)
        oracle_fail(oracle, "%s again with ever other arguments: #alphabet", reference->name);
    set_add(oracle, &alphabet->unfolded, unfolded);
    collect(oracle, alphabet, definition->body, inner);
}

static void visit_collect(struct oracle *oracle, void *context, environment scope)
{
    struct alphabet *alphabet = context;
    const struct csp_process *child = alphabet->child;
    collect(oracle, alphabet, child, scope);
    alphabet->child = child;
}

static void collect(struct oracle *oracle, struct alphabet *alphabet,
                    const struct csp_process *process, environment scope)
{
    struct oracle_set hidden = {0}, before = alphabet->events, unfolded = alphabet->unfolded;
    switch ((enum csp_process_kind)process->kind) {
    case PROCESS_REFERENCE:
        collect_reference(oracle, alphabet, process, scope);
        return;
    case PROCESS_INDEXED:
        alphabet->child = process->children[0];
        oracle_ranges(oracle, process->ranges, process->range_count, scope, visit_collect,
                      alphabet);
        return;
    case PROCESS_HIDE:
        alphabet->events = (struct oracle_set){0};
        collect(oracle, alphabet, process->children[0], scope);
        add_events(oracle, process->hidden, process->hidden_count, scope, &hidden);
        for (unsigned i = 0; i < alphabet->events.count; i++)
            if (!oracle_set_has(&hidden, alphabet->events.names[i]))
                set_add(oracle, &before, alphabet->events.names[i]);
        alphabet->events = before;
        alphabet->unfolded = unfolded; /* outside they add what is hidden here */
        return;
    case PROCESS_EVENT:
        if (process->event.name && !process->program)
            set_add(oracle, &alphabet->events,
                    oracle_event_name(oracle, &process->event, scope, NULL));
        break;
    default:
        break;
    }
    if (process->kind == PROCESS_INPUT)
        for (uint32_t i = 0; i < process->argument_count; i++)
            if (oracle_receives(oracle, process->arguments[i], scope)) {
                struct oracle_environment *inner = oracle_allocate(oracle, sizeof *inner);
                *inner = (struct oracle_environment){
                    .outer = scope, .name = process->arguments[i]->name, .kind = ORACLE_UNKNOWN};
                scope = inner;
            }
    for (uint32_t i = 0; i < process->count; i++)
        if (process->children[i])
            collect(oracle, alphabet, process->children[i], scope);
}

/* ---- terms and their texts ---- */

bool oracle_receives(const struct oracle *oracle, const struct csp_expression *argument,
                     environment scope)
{
    if (argument->kind != EXPRESSION_NAME)
        return false;
    for (; scope; scope = scope->outer)
        if (strcmp(scope->name, argument->name) == 0)
            return false;
    return oracle_variable(oracle, argument->name) < 0 &&
           oracle_macro(oracle, argument->name) < 0 && oracle_channel(oracle, argument->name) < 0 &&
           oracle_definition(oracle, argument->name) < 0;
}

static void write_event(struct oracle *oracle, term t, struct writer *text)
{
    const struct csp_event *event = &t->node->event;
    writer_append(text, event->name ? event->name : "tau");
    for (uint32_t i = 0; event->name && i < event->component_count; i++)
        writer_format(text, ".%s",
                      is_word(oracle, event, i, t->environment)
                          ? event->components[i]->name
                          : oracle_fold(oracle, event->components[i], t->environment).text);
}

static void write_program(struct oracle *oracle, const struct csp_process *node, environment scope,
                          struct writer *text)
{
    if (node->program)
        writer_format(text, "{%s}", oracle_fold_program(oracle, node->program, scope));
}

/* The channel and the message of a communication. */
static void write_message(struct oracle *oracle, term t, char sign, struct writer *text)
{
    const struct csp_process *node = t->node;
    writer_append(text, node->name);
    if (node->index)
        writer_format(text, "[%s]", oracle_fold(oracle, node->index, t->environment).text);
    writer_char(text, sign);
    for (uint32_t i = 0; i < node->argument_count; i++)
        writer_format(text, "%s%s", i ? "." : "",
                      sign == '?' && oracle_receives(oracle, node->arguments[i], t->environment)
                          ? node->arguments[i]->name
                          : oracle_fold(oracle, node->arguments[i], t->environment).text);
}

/* The environment of what an input leads to, as long as nothing has been received. */
static environment receiving(struct oracle *oracle, const struct csp_process *node,
                             environment scope)
{
    environment outer = scope;
    for (uint32_t i = 0; i < node->argument_count; i++)
        if (oracle_receives(oracle, node->arguments[i], outer)) {
            struct oracle_environment *inner = oracle_allocate(oracle, sizeof *inner);
            *inner = (struct oracle_environment){
                .outer = scope, .name = node->arguments[i]->name, .kind = ORACLE_UNKNOWN};
            scope = inner;
        }
    return scope;
}

/* Null if what follows cannot be said before the value is there. */
static const char *try_rest(struct oracle *oracle, term t)
{
    jmp_buf escape;
    oracle->escape = &escape;
    if (setjmp(escape))
        return NULL;
    struct writer text = {.oracle = oracle};
    environment inner = receiving(oracle, t->node, t->environment);
    if (t->node->condition)
        writer_format(&text, "[%s]", oracle_fold(oracle, t->node->condition, inner).text);
    write_program(oracle, t->node, inner, &text);
    writer_format(&text, "->%s", oracle_instantiate(oracle, t->node->children[0], inner)->text);
    return writer_text(&text);
}

/* What follows an input may need the value to be unfolded at all (`||| i:{0..x}@ ...`): then the
 * place in the model and the names' values say which it is. */
static void write_rest(struct oracle *oracle, term t, struct writer *text)
{
    jmp_buf *outer = oracle->escape;
    const char *rest = try_rest(oracle, t);
    oracle->escape = outer;
    if (rest) {
        writer_append(text, rest);
        return;
    }
    writer_format(text, "@%p", (const void *)t->node);
    for (environment at = t->environment; at; at = at->outer) {
        writer_format(text, " %s=", at->name);
        oracle_print_value(at->value, text);
    }
}

static const char *const separators[] = {
    [PROCESS_SEQUENCE] = ";",
    [PROCESS_CHOICE] = " [] ",
    [PROCESS_INTERNAL] = " <> ",
    [PROCESS_EXTERNAL] = " [*] ",
    [PROCESS_INTERLEAVE] = " ||| ",
    [PROCESS_PARALLEL] = " || ",
    [PROCESS_INTERRUPT] = " interrupt ",
    [PROCESS_COPIES] = " copies ",
};

static void write_children(struct oracle *oracle, term t, struct writer *text)
{
    (void)oracle;
    writer_char(text, '(');
    for (unsigned i = 0; i < t->count; i++) {
        if (i || t->kind == PROCESS_COPIES)
            writer_append(text, separators[t->kind]);
        writer_append(text, t->children[i]->text);
        if (t->kind != PROCESS_PARALLEL)
            continue;
        writer_append(text, " alphabet");
        for (unsigned j = 0; j < t->sets[i].count; j++)
            writer_format(text, " %s", t->sets[i].names[j]);
    }
    writer_char(text, ')');
}

static void write_condition(struct oracle *oracle, const char *word,
                            const struct csp_expression *condition, term t, struct writer *text)
{
    writer_format(text, "%s(%s)", word, oracle_fold(oracle, condition, t->environment).text);
}

static const char *write(struct oracle *oracle, term t)
{
    struct writer text = {.oracle = oracle};
    const struct csp_process *node = t->node;
    switch (t->kind) {
    case PROCESS_STOP:
        writer_append(&text, "Stop");
        break;
    case PROCESS_SKIP:
        writer_append(&text, "Skip");
        break;
    case PROCESS_EVENT:
        write_event(oracle, t, &text);
        write_program(oracle, node, t->environment, &text);
        writer_append(&text, "->");
        writer_append(&text, t->children[0]->text);
        break;
    case PROCESS_OUTPUT:
        write_message(oracle, t, '!', &text);
        write_program(oracle, node, t->environment, &text);
        writer_append(&text, "->");
        writer_append(&text, t->children[0]->text);
        break;
    case PROCESS_INPUT:
        write_message(oracle, t, '?', &text);
        write_rest(oracle, t, &text);
        break;
    case PROCESS_REFERENCE:
        writer_format(&text, "%s(", node->name);
        for (uint32_t i = 0; i < node->argument_count; i++)
            writer_format(&text, "%s%s", i ? "," : "",
                          oracle_fold(oracle, node->arguments[i], t->environment).text);
        writer_append(&text, ")");
        break;
    case PROCESS_GUARD:
    case PROCESS_IF:
    case PROCESS_IF_ATOMIC:
    case PROCESS_IF_BLOCKING:
    case PROCESS_ASSERT: {
        static const char *const words[] = {[PROCESS_GUARD] = "guard",
                                            [PROCESS_IF] = "if",
                                            [PROCESS_IF_ATOMIC] = "ifa",
                                            [PROCESS_IF_BLOCKING] = "ifb",
                                            [PROCESS_ASSERT] = "assert"};
        write_condition(oracle, words[t->kind], node->condition, t, &text);
        for (unsigned i = 0; i < t->count; i++)
            writer_format(&text, "{%s}", t->children[i]->text);
        break;
    }
    case PROCESS_CASE:
        for (unsigned i = 0; i < t->count; i++) {
            if (node->conditions[i])
                write_condition(oracle, "case", node->conditions[i], t, &text);
            writer_format(&text, "{%s}", t->children[i]->text);
        }
        break;
    case PROCESS_HIDE:
        writer_format(&text, "(%s \\", t->children[0]->text);
        for (unsigned i = 0; i < t->sets->count; i++)
            writer_format(&text, " %s", t->sets->names[i]);
        writer_append(&text, ")");
        break;
    case PROCESS_ATOMIC:
        writer_format(&text, "atomic{%s}", t->children[0]->text);
        break;
    default:
        write_children(oracle, t, &text);
    }
    return writer_text(&text);
}

/* ---- plain form ---- */

static struct oracle_term *draft(struct oracle *oracle, enum csp_process_kind kind,
                                 const struct csp_process *node, environment scope,
                                 const term *children, unsigned count)
{
    struct oracle_term *made = oracle_allocate(oracle, sizeof *made);
    *made = (struct oracle_term){
        .kind = kind, .node = node, .environment = scope, .count = count, .together = made};
    made->children = oracle_allocate(oracle, (count + 1) * sizeof *made->children);
    if (count)
        memcpy(made->children, children, count * sizeof *children);
    return made;
}

static term finish(struct oracle *oracle, struct oracle_term *made)
{
    made->text = write(oracle, made);
    return made;
}

static term plain(struct oracle *oracle, enum csp_process_kind kind)
{
    return finish(oracle, draft(oracle, kind, NULL, NULL, NULL, 0));
}

term oracle_stop(struct oracle *oracle)
{
    return plain(oracle, PROCESS_STOP);
}

static bool is_skip(term t)
{
    t = t->together;
    if (t->kind == PROCESS_SKIP)
        return true;
    if (t->kind != PROCESS_ATOMIC && t->kind != PROCESS_CHOICE)
        return false;
    for (unsigned i = 0; i < t->count; i++)
        if (!is_skip(t->children[i]))
            return false;
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp((*(const term *)a)->text, (*(const term *)b)->text);
}

/* Drops children of that kind, takes the children of those of the other kind for them. */
static void sift(struct oracle *oracle, struct oracle_term *t, enum csp_process_kind dropped,
                 bool flatten)
{
    term kept[MAX_CHILDREN];
    unsigned count = 0;
    for (unsigned i = 0; i < t->count; i++) {
        term child = t->children[i];
        bool inner = flatten && child->kind == t->kind;
        for (unsigned j = 0; j < (inner ? child->count : 1); j++) {
            if (count == MAX_CHILDREN)
                oracle_fail(oracle, "too many components");
            if (inner)
                kept[count++] = child->children[j];
            else if (child->kind != dropped)
                kept[count++] = child;
        }
    }
    t->children = oracle_allocate(oracle, (count + 1) * sizeof *t->children);
    memcpy(t->children, kept, count * sizeof *kept);
    t->count = count;
}

static term plain_form(struct oracle *oracle, struct oracle_term *t)
{
    switch (t->kind) {
    case PROCESS_SEQUENCE:
        if (is_skip(t->children[0]))
            return t->children[1];
        break;
    case PROCESS_INTERLEAVE:
        if (oracle->apart && t->placed) {
            bool ended = t->together->kind == PROCESS_SKIP;
            return ended ? plain(oracle, PROCESS_SKIP) : finish(oracle, t);
        }
        sift(oracle, t, PROCESS_SKIP, true);
        if (t->count == 0)
            return plain(oracle, PROCESS_SKIP);
        if (t->count == 1)
            return t->children[0];
        break;
    case PROCESS_COPIES:
        sift(oracle, t, PROCESS_SKIP, false);
        if (t->count == 0)
            return plain(oracle, PROCESS_SKIP);
        qsort(t->children, t->count, sizeof *t->children, by_text);
        break;
    case PROCESS_CHOICE:
    case PROCESS_EXTERNAL:
        sift(oracle, t, PROCESS_STOP, false);
        if (t->count == 0)
            return plain(oracle, PROCESS_STOP);
        if (t->count == 1)
            return t->children[0];
        break;
    case PROCESS_INTERNAL:
    case PROCESS_PARALLEL:
        if (t->count == 0)
            return plain(oracle, t->kind == PROCESS_INTERNAL ? PROCESS_STOP : PROCESS_SKIP);
        if (t->count == 1)
            return t->children[0];
        break;
    case PROCESS_HIDE:
        if (t->children[0]->kind == PROCESS_HIDE) {
            struct oracle_set *both = oracle_allocate(oracle, sizeof *both);
            set_add_all(oracle, both, t->sets);
            set_add_all(oracle, both, t->children[0]->sets);
            t->sets = both;
            t->children = t->children[0]->children;
        }
        break;
    case PROCESS_ATOMIC:
        if (t->children[0]->kind == PROCESS_ATOMIC)
            return t->children[0];
        break;
    default:
        break;
    }
    return finish(oracle, t);
}

/* Where places are kept, the term is built a second time without, from parts without: that one says
 * what is Skip. */
static term normalise(struct oracle *oracle, struct oracle_term *t)
{
    if (oracle->apart) {
        struct oracle_term *without =
            draft(oracle, t->kind, t->node, t->environment, t->children, t->count);
        without->sets = t->sets;
        for (unsigned i = 0; i < t->count; i++)
            without->children[i] = t->children[i]->together;
        t->together = plain_form(oracle, without);
    }
    return plain_form(oracle, t);
}

term oracle_rebuild(struct oracle *oracle, term t, const term *children)
{
    struct oracle_term *copy = draft(oracle, t->kind, t->node, t->environment, children, t->count);
    copy->sets = t->sets;
    copy->placed = true;
    return normalise(oracle, copy);
}

/* ---- instantiation ---- */

struct components {
    const struct csp_process *process; /* of an indexed form: the child */
    enum csp_process_kind kind;
    term children[MAX_CHILDREN];
    struct oracle_set alphabets[MAX_CHILDREN];
    unsigned count;
};

static void add_component(struct oracle *oracle, void *context, environment scope)
{
    struct components *components = context;
    struct alphabet alphabet = {0};
    if (components->count == MAX_CHILDREN)
        oracle_fail(oracle, "too many components");
    components->children[components->count] =
        oracle_instantiate(oracle, components->process, scope);
    if (components->kind == PROCESS_PARALLEL)
        collect(oracle, &alphabet, components->process, scope);
    components->alphabets[components->count++] = alphabet.events;
}

/* A copy with a place of its own: the only one of its composition. Those of an interleaving have
 * places too. */
static term copy_apart(struct oracle *oracle, const struct csp_process *process, environment scope,
                       term child)
{
    if (child->kind != PROCESS_INTERLEAVE)
        return normalise(oracle, draft(oracle, PROCESS_COPIES, process, scope, &child, 1));
    term copies[MAX_CHILDREN];
    for (unsigned i = 0; i < child->count; i++)
        copies[i] = copy_apart(oracle, process, scope, child->children[i]);
    return normalise(oracle, draft(oracle, PROCESS_INTERLEAVE, child->node, child->environment,
                                   copies, child->count));
}

static term compose(struct oracle *oracle, const struct csp_process *process, environment scope)
{
    struct components components = {.kind = (enum csp_process_kind)process->kind};
    if (process->kind == PROCESS_INDEXED) {
        components.kind = (enum csp_process_kind)process->operator;
        components.process = process->children[0];
        oracle_ranges(oracle, process->ranges, process->range_count, scope, add_component,
                      &components);
    } else {
        bool apart = process->kind == PROCESS_COPIES && oracle->apart;
        if (apart)
            components.kind = PROCESS_INTERLEAVE;
        int32_t times = process->kind == PROCESS_COPIES
                            ? oracle_constant(oracle, process->condition, scope)
                            : 1;
        for (int32_t i = 0; i < times; i++)
            for (uint32_t j = 0; j < process->count; j++) {
                components.process = process->children[j];
                add_component(oracle, &components, scope);
                term *added = &components.children[components.count - 1];
                if (apart)
                    *added = copy_apart(oracle, process, scope, *added);
            }
    }
    bool pairs = components.kind == PROCESS_SEQUENCE || components.kind == PROCESS_INTERRUPT;
    if (!pairs) {
        struct oracle_term *made =
            draft(oracle, components.kind, process, scope, components.children, components.count);
        struct oracle_set *sets = oracle_allocate(oracle, (components.count + 1) * sizeof *sets);
        memcpy(sets, components.alphabets, components.count * sizeof *sets);
        made->sets = sets;
        return normalise(oracle, made);
    }
    /* A; (B; C) and (A interrupt B) interrupt C */
    bool right = components.kind == PROCESS_SEQUENCE;
    term built = components.children[right ? components.count - 1 : 0];
    for (unsigned i = 1; i < components.count; i++) {
        term other = components.children[right ? components.count - 1 - i : i];
        term two[2] = {right ? other : built, right ? built : other};
        built = normalise(oracle, draft(oracle, components.kind, process, scope, two, 2));
    }
    return built;
}

term oracle_instantiate(struct oracle *oracle, const struct csp_process *process, environment scope)
{
    term children[MAX_CHILDREN];
    unsigned count = 0;
    struct oracle_set *hidden = NULL;
    switch ((enum csp_process_kind)process->kind) {
    case PROCESS_STOP:
    case PROCESS_SKIP:
    case PROCESS_INPUT:
    case PROCESS_ASSERT:
        break;
    case PROCESS_REFERENCE:
        (void)definition_of(oracle, process);
        break;
    case PROCESS_SEQUENCE:
    case PROCESS_CHOICE:
    case PROCESS_INTERNAL:
    case PROCESS_EXTERNAL:
    case PROCESS_INTERLEAVE:
    case PROCESS_PARALLEL:
    case PROCESS_INTERRUPT:
    case PROCESS_INDEXED:
    case PROCESS_COPIES:
        return compose(oracle, process, scope);
    case PROCESS_HIDE:
        hidden = oracle_allocate(oracle, sizeof *hidden);
        add_events(oracle, process->hidden, process->hidden_count, scope, hidden);
        children[count++] = oracle_instantiate(oracle, process->children[0], scope);
        break;
    default:
        for (uint32_t i = 0; i < process->count && i < MAX_CHILDREN; i++)
            children[count++] = process->children[i]
                                    ? oracle_instantiate(oracle, process->children[i], scope)
                                    : plain(oracle, PROCESS_SKIP);
    }
    if (process->kind == PROCESS_IF || process->kind == PROCESS_IF_ATOMIC)
        while (count < 2)
            children[count++] = plain(oracle, PROCESS_SKIP);
    struct oracle_term *made =
        draft(oracle, (enum csp_process_kind)process->kind, process, scope, children, count);
    made->sets = hidden;
    return normalise(oracle, made);
}

environment oracle_bind_arguments(struct oracle *oracle, const struct csp_process *reference,
                                  environment scope, struct oracle_valuation *valuation)
{
    const struct csp_definition *definition = definition_of(oracle, reference);
    environment inner = NULL;
    for (uint32_t i = 0; i < reference->argument_count; i++) {
        const struct csp_parameter *parameter = &definition->parameters[i];
        struct oracle_value value = oracle_whole(oracle, reference->arguments[i], scope, valuation);
        bool ranged = parameter->low || parameter->high;
        if ((ranged && value.is_boolean) ||
            (parameter->low && value.number < oracle_constant(oracle, parameter->low, NULL)) ||
            (parameter->high && value.number > oracle_constant(oracle, parameter->high, NULL)))
            oracle_fail(oracle, "%s of %s out of its range", parameter->name, reference->name);
        inner = bind(oracle, parameter->name, value, inner);
    }
    return inner;
}
