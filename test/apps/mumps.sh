# mumps: a sparse direct solver: the matrix of a five-point stencil, in four orders of elimination. The result is the error of the solution.
# shellcheck shell=sh disable=SC2034
packages=libmumps-dev
tolerance=1e-6 floor=1e-10
kill_at=0@MPI_Bcast#20

prepare() {
    case $size in small) edge=100 times=4 ;; *) edge=250 times=$(scaled 6) ;; esac
    mpicc.openmpi -O2 "$here/mumps.c" -o mumps -ldmumps -lm
}

job() { start ./mumps "$edge" "$times"; }
result() { grep '^solution ' output; }
