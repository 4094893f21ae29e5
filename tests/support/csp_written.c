#include "support/csp_written.h"

#include <string.h>

#include "base/hash.h"
#include "code/large_array.h"
#include "csp/instantiate.h"

#define ORIGIN UINT32_MAX /* in place of a kind */

/* ---- the places of the text ---- */

static bool add_name(struct csp_written *written, const char *name, const void *binder)
{
    const uint64_t hash = hash_pair((uintptr_t)name, (uintptr_t)binder);
    const struct written_name made = {name, binder};
    for (struct table_search search = table_search(&written->name_numbers, hash);
         table_next(&search);)
        if (written->names.items[search.number].name == name &&
            written->names.items[search.number].binder == binder)
            return true;
    return table_add(&written->name_numbers, hash, (uint32_t)written->names.length) &&
           vector_push(&written->names, made);
}

static bool add_process(struct csp_written *written, const struct csp_process *process)
{
    if (!process)
        return true;
    if (!table_add(&written->process_numbers, hash_word((uintptr_t)process),
                   (uint32_t)written->processes.length) ||
        !vector_push(&written->processes, process))
        return false;
    for (uint32_t i = 0; i < process->range_count; i++)
        if (!add_name(written, process->ranges[i].name, &process->ranges[i]))
            return false;
    for (uint32_t i = 0; process->kind == PROCESS_INPUT && i < process->argument_count; i++)
        if (process->arguments[i]->kind == EXPRESSION_NAME &&
            !add_name(written, process->arguments[i]->name, NULL))
            return false;
    for (uint32_t i = 0; i < process->count; i++)
        if (!add_process(written, process->children[i]))
            return false;
    return true;
}

static bool add_definition(struct csp_written *written, const struct csp_definition *definition)
{
    for (uint32_t i = 0; i < definition->parameter_count; i++)
        if (!add_name(written, definition->parameters[i].name, &definition->parameters[i]))
            return false;
    return add_process(written, definition->body);
}

static uint32_t process_number(const struct csp_written *written, const struct csp_process *process)
{
    struct table_search search =
        table_search(&written->process_numbers, hash_word((uintptr_t)process));
    while (table_next(&search))
        if (written->processes.items[search.number] == process)
            return search.number;
    assert(!"a process of another module");
    return UINT32_MAX;
}

static uint32_t name_number(const struct csp_written *written, const struct scope *scope)
{
    const uint64_t hash = hash_pair((uintptr_t)scope->name, (uintptr_t)scope->binder);
    struct table_search search = table_search(&written->name_numbers, hash);
    while (table_next(&search))
        if (written->names.items[search.number].name == scope->name &&
            written->names.items[search.number].binder == scope->binder)
            return search.number;
    assert(!"a name that nothing binds");
    return UINT32_MAX;
}

/* ---- creation ---- */

static void find_objects(struct csp_written *written)
{
    const struct csp_program *program = written->model->shared.program;
    for (size_t i = 0; i < program->variables.length; i++)
        if (program->variables.items[i].collection && !program->variables.items[i].constant)
            bits_set(written->objects, program->variables.items[i].slot);
    for (size_t i = 0; i < program->channels.length; i++)
        for (uint32_t j = 0; j < program->channels.items[i].length; j++)
            bits_set(written->objects, program->channels.items[i].slot + j);
}

enum status csp_written_create(const struct csp_model *model, struct csp_written *written)
{
    struct budget *budget = model->model.budget;
    const struct csp_program *program = model->shared.program;
    *written = (struct csp_written){.model = model};
    csp_terms_init(&written->terms, (struct csp_term_pool *)&model->shared.pool);
    vector_init(&written->processes, budget);
    table_init(&written->process_numbers, budget);
    vector_init(&written->names, budget);
    table_init(&written->name_numbers, budget);
    vector_init(&written->stack, budget);
    written->objects = bits_allocate(budget, program->slot_count + 1);
    if (!written->objects.words)
        return STATUS_LIMIT;
    find_objects(written);
    bool room = add_process(written, model->process);
    for (size_t i = 0; room && i < program->module->definitions.length; i++)
        room = add_definition(written, &program->module->definitions.items[i]);
    return room ? STATUS_OK : STATUS_LIMIT;
}

void csp_written_release(struct csp_written *written)
{
    csp_terms_release(&written->terms);
    vector_release(&written->processes);
    table_release(&written->process_numbers);
    vector_release(&written->names);
    table_release(&written->name_numbers);
    vector_release(&written->stack);
    bits_release(written->model->model.budget, written->objects);
}

/* ---- writing ---- */

static bool write_words(written_words *out, const uint32_t *words, size_t count)
{
    bool room = vector_push(out, (uint32_t)count);
    for (size_t i = 0; room && i < count; i++)
        room = vector_push(out, words[i]);
    return room;
}

