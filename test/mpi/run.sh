#!/bin/sh
# Runs a test program as ranks under the layer and counts who ends well.
# Usage: run.sh MPI LIBRARY N DEATHS program [argument...]   N - DEATHS ranks must say "fine". DEATHS may be @FILE: as many
# as it has lines after the job.
# KNELL_MODE=ghost: those that die become ghosts.
set -u
mpi=$1 library=$2 n=$3 deaths=$4
shift 4
out=$(mktemp)
trap 'rm -f "$out"' EXIT
export KNELL_MODE="${KNELL_MODE:-real}"
preload=${KNELL_TEST_PRELOAD:+$KNELL_TEST_PRELOAD:}$library # a sanitizer wants to be the first
[ -x "$1" ] || {
    echo "run.sh: there is no program $1; build it first" >&2
    exit 1
}
case $mpi in
openmpi)
    transports=tcp,self # as `knell run` has it
    [ "$KNELL_MODE" = real ] || transports=vader,tcp,self
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -k 5 60 mpirun.openmpi --oversubscribe --enable-recovery \
        --mca orte_allowed_exit_without_sync 1 --mca orte_abort_on_non_zero_status 0 \
        --mca pml ob1 --mca btl "${OMPI_MCA_btl:-$transports}" -n "$n" -x KNELL_MODE -x LD_PRELOAD="$preload" \
        "$@" >"$out"
    ;;
mpich)
    UCX_TLS=${UCX_TLS:-tcp,cma,self} UCX_RNDV_SCHEME=${UCX_RNDV_SCHEME:-put_zcopy} UCX_MAX_RNDV_RAILS=${UCX_MAX_RNDV_RAILS:-1} \
        timeout -k 5 60 mpiexec.mpich -disable-auto-cleanup -n "$n" -genv KNELL_PRELOAD "$preload" \
        "${library%/src/mpi/*}/libexec/knell/exec" "$@" >"$out"
    ;;
esac
status=$?
case $deaths in
@*) deaths=$(cat "${deaths#@}" 2>/dev/null | wc -l) ;;
esac
fine=$(grep -o fine "$out" | wc -l) # launchers may join the lines of two ranks
sed 's/fine//g; /^$/d' "$out"
if [ "$fine" -ne $((n - deaths)) ] || [ "$status" -ge 124 ] || grep -q 'hangs at' "$out"; then
    echo "$mpi: $fine of $((n - deaths)) survivors ended well (launcher's status $status): $*" >&2
    exit 1
fi
