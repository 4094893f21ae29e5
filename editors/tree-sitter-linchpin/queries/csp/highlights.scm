; What a name is, by where it stands. Later patterns count where two match.
(identifier) @variable

(definition name: (identifier) @function)
(reference name: (identifier) @function.call)
(alphabet process: (identifier) @function.call)
(at_work process: (identifier) @function.call)
(call function: (identifier) @function.call)
(method_call method: (identifier) @function.method.call)
(variable type: (identifier) @type)
(new type: (identifier) @type)
(specification (identifier) @type)
(parameter name: (identifier) @variable.parameter)
(macro_parameters (identifier) @variable.parameter)
(define name: (identifier) @constant.macro)
(enumeration name: (identifier) @constant)
(simple_event name: (identifier) @label)
(event name: (identifier) @label)
(channel name: (identifier) @property)
(output channel: (identifier) @property)
(input channel: (identifier) @property)
(field_access field: (identifier) @property)

[ "if" "ifa" "ifb" "else" "case" "default" ] @keyword.conditional
"while" @keyword.repeat
[ "import" "include" ] @keyword.import
[ "define" "assert" "alphabet" ] @keyword.directive
[ "enum" "var" "hvar" "channel" ] @keyword
[ "call" "new" "tau" "atomic" "Skip" "Stop" ] @keyword
[
  "deadlockfree" "nonterminating" "divergencefree" "deterministic" "reaches" "refines" "linearizes"
  "with" "points" "complete"
] @keyword
[ "interrupt" "xor" "X" "F" "G" "U" "V" "R" ] @keyword.operator

(boolean) @boolean
(integer) @number
(string) @string
(comment) @comment

[
  "=" "==" "!=" "<" ">" "<=" ">=" "&&" "||" "|" "^" "&" "+" "-" "*" "/" "%" "!" "++" "--" "->" "<->"
  "|=" "|||" "[]" "<>" "[*]" "\\" "/\\" "\\/" "<F>" "<FD>" "?" ".." "@" "$" "#"
] @operator

[ "(" ")" "[" "]" "{" "}" ] @punctuation.bracket
[ ";" "," ":" "." ] @punctuation.delimiter

; Keywords, where they are names in this place, too.
[ "min" "max" ] @keyword
