/* Which registers are live behind each instruction is the least solution of the usual equations
 * (Aho, Lam, Sethi, Ullman, Compilers, section 9.2.5), on the text of the assembly: a set of
 * registers for each line with an instruction, gone through backwards until nothing changes. The
 * words of a frame are looked at in the same way (scenario/frame_words.h).
 *
 * It errs on the side of what is live. Where it is not known what comes next (indirect jumps, jumps
 * out of the file, returns, instructions that are rarely seen, the end of a function, another
 * section) everything is live. A function that exceptions may enter in its middle, or whose frame
 * is found by other registers than %rsp and %rbp, is left alone; %rbp is live throughout one whose
 * frame is found by it. A call need not return, and who unwinds the stack reads what the function
 * has saved: only registers that are saved there, as the directives for unwinding say, are set. */
#include "scenario/dead_registers.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/assembly.h"
#include "scenario/frame_words.h"

struct live {
    unsigned registers;
    uint64_t words;
};

static const struct live everything = {ASSEMBLY_ALL, UINT64_MAX};

static int compare_names(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int compare_labels(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    return compare_names(x->name, x->length, y->name, y->length);
}

static struct live join(struct live a, struct live b)
{
    return (struct live){a.registers | b.registers, a.words | b.words};
}

static struct live live_before(const struct assembly *listing, size_t number)
{
    const struct instruction *one = &listing->instructions.items[number];
    return (struct live){one->live, one->words_live};
}

/* What is live at a label. The frame of a function is none of another one to which it jumps. */
static struct live live_at(const struct assembly *listing, const char *name, size_t length)
{
    const struct label wanted = {name, length, 0};
    const struct label *found = bsearch(&wanted, listing->labels.items, listing->labels.length,
                                        sizeof wanted, compare_labels);
    return found && found->instruction < listing->instructions.length
               ? live_before(listing, found->instruction)
               : everything;
}

/* What is live behind an instruction. */
static struct live live_behind(const struct assembly *listing, size_t number)
{
    const struct instruction *one = &listing->instructions.items[number];
    bool is_last = number + 1 == listing->instructions.length;
    struct live live = {one->kept, 0};
    if (one->goes_anywhere || (one->goes_on && is_last))
        return everything;
    if (one->goes_on)
        live = join(live, live_before(listing, number + 1));
    if (one->target)
        live = join(live, live_at(listing, one->target, one->target_length));
    return live;
}

static void find_live(struct assembly *listing)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = listing->instructions.length; i-- > 0;) {
            struct instruction *one = &listing->instructions.items[i];
            struct live live = live_behind(listing, i);
            live.registers = (live.registers & ~(unsigned)one->writes) | one->reads;
            live.words = (live.words & ~one->words_written) | one->words_read;
            changed |= live.registers != one->live || live.words != one->words_live;
            one->live = (uint8_t)live.registers;
            one->words_live = live.words;
        }
    }
}

/* ---- what is made of it ---- */

/* The linker knows what stands around these. */
static bool is_for_linker(const char *line)
{
    return line_has(line, line_end(line), "tls") || line_has(line, line_end(line), "TLS");
}

static void write_cleared(const struct assembly *listing, const char *assembly,
                          struct text *cleared)
{
    const char *written = assembly;
    for (size_t i = 0; i < listing->instructions.length; i++) {
        const struct instruction *one = &listing->instructions.items[i];
        struct live live = live_behind(listing, i);
        unsigned dead = one->saved & ~(live.registers | one->reads | one->kept);
        uint64_t words = one->words & ~(live.words | one->words_read);
        if (!one->is_call || (!dead && !words) || is_for_linker(one->line))
            continue;
        text_append_bytes(cleared, written, (size_t)(one->line - written));
        written = one->line;
        for (unsigned k = 0; k < ASSEMBLY_REGISTERS; k++)
            if (dead & 1U << k)
                text_format(cleared, "\tmovl\t$0, %%%s\n", assembly_registers[k][1]);
        for (unsigned k = 0; k < FRAME_WORDS; k++)
            if (words >> k & 1)
                text_format(cleared, "\tmovl\t$0, %u(%%rsp)\n", k * FRAME_WORD);
    }
    text_append(cleared, written);
}

enum status dead_registers_clear(const char *assembly, struct budget *budget, struct text *cleared)
{
    struct assembly listing;
    assembly_init(&listing, budget);
    bool read = assembly_read(&listing, assembly);
    if (read && listing.is_readable) {
        for (size_t i = 0; i < listing.functions.length; i++)
            frame_words_find(&listing, &listing.functions.items[i]);
        if (listing.labels.length)
            qsort(listing.labels.items, listing.labels.length, sizeof *listing.labels.items,
                  compare_labels);
        find_live(&listing);
        write_cleared(&listing, assembly, cleared);
    } else if (read) {
        text_append(cleared, assembly);
    }
    assembly_release(&listing);
    return read ? STATUS_OK : STATUS_LIMIT;
}
