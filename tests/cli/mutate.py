#!/usr/bin/env python3
"""Mutated models through all commands of the program.

    mutate.py PROGRAM EXAMPLES [--seconds S] [--count N] [--seed K] [--keep FOLDER] [--all]

Numbers, keys, kinds, lists, types and lines of the example models are changed at random with a fixed seed, and check,
simulate, modes, linearize and titop are run on each. Wanted: no crash, no exit status but 0, 1, 2 and 130, no run that
neither ends nor computes, and in every message a place: file and line, or the name of something in the model, or an
option of the command line. What does not keep to this is printed; the exit status is then 1.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

NUMBERS = ["0", "-1", "1e-300", "1e300", "-1e300", "1e-160", "1e160", ".nan", ".inf", "1e999", "99999999999999999999",
           "2147483648", "1e9", "0.5", "3", "1/0", "sqrt(-1)", "log(0)", "1e-12", "1e12", "1e8", "-0.0", "1e-30", "1e30"]
SIGNALS = ["1/t", "sqrt(-t)", "log(t)", "1/(t-1e-3)", "exp(1e3*t)", "1e300*t", "sin(1e12*t)", "tan(1e3*t)", "t"]
WORDS = ["~", "[]", "{}", "true", "zzz", "'a b'", "[1, 2, 3, 4]", "{zzz: 1}", "''", "\"\\0\"", "&a [*a]", "!!int x"]
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[-+]?\d+)?(?![\w.])")
WORD = re.compile(r"[A-Za-z_]\w*")


def change(text, draw):
    """One change of a text."""
    lines = text.split("\n")
    kind = draw.randrange(12)
    if kind < 5:
        hits = list(NUMBER.finditer(text))
        if hits:
            hit = draw.choice(hits)
            new = draw.choice(NUMBERS) if draw.random() < 0.85 else draw.choice(SIGNALS + WORDS)
            return text[:hit.start()] + new + text[hit.end():]
    if kind == 5:
        hits = list(WORD.finditer(text))
        a, b = draw.choice(hits), draw.choice(hits)
        return text[:a.start()] + b.group() + text[a.end():]
    if kind == 6:
        hits = [hit for hit in re.finditer(r"[:,\[] *([^\s,:\[\]{}#][^,\[\]{}#\n]*)", text)]
        hit = draw.choice(hits)
        return text[:hit.start(1)] + draw.choice(NUMBERS + SIGNALS + WORDS) + text[hit.end(1):]
    i = draw.randrange(len(lines))
    if kind == 7:
        del lines[i]
    elif kind == 8:
        lines.insert(i, lines[draw.randrange(len(lines))])
    elif kind == 9:
        j = draw.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 10:
        lines[i] = lines[i].replace("[", "[1, ", 1) if draw.random() < 0.5 else re.sub(r", [^,\]]*\]", "]", lines[i], count=1)
    else:
        place = draw.randrange(len(text) + 1)
        return text[:place] + draw.choice(list("{}[]:,#&*!'\"\t\n-?%@`\x01\x7f\u00e9")) + text[place + draw.randrange(3):]
    return "\n".join(lines)


def commands(model, folder, text, draw):
    """Arguments of the commands for a model."""
    bodies = re.findall(r"^  (\w+):", text.split("bodies:")[-1], re.M)[:1] or ["a"]
    joints = re.findall(r"^  (\w+):", text.split("joints:")[-1], re.M)[:1] or ["j"]
    return [
        ["check", model],
        ["simulate", model, "-o", f"{folder}/r.h5", "--csv", f"{folder}/r.csv"],
        ["modes", model, "--sweep", "zz=0:1:2"] if draw.random() < 0.05 else ["modes", model],
        ["linearize", model, "--inputs", f"{joints[0]}.effort", "--outputs", f"{joints[0]}.rate"],
        ["titop", model, "--body", bodies[0]],
    ]


#: What says where: file:line, a name in quotes or an option.
PLACE = re.compile(r"\.yaml:\d+|'[^']+'|--\w+|worst at \w+|joint \w+|\b[\w.]+\.(h5|csv)\b")
VAGUE = re.compile(r"\bequation \d|accelerations at t|\bnan\b.*matrix|column \d+ of the matrix|\(null\)", re.I)


def judge(name, status, errors, seconds):
    """What is wrong with a run; None: nothing."""
    if status is None:
        return f"no end after {seconds:.0f} s"
    if status not in (0, 1, 2, 130):
        return f"exit status {status}"
    messages = [line for line in errors.split("\n") if line.strip()]
    if status and not messages:
        return "fails without a message"
    for line in messages:
        if line.startswith(("phlexor: warning:", "phlexor: the partial result", "phlexor: note:")) and not VAGUE.search(line):
            continue
        bare = line.replace("\u2018", "'")
        if not PLACE.search(bare) or VAGUE.search(bare):
            return "a message without place"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("examples", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=10.0, help="of one run, s")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--long", action="store_true", help="a run that computes until the limit is wrong too")
    arguments = parser.parse_args()
    models = {path.stem: path.read_text(encoding="utf-8") for path in sorted(arguments.examples.glob("*.yaml"))}
    begun, runs, wrong = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.count):
            if time.monotonic() - begun > arguments.seconds:
                break
            draw = random.Random(f"{arguments.seed}.{number}")
            stem = draw.choice(sorted(models))
            text = models[stem]
            text = re.sub(r"(simulate: *\{[^}\n]*?end: *)[^,}]+", r"\g<1>0.002", text)
            for _ in range(draw.choice([1, 1, 1, 2, 3])):
                text = change(text, draw)
            model = f"{folder}/{stem}.yaml"
            pathlib.Path(model).write_text(text, encoding="utf-8")
            for command in commands(model, folder, text, draw):
                start = time.monotonic()
                try:
                    run = subprocess.run([arguments.program, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                         timeout=arguments.limit, check=False)
                    status, errors = run.returncode, run.stderr.decode("utf-8", "replace")
                except subprocess.TimeoutExpired as late:
                    status, errors = None, (late.stderr or b"").decode("utf-8", "replace")
                runs += 1
                problem = judge(stem, status, errors, time.monotonic() - start)
                if status is None and not arguments.long:
                    problem = None
                if problem:
                    wrong += 1
                    print(f"{number} {stem}: {command[0]}: {problem}: {errors.replace(folder, '')[:600]}", flush=True)
                    if arguments.keep:
                        arguments.keep.mkdir(exist_ok=True)
                        (arguments.keep / f"{number}-{stem}.yaml").write_text(text, encoding="utf-8")
    print(f"{runs} runs of {number + 1} models, {wrong} wrong, {time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
