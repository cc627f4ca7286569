"""Linear models with named inputs and outputs."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._binding import (phx_bundle, phx_bundle_item, phx_bundle_kind, phx_csr, phx_linear_report, phx_margins, phx_ss,
                       phx_ss_def, phx_ss_link, phx_ss_part)
from ._call import (ComplexArray, Context, FloatArray, Owner, PathLike, doubles, hdf5, name_list, names_at, names_of,
                    path_of, text_of, view)
from ._check import checked, not_pickled
from ._display import plot_bode
from ._library import lib
from .errors import UnsupportedError

__all__ = ["Csr", "Lft", "Linear", "Margins", "Plants", "StateSpace", "read_linear", "read_matrices"]


class Csr(NamedTuple):
    """A sparse matrix by rows, for where SciPy is missing; SciPy's is ``csr_matrix(m[:3], m.shape)``."""

    data: FloatArray
    indices: NDArray[np.intc]
    indptr: NDArray[np.intc]
    shape: Tuple[int, int]

    def toarray(self) -> FloatArray:
        """The dense matrix."""
        dense = np.zeros(self.shape)
        dense[np.repeat(np.arange(self.shape[0]), np.diff(self.indptr)), self.indices] = self.data
        return dense


def sparse_of(raw: phx_csr, owner: Any) -> Any:
    """SciPy's csr_matrix or, without SciPy, a Csr."""
    pointers = view(raw.ptr, (raw.rows + 1,), owner, np.intc)
    count = int(pointers[-1])
    matrix = Csr(view(raw.val, (count,), owner), view(raw.idx, (count,), owner, np.intc), pointers,
                 (raw.rows, raw.cols))
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        return matrix
    return csr_matrix((matrix.data, matrix.indices, matrix.indptr), matrix.shape)


class Margins(NamedTuple):
    """Margins of a loop L under ``u = -L u``."""

    stable: bool
    """The closed loop has no growing mode."""
    gain: float
    """The least factor above 1 that brings the loop to its edge; infinite: none."""
    gain_omega: float
    reduction: float
    """The largest factor below 1; 0: none."""
    reduction_omega: float
    phase: float
    """rad, the smallest by magnitude; nan: |L| is never 1."""
    phase_omega: float
    delay: float
    """s; infinite: none."""
    delay_omega: float
    sensitivity: float
    """max |1/(1 + L)|."""
    sensitivity_omega: float
    complementary: float
    """max |L/(1 + L)|."""
    complementary_omega: float
    gain_crossings: FloatArray
    """Rows of angular frequency, rad/s, and factor, wherever L is real and negative."""
    phase_crossings: FloatArray
    """Rows of angular frequency, rad/s, phase, rad, and delay, s, wherever |L| = 1."""


