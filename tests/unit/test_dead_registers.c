/* Registers that hold nothing any more: random functions in assembly, run by a machine of the
 * test's own before and after they were set; and words of their frames. What calls are given, what
 * they find in the frame, what is left in the registers that calls preserve when the function
 * returns, and where it goes, must be the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "scenario/dead_registers.h"
#include "support/seeds.h"

static struct budget budget;
static struct seeds seeds = {.first = 1, .count = 2000};

enum {
    REGISTERS = 4,
    LINES = 24,
    FRAME = 24, /* bytes */
    MOST_STEPS = 200,
    MOST_SEEN = 8 * MOST_STEPS,
    MOST_LINES = 2048
};

static const char *const names[REGISTERS] = {"rbx", "r12", "r13", "rax"};
static const char *const halves[REGISTERS] = {"ebx", "r12d", "r13d", "eax"};

/* ---- functions ---- */

static unsigned place(struct random *random, unsigned size)
{
    return 4 * random_below(random, (FRAME - size) / 4 + 1);
}

static void write_argument(struct random *random, unsigned keeps, const char *to, struct text *text)
{
    if (keeps < REGISTERS && random_chance(random, 1, 2))
        text_format(text, "\tmovq\t%%%s, %%%s\n", names[keeps], to);
    else if (random_chance(random, 1, 4))
        text_format(text, "\tmovq\t%%rsp, %%%s\n", to);
    else
        text_format(text, "\tleaq\t%u(%%rsp), %%%s\n", place(random, 8), to);
}

/* What is done with words of the frame; the register `keeps` has the address of one. */
static void write_access(struct random *random, unsigned keeps, struct text *text)
{
    unsigned a = random_below(random, keeps < REGISTERS ? keeps : REGISTERS);
    switch (random_below(random, 12)) {
    case 0:
    case 1:
        text_format(text, "\tmovq\t%%%s, %u(%%rsp)\n", names[a], place(random, 8));
        break;
    case 2:
        text_format(text, "\tmovl\t$%u, %u(%%rsp)\n", random_below(random, 9), place(random, 4));
        break;
    case 3:
        text_format(text, "\tmovl\t%%%s, %u(%%rsp)\n", halves[a], place(random, 4));
        break;
    case 4:
    case 5:
        text_format(text, "\tmovq\t%u(%%rsp), %%%s\n", place(random, 8), names[a]);
        break;
    case 6:
        text_format(text, "\taddq\t%u(%%rsp), %%%s\n", place(random, 8), names[a]);
        break;
    case 7:
        write_argument(random, keeps, "rdi", text);
        text_append(text, random_chance(random, 1, 2) ? "\tcall\t__tsan_write8\n"
                                                      : "\tcall\t__tsan_read8@PLT\n");
        break;
    case 8:
        if (random_chance(random, 1, 8)) { /* somebody may keep it */
            write_argument(random, keeps, "rdi", text);
            text_append(text, "\tcall\tsee\n");
            break;
        }
        if (random_chance(random, 1, 8)) {
            write_argument(random, keeps, "rax", text);
            break;
        }
        /* fall through */
    default:
        write_argument(random, keeps, "rsi", text);
        text_format(text, "\tmovq\t%%%s, %%rdi\n\tcall\t__tsan_atomic%u_compare_exchange_%s\n",
                    names[a], random_chance(random, 1, 3) ? 32 : 64,
                    random_chance(random, 1, 2) ? "strong@PLT" : "weak");
    }
}

