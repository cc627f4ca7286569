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

    >>> sim = model.stepper(["shoulder.effort"], ["q1", "w1"], step=1e-3)
    >>> q, w = sim.outputs_now()
    >>> while sim.t < 2:
    ...     q, w = sim.cycle([-40*q - 6*w], 5e-3)

    :meth:`act`, :meth:`step` and :meth:`measure` are the three parts of a cycle. Controllers of the model work as
    ever. A simulation is used by one thread at a time.

    Attributes
    ----------
    inputs : tuple of str
        What :meth:`act` and :meth:`cycle` give.
    columns : tuple of str
        What :meth:`measure` gives: time, energies, the balance, outputs, and what controllers do.
    outputs : tuple of str
        The columns that :meth:`cycle` returns.
    """

    def __init__(self, model: Any, inputs: Sequence[str], outputs: Optional[Sequence[str]], options: Any) -> None:
        self.inputs = tuple(inputs)
        pointer = ctypes.POINTER(phx_stepper)()
        with model._use() as (call, handle):
            call.check(lib.phx_stepper_create(call.pointer, handle, ctypes.byref(options), len(self.inputs),
                                              names_of(self.inputs), ctypes.byref(pointer)))
        self._owner = Owner(lib.phx_stepper_destroy, pointer)
        # Steps report errors only: one context serves them all, and the arrays and their pointers are made once.
        self._call = Context(None, model._names)
        self.columns: Tuple[str, ...] = tuple(self._column(k) for k in range(lib.phx_stepper_columns(pointer)))
        self.outputs = self.columns if outputs is None else tuple(outputs)
        for name in self.outputs:
            if name not in self.columns:
                raise ValueError(f"no column {name!r}, only {', '.join(self.columns)}")
        self._chosen = None if outputs is None else np.array([self.columns.index(name) for name in outputs], np.intp)
        self._row, self._values = np.zeros(len(self.columns)), np.zeros(len(self.inputs))
        self._state = np.zeros(lib.phx_stepper_state_size(pointer))
        self._row_pointer, self._values_pointer = doubles(self._row), doubles(self._values)
        self._state_pointer = doubles(self._state)
        self._out = self._row if self._chosen is None else np.zeros(len(self.outputs))
        self._cycle = lib.phx_stepper_cycle

    @property
    def _pointer(self) -> Any:
        return self._owner.pointer

    def _column(self, k: int) -> str:
        name = ctypes.create_string_buffer(_NAME)
        lib.phx_stepper_column_name(self._pointer, k, name, _NAME)
        return name.value.decode()

    def _measure(self) -> None:
        self._call.check(lib.phx_stepper_measure(self._call.pointer, self._pointer, self._row_pointer))

    def _returned(self) -> FloatArray:
        if self._chosen is not None:
            self._row.take(self._chosen, out=self._out, mode="clip")
        return self._out

    def _set_values(self, values: Union[Sequence[float], Mapping[str, float], FloatArray]) -> None:
        if isinstance(values, Mapping):
            unknown: List[str] = sorted(set(values) - set(self.inputs))
            if unknown:
                raise ValueError(f"no input {unknown[0]!r}, only {', '.join(self.inputs)}")
            values = [float(values.get(name, 0.0)) for name in self.inputs]
        if np.shape(values) != self._values.shape:
            raise ValueError(f"{np.size(values)} values for {len(self.inputs)} inputs, expected a list of them")
        self._values[:] = values

    @property
    def t(self) -> float:
        """The time, s."""
        lib.phx_stepper_save(self._pointer, self._state_pointer)
        return float(self._state[0])

    def measure(self) -> Dict[str, float]:
        """All columns at this time, by their names."""
        self._measure()
        return dict(zip(self.columns, self._row.tolist()))

    def outputs_now(self) -> FloatArray:
        """The outputs at this time, in the array that :meth:`cycle` returns."""
        self._measure()
        return self._returned()

    def act(self, values: Union[Sequence[float], Mapping[str, float], FloatArray]) -> None:
        """What the inputs are from now on: one number for each, or some by their names (the others are zero)."""
        self._set_values(values)
        self._call.check(lib.phx_stepper_act(self._call.pointer, self._pointer, self._values_pointer))

    def step(self, length: Optional[float] = None) -> float:
        """Go on by `length`, s, in steps of the model (default: one of these); returns the time.

        After an error the state is that of the last step that succeeded.
        """
        self._call.check(lib.phx_stepper_step(self._call.pointer, self._pointer, _length(length)))
        return self.t

    def cycle(self, values: Union[Sequence[float], Mapping[str, float], FloatArray] = (),
              length: Optional[float] = None) -> FloatArray:
        """Act with `values`, go on by `length` (as :meth:`step`) and measure, in one call of the library.

        Returns
        -------
        ndarray, shape (outputs,)
            The same array every time, overwritten by the next cycle: copy what must stay. Numbers are those of
            :meth:`act`, :meth:`step` and :meth:`measure`, bit by bit.
        """
        self._set_values(values)
        status = self._cycle(self._call.pointer, self._owner.pointer, self._values_pointer, _length(length),
                             self._row_pointer)
        if status:
            raise self._call.error(status)
        return self._returned()

    def save(self) -> FloatArray:
        """The state as an array: time, work, the mechanism, controllers, inputs."""
        lib.phx_stepper_save(self._pointer, self._state_pointer)
        return self._state.copy()

    def restore(self, state: Iterable[float]) -> None:
        """Go back to a state that :meth:`save` gave; what follows is the same to rounding."""
        array = np.ascontiguousarray(state, float)
        if array.shape != self._state.shape:
            raise ValueError(f"a state of {array.size} numbers, expected {self._state.size}: one that save() gave")
        self._call.check(lib.phx_stepper_restore(self._call.pointer, self._pointer, doubles(array)))


def _length(length: Optional[float]) -> float:
    """The length of a step as the library takes it: 0 for one step of the model."""
    if length is None:
        return 0.0
    if not length > 0.0:
        raise ValueError(f"length={length!r} s; it must be positive")
    return float(length)


def stepper_of(model: Any, inputs: Iterable[str], outputs: Optional[Iterable[str]], options: Any) -> Simulation:
    """The simulation of a model by hand, its inputs and outputs checked."""
    return Simulation(model, name_list("inputs", inputs) or [], name_list("outputs", outputs), options)
