"""What the commands in Python share: the command line, progress, files, messages, the exit status."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import warnings
from importlib import import_module
from types import TracebackType
from typing import Any, List, Optional, Type, Union

from ._library import lib
from .errors import Interrupted, ModelError, PhlexorError, PhlexorWarning, UnsupportedError

#: Modules with a function `run(arguments)` that returns the exit status.
COMMANDS = ("film", "reproduce")
DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def parser_of(command: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog=f"phlexor {command}", allow_abbrev=False)


class Progress:
    """A line on stderr when that is a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._shown:
            print(f"\r\033[K{done} of {total}: {what}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def put(text: str) -> None:
    """Text for stdout, in UTF-8 whatever the locale."""
    sys.stdout.buffer.write(text.encode())


def partial_of(path: str) -> str:
    """The name of an output that is not complete."""
    return path.rstrip("/") + ".partial"


def write(path: str, text: str) -> None:
    """A file that has its name when it is complete; a link is written through, '-' is stdout."""
    if path == "-":
        put(text)
        return
    path = os.path.realpath(path)
    partial = partial_of(path)
    try:
        with open(partial, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(partial, path)
    except OSError:
        if os.path.exists(partial):
            os.remove(partial)
        raise


def _complain(message: str, status: int) -> int:
    print(f"phlexor: {message}", file=sys.stderr)
    return status


def _show_warning(message: Union[Warning, str], *place: Any) -> None:
    print(f"phlexor: warning: {message}", file=sys.stderr)


def main(arguments: List[str]) -> int:
    if not arguments or arguments[0] not in COMMANDS:
        return _complain(f"the commands in Python are: {', '.join(COMMANDS)}", USAGE)
    lib.phx_algebra_set_threads(1)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    warnings.simplefilter("always", PhlexorWarning)
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    try:
        status: int = import_module(f".{arguments[0]}", __package__).run(arguments[1:])
        sys.stdout.flush()
        return status
    except (KeyboardInterrupt, Interrupted):
        return _complain("interrupted", INTERRUPTED)
    except PhlexorError as error:
        return _complain(str(error), USAGE if isinstance(error, (ModelError, UnsupportedError)) else FAILED)
    except BrokenPipeError:  # whoever read has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        return _complain(f"{error.filename or 'standard output'}: {error.strerror}", FAILED)

