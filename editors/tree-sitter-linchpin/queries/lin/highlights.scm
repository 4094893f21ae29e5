; What a name is, by where it stands. Later patterns count where two match.
(identifier) @variable
((identifier) @constant.builtin (#any-of? @constant.builtin "ok" "empty" "full"))

(type name: (identifier) @type)
((type name: (identifier) @type.builtin)
  (#any-of? @type.builtin "int" "bool" "value" "list" "set" "map" "void"))
(new type: (identifier) @type)
(structure name: (identifier) @type)
(specification name: (identifier) @type)
(implementation name: (identifier) @type)
(program name: (identifier) @type)
(rules name: (identifier) @type)
(automaton name: (identifier) @type)
(enumeration name: (identifier) @type)
(reference name: (identifier) @type)

(operation name: (identifier) @function)
(joint_operation name: (identifier) @function)
(function name: (identifier) @function)
(client operation: (identifier) @function)
(event operation: (identifier) @function)
(method operation: (identifier) @function)
(call function: (identifier) @function.call)
((call function: (identifier) @function.builtin)
  (#any-of? @function.builtin "len" "first" "last" "but_first" "but_last" "min" "max" "cas" "swap"
   "fetch_add" "ll" "sc" "lock" "unlock" "free"))

(parameter name: (identifier) @variable.parameter)
(object_parameter name: (identifier) @variable.parameter)
(named_argument name: (identifier) @variable.parameter)
(option name: (identifier) @property)
(constant name: (identifier) @constant)
(field_access field: (identifier) @property)
(structure (variables (variable name: (identifier) @property)))
(state name: (identifier) @label)
(rule name: (identifier) @label)

[
  "if" "else" "switch" "case" "default" "either" "or"
] @keyword.conditional

[
  "while" "do" "for"
] @keyword.repeat

"return" @keyword.return

[
  "break" "continue" "atomic" "await" "assume" "assert" "linearize" "print" "choose" "new"
] @keyword

[
  "spec" "impl" "program" "thread" "only" "rules" "automaton" "of" "struct" "record" "enum" "const"
  "shared" "op" "open" "together" "client" "init" "depth" "values" "distinct" "ordered" "input"
  "method" "rule" "where" "matched" "violates" "histories" "prefixes" "single" "initial" "accepting"
  "complete" "state" "marked" "others" "call" "ret"
] @keyword

[
  "linearizes" "lock_free" "wait_free" "obstruction_free" "deadlock_free" "starvation_free" "never"
  "satisfies" "refines" "with"
] @keyword

[ "in" "xor" "X" "F" "G" "U" "R" "V" "W" ] @keyword.operator

"include" @keyword.import

(boolean) @boolean
(null) @constant.builtin
(integer) @number
(string) @string
(comment) @comment

[
  "=" "+=" "-=" "*=" "/=" "%=" "==" "!=" "<" ">" "<=" ">=" "&&" "||" "|" "^" "&" "+" "-" "*" "/" "%"
  "!" "++" "--" "->" "=>" "?" ".."
] @operator

[ "(" ")" "[" "]" "{" "}" ] @punctuation.bracket
[ ";" "," ":" "." ] @punctuation.delimiter
