"""All ranks write their rows into one file, close it, and read those of the next rank. Usage: h5py_slabs.py EDGE TIMES"""
import sys

import numpy
from mpi4py import MPI  # before h5py: Debian then takes its h5py for MPI
from h5py import File

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
edge, times = int(sys.argv[1]), int(sys.argv[2])
rows = edge // size


def values(owner, turn):
    row = numpy.arange(owner * rows, (owner + 1) * rows, dtype="i8")[:, None]
    return row * 7919 + numpy.arange(edge, dtype="i8")[None, :] * 31 + turn


for turn in range(times):
    with File("data.h5", "w", driver="mpio", comm=world) as file:
        data = file.create_dataset("rows", (rows * size, edge), dtype="i8", chunks=(32, 64) if turn % 2 else None)
        file.attrs["turn"] = turn
        with data.collective:
            data[rank * rows : (rank + 1) * rows, :] = values(rank, turn)
    world.Barrier()
    with File("data.h5", "r", driver="mpio", comm=world) as file:
        owner = (rank + 1) % size
        read = file["rows"][owner * rows : (owner + 1) * rows, :]
        wrong = int((read != values(owner, turn)).sum()) + int(file.attrs["turn"] != turn)
    total, wrong = world.allreduce(int(read.sum())), world.allreduce(wrong)
    if rank == 0:
        print("turn", turn, "sum", total, "wrong", wrong)
