"""The tables and figures of the papers behind Phlexor, recomputed beside what is published: ``phlexor reproduce``."""

from __future__ import annotations

import csv
import math
import time
from difflib import get_close_matches
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from .._command import Progress, parser_of, put, write
from ..errors import Interrupted, ModelError, OutOfMemoryError, PhlexorError
from .catalog import ENTRIES, INTRODUCTION, MISSING, SOURCES, TITLE
from .page import FORMS, Entry, Item, Page, Published, Standard, Verdict, text_of

__all__ = ["compute", "find", "published_of", "run"]

FIELDS = ["item", "quantity", "printed", "value", "tolerance", "reason"]


def find(name: str) -> Entry:
    """The table or figure of this name."""
    names = [entry.name for entry in ENTRIES]
    if name not in names:
        near = get_close_matches(name, names, 1)
        raise ModelError(f"there is no table or figure '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    return ENTRIES[names.index(name)]


# ---- published values ----
def _number(text: str) -> float:
    """The finite number that is all of a field; NaN: it is none."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _half_digit(printed: str) -> float:
    """Half a unit of the last digit printed; a little more for numbers that stand half between."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2]) * (1.0 + 1e-9)


def _published_value(place: str, fields: Sequence[str]) -> Tuple[Standard, Optional[str]]:
    """The value of a row, and the reason why it is not met."""
    if len(fields) != len(FIELDS):
        raise ModelError(f"{place}: {len(fields)} fields, there have to be {len(FIELDS)}")
    printed, stated, tolerance, reason = fields[2:]
    value, allowed = _number(stated or printed), _number(tolerance) if tolerance else _half_digit(printed)
    if math.isnan(value):
        raise ModelError(f"{place}: '{stated or printed}' is no number; a statement needs its number in the field "
                         "`value`")
    if not allowed >= 0.0 or (stated and not tolerance):
        raise ModelError(f"{place}: the tolerance '{tolerance}' is no number that is at least 0")
    return Standard(value, allowed, printed), reason if reason.strip(" \t") else None


def published_of(text: str) -> Published:
    """The published values of a table, whose columns ``published.csv`` explains."""
    values: Dict[Tuple[str, str], Tuple[Standard, Optional[str]]] = {}
    head = False
    for number, line in enumerate(text.split("\n"), 1):
        line = line[:-1] if line.endswith("\r") else line
        if not line or line.startswith("#"):
            continue
        fields, place = next(csv.reader([line])), f"published values, line {number}"
        if not head and fields != FIELDS:
            raise ModelError(f"{place}: the first line has to be the names of the columns, {','.join(FIELDS)}")
        if head:
            value = _published_value(place, fields)
            try:
                values[find(fields[0]).name, fields[1]] = value
            except ModelError as error:
                raise ModelError(f"{place}: {error}") from None
        head = True
    return values


# ---- going through the items ----
def _compute(entry: Entry, published: Published) -> Item:
    """An item that cannot be computed fails with the message, and so does one that lacks a published value."""
    item, start = Item(entry, published), time.perf_counter()
    try:
        entry.compute(item)
    except (Interrupted, OutOfMemoryError):
        raise
    except PhlexorError as error:
        item.failure = str(error)
    found = {row.what for row in item.rows}
    for name, quantity in published:
        if name == entry.name and quantity not in found and not item.failure:
            item.failure = f"nothing was computed for the published value '{quantity}'"
    item.seconds = time.perf_counter() - start
    return item


def compute(only: Iterable[str] = (), published: Optional[str] = None,
            progress: Callable[[str, int, int], object] = lambda what, done, total: None) -> Page:
    """The page of these tables and figures, by default of all; the order of the page stays.

    `published` is another table of published values.
    """
    names = {find(name).name for name in only}
    values = published_of(text_of("published.csv") if published is None else published)
    chosen = [entry for entry in ENTRIES if not names or entry.name in names]
    page = Page(TITLE, INTRODUCTION, SOURCES, MISSING)
    for k, entry in enumerate(chosen):
        progress(entry.name, k, len(chosen))
        page.items.append(_compute(entry, values))
    return page


def _summary(page: Page, path: str) -> str:
    verdicts = list(Verdict)[1:]
    lines = [f"{'':16} {'':10} {'pass':>6} {'explained':>10} {'fail':>6}"]
    for item in page.items:
        counts = [item.count(verdict) for verdict in verdicts]
        lines.append(f"{item.entry.name:16} {item.verdict.word:10} {counts[0]:6d} {counts[1]:10d} {counts[2]:6d}")
    lines.append(f"{len(page.items)} tables and figures: {page.items_with(Verdict.PASS, Verdict.SHOWN)} pass, "
                 f"{page.items_with(Verdict.EXPLAINED)} pass with explained deviations, "
                 f"{page.items_with(Verdict.FAIL)} fail: {path}\n")
    return "\n".join(lines)


def run(arguments: List[str]) -> int:
    """``phlexor reproduce``; returns the exit status."""
    parser = parser_of("reproduce")
    parser.add_argument("-o", "--output")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--format", choices=list(FORMS))
    parser.add_argument("--published")
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args(arguments)
    if given.list:
        put("".join(f"{entry.name:16} {entry.title:60} {entry.where}\n" for entry in ENTRIES))
        return 0
    ending = (given.output or "").lower().rpartition(".")[2]
    form = given.format or (ending if ending in FORMS else "html")
    path = given.output or ("reproduce.html" if form == "html" else "-")
    table = None
    if given.published:
        with open(given.published, encoding="utf-8", errors="replace", newline="") as stream:
            table = stream.read()
    with Progress() as progress:
        page = compute(given.only, table, progress)
        text = FORMS[form](page)
    write(path, text)
    if path != "-":
        put(_summary(page, path))
    return 1 if page.verdict == Verdict.FAIL else 0
