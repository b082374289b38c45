# Sourced by tests on hosts of tools/hosts, after own_shm.sh and with $mpi and $hosts set: hosts of their own, which go at the end, and what
# all of these tests ask of a job. Status 77: hosts are not permitted here.
set -u
why=$("$hosts" may 2>&1) || {
    echo "skipped: $why"
    exit 77
}
name=${0##*/}
name=${name%.sh}-$$ # of the hosts
dir=$(mktemp -d)
failed=0 case=start
trap '"$hosts" down "$name"; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
: >"$dir/out"
: >"$dir/err"

wrong() {
    echo "$mpi: $case: $*" >&2
    sed 's/^/    /' "$dir/out" "$dir/err" >&2
    failed=1
}

# hosts_up N [apart]
hosts_up() { timeout 60 "$hosts" up "$name" "$@" || exit 1; }

# on HOST COMMAND...
on() {
    on_host=$1
    shift
    "$hosts" exec "$name" "$on_host" -- "$@"
}

# until_true CONDITION...: at most a minute
until_true() {
    deadline=$(($(date +%s) + 60))
    until "$@"; do
        [ "$(date +%s)" -lt $deadline ] || return 1
        sleep 0.02
    done
}

# start ARGUMENT...: `job`, which each script has of its own, in the background; its status goes to the file "status"
start() {
    rm -f "$dir/status"
    : >"$dir/out" # what the job before said must not be taken for this one's
    : >"$dir/err"
    {
        job "$@"
        echo $status >"$dir/status"
    } &
}

# until_says TEXT: or the job has ended
until_says() { until_true has_said "$1"; }
has_said() { grep -q "$1" "$dir/out" "$dir/err" || [ -e "$dir/status" ]; }

says() { grep -q "$1" "$dir/out" "$dir/err" || wrong "nothing says: $1"; }
count() { grep -o "$1" "$dir/out" | wc -l; } # launchers may join the lines of two ranks
is_fine() { [ "$(count fine)" -eq "$1" ] || wrong "$(count fine) of $1 survivors ended well"; }
ends_with() { # STATUS; "fail" is any that is not 0
    wait
    status=$(cat "$dir/status")
    case $1$status in
    "$status$status" | fail[1-9]*) ;;
    *) wrong "the status is $status, not $1" ;;
    esac
}

# The job's programs, supervisors and launchers, by the names of their files.
is_free() {
    # shellcheck disable=SC2016 # for the host
    ! on "$1" sh -c 'for at in /proc/[0-9]*; do readlink "$at/exe"; done' 2>/dev/null |
        grep -q 'test-mpi-\|test-agent-\|examples/mpi\|knell/exec\|cli/knell$\|hydra\|orted\|mpirun\|slurmstepd'
}

# What a job must not leave on hosts that live: processes, shared memory, folders. In /var/tmp are those of Slurm.
nothing_left() {
    for host in "$@"; do
        until_true is_free "$host" || wrong "processes are left on host $host"
        [ -z "$(on "$host" ls /dev/shm)" ] || wrong "shared memory is left on host $host: $(on "$host" ls /dev/shm)"
        [ -z "$(on "$host" ls /var/tmp | grep -v '^slurm')" ] || wrong "files are left on host $host: $(on "$host" ls /var/tmp)"
    done
}

revive() { # HOST...
    for host in "$@"; do "$hosts" restart "$name" "$host" >/dev/null; done
}

# each_case CASE...: runs the function case_NAME for each, $jobs times
each_case() {
    for case in "$@"; do
        for round in $(seq 1 "$jobs"); do "case_$case"; done
    done
}
