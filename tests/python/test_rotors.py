"""Rotors and rigid couplings of joints: closed forms, exact energy, one motion by all integrators and both evaluators."""
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

import phlexor

PENDULUM = """phlexor: 1
dimension: {dim}
gravity: {gravity}
bodies:
  arm: {{kind: rigid, mass: 2, inertia: {inertia}, centre_of_mass: {centre}}}
joints:
  hinge: {{kind: {kind}, ports: {ports}{axis}, rotor_inertia: 3e-4, gear_ratio: 40{more}}}
outputs: {{q: {{coordinate: hinge}}}}
simulate: {{end: 1, step: 1e-2}}
"""
# A lift that carries two fingers, of which one follows the other, and a thin beam on a joint with a rotor.
GRIPPER = """phlexor: 1
dimension: 3
gravity: [0, 0, -9.81]
materials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3}}
bodies:
  palm: {kind: rigid, mass: 2, inertia: [0.1, 0.1, 0.1], ports: {A: {position: [0.1, 0, 0]}, B: {position: [-0.1, 0, 0]}}}
  f1: {kind: rigid, mass: 0.3, inertia: [0.001, 0.002, 0.002], centre_of_mass: [0.05, 0, 0.02],
       pose: {position: [0.1, 0, 0], guess: true}, ports: {T: {position: [0.1, 0, 0]}}}
  f2: {kind: rigid, mass: 0.3, inertia: [0.001, 0.002, 0.002], centre_of_mass: [0.05, 0, 0.02],
       pose: {position: [-0.1, 0, 0], guess: true}}
  tip: {kind: beam, material: steel, length: 0.3, section: {kind: circle, diameter: 4e-3}, elements: 2,
        reference: cantilever, pose: {position: [0.2, 0, 0], guess: true}}
joints:
  lift: {kind: prismatic, ports: [palm.P, ground.O], axis: [0, 0, 1], stiffness: 1000, rotor_inertia: 1e-4, gear_ratio: 100}
  j1: {kind: revolute, ports: [palm.A, f1.P], axis: [0, 1, 0], angle: 0.2, rate: 3}
  j2: {kind: revolute, ports: [palm.B, f2.P], axis: [0, 1, 0]}
  j3: {kind: revolute, ports: [f1.T, tip.P], axis: [0, 0, 1], stiffness: 5, rotor_inertia: 1e-3, rate: 1}
forces:
  mimic: {kind: coupling, rigid: true, terms: [{joint: j1, weight: 2}, {joint: j2, weight: 1}], rest: 0.5}
outputs: {lift: {coordinate: lift}, j1: {coordinate: j1}, j2: {coordinate: j2}, j3: {coordinate: j3}}
initial: {deformation: quasi_static}
simulate: {end: 0.3, step: 1e-3}
"""
ARM = """phlexor: 1
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  arm: {kind: rigid, mass: 2, inertia: [0.01, 0.1, 0.1], centre_of_mass: [0.4, 0, 0], ports: {E: {position: [0.8, 0, 0]}}}
  fore: {kind: rigid, mass: 1, inertia: [0.01, 0.05, 0.05], centre_of_mass: [0.3, 0.05, 0], pose: {position: [0.8, 0, 0], guess: true}}
joints:
  shoulder: {kind: revolute, ports: [ground.O, arm.P], axis: [0, 1, 0], angle: 0.3, rotor_inertia: 1e-4, gear_ratio: 50}
  elbow: {kind: revolute, ports: [arm.E, fore.P], axis: [0, 1, 1], angle: 0.5, rate: 2, rotor_inertia: 0.2}
outputs: {a: {coordinate: shoulder}, b: {coordinate: elbow}}
simulate: {end: 1, step: 1e-3}
"""
# A light body that turns with a large rotor, and a link behind an elastic gear.
GEARED = """phlexor: 1
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  flange: {kind: rigid, mass: 0.1, inertia: [1e-4, 1e-4, 1e-4]}
  link: {kind: rigid, mass: 2, inertia: [0.02, 0.02, 0.02], centre_of_mass: [0.3, 0, 0]}
joints:
  motor: {kind: revolute, ports: [ground.O, flange.P], axis: [0, 1, 0], angle: 0.2, rotor_inertia: 1e-4, gear_ratio: 100}
  gear: {kind: revolute, ports: [flange.P, link.P], axis: [0, 1, 0], angle: 0, stiffness: 1e4, damping: 10}
controllers:
  motor: {kind: pid, measure: motor, effort: motor, kp: 1000, kd: 50}
initial: {equilibrium: true}
outputs: {q: {coordinate: motor}}
modes: {count: 2}
simulate: {end: 0.5, step: 2e-3}
"""


