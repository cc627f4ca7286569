"""One call of the library: its context, errors, messages and progress; and who owns what it makes."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import signal
import sys
import threading
import warnings
import weakref
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np
from numpy.typing import NDArray

from ._binding import phx_context, phx_log_fn, phx_log_level, phx_progress_fn, phx_status
from ._library import lib
from .errors import Interrupted, ModelError, PhlexorError, PhlexorWarning, error_of

log = logging.getLogger("phlexor")

PathLike = Union[str, "os.PathLike[str]"]
FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]
#: Called with what is counted, how much is done and of how much; False stops the work.
Progress = Callable[[str, float, float], Any]


# ---- texts and arrays ----
def text_of(value: Optional[bytes]) -> str:
    return value.decode("utf-8", "replace") if value else ""


def path_of(path: Optional[PathLike]) -> Optional[bytes]:
    return None if path is None else os.fsencode(path)


def names_of(names: Iterable[str]) -> Any:
    """A C array of texts."""
    encoded = [name.encode() for name in names]
    return (ctypes.c_char_p * max(len(encoded), 1))(*encoded)


def names_at(pointer: Any, count: int) -> Tuple[str, ...]:
    return tuple(text_of(pointer[k]) for k in range(count))


def name_list(what: str, names: Optional[Iterable[str]]) -> Optional[List[str]]:
    """A list of names as an argument; a single text is the usual mistake."""
    if isinstance(names, str):
        raise TypeError(f"{what} is a list of names: [{names!r}]")
    return None if names is None else list(names)


def view(pointer: Any, shape: Sequence[int], owner: Any, dtype: Any = np.float64) -> NDArray[Any]:
    """A read-only array over memory of the library; it keeps `owner` alive."""
    kind = np.dtype(dtype)
    count = 1
    for extent in shape:
        count *= int(extent)
    if count == 0 or not pointer:
        array = np.zeros(shape, kind)
    else:
        address = ctypes.cast(pointer, ctypes.c_void_p).value or 0
        memory: Any = (ctypes.c_char * (count * kind.itemsize)).from_address(address)
        memory._owner = owner
        array = np.frombuffer(memory, kind).reshape(shape)
    array.flags.writeable = False
    return array


def doubles(array: FloatArray) -> Any:
    """The C pointer to a contiguous array of doubles."""
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def field_names(structure: Any) -> List[str]:
    """Names of the fields of a C struct."""
    return [field[0] for field in structure._fields_]


# ---- ownership ----
class Owner:
    """Frees a C object when the last reference to this object has gone.

    What the C object needs (`keep`: its context, the object it belongs to) lives as long.
    """

    def __init__(self, free: Callable[..., Any], pointer: Any, *keep: Any) -> None:
        self.pointer = pointer
        self._finalizer = weakref.finalize(self, _free, free, pointer, keep)

    @property
    def alive(self) -> bool:
        """It has not been freed."""
        return self._finalizer.alive

    def close(self) -> None:
        """Free it now."""
        self._finalizer()


def _free(free: Callable[..., Any], pointer: Any, keep: Tuple[Any, ...]) -> None:
    free(pointer)


class Hdf5Lock:
    """HDF5 is for one thread at a time. What is to be closed while another thread has it waits until it has not."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._waiting: List[Callable[[], Any]] = []

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exception: object) -> None:
        self._drain()
        self._lock.release()

    def _drain(self) -> None:
        while self._waiting:
            self._waiting.pop()()

    def later(self, close: Callable[[], Any]) -> None:
        """Close a file now or as soon as possible; never waits."""
        self._waiting.append(close)
        if self._lock.acquire(blocking=False):
            try:
                self._drain()
            finally:
                self._lock.release()


hdf5 = Hdf5Lock()


def _outside() -> int:
    """The stacklevel of the line that called the package, for a warning of the function that asks."""
    frame, level = sys._getframe(1), 1
    folder = os.path.dirname(os.path.abspath(__file__))
    while frame.f_back and (os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == folder
                            or frame.f_code.co_filename == contextlib.__file__):
        frame, level = frame.f_back, level + 1
    return level


# ---- calls ----
NO_LOG, NO_PROGRESS = phx_log_fn(0), phx_progress_fn(0)



