/* Writing formulas, in three syntaxes. Infix operands are put in parentheses wherever they are not
 * atoms or unary, so that no reader's precedence matters. */
#include "logic/ltl.h"

struct printer {
    const struct ltl *ltl;
    enum ltl_syntax syntax;
    const char *const *names;
    struct text *text;
};

static void print_atom(const struct printer *printer, unsigned atom)
{
    if (printer->names)
        text_append(printer->text, printer->names[atom]);
    else
        text_format(printer->text, "p%u", atom);
}

static bool is_unary(enum ltl_kind kind, const ltl_id *operands)
{
    return kind == LTL_KIND_NEXT || (kind == LTL_KIND_UNTIL && operands[0] == LTL_TRUE) ||
           (kind == LTL_KIND_RELEASE && operands[0] == LTL_FALSE);
}

/* How the operator is written; `unary` only for X, F and G. */
static const char *operator_of(const struct printer *printer, enum ltl_kind kind, bool unary)
{
    bool prefix = printer->syntax == LTL_SYNTAX_LBT;
    switch (kind) {
    case LTL_KIND_AND:
        return prefix ? "&" : "&&";
    case LTL_KIND_OR:
        return prefix ? "|" : "||";
    case LTL_KIND_NEXT:
        return "X";
    case LTL_KIND_UNTIL:
        return !unary ? "U" : prefix ? "F" : "<>";
    default:
        if (unary)
            return prefix ? "G" : "[]";
        return printer->syntax == LTL_SYNTAX_OURS ? "R" : "V";
    }
}

static void print(const struct printer *printer, ltl_id formula, bool nested);

static void print_operator(const struct printer *printer, enum ltl_kind kind, ltl_id formula,
                           bool nested)
{
    struct text *text = printer->text;
    size_t count = ltl_operand_count(printer->ltl, formula);
    ltl_id left = ltl_operand(printer->ltl, formula, 0);
    bool unary = is_unary(kind, &left);
    const char *operator= operator_of(printer, kind, unary);
    if (unary) {
        text_format(text, "%s ", operator);
        print(printer, ltl_operand(printer->ltl, formula, count - 1), true);
    } else if (printer->syntax == LTL_SYNTAX_LBT) {
        for (size_t i = 0; i < count; i++) {
            if (i + 1 < count)
                text_format(text, "%s ", operator);
            print(printer, ltl_operand(printer->ltl, formula, i), true);
            if (i + 1 < count)
                text_append_char(text, ' ');
        }
    } else {
        text_append(text, nested ? "(" : "");
        for (size_t i = 0; i < count; i++) {
            if (i)
                text_format(text, " %s ", operator);
            print(printer, ltl_operand(printer->ltl, formula, i), true);
        }
        text_append(text, nested ? ")" : "");
    }
}

static void print(const struct printer *printer, ltl_id formula, bool nested)
{
    bool prefix = printer->syntax == LTL_SYNTAX_LBT;
    enum ltl_kind kind = ltl_kind_of(printer->ltl, formula);
    switch (kind) {
    case LTL_KIND_TRUE:
        text_append(printer->text, prefix ? "t" : "true");
        break;
    case LTL_KIND_FALSE:
        text_append(printer->text, prefix ? "f" : "false");
        break;
    case LTL_KIND_NOT:
        text_append(printer->text, prefix ? "! " : "!");
        print_atom(printer, ltl_atom_of(printer->ltl, formula));
        break;
    case LTL_KIND_ATOM:
        print_atom(printer, ltl_atom_of(printer->ltl, formula));
        break;
    default:
        print_operator(printer, kind, formula, nested);
    }
}

void ltl_print(const struct ltl *ltl, ltl_id formula, enum ltl_syntax syntax,
               const char *const *names, struct text *text)
{
    print(&(struct printer){ltl, syntax, names, text}, formula, false);
}
