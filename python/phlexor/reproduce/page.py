"""What was computed beside what is published: items with their rows and figures, verdicts, the page and the tables."""

from __future__ import annotations

import csv
import ctypes
import io
import json
import math
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike

from .._binding import phx_chart_def, phx_chart_line
from .._call import Context, FloatArray, doubles
from .._library import lib
from ..errors import AnalysisError
from ..model import Model, Number

FOLDER = Path(__file__).parent


def text_of(name: str) -> str:
    """A model or table that belongs to the items."""
    return (FOLDER / name).read_text(encoding="utf-8")


def numbers_of(name: str) -> Dict[str, FloatArray]:
    """The columns of a table of numbers; NaN where a field is none."""
    def number(field: str) -> float:
        try:
            return float(field)
        except ValueError:
            return math.nan

    head, *rows = csv.reader(line for line in text_of(name).splitlines() if line and not line.startswith("#"))
    return {name: np.array([number(row[k]) for row in rows]) for k, name in enumerate(head)}


# ---- values and verdicts ----
class Verdict(IntEnum):
    """The outcome; the worse, the larger."""

    SHOWN = 0      # nothing to hold it against
    PASS = 1       # every standard is met
    EXPLAINED = 2  # the reference is met, the published value is not, and the reason is given
    FAIL = 3

    @property
    def word(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Standard:
    """Something to hold a value against: met when ``|computed - value| <= tolerance``, never by NaN."""

    value: float
    tolerance: float
    text: Optional[str] = None  # as it is printed

    def met(self, value: float) -> bool:
        return abs(value - self.value) <= self.tolerance


def near(value: float, relative: float) -> Standard:
    """A reference with a relative tolerance."""
    return Standard(value, relative * abs(value))


def zero(tolerance: float) -> Standard:
    """The reference of a value that has to be zero."""
    return Standard(0.0, tolerance)


@dataclass(frozen=True)
class Row:
    """A value and what it is held against: print, and theory or a program that shares nothing with this one."""

    what: str
    unit: str
    value: float
    published: Optional[Standard] = None
    reference: Optional[Standard] = None
    reason: Optional[str] = None  # why the published value is not met; None: it has to be

    @property
    def verdict(self) -> Verdict:
        if not math.isfinite(self.value) or (self.reference and not self.reference.met(self.value)):
            return Verdict.FAIL
        if self.published and not self.published.met(self.value):
            return Verdict.EXPLAINED if self.reason and self.reference else Verdict.FAIL
        return Verdict.PASS if self.published or self.reference else Verdict.SHOWN

    @property
    def digits(self) -> int:
        """Two are enough for a difference that should be zero."""
        standards = [standard for standard in (self.published, self.reference) if standard]
        return 2 if any(standard.value == 0.0 for standard in standards) else 10 if standards else 4


@dataclass
class Figure:
    """A chart of lines, drawn by the library."""

    title: str
    x_label: str
    y_label: str
    remark: str = ""
    logarithmic: bool = False    # y, whose size is shown
    x_logarithmic: bool = False
    equal: bool = False          # one scale for both axes
    lines: List[Tuple[Optional[str], bool, FloatArray, FloatArray]] = field(default_factory=list)

    def line(self, label: Optional[str], x: ArrayLike, y: ArrayLike, points: bool = False) -> None:
        """A line through the points, or the points alone; without a label it is not in the legend."""
        xs, ys = (np.array(values, dtype=np.float64) for values in (x, y))
        self.lines.append((label, points, xs, ys))

    def svg(self) -> str:
        lines = (phx_chart_line * len(self.lines))(*(
            phx_chart_line(label.encode() if label else None, points, len(x), doubles(x), doubles(y))
            for label, points, x, y in self.lines))
        made, text = phx_chart_def(n_lines=len(self.lines), lines=lines), ctypes.c_char_p()
        for name in ("title", "remark", "x_label", "y_label"):
            setattr(made, name, getattr(self, name).encode())
        for name in ("logarithmic", "x_logarithmic", "equal"):
            setattr(made, name, getattr(self, name))
        with Context() as call:
            call.check(lib.phx_chart_svg(call.pointer, ctypes.byref(made), ctypes.byref(text)))
        try:
            return (text.value or b"").decode()
        finally:
            lib.phx_free(text)


# ---- items ----
@dataclass(frozen=True)
class Source:
    key: str
    citation: str
    url: Optional[str] = None


@dataclass(frozen=True)
class Missing:
    """A table or figure of a source that has no item."""

    source: str
    place: str
    why: str


@dataclass(frozen=True)
class Entry:
    """A table or figure of a source, and what computes it."""

    name: str
    title: str
    source: str
    place: str
    where: str  # source and place in one line
    compute: Callable[["Item"], None]
    text: str  # what is computed, and how; empty lines make paragraphs
    command: Optional[str] = None  # lines that do it by hand
    model: Optional[str] = None
    notes: Sequence[str] = ()


#: Published values and reasons, by item and quantity.
Published = Mapping[Tuple[str, str], Tuple[Standard, Optional[str]]]


@dataclass
class Item:
    """An entry with what came of it."""

    entry: Entry
    published: Published
    rows: List[Row] = field(default_factory=list)
    figures: List[Figure] = field(default_factory=list)
    failure: Optional[str] = None
    seconds: float = 0.0

    def row(self, what: str, unit: str, value: float, reference: Optional[Standard] = None) -> None:
        """A value; the published one is looked up by `what`."""
        published, reason = self.published.get((self.entry.name, what), (None, None))
        self.rows.append(Row(what, unit, float(value), published, reference, reason))

    def figure(self, title: str, x_label: str, y_label: str, remark: str = "", logarithmic: bool = False,
               x_logarithmic: bool = False, equal: bool = False) -> Figure:
        self.figures.append(Figure(title, x_label, y_label, remark, logarithmic, x_logarithmic, equal))
        return self.figures[-1]

    def model(self, file: str, edit: Optional[Tuple[str, str]] = None,
              parameters: Optional[Mapping[str, Number]] = None) -> Model:
        """The model of a file, one text in it replaced."""
        text = text_of(file)
        if edit and edit[0] not in text:
            raise AnalysisError(f"{file} has no {edit[0]!r} that could be replaced")
        return Model.from_text(text.replace(*edit, 1) if edit else text, parameters, name=file)

    @property
    def verdict(self) -> Verdict:
        return Verdict.FAIL if self.failure else max((row.verdict for row in self.rows), default=Verdict.SHOWN)

    def count(self, verdict: Verdict) -> int:
        return sum(row.verdict == verdict for row in self.rows)


@dataclass
class Page:
    title: str
    introduction: str
    sources: Sequence[Source]
    missing: Sequence[Missing]
    items: List[Item] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        return max((item.verdict for item in self.items), default=Verdict.SHOWN)

    def count(self, verdict: Verdict) -> int:
        """Values with this verdict."""
        return sum(item.count(verdict) for item in self.items)

    def items_with(self, *verdicts: Verdict) -> int:
        return sum(item.verdict in verdicts for item in self.items)


# ---- json and csv ----
def _finite(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None


def _standard(standard: Optional[Standard], value: float) -> Optional[Dict[str, Any]]:
    if not standard:
        return None
    return {"text": standard.text, "value": _finite(standard.value), "tolerance": _finite(standard.tolerance),
            "difference": _finite(abs(value - standard.value))}


def as_json(page: Page) -> str:
    """Without figures and models."""
    items = [{
        "name": item.entry.name, "title": item.entry.title, "source": item.entry.source, "place": item.entry.place,
        "model": item.entry.model, "command": item.entry.command, "failure": item.failure,
        "verdict": item.verdict.word, "seconds": item.seconds, "notes": list(item.entry.notes),
        "rows": [{
            "what": row.what, "unit": row.unit, "value": _finite(row.value),
            "published": _standard(row.published, row.value), "reference": _standard(row.reference, row.value),
            "reason": row.reason, "verdict": row.verdict.word,
        } for row in item.rows],
    } for item in page.items]
    return json.dumps({
        "title": page.title, "program_version": lib.phx_version().decode(), "verdict": page.verdict.word,
        "sources": [vars(source) for source in page.sources], "missing": [vars(missing) for missing in page.missing],
        "items": items,
    }, ensure_ascii=False, indent=1) + "\n"


def as_csv(page: Page) -> str:
    """The rows. An item whose computing failed has a last row that says so."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow("item source place what unit value printed published published_tolerance reference "
                   "reference_tolerance verdict reason".split())
    for item in page.items:
        entry = item.entry
        failure = [Row("computing", "", math.nan, reason=item.failure)] if item.failure else []
        for row in item.rows + failure:
            published, reference = ((standard.text or "", _finite(standard.value), _finite(standard.tolerance))
                                    if standard else ("", None, None) for standard in (row.published, row.reference))
            table.writerow([entry.name, entry.source, entry.place, row.what, row.unit, _finite(row.value), *published,
                            *reference[1:], row.verdict.word, row.reason or ""])
    return out.getvalue()


# ---- html: one file with its style and figures, no script ----
MARKS = {Verdict.SHOWN: "– shown", Verdict.PASS: "✓ pass", Verdict.EXPLAINED: "≈ explained", Verdict.FAIL: "✗ FAIL"}


def _escaped(text: str) -> str:
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(character, entity)
    return text


def _rich(text: str) -> str:
    """Text between backquotes is code."""
    parts = _escaped(text.replace("\n", " ")).split("`")
    return "".join(f"<code>{part}</code>" if k % 2 else part for k, part in enumerate(parts))


def _paragraphs(text: str, attributes: str = "") -> str:
    return "".join(f"<p{attributes}>{_rich(part)}</p>\n" for part in text.split("\n\n") if part)


def _mark(verdict: Verdict) -> str:
    return f'<span class="mark {verdict.word}">{MARKS[verdict]}</span>'


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}g}" if math.isfinite(value) else "not a number"


def _seconds(seconds: float) -> str:
    return f"{seconds:.{2 if seconds < 10.0 else 0}f} s"


def _place(page: Page, source: str, place: str) -> str:
    """``[1] Figure 8``, the number a link to the list of sources."""
    numbers = [k for k, known in enumerate(page.sources, 1) if known.key == source]
    return "".join(f'<a href="#source-{k}">[{k}]</a> ' for k in numbers) + _escaped(place)


def _standard_cells(standard: Optional[Standard], value: float) -> str:
    if not standard:
        return '<td class="n first"></td><td class="n"></td><td class="n"></td>'
    shown = f'<td class="n first text">{_escaped(standard.text)}</td>' if standard.text is not None else \
        f'<td class="n first">{_number(standard.value, 10)}</td>'
    numbers = (abs(value - standard.value), standard.tolerance)
    return shown + "".join(f'<td class="n">{_number(number, 2)}</td>' for number in numbers)


def _row(row: Row, columns: Sequence[str]) -> str:
    told = row.reason and row.verdict != Verdict.PASS
    text = (f'<tr{" class=" + chr(34) + "with" + chr(34) if told else ""}><td>{_mark(row.verdict)}</td>'
            f'<td class="what">{_escaped(row.what)}</td><td class="n">{_number(row.value, row.digits)}</td>'
            f'<td>{_escaped(row.unit)}</td>')
    text += "".join(_standard_cells(getattr(row, column), row.value) for column in columns) + "</tr>\n"
    if told:
        text += f'<tr class="reason"><td></td><td colspan="{3 + 3 * len(columns)}">{_rich(row.reason or "")}</td></tr>\n'
    return text


def _table(item: Item) -> str:
    if not item.rows:
        return ""
    columns = [name for name in ("published", "reference") if any(getattr(row, name) for row in item.rows)]
    heads = "".join(f'<th class="n first">{name.capitalize()}</th><th class="n">difference</th>'
                    '<th class="n">allowed</th>' for name in columns)
    return ('<div class="scroll rows"><table><thead><tr><th>Result</th><th>Quantity</th><th class="n">Phlexor</th>'
            f'<th></th>{heads}</tr></thead><tbody>\n' + "".join(_row(row, columns) for row in item.rows)
            + "</tbody></table></div>\n")


def _by_hand(entry: Entry) -> str:
    text = f"<p>By hand:</p>\n<pre>{_escaped(entry.command)}</pre>\n" if entry.command else ""
    if entry.model:
        text += (f"<details><summary>The model, <code>{_escaped(entry.model)}</code></summary>"
                 f"<pre>{_escaped(text_of(entry.model))}</pre>\n</details>\n")
    return text


def _section(page: Page, item: Item) -> str:
    entry = item.entry
    figures = "".join(f"<figure>\n{figure.svg()}</figure>\n" for figure in item.figures)
    failure = f'<p class="failure">The computation failed: {_escaped(item.failure)}</p>\n' if item.failure else ""
    return (f'<section id="{entry.name}"><h2>{_escaped(entry.title)}</h2><p class="soft">'
            f"{_place(page, entry.source, entry.place)} · {_mark(item.verdict)} · {_seconds(item.seconds)} · "
            f"<code>phlexor reproduce --only {entry.name}</code></p>\n" + _paragraphs(entry.text) + failure
            + _table(item) + "".join(_paragraphs(note, ' class="note"') for note in entry.notes)
            + (f'<div class="figures">{figures}</div>' if figures else "") + _by_hand(entry) + "</section>\n")


def _counts(page: Page) -> str:
    fails = page.verdict == Verdict.FAIL
    return (f'<p><span class="mark {"fail" if fails else "pass"}">'
            f'{"✗ Something fails." if fails else "✓ Nothing fails."}</span> Of {len(page.items)} tables and figures '
            f"{page.items_with(Verdict.PASS, Verdict.SHOWN)} pass, {page.items_with(Verdict.EXPLAINED)} pass but for "
            f"published values whose deviation is explained, {page.items_with(Verdict.FAIL)} fail. Of their values "
            f"{page.count(Verdict.PASS)} pass, {page.count(Verdict.EXPLAINED)} are explained, "
            f"{page.count(Verdict.FAIL)} fail; {page.count(Verdict.SHOWN)} are only shown.</p>\n")


def _contents(page: Page) -> str:
    text = ('<div class="scroll"><table><thead><tr><th>Result</th><th>What</th><th>Where published</th>'
            '<th class="n">pass</th><th class="n">explained</th><th class="n">fail</th><th class="n">time</th>'
            "</tr></thead><tbody>\n")
    for item in page.items:
        entry = item.entry
        counts = "".join(f'<td class="n">{item.count(verdict)}</td>' for verdict in list(Verdict)[1:])
        text += (f'<tr><td>{_mark(item.verdict)}</td><td class="what"><a href="#{entry.name}">{_escaped(entry.title)}'
                 f"</a></td><td>{_place(page, entry.source, entry.place)}</td>{counts}"
                 f'<td class="n">{_seconds(item.seconds)}</td></tr>\n')
    return text + "</tbody></table></div>\n"


def as_html(page: Page) -> str:
    """One page that needs nothing else, with the figures."""
    missing = "".join(f"<li>{_place(page, one.source, one.place)}: {_rich(one.why)}</li>\n" for one in page.missing)
    sources = "".join(
        f'<li id="source-{k}">{_escaped(source.citation)}'
        + (f' <a href="{_escaped(source.url)}">{_escaped(source.url)}</a>' if source.url else "") + "</li>\n"
        for k, source in enumerate(page.sources, 1))
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
            f"<title>{_escaped(page.title)}</title><style>\n{text_of('page.css')}</style></head><body><main>\n"
            f'<p class="soft">Phlexor {lib.phx_version().decode()}</p><h1>{_escaped(page.title)}</h1>\n'
            + _counts(page) + _paragraphs(page.introduction) + _contents(page)
            + "".join(_section(page, item) for item in page.items)
            + (f'<section id="missing"><h2>What is not here</h2><ul>\n{missing}</ul></section>\n' if missing else "")
            + f'<section id="sources"><h2>Sources</h2><ol>\n{sources}</ol></section>\n</main></body></html>\n')


FORMS: Dict[str, Callable[[Page], str]] = {"html": as_html, "json": as_json, "csv": as_csv}
