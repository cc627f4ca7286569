"""The kinds of joint that the library has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Tuple

from ._binding import phx_joint_info
from ._call import text_of
from ._library import lib

__all__ = ["JointCoordinate", "JointInfo", "joint_kinds"]


@dataclass(frozen=True)
class JointCoordinate:
    """A free coordinate: its name, its unit (rad or m) and where it is zero."""

    name: str
    unit: str
    zero: str


@dataclass(frozen=True)
class JointInfo:
    """A kind of joint: its name in models, what of A and B it holds together, the dimensions it exists in.

    Its coordinates come in the order of lists in a model; in the plane there may be fewer (`coordinates_in`). Of a kind
    that `slides` A is a beam or a rod, and the first coordinate is the place along it.
    """

    name: str
    holds: str
    dimensions: Tuple[int, ...]
    coordinates: Tuple[JointCoordinate, ...]
    counts: Tuple[int, int]
    in_plane: Tuple[JointCoordinate, ...] = ()
    slides: bool = False

    def coordinates_in(self, dimension: int) -> Tuple[JointCoordinate, ...]:
        """The coordinates in the plane (2) or in space (3)."""
        coordinates = self.in_plane if dimension == 2 and self.in_plane else self.coordinates
        return coordinates[: self.counts[dimension - 2]]


def _coordinate(c: Any) -> JointCoordinate:
    return JointCoordinate(text_of(c.name), "rad" if c.angular else "m", text_of(c.zero))


def _info(info: phx_joint_info) -> JointInfo:
    coordinates = tuple(_coordinate(c) for c in info.coordinates if c.name)
    dimensions = tuple(d for d, there in ((2, info.plane), (3, info.space)) if there)
    counts = (info.n_coordinates[0], info.n_coordinates[1])
    in_plane = tuple(_coordinate(info.in_plane[c]) for c in range(counts[0])) if info.in_plane else ()
    return JointInfo(text_of(info.name), text_of(info.holds), dimensions, coordinates, counts, in_plane,
                     bool(info.slides))


def joint_kinds() -> Tuple[JointInfo, ...]:
    """The kinds of joint for :meth:`ModelBuilder.joint` and model files, in the order of the documentation."""
    return tuple(_info(lib.phx_joint_kind_info(kind).contents) for kind in range(lib.phx_joint_kind_count()))