static void write_line(struct random *random, unsigned line, bool frame, unsigned keeps,
                       struct text *text)
{
    unsigned below = keeps < REGISTERS ? keeps : REGISTERS;
    unsigned a = random_below(random, below), b = random_below(random, below);
    text_format(text, ".L%u:\n", line);
    if (frame && random_chance(random, 1, 2)) {
        write_access(random, keeps, text);
        return;
    }
    switch (random_below(random, 12)) {
    case 0:
    case 1:
        text_format(text, "\tmovq\t%%%s, %%%s\n", names[a], names[b]);
        break;
    case 2:
        text_format(text, "\tmovl\t$%u, %%%s\n", random_below(random, 9), halves[b]);
        break;
    case 3:
        text_format(text, "\txorl\t%%%s, %%%s\t# to 0\n", halves[a], halves[a]);
        break;
    case 4:
        text_format(text, "\tleaq\t3(%%%s,%%%s), %%%s\n", names[a], names[b],
                    names[random_below(random, below)]);
        break;
    case 5:
        text_format(text, "\taddq\t%%%s, %%%s\n", names[a], names[b]);
        break;
    case 6:
        text_format(text, "\ttestq\t%%%s, %%%s\n\tjne\t.L%u\n", names[a], names[a],
                    random_below(random, LINES));
        break;
    case 7:
        if (random_chance(random, 1, 3)) {
            text_format(text, "\tjmp\t.L%u\n", random_below(random, LINES));
            break;
        }
        /* fall through */
    default:
        text_format(text, "\tmovq\t%%%s, %%rdi\n\tcall\t%s\n", names[a],
                    frame && random_chance(random, 3, 4) ? "__tsan_atomic64_load" : "see");
        break;
    }
}

/* Saves the first `saved` registers, and gives them back. */
static void write_function(struct random *random, struct text *text)
{
    unsigned saved = random_below(random, REGISTERS);
    static const unsigned numbers[] = {3, 12, 13};
    bool frame = random_chance(random, 2, 3);
    unsigned keeps = frame && saved == 3 && random_chance(random, 1, 2) ? 2 : REGISTERS;
    text_append(text, "\t.text\nf:\n\t.cfi_startproc\n");
    for (unsigned i = 0; i < saved; i++)
        text_format(text, "\tpushq\t%%%s\n\t.cfi_def_cfa_offset %u\n\t.cfi_offset %u, -%u\n",
                    names[i], 16 + 8 * i, numbers[i], 16 + 8 * i);
    if (frame)
        text_format(text, "\tsubq\t$%u, %%rsp\n\t.cfi_def_cfa_offset %u\n", FRAME,
                    8 + 8 * saved + FRAME);
    if (keeps < REGISTERS)
        text_format(text, "\tleaq\t%u(%%rsp), %%%s\n", place(random, 8), names[keeps]);
    for (unsigned i = 0; i < LINES; i++)
        write_line(random, i, frame, keeps, text);
    text_append(text, "\t.cfi_remember_state\n");
    if (frame)
        text_format(text, "\taddq\t$%u, %%rsp\n\t.cfi_def_cfa_offset %u\n", FRAME, 8 + 8 * saved);
    for (unsigned i = saved; i-- > 0;)
        text_format(text, "\tpopq\t%%%s\n\t.cfi_restore %u\n", names[i], numbers[i]);
    text_append(text, "\tret\n\t.cfi_restore_state\n\t.cfi_endproc\n");
}

/* ---- the machine ---- */

struct machine {
    const char *lines[MOST_LINES];
    unsigned line_count;
    uint64_t registers[REGISTERS], rdi, stack[REGISTERS];
    unsigned depth;
    uint8_t frame[FRAME];
    uint64_t rsi;             /* RSP and more: an address in the frame */
    bool zero, escaped;       /* somebody else knows of the frame */
    uint64_t seen[MOST_SEEN]; /* what calls were given, what they find, and what is left */
    unsigned calls, seen_count;
    unsigned set_count, word_count; /* of registers, words that were set by who clears them */
};

#define RSP UINT64_C(0x7000000000000000)

static void see(struct machine *machine, uint64_t value)
{
    assert_true(machine->seen_count < MOST_SEEN);
    machine->seen[machine->seen_count++] = value;
}

