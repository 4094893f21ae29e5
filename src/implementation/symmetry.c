/* One state stands for all that differ from it by the names of threads, nodes and values.
 *
 * Values that the shared variables and the nodes reachable from them hold are named first, in the
 * order in which they are found; then threads are sorted, by these names among others; then nodes
 * are numbered, in an order that the threads' references decide; then the other values are named in
 * the order of the slots. What is not told apart keeps its order: fewer states are merged than
 * could be, never two that differ otherwise. */
#include "implementation/symmetry.h"

#include <assert.h>
#include <string.h>

#include "code/word.h"
#include "implementation/canonical.h"
#include "implementation/fields.h"
#include "implementation/native_abi.h"

/* ---- names of values ---- */

/* Being given, from 1 on; 0: none yet. A value that the code compares with a constant keeps its
 * own. */
struct value_names {
    uint32_t count, given, free_count;
    uint8_t of[TURNING_MOST]; /* by value - 1 */
    uint8_t free[TURNING_MOST];
};

static struct value_names no_names(const struct lin_steps *steps)
{
    struct value_names names = {.count = steps->setting.values};
    for (uint32_t v = 1; v <= names.count && v <= TURNING_MOST; v++)
        if (lin_steps_name_value(steps, v))
            names.of[v - 1] = (uint8_t)v;
        else
            names.free[names.free_count++] = (uint8_t)v;
    return names;
}

static bool all_named(const struct value_names *names)
{
    return names->given + 1 >= names->free_count; /* the last one has what is left */
}

static void give_name(struct value_names *names, uint32_t v)
{
    assert(v <= names->count && v <= TURNING_MOST);
    if (v - 1 < TURNING_MOST && names->of[v - 1] == 0)
        names->of[v - 1] = names->free[names->given++];
}

static void give_names(struct value_names *names, const struct lin_value_slots *slots,
                       const uint32_t *words)
{
    for (uint32_t i = 0; i < slots->count; i++)
        give_name(names, words[slots->items[i]]);
}

static bool name_from_shared(struct lin_worker *worker, const uint32_t *slots,
                             struct value_names *names)
{
    const struct lin_steps *steps = worker->model->steps;
    give_names(names, &steps->shared_values, slots);
    if (all_named(names) || steps->pool_count == 0)
        return true;
    if (!lin_mark_others(worker, slots, LIN_NO_THREAD))
        return false;
    for (size_t i = 0; i < worker->order.length && !all_named(names); i += 2) {
        const struct lin_pool *pool = &steps->pools[worker->order.items[i]];
        give_names(names, &pool->values,
                   slots + pool->first + worker->order.items[i + 1] * pool->words);
    }
    return true;
}

/* Which words of the answer that the thread stands at are values: bit i of word i. */
static uint32_t answer_values(const struct lin_steps *steps, const uint32_t *own)
{
    const struct instruction *at = &steps->listing.code.items[own[LIN_THREAD_AT] - 1];
    uint32_t values = 0;
    if (at->op != OP_ANSWER || at->small != LIN_TYPE_LIST)
        return at->op == OP_ANSWER && at->small == LIN_TYPE_VALUE;
    const struct lin_list_shape *shape = &steps->shapes.items[at->operand];
    for (uint32_t i = 0; i < shape->count && i < LIN_MOST_PARTS; i++)
        values |= (uint32_t)(shape->kinds[i] == LIN_TYPE_VALUE) << i;
    return values;
}

static void name_by_slots(const struct lin_model *model, uint32_t *slots, struct value_names *names)
{
    const struct lin_steps *steps = model->steps;
    give_names(names, &steps->shared_values, slots);
    for (uint32_t i = 0; i < steps->pool_count; i++)
        for (uint32_t j = 0; j < steps->pools[i].nodes && steps->pools[i].values.count; j++)
            give_names(names, &steps->pools[i].values,
                       slots + steps->pools[i].first + j * steps->pools[i].words);
    for (uint32_t i = 0; i < steps->setting.threads; i++) {
        const uint32_t *own = thread_slots(steps, slots, i);
        if (!is_at_code(own))
            continue;
        give_names(names, &entry_at(steps, own[LIN_THREAD_AT] - 1)->values,
                   own + LIN_THREAD_HEADER);
        const uint32_t answered = answer_values(steps, own);
        for (uint32_t j = 0; answered >> j; j++)
            if (answered >> j & 1)
                give_name(names, own[LIN_THREAD_HEADER + steps->result + j]);
    }
    for (uint32_t v = 1; v <= names->count; v++)
        give_name(names, v);
}

static turning turning_of_names(const struct value_names *names)
{
    uint8_t numbers[TURNING_MOST];
    for (uint32_t i = 0; i < TURNING_MOST; i++)
        numbers[i] = (uint8_t)(i < names->count ? names->of[i] - 1U : i);
    return turning_make(numbers);
}

