"""A model, and what can be computed with it."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import threading
from dataclasses import dataclass
from typing import (Any, Callable, ContextManager, Dict, Iterable, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple,
                    Union, get_args)

import numpy as np
from numpy.typing import ArrayLike

from ._binding import (phx_backend, phx_bundle, phx_check_report, phx_fmu_kind, phx_fmu_options, phx_fmu_report, phx_integrator, phx_inverse_kinematics_options, phx_inverse_kinematics_report, phx_lft_options, phx_linear_form, phx_linear_report,
                       phx_model, phx_model_modes_at, phx_model_optional, phx_model_override, phx_modes_table, phx_plants,
                       phx_reduction_method, phx_reduction_options, phx_reduction_point, phx_result, phx_run_size, phx_simulate_options, phx_simulate_report, phx_stable_inverse_report, phx_status,
                       phx_study_batch_options, phx_study_batch_report, phx_study_linearize_options,
                       phx_study_modes_options, phx_study_modes_report, phx_study_plants_options, phx_study_point_fn, phx_study_static_report,
                       phx_study_titop_options)
from ._call import (Context, FloatArray, Owner, PathLike, Progress, doubles, hdf5, name_list, names_of, path_of, text_of)
from ._check import checked
from ._display import page_frame
from ._library import lib
from .batch import Batch
from .errors import PhlexorError
from .identification import Identification, identify
from .joint_space import JointSpace
from .linear import Linear, Plants, items_of, linear_of
from .modes import Modes, modes_of
from .optimize import Optimum, find_optimum
from .result import Result, report_of, result_in_memory
from .sensitivity import Gradient, ValueAndGradient, find_gradient, torch_function
from .simulation import Simulation, stepper_of
from .statics import Equilibrium, equilibrium_of
from .sweep import SweepLike, check_threads, make_sweep, names_and_points

__all__ = ["BeamInModes", "Certificate", "Fmu", "Matching", "Model", "StableInverse"]

#: A number or an expression of `pi`, `deg` and parameters.
Number = Union[float, str]
Integrator = Literal["midpoint", "midpoint4", "gauss4", "gauss6", "radau5", "ida", "dop853"]
At = Literal["start", "static", "steady", "initial"]
Derivation = Literal["auto", "adjoint", "tangent", "differences"]
FmuKind = Literal["cs", "me", "both"]
Backend = Literal["auto", "plain", "fast"]
Form = Literal["state-space", "second-order", "descriptor"]
ReductionMethod = Literal["modal", "krylov", "irka", "lqg", "xmin"]

_BACKENDS = {
    "auto": phx_backend.PHX_BACKEND_AUTO,
    "plain": phx_backend.PHX_BACKEND_PLAIN,
    "fast": phx_backend.PHX_BACKEND_FAST,
}
_FMU_KINDS = {
    "cs": phx_fmu_kind.PHX_FMU_CO_SIMULATION,
    "me": phx_fmu_kind.PHX_FMU_MODEL_EXCHANGE,
    "both": phx_fmu_kind.PHX_FMU_BOTH,
}
_INTEGRATORS = {name: phx_integrator["PHX_" + name.upper()] for name in get_args(Integrator)}
_FORMS = {
    "state-space": phx_linear_form.PHX_FORM_STATE_SPACE,
    "second-order": phx_linear_form.PHX_FORM_SECOND_ORDER,
    "descriptor": phx_linear_form.PHX_FORM_DESCRIPTOR,
}
_METHODS = {
    "modal": phx_reduction_method.PHX_REDUCE_MODAL,
    "krylov": phx_reduction_method.PHX_REDUCE_KRYLOV,
    "irka": phx_reduction_method.PHX_REDUCE_IRKA,
    "lqg": phx_reduction_method.PHX_REDUCE_LQG,
    "xmin": phx_reduction_method.PHX_REDUCE_XMIN,
}
_AT = {
    "start": phx_model_modes_at.PHX_MODEL_AT_START,
    "static": phx_model_modes_at.PHX_MODEL_AT_STATIC,
    "steady": phx_model_modes_at.PHX_MODEL_AT_STEADY,
    "initial": phx_model_modes_at.PHX_MODEL_AT_INITIAL,
}


def _choose(what: str, word: str, words: Mapping[str, int]) -> int:
    if not isinstance(word, str) or word not in words:
        raise ValueError(f"{what}={word!r}: one of {', '.join(words)}")
    return int(words[word])


@dataclass(frozen=True)
class StableInverse:
    """Inputs with which outputs follow motions: :meth:`Model.stable_inverse`.

    Attributes
    ----------
    table : Result
        The inputs, the motions, the states of the linear model, by instant.
    zeros, antistable : int
        Zeros of the linear model, in all and in the right half-plane.
    slowest : float
        The least real part of the latter, 1/s; 0: none.
    early, late : float
        What would be needed before and after the table, relative to the largest of what the outputs do not show.
    unrest : float
        Acceleration with which the start would move by itself, m/s^2.
    """

    table: Result
    zeros: int
    antistable: int
    slowest: float
    early: float
    late: float
    unrest: float


@dataclass(frozen=True)
class StartMove:
    """A body that the assembly has moved from its pose as written: `distance` (m), `angle` (rad) of its frame, and the
    joint of it that was most open there, by `gap` (m) and `gap_angle` (rad)."""

    body: str
    distance: float
    angle: float
    joint: str
    gap: float
    gap_angle: float


@dataclass(frozen=True)
class Fmu:
    """An FMU that has been written.

    Attributes
    ----------
    path : str
    inputs, outputs, parameters : int
        Variables.
    states : int
        Of model exchange; 0 in an FMU for co-simulation alone.
    bytes : int
        Of the file.
    step : float
        The longest of the integrator, s; 0: it chooses.
    token : str
        Instantiation token (FMI 2: guid).
    """

    path: str
    inputs: int
    outputs: int
    parameters: int
    states: int
    bytes: int
    step: float
    token: str


@dataclass(frozen=True)
class BeamInModes:
    """How well modes hold a beam with geometric stiffening.

    Attributes
    ----------
    modes, followers : int
        Its coordinates: modes, and axial shapes that follow them.
    error : float
        Of the first frequencies, half as many as modes, under an axial pull three times the buckling load of the
        reference condition, relative: an estimate.
    """

    modes: int
    followers: int
    error: float


@dataclass(frozen=True)
class Matching:
    """The matching condition of interconnection and damping assignment, at places of the region given.

    Attributes
    ----------
    potential, kinetic : float
        Largest part that no effort makes, relative to the largest of its terms.
    places, indefinite : int
        Places, and of these where M_d is not positive definite.
    mass : float
        By how much M is not that of the mechanism at the start, relative; NaN where this moves along other coordinates.
    """

    potential: float
    kinetic: float
    places: int
    indefinite: int
    mass: float


@dataclass(frozen=True)
class Certificate:
    """What the equations are worth at the start state (``phlexor check``).

    Attributes
    ----------
    coordinates, velocities, constraints, redundant, degrees_of_freedom, constraint_rank, index : int
        Sizes; the index is that of the differential-algebraic equations.
    skew_residual : float
        Largest entry of ``J + J^T``: 0.
    smallest_mass_eigenvalue : float
    power_residual : float
        Of the power balance on random states, relative.
    lossless : bool
    mass : float
        kg.
    centre_of_mass : ndarray, shape (dimension,)
        m.
    inertia : ndarray, shape (3, 3), or float in the plane
        About the centre of mass, kg m^2.
    kinetic, elastic, potential : float
        Energies, J.
    redundant_rows : tuple of (str, int)
        Joint and row (from 1) of the redundant constraints.
    casimirs : tuple of str
        What is constant in the loops of port-Hamiltonian controllers, whatever the energies are:
        ``"loop.z1 - shoulder.coordinate"``.
    matching : dict of str to Matching
        The matching conditions of controllers of kind `ida_pbc`, by their names.
    beams_in_modes : dict of str to BeamInModes
        Beams in modes with geometric stiffening, and how well the modes hold them, by the names of the bodies.
    limits : tuple of str
        Limits of validity that the start exceeds, in words.
    moves : tuple of StartMove
        Bodies that the assembly has moved from their poses as written by more than the rounding of what is written.
    """

    coordinates: int
    velocities: int
    constraints: int
    redundant: int
    degrees_of_freedom: int
    constraint_rank: int
    index: int
    skew_residual: float
    smallest_mass_eigenvalue: float
    power_residual: float
    lossless: bool
    mass: float
    centre_of_mass: FloatArray
    inertia: Union[FloatArray, float]
    kinetic: float
    elastic: float
    potential: float
    redundant_rows: Tuple[Tuple[str, int], ...]
    casimirs: Tuple[str, ...]
    matching: Dict[str, Matching]
    beams_in_modes: Dict[str, BeamInModes]
    limits: Tuple[str, ...]
    moves: Tuple[StartMove, ...]


def _certificate(report: phx_check_report) -> Certificate:
    raw, dimension = report.certificate, report.dimension
    plain = ("coordinates", "velocities", "constraints", "redundant", "degrees_of_freedom", "constraint_rank", "index",
             "skew_residual", "smallest_mass_eigenvalue", "power_residual", "lossless", "mass")
    return Certificate(
        **{name: getattr(raw, name) for name in plain},
        centre_of_mass=np.array(raw.centre_of_mass[:dimension]),
        inertia=float(raw.inertia[0]) if dimension == 2 else np.array(raw.inertia[:9]).reshape(3, 3),
        kinetic=raw.energy.kinetic,
        elastic=raw.energy.elastic,
        potential=raw.energy.potential,
        redundant_rows=tuple((text_of(row.joint), row.row) for row in report.redundant[: report.n_redundant]),
        casimirs=tuple(text_of(item.text) for item in report.casimirs[: report.n_casimirs]),
        matching={text_of(item.controller): Matching(item.matching.potential, item.matching.kinetic,
                                                     item.matching.places, item.matching.indefinite, item.mass)
                  for item in report.matchings[: report.n_matchings]},
        beams_in_modes={text_of(item.body): BeamInModes(item.modes, item.followers, item.error)
                        for item in report.modes[: report.n_modes]},
        limits=tuple(text_of(finding.text) for finding in report.limits[: report.n_limits]),
        moves=tuple(StartMove(text_of(m.body), m.distance, m.angle, text_of(m.joint) if m.joint else "", m.gap,
                              m.gap_angle) for m in report.moves[: report.n_moves]),
    )


def _overrides(parameters: Mapping[str, Number]) -> Tuple[int, Any]:
    array = (phx_model_override * max(len(parameters), 1))()
    for item, (name, value) in zip(array, parameters.items()):
        item.name = name.encode()
        if isinstance(value, str):
            item.expression = value.encode()
        else:
            item.value = float(value)
    return len(parameters), array


def _page_lock(page: Optional[PathLike]) -> ContextManager[Any]:
    if page is None:
        return contextlib.nullcontext()
    return hdf5


@checked
class Model:
    """A model, read from a file, from a text, or built in code (:class:`ModelBuilder`).

    A model is used by one thread at a time: a call of another thread waits. To compute in parallel give each thread a
    :meth:`copy`, or leave it to the library (:meth:`batch`, and :meth:`modes` with `threads`). Computing releases
    Python's global lock.

    Every method raises a :class:`PhlexorError` with the library's message, which names file, line and column (of a
    model built in code: the entry) where it can.

    Parameters
    ----------
    path : path-like
        The model file.
    parameters : mapping, optional
        Values of parameters instead of the file's: numbers, or expressions such as ``"2*pi*50"``.
    """

    def __init__(self, path: PathLike, parameters: Optional[Mapping[str, Number]] = None) -> None:
        file = os.fspath(path)
        given = parameters or {}
        encoded = path_of(file)
        self._given: Dict[str, Number] = dict(given)
        self._read(file, None, lambda call, out: lib.phx_model_read(call.pointer, encoded, *_overrides(given), out))

    @classmethod
    def from_text(cls, text: str, parameters: Optional[Mapping[str, Number]] = None, *, name: str = "model.yaml",
                  names: Optional[Callable[[int, int], str]] = None) -> "Model":
        """A model from the text of a model file.

        Parameters
        ----------
        text : str
        parameters : mapping, optional
            As for the constructor.
        name : str
            What messages call the file; relative paths in the text start in its folder.
        names : callable, optional
            What messages call the place (line, column) instead.
        """
        model, encoded = cls.__new__(cls), text.encode()
        model._given = dict(parameters or {})
        model._read(
            name, names,
            lambda call, out: lib.phx_model_read_text(call.pointer, path_of(name), encoded, len(encoded),
                                                      *_overrides(parameters or {}), out)
        )
        return model

    def _read(self, file: str, names: Optional[Callable[[int, int], str]], read: Callable[[Context, Any], Any]) -> None:
        self._file, self._names = file, names
        self._lock, self._user = threading.Lock(), 0
        pointer = ctypes.POINTER(phx_model)()
        with Context(None, names, file) as call:
            call.check(read(call, ctypes.byref(pointer)))
        self._owner = Owner(lib.phx_model_destroy, pointer, call)

    def copy(self) -> "Model":
        """The model as it was read, independent of this one."""
        copy = Model.__new__(Model)
        copy._given = dict(self._given)
        with self._use() as (_, pointer):
            copy._read(self._file, self._names, lambda call, out: lib.phx_model_copy(call.pointer, pointer, out))
        return copy

    def __copy__(self) -> "Model":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "Model":
        return self.copy()

    def __reduce__(self) -> Any:
        """As :meth:`copy`: the model as it was read."""
        return _read_again, (self.text, self._given, self._file, self._names)

    def __repr__(self) -> str:
        return f"<Model {self.title!r}: {len(self.bodies)} bodies, {len(self.joints)} joints>"

    @contextlib.contextmanager
    def _use(self, progress: Optional[Progress] = None) -> Iterator[Tuple[Context, Any]]:
        """A call with the model in the hands of this thread."""
        if self._user == threading.get_ident():
            raise RuntimeError("the model is at work in this thread (a progress function uses it): use a copy")
        with self._lock:
            self._user = threading.get_ident()
            try:
                with Context(progress, self._names, self._file) as call:
                    yield call, self._owner.pointer
            finally:
                self._user = 0

    # ---- what it says ----
    def _ask(self, question: Callable[[phx_model], Any]) -> Any:
        with self._use() as (_, pointer):
            return question(pointer.contents)

    @property
    def title(self) -> str:
        """Its title."""
        return str(self._ask(lambda m: text_of(m.title)))

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self._ask(lambda m: m.dimension))

    @property
    def text(self) -> str:
        """The model file, as it was read."""
        return str(self._ask(lambda m: text_of(m.text)))

    @property
    def parameters(self) -> Dict[str, float]:
        """Values of the parameters. To change them: :meth:`set_parameters`."""
        values: Dict[str, float] = self._ask(
            lambda m: {text_of(p.name): float(p.value) for p in m.parameters[: m.n_parameters]}
        )
        return values

    def _list(self, kind: str) -> Tuple[str, ...]:
        return tuple(self._ask(lambda m: [text_of(i.name) for i in getattr(m, kind)[: getattr(m, "n_" + kind)]]))

    @property
    def bodies(self) -> Tuple[str, ...]:
        """Names of the bodies."""
        return self._list("bodies")

    @property
    def joints(self) -> Tuple[str, ...]:
        """Names of the joints."""
        return self._list("joints")

    @property
    def springs(self) -> Tuple[str, ...]:
        """Names of the springs."""
        return self._list("springs")

    @property
    def forces(self) -> Tuple[str, ...]:
        """Names of the force elements."""
        return self._list("forces")

    @property
    def loads(self) -> Tuple[str, ...]:
        """Names of the loads."""
        return self._list("loads")

    @property
    def outputs(self) -> Tuple[str, ...]:
        """Names of the outputs."""
        return self._list("outputs")

    # ---- parameters ----
    def set_parameters(self, parameters: Optional[Mapping[str, Number]] = None, **more: Number) -> None:
        """Give parameters other values; all others go back to those that the model was read with.

        Parameters
        ----------
        parameters, **more
            Numbers or expressions by name. Without any the model is as it was read.

        Raises
        ------
        ModelError
            There is no such parameter, or the model is wrong with these values. It is then unchanged.
        """
        with self._use() as (call, pointer):
            call.check(lib.phx_model_set_parameters(call.pointer, pointer, *_overrides({**(parameters or {}), **more})))

    def evaluate(self, expression: str) -> float:
        """The value of an expression of the parameters."""
        value = ctypes.c_double()
        with self._use() as (call, pointer):
            call.check(lib.phx_model_evaluate(call.pointer, pointer, b"expression", expression.encode(),
                                              ctypes.byref(value)))
        return value.value

    # ---- analyses ----
    def check(self) -> Certificate:
        """Assemble the model and verify the structure of its equations."""
        report = phx_check_report()
        with self._use() as (call, pointer), hdf5:
            call.check(lib.phx_study_check(call.pointer, pointer, ctypes.byref(report)))
            try:
                return _certificate(report)
            finally:
                lib.phx_check_report_free(ctypes.byref(report))

    def _repr_html_(self) -> Optional[str]:
        return page_frame(self.write_page)

    def write_page(self, path: PathLike) -> None:
        """Write a page that shows the assembled model in any browser, as ``phlexor view`` does.

        Parameters
        ----------
        path : path-like
            The .html file.

        Raises
        ------
        AssemblyError
            The joints cannot be closed; the page then shows the model as it is written.
        LibraryError
            The library was built without the page.
        """
        with self._use() as (call, pointer), hdf5:
            call.check(lib.phx_study_view(call.pointer, pointer, None, path_of(path), None))

    def export_robot(self, path: PathLike, *, format: Optional[Literal["urdf", "mjcf"]] = None) -> None:
        """Write the model, a tree of rigid bodies in space, as a robot, as ``phlexor export`` does (docs/robots.md).

        Parameters
        ----------
        path : path-like
            The robot's file.
        format : {"urdf", "mjcf"}, optional
            By default the ending of the file decides: ``.urdf`` or ``.xml``.
        """
        formats = {"urdf": 0, "mjcf": 1}
        name = format or {".urdf": "urdf", ".xml": "mjcf"}.get(os.path.splitext(os.fspath(path))[1])
        if name not in formats:
            raise ValueError(f"format: expected one of {', '.join(formats)}, got {name!r}")
        with self._use() as (call, pointer), hdf5:
            call.check(lib.phx_study_export_robot(call.pointer, pointer, formats[name], path_of(path)))

    def matrices(self) -> Mapping[str, Any]:
        """Every matrix of the model about its start state, unreduced and sparse, with the names of what they act on.

        Returns
        -------
        mapping
            ``M D K G KKT``, channels ``F H Y_q ..``, the descriptor form ``E J R Q B ..`` and the bodies' own, as
            ``phlexor linearize`` exports them (docs/export.md); sparse ones as SciPy's ``csr_matrix`` or
            :class:`Csr`; lists of names, texts.
        """
        bundle = ctypes.POINTER(phx_bundle)()
        with self._use() as (call, pointer), hdf5:
            call.check(lib.phx_bundle_create(call.pointer, ctypes.byref(bundle)))
            owner = Owner(lib.phx_bundle_destroy, bundle, call)
            call.check(lib.phx_study_matrices(call.pointer, pointer, bundle))
        return items_of(bundle, owner)

    @contextlib.contextmanager
    def _files(self, pointer: Any, *paths: Optional[PathLike]) -> Iterator[None]:
        """HDF5 for this thread alone where the call needs it."""
        continued = getattr(pointer.contents.initial, "from") is not None
        needed = continued or any(path is not None for path in paths)
        with contextlib.ExitStack() as stack:
            if needed:
                stack.enter_context(hdf5)
            yield

    def simulate(self, end: Optional[float] = None, *, step: Optional[float] = None, every: Optional[float] = None,
                 rtol: Optional[float] = None, atol: Optional[float] = None, integrator: Optional[Integrator] = None,
                 h5: Optional[PathLike] = None, csv: Optional[PathLike] = None, strict: bool = False,
                 threads: Optional[int] = None, progress: Optional[Progress] = None, yes: bool = False,
                 backend: Backend = "auto", accuracy: Optional[float] = None,
                 accuracy_absolute: Optional[float] = None, accuracy_of: Optional[Iterable[str]] = None,
                 iterations: Optional[int] = None, real_time: bool = False) -> Result:
        """Simulate from the start state.

        Parameters
        ----------
        end, step, every : float, optional
            End, step and output interval, s. What is not given is taken from the model's `simulate`.
        rtol, atol : float, optional
            Tolerances, where the integrator is to choose its steps.
        integrator : {"midpoint", "midpoint4", "gauss4", "gauss6", "radau5", "ida", "dop853"}, optional
        h5, csv : path-like, optional
            Files for the result, beside the one in memory.
        strict : bool
            A limit of validity that is exceeded ends the run with an error; else it is a warning. Also with `strict` of
            the model's `simulate`.
        threads : int or None
            That work inside the time steps; None: one, or for a large mechanism as many as there are processors. The
            result is the same bit by bit.
        progress : callable, optional
            ``progress(what, done, total)`` is called between steps; when it returns False the simulation stops.
        yes : bool
            Go on even when this makes 1e8 instants or 1e11 bytes and more, which is refused with an estimate otherwise.
        backend : {"auto", "plain", "fast"}
            How the equations are evaluated: one body and joint at a time with whole matrices, or those that are alike
            together (auto). The results agree to rounding.
        accuracy, accuracy_absolute : float, optional
            Error of the outputs, relative to the largest length of each, and in their units: method and step are found
            for it (docs/requested-accuracy.md). Without any step or tolerance `accuracy` is 1e-3.
        accuracy_of : iterable of str, optional
            The outputs whose error counts; None: those of the model's `simulate`, or all.
        iterations : int, optional
            Exactly so many Newton corrections a step, of `midpoint` with a fixed step (docs/real-time.md).
        real_time : bool
            Take the wall time of each step: ``step_time_median``, ... of the report.

        Returns
        -------
        Result
            In memory.

        Raises
        ------
        PhlexorError
            The exception's `result` is what was computed before, if anything.
        KeyboardInterrupt
            Also with `result`, when it came during the computation.
        """
        options = _simulate_options(end, step, every, rtol, atol, integrator, h5, csv)
        options.strict = strict
        options.backend = _choose("backend", backend, _BACKENDS)
        options.threads = 0 if threads is None else check_threads(threads)
        _set_iterations(options, iterations)
        options.real_time = real_time
        keep = _set_accuracy(options, accuracy, accuracy_absolute, accuracy_of)
        report, result = phx_simulate_report(), ctypes.POINTER(phx_result)()
        with self._use(progress) as (call, pointer), self._files(pointer, h5):
            if not yes:
                _agree(call, lib.phx_study_simulate_size, pointer, ctypes.byref(options), None)
            status = lib.phx_study_simulate_result(call.pointer, pointer, ctypes.byref(options), ctypes.byref(report),
                                                   ctypes.byref(result))
            made = result_in_memory(result, call, report_of(report)) if result else None
            del keep
            if status:
                error: Any = call.error(status)
                error.result = made
                raise error
        assert made is not None
        return made

    def inverse(self, end: Optional[float] = None, *, step: Optional[float] = None, every: Optional[float] = None,
                rtol: Optional[float] = None, atol: Optional[float] = None, integrator: Optional[Integrator] = None,
                h5: Optional[PathLike] = None, csv: Optional[PathLike] = None,
                progress: Optional[Progress] = None) -> Result:
        """Inverse dynamics: what the drives exert along the motion that the model prescribes.

        Parameters
        ----------
        end, step, every, rtol, atol, integrator, progress : optional
            As for :meth:`simulate`.
        csv : path-like, optional
            File for the table, whose columns are signals for actuators and controllers (docs/inverse-dynamics.md).
        h5 : path-like, optional
            File for the result of the simulation.

        Returns
        -------
        Result
            The table in memory: ``"JOINT.effort"``, ``"JOINT.coordinate"``, ``"JOINT.rate"`` of each driven coordinate.
        """
        options = _simulate_options(end, step, every, rtol, atol, integrator, h5, csv)
        report, table = phx_simulate_report(), ctypes.POINTER(phx_result)()
        with self._use(progress) as (call, pointer), self._files(pointer, h5):
            call.check(lib.phx_study_inverse(call.pointer, pointer, ctypes.byref(options), ctypes.byref(report),
                                             ctypes.byref(table)))
            return result_in_memory(table, call, report_of(report))

    def stable_inverse(self, end: Optional[float] = None, *, step: Optional[float] = None,
                       every: Optional[float] = None, csv: Optional[PathLike] = None) -> StableInverse:
        """Stable inversion: bounded inputs with which outputs follow the motions that `inverse` of the model gives, by
        the linear model about its start (docs/inverse-dynamics.md).

        Parameters
        ----------
        end, step, every : float, optional
            End of the table, longest step of the integration, interval of the rows, s; default: those of `simulate`.
        csv : path-like, optional
            File for the table, whose columns are signals for actuators and controllers.

        Returns
        -------
        StableInverse
        """
        options = _simulate_options(end, step, every, None, None, None, None, csv)
        report, table = phx_stable_inverse_report(), ctypes.POINTER(phx_result)()
        with self._use(None) as (call, pointer), self._files(pointer):
            call.check(lib.phx_study_stable_inverse(call.pointer, pointer, ctypes.byref(options),
                                                    ctypes.byref(report), ctypes.byref(table)))
            return StableInverse(result_in_memory(table, call, None), report.zeros, report.antistable, report.slowest,
                                 report.early, report.late, report.unrest)

    def inverse_kinematics(self, port: str, t: ArrayLike, places: ArrayLike, rotations: Optional[ArrayLike] = None, *,
                           every: float = 0.0, rise: float = 0.0, nearest: bool = False,
                           csv: Optional[PathLike] = None, progress: Optional[Progress] = None) -> Result:
        """Inverse kinematics: motions of the joints of a tree of rigid bodies that bring a port to places.

        Of several solutions that of the least sum of squares of the changes from row to row, between the stops of the
        joints (docs/inverse-kinematics.md).

        Parameters
        ----------
        port : str
            ``"BODY.PORT"``.
        t : array of n numbers
            Times, s, increasing.
        places : array, shape (n, 2) or (n, 3)
            Of the port, m, inertial.
        rotations : array, optional
            Directions of the port: in space quaternions (w, x, y, z), shape (n, 4), in the plane n angles, rad.
        every, rise : float
            The rows are way points, with a row each `every` s between them, at rest in each way point; the rate rises
            and falls evenly during `rise` s (default: smoothly).
        nearest : bool
            Accept the nearest place where one is not reached, with a warning, and singular places; else errors.
        csv : path-like, optional
            File for the table, whose columns are motions of joints.
        progress : callable, optional
            As for :meth:`simulate`.

        Returns
        -------
        Result
            The table in memory: ``"t"`` and ``"JOINT.coordinate"`` of each joint between the ground and the port.
        """
        times, where = np.ascontiguousarray(t, float), np.ascontiguousarray(places, float)
        turns = None if rotations is None else np.ascontiguousarray(rotations, float)
        dim, n = self.dimension, times.size
        wanted = {"t": (times, (n,)), "places": (where, (n, dim)), "rotations": (turns, (n, 4) if dim == 3 else (n,))}
        for name, (array, shape) in wanted.items():
            if array is not None and array.shape != shape:
                raise ValueError(f"{name} has the shape {array.shape}, expected {shape}, for {n} times")
        options = phx_inverse_kinematics_options(port=port.encode(), n=n, t=doubles(times), places=doubles(where),
                                                 every=every, rise=rise, nearest=nearest, csv_path=path_of(csv))
        if turns is not None:
            options.rotations = doubles(turns)
        report, table = phx_inverse_kinematics_report(), ctypes.POINTER(phx_result)()
        with self._use(progress) as (call, pointer), self._files(pointer):
            call.check(lib.phx_study_inverse_kinematics(call.pointer, pointer, ctypes.byref(options),
                                                        ctypes.byref(report), ctypes.byref(table)))
            return result_in_memory(table, call, None)

    def stepper(self, inputs: Sequence[str] = (), outputs: Optional[Sequence[str]] = None, *,
                step: Optional[float] = None, rtol: Optional[float] = None, atol: Optional[float] = None,
                integrator: Optional[Integrator] = None, backend: Backend = "auto",
                iterations: Optional[int] = None) -> Simulation:
        """The start of a simulation that goes on call by call: cycle, or measure, act and step.

        Parameters
        ----------
        inputs : sequence of str
            What the program acts with: ``"JOINT.effort"``, ``"LOAD.fx"``, ``"SPRING.force"`` (docs/control.md).
        outputs : sequence of str, optional
            Columns that :meth:`Simulation.cycle` returns, in this order (default: all).
        step, rtol, atol, integrator, backend, iterations : optional
            As for :meth:`simulate`; with inputs the integrator is `midpoint`.

        Returns
        -------
        Simulation
        """
        options = _simulate_options(None, step, None, rtol, atol, integrator, None, None)
        options.backend = _choose("backend", backend, _BACKENDS)
        _set_iterations(options, iterations)
        return stepper_of(self, inputs, outputs, options)

    def joint_space(self, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None, *, t: float = 0.0,
                    angles: bool = False) -> JointSpace:
        """Mass matrix, bias and efforts of a tree of rigid bodies in the coordinates of its joints.

        Parameters
        ----------
        q, v : array of numbers, optional
            Coordinates and rates (:class:`JointSpace`); default: those of the start.
        t : float
            For efforts that depend on time, s.
        angles : bool
            Spherical and free joints by their three angles, not by quaternions and angular velocities.

        Returns
        -------
        JointSpace
        """
        return JointSpace(self, angles).at(q, v, t)

    def batch(self, sweep: SweepLike = "model", *, end: Optional[float] = None, step: Optional[float] = None,
              every: Optional[float] = None, rtol: Optional[float] = None, atol: Optional[float] = None,
              integrator: Optional[Integrator] = None, h5: Optional[PathLike] = None, csv: Optional[PathLike] = None,
              table: Optional[PathLike] = None, strict: bool = False, threads: Optional[int] = 1, stop: bool = False,
              progress: Optional[Progress] = None, yes: bool = False) -> Batch:
        """Simulate at every point of a sweep.

        Parameters
        ----------
        sweep : mapping or "model"
            Parameters and their values, arrays or :class:`Range`; several multiply. "model": the model's `sweep`.
        end, step, every, rtol, atol, integrator
            As for :meth:`simulate`.
        h5, csv : path-like, optional
            Files for the results: NAME.h5 makes NAME-0001.h5 and so on.
        table : path-like, optional
            A csv file with a row for each point.
        strict : bool
            A limit of validity that is exceeded ends that simulation with an error; else it is a warning.
        threads : int or None
            That work on the points; None: as many as there are processors. The results are the same bit by bit. With
            more than one the BLAS of the process is set to one thread.
        stop : bool
            At the first point that fails. Else a point that fails is None in the batch, with a message and a warning.
        progress : callable, optional
            ``progress(what, done, total)`` in points; False stops the batch.
        yes : bool
            Go on even when there are more than 1e6 points, or as for :meth:`simulate`.

        Returns
        -------
        Batch

        Raises
        ------
        PhlexorError, KeyboardInterrupt
            The exception's `batch` has the points before.
        """
        report = phx_study_batch_report()
        options = phx_study_batch_options(stop=stop, threads=check_threads(threads), table_path=path_of(table))
        options.simulate = _simulate_options(end, step, every, rtol, atol, integrator, h5, csv)
        options.simulate.strict = strict
        with self._use(progress) as (call, pointer), self._files(pointer, h5):
            made = make_sweep(call, pointer, sweep)
            if made is None:
                raise TypeError("a batch needs a sweep")
            if not yes:
                _agree(call, lib.phx_study_simulate_size, pointer, ctypes.byref(options.simulate), made.pointer)
            batch = Batch(*names_and_points(made))

            def deliver(user: Any, point: int, raw: Any, result: Any, message: Optional[bytes]) -> int:
                try:
                    if message is not None:
                        batch.messages[point] = call.explain(text_of(message))
                    batch.results.append(result_in_memory(result, call, report_of(raw.contents)) if result else None)
                except BaseException as error:  # it must not leave through C
                    call.raised = error
                    return int(phx_status.PHX_INTERRUPTED)
                return int(phx_status.PHX_OK)

            options.sweep, options.deliver = made.pointer, phx_study_point_fn(deliver)
            status = lib.phx_study_batch(call.pointer, pointer, ctypes.byref(options), ctypes.byref(report))
            if status:
                error: Any = call.error(status)
                error.batch = batch
                raise error
        return batch

    def static(self, *, steps: Optional[int] = None, stable: bool = False, steady: bool = False, buckling: int = 0,
               path: bool = False,
               to: float = 1.0, points: int = 200, stride: float = 0.0, branch: bool = False, time: float = 0.0,
               h5: Optional[PathLike] = None, csv: Optional[PathLike] = None) -> Equilibrium:
        """The equilibrium at rest, or the path of equilibria over the load factor.

        Gravity, springs, loads and elasticity in balance, drives held where they start. A start that is nearly in
        equilibrium stays, stable or not; else a stable equilibrium is looked for, down in energy.

        Parameters
        ----------
        steps : int, optional
            Equal steps of all loads from nothing to what they are, an equilibrium at each.
        stable : bool
            Leave an unstable equilibrium for a stable one.
        steady : bool
            Instead, the deformed equilibrium of the steady rotation of the driven joints.
        buckling : int
            So many critical load factors, at most 32.
        path : bool
            Instead, the path over the load factor by arc length, through limit points; `to` is the largest factor,
            `points` the most points, `stride` (rad, parts of the size; 0: 0.05) from point to point, `branch` takes the
            other branch at a bifurcation.
        time : float
            Instant of loads and signals, s.
        h5, csv : path-like, optional
            Files for the result, beside the one in memory.

        Returns
        -------
        Equilibrium

        Raises
        ------
        PhlexorError
            There is none: the message says what is out of balance and what moves.
        """
        if steps is not None and steps < 1:
            raise ValueError(f"steps={steps}: at least 1")
        if not 0 <= buckling <= 32:
            raise ValueError(f"buckling={buckling}: from 0 to 32")
        options = lib.phx_study_static_options_default()
        options.t, options.steps, options.stable, options.buckling = time, steps or 0, stable, buckling
        options.steady = steady
        options.path, options.to, options.stride, options.points, options.branch = path, to, stride, points, branch
        options.h5_path = None if h5 is None else path_of(h5)
        options.csv_path = None if csv is None else path_of(csv)
        report, result = phx_study_static_report(), ctypes.POINTER(phx_result)()
        with self._use() as (call, pointer), self._files(pointer, h5):
            call.check(lib.phx_study_static(call.pointer, pointer, ctypes.byref(options), ctypes.byref(report),
                                            ctypes.byref(result)))
            made = result_in_memory(result, call, None)
        return equilibrium_of(report, made)

    def sensitivity(self, of: Sequence[str], to: Optional[Sequence[str]] = None, *,
                    method: Derivation = "auto", page: Optional[PathLike] = None, threads: Optional[int] = 1,
                    progress: Optional[Progress] = None) -> Gradient:
        """Derivatives of numbers of an analysis by the parameters of the model.

        Parameters
        ----------
        of : sequence of str
            Objectives: "modes.omega.1", "model.mass", "static(tip.y)", "simulate.integral(y(tip.x)^2)", .. (the page
            on sensitivities lists them).
        to : sequence of str, optional
            Names of parameters; None: all that can be moved.
        method : {"auto", "adjoint", "tangent", "differences"}
            "auto": the cheapest of the exact ones; "differences" of whole analyses, for comparison.
        page : path-like, optional
            An .html file that shows bars, and the mechanism in the colours of the derivatives.
        threads : int or None
            For differences of whole analyses by several parameters; None: as many as there are processors.
        progress : callable, optional
            ``progress(what, done, total)``; False stops the work.

        Returns
        -------
        Gradient
        """
        if isinstance(of, str) or isinstance(to, str):
            raise TypeError("of and to are lists of texts")
        with self._use(progress) as (call, pointer), _page_lock(page):
            return find_gradient(call, pointer, list(of), None if to is None else list(to), method, page, check_threads(threads))

    def identify(self, data: Optional[PathLike] = None, *, validate: Optional[PathLike] = None, iterations: int = 50,
                 page: Optional[PathLike] = None, progress: Optional[Progress] = None) -> Identification:
        """Parameters from the measurements that the key ``identify`` of the model names.

        Parameters
        ----------
        data : path, optional
            CSV file of the time series, instead of those in the model.
        validate : path, optional
            The same columns of another run, for comparison only.
        iterations : int
            At most.
        page : path-like, optional
            An .html file that shows fit, residuals and parameters.
        progress : callable, optional
            ``progress(what, done, total)``; False stops the work.

        Returns
        -------
        Identification
            ``model.set_parameters(found.values)`` gives the model the values. The model itself is not changed.
        """
        with self._use(progress) as (call, pointer), _page_lock(page):
            return identify(call, pointer, data, validate, iterations, page)

    def value_and_gradient(self, of: Union[str, Sequence[str]], to: Sequence[str], *,
                           method: Derivation = "auto") -> ValueAndGradient:
        """A function of the parameters `to` that returns the objective and its gradient, for SciPy."""
        return ValueAndGradient(self, of, to, method)

    def torch(self, of: Union[str, Sequence[str]], to: Sequence[str], *, method: Derivation = "auto") -> Any:
        """The same as a function of a PyTorch tensor, through which ``backward`` passes.

        Raises
        ------
        ImportError
            PyTorch is not installed (Debian: python3-torch).
        """
        return torch_function(ValueAndGradient(self, of, to, method))

    def optimize(self, *, history: Optional[PathLike] = None, resume: bool = False, threads: Optional[int] = 1,
                 page: Optional[PathLike] = None, progress: Optional[Progress] = None) -> Optimum:
        """Look for the values of parameters that the model's key `optimize` asks for, from the present ones on.

        Parameters
        ----------
        history : path-like, optional
            A csv file with a row for each evaluation; FILE.partial until the end.
        resume : bool
            Go on with FILE.partial, which a search that ended early has left.
        threads : int or None
            For the cases, of one for the variables; None: as many as there are processors.
        page : path-like, optional
            An .html file that shows the history, and the start through the optimum.
        progress : callable, optional
            ``progress(what, done, total)``; False stops the work.

        Returns
        -------
        Optimum
            The model is not changed: ``model.set_parameters(optimum.variables)``.
        """
        if resume and history is None:
            raise ValueError("resume=True needs the history to go on with")
        with self._use(progress) as (call, pointer), _page_lock(page):
            return find_optimum(call, pointer, history, resume, check_threads(threads), page)

    def save(self, path: PathLike) -> None:
        """Write the text of the model with the present values of parameters that were set."""
        with self._use() as (call, pointer):
            call.check(lib.phx_model_save(call.pointer, pointer, path_of(path)))

    def modes(self, count: Optional[int] = None, *, at: Optional[At] = None,
              sweep: Optional[SweepLike] = None, shapes: bool = True, threads: Optional[int] = 1,
              progress: Optional[Progress] = None, yes: bool = False) -> Modes:
        """Frequencies and mode shapes.

        Parameters
        ----------
        count : int, optional
            Modes at each point, besides those of rigid bodies. None: the model's `modes: count`.
        at : {"start", "static", "steady"}, optional
            About the start state at rest ("initial" is the same), the equilibrium at rest, or the steady rotation of
            the driven joints. None: as the model says. A start that is no equilibrium gives a warning.
        sweep : mapping, "model" or None
            As for :meth:`batch`; None: one point.
        shapes : bool
            Keep the mode shapes.
        threads : int or None
            As for :meth:`batch`.
        progress : callable, optional
            ``progress(what, done, total)`` in points; False stops the work.
        yes : bool
            Go on even when there are more than 1e6 points.

        Returns
        -------
        Modes
        """
        options = phx_study_modes_options(with_shapes=shapes, threads=check_threads(threads))
        if count is not None:
            if count < 1:
                raise ValueError(f"count={count}: at least 1 mode")
            options.count = count
        if at is not None:
            options.has_at, options.at = True, _choose("at", at, _AT)
        table, report = phx_modes_table(), phx_study_modes_report()
        with self._use(progress) as (call, pointer):
            made = make_sweep(call, pointer, sweep)
            if made is not None:
                options.sweep = made.pointer
            if not yes:
                _agree(call, lib.phx_study_modes_size, pointer, ctypes.byref(options))
            call.check(lib.phx_study_modes(call.pointer, pointer, ctypes.byref(options), ctypes.byref(table),
                                           ctypes.byref(report)))
        return modes_of(table, call, unstable=report.unstable, least_confidence=report.least_confidence)

    def linearize(self, inputs: Optional[Iterable[str]] = None, outputs: Optional[Iterable[str]] = None, *,
                  at: Optional[At] = None, form: Form = "state-space", reduce: Optional[ReductionMethod] = None, order: Optional[int] = None,
                  error: Optional[float] = None, band: Optional[Tuple[float, float]] = None,
                  damping: Optional[float] = None, points: Optional[Iterable[complex]] = None,
                  loop: Optional[str] = None, sample: float = 0.0, delay: int = 0, minimal: bool = False,
                  stable_part: bool = False) -> Linear:
        """The mechanism as a linear system with named inputs and outputs.

        Parameters
        ----------
        inputs, outputs : sequence of str, optional
            Channels such as ``"crank.C.fy"``, ``"motor.effort"``, ``"tip.x"`` (docs/linear-models.md lists them). By
            default all loads, actuators and drives, and all outputs of the model.
        at : {"start", "static", "steady"}, optional
            As for :meth:`modes`.
        form : {"state-space", "second-order", "descriptor"}
            Of `matrices`; the state space is always there.
        reduce : {"modal", "krylov", "irka", "lqg", "xmin"}, optional
            Reduce the model to fewer states; it stays port-Hamiltonian, with its ports and rigid motions.
        order : int, optional
            Elastic coordinates of the reduced model.
        error : float, optional
            In place of the order: as many as this relative error takes.
        band : (float, float), optional
            Where the error counts, rad/s; by default everywhere.
        damping : float, optional
            Modal damping ratio to choose and measure with, in place of the model's own.
        points : sequence of complex, optional
            Of the method "krylov", 1/s; infinity is one.
        loop : str, optional
            A controller, ``"NAME"`` or ``"NAME.u1"``: the loop opened at its output, with the sign of
            :meth:`StateSpace.margins`, in place of the model; sampled as the controller is.
        sample : float, optional
            Sampled with this period, s, inputs held, sampled controllers closed.
        delay : int, optional
            Samples by which the inputs are late.
        minimal : bool
            Without states that no input moves or no output sees.
        stable_part : bool
            Without free motions and what grows.

        Returns
        -------
        Linear
        """
        options, report = phx_study_linearize_options(form=_choose("form", form, _FORMS)), phx_linear_report()
        if at is not None:
            options.has_at, options.at = True, _choose("at", at, _AT)
        keep = _set_names(options.channels, inputs=inputs, outputs=outputs)
        how = _reduction(reduce, order, error, band, damping, points)
        if how is not None:
            options.reduction = ctypes.pointer(how)
        options.loop = None if loop is None else loop.encode()
        options.sample, options.delay, options.minimal, options.stable_part = sample, delay, minimal, stable_part
        with self._use() as (call, pointer):
            call.check(lib.phx_study_linearize(call.pointer, pointer, ctypes.byref(options), ctypes.byref(report)))
        del keep
        return linear_of(report, call)

    def plants(self, sweep: SweepLike, inputs: Optional[Iterable[str]] = None,
               outputs: Optional[Iterable[str]] = None, *, at: Optional[At] = None, form: Form = "state-space",
               reduce: Optional[ReductionMethod] = None, order: Optional[int] = None, error: Optional[float] = None,
               band: Optional[Tuple[float, float]] = None, damping: Optional[float] = None,
               points: Optional[Iterable[complex]] = None, lft: Optional[Iterable[str]] = None,
               lft_degrees: Optional[Iterable[int]] = None, lft_error: Optional[float] = None,
               threads: Optional[int] = 1, progress: Optional[Progress] = None) -> Plants:
        """The linear models at the points of a sweep, in coordinates that depend smoothly on the parameters.

        Parameters
        ----------
        sweep : mapping or "model"
            As for :meth:`batch`.
        inputs, outputs, at, form, reduce, order, error, band, damping, points : optional
            As for :meth:`linearize`, of each plant. A reduction by error takes the order that the plant in the middle
            of the sweep needs. Over the band responses of the LFT are compared, too.
        lft : sequence of str, optional
            Parameters of the sweep: also an LFT in them, with blocks in this order.
        lft_degrees : sequence of int, optional
            Degrees of its polynomials, one for each parameter. None: by the error.
        lft_error : float, optional
            Error of the polynomials, also at values that are left out, that is aimed at. None: 1e-6.
        threads : int or None
            As for :meth:`batch`.
        progress : callable, optional
            ``progress(what, done, total)`` in points; False stops the work.

        Returns
        -------
        Plants
        """
        options = phx_study_plants_options(threads=check_threads(threads))
        linear, pointer_to_plants = options.linear, ctypes.POINTER(phx_plants)()
        linear.form = _choose("form", form, _FORMS)
        if at is not None:
            linear.has_at, linear.at = True, _choose("at", at, _AT)
        keep = _set_names(linear.channels, inputs=inputs, outputs=outputs)
        how = _reduction(reduce, order, error, None if reduce is None and lft is not None else band, damping, points)
        if how is not None:
            linear.reduction = ctypes.pointer(how)
        fit = _lft(lft, lft_degrees, lft_error, band)
        if fit is not None:
            options.lft = ctypes.pointer(fit)
        with self._use(progress) as (call, pointer):
            made = make_sweep(call, pointer, sweep)
            if made is None:
                raise TypeError("plants need a sweep")
            options.sweep = made.pointer
            call.check(lib.phx_study_plants(call.pointer, pointer, ctypes.byref(options),
                                            ctypes.byref(pointer_to_plants)))
        del keep
        return Plants(pointer_to_plants, Owner(lib.phx_plants_destroy, pointer_to_plants, call))

    def fmu(self, path: PathLike, *, version: int = 3, inputs: Optional[Iterable[str]] = None,
            outputs: Optional[Iterable[str]] = None, identifier: Optional[str] = None, end: Optional[float] = None,
            step: Optional[float] = None, rtol: Optional[float] = None, atol: Optional[float] = None,
            integrator: Optional[Integrator] = None, kind: FmuKind = "cs",
            parameters: Optional[Iterable[str]] = None) -> Fmu:
        """Write the mechanism at its start state as an FMU for co-simulation or model exchange (docs/fmi.md).

        Parameters
        ----------
        path : path-like
            NAME.fmu.
        version : {2, 3}
            Of the Functional Mock-up Interface.
        inputs : sequence of str, optional
            ``"JOINT.effort"``, ``"JOINT.rate"`` of a drive, ``"LOAD.fx"``, ``"SPRING.force"``; they are added to what
            the model gives. By default all actuators, drives and loads.
        outputs : sequence of str, optional
            Outputs of the model; by default all.
        identifier : str, optional
            Model identifier; by default made of the name of the file.
        end, step, rtol, atol, integrator : optional
            As for :meth:`simulate`; `end` is what the FMU proposes.
        kind : {"cs", "me", "both"}
            Co-simulation, model exchange, or an FMU for both.
        parameters : sequence of str, optional
            Parameters of the model that the other program can set; by default all that only expressions of time use
            (loads, drives, controllers), and none of a model that starts in an equilibrium. An empty sequence: none.

        Returns
        -------
        Fmu
        """
        if version not in (2, 3):
            raise ValueError(f"version={version!r}: 2 or 3")
        options = phx_fmu_options(version=version, kind=_choose("kind", kind, _FMU_KINDS),
                                  simulate=_simulate_options(end, step, None, rtol, atol, integrator, None, None))
        if identifier is not None:
            options.identifier = identifier.encode()
        keep = _set_names(options, inputs=inputs, outputs=outputs, parameters=parameters)
        report = phx_fmu_report()
        with self._use() as (call, pointer):
            call.check(lib.phx_fmu_export(call.pointer, pointer, ctypes.byref(options), path_of(path),
                                          ctypes.byref(report)))
        del keep
        return Fmu(os.fspath(path), report.inputs, report.outputs, report.parameters, report.states, report.bytes,
                   report.step, report.token.decode())

    def titop(self, body: str, *, parent: Optional[str] = None, ports: Optional[Iterable[str]] = None,
              inverted: Optional[Iterable[str]] = None, inputs: Optional[Iterable[str]] = None,
              outputs: Optional[Iterable[str]] = None) -> Linear:
        """The two-input two-output port model of one body.

        Parameters
        ----------
        body : str
            Its name.
        parent : str, optional
            The port P of the model, whose acceleration goes in and whose wrench comes out; by default the port P.
        ports : sequence of str, optional
            The other ports, whose wrenches go in; by default all ports and points that hold something.
        inverted : sequence of str, optional
            Channels whose input and output are exchanged: boundary conditions.
        inputs, outputs : sequence of str, optional
            Those that stay, in this order.

        Returns
        -------
        Linear
        """
        options, report = phx_study_titop_options(body=body.encode()), phx_linear_report()
        if parent is not None:
            options.parent = parent.encode()
        keep = _set_names(options, ports=ports, inverted=inverted, inputs=inputs, outputs=outputs)
        with self._use() as (call, pointer):
            call.check(lib.phx_study_titop(call.pointer, pointer, ctypes.byref(options), ctypes.byref(report)))
        del keep
        return linear_of(report, call)


def _read_again(text: str, given: Mapping[str, Number], name: str,
                names: Optional[Callable[[int, int], str]]) -> Model:
    return Model.from_text(text, given, name=name, names=names)


def _agree(call: Context, measure: Callable[..., int], *arguments: Any) -> None:
    """Refuse what is very large."""
    size = phx_run_size()
    call.check(measure(call.pointer, *arguments, ctypes.byref(size)))
    call.check(lib.phx_run_size_refuse(call.pointer, ctypes.byref(size), b"take fewer, or go on with yes=True"))


def _reduction(method: Optional[str], order: Optional[int], error: Optional[float],
               band: Optional[Tuple[float, float]], damping: Optional[float],
               points: Optional[Iterable[complex]]) -> Optional[phx_reduction_options]:
    """Options of a reduction, or None; with what they point to."""
    given = {"order": order, "error": error, "band": band, "damping": damping, "points": points}
    if method is None:
        extra = [name for name, value in given.items() if value is not None]
        if extra:
            raise ValueError(f"{', '.join(extra)}: goes with reduce=")
        return None
    how = phx_reduction_options(method=_choose("reduce", method, _METHODS), order=order or 0, error=error or 0.0,
                                damping=damping or 0.0)
    if band is not None:
        how.band[0], how.band[1] = band
    if points is not None:
        places = [complex(point) for point in points]
        array = (phx_reduction_point * len(places))()
        for item, place in zip(array, places):
            item.infinite = math.isinf(abs(place))
            if not item.infinite:
                item.re, item.im = place.real, place.imag
        how.n_points, how.points = len(places), array
    return how


def _lft(parameters: Optional[Iterable[str]], degrees: Optional[Iterable[int]], error: Optional[float],
         band: Optional[Tuple[float, float]]) -> Optional[phx_lft_options]:
    """Options of an LFT, or None; with what they point to."""
    names = name_list("lft", parameters)
    if names is None:
        if degrees is not None or error is not None:
            raise ValueError("lft_degrees and lft_error go with lft")
        return None
    options = phx_lft_options(n_parameters=len(names), error=0.0 if error is None else error)
    options.parameters = ctypes.cast(names_of(names), ctypes.POINTER(ctypes.c_char_p))
    if band is not None:
        options.band[:] = band
    if degrees is not None:
        given = list(degrees)
        if len(given) != len(names):
            raise ValueError(f"lft_degrees: {len(given)} of them for {len(names)} parameters")
        options.degrees = (ctypes.c_int * len(given))(*given)
    return options


def _set_names(options: Any, **lists: Optional[Iterable[str]]) -> List[Any]:
    """Lists of names as fields of options; what is returned must live as long as they are used."""
    keep = []
    for field, given in lists.items():
        names = name_list(field, given)
        if names is not None:
            array = names_of(names)
            keep.append(array)
            setattr(options, "n_" + field, len(names))
            setattr(options, field, ctypes.cast(array, ctypes.POINTER(ctypes.c_char_p)))
    return keep


def _set_positive(options: phx_simulate_options, name: str, value: Optional[float]) -> None:
    if value is None:
        return
    if not (0.0 < value < float("inf")):
        raise ValueError(f"{name}={value}: a finite number greater than 0")
    setattr(options, name, phx_model_optional(True, value))


def _set_iterations(options: phx_simulate_options, iterations: Optional[int]) -> None:
    if iterations is None:
        return
    if iterations < 1:
        raise ValueError(f"iterations={iterations}: an integer from 1 on")
    options.iterations = iterations


def _set_accuracy(options: phx_simulate_options, relative: Optional[float], absolute: Optional[float],
                  of: Optional[Iterable[str]]) -> List[Any]:
    """What is returned must live as long as the options are used."""
    _set_positive(options, "accuracy", relative)
    _set_positive(options, "accuracy_absolute", absolute)
    return _set_names(options, accuracy_of=of)


def _simulate_options(end: Optional[float], step: Optional[float], every: Optional[float], rtol: Optional[float],
                      atol: Optional[float], integrator: Optional[str], h5: Optional[PathLike],
                      csv: Optional[PathLike]) -> phx_simulate_options:
    options = phx_simulate_options(h5_path=path_of(h5), csv_path=path_of(csv))
    for name, value in (("end", end), ("step", step), ("every", every), ("rtol", rtol), ("atol", atol)):
        _set_positive(options, name, value)
    if integrator is not None:
        options.has_integrator, options.integrator = True, _choose("integrator", integrator, _INTEGRATORS)
    return options
