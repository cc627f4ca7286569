"""Arithmetic expressions for models built in code.

They stand for what a model file has as text: ``2*pi*f*t`` is ``2 * pi * f * t`` with `f` from
:meth:`ModelBuilder.parameter` and `pi`, `t` from here. They are evaluated by the library when the model is made, again
when a parameter changes, and, where they contain the time, during the simulation.

Names: `t` the time, s; `s` the place along a beam, 0 to 1, in distributed loads; `pi`; `deg`, one degree in radians.
Functions: those of this module. `step(x)` is 0 below 0 and 1 from 0 on; `ramp(t, t0, t1)` goes from 0 to 1, twice
continuously differentiable. A comparison is 1 or 0.
"""

from __future__ import annotations

import math
import numbers
from typing import Any, Union

__all__ = ["Expression", "abs_", "acos", "asin", "atan", "atan2", "cos", "deg", "exp", "log", "max_", "min_", "pi",
           "ramp", "s", "sign", "sin", "sqrt", "step", "t", "tan"]


def write_number(value: Any, what: str = "a number") -> str:
    """A number as the model file has it: it reads back as the same double."""
    if isinstance(value, numbers.Integral):  # NumPy's too
        return str(int(value))
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{what}: {number} is not a finite number")
    return repr(number)


class Expression:
    """An expression of numbers, parameters, the time, operators (``+ - * / ** < <= > >=``) and functions.

    Parameters
    ----------
    text : str
        As a model file has it. It is put in brackets where it becomes part of another.
    """

    __slots__ = ("_simple", "text")

    def __init__(self, text: str, simple: bool = False) -> None:
        self.text, self._simple = text, simple

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def _part(self) -> str:
        return self.text if self._simple else f"({self.text})"

    def _with(self, operator: str, other: Any, swapped: bool = False) -> "Expression":
        if not isinstance(other, (Expression, float, int, numbers.Real)):
            return NotImplemented
        left, right = self._part(), _part(other)
        return Expression(f"{right}{operator}{left}" if swapped else f"{left}{operator}{right}")

    def __add__(self, other: Operand) -> "Expression":
        return self._with(" + ", other)

    def __radd__(self, other: Operand) -> "Expression":
        return self._with(" + ", other, True)

    def __sub__(self, other: Operand) -> "Expression":
        return self._with(" - ", other)

    def __rsub__(self, other: Operand) -> "Expression":
        return self._with(" - ", other, True)

    def __mul__(self, other: Operand) -> "Expression":
        return self._with("*", other)

    def __rmul__(self, other: Operand) -> "Expression":
        return self._with("*", other, True)

    def __truediv__(self, other: Operand) -> "Expression":
        return self._with("/", other)

    def __rtruediv__(self, other: Operand) -> "Expression":
        return self._with("/", other, True)

    def __pow__(self, other: Operand) -> "Expression":
        return self._with("^", other)

    def __rpow__(self, other: Operand) -> "Expression":
        return self._with("^", other, True)

    def __neg__(self) -> "Expression":
        return Expression(f"-{self._part()}")

    def __pos__(self) -> "Expression":
        return self

    def __abs__(self) -> "Expression":
        return abs_(self)

    def __lt__(self, other: Operand) -> "Expression":
        return self._with(" < ", other)

    def __le__(self, other: Operand) -> "Expression":
        return self._with(" <= ", other)

    def __gt__(self, other: Operand) -> "Expression":
        return self._with(" > ", other)

    def __ge__(self, other: Operand) -> "Expression":
        return self._with(" >= ", other)

    def __bool__(self) -> bool:
        raise TypeError(f"the expression {self.text} has no value yet: it is no condition for Python")


#: What an expression is combined with.
Operand = Union[Expression, float]


def _part(value: Any) -> str:
    if isinstance(value, Expression):
        return value._part()
    text = write_number(value)
    return f"({text})" if text.startswith("-") else text


def _call(name: str, *arguments: Operand) -> Expression:
    parts = [str(a) if isinstance(a, Expression) else write_number(a) for a in arguments]
    return Expression(f"{name}({', '.join(parts)})", simple=True)


t = Expression("t", simple=True)
s = Expression("s", simple=True)
pi = Expression("pi", simple=True)
deg = Expression("deg", simple=True)


def sin(x: Operand) -> Expression:
    """Sine."""
    return _call("sin", x)


def cos(x: Operand) -> Expression:
    """Cosine."""
    return _call("cos", x)


def tan(x: Operand) -> Expression:
    """Tangent."""
    return _call("tan", x)


def asin(x: Operand) -> Expression:
    """Inverse sine."""
    return _call("asin", x)


def acos(x: Operand) -> Expression:
    """Inverse cosine."""
    return _call("acos", x)


def atan(x: Operand) -> Expression:
    """Inverse tangent."""
    return _call("atan", x)


def atan2(y: Operand, x: Operand) -> Expression:
    """Angle of the vector (x, y)."""
    return _call("atan2", y, x)


def exp(x: Operand) -> Expression:
    """Exponential."""
    return _call("exp", x)


def log(x: Operand) -> Expression:
    """Natural logarithm."""
    return _call("log", x)


def sqrt(x: Operand) -> Expression:
    """Square root."""
    return _call("sqrt", x)


def abs_(x: Operand) -> Expression:
    """Magnitude; the built-in ``abs`` does the same."""
    return _call("abs", x)


def sign(x: Operand) -> Expression:
    """-1, 0 or 1."""
    return _call("sign", x)


def min_(*x: Operand) -> Expression:
    """The least."""
    return _call("min", *x)


def max_(*x: Operand) -> Expression:
    """The largest."""
    return _call("max", *x)


def step(x: Operand) -> Expression:
    """0 below 0, 1 from 0 on."""
    return _call("step", x)


def ramp(x: Operand, start: Operand, stop: Operand) -> Expression:
    """0 up to `start`, 1 from `stop` on, smooth between."""
    return _call("ramp", x, start, stop)
