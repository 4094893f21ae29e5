#include "implementation/native_source.h"

#include "code/interpreter.h"
#include "implementation/native_abi.h"

/* What else states and operations may come to, or tables of the source would not do. */
#define MOST_OPERATIONS   250
#define MOST_INSTRUCTIONS 20000

bool lin_native_fits(const struct lin_model *model)
{
    const struct lin_steps *steps = model->steps;
    uint32_t starts[MOST_POOLS];
    return pool_starts(steps, starts) <= LIN_NATIVE_MOST_NODES && !steps->setting.keeps &&
           !model->options.names && !model->options.tells_changes &&
           steps->object->operation_count > 0 &&
           steps->object->operation_count <= MOST_OPERATIONS &&
           steps->listing.code.length <= MOST_INSTRUCTIONS;
}

bool lin_native_write(const struct lin_model *model, struct text *out)
{
    static const char packing[] = PACKING_TYPES(PACKING_TEXT),
                      types[] = LIN_NATIVE_TYPES(LIN_NATIVE_TEXT);
    text_append(out, "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n");
    text_append(out, packing);
    text_append_char(out, '\n');
    text_append(out, types);
    text_format(out,
                "\nenum { ASKS = %d, WELL = %d, BLOCKED = %d, OUT_OF_NODES = %d };\n"
                "#define SLOT uint32_t\n#define PUT(slot, word) slot = (uint32_t)(word);\n",
                LIN_NATIVE_ASKS, RAN_WELL, RAN_BLOCKED, RAN_OUT_OF_NODES);
    if (!lin_native_write_run(model, out))
        return false;
    lin_native_write_state_tables(model, out);
    lin_native_write_states(model, out);
    lin_native_write_stale(model, out);
    const bool joins = lin_native_joins(model);
    if (joins) {
        lin_native_write_step_tables(model, out);
        lin_native_write_joined(model, out);
    }
    const bool expands = lin_native_expands(model);
    if (expands && !lin_native_write_expand(model, out))
        return false;
    text_format(out,
                "const struct lin_native_functions linchpin_functions = "
                "{%u, run, %s, forget, is_local, number, arrange, forget_fields, is_stale, "
                "is_decided, %s};\n",
                model->steps->slots, joins ? "joined" : "0", expands ? "EXPAND" : "0");
    return true;
}
