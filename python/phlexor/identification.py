"""Parameters of a model from measurements."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._binding import phx_identification, phx_identified_state, phx_identify_end
from ._call import FloatArray, PathLike, path_of, text_of
from ._library import lib

__all__ = ["Identification", "IdentifiedParameter", "IdentifiedSeries"]

STATES = {
    phx_identified_state.PHX_IDENTIFIED: "determined",
    phx_identified_state.PHX_IDENTIFIED_AT_MIN: "at min",
    phx_identified_state.PHX_IDENTIFIED_AT_MAX: "at max",
    phx_identified_state.PHX_UNIDENTIFIED: "not determined",
}


@dataclass(frozen=True)
class IdentifiedParameter:
    """A parameter: start, value, standard error and 95 % interval (nan unless its state is "determined")."""

    name: str
    start: float
    value: float
    deviation: float
    low: float
    high: float
    state: str


@dataclass(frozen=True)
class IdentifiedSeries:
    """Residuals of measurements that share a deviation; those of the second data set are nan without one."""

    name: str
    count: int
    deviation: float
    estimated: bool
    mean: float
    rms: float
    correlation: float
    validated_mean: float
    validated_rms: float


@dataclass(frozen=True)
class Identification:
    """Parameters from measurements (``phlexor identify``).

    Attributes
    ----------
    parameters : tuple of IdentifiedParameter
    correlation : array
        Of the estimates, parameters x parameters.
    undetermined : tuple of str
        Combinations of parameters that the data do not determine, as "k1 - 2*k2".
    series : tuple of IdentifiedSeries
    index, at, measured, model, band : array
        Of each measurement: its series; s, number of the mode or rad/s; value, fitted value, half width of its 95 % band.
    cost, variance : float
        Sum of the weighted squares, and that over the degrees of freedom.
    freedom, iterations : int
    converged : bool
    """

    parameters: Tuple[IdentifiedParameter, ...]
    correlation: FloatArray
    undetermined: Tuple[str, ...]
    series: Tuple[IdentifiedSeries, ...]
    index: Any
    at: FloatArray
    measured: FloatArray
    model: FloatArray
    band: FloatArray
    cost: float
    variance: float
    freedom: int
    iterations: int
    converged: bool

    @property
    def values(self) -> Dict[str, float]:
        """Values by name, for :meth:`Model.set_parameters`."""
        return {parameter.name: parameter.value for parameter in self.parameters}


def _identification_of(found: Any) -> Identification:
    m, rows = found.n_parameters, found.rows[: found.n_rows]
    return Identification(
        parameters=tuple(
            IdentifiedParameter(text_of(p.name), p.start, p.value, p.deviation, p.low, p.high, STATES[p.state])
            for p in found.parameters[:m]
        ),
        correlation=np.array(found.correlation[: m * m], dtype=float).reshape(m, m),
        undetermined=tuple(text_of(text) for text in found.undetermined[: found.n_undetermined]),
        series=tuple(
            IdentifiedSeries(text_of(s.name), s.count, s.deviation, bool(s.estimated), s.mean, s.rms, s.correlation,
                             s.validated_mean if s.validated else np.nan, s.validated_rms if s.validated else np.nan)
            for s in found.series[: found.n_series]
        ),
        index=np.array([row.series for row in rows], dtype=int),
        at=np.array([row.at for row in rows]),
        measured=np.array([row.measured for row in rows]),
        model=np.array([row.model for row in rows]),
        band=np.array([row.band for row in rows]),
        cost=found.cost, variance=found.variance, freedom=found.freedom, iterations=found.iterations,
        converged=found.end < phx_identify_end.PHX_IDENTIFY_REFUSED,
    )


def identify(call: Any, model: Any, data: Optional[PathLike], validate: Optional[PathLike], iterations: int,
             page: Optional[PathLike]) -> Identification:
    """The identification of a model in a call."""
    options, found = lib.phx_identify_options_default(), phx_identification()
    options.data, options.validate, options.iterations = path_of(data), path_of(validate), iterations
    call.check(lib.phx_identify(call.pointer, model, ctypes.byref(options), ctypes.byref(found)))
    try:
        if page is not None:
            call.check(lib.phx_identification_page(call.pointer, model, ctypes.byref(found), path_of(page)))
        return _identification_of(found)
    finally:
        lib.phx_identification_free(ctypes.byref(found))
