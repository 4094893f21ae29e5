/* An element whose index is known and which has a slot becomes that slot; of a large array
 * (code/large_array.h) elements are reached by their index. */
#include "csp/compile_array.h"

static struct csp_array array_of(const struct variable_info *info)
{
    return (struct csp_array){.constant = info->constant,
                              .large = info->large,
                              .first = info->slot,
                              .length = info->length,
                              .range = info->range};
}

/* Emits one subscript of several, and a note where it may be outside its dimension. */
static enum status subscript(struct csp_compiler *compiler, const struct csp_expression *node,
                             uint32_t dimensions, uint32_t size, const struct scope *scope)
{
    struct csp_program *program = compiler->program;
    uint32_t start = listing_here(&compiler->listing);
    datum known = 0;
    TRY(compiler->expression(compiler, node, scope));
    if (dimensions == 1 || !program->notes_crossings)
        return STATUS_OK;
    if (!csp_constant_since(compiler, start, &known))
        return csp_emit(compiler, node->at,
                        (struct instruction){.op = OP_NOTE_CROSSING, .operand = (int32_t)size});
    *program->crossed |= datum_tag_of(known) == DATUM_INTEGER &&
                         (datum_bits(known) < 0 || (uint32_t)datum_bits(known) >= size);
    return STATUS_OK;
}

static enum status element_index(struct csp_compiler *compiler, const struct csp_expression *node,
                                 const uint32_t *sizes, uint32_t dimensions,
                                 const struct scope *scope)
{
    if (node->count - 1 != dimensions)
        return csp_complain(compiler, node->at, "expected %u indices, found %u", dimensions,
                            node->count - 1);
    uint32_t start = listing_here(&compiler->listing);
    TRY(subscript(compiler, node->operands[1], dimensions, sizes[0], scope));
    for (uint32_t i = 1; i < dimensions; i++) {
        uint32_t before = start;
        TRY(csp_emit_constant(compiler, node->at, datum_integer((int32_t)sizes[i])));
        TRY(csp_emit_operator(compiler, node->at, OP_MULTIPLY, before, 2));
        TRY(subscript(compiler, node->operands[i + 1], dimensions, sizes[i], scope));
        TRY(csp_emit_operator(compiler, node->at, OP_ADD, before, 2));
    }
    return STATUS_OK;
}

/* What an indexed expression is an element of. A macro may read an array that it is given, not
 * change it: where changes are looked for, only names of variables are. */
static enum status element(struct csp_compiler *compiler, const struct csp_expression *node,
                           const struct scope *scope, struct csp_array *element, bool write)
{
    const struct csp_expression *base = node->operands[0];
    if (base->kind != EXPRESSION_NAME)
        return csp_complain(compiler, base->at, "expected an array before the index");
    const struct scope *bound = csp_scope_find(scope, base->name);
    while (bound && bound->kind == BOUND_ARGUMENT && !write &&
           bound->argument->kind == EXPRESSION_NAME) {
        base = bound->argument;
        bound = csp_scope_find(bound->argument_scope, base->name);
    }
    if (bound && !write) {
        uint32_t size = 1;
        *element = (struct csp_array){.unknown = true, .local = true, .first = bound->local};
        if (bound->kind == BOUND_CONSTANT && datum_is_array(bound->constant)) {
            size_t length;
            *element = (struct csp_array){.object = true, .first = datum_elements(bound->constant)};
            (void)object_items(compiler->program->objects, element->first, &length);
            element->length = size = (uint32_t)length;
        }
        if (element->object || (bound->kind == BOUND_LOCAL && bound->local >= FIRST_RECEIVED))
            return element_index(compiler, node, &size, 1, scope);
    }
    if (bound) {
        if (bound->kind != BOUND_LOCAL || !bound->length)
            return csp_complain(compiler, base->at, "expected an array, found `%s`, which is none",
                                base->name);
        *element =
            (struct csp_array){.local = true, .first = bound->local, .length = bound->length};
        uint32_t size = bound->length;
        return element_index(compiler, node, &size, 1, scope);
    }
    const struct variable_info *info = csp_variable(compiler, base->name, base->at);
    if (!info)
        return STATUS_INPUT;
    if (!info->dimensions)
        return csp_complain(compiler, base->at, "expected an array, found `%s`, which is none",
                            base->name);
    *element = array_of(info);
    return element_index(compiler, node, info->sizes, info->dimensions, scope);
}

/* Whether the index that was emitted is one of an element that has a slot. */
static bool is_known_place(const struct csp_compiler *compiler, uint32_t start,
                           const struct csp_array *array, datum *index)
{
    return !array->large && csp_constant_since(compiler, start, index) &&
           datum_tag_of(*index) == DATUM_INTEGER && datum_bits(*index) >= 0 &&
           (uint32_t)datum_bits(*index) < array->length;
}

