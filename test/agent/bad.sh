#!/bin/bash
# KNELL TARGET: what cannot be done is said in one line, before anything starts.
set -u
. "$(dirname "$0")/common.sh"

# STATUS TEXT RULE ARGUMENT...: `knell agent` with a rule in node 2 ends so, says so, and the target prints nothing.
refuse() {
    expected=$1 text=$2 rule=$3
    shift 3
    printf 'Daemon D {\nnode 1:\n    onload -> continue, goto 2;\nnode 2:\n    %s\n}\nGroup G { program = "%s" size = 1; daemon = D; }\n' \
        "$rule" "${program-test-agent-target}" >"$scratch/bad.fail"
    timeout 20 "$knell" agent --fail "$scratch/bad.fail" --quiet "$@" >"$scratch/out" 2>"$scratch/error"
    status=$?
    [ $status = "$expected" ] || wrong "$rule: status $status, not $expected"
    has "$text" error
    [ -s "$scratch/out" ] && wrong "$rule: something ran: $(cat "$scratch/out")"
    lines=$(grep -c '^knell agent' "$scratch/error")
    [ "$lines" -le 1 ] || wrong "$rule: $lines messages"
}

refuse 2 "no function stepp in .*did you mean 'step'?" "before(stepp) -> stay;" "$target" print
refuse 2 "no variable \$iteratoin in .*did you mean \$'iteration'?" 'watch($iteratoin) -> stay;' "$target" print
refuse 2 'progress.dept has no member dept' 'before(step) && $progress.dept == 1 -> stay;' "$target" print
refuse 2 'progress is no number' 'before(step) -> $progress = 1, stay;' "$target" print
refuse 2 "no function fflushh in libc" "before(libc:fflushh) -> stay;" "$target" print
refuse 2 "chosen by the loader" "before(memcpy) -> stay;" "$target" print
refuse 1 'arg1 to .arg6' 'before(step) && $arg7 == 1 -> stay;' "$target" print
refuse 1 'cannot do this: cut and heal' 'before(step) -> cut(G[0]);' "$target" print
refuse 2 'there is no such program' 'before(step) -> stay;' ./not-there
refuse 2 'watches 5 variables' 'watch($iteration) -> stay; watch($residual) -> stay; watch($progress.depth) -> stay; watch($small_one) -> stay; watch($progress.before) -> stay;' "$target" print
# What a script starts is seen when it is loaded, before its first instruction.
refuse 1 "no function stepp" "before(stepp) -> stay;" sh -c "'$target' print; true"
# A job larger than its group.
refuse 1 "make .size. of its group larger" "before(step) -> stay;" sh -c "'$target' sleep 2000 & '$target' print; wait"
program=not-there refuse 2 "not-there: there is no such program, for G" "onexit -> goto 1;"
# The program of a place that nothing runs: no fault, and the status is that of PROGRAM.
printf 'Daemon D { onload -> continue; }\nGroup G { program = "other" size = 1; daemon = D; }\n' >"$scratch/other.fail"
"$knell" agent --fail "$scratch/other.fail" "$target" print status 5 >"$scratch/out" 2>"$scratch/error"
[ $? = 5 ] || wrong "the status is not that of the program"
has "steps 0" out
# Who may not be traced: another user's process, a setuid program. Only root can become another user here.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ -u /bin/su ]; then
    chmod 755 "$scratch"
    nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
    printf 'Daemon D { onload -> continue; }\nComputer C { program = "su" daemon = D; }\n' >"$scratch/su.fail"
    $nobody "$knell" agent --fail "$scratch/su.fail" /bin/su --version >"$scratch/out" 2>"$scratch/error" && wrong "su was started"
    has "su is setuid or setgid" error
    [ -s "$scratch/out" ] && wrong "su ran"
    mkdir -m 777 "$scratch/nobody"
    KNELL_AGENT=$scratch/nobody/socket $nobody "$knell" agent --listen --fail "$scratch/other.fail" --quiet &
    agent=$!
    until_true test -S "$scratch/nobody/socket" || wrong "the agent does not listen"
    KNELL_AGENT=$scratch/nobody/socket "$knell" attach $$ 2>"$scratch/error" && wrong "root's process was attached to"
    has "process $$ belongs to user 0, not to 65534" error
    kill "$agent"
    wait "$agent"
    # Everybody can come to a name that is no path.
    KNELL_AGENT=@$$-${scratch##*/} "$knell" agent --listen --fail "$scratch/other.fail" --quiet &
    agent=$!
    until_true grep -q "@$$-${scratch##*/}" /proc/net/unix || wrong "the agent does not listen"
    KNELL_AGENT=@$$-${scratch##*/} $nobody "$knell" attach $$ 2>"$scratch/error" && wrong "another user was served"
    has "the agent belongs to another user" error
    kill "$agent"
    wait "$agent"
    agent=
fi
[ $bad = 0 ]
