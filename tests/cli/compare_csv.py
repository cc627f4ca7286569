"""Compare two csv files of simulations column by column: compare_csv.py A B TOLERANCE.

Differences are measured against the largest value of the kind: all energies and work together, and all components of an
output together. The columns that are rounding by their nature (residual, drift) must both be small.
"""

import csv
import sys

ENERGIES = ["kinetic", "elastic", "potential", "energy", "supplied", "dissipated"]
ROUNDING = ["residual", "drift", "drift_rate"]


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(cell) for cell in row] for row in rows[1:]]


def kind(name):
    """What a column is compared with: energies with each other, forces and torques of an output apart."""
    if name in ENERGIES:
        return "energies"
    stem, dot, component = name.rpartition(".")
    return stem + dot + component[:1] if len(component) == 2 else stem or name


def main():
    (names, a), (others, b) = read(sys.argv[1]), read(sys.argv[2])
    tolerance = float(sys.argv[3])
    if names != others or len(a) != len(b):
        sys.exit("not the same columns or rows")
    scale = {}
    for k, name in enumerate(names):
        scale[kind(name)] = max(scale.get(kind(name), 0.0), max(abs(row[k]) for row in a))
    wrong = []
    for k, name in enumerate(names):
        size = scale["energies"] if name == "residual" else 1.0 if name in ROUNDING else scale[kind(name)]
        worst = max(abs(x[k] - y[k]) for x, y in zip(a, b))
        if not worst <= (1e-9 if name in ROUNDING else tolerance) * size:
            wrong.append(f"{name} differs by {worst:.3g}, {worst / size if size else float('inf'):.3g} of its size")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