class Rotors(unittest.TestCase):
    def model(self, text):
        return phlexor.Model.from_text(text)

    def test_frequency_of_a_pendulum_with_a_rotor(self):
        # 2 (0.5)^2 + 0.1 of the arm, 3e-4 40^2 of the rotor; along the slide 2 kg and as much again
        for dim, down, inertia, centre, turn, along in (
                (2, "[0, -9.81]", "0.1", "[0, -0.5]", "", ", axis: [1, 0]"),
                (3, "[0, 0, -9.81]", "[0.1, 0.1, 0.1]", "[0, 0, -0.5]", ", axis: [0, 1, 0]", ", axis: [1, 0, 0]")):
            for ports in ("[ground.O, arm.P]", "[arm.P, ground.O]"):
                of_body = {"dim": dim, "gravity": down, "inertia": inertia, "centre": centre, "ports": ports}
                hinge = self.model(PENDULUM.format(kind="revolute", axis=turn, more="", **of_body))
                omega = np.sqrt(2 * 9.81 * 0.5 / (2 * 0.25 + 0.1 + 3e-4 * 40**2))
                np.testing.assert_allclose(hinge.modes(at="static").omega.ravel(), [omega], rtol=1e-12)
                slide = self.model(PENDULUM.format(kind="prismatic", axis=along, more=", stiffness: 300", **of_body))
                np.testing.assert_allclose(slide.modes().omega.ravel(), [np.sqrt(300 / (2 + 3e-4 * 40**2))], rtol=1e-12)

    def test_one_motion_by_all_integrators(self):
        for text in (ARM, GRIPPER):
            model = self.model(text)
            ends = []
            for integrator in ("midpoint4", "gauss6", "radau5") + (("dop853",) if text is ARM else ()):
                how = {"step": 1e-3} if integrator == "midpoint4" else {"rtol": 1e-9}
                result = model.simulate(end=0.2, integrator=integrator, every=0.1, **how)
                ends.append([float(result.output(name)[-1]) for name in model.outputs])
                self.assertLess(np.max(np.abs(result["residual"])), 1e-8, integrator)
            for other in ends[1:]:
                np.testing.assert_allclose(ends[0], other, atol=2e-8)

    def test_energy_and_rigid_coupling_are_exact_at_long_steps(self):
        model = self.model(GRIPPER)
        for step in (1e-3, 4e-3, 1e-2):
            result = model.simulate(step=step, every=step)
            self.assertLess(np.max(np.abs(result["residual"])), 1e-12, step)
            np.testing.assert_allclose(2 * result.output("j1") + result.output("j2"), 0.5, atol=1e-12)
        both = [model.stepper((), ("j1", "j3"), step=1e-3, backend=backend) for backend in ("plain", "fast")]
        for sim in both:
            sim.step(0.1)
        np.testing.assert_allclose(both[0].outputs_now(), both[1].outputs_now(), atol=1e-12)

    def test_rotor_inertia_is_added_to_the_mass_matrix(self):
        plain = self.model(ARM.replace(", rotor_inertia: 1e-4, gear_ratio: 50", "").replace(", rotor_inertia: 0.2", ""))
        with_rotors = self.model(ARM)
        q, v = [0.4, -0.7], [1, 2]
        a, b = plain.joint_space(q, v), with_rotors.joint_space(q, v)
        np.testing.assert_allclose(b.mass - a.mass, np.diag([1e-4 * 50**2, 0.2]), atol=1e-14)
        np.testing.assert_allclose(b.bias, a.bias, rtol=1e-13)
        # the accelerations of the start are those of the equations with multipliers: q(h) = q0 + v0 h + a h^2/2 + O(h^3)
        space, h = with_rotors.joint_space(), 1e-4
        result = with_rotors.simulate(end=h, step=h / 4, every=h, integrator="gauss6")
        np.testing.assert_allclose([float(result.output(name)[-1]) for name in ("a", "b")],
                                   space.q + space.v * h + space.accelerations() * h * h / 2, atol=1e-10)

    def test_equilibrium_with_a_rigid_coupling(self):
        rest = self.model(GRIPPER.replace(", rate: 3", "").replace(", rate: 1", "")).static().outputs
        a = rest["j1"]
        self.assertAlmostEqual(2 * a + rest["j2"], 0.5, delta=1e-12)
        # of heights: z = -x sin q + z cos q; the beam hangs on f1 beyond 0.1 m; torque about j1 less twice that about j2
        beam = 7850 * np.pi * 2e-3**2 * 0.3

        def torque(q):
            return 0.3 * (-0.05 * np.cos(q) - 0.02 * np.sin(q))
        self.assertAlmostEqual(torque(a) + beam * -(0.1 + 0.15) * np.cos(a) - 2 * torque(rest["j2"]), 0, delta=1e-4)

    def test_light_bodies_with_rotors(self):
        """An equilibrium is recognised as one."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = self.model(GEARED)
            modes = model.modes()
            model.simulate()
        # rotor and link on two springs, with the damping: det(s^2 M + s C + K)
        M, C = np.diag([1 + 1e-4, 0.2]), np.array([[60, -10], [-10, 10]])
        K = np.array([[11e3, -1e4], [-1e4, 1e4]])
        poles = np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]]))
        np.testing.assert_allclose(np.ravel(modes.omega), np.sort(abs(poles))[::2], rtol=5e-3)

    def test_strong_dampers_are_named_beside_rotors_of_slides(self):
        """A rotor that a slide turns (kg) does not hide that a damper is too strong for the inertia (kg m^2) of its body."""
        text = """phlexor: 1
