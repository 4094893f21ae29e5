[ (source_file) (object_body) (operation) (together) (function) (block) (for_statement) ] @local.scope

(parameter name: (identifier) @local.definition.parameter)
(object_parameter name: (identifier) @local.definition.parameter)
(variable name: (identifier) @local.definition.var)
(constant name: (identifier) @local.definition.constant)
(structure name: (identifier) @local.definition.type)
(function name: (identifier) @local.definition.function)
(identifier) @local.reference
