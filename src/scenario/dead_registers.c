/* Which registers are live behind each instruction is the least solution of the usual equations
 * (Aho, Lam, Sethi, Ullman, Compilers, section 9.2.5), on the text of the assembly: a set of
 * registers for each line with an instruction, gone through backwards until nothing changes.
 *
 * It errs on the side of what is live. Every register that an instruction mentions is read by it,
 * but for the destination of a few that are known to write all of it and no more. Where it is not
 * known what comes next (indirect jumps, jumps out of the file, returns, instructions that are
 * rarely seen, the end of a function, another section) everything is live. A function that
 * exceptions may enter in its middle, or whose frame is found by other registers than %rsp and
 * %rbp, is left alone; %rbp is live throughout one whose frame is found by it. A call need not
 * return, and who unwinds the stack reads what the function has saved: only registers that are
 * saved there, as the directives for unwinding say, are set. */
#include "scenario/dead_registers.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

enum {
    REGISTERS = 6, /* that calls preserve, but for %rsp */
    RBP = 1,
    ALL = (1 << REGISTERS) - 1,
    NAMES = 5,
    FULL_NAMES = 2, /* of these: what writes them writes all of the register */
    MOST_REMEMBERED = 8
};

static const char *const register_names[REGISTERS][NAMES] = {
    {"rbx", "ebx", "bx", "bl", "bh"},        {"rbp", "ebp", "bp", "bpl", "bpl"},
    {"r12", "r12d", "r12w", "r12b", "r12b"}, {"r13", "r13d", "r13w", "r13b", "r13b"},
    {"r14", "r14d", "r14w", "r14b", "r14b"}, {"r15", "r15d", "r15w", "r15b", "r15b"}};

struct instruction {
    const char *line;
    uint8_t reads, writes; /* sets of registers */
    uint8_t live;          /* in front of it */
    uint8_t kept, saved;   /* live throughout its function; saved by it, here */
    bool is_call, goes_on; /* at the next one */
    bool goes_anywhere;
    const char *target; /* of a jump, a label; null: none */
    size_t target_length;
};

struct label {
    const char *name;
    size_t length, instruction; /* that follows */
};

struct listing {
    VECTOR(struct instruction) instructions;
    VECTOR(struct label) labels;
    size_t function; /* the first instruction of the current one */
    uint8_t kept, saved;
    uint8_t remembered[MOST_REMEMBERED]; /* of `saved` */
    unsigned remembered_count;
    bool is_readable; /* the text is what we know */
};

/* ---- words of a line ---- */

