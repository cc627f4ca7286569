"""What the commands in Python share: the command line, progress, files, messages, the exit status."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import warnings
from importlib import import_module
from types import TracebackType
from typing import Any, List, Optional, Tuple, Type, Union

from ._library import lib
from .errors import Interrupted, ModelError, PhlexorError, PhlexorWarning, UnsupportedError, code_of

#: Modules with a function `run(arguments)` that returns the exit status.
COMMANDS = ("film", "mcp", "reproduce")
DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
_messages_are_json = False


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


def _put_message(message: str, severity: str, code: str = "") -> None:
    """One message on stderr, as text or, with --messages json, as an object."""
    if _messages_are_json:
        fields = {"severity": severity, "code": code, "message": message}
        print(json.dumps({key: text for key, text in fields.items() if text}), file=sys.stderr)
    else:
        print(f"phlexor: {'warning: ' if severity == 'warning' else ''}{message}", file=sys.stderr)


def _complain(message: str, status: int, code: str) -> int:
    _put_message(message, "error", code)
    return status


def _show_warning(message: Union[Warning, str], *place: Any) -> None:
    _put_message(str(message), "warning")


def _take_messages(arguments: List[str]) -> Tuple[str, List[str]]:
    """The value of --messages, which the program has checked, and the other words."""
    form, rest, words = "text", [], iter(arguments)
    for word in words:
        if word == "--messages":
            form = next(words, form)
        elif word.startswith("--messages="):
            form = word.partition("=")[2]
        else:
            rest.append(word)
    return form, rest


def main(arguments: List[str]) -> int:
    global _messages_are_json
    form, arguments = _take_messages(arguments)
    _messages_are_json = form == "json"
    if not arguments or arguments[0] not in COMMANDS:
        return _complain(f"the commands in Python are: {', '.join(COMMANDS)}", USAGE, "usage")
    lib.phx_algebra_set_threads(1)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    warnings.simplefilter("always", PhlexorWarning)
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    try:
        status: int = import_module(f".{arguments[0]}", __package__).run(arguments[1:])
        sys.stdout.flush()
        return status
    except (KeyboardInterrupt, Interrupted):
        return _complain("interrupted", INTERRUPTED, "interrupted")
    except PhlexorError as error:
        status = USAGE if isinstance(error, (ModelError, UnsupportedError)) else FAILED
        return _complain(str(error), status, code_of(error))
    except BrokenPipeError:  # whoever read has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        return _complain(f"{error.filename or 'standard output'}: {error.strerror}", FAILED, "file")

