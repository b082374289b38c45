#!/bin/sh
# `knell run --hosts` with a scenario at functions of the program: the agents of three hosts run it together. Their daemons talk to each other; a
# rank dies at a function; an agent that cannot be started, one that is killed and a lost host are survived or told, and nothing is left.
# Usage: ../mpi/over_hosts.sh says; REPAIRED is test-agent-mpi. Cases: talk match missing killed leader lost own random
. "$(dirname "$0")/../own_shm.sh"
here=$(dirname "$0")/../mpi
. "$here/over_hosts.sh"
unset KNELL_AGENT
app=$repaired # a rank that is held for delta is dead to the others: the cases have a long one
program=$(basename "$app")

# The ranks 0 and 5, on different hosts, are held at their fifth step; when P knows of both, rank 5 dies there, and rank 0 goes on.
cat >"$dir/talk.fail" <<END
Daemon OTHERS {
    onload -> continue;
}
Daemon HELD {
node 1:
    onload -> continue, goto 2;
node 2:
    before(solver_step#5) -> stop, !here(P), goto 3;
node 3:
    ?go -> continue, goto 4;
    ?crash -> halt, !dead(P), goto 4;
node 4:
    onexit -> goto 4;
}
Daemon LEAD {
    int here = 0;
node 1:
    ?here && here == 0 -> here = 1, goto 1;
    ?here && here == 1 -> !crash(V), goto 2;
node 2:
    ?dead -> !go(FIRST), log("rank 5 is dead"), goto 3;
node 3:
}
Computer FIRST { program = "$program" daemon = HELD; }
Group G { program = "$program" size = 4; daemon = OTHERS; }
Computer V { program = "$program" daemon = HELD; }
Computer P { daemon = LEAD; }
END

case_talk() {
    rm -f "$dir/log"
    job --delta 20s --fail "$dir/talk.fail" --json --log "$dir/log" -- "$app"
    [ $status -eq 0 ] || wrong "the status is $status"
    [ "$(grep -c '"injected": true' "$dir/out")" -eq 1 ] || wrong "one death was to be injected"
    [ "$(grep -o 'rank . done' "$dir/err" | wc -l)" -eq 5 ] || wrong "five ranks were to be done"
    for line in 'FIRST .*before(solver_step#5) -> stop' 'V .*before(solver_step#5) -> stop' 'V .*-> halt, !dead(P)' \
        'P .*dead from V -> !go(FIRST)' 'FIRST .*go from P -> continue'; do
        grep -q "$line" "$dir/log" || wrong "the log lacks: $line
$(cat "$dir/log")"
    done
    nothing_left 1 2 3
}

# A slot of each host; ranks take those of their host.
case_match() {
    cat >"$dir/match.fail" <<END
Daemon D {
node 1:
    onload -> continue, goto 2;
node 2:
    before(solver_step#5) -> log("fifth"), goto 3;
node 3:
    onexit -> goto 1;
}
Group G { program = "$program" size = 6; hosts = "h3:2,h1:2,h2:2" match = "host"; daemon = D; }
END
    rm -f "$dir/log"
    job --fail "$dir/match.fail" --log "$dir/log" -- "$app"
    [ $status -eq 0 ] || wrong "the status is $status"
    for slot in 0 1 2 3 4 5; do
        grep -q "G.$slot. .*fifth" "$dir/log" || wrong "slot $slot had no process"
    done
    sed 's/ match = "host"//' "$dir/match.fail" >"$dir/rank.fail"
    job --fail "$dir/rank.fail" -- "$app"
    [ $status -ne 0 ] || wrong "rank 0 runs on h1, its slot is on h3: the status is 0"
    says 'rank 0 runs on h1, and the scenario has its slot G.0. on h3'
    nothing_left 1 2 3
}

# On one host there is no knell.
case_missing() {
    on 2 mount --bind /dev/null "$knell"
    job --fail "$dir/talk.fail" -- "$app"
    on 2 umount "$knell"
    [ $status -ne 0 ] || wrong "the status is 0"
    says 'h2: the agent cannot be started: .*knell: Permission denied'
    nothing_left 1 2 3
}

# HOST WORDS: processes of `knell WORDS` there.
knell_on() {
    # shellcheck disable=SC2016 # for the host
    on "$1" sh -c 'for at in /proc/[0-9]*; do tr "\0" " " <$at/cmdline | grep -q "^[^ ]*[k]nell $0 " && echo ${at#/proc/}; done' "$2" 2>/dev/null
}
has_agent() { [ -n "$(knell_on "$1" "agent --join")" ] && grep -q "V .*-> stop" "$dir/log"; }

# All are held at their fifth step.
hold_all() {
    sed '/^Daemon OTHERS/,/^}/d; s/!crash(V), //; /?crash/d; s/daemon = OTHERS/daemon = HELD/' "$dir/talk.fail" >"$dir/hold.fail"
    rm -f "$dir/log"
    : >"$dir/log"
    start --delta 20s --fail "$dir/hold.fail" --log "$dir/log" "$@" -- "$app"
    until_true has_agent 3 || wrong "the ranks are not held"
}

case_killed() {
    hold_all
    on 3 kill -9 "$(knell_on 3 "agent --join")"
    wait
    [ "$(cat "$dir/status")" -ne 0 ] || wrong "the status is 0"
    says 'h3: the agent ended before the job did'
    nothing_left 1 2 3
}

# The leader is killed: nothing is left held or traced.
case_leader() {
    hold_all
    on 1 kill -9 "$(knell_on 1 run)"
    wait
    for host in 1 2 3; do until_true is_free "$host" || wrong "processes are left on host $host"; done
    on 1 sh -c 'rm -r /dev/shm/knell-run-*' # the next `knell run` would do it
}

# A host is lost with its agent while a rank there is held: the others know, and end.
case_lost() {
    sed 's/HELD; }$/OTHERS; }/; s/^\(Computer V .*\)OTHERS/\1HELD/; s/?here && here == 0 -> here = 1, goto 1;//; s/ && here == 1//; s/!crash(V), //; /?crash/d; s/!go(FIRST), //' \
        "$dir/talk.fail" >"$dir/lost.fail"
    : >"$dir/log"
    start --delta 5s --fail "$dir/lost.fail" --log "$dir/log" -- "$app"
    until_true has_agent 3 || wrong "rank 5 is not held"
    "$hosts" kill "$name" 3
    ends_with 0
    [ "$(grep -o 'rank . done' "$dir/out" | wc -l)" -eq 4 ] || wrong "four ranks were to be done"
    nothing_left 1 2
    revive 3
}

# The host of `knell run` is lost: ranks and agents of the others go on without it, and end.
case_own() {
    printf 'Daemon D { onload -> slow(90), continue; }\nGroup G { program = "%s" size = 6; daemon = D; }\n' "$(basename "$host_loss")" \
        >"$dir/slow.fail"
    on 2 rm -f /mnt/status
    start --status-file /mnt/status --fail "$dir/slow.fail" -- "$host_loss" 2 work 12
    until_says ready
    "$hosts" kill "$name" 1
    wait
    until_true on 2 test -e /mnt/status || wrong "nobody wrote the status"
    [ "$(on 2 cat /mnt/status)" = 0 ] || wrong "the status is not 0"
    nothing_left 2 3
    revive 1
}

# `knell run` or the agent of a host is killed at a random instant, while ranks run into breakpoints, are held and go on. SEED says which.
case_random() {
    cat >"$dir/random.fail" <<END
Daemon D {
node 1:
    onload -> continue, goto 2;
node 2:
    before(solver_step) -> stop, goto 3;
node 3:
    time rest = 20;
    rest -> continue, goto 2;
}
Group G { program = "$program" size = 6; daemon = D; }
END
    seed=$((seed + 1))
    set -- $(awk -v seed=$seed 'BEGIN { srand(seed); printf "%d %.2f", rand() * 4, 0.2 + rand() * 1.5 }')
    start --delta 20s --fail "$dir/random.fail" -- "$app"
    sleep "$2" # the instant
    victim=$([ "$1" = 0 ] && knell_on 1 run || knell_on "$1" "agent --join")
    # shellcheck disable=SC2086 # words
    [ -z "$victim" ] || on "$([ "$1" = 0 ] && echo 1 || echo "$1")" kill -9 $victim 2>/dev/null
    wait
    for host in 1 2 3; do until_true is_free "$host" || wrong "seed $seed: processes are left on host $host"; done
    on 1 sh -c 'rm -rf /dev/shm/*'
}
seed=${SEED:-0}

lab 3 ${APART:+apart} # clocks
each_case "$@"
exit $failed
