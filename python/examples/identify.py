#!/usr/bin/env python3
"""Stiffness and damping of a joint, identified from a noisy measurement with SciPy.

    identify.py [FOLDER]        writes identify.csv there

A flap on a sprung hinge is let go; its angle is measured with noise. The measurement is made here, from known values.
`scipy.optimize.least_squares` varies both parameters of the model until the simulated angle fits.
"""

import sys
from pathlib import Path

import numpy as np

import phlexor

TRUE = np.array([12.0, 0.15])  # N m/rad, N m s/rad
NOISE = 2e-3                   # standard deviation of the angle, rad


def build():
    """A flap of 0.8 kg, 0.3 rad from the rest of its hinge."""
    m = phlexor.ModelBuilder("Flap", 2)
    k, d = m.parameter("k", 10), m.parameter("d", 0.1)
    flap = m.rigid("flap", mass=0.8, inertia=0.02, ports={"hinge": [-0.2, 0]})
    m.joint("hinge", "revolute", m.ground.O, flap.port("hinge"), stiffness=k, damping=d, angle=0.3, rest=0)
    m.output("angle", "coordinate", "hinge")
    m.simulate(end=2, step=5e-3)
    return m.build()


def angle(model, values):
    """The simulated angle with these values."""
    model.set_parameters(k=values[0], d=values[1])
    return model.simulate()["angle"]


def main(arguments):
    folder = Path(arguments[0] if arguments else ".")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        from scipy.optimize import least_squares
    except ImportError:
        print("no identification: SciPy (Debian: python3-scipy) is not here")
        return None
    model = build()
    clean = angle(model, TRUE)
    measured = clean + NOISE * np.random.default_rng(1).standard_normal(len(clean))
    start = np.array([10.0, 0.4])
    fit = least_squares(lambda scale: (angle(model, scale * start) - measured) / NOISE, np.ones(2), bounds=(0.1, 10))
    values = fit.x * start
    deviation = start * np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac)))  # of values, from the noise
    for name, value, error, true in zip(("k", "d"), values, deviation, TRUE):
        print(f"{name} = {value:.4f} ± {error:.4f}, true {true}")
    np.savetxt(folder / "identify.csv", np.column_stack([measured, angle(model, values)]), delimiter=",",
               header="measured,fitted", comments="")
    return {"values": values, "deviation": deviation, "cost": fit.cost, "rows": len(measured)}


if __name__ == "__main__":
    main(sys.argv[1:])
