/* The language .lin for tree-sitter: the grammar of src/lin/parser*.c. It takes what the parser takes, and some texts more: what names and
 * types mean is said by the language server.
 *
 * Reserved words (`KEYWORDS` in src/lin/lexer.h) stand here as strings. Words of declarations are names for the program, and keywords here only
 * where they begin something; the names of types are names here, too, so that a variable may be called `value`.
 */

const RANK = {
    conditional: 1,
    or: 2,
    and: 3,
    bit_or: 4,
    bit_xor: 5,
    bit_and: 6,
    equality: 7,
    order: 8,
    sum: 9,
    product: 10,
    unary: 11,
    postfix: 12,
};

const OPERATORS = [
    [RANK.or, '||'],
    [RANK.and, '&&'],
    [RANK.bit_or, '|'],
    [RANK.bit_xor, '^'],
    [RANK.bit_and, '&'],
    [RANK.equality, choice('==', '!=')],
    [RANK.order, choice('<', '>', '<=', '>=', 'in')],
    [RANK.sum, choice('+', '-')],
    [RANK.product, choice('*', '/', '%')],
];

function list1(rule) {
    return seq(rule, repeat(seq(',', rule)));
}

/* A comma may stand behind the last item. */
function items(rule) {
    return seq(list1(rule), optional(','));
}

