"""The sweep on MPI: `mpirun -n 4 python with_mpi.py FOLDER [STEPS]`. Every process takes the chunks of its rank."""

import sys
from pathlib import Path

from mpi4py import MPI
from sweep import CHUNKS, collect, compute


def main(folder: str, steps: str = "20000") -> None:
    world = MPI.COMM_WORLD
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    for chunk in range(world.rank, CHUNKS, world.size):
        compute(chunk, out, int(steps))
    world.Barrier()
    if world.rank == 0:
        print("sum of all numbers:", repr(float(collect(out).sum())))


if __name__ == "__main__":
    main(*sys.argv[1:])
