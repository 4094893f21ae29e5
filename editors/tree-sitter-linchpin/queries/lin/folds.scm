[
  (object_body) (block) (set) (map) (structure) (enumeration) (program) (rules) (automaton) (state)
  (switch_statement) (comment)
] @fold