@checked
class StateSpace:
    """``x' = A x + B u, y = C x + D u`` with names for states, inputs and outputs. It never changes.

    With a `sample` time it is the sampled system ``x+ = A x + B u``.

    Attributes
    ----------
    A, B, C, D : ndarray
        Read-only views of the library's matrices.
    inputs, outputs, states : tuple of str
    name : str
    sample : float
        Period, s; 0: continuous.

    Parameters
    ----------
    A, B, C, D : array_like
        Any may be None: zero.
    inputs, outputs, states : sequence of str, optional
        By default ``u1 ..``, ``y1 ..``, ``x1 ..``. No two signals are called the same.
    name : str, optional
        For messages.
    sample : float, optional
        Period of a sampled system, s.
    """

    def __init__(self, A: Optional[ArrayLike] = None, B: Optional[ArrayLike] = None, C: Optional[ArrayLike] = None,
                 D: Optional[ArrayLike] = None, *, inputs: Optional[Sequence[str]] = None,
                 outputs: Optional[Sequence[str]] = None, states: Optional[Sequence[str]] = None,
                 name: str = "system", sample: float = 0.0) -> None:
        given = {key: None if value is None else np.array(value, dtype=np.float64, ndmin=2, order="C")
                 for key, value in (("A", A), ("B", B), ("C", C), ("D", D))}
        for key, matrix in given.items():
            if matrix is not None and matrix.ndim != 2:
                raise ValueError(f"{key}: expected a matrix, found an array of {matrix.ndim} dimensions, "
                                 f"{' x '.join(map(str, matrix.shape))}")
        n = _common("states", [(given["A"], 0), (given["A"], 1), (given["B"], 0), (given["C"], 1)], states)
        m = _common("inputs", [(given["B"], 1), (given["D"], 1)], inputs)
        p = _common("outputs", [(given["C"], 0), (given["D"], 0)], outputs)
        definition = phx_ss_def(name=name.encode(), n=n, n_inputs=m, n_outputs=p)
        for key, value in given.items():
            if value is not None:
                setattr(definition, key, doubles(value))
        pointer_to_names = ctypes.POINTER(ctypes.c_char_p)
        for key, names in (("states", states), ("inputs", inputs), ("outputs", outputs)):
            if names is not None:
                setattr(definition, key, ctypes.cast(names_of(names), pointer_to_names))
        with Context() as call:
            pointer = ctypes.POINTER(phx_ss)()
            call.check(lib.phx_ss_create(call.pointer, ctypes.byref(definition), ctypes.byref(pointer)))
        self._take(pointer, Owner(lib.phx_ss_destroy, pointer, call), sample)

    @classmethod
    def _of(cls, pointer: Any, owner: Any, sample: float = 0.0) -> "StateSpace":
        """Over a system of the library, which `owner` keeps alive."""
        made = cls.__new__(cls)
        made._take(pointer, owner, sample)
        return made

    def _take(self, pointer: Any, owner: Any, sample: float) -> None:
        self._pointer, self._owner, self.sample = pointer, owner, sample
        made = lib.phx_ss_definition(pointer)
        n, m, p = made.n, made.n_inputs, made.n_outputs
        self.name = text_of(made.name)
        self.A: FloatArray = view(made.A, (n, n), owner)
        self.B: FloatArray = view(made.B, (n, m), owner)
        self.C: FloatArray = view(made.C, (p, n), owner)
        self.D: FloatArray = view(made.D, (p, m), owner)
        self.states, self.inputs, self.outputs = (
            names_at(made.states, n), names_at(made.inputs, m), names_at(made.outputs, p))

    def __repr__(self) -> str:
        sizes = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<{type(self).__name__} {self.name!r}: {sizes}>"

    def __reduce__(self) -> Any:
        return _state_space, tuple(np.array(matrix) for matrix in (self.A, self.B, self.C, self.D)) + (
            self.inputs, self.outputs, self.states, self.name, self.sample)

    def __copy__(self) -> "StateSpace":
        return self  # nothing in it can be changed

    def __deepcopy__(self, memo: Any) -> "StateSpace":
        return self

    def _make(self, function: Callable[..., int], *arguments: Any) -> "StateSpace":
        pointer = ctypes.POINTER(phx_ss)()
        with Context() as call:
            call.check(function(call.pointer, self._pointer, *arguments, ctypes.byref(pointer)))
        return StateSpace._of(pointer, Owner(lib.phx_ss_destroy, pointer, call), self.sample)

    # ---- systems out of systems ----
    def select(self, outputs: Optional[Iterable[str]] = None, inputs: Optional[Iterable[str]] = None) -> "StateSpace":
        """The system with these outputs and inputs, in this order; None: all. All states stay."""
        chosen = [name_list("outputs", outputs), name_list("inputs", inputs)]
        arguments: List[Any] = []
        for names in chosen:
            arguments += [0, None] if names is None else [len(names), names_of(names)]
        return self._make(lib.phx_ss_sub, *arguments)

    def minimal(self, rtol: float = 0.0) -> "StateSpace":
        """Without states that no input moves or no output sees; ranks decided at `rtol` (0: 1e-10)."""
        return self._make(lib.phx_ss_reduce, int(phx_ss_part.PHX_SS_MINIMAL), rtol)

    def stable_part(self, edge: float = 0.0) -> "StateSpace":
        """Without free motions and what grows: poles with real parts below `-edge`, 1/s, stay."""
        return self._make(lib.phx_ss_stable_part, edge)

    def held(self, period: float, delay: int = 0) -> "StateSpace":
        """The sampled system when the inputs are held over each `period`, s, and act `delay` samples later; exact."""
        made = self._make(lib.phx_ss_hold, period, delay)
        made.sample = period
        return made

    def margins(self) -> Margins:
        """Margins of this system as the loop L of one input and one output, closed by ``u = -L u``."""
        raw = phx_margins()
        with Context() as call:
            call.check(lib.phx_ss_margins(call.pointer, self._pointer, self.sample, ctypes.byref(raw)))
        crossings = [np.array([values[:count] for values in arrays], dtype=np.float64).T.reshape(count, len(arrays))
                     for count, arrays in ((raw.n_gain, (raw.gain_omega, raw.gain)),
                                           (raw.n_phase, (raw.phase_omega, raw.phase, raw.delay)))]
        made = Margins(bool(raw.stable), raw.gain_up, raw.gain_up_omega, raw.gain_down, raw.gain_down_omega,
                       raw.phase_least, raw.phase_least_omega, raw.delay_least, raw.delay_least_omega, raw.sensitivity,
                       raw.sensitivity_omega, raw.complementary, raw.complementary_omega, *crossings)
        lib.phx_margins_free(ctypes.byref(raw))
        return made

    def inverted(self, channels: Iterable[str]) -> "StateSpace":
        """With input and output of these channels exchanged; a channel is named by its input or its output."""
        names = name_list("channels", channels) or []
        return self._make(lib.phx_ss_invert_names, len(names), names_of(names))

    def series(self, after: "StateSpace") -> "StateSpace":
        """``after(self(u))``: the outputs, in their order, drive the inputs of `after`."""
        return self._make(lib.phx_ss_series, after._pointer)

    def feedback(self, back: "StateSpace", sign: float = -1.0) -> "StateSpace":
        """The loop ``u = r + sign back(y)``; inputs and outputs of this system stay."""
        return self._make(lib.phx_ss_feedback, back._pointer, sign)

    @classmethod
    def connect(cls, systems: Sequence["StateSpace"], links: Iterable[Tuple[str, str, float]],
                inputs: Iterable[str], outputs: Iterable[str], *, name: str = "connected") -> "StateSpace":
        """Several systems connected by the names of their signals.

        Parameters
        ----------
        systems : sequence of StateSpace
            No two of their signals or states are called the same (:meth:`renamed`).
        links : sequence of (input, output, gain)
            ``input += gain * output``; several to one input add up.
        inputs, outputs : sequence of str
            Those that stay, in this order. An input that is linked and stays takes the sum of both.
        name : str

        Raises
        ------
        ArgumentError
            A signal does not exist, or a name stands twice.
        SingularError
            An algebraic loop has no solution; the message names an input in it.
        """
        pointers = (ctypes.POINTER(phx_ss) * max(len(systems), 1))(*(system._pointer for system in systems))
        pointer = ctypes.POINTER(phx_ss)()
        with Context() as call:
            call.check(lib.phx_ss_append(call.pointer, name.encode(), len(systems), pointers, ctypes.byref(pointer)))
        whole = cls._of(pointer, Owner(lib.phx_ss_destroy, pointer, call))
        made = list(links)
        array = (phx_ss_link * max(len(made), 1))(*(phx_ss_link(i.encode(), o.encode(), gain) for i, o, gain in made))
        stay = [name_list("outputs", outputs) or [], name_list("inputs", inputs) or []]
        arguments = [item for names in stay for item in (len(names), names_of(names))]
        whole.sample = systems[0].sample if systems else 0.0
        if any(system.sample != whole.sample for system in systems):
            raise ValueError("systems: their sample times differ")
        return whole._make(lib.phx_ss_connect, len(made), array, *arguments)

    def renamed(self, name: Optional[str] = None, prefix: Optional[str] = None) -> "StateSpace":
        """A copy of another name, `prefix` and a dot before the names of its signals and states."""
        texts = [None if text is None else text.encode() for text in (name, prefix)]
        return self._make(lib.phx_ss_copy, *texts)

    # ---- dynamics ----
    @property
    def poles(self) -> ComplexArray:
        """Eigenvalues of A, ascending by magnitude."""
        re, im = np.empty(len(self.states)), np.empty(len(self.states))
        with Context() as call:
            call.check(lib.phx_ss_poles(call.pointer, self._pointer, doubles(re), doubles(im), None, None))
        poles: ComplexArray = re + 1j * im
        return poles

    def response(self, omega: ArrayLike) -> ComplexArray:
        """Frequency response ``D + C (s - A)^-1 B`` at ``s = i omega``, of a sampled system at ``exp(i omega sample)``.

        Parameters
        ----------
        omega : array_like
            Pulsations, rad/s.

        Returns
        -------
        ndarray, shape (*omega.shape, outputs, inputs)
        """
        pulsations = np.asarray(omega, dtype=np.float64, order="C")
        shape = (*pulsations.shape, len(self.outputs), len(self.inputs))
        response: Any = np.empty(shape, np.complex128)
        if response.size:
            with Context() as call:
                call.check(lib.phx_ss_responses_sampled(call.pointer, self._pointer, self.sample, pulsations.size,
                                                        doubles(pulsations), doubles(response)))
        made: ComplexArray = response
        return made

    def dc_gain(self) -> FloatArray:
        """``D - C A^-1 B``; raises SingularError when there are poles at zero."""
        gain = np.empty((len(self.outputs), len(self.inputs)))
        with Context() as call:
            call.check(lib.phx_ss_dc_gain(call.pointer, self._pointer, doubles(gain)))
        return gain

    def bode(self, omega: Optional[ArrayLike] = None, inputs: Optional[Sequence[str]] = None,
             outputs: Optional[Sequence[str]] = None, ax: Any = None) -> Any:
        """Draw magnitude, dB, and phase, degrees, of the frequency responses with matplotlib.

        Parameters
        ----------
        omega : array_like, optional
            Angular frequencies, rad/s. Default: a decade beyond the poles.
        inputs, outputs : sequence of str, optional
            Default: all.
        ax : two matplotlib axes, optional

        Returns
        -------
        axes of the magnitude and of the phase
        """
        return plot_bode(self, omega, inputs, outputs, ax)

    def to_scipy(self) -> Any:
        """The same as ``scipy.signal.StateSpace``, without the names."""
        from scipy.signal import StateSpace as ScipyStateSpace

        return ScipyStateSpace(self.A, self.B, self.C, self.D, **({"dt": self.sample} if self.sample else {}))


