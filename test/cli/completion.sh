#!/usr/bin/env bash
# The completion that `knell completion` writes, at work in the shells themselves: commands, options, values, files, and the program of
# `knell run`; and that it knows every option that any --help tells of. Usage: completion.sh KNELL
set -u
knell=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

wrong() {
    echo "completion: $*" >&2
    failed=1
}

# ---- bash --------------------------------------------------------------------------------------------------------------------------

"$knell" completion bash >"$dir/bash" || wrong "completion bash: status $?"
# shellcheck disable=SC1091 # made just now
. "$dir/bash"
complete -p knell >/dev/null || wrong "bash: there is no completion for knell"
mkdir "$dir/cwd" "$dir/cwd/figures"
touch "$dir/cwd/a.fail" "$dir/cwd/my app"
chmod +x "$dir/cwd/my app"
cd "$dir/cwd" || exit 1

# offers "WORDS" word...: what bash offers for the last of the words, which are as bash splits them; *: these among others
offers() {
    expected=$1
    shift
    COMP_WORDS=(knell "$@") COMP_CWORD=$#
    COMPREPLY=()
    _knell knell "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')
    got=${got% }
    case $expected in
    '* '*) for word in ${expected#'* '}; do [[ " $got " == *" $word "* ]] || wrong "knell $*: '$got' lacks '$word'"; done ;;
    *) [ "$got" = "$expected" ] || wrong "knell $*: '$got', expected '$expected'" ;;
    esac
}

offers 'agent attach calibrate check completion exec explore fail live mpirun plan run sim' ''
offers 'plan' p
offers '--help --version' --
offers 'agree broadcast check figures ping ring swim' sim ''
offers 'ring' sim ri
offers '--overlay' sim ring --ov
offers 'circulant hba' sim ring --overlay ''
offers 'hba' sim ring --nodes 16 --overlay = h
offers 'circulant hba' sim ring --overlay =
offers '' sim ring --nodes ''
offers 'bash zsh' completion ''
offers 'figures' sim figures --out ''
offers 'a.fail figures my app' fail check ''
offers 'a.fail' live -n 4 --fail a
offers '--kill' live --kill 3@1s --ki
offers 'ghost real' run -n 4 --mode ''
offers '* --json --log --ranks -n -np --help' run -
offers 'my app' run -n 4 my
offers 'my app' check my
offers 'my app' mpirun -np 4 my
offers '--with-ft' mpirun --wi
offers 'my app' run -n 4 -- my
offers '* true' run -n 4 tru
offers 'a.fail' run -n 4 ./app --log a
offers '' run -n 4 ./app --mod

# Every option of every help.
commands() {
    "$knell" "$@" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'
}
options=0
check() {
    for option in $("$knell" "$@" --help | sed -n '/^Options:/,/^$/s/^  \(--[a-z-]*\).*/\1/p'); do
        offers "* $option" "$@" "$option"
        options=$((options + 1))
    done
}
for command in $(commands); do
    if "$knell" "$command" --help | grep -q '^Commands:$'; then
        for sub in $(commands "$command"); do check "$command" "$sub"; done
    else
        check "$command"
    fi
done
[ $options -gt 100 ] || wrong "only $options options"
echo "bash: $options options"

# ---- zsh ---------------------------------------------------------------------------------------------------------------------------

"$knell" completion zsh >"$dir/_knell" || wrong "completion zsh: status $?"
if ! command -v zsh >/dev/null; then
    echo "zsh: not installed, and not tried"
    exit $failed
fi
zsh -n "$dir/_knell" || wrong "zsh does not understand its script"

# In a terminal of its own; the words that are offered are what it writes after the line.
cat >"$dir/try.zsh" <<'END'
zmodload zsh/zpty
setopt rcquotes
zpty -b shell "TERM=dumb zsh -f -i"
say() { zpty -w shell "$1" }
say "PS1='> '; setopt nobeep autolist; unsetopt automenu; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; LISTMAX=0; cd $2"
say "echo rea''dy"
hear() { # until a line matches
    local all='' part
    for ((i = 0; i < 200; i++)); do
        if zpty -rt shell part; then all+=$part; else sleep 0.05; fi
        [[ $all == *${~1}* ]] && { print -r -- "$all"; return 0 }
    done
    print -r -- "$all"
    return 1
}
hear ready >/dev/null || { print "zsh does not start"; exit 1 }
try() { # LINE PATTERN
    zpty -n -w shell "$1"$'\t\t'
    hear "$2" >/dev/null || { print "zsh: '$1' does not offer $2"; bad=1 }
    zpty -n -w shell $'\x15'
}
bad=0
try 'knell ' 'calibrate*completion*fail*live*plan*run*sim'
try 'knell sim ' 'agree*broadcast*check*figures*ping*ring*swim'
try 'knell run --mode ' 'ghost*real'
try 'knell sim ring --overl' '--overlay'
try 'knell live -n 4 --fail a' 'a.fail'
try 'knell run -n 4 my' 'my'
zpty -d shell
exit $bad
END
timeout 60 zsh -f "$dir/try.zsh" "$dir" "$dir/cwd" || wrong "zsh: see above"
exit $failed
