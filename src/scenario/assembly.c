#include "scenario/assembly.h"

#include <stdlib.h>
#include <string.h>

enum {
    FULL_NAMES = 2,    /* of a register: what writes them writes all of it */
    RETURN_ADDRESS = 8 /* bytes */
};

const char *const assembly_registers[ASSEMBLY_REGISTERS][ASSEMBLY_NAMES] = {
    {"rbx", "ebx", "bx", "bl", "bh"},        {"rbp", "ebp", "bp", "bpl", "bpl"},
    {"r12", "r12d", "r12w", "r12b", "r12b"}, {"r13", "r13d", "r13w", "r13b", "r13b"},
    {"r14", "r14d", "r14w", "r14b", "r14b"}, {"r15", "r15d", "r15w", "r15b", "r15b"}};

/* ---- words of a line ---- */

const char *line_end(const char *line)
{
    return line + strcspn(line, "\n");
}

bool line_has(const char *text, const char *end, const char *word)
{
    return memmem(text, (size_t)(end - text), word, strlen(word)) != NULL;
}

bool assembly_is_name(char c)
{
    return c && (strchr("_.$@", c) || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                 (c >= 'A' && c <= 'Z'));
}

unsigned assembly_register(const char *text, bool *full)
{
    size_t length = 0;
    while (assembly_is_name(text[length]))
        length++;
    for (unsigned i = 0; i < ASSEMBLY_REGISTERS; i++)
        for (unsigned k = 0; k < ASSEMBLY_NAMES; k++)
            if (strlen(assembly_registers[i][k]) == length &&
                memcmp(assembly_registers[i][k], text, length) == 0) {
                *full = k < FULL_NAMES;
                return 1U << i;
            }
    return 0;
}

unsigned assembly_registers_in(const char *text, const char *end)
{
    unsigned set = 0;
    bool full;
    for (; text < end; text++)
        if (*text == '%')
            set |= assembly_register(text + 1, &full);
    return set;
}

const char *assembly_last_operand(const char *text, const char *end)
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

bool assembly_writes_last(const char *mnemonic, size_t length)
{
    static const char *const words[] = {"mov",    "movq",   "movl",   "movabs", "movabsq",
                                        "lea",    "leaq",   "leal",   "movzbl", "movzwl",
                                        "movzbq", "movzwq", "movsbl", "movswl", "movsbq",
                                        "movswq", "movslq", "movd",   "pop",    "popq"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_is(mnemonic, length, words[i]))
            return true;
    return false;
}

bool assembly_is_plain(const char *mnemonic, size_t length)
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
        if (text_is(mnemonic, length, words[i]))
            return true;
    return (length > 3 && text_starts(mnemonic, "set")) ||
           (length > 4 && text_starts(mnemonic, "cmov"));
}

static bool clears(const char *operands, const char *end)
{
    const char *last = assembly_last_operand(operands, end);
    bool full = false, same_full = false;
    if (!last || *operands != '%')
        return false;
    last += strspn(last, " \t");
    return *last == '%' && assembly_register(operands + 1, &full) &&
           assembly_register(operands + 1, &full) == assembly_register(last + 1, &same_full) &&
           full && same_full;
}

static void set_jump(struct instruction *made, const char *mnemonic, size_t length,
                     const char *operands)
{
    bool always = text_is(mnemonic, length, "jmp") || text_is(mnemonic, length, "jmpq");
    made->goes_on = !always;
    made->target = operands;
    while (assembly_is_name(operands[made->target_length]))
        made->target_length++;
    made->goes_anywhere = made->target_length == 0;
}

/* What an instruction reads, writes, and where it goes. */
static void read_instruction(const char *text, const char *end, struct instruction *made)
{
    size_t length = strcspn(text, " \t\n");
    const char *operands = text + length + strspn(text + length, " \t");
    const char *last = assembly_last_operand(operands, end);
    bool full = false;
    made->goes_on = true;
    made->reads = (uint8_t)assembly_registers_in(text, end);
    if (memchr(text, ';', (size_t)(end - text)) || memchr(text, '"', (size_t)(end - text))) {
        made->goes_anywhere = true;
    } else if (text_is(text, length, "call") || text_is(text, length, "callq")) {
        made->is_call = true;
    } else if (*text == 'j') {
        set_jump(made, text, length, operands);
    } else if (assembly_writes_last(text, length)) {
        const char *to = last ? last + strspn(last, " \t") : operands;
        unsigned written = *to == '%' ? assembly_register(to + 1, &full) : 0;
        if (written && full) {
            made->writes = (uint8_t)written;
            made->reads = last ? (uint8_t)assembly_registers_in(operands, last) : 0;
        }
    } else if ((text_is(text, length, "xorl") || text_is(text, length, "xor") ||
                text_is(text, length, "xorq")) &&
               clears(operands, end)) {
        made->writes = made->reads;
        made->reads = 0;
    } else if (!assembly_is_plain(text, length) && !line_has(text, end, "%xmm")) {
        made->goes_anywhere = true; /* ret, leave, ud2, string instructions, ... */
    }
}

/* ---- the listing ---- */

/* The register that a directive names, by its name or by its number in DWARF: its bit, 0 for %rsp,
 * ASSEMBLY_ALL for others. */