def _state_space(A: FloatArray, B: FloatArray, C: FloatArray, D: FloatArray, inputs: Sequence[str],
                 outputs: Sequence[str], states: Sequence[str], name: str, sample: float = 0.0) -> StateSpace:
    return StateSpace(A, B, C, D, inputs=inputs, outputs=outputs, states=states, name=name, sample=sample)


def _common(what: str, extents: Sequence[Tuple[Optional[FloatArray], int]], names: Optional[Sequence[str]]) -> int:
    """The size that matrices and names agree on."""
    found = {array.shape[axis] for array, axis in extents if array is not None}
    if names is not None:
        found.add(len(names))
    if len(found) > 1:
        raise ValueError(f"the matrices and names have {' and '.join(map(str, sorted(found)))} {what}")
    return found.pop() if found else 0


@checked
class Linear:
    """A linear model of a mechanism or a body, in state space and in the form that was asked for.

    Attributes
    ----------
    form : str
        ``state-space``, ``second-order`` or ``descriptor``.
    title : str
    system : StateSpace
        The state space, whatever the form; `A`, `B`, `C`, `D`, `inputs`, `outputs`, `states`, `poles` and `response`
        are its own. There is none of a descriptor form of more than 600 coordinates.
    matrices : namespace
        The matrices of the form and what belongs to them, by the names of the file that ``phlexor linearize -o``
        writes. State space: `A B C D`. Second order, ``M q'' + D q' + K q = F u``, ``y = Y_q q + Y_v q' + Y_a q'' + Y_u
        u``: `M D K F Y_q Y_v Y_a Y_u`, `coordinates` (names of q), `basis` and `motions` (what q moves). Descriptor,
        ``E e' = (J - R) Q e + (B - P) u``: sparse `E J R Q B P S N`, `ports`, and the measured ``y = C e + D u``.
        Sparse ones are SciPy's ``csr_matrix``, or :class:`Csr` without SciPy. Views.
    residuals : dict
        Of the structure: what would be zero or positive in exact arithmetic.
    dc_gain : ndarray, shape (outputs, inputs), or None
        Rows of outputs that see poles at zero are NaN. None when read from a file that has none.
    rigid : int
        Rigid motions of a free mechanism, each two poles at zero.
    reduction : namespace or None
        Of a reduced model what it is worth, by the names of the file without ``reduction_``: `method`, `order`, `error`
        (H-infinity, relative), `error_certified`, `bound` where there is one, `error_h2`, `passive`, `omega` with the
        curves `model_gain`, `reduced_gain`, `error_gain`, and others (docs/reduced-models.md).
    """

    def __init__(self, system: Optional[StateSpace], items: Dict[str, Any], bundle: Any, owner: Any,
                 residuals: Optional[Dict[str, float]] = None, dc_gain: Optional[FloatArray] = None,
                 rigid: int = 0) -> None:
        self._system, self._bundle, self._owner = system, bundle, owner
        self.form: str = items.pop("form")
        self.title: str = items.pop("title", "")
        self.model_text: str = items.pop("model", "")
        reduced = {key: items.pop(key) for key in list(items) if key.startswith("reduction_")}
        self.reduction = SimpleNamespace(**{key[len("reduction_"):]: value for key, value in reduced.items()}) \
            if reduced else None
        numbers = {key: value for key, value in items.items() if isinstance(value, float)}
        self.residuals = numbers if residuals is None else residuals
        self.dc_gain = items.pop("dc_gain", None) if dc_gain is None else dc_gain
        self.rigid = rigid
        self.matrices = SimpleNamespace(
            **{key: value for key, value in items.items() if key not in numbers and key not in ("dc_gain", "poles")}
        )

    __reduce_ex__ = not_pickled("Linear", "write it to a .h5 file and pickle the path for read_linear, or pickle its "
                                "`system`")

    def __copy__(self) -> "Linear":
        return self

    def __deepcopy__(self, memo: Any) -> "Linear":
        return self

    def __repr__(self) -> str:
        return f"<Linear {self.title!r}: {self.form}, {self._system or 'without state space'!r}>"

    @property
    def system(self) -> StateSpace:
        """The state space; raises UnsupportedError for a descriptor form of more than 600 coordinates."""
        if self._system is None:
            raise UnsupportedError("a descriptor form of this size comes without its state space; take `matrices`, or "
                                   "a reduced model")
        return self._system

    @property
    def A(self) -> FloatArray:
        """Of `system`."""
        return self.system.A

    @property
    def B(self) -> FloatArray:
        """Of `system`."""
        return self.system.B

    @property
    def C(self) -> FloatArray:
        """Of `system`."""
        return self.system.C

    @property
    def D(self) -> FloatArray:
        """Of `system`."""
        return self.system.D

    @property
    def inputs(self) -> Tuple[str, ...]:
        """Of `system`."""
        return self.system.inputs

    @property
    def outputs(self) -> Tuple[str, ...]:
        """Of `system`."""
        return self.system.outputs

    @property
    def states(self) -> Tuple[str, ...]:
        """Of `system`."""
        return self.system.states

    @property
    def poles(self) -> ComplexArray:
        """Of `system`."""
        return self.system.poles

    def response(self, omega: ArrayLike) -> ComplexArray:
        """Of `system`: :meth:`StateSpace.response`."""
        return self.system.response(omega)

    @property
    def sample(self) -> float:
        """Of `system`."""
        return self.system.sample

    def margins(self) -> Margins:
        """Of `system`: :meth:`StateSpace.margins`."""
        return self.system.margins()

    def bode(self, omega: Optional[ArrayLike] = None, inputs: Optional[Sequence[str]] = None,
             outputs: Optional[Sequence[str]] = None, ax: Any = None) -> Any:
        """Draw magnitude, dB, and phase, degrees, of the frequency responses with matplotlib.

        Parameters
        ----------
        omega : array_like, optional
            Angular frequencies, rad/s. Default: a decade beyond the poles.
        inputs, outputs : sequence of str, optional
            Default: all.
        ax : two matplotlib axes, optional

        Returns
        -------
        axes of the magnitude and of the phase
        """
        return plot_bode(self.system, omega, inputs, outputs, ax)

    def write(self, path: PathLike) -> None:
        """Write the model as ``phlexor linearize -o`` does: .h5, .mat or .json."""
        with hdf5, Context() as call:
            call.check(lib.phx_exchange_write(call.pointer, path_of(path), self._bundle))


