"""The sweep on MPI: `mpirun -n 4 python with_mpi.py FOLDER [STEPS]`. Each process takes every fourth task."""

import sys

from mpi4py import MPI
from sleighs import sweep


def main(folder: str, steps: str = "20000") -> None:
    world = MPI.COMM_WORLD
    all = sweep(folder, steps)
    # As the first process sees them, before another one has done some.
    for task in world.bcast(all.missing)[world.rank :: world.size]:
        all(task)
    world.Barrier()
    if world.rank == 0:
        print("sum of all numbers:", sum(float(result.sum()) for result in all.results()))


if __name__ == "__main__":
    main(*sys.argv[1:])
