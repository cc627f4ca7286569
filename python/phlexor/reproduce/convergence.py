"""Convergence of a simply supported beam (response to reviewers, comment 6): L = rho A = EI = 1, w = 0 at both ends.

    A: v = cos(pi^2 t) sin(pi x), w = sin(pi^2 t) sin(pi x)/pi^2, no load
    B: w = sin(t) sin(pi x), load (pi^4 - 1) sin(t) sin(pi x)

Start: nodal interpolant of v, w = m = 0. M q'' + K q = f sin(t) is solved exactly, mode by mode; the errors are the
largest over t = 0.01 ... 1.00, in H2 of v and w, in L2 of m.
"""

from __future__ import annotations

from typing import Dict, Tuple

import numpy as np

from .._call import FloatArray
from ..model import Model
from .page import Item, Standard, numbers_of, zero

MESHES = (2, 4, 8, 16, 32)
#: Norms and their columns in the table of the independent program.
NORMS = {"v in H²": "v_H2_max", "w in H²": "w_H2_max", "m in L²": "m_L2_max"}
MODEL = """phlexor: 1
dimension: 2
materials: {{unit: {{density: 1, young: 1}}}}
bodies:
  beam: {{kind: beam, material: unit, length: 1, section: {{kind: general, area: 1, inertia: 1}}, elements: {elements},
         reference: simply_supported}}
"""


def _quadrature(elements: int) -> Tuple[FloatArray, FloatArray, FloatArray]:
    """Gauss points of all elements, element after element: place within the element, place on the beam, weight."""
    point, weight = np.polynomial.legendre.leggauss(10)  # type: ignore[no-untyped-call]
    s = np.tile(0.5 * (1.0 + point), elements)
    return s, (np.repeat(np.arange(elements), len(point)) + s) / elements, np.tile(0.5 * weight / elements, elements)


def _rows(s: FloatArray, elements: int, stress: FloatArray) -> FloatArray:
    """w, w' and m of the coordinates at the points, points x 3 x n. Coordinates: ux of the nodes but the first, then (uy,
    uy') node by node, without uy at the ends. Stress state: normal forces, then the moments at the ends of elements."""
    h, element = 1.0 / elements, np.arange(len(s)) * elements // len(s)
    w = np.array([1 - 3 * s**2 + 2 * s**3, h * (s - 2 * s**2 + s**3), 3 * s**2 - 2 * s**3, h * (s**3 - s**2)])
    slope = np.array([6 * (s**2 - s) / h, 1 - 4 * s + 3 * s**2, 6 * (s - s**2) / h, 3 * s**2 - 2 * s])
    nodal = np.zeros((len(s), 2, 2 * elements + 2))
    for k in range(4):
        nodal[np.arange(len(s)), :, 2 * element + k] = np.array([w[k], slope[k]]).T
    rows = np.zeros((len(s), 3, stress.shape[1]))
    rows[:, :2, elements:] = np.delete(nodal, [0, 2 * elements], axis=2)
    left = elements + 2 * element
    rows[:, 2] = (1.0 - s)[:, None] * stress[left] + s[:, None] * stress[left + 1]
    return rows


def _errors(elements: int) -> FloatArray:
    """Largest errors of the problems A and B in the norms."""
    matrices = Model.from_text(MODEL.format(elements=elements)).matrices()
    M, root, stress = (matrices[f"beam_{name}"].toarray() for name in ("M_ff", "root", "stress"))
    # modes of K = B^T B by the singular values of B L^-T, M = L L^T
    back = np.linalg.inv(np.linalg.cholesky(M)).T
    _, omega, right = np.linalg.svd(root @ back)
    modes = back @ right.T

    s, x, weight = _quadrature(elements)
    rows = _rows(s, elements, stress) @ modes
    nodes = np.arange(elements + 1) / elements
    nodal = np.column_stack([np.sin(np.pi * nodes), np.pi * np.cos(np.pi * nodes)]).ravel()
    start = modes.T @ M @ np.append(np.zeros(elements), np.delete(nodal, [0, 2 * elements]))
    load = ((np.pi**4 - 1.0) * weight * np.sin(np.pi * x)) @ rows[:, 0]

    t = np.arange(1, 101)[:, None] / 100.0
    exact = np.array([np.sin(np.pi * x), np.pi * np.cos(np.pi * x), -np.pi**2 * np.sin(np.pi * x)]).T
    found = []
    for a, square in ((0.0 * omega, np.pi**2), (load / (omega**2 - 1.0), 1.0)):
        # eta'' + omega^2 eta = load sin(t), eta(0) = 0, eta'(0) = start; the exact amplitude is sin(square t)/square
        w = a * (np.sin(t) - np.sin(omega * t) / omega) + start * np.sin(omega * t) / omega
        v = a * (np.cos(t) - np.cos(omega * t)) + start * np.cos(omega * t)
        of_w = np.einsum("pfk,tk->tpf", rows, w) - (np.sin(square * t) / square)[:, :, None] * exact
        of_v = np.einsum("pfk,tk->tpf", rows, v) - np.cos(square * t)[:, :, None] * exact
        sums = [np.einsum("p,tpf->t", weight, error**2) for error in (of_v, of_w, of_w[:, :, 2:])]
        found.append(np.sqrt(np.max(sums, axis=1)))
    return np.array(found)


def convergence(item: Item) -> None:
    numbers: Dict[str, FloatArray] = numbers_of("beam_convergence.csv")
    errors = np.array([_errors(elements) for elements in MESHES])
    h = 1.0 / np.array(MESHES)
    for problem, letter in enumerate("AB"):
        figure = item.figure(f"Convergence, problem {letter}", "length of an element over that of the beam",
                             "largest error", "lines: Phlexor; crosses: an independent program", logarithmic=True,
                             x_logarithmic=True)
        for norm, (name, column) in enumerate(NORMS.items()):
            # the table has two elements of six rows each for a problem: the first five are these meshes
            known, y = numbers[column][12 * problem:12 * problem + len(MESHES)], errors[:, problem, norm]
            item.row(f"{letter}, order of {name}", "", np.log2(y[-2] / y[-1]),
                     Standard(float(np.log2(known[-2] / known[-1])), 1e-5))
            item.row(f"{letter}, error of {name}, 2 to 32 elements: largest relative difference", "",
                     np.abs(y / known - 1.0).max(), zero(1e-6))
            figure.line(name, h, y)
            figure.line(None, h, known, points=True)