@checked
class Lft:
    """Plants that depend on parameters as an upper LFT: the system M with ``w = Delta v``, ``Delta = diag(delta_k I)``.

    Attributes
    ----------
    system : StateSpace
        M: inputs ``PARAMETER.w1 ..``, then those of the plants; outputs ``PARAMETER.v1 ..``, then theirs.
    parameters : tuple of str
        In the order of Delta.
    blocks : tuple of int
        Size of the block of each.
    degrees : tuple of int
        Of the polynomials.
    range : ndarray, shape (parameters, 2)
        The values at ``delta = -1`` and ``1``.
    errors : dict
        ``fit`` and ``held_out`` of the polynomials at the plants and at values left out, ``realisation`` of the LFT
        from the polynomials, ``response`` of frequency responses (docs/lft.md).
    """

    def __init__(self, pointer: Any, owner: Any) -> None:
        self._pointer, self._owner = pointer, owner
        made = lib.phx_lft_about(pointer)
        count = made.n_parameters
        self.system = StateSpace._of(made.system, owner)
        self.parameters = names_at(made.parameters, count)
        self.blocks: Tuple[int, ...] = tuple(made.repetitions[:count])
        self.degrees: Tuple[int, ...] = tuple(made.degrees[:count])
        self.range: FloatArray = np.array([(made.centre[k] - made.half_width[k], made.centre[k] + made.half_width[k])
                                           for k in range(count)])
        report = made.report.contents
        self.errors = {name: float(getattr(report, name)) for name in ("fit", "held_out", "realisation", "response")}

    __reduce_ex__ = not_pickled("Lft", "pickle its `system`, `blocks` and `range`")

    def __copy__(self) -> "Lft":
        return self

    def __deepcopy__(self, memo: Any) -> "Lft":
        return self

    def __repr__(self) -> str:
        blocks = ", ".join(f"{name}: {size}" for name, size in zip(self.parameters, self.blocks))
        return f"<Lft {blocks}; {self.system!r}>"

    def plant(self, values: Mapping[str, float]) -> StateSpace:
        """M closed by Delta at these values of the parameters."""
        if set(values) != set(self.parameters):
            raise ValueError(f"values: expected {', '.join(self.parameters)}, found {', '.join(values)}")
        numbers = np.array([values[name] for name in self.parameters], dtype=np.float64)
        pointer = ctypes.POINTER(phx_ss)()
        with Context() as call:
            call.check(lib.phx_lft_plant(call.pointer, self._pointer, doubles(numbers), ctypes.byref(pointer)))
        return StateSpace._of(pointer, Owner(lib.phx_ss_destroy, pointer, call))


