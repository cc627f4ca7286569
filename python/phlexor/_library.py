"""The shared library: where it is, and its functions with their types."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sysconfig
from pathlib import Path
from typing import Any, Iterator

from . import _binding
from ._version import __version__
from .errors import LibraryNotFoundError

SERIES = ".".join(__version__.split(".")[:2])  # the interface is the same within a minor version
NAME = f"libphlexor.so.{SERIES}"


def places() -> Iterator[str]:
    """Where the library may be; the first that can be loaded counts."""
    package = Path(__file__).resolve().parent
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    for folder in [package, *list(package.parents)[:4]]:  # beside the package, or PREFIX/lib above it
        for candidate in (folder / NAME, folder / multiarch / NAME):
            if candidate.exists():
                yield str(candidate)
    yield NAME  # what the system's loader finds
    found = ctypes.util.find_library("phlexor")
    if found:
        yield found


def open_library() -> ctypes.CDLL:
    """Load the library.

    Raises
    ------
    LibraryNotFoundError
        With the places that were tried.
    """
    fonts = Path(__file__).resolve().parent.parent / "phlexor.libs" / "fonts.conf"
    if fonts.exists():  # of a wheel
        os.environ.setdefault("FONTCONFIG_FILE", str(fonts))
    chosen = os.environ.get("PHLEXOR_LIBRARY")
    tried = []
    for place in [chosen] if chosen else places():
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            tried.append(f"{place} ({error})")
    raise LibraryNotFoundError(
        f"libphlexor {SERIES} was not found. Install it (make install, then ldconfig), or set PHLEXOR_LIBRARY to the "
        f"path of {NAME}. Tried: {'; '.join(tried)}"
    )


class Library:
    """The functions of libphlexor as attributes, each given its types when it is first used."""

    def __init__(self) -> None:
        self._dll = open_library()
        found = self.phx_version().decode()
        if ".".join(found.split(".")[:2]) != SERIES:
            raise LibraryNotFoundError(
                f"{self._dll._name} is libphlexor {found}, this package is for {SERIES}: install both from one source"
            )

    def __getattr__(self, name: str) -> Any:
        try:
            result, arguments = _binding.FUNCTIONS[name]
        except KeyError:
            raise AttributeError(name) from None
        try:
            function = getattr(self._dll, name)
        except AttributeError:
            raise LibraryNotFoundError(
                f"{self._dll._name} has no {name}: install library and package from one source"
            ) from None
        function.restype, function.argtypes = result, arguments
        setattr(self, name, function)
        return function


lib = Library()
