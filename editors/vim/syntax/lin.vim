" Syntax of .lin, the language of linchpin's specifications and implementations.
if exists("b:current_syntax")
  finish
endif

syn keyword linConditional if else switch case default either or
syn keyword linRepeat while do for
syn keyword linStatement return break continue atomic await assume assert linearize print new
syn keyword linOperator in choose
syn keyword linConstant true false null ok empty full
syn keyword linType int bool value list set map void
syn keyword linStructure spec impl program rules automaton struct record enum const shared op client init together thread
syn keyword linProperty linearizes lock_free wait_free obstruction_free deadlock_free starvation_free never satisfies refines with
syn keyword linFunction len first last but_first but_last min max cas swap fetch_add ll sc lock unlock free running
syn match linNumber "\<\d\+\>"
syn region linString start=+"+ end=+"+ oneline
syn match linInclude "#\s*include"
syn keyword linTodo contained TODO FIXME
syn match linExpect contained "expect:.*"
syn match linComment "//.*" contains=linTodo,linExpect
syn region linComment start="/\*" end="\*/" contains=linTodo

hi def link linConditional Conditional
hi def link linRepeat Repeat
hi def link linStatement Statement
hi def link linOperator Operator
hi def link linConstant Constant
hi def link linType Type
hi def link linStructure Structure
hi def link linProperty Keyword
hi def link linFunction Function
hi def link linNumber Number
hi def link linString String
hi def link linInclude Include
hi def link linTodo Todo
hi def link linExpect SpecialComment
hi def link linComment Comment

let b:current_syntax = "lin"
