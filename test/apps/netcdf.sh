# netcdf: parallel NetCDF 4, on HDF5 (Debian's is built without PnetCDF, which the classic format needs): rows of all ranks, collectively and independently. Its result is what was read.
# shellcheck shell=sh disable=SC2034
packages='libnetcdf-mpi-dev'
cases=netcdf4
kill_at=0@MPI_Barrier#3
own_words=1 time_cases='' # HDF5 is timed by itself

prepare() {
    case $size in small) edge=256 times=20 ;; *) edge=1024 times=$(scaled 100) ;; esac
    folder=/usr/lib/x86_64-linux-gnu/netcdf/mpi
    # shellcheck disable=SC2046 # words
    mpicc.openmpi -O2 -I$folder/include "$here/netcdf.c" -o netcdf -L$folder $(pkg-config --cflags --libs netcdf-mpi)
}

job() { start ./netcdf "$edge" "$times" "$case"; }
result() { grep '^turn' output; }