@checked
class Plants:
    """The linear models of a mechanism at the points of a sweep, in coordinates that all share.

    A sequence of :class:`StateSpace`: ``plants[3]``, ``len(plants)``, ``for plant in plants``.

    Attributes
    ----------
    parameters : tuple of str
    values : ndarray, shape (points, parameters)
    nominal : int
        The point whose modal coordinates all plants have.
    least : ndarray, shape (points,)
        Smallest over largest singular value of the change to these coordinates; 1 where a plant moves as the nominal
        one does.
    form : str
        ``state-space``, ``second-order`` or ``descriptor``.
    lft : Lft or None
        The plants as a linear fractional transformation, where it was asked for.
    matrices : namespace
        What a file of the plants has, by its names: `A`, `B`, `C`, `D` or `M`, `D`, `K`, `F` ..., arrays of shape
        (points, rows, columns), `basis`, `motions`, `states`, `poles`; of the descriptor form sparse `E_1`, `E_2`, ....
    """

    def __init__(self, pointer: Any, owner: Any) -> None:
        about = lib.phx_plants_about(pointer)
        self._bundle, self._owner = about.bundle, owner
        self._systems = [StateSpace._of(lib.phx_plants_system(pointer, k), owner) for k in range(about.n_points)]
        items = items_of(self._bundle, owner)
        self.form: str = items.pop("form")
        self.title: str = items.pop("title")
        self.model_text: str = items.pop("model")
        self.parameters: Tuple[str, ...] = tuple(items.pop("parameters"))
        self.values: FloatArray = items.pop("values")
        self.least: FloatArray = items.pop("least").ravel()
        self.nominal = int(items.pop("nominal")) - 1
        self.lft = Lft(about.lft, owner) if about.lft else None
        self.matrices = SimpleNamespace(
            **{key: value for key, value in items.items() if key != "plants" and not key.startswith("lft_")}
        )

    __reduce_ex__ = not_pickled("Plants", "write them to a .h5 file and pickle the path for read_matrices, or pickle "
                                "the systems, list(plants)")

    def __copy__(self) -> "Plants":
        return self

    def __deepcopy__(self, memo: Any) -> "Plants":
        return self

    def __repr__(self) -> str:
        return f"<Plants {self.title!r}: {len(self)} over {', '.join(self.parameters)}>"

    def __len__(self) -> int:
        return len(self._systems)

    def __iter__(self) -> Iterator[StateSpace]:
        return iter(self._systems)

    def __getitem__(self, point: Union[int, np.integer[Any]]) -> StateSpace:
        return self._systems[int(point)]

    def write(self, path: PathLike) -> None:
        """Write the plants as ``phlexor linearize --sweep ... -o`` does: .h5, .mat or .json."""
        with hdf5, Context() as call:
            call.check(lib.phx_exchange_write(call.pointer, path_of(path), self._bundle))