static const char *line_end(const char *line)
{
    return line + strcspn(line, "\n");
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool has(const char *text, const char *end, const char *word)
{
    return memmem(text, (size_t)(end - text), word, strlen(word)) != NULL;
}

static bool is_name(char c)
{
    return c && (strchr("_.$@", c) || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                 (c >= 'A' && c <= 'Z'));
}

/* The set of the register named at `text`, behind its %; *full: all of it. */
static unsigned find_register(const char *text, bool *full)
{
    size_t length = 0;
    while (is_name(text[length]))
        length++;
    for (unsigned i = 0; i < REGISTERS; i++)
        for (unsigned k = 0; k < NAMES; k++)
            if (strlen(register_names[i][k]) == length &&
                memcmp(register_names[i][k], text, length) == 0) {
                *full = k < FULL_NAMES;
                return 1U << i;
            }
    return 0;
}

/* All registers mentioned from `text` to `end`. */
static unsigned find_registers(const char *text, const char *end)
{
    unsigned set = 0;
    bool full;
    for (; text < end; text++)
        if (*text == '%')
            set |= find_register(text + 1, &full);
    return set;
}

/* The last operand, behind the comma that is in no parentheses; null: there is no such comma. */
static const char *last_operand(const char *text, const char *end)
{
    unsigned depth = 0;
    const char *last = NULL;
    for (; text < end; text++) {
        depth += *text == '(';
        depth -= *text == ')' && depth > 0;
        if (*text == ',' && depth == 0)
            last = text + 1;
    }
    return last;
}

/* ---- instructions ---- */

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Those that write their last operand, or only one, without reading it. */
static bool writes_last(const char *mnemonic, size_t length)
{
    static const char *const words[] = {"mov",    "movq",   "movl",   "movabs", "movabsq",
                                        "lea",    "leaq",   "leal",   "movzbl", "movzwl",
                                        "movzbq", "movzwq", "movsbl", "movswl", "movsbq",
                                        "movswq", "movslq", "movd",   "pop",    "popq"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(mnemonic, length, words[i]))
            return true;
    return false;
}

static bool is_plain(const char *mnemonic, size_t length)
{
    static const char *const words[] = {
        "add",  "addl",  "addq",  "sub",   "subl",  "subq", "and",   "andl",  "andq",    "or",
        "orl",  "orq",   "xor",   "xorl",  "xorq",  "cmp",  "cmpl",  "cmpq",  "cmpb",    "cmpw",
        "test", "testl", "testq", "testb", "testw", "push", "pushq", "inc",   "incl",    "incq",
        "dec",  "decl",  "decq",  "neg",   "negl",  "negq", "not",   "notl",  "notq",    "shl",
        "shll", "shlq",  "shr",   "shrl",  "shrq",  "sar",  "sarl",  "sarq",  "sal",     "sall",
        "salq", "rol",   "roll",  "rolq",  "ror",   "rorl", "rorq",  "imul",  "imull",   "imulq",
        "mul",  "mull",  "mulq",  "div",   "divl",  "divq", "idiv",  "idivl", "idivq",   "adc",
        "adcl", "adcq",  "sbb",   "sbbl",  "sbbq",  "movb", "movw",  "cltq",  "cqto",    "cltd",
        "cwtl", "nop",   "nopl",  "nopw",  "bt",    "btl",  "btq",   "bswap", "addb",    "subb",
        "andb", "orb",   "xorb",  "addw",  "subw",  "andw", "orw",   "xorw",  "endbr64", "pause"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(mnemonic, length, words[i]))
            return true;
    return (length > 3 && starts(mnemonic, "set")) || (length > 4 && starts(mnemonic, "cmov"));
}

static bool clears(const char *operands, const char *end)
{
    const char *last = last_operand(operands, end);
    bool full = false, same_full = false;
    if (!last || *operands != '%')
        return false;
    last += strspn(last, " \t");
    return *last == '%' && find_register(operands + 1, &full) &&
           find_register(operands + 1, &full) == find_register(last + 1, &same_full) && full &&
           same_full;
}

static void set_jump(struct instruction *made, const char *mnemonic, size_t length,
                     const char *operands)
{
    bool always = is_word(mnemonic, length, "jmp") || is_word(mnemonic, length, "jmpq");
    made->goes_on = !always;
    made->target = operands;
    while (is_name(operands[made->target_length]))
        made->target_length++;
    made->goes_anywhere = made->target_length == 0;
}

/* What an instruction reads, writes, and where it goes. */
static void read_instruction(const char *text, const char *end, struct instruction *made)
{
    size_t length = strcspn(text, " \t\n");
    const char *operands = text + length + strspn(text + length, " \t");
    const char *last = last_operand(operands, end);
    bool full = false;
    made->goes_on = true;
    made->reads = (uint8_t)find_registers(text, end);
    if (memchr(text, ';', (size_t)(end - text)) || memchr(text, '"', (size_t)(end - text))) {
        made->goes_anywhere = true;
    } else if (is_word(text, length, "call") || is_word(text, length, "callq")) {
        made->is_call = true;
    } else if (*text == 'j') {
        set_jump(made, text, length, operands);
    } else if (writes_last(text, length)) {
        const char *to = last ? last + strspn(last, " \t") : operands;
        unsigned written = *to == '%' ? find_register(to + 1, &full) : 0;
        if (written && full) {
            made->writes = (uint8_t)written;
            made->reads = last ? (uint8_t)find_registers(operands, last) : 0;
        }
    } else if ((is_word(text, length, "xorl") || is_word(text, length, "xor") ||
                is_word(text, length, "xorq")) &&
               clears(operands, end)) {
        made->writes = made->reads;
        made->reads = 0;
    } else if (!is_plain(text, length) && !has(text, end, "%xmm")) {
        made->goes_anywhere = true; /* ret, leave, ud2, string instructions, ... */
    }
}

/* ---- the listing ---- */

/* The register that a directive names, by its name or by its number in DWARF: its bit, 0 for %rsp,
 * ALL for others. */
static unsigned named_in(const char *operand)
{
    static const int8_t by_number[] = {-1, -1, -1, 0, -1, -1, RBP, -2, -1, -1, -1, -1, 2, 3, 4, 5};
    bool full = false;
    char *end;
    if (starts(operand, "%rsp"))
        return 0;
    if (*operand == '%') {
        unsigned found = find_register(operand + 1, &full);
        return found && full ? found : ALL;
    }
    unsigned long number = strtoul(operand, &end, 10);
    if (end == operand || number >= sizeof by_number || by_number[number] == -1)
        return ALL;
    return by_number[number] == -2 ? 0 : 1U << by_number[number];
}

static bool is_directive(const char *text, const char *name, const char **operand)
{
    size_t length = strlen(name);
    if (strncmp(text, name, length) != 0 || is_name(text[length]))
        return false;
    *operand = text + length + strspn(text + length, " \t");
    return true;
}

/* Which registers are saved here, and by which the frame is found. */
static void read_unwinding(struct listing *listing, const char *text)
{
    const char *operand;
    if (is_directive(text, ".cfi_lsda", &operand) || is_directive(text, ".cfi_escape", &operand))
        listing->kept = ALL;
    else if (is_directive(text, ".cfi_def_cfa_register", &operand) ||
             is_directive(text, ".cfi_def_cfa", &operand))
        listing->kept |= (uint8_t)(named_in(operand) & ~(1U << RBP) ? ALL : named_in(operand));
    else if (is_directive(text, ".cfi_offset", &operand) && named_in(operand) != ALL)
        listing->saved |= (uint8_t)named_in(operand);
    else if (is_directive(text, ".cfi_restore", &operand))
        listing->saved &= (uint8_t)~named_in(operand);
    else if (is_directive(text, ".cfi_remember_state", &operand) &&
             listing->remembered_count < MOST_REMEMBERED)
        listing->remembered[listing->remembered_count++] = listing->saved;
    else if (is_directive(text, ".cfi_restore_state", &operand) && listing->remembered_count > 0)
        listing->saved = listing->remembered[--listing->remembered_count];
    else if (is_directive(text, ".cfi_remember_state", &operand) ||
             is_directive(text, ".cfi_restore_state", &operand))
        listing->is_readable = false;
}

static bool is_section(const char *text)
{
    static const char *const names[] = {".text",       ".data",        ".bss",      ".section",
                                        ".subsection", ".pushsection", ".previous", ".popsection"};
    const char *operand;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_directive(text, names[i], &operand))
            return true;
    return false;
}

