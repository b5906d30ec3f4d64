"""What 10,000 compilations leave behind: a script, since it takes minutes.

    MALLOC_ARENA_MAX=1 python memory.py [COUNT]

The variable gives glibc one arena. With an arena for each thread, free memory in other arenas counts as resident, and the
measurement varies by some megabytes from run to run.

Every system is another one, so that none is known, and every one but the last 128 is forgotten. Prints the resident memory, and
fails if it has grown by more than a kilobyte for each system after the first tenth of them.
"""

import re
import sys
from pathlib import Path

import nhi


def resident() -> int:
    """Kilobytes."""
    return int(re.search(r"VmRSS:\s*(\d+) kB", Path("/proc/self/status").read_text())[1])


def main(count: str = "10000") -> None:
    begin = int(count) // 10
    at_begin = 0
    for i in range(int(count)):
        system = nhi.System(
            name=f"Particle{i}",
            coordinates=["x", "y"],
            lagrangian=f"1/2*(dot(x)^2 + dot(y)^2) - {i + 1}*y",
            constraints=["dy - x*dx"],
        )
        simulation = system.simulation({}, [0, 0], [1, 0], 0.01)
        simulation.advance(10)
        if i == begin:
            at_begin = resident()
        if i % begin == 0:
            print(f"{i + 1} systems: {resident()} kB", flush=True)
    grown = resident() - at_begin
    print(f"{count} systems: {resident()} kB, {1024 * grown / (int(count) - begin):.0f} bytes for each after {begin}")
    assert grown < int(count) - begin


if __name__ == "__main__":
    main(*sys.argv[1:])
