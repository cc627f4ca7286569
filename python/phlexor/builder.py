"""Models built in code.

A builder makes the same specification as a model file: docs/model-file.md explains what its words mean, docs/keys.md
lists units, ranges and defaults. What is wrong is found by the library when the model is built, and the message names
the entry: ``bodies.crank.mass: -1 ...``.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from dataclasses import dataclass, fields
from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from ._binding import JointKind
from ._call import Context, PathLike, path_of
from ._check import checked
from ._library import lib
from .bodies import body_kinds
from .expression import Expression, write_number
from .model import Integrator, Model, Number

__all__ = ["BeamPort", "BodyRef", "Circle", "Damping", "General", "Material", "ModalPort", "Mode", "ModelBuilder",
           "PointMass", "Port", "PortShape", "Ramp", "Rectangle", "Rotation", "SecondOrder", "Table", "TableFile",
           "Trapezoidal", "Tube"]

#: A number, or an expression as :class:`Expression` or as text.
Value = Union[float, str, Expression]
Vector = Union[Sequence[Value], ArrayLike]


@dataclass(frozen=True)
class Table:
    """A signal by its values at times, constant outside.

    `interpolation`: "linear" or "spline", which is cubic and twice continuously differentiable, with `ends` "smooth" or
    at "rest".
    """

    times: Vector
    values: Vector
    interpolation: Optional[Literal["linear", "spline"]] = None
    ends: Optional[Literal["smooth", "rest"]] = None


@dataclass(frozen=True)
class TableFile:
    """A signal from a column of a csv file, whose first column is the time."""

    file: str
    column: str
    interpolation: Optional[Literal["linear", "spline"]] = None
    ends: Optional[Literal["smooth", "rest"]] = None


@dataclass(frozen=True)
class Ramp:
    """A signal from one value to another between the times `ramp`, twice continuously differentiable."""

    ramp: Vector
    to: Value
    from_: Optional[Value] = None


@dataclass(frozen=True)
class Trapezoidal:
    """The same at a rate that rises for a time, is held, and falls for a time (default: as long)."""

    trapezoidal: Vector
    to: Value
    rise: Value
    fall: Optional[Value] = None
    from_: Optional[Value] = None


#: A number, an expression of the time, a table, or a profile.
Signal = Union[Value, Table, TableFile, Ramp, Trapezoidal]


@dataclass(frozen=True)
class Rotation:
    """A rotation in one of three forms: `axis` with `angle`, `quaternion` (w, x, y, z) or `matrix` (3 x 3)."""

    axis: Optional[Vector] = None
    angle: Optional[Value] = None
    quaternion: Optional[Vector] = None
    matrix: Optional[ArrayLike] = None


@dataclass(frozen=True)
class Port:
    """A port of a rigid body or of the ground."""

    position: Optional[Vector] = None
    rotation: Optional[Rotation] = None
    angle: Optional[Value] = None


@dataclass(frozen=True)
class PortShape:
    """How a mode moves a port of a modal body."""

    translation: Optional[Vector] = None
    rotation: Optional[Union[Value, Vector]] = None


@dataclass(frozen=True)
class ModalPort(Port):
    """A port of a modal body; `shapes`: one for each mode."""

    shapes: Optional[Sequence[PortShape]] = None


@dataclass(frozen=True)
class BeamPort:
    """A port of a beam at a fraction of its length."""

    at: Value


@dataclass(frozen=True)
class PointMass:
    """A mass at a port of its body."""

    at: str
    mass: Value
    inertia: Optional[Union[Value, Vector]] = None


@dataclass(frozen=True)
class Shape:
    """What a body looks like in pictures, in one of its forms: ``Shape(cylinder=0.1, from_="P", to="C")``."""

    box: Optional[Vector] = None
    cylinder: Optional[Value] = None
    sphere: Optional[Value] = None
    ellipsoid: Optional[Vector] = None
    capsule: Optional[Value] = None
    cone: Optional[Vector] = None
    tube: Optional[Vector] = None
    gear: Optional[Value] = None
    extrusion: Optional[ArrayLike] = None
    mesh: Optional[str] = None
    length: Optional[Value] = None
    from_: Optional[Union[str, Vector]] = None
    to: Optional[Union[str, Vector]] = None
    teeth: Optional[Value] = None
    along: Optional[ArrayLike] = None
    scale: Optional[Value] = None
    position: Optional[Vector] = None
    rotation: Optional[Union[Value, Rotation]] = None
    colour: Optional[str] = None
    opacity: Optional[Value] = None


Shapes = Union[Shape, Sequence[Shape]]


@dataclass(frozen=True)
class Damping:
    """Rayleigh damping ``mass M + stiffness K`` of the deformation, or a ratio of critical for every mode."""

    mass: Optional[Value] = None
    stiffness: Optional[Value] = None
    modal: Optional[Value] = None


@dataclass(frozen=True)
class Mode:
    """A mass-normalised mode of a modal body."""

    frequency: Value
    damping: Optional[Value] = None
    translation: Optional[Vector] = None
    rotation: Optional[Union[Value, Vector]] = None
    inertia: Optional[Union[Value, Vector]] = None


@dataclass(frozen=True)
class SecondOrder:
    """Integrals of second order of a modal body."""

    gyroscopic: Optional[ArrayLike] = None
    inertia: Optional[ArrayLike] = None


@dataclass(frozen=True)
class Circle:
    """A round section, m."""

    diameter: Value
    kind: str = "circle"


@dataclass(frozen=True)
class Tube:
    """A tube by its diameters, m."""

    outer: Value
    inner: Value
    kind: str = "tube"


@dataclass(frozen=True)
class Rectangle:
    """A rectangle, height along body y, m."""

    width: Value
    height: Value
    kind: str = "rectangle"


@dataclass(frozen=True)
class General:
    """A section by its area, second moment(s) (space: Iy, Iz) and, in space, torsion constant."""

    area: Value
    inertia: Union[Value, Vector]
    torsion: Optional[Value] = None
    kind: str = "general"


Section = Union[Circle, Tube, Rectangle, General]


class Material(str):
    """Name of a material of a builder."""


class BodyRef(str):
    """Name of a body of a builder, or of the ground; gives references to its points."""

    @property
    def P(self) -> str:
        """Its port P: the origin of its frame."""
        return self.port("P")

    @property
    def C(self) -> str:
        """The port C: the end of a beam."""
        return self.port("C")

    @property
    def O(self) -> str:  # noqa: E743  (the format's own name)
        """The port O of the ground: the origin."""
        return self.port("O")

    def port(self, name: str) -> str:
        """A port by name."""
        return f"{self}.{name}"

    def at(self, place: Union[float, str]) -> str:
        """A point that has no name in the model: of a beam at a fraction of its length.

        `phlexor.body_kinds` and docs/keys.md say which bodies have points by a fraction, by the number of a node, or
        by a name that they come with.
        """
        return f"{self}@{place if isinstance(place, str) else write_number(place)}"


def _entries(item: Any) -> Dict[str, Any]:
    """The fields of one of the classes above that are given."""
    return {f.name.rstrip("_"): getattr(item, f.name) for f in fields(item) if getattr(item, f.name) is not None}


def _given(**values: Any) -> Dict[str, Any]:
    return {name.rstrip("_"): value for name, value in values.items() if value is not None}


_PLAIN = re.compile(r"[A-Za-z_(][\w.@+*/^()-]*( [\w.@+*/^()-]+)*")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def _quoted(text: str) -> str:
    """A text as YAML has it, in quotes where it could be read as something else."""
    plain = text.isascii() and _PLAIN.fullmatch(text) and text.lower() not in _WORDS
    return text if plain else json.dumps(text, ensure_ascii=False)


def _tables_in(entry: Any) -> Iterator[str]:
    """The csv files that an entry names."""
    if isinstance(entry, TableFile):
        yield os.fspath(entry.file)
    elif isinstance(entry, Mapping):
        for value in entry.values():
            yield from _tables_in(value)
    elif isinstance(entry, (list, tuple)):
        for value in entry:
            yield from _tables_in(value)


class _Text:
    """The text of a model file, and which entry stands where."""

    def __init__(self) -> None:
        self.lines: List[str] = []
        self.places: List[Tuple[Tuple[int, int], str]] = []  # ascending

    def mark(self, path: str, line: str) -> None:
        self.places.append(((len(self.lines) + 1, len(line) + 1), path))

    def find(self, line: int, column: int) -> str:
        """The entry at a place, or the one before it; entries of lists count from 1, as in the library's messages."""
        k = bisect_right([place for place, _ in self.places], (line, column)) - 1
        return self.places[k][1] if k >= 0 and line > 1 else ""  # the first line stands for the model as a whole

    def put(self, node: Mapping[str, Any], path: str = "", indent: str = "") -> None:
        for key, value in node.items():
            here = f"{path}.{key}" if path else key
            line = f"{indent}{_quoted(key)}:"
            self.mark(here, indent)
            if isinstance(value, Mapping) and value:
                self.lines.append(line)
                self.put(value, here, indent + "  ")
            else:
                self.lines.append(self.flow(line + " ", value, here))

    def flow(self, line: str, value: Any, path: str) -> str:
        """The line with a value behind it."""
        self.mark(path, line)
        if isinstance(value, Mapping) or hasattr(value, "__dataclass_fields__"):
            items = value if isinstance(value, Mapping) else _entries(value)
            for k, (key, item) in enumerate(items.items()):
                line += (", " if k else "{") + _quoted(key) + ": "
                line = self.flow(line, item, f"{path}.{key}")
            return line + ("}" if items else "{}")
        if isinstance(value, np.ndarray) and value.ndim:
            value = list(value)
        if isinstance(value, (list, tuple)):
            for k, item in enumerate(value):
                line = self.flow(line + (", " if k else "["), item, f"{path}[{k + 1}]")
            return line + ("]" if len(value) else "[]")
        return line + self.scalar(value, path)

    @staticmethod
    def scalar(value: Any, path: str) -> str:
        if value is None:
            return "null"
        if isinstance(value, (bool, np.bool_)):
            return "true" if value else "false"
        if isinstance(value, (str, Expression)):
            return _quoted(str(value))
        try:
            return write_number(value, path)
        except TypeError:
            raise TypeError(f"{path}: {value!r} is neither a number nor a text nor an expression") from None