class Context:
    """A ``phx_context``, and what it tells while a call is at work.

    Use it as ``with Context() as call: call.check(lib.phx_...(call.pointer, ...))``. Each call of the package has one
    of its own, so that threads do not share any; objects that the library makes keep the context they report to.

    Exceptions in the progress function stop the work and are raised by :meth:`check`. So is the KeyboardInterrupt of
    Ctrl-C: its handler runs when the library next reports progress, not where Python would run it, at the entry of a
    function that C has called, which an exception could not leave. Warnings of the library are issued when the call is
    over.
    """

    def __init__(self, progress: Optional[Progress] = None, names: Optional[Callable[[int, int], str]] = None,
                 file: Optional[str] = None) -> None:
        self.pointer = ctypes.POINTER(phx_context)()
        status = lib.phx_context_create(ctypes.byref(self.pointer))
        if status:
            raise error_of(phx_status(status), "out of memory")
        self._finalizer = weakref.finalize(self, lib.phx_context_destroy, self.pointer)
        self._progress, self._names, self._file = progress, names, file
        self.raised: Optional[BaseException] = None
        self._handler: Any = None  # of SIGINT, while it is put off
        self._signals: List[Tuple[int, Any]] = []
        self._messages: List[Tuple[int, str]] = []

    def __enter__(self) -> "Context":
        self._log_function = phx_log_fn(self._tell)
        self._progress_function = phx_progress_fn(self._go_on)
        lib.phx_context_set_log(self.pointer, self._log_function, None)
        lib.phx_context_set_progress(self.pointer, self._progress_function, None)
        lib.phx_files_begin(self.pointer)  # a call writes over nothing that it reads
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self._handler = signal.signal(signal.SIGINT, lambda number, frame: self._signals.append((number, frame)))
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        lib.phx_files_end(self.pointer)
        lib.phx_context_set_log(self.pointer, NO_LOG, None)
        lib.phx_context_set_progress(self.pointer, NO_PROGRESS, None)
        del self._log_function, self._progress_function
        self._progress = None
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
            self._handle_signals()
            self._handler = None
        messages, self._messages = self._messages, []
        for level, message in messages:
            if level == phx_log_level.PHX_LOG_WARNING:
                warnings.warn(self.explain(message), PhlexorWarning, stacklevel=_outside())
            else:
                log.info("%s", message)

    def _tell(self, user: Any, level: int, message: Optional[bytes]) -> None:
        self._messages.append((level, text_of(message)))

    def _go_on(self, user: Any, what: Optional[bytes], done: float, total: float) -> bool:
        try:
            self._handle_signals()
            return self._progress is None or self._progress(text_of(what), done, total) is not False
        except BaseException as error:  # it must not leave through C
            self.raised = error
            return False

    def _handle_signals(self) -> None:
        """What Ctrl-C does otherwise."""
        while self._signals:
            self._handler(*self._signals.pop())

    # ---- errors ----
    def explain(self, message: str) -> str:
        """The message with the names of a model built in code instead of places in its text."""
        return self._place(message)[0]

    def _place(self, message: str) -> Tuple[str, int, int, Optional[str]]:
        """The message, line, column and name of the first place in the model file that it names."""
        head = f"{self._file}:"
        start = message.find(head) if self._file else -1
        if start < 0:
            return message, 0, 0, None
        rest = message[start + len(head):]
        parts = rest.split(":", 2)
        line, column, name = 0, 0, None
        if len(parts) == 3 and parts[0].isdigit() and parts[1].isdigit():
            line, column, rest = int(parts[0]), int(parts[1]), parts[2]
        if self._names:
            name = self._names(line, column) if line else None
            rest = rest.lstrip()
            said, colon, more = rest.partition(": ")  # the library may begin with the entry, or with what it is in
            rest = more if name and colon and name.startswith(said) else rest
            message = message[:start] + (f"{name}: " if name else "") + rest
        return message, line, column, name

    def error(self, status: int) -> BaseException:
        """The exception for a status that is not success."""
        code = phx_status(status)
        if self.raised is not None:
            raised, self.raised = self.raised, None
            return raised
        message, line, column, name = self._place(text_of(lib.phx_context_message(self.pointer)))
        error = error_of(code, message or text_of(lib.phx_status_text(status)))
        if isinstance(error, ModelError):
            error.file, error.name = self._file if line else None, name or None
            error.line, error.column = line, column
        return error

    def check(self, status: int) -> None:
        if status:
            raise self.error(status)
