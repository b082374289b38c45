# mumps: a sparse direct solver: the matrix of a five-point stencil, and Debian's simple test. The result is the error of the solution.
# shellcheck shell=sh disable=SC2034
packages='libmumps-dev mumps-test'
tolerance=1e-6 floor=1e-10
kill_at=0@MPI_Send#50

prepare() {
    case $size in small) edge=120 times=2 ;; *) edge=250 times=6 ;; esac
    mpicc.openmpi -O2 "$here/mumps.c" -o mumps -ldmumps -lm
}

job() { start ./mumps "$edge" "$times" && start /usr/lib/mumps/dsimpletest </usr/lib/mumps/input_simpletest_real; }
result() { grep -E '^(solution|norm|Solution) ' output; grep -A2 -i 'solution is' output; }
