/* An implementation in `.lin` with its parameters, threads and pools set, compiled: a stack machine
 * over the 32-bit slots of a model's state.
 *
 * A step of a thread begins at a STEP instruction and ends before the next one or at a RETURN: it
 * has one access to what is shared, and the local computation behind it. Words are integers;
 * booleans are 0 and 1, `null` is 0, a value is 1 ..., a reference 1 + its node's number. A record
 * takes as many words as its fields.
 *
 *     shared variables | nodes, one pool for each struct | threads: header, locals
 */
#ifndef IMPLEMENTATION_STEPS_H
#define IMPLEMENTATION_STEPS_H

#include "base/bits.h"
#include "base/interning.h"
#include "lin/flow.h"
#include "lin/words.h"
#include "spec/spec.h"

/* What a CHECK_RANGE is about, in `small`. */
enum lin_range_kind {
    LIN_RANGE_NUMBER, /* an int: the model's promise */
    LIN_RANGE_INDEX,  /* of an array: the algorithm's fault */
    LIN_RANGE_DEPTH,  /* calls of the function `name` inside one another: the model's promise */
};

struct lin_step_range {
    int32_t low, high;
};

#define LIN_MOST_PARTS 8 /* of a list that is answered */

/* What the words of a list that is answered are: enum lin_type_kind. */
struct lin_list_shape {
    uint32_t count;
    uint8_t kinds[LIN_MOST_PARTS];
};

/* A slot that holds a reference into a pool. */
struct lin_reference_slot {
    uint32_t slot; /* of the state, the node or the locals */
    uint32_t pool;
};

/* The slots that hold values, ascending. */
struct lin_value_slots {
    uint32_t *items;
    uint32_t count;
};

struct lin_pool {
    const struct lin_struct *of;
    uint32_t first; /* slot of the first node */
    uint32_t words; /* of a node: its status, then the fields */
    uint32_t nodes;
    bool is_default;  /* the size was not asked for: to run out of it is a limit */
    int32_t *initial; /* what the words of a new node hold */
    struct lin_reference_slot *references; /* its fields that are references */
    uint32_t reference_count;
    struct lin_value_slots values; /* of a node */
    uint32_t *lengths;             /* of its fields; 1 unless an array */
    bool *write_once;              /* of its fields (implementation/step_write_once.h) */
    /* By word, the bit of its field, and by reference, what may be read of the node that it leads
     * to (implementation/step_fields.h). Null: anything. */
    uint64_t *field_bits, *reference_reads;
};

enum lin_node_status {
    LIN_NODE_NONE, /* never handed out, or collected */
    LIN_NODE_LIVE,
    LIN_NODE_FREED,
};

/* The header of a thread's part of the state; its locals follow. */
enum lin_thread_slot {
    LIN_THREAD_AT,   /* 0: idle; else 1 + the STEP or RETURN that it stands at */
    LIN_THREAD_LEFT, /* operations that it may still call; 0 for ever if they are not counted */
    LIN_THREAD_TURN, /* among the names of the client's orders: the next; 0: any order may begin */
    LIN_THREAD_LINK, /* ll: 1 + the address, the number of words from bit 16 on; 0: none */
    LIN_THREAD_HEADER,
};

#define LIN_THREAD_FAULTED UINT32_MAX /* at LIN_THREAD_AT: it did what it must not do */

/* Where a variable of an operation, or of a function put into it, stands among the locals. */
struct lin_local {
    const struct lin_variable *variable;
    uint32_t first, words; /* of an item */
    uint32_t named;        /* the first, before words were shared */
};

struct lin_entry {
    const struct lin_operation *operation;
    uint32_t start;   /* instruction */
    uint32_t pointed; /* with points: local that says whether there was one; the arguments follow,
                         kept until then. 0: without */
    int32_t only;     /* thread, -1: any */
    struct lin_step_range *parameters;     /* what arguments to call it with */
    struct lin_reference_slot *references; /* locals that are references */
    uint32_t reference_count;
    struct lin_value_slots values;        /* locals that are values; the result is not among them */
    bool answers_values, answers_numbers; /* some `return` or point does */
    struct lin_local *locals;             /* the parameters first */
    uint32_t local_count;
};

