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

const char *opcode_name(enum opcode op)
{
    static const char *const names[] = {
#define OPCODE_NAME(name, pops, pushes) [OP_##name] = #name,
        OPCODES(OPCODE_NAME)
#undef OPCODE_NAME
    };
    assert(op < OP_COUNT);
    return names[op];
}

struct slot_access instruction_slots(const struct instruction *i)
{
    uint32_t first = (uint32_t)i->operand;
    switch (i->op) {
    case OP_LOAD_SLOT:
    case OP_LOAD_OBJECT:
        return (struct slot_access){first, 1, .reads = true};
    case OP_LOAD_SLOT_AT:
        return (struct slot_access){first, i->wide, .reads = true};
    case OP_STORE_SLOT:
    case OP_STORE_OBJECT:
        return (struct slot_access){first, 1, .writes = true};
    case OP_STORE_SLOT_AT:
        return (struct slot_access){first, i->wide, .writes = true};
    case OP_METHOD: /* a method may do both */
        return (struct slot_access){first, 1, .reads = true, .writes = true};
    case OP_CHANNEL:
        return (struct slot_access){first, i->wide ? i->wide : 1, .reads = true};
    default:
        return (struct slot_access){0};
    }
}
