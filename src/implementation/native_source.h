/* A `.lin` model's steps and canonical form, written as C (implementation/native_abi.h). */
#ifndef IMPLEMENTATION_NATIVE_SOURCE_H
#define IMPLEMENTATION_NATIVE_SOURCE_H

#include "implementation/state.h"

/* Whether the model can be written: it has not too many nodes, and no code that is not understood.
 */
bool lin_native_fits(const struct lin_model *model);

/* Appends the whole source, of a model that fits. False when refused. */
bool lin_native_write(const struct lin_model *model, struct text *out) MUST_CHECK;

/* Whether the host executes an instruction: a point, a print or the call of a program. */
bool lin_native_executes(enum opcode op);

/* Whether whole steps can be written, of several runs. */
bool lin_native_joins(const struct lin_model *model);

/* Whether all steps of a state can be taken at once: no more than so many; and whether some are
 * joined or left out then, or what is alike is exchanged. */
#define LIN_MOST_EXPANDED 4096
bool lin_native_expands(const struct lin_model *model);
bool lin_native_reduces(const struct lin_model *model);

/* How many calls there are then, with all arguments; and what a key of a label stands for that is
 * not LIN_KEY_STEP. */
struct lin_key {
    const struct instruction *answer; /* null: it is a call, */
    uint32_t call;                    /* in the order of all */
    uint32_t thread;
    uint32_t word; /* that is answered */
};

uint32_t lin_native_calls(const struct lin_model *model);
struct lin_key lin_native_key(const struct lin_model *model, uint32_t key);

/* Its parts. Tables are there once, by instruction; whether it is one that iterations begin with is
 * asked in some models only. */
void lin_native_write_state_tables(const struct lin_model *model, struct text *out);
void lin_native_write_step_tables(const struct lin_model *model, struct text *out);
bool lin_native_asks_heads(const struct lin_model *model);

/* Functions, of slots that are SLOT. `run` and `expand`: false when refused. */
bool lin_native_write_expand(const struct lin_model *model, struct text *out) MUST_CHECK;
bool lin_native_write_run(const struct lin_model *model, struct text *out) MUST_CHECK;
void lin_native_write_joined(const struct lin_model *model, struct text *out);
void lin_native_write_states(const struct lin_model *model, struct text *out);
void lin_native_write_canonical(const struct lin_model *model, struct text *out);
void lin_native_write_stale(const struct lin_model *model, struct text *out);
void lin_native_write_reduced(const struct lin_model *model, struct text *out);

/* The loops over all calls of an operation by the thread `t`, in front of a statement that counts
 * them in `call`; and the arguments of one, put where the thread's part `mine` has them. */
void lin_native_write_each_call(const struct lin_entry *entry, struct text *out);
void lin_native_write_arguments(const struct lin_steps *steps, const struct lin_entry *entry,
                                struct text *out);

/* The key of the answer, at an instruction, of the thread at `own`; and what evaluates a condition,
 * in a run that is called so. */
void lin_native_write_answer_key(const struct lin_model *model, const char *at, const char *thread,
                                 struct text *out);
void lin_native_write_condition(const char *run, struct text *out);

#endif
