#!/usr/bin/env python3
"""From a mechanism to its controller: a flexible arm on a motor, linearised, controlled by PD and by LQR.

    controller.py [FOLDER]       writes bode.csv and step.csv there

The arm is built in code. Its linear model gives the frequency response from the motor's torque to its angle. A PD
controller is designed on the rigid arm and checked on the flexible one: poles of the loop, then the nonlinear model
with the same gains, which must move like the linear loop while the motion is small. With SciPy an LQR state feedback
follows.
"""

import sys
from pathlib import Path

import numpy as np

import phlexor

STEP = 0.05  # turn that is asked for, rad


def build():
    """An aluminium arm of 1 m with 0.5 kg at its end, on a motor with a hub; kp and kd are the motor's gains."""
    m = phlexor.ModelBuilder("Flexible arm", 2)
    kp, kd, rest = m.parameter("kp", 0), m.parameter("kd", 0), m.parameter("rest", 0)
    aluminium = m.material("aluminium", density=2700, young=70e9)
    hub = m.rigid("hub", mass=1, inertia=5e-3)
    arm = m.beam("arm", material=aluminium, length=1, section=phlexor.Rectangle(0.04, 0.004), elements=4,
                 reference="cantilever", damping=phlexor.Damping(modal=0.005),
                 point_masses=[phlexor.PointMass("C", 0.5)])
    # torque of a PD controller: kp (rest - angle) - kd rate; and the torque that a state feedback would give
    m.joint("motor", "revolute", m.ground.O, hub.P, stiffness=kp, damping=kd, rest=rest, effort=0)
    m.joint("clamp", "weld", hub.P, arm.P, angle=0)
    m.output("angle", "coordinate", "motor")
    m.output("tip", "position", arm.C)
    m.simulate(end=3, step=1e-3)
    return m.build()


def bode(plant, folder):
    """Magnitude and phase from the motor's torque to its angle."""
    omega = np.logspace(0, 3, 400)
    response = plant.response(omega)[:, 0, 0]
    table = np.column_stack([omega, 20 * np.log10(np.abs(response)), np.degrees(np.unwrap(np.angle(response)))])
    np.savetxt(folder / "bode.csv", table, delimiter=",", header="omega,magnitude_dB,phase_deg", comments="")
    return omega, response


def step_of(A, B, C, t):
    """Response of x' = A x + B, y = C x from rest at equal times: x(k+1) = e^(Ah) x(k) + integral."""
    n, h = len(A), t[1] - t[0]
    block = np.zeros((n + 1, n + 1))
    block[:n, :n], block[:n, n] = A * h, B * h
    scale = max(0, int(np.ceil(np.log2(max(np.abs(block).sum(axis=1).max(), 1e-9)))) + 4)
    power, term = np.eye(n + 1), np.eye(n + 1)
    for k in range(1, 16):  # Taylor series of a matrix made small, then squared
        term = term @ (block / 2.0**scale) / k
        power = power + term
    for _ in range(scale):
        power = power @ power
    x, y = np.append(np.zeros(n), 1.0), []
    for _ in t:
        y.append(C @ x[:n])
        x = power @ x
    return np.array(y)


def pd(model, plant, folder):
    """Gains for 4 rad/s and a damping of 0.7 on the rigid arm; then the loop, linear and nonlinear."""
    certificate = model.check()
    x, y = certificate.centre_of_mass
    inertia = certificate.inertia + certificate.mass * (x * x + y * y)
    kp, kd = inertia * 4.0**2, inertia * 2 * 0.7 * 4.0
    print(f"rigid inertia {inertia:.4f} kg m^2: kp = {kp:.3f} N m/rad, kd = {kd:.3f} N m s/rad")

    controller = phlexor.StateSpace(D=[[kp, kd]], inputs=["angle", "rate"], outputs=["torque"])
    loop = plant.system.feedback(controller)
    print("slowest poles of the loop:", np.array2string(loop.poles[:4], precision=3))

    model.set_parameters(kp=kp, kd=kd, rest=STEP)  # the nonlinear model with the same gains
    result = model.simulate()
    linear = step_of(loop.A, loop.B[:, 0] * kp * STEP, loop.C[0], result.t)
    apart = np.abs(result["angle"] - linear).max() / STEP
    print(f"step of {STEP} rad: ends at {result['angle'][-1]:.5f}, nonlinear and linear are {apart:.1e} of it apart")
    np.savetxt(folder / "step.csv", np.column_stack([result.t, result["angle"], linear]), delimiter=",",
               header="t,nonlinear,linear", comments="")
    return loop, result, apart


def lqr(plant):
    """State feedback that weighs the angle, the rate and the torque."""
    try:
        from scipy.linalg import solve_continuous_are
    except ImportError:
        print("no LQR: SciPy (Debian: python3-scipy) is not here")
        return None
    A, B, C = plant.A, plant.B, plant.C
    weight = C.T @ np.diag([100.0, 1.0]) @ C + 1e-6 * np.eye(len(A))
    riccati = solve_continuous_are(A, B, weight, np.array([[0.1]]))
    gain = B.T @ riccati / 0.1
    poles = np.linalg.eigvals(A - B @ gain)
    poles = poles[np.argsort(np.abs(poles))]
    print("slowest poles with LQR:   ", np.array2string(poles[:4], precision=3))
    return poles


def main(arguments):
    folder = Path(arguments[0] if arguments else ".")
    folder.mkdir(parents=True, exist_ok=True)
    model = build()
    plant = model.linearize(inputs=["motor.effort"], outputs=["motor.coordinate", "motor.rate"])
    print(plant)
    omega, response = bode(plant, folder)
    loop, result, apart = pd(model, plant, folder)
    return {"omega": omega, "response": response, "loop": loop, "result": result, "apart": apart, "lqr": lqr(plant)}


if __name__ == "__main__":
    main(sys.argv[1:])