static void see_frame(struct machine *machine)
{
    uint64_t word;
    for (unsigned i = 0; i < FRAME; i += sizeof word) {
        memcpy(&word, machine->frame + i, sizeof word);
        see(machine, word);
    }
}

/* A call: what it finds, and does. */
static void call(struct machine *machine, const char *name)
{
    uint64_t word = 0;
    bool plain = strncmp(name, "__tsan_write", 12) == 0 || strncmp(name, "__tsan_read", 11) == 0;
    if (machine->calls++ == MOST_STEPS)
        return;
    see(machine, machine->rdi);
    if (strncmp(name, "see", 3) == 0) {
        machine->escaped |= machine->rdi >= RSP;
        see_frame(machine);
    } else if (strstr(name, "compare_exchange") &&
               strstr(name, "compare_exchange") < strchr(name, '\n')) {
        unsigned size = strncmp(name, "__tsan_atomic32", 15) == 0 ? 4 : 8;
        uint8_t *expected = machine->frame + (machine->rsi - RSP);
        memcpy(&word, expected, size);
        see(machine, word);
        word = 77 + machine->calls;
        if (word * 2654435761U >> 7 & 1)
            memcpy(expected, &word, size);
    } else if (machine->escaped && !plain) {
        see_frame(machine);
    }
    machine->rdi = machine->rsi = 5;                        /* calls do not preserve them */
    machine->registers[REGISTERS - 1] = machine->calls % 2; /* %rax, with the answer */
}

static unsigned number_of(const char *operand, bool *half)
{
    for (unsigned i = 0; i < REGISTERS; i++) {
        *half = strncmp(operand + 1, halves[i], strlen(halves[i])) == 0;
        if (*half || strncmp(operand + 1, names[i], strlen(names[i])) == 0)
            return i;
    }
    fail_msg("which register is %.8s?", operand);
    return 0;
}

static unsigned line_of(const struct machine *machine, const char *label)
{
    size_t length = strcspn(label, "\n");
    for (unsigned i = 0; i < machine->line_count; i++)
        if (strncmp(machine->lines[i], label, length) == 0 && machine->lines[i][length] == ':')
            return i;
    fail_msg("where is %.8s?", label);
    return 0;
}

static void set(struct machine *machine, const char *operand, uint64_t value)
{
    bool half;
    unsigned number = number_of(operand, &half);
    machine->registers[number] = half ? (uint32_t)value : value;
    machine->zero = value == 0;
}

static bool is_word(const char *operand)
{
    return *operand == '(' || (*operand >= '0' && *operand <= '9');
}

static uint64_t get(const struct machine *machine, const char *operand)
{
    bool half;
    uint64_t word;
    if (strncmp(operand, "%rsp", 4) == 0)
        return RSP;
    if (is_word(operand)) {
        memcpy(&word, machine->frame + strtoul(operand, NULL, 10), sizeof word);
        return word;
    }
    return machine->registers[number_of(operand, &half)];
}

