"""A simulation in the hands of a program: measure, act, step, save and restore."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._binding import phx_stepper
from ._call import Context, FloatArray, Owner, doubles, name_list, names_of
from ._library import lib

_NAME = 300


class Simulation:
    """Steps of a model, one call after the other (:meth:`Model.stepper`).

    >>> sim = model.stepper(["shoulder.effort"], step=1e-3)
    >>> while sim.t < 2:
    ...     now = sim.measure()
    ...     sim.act([-40*now["q1"] - 6*now["w1"]])
    ...     sim.step(5e-3)

    What the model has of controllers works as ever. A simulation is used by one thread at a time.

    Attributes
    ----------
    inputs : tuple of str
        What :meth:`act` gives.
    columns : tuple of str
        What :meth:`measure` gives: time, energies, the balance, outputs, and what controllers do.
    """

    def __init__(self, model: Any, inputs: Sequence[str], options: Any) -> None:
        self.inputs = tuple(inputs)
        pointer = ctypes.POINTER(phx_stepper)()
        with model._use() as (call, handle):
            call.check(lib.phx_stepper_create(call.pointer, handle, ctypes.byref(options), len(self.inputs),
                                              names_of(self.inputs), ctypes.byref(pointer)))
        self._owner = Owner(lib.phx_stepper_destroy, pointer)
        self._names = model._names
        self.columns: Tuple[str, ...] = tuple(self._column(k) for k in range(lib.phx_stepper_columns(pointer)))
        self._t = float(self._row()[0])

    @property
    def _pointer(self) -> Any:
        return self._owner.pointer

    def _column(self, k: int) -> str:
        name = ctypes.create_string_buffer(_NAME)
        lib.phx_stepper_column_name(self._pointer, k, name, _NAME)
        return name.value.decode()

    def _row(self) -> FloatArray:
        row = np.zeros(len(self.columns))
        with Context(None, self._names) as call:
            call.check(lib.phx_stepper_measure(call.pointer, self._pointer, doubles(row)))
        return row

    @property
    def t(self) -> float:
        """The time, s."""
        return self._t

    def measure(self) -> Dict[str, float]:
        """All columns at this time, by their names."""
        return dict(zip(self.columns, self._row().tolist()))

    def act(self, values: Union[Sequence[float], Mapping[str, float]]) -> None:
        """What the inputs are from now on: one number for each, or some by their names (the others are zero)."""
        if isinstance(values, Mapping):
            unknown: List[str] = sorted(set(values) - set(self.inputs))
            if unknown:
                raise ValueError(f"no input {unknown[0]!r}, only {', '.join(self.inputs)}")
            values = [float(values.get(name, 0.0)) for name in self.inputs]
        array = np.ascontiguousarray(values, float)
        if array.shape != (len(self.inputs),):
            raise ValueError(f"{array.size} values for {len(self.inputs)} inputs")
        with Context(None, self._names) as call:
            call.check(lib.phx_stepper_act(call.pointer, self._pointer, doubles(array)))

    def step(self, length: Optional[float] = None) -> float:
        """Go on by `length`, s, in steps of the model (default: one of these); returns the time.

        After an error the state is that of the last step that succeeded.
        """
        if length is not None and not length > 0.0:
            raise ValueError(f"length={length!r} s; it must be positive")
        try:
            with Context(None, self._names) as call:
                call.check(lib.phx_stepper_step(call.pointer, self._pointer, 0.0 if length is None else float(length)))
        finally:
            self._t = float(self.save()[0])
        return self._t

    def save(self) -> FloatArray:
        """The state as an array: time, work, the mechanism, controllers, inputs."""
        state = np.zeros(lib.phx_stepper_state_size(self._pointer))
        lib.phx_stepper_save(self._pointer, doubles(state))
        return state

    def restore(self, state: Iterable[float]) -> None:
        """Go back to a state that :meth:`save` gave; what follows is the same to rounding."""
        array = np.ascontiguousarray(state, float)
        size = lib.phx_stepper_state_size(self._pointer)
        if array.shape != (size,):
            raise ValueError(f"a state of {array.size} numbers, expected {size}: one that save() gave")
        with Context(None, self._names) as call:
            call.check(lib.phx_stepper_restore(call.pointer, self._pointer, doubles(array)))
        self._t = float(array[0])


def stepper_of(model: Any, inputs: Iterable[str], options: Any) -> Simulation:
    """The simulation of a model by hand, its inputs checked."""
    names = name_list("inputs", inputs)
    return Simulation(model, names or [], options)
