# Completion for bash. What there is to complete is asked of the program itself.
_linchpin()
{
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} words=""
    if [ "$COMP_CWORD" = 1 ]; then
        words=$("$program" --help 2>/dev/null | sed -n "s/^  linchpin \([a-z]*\) .*/\1/p")
    else
        case ${COMP_WORDS[COMP_CWORD - 1]} in
        -s | --spec) words=$("$program" specs 2>/dev/null | sed -n 's/^\([a-z-]*\)[(:].*/\1/p' | awk '!seen[$0]++') ;;
        --method) words="auto monitor search definition" ;;
        --search) words="auto breadth depth" ;;
        --fairness) words="none event-weak event-strong process-weak process-strong global" ;;
        --words) words="strict exact closure" ;;
    -r | --reduce) words="none paper intervals partial-order symmetry antichain slice" ;;
        -t | --to)
            [ "${COMP_WORDS[1]}" = graph ] && words="dot json aut hoa svg png pdf"
            [ "${COMP_WORDS[1]}" = cover ] && words="spec tts prop pnml"
            ;;
        --color) words="auto always never" ;;
        *)
            [ "${word:0:1}" = - ] && words=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null |
                sed -n 's/^  *\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p')
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _linchpin linchpin
