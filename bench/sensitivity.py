#!/usr/bin/env python3
"""The cost of derivatives of a run: adjoint, tangents and differences against the run alone.

    PYTHONPATH=build/release/lib/python python3 bench/sensitivity.py [--csv FILE] [--repeats N] [--steps N]

Numbers of an example become parameters (tests/python/sensitivity_everywhere.py). Runs: as the program makes them, and by
the plain evaluator with three corrections by a matrix of its own in each step. Processor time, the least of the repeats.
"""
import argparse
import csv
import sys
import time
import warnings
from pathlib import Path

import phlexor

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))
import sensitivity_everywhere as models  # noqa: E402

NAMES = ("crank_slider", "spatial_slider_crank", "damped_lever", "manipulator", "bennett")


def least(function, repeats):
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return best


def measure(name, steps, repeats):
    models.PARAMETERS, models.STEPS = 20, steps
    path = ROOT / "examples" / f"{name}.yaml"
    text, parameters = models.parametrised(models.shortened(path.read_text()), 3)
    model = phlexor.Model.from_text(text, name=str(path))
    of = ["simulate.final(energy)"]
    times = {
        "run": least(lambda: model.simulate(), repeats),
        "plain": least(lambda: model.simulate(backend="plain", iterations=3), repeats),
        "adjoint_0": least(lambda: model.sensitivity(of, [], method="adjoint"), repeats),
        "adjoint": least(lambda: model.sensitivity(of, parameters, method="adjoint"), repeats),
        "tangent": least(lambda: model.sensitivity(of, parameters, method="tangent"), repeats),
    }
    return {"model": name, "steps": steps, "parameters": len(parameters), **times,
            "adjoint_per_plain": times["adjoint"] / times["plain"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv", type=argparse.FileType("w"), default=sys.stdout)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--steps", type=int, default=2000)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    writer = None
    for name in NAMES:
        row = measure(name, given.steps, given.repeats)
        if writer is None:
            writer = csv.DictWriter(given.csv, row.keys())
            writer.writeheader()
        writer.writerow({key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()})


if __name__ == "__main__":
    main()
