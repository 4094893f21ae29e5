#include "code/instruction.h"

struct stack_effect instruction_effect(const struct instruction *i)
{
    switch ((enum opcode)i->op) {
#define OPCODE_EFFECT(name, pops, pushes)                                                          \
    case OP_##name:                                                                                \
        return (struct stack_effect){pops, pushes};
        OPCODES(OPCODE_EFFECT)
#undef OPCODE_EFFECT
    default:
        assert(i->op < OP_COUNT);
        return (struct stack_effect){0, 0};
    }
}

struct slot_access instruction_slots(const struct instruction *i)
{
    uint32_t first = (uint32_t)i->operand;
    switch (i->op) {
    case OP_LOAD_SLOT:
    case OP_LOAD_OBJECT:
    case OP_LOAD_LARGE_AT:
    case OP_LOAD_LARGE:
        return (struct slot_access){first, 1, .reads = true};
    case OP_LOAD_SLOT_AT:
        return (struct slot_access){first, i->wide, .reads = true};
    case OP_ARRAY:
        return (struct slot_access){first,
                                    i->small == ARRAY_FIXED   ? 0
                                    : i->small == ARRAY_LARGE ? 1
                                                              : i->wide,
                                    .reads = i->small != ARRAY_FIXED};
    case OP_STORE_SLOT:
    case OP_STORE_OBJECT:
    case OP_STORE_LARGE:
        return (struct slot_access){first, 1, .writes = true};
    case OP_STORE_SLOT_AT:
        return (struct slot_access){first, i->wide, .writes = true};
    case OP_METHOD:         /* a method may do both */
    case OP_STORE_LARGE_AT: /* the other elements stay */
    case OP_FILL_LARGE:
        return (struct slot_access){first, 1, .reads = true, .writes = true};
    case OP_CHANNEL:
        return (struct slot_access){first, i->wide ? i->wide : 1, .reads = true};
    default:
        return (struct slot_access){0};
    }
}

/* Whether the code from `at` on is these instructions. */
static bool is_sequence(const struct code *code, uint32_t at, const uint8_t *ops, uint32_t count)
{
    bool same = at + count <= code->length;
    for (uint32_t i = 0; same && i < count; i++)
        same = code->instructions[at + i].op == ops[i];
    return same;
}

enum item_use code_item_use(const struct code *code, uint32_t at)
{
    static const uint8_t own[] = {OP_ADDRESS, OP_THREAD, OP_CHECK_RANGE, OP_AT};
    static const uint8_t peer[] = {OP_ADDRESS,  OP_PUSH,        OP_THREAD,
                                   OP_SUBTRACT, OP_CHECK_RANGE, OP_AT};
    enum item_use use = ITEM_OTHER;
    uint32_t behind = at;
    assert(at < code->length && instruction_names_shared(&code->instructions[at]));
    if (is_sequence(code, at, own, ARRAY_LENGTH(own))) {
        use = ITEM_OWN;
        behind = at + ARRAY_LENGTH(own);
    } else if (is_sequence(code, at, peer, ARRAY_LENGTH(peer)) &&
               instruction_word(&code->instructions[at + 1]) == datum_integer(1)) {
        use = ITEM_OF_PEER;
        behind = at + ARRAY_LENGTH(peer);
    }
    while (behind < code->length && code->instructions[behind].op == OP_OFFSET)
        behind++;
    bool linked = behind < code->length && code->instructions[behind].op == OP_LOAD_LINKED;
    return linked ? ITEM_OTHER : use;
}
