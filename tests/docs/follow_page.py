#!/usr/bin/env python3
"""Follows pages of the documentation word by word, each in an empty folder of its own.

    follow_page.py PROGRAM PAGE...             tries them
    follow_page.py --renew PROGRAM PAGE...     and puts the numbers that were found into their blocks of output
    follow_page.py --keep FOLDER PROGRAM ...   and leaves the files of each page in FOLDER

What a reader would do with a block of code follows from its language and from the paragraph before it:

    ```yaml, ```python, ...  after "Put this into `FILE`:" the text of this file; after "Add to `FILE`:" it goes to its
                             end, after "Add to `KEY` in `FILE`:" below the line "KEY:".
    ```sh                    commands; each block must succeed, after "... fails:" it must not
    ```text                  output of the commands before: its lines occur there in this order. Numbers may differ by
                             one in the last digit shown, whole ones not at all; of round-off (below 1e-9) only the size
                             counts; "..." stands for anything.
    ```console, ```json      shown, not tried: installation, output of another command
    any, after "not run here:"   shown, not tried: the input of another program
    Change `A` to `B` in `FILE`.   in a paragraph: A must stand there once

Other blocks are errors, so that no block stays untried. A page whose first line is <!-- needs NAME ... --> is left out
when one of these programs or Python packages is missing, and where a build has no reports.
"""
import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NUMBER = r"(?<![\w.])[-+]?(?:\d+\.(?!\.)\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?"
CHANGE = re.compile(r"[Cc]hange `([^`]+)` to `([^`]+)` in `([\w./-]+)`")
FILE = re.compile(r"`([\w./-]+\.\w+)`")


class Fault(Exception):
    pass


class LeftOut(Exception):
    pass


def blocks(text):
    """(line, language, code, paragraph before it) of each fenced block; language None for text alone."""
    paragraph, code, language, begin = [], None, None, 0
    for number, line in enumerate(text.splitlines(), 1):
        if code is not None:
            if line.strip() == "```":
                yield begin, language, "".join(code), " ".join(paragraph).strip()
                paragraph, code = [], None
            else:
                code.append(line + "\n")
        elif line.lstrip().startswith("```"):
            code, language, begin = [], line.strip()[3:].strip(), number
        elif line.strip():
            if paragraph and paragraph[-1] == "":
                yield number, None, "", " ".join(paragraph).strip()
                paragraph = []
            paragraph.append(line.strip())
        elif paragraph and paragraph[-1]:
            paragraph.append("")
    if code is not None:
        yield begin, "a block without an end", "", ""
    yield 0, None, "", " ".join(paragraph)


def numbers(shown, found):
    """The numbers of the line as shown and as found; None when the text between them differs."""
    pieces, values, place = [], [], 0
    for match in re.finditer(rf"\.\.\.|{NUMBER}", shown):
        pieces.append(re.escape(shown[place:match.start()]))
        if match.group() == "...":
            pieces.append(".*")
        else:
            values.append(match.group())
            pieces.append(f"({NUMBER})")
        place = match.end()
    pattern = "".join(pieces) + re.escape(shown[place:])
    match = re.fullmatch(re.sub(r"(?:\\ )+", r"\\s+", pattern), found.rstrip())
    return (values, match.groups()) if match else None


def agrees(shown, found):
    """Whether a line of output is as the page shows it."""
    pair = numbers(shown, found)
    return bool(pair) and all(same(a, b) for a, b in zip(*pair))


def renewed(shown, lines):
    """The line with the numbers of the most similar one, None when there is none of its words."""
    pairs = [pair for pair in (numbers(shown, line) for line in lines) if pair]
    if not pairs:
        return None
    values = iter(max(pairs, key=lambda pair: sum(same(a, b) for a, b in zip(*pair)))[1])
    return re.sub(rf"\.\.\.|{NUMBER}", lambda m: m.group() if m.group() == "..." else next(values), shown)


def same(shown, found):
    a, b = float(shown), float(found)
    if a and abs(a) < 1e-9:
        return abs(b) < 100 * abs(a)
    if re.fullmatch(r"[-+]?\d+", shown) and re.fullmatch(r"[-+]?\d+", found):
        return a == b
    mantissa, _, exponent = shown.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return abs(a - b) <= 1.01 * 10.0 ** (int(exponent or 0) - digits)


