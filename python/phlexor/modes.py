"""Frequencies and mode shapes, at one point or over a sweep."""

from __future__ import annotations

import ctypes
from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from ._binding import phx_mode_row, phx_modes_format, phx_modes_table
from ._call import ComplexArray, Context, FloatArray, Owner, PathLike, hdf5, names_at, path_of, text_of, view
from ._check import checked, not_pickled
from ._display import axes_of, page_frame
from ._library import lib

__all__ = ["Modes", "read_modes"]

_FORMATS = {
    ".h5": phx_modes_format.PHX_MODES_HDF5,
    ".csv": phx_modes_format.PHX_MODES_CSV,
    ".json": phx_modes_format.PHX_MODES_JSON,
    ".xlsx": phx_modes_format.PHX_MODES_XLSX,
    ".txt": phx_modes_format.PHX_MODES_TEXT,
}


@checked
class Modes:
    """Frequencies, damping and shapes of the modes at every point of a sweep, or at one point.

    Arrays over points and modes are as wide as the point with most modes; where another has fewer they have NaN, or
    the branch 0. All arrays are read-only.

    Attributes
    ----------
    title : str
        Title of the model.
    parameters : tuple of str
        Parameters of the sweep.
    points : ndarray, shape (points, parameters)
        Their values.
    rows : structured ndarray
        One mode at one point each, as the library lists them: ``point`` (from 0), ``mode`` (from 1), ``branch`` (from
        1), ``omega`` rad/s, ``frequency`` Hz, ``damping`` (ratio of critical). A view.
    omega, frequency, damping : ndarray, shape (points, modes)
    branch : ndarray of int, shape (points, modes)
        The identity of a mode along the sweep, by the resemblance of the shapes.
    rigid_modes : ndarray of int, shape (points,), or None
        Rigid-body modes, which are not listed.
    spin : ndarray, shape (points,), or None
        Angular speed of the steady rotation, rad/s.
    coordinates : tuple of str
        What the entries of a shape are; empty without shapes.
    shapes : ndarray, shape (rows, coordinates), or None
        Mode shapes of `rows`, real or complex. Of a real one a view.
    unstable : int or None
        Modes with negative damping, over all points. None when read from a file.
    least_confidence : float or None
        The worst MAC by which a mode was recognised along the sweep.
    """

    def __init__(self, table: phx_modes_table, owner: Owner, unstable: Optional[int] = None,
                 least_confidence: Optional[float] = None) -> None:
        self._table, self._owner = table, owner
        self.unstable, self.least_confidence = unstable, least_confidence
        self.title = text_of(table.model_name)
        self.parameters = names_at(table.parameters, table.n_parameters)
        points, rows = table.n_points, table.n_rows
        self.points: FloatArray = view(table.values, (points, table.n_parameters), owner)
        self.rows: NDArray[Any] = view(table.rows, (rows,), owner, np.dtype(phx_mode_row))
        self.rigid_modes: Optional[NDArray[np.intc]] = (
            view(table.rigid_modes, (points,), owner, np.intc) if table.rigid_modes else None
        )
        self.spin: Optional[FloatArray] = view(table.spin, (points,), owner) if table.spin else None
        self.coordinates = names_at(table.coordinates, table.n_coordinates)
        self.shapes = self._shapes(table)
        self.omega: FloatArray = self._by_point("omega", np.nan)
        self.frequency: FloatArray = self._by_point("frequency", np.nan)
        self.damping: FloatArray = self._by_point("damping", np.nan)
        self.branch: NDArray[np.intc] = self._by_point("branch", 0)

    def _shapes(self, table: phx_modes_table) -> Optional[NDArray[Any]]:
        if not table.shapes or not table.n_coordinates:
            return None
        extent = (table.n_rows, table.n_coordinates)
        real = view(table.shapes, extent, self._owner)
        if not table.shapes_imaginary:
            return real
        shapes: ComplexArray = real + 1j * view(table.shapes_imaginary, extent, self._owner)
        shapes.flags.writeable = False
        return shapes

    def _by_point(self, field: str, missing: float) -> NDArray[Any]:
        widest = int(self.rows["mode"].max()) if len(self.rows) else 0
        array = np.full((len(self.points), widest), missing, self.rows.dtype[field])
        array[self.rows["point"], self.rows["mode"] - 1] = self.rows[field]
        array.flags.writeable = False
        return array

    __reduce_ex__ = not_pickled("Modes", "write it to a .h5 file and pickle the path for read_modes")

    def __copy__(self) -> "Modes":
        return self  # nothing in it can be changed

    def __deepcopy__(self, memo: Any) -> "Modes":
        return self

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        over = f" over {', '.join(self.parameters)}" if self.parameters else ""
        return f"<Modes {self.title!r}: {self.omega.shape[1]} modes at {len(self)} points{over}>"

    def track(self, branch: int, field: str = "frequency") -> FloatArray:
        """A mode followed along the sweep.

        Parameters
        ----------
        branch : int
            Its number, from 1 (`branch`).
        field : {"frequency", "omega", "damping"}

        Returns
        -------
        ndarray, shape (points,)
            NaN where the mode is not among those listed.
        """
        followed = np.full(len(self), np.nan)
        chosen = self.rows[self.rows["branch"] == branch]
        followed[chosen["point"]] = chosen[field]
        return followed

    def shape(self, mode: int, point: int = 0) -> NDArray[Any]:
        """The shape of a mode (from 1) at a point (from 0), over `coordinates`."""
        if self.shapes is None:
            raise ValueError("there are no mode shapes: ask for them with shapes=True")
        row = np.flatnonzero((self.rows["point"] == point) & (self.rows["mode"] == mode))
        if not len(row):
            raise IndexError(f"there is no mode {mode} at point {point}")
        found: NDArray[Any] = self.shapes[row[0]]
        return found

    def write_page(self, path: PathLike) -> None:
        """Write a page that shows the modes in any browser, as ``phlexor report`` does (without the certificate).

        Raises
        ------
        LibraryError
            The library was built without the page.
        """
        with Context() as call:
            call.check(lib.phx_report_modes(call.pointer, ctypes.byref(self._table), None, path_of(path), None))

    def _repr_html_(self) -> Optional[str]:
        return page_frame(self.write_page)

    def plot(self, parameter: Optional[str] = None, ax: Any = None) -> Any:
        """Draw the frequencies over a parameter of the sweep with matplotlib, a line for each branch; without a sweep
        over the number of the mode. Returns the axes."""
        (own,) = axes_of(ax)
        own.set_ylabel("frequency, Hz")
        if not self.parameters:
            own.plot(np.arange(1, self.frequency.shape[1] + 1), self.frequency[0], "o")
            own.set_xlabel("mode")
            return own
        column = self.parameters.index(parameter) if parameter else 0
        for branch in np.unique(self.rows["branch"]):
            own.plot(self.points[:, column], self.track(int(branch)), label=f"{branch}")
        own.set_xlabel(self.parameters[column])
        own.legend(title="branch")
        return own

    def write(self, path: PathLike) -> None:
        """Write a file as ``phlexor modes -o`` does: .h5 (with shapes), .csv, .json or .txt."""
        encoded = path_of(path) or b""
        end = "." + encoded.decode("utf-8", "replace").rpartition(".")[2].lower()
        if end not in _FORMATS:
            raise ValueError(f"{path}: the name ends in one of {', '.join(_FORMATS)}")
        with hdf5, Context() as call:
            call.check(lib.phx_modes_write(call.pointer, ctypes.byref(self._table), _FORMATS[end], encoded))


def modes_of(table: phx_modes_table, context: Context, **more: Any) -> Modes:
    """Take over a table that a call has filled."""
    return Modes(table, Owner(_free_table, table, context), **more)


def _free_table(table: phx_modes_table) -> None:
    lib.phx_modes_free(ctypes.byref(table))


@checked
def read_modes(path: PathLike) -> Modes:
    """Read what ``phlexor modes`` or :meth:`Modes.write` left, .h5 or .csv (without shapes)."""
    context, table = Context(), phx_modes_table()
    with hdf5, context as call:
        call.check(lib.phx_modes_read(call.pointer, path_of(path), ctypes.byref(table)))
    return modes_of(table, context)
