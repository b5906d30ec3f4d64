"""Many simulations on all cores."""

from __future__ import annotations

import warnings
from typing import Any

from numpy.typing import ArrayLike

from nhi import _arguments as arguments
from nhi._arguments import Array
from nhi._errors import StepError
from nhi._nhi import Core
from nhi._nhi import Ensemble as Members
from nhi._progress import bar


class Ensemble:
    """N simulations of one system that run together. `System.ensemble` makes one.

    They share compiled steps, and use all cores that the process may use, or `RAYON_NUM_THREADS` of them. Results do not
    depend on the number of threads. A member whose step fails stops, and its later numbers are NaN.
    """

    def __init__(self, core: Core, *facts: Any) -> None:
        self._members = Members(core, *facts)
        self._inputs = core.inputs

    def __len__(self) -> int:
        return len(self._members)

    @property
    def t(self) -> float:
        """Time."""
        return self._members.t

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return self._members.steps

    @property
    def q(self) -> Array:
        """Configurations, shape (N, n)."""
        return self._members.q

    @property
    def v(self) -> Array:
        """Velocities, shape (N, n)."""
        return self._members.v

    @property
    def z(self) -> Array:
        """Auxiliary states, shape (N, number of them)."""
        return self._members.z

    @property
    def multipliers(self) -> Array:
        """Multipliers of the last step, shape (N, m)."""
        return self._members.multipliers

    @property
    def energy(self) -> Array:
        """Energies, shape (N,)."""
        return self._members.energy

    @property
    def failures(self) -> dict[int, StepError]:
        """The errors of members whose steps have failed, by the index of the member."""
        return dict(self._members.failures)

    def run(
        self, steps: int, every: int | None = None, progress: bool = False, inputs: ArrayLike | None = None
    ) -> Array:
        """Takes `steps` steps, and returns the configurations at the current time and after every `every` steps, shape
        (K, N, n) with K = steps // every + 1. The next run continues from there.

        Args:
            steps: number of steps.
            every: number of steps from one sample to the next; `steps` if left out.
            progress: show a bar (needs tqdm).
            inputs: control inputs of each step, for all members, shape (steps, k), or for each of them, shape
                (N, steps, k). Left out, those that were given last are held.

        Raises:
            ValueError: names the argument.

        After a `KeyboardInterrupt`, all members have taken the same number of steps. A warning names the
        members whose steps failed.
        """
        steps = arguments.count("steps", steps, 0)
        every = max(steps, 1) if every is None else arguments.count("every", every, 1)
        rows = None if inputs is None else arguments.per_step("inputs", inputs, self._inputs, len(self), steps)
        before = len(self.failures)
        with bar(progress, steps) as update:
            q = self._members.run(steps, every, rows, update)
        failures = self.failures
        if len(failures) > before:
            i, error = next(iter(failures.items()))
            warnings.warn(f"{len(failures)} of {len(self)} members failed, member {i}: {error}", RuntimeWarning, 2)
        return q
