#!/usr/bin/env python3
"""A pole balanced on a cart: a sampled state feedback in Python, closed by the stepper.

    cart_pole.py [FOLDER]       writes cart_pole.csv there

The model is built in code and linearised about the upright pole. The gains place the poles of the sampled loop; the
loop itself is a few lines of Python around `Simulation.cycle`. While the pole is nearly upright the motion is that of
the linear loop, with an error of the third power of the angle.
"""

import sys
from pathlib import Path

import numpy as np

import phlexor

PERIOD = 0.01                                 # of the samples, s
POLES = np.array([-2.0, -2.5, -3.0, -6.0])    # of the loop, 1/s
OUTPUTS = ["x", "theta", "v", "omega"]


def build():
    """A cart of 1 kg on a rail and a pole of 0.1 kg and 1 m, hinged to it at its lower end."""
    m = phlexor.ModelBuilder("Cart and pole", 2, gravity=[0, -9.81])
    cart = m.rigid("cart", mass=1, inertia=1e-2)
    pole = m.rigid("pole", mass=0.1, inertia=0.1 / 12, ports={"foot": [0, -0.5]})
    m.joint("rail", "prismatic", m.ground.O, cart.P, axis=[1, 0])
    m.joint("hinge", "revolute", cart.P, pole.port("foot"), angle=m.parameter("tilt", 0))
    for name, quantity, joint in (("x", "coordinate", "rail"), ("theta", "coordinate", "hinge"),
                                  ("v", "rate", "rail"), ("omega", "rate", "hinge")):
        m.output(name, quantity, joint)
    m.simulate(end=5, step=1e-3)
    return m.build()


def exponential(A):
    """e^A by a Taylor series of A / 2^10, squared ten times."""
    power, term = np.eye(len(A)), np.eye(len(A))
    for k in range(1, 16):
        term = term @ A / (k * 2.0**10)
        power = power + term
    return np.linalg.matrix_power(power, 2**10)


def design(model):
    """Linear model y(k+1) = F y(k) + G u(k) of the outputs over one period, and gains K of u = -K y.

    The gains are Ackermann's: the last row of [G, FG, F²G, F³G]⁻¹ times the wanted polynomial of F.
    """
    plant = model.linearize(["rail.effort"], ["rail.coordinate", "hinge.coordinate", "rail.rate", "hinge.rate"])
    A = plant.C @ plant.A @ np.linalg.inv(plant.C)  # the four outputs are the state
    held = np.zeros((5, 5))
    held[:4, :4], held[:4, 4:] = A * PERIOD, plant.C @ plant.B * PERIOD
    held = exponential(held)
    F, G = held[:4, :4], held[:4, 4:]
    reach = np.hstack([np.linalg.matrix_power(F, k) @ G for k in range(4)])
    wanted = np.eye(4)
    for pole in np.exp(POLES * PERIOD):
        wanted = wanted @ (F - pole * np.eye(4))
    return F, G, np.linalg.inv(reach)[-1:] @ wanted


def balance(model, gains, tilt, end=5.0):
    """The loop: one call for each period. Rows of time, outputs and force."""
    model.set_parameters(tilt=tilt)
    sim = model.stepper(["rail.effort"], OUTPUTS)
    y, rows = sim.outputs_now(), []
    for k in range(round(end / PERIOD)):
        force = -gains @ y
        rows.append([k * PERIOD, *y, *force])
        y = sim.cycle(force, PERIOD)
    return np.array(rows)


def main(arguments):
    folder = Path(arguments[0] if arguments else ".")
    folder.mkdir(parents=True, exist_ok=True)
    model = build()
    F, G, gains = design(model)
    print("gains of x, theta, v, omega:", np.array2string(gains[0], precision=2))
    motion = balance(model, gains, 0.2)
    print(f"from 0.2 rad: largest force {np.abs(motion[:, 5]).max():.1f} N, cart {np.abs(motion[:, 1]).max():.2f} m, "
          f"at the end {motion[-1, 2]:.1e} rad")
    np.savetxt(folder / "cart_pole.csv", motion, delimiter=",", comments="",
               header="t,x,theta,v,omega,force")
    return {"model": model, "F": F, "G": G, "gains": gains, "motion": motion}


if __name__ == "__main__":
    main(sys.argv[1:])
