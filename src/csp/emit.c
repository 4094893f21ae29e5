#include "csp/emit.h"

enum status csp_emit(struct csp_compiler *compiler, place at, struct instruction instruction)
{
    if (compiler->listing.code.length == MOST_INSTRUCTIONS)
        return csp_complain(
            compiler, at,
            "expected at most %zu operations in one expression or program, definitions put "
            "in, found more",
            MOST_INSTRUCTIONS);
    return listing_emit(&compiler->listing, at, instruction);
}

enum status csp_emit_constant(struct csp_compiler *compiler, place at, datum d)
{
    return csp_emit(compiler, at, instruction_push(d));
}

enum status csp_emit_jump(struct csp_compiler *compiler, place at, enum opcode op, uint32_t *jump)
{
    *jump = listing_here(&compiler->listing);
    return csp_emit(compiler, at, (struct instruction){.op = (uint8_t)op});
}

enum status csp_emit_pop(struct csp_compiler *compiler, place at)
{
    uint32_t here = listing_here(&compiler->listing);
    struct instruction *last = here ? &compiler->listing.code.items[here - 1] : NULL;
    if (last && opcode_stores((enum opcode)last->op) && last->small) {
        last->small = 0;
        return STATUS_OK;
    }
    return csp_emit(compiler, at, (struct instruction){.op = OP_POP, .operand = 1});
}

bool csp_constant_since(const struct csp_compiler *compiler, uint32_t start, datum *d)
{
    if (!listing_is_constant(&compiler->listing, start, 1))
        return false;
    *d = instruction_word(&compiler->listing.code.items[start]);
    return true;
}

/* Runs what was emitted since `start`, all of it constant, and puts the result in its place; leaves
 * it alone where that is a fault, which then shows at run time. */
static enum status fold(struct csp_compiler *compiler, uint32_t start, place at)
{
    struct code code = listing_code(&compiler->listing, start, 0);
    code_id id = codes_intern(compiler->program->codes, &code);
    TRY_MEMORY(id);
    struct machine machine = {.codes = compiler->program->codes};
    struct fault fault;
    datum d = 0;
    if (machine_run(&machine, id, NULL, &d, &fault) != RAN_WELL)
        return STATUS_OK;
    listing_cut(&compiler->listing, start);
    return csp_emit_constant(compiler, at, d);
}

enum status csp_emit_folded(struct csp_compiler *compiler, place at, struct instruction operator,
                            uint32_t start, uint32_t operands)
{
    bool constant = listing_is_constant(&compiler->listing, start, operands);
    TRY(csp_emit(compiler, at, operator));
    return constant ? fold(compiler, start, at) : STATUS_OK;
}

enum status csp_emit_operator(struct csp_compiler *compiler, place at, enum opcode op,
                              uint32_t start, uint32_t operands)
{
    return csp_emit_folded(compiler, at, (struct instruction){.op = (uint8_t)op}, start, operands);
}

const struct scope *csp_scope_find(const struct scope *scope, const char *name)
{
    while (scope && scope->name != name)
        scope = scope->outer;
    return scope;
}

const struct variable_info *csp_variable(struct csp_compiler *compiler, const char *name, place at)
{
    struct symbol symbol = csp_symbol(compiler->program, name);
    if (symbol.kind == SYMBOL_VARIABLE && symbol.index < compiler->program->variables.length)
        return &compiler->program->variables.items[symbol.index];
    static const char *const found[] = {"which is not declared", "which is a constant",
                                        "which is declared later", "which is a channel",
                                        "which is a process"};
    csp_complain(compiler, at, "expected a variable, found `%s`, %s", name, found[symbol.kind]);
    return NULL;
}
