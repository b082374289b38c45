# hdf5: parallel files on both MPIs: slabs of all ranks, collectively and independently, in chunks and not, read back crosswise. Its
# result are what was read, and the data of the files.
# shellcheck shell=sh disable=SC2034
packages='libhdf5-openmpi-dev libhdf5-mpich-dev hdf5-tools'
on='openmpi mpich'
kill_at=0@MPI_Barrier#3
own_words=1
adapt() { [ "$mpi" = openmpi ] || ranks=2; }

prepare() {
    case $size in small) edge=256 times=20 ;; *) edge=1024 times=$(scaled 100) ;; esac
    # shellcheck disable=SC2046 # words
    "mpicc.$mpi" -O2 "$here/hdf5.c" -o hdf5 $(pkg-config --cflags --libs "hdf5-$mpi")
}

job() { start ./hdf5 "$edge" "$times"; }
result() {
    grep -E '^(turn|sum)' output
    h5dump -H data.h5 | tail -n +2
    h5dump -y -d /plain data.h5 | tail -n +2 | sha256sum
    h5dump -y -d /chunked data.h5 | tail -n +2 | sha256sum
}
