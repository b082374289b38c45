#!/bin/sh
# knell live on this host: kills and stops are found in time by all survivors, nobody else is suspected, and nothing is left
# behind: no process, no file in shared memory, also when the parent is killed. Usage: live.sh KNELL SOURCE_DIR
. "$(dirname "$0")/../own_shm.sh"
set -eu
knell=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

wrong() {
    echo "live: $*"
    failed=1
}

# value KEY: of the last run's JSON; detections are on one line.
value() {
    sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p" "$dir/out" | head -n 1
}

# run NAME LIMIT_MS options...: exit status 0, nobody wrongly suspected, all know, each within the limit
run() {
    name=$1 limit=$2
    shift 2
    if ! timeout 60 "$knell" live --json "$@" >"$dir/out" 2>"$dir/err"; then
        wrong "$name: status $?: $(cat "$dir/err") $(tr -d '\n' <"$dir/out")"
        return 0
    fi
    [ "$(value false_positives)" = 0 ] || wrong "$name: false positives: $(value false_positives)"
    [ "$(value wrong_views)" = 0 ] || wrong "$name: wrong views: $(value wrong_views)"
    [ "$(value unknown)" = 0 ] || wrong "$name: survivors that do not know: $(value unknown)"
    for last in $(grep -o '"last_s": [0-9.e-]*' "$dir/out" | cut -d ' ' -f 2); do
        awk -v a="$last" -v b="$limit" 'BEGIN { exit !(1000 * a <= b) }' || wrong "$name: the last knew after $last s, limit $limit ms"
    done
}

# why WORD...: the reasons given, in order
why() {
    got=$(grep -o '"why": "[a-z]*"' "$dir/out" | cut -d '"' -f 4 | tr '\n' ' ' | sed 's/ $//')
    [ "$got" = "$*" ] || wrong "$name: reasons '$got', expected '$*'"
}

# in_order LOG: every line is an object with a time, none is before the one above
in_order() {
    awk '!/^\{"time_s": -?[0-9.e-]+, "event": "[a-z]+".*\}$/ { exit bad = 1 }
        { time = substr($2, 1, length($2) - 1) + 0; if (NR > 1 && time < before) exit bad = 1; before = time }
        END { exit bad || !NR }' "$1"
}

# The log is looked at before anything is started.
"$knell" live -n 4 --for 60s --log "$dir/not/there" >"$dir/out" 2>"$dir/err" && wrong "--log: status 0"
grep -q -- '--log .*not/there: No such file' "$dir/err" && [ ! -s "$dir/out" ] || wrong "--log: $(cat "$dir/out" "$dir/err")"

shm_before=$(ls /dev/shm 2>/dev/null || true)

# Delta is generous: this may run beside other work. The limits leave it as much again.
run kill 500 -n 8 --eta 20ms --delta 400ms --for 2s --kill 3@500ms
why kernel
run stop 1000 -n 8 --eta 20ms --delta 400ms --for 3s --stop 3@500ms
why timeout
run kill-ring 1000 -n 8 --eta 20ms --delta 400ms --for 3s --kill 3@500ms --no-shortcuts
why timeout
run stop-ring 1000 -n 8 --eta 20ms --delta 400ms --for 3s --stop 3@500ms --no-shortcuts
why timeout
run resumed-too-late 1000 -n 6 --eta 20ms --delta 400ms --for 3s --stop 0@500ms+1200ms --no-shortcuts
grep -q 'rank 0 is held for dead' "$dir/err" || wrong "resumed-too-late: rank 0 was not ended"
run resumed-in-time 1000 -n 6 --eta 20ms --delta 800ms --for 2s --stop 2@500ms+200ms
why ''
run delta-follows-eta 0 -n 2 --eta 40ms --for 200ms
[ "$(value delta_s)" = 0.4 ] || wrong "--eta 40ms alone: delta $(value delta_s) s, expected 0.4"
run nodes-are-ranks 0 --nodes 2 --for 100ms
[ "$(value ranks)" = 2 ] || wrong "--nodes 2: ranks $(value ranks)"
! grep -q '_ms' "$dir/out" || wrong "times that are not in seconds: $(grep _ms "$dir/out")"
run neighbours 2500 -n 8 --eta 20ms --delta 400ms --for 4s --kill 3@500ms --kill 4@500ms --kill 5@500ms --no-shortcuts

# spread FORWARDS options...: two deaths, with these options. How often a broadcast is passed on tells the overlays apart: between the
# seven who live circulant has the six others do so once, hba does so for each of its twelve copies (k = 2).
spread() {
    forwards=$1
    shift
    run "spread $*" 2500 -n 8 --eta 20ms --delta 400ms --for 6s --settle 300ms --kill 3@300ms --kill 6@1s "$@"
    started=$(value broadcasts_started)
    [ "${started:-0}" -gt 0 ] || { wrong "$name: no broadcast"; return 0; }
    each=$(($(value broadcasts_forwarded) / started))
    [ $each "$forwards" 7 ] || wrong "$name: a broadcast is passed on $each times"
}
spread -gt --overlay hba
[ "$(value overlay)" = '"hba"' ] || wrong "$name: overlay $(value overlay)"
spread -gt --overlay hba --no-shortcuts
spread -gt --overlay hba --no-shortcuts --latest-only
spread -le --latest-only
[ "$(value overlay)$(value latest_only)" = '"circulant"true' ] || wrong "$name: $(value overlay) $(value latest_only)"
spread -le --latest-only --no-shortcuts
[ "$(value shortcuts)" = false ] || wrong "$name: with shortcuts"

