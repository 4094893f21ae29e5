/* Registers that hold nothing any more: random functions in assembly, run by a machine of the
 * test's own before and after they were set. What calls are given, what is left in the registers
 * that calls preserve when the function returns, and where it goes, must be the same. */
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
    MOST_STEPS = 200,
    MOST_LINES = 256
};

static const char *const names[REGISTERS] = {"rbx", "r12", "r13", "rax"};
static const char *const halves[REGISTERS] = {"ebx", "r12d", "r13d", "eax"};

/* ---- functions ---- */

static void write_line(struct random *random, unsigned line, struct text *text)
{
    unsigned a = random_below(random, REGISTERS), b = random_below(random, REGISTERS);
    text_format(text, ".L%u:\n", line);
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
                    names[random_below(random, REGISTERS)]);
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
        text_format(text, "\tmovq\t%%%s, %%rdi\n\tcall\tsee\n", names[a]);
        break;
    }
}

/* Saves the first `saved` registers, and gives them back. */
static void write_function(struct random *random, struct text *text)
{
    unsigned saved = random_below(random, REGISTERS);
    static const unsigned numbers[] = {3, 12, 13};
    text_append(text, "\t.text\nf:\n\t.cfi_startproc\n");
    for (unsigned i = 0; i < saved; i++)
        text_format(text, "\tpushq\t%%%s\n\t.cfi_def_cfa_offset %u\n\t.cfi_offset %u, -%u\n",
                    names[i], 16 + 8 * i, numbers[i], 16 + 8 * i);
    for (unsigned i = 0; i < LINES; i++)
        write_line(random, i, text);
    text_append(text, "\t.cfi_remember_state\n");
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
    bool zero;
    uint64_t seen[MOST_STEPS + REGISTERS]; /* what calls were given, and what is left */
    unsigned seen_count, set_count;        /* of registers that were set by who clears them */
};

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

static uint64_t get(const struct machine *machine, const char *operand)
{
    bool half;
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
    if (strncmp(line, "\tmovq", 5) == 0 && strncmp(last, "%rdi", 4) == 0) {
        machine->rdi = get(machine, first);
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
        machine->seen[machine->seen_count++] = machine->rdi;
        machine->registers[REGISTERS - 1] = machine->seen_count % 2; /* %rax, with the answer */
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
    }
    unsigned at = line_of(machine, "f\n");
    for (unsigned i = 0; i < 20 * MOST_STEPS && at < MOST_LINES; i++) {
        if (machine->seen_count == MOST_STEPS / 4)
            return;
        at = step(machine, at);
    }
    for (unsigned i = 0; at == MOST_LINES && i + 1 < REGISTERS; i++)
        machine->seen[machine->seen_count++] = machine->registers[i];
}

static void what_is_set_makes_no_difference(void **state)
{
    unsigned set_count = 0;
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
        text_release(&text);
        text_release(&cleared);
    }
    print_message("%u registers set\n", set_count);
    assert_true(set_count > seeds.count / 4);
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

/* test_dead_registers [FIRST_SEED [FUNCTIONS]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    budget_init(&budget, NULL, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_set_makes_no_difference),
        cmocka_unit_test(registers_that_somebody_may_read_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
