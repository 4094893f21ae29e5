/* For each STEP that is no head, and each reference that is live there: if that reference were
 * stale, would the step do nothing but to compute from the thread's locals and from what stays as
 * it is, and write to locals? So the ways behind it are run up to the next STEP. What is loaded
 * from memory may go only into a comparison that is known to differ; but the settled field that is
 * asked for is not null, and stays what it is. */
#include "implementation/step_decided.h"

struct deciding {
    struct lin_asking asking; /* first; compared: the step depends on what is asked */
    struct lin_steps *steps;
    struct lin_paths paths;
};

/* Whether a word is what it would be at any later time. */
static bool stays(struct deciding *deciding, const struct lin_paths *paths, uint32_t word)
{
    const struct lin_stale *asked = deciding->asking.asked;
    const struct lin_term *term = lin_path_term(paths, word);
    switch ((enum lin_term_kind)term->kind) {
    case LIN_TERM_CONSTANT:
    case LIN_TERM_LOCAL:
    case LIN_TERM_SAME:
    case LIN_TERM_DIFFERENT:
        return true;
    case LIN_TERM_FIELD:
        if (!asked->linked || !lin_settled_is_field(asked, paths, term))
            return false;
        deciding->asking.compared = true;
        return true;
    default:
        return false;
    }
}

static enum lin_path_end decide(void *observer, struct lin_paths *paths,
                                const struct lin_path *path, uint32_t at)
{
    struct deciding *deciding = observer;
    const struct instruction *i = &deciding->steps->listing.code.items[at];
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
        return lin_settled_differs(deciding, paths, path, at) ? LIN_PATH_GOES_ON : LIN_PATH_FAILS;
    case OP_SAME:
    case OP_EQUAL:
    case OP_NOT_EQUAL:
        if (lin_settled_differs(deciding, paths, path, at))
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

static const struct lin_paths_class decide_class = {.begins = decide,
                                                    .differs = lin_settled_differs};

static bool ask(void *user, const struct lin_entry *entry, const struct lin_stale *asked)
{
    struct deciding *deciding = user;
    struct lin_steps *steps = deciding->steps;
    (void)entry;
    if (steps->pure[asked->at].is_head)
        return true;
    deciding->asking.asked = asked;
    deciding->asking.compared = false;
    if (lin_paths_run(&deciding->paths, asked->at + 1) && deciding->asking.compared)
        return vector_push(&steps->decided, *asked);
    return !deciding->paths.refused;
}

enum status lin_step_find_decided(struct lin_steps *steps, const struct lin_settled *settled)
{
    struct deciding deciding = {.steps = steps};
    if (settled->lost)
        return STATUS_OK;
    lin_paths_init(&deciding.paths, steps, &decide_class, &deciding);
    const bool done = lin_settled_ask(settled, ask, &deciding);
    lin_paths_release(&deciding.paths);
    TRY_MEMORY(done);
    if (steps->decided.length == 0)
        return STATUS_OK;
    steps->decided_from = lin_settled_index(steps, steps->decided.items, steps->decided.length);
    return granted(steps->decided_from);
}