module.exports = grammar({
    name: 'lin',

    word: $ => $.identifier,

    extras: $ => [/\s/, $.comment],

    supertypes: $ => [$._declaration, $._statement, $._expression],

    conflicts: $ => [
        [$._formula, $._expression],
    ],

    rules: {
        source_file: $ => repeat($._declaration),

        comment: _ => token(choice(/\/\/[^\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
        identifier: _ => /[A-Za-z_][A-Za-z0-9_]*/,
        integer: _ => /[0-9]+/,
        string: _ => /"[^"]*"/,

        _declaration: $ => choice(
            $.include,
            $.constants,
            $.enumeration,
            $.specification,
            $.implementation,
            $.program,
            $.rules,
            $.automaton,
            $.assertion,
        ),

        include: $ => seq('#', 'include', field('file', $.string), optional(';')),

        // ---- constants ----

        constants: $ => seq('const', field('type', $.type), list1($.constant), ';'),
        constant: $ => seq(field('name', $.identifier), optional(seq('=', field('value', $._expression)))),
        enumeration: $ => seq('enum', optional(field('name', $.identifier)), '{', items($.constant), '}', ';'),

        // ---- specifications and implementations ----

        specification: $ => seq('spec', field('name', $.identifier), optional($.object_parameters), field('body', $.object_body)),
        implementation: $ => seq('impl', field('name', $.identifier), optional($.object_parameters), field('body', $.object_body)),
        object_parameters: $ => seq('(', optional(items($.object_parameter)), ')'),
        object_parameter: $ => seq(field('name', $.identifier), optional(seq('=', field('value', $._expression)))),
        object_body: $ => seq('{', repeat($._member), '}'),

        _member: $ => choice(
            $.include,
            $.operation,
            $.together,
            $.structure,
            $.client,
            $.initialization,
            $.function,
            $.shared_variables,
            $.variables,
        ),

        operation: $ => seq(
            'op', optional('open'), field('name', $.identifier), $.parameters,
            optional(seq('only', 'thread', field('thread', $._expression))),
            field('body', $.block),
        ),
        together: $ => seq('together', list1($.joint_operation), field('body', $.block)),
        joint_operation: $ => seq(optional('open'), field('name', $.identifier), $.parameters),
        function: $ => seq(
            field('type', $.type), field('name', $.identifier), $.parameters,
            optional(seq('depth', field('depth', $._expression))),
            field('body', $.block),
        ),
        parameters: $ => seq('(', optional(items($.parameter)), ')'),
        parameter: $ => seq(field('type', $.type), optional('*'), field('name', $.identifier)),
        structure: $ => seq(
            choice('struct', 'record'), field('name', $.identifier),
            '{', repeat($.variables), '}', optional(';'),
        ),
        client: $ => seq('client', list1(field('operation', $.identifier)), ';'),
        initialization: $ => seq('init', field('body', $.block)),
        shared_variables: $ => seq('shared', $.variables),
        variables: $ => seq(field('type', $.type), list1($.variable), ';'),
        variable: $ => seq(
            field('name', $.identifier),
            repeat(seq('[', field('length', $._expression), ']')),
            optional(seq('=', field('value', $._expression))),
        ),
        type: $ => seq(optional('enum'), field('name', $.identifier), optional($.range)),
        range: $ => seq('(', field('low', $._expression), '..', field('high', $._expression), ')'),

        // ---- programs ----

        program: $ => seq('program', field('name', $.identifier), '{', repeat($.thread), '}'),
        thread: $ => seq('thread', field('body', $.block)),

        // ---- statements ----

        block: $ => prec(1, seq('{', repeat($._item), '}')),
        _item: $ => choice($.variables, $._statement),

        _statement: $ => choice(
            $.block,
            $.empty_statement,
            $.if_statement,
            $.while_statement,
            $.do_statement,
            $.for_statement,
            $.switch_statement,
            $.either_statement,
            $.atomic_statement,
            $.linearize_statement,
            $.return_statement,
            $.jump_statement,
            $.condition_statement,
            $.print_statement,
            $.expression_statement,
        ),
        empty_statement: _ => ';',
        _condition: $ => seq('(', field('condition', $._expression), ')'),
        if_statement: $ => prec.right(seq(
            'if', $._condition, field('then', $._statement),
            optional(seq('else', field('else', $._statement))),
        )),
        while_statement: $ => seq('while', $._condition, field('body', $._statement)),
        do_statement: $ => seq('do', field('body', $._statement), 'while', $._condition, ';'),
        for_statement: $ => seq(
            'for', '(',
            choice($.variables, seq(optional($._effect), ';')),
            optional(field('condition', $._expression)), ';',
            optional(field('step', $._effect)), ')',
            field('body', $._statement),
        ),
        switch_statement: $ => seq('switch', $._condition, '{', repeat($.case), '}'),
        case: $ => seq(
            choice(seq('case', field('value', $._expression)), 'default'), ':', repeat($._item),
        ),
        either_statement: $ => prec.right(seq('either', $.block, repeat1(seq('or', $.block)))),
        atomic_statement: $ => seq('atomic', field('body', $.block)),
        linearize_statement: $ => seq(
            'linearize',
            optional(choice(
                field('value', $._expression),
                seq(field('thread', $._expression), ':', optional(field('value', $._expression))),
            )),
            ';',
        ),
        return_statement: $ => seq('return', optional(list1($._expression)), ';'),
        jump_statement: _ => seq(choice('break', 'continue'), ';'),
        condition_statement: $ => seq(choice('await', 'assume', 'assert'), $._condition, ';'),
        print_statement: $ => seq('print', $._expression, ';'),
        expression_statement: $ => seq($._effect, ';'),
        _effect: $ => choice($.assignment, $.update, $.call),
        assignment: $ => seq(
            field('left', $._expression),
            field('operator', choice('=', '+=', '-=', '*=', '/=', '%=')),
            field('right', $._expression),
        ),
        update: $ => seq(field('operand', $._expression), field('operator', choice('++', '--'))),

        // ---- expressions ----

        _expression: $ => choice(
            $.identifier,
            $.integer,
            $.string,
            $.boolean,
            $.null,
            $.call,
            $.choose,
            $.new,
            $.list,
            $.set,
            $.map,
            $.parenthesized_expression,
            $.index,
            $.field_access,
            $.unary_expression,
            $.binary_expression,
            $.conditional_expression,
        ),
        boolean: _ => choice('true', 'false'),
        null: _ => 'null',
        call: $ => prec(RANK.postfix, seq(field('function', $.identifier), $.arguments)),
        arguments: $ => seq('(', optional(items($._expression)), ')'),
        choose: $ => seq('choose', '(', $._expression, optional(seq('..', $._expression)), ')'),
        new: $ => seq('new', field('type', $.identifier)),
        list: $ => seq('[', optional(items($._expression)), ']'),
        set: $ => seq('{', optional(items($._expression)), '}'),
        map: $ => seq('{', items($.entry), '}'),
        entry: $ => seq(field('key', $._expression), ':', field('value', $._expression)),
        parenthesized_expression: $ => seq('(', $._expression, ')'),
        index: $ => prec(RANK.postfix, seq(field('array', $._expression), '[', field('index', $._expression), ']')),
        field_access: $ => prec(RANK.postfix, seq(field('object', $._expression), '.', field('field', $.identifier))),
        unary_expression: $ => prec(RANK.unary, seq(field('operator', choice('-', '!', '*', '&')), field('operand', $._expression))),
        binary_expression: $ => choice(...OPERATORS.map(([rank, operator]) =>
            prec.left(rank, seq(field('left', $._expression), field('operator', operator), field('right', $._expression))))),
        conditional_expression: $ => prec.right(RANK.conditional, seq(
            field('condition', $._expression), '?', field('then', $._expression), ':', field('else', $._expression),
        )),

        // ---- assertions ----

        assertion: $ => seq(
            'assert', field('subject', $.reference),
            choice(
                seq($._property, optional(seq('with', list1($.option)))),
                seq(
                    'with', field('uses', $.reference), 'refines', field('program', $.reference),
                    'with', field('uses', $.reference), optional(seq('with', list1($.option))),
                ),
            ),
            ';',
        ),
        _property: $ => choice(
            seq('linearizes', field('specification', $.reference)),
            'lock_free',
            'wait_free',
            'obstruction_free',
            'deadlock_free',
            'starvation_free',
            seq('never', '(', field('condition', $._expression), ')'),
            seq('satisfies', field('formula', $._formula)),
        ),
        reference: $ => seq(field('name', $.identifier), optional($.reference_arguments)),
        reference_arguments: $ => seq('(', optional(items(choice($.named_argument, $._expression))), ')'),
        named_argument: $ => seq(field('name', $.identifier), '=', field('value', $._expression)),
        option: $ => seq(field('name', $.identifier), optional(seq('=', field('value', $._expression)))),

        // ---- temporal formulas ----

        _formula: $ => choice(
            $.event,
            $.identifier,
            $.string,
            $.boolean,
            $.call,
            $.index,
            $.field_access,
            $.parenthesized_expression,
            $.parenthesized_formula,
            $.unary_formula,
            $.binary_formula,
        ),
        event: $ => seq(
            choice('call', 'return'), '.', field('operation', $.identifier),
            optional(seq('(', field('thread', $._expression), ')')),
        ),
        parenthesized_formula: $ => prec.dynamic(1, seq('(', $._formula, ')')),
        unary_formula: $ => prec(6, seq(
            field('operator', choice('!', 'X', 'F', 'G', seq('[', ']'), seq('<', '>'))),
            field('operand', $._formula),
        )),
        binary_formula: $ => choice(
            prec.right(5, seq($._formula, field('operator', choice('U', 'R', 'V', 'W')), $._formula)),
            prec.left(4, seq($._formula, field('operator', '&&'), $._formula)),
            prec.left(3, seq($._formula, field('operator', '||'), $._formula)),
            prec.left(2, seq($._formula, field('operator', 'xor'), $._formula)),
            prec.right(1, seq($._formula, field('operator', choice('->', seq('<', '->'))), $._formula)),
        ),

        // ---- inductive rules ----

        rules: $ => seq(
            'rules', field('name', $.identifier), optional(seq('of', field('subject', $.reference))),
            '{', repeat(choice($.values, $.method, $.rule)), '}',
        ),
        values: _ => seq('values', choice('distinct', 'ordered'), ';'),
        method: $ => seq(
            choice('input', 'method'), field('name', $.identifier), '=', field('operation', $.identifier),
            '(', optional(field('argument', $.identifier)), ')',
            optional(seq('->', field('answer', choice($.identifier, $.boolean)))), ';',
        ),
        rule: $ => seq(
            'rule', field('name', $.identifier), ':',
            optional($.rule_words),
            optional(seq('where', list1(choice($.membership, $.matched)))),
            optional(seq('=>', $.rule_words)),
            ';',
        ),
        rule_words: $ => repeat1(seq($.identifier, optional('*'))),
        membership: $ => seq(
            list1(field('variable', $.identifier)), 'in',
            choice($.compared, seq('{', optional(list1($.compared)), '}')), '*',
        ),
        matched: $ => seq('matched', '(', $.compared, ',', repeat1(field('variable', $.identifier)), ')'),
        compared: $ => seq(field('method', $.identifier), optional(seq(choice('<', '>'), $.identifier))),

        // ---- violation automata ----

        automaton: $ => seq(
            'automaton', field('name', $.identifier), 'of', field('subject', $.reference),
            '{', repeat(choice($.wrong, $.violates, $.use, $.single, $.method, $.state)), '}',
        ),
        wrong: $ => seq('rule', $.string, ';'),
        violates: $ => seq('violates', field('rule', $.identifier), ';'),
        use: _ => seq('for', choice('histories', 'prefixes'), ';'),
        single: $ => seq('single', list1($.integer), ';'),
        state: $ => seq(
            optional('initial'), optional(seq('accepting', optional('complete'))), 'state',
            field('name', $.identifier), '{', repeat($.transition), '}',
        ),
        transition: $ => seq(list1($.letter), '->', field('target', $.identifier), ';'),
        letter: $ => seq(
            optional('marked'),
            choice('others', seq(
                optional(choice('call', 'ret')), field('method', $.identifier),
                optional(seq('(', list1($.integer), ')')),
            )),
        ),
    },
});
