[ (block) (braced_process) (case_process) (definition) (parenthesized_process) ] @indent.begin
[ "}" ")" ] @indent.branch
"}" @indent.end
