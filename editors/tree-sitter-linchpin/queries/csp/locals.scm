[ (source_file) (definition) (block) (indexed_process) (indexed_expression) ] @local.scope

(parameter name: (identifier) @local.definition.parameter)
(range name: (identifier) @local.definition.var)
(local_variable name: (identifier) @local.definition.var)
(variable name: (identifier) @local.definition.var)
(channel name: (identifier) @local.definition.var)
(define name: (identifier) @local.definition.macro)
(definition name: (identifier) @local.definition.function)
(identifier) @local.reference
