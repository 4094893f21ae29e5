" Syntax of CSP#, the language of models with processes.
if exists("b:current_syntax")
  finish
endif

syn match cspPreProc "#\s*\(define\|assert\|alphabet\|import\|include\)\>"
syn keyword cspConditional if ifa ifb else case default
syn keyword cspRepeat while
syn keyword cspStructure var hvar channel enum
syn keyword cspStatement atomic interrupt call new tau Skip Stop
syn keyword cspConstant true false
syn keyword cspProperty deadlockfree nonterminating divergencefree deterministic reaches refines linearizes with min max points complete
syn match cspOperator "|||\|\[\]\|\[\*\]\|<>\|||\||=\|->\|<FD>\|<F>"
syn keyword cspOperator xor
syn match cspNumber "\<\d\+\>"
syn region cspString start=+"+ end=+"+ oneline
syn keyword cspTodo contained TODO FIXME
syn match cspExpect contained "expect:.*"
syn match cspComment "//.*" contains=cspTodo,cspExpect
syn region cspComment start="/\*" end="\*/" contains=cspTodo

hi def link cspPreProc PreProc
hi def link cspConditional Conditional
hi def link cspRepeat Repeat
hi def link cspStructure Structure
hi def link cspStatement Statement
hi def link cspConstant Constant
hi def link cspProperty Keyword
hi def link cspOperator Operator
hi def link cspNumber Number
hi def link cspString String
hi def link cspTodo Todo
hi def link cspExpect SpecialComment
hi def link cspComment Comment

let b:current_syntax = "csp"
