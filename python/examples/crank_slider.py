#!/usr/bin/env python3
"""Crank-slider with a flexible coupler: simulate, look at the energies, keep plot data, study a parameter.

    crank_slider.py [FOLDER]     writes deflection.csv, energies.csv and study.csv there; pictures with Matplotlib
"""

import sys
from pathlib import Path

import numpy as np

import phlexor

MODEL = Path(__file__).resolve().parents[2] / "examples" / "crank_slider.yaml"
LENGTH = 0.3  # of the coupler, m


def write(path, header, columns):
    np.savetxt(path, np.column_stack(columns), delimiter=",", header=",".join(header), comments="")


def simulate(folder):
    """Two turns of the crank."""
    model = phlexor.Model(MODEL)
    result = model.simulate()
    report = result.report
    print(f"{result.title}: {report.steps} steps of {report.step:.3g} s, {report.wall_seconds:.2f} s")

    # The deflection in the middle of the coupler, over its length, against the angle of the crank.
    turns = model.parameters["speed"] * result.t / (2 * np.pi)
    deflection = result["mid.y"] / LENGTH
    print(f"deflection over length: {deflection.min():.5f} ... {deflection.max():.5f}")
    write(folder / "deflection.csv", ["turns", "deflection"], [turns, deflection])

    # The motor supplies what the energies gain: the balance closes to rounding.
    energies = ["kinetic", "elastic", "energy", "supplied", "residual"]
    write(folder / "energies.csv", ["t", *energies], [result.t, *(result[name] for name in energies)])
    balance = report.largest_residual / report.largest_energy
    print(f"energy balance: {balance:.1e} of the largest energy; joints: {report.largest_drift:.1e} m")
    return result, turns, deflection, balance


def study(folder):
    """How far the coupler bends at other speeds: a batch on all processors."""
    model = phlexor.Model(MODEL)
    batch = model.batch({"speed": np.arange(50, 251, 25)}, end=0.08, step=2e-4, threads=None)
    speeds = batch.parameter("speed")
    bent = np.abs(batch.summary("mid.y")[:, 2:]).max(axis=1) / LENGTH
    for speed, value in zip(speeds, bent):
        print(f"  {speed:5.0f} rad/s   largest deflection {value:.5f} of the length")
    write(folder / "study.csv", ["speed", "deflection"], [speeds, bent])
    return speeds, bent


def draw(folder, result, turns, deflection, speeds, bent):
    """Pictures, where Matplotlib is."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("no pictures: Matplotlib (Debian: python3-matplotlib) is not here")
        return
    figure, axes = plt.subplots(3, 1, figsize=(7, 9), constrained_layout=True)
    axes[0].plot(turns, deflection)
    axes[0].set(xlabel="turns of the crank", ylabel="deflection / length")
    for name in ("kinetic", "elastic", "energy", "supplied"):
        axes[1].plot(result.t, result[name], label=name)
    axes[1].set(xlabel="t, s", ylabel="J")
    axes[1].legend(loc="center left", bbox_to_anchor=(1, 0.5))
    axes[2].plot(speeds, bent, "o-")
    axes[2].set(xlabel="speed, rad/s", ylabel="largest deflection / length")
    figure.savefig(folder / "crank_slider.png", dpi=150)


def main(arguments):
    folder = Path(arguments[0] if arguments else ".")
    folder.mkdir(parents=True, exist_ok=True)
    result, turns, deflection, balance = simulate(folder)
    speeds, bent = study(folder)
    draw(folder, result, turns, deflection, speeds, bent)
    return {"deflection": deflection, "balance": balance, "speeds": speeds, "bent": bent}


if __name__ == "__main__":
    main(sys.argv[1:])
