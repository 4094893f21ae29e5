/* Goes down the parts of the term that can take steps: the components of compositions, the first of
 * a sequence, what is hidden or atomic, and the body of a reference. */
#include "csp/at_work.h"

#include "csp/moves.h"

#define MOST_NESTED 2500

struct counting {
    struct csp_worker *worker;
    const struct process_count *counted;
    const uint32_t *slots;
    unsigned depth;
    bool too_deep;
    uint64_t count; /* found so far */
    struct error *error;
};

static enum status count_in(struct counting *counting, term t, uint64_t times);

/* Whether the arguments of a reference are constants, and whether it is the one that counts.
 * Others may depend on the very number that is counted. */
static bool has_constants(const struct counting *counting, const uint32_t *at, size_t length,
                          bool *counted)
{
    *counted = at[0] == counting->counted->definition;
    for (size_t i = 1; i < length; i++) {
        datum argument;
        if (!code_is_constant(counting->worker->shared->program->codes, at[i], &argument))
            return false;
        *counted = *counted && argument == counting->counted->arguments[i - 1];
    }
    return true;
}

/* A reference that cannot be unfolded is a fault of the model when its moves are asked for, and no
 * sooner. */
static enum status count_reference(struct counting *counting, term t, uint64_t times)
{
    size_t length;
    bool counted = false;
    term body = TERM_STOP;
    const uint32_t *at = term_words(&counting->worker->terms, t, &length);
    if (!has_constants(counting, at, length, &counted))
        return STATUS_OK;
    enum status status = csp_body_of(counting->worker, t, counting->slots, &body, counting->error);
    if (status != STATUS_OK)
        return status == STATUS_INPUT ? STATUS_OK : status;
    counting->count += counted ? times : 0;
    return count_in(counting, body, times);
}

static enum status count_parts(struct counting *counting, term t, uint64_t times)
{
    size_t length;
    struct term_parts parts;
    const struct csp_terms *terms = &counting->worker->terms;
    const uint32_t *at = term_words(terms, t, &length);
    bool copies = term_kind_of(terms, t) == TERM_KIND_COPIES;
    bool apart = term_parts(terms, t, &parts);
    assert(apart);
    (void)apart;
    for (size_t i = 0; i < parts.count; i++) {
        const uint32_t *part = at + parts.first + i * parts.step;
        assert(!copies || part[-1] < COPIES_MANY); /* an assertion's answer does not need it */
        TRY(count_in(counting, *part, copies ? times * part[-1] : times));
    }
    return STATUS_OK;
}

static enum status count_below(struct counting *counting, term t, uint64_t times)
{
    for (;;) {
        size_t length;
        const struct csp_terms *terms = &counting->worker->terms;
        const uint32_t *at = term_words(terms, t, &length);
        switch (term_kind_of(terms, t)) {
        case TERM_KIND_REFERENCE:
            return count_reference(counting, t, times);
        case TERM_KIND_SEQUENCE: /* may be long, one in the first of another */
        case TERM_KIND_INTERRUPT:
        case TERM_KIND_ATOMIC:
            t = at[0];
            break;
        case TERM_KIND_HIDE:
            t = at[1];
            break;
        case TERM_KIND_INTERLEAVE:
        case TERM_KIND_PARALLEL:
        case TERM_KIND_COPIES:
            return count_parts(counting, t, times);
        default:
            return STATUS_OK;
        }
    }
}

/* What is nested so deep is a fault when its moves are asked for (csp/moves.c counts no less): a
 * recursion without a step. */
static enum status count_in(struct counting *counting, term t, uint64_t times)
{
    counting->too_deep |= counting->depth == MOST_NESTED;
    if (counting->too_deep)
        return STATUS_OK;
    counting->depth++;
    enum status status = count_below(counting, t, times);
    counting->depth--;
    return status;
}

enum status csp_count_at_work(struct csp_worker *worker, term t, uint32_t *slots,
                              struct error *error)
{
    const struct csp_program *program = worker->shared->program;
    for (size_t i = 0; i < program->counts.length; i++) {
        if (program->counts.items[i].again)
            continue;
        struct counting counting = {
            .worker = worker, .counted = &program->counts.items[i], .slots = slots, .error = error};
        TRY(count_in(&counting, t, 1));
        slots[counting.counted->slot] =
            counting.count < INT32_MAX ? (uint32_t)counting.count : INT32_MAX;
    }
    return STATUS_OK;
}
