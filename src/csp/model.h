/* A process of a CSP# program as a model: the first slot is its term, then the program's slots. */
#ifndef CSP_MODEL_H
#define CSP_MODEL_H

#include "csp/footprints.h"
#include "csp/terms.h"
#include "csp/turn.h"
#include "model/model.h"

/* A step under construction: what a term may do before programs have run. */
struct move {
    label label; /* what is seen; LABEL_TAU if invisible */
    label shown;
    term target;
    code_id programs[2]; /* run in this order; 0: none */
    uint32_t channel;    /* slot whose content changes; UINT32_MAX: none */
    object_id content;   /* its content afterwards */
    uint32_t process;
    uint64_t processes; /* of the outermost composition, as in struct step; 0: there is none */
    code_id faulty;     /* MOVE_ACCEPT: its guard cannot be evaluated; 0: it holds */
    uint8_t kind;       /* enum move_kind */
    bool data;          /* a program or a channel is involved: never synchronises in || */
    bool atomic;
    bool enters_atomic; /* the component can go on atomically */
};

enum move_kind {
    MOVE_STEP,
    MOVE_OFFER,  /* half of a synchronous communication: output; `channel` its slot, `content` the
                    tuple */
    MOVE_ACCEPT, /* the other half: input of that tuple */
};

/* A composition with a component replaced, as it was made before; made 0: none. */
struct replaced {
    term whole;
    uint32_t index;
    term come, made;
};

/* What model_class.evaluate finds by its number. */
struct csp_condition {
    code_id code;
    bool is_proposition; /* must be a boolean, like a guard; else any value */
};

struct csp_model {
    struct model model;
    struct csp_program *program; /* not owned */
    struct csp_terms terms;
    struct csp_footprints footprints;
    struct csp_turn turn;
    term start;
    VECTOR(struct move) moves;
    VECTOR(uint32_t) offers; /* slot and content of the synchronous outputs of the state at hand */
    VECTOR(uint32_t) words;  /* scratch */
    VECTOR(struct csp_condition) conditions;
    VECTOR(uint32_t) live;     /* scratch: a set of slots */
    struct replaced *replaced; /* by hash; of several with one place the last */
    size_t replaced_capacity;
    label shown_if;      /* LABEL_TAU: not made yet */
    uint32_t *valuation; /* scratch: slot_count */
    uint32_t *trial;     /* scratch: slot_count, for guards that see a channel changed */
    bool synchronous;    /* some channel has no buffer */
    bool collecting;     /* only outputs over such channels are of interest */
    uint32_t only;       /* component of the outermost composition that moves; UINT32_MAX: all */
    bool inexact; /* with a cut-off: a step was offered that not every number of copies has */
    unsigned depth;
    unsigned nesting; /* of the processes whose moves are being found */
};

/* The model of a process reference (name and arguments) of the module; `counting` says what
 * `|||{..}` is in it, null: copies without end. With a cut-off it is an abstraction, in which every
 * execution of any number of copies has one with the same labels and valuations, that passes
 * states with the same steps as long as the model is not `inexact`. STATUS_INPUT, STATUS_LIMIT.
 * `indices` (null: none) says what is alike. Owned by the caller; `program`, `labels`, `limits`
 * (null: none) and `indices` must outlive it. */
enum status csp_model_create(struct csp_program *program, const struct csp_process *process,
                             struct labels *labels, struct limits *limits,
                             const struct csp_counting *counting, struct csp_indices *indices,
                             struct csp_model **model, struct error *error) MUST_CHECK;
void csp_model_destroy(struct csp_model *model);

/* Numbers an expression over the model's variables for model_class.evaluate. Where a proposition is
 * no boolean, that is a fault of the model. */
enum status csp_model_proposition(struct csp_model *model, const struct csp_expression *expression,
                                  uint32_t *number, struct error *error) MUST_CHECK;
enum status csp_model_value(struct csp_model *model, const struct csp_expression *expression,
                            uint32_t *number, struct error *error) MUST_CHECK;

/* Appends the moves of a term in the valuation `slots` to model->moves. */
enum status csp_moves(struct csp_model *model, term t, const uint32_t *slots,
                      struct error *error) MUST_CHECK;

/* Turns a run into a status, writing a fault's message and place. */
enum status csp_ran(const struct csp_model *model, enum ran ran, const struct fault *fault,
                    struct error *error) MUST_CHECK;

#endif