/* Makes one step; returns the next line. */
static unsigned step(struct machine *machine, unsigned at)
{
    const char *line = machine->lines[at];
    const char *first = strpbrk(line + 1, "\t\n"), *last = line + strcspn(line, "\n");
    first += *first == '\t';
    while (last > line && last[-1] != ' ' && last[-1] != '\t')
        last--;
    bool reads_frame = strncmp(line, "\tleaq", 5) == 0 && strstr(line, "(%rsp)") &&
                       strstr(line, "(%rsp)") < line + strcspn(line, "\n");
    uint64_t address = reads_frame ? RSP + strtoul(first, NULL, 10) : 0;
    if (reads_frame || (strncmp(line, "\tmovq\t%rsp", 10) == 0)) {
        address = address ? address : RSP;
        if (strncmp(last, "%rdi", 4) == 0) {
            machine->rdi = address;
        } else if (strncmp(last, "%rsi", 4) == 0) {
            machine->rsi = address;
        } else {
            bool zero = machine->zero;
            set(machine, last, address);
            machine->zero = zero;
            machine->escaped |= number_of(last, &zero) == REGISTERS - 1;
        }
    } else if ((strncmp(line, "\tsubq", 5) == 0 || strncmp(line, "\taddq", 5) == 0) &&
               strncmp(last, "%rsp", 4) == 0) {
        memset(machine->frame, 0, sizeof machine->frame); /* of no use any more */
    } else if (strncmp(line, "\tmov", 4) == 0 && is_word(last)) {
        uint64_t word = *first == '$' ? strtoul(first + 1, NULL, 10) : get(machine, first);
        memcpy(machine->frame + strtoul(last, NULL, 10), &word, line[4] == 'q' ? 8 : 4);
    } else if (strncmp(line, "\tmovq", 5) == 0 && strncmp(last, "%rdi", 4) == 0) {
        machine->rdi = get(machine, first);
    } else if (strncmp(line, "\tmovq", 5) == 0 && strncmp(last, "%rsi", 4) == 0) {
        machine->rsi = get(machine, first);
    } else if (strncmp(line, "\tmovq", 5) == 0) {
        bool zero = machine->zero;
        set(machine, last, get(machine, first));
        machine->zero = zero;
    } else if (strncmp(line, "\tmovl", 5) == 0) {
        bool zero = machine->zero;
        set(machine, last, strtoul(first + 1, NULL, 10));
        machine->zero = zero;
    } else if (strncmp(line, "\txorl", 5) == 0) {
        set(machine, first, 0);
    } else if (strncmp(line, "\tleaq", 5) == 0) {
        bool zero = machine->zero;
        const char *base = strchr(line, '('), *index = strchr(line, ',');
        set(machine, last, 3 + get(machine, base + 1) + get(machine, index + 1));
        machine->zero = zero;
    } else if (strncmp(line, "\taddq", 5) == 0) {
        set(machine, last, get(machine, first) + get(machine, last));
    } else if (strncmp(line, "\ttestq", 6) == 0) {
        machine->zero = get(machine, first) == 0;
    } else if (strncmp(line, "\tjne", 4) == 0) {
        return machine->zero ? at + 1 : line_of(machine, first);
    } else if (strncmp(line, "\tjmp", 4) == 0) {
        return line_of(machine, first);
    } else if (strncmp(line, "\tcall", 5) == 0) {
        call(machine, first);
    } else if (strncmp(line, "\tpushq", 6) == 0) {
        machine->stack[machine->depth++] = get(machine, first);
    } else if (strncmp(line, "\tpopq", 5) == 0) {
        set(machine, first, machine->stack[--machine->depth]);
    } else if (strncmp(line, "\tret", 4) == 0) {
        return MOST_LINES;
    }
    return at + 1;
}

/* Until it returns, or has made so many calls. */
static void run(struct machine *machine, const char *text)
{
    memset(machine, 0, sizeof *machine);
    for (unsigned i = 0; i < REGISTERS; i++)
        machine->registers[i] = 1000 + i;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        assert_true(machine->line_count < MOST_LINES);
        machine->lines[machine->line_count++] = line;
        machine->set_count += strncmp(line, "\tmovl\t$0, %", 11) == 0;
        machine->word_count += strncmp(line, "\tmovl\t$0, ", 10) == 0 && line[10] != '%';
    }
    unsigned at = line_of(machine, "f\n");
    for (unsigned i = 0; i < 20 * MOST_STEPS && at < MOST_LINES; i++) {
        if (machine->calls == MOST_STEPS / 4)
            return;
        at = step(machine, at);
    }
    for (unsigned i = 0; at == MOST_LINES && i + 1 < REGISTERS; i++)
        see(machine, machine->registers[i]);
}

