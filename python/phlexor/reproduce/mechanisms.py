"""Simulations of [1]: the crank-slider (section 6.2), the hinged spatial beam (section 6.3); energy and joints over whole
runs (the response to the reviewers). A revolute joint between beams as transformer and as gyrator (section 5)."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from .._binding import phx_csr, phx_descriptor, phx_descriptor_def, phx_descriptor_port, phx_ss
from .._call import Context, FloatArray, Owner, doubles
from .._library import lib
from ..errors import AnalysisError
from ..linear import StateSpace, sparse_of
from ..result import Result
from .page import Figure, Item, Standard, near, numbers_of, zero

NO_NUMBERS = "line: Phlexor; crosses: an independent program. The paper prints no numbers."


# ---- a run at the instants of a table ----
@dataclass
class Traced:
    """A column of a run, and a column of a table at instants that the run has."""

    t: FloatArray
    y: FloatArray
    at: FloatArray
    want: FloatArray
    got: FloatArray

    @property
    def distance(self) -> float:
        return float(np.abs(self.got - self.want).max())

    def draw(self, figure: Figure, label: str) -> None:
        figure.line(label, self.t, self.y)
        figure.line("independent program", self.at, self.want, points=True)


def _traced(result: Result, scale: float, name: str, factor: float, at: FloatArray, want: FloatArray) -> Traced:
    """`factor` times a column of the run against a column of the table; `scale` times its time is the table's."""
    t, y = scale * result.t, factor * result[name]
    slack = 1e-7 * t[-1]
    rows = np.minimum(np.searchsorted(t, at - slack), len(t) - 1)
    absent = at[np.abs(t[rows] - at) > slack]
    if len(absent):
        raise AnalysisError(f"the simulation has no row at t = {absent[0]:g}")
    return Traced(t, y, at, want, y[rows])


def crank_slider(item: Item) -> None:
    """The model of the paper's example, that with its constant mass matrix, and that which starts in equilibrium."""
    length, speed, density, radius = 0.3, 150.0, 7870.0, 0.003  # m, rad/s, kg/m^3, m
    numbers = numbers_of("crank_slider.csv")
    simplified = ("    reference: simply_supported\n", "    reference: simply_supported\n    kinetics: simplified\n")
    settled = ("outputs:\n", "initial: {deformation: quasi_static}\n\noutputs:\n")
    found: List[Tuple[Traced, Traced]] = []
    for edit, rtol in ((None, 1e-7), (simplified, 1e-5), (settled, 1e-5)):
        result = item.model("crank_slider.yaml", edit).simulate(integrator="radau5", rtol=rtol)
        x, y = (_traced(result, speed, name, 1.0 / length, numbers["crank_angle"], numbers[column])
                for name, column in (("mid.x", "ux_mid_over_L"), ("mid.y", "uy_mid_over_L")))
        found.append((x, y))
    (x, y), (_, constant), (equilibrium, _) = found
    item.row("half the mass of the coupler", "kg", 0.5 * density * math.pi * radius * radius * length)
    item.row("u_y(L/2)/L, largest distance", "", y.distance, zero(1e-6))
    item.row("u_x(L/2)/L, largest distance", "", x.distance, zero(1e-6))
    item.row("u_y(L/2)/L, highest at the instants of the reference", "", y.got.max(), Standard(y.want.max(), 1e-6))
    item.row("u_y(L/2)/L, lowest at the instants of the reference", "", y.got.min(), Standard(y.want.min(), 1e-6))
    item.row("u_y(L/2)/L, highest", "", y.y.max())
    item.row("u_y(L/2)/L, lowest", "", y.y.min())
    item.row("u_y(L/2)/L, full inertia against a constant mass matrix", "",
             np.abs(y.y - constant.y).max() if len(y.y) == len(constant.y) else math.nan)
    item.row("u_x(L/2)/L, largest, started undeformed", "", np.abs(x.y).max())
    item.row("u_x(L/2)/L, largest, started in equilibrium", "", np.abs(equilibrium.y).max())
    figure = item.figure("Figure 8, left: midpoint of the coupler, along it", "crank angle (rad)", "u_x(L/2) / L",
                         NO_NUMBERS)
    x.draw(figure, "started undeformed")
    figure.line("started in equilibrium", equilibrium.t, equilibrium.y)
    figure = item.figure("Figure 8, right: midpoint of the coupler, across it", "crank angle (rad)", "u_y(L/2) / L",
                         NO_NUMBERS)
    y.draw(figure, "full inertia")
    figure.line("constant mass matrix", constant.t, constant.y)


