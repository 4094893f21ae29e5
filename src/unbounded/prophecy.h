/* Reads the calls and returns of an implementation as letters of a violation automaton. A letter is
 * a method of the automaton and a colour.
 *
 * Which method an operation is may depend on its result, which is known at the return; the
 * automaton reads a letter at the call already. So the call guesses, and the thread carries the
 * guess as a prophecy (an auxiliary variable as in Abadi and Lamport, "The Existence of Refinement
 * Mappings", 1991): a set of letters, with one of which it will return.
 *
 * As little is guessed as can be. Letters whose calls lead the same way from every state are
 * guessed together, and the one that is read at the return is chosen there. Of letters that neither
 * the return nor the answer tells apart, one stands for all.
 *
 * Where values are processes, of a mutex or semaphore, a thread that acquires chooses its colour at
 * the call and keeps it until the release has returned. */
#ifndef UNBOUNDED_PROPHECY_H
#define UNBOUNDED_PROPHECY_H

#include "base/status.h"
#include "rules/automaton.h"
#include "spec/rule_object.h"
#include "unbounded/thread_system.h"

/* A set of letters; number: 3 * method + colour - 1. 0: nothing. */
typedef uint64_t auxiliary;

#define MOST_LETTERS ((size_t)VIOLATION_MOST_METHODS * VIOLATION_COLOURS)

/* How operations of an implementation are methods of an object: by operation, a bit for each
 * method. */
struct method_roles {
    const struct rule_object *object;
    uint16_t *methods; /* the arena's */
    uint32_t count;
};

/* STATUS_INTERNAL if some operation is none of the object's. */
enum status method_roles_find(const struct lin_object *implementation,
                              const struct rule_object *object, struct arena *arena,
                              struct method_roles *roles, struct error *error) MUST_CHECK;

/* A bit for each role, 1 << METHOD_ADDS and so on, that some method of the operation has. */
unsigned method_roles_of(const struct method_roles *roles, uint32_t operation);

/* Whether a move answers what no method of its operation does. */
bool method_roles_forbid(const struct method_roles *roles, const struct thread_move *move);

/* An automaton made ready. What accepts a prefix is accepting; states that lead to none are dead.
 */
struct alphabet {
    const struct violation_automaton *automaton;
    const struct method_roles *roles;
    uint32_t letters;
    bool *accepting;        /* by state */
    uint32_t *next;         /* by state, event, letter */
    uint8_t *method;        /* by letter: the object's that it is, or is a copy of */
    uint64_t *same_call;    /* by letter: those that no call tells apart */
    auxiliary *same_return; /* by letter: the set of the one that stands for it */
    unsigned colours;       /* a bit for each colour that some value has to have: 1 << colour */
};

/* Ends where an accepting state is met if `at_once`. STATUS_LIMIT. Memory is the arena's. */
enum status alphabet_make(const struct violation_automaton *automaton,
                          const struct method_roles *roles, bool at_once, struct arena *arena,
                          struct alphabet *alphabet) MUST_CHECK;

/* A way to read a call or a return. */
struct reading {
    uint32_t state; /* behind it */
    auxiliary auxiliary;
};

/* Fills `out`, with room for MOST_LETTERS, with the ways to read the call of a move in a state, by
 * a thread that comes with a prophecy if it keeps one. Returns how many. */
size_t alphabet_call(const struct alphabet *alphabet, uint32_t state, auxiliary kept,
                     const struct thread_move *move, struct reading *out);

/* Likewise its return, of what was guessed at the call. */
size_t alphabet_return(const struct alphabet *alphabet, uint32_t state, auxiliary prophecy,
                       const struct thread_move *move, struct reading *out);

/* The answers with which a prophecy can be kept: bit 0 one without a value, bit c of colour c. */
#define ANSWER_KINDS (1 + VIOLATION_COLOURS)
unsigned alphabet_answers(const struct alphabet *alphabet, auxiliary prophecy);

/* The bit of a move's answer; 0 if it has none that can be guessed. */
static inline unsigned answer_bit(const struct thread_move *move)
{
    return move->answer == ANSWER_PLAIN    ? 1
           : move->answer == ANSWER_VALUED ? 1u << move->result
                                           : 0;
}

#endif
