"""What becomes of the frames: one picture, a folder of pictures, or a film that ffmpeg encodes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from types import TracebackType
from typing import IO, Dict, List, Optional, Tuple, Type

from .._command import partial_of
from ..errors import FileError, LibraryError

__all__ = ["Film", "Folder", "Gif", "Picture", "Writer", "check_folder", "find_ffmpeg"]

THREADS = 2  # fixed: the bytes of a film depend on them
# The same film is the same bytes: no versions, dates and random numbers.
EXACT = ("-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-threads", str(THREADS))
COLOURS = ("-vf", "scale=out_color_matrix=bt709:out_range=tv", "-pix_fmt", "yuv420p", "-colorspace", "bt709",
           "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv")
CODECS: Dict[str, Tuple[str, ...]] = {
    "mp4": (*COLOURS, "-c:v", "libx264", "-preset", "fast", "-crf", "18", "-movflags", "+faststart"),
    "webm": (*COLOURS, "-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-deadline", "good", "-cpu-used", "4"),
}
FRAME = re.compile(r"frame_\d+\.png")


def find_ffmpeg() -> str:
    path = shutil.which("ffmpeg")
    if not path:
        raise LibraryError("mp4, webm and gif are encoded by ffmpeg, which was not found; install it (Debian: ffmpeg), or "
                           "write the frames into a folder, -o FRAMES/")
    return path


class Writer:
    """Takes frames as PNG. The output has its name when the context is left without an error."""

    def __init__(self, path: str) -> None:
        self._path = os.path.realpath(path)
        self._partial = partial_of(self._path)

    def __enter__(self) -> "Writer":
        try:
            self.start()
        except BaseException:
            self.abandon()
            raise
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            self.abandon()

    def start(self) -> None:
        raise NotImplementedError

    def put(self, png: bytes) -> None:
        raise NotImplementedError

    def finish(self) -> None:
        """Gives the output its name."""
        os.replace(self._partial, self._path)

    def abandon(self) -> None:
        """Removes what is unfinished."""
        if os.path.exists(self._partial):
            os.remove(self._partial)


class Picture(Writer):
    def start(self) -> None:
        self._stream: IO[bytes] = open(self._partial, "wb")

    def put(self, png: bytes) -> None:
        self._stream.write(png)

    def finish(self) -> None:
        self._stream.close()
        super().finish()


def check_folder(path: str) -> None:
    """A folder of frames may be new, empty or one of an earlier film; whatever else is in it stays."""
    if os.path.exists(path):
        others = [name for name in os.listdir(path) if not FRAME.fullmatch(name)]
        if others:
            raise FileError(f"{path}: the folder holds '{sorted(others)[0]}', which is no frame of a film; name a new one")


class Folder(Writer):
    """frame_0001.png and so on, in a folder that replaces one of an earlier film."""

    def start(self) -> None:
        check_folder(self._path)
        shutil.rmtree(self._partial, ignore_errors=True)
        os.mkdir(self._partial)
        self._count = 0

    def put(self, png: bytes) -> None:
        self._count += 1
        with open(os.path.join(self._partial, f"frame_{self._count:04d}.png"), "wb") as stream:
            stream.write(png)

    def finish(self) -> None:
        check_folder(self._path)
        if os.path.exists(self._path):
            shutil.rmtree(self._path)
        super().finish()

    def abandon(self) -> None:
        shutil.rmtree(self._partial, ignore_errors=True)


class Film(Writer):
    """mp4 or webm: ffmpeg encodes while frames are drawn."""

    def __init__(self, path: str, form: str, rate: float) -> None:
        super().__init__(path)
        self._form, self._rate = form, rate
        self._ffmpeg = find_ffmpeg()
        self._process: Optional[subprocess.Popen[bytes]] = None

    def run(self, frames: Optional[str], words: List[str]) -> "subprocess.Popen[bytes]":
        """Starts ffmpeg on frames of a file, or those written to it, out of reach of a Ctrl-C of the terminal."""
        self._said: IO[bytes] = tempfile.TemporaryFile()
        command = [self._ffmpeg, "-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "image2pipe", "-c:v",
                   "png", "-framerate", f"{self._rate:g}", "-i", frames or "pipe:0", *words]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL if frames else subprocess.PIPE,
                                         stdout=subprocess.DEVNULL, stderr=self._said, start_new_session=True)
        return self._process

    def wait(self) -> None:
        """Waits for ffmpeg; a failure has its last line."""
        assert self._process
        if self._process.stdin:
            try:
                self._process.stdin.close()
            except BrokenPipeError:
                pass  # it says why
        status, self._process = self._process.wait(), None
        self._said.seek(0)
        lines = self._said.read().decode("utf-8", "replace").strip().splitlines()
        self._said.close()
        if status:
            raise LibraryError(f"ffmpeg could not write {self._path}: {lines[-1] if lines else f'exit status {status}'}")

    def start(self) -> None:
        self.run(None, [*CODECS[self._form], *EXACT, "-f", self._form, self._partial])

    def put(self, png: bytes) -> None:
        assert self._process and self._process.stdin
        try:
            self._process.stdin.write(png)
        except BrokenPipeError:
            self.wait()
            raise LibraryError(f"ffmpeg ended before {self._path} was complete") from None

    def finish(self) -> None:
        self.wait()
        super().finish()

    def abandon(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None
        super().abandon()


class Gif(Film):
    """The palette is that of all frames, so these are kept in a file until the last has come."""

    def start(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="phlexor-film-")
        self._frames = os.path.join(self._folder, "frames.png")
        self._stream: IO[bytes] = open(self._frames, "wb")

    def put(self, png: bytes) -> None:
        self._stream.write(png)

    def finish(self) -> None:
        self._stream.close()
        palette = os.path.join(self._folder, "palette.png")
        self.run(self._frames, ["-vf", "palettegen=stats_mode=diff", *EXACT, "-update", "1", palette])
        self.wait()
        self.run(self._frames, ["-i", palette, "-lavfi", "paletteuse=dither=bayer:bayer_scale=5:diff_mode=rectangle",
                                *EXACT, "-f", "gif", self._partial])
        super().finish()

    def abandon(self) -> None:
        super().abandon()
        shutil.rmtree(self._folder, ignore_errors=True)