run hosts 1000 -n 9 --hosts 3 --eta 20ms --delta 400ms --for 4s --kill 1@500ms --stop 4@1500ms --kill 8@2500ms
why kernel kernel timeout
# The first process of each host, at once: with the ring over the hosts these are neighbours.
run hosts-neighbours 2500 -n 9 --hosts 3 --eta 20ms --delta 400ms --for 4s --stop 0@500ms --stop 3@500ms --stop 6@500ms

# A host is cut off: each of its processes is a victim, found by timeouts alone, also the first of all ranks.
if "$source/tools/hosts" may 2>/dev/null; then
    run cut 2500 -n 9 --hosts 3 --eta 20ms --delta 400ms --for 4s --cut 1@1s --log "$dir/log"
    why timeout timeout timeout
    [ "$(grep -o '"kind": "cut"' "$dir/out" | wc -l)" -eq 3 ] || wrong "cut: not three victims"
    grep -q '"event": "cut", "rank": 0}$' "$dir/log" || wrong "cut: not in the log"
    grep -q '"event": "learned", "rank": [0-9]*, "dead": 0, "by": [0-9]*, "why": "timeout"' "$dir/log" ||
        wrong "cut: the notes are not in the log"
    in_order "$dir/log" || wrong "cut: the log is not in the order of time"
    run cut-and-kill 2500 -n 9 --hosts 3 --eta 20ms --delta 400ms --for 6s --settle 500ms --kill 1@1s --cut 2@1s --stop 8@1010ms
fi

# A scenario: the same interpreter as in the simulator, on processes. One is stopped briefly, one for good, one is killed.
cat >"$dir/three.fail" <<'END'
param SHORT = 100;
Daemon CONTROL {
node 1:
    time_g first = 1;
    first -> !pause(G[1]), !crash(G[0]), !freeze(G[2]), goto 2;
node 2:
}
Daemon RANK {
node 1:
    onload -> continue, goto 2;
node 2:
    ?crash -> halt, goto 5;
    ?freeze -> stop, goto 5;
    ?pause -> stop, goto 3;
node 3:
    time rest = SHORT;
    rest -> continue, goto 5;
node 5:
}
Computer P { daemon = CONTROL; }
Group G { program = "app" size = 6; daemon = RANK; }
END
run scenario 1000 -n 6 --eta 20ms --delta 400ms --for 2s --fail "$dir/three.fail"
[ "$(grep -o '"kind": "[a-z]*"' "$dir/out" | cut -d '"' -f 4 | sort | tr '\n' ' ')" = 'kill stop stop ' ] ||
    wrong "scenario: $(grep -o '"kind": "[a-z]*"' "$dir/out" | tr '\n' ' ')"
[ "$(grep -o '"why"' "$dir/out" | wc -l)" -eq 2 ] || wrong "scenario: not two found"
run scenario-long 1000 -n 6 --eta 20ms --delta 400ms --for 2s --fail "$dir/three.fail" -D SHORT=900
[ "$(grep -o '"why"' "$dir/out" | wc -l)" -eq 3 ] || wrong "scenario-long: not three found"
"$knell" live -n 6 --fail "$source/examples/fail/figure-10.fail" >"$dir/out" 2>"$dir/err" && wrong "code points: status 0"
grep -q 'knell live cannot do this: before' "$dir/err" || wrong "code points: no word about it: $(cat "$dir/err")"

# Whatever becomes of the parent: its processes end with it.
: >"$dir/timeline"
"$knell" live -n 6 --eta 20ms --delta 400ms --for 60s >"$dir/timeline" 2>&1 &
parent=$!
tries=0
until grep -q 'watch each other' "$dir/timeline"; do
    tries=$((tries + 1))
    [ $tries -lt 200 ] || break
    sleep 0.1
done
children=$(pgrep -P $parent || true)
[ "$(echo "$children" | wc -w)" = 6 ] || wrong "killed parent: expected 6 processes, have: $children"
kill -9 $parent
wait $parent 2>/dev/null || true
for child in $children; do
    tries=0
    while kill -0 "$child" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$child/status" 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || { wrong "killed parent: process $child lives on"; break; }
        sleep 0.1
    done
done

[ "$(ls /dev/shm 2>/dev/null || true)" = "$shm_before" ] || wrong "left in /dev/shm: $(ls /dev/shm)"
exit $failed
