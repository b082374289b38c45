#!/bin/sh
# The layer over four hosts (tools/hosts) under the MPI's own launcher with `knell exec`, as docs/use/hosts.md has it: a rank dies; a host dies or is cut off. The
# survivors finish with the right answer, know in time, and nothing of the job is left on the hosts that live.
# Usage: hosts.sh MPI KNELL HOSTS_SCRIPT SURVIVE HOST_LOSS JOBS CASE...    JOBS of each case: rank ipv6 kill cut
. "$(dirname "$0")/../own_shm.sh"
mpi=$1 knell=$2 hosts=$3 survive=$4 host_loss=$5 jobs=$6
shift 6
. "$(dirname "$0")/on_hosts.sh"
launcher=
trap '[ -z "$launcher" ] || kill -9 $launcher 2>/dev/null; "$hosts" down "$name"; rm -rf "$dir"' EXIT
ETA_MS=100 DELTA_MS=500 LATE_MS=${KNELL_TEST_LATE_MS:-2000} # the last: for a machine that has more to do

# launch PROGRAM...: two ranks on each host, by the launcher on the first one, in the background
launch() {
    case $mpi in
    openmpi)
        set -- mpirun.openmpi --allow-run-as-root --host h1:2,h2:2,h3:2,h4:2 --mca plm_rsh_agent /mnt/agent --enable-recovery \
            --mca orte_allowed_exit_without_sync 1 --mca orte_abort_on_non_zero_status 0 --mca routed direct \
            --mca plm_rsh_no_tree_spawn 1 --mca mpi_preconnect_mpi 1 --mca btl_tcp_if_include eth0 \
            --mca oob_tcp_if_include eth0 --mca pml ob1 --mca btl tcp,self -n 8 "$knell" exec "$@"
        ;;
    mpich)
        set -- env UCX_TLS=tcp,cma,self UCX_RNDV_SCHEME=put_zcopy UCX_MAX_RNDV_RAILS=1 UCX_NET_DEVICES=eth0 \
            mpiexec.mpich -disable-auto-cleanup -launcher-exec /mnt/agent -hosts h1:2,h2:2,h3:2,h4:2 -iface eth0 -n 8 \
            "$knell" exec "$@"
        ;;
    esac
    : >"$dir/out" # what the job before said must not be taken for this one's
    # shellcheck disable=SC2016 # for the host
    on 1 sh -c 'echo $$ >"$0" && exec timeout -k 2 70 "$@"' "$dir/pid" "$@" >"$dir/out" 2>"$dir/err" &
    launcher=$!
}

all_fine() { [ "$(count fine)" -ge "$1" ] || grep -q 'hangs at\|[.]c:[0-9]*: rank' "$dir/out" "$dir/err"; }
is_ready() { grep -q ready "$dir/out" || is_over; }
is_over() { ! kill -0 $launcher 2>/dev/null; }

# The launcher does not end by itself when a host is gone: it is ended here.
end_launcher() {
    on 1 kill "$(cat "$dir/pid")" 2>/dev/null
    until_true is_over
    wait $launcher 2>/dev/null
    launcher=
}

expect_fine() { # SURVIVORS HOST...
    survivors=$1
    shift
    until_true all_fine "$survivors"
    is_fine "$survivors"
    [ "$survivors" -eq 6 ] || { until_true is_over || wrong "the launcher does not end"; }
    end_launcher
    for host in "$@"; do
        until_true is_free "$host" || wrong "processes of the job are left on host $host"
        [ -z "$(on "$host" ls /dev/shm)" ] || wrong "shared memory is left on host $host"
    done
}

case_rank() {
    launch "$survive"
    expect_fine 7 1 2 3 4
}

# All have an address of their own kind, and the key comes by the environment.
case_ipv6() {
    # shellcheck disable=SC2016 # for the hosts
    launch env "KNELL_KEY=$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')" \
        sh -c 'KNELL_ADDRESS=fd77::$(hostname | tr -d h) exec "$0"' "$survive"
    expect_fine 7 1 2 3 4
}

case_kill() {
    launch "$host_loss" 2 work
    until_true is_ready
    "$hosts" kill "$name" 3
    expect_fine 6 1 2 4
    revive 3
}

# How long after the cut the last survivor knew of both; heartbeats fall silent at the cut, and the last one may be eta old.
case_cut() {
    launch "$host_loss" 2 idle
    until_true is_ready
    sleep 1 # the job is under way, and the machine at rest
    cut=$(date +%s%N)
    "$hosts" cut "$name" 3
    expect_fine 6 1 2 4
    known=$(grep -o 'knew [0-9]*' "$dir/out" | sort -k 2 -n | sed -n '6s/knew //p')
    late=$(((${known:-0} - cut) / 1000000))
    echo "$mpi: all survivors know of the cut host after $late ms; eta $ETA_MS ms, delta $DELTA_MS ms"
    [ "$late" -gt 0 ] && [ "$late" -le $((ETA_MS + DELTA_MS + LATE_MS)) ] || wrong "known after $late ms"
    revive 3 # what ran there must not come back
}

hosts_up 4
each_case "$@"
exit $failed