dimension: 3
gravity: [0, 0, 0]
bodies:
  slide: {kind: rigid, mass: 1, inertia: [1e-3, 1e-3, 1e-3]}
  wheel: {kind: rigid, mass: 1, inertia: [1e-3, 1e-3, 1e-3], pose: {guess: true}}
joints:
  push: {kind: prismatic, ports: [ground.O, slide.P], axis: [1, 0, 0], stiffness: 1}
  turn: {kind: revolute, ports: [slide.P, wheel.P], axis: [1, 0, 0], damping: 1e3, rate: 1}
outputs: {q: {coordinate: turn}}
simulate: {end: 0.1, step: 1e-3}
"""
        def named(model):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                self.model(model).simulate()
            return [str(one.message) for one in told if "damp" in str(one.message)]
        rotor = text.replace("stiffness: 1}", "stiffness: 1, rotor_inertia: 1e-2, gear_ratio: 1e3}")
        self.assertNotEqual(rotor, text)
        self.assertTrue(named(text))
        self.assertEqual(named(rotor), named(text))

    def test_what_is_refused(self):
        for old, new, why in (
                ("rest: 0.5", "rest: 0.5, stiffness: 3", "a rigid coupling holds exactly; leave out 'stiffness'"),
                (", {joint: j2, weight: 1}", "", "a rigid coupling has two terms, found 1"),
                ("gear_ratio: 100", "gear_ratio: 0", "gear_ratio: expected a number greater than 0"),
                ("rotor_inertia: 1e-3", "rotor_inertia: -1", "rotor_inertia")):
            self.assertIn(old, GRIPPER)
            with self.assertRaisesRegex(phlexor.PhlexorError, why):
                self.model(GRIPPER.replace(old, new)).check()
        with self.assertRaisesRegex(phlexor.UnsupportedError, "coupling 'mimic' holds two joints to each other|deforms"):
            self.model(GRIPPER).simulate(integrator="dop853")


if __name__ == "__main__":
    unittest.main()
