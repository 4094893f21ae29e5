#include "scenario/frame_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL_WORDS UINT64_MAX

struct frame {
    struct assembly *listing;
    const struct function *function;
    size_t size, depth; /* bytes; of its instructions */
    uint64_t words;     /* that are written, or whose address is taken */
    bool is_known;
};

static uint64_t words_from(size_t from, size_t size)
{
    uint64_t words = 0;
    for (size_t at = from / FRAME_WORD; at * FRAME_WORD < from + size && at < FRAME_WORDS; at++)
        words |= UINT64_C(1) << at;
    return words;
}

/* Whether the text from `text` on is "<number>(%rsp)" and no more; its end. */
static const char *read_place(const char *text, size_t *at)
{
    char *end;
    *at = *text == '(' ? 0 : strtoul(text, &end, 10);
    if (*text != '(' && (*text < '0' || *text > '9'))
        return NULL;
    const char *base = *text == '(' ? text : end;
    return text_starts(base, "(%rsp)") ? base + strlen("(%rsp)") : NULL;
}

/* The number of a callback behind one of these words, as in ..._read8: 1, 2, 4 or 8 bytes, or bits;
 * 0: none of them. */
static unsigned width_behind(const char *name, const char *word, const char **behind)
{
    char *end;
    if (!text_starts(name, word))
        return 0;
    unsigned long width = strtoul(name + strlen(word), &end, 10);
    *behind = end;
    return end == name + strlen(word) ? 0 : (unsigned)width;
}

static bool is_end_of_name(const char *text)
{
    return !assembly_is_name(*text) || text_starts(text, "@PLT");
}

static const char *callee(const struct instruction *call)
{
    const char *text = call->line + strspn(call->line, " \t");
    text += strcspn(text, " \t");
    return text + strspn(text, " \t");
}

/* Bytes that a callback says are about to be accessed plainly; 0: it is none of these. */
static unsigned width_of_plain(const char *name)
{
    const char *behind = name;
    unsigned width = width_behind(name, "__tsan_read", &behind);
    if (!width)
        width = width_behind(name, "__tsan_write", &behind);
    return is_end_of_name(behind) && width <= 8 ? width : 0;
}

