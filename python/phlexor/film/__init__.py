"""Films and stills of a result, drawn by the page of ``phlexor report`` in a headless browser: ``phlexor film`` and
:meth:`Result.film <phlexor.Result.film>`."""

from __future__ import annotations

import base64
import ctypes
import json
import math
import os
import re
import sys
import tempfile
from argparse import Namespace
from difflib import get_close_matches
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .._binding import phx_report_options, phx_report_size
from .._call import Context, log, path_of
from .._command import Progress, parser_of, put
from .._library import lib
from ..errors import ArgumentError, ModelError
from .browser import Browser, find_browser
from .writers import Film, Folder, Gif, Picture, Writer, check_folder, find_ffmpeg

__all__ = ["film_result", "run"]

VIEWS = ("front", "side", "top", "iso")
FILMS = ("mp4", "webm", "gif")
SIDES = (16, 8192)  # pixels; software draws no larger ones
MOST_FRAMES = 100000
LIKED = (3.0, 60.0)  # s: a motion that takes as long is shown at its own speed
FILM_SECONDS = 10.0  # of a motion that is shown at another speed
OPTIONS = ("at", "fps", "speed", "camera", "colour", "magnify", "plots", "title")
AHEAD = 2  # frames that the page is asked for before the first of them is taken
END_SHARE = 1e-9  # of a frame: the last instant is shown though rounding puts it behind the end
READY = """(async () => {
    const state = () => document.querySelector('.failure p')?.textContent ?? (document.documentElement.dataset.ready && '');
    while (state() === undefined) await new Promise((next) => setTimeout(next, 10));
    return { failure: state(), about: window.phlexor?.film?.about ?? null };
})()"""


