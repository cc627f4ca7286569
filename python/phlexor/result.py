"""The result of a simulation: columns, states, bodies; in memory, or read from a file."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Dict, Iterable, Iterator, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._binding import phx_integrator, phx_report_size, phx_result, phx_simulate_report
from ._call import Context, FloatArray, Owner, PathLike, doubles, field_names, hdf5, path_of, text_of, view
from ._check import checked, not_pickled
from ._display import optional_module, page_frame, plot_columns
from ._library import lib

__all__ = ["Body", "Mesh", "Report", "Result", "read_result"]


@dataclass(frozen=True)
class Report:
    """What a simulation did, and how well it kept energy and joints.

    Attributes
    ----------
    integrator : str
    end, step, every, rtol, atol : float
        The settings of the run, s and 1; 0: not used.
    bodies, velocities, constraints, redundant : int
        Sizes of the system; redundant constraints were left out.
    threads : int
        That worked inside the steps.
    lossless : bool
        Nothing dissipates.
    events : int
    event_loss : float
        Events that have happened, and what they took, J.
    impacts : int
    impact_loss : float
        Impacts of rigid contacts, and what they took, J.
    transitions : int
        Times that friction began to slip or to stick, or turned round.
    start, reached : float
        First and last instant recorded, s.
    rows : int
        Instants recorded.
    steps, rejected, halvings, newton_iterations, linearisations, factorisations, projections : int
    smallest_step, wall_seconds : float
    largest_kinetic : float
        Kinetic energy at the ends of all steps, J.
    iterations, unsettled : int
    correction_left, energy_left : float
        With a fixed number of corrections a step (0: not): steps that leave more than rounding, the largest correction
        left over, relative to the velocities, and the energy of the residuals, J.
    timed_steps, deadline_misses : int
    step_time_median, step_time_99, step_time_worst, step_time_worst_at : float
        With `real_time`: steps that were timed, those that took longer than they are, wall times, and where the
        slowest step began, s.
    largest_energy : float
        Of kinetic, elastic and total energy, J.
    largest_residual : float
        Of the energy balance: ``|energy - energy(0) - supplied + dissipated|``, J.
    largest_drift, largest_drift_rate : float
        Gap of the joints, m, and its rate, m/s.
    accuracy, accuracy_reached : float
        Of the outputs, asked for (0: not) and estimated.
    runs, all_steps : int
        To an accuracy: how many runs that took, and their steps.
    shaped : bool
    shaped_from, shaped_to, shaped_rise : float
        Controllers shape the energy: that of the closed loop at the first and the last instant and its largest rise, J.
    limits : int
        Limits of validity exceeded, of bodies and kinds; there was a warning for each.
    """

    integrator: str
    end: float
    step: float
    every: float
    rtol: float
    atol: float
    bodies: int
    velocities: int
    constraints: int
    redundant: int
    threads: int
    lossless: bool
    events: int
    event_loss: float
    impacts: int
    impact_loss: float
    transitions: int
    accuracy: float
    accuracy_reached: float
    runs: int
    all_steps: int
    start: float
    reached: float
    rows: int
    steps: int
    rejected: int
    halvings: int
    newton_iterations: int
    linearisations: int
    factorisations: int
    projections: int
    smallest_step: float
    largest_kinetic: float
    wall_seconds: float
    iterations: int
    unsettled: int
    correction_left: float
    energy_left: float
    timed_steps: int
    deadline_misses: int
    step_time_median: float
    step_time_99: float
    step_time_worst: float
    step_time_worst_at: float
    largest_energy: float
    largest_residual: float
    largest_drift: float
    largest_drift_rate: float
    shaped: bool
    shaped_from: float
    shaped_to: float
    shaped_rise: float
    limits: int


def _copy(pointer: Any, shape: Tuple[int, ...]) -> FloatArray:
    copy = np.array(view(pointer, shape, None))
    copy.flags.writeable = False
    return copy


def report_of(raw: phx_simulate_report) -> Report:
    """The report as Python has it."""
    used, stats, times = raw.used, raw.stats, raw.stats.times
    return Report(
        integrator=text_of(lib.phx_integrator_name(phx_integrator(used.integrator))),
        start=getattr(raw, "from"),
        **{name: getattr(used, name) for name in ("end", "step", "every", "rtol", "atol", "iterations")},
        **{name: getattr(stats, name) for name in field_names(stats) if name != "times"},
        timed_steps=times.steps, deadline_misses=times.misses, step_time_median=times.median,
        step_time_99=times.percent99, step_time_worst=times.worst, step_time_worst_at=times.worst_at,
        **{name: getattr(raw, name) for name in field_names(raw) if name not in ("used", "stats", "from")},
    )


@dataclass(frozen=True)
class Body:
    """A body's place in the states, and what it looks like.

    Attributes
    ----------
    name, kind : str
    x, v : slice
        Its entries of a state: place, attitude (plane: cos, sin, angle; space: the rotation matrix by rows),
        deformation; and the velocities of these.
    points : ndarray, shape (n_points, dimension)
        A polyline that draws it, undeformed, in the body's axes, m.
    shapes : ndarray, shape (n_points, dimension, n_deformations), or None
        How the deformations move these points.
    """

    name: str
    kind: str
    x: slice
    v: slice
    points: FloatArray
    shapes: Optional[FloatArray]


def _von_mises(stress: FloatArray) -> FloatArray:
    xx, yy, zz, xy, yz, zx = stress.T
    value: FloatArray = np.sqrt(((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) / 2 + 3 * (xy**2 + yz**2 + zx**2))
    return value


@checked
class Mesh:
    """The mesh of a body as a result has it: of a large one its surface.

    Attributes
    ----------
    labels : ndarray of int, shape (nodes,)
        Numbers of the nodes in the mesh file.
    points : ndarray, shape (nodes, 3)
        Undeformed, in the body's axes, m.
    sets : dict of ndarray of int
        Sets of nodes by name, each as places among the nodes.
    """

    def __init__(self, result: "Result", body: str, number: int) -> None:
        scene = lib.phx_result_about(result._open()).scene.contents
        drawn = result.bodies[body]
        before, nodes = sum(scene.mesh_nodes[:number]), scene.mesh_nodes[number]
        self._result, self._body = result, drawn
        self.labels = np.array(scene.mesh_label[before : before + nodes], int)
        self.points = np.array(scene.mesh_x[3 * before : 3 * (before + nodes)]).reshape(-1, 3)
        self.sets: Dict[str, Any] = {}
        at = 0
        for k in range(scene.n_mesh_sets):
            if scene.set_mesh[k] == number:
                self.sets[text_of(scene.set_name[k])] = np.array(scene.set_node[at : at + scene.set_nodes[k]], int)
            at += scene.set_nodes[k]
        coordinates = drawn.x.stop - drawn.x.start - 12
        shapes, maps, factors = 0, 0, 0
        for m in range(number + 1):
            of = result._bodies[scene.mesh_body[m]]
            n = of.x.stop - of.x.start - 12
            components = {"solid": 6, "plate": 14, "bending": 5}.get(text_of(scene.mesh_stresses[m]), 0)
            first = shapes, maps, factors
            shapes += 3 * scene.mesh_nodes[m] * n
            maps += components * scene.mesh_nodes[m] * (n + scene.mesh_factors[m])
            factors += scene.mesh_factors[m]
        self._factors = slice(first[2], factors)
        self._kind = text_of(scene.mesh_stresses[number])
        self._shapes = np.array(scene.mesh_shapes[first[0] : shapes]).reshape(nodes, 3, coordinates)
        self._maps = np.array(scene.mesh_maps[first[1] : maps]).reshape(nodes, -1, coordinates + factors - first[2])

    def __repr__(self) -> str:
        return f"<Mesh of {self._body.name!r}: {len(self.labels)} nodes, stresses: {self._kind or 'none'}>"

    def _row(self, t: float) -> int:
        times = self._result.t
        if not times.size or not min(times) - 1e-9 <= t <= max(times) + 1e-9:
            raise ValueError(f"t: expected a time from {min(times):g} to {max(times):g} s, found {t:g}")
        return int(np.abs(times - t).argmin())

    def displacement(self, t: float) -> FloatArray:
        """Displacements of the nodes in the body's axes at the recorded instant nearest to `t`, shape (nodes, 3), m."""
        moved: FloatArray = self._shapes @ self._result.x[self._row(t), self._body.x][12:]
        return moved

    def stress(self, t: float) -> FloatArray:
        """Stresses of the nodes at the recorded instant nearest to `t`.

        Returns
        -------
        ndarray, shape (nodes, 6) or (nodes, 14)
            Of a solid xx yy zz xy yz zx, Pa; of a plate membrane forces xx yy xy, bending moments xx yy xy, shear
            forces x y, stresses xx yy xy of the upper surface and of the lower; in the body's axes.
        """
        if not self._maps.shape[1]:
            raise ValueError(f"the result has no stresses of {self._body.name!r} at nodes (with stiffening there are "
                             "outputs alone)")
        row = self._row(t)
        factors = self._result._factors(row, 1)[0, self._factors]
        values: FloatArray = self._maps @ np.concatenate([self._result.x[row, self._body.x][12:], factors])
        return values

    def von_mises(self, t: float) -> FloatArray:
        """Von Mises stresses of the nodes at the recorded instant nearest to `t`, of a plate the larger of both surfaces.

        Returns
        -------
        ndarray, shape (nodes,)
            Pa.
        """
        stress = self.stress(t)
        if self._kind == "bending":
            raise ValueError(f"with stiffening the result has bending moments of {self._body.name!r} alone; take an output")
        largest: FloatArray = np.max([_von_mises(state) for state in self._states(stress)], 0)
        return largest

    def _states(self, stress: FloatArray) -> Tuple[FloatArray, ...]:
        """xx yy zz xy yz zx of each node: one state of a solid, those at both surfaces of a plate."""
        if self._kind == "solid":
            return (stress,)
        zero = np.zeros(len(stress))
        return tuple(np.column_stack([stress[:, k], stress[:, k + 1], zero, stress[:, k + 2], zero, zero])
                     for k in (8, 11))

    def history(self, label: int, surface: Literal["top", "bottom"] = "top") -> FloatArray:
        """Von Mises stress of a node at all instants with the sign of its mean stress, for :func:`rainflow`.

        Parameters
        ----------
        label : int
            Number of the node in the mesh file.
        surface : str
            Of a plate.

        Returns
        -------
        ndarray, shape (rows,)
            Pa.
        """
        found = np.flatnonzero(self.labels == label)
        if not found.size or self._kind not in ("solid", "plate"):
            raise ValueError(f"label: {label} is no node with stresses of {self._body.name!r}")
        values = np.hstack([self._result.x[:, self._body.x][:, 12:],
                            self._result._factors(0, self._result.rows)[:, self._factors]])
        state = self._states(values @ self._maps[found[0]].T)[-1 if surface == "bottom" else 0]
        signed: FloatArray = np.where(state[:, :3].sum(1) < 0, -1.0, 1.0) * _von_mises(state)
        return signed