struct lin_setting {
    uint32_t threads;
    int32_t operations; /* of each thread; -1: any number */
    uint32_t total;     /* operations of all threads together; 0: any number */
    uint32_t values;
    bool fresh;                /* each is passed once at most: 1, then 2, ... */
    int32_t nodes;             /* of each pool; -1: as many as are needed */
    bool unbounded;            /* these are those that one thread sees of a heap without bound */
    const uint32_t *made;      /* by pool: nodes for `init` besides; null: none */
    bool keeps;                /* a node that nobody can reach is not collected: it is lost */
    const char *const *client; /* the orders in which a thread calls, one after the other; names */
    uint32_t client_count;
    const uint32_t *client_ends; /* where each ends; null: there is one at most */
    bool shares;                 /* locals that are never needed at once stand in the same words */
    bool points;                 /* `linearize` makes a linearization point; else it is left out */
    uint64_t supposed;           /* set of suppositions (lin_supposition) that are relied on */
    bool notes_points; /* in place of that: it changes nothing, and the label of its step has it,
                          without an answer; that of another thread's operation has the value
                          that the operation was called with, as a node says */
    /* Of a program, whose threads are the operations; null: clients call what they like. */
    struct lin_words *words;
    const struct lin_object *callee; /* the implementation that it uses, or */
    const struct spec *spec;         /* the specification, and */
    struct word_arrays *objects;     /* its states, 64-bit words as two of 32 */
    /* Of a program, and with any number of threads; may be null. An operation without an answer in
     * it has none. */
    const struct spec *answers;
};

/* Of a STEP, about iterations that leave nothing behind (implementation/step_pure.h). */
struct lin_pure_step {
    uint64_t token;   /* of iterations that begin here; 0: none is known by one */
    uint64_t pure;    /* tokens of those of which nothing is left up to here, on any way */
    uint64_t spoiled; /* while they are looked for: the others */
    bool is_head;     /* loops lead back here */
    bool needs_link;  /* an `sc` may depend on what was linked to before it stood here */
};

#define LIN_MOST_FOLLOWED 128 /* locals of which it is found out what they hold */

/* A local that may be stale where a thread stands. If it is, each way leads back to where the
 * thread stood, and nothing is left (implementation/step_stale.h); or the step comes out as it
 * would at any later time (implementation/step_decided.h). */
struct lin_stale {
    uint32_t at, head;    /* STEPs: where it stands, where it comes back to, if it does */
    uint32_t local, pool; /* a reference to such a node, */
    bool linked;          /* which is stale once its field `along` is not null; else */
    uint32_t slot;        /* once that shared variable does not lead to it along this field, */
    uint32_t along;
    uint64_t supposed; /* if this is supposed, and the field is not null; 0: in any case */
    uint64_t nodes[LIN_MOST_FOLLOWED / 64]; /* locals that must not be null for it, the one itself
                                               among them */
};

/* What may be read of the node that a reference leads to, by way of it, where a thread stands. */
struct lin_reads {
    uint32_t local, pool;
    uint64_t fields;
};

/* A local of an operation that stands at a STEP is a reference to a node to which a shared variable
 * does not lead, and never will again: then the operation can only begin again, with nothing done
 * on the way (implementation/step_retries.h). */
struct lin_retry {
    uint32_t at, head;    /* STEPs: where it stands, where it begins again */
    uint32_t local, slot; /* the reference; the shared variable */
    uint64_t passes; /* STEPs on the way, numbered from the operation's first: itself among them */
    uint64_t nodes[LIN_MOST_FOLLOWED / 64]; /* locals that must not be null for it */
};

/* That a field of a node does not change while another one, or it itself, is set: is not what it is
 * in a new node. One with another field is relied on only if that field stays as it is. Or, with
 * LIN_ENDS_THERE, that a node which a cas puts into the field leads nowhere by it. */
struct lin_supposition {
    uint32_t pool, field, guard; /* words of its nodes */
};

#define LIN_ENDS_THERE        0 /* no field is the first word of a node */
#define LIN_MOST_SUPPOSITIONS 64

/* Of a LOAD, STORE or CAS of one word whose `small` is 1: what it has access to. */
struct lin_access {
    uint32_t pool;     /* of a node; LIN_ACCESS_TO_ITEM: of an array, */
    uint32_t field;    /* word of the node; slot of the array, to whose items */
    uint32_t words;    /* of so many words only their own threads write */
    uint64_t supposed; /* of a field: suppositions about it */
};

#define LIN_ACCESS_TO_ITEM  UINT32_MAX
#define LIN_ACCESS_TO_FRESH (UINT32_MAX - 1) /* a CAS on what is written new nodes alone */
#define LIN_ADDRESS_LEFT    2 /* `small` of an ADDRESS or DEREFERENCE for such instructions alone */

