/* CSP# for tree-sitter: the grammar of src/csp/parser*.c. It takes what the parser takes, and some texts more. Reserved words are
 * `CSP_KEYWORDS` in src/csp/lexer.h.
 *
 * `;` is both the sequence of processes and the end of a definition: src/scanner.c looks ahead, as the parser does.
 */

const RANK = {
    assign: 1,
    indexed: 2,
    or: 3,
    and: 4,
    xor: 5,
    bits: 6,
    equality: 7,
    order: 8,
    sum: 9,
    product: 10,
    unary: 11,
    postfix: 12,
};

const SUM_OPERATORS = [
    [RANK.sum, choice('+', '-')],
    [RANK.product, choice('*', '/', '%')],
];

const OPERATORS = [
    [RANK.or, '||'],
    [RANK.and, '&&'],
    [RANK.xor, 'xor'],
    [RANK.bits, choice('&', '|', '^')],
    [RANK.equality, choice('==', '!=')],
    [RANK.order, choice('<', '>', '<=', '>=')],
    ...SUM_OPERATORS,
];

/* All tokens but those that expressions are made of: what a specification's arguments may consist of. */
const WORDS = [
    'import', 'include', 'assert', 'define', 'alphabet', 'enum', 'var', 'hvar', 'channel', 'if', 'ifa', 'ifb', 'else', 'case',
    'default', 'while', 'call', 'new', 'tau', 'atomic', 'interrupt', 'Skip', 'Stop', 'xor', 'deadlockfree', 'nonterminating',
    'divergencefree', 'deterministic', 'reaches', 'refines', 'with', 'min', 'max',
];
const SIGNS = [
    '<FD>', '<F>', '[*]', '|||', '<->', '[]', '<>', '||', '|=', '->', '/\\', '\\/', '..', '++', '--', '==', '!=', '<=', '>=', '&&',
    '#', ';', ':', ',', '.', '@', '{', '}', '[', ']', '\\', '=', '<', '>', '+', '-', '*', '/', '%', '&', '|', '^', '!', '?', '$',
];

/* Processes, loosest first. */
const COMPOSITIONS = ['|||', '||', '[]', '<>', '[*]', 'interrupt'];
const SEQUENCE = COMPOSITIONS.length + 2;
const PREFIX = SEQUENCE + 1;

function list1(rule) {
    return seq(rule, repeat(seq(',', rule)));
}

/* A comma may stand behind the last item. */
function items(rule) {
    return seq(list1(rule), optional(','));
}

