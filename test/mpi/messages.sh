#!/bin/sh
# Compiles messages.f90 for both of an MPI's modules and runs it under the layer. Usage: messages.sh MPI LIBRARY. Status 77: no Fortran here.
set -u
mpi=$1 library=$2
here=$(cd "$(dirname "$0")" && pwd)
command -v "mpif90.$mpi" >/dev/null && command -v gfortran >/dev/null || {
    echo "skipped: no mpif90.$mpi"
    exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
for module in -DF08 -DPLAIN; do
    (cd "$dir" && "mpif90.$mpi" -cpp $module "$here/messages.f90" -o "messages$module") || exit 1
    "$here/run.sh" "$mpi" "$library" 3 0 "$dir/messages$module" || failed=1
done
exit $failed
