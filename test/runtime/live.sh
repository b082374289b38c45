#!/bin/sh
# knell live on this host: kills and stops are found in time by all survivors, nobody else is suspected, and nothing is left
# behind: no process, no file in shared memory, also when the parent is killed. Usage: live.sh KNELL
set -eu
knell=$1
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
    [ "$(value unknown)" = 0 ] || wrong "$name: survivors that do not know: $(value unknown)"
    for last in $(grep -o '"last_ms": [0-9.]*' "$dir/out" | cut -d ' ' -f 2); do
        awk -v a="$last" -v b="$limit" 'BEGIN { exit !(a <= b) }' || wrong "$name: the last knew after $last ms, limit $limit"
    done
}

# why WORD...: the reasons given, in order
why() {
    got=$(grep -o '"why": "[a-z]*"' "$dir/out" | cut -d '"' -f 4 | tr '\n' ' ' | sed 's/ $//')
    [ "$got" = "$*" ] || wrong "$name: reasons '$got', expected '$*'"
}

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
run neighbours 2500 -n 8 --eta 20ms --delta 400ms --for 4s --kill 3@500ms --kill 4@500ms --kill 5@500ms --no-shortcuts

run hosts 1000 -n 9 --hosts 3 --eta 20ms --delta 400ms --for 4s --kill 1@500ms --stop 4@1500ms --kill 8@2500ms
why kernel kernel timeout
# The first process of each host, at once: with the ring over the hosts these are neighbours.
run hosts-neighbours 2500 -n 9 --hosts 3 --eta 20ms --delta 400ms --for 4s --stop 0@500ms --stop 3@500ms --stop 6@500ms

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
