"""What `phlexor film` does without a browser: options, instants of the frames, names it refuses, files of ffmpeg. Films
of results are tested through the program (cli_film), the pictures in web_page."""

import os
import shutil
import struct
import subprocess
import unittest
import zlib
from argparse import Namespace
from pathlib import Path
from unittest.mock import patch

import phlexor
from phlexor._binding import phx_report_size
from phlexor.film import _camera, _form, _pleasant, _size, _thinned, _times, _view
from phlexor.film.browser import NAMES
from phlexor.film.writers import Film, Folder, Gif, Picture
from support import EXAMPLES, Case

ABOUT = {"range": [0.0, 2.0], "frames": 9, "plane": False, "flexible": True, "quantities": ["torsion"],
         "plots": ["Energy", "kinetic"], "groups": ["Energy"]}


def options(**given):
    names = ("at", "fps", "speed", "start", "end", "camera", "colour", "magnify", "plots", "title")
    return Namespace(**{**dict.fromkeys(names), "rate": 10.0, "sides": (64, 48), "view": None, **given})


def picture(shade):
    """A PNG of 64 x 48 pixels in one grey."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + bytes([shade]) * 64) * 48
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 48, 8, 0, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Options(Case):
    def refuse(self, text, call, *arguments):
        with self.assertRaisesRegex(phlexor.ModelError, text):
            call(*arguments)

    def test_sizes_and_cameras(self):
        self.assertEqual(_size("1280x720", True), (1280, 720))
        self.assertEqual(_size("161x91", False), (161, 91))
        self.assertEqual(_camera("top"), "top")
        self.assertEqual(_camera("-1,0,2.5"), [-1.0, 0.0, 2.5])
        self.assertEqual(len(_camera("1,2,3,0,0,0,1")), 7)
        self.close(_camera("90/30"), [0.0, 0.75 ** 0.5, 0.5], 1e-15, "90/30")
        for wrong in ("", "1x", "1280x720x3", "15x100", "100x9000", "-1x5"):
            self.refuse("no size such as", _size, wrong, False)
        for wrong in ("", "1,2", "0,0,0", "nan,0,1", "a/b", "inf/0", "bottom", "1,2,3,4"):
            self.refuse("--camera", _camera, wrong)

    def test_names_of_outputs(self):
        for path, form in (("a.mp4", "mp4"), ("a.WEBM", "webm"), ("a.gif", "gif"), ("a/", ""), (str(self.folder), "")):
            self.assertEqual(_form(options(output=path)), form)
        self.assertEqual(_form(options(output="a.png", at="1")), "png")
        for path, more in (("a", {}), ("a.avi", {}), ("a.png", {}), ("a.mp4", {"at": "1"}),
                           ("a.png", {"at": "1", "speed": "2"})):
            self.refuse("", _form, options(output=path, **more))

    def test_views(self):
        view = _view(options(colour="torsion", magnify="20", plots="kinetic,Energy", title=""), ABOUT, 1.0, 0.1)
        self.assertEqual(view, {"width": 64, "height": 48, "speed": 1.0, "step": 0.1, "title": "", "colour": "torsion",
                                "magnification": 20.0, "plots": ["kinetic", "Energy"]})
        for text, more in (("did you mean 'torsion'", {"colour": "torsoin"}), ("it has torsion", {"colour": "von_mises"}),
                           ("it has Energy", {"plots": "x"}), ("no magnification", {"magnify": "-1"}),
                           ("no magnification", {"magnify": "nan"})):
            self.refuse(text, _view, options(**more), ABOUT, 1.0, 0.1)
        self.refuse("no body of the result is flexible", _view, options(magnify="2"), {**ABOUT, "flexible": False}, 1, 1)
        self.refuse("from \\+z only", _view, options(view="top"), {**ABOUT, "plane": True}, 1, 1)


class Times(Case):
    def test_speeds(self):
        """A motion of 3 to 60 s has its own speed; others take 10 s within the steps 1, 2, 5 of the speed."""
        for duration in (3.0, 10.0, 60.0):
            self.assertEqual(_pleasant(duration), 1.0)
        for duration in (1e-9, 0.012, 0.5, 2.9, 61.0, 5e4):
            self.assertTrue(10.0 / 1.6 < duration / _pleasant(duration) < 10.0 * 1.6, duration)
        self.assertEqual(_pleasant(0.02), 0.002)

    def test_instants(self):
        """t_k = from + k speed / rate, both ends among them."""
        times, speed, step = _times(options(speed="0.5", start="0.5"), ABOUT)
        self.assertEqual((len(times), times[0], times[-1], speed, step), (31, 0.5, 2.0, 0.5, 0.05))
        self.close(times, [0.5 + 0.05 * k for k in range(31)], 1e-14, "times")
        self.assertEqual(len(_times(options(), ABOUT)[0]), 101)  # 2 s at a fifth of its speed
        self.assertEqual(_times(options(at="1.5"), ABOUT)[0], [1.5])
        for text, more in (("outside of the motion", {"at": "2.1"}), ("no time", {"at": "soon"}),
                           ("is not before", {"start": "1", "end": "1"}), ("outside", {"end": "3"}),
                           ("no speed", {"speed": "0"}), ("no speed", {"speed": "inf"}), ("frames", {"speed": "1e-9"})):
            with self.assertRaisesRegex(phlexor.ModelError, text):
                _times(options(**more), ABOUT)
        with self.assertRaisesRegex(phlexor.ModelError, "one instant"):
            _times(options(), {**ABOUT, "range": [0.0, 0.0], "frames": 1})


class Thinned(Case):
    def test_note(self):
        """A page that has fewer instants than the result and than the film is named, others are not."""
        for rows, frames, step, noted in ((1000, 101, 0.001, True), (1000, 101, 0.1, False), (101, 101, 0.001, False),
                                          (0, 0, 0.001, False)):
            note = _thinned(phx_report_size(rows=rows, frames=frames), ABOUT, step)
            self.assertEqual("101 of 1000 instants, one every 0.02 s" in note, noted, note)
            self.assertEqual(bool(note), noted, note)


class Files(Case):
    def write(self, writer, count=7):
        with writer:
            for k in range(count):
                writer.put(picture(30 * k))

    def test_folders(self):
        """A folder of frames replaces an older one; other files are not touched."""
        path = self.folder / "frames"
        for count in (5, 3):
            self.write(Folder(f"{path}/"), count)
            self.assertEqual(sorted(file.name for file in path.iterdir()), [f"frame_{k + 1:04d}.png" for k in range(count)])
        self.assertEqual((path / "frame_0002.png").read_bytes(), picture(30))
        (path / "notes").touch()
        with self.assertRaisesRegex(phlexor.FileError, "notes"):
            self.write(Folder(str(path)))
        self.assertEqual(len(list(path.iterdir())), 4)

    def test_failures_leave_nothing(self):
        for writer in (Picture(str(self.folder / "a.png")), Folder(str(self.folder / "a"))):
            with self.assertRaises(KeyboardInterrupt), writer:
                writer.put(picture(0))
                raise KeyboardInterrupt
        self.assertEqual(list(self.folder.iterdir()), [])

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "ffmpeg is missing (Debian: ffmpeg)")
    def test_films(self):
        """Codec, size, frames; the same bytes twice; no film after an interruption, frames that are none, a full disk."""
        for form, codec, pixels in (("mp4", "h264", "yuv420p"), ("webm", "vp9", "yuv420p"), ("gif", "gif", "bgra")):
            kind = Gif if form == "gif" else Film
            paths = [self.folder / f"{k}.{form}" for k in range(3)]
            for path in paths[:2]:
                self.write(kind(str(path), form, 12.5))
            self.assertEqual(paths[0].read_bytes(), paths[1].read_bytes())
            said = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-of", "csv=p=0", "-show_entries",
                                   "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames", str(paths[0])],
                                  check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout.strip()
            self.assertEqual(said, f"{codec},64,48,{pixels},25/2,7")
            with self.assertRaises(KeyboardInterrupt), kind(str(paths[2]), form, 12.5) as film:
                film.put(picture(0))
                raise KeyboardInterrupt
            with self.assertRaisesRegex(phlexor.LibraryError, "ffmpeg"), kind(str(paths[2]), form, 12.5) as film:
                film.put(b"no picture")
            self.assertEqual(sorted(Path(self.folder).glob(f"*{form}*")), paths[:2])


class FilmOfResult(Case):
    def setUp(self):
        super().setUp()
        self.result = phlexor.Model(EXAMPLES / "beam.yaml").simulate(end=0.02, step=1e-3, h5=self.folder / "a.h5")

    def test_what_is_missing(self):
        """Without Chromium or ffmpeg the message names the package; options are named by their keywords."""
        with patch.dict(os.environ, {"PATH": str(self.folder)}), patch.dict(os.environ):
            os.environ.pop("PHLEXOR_CHROMIUM", None)
            with self.assertRaisesRegex(phlexor.LibraryError, "Chromium, which was not found; install it"):
                self.result.film(self.folder / "a.png", at=0.01)
            with self.assertRaisesRegex(phlexor.LibraryError, "ffmpeg, which was not found; install it"):
                self.result.film(self.folder / "a.mp4")
        for text, name, more in (("^fps: 'nan' is no rate", "a.gif", {"fps": float("nan")}),
                                 ("^size: '7x7' is no size", "a.gif", {"size": (7, 7)}),
                                 ("^start is of a film; at is one instant", "a.png", {"start": 1, "at": 0}),
                                 ("^theme: 'pink'", "a.png", {"theme": "pink", "at": 0})):
            with self.assertRaisesRegex(phlexor.ArgumentError, text):
                self.result.film(self.folder / name, **more)
        with self.assertRaisesRegex(TypeError, "plots is a list of names"):
            self.result.film(self.folder / "a.mp4", plots="Energy")
        self.assertEqual(list(self.folder.iterdir()), [self.folder / "a.h5"])

    @unittest.skipUnless(any(map(shutil.which, NAMES)), "Chromium is missing (Debian: chromium-headless-shell)")
    def test_pictures(self):
        """The same bytes as the program's, of a result in memory and of a file; the path comes back."""
        path = self.folder / "b.png"
        try:
            found = self.result.film(path, at=0.0125, size=(160, 90), magnify=20, plots=["Energy"], title="Ü")
        except phlexor.LibraryError as error:
            self.skipTest(str(error))
        self.assertIs(found, path)
        self.program("film", "a.h5", "--at", "0.0125", "--size", "160x90", "--magnify", "20", "--plots", "Energy", "--title",
                     "Ü", "-o", "c.png")
        self.assertEqual(path.read_bytes(), (self.folder / "c.png").read_bytes())
        with phlexor.read_result(self.folder / "a.h5") as file:
            file.film(f"{self.folder}/frames/", start=0.01, speed=0.01, fps=2, size="160x90", theme="dark")
            with self.assertRaisesRegex(phlexor.ArgumentError, "^end: 3.0 s is outside of the motion"):
                file.film(f"{self.folder}/frames/", end=3.0)
            with self.assertRaisesRegex(phlexor.ArgumentError, "^colour: the result has no 'axial_forc'; did you mean"):
                file.film(f"{self.folder}/frames/", colour="axial_forc")
        self.assertEqual(len(list((self.folder / "frames").iterdir())), 3)


if __name__ == "__main__":
    unittest.main()
