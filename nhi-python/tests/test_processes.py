"""Pickles, threads, other processes and interrupts."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import nhi
import numpy as np
import pytest
from conftest import ROOT, START, P

LONG = 10**12


@pytest.mark.parametrize("method", ["dla2", "rattle", "rk4", "dla2_suzuki4"])
def test_pickled_simulations_go_on_with_the_same_bits(sleigh, method):
    simulation = sleigh.simulation(P, **START, method=method)
    simulation.advance(123)
    again = pickle.loads(pickle.dumps(simulation))
    copied = copy.deepcopy(simulation)
    for one in (simulation, again, copied):
        one.advance(5000)
    np.testing.assert_array_equal(again.q, simulation.q)
    np.testing.assert_array_equal(again.multipliers, simulation.multipliers)
    np.testing.assert_array_equal(copied.v, simulation.v)
    assert again.steps == 5123 and again.method == method


def test_pickled_inputs_are_held(driven):
    simulation = driven.simulation(dict(m=1, k=2), [0.1], [0], 0.01)
    simulation.step([0.7])
    again = pickle.loads(pickle.dumps(simulation))
    simulation.advance(100)
    again.advance(100)
    np.testing.assert_array_equal(again.q, simulation.q)


def test_pickled_systems_are_derived_once_in_a_process(sleigh):
    again = pickle.loads(pickle.dumps(sleigh))
    assert again._core is sleigh._core
    assert pickle.loads(pickle.dumps(sleigh.simulate(P, **START, steps=3))).q.shape == (4, 3)


def end(system: nhi.System, a: float) -> np.ndarray:
    return system.simulate(dict(P, a=a), [0, 0, 0], [1, 0.5, a], 0.01, 1000, every=1000).q[-1]


def test_other_processes(sleigh):
    lengths = [0.1, 0.2, 0.3]
    here = [end(sleigh, a) for a in lengths]
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        there = list(pool.map(end, [sleigh] * 3, lengths))
    np.testing.assert_array_equal(there, here)


def test_ensembles_after_a_fork(sleigh):
    def run() -> np.ndarray:
        return sleigh.ensemble(P, np.zeros((8, 3)), START["v0"], 0.01).run(1000)[-1]

    here = run()
    script = f"""
import os, sys; sys.path[:0] = {sys.path!r}
import numpy as np, nhi, pickle
system = pickle.loads({pickle.dumps(sleigh)!r})
many = lambda: system.ensemble({P!r}, np.zeros((8, 3)), {START["v0"]!r}, 0.01).run(1000)[-1]
many()
child = os.fork()
if child == 0:
    os._exit(0 if many().tolist() == {here.tolist()!r} else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0


def test_threads_run_at_once(sleigh):
    """While one thread integrates, another one has the interpreter."""
    simulation = sleigh.simulation(P, **START)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(simulation.advance, 10**7)
        runs = 0
        while not future.done():
            end(sleigh, 0.2)
            runs += 1
    # Of the steps that this takes, a thread that kept the interpreter would let others see none or all.
    assert runs > 10 and simulation.steps == 10**7


def test_threads_share_a_system(sleigh):
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda a: end(sleigh, a), [0.2] * 8))
    for result in results:
        np.testing.assert_array_equal(result, results[0])


def interrupted(work) -> KeyboardInterrupt:
    # Python leaves the signal ignored where its parent ignores it, as shells do for jobs in the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        work()
    timer.join()
    return caught.value


def test_interrupts_leave_whole_steps(sleigh):
    simulation = sleigh.simulation(P, **START)
    interrupted(lambda: simulation.advance(LONG))
    taken = simulation.steps
    assert 0 < taken < LONG
    again = sleigh.simulation(P, **START)
    again.advance(taken)
    np.testing.assert_array_equal(again.q, simulation.q)

    partial = interrupted(lambda: sleigh.simulate(P, **START, steps=LONG, every=1_000_000)).partial
    assert len(partial.t) >= 1 and partial.about["stopped"].startswith("interrupted after step ")

    # Within the first of two steps that take minutes.
    partial = interrupted(lambda: sleigh.simulate(P, **{**START, "h": 1e6}, steps=2, method="exact")).partial
    assert len(partial.t) == 1 and partial.about["stopped"].startswith("interrupted after step 0")

    many = sleigh.ensemble(P, np.zeros((3, 3)), START["v0"], 0.01)
    interrupted(lambda: many.run(LONG))
    again = sleigh.simulation(P, **START)
    again.advance(many.steps)
    np.testing.assert_array_equal(many.q, [again.q] * 3)


def test_what_is_interrupted_can_be_begun_again():
    """Derivation, compilation and a report: the signal arrives during one of many."""

    def system(name: str) -> nhi.System:
        chain = 4
        coupled = f"sum(i in 0..{chain}, sum(j in 0..{chain}, cos(x[i] - x[j])*dot(x[i])*dot(x[j])))"
        constraints = [f"sin(x[{i}])*dx[{i}] - cos(x[{i + 1}])*dx[{i + 1}]" for i in range(chain - 2)]
        kinetic = f"sum(i in 0..{chain}, dot(x[i])^2)/2 + {coupled}/20"
        return nhi.System(name=name, coordinates=[f"x[{chain}]"], lagrangian=kinetic, constraints=constraints)

    def everything(name: str) -> np.ndarray:
        one = system(name)
        assert one.report()
        return one.simulate({}, np.arange(4), np.ones(4), 0.01, 10, "dla2", project=True).q

    interrupted(lambda: [everything(f"Chain{i}") for i in range(10_000)])
    np.testing.assert_array_equal(everything("Chain0"), everything("Other"))


def test_progress(sleigh, capsys):
    sleigh.simulate(P, **START, steps=2000, every=100, progress=True)
    sleigh.ensemble(P, **START).run(2000, 100, progress=True)
    assert capsys.readouterr().err.count("2.00k/2.00k") >= 2


def test_numbers_do_not_depend_on_threads(sleigh):
    script = f"""
import sys; sys.path[:0] = {sys.path!r}
import pickle, numpy as np
system = pickle.loads({pickle.dumps(sleigh)!r})
q0 = np.zeros((50, 3)); q0[:, 1] = np.arange(50)
print(system.ensemble({P!r}, q0, {START["v0"]!r}, 0.01).run(3000, 1000).tobytes().hex())
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "RAYON_NUM_THREADS": n}, capture_output=True, check=True
        ).stdout
        for n in ("1", "2", "7")
    }
    assert len(outputs) == 1


def test_importing_needs_no_optional_package():
    code = "import sys, nhi; print(*{'sympy', 'pandas', 'matplotlib', 'tqdm'} & set(sys.modules))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=ROOT).stdout
    assert printed.strip() == b""
