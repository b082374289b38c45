#!/bin/sh
# knell calibrate, alive: on this host, and between two "hosts" of the loopback; what it proposes goes through knell plan.
# Usage: calibrate.sh KNELL
set -u
knell=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0

wrong() {
    echo "calibrate: $*" >&2
    failed=1
}

# value KEY FILE
value() {
    sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" "$2"
}

# sane FILE: 3 eta + tau <= delta, 3 tau <= eta, and a distribution in order
sane() {
    awk -v tau="$(value tau_s "$1")" -v eta="$(value eta_s "$1")" -v delta="$(value delta_s "$1")" \
        'BEGIN { exit !(tau > 0 && eta >= 3 * tau && delta >= (3 * eta + tau) * (1 - 1e-9)) }' || wrong "$1: eta, delta or tau: $(cat "$1")"
    sed -n 's/.*"total_s": {"min": \([^,]*\), "median": \([^,]*\), "p99": \([^,]*\), "p999": \([^,]*\), "p9999": \([^,]*\), "max": \([^}]*\)}.*/\1 \2 \3 \4 \5 \6/p' "$1" |
        awk '{ for (i = 2; i <= 6; i++) if ($i < $(i - 1)) exit 1 } END { exit NR != 1 }' || wrong "$1: not in order: $(cat "$1")"
}

timeout 60 "$knell" calibrate --ranks 3 --job-ranks 512 --for 1s --json --out here.json >out.json 2>err || wrong "status $?: $(cat err)"
cmp -s here.json out.json || wrong "--out and --json differ"
[ "$(value sent here.json)" = 3000 ] || wrong "sent: $(value sent here.json), not 3000"
[ "$(value ranks here.json) $(value job_ranks here.json)" = "3 512" ] || wrong "ranks or job_ranks: $(cat here.json)"
! grep -q _ms here.json || wrong "a time that is not in seconds: $(grep _ms here.json)"
sane here.json
"$knell" plan --nodes 4096 --mtbf 5y --risk 1e-9 --calibration here.json --json >plan.json || wrong "plan --calibration: $?"
for key in tau_s eta_s delta_s; do
    [ "$(value $key plan.json)" = "$(value $key here.json)" ] || wrong "plan has another $key than the calibration"
done
"$knell" plan --nodes 4096 --mtbf 5y --risk 1e-9 --calibration here.json --eta 1h --delta 4h --json >plan.json || wrong "plan: $?"
[ "$(value eta_s plan.json)" = 3600 ] || wrong "--eta does not go before --calibration"
"$knell" run -n 2 --mpi openmpi --calibration here.json --dry-run true >line 2>err || ! grep -q . err || wrong "run --calibration: $(cat err)"
if [ -s line ]; then # there is an MPI
    grep -q "KNELL_ETA_NS=$(value eta_s here.json | awk '{printf "%.0f", $1 * 1e9}')" line || wrong "run has another eta than the calibration: $(cat line)"
fi

# The command it prints is one that runs.
timeout 60 "$knell" calibrate --for 300ms >text 2>err || wrong "status $?: $(cat err)"
awk 'length > 80' text | grep -q . && wrong "wider than 80 columns: $(awk 'length > 80' text)"
next=$(sed -n '/^  knell plan/,$p' text | tr -d '\\\n' | sed 's/^ *knell//')
# shellcheck disable=SC2086 # words
"$knell" $next >/dev/null || wrong "the proposed command fails: knell $next"

# Two hosts: with the same key, with another, and with nobody there.
head -c 32 /dev/zero >key
head -c 32 /dev/zero | tr '\0' x >other
port=$((20000 + $$ % 20000))
timeout 60 "$knell" calibrate --listen 127.0.0.1:$port --key key >answered 2>&1 &
listener=$!
timeout 60 "$knell" calibrate --peer 127.0.0.1:$port --key other --wait 300ms >out 2>err && wrong "another key was answered"
grep -q -- '--peer 127.0.0.1:.*no answer in time' err || wrong "another key: $(cat err)"
timeout 60 "$knell" calibrate --peer 127.0.0.1:$port --key key --for 500ms --every 5ms --json >peer.json 2>err ||
    wrong "peer: status $?: $(cat err)"
wait $listener || wrong "listener: status $?: $(cat answered)"
grep -q '^answered 10[0-9] heartbeats' answered || wrong "listener says: $(cat answered)"
[ "$(value sent peer.json)" = 100 ] || wrong "peer sent $(value sent peer.json), not 100"
sane peer.json
timeout 60 "$knell" calibrate --listen 127.0.0.1:$port --key key --wait 200ms >out 2>err && wrong "a listener nobody asks succeeds"
[ "$(wc -l <err)" -eq 1 ] || wrong "not one line: $(cat err)"
exit $failed
