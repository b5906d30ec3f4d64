"""What Python costs beside the command `nhi`, and a step in a loop: tables in Markdown.

    cargo build --release -p nhi-cli
    python speed.py [COMMAND]

Runs and ensembles are compared by the time that they take beyond that of short ones, so that neither the start of a process
nor compilation counts. Times are processor time, which other programs on the machine disturb little, and the least of five,
which alternate.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import nhi
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "models" / "src"
#: The workloads of `benches`: parameters, a start, and a number of steps that takes some tenths of a second.
WORKLOADS = {
    "contact_oscillator": ({}, [0.5, 0.3, 0.4], [-0.18, 0.8, 0.6], 10_000_000),
    "chaotic_r7": ({}, [0.7, 0.3, -0.4, 0.5, 0.6, -0.2, 0.4], [0.43, 0.6, -0.3, 0.8, 0.5, 0.7, -0.6], 5_000_000),
    "sleigh_com": (dict(m=1, I=0.5, a=0.2), [0.3, 0, 0], [1.2, 0.6, 0.4], 5_000_000),
    "snakeboard": (
        dict(m=1, l=1, I=0.4, J=2, Apsi=1, Aphi=1, wpsi=20, wphi=2),
        [1.5, 1, 0, 0, 0],
        [2.5, -0.02, -0.8, 0.5, 0],
        2_000_000,
    ),
}
H, EVERY, SHORT, REPEATS = 0.01, 100, 1000, 5


def processor_time():
    """Seconds on all processors, of this process and of those that it has waited for."""
    used = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def least(*functions):
    """The least seconds that each of them takes."""
    best = [np.inf] * len(functions)
    for _ in range(REPEATS):
        for i, function in enumerate(functions):
            start = processor_time()
            function()
            best[i] = min(best[i], processor_time() - start)
    return best


def beyond(function, other, steps):
    """Seconds that `steps` steps take of two functions, beyond those of a short run."""
    of_short, of_long, of_other_short, of_other_long = least(
        lambda: function(SHORT), lambda: function(steps), lambda: other(SHORT), lambda: other(steps)
    )
    return of_long - of_short, of_other_long - of_other_short


def text(numbers):
    return ",".join(map(str, numbers))


def runs(command, folder):
    print("| run, `dla2`, a sample every 100 steps | `nhi run`, ns per step | `simulate` and `save` | times |")
    print("|---|---|---|---|")
    for name, (p, q0, v0, steps) in WORKLOADS.items():
        system = nhi.System.from_file(MODELS / f"{name}.rs")
        # Within the test of a start, for the command and for Python.
        v0 = system.project(p, q0, v0)
        out = str(folder / "run.npz")
        given = [*(["--set", ",".join(f"{key}={value}" for key, value in p.items())] if p else []), "--project"]
        given += [
            "--q0",
            text(q0),
            "--v0",
            text(v0),
            "--h",
            str(H),
            "--every",
            str(EVERY),
            "--method",
            "dla2",
            "--out",
            out,
        ]

        def by_command(steps, name=name, given=given):
            subprocess.run([command, "run", str(MODELS / f"{name}.rs"), *given, "--steps", str(steps)], check=True)

        def by_python(steps, system=system, p=p, q0=q0, v0=v0, out=out):
            system.simulate(p, q0, v0, H, steps, "dla2", EVERY, project=True).save(out)

        by_python(SHORT)
        of_command, of_python = beyond(by_command, by_python, steps)
        ns = 1e9 / steps
        print(f"| {name} | {of_command * ns:.1f} | {of_python * ns:.1f} | {of_python / of_command:.2f} |", flush=True)


def loops():
    print("\n| loop over `sim.step()` | `advance`, ns per step | `step()` | overhead |")
    print("|---|---|---|---|")
    for name, (p, q0, v0, _) in WORKLOADS.items():
        system = nhi.System.from_file(MODELS / f"{name}.rs")
        steps = 1_000_000
        sims = [system.simulation(p, q0, v0, H, "dla2", project=True) for _ in range(2)]

        def one_by_one(sim=sims[0], steps=steps):
            for _ in range(steps):
                sim.step()

        def at_once(sim=sims[1], steps=steps):
            sim.advance(steps)

        at_once, stepped = least(at_once, one_by_one)
        ns = 1e9 / steps
        print(f"| {name} | {at_once * ns:.0f} | {stepped * ns:.0f} | {(stepped - at_once) * ns:.0f} |", flush=True)


def ensembles(command, folder):
    members, steps = 10_000, 5_000
    p, q0, v0, _ = WORKLOADS["sleigh_com"]
    given = ["--set", f"m={p['m']},I={p['I']}", "--sweep", f"a=0.1:0.5:{members}", "--project", "--method", "dla2"]
    given += ["--q0", text(q0), "--v0", text(v0), "--h", str(H), "--out", str(folder / "sweep.npz")]
    system = nhi.System.from_file(MODELS / "sleigh_com.rs")
    a = np.linspace(0.1, 0.5, members)

    def by_command(steps):
        file = str(MODELS / "sleigh_com.rs")
        subprocess.run([command, "run", file, *given, "--steps", str(steps), "--every", str(steps)], check=True)

    def by_python(steps):
        system.ensemble(dict(p, a=a), q0, v0, H, "dla2", project=True).run(steps)

    of_command, of_python = beyond(by_command, by_python, steps)
    print(
        f"\n{members} sleighs, {steps} steps each, on all processors together: the command's sweep {of_command:.2f} s, an ensemble {of_python:.2f} s, ",
        end="",
    )
    print(f"{of_python / of_command:.2f} times")


def main(command=str(ROOT / "target" / "release" / "nhi")):
    with tempfile.TemporaryDirectory() as folder:
        runs(command, Path(folder))
        loops()
        ensembles(command, Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