static uint32_t renamed(turning by, uint32_t v)
{
    return v == 0 ? 0 : turning_of(by, v - 1) + 1;
}

static void rename_slots(turning by, const struct lin_value_slots *slots, uint32_t *words)
{
    for (uint32_t i = 0; i < slots->count; i++)
        words[slots->items[i]] = renamed(by, words[slots->items[i]]);
}

static void rename_values(const struct lin_model *model, uint32_t *slots, turning by)
{
    const struct lin_steps *steps = model->steps;
    rename_slots(by, &steps->shared_values, slots);
    for (uint32_t i = 0; i < steps->pool_count; i++)
        for (uint32_t j = 0; j < steps->pools[i].nodes && steps->pools[i].values.count; j++)
            rename_slots(by, &steps->pools[i].values,
                         slots + steps->pools[i].first + j * steps->pools[i].words);
    for (uint32_t i = 0; i < steps->setting.threads; i++) {
        uint32_t *own = thread_slots(steps, slots, i);
        if (!is_at_code(own))
            continue;
        rename_slots(by, &entry_at(steps, own[LIN_THREAD_AT] - 1)->values, own + LIN_THREAD_HEADER);
        uint32_t *answer = &own[LIN_THREAD_HEADER + steps->result];
        const uint32_t answered = answer_values(steps, own);
        for (uint32_t j = 0; answered >> j; j++)
            if (answered >> j & 1)
                answer[j] = renamed(by, answer[j]);
    }
}

/* ---- an order of threads ---- */

static uint32_t name_of(const struct value_names *names, uint32_t v)
{
    return v == 0 ? 0 : names->of[v - 1] ? names->of[v - 1] : names->count + 1;
}

