"""Every example with a rotor at every joint: not part of the tests, for it takes minutes.

    PYTHONPATH=build/release/lib/python python3 tests/python/rotors_everywhere.py [NAME ...]

For each model every free coordinate gets a rotor of a hundredth of the mass. It is then stepped by the plain and by the
fast evaluator with two step sizes: the balance of energy must be as exact as without rotors, and both must agree.
"""
import re
import sys
import warnings
from pathlib import Path

import numpy as np

import phlexor

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KINDS = {"revolute": (1, 1), "prismatic": (1, 1), "slider": (2, 4), "spherical": (0, 3), "universal": (0, 2),
         "cylindrical": (0, 2), "planar": (0, 3), "cartesian": (2, 3), "free": (3, 6)}


def with_rotors(text, dimension, inertia):
    """The joints section with a rotor at each coordinate of each joint; how many joints got some."""
    count = 0
    begin = re.search(r"^joints:\n", text, re.M)
    if not begin:
        return text, 0
    end = re.search(r"^\S", text[begin.end():], re.M)
    end = begin.end() + end.start() if end else len(text)

    def add(match):
        nonlocal count
        n = KINDS.get(match.group(2), (0, 0))[dimension - 2]
        if n == 0:
            return match.group(0)
        count += 1
        values = ", ".join([repr(inertia)] * n)
        between = f"\n{match.group(1)}" if match.group(1) is not None else ", "
        return f"{match.group(0)}{between}rotor_inertia: {values if n == 1 else f'[{values}]'}"
    if "rotor_inertia" in text[begin.end():end]:  # as it is
        return text, 1
    return text[:begin.end()] + re.sub(r"(?:(?<=\n)( +))?kind: (\w+)", add, text[begin.end():end]) + text[end:], count


def compare(model, step):
    """The largest error of the balance over the energies, and the largest difference of a column of both evaluators."""
    a, b = (model.simulate(end=min(20 * step, 0.2), step=step, every=step, integrator="midpoint", backend=backend)
            for backend in ("fast", "plain"))
    scale = max(np.max(np.abs(a[name])) for name in ("kinetic", "elastic", "supplied")) + np.ptp(a["potential"]) + 1e-12
    names = [name for name in a if name not in ("t", "residual", "drift", "drift_rate")]
    return (np.max(np.abs(a["residual"])) / scale,
            max(np.max(np.abs(a[name] - b[name])) / max(np.max(np.abs(b[name])), 1e-3 * scale, 1e-9) for name in names))


def main(names):
    worst = 0
    for path in sorted(EXAMPLES.glob("*.yaml")):
        if names and path.stem not in names:
            continue
        try:
            plain = phlexor.Model(path)
            mass = plain.check().mass
            text, count = with_rotors(path.read_text(), plain.dimension, 0.01 * mass)
            if count == 0:
                continue
            model = phlexor.Model.from_text(text, name=str(path))
        except phlexor.PhlexorError as error:
            print(f"{path.stem:24} {str(error)[:110]}")
            continue
        for step in (1e-3, 2.5e-4):
            try:
                try:
                    before, apart = compare(plain, step)
                except phlexor.PhlexorError:
                    print(f"{path.stem:24} cannot be stepped by midpoint at {step:g} s without rotors either", flush=True)
                    continue
                balance, differ = compare(model, step)
                bad = balance > max(1e-9, 100 * before) or differ > max(1e-7, 100 * apart)
                worst += bad
                print(f"{path.stem:24} {count:3} joints, {step:g} s: balance {balance:.1e} ({before:.1e}), "
                      f"evaluators {differ:.1e} ({apart:.1e}){'   <--' if bad else ''}", flush=True)
            except phlexor.PhlexorError as error:
                print(f"{path.stem:24} {str(error)[:130]}", flush=True)
                break
    return worst > 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(int(main(sys.argv[1:])))