struct lin_steps {
    const struct lin_module *module;
    const struct lin_object *object;
    struct arena *arena;
    struct lin_setting setting;
    const int32_t *parameters;
    struct listing listing;
    struct code code;      /* what the listing holds */
    VECTOR(uint64_t) live; /* by instruction: a set of live_locals, those that are live there */
    uint32_t live_locals;
    /* The same before words were shared, by which it is known whose they are: none if they are not.
     */
    VECTOR(uint64_t) named_live;
    uint32_t named_locals;
    VECTOR(struct range_limit) ranges;
    VECTOR(const char *) symbols;
    VECTOR(struct lin_list_shape) shapes; /* operand of an ANSWER of LIN_TYPE_LIST */
    struct lin_layout_of_shared {
        const struct lin_variable *variable;
        uint32_t first, length, words; /* of an item */
        uint32_t *lengths;             /* one a dimension */
    } * shared;
    VECTOR(struct lin_reference_slot) shared_references;
    struct lin_value_slots shared_values;
    struct lin_pool *pools;
    uint32_t pool_count;
    struct lin_entry *entries;
    uint32_t initially;          /* instruction */
    VECTOR(uint32_t) conditions; /* likewise: where those begin that are asked of states */
    uint32_t heap_first, thread_first, thread_words, slots;
    uint32_t locals;               /* most of any operation */
    uint32_t result, result_words; /* locals that hold the result */
    uint32_t spec_slot;            /* of a program with a specification: its state's number */
    uint32_t last_slot;            /* where values are fresh: the last that was passed, 0: none */
    bool helps;                    /* with points, or notes: some are for other threads; of notes
                                      those that are left out, for it is not known whose they are */
    bool notes_helps;              /* with notes: some that are not left out */
    bool reads_write_once;         /* some DEREFERENCE only reads a write-once field */
    struct lin_pure_step *pure;    /* by instruction; null: no iteration is taken for pure */
    bool has_pure;                 /* some STEP has a token */
    VECTOR(struct lin_stale) stale, decided; /* ascending by STEP */
    VECTOR(struct lin_retry) retries;        /* likewise */
    uint32_t *stale_from, *decided_from;     /* by instruction, and one more: where its begin; null:
                                                none */
    uint64_t *shared_reads;         /* likewise, by shared reference; null: anything may be read */
    VECTOR(struct lin_reads) reads; /* of locals, ascending by instruction */
    uint32_t *reads_from;           /* by instruction, and one more: where its begin */
    VECTOR(struct lin_supposition) suppositions;
    struct lin_access *accesses; /* by instruction (implementation/step_accesses.h) */
    bool writes_fresh;           /* some of these are LIN_ACCESS_TO_FRESH */
    /* Values that are compared with constants, which tells them apart from the others: one bit for
     * each of 1 to 32, the greatest, and where. */
    uint32_t named_values, greatest_named;
    place named_at;
};

/* The locals that a thread which stands at an instruction may read before it writes them. */
static inline struct bits lin_steps_live_at(const struct lin_steps *steps, size_t instruction)
{
    size_t locals = steps->live_locals;
    return (struct bits){steps->live.items + instruction * bits_words(locals), locals};
}

/* Whether a thread that stands at an instruction may read a local again before it writes it. The
 * locals that only conditions have are never live. */
static inline bool lin_steps_live(const struct lin_steps *steps, uint32_t instruction,
                                  uint32_t local)
{
    return local < steps->live_locals && bits_get(lin_steps_live_at(steps, instruction), local);
}

/* Whether one of some locals that stand beside one another is live there. */
static inline bool lin_steps_any_live(const struct lin_steps *steps, uint32_t instruction,
                                      uint32_t first, uint32_t count)
{
    bool live = false;
    for (uint32_t i = first; i < first + count; i++)
        live |= lin_steps_live(steps, instruction, i);
    return live;
}

/* Whether a local, by lin_local.named, is live there. */
static inline bool lin_steps_named_live(const struct lin_steps *steps, uint32_t instruction,
                                        uint32_t named)
{
    const size_t locals = steps->named_locals;
    if (locals == 0)
        return lin_steps_live(steps, instruction, named);
    return bits_get(
        (struct bits){steps->named_live.items + instruction * bits_words(locals), locals}, named);
}

/* Whether nodes of a pool are given back. */
static inline bool lin_steps_free(const struct lin_steps *steps, uint32_t pool)
{
    bool freed = false;
    for (size_t i = 0; i < steps->listing.code.length; i++) {
        const struct instruction *instruction = &steps->listing.code.items[i];
        freed |= instruction->op == OP_FREE && (uint32_t)instruction->operand == pool;
    }
    return freed;
}

/* Whether an instruction is one of `init`, which runs before all threads. */
static inline bool lin_steps_are_initial(const struct lin_steps *steps, size_t instruction)
{
    size_t end = steps->initially;
    while (steps->listing.code.items[end].op != OP_END)
        end++;
    return instruction >= steps->initially && instruction <= end;
}

/* Whether a value, from 1, is compared with a constant. */
static inline bool lin_steps_name_value(const struct lin_steps *steps, uint32_t v)
{
    return v <= 32 && (steps->named_values >> (v - 1) & 1);
}

/* The shared variable that begins at a slot; null: none does. */
static inline const char *lin_steps_shared_name(const struct lin_steps *steps, uint32_t slot)
{
    for (uint32_t i = 0; i < steps->object->variable_count; i++)
        if (steps->shared[i].first == slot)
            return steps->shared[i].variable->name;
    return NULL;
}

/* Without any code; `budget` is that of the vectors. */
void lin_steps_init(struct lin_steps *steps, struct budget *budget);
void lin_steps_release(struct lin_steps *steps);

#endif
