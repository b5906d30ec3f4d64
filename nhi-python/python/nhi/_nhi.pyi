# Types of the extension module, which is written in Rust (`src`).

from collections.abc import Callable, Sequence
from typing import Any, TypedDict, final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOST_STEPS: int

#: Name, shape, size and expressions of a body in pictures.
Body = tuple[str, str, float | None, tuple[str, str, str]]

def clear_cache() -> None:
    """Removes what is kept of systems that took long to derive: the files of `nhi cache`, which the command uses, too."""

def models() -> list[tuple[str, bool, str]]:
    """The models of the literature: names, whether they are for methods on groups, and declarations."""

def method_type(id: str) -> str | None:
    """The type of the method with this id, with or without choices, as `methods(...)` in a declaration names it."""

@final
class Core:
    """A declared system: what `nhi.System` calls."""

    def __new__(cls, pieces: list[tuple[str | None, str]], file: str, name: str | None) -> Core: ...
    @property
    def name(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def parameters(self) -> list[str]: ...
    @property
    def coordinates(self) -> list[str]: ...
    @property
    def velocities(self) -> list[str]: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def states(self) -> list[str]: ...
    @property
    def constraints(self) -> list[str]: ...
    @property
    def methods(self) -> list[str]: ...
    @property
    def default_method(self) -> str: ...
    def energy(self, parameters: Array, q: Array, v: Array, t: float, inputs: Array, z: Array) -> Array: ...
    def project(self, parameters: Array, q: Array, v: Array, t: float, inputs: Array, z: Array) -> Array: ...
    def acceleration(self, parameters: Array, q: Array, v: Array, t: float, inputs: Array, z: Array) -> Array: ...
    def basis(self, parameters: Array, q: Array, t: float, inputs: Array) -> tuple[Array, Array, Array]: ...
    def basis_derivative(self, parameters: Array, q: Array, nu: Array, t: float, inputs: Array) -> Array: ...
    def retract(self, x: tuple[Array, Array, Array], delta: Array) -> list[Array]: ...
    def difference(self, start: tuple[Array, Array, Array], end: tuple[Array, Array, Array]) -> Array: ...
    def prepare(self, method: str) -> None: ...
    def forewarning(self, method: str) -> str | None: ...
    def unused(self, texts: list[str]) -> str | None: ...
    def report(self) -> Report: ...
    def summary(self) -> Report: ...
    def record(
        self,
        method: str,
        parameters: Array,
        q0: Array,
        v0: Array,
        z0: Array,
        inputs: Array,
        is_held: bool,
        h: float,
        steps: int,
        every: int,
        project: bool,
        progress: Callable[[int], object] | None,
        until: str | None,
        recorded: list[tuple[str, str]],
        drawn: list[Body],
        tolerance: float | None,
        end: float | None,
    ) -> tuple[Recording, BaseException | None]: ...
    def simulation(
        self, method: str, parameters: Array, q0: Array, v0: Array, z0: Array, inputs: Array, h: float, project: bool
    ) -> Simulation: ...

@final
class Recording:
    """The samples of a run: what `nhi.Run` shows."""

    def __len__(self) -> int: ...
    def names(self) -> list[str]: ...
    def names_of(self, name: str) -> list[str]: ...
    def column(self, name: str) -> Array | None: ...
    def matrix(self, name: str) -> Array: ...
    def about(self) -> dict[str, Any]: ...
    def warnings(self) -> list[str]: ...
    def page(self, phase: tuple[str, str] | None) -> str: ...
    def svg(self) -> str: ...
    def bodies(self) -> list[tuple[Body, list[Array]]]: ...
    def limited(self, core: Core, bounds: list[tuple[str, tuple[float, float]]]) -> Recording: ...
    def limits(
        self,
    ) -> tuple[list[tuple[str, list[float]]], tuple[list[str], list[list[list[tuple[float, float]]]]] | None]: ...
    def file(self, extension: str, case: str, comments: bool) -> bytes: ...

@final
class Report:
    """The derivation of a system: what `nhi.Report` shows."""

    def text(self, format: str) -> str: ...

@final
class Statistics(TypedDict):
    """What a simulation has noticed of its steps. Steps of `advance` that are taken together are not watched."""

    #: How many steps were solved by the safeguarded form of Newton's method only.
    safeguarded: int
    #: How often it has evaluated equations.
    evaluations: int
    #: The velocities that changed their signs at every step, as a method answers damping that is faster than its steps.
    ringing: list[str]

class Simulation:
    """The integration of one trajectory, step by step. `System.simulation` makes one.

    After k steps the time is t = k h. Inputs are held: every step uses those that were given last. A simulation belongs to
    one thread at a time; several simulations can run at once.
    """

    def step(self, inputs: Sequence[float] | Array | None = None) -> None:
        """Takes one step, with these inputs if they are given."""
    def advance(self, steps: int, inputs: Sequence[float] | Array | None = None) -> None:
        """Takes `steps` steps with the inputs held, without the interpreter lock."""
    @property
    def t(self) -> float:
        """Time, in the unit of `h`."""
    @property
    def steps(self) -> int:
        """Number of steps taken."""
    @property
    def h(self) -> float:
        """Step size."""
    @property
    def method(self) -> str:
        """Id of the method."""
    @property
    def statistics(self) -> Statistics:
        """What has been noticed of the steps."""
    @property
    def q(self) -> Array:
        """Configuration, shape (n,)."""
    @property
    def v(self) -> Array:
        """Velocity dq/dt, with a group factor its body velocity last, shape (n,)."""
    @property
    def z(self) -> Array:
        """Auxiliary states."""
    @property
    def p(self) -> Array:
        """Momentum ∂L/∂v, shape of `v`."""
    @property
    def multipliers(self) -> Array:
        """Multipliers λ of the last step, shape (m,): the reaction is +μᵀλ."""
    @property
    def reaction(self) -> Array:
        """Reaction μᵀλ of the last step, shape of `v`."""
    @property
    def energy(self) -> float:
        """Energy ∂L/∂v · v − L."""
    @property
    def residual(self) -> Array:
        """μ(q) v + μ₀(q) of the constraints, shape (m,)."""
    @property
    def position_residual(self) -> Array:
        """g(q) of the position constraints."""
    @property
    def inputs(self) -> Array:
        """The inputs that are held."""
    def acceleration(self) -> tuple[Array, Array]:
        """dv/dt and the multipliers of the continuous equations at the present state and inputs."""
    @property
    def entries(self) -> list[str]:
        """Names of the entries of x = (q, ν, z), of which `linearize` has the derivatives.

        They are those of velocities, `nu[0]` and so on, and those of auxiliary states.
        """
    def _linear(self, entries: list[str] | None, continuous: bool) -> tuple[list[str], Array, Array]: ...
    def linearize(self) -> tuple[Array, Array]:
        """A and B of the step just taken, x' = F(x, u) with x = (q, ν, z) and v = X ν + v₀.

        Shapes (NX, NX) and (NX, number of inputs). `System.basis` has X; a pose has the tangent vectors g⁻¹ dg.
        """
    def linearize_multipliers(self) -> tuple[Array, Array]:
        """∂λ'/∂x and ∂λ'/∂u of the step just taken, shapes (m, NX) and (m, number of inputs)."""
    def linearize_parameters(self) -> tuple[Array, Array]:
        """C = ∂x'/∂p and ∂x'/∂h of the step just taken, shapes (NX, number of parameters) and (NX,)."""
    def pull_back(self, w: Sequence[float] | Array) -> tuple[Array, Array, Array, float]:
        """wᵀA, wᵀB, wᵀC and wᵀ∂x'/∂h of the step just taken, for w of shape (NX,)."""
    def curvature(self, w: Sequence[float] | Array) -> Array:
        """The second derivatives of w·x' by (x, u), of the step just taken: symmetric, shape (NX + K, NX + K)."""
    def momentum_residuals(self) -> dict[str, float]:
        """Residuals of the momentum equations of the next step by the mid-point rule, by name."""

@final
class Ensemble:
    """Many simulations: what `nhi.Ensemble` calls."""

    def __new__(
        cls,
        core: Core,
        method: str,
        parameters: Array,
        q0: Array,
        v0: Array,
        z0: Array,
        inputs: Array,
        h: float,
        project: bool,
    ) -> Ensemble: ...
    def __len__(self) -> int: ...
    def run(self, steps: int, every: int, inputs: Array | None, progress: Callable[[int], object] | None) -> Array: ...
    @property
    def t(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def q(self) -> Array: ...
    @property
    def v(self) -> Array: ...
    @property
    def z(self) -> Array: ...
    @property
    def multipliers(self) -> Array: ...
    @property
    def energy(self) -> Array: ...
    @property
    def failures(self) -> list[tuple[int, Any]]: ...

def without(names: list[str], a: Array, b: Array, left: list[str]) -> tuple[list[str], Array, Array]: ...
def lqr(names: list[str], a: Array, b: Array, q: Array, r: Array) -> tuple[Array, Array, Array, Array]: ...
def track(a: Array, b: Array, q: Array, r: Array, q_end: Array) -> Array: ...

@final
class Found(TypedDict):
    """The fields of `nhi.Plan` that are computed in Rust."""

    q: Array
    v: Array
    inputs: Array
    gains: Array
    costates: Array
    multipliers: dict[str, float]
    cost: float
    converged: bool
    is_minimum: bool
    cannot_meet: dict[str, float]
    unchanged: list[dict[str, float]]
    iterations: int
    residuals: Array
    status: str

@final
class Problem:
    """The problem of a plan: what `nhi.Problem` calls."""

    def __new__(
        cls,
        core: Core,
        method: str | None,
        parameters: Array,
        start_at: tuple[Array, Array | None],
        end_at: tuple[Array, Array | None],
        h: float,
        steps: int,
        cost: str | list[float],
        final_cost: str | None,
        bounds: list[tuple[str, tuple[float, float]]],
        conditions: list[tuple[str, float, int]],
        guess: tuple[list[list[float]], list[list[float]], list[list[float]]],
        options: tuple[float, int, float],
    ) -> Problem: ...
    def solve(self, starts: int) -> tuple[Found, list[Found]]: ...
    def free_time(self, times: tuple[float, float], price: float) -> tuple[Found, float, float, int]: ...
    def recording(
        self, rows: tuple[list[list[float]], list[list[float]], list[list[float]]], h: float, drawn: list[Body]
    ) -> Recording: ...

@final
class Mpc:
    """Model predictive control: what `nhi.Mpc` calls."""

    def __new__(cls, problem: Problem) -> Mpc: ...
    def step(self, q: Array, v: Array, z: Array) -> tuple[Array, int, int, str | None, Array, Array]: ...

def fit(
    core: Core,
    method: str,
    parameters: Array,
    start_at: tuple[Array, Array],
    h: float,
    inputs: list[list[float]],
    measured: list[str],
    samples: tuple[list[float], list[list[float]], list[float]],
    unknowns: list[str] | None,
    starts: int,
) -> tuple[
    tuple[Array, Array, Array],
    tuple[list[str], Array, Array],
    tuple[float, int, float],
    list[list[float]],
    list[str],
    Array,
    list[tuple[float, list[float]]],
]: ...
