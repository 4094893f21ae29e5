[ (block) (braced_process) (case_process) (definition) (parenthesized_process) (comment) ] @fold
