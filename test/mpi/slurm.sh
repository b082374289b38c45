#!/bin/sh
# A real Slurm (slurmctld, slurmd, munge) on hosts of tools/hosts: `knell run` in an allocation loses a rank, a host, the first host; people's
# own srun lines with `knell exec`; wrong use.
# Usage: slurm.sh MPI KNELL HOSTS_SCRIPT HOST_LOSS MANAGER_WORKER JOBS CASE...
# Status 77: hosts are not permitted here, or there is no Slurm.
. "$(dirname "$0")/../own_shm.sh"
set -u
here=$(dirname "$0")
mpi=$1 knell=$2 hosts=$3 host_loss=$4 manager_worker=$5 jobs=$6
shift 6
why=$("$hosts" may 2>&1) || {
    echo "skipped: $why"
    exit 77
}
for program in slurmctld slurmd munged srun salloc; do
    command -v $program >/dev/null || {
        echo "skipped: $program is missing; apt-get install slurmctld slurmd slurm-client munge"
        exit 77
    }
done
name=slurm-$$ count=4
dir=$(mktemp -d)
trap '"$hosts" down "$name"; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
failed=0

wrong() {
    echo "$mpi: $case: $*" >&2
    sed 's/^/    /' "$dir/out" "$dir/err" >&2
    failed=1
}

# on_login COMMAND...: with a limit
on_login() { "$hosts" exec "$name" $count -- env SLURM_CONF=/mnt/slurm/slurm.conf timeout -k 2 90 "$@"; }

# job OPTION... -- PROGRAM...: in an allocation of all nodes; status in $status
job() {
    on_login salloc -Q -N3 "$knell" run -n 6 --timeout 60s "$@" >"$dir/out" 2>"$dir/err"
    status=$?
}

start() {
    rm -f "$dir/status"
    {
        job "$@"
        echo $status >"$dir/status"
    } &
}

until_true() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || return 1
        sleep 0.02
    done
}
is_ready() { grep -q ready "$dir/out" 2>/dev/null || [ -e "$dir/status" ]; }
says() { grep -q "$1" "$dir/out" "$dir/err" || wrong "nothing says: $1"; }
ended_well() { # SURVIVORS
    [ "$status" -eq 0 ] || wrong "the status is $status"
    [ "$(grep -o fine "$dir/out" | wc -l)" -eq "$1" ] || wrong "not all $1 survivors ended well"
}

is_free() {
    ! "$hosts" exec "$name" "$1" -- sh -c \
        'for at in /proc/[0-9]*; do readlink "$at/exe"; done' 2>/dev/null | grep -q 'test-mpi-\|knell/exec\|slurmstepd'
}
check_left() {
    for host in "$@"; do
        until_true is_free "$host" || wrong "processes are left on host $host"
        [ -z "$("$hosts" exec "$name" "$host" -- ls /dev/shm)" ] || wrong "shared memory is left on host $host"
    done
}

# The survivors go on for longer than Slurm needs to end a step.
lose_rank() {
    job --kill 4@300ms -- "$host_loss" 1 work 2
    ended_well 5
    check_left 1 2 3
}

lose_host() { # NUMBER
    start -- "$host_loss" 2 work 2
    until_true is_ready
    "$hosts" kill "$name" "$1"
    wait
    status=$(cat "$dir/status")
    ended_well 4
    says "was lost with its host h$1"
    for host in 1 2 3; do
        [ "$host" -eq "$1" ] || check_left "$host"
    done
    "$hosts" restart "$name" "$1" >/dev/null
    "$here/../slurm/cluster.sh" "$hosts" "$name" $count node "$1" || wrong "host $1 does not come back to Slurm"
}

# Without `knell run`: a rank kills itself.
run_own_line() {
    by=pmi2 settings='UCX_TLS=tcp,cma,self UCX_NET_DEVICES=eth0'
    [ "$mpi" = mpich ] || by=pmix settings='OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=eth0'
    # shellcheck disable=SC2086 # several words
    on_login srun -N3 -n6 --mpi=$by --no-kill --kill-on-bad-exit=0 --wait=0 env $settings \
        "$knell" exec "$manager_worker" 1000 4@3 >"$dir/out" 2>"$dir/err"
    status=$?
    [ "$status" -eq 0 ] || wrong "the status is $status"
    says '5 ranks left, 9592 primes below 100000: right'
    check_left 1 2 3
}

# The batch script of the examples, from any folder; `knell` is found on the PATH.
run_batch() {
    on_login env PATH="$(dirname "$knell"):$PATH" sbatch -Q -W -N3 -D /mnt -o /mnt/batch.out "$here/../../examples/slurm/job.sh" \
        "$manager_worker" 1000 4@3 >"$dir/out" 2>"$dir/err"
    status=$?
    on_login cat /mnt/batch.out >>"$dir/out"
    [ "$status" -eq 0 ] || wrong "the status is $status"
    says '23 ranks left, 9592 primes below 100000: right'
    check_left 1 2 3
}

refuse_nested() {
    on_login srun -N2 -n2 "$knell" run -n 2 "$host_loss" 1 work >"$dir/out" 2>"$dir/err"
    says 'srun has started this command for each task'
}

timeout 60 "$hosts" up "$name" $count || exit 1
case=start
: >"$dir/out" >"$dir/err"
"$here/../slurm/cluster.sh" "$hosts" "$name" $count up >"$dir/out" 2>"$dir/err" || {
    wrong "Slurm does not start"
    exit 1
}
for case in "$@"; do
    for round in $(seq 1 "$jobs"); do
        case $case in
        rank) lose_rank ;;
        host) lose_host 3 ;;
        first) lose_host 1 ;;
        exec) run_own_line ;;
        batch) run_batch ;;
        nested) refuse_nested ;;
        *) wrong "there is no such case" ;;
        esac
    done
done
exit $failed
