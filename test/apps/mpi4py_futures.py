"""A pool of workers of mpi4py.futures adds up primes. Usage: python3 -m mpi4py.futures mpi4py_futures.py COUNT"""
import sys

from mpi4py.futures import MPIPoolExecutor


def primes(first):
    return [n for n in range(max(first, 2), first + 2000) if all(n % d for d in range(2, int(n**0.5) + 1))]


if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        for first, found in zip(range(0, 10**9, 2000), pool.map(primes, range(0, 2000 * int(sys.argv[1]), 2000))):
            print("primes from", first, "count", len(found), "sum", sum(found))
