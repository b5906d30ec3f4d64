"""SymPy expressions as texts of declarations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import sympy
from sympy.core.function import AppliedUndef
from sympy.physics.vector import ReferenceFrame, dynamicsymbols
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from nhi._errors import refused

#: Functions of the grammar by their names in SymPy.
FUNCTIONS = {name: name for name in "sin cos tan asin acos atan atan2 sinh cosh tanh exp".split()} | {"log": "ln"}
#: Functions that are written by others.
REWRITTEN = {
    "sec": lambda x: 1 / sympy.cos(x),
    "csc": lambda x: 1 / sympy.sin(x),
    "cot": lambda x: sympy.cos(x) / sympy.sin(x),
    "sech": lambda x: 1 / sympy.cosh(x),
    "csch": lambda x: 1 / sympy.sinh(x),
    "coth": lambda x: sympy.cosh(x) / sympy.sinh(x),
    "asinh": lambda x: sympy.log(x + sympy.sqrt(x**2 + 1)),
    "acosh": lambda x: sympy.log(x + sympy.sqrt(x**2 - 1)),
    "atanh": lambda x: sympy.log((1 + x) / (1 - x)) / 2,
}
JUMPING = "floor ceiling Mod frac".split()
#: Relations of conditions.
RELATIONS = {"StrictLessThan": "<", "LessThan": "<=", "StrictGreaterThan": ">", "GreaterThan": ">="} | {
    "Equality": "==",
    "Unequality": "!=",
}


class Printer(StrPrinter):
    """Prints an expression in the grammar of declarations."""

    def __init__(self, argument: str) -> None:
        super().__init__({"order": "none"})
        self.argument = argument
        self.time = dynamicsymbols._t

    def refuse(self, part: Any, why: str, help: str | None = None) -> NoReturn:
        refuse(self.argument, part, why, help)

    def _print_Symbol(self, symbol: Any) -> str:
        return "t" if symbol == self.time else name_of(self.argument, symbol)

    def _print_Function(self, function: Any) -> str:
        if isinstance(function, AppliedUndef):
            return name_of(self.argument, function)
        name = type(function).__name__
        if name in FUNCTIONS:
            return f"{FUNCTIONS[name]}({self.stringify(function.args, ', ')})"
        if name in REWRITTEN:
            return f"({self._print(REWRITTEN[name](*function.args))})"
        if name in JUMPING:
            self.refuse(function, "a function that jumps at infinitely many places")
        self.refuse(function, "no function of declarations", f"there are {', '.join(sorted(FUNCTIONS.values()))}, sqrt")

    _print_Mod = _print_floor = _print_ceiling = _print_frac = _print_DiracDelta = _print_Function
    _print_log = _print_Function

    def _print_Abs(self, function: Any) -> str:
        return f"abs({self._print(function.args[0])})"

    def _print_sign(self, function: Any) -> str:
        return f"sign({self._print(function.args[0])})"

    def _print_Max(self, function: Any) -> str:
        return self.folded(type(function).__name__.lower(), function.args)

    _print_Min = _print_Max

    def folded(self, name: str, arguments: Any) -> str:
        """A function of two arguments, applied to several."""
        first, *rest = arguments
        return f"{name}({self._print(first)}, {self.folded(name, rest)})" if rest else str(self._print(first))

    def _print_Heaviside(self, function: Any) -> str:
        x, at_zero = function.args
        if at_zero == 1:
            return f"step({self._print(x)})"
        return str(self._print(sympy.Piecewise((0, x < 0), (at_zero, sympy.Eq(x, 0)), (1, True))))

    def _print_Piecewise(self, function: Any) -> str:
        *cases, (last, condition) = function.args
        if condition != True:  # noqa: E712
            self.refuse(function, "not defined everywhere", "end it with `(..., True)`")
        printed = f"({self._print(last)})"
        for value, condition in reversed(cases):
            printed = f"if({self.condition(condition)}, {self._print(value)}, {printed})"
        return printed

    def condition(self, condition: Any) -> str:
        """A condition in the grammar."""
        if isinstance(condition, (sympy.And, sympy.Or)):
            sign = " && " if isinstance(condition, sympy.And) else " || "
            return sign.join(f"({self.condition(part)})" for part in condition.args)
        if isinstance(condition, sympy.Not):
            return f"!({self.condition(condition.args[0])})"
        relation = RELATIONS.get(type(condition).__name__)
        if relation is None:
            self.refuse(condition, "no comparison of numbers")
        return f"{self._print(condition.lhs)} {relation} {self._print(condition.rhs)}"

    def _print_Derivative(self, derivative: Any) -> str:
        of, variables = derivative.expr, derivative.variables
        if not isinstance(of, AppliedUndef) or variables[0] != self.time:
            self.refuse(derivative, "not the velocity of a coordinate", "call `doit()`")
        if len(variables) > 1:
            self.refuse(derivative, "an acceleration, which cannot stand in a declaration")
        return f"dot({name_of(self.argument, of)})"

    def _print_Pow(self, power: Any, rational: bool = False) -> str:
        base, exponent = power.as_base_exp()
        if exponent == sympy.S.Half:
            return f"sqrt({self._print(base)})"
        level = PRECEDENCE["Pow"]
        if exponent.is_number and exponent.could_extract_minus_sign():
            return f"1/{self.parenthesize(base**-exponent, level)}"
        return f"{self.parenthesize(base, level)}^{self.parenthesize(exponent, level)}"

    def _print_Rational(self, number: Any) -> str:
        return f"{number.p}/{number.q}"

    def _print_Float(self, number: Any) -> str:
        return repr(float(number))

    def _print_Exp1(self, _: Any) -> str:
        return "exp(1)"

    def _print_NumberSymbol(self, number: Any) -> str:
        return "pi" if number is sympy.pi else repr(float(number))

    _print_Pi = _print_EulerGamma = _print_GoldenRatio = _print_Catalan = _print_NumberSymbol

    def _print_ImaginaryUnit(self, number: Any) -> str:
        self.refuse(number, "not real")

    def _print_Infinity(self, number: Any) -> str:
        self.refuse(number, "not finite")

    _print_NegativeInfinity = _print_ComplexInfinity = _print_NaN = _print_Infinity

    def emptyPrinter(self, expr: Any) -> str:  # noqa: N802
        self.refuse(expr, "nothing that a declaration can hold")


def refuse(argument: str, part: Any, why: str, help: str | None = None) -> NoReturn:
    raise refused(argument, f"`{part}` is {why}", help, str(part))


def name_of(argument: str, symbol: Any) -> str:
    """The name of a coordinate, parameter or input."""
    if isinstance(symbol, str):
        return symbol
    if isinstance(symbol, AppliedUndef) and symbol.args != (dynamicsymbols._t,):
        refuse(argument, symbol, f"not a function of the time `{dynamicsymbols._t}`")
    name = symbol.func.__name__ if isinstance(symbol, AppliedUndef) else getattr(symbol, "name", None)
    if name is None:
        refuse(argument, symbol, "neither a symbol nor a function of time")
    if not name.isidentifier():
        refuse(
            argument, name, "no name that a declaration can hold", "replace it by a symbol whose name is an identifier"
        )
    return str(name)


def text(argument: str, expression: Any) -> Any:
    """An expression, or an equation, as text. Texts stay as they are."""
    if isinstance(expression, (str, int, float)):
        return expression
    if isinstance(expression, sympy.MatrixBase) and expression.shape == (1, 1):
        expression = expression[0]
    if isinstance(expression, sympy.Equality):
        expression = expression.lhs - expression.rhs
    return Printer(argument).doprint(sympy.sympify(expression))


def several(argument: str, given: Any) -> Any:
    """Labelled or listed expressions as texts."""
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, Mapping):
        return {key: text(f'{argument}["{key}"]', item) for key, item in given.items()}
    if isinstance(given, sympy.Basic) and not isinstance(given, (sympy.MatrixBase, sympy.Tuple)):
        return [text(argument, given)]
    return [text(f"{argument}[{i}]", item) for i, item in enumerate(given)]


def work(given: Any) -> Any:
    """Forces, by their coordinates, as a one-form."""
    if given is None or isinstance(given, str):
        return given
    if not isinstance(given, Mapping):
        raise ValueError("force: expected a text, or a mapping from coordinates to SymPy expressions")
    terms = []
    for coordinate, force in given.items():
        argument = f"force[{coordinate}]"
        if force != 0:
            terms.append(f"({text(argument, force)})*d{name_of(argument, coordinate)}")
    return " + ".join(terms) or None


def printed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `System` with texts in place of expressions."""

    def names(argument: str) -> list[str]:
        return [name_of(f"{argument}[{i}]", item) for i, item in enumerate(given[argument])]

    return dict(
        coordinates=names("coordinates"),
        parameters=names("parameters"),
        inputs=names("inputs"),
        group=given["group"],
        let={name_of("let", key): text(f'let["{key}"]', value) for key, value in given["let"].items()},
        lagrangian=text("lagrangian", given["lagrangian"]),
        constraints=several("constraints", given["constraints"]),
        holonomic=several("holonomic", given["holonomic"]),
        force=work(given["force"]),
        states=names("states"),
        dynamics={name_of("dynamics", key): text(f"dynamics[{key}]", rate) for key, rate in given["dynamics"].items()},
    )


