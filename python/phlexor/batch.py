"""Simulations at every point of a sweep."""

from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Sequence, Tuple, Union, overload

import numpy as np
from numpy.typing import NDArray

from ._call import FloatArray
from ._check import checked
from .result import Result

__all__ = ["Batch"]


@checked
class Batch(Sequence[Optional[Result]]):
    """The results of a batch, one for each point of the sweep; None where a point failed.

    Attributes
    ----------
    parameters : tuple of str
    points : ndarray, shape (points, parameters)
        Values of the parameters; the last one varies fastest.
    results : list of Result or None
    messages : dict
        Why a point failed, by its number from 0.
    """

    def __init__(self, parameters: Tuple[str, ...], points: FloatArray) -> None:
        self.parameters, self.points = parameters, points
        self.results: List[Optional[Result]] = []
        self.messages: Dict[int, str] = {}

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, point: int) -> Optional[Result]: ...

    @overload
    def __getitem__(self, point: slice) -> Sequence[Optional[Result]]: ...

    def __getitem__(self, point: Union[int, slice]) -> Union[Optional[Result], Sequence[Optional[Result]]]:
        return self.results[point]

    def __iter__(self) -> Iterator[Optional[Result]]:
        return iter(self.results)

    def __repr__(self) -> str:
        return f"<Batch over {', '.join(self.parameters)}: {len(self)} points, {len(self.messages)} failed>"

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Which points came to their end."""
        return np.array([result is not None for result in self.results], dtype=bool)

    def parameter(self, name: str) -> FloatArray:
        """The values of a parameter at the points."""
        values: FloatArray = self.points[:, self.parameters.index(name)]
        return values

    def summary(self, column: str) -> FloatArray:
        """First, last, least and largest value of a column at every point, NaN where it failed.

        Returns
        -------
        ndarray, shape (points, 4)
        """
        table = np.full((len(self), 4), np.nan)
        for row, result in zip(table, self.results):
            if result is not None:
                values = result[column]
                row[:] = values[0], values[-1], values.min(), values.max()
        return table
