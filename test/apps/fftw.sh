# fftw: transforms of two and three dimensions, there and back, and distributed transposes. The result is a checksum and the error.
# shellcheck shell=sh disable=SC2034
packages=libfftw3-mpi-dev
tolerance=1e-9 floor=1e-9
kill_at=0@MPI_Sendrecv#20

prepare() {
    case $size in small) edge=48 times=20 ;; *) edge=128 times=$(scaled 40) ;; esac
    mpicc.openmpi -O2 "$here/fftw.c" -o fftw -lfftw3_mpi -lfftw3 -lm
}

job() { start ./fftw "$edge" "$times"; }
