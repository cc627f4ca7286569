"""A headless Chromium that is driven over its pipe: JSON messages with a NUL behind each, fd 3 to it, fd 4 from it."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, Optional, Tuple, Type, Union

from ..errors import AnalysisError, LibraryError

__all__ = ["Browser", "find_browser"]

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Software draws the scene, so that neither a display nor a graphics card is needed. Without GPU compositing, of the
# page around it, a film starts a second sooner.
FLAGS = ("--headless", "--remote-debugging-pipe", "--disable-gpu-rasterization", "--disable-gpu-compositing",
         "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-device-scale-factor=1",
         "--force-color-profile=srgb", "--hide-scrollbars", "--no-first-run", "--no-default-browser-check",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
         "--disable-extensions", "--disable-dev-shm-usage", "--mute-audio", "--host-resolver-rules=MAP * ~NOTFOUND")
WAIT = 120.0  # s, for one answer of the browser
CLOSE_WAIT = 5.0  # s, until a browser that was asked to end is killed
CHUNK = 1 << 20
HIGH_FD = 10  # above the descriptors that the browser's ends of the pipes get


def find_browser() -> str:
    """The browser that PHLEXOR_CHROMIUM names, or the first that is installed."""
    chosen = os.environ.get("PHLEXOR_CHROMIUM")
    for name in (chosen,) if chosen else NAMES:
        path = shutil.which(name)
        if path:
            return path
    if chosen:
        raise LibraryError(f"PHLEXOR_CHROMIUM is '{chosen}', which is no program")
    raise LibraryError("films are drawn by Chromium, which was not found; install it (Debian: chromium-headless-shell "
                       "or chromium), or set PHLEXOR_CHROMIUM to the path of a Chromium or Chrome")


class Browser:
    """One window of a browser. Leaving the context ends the browser with all its processes and removes its profile."""

    def __init__(self, size: Tuple[int, int], dark: bool) -> None:
        self._path, self._size, self._dark = find_browser(), size, dark
        self._pid, self._number, self._session = 0, 0, ""
        self._buffer = bytearray()
        self._answers: Dict[Union[int, str], Dict[str, Any]] = {}

    def __enter__(self) -> "Browser":
        self._profile = tempfile.mkdtemp(prefix="phlexor-film-")
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close(kindly=kind is None)

    # ---- the process ----
    def _start(self) -> None:
        """Starts the browser in a session of its own, which a Ctrl-C of the terminal does not reach."""
        (theirs_in, self._out), (self._in, theirs_out) = os.pipe(), os.pipe()
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH_FD) for fd in (theirs_in, theirs_out)]
        quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
        root = ("--no-sandbox",) if os.geteuid() == 0 else ()
        words = (self._path, *FLAGS, *root, "--window-size=%d,%d" % self._size, f"--user-data-dir={self._profile}",
                 "about:blank")
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        try:
            self._pid = os.posix_spawn(self._path, words, environment, setsid=True, file_actions=[
                *quiet, (os.POSIX_SPAWN_DUP2, ends[0], 3), (os.POSIX_SPAWN_DUP2, ends[1], 4)])
        except OSError as error:
            raise LibraryError(f"{self._path}: cannot start: {error.strerror}") from None
        finally:
            for fd in (theirs_in, theirs_out, *ends):
                os.close(fd)
        os.set_blocking(self._out, True)
        pages = [target for target in self.call("Target.getTargets")["targetInfos"] if target["type"] == "page"]
        self._session = self.call("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if self._dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def close(self, kindly: bool = False) -> None:
        """Ends the browser: asked to, or at once; nothing of it is left."""
        if self._pid:
            if kindly:
                self._send("Browser.close")
            deadline = time.monotonic() + CLOSE_WAIT
            while kindly and not self._ended() and time.monotonic() < deadline:
                time.sleep(0.01)
            try:
                os.killpg(self._pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            if not self._ended():
                os.waitpid(self._pid, 0)
            self._pid = 0
        for fd in (getattr(self, "_in", -1), getattr(self, "_out", -1)):
            if fd >= 0:
                os.close(fd)
        self._in = self._out = -1
        shutil.rmtree(self._profile, ignore_errors=True)

    def _ended(self) -> bool:
        try:
            return os.waitpid(self._pid, os.WNOHANG)[0] != 0
        except ChildProcessError:
            return True

    # ---- messages ----
    def _send(self, method: str, **parameters: Any) -> int:
        self._number += 1
        message: Dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self._out, data):]
        except BrokenPipeError:
            raise self._died() from None
        return self._number

    def _died(self) -> LibraryError:
        return LibraryError(f"{self._path} ended before the film was done. Try '{self._path} --headless --dump-dom "
                            "about:blank', which may say why, or set PHLEXOR_CHROMIUM to another one")

    def _wait(self, key: Union[int, str]) -> Dict[str, Any]:
        """The answer to the message of this number, or the event of this name; those that come before are put aside."""
        while key not in self._answers:
            if not select.select([self._in], [], [], WAIT)[0]:
                raise LibraryError(f"{self._path} has not answered for {WAIT:.0f} s")
            data = os.read(self._in, CHUNK)
            if not data:
                raise self._died()
            self._buffer += data
            if b"\0" not in data:
                continue
            *messages, rest = bytes(self._buffer).split(b"\0")
            self._buffer = bytearray(rest)
            for message in map(json.loads, messages):
                self._answers[message.get("id", message.get("method"))] = message
        return self._answers.pop(key)

    def _receive(self, number: int) -> Dict[str, Any]:
        answer = self._wait(number)
        if "error" in answer:
            raise LibraryError(f"{self._path}: {answer['error'].get('message')}")
        result: Dict[str, Any] = answer["result"]
        return result

    def call(self, method: str, **parameters: Any) -> Dict[str, Any]:
        return self._receive(self._send(method, **parameters))

    # ---- the page ----
    def ask(self, script: str) -> int:
        """Begins to evaluate a script in the page; `answer` of the number waits for its value."""
        return self._send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)

    def answer(self, number: int) -> Any:
        result = self._receive(number)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            said = details.get("exception", {}).get("description") or details.get("text")
            raise AnalysisError(f"the page failed: {str(said).splitlines()[0]}")
        return result["result"].get("value")

    def evaluate(self, script: str) -> Any:
        return self.answer(self.ask(script))

    def open(self, path: str) -> None:
        self.call("Page.enable")
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        self._wait("Page.loadEventFired")
