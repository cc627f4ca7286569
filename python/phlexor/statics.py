"""An equilibrium at rest: what it is, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Tuple

from ._binding import phx_study_static_report
from ._call import text_of
from .result import Result

__all__ = ["Equilibrium"]

_METHODS = ("newton", "descent", "load steps")


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium of a model at rest (``phlexor static``).

    Attributes
    ----------
    result : Result
        In memory: a row for the equilibrium, or for each step of the loads or point of a path, with the columns of a
        simulation and `static.load` (the factor), `static.unbalanced` (parts of the weight), `static.unstable`
        (as below).
    method : str
        "newton" (near the start), "descent" (down in energy) or "load steps".
    iterations : int
        Corrections made.
    load, largest_load : float
        Load factors: of the last row, of all rows.
    weight : float
        What gravity, loads and springs pull, N.
    unbalanced : float
        The largest generalised force out of balance, N.
    gap : float
        Of the joints, m (angles times 1 m).
    moved : float
        From the start: rad, parts of the size.
    unstable : int
        0: stable. Directions in which the tangent stiffness is negative; where the stiffness does not tell (loads
        without a potential, controllers with states) the motions that grow: `divergent` and `fluttering`.
    judged : int
        Motions about the equilibrium that were looked at for that; 0: the stiffness has told.
    divergent, fluttering : int
        Motions that grow to one side, and that oscillate while they grow.
    growth, growth_frequency : float
        Of the one that grows fastest: exp(growth t), 1/s, and its rad/s.
    free_motions : int
        That nothing holds and nothing pulls at.
    free : str
        The joints or bodies that tell them.
    elastic, potential : float
        Energies of the last row, J.
    spin : float
        Of a steady rotation, rad/s; else 0.
    critical : tuple of float
        Critical load factors, if asked for, by their size.
    limit_points : tuple of bool
        Which of them are limit points, where the mechanism snaps; at the others it buckles.
    linearised : tuple of float
        The factors by the stiffness linearised in the loads about the unloaded equilibrium: a guess, far off where the
        mechanism deforms much before it buckles.
    """

    result: Result
    method: str
    iterations: int
    load: float
    largest_load: float
    weight: float
    unbalanced: float
    gap: float
    moved: float
    unstable: int
    judged: int
    divergent: int
    fluttering: int
    growth: float
    growth_frequency: float
    free_motions: int
    free: str
    elastic: float
    potential: float
    spin: float
    critical: Tuple[float, ...]
    limit_points: Tuple[bool, ...]
    linearised: Tuple[float, ...]

    @property
    def stable(self) -> bool:
        """Nothing leaves it: no direction of negative stiffness, no motion that grows."""
        return self.unstable == 0

    @property
    def outputs(self) -> Dict[str, float]:
        """The columns behind `static.unstable` in the last row, by name."""
        names = list(self.result.columns)
        return {name: float(self.result[name][-1]) for name in names[names.index("static.unstable") + 1:]}


def equilibrium_of(report: phx_study_static_report, result: Result) -> Equilibrium:
    """What a call has found."""
    found = report.found
    same = ("iterations", "weight", "unbalanced", "gap", "moved", "unstable", "free_motions")
    return Equilibrium(
        result=result,
        method=_METHODS[found.method],
        load=report.load,
        judged=found.motions.judged,
        divergent=found.motions.divergent,
        fluttering=found.motions.fluttering,
        growth=found.motions.growth,
        growth_frequency=found.motions.frequency,
        largest_load=report.largest_load,
        free=text_of(found.free_names),
        elastic=report.elastic,
        potential=report.potential,
        spin=report.spin,
        critical=tuple(load.factor for load in report.critical[: report.n_critical]),
        limit_points=tuple(bool(load.limit) for load in report.critical[: report.n_critical]),
        linearised=tuple(report.linear[: report.n_linear]),
        **{name: getattr(found, name) for name in same},
    )
