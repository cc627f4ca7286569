"""What results, modes, models and plants look like in a notebook: pages in a frame, and figures by matplotlib."""
import html
import importlib
import os
import tempfile
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

HEIGHT = 620  # pixels of the frame of a page


def page_frame(write: Callable[[str], None]) -> Optional[str]:
    """The page that ``write`` writes to a path, in a frame; None where the library was built without pages."""
    from .errors import LibraryError

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        try:
            write(path)
        except LibraryError:
            return None
        with open(path, encoding="utf-8") as file:
            page = file.read()
    return (f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:{HEIGHT}px;border:0" '
            'title="Phlexor"></iframe>')


def optional_module(name: str) -> Any:
    """A module that Phlexor does not need, and has no types of."""
    return importlib.import_module(name)


def axes_of(ax: Any, rows: int = 1) -> Any:
    """Axes to draw in: those given, or new ones one above the other."""
    if ax is not None:
        return np.atleast_1d(ax)
    plt = optional_module("matplotlib.pyplot")
    _, made = plt.subplots(rows, 1, sharex=True, squeeze=False, layout="constrained")
    return made[:, 0]


def plot_columns(t: Any, columns: Dict[str, Any], units: Dict[str, str], ax: Any) -> Any:
    """Columns over time; those of one unit share a diagram."""
    by_unit: Dict[str, List[str]] = {}
    for name in columns:
        by_unit.setdefault(units.get(name, ""), []).append(name)
    axes = axes_of(ax, len(by_unit))
    for k, (unit, names) in enumerate(by_unit.items()):
        own = axes[k % len(axes)]
        for name in names:
            own.plot(t, columns[name], label=name)
        own.set_ylabel(unit or "1")
        own.legend()
    axes[-1].set_xlabel("t, s")
    return axes


def plot_bode(system: Any, omega: Optional[Any], inputs: Optional[Sequence[str]], outputs: Optional[Sequence[str]],
              ax: Any) -> Any:
    """Magnitude in dB and phase in degrees of the transfer from every input to every output."""
    if omega is None:
        poles = system.poles
        if system.sample:
            poles = np.log(poles[poles != 0.0].astype(complex)) / system.sample
        sizes = np.abs(poles)
        sizes = sizes[sizes > 0.0]
        low, high = (sizes.min(), sizes.max()) if sizes.size else (1.0, 1.0)
        omega = np.geomspace(low / 10.0, np.pi / system.sample if system.sample else 10.0 * high, 2000)
    response = system.response(omega)
    magnitude, phase = axes_of(ax, 2)
    for i, output in enumerate(system.outputs):
        for j, name in enumerate(system.inputs):
            if (inputs is None or name in inputs) and (outputs is None or output in outputs):
                values = response[:, i, j]
                with np.errstate(divide="ignore"):
                    magnitude.semilogx(omega, 20.0 * np.log10(np.abs(values)), label=f"{name} to {output}")
                phase.semilogx(omega, np.degrees(np.unwrap(np.angle(values))))
    magnitude.set_ylabel("magnitude, dB")
    magnitude.legend()
    phase.set_ylabel("phase, degrees")
    phase.set_xlabel("angular frequency, rad/s")
    return magnitude, phase