enum status csp_compile_element(struct csp_compiler *compiler, const struct csp_expression *node,
                                const struct scope *scope)
{
    struct csp_array at = {0};
    uint32_t start = listing_here(&compiler->listing);
    TRY(element(compiler, node, scope, &at, false));
    datum index = 0;
    if (is_known_place(compiler, start, &at, &index)) {
        listing_cut(&compiler->listing, start);
        size_t length;
        if (at.object)
            return csp_emit_constant(
                compiler, node->at,
                datum_from_slot(object_items(compiler->program->objects, at.first,
                                             &length)[datum_bits(index)]));
        return csp_emit(compiler, node->at,
                        (struct instruction){.op = at.local      ? OP_LOAD_LOCAL
                                                   : at.constant ? OP_LOAD_FIXED
                                                                 : OP_LOAD_SLOT,
                                             .operand = (int32_t)at.first + datum_bits(index)});
    }
    return csp_emit(compiler, node->at,
                    (struct instruction){.op = at.local      ? OP_LOAD_LOCAL_AT
                                               : at.object   ? OP_ITEM
                                               : at.constant ? OP_LOAD_FIXED_AT
                                               : at.large    ? OP_LOAD_LARGE_AT
                                                             : OP_LOAD_SLOT_AT,
                                         .operand = (int32_t)at.first,
                                         .wide = at.length});
}

/* ---- stores ---- */

enum status csp_compile_store_element(struct csp_compiler *compiler,
                                      const struct csp_expression *target,
                                      const struct csp_expression *source,
                                      const struct scope *scope)
{
    struct csp_array at = {0};
    uint32_t start = listing_here(&compiler->listing);
    TRY(element(compiler, target, scope, &at, true));
    datum index = 0;
    bool known = is_known_place(compiler, start, &at, &index);
    if (known)
        listing_cut(&compiler->listing, start);
    TRY(compiler->expression(compiler, source, scope));
    if (known)
        return csp_emit(compiler, target->at,
                        (struct instruction){.op = at.local ? OP_STORE_LOCAL : OP_STORE_SLOT,
                                             .small = 1,
                                             .range = at.range,
                                             .operand = (int32_t)at.first + datum_bits(index)});
    return csp_emit(compiler, target->at,
                    (struct instruction){.op = at.local   ? OP_STORE_LOCAL_AT
                                               : at.large ? OP_STORE_LARGE_AT
                                                          : OP_STORE_SLOT_AT,
                                         .small = 1,
                                         .range = at.range,
                                         .operand = (int32_t)at.first,
                                         .wide = at.length});
}

/* Around what is emitted for one element of a list: stores it, and drops the value it leaves. */
static enum status begin_store(struct csp_compiler *compiler, place at,
                               const struct csp_array *array, uint32_t offset)
{
    return array->large ? csp_emit_constant(compiler, at, datum_integer((int32_t)offset))
                        : STATUS_OK;
}

static enum status store_slot(struct csp_compiler *compiler, place at,
                              const struct csp_array *array, uint32_t offset)
{
    if (array->large)
        return csp_emit(compiler, at,
                        (struct instruction){.op = OP_STORE_LARGE_AT,
                                             .range = array->range,
                                             .operand = (int32_t)array->first,
                                             .wide = array->length});
    TRY(csp_emit(compiler, at,
                 (struct instruction){.op = array->local ? OP_STORE_LOCAL : OP_STORE_SLOT,
                                      .small = 1,
                                      .range = array->range,
                                      .operand = (int32_t)(array->first + offset)}));
    return csp_emit_pop(compiler, at);
}

/* `v(n)` in a list for a large array, where v is constant. */
static enum status fill_large(struct csp_compiler *compiler, const struct csp_expression *item,
                              const struct csp_array *array, uint32_t first, uint32_t copies,
                              const struct scope *scope, bool *filled)
{
    const uint32_t start = listing_here(&compiler->listing);
    datum ignored = 0;
    TRY(csp_emit_constant(compiler, item->at, datum_integer((int32_t)first)));
    TRY(csp_emit_constant(compiler, item->at, datum_integer((int32_t)copies)));
    TRY(compiler->expression(compiler, item->operands[0], scope));
    *filled = csp_constant_since(compiler, start + 2, &ignored);
    if (!*filled) {
        listing_cut(&compiler->listing, start);
        return STATUS_OK;
    }
    return csp_emit(compiler, item->at,
                    (struct instruction){.op = OP_FILL_LARGE,
                                         .range = array->range,
                                         .operand = (int32_t)array->first,
                                         .wide = array->length});
}

