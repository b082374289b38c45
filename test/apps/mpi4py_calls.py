"""Many parts of MPI by way of mpi4py, turn after turn; each gives a number that rank 0 prints. Usage: mpi4py_calls.py TIMES"""
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
after, before = (rank + 1) % size, (rank - 1) % size


def objects(turn):
    got = world.sendrecv({"from": rank, "turn": [turn] * rank}, dest=after, source=before)
    everybody = world.allgather(got["from"])
    parts = world.scatter([list(range(n + turn)) for n in range(size)] if rank == 0 else None)
    return sum(everybody) + world.allreduce(len(parts)) + world.bcast(turn, root=size - 1)


def buffers(turn):
    mine = numpy.arange(1000, dtype="i8") * (rank + 1) + turn
    total, exchanged = numpy.empty_like(mine), numpy.empty(size, dtype="i8")
    requests = [world.Iallreduce(mine, total), world.Ialltoall(numpy.full(size, rank * 10 + turn, dtype="i8"), exchanged)]
    MPI.Request.Waitall(requests)
    return int(total.sum() + exchanged.sum())


def persistent(turn):
    out, into = numpy.zeros(4, dtype="i8"), numpy.zeros(4, dtype="i8")
    requests = [world.Send_init(out, after, 5), world.Recv_init(into, before, 5)]
    found = 0
    for again in range(3):
        out[:] = rank + turn + again
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        found += int(into.sum())
    for request in requests:
        request.Free()
    return found


def topologies(turn):
    grid = world.Create_cart(MPI.Compute_dims(size, 2), periods=[True, True], reorder=True)
    got = grid.neighbor_alltoall([(grid.rank, turn, i) for i in range(4)])
    graph = world.Create_dist_graph_adjacent([before, after], [after, before])
    shared = graph.neighbor_allgather(rank * 3 + turn)
    grid.Free()
    graph.Free()
    return sum(a + b + c for a, b, c in got) + sum(shared)


def two_groups(turn):
    half = world.Split(rank % 2, rank)
    inter = half.Create_intercomm(0, world, 1 - rank % 2, 7)
    found = sum(inter.allgather(rank + turn))
    both = inter.Merge(rank % 2 == 1)
    found = found * 100 + both.rank
    for comm in (both, inter, half):
        comm.Free()
    return found


def window(turn):
    shared = MPI.Win.Allocate_shared(8, 8, comm=world)
    shared.Fence()
    shared.Put(numpy.array([rank * 11 + turn], dtype="i8"), after)
    shared.Fence()
    memory, _ = shared.Shared_query(before)
    found = int(numpy.frombuffer(memory, dtype="i8")[0])
    shared.Fence()
    shared.Free()
    return found


def file(turn):
    data = numpy.full(64, rank * 5 + turn, dtype="i8")
    into = numpy.empty_like(data)
    opened = MPI.File.Open(world, "calls.data", MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE)
    opened.Set_view(0, MPI.INT64_T, MPI.INT64_T.Create_vector(8, 8, 8 * size).Create_resized(0, 8 * 64 * size).Commit())
    opened.Write_ordered(data)
    opened.Sync()
    world.Barrier()
    opened.Read_at_all(64 * after, into)
    opened.Close()
    return int(into.sum())


for turn in range(int(sys.argv[1])):
    for part in (objects, buffers, persistent, topologies, two_groups, window, file):
        found = world.gather(part(turn))
        if rank == 0:
            print("turn", turn, part.__name__, *found)
