/* For each STEP that is no head, and each reference that is live there: if that reference were
 * stale, would the step do nothing but to compute from the thread's locals and from what stays as
 * it is, and write to locals? So the ways behind it are run up to the next STEP. What is loaded
 * from memory may go only into a comparison that is known to differ; but the settled field that is
 * asked for is not null, and stays what it is. */
#include "implementation/step_decided.h"

struct deciding {
    struct lin_steps *steps;
    const struct lin_settled *settled;
    const struct lin_stale *asked;
    bool needed; /* the step depends on what is asked */
};

static const struct instruction *code_of(const struct deciding *deciding)
{
    return deciding->steps->listing.code.items;
}

/* Whether what runs next compares the stale reference with what it never equals. */
static bool differs(void *observer, struct lin_paths *paths, const struct lin_path *path,
                    uint32_t at)
{
    struct deciding *deciding = observer;
    const bool found = lin_settled_differs(deciding->settled, deciding->asked, paths, path, at);
    deciding->needed |= found;
    return found;
}

/* Whether a word is what it would be at any later time. */
static bool stays(struct deciding *deciding, const struct lin_paths *paths, uint32_t word)
{
    const struct lin_stale *asked = deciding->asked;
    const struct lin_term *term = lin_path_term(paths, word);
    switch ((enum lin_term_kind)term->kind) {
    case LIN_TERM_CONSTANT:
    case LIN_TERM_LOCAL:
    case LIN_TERM_SAME:
    case LIN_TERM_DIFFERENT:
        return true;
    case LIN_TERM_FIELD:
        if (!asked->linked || term->pool != asked->pool || term->field != asked->along ||
            lin_path_term(paths, term->first)->kind != LIN_TERM_LOCAL ||
            lin_path_term(paths, term->first)->first != asked->local)
            return false;
        deciding->needed = true;
        return true;
    default:
        return false;
    }
}

static enum lin_path_end decide(void *observer, struct lin_paths *paths,
                                const struct lin_path *path, uint32_t at)
{
    struct deciding *deciding = observer;
    const struct instruction *i = &code_of(deciding)[at];
    switch ((enum opcode)i->op) {
    case OP_STEP:
    case OP_ANSWER:
        return LIN_PATH_ENDS;
    case OP_PUSH:
    case OP_POP:
    case OP_THREAD:
    case OP_JUMP:
    case OP_LOAD_OWN:
    case OP_ADDRESS:
    case OP_LOAD_SHARED:
    case OP_LOAD: /* what it yields is asked for by who takes it */
        return LIN_PATH_GOES_ON;
    case OP_CAS:
        return differs(deciding, paths, path, at) ? LIN_PATH_GOES_ON : LIN_PATH_FAILS;
    case OP_SAME:
    case OP_EQUAL:
    case OP_NOT_EQUAL:
        if (differs(deciding, paths, path, at))
            return LIN_PATH_GOES_ON;
        break;
    case OP_CHOOSE:
    case OP_NOT:
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
    case OP_STORE_OWN:
    case OP_DEREFERENCE:
        break;
    default:
        return LIN_PATH_FAILS;
    }
    for (uint32_t j = 0; j < instruction_effect(i).pops; j++)
        if (!stays(deciding, paths, lin_path_top(path, j)))
            return LIN_PATH_FAILS;
    return LIN_PATH_GOES_ON;
}

static const struct lin_paths_class decide_class = {.begins = decide, .differs = differs};

/* Asks of all that may make one reference stale, before one STEP; false when refused. */
static bool ask_each(struct deciding *deciding, struct lin_paths *paths, uint32_t at,
                     const struct lin_reference_slot *local)
{
    struct lin_stale asked;
    for (uint32_t next = 0; lin_settled_next(deciding->settled, local, &next, &asked);) {
        asked.at = at;
        deciding->asked = &asked;
        deciding->needed = false;
        if (lin_paths_run(paths, at + 1) && deciding->needed &&
            !vector_push(&deciding->steps->decided, asked))
            return false;
    }
    return !paths->refused;
}

static bool ask_all(struct deciding *deciding)
{
    const struct lin_steps *steps = deciding->steps;
    struct lin_paths paths;
    bool done = true;
    lin_paths_init(&paths, steps, &decide_class, deciding);
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        const struct lin_entry *entry = &steps->entries[i];
        for (uint32_t at = entry->start; at < lin_ways_end(steps, i); at++)
            for (uint32_t j = 0; done && j < entry->reference_count; j++)
                if (code_of(deciding)[at].op == OP_STEP && !steps->pure[at].is_head &&
                    lin_steps_live(steps, at, entry->references[j].slot))
                    done = ask_each(deciding, &paths, at, &entry->references[j]);
    }
    lin_paths_release(&paths);
    return done;
}

enum status lin_step_find_decided(struct lin_steps *steps, const struct lin_settled *settled)
{
    struct deciding deciding = {.steps = steps, .settled = settled};
    if (settled->lost)
        return STATUS_OK;
    TRY_MEMORY(ask_all(&deciding));
    if (steps->decided.length == 0)
        return STATUS_OK;
    steps->decided_from = lin_settled_index(steps, steps->decided.items, steps->decided.length);
    return granted(steps->decided_from);
}