static void what_is_set_makes_no_difference(void **state)
{
    unsigned set_count = 0, word_count = 0;
    (void)state;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        static struct machine before, after;
        struct text text = TEXT_EMPTY, cleared = TEXT_EMPTY;
        struct random random;
        random_seed(&random, seed);
        write_function(&random, &text);
        assert_int_equal(dead_registers_clear(text_string(&text), &budget, &cleared), STATUS_OK);
        run(&before, text_string(&text));
        run(&after, text_string(&cleared));
        /* Between calls there may be more or fewer steps: what both have seen is compared. */
        unsigned count =
            before.seen_count < after.seen_count ? before.seen_count : after.seen_count;
        if (memcmp(before.seen, after.seen, count * sizeof *before.seen) != 0)
            fail_msg("seed %llu:\n%s\nis made\n%s", (unsigned long long)seed, text_string(&text),
                     text_string(&cleared));
        set_count += after.set_count - before.set_count;
        word_count += after.word_count - before.word_count;
        text_release(&text);
        text_release(&cleared);
    }
    print_message("%u registers and %u words set\n", set_count, word_count);
    assert_true(set_count > seeds.count / 4 && word_count > seeds.count / 4);
}

/* ---- what must be left alone ---- */

/* Whether %rbx is set in a function of this body. */
static void expect(const char *body, bool expected)
{
    struct text text = TEXT_EMPTY, cleared = TEXT_EMPTY;
    text_format(&text, "f:\n\t.cfi_startproc\n\tpushq\t%%rbx\n\t.cfi_offset 3, -16\n%s", body);
    assert_int_equal(dead_registers_clear(text_string(&text), &budget, &cleared), STATUS_OK);
    bool sets = strstr(text_string(&cleared), "\tmovl\t$0, %ebx\n\tcall") != NULL;
    if (sets != expected || (!sets && strcmp(text_string(&text), text_string(&cleared)) != 0))
        fail_msg("%s\nis made\n%s", text_string(&text), text_string(&cleared));
    text_release(&text);
    text_release(&cleared);
}

static void registers_that_somebody_may_read_stay(void **state)
{
    (void)state;
    expect("\tcall\tg\n\tpopq\t%rbx\n\tret\n\t.cfi_endproc\n", true);
    expect("\tcall\tg\n\tmovb\t$1, %bl\n\tpopq\t%rbx\n\tret\n\t.cfi_endproc\n", false);
    expect("\tcall\t*8(%rbx)\n\tpopq\t%rbx\n\tret\n\t.cfi_endproc\n", false);
    expect("\tcall\tg\n\tjmp\t*%rax\n\tpopq\t%rbx\n\tret\n\t.cfi_endproc\n", false);
    expect("\tcall\tg\n\tjmp\th\n\tpopq\t%rbx\n\tret\n\t.cfi_endproc\n", false);
    /* Calls that do not come back, and who catches what they throw. */
    expect("\tcall\tg\n\t.cfi_endproc\nh:\n\tmovl\t$1, %ebx\n\tjmp\th\n", false);
    expect("\t.cfi_lsda 3,.L\n\tcall\tg\n\tpopq\t%rbx\n\tret\n\t.cfi_endproc\n", false);
    expect("\t.cfi_restore 3\n\tcall\tg\n\tmovl\t$1, %ebx\n\tret\n\t.cfi_endproc\n", false);
    /* What the linker changes, and what is another language. */
    expect("\tcall\t__tls_get_addr@PLT\n\tpopq\t%rbx\n\tret\n\t.cfi_endproc\n", false);
    expect("\t.intel_syntax noprefix\n\tcall\tg\n\tpop\trbx\n\tret\n\t.cfi_endproc\n", false);
    expect("\t.macro m\n\tcall\tg\n\t.endm\n\tpopq\t%rbx\n\tret\n\t.cfi_endproc\n", false);
    /* Another section may come in between. */
    expect("\tcall\tg\n\t.section a\n\tpopq\t%rbx\n\tret\n\t.cfi_endproc\n", false);
    expect("\tcall\tg\n\tjne\t.L1\n\tpopq\t%rbx\n\tret\n.L1:\n\t.cfi_endproc\n", false);
}

