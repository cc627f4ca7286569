"""Cycles of a stress history and the damage that they do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._call import FloatArray
from ._check import checked

__all__ = ["damage", "rainflow"]


@checked
def rainflow(history: Any) -> FloatArray:
    """Count the cycles of a history by rainflow (ASTM E1049-85, 5.4.4).

    Parameters
    ----------
    history : array_like, shape (n,)
        Values in the order of time, such as a column of a result.

    Returns
    -------
    ndarray, shape (cycles, 3)
        Range, mean and count of each, which is 1 or, of a half cycle, 0.5.

    Raises
    ------
    ValueError
        The history is not one-dimensional, or a value is not finite.
    """
    values = np.asarray(history, float)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError(f"history: expected finite values in one dimension, found shape {values.shape}"
                         f"{' with values that are not finite' if values.ndim == 1 else ''}")
    values = values[np.concatenate([[True], np.diff(values) != 0])] if values.size else values
    turns = np.diff(values[:-1]) * np.diff(values[1:]) < 0 if values.size > 2 else np.zeros(0, bool)
    keep = np.concatenate([[True], turns, [True]]) if values.size > 1 else np.ones(values.size, bool)
    cycles, open_points = [], []
    for value in values[keep]:
        open_points.append(float(value))
        while len(open_points) > 2:
            a, b, c = open_points[-3:]
            if abs(c - b) < abs(b - a):
                break
            starts = len(open_points) == 3  # the range has the start of the history: half a cycle
            cycles.append((abs(b - a), 0.5 * (a + b), 0.5 if starts else 1.0))
            open_points[-3:] = [b, c] if starts else [c]
    cycles += [(abs(b - a), 0.5 * (a + b), 0.5) for a, b in zip(open_points, open_points[1:])]
    return np.array(cycles, float).reshape(-1, 3)


@checked
def damage(cycles: Any, stress: float, life: float, slope: float) -> float:
    """Damage of cycles by a Woehler line without endurance limit, added up by Palmgren and Miner.

    A cycle of the range s does the damage ``(s / (2 stress))^slope / life``; their mean is not regarded.

    Parameters
    ----------
    cycles : array_like, shape (n, 3)
        Of :func:`rainflow`.
    stress : float
        Amplitude of stress at the knee of the line, in the unit of the history.
    life : float
        Cycles to failure there.
    slope : float
        Exponent of the line.
    """
    if not all(np.isfinite(value) and value > 0 for value in (stress, life, slope)):
        raise ValueError(f"stress, life, slope: expected positive numbers, found {stress}, {life}, {slope}")
    table = np.asarray(cycles, float).reshape(-1, 3)
    return float((table[:, 2] * (table[:, 0] / (2 * stress)) ** slope).sum() / life)