static bool write_letters(written_words *out, const char *letters)
{
    const size_t length = strlen(letters);
    bool room = vector_push(out, (uint32_t)length);
    for (size_t i = 0; room && i < length; i += sizeof(uint32_t)) {
        uint32_t word = 0;
        memcpy(&word, letters + i, length - i < sizeof word ? length - i : sizeof word);
        room = vector_push(out, word);
    }
    return room;
}

static bool write_set(struct csp_written *written, uint32_t set, written_words *out)
{
    size_t count;
    const uint32_t *labels = shared_words_get(&written->terms.pool->label_sets, set, &count);
    bool room = vector_push(out, (uint32_t)count);
    for (size_t i = 0; room && i < count; i++) {
        const struct action *event = labels_get(written->model->model.labels, labels[i]);
        assert(event->name && !event->symbol);
        room = vector_push(out, event->kind) && write_letters(out, event->name) &&
               write_words(out, event->components, event->count);
    }
    return room;
}

static bool write_origin(struct csp_written *written, const struct origin *origin,
                         written_words *out)
{
    uint32_t count = 0;
    for (const struct scope *at = origin->scope; at; at = at->outer)
        count++;
    bool room = vector_push(out, ORIGIN) &&
                vector_push(out, process_number(written, origin->process)) &&
                vector_push(out, count);
    for (const struct scope *at = origin->scope; room && at; at = at->outer) {
        const bool constant = at->kind == BOUND_CONSTANT;
        assert(constant || at->kind == BOUND_LOCAL);
        room = vector_push(out, name_number(written, at));
        if (constant && datum_is_array(at->constant)) {
            size_t length;
            const uint32_t *items = object_items(written->model->shared.program->objects,
                                                 datum_elements(at->constant), &length);
            room = room && vector_push(out, BOUND_ARGUMENT) && write_words(out, items, length);
            continue;
        }
        room = room && vector_push(out, at->kind) &&
               vector_push(out, constant ? datum_to_slot(at->constant) : at->local);
    }
    return room;
}

/* Whether steps put terms of this kind together, of so many words. */
static bool is_put_together(enum term_kind kind, size_t length)
{
    switch (kind) {
    case TERM_KIND_STOP:
    case TERM_KIND_SKIP:
        return length == 0;
    case TERM_KIND_ATOMIC:
        return length == 1;
    case TERM_KIND_SEQUENCE:
    case TERM_KIND_INTERRUPT:
    case TERM_KIND_HIDE:
        return length == 2;
    case TERM_KIND_CHOICE:
    case TERM_KIND_INTERNAL:
    case TERM_KIND_EXTERNAL:
    case TERM_KIND_INTERLEAVE:
        return true;
    case TERM_KIND_PARALLEL:
    case TERM_KIND_COPIES:
        return length % 2 == 1;
    default: /* made of a process */
        return false;
    }
}

/* What word i of a term that steps have put together is; `count` is its first word. */
enum word_role {
    WORD_TERM,
    WORD_SET,
    WORD_NUMBER,
};

static enum word_role role_of(enum term_kind kind, uint32_t count, size_t i)
{
    switch (kind) {
    case TERM_KIND_HIDE:
        return i == 0 ? WORD_SET : WORD_TERM;
    case TERM_KIND_PARALLEL:
        return i == 0 ? WORD_NUMBER : i <= count ? WORD_TERM : WORD_SET;
    case TERM_KIND_COPIES:
        return i == 0 || i % 2 == 1 ? WORD_NUMBER : WORD_TERM;
    default:
        return WORD_TERM;
    }
}

static bool write_term(struct csp_written *written, term t, written_words *out)
{
    size_t length;
    const enum term_kind kind = term_kind_of(&written->terms, t);
    const uint32_t *words = term_words(&written->terms, t, &length);
    const struct origin origin = csp_origin_of(&written->terms, t);
    if (origin.process)
        return write_origin(written, &origin, out);
    assert(is_put_together(kind, length));
    bool room = vector_push(out, kind) && vector_push(out, (uint32_t)length);
    for (size_t i = 0; room && i < length; i++) {
        const enum word_role role = role_of(kind, words[0], i);
        room = role == WORD_TERM  ? write_term(written, words[i], out)
               : role == WORD_SET ? write_set(written, words[i], out)
                                  : vector_push(out, words[i]);
    }
    return room;
}

/* The large array in a slot; null: none. */
static const struct variable_info *large_array(const struct csp_program *program, uint32_t slot)
{
    for (size_t i = 0; i < program->variables.length; i++)
        if (program->variables.items[i].large && program->variables.items[i].slot == slot)
            return &program->variables.items[i];
    return NULL;
}

