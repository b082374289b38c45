"""A sum over steps that survives the death of ranks: revoke, agree, shrink, and the step again."""
import sys
from array import array

from mpi4py import MPI

import ulfm

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 200
comm = ulfm.shrink(MPI.COMM_WORLD)  # a communicator of our own, whose errors return
started = MPI.COMM_WORLD.Get_size()
step = 0
while step < steps:
    done = 1
    try:
        mine, total = array("i", [comm.Get_rank() + 1]), array("i", [0])
        comm.Allreduce(mine, total)
        if total[0] != comm.Get_size() * (comm.Get_size() + 1) // 2:
            sys.exit(f"step {step}: the sum is {total[0]}")
    except MPI.Exception as error:
        if not ulfm.is_failure(error):
            raise
        done = 0
        ulfm.revoke(comm)  # releases ranks that wait for one which has left the step
    done, failed = ulfm.agree(comm, done)
    if done and not failed:
        step += 1
        continue
    survivors = ulfm.shrink(comm)
    comm.Free()
    comm = survivors
    if comm.Get_rank() == 0:
        print(f"step {step}: {comm.Get_size()} ranks go on", flush=True)
if comm.Get_rank() == 0:
    print(f"{comm.Get_size()} of {started} ranks, {step} steps: right", flush=True)
