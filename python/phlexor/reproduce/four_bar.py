"""The four-bar mechanism: from TITOP blocks (section 4 of [2]), from finite elements with joints (section 6.1 of [1]), its
mode shapes, and the matrices of the blocks."""

from __future__ import annotations

import math
from typing import Dict, List, Optional, Tuple

import numpy as np

from .._call import FloatArray
from ..linear import StateSpace
from ..model import Number
from .beams import ALONG, quintic
from .page import Item, near, numbers_of, zero

POINTS, MODES, DRAWN, EVERY = 73, 6, 3, 3
LINKS = ("crank", "coupler", "follower")
LENGTHS, BASE = (0.108, 0.2794, 0.2705), 0.254  # m


# ---- pulsations over the turn of the crank: arrays of points and modes ----
def by_joints(item: Item, file: str, elements: int = 0) -> FloatArray:
    """Of a model with so many elements a link; 0: the model has no such parameter."""
    parameters: Optional[Dict[str, Number]] = {"n": elements} if elements else None
    return item.model(file, parameters=parameters).modes(MODES, sweep="model", shapes=False).omega


def close_loop(theta: float) -> Tuple[float, float, float]:
    """Angles of the links, open branch: C lies above the ground."""
    x, y = LENGTHS[0] * math.cos(theta), LENGTHS[0] * math.sin(theta)
    dx, dy = BASE - x, -y
    d = math.hypot(dx, dy)
    along = (LENGTHS[1]**2 - LENGTHS[2]**2 + d * d) / (2.0 * d)
    across = math.sqrt(LENGTHS[1]**2 - along**2)
    cx, cy = x + (along * dx - across * dy) / d, y + (along * dy + across * dx) / d
    return theta, math.atan2(cy - y, cx - x), math.atan2(-cy, BASE - cx)


def _joint(a: str, b: str, turn: float) -> List[Tuple[str, str, float]]:
    """C of link a with P of link b, turned by `turn`: ``a_P = R^T a_C, F_C = R F_P`` ([2] (25); the mass is in the block
    of the next link)."""
    R = ((math.cos(turn), -math.sin(turn)), (math.sin(turn), math.cos(turn)))
    links = []
    for i, row in enumerate("xy"):
        for j, column in enumerate("xy"):
            links.append((f"{b}.P.a{row}", f"{a}.C.a{column}", R[j][i]))
            links.append((f"{a}.C.f{row}", f"{b}.P.f{column}", R[i][j]))
    return links


def by_blocks(item: Item) -> Tuple[FloatArray, FloatArray]:
    """With the crank free, from the torque on it to its acceleration, and clamped, by the inverse. Links are hinged at P,
    the follower is pinned at C too. Sizes and masses are those of the model."""
    model = item.model("four_bar_quintic.yaml")
    blocks = []
    for link in LINKS:
        pinned = ["follower.C.fx", "follower.C.fy"] if link == "follower" else []
        blocks.append(model.titop(link, ports=["C"], inverted=[f"{link}.P.alpha", *pinned]).system)
    free, clamped = np.empty((POINTS, MODES)), np.empty((POINTS, MODES))
    for point in range(POINTS):
        angles = close_loop(2.0 * math.pi * point / (POINTS - 1))
        joints = [joint for k in range(2) for joint in _joint(LINKS[k], LINKS[k + 1], angles[k + 1] - angles[k])]
        mechanism = StateSpace.connect(blocks, joints, ["crank.P.tz"], ["crank.P.alpha"])
        free[point] = np.abs(mechanism.poles)[:2 * MODES:2]
        clamped[point] = np.abs(mechanism.inverted(["crank.P.alpha"]).poles)[:2 * MODES:2]
    return free, clamped


def _reference(file: str) -> FloatArray:
    numbers = numbers_of(file)
    return np.column_stack([numbers[f"w{k + 1}"] for k in range(MODES)])


def _farthest(a: FloatArray, b: FloatArray, modes: int = MODES) -> float:
    """Largest relative difference of the first modes over the turn."""
    return float(np.abs(a / b - 1.0)[:, :modes].max())


def _first(item: Item, before: str, omega: FloatArray, reference: FloatArray, rtol: float) -> None:
    for k in range(DRAWN):
        item.row(f"{before}ω{k + 1} at θ₁ = 0°", "rad/s", omega[0, k], near(reference[0, k], rtol))