/* Nobody knows what follows the last instruction, and labels behind it. */
static void cut(struct listing *listing)
{
    size_t count = listing->instructions.length;
    if (count > 0)
        listing->instructions.items[count - 1].goes_anywhere = true;
    for (size_t i = listing->labels.length; i-- > 0;) {
        if (listing->labels.items[i].instruction != count)
            break;
        listing->labels.items[i].instruction = SIZE_MAX;
    }
}

/* A function begins, or ends. */
static void begin_function(struct listing *listing)
{
    listing->function = listing->instructions.length;
    listing->kept = listing->saved = 0;
    listing->remembered_count = 0;
}

static void end_function(struct listing *listing)
{
    for (size_t i = listing->function; i < listing->instructions.length; i++)
        listing->instructions.items[i].kept = listing->kept;
    cut(listing);
}

static void read_directive(struct listing *listing, const char *text)
{
    static const char *const unknown[] = {".intel_syntax", ".macro", ".rept", ".irp", ".irpc"};
    const char *operand;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        listing->is_readable &= !is_directive(text, unknown[i], &operand);
    read_unwinding(listing, text);
    if (is_section(text))
        cut(listing);
    if (is_directive(text, ".cfi_startproc", &operand)) {
        begin_function(listing);
    } else if (is_directive(text, ".cfi_endproc", &operand)) {
        end_function(listing);
        begin_function(listing);
    }
}