@checked
class ModelBuilder:
    """A model in the making.

    Parameters
    ----------
    title : str
    dimension : {2, 3}
        2: motion in the x-y plane; 3: space.
    gravity : vector, optional
        m/s^2.
    folder : path-like, optional
        Where relative paths of csv files and of a result to continue start.

    Examples
    --------
    >>> from phlexor.expression import deg
    >>> m = ModelBuilder("Swinging bar", 2, gravity=[0, -9.81])
    >>> length = m.parameter("L", 1.2)
    >>> steel = m.material("steel", density=7850, young=2.1e11)
    >>> bar = m.beam("bar", material=steel, length=length, section=Rectangle(0.03, 0.005), reference="cantilever",
    ...              angle=-60 * deg)
    >>> pin = m.joint("pin", "revolute", m.ground.O, bar.P)
    >>> tip = m.output("tip", "position", bar.C)
    >>> result = m.build().simulate(end=2, step=1e-3)
    """

    def __init__(self, title: str, dimension: Literal[2, 3] = 2, *, gravity: Optional[Vector] = None,
                 folder: PathLike = "") -> None:
        self._head = _given(title=title, dimension=dimension, gravity=gravity)
        self._folder = os.fspath(folder)
        self._maps: Dict[str, Dict[str, Any]] = {
            name: {}
            for name in ("parameters", "materials", "ground", "bodies", "joints", "springs", "forces", "loads",
                         "initial", "outputs", "events", "controllers", "simulate", "modes", "linearize",
                         "inverse", "identify", "optimize", "page", "sweep")
        }
        #: The ground, for references such as ``builder.ground.O``.
        self.ground = BodyRef("ground")

    def _add(self, kind: str, name: str, entry: Any, what: str) -> str:
        known = self._maps[kind]
        if name in known:
            raise ValueError(f"there is already a {what} {name!r}")
        known[name] = entry
        return name

    # ---- numbers and materials ----
    def parameter(self, name: str, value: Value) -> Expression:
        """A number by name, for expressions and sweeps; it may be changed in the model (`Model.set_parameters`)."""
        self._add("parameters", name, value, "parameter")
        return Expression(name, simple=True)

    def material(self, name: str, *, density: Value, young: Optional[Value] = None, poisson: Optional[Value] = None,
                 orthotropic: Optional[Mapping[str, Any]] = None, expansion: Optional[Value] = None) -> Material:
        """A linear elastic material, kg/m^3 and Pa: isotropic, or for plates and solids
        ``{"young": [E1, E2, E3], "poisson": [nu12, nu23, nu13], "shear": [G12, G23, G13]}``; expansion 1/K."""
        self._add("materials", name, _given(density=density, young=young, poisson=poisson, orthotropic=orthotropic,
                                            expansion=expansion), "material")
        return Material(name)

    # ---- ground and bodies ----
    def ground_port(self, name: str, position: Optional[Vector] = None, *, angle: Optional[Value] = None,
                    rotation: Optional[Rotation] = None) -> str:
        """A named point of the ground; returns the reference to it."""
        ports = self._maps["ground"].setdefault("ports", {})
        if name in ports:
            raise ValueError(f"there is already a port {name!r} of the ground")
        ports[name] = _given(position=position, angle=angle, rotation=rotation)
        return self.ground.port(name)

    def _body(self, name: str, kind: str, position: Optional[Vector], angle: Optional[Value],
              rotation: Optional[Rotation], linear_velocity: Optional[Vector],
              angular_velocity: Optional[Union[Value, Vector]], guess: Optional[bool] = None,
              **entries: Any) -> BodyRef:
        pose = _given(position=position, angle=angle, rotation=rotation, guess=guess)
        velocity = _given(linear=linear_velocity, angular=angular_velocity)
        self._add("bodies", name, {"kind": kind, **_given(pose=pose or None, velocity=velocity or None, **entries)},
                  "body")
        return BodyRef(name)

    def body(self, name: str, kind: str, *, position: Optional[Vector] = None, angle: Optional[Value] = None,
             rotation: Optional[Rotation] = None, guess: Optional[bool] = None,
             linear_velocity: Optional[Vector] = None,
             angular_velocity: Optional[Union[Value, Vector]] = None, **keys: Any) -> BodyRef:
        """A body of any kind, by the keys of the model file.

        Parameters
        ----------
        name : str
        kind : str
            :func:`phlexor.body_kinds` has them.
        position, angle, rotation, guess, linear_velocity, angular_velocity : optional
            As for :meth:`rigid`.
        **keys
            As docs/keys.md lists them for the kind; None leaves one out.
        """
        known = [row.name for row in body_kinds()]
        if kind not in known:
            raise ValueError(f"body {name!r}: there is no kind {kind!r}, only {', '.join(known)}")
        return self._body(name, kind, position, angle, rotation, linear_velocity, angular_velocity,
                          guess=guess, **keys)

    def rigid(self, name: str, *, mass: Value, inertia: Union[Value, Vector], centre_of_mass: Optional[Vector] = None,
              ports: Optional[Mapping[str, Union[Port, Vector]]] = None,
              point_masses: Optional[Sequence[PointMass]] = None,
              shape: Optional[Shapes] = None, damping: Optional[Damping] = None,
              position: Optional[Vector] = None, angle: Optional[Value] = None, rotation: Optional[Rotation] = None,
              guess: Optional[bool] = None, linear_velocity: Optional[Vector] = None,
              angular_velocity: Optional[Union[Value, Vector]] = None) -> BodyRef:
        """A rigid body.

        Parameters
        ----------
        name : str
        mass : number
            kg.
        inertia : number; in space 3 numbers or 3 x 3
            About the centre of mass, body axes, kg m^2.
        centre_of_mass : vector, optional
            Body axes, m.
        ports : mapping, optional
            Named ports: their places, or :class:`Port`. P, the origin, is always there.
        point_masses, shape, damping : optional
        position, angle, rotation : optional
            The frame's pose; `angle` in the plane, `rotation` in space.
        guess : bool, optional
            The pose is where the assembly begins, and may be moved without a word.
        linear_velocity, angular_velocity : optional
            At the start, before the joints correct it; inertial components.
        """
        placed = None if ports is None else {
            key: port if isinstance(port, Port) else Port(position=port) for key, port in ports.items()
        }
        return self._body(name, "rigid", position, angle, rotation, linear_velocity, angular_velocity,
                          guess=guess, mass=mass,
                          inertia=inertia, centre_of_mass=centre_of_mass, ports=placed, point_masses=point_masses,
                          shape=shape,
                          damping=damping)

    def beam(self, name: str, *, material: str, length: Value, section: Optional[Section] = None,
             sections: Optional[Sequence[Mapping[str, Any]]] = None,
             reference: Optional[Literal["cantilever", "simply_supported", "free"]] = None,
             elements: Optional[Value] = None, segments: Optional[Value] = None,
             order: Optional[Literal[3, 5]] = None, element: Optional[Literal["mixed", "paper", "assumed"]] = None,
             modes: Optional[Value] = None, basis: Optional[Mapping[str, Any]] = None,
             kinetics: Optional[Literal["full", "simplified"]] = None,
             twist: Optional[bool] = None, section_inertia: Optional[bool] = None,
             stiffening: Optional[bool] = None, ports: Optional[Mapping[str, Union[BeamPort, Value]]] = None,
             point_masses: Optional[Sequence[PointMass]] = None,
             shape: Optional[Shapes] = None, damping: Optional[Damping] = None,
             rigid: Optional[bool] = None, position: Optional[Vector] = None, angle: Optional[Value] = None,
             rotation: Optional[Rotation] = None,
             guess: Optional[bool] = None, linear_velocity: Optional[Vector] = None,
             angular_velocity: Optional[Union[Value, Vector]] = None) -> BodyRef:
        """A beam along +x of its frame, from P to C.

        Parameters
        ----------
        name : str
        material : str
            What :meth:`material` returned.
        length : number
            m.
        section, sections : one of them
            Circle, Tube, Rectangle or General, the same all along; or stations ``{"at": s, "section": ...}`` from 0 to 1.
        reference : {"cantilever", "simply_supported", "free"}
            What the deformation is measured from; with `segments` it may be left out.
        segments : int, optional
            The beam is cut in so many, welded in a row: it bends further.
        elements, order, element, modes, basis, kinetics, twist, section_inertia, stiffening : optional
            As in the model file.
        ports : mapping, optional
            Named ports: fractions of the length.
        point_masses, shape, damping, position, angle, rotation, guess, linear_velocity, angular_velocity : optional
            As for :meth:`rigid`.
        """
        placed = None if ports is None else {
            key: port if isinstance(port, BeamPort) else BeamPort(port) for key, port in ports.items()
        }
        return self._body(name, "beam", position, angle, rotation, linear_velocity, angular_velocity,
                          guess=guess, material=material,
                          length=length, section=section, sections=sections, elements=elements, segments=segments,
                          reference=reference, order=order,
                          element=element, modes=modes, basis=basis, kinetics=kinetics, twist=twist,
                          section_inertia=section_inertia, stiffening=stiffening, ports=placed, point_masses=point_masses,
                          shape=shape, damping=damping, rigid=rigid)

    def rod(self, name: str, *, material: Optional[str] = None, length: Optional[Value] = None,
            arc: Optional[Mapping[str, Value]] = None, points: Optional[Sequence[Vector]] = None,
            twist: Optional[Value] = None, section: Optional[Union[Section, Mapping[str, Any]]] = None,
            sections: Optional[Sequence[Mapping[str, Any]]] = None,
            shear: Optional[Literal["flexible", "rigid"]] = None, shear_factor: Optional[Value] = None,
            elements: Optional[Value] = None, ports: Optional[Mapping[str, Union[BeamPort, Value]]] = None,
            point_masses: Optional[Sequence[PointMass]] = None,
            shape: Optional[Shapes] = None, damping: Optional[Damping] = None,
            position: Optional[Vector] = None, angle: Optional[Value] = None, rotation: Optional[Rotation] = None,
            linear_velocity: Optional[Vector] = None,
            angular_velocity: Optional[Union[Value, Vector]] = None) -> BodyRef:
        """A geometrically exact rod, which bends as far as it likes, from P to C.

        Parameters
        ----------
        name : str
        material : str, optional
            What :meth:`material` returned; sections that are all matrices need none.
        length, arc, points : one of them
            Straight along x, m; ``{"radius": r, "angle": a}``; points of a spline from the origin, along x at first.
        twist : number, optional
            rad, of the section at C against that at P.
        section, sections : one of them
            Circle, Tube, Rectangle, or ``{"kind": "general", "stiffness": 6 x 6, "mass": 6 x 6}``; or stations
            ``{"at": s, "section": ...}`` from 0 to 1.
        shear, shear_factor, elements : optional
            As in the model file.
        ports : mapping, optional
            Named ports: fractions of the length, at nodes.
        point_masses, shape, damping, position, angle, rotation, linear_velocity, angular_velocity : optional
            As for :meth:`rigid`.
        """
        placed = None if ports is None else {
            key: port if isinstance(port, BeamPort) else BeamPort(port) for key, port in ports.items()
        }
        return self._body(name, "rod", position, angle, rotation, linear_velocity, angular_velocity, material=material,
                          length=length, arc=arc, points=points, twist=twist, section=section, sections=sections,
                          shear=shear, shear_factor=shear_factor, elements=elements, ports=placed,
                          point_masses=point_masses,
                          shape=shape, damping=damping)

    def modal(self, name: str, *, mass: Value, inertia: Union[Value, Vector], modes: Sequence[Mode],
              centre_of_mass: Optional[Vector] = None, second_order: Optional[SecondOrder] = None,
              ports: Optional[Mapping[str, Union[Port, Vector]]] = None,
              point_masses: Optional[Sequence[PointMass]] = None,
              shape: Optional[Shapes] = None, rigid: Optional[bool] = None,
              position: Optional[Vector] = None, angle: Optional[Value] = None, rotation: Optional[Rotation] = None,
              guess: Optional[bool] = None, linear_velocity: Optional[Vector] = None,
              angular_velocity: Optional[Union[Value, Vector]] = None) -> BodyRef:
        """A body known by its modes.

        Parameters
        ----------
        name : str
        mass, inertia, centre_of_mass
            As for :meth:`rigid`.
        modes : sequence of Mode
        second_order : SecondOrder, optional
        ports : mapping, optional
            Named ports: :class:`ModalPort`, or places that no mode moves.
        point_masses, shape, position, angle, rotation, guess, linear_velocity, angular_velocity : optional
            As for :meth:`rigid`.
        """
        placed = None if ports is None else {
            key: port if isinstance(port, Port) else Port(position=port) for key, port in ports.items()
        }
        return self._body(name, "modal", position, angle, rotation, linear_velocity, angular_velocity,
                          guess=guess, mass=mass,
                          inertia=inertia, centre_of_mass=centre_of_mass, modes=list(modes), second_order=second_order,
                          ports=placed, point_masses=point_masses,
                          shape=shape, rigid=rigid)

    def plate(self, name: str, *, material: str, mesh: Mapping[str, Any],
              thickness: Optional[Value] = None, layers: Optional[Sequence[Mapping[str, Any]]] = None,
              regions: Optional[Mapping[str, Mapping[str, Any]]] = None,
              theory: Optional[Literal["kirchhoff", "mindlin"]] = None, order: Optional[Literal[0, 1, 2]] = None,
              membrane: Optional[bool] = None, shear_correction: Optional[Value] = None,
              ports: Optional[Mapping[str, Mapping[str, Any]]] = None, basis: Optional[Mapping[str, Any]] = None,
              frame: Optional[Union[str, Sequence[str]]] = None, stiffening: Optional[bool] = None,
              point_masses: Optional[Sequence[PointMass]] = None,
              shape: Optional[Shapes] = None,
              damping: Optional[Damping] = None, rigid: Optional[bool] = None,
              position: Optional[Vector] = None, angle: Optional[Value] = None,
              rotation: Optional[Rotation] = None, guess: Optional[bool] = None,
              linear_velocity: Optional[Vector] = None,
              angular_velocity: Optional[Union[Value, Vector]] = None) -> BodyRef:
        """An elastic plate in its plane z = 0, on triangles.

        Parameters
        ----------
        name, material : str
        mesh : mapping
            ``{"size": [a, b], "elements": [m, n]}`` or ``{"file": path, "unit": metres}``.
        thickness : number, optional
            m.
        layers : sequence of mappings, optional
            Instead of the thickness: ``{"material": name, "thickness": h, "angle": a}`` from below to above.
        regions : mapping, optional
            Groups of triangles with another ``material``, ``thickness`` or ``layers``.
        theory, order, membrane, shear_correction : optional
            As in the model file.
        ports : mapping, optional
            Named ports: ``{"on": group}`` or ``{"node": label}``, with ``attach`` and ``position``.
        basis, frame, stiffening : optional
            As in the model file.
        point_masses, shape, damping, position, angle, rotation, guess, linear_velocity, angular_velocity : optional
            As for :meth:`rigid`.
        """
        return self._body(name, "plate", position, angle, rotation, linear_velocity, angular_velocity,
                          guess=guess, material=material,
                          mesh=mesh, thickness=thickness, layers=layers, regions=regions, theory=theory, order=order,
                          membrane=membrane, shear_correction=shear_correction, ports=ports, basis=basis, frame=frame,
                          stiffening=stiffening, point_masses=point_masses,
                          shape=shape, damping=damping, rigid=rigid)

    def shell(self, name: str, *, material: str, mesh: Mapping[str, Any],
              thickness: Optional[Value] = None, layers: Optional[Sequence[Mapping[str, Any]]] = None,
              regions: Optional[Mapping[str, Mapping[str, Any]]] = None, axis: Optional[Vector] = None,
              ports: Optional[Mapping[str, Mapping[str, Any]]] = None, clamp: Optional[Sequence[str]] = None,
              point_masses: Optional[Sequence[PointMass]] = None, shape: Optional[Shapes] = None,
              damping: Optional[Damping] = None, position: Optional[Vector] = None, angle: Optional[Value] = None,
              rotation: Optional[Rotation] = None, guess: Optional[bool] = None,
              linear_velocity: Optional[Vector] = None,
              angular_velocity: Optional[Union[Value, Vector]] = None) -> BodyRef:
        """A thin surface, curved or folded, that bends far.

        Parameters
        ----------
        name, material : str
        mesh : mapping
            A rectangle, a line that is extruded or revolved, or a file: docs/shells.md.
        thickness, layers, regions : optional
            As for :meth:`plate`.
        axis : vector, optional
            Its projection on the surface is axis 1 of layers and stress resultants.
        ports : mapping, optional
            Named ports: ``{"set": group, "tie": "rigid"}``, ``{"node": label}`` or ``{"near": place}``.
        clamp : sequence of str, optional
            Groups of the mesh that are held to the ground.
        point_masses, shape, damping, position, angle, rotation, guess, linear_velocity, angular_velocity : optional
            As for :meth:`rigid`.
        """
        return self._body(name, "shell", position, angle, rotation, linear_velocity, angular_velocity,
                          guess=guess, material=material, mesh=mesh, thickness=thickness, layers=layers,
                          regions=regions, axis=axis, ports=ports, clamp=clamp, point_masses=point_masses, shape=shape,
                          damping=damping)

    def solid(self, name: str, *, material: str, mesh: Mapping[str, Any], reduced: Optional[bool] = None,
              lumped: Optional[bool] = None, regions: Optional[Mapping[str, Mapping[str, Any]]] = None,
              ports: Optional[Mapping[str, Mapping[str, Any]]] = None,
              basis: Optional[Mapping[str, Any]] = None, frame: Optional[Union[str, Sequence[str]]] = None,
              stiffening: Optional[bool] = None, point_masses: Optional[Sequence[PointMass]] = None,
              shape: Optional[Shapes] = None,
              damping: Optional[Damping] = None, rigid: Optional[bool] = None,
              position: Optional[Vector] = None, angle: Optional[Value] = None, rotation: Optional[Rotation] = None,
              guess: Optional[bool] = None, linear_velocity: Optional[Vector] = None,
              angular_velocity: Optional[Union[Value, Vector]] = None) -> BodyRef:
        """An elastic solid on tetrahedra, hexahedra and wedges.

        Parameters
        ----------
        name, material : str
        mesh : mapping
            ``{"size": [a, b, c], "elements": [l, m, n], "cells": "hex20"}`` or ``{"file": path, "unit": metres}``.
        reduced, lumped, regions, basis, frame, stiffening : optional
            As in the model file.
        ports : mapping, optional
            As for :meth:`plate`.
        point_masses, shape, damping, position, angle, rotation, guess, linear_velocity, angular_velocity : optional
            As for :meth:`rigid`.
        """
        return self._body(name, "solid", position, angle, rotation, linear_velocity, angular_velocity,
                          guess=guess, material=material,
                          mesh=mesh, reduced=reduced, lumped=lumped, regions=regions, ports=ports, basis=basis,
                          frame=frame, stiffening=stiffening, point_masses=point_masses,
                          shape=shape, damping=damping, rigid=rigid)

    def imported(self, name: str, *, files: Union[PathLike, Sequence[PathLike]], mass_matrix: Optional[PathLike] = None,
                 stiffness_matrix: Optional[PathLike] = None, units: Optional[Mapping[str, Value]] = None,
                 rigid: Optional[Sequence[Mapping[str, int]]] = None,
                 ports: Optional[Mapping[str, Mapping[str, Any]]] = None, basis: Optional[Mapping[str, Any]] = None,
                 frame: Optional[Union[str, Sequence[str]]] = None, stiffening: Optional[bool] = None,
                 point_masses: Optional[Sequence[PointMass]] = None,
                 shape: Optional[Shapes] = None,
                 damping: Optional[Damping] = None, position: Optional[Vector] = None, angle: Optional[Value] = None,
                 rotation: Optional[Rotation] = None, guess: Optional[bool] = None,
                 linear_velocity: Optional[Vector] = None,
                 angular_velocity: Optional[Union[Value, Vector]] = None) -> BodyRef:
        """An elastic body by the mass and stiffness matrices of another finite-element program.

        Parameters
        ----------
        name : str
        files : path or sequence of paths
            What the program has written: docs/import.md.
        mass_matrix, stiffness_matrix : path, optional
            Matrices whose names do not say which they are.
        units : mapping, optional
            ``length`` (m), ``mass`` (kg) and ``time`` (s) of the files; SI.
        rigid : sequence of mappings, optional
            Rigid bodies of CalculiX: ``{"reference": node, "rotation": node}``.
        ports, basis, frame : optional
            As for :meth:`plate`.
        stiffening : optional
            Not known of matrices: False.
        point_masses, shape, damping, position, angle, rotation, guess, linear_velocity, angular_velocity : optional
            As for :meth:`rigid`.
        """
        listed: Union[str, Sequence[str]] = (os.fspath(files) if isinstance(files, (str, os.PathLike)) else
                                             [os.fspath(file) for file in files])
        return self._body(name, "imported", position, angle, rotation, linear_velocity, angular_velocity,
                          guess=guess, files=listed,
                          mass_matrix=None if mass_matrix is None else os.fspath(mass_matrix),
                          stiffness_matrix=None if stiffness_matrix is None else os.fspath(stiffness_matrix),
                          units=units, rigid=rigid, ports=ports, basis=basis, frame=frame, stiffening=stiffening,
                          point_masses=point_masses,
                          shape=shape, damping=damping)

    # ---- joints, springs, loads ----
    def joint(self, name: str, kind: JointKind, a: str, b: str, *, axis: Optional[Vector] = None,
              axis_b: Optional[Vector] = None, axes: Optional[Sequence[Vector]] = None, normal: Optional[Vector] = None,
              rotation: Optional[Rotation] = None, angle: Any = None, position: Any = None, rate: Any = None,
              speed: Any = None, motion: Any = None, stiffness: Any = None, damping: Any = None, rest: Any = None,
              rotor_inertia: Any = None, gear_ratio: Any = None, effort: Any = None, law: Any = None, damper: Any = None, motor: Any = None,
              stops: Any = None, friction: Any = None, active: Optional[bool] = None) -> str:
        """A joint; b moves relative to a.

        Parameters
        ----------
        name : str
        kind : str
            :func:`phlexor.joint_kinds` has them.
        a, b : str
            References to points: ``builder.ground.O``, ``body.P``, ``beam.at(0.5)``.
        axis, axis_b, axes, normal, rotation : optional
            Directions, as in the model file.
        angle, position, rate, stiffness, damping, rest, rotor_inertia, gear_ratio : number or list, optional
            Of the free coordinates. None in a list leaves one out.
        speed, motion, effort : signal or list of signals, optional
            A drive (the rate, or the coordinate itself) or an actuator (torque or force) along the coordinates.
        law, damper, motor, stops, friction : dict or list of dicts, optional
            A spring, a damper and a motor by laws, end stops and dry friction along the coordinates, as in the model
            file.
        active : bool, optional
            False: the joint holds and drives nothing.
        """
        entry = _given(ports=[a, b], axis=axis, axis_b=axis_b, axes=axes, normal=normal, rotation=rotation,
                       angle=angle, position=position, rate=rate, speed=speed, motion=motion, stiffness=stiffness,
                       damping=damping, rest=rest, rotor_inertia=rotor_inertia, gear_ratio=gear_ratio, effort=effort,
                       law=law, damper=damper, motor=motor, stops=stops, friction=friction, active=active)
        return self._add("joints", name, {"kind": kind, **entry}, "joint")

    def spring(self, name: str, a: str, b: str, *, stiffness: Optional[Value] = None, damping: Optional[Value] = None,
               length: Optional[Value] = None, force: Optional[Signal] = None, law: Optional[Dict[str, Any]] = None,
               damper: Optional[Dict[str, Any]] = None, active: Optional[bool] = None) -> str:
        """A spring, damper and actuator along the line between two points; `law` and `damper` as in the model file."""
        return self._add("springs", name, _given(ports=[a, b], stiffness=stiffness, damping=damping, length=length,
                                                 force=force, law=law, damper=damper, active=active), "spring")

    def element(self, name: str, kind: Literal["bushing", "contact", "cable", "coupling", "drag", "wind"], *ports: str,
                **keys: Any) -> str:
        """A force element: a bushing, contact, cable, coupling, drag or wind, with the keys of the model file."""
        entry: Dict[str, Any] = {"kind": kind, **_given(ports=list(ports) or None, **keys)}
        return self._add("forces", name, entry, "force element")

    def force(self, name: str, at: str, components: Sequence[Signal], *,
              frame: Optional[Literal["inertial", "body"]] = None, active: Optional[bool] = None) -> str:
        """A force at a point, N."""
        return self._add("loads", name, _given(force=list(components), at=at, frame=frame, active=active), "load")

    def torque(self, name: str, at: str, components: Union[Signal, Sequence[Signal]], *,
               frame: Optional[Literal["inertial", "body"]] = None, active: Optional[bool] = None) -> str:
        """A torque at a point, N m: a signal in the plane, three in space."""
        return self._add("loads", name, _given(torque=components, at=at, frame=frame, active=active), "load")

    def distributed(self, name: str, on: str, components: Sequence[Signal]) -> str:
        """A force per length on a beam, N/m, body axes; expressions may use `t` and `s`."""
        return self._add("loads", name, _given(distributed=list(components), on=on), "load")

    def pressure(self, name: str, on: str, value: Signal, *, group: Optional[str] = None,
                 profile: Optional[Value] = None) -> str:
        """A pressure on a face of a solid or a plate, N/m^2; `profile` may use `x`, `y` and `z`."""
        return self._add("loads", name, _given(pressure=value, on=on, group=group, profile=profile), "load")

    def traction(self, name: str, on: str, components: Sequence[Signal], *, group: Optional[str] = None,
                 profile: Optional[Value] = None) -> str:
        """A traction on a face, N/m^2, or on the edge of a plate, N/m, body axes."""
        return self._add("loads", name, _given(traction=list(components), on=on, group=group, profile=profile), "load")

    def temperature(self, name: str, on: str, value: Signal, *, group: Optional[str] = None) -> str:
        """A rise of temperature of a solid, K, whose materials have `expansion`; `group`: of cells."""
        return self._add("loads", name, _given(temperature=value, on=on, group=group), "load")

    # ---- start, outputs, analyses ----
    def initial(self, *, deformation: Optional[Literal["zero", "quasi_static"]] = None,
                equilibrium: Optional[bool] = None, from_: Optional[PathLike] = None,
                strict: Optional[bool] = None) -> None:
        """How the start state is made.

        `from_`: the result file whose last state is the start; `strict`: poses that the assembly would move are an
        error.
        """
        self._maps["initial"] = _given(deformation=deformation, equilibrium=equilibrium,
                                       from_=None if from_ is None else os.fspath(from_), strict=strict)

    def output(self, name: str,
               quantity: Literal["position", "velocity", "acceleration", "angle", "angular_velocity", "attitude",
                                 "deformation", "axial_force", "bending_moment", "torsion", "stress", "membrane_force",
                                 "shear_force", "von_mises", "principal_stress", "strain", "reaction", "coordinate",
                                 "rate", "effort", "edge_shear", "edge_moment", "corner_force", "force"],
               target: str, *, frame: Optional[Literal["inertial", "body"]] = None,
               at: Optional[Literal["A", "B"]] = None, place: Optional[Vector] = None) -> str:
        """A quantity to record, of a point (up to strain), of a joint (from reaction on) or of a force.

        Args:
            place: x and y of the point of a plate, whose name is the target.
            at: the port whose place the torque of a reaction is about, "B" unless said otherwise.
        """
        return self._add("outputs", name, {quantity: target, **_given(frame=frame, at=at, place=place)}, "output")

    def event(self, name: str, *, at: Optional[Value] = None, output: Optional[str] = None,
              rises_to: Optional[Value] = None, falls_to: Optional[Value] = None,
              attach: Optional[Sequence[str]] = None, release: Optional[Sequence[str]] = None,
              drive_off: Optional[Sequence[str]] = None, switch_on: Optional[Sequence[str]] = None,
              switch_off: Optional[Sequence[str]] = None) -> str:
        """Joints that attach or release, forces that are switched, at a time or where an output's column comes to a
        value (docs/events.md)."""
        return self._add("events", name, _given(at=at, output=output, rises_to=rises_to, falls_to=falls_to,
                                                attach=attach, release=release, drive_off=drive_off,
                                                switch_on=switch_on, switch_off=switch_off), "event")

    def controller(self, name: str, kind: Literal["pid", "state_space", "port_hamiltonian", "expression", "fmu", "ida_pbc"],
                   **keys: Any) -> str:
        """A controller, by the keys of the model file (docs/control.md); None leaves one out."""
        return self._add("controllers", name, {"kind": kind, **_given(**keys)}, "controller")

    def simulate(self, *, end: Optional[Value] = None, step: Optional[Value] = None, every: Optional[Value] = None,
                 rtol: Optional[Value] = None, atol: Optional[Value] = None,
                 integrator: Optional[Integrator] = None, strict: Optional[bool] = None,
                 accuracy: Optional[Value] = None, accuracy_absolute: Optional[Value] = None,
                 accuracy_of: Optional[Sequence[str]] = None, spectral_radius: Optional[Value] = None,
                 iterations: Optional[Value] = None) -> None:
        """Defaults of the simulation; of `midpoint` `spectral_radius` below 1: numerical damping, `iterations`: exactly
        so many Newton corrections a step."""
        self._maps["simulate"] = _given(end=end, step=step, every=every, rtol=rtol, atol=atol, integrator=integrator,
                                        strict=strict, accuracy=accuracy, accuracy_absolute=accuracy_absolute,
                                        accuracy_of=accuracy_of, spectral_radius=spectral_radius,
                                        iterations=iterations)

    def modes(self, *, count: Optional[Value] = None,
              at: Optional[Literal["start", "static", "steady", "initial"]] = None) -> None:
        """Defaults of the modal analysis."""
        self._maps["modes"] = _given(count=count, at=at)

    def linearize(self, *, at: Optional[Literal["start", "static", "steady", "initial"]] = None) -> None:
        """Defaults of linear models."""
        self._maps["linearize"] = _given(at=at)

    def inverse(self, inputs: Sequence[str], motion: Mapping[str, Signal]) -> None:
        """What outputs shall do, signals by their names, and the inputs that make them (docs/inverse-dynamics.md)."""
        self._maps["inverse"] = {"inputs": list(inputs), "motion": dict(motion)}

    def identify(self, parameters: Mapping[str, Mapping[str, Value]], *,
                 time_series: Sequence[Mapping[str, Value]] = (), frequencies: Sequence[Mapping[str, Value]] = (),
                 responses: Sequence[Mapping[str, Value]] = ()) -> None:
        """Parameters with bounds (``{"k": {"min": 0}}``) and the measurements they are found from, each with the keys
        of docs/identification.md."""
        self._maps["identify"] = _given(parameters=dict(parameters), time_series=list(time_series) or None,
                                        frequencies=list(frequencies) or None, responses=list(responses) or None)

    def optimize(self, variables: Mapping[str, Mapping[str, Value]], *, minimize: Optional[str] = None,
                 maximize: Optional[str] = None, constraints: Sequence[Mapping[str, Value]] = (),
                 cases: Optional[Mapping[str, Mapping[str, Value]]] = None, over: Optional[str] = None,
                 method: Optional[str] = None, evaluations: Optional[Value] = None,
                 tolerance: Optional[Value] = None) -> None:
        """Parameters that are varied (``{"d": {"min": 1e-3, "max": 1e-2}}``), an objective that they make least or
        largest, and constraints (``{"of": "model.mass", "max": 2}``), with the keys of docs/optimisation.md."""
        self._maps["optimize"] = _given(variables=dict(variables), minimize=minimize, maximize=maximize,
                                        constraints=list(constraints) or None, cases=cases, over=over, method=method,
                                        evaluations=evaluations, tolerance=tolerance)

    def page(self, *, camera: Optional[Vector] = None, colour: Optional[str] = None,
             magnification: Optional[Value] = None, plots: Optional[Sequence[str]] = None,
             trails: Optional[Sequence[str]] = None) -> None:
        """How a page about the model opens: where it is seen from, coloured by what, which plots come first."""
        self._maps["page"] = _given(camera=camera, colour=colour, magnification=magnification, plots=plots, trails=trails)

    def sweep(self, name: Union[str, Expression], *, from_: Optional[Value] = None, to: Optional[Value] = None,
              count: Optional[Value] = None, values: Optional[Vector] = None) -> None:
        """Values of a parameter for ``sweep="model"``: `count` from `from_` to `to`, or `values`."""
        self._add("sweep", str(name), _given(from_=from_, to=to, count=count, values=values), "sweep of")

    # ---- the end ----
    def _make(self) -> _Text:
        text = _Text()
        text.put({"phlexor": 1, **self._head, **{key: entry for key, entry in self._maps.items() if entry}})
        return text

    def text(self) -> str:
        """The model as the text of a model file."""
        return "\n".join(self._make().lines) + "\n"

    def save(self, path: PathLike) -> None:
        """Write the model file; not over a file that the model names."""
        text = self.text()
        with Context() as call:
            continued = self._maps["initial"].get("from")
            for name in (*_tables_in(self._maps), *([continued] if continued else [])):
                call.check(lib.phx_files_read(call.pointer, path_of(os.path.join(self._folder, name))))
            call.check(lib.phx_files_write(call.pointer, path_of(path)))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def build(self, parameters: Optional[Mapping[str, Number]] = None) -> Model:
        """The model.

        Parameters
        ----------
        parameters : mapping, optional
            Values instead of those of the builder.

        Raises
        ------
        ModelError
            Its message and its `name` say which entry is wrong.
        """
        text = self._make()
        return Model.from_text("\n".join(text.lines) + "\n", parameters,
                               name=os.path.join(self._folder, "model in code"), names=text.find)
