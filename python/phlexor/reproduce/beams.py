"""Tables 1 and 3-11 of [2]: pulsations of a beam under all boundary conditions, by channel inversion and by joints; its
mode shapes, figure 9."""

from __future__ import annotations

import math
from typing import List, Sequence, Tuple

import numpy as np

from .._call import FloatArray
from ..linear import StateSpace
from ..model import Model
from .page import Item, Standard, near, numbers_of, zero

WANTED = 4
LOWEST, AXIAL = 1.0, 1000.0  # pulsations of bending lie between them
#: The channels 1-4 of the paper's model of bending.
CHANNELS = ("beam.C.fy", "beam.C.tz", "beam.P.ay", "beam.P.alpha")
ALL_CHANNELS = ("beam.C.fx", "beam.C.fy", "beam.C.tz", "beam.P.ax", "beam.P.ay", "beam.P.alpha")

# ---- beam theory: omega = (beta l)^2, beta l the positive roots of these functions, near (k + shift) pi ----
FREE_FREE = (lambda x: math.cos(x) - 1 / math.cosh(x), 0.5)
PINNED_FREE = (lambda x: math.sin(x) - math.cos(x) * math.tanh(x), 0.25)
PINNED_PINNED = (math.sin, 0.0)
SLIDING_FREE = (lambda x: math.sin(x) + math.cos(x) * math.tanh(x), -0.25)
SLIDING_PINNED = (math.cos, -0.5)
CLAMPED_FREE = (lambda x: math.cos(x) + 1 / math.cosh(x), -0.5)

WELD, HINGE, GUIDE = "kind: weld", "kind: revolute", "kind: prismatic, axis: [0, 1]"
#: By table: theory and what joins the ends P and C to the ground.
CONDITIONS = {
    3: (FREE_FREE, "", ""), 4: (FREE_FREE, WELD, WELD), 5: (PINNED_FREE, HINGE, ""), 6: (PINNED_FREE, HINGE, WELD),
    7: (PINNED_PINNED, HINGE, HINGE), 8: (SLIDING_FREE, GUIDE, ""), 9: (SLIDING_FREE, GUIDE, WELD),
    10: (SLIDING_PINNED, GUIDE, HINGE), 11: (PINNED_PINNED, GUIDE, GUIDE),
}


def theory(ends: Tuple[object, float], k: int) -> float:
    """Pulsation number k, from 1, by bisection."""
    function, shift = ends
    assert callable(function)
    low = (k + shift) * math.pi - 0.4
    high = low + 0.8
    for _ in range(100):
        middle = 0.5 * (low + high)
        if (function(low) > 0) == (function(middle) > 0):
            low = middle
        else:
            high = middle
    return low * low


# ---- Tables 3-11 ----
def by_inversion(model: Model, inverted: Sequence[str]) -> FloatArray:
    """The lowest pulsations of bending of the block with channels inverted; NaN where there are no more."""
    poles = model.titop("beam", ports=["C"], inverted=inverted or None).poles
    return _first(np.abs(poles)[(poles.imag > 0) & (np.abs(poles) > LOWEST)])


def by_joints(item: Item, at_p: str, at_c: str) -> FloatArray:
    """The same of the beam with joints to the ground."""
    joints = [f"\n  P: {{{at_p}, ports: [ground.O, beam.P]}}"] * bool(at_p) \
        + [f"\n  C: {{{at_c}, ports: [ground.E, beam.C]}}"] * bool(at_c)
    edit = ("modes:", f"joints:{''.join(joints)}\n\nmodes:") if joints else None
    omega = item.model("beam.yaml", edit).modes(2 * WANTED, shapes=False).omega[0]
    return np.sort(_first(omega[(omega > LOWEST) & (omega < AXIAL)]))


def _first(omega: FloatArray) -> FloatArray:
    return np.append(omega[:WANTED], np.full(max(WANTED - len(omega), 0), np.nan))


def table(item: Item) -> None:
    number = int(item.entry.name.rpartition("-")[2])
    ends, at_p, at_c = CONDITIONS[number]
    numbers = numbers_of("titop_tables.csv")
    known = {name: column[numbers["table"] == number][0] for name, column in numbers.items()}
    # digits: 124 inverts the channels 1, 2 and 4
    inverted = by_inversion(item.model("beam.yaml"), [CHANNELS[int(c) - 1] for c in f"{known['channels']:.0f}"[::-1]])
    jointed = by_joints(item, at_p, at_c)
    exact = [theory(ends, 1), theory(ends, 2)]
    published = [k for k in range(WANTED) if known[f"w{k + 1}"] > 0]

    for k in range(2):
        item.row(f"beam theory, ω{k + 1}", "", exact[k], near(known[f"ref{k + 1}"], 1e-12))
    for k in published:
        item.row(f"ω{k + 1}", "", inverted[k], near(known[f"w{k + 1}"], 1e-8))
    for k in range(2):
        w, reference = known[f"w{k + 1}"], known[f"ref{k + 1}"]
        item.row(f"Δω{k + 1}", "%", 100.0 * abs(inverted[k] - exact[k]) / exact[k],
                 Standard(100.0 * abs(w - reference) / reference, 2e-6))
    for k in published:
        item.row(f"with joints, ω{k + 1}", "", jointed[k], near(known[f"w{k + 1}"], 1e-8))


