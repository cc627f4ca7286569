#!/usr/bin/env python3
"""Derivatives of runs on all example models: adjoint against tangents against differences.

Numbers of each model become parameters (masses, lengths, stiffnesses ..), the run is cut to some steps. Prints a line
for each model and parameter, and the worst. Takes some minutes and is no part of CTest:

    PYTHONPATH=build/release/lib/python python3 tests/python/sensitivity_everywhere.py [--seed N] [MODEL ...]

--seed chooses other numbers.
"""

import argparse
import random
import re
import warnings
from pathlib import Path

import numpy as np

import phlexor

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KEYS = ("mass", "young", "density", "stiffness", "damping", "length", "diameter", "thickness", "inertia", "rate",
        "centre_of_mass", "position", "speed", "force", "torque", "coefficient", "start", "gravity", "kp", "kd", "ki", "reference", "feedforward")
NUMBER = r"-?\d+\.?\d*(?:e-?\d+)?"
STEPS, PARAMETERS = 40, 5


def parametrised(text, seed):
    """The model with some of its numbers times a parameter of value 1."""
    places = []
    for key in KEYS:
        for match in re.finditer(rf"(?m)^[^#\n]*?\b{key}: \[?({NUMBER})(?=[,\]}}\s]|$)", text):
            if float(match.group(1)) != 0.0 and "mesh" not in match.group(0):
                places.append(match.span(1))
    places = sorted(random.Random(seed).sample(places, min(PARAMETERS, len(places))), reverse=True)
    names = []
    for begin, end in places:
        names.append(f"own_{len(names)}")
        text = f"{text[:begin]}{text[begin:end]}*{names[-1]}{text[end:]}"
    listed = ", ".join(f"{name}: 1" for name in names)
    if re.search(r"(?m)^parameters: \{", text):
        text = re.sub(r"(?m)^parameters: \{", f"parameters: {{{listed}, ", text)
    elif re.search(r"(?m)^parameters:\n *\{", text):
        text = re.sub(r"(?m)^parameters:\n *\{", f"parameters: {{{listed}, ", text)
    elif re.search(r"(?m)^parameters:\n", text):
        text = re.sub(r"(?m)^parameters:\n", "parameters:\n" + "".join(f"  {n}: 1\n" for n in names), text)
    elif listed:
        text = re.sub(r"(?m)^phlexor: 1.*\n", lambda m: f"{m.group(0)}parameters: {{{listed}}}\n", text, count=1)
    return text, names


def shortened(text):
    """The run cut to some steps of `midpoint`; None where the model has no run."""
    found = re.search(r"(?m)^simulate:.*(?:\n[ ].*)*", text)
    if not found:
        return None
    step = re.search(r"\bstep: ([^,}\n#]+)", found.group(0))
    size = step.group(1).strip() if step else "1e-3"
    return f"{text[:found.start()]}simulate: {{end: {STEPS}*({size}), step: {size}}}{text[found.end():]}"


def differences(model, objectives, name):
    """The best of several steps: those two neighbours that agree most."""
    value, found = model.parameters[name], []
    for step in (1e-3, 3e-4, 1e-4, 3e-5, 1e-5):
        at = {}
        for k in (-3, -2, -1, 1, 2, 3):
            model.set_parameters({name: value + k * step * (abs(value) or 1.0)})
            at[k] = model.sensitivity(objectives, [], method="differences").value
        found.append((45 * (at[1] - at[-1]) - 9 * (at[2] - at[-2]) + (at[3] - at[-3])) / (60 * step * (abs(value) or 1.0)))
    model.set_parameters({})
    best = np.empty(len(objectives))
    for o in range(len(objectives)):
        gaps = [abs(a[o] - b[o]) for a, b in zip(found, found[1:])]
        best[o] = found[int(np.argmin(gaps)) + 1][o]
    return best


def compare(path, seed=1):
    text = shortened(path.read_text())
    if text is None:
        return []
    text, names = parametrised(text, seed)
    model = phlexor.Model.from_text(text, name=str(path))
    columns = [c for c in model.simulate().columns if c not in ("supplied", "dissipated", "residual", "drift", "drift_rate", "t")]
    columns = [c for c in columns if not c.startswith("ledger")]
    picked = ["energy", "kinetic"] + columns[4:7]
    picked += [c for c in columns if c.endswith((".u1", ".z1", ".H_d"))][:3]
    objectives = [f"simulate.final({c})" for c in picked] + [f"simulate.integral(y({picked[-1]})^2)"]
    lines = []
    for name in names:
        try:
            adjoint = model.sensitivity(objectives, [name], method="adjoint")
            tangent = model.sensitivity(objectives, [name], method="tangent")
        except phlexor.UnsupportedError as why:
            return [(path.name, "-", np.nan, np.nan, str(why)[:90])]
        except phlexor.PhlexorError as why:
            lines.append((path.name, name, np.nan, np.nan, str(why)[:90]))
            continue
        scale = np.abs(tangent.gradient[:, 0]) + 1e-3 * np.abs(tangent.value) + 1e-9 * np.max(np.abs(tangent.value)) + 1e-12
        scale += 1e-6 * np.max(np.abs(tangent.gradient))
        by_adjoint = float(np.max(np.abs(adjoint.gradient - tangent.gradient)[:, 0] / scale))
        by_differences = float(np.max(np.abs(differences(model, objectives, name) - tangent.gradient[:, 0]) / scale))
        lines.append((path.name, name, by_adjoint, by_differences, ""))
    return lines


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("models", nargs="*", type=Path)
    given = parser.parse_args()
    paths = given.models or sorted(EXAMPLES.glob("*.yaml"))
    worst = [0.0, 0.0]
    for path in paths:
        try:
            lines = compare(path, given.seed)
        except (phlexor.PhlexorError, ValueError) as why:
            lines = [(path.name, "-", np.nan, np.nan, f"not tried: {str(why)[:80]}")]
        for name, parameter, adjoint, by_differences, why in lines:
            print(f"{name:28} {parameter:8} adjoint-tangent {adjoint:8.1e}  differences {by_differences:8.1e}  {why}",
                  flush=True)
            worst = [np.nanmax([worst[0], adjoint]), np.nanmax([worst[1], by_differences])]
    print(f"worst: adjoint-tangent {worst[0]:.1e}, differences {worst[1]:.1e}")


if __name__ == "__main__":
    main()