# ---- from the library ----
def _item(raw: phx_bundle_item, owner: Any) -> Any:
    shape = (raw.pages, raw.rows, raw.cols) if raw.pages else (raw.rows, raw.cols)
    if raw.kind == phx_bundle_kind.PHX_BUNDLE_MATRIX:
        real = view(raw.re, shape, owner)
        return real + 1j * view(raw.im, shape, owner) if raw.im else real
    if raw.kind == phx_bundle_kind.PHX_BUNDLE_SPARSE:
        return sparse_of(raw.sparse, owner)
    if raw.kind == phx_bundle_kind.PHX_BUNDLE_NAMES:
        return names_at(raw.names, raw.rows)
    return text_of(raw.text) if raw.kind == phx_bundle_kind.PHX_BUNDLE_TEXT else float(raw.number)


def items_of(bundle: Any, owner: Any) -> Dict[str, Any]:
    """The named things of a bundle."""
    items = {}
    for k in range(lib.phx_bundle_count(bundle)):
        raw = lib.phx_bundle_item_at(bundle, k).contents
        items[text_of(raw.name)] = _item(raw, owner)
    return items


def linear_of(report: phx_linear_report, context: Context) -> Linear:
    """Take over a report that a call has filled."""
    owner = Owner(_free_report, report, context)
    residuals = {text_of(item.name): item.value for item in report.residuals[: report.n_residuals]}
    if not report.system:  # a large descriptor form
        return Linear(None, items_of(report.bundle, owner), report.bundle, owner, residuals)
    system = StateSpace._of(report.system, owner, report.sample)
    shape = (len(system.outputs), len(system.inputs))
    gain: Optional[FloatArray] = view(report.dc_gain, shape, owner) if report.dc_gain else None
    return Linear(system, items_of(report.bundle, owner), report.bundle, owner, residuals, gain, report.rigid)