/* By their items of shared arrays, as compare_threads compares what they hold. */
static int compare_own_items(const struct lin_model *model, const struct value_names *names,
                             const uint32_t *slots, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < model->own_words.length; i++) {
        const struct lin_own_word *word = &model->own_words.items[i];
        uint32_t left = slots[word->first + a * word->apart];
        uint32_t right = slots[word->first + b * word->apart];
        if (word->is_reference) {
            left = left != 0;
            right = right != 0;
        }
        if (word->is_value && model->options.values) {
            left = name_of(names, left);
            right = name_of(names, right);
        }
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

/* By what they stand at and hold. Of references only whether they are null: which node is which
 * depends on the order. Values that have no name yet are all alike. */
static int compare_threads(const struct lin_model *model, const struct value_names *names,
                           const uint32_t *a, const uint32_t *b)
{
    const struct lin_steps *steps = model->steps;
    for (uint32_t i = 0; i < LIN_THREAD_HEADER; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    if (!is_at_code(a))
        return 0;
    const struct lin_entry *entry = entry_at(steps, a[LIN_THREAD_AT] - 1);
    const bool named = model->options.values;
    const uint32_t answered = named ? answer_values(steps, a) : 0;
    for (uint32_t i = 0, reference = 0, known = 0; i < steps->locals; i++) {
        uint32_t left = a[LIN_THREAD_HEADER + i], right = b[LIN_THREAD_HEADER + i];
        bool is_value = i >= steps->result && i - steps->result < steps->result_words &&
                        (answered >> (i - steps->result) & 1);
        if (reference < entry->reference_count && entry->references[reference].slot == i) {
            reference++;
            left = left != 0;
            right = right != 0;
        }
        if (known < entry->values.count && entry->values.items[known] == i) {
            known++;
            is_value = named;
        }
        if (is_value) {
            left = name_of(names, left);
            right = name_of(names, right);
        }
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

/* Moves an item of each thread; there is room for them in `saved`. */
static void turn_items(struct lin_worker *worker, uint32_t *items, uint32_t words, turning by)
{
    uint32_t threads = worker->model->steps->setting.threads;
    memcpy(worker->saved.items, items, (size_t)threads * words * sizeof *items);
    for (uint32_t i = 0; i < threads; i++)
        memcpy(items + turning_of(by, i) * words, worker->saved.items + i * words,
               words * sizeof *items);
}

static bool apply_turning(struct lin_worker *worker, uint32_t *slots, turning by)
{
    const struct lin_steps *steps = worker->model->steps;
    size_t words = (size_t)steps->setting.threads * steps->thread_words;
    if (by == TURNING_IDENTITY)
        return true;
    for (size_t i = 0; i < worker->model->own.length; i++)
        if (words < (size_t)steps->setting.threads * worker->model->own.items[i].words)
            words = (size_t)steps->setting.threads * worker->model->own.items[i].words;
    if (!vector_reserve(&worker->saved, words))
        return false;
    for (size_t i = 0; i < worker->model->own.length; i++)
        turn_items(worker, slots + worker->model->own.items[i].first,
                   worker->model->own.items[i].words, by);
    turn_items(worker, slots + steps->thread_first, steps->thread_words, by);
    return true;
}

static bool comes_after(const struct lin_model *model, const struct value_names *names,
                        uint32_t *slots, uint32_t a, uint32_t b)
{
    int order = compare_threads(model, names, thread_slots(model->steps, slots, a),
                                thread_slots(model->steps, slots, b));
    return (order ? order : compare_own_items(model, names, slots, a, b)) > 0;
}

/* Puts the threads of a state in order; `*by` says how. */
static bool sort_threads(struct lin_worker *worker, uint32_t *slots,
                         const struct value_names *names, turning *by)
{
    const struct lin_steps *steps = worker->model->steps;
    uint32_t count = steps->setting.threads;
    uint8_t order[TURNING_MOST], numbers[TURNING_MOST];
    for (uint32_t i = 0; i < TURNING_MOST; i++)
        order[i] = (uint8_t)i;
    for (uint32_t i = 1; i < count; i++) {
        uint8_t thread = order[i];
        uint32_t at = i;
        for (; at > 0 && comes_after(worker->model, names, slots, order[at - 1], thread); at--)
            order[at] = order[at - 1];
        order[at] = thread;
    }
    for (uint32_t i = 0; i < TURNING_MOST; i++)
        numbers[order[i]] = (uint8_t)i;
    *by = turning_make(numbers);
    return apply_turning(worker, slots, *by);
}

bool lin_symmetry_sort(struct lin_worker *worker, uint32_t *slots, struct renumbering *by)
{
    if (worker->native) {
        uint32_t turned[2];
        worker->native->arrange(slots, turned);
        *by = (struct renumbering){.threads = turned[0], .values = turned[1]};
        return true;
    }
    struct value_names names = no_names(worker->model->steps);
    *by = RENUMBERING_NONE;
    if (worker->options.symmetry &&
        ((worker->options.values && !name_from_shared(worker, slots, &names)) ||
         !sort_threads(worker, slots, &names, &by->threads)))
        return false;
    if (worker->model->steps->pool_count && !lin_renumber(worker, slots))
        return false;
    if (!worker->options.values)
        return true;
    name_by_slots(worker->model, slots, &names);
    by->values = turning_of_names(&names);
    if (by->values != TURNING_IDENTITY)
        rename_values(worker->model, slots, by->values);
    return true;
}

/* ---- renaming by others ---- */

bool lin_model_turn(struct lin_worker *worker, uint32_t *state, struct renumbering by)
{
    if ((worker->options.fields && !lin_forget_fields(worker, state)) ||
        !apply_turning(worker, state, by.threads) ||
        (worker->model->steps->pool_count && !lin_renumber(worker, state)))
        return false;
    if (by.values != TURNING_IDENTITY)
        rename_values(worker->model, state, by.values);
    return true;
}

label lin_model_own_label(const struct lin_model *model, label l)
{
    struct renumbering ignored;
    return labels_own(model->model.labels, l, &ignored);
}

static const struct lin_entry *entry_of(const struct lin_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->operation_names.length; i++)
        if (model->operation_names.items[i] == name)
            return &model->steps->entries[i];
    return NULL;
}

static void rename_arguments(const struct lin_entry *entry, turning by, uint32_t *components)
{
    for (uint32_t i = 0; i < entry->operation->parameter_count; i++)
        if (entry->operation->parameters[i]->type.kind == LIN_TYPE_VALUE)
            components[i] = renamed(by, components[i]);
}

static bool is_number(uint32_t component)
{
    return component != SLOT_TRUE && component != SLOT_FALSE && component != COMPONENT_NULL;
}

/* Renames the values of a call, an answer or a point. */
static void rename_event(const struct lin_entry *entry, const struct action *event, turning by,
                         uint32_t *components)
{
    bool answers = event->kind != LABEL_INVOKE, takes = event->kind != LABEL_RESPOND;
    size_t answer = 1 + (takes ? entry->operation->parameter_count : 0);
    if (takes)
        rename_arguments(entry, by, components + 1);
    for (size_t i = answer; answers && i < event->count && entry->answers_values; i++)
        if (is_number(components[i]))
            components[i] = renamed(by, components[i]);
}

label lin_model_turn_label(const struct lin_model *model, label l, struct renumbering by)
{
    struct labels *labels = model->model.labels;
    uint32_t components[MOST_COMPONENTS];
    if (l == LABEL_TAU || l == model->fault || l == LABEL_REFUSED || model->steps->setting.words)
        return l;
    struct action event = *labels_get(labels, l);
    assert(event.kind != LABEL_TURN && event.count <= MOST_COMPONENTS);
    memcpy(components, event.components, event.count * sizeof *components);
    for (size_t i = 0; event.kind == LABEL_SEVERAL && i < event.count; i++)
        if ((components[i] = lin_model_turn_label(model, components[i], by)) == LABEL_REFUSED)
            return LABEL_REFUSED;
    if (event.kind != LABEL_SEVERAL)
        components[0] = turning_of(by.threads, components[0]);
    if (event.kind == LABEL_SECOND_POINT || event.kind == LABEL_IDLE_POINT)
        components[2] = turning_of(by.threads, components[2]);
    if (event.name)
        rename_event(entry_of(model, event.name), &event, by.values, components);
    event.components = components;
    return labels_intern(labels, &event);
}

/* ---- what there is to exchange ---- */

bool lin_steps_use(const struct lin_steps *steps, enum opcode op)
{
    for (size_t i = 0; i < steps->listing.code.length; i++)
        if (steps->listing.code.items[i].op == op)
            return true;
    return false;
}

/* How a variable is used; ITEM_OTHER: in some other way as well, or by nobody. */
static enum item_use use_of(const struct lin_steps *steps, uint32_t first, uint32_t end)
{
    enum item_use use = ITEM_OTHER;
    for (uint32_t i = 0; i < steps->code.length; i++) {
        const struct instruction *at = &steps->code.instructions[i];
        uint32_t slot = (uint32_t)at->operand;
        if (!instruction_names_shared(at) || slot < first || slot >= end ||
            lin_steps_are_initial(steps, i))
            continue;
        enum item_use here = slot == first ? code_item_use(&steps->code, i) : ITEM_OTHER;
        if (here == ITEM_OTHER || (here == ITEM_OF_PEER && steps->setting.threads != 2))
            return ITEM_OTHER;
        use = use == ITEM_OF_PEER ? use : here;
    }
    return use;
}

static bool add_own_words(struct lin_model *model, const struct lin_own_items *own)
{
    const struct lin_steps *steps = model->steps;
    for (uint32_t slot = own->first; slot < own->first + own->words; slot++) {
        struct lin_own_word word = {.first = slot, .apart = own->words};
        for (size_t i = 0; i < steps->shared_references.length; i++)
            word.is_reference |= steps->shared_references.items[i].slot == slot;
        for (uint32_t i = 0; i < steps->shared_values.count; i++)
            word.is_value |= steps->shared_values.items[i] == slot;
        if (!vector_push(&model->own_words, word))
            return false;
    }
    return true;
}

bool lin_find_own_items(struct lin_model *model)
{
    const struct lin_steps *steps = model->steps;
    for (uint32_t i = 0; i < steps->object->variable_count; i++) {
        const struct lin_layout_of_shared *shared = &steps->shared[i];
        uint32_t end = shared->first + shared->length * shared->words;
        if (shared->variable->length_count != 1 || shared->length < steps->setting.threads)
            continue;
        enum item_use use = use_of(steps, shared->first, end);
        struct lin_own_items own = {shared->first, shared->words, use == ITEM_OWN};
        if (use != ITEM_OTHER && (!vector_push(&model->own, own) || !add_own_words(model, &own)))
            return false;
    }
    return true;
}

/* Whether all that asks for a thread's number finds an item of its own with it. */
static bool asks_for_own_items(const struct lin_model *model)
{
    const struct lin_steps *steps = model->steps;
    const struct instruction *code = steps->listing.code.items;
    size_t asked = 0, found = 0;
    for (size_t i = 0; i < steps->listing.code.length; i++) {
        asked += code[i].op == OP_THREAD;
        for (size_t j = 0; j < model->own.length; j++)
            found += code[i].op == OP_ADDRESS && !lin_steps_are_initial(steps, i) &&
                     (uint32_t)code[i].operand == model->own.items[j].first;
    }
    return asked == found;
}

bool lin_model_is_symmetric(const struct lin_model *model)
{
    const struct lin_steps *steps = model->steps;
    /* a point for another thread names that thread by its number, wherever that comes from */
    bool symmetric =
        steps->setting.threads <= TURNING_MOST && asks_for_own_items(model) && !steps->helps;
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        symmetric &= steps->entries[i].only < 0;
    return symmetric;
}

bool lin_model_has_values(const struct lin_steps *steps)
{
    bool taken = false;
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        const struct lin_operation *operation = steps->entries[i].operation;
        for (uint32_t j = 0; j < operation->parameter_count; j++)
            taken |= operation->parameters[j]->type.kind == LIN_TYPE_VALUE;
    }
    return taken && steps->setting.values <= TURNING_MOST && no_names(steps).free_count >= 2;
}