# ---- Table 1 ----
def _pair(item: Item, model: Model, name: str, direct: Sequence[float], inverse: Sequence[float], rtol: float) -> None:
    """Two rows of the block and two of its inverse, against values that are known otherwise."""
    for side, known, channels, tolerance in (("", direct, (), 1e-9), (" inverted", inverse, ALL_CHANNELS, rtol)):
        omega = by_inversion(model, channels)
        for k in range(2):
            item.row(f"{name}{side}, ω{k + 1}", "", omega[k], near(known[k], tolerance))


def table_1(item: Item) -> None:
    polynomials, known = (3.5160206804337997, 22.157831407517822), (3.5160152685, 22.0344915647)
    exact = [theory(CLAMPED_FREE, 1), theory(CLAMPED_FREE, 2)]
    for k in range(2):
        item.row(f"beam theory, ω{k + 1}", "", exact[k], near(known[k], 1e-10))
    _pair(item, item.model("beam.yaml"), "polynomials", polynomials, polynomials, 1e-8)
    for modes, inverse in ((4, (4.3895304, 28.019438)), (8, (3.9078325, 24.595080)), (16, (3.7025969, 23.227501))):
        model = item.model("beam_assumed.yaml", parameters={"n": modes})
        _pair(item, model, f"{modes} assumed modes", exact, inverse, 3e-8)


# ---- figure 9 ----
ALONG = np.linspace(0.0, 1.0, 41)


def quintic(x: FloatArray, length: float = 1.0) -> FloatArray:
    """(15), of the coordinates (14): w''(0), w(l), w'(l), w''(l); x over the length."""
    x2, x3, x4, x5 = x**2, x**3, x**4, x**5
    return np.array([length**2 * (0.5 * x2 - 1.5 * x3 + 1.5 * x4 - 0.5 * x5), 10.0 * x3 - 15.0 * x4 + 6.0 * x5,
                     length * (-4.0 * x3 + 7.0 * x4 - 3.0 * x5), length**2 * (0.5 * x3 - x4 + 0.5 * x5)])


def _by_vectors(block: StateSpace) -> List[FloatArray]:
    """``psi = -[1 x phi^T] [C_v; C_alpha; A([5:8], :)] v/omega^2``, (22), of the lowest two eigenvectors v, scaled to 1
    at P. The states are ux, then those of (14), then their rates."""
    half = len(block.states) // 2
    rows = np.vstack([block.C[block.outputs.index(name)] for name in CHANNELS[2:]] + [block.A[half + 1:half + 5]])
    values, vectors = np.linalg.eig(block.A)
    lowest = [k for k in np.argsort(values.imag) if values[k].imag > 0][:2]
    shapes = []
    for k in lowest:
        motion = rows @ vectors[:, k]
        along = motion[0] + ALONG * motion[1] + motion[2:] @ quintic(ALONG)
        shapes.append((along / motion[0]).real)
    return shapes


def _exact_shape(beta: float) -> FloatArray:
    """(13) seen from the free end, scaled to 1 there; beta l: 1.8751, 4.6941."""
    ratio = (math.cos(beta) + math.cosh(beta)) / (math.sin(beta) + math.sinh(beta))
    x = beta * (1.0 - ALONG)
    phi: FloatArray = np.cos(x) - np.cosh(x) - ratio * (np.sin(x) - np.sinh(x))
    phi /= phi[0]
    return phi


def shapes(item: Item) -> None:
    betas, known = (1.8751040687119611664, 4.6940911329741745764), (3.5160206804337997, 22.157831407517822)
    block = item.model("beam.yaml").titop("beam", ports=["C"], inverted=CHANNELS).system
    welded = item.model("beam.yaml", ("modes:", f"joints:\n  C: {{{WELD}, ports: [ground.E, beam.C]}}\n\nmodes:"))
    modes = welded.modes(2)
    for mode, psi in enumerate(_by_vectors(block)):
        number, shape, phi = mode + 1, modes.shape(mode + 1), _exact_shape(betas[mode])
        jointed = shape[1] + ALONG * shape[2] + shape[4:] @ quintic(ALONG)
        item.row(f"ω{number}", "", modes.omega[0, mode], near(known[mode], 1e-8))
        item.row(f"ψ{number} by (22) and with a weld at C: largest difference", "",
                 np.abs(psi - jointed / jointed[0]).max(), zero(1e-9))
        item.row(f"largest |φ{number} − ψ{number}|", "", np.abs(phi - psi).max())
        figure = item.figure(f"Mode {number} of the free-clamped beam", "x / l", "deflection over that of the free end",
                             "free at x = 0, clamped at x = l. The paper prints no numbers.")
        figure.line("ψ, quintic block inverted", ALONG, psi)
        figure.line("φ, beam theory", ALONG, phi, points=True)
        figure.line("φ − ψ", ALONG, phi - psi)
