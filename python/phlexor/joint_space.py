"""A robot in the coordinates of its joints: mass matrix, bias, efforts."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from ._binding import phx_joint_space
from ._call import Context, FloatArray, Owner, doubles
from ._check import checked
from ._library import lib

_NAME = 300


@checked
class JointSpace:
    """A tree of rigid bodies at a state of its joints (:meth:`Model.joint_space`): M(q) u' + c(q, u) = effort + tau.

    >>> arm = model.joint_space([0.1, 0.4], [0, 0])
    >>> arm.mass, arm.bias
    >>> arm.at([0.2, 0.4], [1, 0]).accelerations([5, 0])

    `q` has for each joint, in the order of the model, its displacements, then its angles; where a body turns freely
    against the one before it (spherical, free) the quaternion (w, x, y, z) of its axes against port A's directions. A
    body on no joint comes last, with its centre of mass and its quaternion. `v` has the rates; of a quaternion the
    relative angular velocity in the axes of the body behind.

    With `angles` spherical and free joints have their three angles and the rates of these instead.

    Attributes
    ----------
    names : tuple of str
        Of the rates: ``"elbow"``, ``"base.1"``.
    q, v : ndarray
        The state, at first the start of the model.
    mass : ndarray, shape (n, n)
        M, kg m^2, kg.
    bias : ndarray, shape (n,)
        c: Coriolis and centrifugal efforts and gravity, N m, N.
    effort : ndarray, shape (n,)
        Of springs, dampers, loads, actuators and controllers of the model. Dry friction and rigid contacts are left
        out, and drives do not drive.
    outputs : dict of str to float
        The outputs of the model there.
    """

    def __init__(self, model: Any, angles: bool = False) -> None:
        pointer = ctypes.POINTER(phx_joint_space)()
        with model._use() as (call, handle):
            call.check(lib.phx_joint_space_create(call.pointer, handle, angles, ctypes.byref(pointer)))
        self._owner = Owner(lib.phx_joint_space_destroy, pointer)
        self._call = Context(None, model._names)
        n = lib.phx_joint_space_rates(pointer)
        self.q, self.v = np.zeros(lib.phx_joint_space_coordinates(pointer)), np.zeros(n)
        lib.phx_joint_space_state(pointer, doubles(self.q), doubles(self.v))
        self.names: Tuple[str, ...] = tuple(self._name(lib.phx_joint_space_rate_name, k) for k in range(n))
        self._columns = [self._name(lib.phx_joint_space_column_name, k)
                         for k in range(lib.phx_joint_space_columns(pointer))]

    def _name(self, ask: Any, k: int) -> str:
        name = ctypes.create_string_buffer(_NAME)
        ask(self._owner.pointer, k, name, _NAME)
        return name.value.decode()

    def at(self, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None, t: float = 0.0) -> "JointSpace":
        """Evaluate at another state, `q` and `v` as they are where they are not given; returns itself."""
        state = []
        for name, given, now in (("q", q, self.q), ("v", v, self.v)):
            array = now if given is None else np.ascontiguousarray(given, float)
            if array.shape != now.shape or not np.all(np.isfinite(array)):
                raise ValueError(f"{name} has the shape {array.shape}, expected {now.size} finite numbers, for the "
                                 f"joints {', '.join(self.names)}")
            state.append(array.copy())
        n, row = len(self.names), np.zeros(len(self._columns))
        mass, bias, effort = np.zeros((n, n)), np.zeros(n), np.zeros(n)
        self._call.check(lib.phx_joint_space_evaluate(
            self._call.pointer, self._owner.pointer, float(t), doubles(state[0]), doubles(state[1]), doubles(mass),
            doubles(bias), doubles(effort), doubles(row) if row.size else None))
        self.q, self.v = state
        self.mass, self.bias, self.effort = mass, bias, effort
        self.outputs: Dict[str, float] = dict(zip(self._columns, row.tolist()))
        return self

    def accelerations(self, tau: Optional[ArrayLike] = None) -> FloatArray:
        """u' with efforts `tau` along the rates beside those of the model (default: none)."""
        total = self.effort - self.bias + (0.0 if tau is None else np.asarray(tau, float))
        return np.asarray(np.linalg.solve(self.mass, total))