def compare(code, output, renew):
    """The code as it is, or with the numbers of the output."""
    rest, lines = iter(output.splitlines()), []
    for shown in code.splitlines():
        if shown.strip() not in ("", "..."):
            found = renewed(shown, output.splitlines()) if renew else None
            if found:
                shown = found
            elif not any(agrees(shown, line) for line in rest):
                raise Fault(f"this line does not occur in the output:\n{shown}\nthe output:\n{output}")
        lines.append(shown + "\n")
    return "".join(lines)


def put(code, paragraph):
    name = FILE.findall(paragraph)[-1]
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    below = re.search(r"Add to `(\w+)` in `", paragraph)
    if below:
        text = path.read_text()
        if len(re.findall(rf"^{below.group(1)}:.*\n", text, re.M)) != 1:
            raise Fault(f"{name} has no line '{below.group(1)}:'")
        path.write_text(re.sub(rf"(^{below.group(1)}:.*\n)", lambda m: m.group(1) + code, text, flags=re.M))
    elif re.search(r"Add to `", paragraph):
        path.write_text(path.read_text() + code)
    else:
        path.write_text(code)


def change(paragraph):
    for before, after, name in CHANGE.findall(paragraph):
        text = Path(name).read_text()
        if text.count(before) != 1:
            raise Fault(f"'{before}' occurs {text.count(before)} times in {name}")
        Path(name).write_text(text.replace(before, after))


def run(code, fails):
    done = subprocess.run(["sh", "-e"], input=code, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode and "reports are off" in done.stdout:
        raise LeftOut("this build has no reports")
    if (done.returncode != 0) != fails:
        raise Fault(f"exit status {done.returncode} of:\n{code}{done.stdout}")
    return done.stdout


def follow(page, renew):
    output, text = None, page.read_text(encoding="utf-8")
    for line, language, code, paragraph in blocks(text):
        try:
            change(paragraph)
            shown = paragraph.endswith("not run here:")
            if language is None or language.startswith("{") or language in ("console", "json") or shown:
                continue
            if language == "sh":
                output = run(code, paragraph.endswith("fails:"))
            elif re.search(r"\b([Pp]ut|Add|Write)\b[^.]*`[^`]+`:$", paragraph):
                put(code, paragraph)
            elif language == "text" and output is not None:
                text = text.replace(code, compare(code, output, renew))
            else:
                raise Fault("a block that is neither a file, nor commands, nor their output")
        except (Fault, OSError) as fault:
            raise Fault(f"{page}:{line}: {fault}") from None
    if renew:
        page.write_text(text, encoding="utf-8")


def main():
    arguments, renew, keep = sys.argv[1:], False, None
    if arguments[0] == "--renew":
        arguments, renew = arguments[1:], True
    if arguments[0] == "--keep":
        keep, arguments = Path(arguments[1]).resolve(), arguments[2:]
    program, *pages = [Path(argument).resolve() for argument in arguments]
    faults = 0
    with tempfile.TemporaryDirectory() as tools:
        (Path(tools) / "phlexor").symlink_to(program)
        (Path(tools) / "python3").symlink_to(sys.executable)
        os.environ["PATH"] = tools + os.pathsep + os.environ["PATH"]
        for page in pages:
            needs = re.match(r"<!-- needs ([\w ./-]+) -->", page.read_text(encoding="utf-8"))
            missing = [name for name in (needs.group(1).split() if needs else []) if not shutil.which(name) and not importlib.util.find_spec(name)]
            if missing:
                print(f"{page.name}: left out, without {' '.join(missing)}")
                continue
            begin = time.monotonic()
            with contextlib.ExitStack() as stack:
                place = keep / page.stem if keep else Path(stack.enter_context(tempfile.TemporaryDirectory()))
                place.mkdir(parents=True, exist_ok=True)
                os.chdir(place)
                try:
                    follow(page, renew)
                    print(f"{page.name}: {time.monotonic() - begin:.1f} s")
                except LeftOut as reason:
                    print(f"{page.name}: left out, {reason}")
                except Fault as fault:
                    faults += 1
                    print(fault)
                os.chdir(tools)
    sys.exit(bool(faults))


main()