# ---- options ----
def _number(option: str, text: str, low: float, high: float = math.inf, what: str = "") -> float:
    """The number of an option, within its bounds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high or math.isinf(value):
        raise ModelError(f"{option}: '{text}' is no {what or 'number'}")
    return value


def _size(text: str, even: bool) -> Tuple[int, int]:
    match = re.fullmatch(r"(\d+)x(\d+)", text)
    sides = [int(side) for side in match.groups()] if match else []
    if not sides or not all(SIDES[0] <= side <= SIDES[1] for side in sides):
        raise ModelError(f"--size: '{text}' is no size such as 1280x720, with {SIDES[0]} to {SIDES[1]} pixels a side")
    if even and any(side % 2 for side in sides):
        raise ModelError(f"--size: mp4 and webm need even numbers, '{text}' has an odd one")
    return sides[0], sides[1]


def _camera(text: Optional[str]) -> Any:
    """A view by its name, a direction x,y,z, the numbers of a link, or AZIMUTH/ELEVATION in degrees."""
    if text is None or text in VIEWS:
        return text
    try:
        if "/" in text:
            azimuth, elevation = (math.radians(float(part)) for part in text.split("/"))
            numbers = [math.cos(elevation) * math.cos(azimuth), math.cos(elevation) * math.sin(azimuth),
                       math.sin(elevation)]
        else:
            numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (3, 7) or not all(map(math.isfinite, numbers)) or not any(numbers[:3]):
        raise ModelError(f"--camera: '{text}' is neither {', '.join(VIEWS)}, a direction x,y,z, AZIMUTH/ELEVATION in "
                         "degrees nor the view of a link, seven numbers")
    return numbers


def _known(option: str, name: str, names: Sequence[str], listed: Sequence[str]) -> str:
    """A name that the page knows; else an error with the nearest one, or with those that are listed."""
    if name in names:
        return name
    near = get_close_matches(name, names, 1)
    hint = f"did you mean '{near[0]}'?" if near else f"it has {', '.join(listed) or 'none'}"
    raise ModelError(f"{option}: the result has no '{name}'; {hint}")


def _form(given: Namespace) -> str:
    """png, mp4, webm, gif, or a folder: ''."""
    path = given.output
    if path.endswith("/") or os.path.isdir(path):
        form = ""
    else:
        form = os.path.splitext(path)[1].lower()[1:]
        if form != "png" and form not in FILMS:
            raise ModelError(f"{path}: the name has to end with .mp4, .webm, .gif, .png or, for a folder of frames, '/'")
    if (form == "png") != (given.at is not None):
        raise ModelError(f"{path}: a .png shows one instant, which --at names, and --at needs a .png")
    for option in ("fps", "speed", "start", "end"):
        if form == "png" and getattr(given, option) is not None:
            name = {"start": "from", "end": "to"}.get(option, option)
            raise ModelError(f"--{name} is of a film; --at is one instant")
    return form


# ---- the times of the frames ----
def _pleasant(duration: float) -> float:
    """The speed 1, 2 or 5 times a power of ten that shows a motion in about ten seconds; 1 for one of 3 to 60 s."""
    if LIKED[0] <= duration <= LIKED[1]:
        return 1.0
    wanted = duration / FILM_SECONDS
    power = math.floor(math.log10(wanted))
    speeds = [factor * 10.0 ** exponent for exponent in (power, power + 1) for factor in (1, 2, 5)]
    return min(speeds, key=lambda speed: abs(math.log(speed / wanted)))


def _instant(option: str, text: Optional[str], default: float, reach: Sequence[float]) -> float:
    """An instant of the motion."""
    if text is None:
        return default
    value = _number(option, text, -math.inf, what="time in s")
    if not reach[0] <= value <= reach[1]:
        raise ModelError(f"{option}: {text} s is outside of the motion, {reach[0]:g} to {reach[1]:g} s")
    return value


def _times(given: Namespace, about: Dict[str, Any]) -> Tuple[List[float], float, float]:
    """The instants of the frames, the speed, and the time between two frames: t_k = from + k speed / rate."""
    reach, rate = about["range"], given.rate
    if given.at is not None:
        return [_instant("--at", given.at, 0.0, reach)], 1.0, (reach[1] - reach[0]) / 2000
    start, end = _instant("--from", given.start, reach[0], reach), _instant("--to", given.end, reach[1], reach)
    if not end > start:
        raise ModelError(f"--from {start:g} s is not before --to {end:g} s" if about["frames"] > 1 else
                         "the result has one instant: there is nothing to film; --at shows it")
    speed = _number("--speed", given.speed, sys.float_info.min, what="speed greater than 0") if given.speed else \
        _pleasant(end - start)
    step = speed / rate
    if (end - start) / step > MOST_FRAMES:
        raise ModelError(f"the film would have {(end - start) / step:.3g} frames; a larger --speed makes fewer")
    return [min(end, start + k * step) for k in range(math.floor((end - start) / step + END_SHARE) + 1)], speed, step


# ---- the page ----
def _page_of(result: str, folder: str) -> Tuple[str, phx_report_size]:
    """The page of a result, written into the folder, or the page that was given."""
    size = phx_report_size()
    if result.lower().endswith((".html", ".htm")):
        with open(result, "rb") as stream:
            if b'id="phlexor-manifest"' not in stream.read():
                raise ModelError(f"{result}: this is no page of 'phlexor report'")
        return result, size
    path = os.path.join(folder, "page.html")
    options = phx_report_options(source=path_of(os.path.basename(result)))
    with Context() as call:
        call.check(lib.phx_study_report(call.pointer, path_of(result), ctypes.byref(options), path_of(path),
                                        ctypes.byref(size)))
    return path, size


def _open(browser: Browser, page: str, result: str) -> Dict[str, Any]:
    """Opens the page; what a film of it can show."""
    browser.open(page)
    state = browser.evaluate(READY)
    if state["failure"]:
        raise ModelError(f"{result}: {state['failure']}")
    about: Optional[Dict[str, Any]] = state["about"]
    if about is None:
        raise ModelError(f"{result}: the page is of an older Phlexor; write it again with 'phlexor report'")
    if not about["frames"]:
        raise ModelError(f"{result}: there is no motion in it; films are made of results of 'phlexor simulate'")
    if not about["drawn"]:
        raise ModelError("the browser does not draw in three dimensions (WebGL 2 by software); set PHLEXOR_CHROMIUM to "
                         "another one")
    return about


def _view(given: Namespace, about: Dict[str, Any], speed: float, step: float) -> Dict[str, Any]:
    """The argument of the page's `prepare`."""
    view = {"width": given.sides[0], "height": given.sides[1], "speed": speed, "step": step, "camera": given.view,
            "title": given.title, "plots": []}
    if given.view is not None and about["plane"]:
        raise ModelError("--camera: a plane mechanism is seen from +z only")
    if given.colour is not None and given.colour != "body":
        view["colour"] = _known("--colour", given.colour, about["quantities"], about["quantities"])
    if given.magnify is not None:
        if not about["flexible"]:
            raise ModelError("--magnify: no body of the result is flexible")
        view["magnification"] = _number("--magnify", given.magnify, 0.0, what="magnification, 0 or more")
    for name in given.plots.split(",") if given.plots else []:
        view["plots"].append(_known("--plots", name, about["plots"], about["groups"]))
    return {key: value for key, value in view.items() if value is not None}


