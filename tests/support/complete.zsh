#!/usr/bin/env zsh
# What zsh proposes: complete.zsh SCRIPT, a command line on each line of standard input. Writes the
# proposals of each, one a line, and "." behind the last.
zmodload zsh/zpty || exit 77
zpty shell zsh -f -i
zpty -w shell "PS1= PS2= ; unsetopt zle_bracketed_paste 2>/dev/null; setopt no_beep; stty -echo
autoload -Uz compinit; compinit -u -D; source ${(q)1}
zstyle ':completion:*' menu no
compadd() {
    if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd \"\$@\"; return; fi
    local -a found; builtin compadd -O found \"\$@\"
    print -rl -- \"proposed \"\$^found > /dev/tty
    builtin compadd \"\$@\"
}
show() { compstate[insert]=; compstate[list]=; _main_complete >/dev/null 2>&1; compstate[insert]=; compstate[list]=; }
zle -C show-all complete-word show
asked() { zle show-all; zle kill-whole-line; print -r -- 'end of proposals' > /dev/tty }
zle -N asked; bindkey '^T' asked; print -r -- 'rea''dy'"
zpty -r shell seen $'*ready*' || exit 1
while IFS= read -r line; do
    zpty -w -n shell "$line"$'\C-t'
    zpty -r shell seen $'*end of proposals*' || exit 1
    print -rl -- ${${(M)${(f)${seen//$'\r'/}}:#*proposed *}#*proposed } | sort -u
    print .
done
zpty -d shell
