#!/bin/sh
# The layer over four hosts (tools/hosts) under the MPI's own launcher with `knell exec`, as docs/use/hosts.md has it: a rank dies; a host dies or is cut off. The
# survivors finish with the right answer, know in time, and nothing of the job is left on the hosts that live.
# Usage: hosts.sh MPI KNELL HOSTS_SCRIPT SURVIVE HOST_LOSS JOBS CASE...    JOBS of each case: rank ipv6 kill cut
# Status 77: hosts are not permitted here.
. "$(dirname "$0")/../own_shm.sh"
set -u
mpi=$1 knell=$2 hosts=$3 survive=$4 host_loss=$5 jobs=$6
shift 6
why=$("$hosts" may 2>&1) || {
    echo "skipped: $why"
    exit 77
}
name=mpi-$$
dir=$(mktemp -d)
launcher=
: >"$dir/out"
: >"$dir/err"
trap '[ -z "$launcher" ] || kill -9 $launcher 2>/dev/null; "$hosts" down "$name"; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
failed=0
ETA_MS=100 DELTA_MS=500 LATE_MS=${KNELL_TEST_LATE_MS:-2000} # the last: for a machine that has more to do

wrong() {
    echo "$mpi: $*" >&2
    sed 's/^/    /' "$dir/out" "$dir/err" >&2
    failed=1
}

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
    "$hosts" exec "$name" 1 -- sh -c 'echo $$ >"$0" && exec timeout -k 2 70 "$@"' "$dir/pid" "$@" >"$dir/out" 2>"$dir/err" &
    launcher=$!
}

count() { grep -o "$1" "$dir/out" | wc -l; } # launchers may join the lines of two ranks

# until CONDITION...: at most a minute
until_true() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || return 1
        sleep 0.02
    done
}

all_fine() { [ "$(count fine)" -ge "$1" ] || grep -q 'hangs at\|[.]c:[0-9]*: rank' "$dir/out" "$dir/err"; }
is_ready() { grep -q ready "$dir/out" || ! kill -0 $launcher 2>/dev/null; }

# The launcher does not end by itself when a host is gone: it is ended here.
end_launcher() {
    "$hosts" exec "$name" 1 -- kill "$(cat "$dir/pid")" 2>/dev/null
    until_true is_over
    wait $launcher 2>/dev/null
    launcher=
}
is_over() { ! kill -0 $launcher 2>/dev/null; }

is_free_of() { ! "$hosts" exec "$name" "$1" -- sh -c "grep -lzs '^$2\$' /proc/[0-9]*/cmdline" >/dev/null; }

check_left() { # check_left PROGRAM HOST...
    program=$1
    shift
    for host in "$@"; do
        until_true is_free_of "$host" "$program" || wrong "$case: processes of the job are left on host $host"
        [ -z "$("$hosts" exec "$name" "$host" -- ls /dev/shm)" ] || wrong "$case: shared memory is left on host $host"
    done
}

expect_fine() { # expect_fine SURVIVORS PROGRAM HOST...
    survivors=$1
    shift
    until_true all_fine "$survivors"
    [ "$(count fine)" -eq "$survivors" ] || wrong "$case: $(count fine) of $survivors survivors ended well"
    [ "$survivors" -eq 6 ] || { until_true is_over || wrong "$case: the launcher does not end"; }
    end_launcher
    check_left "$@"
}

lose_rank() {
    launch "$survive"
    expect_fine 7 "$survive" 1 2 3 4
}

# All have an address of their own kind, and the key comes by the environment.
lose_rank_ipv6() {
    # shellcheck disable=SC2016 # for the hosts
    launch env "KNELL_KEY=$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')" \
        sh -c 'KNELL_ADDRESS=fd77::$(hostname | tr -d h) exec "$0"' "$survive"
    expect_fine 7 "$survive" 1 2 3 4
}

kill_host() {
    launch "$host_loss" 2 work
    until_true is_ready
    "$hosts" kill "$name" 3
    expect_fine 6 "$host_loss" 1 2 4
    "$hosts" restart "$name" 3 >/dev/null
}

# How long after the cut the last survivor knew of both; heartbeats fall silent at the cut, and the last one may be eta old.
cut_host() {
    launch "$host_loss" 2 idle
    until_true is_ready
    sleep 1 # the job is under way, and the machine at rest
    cut=$(date +%s%N)
    "$hosts" cut "$name" 3
    expect_fine 6 "$host_loss" 1 2 4
    known=$(grep -o 'knew [0-9]*' "$dir/out" | sort -k 2 -n | sed -n '6s/knew //p')
    late=$(((${known:-0} - cut) / 1000000))
    echo "$mpi: all survivors know of the cut host after $late ms; eta $ETA_MS ms, delta $DELTA_MS ms"
    [ "$late" -gt 0 ] && [ "$late" -le $((ETA_MS + DELTA_MS + LATE_MS)) ] || wrong "$case: known after $late ms"
    "$hosts" restart "$name" 3 >/dev/null # what ran there must not come back
}

timeout 60 "$hosts" up "$name" 4 || exit 1
for case in "$@"; do
    for job in $(seq 1 "$jobs"); do
        case $case in
        rank) lose_rank ;;
        ipv6) lose_rank_ipv6 ;;
        kill) kill_host ;;
        cut) cut_host ;;
        *) wrong "there is no case $case" ;;
        esac
    done
done
exit $failed