/* False when memory is refused. */
static bool read_line(struct listing *listing, const char *line)
{
    const char *end = line_end(line), *text = line + strspn(line, " \t");
    const char *comment = memchr(text, '#', (size_t)(end - text));
    size_t name = 0;
    while (is_name(text[name]))
        name++;
    if (comment)
        end = comment;
    if (text >= end)
        return true;
    if (name > 0 && text[name] == ':') {
        const struct label label = {text, name, listing->instructions.length};
        const char *behind = text + name + 1;
        listing->is_readable &= behind + strspn(behind, " \t") >= end;
        return vector_push(&listing->labels, label);
    }
    if (*text == '.') {
        read_directive(listing, text);
        return true;
    }
    struct instruction made = {.line = line, .saved = listing->saved};
    read_instruction(text, end, &made);
    return vector_push(&listing->instructions, made);
}

static bool read_listing(struct listing *listing, const char *assembly)
{
    listing->is_readable = true;
    for (const char *line = assembly; *line; line = line_end(line) + (*line_end(line) != '\0'))
        if (!read_line(listing, line))
            return false;
    return true;
}

/* ---- liveness ---- */

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

/* What is live at a label. */
static unsigned live_at(const struct listing *listing, const char *name, size_t length)
{
    const struct label wanted = {name, length, 0};
    const struct label *found = bsearch(&wanted, listing->labels.items, listing->labels.length,
                                        sizeof wanted, compare_labels);
    return found && found->instruction < listing->instructions.length
               ? listing->instructions.items[found->instruction].live
               : ALL;
}

/* What is live behind an instruction. */
static unsigned live_behind(const struct listing *listing, size_t number)
{
    const struct instruction *one = &listing->instructions.items[number];
    bool is_last = number + 1 == listing->instructions.length;
    unsigned live = one->kept;
    if (one->goes_anywhere || (one->goes_on && is_last))
        return ALL;
    if (one->goes_on)
        live |= listing->instructions.items[number + 1].live;
    if (one->target)
        live |= live_at(listing, one->target, one->target_length);
    return live;
}

static void find_live(struct listing *listing)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = listing->instructions.length; i-- > 0;) {
            struct instruction *one = &listing->instructions.items[i];
            unsigned live = (live_behind(listing, i) & ~(unsigned)one->writes) | one->reads;
            changed |= live != one->live;
            one->live = (uint8_t)live;
        }
    }
}

/* ---- what is made of it ---- */

/* The linker knows what stands around these. */
static bool is_for_linker(const char *line)
{
    return has(line, line_end(line), "tls") || has(line, line_end(line), "TLS");
}

static void write_cleared(const struct listing *listing, const char *assembly, struct text *cleared)
{
    const char *written = assembly;
    for (size_t i = 0; i < listing->instructions.length; i++) {
        const struct instruction *one = &listing->instructions.items[i];
        unsigned dead = one->saved & ~(live_behind(listing, i) | one->reads | one->kept);
        if (!one->is_call || !dead || is_for_linker(one->line))
            continue;
        text_append_bytes(cleared, written, (size_t)(one->line - written));
        written = one->line;
        for (unsigned k = 0; k < REGISTERS; k++)
            if (dead & 1U << k)
                text_format(cleared, "\tmovl\t$0, %%%s\n", register_names[k][1]);
    }
    text_append(cleared, written);
}

enum status dead_registers_clear(const char *assembly, struct budget *budget, struct text *cleared)
{
    struct listing listing = {0};
    vectors_init(budget, &listing.instructions, &listing.labels);
    bool read = read_listing(&listing, assembly);
    if (read && listing.is_readable) {
        if (listing.labels.length)
            qsort(listing.labels.items, listing.labels.length, sizeof *listing.labels.items,
                  compare_labels);
        find_live(&listing);
        write_cleared(&listing, assembly, cleared);
    } else if (read) {
        text_append(cleared, assembly);
    }
    vectors_release(&listing.instructions, &listing.labels);
    return read ? STATUS_OK : STATUS_LIMIT;
}