def _thinned(size: phx_report_size, about: Dict[str, Any], step: float) -> str:
    """A note when a page has fewer instants than the film has frames for them; else empty."""
    spacing = (about["range"][1] - about["range"][0]) / max(1, size.frames - 1)
    if not (0 < size.frames < size.rows and spacing > step):
        return ""
    return (f"the page holds {size.frames} of {size.rows} instants, one every {spacing:.3g} s; frames of the film "
            f"are {step:.3g} s apart and interpolated between them")


def _draw(browser: Browser, times: Sequence[float], writer: Writer, name: str, progress: Progress) -> None:
    """Asks the page for all frames, a little ahead of what is written."""
    asked: List[int] = []
    for k, time in enumerate([*times, *[None] * AHEAD]):
        if time is not None:
            asked.append(browser.ask(f"phlexor.film.frame({time!r})"))
        if k >= AHEAD or time is None:
            if asked:
                writer.put(base64.b64decode(browser.answer(asked.pop(0)).partition(",")[2]))
            progress(f"frames of {name}", min(k - AHEAD + 1, len(times)), len(times))


def _writer(path: str, form: str, rate: float) -> Writer:
    if form == "png":
        return Picture(path)
    if form == "":
        return Folder(path)
    return Gif(path, form, rate) if form == "gif" else Film(path, form, rate)


def _check(given: Namespace) -> Namespace:
    """Checks the options as far as that is possible without the result; adds `form`, `sides`, `rate` and `view`."""
    given.form = _form(given)
    given.sides = _size(given.size, given.form in ("mp4", "webm"))
    given.rate = _number("--fps", given.fps or "30", 1, 240, "rate of 1 to 240 frames a second")
    given.view = _camera(given.camera)
    if given.form in FILMS:
        find_ffmpeg()
    elif given.form == "":
        check_folder(given.output)
    find_browser()
    return given


def _film(given: Namespace, page_of: Callable[[str], Tuple[str, phx_report_size]], tell: Callable[[str], None]) -> None:
    """Writes the film of the page that page_of makes in a folder. Notes go to `tell`."""
    with tempfile.TemporaryDirectory(prefix="phlexor-film-") as folder, Progress() as progress:
        page, size = page_of(folder)
        with Browser(given.sides, dark=given.theme == "dark") as browser:
            about = _open(browser, page, given.result)
            times, speed, step = _times(given, about)
            browser.evaluate(f"phlexor.film.prepare({json.dumps(_view(given, about, speed, step))})")
            if len(times) > 1 and _thinned(size, about, step):
                tell(_thinned(size, about, step))
            with _writer(given.output, given.form, given.rate) as writer:
                _draw(browser, times, writer, given.output, progress)


def _options(arguments: List[str]) -> Namespace:
    """The options of the command."""
    parser = parser_of("film")
    parser.add_argument("result")
    parser.add_argument("-o", "--output")
    parser.add_argument("--from", dest="start")
    parser.add_argument("--to", dest="end")
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--theme", default="light")
    for name in OPTIONS:
        parser.add_argument(f"--{name}")
    words = list(arguments)
    for k in reversed(range(len(words) - 1)):  # a value may begin with '-'
        if words[k].startswith("--") and "=" not in words[k]:
            words[k: k + 2] = [f"{words[k]}={words[k + 1]}"]
    given = parser.parse_args(words)
    if given.output is None:
        given.output = os.path.splitext(given.result)[0] + (".mp4" if given.at is None else ".png")
    return _check(given)


def film_result(path: str, title: str, page_of: Callable[[str], Tuple[str, phx_report_size]],
                options: Dict[str, Any]) -> None:
    """`Result.film`: options as in the command, or numbers and sequences; errors name the keywords."""
    def word(value: Any, name: str) -> Optional[str]:
        if value is None or isinstance(value, str):
            return value
        if not isinstance(value, (list, tuple)):
            return str(value)
        return ("x" if name == "size" else ",").join(map(str, value))

    given = Namespace(result=title, output=path, **{name: word(value, name) for name, value in options.items()})
    try:
        if given.theme not in ("light", "dark"):
            raise ModelError(f"--theme: '{given.theme}' is neither light nor dark")
        _film(_check(given), page_of, log.info)
    except ModelError as error:
        keywords = {"from": "start", "to": "end"}
        raise ArgumentError(re.sub(r"--(\w+)", lambda found: keywords.get(found[1], found[1]), str(error))) from None


def run(arguments: List[str]) -> int:
    """``phlexor film``; returns the exit status."""
    given = _options(arguments)
    _film(given, lambda folder: _page_of(given.result, folder), lambda note: print(f"phlexor: {note}", file=sys.stderr))
    put(f"{given.output}\n")
    return 0