@checked
class Result(Mapping[str, FloatArray]):
    """The result of a simulation, complete or partial: a read-only mapping from the names of columns to arrays.

    It comes from :meth:`Model.simulate`, :meth:`Model.batch` or :func:`read_result`. Of a result in memory the arrays
    are views of the library's memory, which lives as long as any of them; columns of a file are read when first asked
    for. All arrays are read-only.

    Attributes
    ----------
    columns : tuple of str
        ``t, kinetic, elastic, potential, energy, supplied, dissipated, residual, drift, drift_rate``, then the outputs.
    units : dict
        Unit of each column, "" for none.
    attributes : dict
        What the result says of itself: status, title of the model, integrator and its settings, parameters of a batch.
    dimension : int
        2 or 3.
    bodies : dict of Body
        By name.
    report : Report or None
        Of a simulation in this process.
    """

    def __init__(self, owner: Owner, context: Context, report: Optional[Report] = None) -> None:
        self._owner, self._context, self.report = owner, context, report
        self._cache: Dict[str, FloatArray] = {}
        pointer = owner.pointer
        about = lib.phx_result_about(pointer)
        self._rows = int(about.rows)
        self.dimension: int = about.dimension
        columns = about.columns[:about.n_columns]
        self.columns: Tuple[str, ...] = tuple(text_of(column.name) for column in columns)
        self.units = {text_of(column.name): text_of(column.unit) for column in columns}
        self._places = {name: k for k, name in enumerate(self.columns)}
        self.attributes: Dict[str, Union[str, float]] = {}
        for item in about.attributes[:about.n_attributes]:
            self.attributes[text_of(item.name)] = item.number if item.text is None else text_of(item.text)
        self._n_x, self._n_v = about.n_x, about.n_v
        self._table: Optional[FloatArray] = None
        if about.width:
            self._table = view(about.memory, (self._rows, about.width), owner)
        self._complete, self._text = bool(about.complete), about.model_text
        self._bodies = list(map(self._body, about.bodies[:about.n_bodies]))
        self.bodies = {body.name: body for body in self._bodies}

    def _body(self, raw: Any) -> Body:
        deformations = raw.x_count - self.dimension - (3 if self.dimension == 2 else 9)
        shape = (raw.n_points, self.dimension, deformations)
        return Body(
            text_of(raw.name),
            text_of(raw.kind),
            slice(raw.x_start, raw.x_start + raw.x_count),
            slice(raw.v_start, raw.v_start + raw.v_count),
            _copy(raw.points, shape[:2]),
            _copy(raw.shapes, shape) if raw.shapes else None,
        )

    def _open(self) -> Any:
        if not self._owner.alive:
            raise ValueError("the result is closed")
        return self._owner.pointer

    # ---- the mapping ----
    __reduce_ex__ = not_pickled("Result", "simulate with h5=PATH and pickle the path for read_result, or pickle "
                                "result.to_numpy()")

    def __copy__(self) -> "Result":
        return self  # nothing in it can be changed

    def __deepcopy__(self, memo: Any) -> "Result":
        return self

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> FloatArray:
        place = self._places.get(name, -1)
        if place < 0:
            raise KeyError(self._unknown(name))
        if self._table is not None:
            column: FloatArray = self._table[:, place]
            return column
        if name not in self._cache:
            values = np.empty(self._rows)
            with hdf5, self._context as call:
                call.check(lib.phx_result_column(self._open(), place, 0, self._rows, doubles(values)))
            values.flags.writeable = False
            self._cache[name] = values
        return self._cache[name]

    def _unknown(self, name: str) -> str:
        near = get_close_matches(str(name), self.columns, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return f"no column {name!r}{hint} (columns: {', '.join(self.columns)})"

    def __repr__(self) -> str:
        state = "complete" if self.complete else "partial"
        return f"<{type(self).__name__} {self.title!r}: {self._rows} rows, {len(self)} columns, {state}>"

    # ---- what is in it ----
    @property
    def rows(self) -> int:
        """Number of instants."""
        return self._rows

    @property
    def t(self) -> FloatArray:
        """Time of each row, s."""
        return self["t"]

    @property
    def title(self) -> str:
        """Title of the model."""
        return str(self.attributes["model_name"])

    @property
    def complete(self) -> bool:
        """The run came to its end."""
        return self._complete

    @property
    def reason(self) -> str:
        """Why a partial result is partial."""
        return str(self.attributes["reason"])

    @property
    def model_text(self) -> str:
        """The model file, as it was read."""
        return text_of(self._text)

    def output(self, name: str) -> FloatArray:
        """All components of an output of the model.

        Parameters
        ----------
        name : str
            Its name in the model: ``tip`` stands for the columns ``tip.x``, ``tip.y``.

        Returns
        -------
        ndarray, shape (rows, components)
        """
        places = [k for k, column in enumerate(self.columns) if column == name or column.startswith(name + ".")]
        if not places:
            raise KeyError(self._unknown(name))
        if self._table is not None and places == list(range(places[0], places[-1] + 1)):
            block: FloatArray = self._table[:, places[0] : places[-1] + 1]
            return block
        return np.column_stack([self[self.columns[k]] for k in places])

    def _states(self) -> Tuple[FloatArray, FloatArray]:
        if self._table is not None:
            first = len(self.columns)
            middle, end = first + self._n_x, first + self._n_x + self._n_v
            return self._table[:, first:middle], self._table[:, middle:end]
        if "/x" not in self._cache:
            x, v = np.empty((self._rows, self._n_x)), np.empty((self._rows, self._n_v))
            with hdf5, self._context as call:
                call.check(lib.phx_result_states(self._open(), 0, self._rows, doubles(x), doubles(v)))
            for name, values in (("/x", x), ("/v", v)):
                values.flags.writeable = False
                self._cache[name] = values
        return self._cache["/x"], self._cache["/v"]

    @property
    def x(self) -> FloatArray:
        """Configurations, shape (rows, n_x): place, attitude and deformation of body after body."""
        return self._states()[0]

    @property
    def v(self) -> FloatArray:
        """Velocities, shape (rows, n_v)."""
        return self._states()[1]

    def _ledger(self, dissipates: bool) -> Dict[str, FloatArray]:
        pointer, entries = self._open(), {}
        about = lib.phx_result_about(pointer)
        for k, entry in enumerate(about.ledger[:about.n_ledger]):
            if entry.dissipates != dissipates:
                continue
            if self._table is not None:
                values: FloatArray = self._table[:, len(self.columns) + self._n_x + self._n_v + k]
            else:
                values = np.empty(self._rows)
                with hdf5, self._context as call:
                    call.check(lib.phx_result_ledger_values(pointer, k, 0, self._rows, doubles(values)))
                values.flags.writeable = False
            entries[text_of(entry.name)] = values
        return entries

    @property
    def supplied(self) -> Dict[str, FloatArray]:
        """Work that each drive, actuator and load has supplied since the start, J: they add up to ``supplied``."""
        return self._ledger(False)

    @property
    def dissipated(self) -> Dict[str, FloatArray]:
        """Work that each damper and body has taken since the start, J: they add up to ``dissipated``."""
        return self._ledger(True)

    def points(self, body: str, rows: Any = slice(None)) -> FloatArray:
        """Where a body's polyline is, deformation included.

        Parameters
        ----------
        body : str
            Name of the body.
        rows : slice or index array
            Instants wanted; all of them by default.

        Returns
        -------
        ndarray, shape (rows, n_points, dimension)
            In inertial components, m.
        """
        drawn, dimension = self.bodies[body], self.dimension
        x = np.atleast_2d(self.x[rows])[:, drawn.x]
        place, attitude = x[:, :dimension], x[:, dimension:]
        if dimension == 2:
            c, s = attitude[:, 0], attitude[:, 1]
            rotation = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
            deformation = attitude[:, 3:]
        else:
            rotation, deformation = attitude[:, :9].reshape(-1, 3, 3), attitude[:, 9:]
        local = np.broadcast_to(drawn.points, (len(x), *drawn.points.shape))
        if drawn.shapes is not None:
            local = local + np.einsum("pdq,rq->rpd", drawn.shapes, deformation)
        placed: FloatArray = place[:, None, :] + np.einsum("rij,rpj->rpi", rotation, local)
        return placed

    def _factors(self, first: int, count: int) -> FloatArray:
        scene = lib.phx_result_about(self._open()).scene.contents
        values = np.zeros((count, sum(scene.mesh_factors[: scene.n_meshes])))
        with hdf5, self._context as call:
            call.check(lib.phx_result_factors(self._open(), first, count, doubles(values)))
        return values

    def mesh(self, body: str) -> Mesh:
        """The mesh of a solid, a plate, an imported or a reduced body, with displacements and stresses at its nodes.

        Parameters
        ----------
        body : str
            Name of the body.

        Examples
        --------
        ``result.mesh("rod").von_mises(0.02)``
        """
        about = lib.phx_result_about(self._open())
        names = [b.name for b in self._bodies]
        with_mesh = [names[b] for b in about.scene.contents.mesh_body[: about.scene.contents.n_meshes]] if about.scene else []
        if body not in with_mesh:
            near = get_close_matches(body, with_mesh, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise KeyError(f"no body {body!r} with a mesh in the result{hint} (with a mesh: {', '.join(with_mesh) or 'none'})")
        return Mesh(self, body, with_mesh.index(body))

    def write_page(self, path: PathLike) -> None:
        """Write a page that shows the result in any browser, as ``phlexor report`` does (without the certificate).

        Raises
        ------
        LibraryError
            The library was built without the page.
        """
        self._write_page(path)

    def _write_page(self, path: PathLike) -> phx_report_size:
        size = phx_report_size()
        with hdf5, self._context as call:
            call.check(lib.phx_report_result(call.pointer, self._open(), None, path_of(path), ctypes.byref(size)))
        return size

    def film(self, path: PathLike, *, at: Optional[float] = None, start: Optional[float] = None,
             end: Optional[float] = None, speed: Optional[float] = None, fps: Optional[float] = None,
             size: Union[str, Tuple[int, int]] = "1280x720", camera: Union[str, Sequence[float], None] = None,
             colour: Optional[str] = None, magnify: Optional[float] = None, plots: Optional[Iterable[str]] = None,
             title: Optional[str] = None, theme: Literal["light", "dark"] = "light") -> PathLike:
        """Draw a film, or a picture of one instant, as ``phlexor film`` does (docs/film.md).

        Parameters
        ----------
        path : path-like
            ``.mp4``, ``.webm``, ``.gif``, ``.png`` with `at`, or a folder for frames, which exists or ends with '/'.
        at : float, optional
            One instant in place of a film, s.
        start, end : float, optional
            Part of the motion, s: ``--from`` and ``--to`` of the program.
        speed, fps : float, optional
            1 is real time; frames a second.
        size : str or (int, int)
            Width and height in pixels.
        camera : str or sequence of float, optional
            ``iso``, ``front``, ``side``, ``top``, ``AZIMUTH/ELEVATION`` in degrees, or a direction (x, y, z).
        colour, magnify, title, theme : optional
            As in the program.
        plots : list of str, optional
            Plots or columns beside the scene.

        Returns
        -------
        path-like
            The path.

        Raises
        ------
        ArgumentError
            An option is wrong, or the result has no such column or quantity.
        LibraryError
            Chromium or ffmpeg is missing, or the library was built without the page.
        """
        from .film import film_result  # the command imports the package

        def page_of(folder: str) -> Tuple[str, phx_report_size]:
            page = os.path.join(folder, "page.html")
            return page, self._write_page(page)

        film_result(os.fsdecode(path), self.title, page_of, {
            "at": at, "start": start, "end": end, "speed": speed, "fps": fps, "size": size, "camera": camera,
            "colour": colour, "magnify": magnify, "plots": list(plots) if plots else None, "title": title,
            "theme": theme})
        return path

    def _repr_html_(self) -> Optional[str]:
        return page_frame(self.write_page)

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draw columns over time with matplotlib; those of one unit in one diagram.

        Parameters
        ----------
        *names : str
            Columns, or outputs with several of them: ``tip`` for ``tip.x`` and ``tip.y``. Default: all but the time.
        ax : matplotlib axes, optional
            One or several; new ones by default.

        Returns
        -------
        ndarray of axes
        """
        wanted = [column for name in names or self.columns[1:] for column in
                  ([name] if name in self.columns else [c for c in self.columns if c.startswith(name + ".")] or [name])]
        return plot_columns(self.t, {name: self[name] for name in wanted}, self.units, ax)

    def to_pandas(self) -> Any:
        """All columns as a pandas DataFrame, the time as its index."""
        pandas = optional_module("pandas")
        return pandas.DataFrame({name: self[name] for name in self.columns[1:]},
                                index=pandas.Index(self.t, name=self.columns[0]))

    def to_xarray(self) -> Any:
        """All columns as an xarray Dataset over the time, with their units."""
        xarray = optional_module("xarray")
        time = self.columns[0]
        return xarray.Dataset({name: (time, self[name], {"units": self.units.get(name, "")})
                               for name in self.columns[1:]}, {time: (time, self.t, {"units": "s"})})

    def to_numpy(self) -> Any:
        """All columns as one structured array, a field for each."""
        table = np.empty(self._rows, [(name, float) for name in self.columns])
        for name in self.columns:
            table[name] = self[name]
        return table

    def close(self) -> None:
        """Close the file. Columns and states that were read stay. A result in memory goes with its last array."""
        if self._table is None:
            self._owner.close()

    def __enter__(self) -> "Result":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def result_in_memory(pointer: Any, context: Context, report: Optional[Report]) -> Result:
    """Take over a result that a call has made."""
    return Result(Owner(lib.phx_result_destroy, pointer, context), context, report)


def _close_file(pointer: Any) -> None:
    hdf5.later(lambda: lib.phx_result_destroy(pointer))


@checked
def read_result(path: PathLike) -> Result:
    """Read the result of a simulation (.h5), complete or partial, written by the program or the package.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Result
        It keeps the file open. Columns and states are read when asked for.

    Raises
    ------
    FileError
        The file is missing, damaged, or something else; the message says which.
    """
    context, pointer = Context(), ctypes.POINTER(phx_result)()
    with hdf5, context as call:
        call.check(lib.phx_result_read(call.pointer, path_of(path), ctypes.byref(pointer)))
    return Result(Owner(_close_file, pointer, context), context)