def declared(
    lagrangian: Any,
    qs: Iterable[Any],
    nonhol_coneqs: Iterable[Any],
    hol_coneqs: Iterable[Any],
    forcelist: Iterable[tuple[Any, Any]],
    frame: Any,
    parameters: Iterable[Any] | None,
    inputs: Iterable[Any] | None,
) -> dict[str, Any]:
    """The arguments of `System` for those of `LagrangesMethod`."""
    qs, nonhol, hol, loads = list(qs), list(nonhol_coneqs), list(hol_coneqs), list(forcelist or ())
    if loads and frame is None:
        raise ValueError("frame: the inertial frame is needed with `forcelist`")
    forces = {q: generalised(loads, frame, q) for q in qs} if loads else {}
    everything = [sympy.sympify(part) for part in (lagrangian, *nonhol, *hol, *forces.values())]
    if parameters is None:
        symbols = set().union(*(part.free_symbols for part in everything)) - {dynamicsymbols._t}
        parameters = sorted(symbols, key=str)
    if inputs is None:
        functions = set().union(*(part.atoms(AppliedUndef) for part in everything)) - set(qs)
        inputs = sorted(functions, key=str)
    return dict(
        coordinates=qs,
        parameters=list(parameters),
        inputs=list(inputs),
        lagrangian=lagrangian,
        constraints=nonhol or ([] if not hol else None),
        holonomic=hol or None,
        force=forces or None,
    )


def generalised(loads: list[tuple[Any, Any]], frame: Any, q: Any) -> Any:
    """The generalised force on a coordinate: velocities' derivatives by that of the coordinate, times forces."""
    rate = q.diff(dynamicsymbols._t)
    total = sympy.S.Zero
    for at, load in loads:
        velocity = at.ang_vel_in(frame) if isinstance(at, ReferenceFrame) else at.vel(frame)
        total += velocity.diff(rate, frame, var_in_dcm=False).dot(load)
    return total
