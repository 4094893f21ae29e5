/* An assembly of x86-64 (-S, AT&T syntax) as a list of instructions: what each does with the
 * registers that calls preserve, and where it goes. It errs on the side of what is read: every
 * register that an instruction mentions is read by it, but for the destination of a few that are
 * known to write all of it and no more. Text that is not known is not readable, or goes anywhere.
 */
#ifndef SCENARIO_ASSEMBLY_H
#define SCENARIO_ASSEMBLY_H

#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

enum {
    ASSEMBLY_REGISTERS = 6, /* that calls preserve, but for %rsp */
    ASSEMBLY_RBP = 1,
    ASSEMBLY_ALL = (1 << ASSEMBLY_REGISTERS) - 1,
    ASSEMBLY_NAMES = 5, /* for each: of all of it, its lower half, ... */
    ASSEMBLY_REMEMBERED = 8
};

extern const char *const assembly_registers[ASSEMBLY_REGISTERS][ASSEMBLY_NAMES];

struct instruction {
    const char *line;
    uint8_t reads, writes; /* sets of registers */
    uint8_t live;          /* in front of it */
    uint8_t kept, saved;   /* live throughout its function; saved by it, here */
    bool is_call, goes_on; /* at the next one */
    bool goes_anywhere;
    const char *target; /* of a jump, a label; null: none */
    size_t target_length;
    size_t depth; /* bytes from %rsp to where the function was called, in front of it */
    uint64_t words_read, words_written, words_live; /* of the frame, from %rsp: as above */
    uint64_t words;                                 /* that may be set */
};

struct label {
    const char *name;
    size_t length, instruction; /* that follows; SIZE_MAX: nobody knows */
};

/* From .cfi_startproc to .cfi_endproc. */
struct function {
    size_t first, end, first_label, end_label;
    size_t deepest; /* bytes from where it was called to where a register is saved */
};

struct assembly {
    VECTOR(struct instruction) instructions;
    VECTOR(struct label) labels; /* in order */
    VECTOR(struct function) functions;
    struct function current;
    uint8_t kept, saved;
    size_t depth; /* as of an instruction */
    struct {
        uint8_t saved;
        size_t depth;
    } remembered[ASSEMBLY_REMEMBERED];
    unsigned remembered_count;
    bool is_readable; /* the text is what we know */
};

void assembly_init(struct assembly *listing, struct budget *budget);
void assembly_release(struct assembly *listing);

/* Reads the text of an assembly, which must outlive the listing. False when memory is refused. */
bool assembly_read(struct assembly *listing, const char *text);

/* ---- words of a line ---- */

const char *line_end(const char *line);
bool line_has(const char *text, const char *end, const char *word);

static inline bool text_starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static inline bool text_is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* A character of a name. */
bool assembly_is_name(char c);

/* The set of the register named at `text`, behind its %; *full: all of it. */
unsigned assembly_register(const char *text, bool *full);

/* All registers mentioned from `text` to `end`. */
unsigned assembly_registers_in(const char *text, const char *end);

/* The last operand, behind the comma that is in no parentheses; null: there is no such comma. */
const char *assembly_last_operand(const char *text, const char *end);

/* Whether a mnemonic is one of those that write their last operand, or only one, without reading
 * it; of those that do nothing unusual. */
bool assembly_writes_last(const char *mnemonic, size_t length);
bool assembly_is_plain(const char *mnemonic, size_t length);

#endif
