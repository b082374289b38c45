#!/bin/sh
# Random sequences of kills, stops and cuts over namespace hosts: every survivor's view is right at the end of each, nobody
# alive is ever reported, nothing leaks; every tenth run is killed itself, with all its processes or alone, and leaves nothing.
# A failure prints the one command that shows it again.
# Usage: soak.sh KNELL HOSTS_SCRIPT RUNS [SEED [ETA DELTA]], times in ms
. "$(dirname "$0")/../own_shm.sh"
set -eu
knell=$1 hosts=$2 runs=$3 seed=${4:-1} eta=${5:-10} delta=${6:-100}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
failed=0 killed=0 away=0
most_kib=512
grep -q __tsan_init "$knell" && most_kib=65536 # its shadow memory grows with what is touched

why=$("$hosts" may 2>&1) || { echo "skipped: $why"; exit 77; }

# sequence SEED: options of a run. Later injections strike whoever is left; two processes always are.
sequence() {
    awk -v seed="$1" -v eta="$eta" -v delta="$delta" 'function pick(n) { return int(rand() * n) }
    function left(    r, c) { c = 0; for (r = 0; r < n; r++) c += !gone[r]; return c }
    BEGIN {
        srand(seed); rand(); n = 16; hosts = 2 + pick(3); t = 50 + pick(500)
        printf "-n %d --hosts %d --eta %dms --delta %dms --for %dms --settle %dms", n, hosts, eta, delta, 60 * delta, 2 * delta
        for (k = 1 + pick(6); k > 0; k--) {
            dice = rand()
            if (dice < 0.2) {
                h = pick(hosts); c = 0
                for (r = 0; r < n; r++) c += !gone[r] && int(r * hosts / n) != h
                if (cut[h] || pinned[h] || c < 2) continue
                cut[h] = 1
                for (r = 0; r < n; r++) if (int(r * hosts / n) == h) gone[r] = 1
                printf " --cut %d@%dms", h + 1, t
            } else if (left() > 2) {
                do r = pick(n); while (gone[r])
                gone[r] = 1
                if (dice < 0.65) printf " --kill %d@%dms", r, t
                else if (dice < 0.9) printf " --stop %d@%dms", r, t
                else { printf " --stop %d@%dms+%dms", r, t, rand() < 0.5 ? delta / 5 : 500 + 3 * delta; pinned[int(r * hosts / n)] = 1 }
            }
            dice = rand()
            t += dice < 0.35 ? 0 : dice < 0.7 ? 1 + pick(20) : pick(200)
        }
    }'
}

wrong() {
    echo "run $run: $*"
    echo "  again: $knell live $options"
    failed=$((failed + 1))
}

value() {
    sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p" "$dir/out" | head -n 1
}

# left_of SESSION NAME: processes still there, but for the dead whom nobody has waited for yet
left_of() {
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*)/()/' | awk -v s="$1" '$6 == s && $3 != "Z" && $3 != "X" { print $1 }'
    "$hosts" list "$2" 2>/dev/null || :
}

await_nothing() {
    tries=0
    while [ -n "$(left_of "$1" "live-$1")" ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || { wrong "left after 5 s: $(left_of "$1" "live-$1" | tr '\n' ' ')"; return 0; }
        sleep 0.05
    done
}

# Whatever happens to the run itself: half of the times all its processes are killed, half of the times the parent alone.
run_killed() {
    options=$(echo "$options" | sed 's/ --settle [^ ]*//') # else it may be over before
    # shellcheck disable=SC2086 # words
    setsid "$knell" live $options --json >/dev/null 2>&1 &
    session=$!
    sleep "$(awk -v seed="$number" 'BEGIN { srand(seed); rand(); print rand() * 1.2 }')"
    case $((run / 10 % 2)) in
    0) kill -s KILL -- "-$session" || wrong "it had ended by itself before it was killed" ;;
    *) kill -s KILL "$session" || wrong "it had ended by itself before it was killed" ;;
    esac
    wait $session 2>/dev/null || :
    await_nothing "$session"
    killed=$((killed + 1))
}

run_judged() {
    status=0
    # shellcheck disable=SC2086 # words
    timeout 60 setsid -w "$knell" live $options --json --log "$dir/log" >"$dir/out" 2>"$dir/err" || status=$?
    if [ $status -ne 0 ] || [ "$(value wrong_views)" != 0 ] || [ "$(value unknown)" != 0 ]; then
        wrong "status $status, false positives $(value false_positives), wrong views $(value wrong_views)," \
            "not known $(value unknown), longest late $(value starved_max_s) s, away $(value away_windows)"
        sed 's/^/  /' "$dir/err"
        grep -v '"event": "started"' "$dir/log" 2>/dev/null | head -n 60 | sed 's/^/  /' || :
    fi
    [ "$(value false_positives_away)" = 0 ] || away=$((away + 1))
    # One for the neighbour watched, who may not have been watched yet when they were counted first.
    [ "$(value descriptors_grown)" -le 1 ] 2>/dev/null || wrong "descriptors grew by $(value descriptors_grown)"
    [ "$(value kib_grown)" -le "$most_kib" ] 2>/dev/null || wrong "memory grew by $(value kib_grown) KiB"
}

# Files in shared memory, and first processes of hosts. A namespace lives as long as a process in it: each run waits for those.
what_is_there() {
    ls /dev/shm
    grep -lzs '^knell-hosts[:]live-' /proc/[0-9]*/cmdline || :
}

before=$(what_is_there)
run=0
while [ $run -lt "$runs" ] && [ $failed -lt 5 ]; do
    number=$((seed + run))
    options=$(sequence $number)
    if [ $((run % 10)) -eq 9 ]; then run_killed; else run_judged; fi
    run=$((run + 1))
done
left=$(what_is_there | grep -vxF -- "$before" || :)
[ -z "$left" ] || wrong "left in shared memory or of hosts: $left"
echo "$run sequences from seed $seed: $failed failed, $killed killed themselves, $away with the machine away"
[ $failed -eq 0 ]
