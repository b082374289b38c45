# Sourced by tests of `knell run` over hosts, after own_shm.sh. They take: MPI KNELL HOSTS_SCRIPT REPAIRED HOST_LOSS JOBS CASE...
# Jobs run on all hosts, two ranks on each; the script says how many there are: `lab N`.
mpi=$1 knell=$2 hosts=$3 repaired=$4 host_loss=$5 jobs=$6
shift 6
. "${here:-$(dirname "$0")}/on_hosts.sh"
limit=50s

# lab N [apart]
lab() {
    hosts_up "$@"
    list=$(seq -s , -f h%g "$1")
    ranks=$((2 * $1))
}

# job OPTION... -- PROGRAM...: from the first host; status in $status
job() {
    on 1 timeout -k 2 "${patience:-70}" "$knell" run --hosts "$list" --rsh /mnt/agent -n "$ranks" --timeout "$limit" "$@" >"$dir/out" 2>"$dir/err"
    status=$?
}