static unsigned named_in(const char *operand)
{
    static const int8_t by_number[] = {-1, -1, -1, 0, -1, -1, ASSEMBLY_RBP, -2, -1, -1,
                                       -1, -1, 2,  3, 4,  5};
    bool full = false;
    char *end;
    if (text_starts(operand, "%rsp"))
        return 0;
    if (*operand == '%') {
        unsigned found = assembly_register(operand + 1, &full);
        return found && full ? found : ASSEMBLY_ALL;
    }
    unsigned long number = strtoul(operand, &end, 10);
    if (end == operand || number >= sizeof by_number || by_number[number] == -1)
        return ASSEMBLY_ALL;
    return by_number[number] == -2 ? 0 : 1U << by_number[number];
}

static bool is_directive(const char *text, const char *name, const char **operand)
{
    size_t length = strlen(name);
    if (strncmp(text, name, length) != 0 || assembly_is_name(text[length]))
        return false;
    *operand = text + length + strspn(text + length, " \t");
    return true;
}

static void see_saved(struct assembly *listing, const char *operand)
{
    const char *offset = assembly_last_operand(operand, line_end(operand));
    unsigned long at = offset ? strtoul(offset + strspn(offset, " \t-"), NULL, 10) : SIZE_MAX;
    if (at > listing->current.deepest)
        listing->current.deepest = at;
    if (named_in(operand) != ASSEMBLY_ALL)
        listing->saved |= (uint8_t)named_in(operand);
}

static void remember(struct assembly *listing)
{
    listing->remembered[listing->remembered_count].saved = listing->saved;
    listing->remembered[listing->remembered_count++].depth = listing->depth;
}

static void recall(struct assembly *listing)
{
    listing->saved = listing->remembered[--listing->remembered_count].saved;
    listing->depth = listing->remembered[listing->remembered_count].depth;
}

/* Which registers are saved here, and by which the frame is found. */
static void read_unwinding(struct assembly *listing, const char *text)
{
    const char *operand;
    if (is_directive(text, ".cfi_lsda", &operand) || is_directive(text, ".cfi_escape", &operand))
        listing->kept = ASSEMBLY_ALL;
    else if (is_directive(text, ".cfi_def_cfa_register", &operand) ||
             is_directive(text, ".cfi_def_cfa", &operand))
        listing->kept |=
            (uint8_t)(named_in(operand) & ~(1U << ASSEMBLY_RBP) ? ASSEMBLY_ALL : named_in(operand));
    else if (is_directive(text, ".cfi_offset", &operand))
        see_saved(listing, operand);
    else if (is_directive(text, ".cfi_def_cfa_offset", &operand))
        listing->depth = strtoul(operand, NULL, 10);
    else if (is_directive(text, ".cfi_adjust_cfa_offset", &operand))
        listing->depth += (size_t)strtol(operand, NULL, 10);
    else if (is_directive(text, ".cfi_rel_offset", &operand))
        listing->current.deepest = SIZE_MAX;
    else if (is_directive(text, ".cfi_restore", &operand))
        listing->saved &= (uint8_t)~named_in(operand);
    else if (is_directive(text, ".cfi_remember_state", &operand) &&
             listing->remembered_count < ASSEMBLY_REMEMBERED)
        remember(listing);
    else if (is_directive(text, ".cfi_restore_state", &operand) && listing->remembered_count > 0)
        recall(listing);
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
static void cut(struct assembly *listing)
{
    size_t count = listing->instructions.length;
    if (count > 0 && listing->instructions.items[count - 1].goes_on)
        listing->instructions.items[count - 1].goes_anywhere = true;
    for (size_t i = listing->labels.length; i-- > 0;) {
        if (listing->labels.items[i].instruction != count)
            break;
        listing->labels.items[i].instruction = SIZE_MAX;
    }
}

/* A function begins, or ends. */
static void begin_function(struct assembly *listing)
{
    listing->current = (struct function){.first = listing->instructions.length,
                                         .first_label = listing->labels.length};
    listing->depth = RETURN_ADDRESS;
    listing->kept = listing->saved = 0;
    listing->remembered_count = 0;
}

/* False when memory is refused. */
static bool end_function(struct assembly *listing)
{
    listing->current.end = listing->instructions.length;
    listing->current.end_label = listing->labels.length;
    for (size_t i = listing->current.first; i < listing->current.end; i++)
        listing->instructions.items[i].kept = listing->kept;
    cut(listing);
    return vector_push(&listing->functions, listing->current);
}

/* False when memory is refused. */
static bool read_directive(struct assembly *listing, const char *text)
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
        bool ended = end_function(listing);
        begin_function(listing);
        return ended;
    }
    return true;
}

/* False when memory is refused. */
static bool read_line(struct assembly *listing, const char *line)
{
    const char *end = line_end(line), *text = line + strspn(line, " \t");
    const char *comment = memchr(text, '#', (size_t)(end - text));
    size_t name = 0;
    while (assembly_is_name(text[name]))
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
        return read_directive(listing, text);
    }
    struct instruction made = {
        .line = line, .saved = listing->saved, .depth = listing->depth, .words_read = UINT64_MAX};
    read_instruction(text, end, &made);
    return vector_push(&listing->instructions, made);
}

bool assembly_read(struct assembly *listing, const char *assembly)
{
    listing->is_readable = true;
    for (const char *line = assembly; *line; line = line_end(line) + (*line_end(line) != '\0'))
        if (!read_line(listing, line))
            return false;
    return true;
}

void assembly_init(struct assembly *listing, struct budget *budget)
{
    *listing = (struct assembly){0};
    vectors_init(budget, &listing->instructions, &listing->labels, &listing->functions);
}

void assembly_release(struct assembly *listing)
{
    vectors_release(&listing->instructions, &listing->labels, &listing->functions);
}
