"""The sweep on MPI: `mpirun -n 4 python with_mpi.py FOLDER [BICYCLES]`. Each process takes every fourth task."""

import sys

from bicycles import sweep, told
from mpi4py import MPI


def main(folder: str, bicycles: str = "1000") -> None:
    world = MPI.COMM_WORLD
    all = sweep(folder, bicycles)
    # As the first process sees them, before another one has done some.
    for task in world.bcast(all.missing)[world.rank :: world.size]:
        all(task)
    world.Barrier()
    if world.rank == 0:
        print(told(all))


if __name__ == "__main__":
    main(*sys.argv[1:])