static bool write_large(const struct csp_program *program, const struct variable_info *info,
                        uint32_t root, written_words *out)
{
    if (!vector_push(out, info->length) || !vector_reserve(out, out->length + info->length))
        return false;
    large_read(program->objects, root, info->length, out->items + out->length);
    out->length += info->length;
    return true;
}

static bool read_large(const struct csp_program *program, const struct variable_info *info,
                       const uint32_t *items, uint32_t *root)
{
    struct large_draft draft;
    bool room = true;
    *root = 0;
    large_draft_init(&draft, program->objects);
    for (uint32_t i = 0; room && i < info->length; i++)
        room = large_store(&draft, root, 0, info->length, i, items[i]);
    room = room && large_finish(&draft, root);
    large_draft_release(&draft);
    return room;
}

enum status csp_state_write(struct csp_written *written, const uint32_t *state, written_words *out)
{
    const struct csp_program *program = written->model->shared.program;
    bool room = write_term(written, state[0], out);
    for (uint32_t i = 0; room && i < program->slot_count; i++) {
        size_t length = 0;
        const uint32_t *items = NULL;
        const struct variable_info *large = large_array(program, i);
        if (large) {
            room = write_large(program, large, state[1 + i], out);
            continue;
        }
        const bool is_object = bits_get(written->objects, i);
        if (is_object)
            items = object_items(program->objects, state[1 + i], &length);
        room = is_object ? write_words(out, items, length) : vector_push(out, state[1 + i]);
    }
    return room ? STATUS_OK : STATUS_LIMIT;
}

/* ---- reading ---- */

struct reading {
    struct csp_written *written;
    const uint32_t *words;
    size_t length, at;
    struct error *error;
};

#define WRONG(reading, what)                                                                       \
    error_set((reading)->error, STATUS_INPUT, NULL, 0,                                             \
              "expected " what " in a state that was written down, found something else")

/* The next word, of at most `most`. */
static enum status read_word(struct reading *reading, uint32_t most, uint32_t *word)
{
    if (reading->at == reading->length || reading->words[reading->at] > most)
        return WRONG(reading, "another number");
    *word = reading->words[reading->at++];
    return STATUS_OK;
}

/* The next `count` words, where they stand. */
static enum status read_words(struct reading *reading, uint32_t *count, const uint32_t **words)
{
    TRY(read_word(reading, UINT32_MAX, count));
    if (*count > reading->length - reading->at)
        return WRONG(reading, "more words");
    *words = reading->words + reading->at;
    reading->at += *count;
    return STATUS_OK;
}

