"""What can go wrong: a class for each kind of failure, with the library's message.

Every exception of this module is a :class:`PhlexorError`. Those that correspond to a built-in exception are also
instances of it, so that ``except ValueError`` or ``except OSError`` catch what one expects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional, Type

if TYPE_CHECKING:
    from .batch import Batch
    from .result import Result

__all__ = [
    "AnalysisError",
    "ArgumentError",
    "AssemblyError",
    "FileError",
    "Interrupted",
    "LibraryError",
    "LibraryNotFoundError",
    "ModelError",
    "NotConvergedError",
    "OutOfMemoryError",
    "PhlexorError",
    "PhlexorWarning",
    "RejectedError",
    "SingularError",
    "UnsupportedError",
]


class PhlexorWarning(UserWarning):
    """What the library has to say although it goes on: settings without effect, redundant constraints."""


class LibraryNotFoundError(ImportError):
    """libphlexor was not found, or is not of this package's version."""


class PhlexorError(Exception):
    """Any failure.

    Attributes
    ----------
    status : int
        The library's code (``phx_status``); 0 when the failure was found before the library was called.
    result : Result or None
        Of a simulation that stopped early: what was computed so far.
    batch : Batch or None
        Of a batch that stopped early: the points before.
    """

    status: int = 0
    result: Optional["Result"] = None
    batch: Optional["Batch"] = None


class NotConvergedError(PhlexorError):
    """An iteration did not converge."""


class SingularError(PhlexorError, ArithmeticError):
    """A matrix is singular to working precision."""


class Interrupted(PhlexorError):
    """The progress function returned False."""


class RejectedError(PhlexorError):
    """No step, however small, was accepted."""


class ArgumentError(PhlexorError, ValueError):
    """An argument is out of range."""


class OutOfMemoryError(PhlexorError, MemoryError):
    """Memory is out."""


class ModelError(PhlexorError, ValueError):
    """The model is wrong.

    Attributes
    ----------
    file : str or None
        The model file, or None when the message names no place.
    line, column : int
        The place in the file, from 1; 0 when there is none.
    name : str or None
        Of a model built in code: the entry that is wrong, such as ``bodies.crank.mass``.
    """

    file: Optional[str] = None
    line: int = 0
    column: int = 0
    name: Optional[str] = None


class FileError(PhlexorError, OSError):
    """A file cannot be read or written."""


class AssemblyError(PhlexorError):
    """The joints cannot be closed."""


class AnalysisError(PhlexorError, ArithmeticError):
    """The analysis failed."""


class UnsupportedError(PhlexorError, NotImplementedError):
    """Not available for this model."""


class LibraryError(PhlexorError):
    """A library that Phlexor runs on reported an error."""


# by the names of the library's codes
_CLASSES: Dict[str, Type[PhlexorError]] = {
    "PHX_NOT_CONVERGED": NotConvergedError,
    "PHX_SINGULAR": SingularError,
    "PHX_INTERRUPTED": Interrupted,
    "PHX_REJECTED": RejectedError,
    "PHX_ERR_ARGUMENT": ArgumentError,
    "PHX_ERR_MEMORY": OutOfMemoryError,
    "PHX_ERR_INPUT": ModelError,
    "PHX_ERR_FILE": FileError,
    "PHX_ERR_ASSEMBLY": AssemblyError,
    "PHX_ERR_ANALYSIS": AnalysisError,
    "PHX_ERR_UNSUPPORTED": UnsupportedError,
    "PHX_ERR_LIBRARY": LibraryError,
}


def code_of(error: PhlexorError) -> str:
    """The code of its message: `input` of PHX_ERR_INPUT; empty if the class has none."""
    names = [name for name, kind in _CLASSES.items() if type(error) is kind]
    return names[0].replace("PHX_", "").replace("ERR_", "").lower() if names else ""


def error_of(status: Any, message: str) -> PhlexorError:
    """The exception for a code of the library (a member of its enum)."""
    error = _CLASSES.get(status.name, PhlexorError)(message)
    error.status = int(status)
    return error
