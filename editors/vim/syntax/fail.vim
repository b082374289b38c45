" Vim syntax file for FAIL, the fault injection language.
" Copy editors/vim/* to ~/.vim, or: set runtimepath+=/path/to/knell/editors/vim
if exists("b:current_syntax")
  finish
endif

syntax keyword failSection  Daemon Computer Group param
syntax keyword failNode     node nextgroup=failLabel skipwhite
syntax keyword failType     int always time_g time
syntax keyword failEvent    onload onexit onerror before after inside watch
syntax keyword failAction   goto stay continue stop signal slow log cut heal flip
syntax keyword failKill     halt
syntax keyword failBuiltin  FAIL_RANDOM FAIL_CHANCE FAIL_EXP FAIL_WEIBULL FAIL_SENDER
syntax keyword failAttr     program daemon size hosts match

syntax match   failLabel    "\w\+" contained
syntax match   failMessage  "[?!]\s*\h\w*"
syntax match   failVariable "\$\h\w*\(\.\h\w*\)*"
syntax match   failNumber   "\<\d\+\>"
syntax match   failOperator "->\|&&\|==\|<>\|!=\|<=\|>="
syntax region  failString   start=+"+ skip=+\\"\|\\\\+ end=+"+ oneline
syntax match   failComment  "//.*$" contains=failTodo
syntax keyword failTodo     contained TODO FIXME XXX

highlight default link failSection  Structure
highlight default link failNode     Label
highlight default link failLabel    Label
highlight default link failType     Type
highlight default link failEvent    Conditional
highlight default link failAction   Statement
highlight default link failKill     Exception
highlight default link failBuiltin  Function
highlight default link failAttr     Identifier
highlight default link failMessage  Special
highlight default link failVariable Identifier
highlight default link failNumber   Number
highlight default link failOperator Operator
highlight default link failString   String
highlight default link failComment  Comment
highlight default link failTodo     Todo

setlocal commentstring=//\ %s
let b:current_syntax = "fail"
