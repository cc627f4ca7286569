"""Robots in URDF and MJCF."""

from __future__ import annotations

import ctypes
import os
from typing import Iterable, Literal, Mapping, Optional, Sequence, Union

from ._call import Context, PathLike, names_of, path_of
from ._library import lib
from .model import Model

__all__ = ["import_robot"]

_DRIVES = {"free": 0, "pd": 1, "torque": 2, "motion": 3}


def import_robot(robot: PathLike, model: PathLike, *, drive: Literal["free", "pd", "torque", "motion"] = "free",
                 bend: Union[str, Iterable[str], Mapping[str, Sequence[Union[float, str]]]] = (), material: Optional[str] = None,
                 packages: Optional[Mapping[str, PathLike]] = None, free_base: bool = False, keep_fixed: bool = False,
                 shapes: bool = True, lossy: bool = False, ground: bool = False) -> Model:
    """Write the model file of a robot and read it (docs/robots.md).

    Parameters
    ----------
    robot, model : path-like
        The robot's file, the model file.
    drive : {"free", "pd", "torque", "motion"}
        What its joints have: nothing, a PD controller each, an effort each, a prescribed motion each.
    bend : str, iterable of str, or mapping
        Links that bend up to the next joint, or ``"all"``; as a mapping to the diameters (outer, inner) of tubes in
        m, and their material if it is another one.
    material : {"aluminium", "steel", "titanium"}, optional
        Of these links.
    packages : mapping, optional
        Folders of ``package://NAME/``, by name.
    free_base : bool
        The root link moves; else it is the ground.
    keep_fixed : bool
        Links on fixed joints stay bodies.
    shapes : bool
        With pictures.
    lossy : bool
        Leave out constraints and tendons of MJCF without counterpart; else they are an error.
    ground : bool
        Let collision shapes touch the ground: the first plane of MJCF, in URDF the plane z = 0.

    Returns
    -------
    Model
    """
    if drive not in _DRIVES:
        raise ValueError(f"drive: expected one of {', '.join(_DRIVES)}, got {drive!r}")
    options = lib.phx_robot_options_default()
    if isinstance(bend, Mapping):
        links = [f"{name}={','.join(str(value) for value in tube)}" for name, tube in bend.items()]
    else:
        links = [bend] if isinstance(bend, str) else list(bend)
    folders = [f"{name}={os.fspath(folder)!s}" for name, folder in (packages or {}).items()]
    options.path = path_of(robot)
    options.drive = _DRIVES[drive]
    options.n_bend, options.bend = len(links), names_of(links)
    options.n_packages, options.packages = len(folders), names_of(folders)
    options.material = material.encode() if material is not None else None
    options.free_base, options.keep_fixed, options.no_shapes = free_base, keep_fixed, not shapes
    options.lossy, options.ground = lossy, ground
    with Context() as call:
        call.check(lib.phx_study_save_robot(call.pointer, ctypes.byref(options), path_of(model)))
    return Model(model)