static enum status store_list_element(struct csp_compiler *compiler,
                                      const struct csp_expression *item,
                                      const struct csp_array *array, uint32_t *offset,
                                      const struct scope *scope)
{
    int32_t first = 0, second = 0;
    struct csp_program *program = compiler->program;
    uint32_t copies = 1;
    int step = 0;
    const struct csp_expression *source = item;
    if (item->kind == EXPRESSION_REPEAT) {
        TRY(compiler->constant_integer(program, item->operands[1], scope, "the number of copies", 0,
                                       INT32_MAX, &first, compiler->error));
        copies = (uint32_t)first;
        source = item->operands[0];
    } else if (item->kind == EXPRESSION_RANGE) {
        TRY(compiler->constant_integer(program, item->operands[0], scope, "a bound",
                                       INTEGER_SMALLEST, INT32_MAX, &first, compiler->error));
        TRY(compiler->constant_integer(program, item->operands[1], scope, "a bound",
                                       INTEGER_SMALLEST, INT32_MAX, &second, compiler->error));
        step = second < first ? -1 : 1;
        copies = (uint32_t)((int64_t)step * ((int64_t)second - first)) + 1;
    }
    bool filled = false;
    if (array->large && item->kind == EXPRESSION_REPEAT && *offset + copies <= array->length)
        TRY(fill_large(compiler, item, array, *offset, copies, scope, &filled));
    if (filled) {
        *offset += copies;
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < copies; i++, first += step) {
        if (*offset >= array->length)
            return csp_complain(compiler, item->at, "expected %u elements, found more",
                                array->length);
        TRY(begin_store(compiler, item->at, array, *offset));
        if (step)
            TRY(csp_emit_constant(compiler, item->at, datum_integer(first)));
        else
            TRY(compiler->expression(compiler, source, scope));
        TRY(store_slot(compiler, item->at, array, (*offset)++));
    }
    return STATUS_OK;
}

enum status csp_compile_store_list(struct csp_compiler *compiler, const struct csp_expression *list,
                                   const struct csp_array *array, const struct scope *scope)
{
    uint32_t offset = 0;
    for (uint32_t i = 0; i < list->count; i++)
        TRY(store_list_element(compiler, list->operands[i], array, &offset, scope));
    if (offset != array->length)
        return csp_complain(compiler, list->at, "expected %u elements, found %u", array->length,
                            offset);
    return csp_emit_constant(compiler, list->at, datum_integer(0));
}

static enum status copy_elements(struct csp_compiler *compiler, place at,
                                 const struct variable_info *from, const struct csp_array *to)
{
    for (uint32_t i = 0; i < to->length; i++) {
        TRY(begin_store(compiler, at, to, i));
        if (from->large)
            TRY(csp_emit_constant(compiler, at, datum_integer((int32_t)i)));
        TRY(csp_emit(compiler, at,
                     (struct instruction){.op = from->constant ? OP_LOAD_FIXED
                                                : from->large  ? OP_LOAD_LARGE_AT
                                                               : OP_LOAD_SLOT,
                                          .operand = (int32_t)(from->slot + (from->large ? 0 : i)),
                                          .wide = from->length}));
        TRY(store_slot(compiler, at, to, i));
    }
    return STATUS_OK;
}

/* `a = b` for whole arrays. */
enum status csp_compile_copy_array(struct csp_compiler *compiler, const struct csp_expression *node,
                                   const struct variable_info *to, const struct scope *scope)
{
    const struct csp_expression *source = node->operands[1];
    const struct csp_array target = array_of(to);
    if (source->kind == EXPRESSION_RECORD)
        return csp_compile_store_list(compiler, source, &target, scope);
    struct symbol symbol = source->kind == EXPRESSION_NAME && !csp_scope_find(scope, source->name)
                               ? csp_symbol(compiler->program, source->name)
                               : (struct symbol){0};
    const struct variable_info *from =
        symbol.kind == SYMBOL_VARIABLE && symbol.index < compiler->program->variables.length
            ? &compiler->program->variables.items[symbol.index]
            : NULL;
    if (!from || from->length != to->length || !from->dimensions)
        return csp_complain(compiler, source->at, "expected an array of %u elements", to->length);
    if (to->large && from->large) {
        TRY(csp_emit(compiler, source->at,
                     (struct instruction){.op = OP_LOAD_LARGE,
                                          .operand = (int32_t)from->slot,
                                          .wide = from->length}));
        TRY(csp_emit(compiler, source->at,
                     (struct instruction){.op = OP_STORE_LARGE,
                                          .range = to->range,
                                          .operand = (int32_t)to->slot,
                                          .wide = to->length}));
    } else {
        TRY(copy_elements(compiler, source->at, from, &target));
    }
    return csp_emit_constant(compiler, node->at, datum_integer(0));
}

enum status csp_compile_clear(struct csp_compiler *compiler, place at,
                              const struct csp_array *array)
{
    for (uint32_t i = 0; i < array->length; i++) {
        TRY(begin_store(compiler, at, array, i));
        TRY(csp_emit_constant(compiler, at, datum_integer(0)));
        TRY(store_slot(compiler, at, array, i));
    }
    return STATUS_OK;
}
