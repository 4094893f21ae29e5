[
  (object_body) (block) (structure) (enumeration) (program) (rules) (automaton) (state)
  (switch_statement) (case)
] @indent.begin
"}" @indent.branch @indent.end
