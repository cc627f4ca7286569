"""Values of parameters that make the best of an objective."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._binding import phx_optimum
from ._call import FloatArray, PathLike, path_of, text_of
from ._library import lib

__all__ = ["Optimum", "OptimumFunction"]

ENDS = ("objective", "variables", "evaluations", "stuck")


@dataclass(frozen=True)
class OptimumFunction:
    """The objective or a constraint at the optimum.

    Attributes
    ----------
    of, kind : str
        Its text; "minimize", "maximize", "min", "max" or "equals".
    limit, start, best : float
        The limit of a constraint (inf: none); the values at the start and at the optimum, of several cases that of the worst or
        the sum.
    active : bool
        A constraint that is at its limit.
    """

    of: str
    kind: str
    limit: float
    start: float
    best: float
    active: bool


@dataclass(frozen=True)
class Optimum:
    """The result of a search (``phlexor optimize``).

    Attributes
    ----------
    start, variables : dict of str to float
        Values of the variables at the start and at the optimum: ``model.set_parameters(optimum.variables)``.
    at : dict of str to int
        -1: at its min; 1: at its max; 0: between.
    objective : OptimumFunction
    constraints : tuple of OptimumFunction
    evaluations, failed, taken, best : int
        Points, those whose analysis failed, those of the history that was resumed; number of the best, from 1.
    feasible : bool
        The constraints hold within the tolerance.
    violation : float
        Largest violation of a constraint, relative to its limit.
    end : str
        Why the search ended: "objective" or "variables" change by less than the tolerance, "evaluations" are used,
        "stuck".
    history : array
        Of each evaluation the variables, the objective and the constraints; nan if the analysis failed.
    """

    start: Dict[str, float]
    variables: Dict[str, float]
    at: Dict[str, int]
    objective: OptimumFunction
    constraints: Tuple[OptimumFunction, ...]
    evaluations: int
    failed: int
    taken: int
    best: int
    feasible: bool
    violation: float
    end: str
    history: FloatArray = field(compare=False)


def find_optimum(call: Any, model: Any, history: Optional[PathLike], resume: bool, threads: int,
                 page: Optional[PathLike]) -> Optimum:
    """The optimum of a model in a call."""
    options, found = lib.phx_optimize_options_default(), phx_optimum()
    options.history_path, options.resume = None if history is None else path_of(history), resume
    options.threads = threads
    call.check(lib.phx_optimize(call.pointer, model, ctypes.byref(options), ctypes.byref(found)))
    try:
        if page is not None:
            call.check(lib.phx_optimum_page(call.pointer, model, ctypes.byref(found), path_of(page)))
        rows = found.rows[: found.n_rows]
        variables, others = rows[: found.n_variables], rows[found.n_variables :]
        functions = tuple(
            OptimumFunction(text_of(row.name), kind, row.min if kind == "min" else row.max, row.start, row.best,
                            row.at != 0)
            for row, kind in ((row, text_of(row.kind)) for row in others)
        )
        return Optimum(
            start={text_of(row.name): row.start for row in variables},
            variables={text_of(row.name): row.best for row in variables},
            at={text_of(row.name): row.at for row in variables},
            objective=functions[0],
            constraints=functions[1:],
            evaluations=found.evaluations,
            failed=found.failed,
            taken=found.taken,
            best=found.best,
            feasible=bool(found.feasible),
            violation=found.violation,
            end=ENDS[int(found.end)],
            history=np.array(found.history[: found.evaluations * found.n_rows]).reshape(-1, found.n_rows),
        )
    finally:
        lib.phx_optimum_free(ctypes.byref(found))