def hinged_beam(item: Item) -> None:
    numbers = numbers_of("hinged_beam.csv")
    result = item.model("hinged_beam.yaml").simulate(integrator="radau5", rtol=5e-6)
    energy, spin, *tip = (_traced(result, 1.0, name, 1.0, numbers["t"], numbers[column]) for name, column in (
        ("energy", "energy"), ("spin.z", "omega_z"), ("tip.x", "tip_x"), ("tip.y", "tip_y"), ("tip.z", "tip_z")))
    plateau = int(np.searchsorted(energy.at, 0.0145, side="right")) - 1
    item.row("largest angular velocity", "rad/s", np.abs(spin.got).max(), near(np.abs(spin.want).max(), 1e-3))
    item.row("energy after the torque", "J", energy.got[plateau], near(energy.want[plateau], 1e-5))
    item.row("energy after the blow", "J", energy.got[-1], near(energy.want[-1], 1e-5))
    item.row("energy at 101 instants, largest distance", "J", energy.distance, zero(1e-5 * energy.want.max()))
    item.row("free end at 101 instants, largest distance", "m", max(along.distance for along in tip), zero(1e-5))
    energy.draw(item.figure("Figure 10, left: energy", "t (s)", "energy (J)", NO_NUMBERS), "energy")
    spin.draw(item.figure("Figure 10, right: angular velocity about the vertical", "t (s)",
                          "angular velocity at the joint (rad/s)", NO_NUMBERS), "angular velocity")


# ---- energy and joints over a run ----
def energy(item: Item) -> None:
    for file, name in (("crank_slider.yaml", "crank-slider"), ("double_pendulum.yaml", "falling double pendulum"),
                       ("hinged_beam.yaml", "hinged spatial beam"), ("hinged_pair.yaml", "free hinged pair")):
        report = item.model(file).simulate(integrator="midpoint").report
        assert report
        item.row(f"{name}, largest |H(t) − H(0) − ∫u·y dt| over the largest energy", "",
                 report.largest_residual / report.largest_energy, zero(1e-10))


def drift(item: Item) -> None:
    figure = item.figure("Gap of the joints of a falling flexible double pendulum", "t (s)", "largest gap (m)",
                         "the response prints no numbers", logarithmic=True)
    runs: List[Dict[str, Any]] = [{"integrator": "midpoint"}, {"integrator": "radau5", "rtol": 1e-6, "end": 2.0},
                                  {"integrator": "ida", "rtol": 1e-6, "end": 2.0}]
    for settings in runs:
        name = settings["integrator"]
        result = item.model("double_pendulum.yaml").simulate(every=0.02, **settings)
        assert result.report
        figure.line(name, result.t, result["drift"])
        closed = name == "midpoint"
        item.row(f"{name}, {result.t[-1]:g} s: largest gap of a joint", "m", result.report.largest_drift,
                 zero(1e-12) if closed else None)
        item.row(f"{name}, {result.t[-1]:g} s: largest velocity with which a joint opens", "m/s",
                 result.report.largest_drift_rate, zero(1e-11) if closed else None)


# ---- a revolute joint as a transformer (41), (42) and as a gyrator (43), (44), its multipliers eliminated (47) ----
FIRST, SECOND = b"first", b"second"  # forces at C of the first beam and at P of the second, in the axes of their beams


