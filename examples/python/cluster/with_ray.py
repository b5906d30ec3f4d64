"""The sweep on Ray: `python with_ray.py FOLDER [BICYCLES] [ADDRESS]`, by default with two workers on this machine.

A worker that dies does not matter: its tasks are taken again.
"""

import sys
from pathlib import Path

import ray
from bicycles import sweep, told
from nhi.distributed import Sweep


def main(folder: str, bicycles: str = "1000", address: str | None = None) -> None:
    all = sweep(folder, bicycles)
    # Workers find the module `bicycles` in this folder.
    environment = {"env_vars": {"PYTHONPATH": str(Path(__file__).resolve().parent)}}
    machines = dict(address=address) if address else dict(num_cpus=2, include_dashboard=False)
    with ray.init(runtime_env=environment, **machines):
        task = ray.remote(max_retries=3)(Sweep.__call__)
        waiting = [task.remote(all, number) for number in all.missing]
        while waiting:
            done, waiting = ray.wait(waiting)
            print("done: task", *ray.get(done), flush=True)
    print(told(all))


if __name__ == "__main__":
    main(*sys.argv[1:])
