"""Arguments of public functions against their annotations: what is wrong is said of the argument, before C sees it."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import os
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, Dict, List, Literal, Optional, Tuple, TypeVar, Union, cast

import numpy as np

__all__ = ["checked", "not_pickled"]

Any_ = TypeVar("Any_", bound=Any)
LARGEST_INT = 2**31 - 1


def _wrong(what: str, expected: str, value: Any) -> TypeError:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return TypeError(f"{what}: expected {expected}, found {shown} ({type(value).__name__})")


def text(what: str, value: Any) -> str:
    """A text that C can have."""
    if not isinstance(value, str):
        raise _wrong(what, "a text", value)
    if "\0" in value:
        raise ValueError(f"{what}: a NUL character at place {value.index(chr(0)) + 1} of {value!r}; leave it out")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what}: {value!r} is no text in UTF-8 ({error.reason})") from None
    return value


def path(what: str, value: Any) -> Any:
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise _wrong(what, "a path (a text or path-like)", value)
    name = os.fspath(value)
    if (b"\0" if isinstance(name, bytes) else "\0") in name:
        raise ValueError(f"{what}: a NUL character in {name!r}; no file has such a name")
    return value


def number(what: str, value: Any) -> Any:
    if isinstance(value, (str, bytes, bytearray, bool, np.bool_, complex)) or not hasattr(type(value), "__float__") \
            or np.ndim(value):
        raise _wrong(what, "a number", value)
    try:
        float(value)
    except (TypeError, ValueError):
        raise _wrong(what, "a number", value) from None
    except OverflowError:
        raise ValueError(f"{what}: {str(value)[:20]}... is beyond the largest number, 1.8e308") from None
    return value


def integer(what: str, value: Any) -> Any:
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        found = operator.index(value)
    except TypeError:
        raise _wrong(what, "an integer", value) from None
    if abs(found) > LARGEST_INT:
        raise ValueError(f"{what}: {found} is beyond {LARGEST_INT}, the largest integer of the library")
    return value


def flag(what: str, value: Any) -> Any:
    if not isinstance(value, (bool, np.bool_)):
        raise _wrong(what, "True or False", value)
    return bool(value)


def array(what: str, value: Any) -> Any:
    """Real numbers of any shape."""
    try:
        found = np.asarray(value)
        if found.dtype.kind == "c" or found.dtype.kind in "USOV" and found.size:
            raise TypeError
        np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise _wrong(what, "an array of real numbers", value) from None
    return value


def names(what: str, value: Any) -> List[str]:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{what} is a list of names: [{value!r}]")
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        raise _wrong(what, "a list of names", value)
    return [text(f"{what}[{k}]", name) for k, name in enumerate(value)]


def links(what: str, value: Any) -> List[Tuple[str, str, float]]:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise _wrong(what, "a list of (input, output, gain)", value)
    made = []
    for k, link in enumerate(value):
        if not isinstance(link, Sequence) or isinstance(link, str) or len(link) != 3:
            raise _wrong(f"{what}[{k}]", "(input, output, gain)", link)
        made.append((text(f"{what}[{k}][0]", link[0]), text(f"{what}[{k}][1]", link[1]),
                     number(f"{what}[{k}][2]", link[2])))
    return made


def values(what: str, value: Any) -> Mapping[str, Any]:
    """Numbers or expressions by name."""
    if not isinstance(value, Mapping):
        raise _wrong(what, "a mapping from names to numbers or expressions", value)
    for name, item in value.items():
        text(f"{what}: a name", name)
        (text if isinstance(item, str) else number)(f"{what}[{name!r}]", item)
    return value


def sweep(what: str, value: Any) -> Any:
    if isinstance(value, str):
        if value != "model":
            raise ValueError(f"{what}={value!r}: a mapping from parameters to values, or 'model'")
        return value
    if not isinstance(value, Mapping):
        raise _wrong(what, "a mapping from parameters to values, or 'model'", value)
    for name, item in value.items():
        text(f"{what}: a name", name)
        if not hasattr(item, "__dataclass_fields__"):  # a Range has been looked at when it was made
            array(f"{what}[{name!r}]", item)
    return value


def function(what: str, value: Any) -> Any:
    if not callable(value):
        raise _wrong(what, "a function", value)
    return value


#: By what the annotation begins with, `Optional` left out; the names of the package's own aliases come first.
_CHECKS: Dict[str, Callable[[str, Any], Any]] = {
    "PathLike": path, "ArrayLike": array, "SweepLike": sweep, "Progress": function, "Callable[": function,
    "Integrator": text, "Backend": text, "Form": text,
    "Literal['": text, 'Literal["': text, "Mapping[str, Number]": values,
    "Iterable[str]": names, "Sequence[str]": names, "Iterable[Tuple[str, str, float]]": links,
    "float": number, "int": integer, "bool": flag, "str": text, "Number": lambda what, value:
        (text if isinstance(value, str) else number)(what, value),
}


def _instance(kind: str, space: Mapping[str, Any]) -> Optional[Callable[[str, Any], Any]]:
    """Of a class of the package, or a sequence of such."""
    several = kind.startswith("Sequence[")
    name = kind[len("Sequence["):-1] if several else kind
    name = name.strip("\"'")

    def one(what: str, value: Any) -> Any:
        wanted = space.get(name)
        if isinstance(wanted, type) and not isinstance(value, wanted):
            raise _wrong(what, f"a {name}", value)
        return value

    def many(what: str, value: Any) -> Any:
        if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
            raise _wrong(what, f"a list of {name}", value)
        return [one(f"{what}[{k}]", item) for k, item in enumerate(value)]

    if not name.isidentifier() or name in ("Any", "Self", "object"):
        return None
    return many if several else one


def _check_of(annotation: Any, space: Mapping[str, Any]) -> Optional[Tuple[bool, Callable[[str, Any], Any]]]:
    """Whether None is allowed, and the check; None: nothing is known."""
    kind = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    optional = kind.startswith("Optional[")
    kind = kind[len("Optional["):-1] if optional else kind
    check = _CHECKS.get(kind) or next((check for start, check in _CHECKS.items()
                                       if not start[0].islower() and kind.startswith(start)), None)
    check = check or _instance(kind, space)
    return (optional, check) if check else None


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(function)
    checks = {}
    for name, parameter in signature.parameters.items():
        found = _check_of(parameter.annotation, function.__globals__)
        if found and name not in ("self", "cls"):
            checks[name] = (*found, parameter.kind)

    @functools.wraps(function)
    def call(*arguments: Any, **more: Any) -> Any:
        bound = signature.bind(*arguments, **more)
        given = bound.arguments
        for name, (optional, check, kind) in checks.items():
            if name not in given:
                continue
            if kind is inspect.Parameter.VAR_KEYWORD:
                given[name] = {key: check(key, item) for key, item in given[name].items()}
            elif kind is inspect.Parameter.VAR_POSITIONAL:
                given[name] = tuple(check(name, item) for item in given[name])
            elif given[name] is not None or not optional:
                given[name] = check(name, given[name])
        return function(*bound.args, **bound.kwargs)

    return call if checks else function


def checked(what: Any_) -> Any_:
    """Decorator of a function, or of a class: its constructor and its public methods."""
    if not isinstance(what, type):
        return cast(Any_, _wrapped(what))
    for name, member in list(vars(what).items()):
        if name.startswith("_") and name not in ("__init__", "__getitem__"):
            continue
        if inspect.isfunction(member):
            setattr(what, name, _wrapped(member))
        elif isinstance(member, classmethod):
            setattr(what, name, classmethod(_wrapped(member.__func__)))
    return what  # type: ignore[return-value]


def not_pickled(kind: str, instead: str) -> Callable[..., Any]:
    """A `__reduce_ex__` that says why there is none."""
    def refuse(self: Any, protocol: Any = None) -> Any:
        raise TypeError(f"a {kind} cannot be pickled: its numbers are in memory of the library; {instead}")

    return refuse


def size(what: str, value: Any) -> float:
    """A finite number."""
    number(what, value)
    if not math.isfinite(value):
        raise ValueError(f"{what}={value}: expected a finite number")
    return float(value)
