"""Points of a sweep over parameters."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Literal, Mapping, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from ._binding import phx_sweep
from ._call import Context, Owner, doubles
from ._check import integer, size
from ._library import lib

__all__ = ["Range", "SweepLike"]


@dataclass(frozen=True)
class Range:
    """`count` values from `start` to `stop`, both included."""

    start: float
    stop: float
    count: int

    def __post_init__(self) -> None:
        size("start", self.start)
        size("stop", self.stop)
        if integer("count", self.count) < 1:
            raise ValueError(f"count={self.count}: at least 1 value")


#: Parameter names and their values; "model": what the model's `sweep` says. Several parameters multiply, the last one
#: varies fastest.
SweepLike = Union[Mapping[str, Union[Range, ArrayLike]], Literal["model"]]


def make_sweep(call: Context, model: Any, sweep: Optional[SweepLike]) -> Optional[Owner]:
    """The library's sweep; None without one."""
    if sweep is None:
        return None
    pointer = ctypes.POINTER(phx_sweep)()
    if isinstance(sweep, str):
        if sweep != "model":
            raise ValueError(f"sweep={sweep!r}: a mapping from parameters to values, or 'model'")
        call.check(lib.phx_sweep_from_model(call.pointer, model, ctypes.byref(pointer)))
        return Owner(lib.phx_sweep_destroy, pointer, call)
    call.check(lib.phx_sweep_create(call.pointer, ctypes.byref(pointer)))
    made = Owner(lib.phx_sweep_destroy, pointer, call)
    for name, values in sweep.items():
        if isinstance(values, Range):
            call.check(lib.phx_sweep_add_range(pointer, name.encode(), values.start, values.stop, values.count))
            continue
        array = np.ascontiguousarray(np.atleast_1d(np.asarray(values, dtype=np.float64)).ravel())
        call.check(lib.phx_sweep_add_values(pointer, name.encode(), len(array), doubles(array)))
    return made


def names_and_points(sweep: Owner) -> Any:
    """Names of the parameters, and an array of points x parameters."""
    pointer = sweep.pointer
    names = tuple(lib.phx_sweep_name(pointer, k).decode() for k in range(lib.phx_sweep_parameters(pointer)))
    points = np.empty((lib.phx_sweep_points(pointer), len(names)))
    for point, row in enumerate(points):
        lib.phx_sweep_at(pointer, point, None, doubles(row))
    return names, points


def check_threads(threads: Optional[int]) -> int:
    """How many threads; None: as many as there are processors. More than one makes the BLAS use one of its own."""
    count = lib.phx_processors() if threads is None else threads
    if count < 1:
        raise ValueError(f"threads={count}: at least 1, or None for as many as there are processors")
    if count > 1:
        lib.phx_algebra_set_threads(1)
    return int(count)