def _made(function: Callable[..., int], kind: Any, free: Callable[..., Any], *arguments: Any) -> Owner:
    """What a function of the library makes."""
    pointer = ctypes.POINTER(kind)()
    with Context() as call:
        call.check(function(call.pointer, *arguments, ctypes.byref(pointer)))
    return Owner(free, pointer, call)


def _system(function: Callable[..., int], *arguments: Any) -> Owner:
    return _made(function, phx_descriptor, lib.phx_descriptor_destroy, *arguments)


def _csr(matrix: Any) -> phx_csr:
    pointers, places = (np.ascontiguousarray(a, dtype=np.intc) for a in (matrix.indptr, matrix.indices))
    made = phx_csr(*matrix.shape, *(a.ctypes.data_as(ctypes.POINTER(ctypes.c_int)) for a in (pointers, places)),
                   doubles(matrix.data))
    made._owner = (pointers, places, matrix)
    return made


def _beams(item: Item) -> Owner:
    """The beams without the joint, linearised at rest, with one port for the two forces at each end."""
    inputs = ["first.C.fx", "first.C.fy", "second.P.fx", "second.P.fy"]
    matrices = item.model("two_beams.yaml").linearize(inputs, ["first.C.ax"], form="descriptor").matrices
    given = {name: _csr(getattr(matrices, name)) for name in "EJRQB"}
    ports = (phx_descriptor_port * 2)(phx_descriptor_port(FIRST, 2), phx_descriptor_port(SECOND, 2))
    made = phx_descriptor_def(name=b"beams", n=matrices.E.shape[0], n_ports=2, ports=ports,
                              **{name: ctypes.pointer(matrix) for name, matrix in given.items()})
    return _system(lib.phx_descriptor_create, ctypes.byref(made))


def _matrix(system: Owner, name: str) -> FloatArray:
    made: FloatArray = sparse_of(getattr(lib.phx_descriptor_definition(system.pointer), name).contents, system).toarray()
    return made


def joint(item: Item) -> None:
    theta = 40.0 * math.pi / 180.0  # y_2 = R(theta)^T y_1
    R = np.array([[math.cos(theta), -math.sin(theta)], [math.sin(theta), math.cos(theta)]])
    beams = _beams(item)
    transformer = _system(lib.phx_descriptor_transformer, beams.pointer, FIRST, SECOND, doubles(R))
    exchanged = _system(lib.phx_descriptor_exchange, beams.pointer, SECOND)
    gyrator = _system(lib.phx_descriptor_gyrator, exchanged.pointer, FIRST, SECOND, doubles(R))
    for name in "JE":
        a, b = _matrix(transformer, name), _matrix(gyrator, name)
        item.row(f"{name} by transformer and by gyrator: largest difference", "",
                 np.abs(a - b).max() / np.abs(a).max() if a.shape == b.shape else math.nan)
    J = _matrix(transformer, "J")
    item.row("J + Jᵀ of the interconnected system", "", np.abs(J + J.T).max() / np.abs(J).max(), zero(0.0))

    # pulsations of the system without its multipliers against those of the model with a revolute joint
    hinge = ("modes:", "joints:\n  hinge: {kind: revolute, ports: [first.C, second.P]}\n\nmodes:")
    wanted = item.model("two_beams.yaml", hinge).modes(6, shapes=False).omega[0]
    reduced = _made(lib.phx_ss_from_descriptor, phx_ss, lib.phx_ss_destroy, transformer.pointer)
    poles = StateSpace._of(reduced.pointer, reduced).poles
    found = np.abs(poles)[(poles.imag > 0) & (np.abs(poles) > 1.0)][:6]  # rad/s: what is below are the rigid motions
    item.row("multipliers eliminated, 6 pulsations: largest relative difference from a joint", "",
             np.abs(found / wanted - 1.0).max() if len(found) == 6 else math.nan, zero(1e-9))
