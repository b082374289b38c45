# petsc: KSP with the preconditioners that programs usually choose, on a five-point stencil with a wind. Its result are the residuals.
# shellcheck shell=sh disable=SC2034
packages=libpetsc-real-dev
cases='jacobi bjacobi asm sor gamg' time_cases=gamg
tolerance=1e-4 floor=1e-10
kill_at=0@MPI_Allreduce#100
own_words=1

prepare() {
    case $size in small) edge=120 times=2 ;; *) edge=400 times=$(scaled 8) ;; esac
    PKG_CONFIG_PATH=/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/lib/pkgconfig
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046 # words
    mpicc.openmpi -O2 "$here/petsc.c" -o petsc $(pkg-config --cflags --libs PETSc)
}

job() {
    solver=gmres
    [ "$case" != sor ] || solver=bcgs
    start ./petsc -edge "$edge" -times "$times" -ksp_type "$solver" -pc_type "$case" -ksp_rtol 1e-8 -ksp_max_it 400
}

# Iterations by another order of additions may differ after hundreds of them: the first ones are compared, and the error.
result() { grep -E '^(error|residual)' output; }