def _draw(item: Item, title: str, omega: FloatArray, reference: FloatArray) -> None:
    figure = item.figure(title, "crank angle θ₁ (degrees)", "pulsation (rad/s)", "lines: Phlexor; crosses: continuous "
                         "links, by an independent program. The paper prints no numbers.")
    degrees = 5.0 * np.arange(POINTS)
    for k in range(DRAWN):
        figure.line(f"ω{k + 1}", degrees, omega[:, k])
    for k in range(DRAWN):
        figure.line(None if k else "continuous links", degrees[::EVERY], reference[::EVERY, k], points=True)


def titop(item: Item) -> None:
    free, clamped = by_blocks(item)
    jointed = by_joints(item, "four_bar_quintic.yaml")
    known, known_free, exact = map(_reference, ("fourbar_titop_clamped.csv", "fourbar_titop_free.csv",
                                                "fourbar_exact_clamped.csv"))
    _first(item, "clamped, ", clamped, known, 1e-9)
    _first(item, "free, ", free, known_free, 1e-9)
    difference = "6 modes at 73 angles, largest relative difference"
    item.row(f"clamped, {difference}", "", _farthest(clamped, known), zero(1e-9))
    item.row(f"free, {difference}", "", _farthest(free, known_free), zero(1e-9))
    item.row("clamped, with joints instead of blocks, the same", "", _farthest(jointed, known), zero(1e-9))
    item.row("clamped, 3 modes at 73 angles, largest relative distance from continuous links", "",
             _farthest(clamped, exact, DRAWN))
    _draw(item, "Pulsations with the crank clamped, links of one quintic element", clamped, exact)


def four_bar(item: Item) -> None:
    coarse, free = by_joints(item, "four_bar.yaml", 4), by_joints(item, "four_bar_free.yaml", 4)
    fine, (_, blocks) = by_joints(item, "four_bar.yaml", 16), by_blocks(item)
    known, known_free, exact = map(_reference, ("fourbar_n4_clamped.csv", "fourbar_n4_free.csv",
                                                "fourbar_exact_clamped.csv"))
    _first(item, "", coarse, known, 1e-7)
    item.row("crank clamped, 6 modes at 73 angles, largest relative difference", "", _farthest(coarse, known),
             zero(1e-7))
    item.row("crank free, the same", "", _farthest(free, known_free), zero(1e-7))
    _first(item, "16 elements, ", fine, exact, 2e-6)
    item.row("16 elements, ω3 at θ₁ = 45°", "rad/s", fine[9, 2], near(exact[9, 2], 2e-6))
    item.row("3 modes at 73 angles, largest relative distance from the model of [2]", "",
             _farthest(coarse, blocks, DRAWN))
    _draw(item, "Pulsations with the crank clamped, 4 elements a link", coarse, exact)


# ---- figures 14 and 15 ----
def _trace(shape: FloatArray, angles: Tuple[float, float, float]) -> Tuple[FloatArray, FloatArray]:
    """Places along the links and their motion in a mode, R (dr + dphi x p + phi dq), both 3 x 2 x points."""
    places, motions, start = [], [], np.zeros((2, 1))
    for k, angle in enumerate(angles):
        rx, ry, turn, axial, *bending = shape[8 * k:8 * k + 8]
        x, R = LENGTHS[k] * ALONG, np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        places.append(start + R[:, :1] * x)
        motions.append(R @ np.array([rx + axial * ALONG, ry + turn * x + bending @ quintic(ALONG, LENGTHS[k])]))
        start = places[-1][:, -1:]
    return np.array(places), np.array(motions)


