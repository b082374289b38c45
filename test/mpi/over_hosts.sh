# Sourced by tests of `knell run` over hosts (tools/hosts), after own_shm.sh. They take: MPI KNELL HOSTS_SCRIPT REPAIRED HOST_LOSS JOBS CASE...
# Status 77: hosts are not permitted here. Jobs run on all hosts, two ranks on each; the script says how many there are: `hosts_up N`.
set -u
mpi=$1 knell=$2 hosts=$3 repaired=$4 host_loss=$5 jobs=$6
shift 6
why=$("$hosts" may 2>&1) || {
    echo "skipped: $why"
    exit 77
}
name=run-$$
dir=$(mktemp -d)
trap '"$hosts" down "$name"; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
failed=0 limit=50s
: >"$dir/out"
: >"$dir/err"

wrong() {
    echo "$mpi: $case: $*" >&2
    sed 's/^/    /' "$dir/out" "$dir/err" >&2
    failed=1
}

# hosts_up N [apart]
hosts_up() {
    timeout 60 "$hosts" up "$name" "$@" || exit 1
    list=$(seq -s , -f h%g "$1")
    ranks=$((2 * $1))
}

# on HOST COMMAND...
on() {
    on_host=$1
    shift
    "$hosts" exec "$name" "$on_host" -- "$@"
}

# job OPTION... -- PROGRAM...: from the first host; status in $status
job() {
    on 1 timeout -k 2 "${patience:-70}" "$knell" run --hosts "$list" --rsh /mnt/agent -n "$ranks" --timeout "$limit" "$@" >"$dir/out" 2>"$dir/err"
    status=$?
}

# start, as job: in the background; its status goes to the file "status"
start() {
    rm -f "$dir/status"
    : >"$dir/out" # what the job before said must not be taken for this one's
    : >"$dir/err"
    {
        job "$@"
        echo $status >"$dir/status"
    } &
}

# until_true CONDITION...: at most a minute
until_true() {
    deadline=$(($(date +%s) + 60))
    until "$@"; do
        [ "$(date +%s)" -lt $deadline ] || return 1
        sleep 0.02
    done
}

# until_says TEXT: or the job has ended
until_says() { until_true has_said "$1"; }
has_said() { grep -q "$1" "$dir/out" "$dir/err" || [ -e "$dir/status" ]; }

says() { grep -q "$1" "$dir/out" "$dir/err" || wrong "nothing says: $1"; }
is_fine() { [ "$(grep -o fine "$dir/out" | wc -l)" -eq "$1" ] || wrong "not all $1 survivors ended well"; }
ends_with() { # STATUS
    wait
    status=$(cat "$dir/status")
    [ "$status" -eq "$1" ] || wrong "the status is $status, not $1"
}

# The job's programs, supervisors and launchers, by the names of their files.
is_free() {
    # shellcheck disable=SC2016 # for the host
    ! on "$1" sh -c 'for at in /proc/[0-9]*; do readlink "$at/exe"; done' 2>/dev/null |
        grep -q 'test-mpi-\|examples/mpi\|knell/exec\|hydra\|orted\|mpirun'
}

# What a job must not leave on hosts that live: processes, shared memory, folders.
nothing_left() {
    for host in "$@"; do
        until_true is_free "$host" || wrong "processes are left on host $host"
        [ -z "$(on "$host" ls /dev/shm)" ] || wrong "shared memory is left on host $host: $(on "$host" ls /dev/shm)"
        [ -z "$(on "$host" ls /var/tmp)" ] || wrong "files are left on host $host: $(on "$host" ls /var/tmp)"
    done
}

revive() { # HOST...
    for host in "$@"; do "$hosts" restart "$name" "$host" >/dev/null; done
}

# each_case: runs the function case_NAME for each, JOBS times
each_case() {
    for case in "$@"; do
        for round in $(seq 1 "$jobs"); do "case_$case"; done
    done
}
