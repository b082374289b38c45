#!/bin/sh
# Debian's mpi4py under the layer: examples/mpi/python survives deaths of both kinds. Usage: python.sh KNELL SOURCE_DIR; 77: no mpi4py here
set -u
knell=$1
python=/usr/bin/python3
$python -c 'import mpi4py' 2>/dev/null || { echo "skipped: no python3-mpi4py"; exit 77; }
cd "$2/examples/mpi/python" || exit 1
out=$(mktemp)
trap 'rm -f "$out"' EXIT
export PYTHONDONTWRITEBYTECODE=1
failed=0

# survives WORDS option...
survives() {
    words=$1
    shift
    timeout -k 5 80 "$knell" run --mpi openmpi -n 4 "$@" --timeout 60s -- $python survive.py >"$out" 2>&1
    status=$?
    [ $status -eq 0 ] && grep -q "$words" "$out" && return
    echo "knell run $*: status $status, no \"$words\"" >&2
    cat "$out" >&2
    failed=1
}

survives '^4 of 4 ranks, 200 steps: right'
survives '^3 of 4 ranks, 200 steps: right' --kill 2@MPI_Allreduce#50
survives '^2 of 4 ranks, 200 steps: right' --mode ghost --kill 0@MPI_Allreduce#50 --kill 3@MPI_Allreduce#120
survives '^2 of 4 ranks, 200 steps: right' --kill 0@MPIX_Comm_agree#30 --kill 1@MPIX_Comm_agree#31
exit $failed