module.exports = grammar({
    name: 'csp',

    word: $ => $.identifier,

    extras: $ => [/\s/, $.comment],

    externals: $ => [$._end],

    supertypes: $ => [$._declaration, $._process, $._statement, $._expression],

    conflicts: $ => [
        [$._sum, $.method_call],
        [$._sum, $.macro_parameters],
    ],

    rules: {
        source_file: $ => repeat($._declaration),

        comment: _ => token(choice(/\/\/[^\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
        identifier: _ => /[A-Za-z_][A-Za-z0-9_]*/,
        integer: _ => /[0-9]+/,
        string: _ => /"[^"]*"/,

        _declaration: $ => choice(
            $.define,
            $.assertion,
            $.alphabet,
            $.import,
            $.include,
            $.enumeration,
            $.variable,
            $.channel,
            $.definition,
        ),

        // ---- declarations ----

        define: $ => seq(
            '#', 'define', field('name', $._called), optional($.macro_parameters),
            field('value', choice($.block, $._expression)), ';',
        ),
        _called: $ => choice($.identifier, alias('min', $.identifier), alias('max', $.identifier)),
        macro_parameters: $ => prec.dynamic(1, seq('(', optional(items($.identifier)), ')')),
        alphabet: $ => seq('#', 'alphabet', field('process', $.identifier), '{', list1($.event_set), '}', ';'),
        import: $ => seq('#', 'import', field('file', $.string), ';'),
        include: $ => prec.right(seq('#', 'include', field('file', $.string), optional(';'))),
        enumeration: $ => seq('enum', '{', list1(field('name', $.identifier)), '}', ';'),
        variable: $ => seq(
            choice('var', 'hvar'), optional(seq('<', field('type', $.identifier), '>')),
            field('name', $.identifier), repeat($._size), optional($.bounds),
            optional(seq('=', field('value', choice('*', $._value)))), ';',
        ),
        _size: $ => seq('[', $._expression, ']'),
        bounds: $ => seq(':', '{', optional(field('low', $._sum)), '..', optional(field('high', $._sum)), '}'),
        channel: $ => seq(
            'channel', field('name', $.identifier), optional(seq('[', $._sum, ']')), field('size', $._sum), ';',
        ),
        definition: $ => seq(
            field('name', $.identifier), optional($.parameters), '=', field('body', $._process), alias($._end, ';'),
        ),
        parameters: $ => seq('(', optional(items($.parameter)), ')'),
        parameter: $ => seq(field('name', $.identifier), optional($.bounds)),

        // ---- processes ----

        _process: $ => choice($._prefixed, $.guard, $.sequence, $.hiding, $.composition, $.indexed_process, $.copies),

        composition: $ => choice(...COMPOSITIONS.map((operator, rank) =>
            prec.left(rank + 1, seq($._process, field('operator', operator), $._process)))),
        indexed_process: $ => prec.right(seq(
            field('operator', choice('|||', '||', '[]', '<>', '[*]')), $.ranges, '@', $._process,
        )),
        copies: $ => prec.right(seq(
            field('operator', '|||'), '{', field('number', choice('..', $._expression)), '}', '@', $._process,
        )),
        ranges: $ => seq($.range, repeat(seq(';', $.range))),
        range: $ => seq(
            field('name', $.identifier), ':', '{',
            choice(seq($._sum, '..', $._sum), list1($._sum)), '}',
        ),
        hiding: $ => prec.left(SEQUENCE - 1, seq($._process, '\\', '{', list1($.event_set), '}')),
        event_set: $ => seq(optional(seq($.ranges, '@')), $.event),
        sequence: $ => prec.left(SEQUENCE, seq($._process, ';', $._process)),
        guard: $ => prec(PREFIX, seq('[', field('condition', $._expression), ']', $._prefixed)),

        _prefixed: $ => choice(
            $.prefix,
            $.output,
            $.input,
            $.reference,
            $.skip,
            $.stop,
            $.if_process,
            $.case_process,
            $.atomic_process,
            $.assert_process,
            $.parenthesized_process,
        ),
        prefix: $ => seq(
            choice(seq(choice('tau', $.simple_event), optional($.block)), $.block), '->', $._prefixed,
        ),
        simple_event: $ => prec(1, seq(field('name', $.identifier), repeat($._component))),
        _component: $ => seq('.', $._sum),
        event: $ => seq(
            field('name', $.identifier),
            choice(
                repeat($._component),
                seq(
                    optional(seq(choice('[', alias($._attached_bracket, '[')), $._sum, ']')),
                    choice('!', '?'), $._sum, repeat($._component),
                ),
            ),
        ),
        _attached_bracket: _ => token.immediate('['),
        _channel: $ => prec.right(1, seq(
            field('channel', $.identifier),
            optional(seq(alias($._attached_bracket, '['), field('index', $._sum), ']')),
        )),
        output: $ => seq($._channel, '!', $._message, optional($.block), '->', $._prefixed),
        input: $ => seq(
            $._channel, '?', optional(seq('[', field('guard', $._expression), ']')),
            $._message, optional($.block), '->', $._prefixed,
        ),
        _message: $ => seq($._expression, repeat(seq('.', $._expression))),
        reference: $ => prec.right(seq(field('name', $.identifier), optional($.arguments))),
        skip: _ => prec.right(seq('Skip', optional(seq('(', ')')))),
        stop: _ => prec.right(seq('Stop', optional(seq('(', ')')))),
        if_process: $ => prec.right(seq(
            choice('if', 'ifa', 'ifb'), '(', field('condition', $._expression), ')', $.braced_process,
            optional(seq('else', choice($.if_process, $.braced_process))),
        )),
        braced_process: $ => seq('{', $._process, '}'),
        case_process: $ => seq('case', '{', repeat1($.branch), '}'),
        branch: $ => seq(choice('default', field('condition', $._expression)), ':', $._process),
        atomic_process: $ => seq('atomic', $.braced_process),
        assert_process: $ => seq('assert', '(', field('condition', $._expression), ')'),
        parenthesized_process: $ => seq('(', $._process, ')'),

        // ---- programs ----

        block: $ => seq('{', repeat($._statement), optional($.last_expression), '}'),
        last_expression: $ => prec(-1, $._expression),
        _statement: $ => choice(
            $.block, $.empty_statement, $.local_variable, $.if_statement, $.while_statement, $.expression_statement,
        ),
        empty_statement: _ => ';',
        local_variable: $ => seq(
            'var', field('name', $.identifier), repeat($._size), optional(seq('=', field('value', $._value))), ';',
        ),
        if_statement: $ => prec.right(seq(
            'if', '(', field('condition', $._expression), ')', field('then', $._body),
            optional(seq('else', field('else', $._body))),
        )),
        while_statement: $ => seq('while', '(', field('condition', $._expression), ')', field('body', $._body)),
        /* Where a block ends, a statement may lack its semicolon, be it that of an `if`, too. */
        _body: $ => choice($._statement, $.last_expression),
        expression_statement: $ => seq($._expression, ';'),

        // ---- expressions ----

        _value: $ => choice($._expression, $.record),
        record: $ => seq('[', list1($.element), ']'),
        element: $ => seq(
            $._expression,
            optional(choice(seq('(', field('copies', $._expression), ')'), seq('..', $._expression))),
        ),

        _expression: $ => choice($._sum, $.assignment, $.binary_expression, $.indexed_expression),
        _sum: $ => choice(
            $.identifier,
            $.integer,
            $.boolean,
            $.call,
            $.new,
            $.at_work,
            $.index,
            $.method_call,
            $.field_access,
            $.update,
            $.parenthesized_expression,
            $.unary_expression,
            alias($.sum_expression, $.binary_expression),
        ),
        boolean: _ => choice('true', 'false'),
        assignment: $ => prec.right(RANK.assign, seq(
            field('left', $._expression), '=', field('right', $._value),
        )),
        binary_expression: $ => choice(...OPERATORS.slice(0, -2).map(([rank, operator]) =>
            prec.left(rank, seq($._expression, field('operator', operator), $._expression)))),
        sum_expression: $ => choice(...SUM_OPERATORS.map(([rank, operator]) =>
            prec.left(rank, seq($._sum, field('operator', operator), $._sum)))),
        indexed_expression: $ => prec.right(RANK.indexed, seq(
            field('operator', choice('||', '&&', 'xor')), $.ranges, '@', $._expression,
        )),
        parenthesized_expression: $ => seq('(', $._expression, ')'),
        unary_expression: $ => prec(RANK.unary, seq(field('operator', choice('+', '-', '!')), $._sum)),
        update: $ => prec(RANK.postfix, seq($._sum, field('operator', choice('++', '--')))),
        call: $ => seq(
            'call', '(', field('function', $._called), repeat(seq(',', $._value)), ')',
        ),
        new: $ => seq('new', field('type', $.identifier), $.arguments),
        at_work: $ => prec.right(seq('#', field('process', $.identifier), optional($.arguments))),
        arguments: $ => seq('(', optional(list1($._value)), ')'),
        index: $ => prec.right(seq(field('array', $.identifier), repeat1($._size))),
        method_call: $ => seq(
            field('object', choice($.identifier, $.index)), '.', field('method', $.identifier), $.arguments,
        ),
        field_access: $ => prec(RANK.postfix, seq(
            field('object', $.identifier), '$', field('field', $.identifier),
        )),

        // ---- assertions ----

        assertion: $ => seq('#', 'assert', field('subject', $.reference), $._property, ';'),
        _property: $ => choice(
            'deadlockfree',
            'nonterminating',
            'divergencefree',
            'deterministic',
            seq(
                'reaches', field('goal', $.identifier),
                optional(seq('with', choice('min', 'max'), '(', $._expression, ')')),
            ),
            seq('refines', optional(choice('<F>', '<FD>')), field('specification', $.reference)),
            seq('|=', field('formula', $._formula)),
            seq(
                'linearizes', field('specification', $.specification), optional($.specification_arguments),
                optional(seq('with', 'points', optional(seq('=', 'complete')))),
            ),
        ),
        /* `priority-queue` */
        specification: $ => seq($.identifier, repeat(seq('-', $.identifier))),
        specification_arguments: $ => seq('(', repeat($._specification_word), ')'),
        _specification_word: $ => choice(
            $.identifier, $.integer, $.string, $.boolean, $.specification_arguments, ...WORDS, ...SIGNS,
        ),

        // ---- temporal formulas ----

        _formula: $ => choice(
            alias($.simple_event, $.event),
            $.string,
            $.boolean,
            $.parenthesized_formula,
            $.unary_formula,
            $.binary_formula,
        ),
        parenthesized_formula: $ => seq('(', $._formula, ')'),
        unary_formula: $ => prec(3, seq(field('operator', choice('!', '[]', '<>', 'X', 'F', 'G')), $._formula)),
        binary_formula: $ => choice(
            prec.left(2, seq($._formula, field('operator', choice('U', 'V', 'R')), $._formula)),
            prec.left(1, seq(
                $._formula,
                field('operator', choice('&&', '/\\', '||', '\\/', 'xor', '->', '<->')),
                $._formula,
            )),
        ),
    },
});