def shapes(item: Item) -> None:
    known = _reference("fourbar_titop_clamped.csv")
    for degrees in (0, 180):
        theta = degrees * math.pi / 180.0
        modes = item.model("four_bar_quintic.yaml", parameters={"theta1": theta}).modes(DRAWN)
        figure = item.figure(f"First three modes at θ₁ = {degrees}°", "x (m)", "y (m)",
                             "largest motion drawn as 0.04 m. The paper prints no numbers.", equal=True)
        for mode in range(DRAWN):
            places, motions = _trace(modes.shape(mode + 1), close_loop(theta))
            largest = np.hypot(*motions.swapaxes(0, 1)).max()
            # how far the shape opens the joints B and C and moves D
            gaps = [motions[2, :, -1], *(motions[k + 1, :, 0] - motions[k, :, -1] for k in range(2))]
            item.row(f"ω{mode + 1} at {degrees}°", "rad/s", modes.omega[0, mode],
                     near(known[degrees // 5, mode], 1e-9))
            item.row(f"joints opened by mode {mode + 1} at {degrees}°, of its largest motion", "",
                     max(np.hypot(*gap) for gap in gaps) / largest, zero(1e-11))
            drawn = places + 0.04 / largest * motions
            for label, points in ([("at rest", places)] if mode == 0 else []) + [(f"mode {mode + 1}", drawn)]:
                figure.line(label, points[:, 0].ravel(), points[:, 1].ravel())


# ---- the matrices of the quintic beam, of the crank: (16), (17), (23) of [2] ----
AREA, DENSITY, YOUNG, BENDING = 1.0774e-4, 2714.0, 7.1e10, 11.472  # SI
#: (16): entries of v_P, alpha_P | q over rho S l/55440, powers of l beside them; the upper triangle.
MASS = ((55440, 27720, 462, 27720, -5544, 462), (0, 18480, 198, 19800, -3432, 264), (0, 0, 6, 181, -52, 5),
        (0, 0, 0, 21720, -3732, 281), (0, 0, 0, 0, 832, -69), (0, 0, 0, 0, 0, 6))
#: (17): K over EI/(70 l^3)
STIFFNESS = ((6, -30, 8, 1), (0, 1200, -600, 30), (0, 0, 384, -22), (0, 0, 0, 6))
#: Powers of l that v_P, alpha_P and the coordinates (14) bring along.
POWERS = np.array([0, 1, 2, 0, 1, 2])


def _worst(found: FloatArray, printed: FloatArray) -> float:
    """Largest relative difference of entries, absolute where zero is printed."""
    return float(np.where(printed, np.abs(found / np.where(printed, printed, 1.0) - 1.0), np.abs(found)).max())


def _upper(printed: Tuple[Tuple[int, ...], ...], powers: FloatArray) -> FloatArray:
    length = LENGTHS[0]
    return np.triu(np.array(printed, dtype=np.float64) * np.power(length, powers[:, None] + powers, dtype=np.float64))


def matrices(item: Item) -> None:
    """Coordinates of the crank: place, angle, then ux(l) and those of (14). Forces at C act on them by [tau Phi]^T."""
    loads = "loads:\n  force: {at: crank.C, force: [1, 1]}\n  torque: {at: crank.C, torque: 1}\n\nmodes:"
    items = item.model("four_bar_quintic.yaml", ("modes:", loads)).matrices()
    M, K, F = (items[name].toarray() for name in ("crank_M", "crank_K_ff", "F"))
    length = LENGTHS[0]
    bending = [1, 2, 4, 5, 6, 7]
    item.row("(16), 21 entries of the mass matrix", "",
             _worst(np.triu(M[np.ix_(bending, bending)]), DENSITY * AREA * length / 55440.0 * _upper(MASS, POWERS)))
    item.row("(17), 10 entries of the stiffness", "",
             _worst(np.triu(K[1:, 1:]), BENDING / (70.0 * length**3) * _upper(STIFFNESS, POWERS[2:])))
    tau, moved = np.eye(3), np.zeros((3, 5))
    tau[1, 2] = length
    moved[[0, 1, 2], [0, 2, 3]] = 1.0  # coordinates that C moves with
    item.row("(17), τ and Φ(l)", "", _worst(F[:8].T, np.hstack([tau, moved])))

    # (23) from the axial coordinate: m q'' + k q = F_C - L a_P,  a_C = a_P + q'',  F_P = -D a_P - L q''. Rows: q'',
    # a_C, F_P; columns: q, F_C, a_P.
    m, k, L, D, whole = M[3, 3], K[0, 0], M[3, 0], M[0, 0], DENSITY * AREA * length
    found = np.array([[-k / m, 1.0 / m, -L / m], [-k / m, 1.0 / m, 1.0 - L / m], [L * k / m, 1.0 - L / m, L * L / m - D]])
    stiff = -3.0 * YOUNG / (DENSITY * length**2)
    printed = np.array([[stiff, 3.0 / whole, -1.5], [stiff, 3.0 / whole, -0.5],
                        [1.5 * YOUNG * AREA / length, -0.5, -0.25 * whole]])
    item.row("(23), 9 entries of the traction", "", _worst(found, printed))