/* Whether words are set in a function with a frame of 16 bytes, and this in it. */
static void expect_words(const char *body, bool expected)
{
    struct text text = TEXT_EMPTY, cleared = TEXT_EMPTY;
    text_format(&text,
                "f:\n\t.cfi_startproc\n\tsubq\t$16, %%rsp\n\t.cfi_def_cfa_offset 24\n"
                "\tcall\t__tsan_atomic64_load\n\tmovq\t%%rax, 8(%%rsp)\n%s\tmovq\t8(%%rsp), %%rax\n"
                "\taddq\t$16, %%rsp\n\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\n",
                body);
    assert_int_equal(dead_registers_clear(text_string(&text), &budget, &cleared), STATUS_OK);
    bool sets = strstr(text_string(&cleared), "\tmovl\t$0, 8(%rsp)\n\tmovl\t$0, 12(%rsp)\n"
                                              "\tcall\t__tsan_atomic64_load") != NULL;
    if (sets != expected || (!sets && strcmp(text_string(&text), text_string(&cleared)) != 0))
        fail_msg("%s\nis made\n%s", text_string(&text), text_string(&cleared));
    text_release(&text);
    text_release(&cleared);
}

static void words_that_somebody_may_know_of_stay(void **state)
{
    (void)state;
    expect_words("", true);
    expect_words("\tcall\tg\n", true);
    expect_words("\tleaq\t8(%rsp), %rsi\n.LVL1:\n\tcall\t__tsan_atomic64_compare_exchange_strong\n",
                 true);
    expect_words("\tmovq\t%rsp, %rdi\n\tcall\t__tsan_read8\n", true);
    /* Who is given the address of a word may keep it. */
    expect_words("\tleaq\t8(%rsp), %rdi\n\tcall\tg\n", false);
    expect_words("\tmovq\t%rsp, %rdi\n\tcall\tg\n", false);
    expect_words("\tleaq\t8(%rsp), %rax\n", false);
    expect_words("\tmovq\t%rsp, (%rdx)\n", false);
    expect_words("\tleaq\t8(%rsp), %rdi\n\tcall\t__tsan_volatile_read8\n", false);
    expect_words("\tleaq\t8(%rsp), %rdi\n\tcall\t__tsan_atomic64_compare_exchange_strong\n", false);
    expect_words("\tleaq\t8(%rsp), %rsi\n\tcall\t__tsan_atomic128_compare_exchange_strong\n",
                 false);
    expect_words("\tleaq\t8(%rsp), %rsi\n\tmovq\t%rsi, g(%rip)\n"
                 "\tcall\t__tsan_atomic64_compare_exchange_strong\n",
                 false);
    expect_words("\tleaq\t8(%rsp), %rsi\n\tjmp\t.L1\n.L1:\n"
                 "\tcall\t__tsan_atomic64_compare_exchange_strong\n",
                 false);
    /* What is not at one distance from where the function was called. */
    expect_words("\tpushq\t$1\n\tcall\tg\n\tpopq\t%rax\n", false);
    expect_words("\tmovq\t-8(%rsp), %rax\n", false);
    expect_words("\tmovq\t8(%rsp,%rax,8), %rax\n", false);
    expect_words("\tandq\t$-32, %rsp\n", false);
    expect_words("\tsubq\t$8, %rsp\n\t.cfi_adjust_cfa_offset 8\n", false);
    /* Who comes back. */
    expect_words("\tcall\t_setjmp@PLT\n", false);
    expect_words("\tjne\t.L9\n", false);
    expect_words("\t.cfi_lsda 3,.L\n", false);
    expect_words("\t.cfi_offset 3, -24\n", false);
}

/* test_dead_registers [FIRST_SEED [FUNCTIONS]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    budget_init(&budget, NULL, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_set_makes_no_difference),
        cmocka_unit_test(registers_that_somebody_may_read_stay),
        cmocka_unit_test(words_that_somebody_may_know_of_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
