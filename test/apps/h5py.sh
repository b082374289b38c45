# h5py: the same from Python, with mpi4py.
# shellcheck shell=sh disable=SC2034
packages='python3-h5py-mpi python3-mpi4py python3-numpy hdf5-tools'
kill_at=0@MPI_Barrier#3
own_words=1 time_cases='' # HDF5 is timed by itself

prepare() { case $size in small) edge=256 times=10 ;; *) edge=1024 times=$(scaled 100) ;; esac; }
job() { start /usr/bin/python3 "$here/h5py_slabs.py" "$edge" "$times"; }
result() { grep '^turn' output && h5dump -y -d /rows data.h5 | tail -n +2 | sha256sum; }