static enum status read_label(struct reading *reading, label *l)
{
    struct labels *labels = reading->written->model->model.labels;
    uint32_t kind = 0, length = 0, count = 0;
    const uint32_t *components = NULL;
    TRY(read_word(reading, LABEL_NAME, &kind));
    TRY(read_word(reading, UINT32_MAX, &length));
    const size_t in_words = ((size_t)length + sizeof(uint32_t) - 1) / sizeof(uint32_t);
    if (in_words > reading->length - reading->at)
        return WRONG(reading, "the letters of a name");
    const char *name = labels_text(labels, (const char *)(reading->words + reading->at), length);
    reading->at += in_words;
    TRY(read_words(reading, &count, &components));
    const struct action event = {
        .kind = (enum label_kind)kind, .name = name, .components = components, .count = count};
    *l = name ? labels_intern(labels, &event) : LABEL_REFUSED;
    return *l == LABEL_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

static enum status read_set(struct reading *reading, uint32_t *set)
{
    struct csp_written *written = reading->written;
    const size_t start = written->stack.length;
    uint32_t count = 0;
    TRY(read_word(reading, UINT32_MAX, &count));
    for (uint32_t i = 0; i < count; i++) {
        label l = LABEL_TAU;
        TRY(read_label(reading, &l));
        if (!vector_push(&written->stack, l))
            return STATUS_LIMIT;
    }
    *set = csp_label_set(&written->terms, written->stack.items + start, count);
    written->stack.length = start;
    return *set == UINT32_MAX ? STATUS_LIMIT : STATUS_OK;
}

static enum status read_array(struct reading *reading, uint32_t *object)
{
    uint32_t count = 0;
    const uint32_t *items = NULL;
    TRY(read_words(reading, &count, &items));
    *object = object_intern(reading->written->model->shared.program->objects, items, count);
    return *object == OBJECT_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

/* One name of a scope. */
static enum status read_bound(struct reading *reading, struct scope *bound)
{
    const struct csp_written *written = reading->written;
    uint32_t name = 0, kind = 0, number = 0;
    TRY(read_word(reading, UINT32_MAX, &name));
    TRY(read_word(reading, BOUND_ARGUMENT, &kind));
    if (kind == BOUND_ARGUMENT) /* an array */
        TRY(read_array(reading, &number));
    else
        TRY(read_word(reading, UINT32_MAX, &number));
    if (name >= written->names.length)
        return WRONG(reading, "a name that the model binds");
    *bound = (struct scope){.name = written->names.items[name].name,
                            .binder = written->names.items[name].binder,
                            .kind = kind == BOUND_LOCAL ? BOUND_LOCAL : BOUND_CONSTANT};
    if (kind == BOUND_LOCAL)
        bound->local = number;
    else if (kind == BOUND_ARGUMENT)
        bound->constant = datum_array(number);
    else
        bound->constant = datum_from_slot(number);
    return STATUS_OK;
}

/* With the program's lock held. */
static enum status read_origin(struct reading *reading, term *t)
{
    struct csp_written *written = reading->written;
    uint32_t process = 0, count = 0;
    TRY(read_word(reading, UINT32_MAX, &process));
    TRY(read_word(reading, UINT32_MAX, &count));
    if (process >= written->processes.length || count > reading->length - reading->at)
        return WRONG(reading, "a process of the model");
    struct scope *scopes =
        arena_allocate(&written->terms.pool->arena, (count + (size_t)1) * sizeof *scopes);
    if (!scopes)
        return STATUS_LIMIT;
    for (uint32_t i = 0; i < count; i++) {
        TRY(read_bound(reading, &scopes[i]));
        scopes[i].outer = i + 1 < count ? &scopes[i + 1] : NULL;
    }
    return csp_instantiate(&written->terms, written->processes.items[process],
                           count ? scopes : NULL, t, reading->error);
}

static enum status read_term(struct reading *reading, term *t);

/* The words of a term that steps have put together, behind those that stand on the stack. */
static enum status read_parts(struct reading *reading, enum term_kind kind, uint32_t length)
{
    struct csp_written *written = reading->written;
    const size_t start = written->stack.length;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t word = 0;
        switch (role_of(kind, i ? written->stack.items[start] : 0, i)) {
        case WORD_TERM:
            TRY(read_term(reading, &word));
            break;
        case WORD_SET:
            TRY(read_set(reading, &word));
            break;
        case WORD_NUMBER:
            TRY(read_word(reading, UINT32_MAX, &word));
            if (kind == TERM_KIND_PARALLEL && word != length / 2)
                return WRONG(reading, "the number of components");
            break;
        }
        if (!vector_push(&written->stack, word))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static enum status read_term(struct reading *reading, term *t)
{
    struct csp_written *written = reading->written;
    const size_t start = written->stack.length;
    uint32_t kind = 0, length = 0;
    TRY(read_word(reading, UINT32_MAX, &kind));
    if (kind == ORIGIN) {
        csp_terms_lock(&written->terms);
        enum status status = read_origin(reading, t);
        csp_terms_unlock(&written->terms);
        return status;
    }
    TRY(read_word(reading, UINT32_MAX, &length));
    if (kind > TERM_KIND_ASSERT || !is_put_together((enum term_kind)kind, length) ||
        length > reading->length - reading->at)
        return WRONG(reading, "a term");
    TRY(read_parts(reading, (enum term_kind)kind, length));
    *t = term_rebuild(&written->terms, (enum term_kind)kind, written->stack.items + start, length);
    written->stack.length = start;
    return *t == TERM_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

enum status csp_state_read(struct csp_written *written, const uint32_t *words, size_t length,
                           uint32_t *state, struct error *error)
{
    const struct csp_program *program = written->model->shared.program;
    struct reading reading = {.written = written, .words = words, .length = length, .error = error};
    written->stack.length = 0;
    TRY(read_term(&reading, &state[0]));
    for (uint32_t i = 0; i < program->slot_count; i++) {
        uint32_t count = 0;
        const uint32_t *items = NULL;
        const struct variable_info *large = large_array(program, i);
        if (large) {
            TRY(read_words(&reading, &count, &items));
            if (count != large->length)
                return WRONG(&reading, "as many elements as the array has");
            TRY_MEMORY(read_large(program, large, items, &state[1 + i]));
            continue;
        }
        if (!bits_get(written->objects, i)) {
            TRY(read_word(&reading, UINT32_MAX, &state[1 + i]));
            continue;
        }
        TRY(read_words(&reading, &count, &items));
        state[1 + i] = object_intern(program->objects, items, count);
        if (state[1 + i] == OBJECT_REFUSED)
            return STATUS_LIMIT;
    }
    return reading.at == length ? STATUS_OK : WRONG(&reading, "the end");
}
