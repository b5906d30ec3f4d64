"""Sweeps whose results are files."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from nhi.distributed import Sweep

computed: list[int] = []


def square(task: int) -> np.ndarray:
    computed.append(task)
    return np.array([task**2, 0.1 * task])


def fails(task: int) -> np.ndarray:
    if task == 1:
        raise RuntimeError("a worker is lost")
    return square(task)


def test_a_sweep_computes_what_is_missing(tmp_path):
    computed.clear()
    broken = Sweep(fails, 4, tmp_path, dict(h=0.1))
    assert broken.missing == [0, 1, 2, 3]
    with pytest.raises(RuntimeError, match="lost"):
        for task in broken.missing:
            broken(task)
    with pytest.raises(FileNotFoundError):
        broken.results()
    sweep = Sweep(square, 4, tmp_path, dict(h=0.1))
    assert sweep.missing == [1, 2, 3]
    assert [sweep(task) for task in range(4)] == [0, 1, 2, 3]
    assert computed == [0, 1, 2, 3] and sweep.missing == []
    np.testing.assert_array_equal(sweep.results(), [square(task) for task in range(4)])
    assert sorted(file.name for file in tmp_path.iterdir()) == [*(f"{i:06}.npy" for i in range(4)), "about.json"]


def test_results_of_another_sweep_are_refused(tmp_path):
    Sweep(square, 4, tmp_path, dict(h=0.1))
    with pytest.raises(ValueError, match=r'folder: .* another sweep, \{"h": 0.1, "tasks": 4\}'):
        Sweep(square, 4, tmp_path, dict(h=0.2))
    with pytest.raises(ValueError, match="task: expected a number from 0 to 3, found 4"):
        Sweep(square, 4, tmp_path, dict(h=0.1))(4)


def test_other_processes_compute_tasks(tmp_path):
    sweep = Sweep(square, 6, tmp_path, {})
    assert pickle.loads(pickle.dumps(sweep)).folder == sweep.folder
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(sweep, sweep.missing)) == [0, 1, 2, 3, 4, 5]
    np.testing.assert_array_equal(sweep.results()[5], square(5))
