#!/bin/bash
# KNELL TARGET TIMES DIES: the agent is killed at random instants, while threads run into breakpoints, are held, are slow, fork and exec. Nothing
# that it started is left: not stopped, not traced, not running.
set -u
. "$(dirname "$0")/common.sh"
times=$3
mark=$scratch/this-run # in the arguments of all its processes
cat >"$scratch/busy.fail" <<'END'
Daemon D {
node 1:
    onload -> continue, goto 2;
node 2:
    before(step#500) -> stop, goto 3;
    before(odd) -> stay;
    onload -> continue, goto 2;
    onexit -> goto 1;
    onerror -> goto 1;
node 3:
    time rest = 20;
    rest -> slow(50), continue, goto 4;
node 4:
    after(step) -> stay;
    onload -> continue, goto 2;
    onexit -> goto 1;
    onerror -> goto 1;
}
Group G { program = "test-agent-target" size = 2; daemon = D; }
END
printf 'Daemon D { onload -> continue; }\nComputer C { program = "%s wait /not/there %s"; daemon = D; }\n' "$target" "$mark" >"$scratch/lead.fail"
# The brackets keep grep from finding itself. Whoever has no state any more is gone.
left() {
    grep -l -a -- "${mark%n}[n]" /proc/[0-9]*/cmdline 2>/dev/null | sed 's,/proc/\([0-9]*\)/.*,\1,' | while read -r pid; do
        case $(state "$pid" | cut -c1) in
        Z | '') ;;
        *) echo "$pid" ;;
        esac
    done
}
none_left() {
    [ -z "$(left)" ]
}
for i in $(seq "$times"); do
    "$knell" agent --quiet --fail "$scratch/busy.fail" sh -c \
        "'$target' threads 3 400 fork 50 vfork exec threads 2 100000 '$mark' & '$target' odd 300 call 100000 '$mark' & wait" 2>/dev/null &
    agent=$!
    sleep "0.$((RANDOM % 500 + 100))"
    kill -KILL "$agent"
    wait "$agent" 2>/dev/null
    until_true none_left || {
        wrong "time $i: left are $(left | while read -r pid; do echo "$pid ($(state "$pid"))"; done)"
        left | xargs -r kill -KILL
    }
done
# Killed between the start of a program and the first look at it: the program does not run, since nobody would end it.
if ! ldd "$knell" | grep -q -e asan -e tsan; then # which want to be the first library
    LD_PRELOAD=$4 "$knell" agent --quiet --fail "$scratch/busy.fail" sh -c "echo >'$scratch/ran'; exec sleep 1 '$mark'" 2>/dev/null
    [ $? = 137 ] || wrong "the agent was not killed"
    sleep 0.2
    until_true none_left || wrong "left is $(left)"
    [ -e "$scratch/ran" ] && wrong "a program runs that nobody traces"
fi
# An agent that is stopped does not end by itself; who leads it ends it, and what it traces.
"$knell" agent --fail "$scratch/lead.fail" --hosts "$(hostname)" --quiet 2>/dev/null &
agent=$!
runs() { [ -n "$(left)" ]; }
until_true runs || wrong "nothing was started"
read -r traces <"/proc/$agent/task/$agent/children"
kill -STOP "$traces"
until_true is_state "$traces" "T 0 " || wrong "the agent was not stopped"
kill -TERM "$agent"
has_ended() { ! kill -0 "$agent" 2>/dev/null; }
until_true has_ended || wrong "a stopped agent holds up who leads it"
until_true none_left || wrong "left is $(left)"
agent=
[ $bad = 0 ] && echo "$times times, nothing left"