def _free_report(report: phx_linear_report) -> None:
    lib.phx_linear_report_free(ctypes.byref(report))


@checked
def read_linear(path: PathLike) -> Linear:
    """Read a linear model (.h5) that ``phlexor linearize``, ``phlexor titop`` or :meth:`Linear.write` left.

    Files of the descriptor form have no state space and are refused; read their matrices with :func:`read_matrices`.
    """
    context, bundle, pointer = Context(), ctypes.POINTER(phx_bundle)(), ctypes.POINTER(phx_ss)()
    with hdf5, context as call:
        call.check(lib.phx_exchange_read(call.pointer, path_of(path), ctypes.byref(bundle)))
        owner = Owner(lib.phx_bundle_destroy, bundle, context)
        call.check(lib.phx_bundle_get_ss(call.pointer, bundle, ctypes.byref(pointer)))
    items = items_of(bundle, owner)
    system = StateSpace._of(pointer, Owner(lib.phx_ss_destroy, pointer, context), items.get("sample", 0.0))
    return Linear(system, items, bundle, owner)


@checked
def read_matrices(path: PathLike) -> Mapping[str, Any]:
    """Everything in an exchange file (.h5) by name: matrices, sparse matrices, lists of names, texts, numbers."""
    context, bundle = Context(), ctypes.POINTER(phx_bundle)()
    with hdf5, context as call:
        call.check(lib.phx_exchange_read(call.pointer, path_of(path), ctypes.byref(bundle)))
    return items_of(bundle, Owner(lib.phx_bundle_destroy, bundle, context))