/* Of a callback for an atomic access, in front of its operation, with at most six arguments. */
static unsigned width_of_atomic(const char *name, const char **operation)
{
    unsigned bits = width_behind(name, "__tsan_atomic", operation);
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

static unsigned width_of_compare(const char *name)
{
    static const char *const words[] = {"_compare_exchange_strong", "_compare_exchange_weak"};
    const char *operation;
    unsigned width = width_of_atomic(name, &operation);
    for (size_t i = 0; width && i < sizeof words / sizeof *words; i++)
        if (text_starts(operation, words[i]) && is_end_of_name(operation + strlen(words[i])))
            return width;
    return 0;
}

static bool mentions(const struct instruction *one, const char *const names[], unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (line_has(one->line, line_end(one->line), names[i]))
            return true;
    return false;
}

/* An argument of the next call is the address of a word, set by an instruction: whether that call
 * is one that is known, and there before anything else is done with it. */
static bool is_given(struct frame *frame, size_t number, bool first, size_t at)
{
    static const char *const names[2][4] = {{"%rsi", "%esi", "%si", "%sil"},
                                            {"%rdi", "%edi", "%di", "%dil"}};
    struct instruction *items = frame->listing->instructions.items;
    for (size_t i = number + 1; i < frame->function->end; i++) {
        struct instruction *one = &items[i];
        if (one->target || one->goes_anywhere)
            return false;
        if (one->is_call && first)
            return width_of_plain(callee(one)) > 0;
        if (one->is_call) {
            unsigned width = width_of_compare(callee(one));
            one->words_read |= words_from(at, width);
            frame->words |= words_from(at, width);
            return width > 0;
        }
        if (mentions(one, names[first], 4))
            return false;
    }
    return false;
}

/* Whether a line is `mnemonic` with these operands. */
static bool is_line(const struct instruction *one, const char *mnemonic, const char *operands)
{
    const char *text = one->line + strspn(one->line, " \t");
    size_t length = strlen(mnemonic);
    if (!text_starts(text, mnemonic) || (text[length] != ' ' && text[length] != '\t'))
        return false;
    text += length + strspn(text + length, " \t");
    length = strlen(operands);
    return text_starts(text, operands) && text[length + strspn(text + length, " \t")] == '\n';
}

/* A register that calls preserve has the address of a word: whether it is put there once, and only
 * given to such calls. */
static bool is_kept_in(struct frame *frame, size_t number, unsigned preserved, size_t at)
{
    const struct assembly *listing = frame->listing;
    const char *name = assembly_registers[preserved][0];
    char push[8], to_first[24], to_second[24];
    snprintf(push, sizeof push, "%%%s", name);
    snprintf(to_first, sizeof to_first, "%%%s, %%rdi", name);
    snprintf(to_second, sizeof to_second, "%%%s, %%rsi", name);
    for (size_t i = frame->function->first; i < frame->function->end; i++) {
        const struct instruction *one = &listing->instructions.items[i];
        bool first = is_line(one, "movq", to_first), second = is_line(one, "movq", to_second);
        if (i == number || !assembly_registers_in(one->line, line_end(one->line)) ||
            !(assembly_registers_in(one->line, line_end(one->line)) & 1U << preserved) ||
            is_line(one, "pushq", push) || is_line(one, "popq", push))
            continue;
        if (!(first || second) || !is_given(frame, i, first, at))
            return false;
    }
    return true;
}

/* The address of a word is taken; `to`: into which register. */
static bool is_address_known(struct frame *frame, size_t number, size_t at, const char *to)
{
    bool full = false;
    to += strspn(to, " \t");
    if (text_starts(to, "%rdi") || text_starts(to, "%rsi"))
        return is_given(frame, number, text_starts(to, "%rdi"), at);
    unsigned set = *to == '%' ? assembly_register(to + 1, &full) : 0;
    return set && full && is_kept_in(frame, number, (unsigned)__builtin_ctz(set), at);
}

/* What an instruction that mentions %rsp does with the frame; false: that is not known. */
static bool see_access(struct frame *frame, size_t number)
{
    struct instruction *one = &frame->listing->instructions.items[number];
    const char *end = line_end(one->line), *text = one->line + strspn(one->line, " \t");
    size_t length = strcspn(text, " \t\n"), at;
    const char *operands = text + length + strspn(text + length, " \t");
    const char *last = assembly_last_operand(operands, end), *behind;
    bool moves = text_is(text, length, "movq") || text_is(text, length, "movl");
    if (one->depth != frame->depth || !last)
        return false;
    last += strspn(last, " \t");
    if (text_is(text, length, "leaq") && (behind = read_place(operands, &at)) && *behind == ',')
        return is_address_known(frame, number, at, last);
    if (text_is(text, length, "movq") && text_starts(operands, "%rsp,"))
        return is_address_known(frame, number, 0, last);
    if ((behind = read_place(last, &at)) && behind[strspn(behind, " \t")] == '\n' && moves &&
        !memmem(operands, (size_t)(last - operands), "%rsp", 4)) {
        if (at % FRAME_WORD == 0)
            one->words_written = words_from(at, text[3] == 'q' ? 8 : 4);
        frame->words |= one->words_written;
        return true;
    }
    if ((behind = read_place(operands, &at)) && *behind == ',' &&
        !memmem(last, (size_t)(end - last), "%rsp", 4) &&
        (assembly_writes_last(text, length) || assembly_is_plain(text, length)) &&
        !line_has(text, end, "mm")) {
        one->words_read = words_from(at, 8);
        return true;
    }
    one->words_read = ALL_WORDS; /* some access of another kind */
    return (read_place(operands, &at) || read_place(last, &at)) && !line_has(text, end, "lea");
}

/* The one instruction that takes the frame from the stack; where it is given back, no word is of
 * use any more. */
static void see_size(struct frame *frame)
{
    const struct assembly *listing = frame->listing;
    char operands[32];
    unsigned found = 0;
    for (size_t i = frame->function->first; i < frame->function->end; i++) {
        const struct instruction *one = &listing->instructions.items[i];
        const char *text = one->line + strspn(one->line, " \t");
        if (!text_starts(text, "subq") || !(text = strstr(text, "$")) || text > line_end(one->line))
            continue;
        size_t size = strtoul(text + 1, NULL, 10);
        snprintf(operands, sizeof operands, "$%zu, %%rsp", size);
        if (!is_line(one, "subq", operands))
            continue;
        found++;
        frame->size = size;
        frame->depth = one->depth + size;
        frame->is_known = found == 1 && size > 0 && size <= FRAME_WORDS * FRAME_WORD &&
                          frame->function->deepest <= one->depth;
    }
}

/* Jumps to other places of the file than its own may come back. */
static bool leaves(const struct frame *frame, const struct instruction *one)
{
    const struct label *labels = frame->listing->labels.items;
    for (size_t i = frame->function->first_label; one->target && i < frame->function->end_label;
         i++)
        if (labels[i].length == one->target_length &&
            memcmp(labels[i].name, one->target, one->target_length) == 0)
            return false;
    return one->target && one->target_length > 0 && *one->target == '.';
}

/* A call that accesses no more of the frame than what it is given the address of. */
static bool is_callback(const struct instruction *call)
{
    const char *operation;
    return width_of_plain(callee(call)) || width_of_atomic(callee(call), &operation) ||
           text_starts(callee(call), "__tsan_atomic_thread_fence");
}

/* Who calls them may come to the same place a second time. */
static bool returns_twice(const struct instruction *call)
{
    static const char *const words[] = {"setjmp", "context", "fork", "savectx"};
    return mentions(call, words, sizeof words / sizeof *words);
}

static void see_instruction(struct frame *frame, size_t number)
{
    static const char *const stack[] = {"%rsp", "%esp", "%sp", "%spl"};
    static const char *const pushes[] = {"push", "pop"};
    struct instruction *one = &frame->listing->instructions.items[number];
    char operands[32];
    snprintf(operands, sizeof operands, "$%zu, %%rsp", frame->size);
    frame->is_known &= !leaves(frame, one);
    if (is_line(one, "subq", operands) || is_line(one, "addq", operands)) {
        one->words_written = ALL_WORDS;
    } else if (mentions(one, stack, 4)) {
        frame->is_known &= see_access(frame, number);
    } else if (one->is_call) {
        if (one->depth != frame->depth || !is_callback(one))
            one->words_read = ALL_WORDS;
        frame->is_known &= !returns_twice(one);
    } else if (one->depth == frame->depth) {
        frame->is_known &= !mentions(one, pushes, 2);
    }
}

void frame_words_find(struct assembly *listing, const struct function *function)
{
    struct frame frame = {.listing = listing, .function = function};
    struct instruction *items = listing->instructions.items;
    see_size(&frame);
    for (size_t i = function->first; i < function->end; i++) {
        frame.is_known &= items[i].kept == 0;
        items[i].words_read = 0;
    }
    for (size_t i = function->first; frame.is_known && i < function->end; i++)
        see_instruction(&frame, i);
    frame.words &= words_from(0, frame.size);
    for (size_t i = function->first; i < function->end; i++) {
        if (!frame.is_known)
            items[i].words_read = ALL_WORDS;
        else if (items[i].is_call && items[i].depth == frame.depth)
            items[i].words = frame.words;
    }
}
