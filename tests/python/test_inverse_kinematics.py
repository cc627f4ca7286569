"""Motions of joints that bring a port to places: against closed forms, kinematics written here and simulations."""
import os
import re
import subprocess
import unittest
import warnings

import numpy as np

import phlexor
from support import SOURCE, Case

PROGRAM = os.environ["PHLEXOR_PROGRAM"]
OFFSETS = [0.16, 0.2, 0.22, 0.2, 0.21, 0.19, 0.12]  # along z to the axes of examples/seven_axis.urdf, m
TOOL = 0.05
AXES = [f"axis_{k}" for k in range(1, 8)]
LIMITS = np.array([2.9671, 2.0944, 2.9671, 2.0944, 2.9671, 2.0944, 3.0543])
TWO_LINKS = """phlexor: 1
title: two links
dimension: 2
bodies:
  upper: {kind: rigid, mass: 1, inertia: 0.1, ports: {E: {position: [0.7, 0]}}}
  lower: {kind: rigid, mass: 1, inertia: 0.1, pose: {position: [0.7, 0]}, ports: {T: {position: [0.5, 0], angle: 0.3}}}
joints:
  shoulder: {kind: revolute, ports: [ground.O, upper.P], angle: 0.2}
  elbow: {kind: revolute, ports: [upper.E, lower.P], angle: 0.9%s}
"""


def turn(axis, angle):
    k = np.cross(np.eye(3), np.asarray(axis, float))
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def place(q):
    """Place and directions of the tool of the seven-axis arm."""
    p, R = np.zeros(3), np.eye(3)
    for k, angle in enumerate(q):
        p = p + R @ [0, 0, OFFSETS[k]]
        R = R @ turn([0, 1, 0] if k % 2 else [0, 0, 1], angle)
    return p + R @ [0, 0, TOOL], R


def jacobian(q, directions):
    p, R = np.zeros(3), np.eye(3)
    end = place(q)[0]
    columns = []
    for k, angle in enumerate(q):
        p = p + R @ [0, 0, OFFSETS[k]]
        axis = R[:, 1 if k % 2 else 2]
        columns.append(np.concatenate([np.cross(axis, end - p), axis] if directions else [np.cross(axis, end - p)]))
        R = R @ turn([0, 1, 0] if k % 2 else [0, 0, 1], angle)
    return np.array(columns).T


def quaternion(R):
    w = np.sqrt(1 + np.trace(R)) / 2
    return np.array([w, (R[2, 1] - R[1, 2]) / (4 * w), (R[0, 2] - R[2, 0]) / (4 * w), (R[1, 0] - R[0, 1]) / (4 * w)])


def coordinates(table, joints):
    return np.array([table[f"{name}.coordinate"] for name in joints]).T


class Arm(Case):
    def setUp(self):
        super().setUp()
        text = phlexor.import_robot(SOURCE / "examples" / "seven_axis.urdf", self.folder / "arm.yaml").text
        for name, angle in zip(AXES, [0, 0.5, 0, 1.2, 0, 0.7, 0]):  # an arm that is bent
            text = re.sub(rf"^  {name}: {{kind", f"  {name}: {{angle: {angle}, kind", text, flags=re.M)
        (self.folder / "arm.yaml").write_text(text)
        self.model = phlexor.Model(self.folder / "arm.yaml")

    def test_line_and_circle_with_directions(self):
        """Each place and direction to 1e-12, changes without part along the solutions, no jumps, between the stops."""
        t = np.linspace(0, 1, 121)
        R = np.array([turn([0, 1, 0], 1.7) @ turn([0, 0, 1], 0.4 * x) for x in t])
        around = 2 * np.pi * t
        paths = {"line": np.stack([0.6 + 0 * t, 0.4 * t - 0.2, 0.5 + 0.1 * t], 1),
                 "circle": np.stack([0.62 + 0 * t, 0.15 * np.sin(around), 0.5 + 0.15 * np.cos(around)], 1)}
        for name, path in paths.items():
            for directions in (False, True):
                with self.subTest(path=name, directions=directions):
                    table = self.model.inverse_kinematics(
                        "flange.tcp", t, path, [quaternion(r) for r in R] if directions else None)
                    q = coordinates(table, AXES)
                    self.assertTrue(np.array_equal(table["t"], t))
                    self.assertLess(max(np.abs(place(q[k])[0] - path[k]).max() for k in range(len(t))), 1e-12)
                    if directions:
                        self.assertLess(max(np.abs(place(q[k])[1] - R[k]).max() for k in range(len(t))), 1e-12)
                    self.assertTrue((np.abs(q) <= LIMITS + 1e-12).all())
                    self.assertLess(np.abs(np.diff(q, axis=0)).max(), 0.08)
                    along = 0.0
                    for before, after in zip(q[:-1], q[1:]):
                        J = jacobian(after, directions)
                        _, sizes, V = np.linalg.svd(J)
                        along = max(along, np.abs(V[len(sizes):] @ (after - before)).max())
                    self.assertLess(along, 1e-9)

    def test_least_motion_is_that_of_the_pseudo_inverse(self):
        """For ever shorter rows the change is that of the pseudo-inverse, to second order."""
        error = []
        for h in (1e-2, 5e-3, 2.5e-3):
            path = np.array([[0.6, 0, 0.5], [0.6, h, 0.5 + h]])
            before, after = coordinates(self.model.inverse_kinematics("flange.tcp", [0, 1], path), AXES)
            error.append(np.abs(after - before - np.linalg.pinv(jacobian(before, False)) @ (path[1] - path[0])).max())
        self.assertGreater(error[0] / error[1], 3.8)
        self.assertGreater(error[1] / error[2], 3.8)

    def test_keeps_a_stop_and_still_arrives(self):
        t = np.linspace(0, 1, 101)
        path = np.stack([0.6 + 0 * t, 0.6 * t - 0.3, 0.5 + 0 * t], 1)
        free = coordinates(self.model.inverse_kinematics("flange.tcp", t, path), AXES)
        text = re.sub("upper: 2.9671", "upper: 0.1", self.model.text, count=1)
        q = coordinates(phlexor.Model.from_text(text).inverse_kinematics("flange.tcp", t, path), AXES)
        self.assertGreater(free[:, 0].max(), 0.2)
        self.assertLessEqual(q[:, 0].max(), 0.1 + 1e-15)
        self.assertGreater(np.sum(q[:, 0] > 0.1 - 1e-12), 20)
        self.assertLess(max(np.abs(place(q[k])[0] - path[k]).max() for k in range(len(t))), 1e-12)
        self.assertLess(np.abs(np.diff(q, axis=0)).max(), 0.05)
        held = q[-1, 0] > 0.1 - 1e-12  # at the stop the other joints have the least change
        self.assertTrue(held)
        _, _, V = np.linalg.svd(jacobian(q[-1], False)[:, 1:])
        self.assertLess(np.abs(V[3:] @ (q[-1] - q[-2])[1:]).max(), 1e-9)

    def test_places_out_of_reach_and_singular_ones(self):
        path = [[0.6, 0, 0.5], [1.6, 0, 0.5]]
        with self.assertRaisesRegex(phlexor.AnalysisError, r"t = 2 s, place \(1\.6, 0, 0\.5\) m: flange\.tcp stays away, by "
                                    r"0\.6\d* m .* smallest singular value .* Change the path .* 'nearest'"):
            self.model.inverse_kinematics("flange.tcp", [1, 2], path)
        with self.assertWarnsRegex(phlexor.PhlexorWarning, "1 of 2 places are not reached; up to 0.6"):
            q = coordinates(self.model.inverse_kinematics("flange.tcp", [1, 2], path, nearest=True), AXES)
        reach = sum(OFFSETS[2:]) + TOOL
        self.assertLess(abs(np.hypot(1.6, 0.14) - reach - np.linalg.norm(place(q[1])[0] - path[1])), 1e-9)
        with self.assertRaisesRegex(phlexor.AnalysisError, "singular position"):
            self.model.inverse_kinematics("flange.tcp", [0], [[0, 0, sum(OFFSETS) + TOOL]])

    def test_arguments(self):
        for words, args in [("no port 'tc'; did you mean 'tcp'", ("flange.tc", [0], [[0, 0, 1]])),
                            ("no body 'flang'; did you mean 'flange'", ("flang.tcp", [0], [[0, 0, 1]])),
                            ("expected BODY.PORT", ("flange", [0], [[0, 0, 1]])),
                            ("path is empty", ("flange.tcp", [], np.zeros((0, 3)))),
                            ("row 2 .* not finite", ("flange.tcp", [0, 1], [[0, 0, 1], [0, np.nan, 1]])),
                            ("row 2 .* not after", ("flange.tcp", [1, 1], [[0, 0, 1], [0, 0, 1]])),
                            ("length 2, expected 1", ("flange.tcp", [0], [[0, 0, 1]], [[2, 0, 0, 0]]))]:
            with self.subTest(words), self.assertRaisesRegex(phlexor.PhlexorError, words):
                self.model.inverse_kinematics(*args)
        with self.assertRaisesRegex(ValueError, "places has the shape"):
            self.model.inverse_kinematics("flange.tcp", [0], [[0, 1]])

    def test_motions_drive_the_arm_along_the_path(self):
        """The program writes tables, a simulation with them passes the places of the path at its times."""
        (self.folder / "path.csv").write_text("t,x,y,z,qw,qx,qy,qz\n0,0.6,-0.2,0.5,0.8,0,0.6,0\n"
                                              "0.5,0.6,0.2,0.5,0.8,0,0.6,0\n1,0.6,0.2,0.65,0.8,0.3,0.6,0\n"
                                              .replace("0.8,0.3,0.6,0", ",".join(map(repr, np.array([8, 3, 6, 0]) / 109**0.5))))
        done = subprocess.run([PROGRAM, "inverse", "arm.yaml", "--place", "flange.tcp", "--path", "path.csv", "--every",
                               "0.005", "--rise", "0.1", "-o", "motions.csv"], cwd=self.folder, stdout=subprocess.PIPE,
                              check=True, text=True).stdout
        text = self.model.text
        for name, motion in re.findall(r"^  (axis_\d) +(motion: .*)$", done, re.M):
            text = re.sub(rf"^  {name}: {{(angle: [\d.]+, )?kind", f"  {name}: {{{motion}, kind", text, flags=re.M)
        self.assertEqual(text.count("motion: {file: motions.csv"), 7)
        text = text.replace("outputs:\n", "outputs:\n  way: {attitude: flange.tcp}\n").replace("{end: 1, step: 1e-3}",
                                                                                             "{end: 1, step: 5e-3}")
        (self.folder / "moved.yaml").write_text(text)
        result = phlexor.Model(self.folder / "moved.yaml").simulate()
        table = np.loadtxt(self.folder / "motions.csv", delimiter=",", skiprows=1)
        s = np.array([self.trapezoid(x, 0.5, 0.1) for x in table[:101, 0]])
        path = np.concatenate([np.stack([0.6 + 0 * s, 0.4 * s - 0.2, 0.5 + 0 * s], 1),
                               np.stack([0.6 + 0 * s, 0.2 + 0 * s, 0.5 + 0.15 * s], 1)[1:]])
        self.assertLess(np.abs(result["t"] - table[:, 0]).max(), 1e-12)
        moved = np.stack([result[f"tcp_place.{c}"] for c in "xyz"], 1)
        self.assertLess(np.abs(moved - path).max(), 1e-9)
        end = np.array([result[f"way.{c}"][-1] for c in "wxyz"])
        self.assertLess(np.abs(np.abs(end @ np.array([8, 3, 6, 0]) / 109**0.5) - 1), 1e-12)

    @staticmethod
    def trapezoid(t, T, rise):
        v, t = 1 / (T - rise), min(t, T)
        return (v * t * t / (2 * rise) if t < rise else v * (t - rise / 2) if t < T - rise
                else 1 - v * (T - t)**2 / (2 * rise))

    def test_damaged_files(self):
        good = "t,x,y,z\n0,0.6,0,0.5\n1,0.6,0.1,0.5\n"
        for words, text in [("bad.csv:3: .*number in column 3, found 'a'", good.replace("0.1", "a")),
                            ("bad.csv:3: time 0 is not after", good.replace("\n1,", "\n0,")),
                            ("no column 'z'", good.replace("z", "w")), ("'x' is in 'mm', expected 'm'", good.replace("x", "x [mm]")),
                            ("expected 4 columns", good.replace(",0.1", "")),
                            ("first column is 'x'", good.replace("t,x", "x,t")), ("no line of numbers", "t,x,y,z\n"),
                            ("no column 'qx'", good.replace("z\n", "z,qw\n").replace(".5\n", ".5,1\n"))]:
            (self.folder / "bad.csv").write_text(text)
            with self.subTest(words):
                done = subprocess.run([PROGRAM, "inverse", "arm.yaml", "--place", "flange.tcp", "--path", "bad.csv", "-o",
                                       "out.csv"], cwd=self.folder, stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, words)
                self.assertEqual(list(self.folder.glob("out*")), [])


class Plane(Case):
    def arm(self, more=""):
        return phlexor.Model.from_text(TWO_LINKS % more)

    def test_two_links_have_the_closed_form_over_full_turns(self):
        """Three turns about the shoulder on a spiral: angles are continuous."""
        t = np.linspace(0, 1, 301)
        radius, angle = 0.6 + 0.3 * t, 0.3 + 6 * np.pi * t
        table = self.arm().inverse_kinematics("lower.T", t, np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1))
        q = coordinates(table, ["shoulder", "elbow"])
        elbow = np.arccos((radius**2 - 0.7**2 - 0.5**2) / (2 * 0.7 * 0.5))
        shoulder = angle - np.arctan2(0.5 * np.sin(elbow), 0.7 + 0.5 * np.cos(elbow))
        self.assertLess(np.abs(q - np.stack([shoulder, elbow], 1)).max(), 1e-11)

    def test_angle_of_the_port(self):
        """A slide, then two hinges: place and angle of the port, which is turned by 0.3 rad against its body."""
        text = (TWO_LINKS % "").replace("bodies:", "bodies:\n  cart: {kind: rigid, mass: 1, inertia: 1}").replace(
            "joints:", "joints:\n  rail: {kind: prismatic, ports: [ground.O, cart.P], axis: [1, 0]}").replace("ground.O, upper",
                                                                                                       "cart.P, upper")
        t = np.linspace(0, 1, 21)
        places, angles = np.stack([0.9 + 0.5 * t, 0.2 + 0 * t], 1), 0.2 + 0.5 * t
        q = coordinates(phlexor.Model.from_text(text).inverse_kinematics("lower.T", t, places, angles),
                        ["rail", "shoulder", "elbow"])
        x = q[:, 0] + 0.7 * np.cos(q[:, 1]) + 0.5 * np.cos(q[:, 1] + q[:, 2])
        y = 0.7 * np.sin(q[:, 1]) + 0.5 * np.sin(q[:, 1] + q[:, 2])
        self.assertLess(np.abs(np.stack([x, y], 1) - places).max(), 1e-12)
        self.assertLess(np.abs(q[:, 1] + q[:, 2] + 0.3 - angles).max(), 1e-12)

    def test_stretched_arm(self):
        with self.assertRaisesRegex(phlexor.AnalysisError, "t = 1 s.*singular position"):
            self.arm().inverse_kinematics("lower.T", [0, 1], [[1, 0], [1.2, 0]])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            q = coordinates(self.arm().inverse_kinematics("lower.T", [0, 1], [[1, 0], [1.2, 0]], nearest=True),
                            ["shoulder", "elbow"])
        self.assertLess(np.abs(q[1]).max(), 1e-5)

    def test_stop_of_an_arm_without_redundancy(self):
        with self.assertRaisesRegex(phlexor.AnalysisError, "stays away.*'elbow' at its stop"):
            self.arm(", stops: {upper: 1, stiffness: 1e4}").inverse_kinematics("lower.T", [0, 1], [[1.1, 0], [0.8, 0]])

    def test_refuses_free_bodies_and_couplings(self):
        free = (TWO_LINKS % "").replace("  shoulder: {kind: revolute, ports: [ground.O, upper.P], angle: 0.2}\n", "")
        coupled = (TWO_LINKS % "").replace(", angle: 0.9", "") + (
            "forces:\n  gear: {kind: coupling, rigid: true, rest: 0.3, terms: [{joint: shoulder, weight: 1}, "
            "{joint: elbow, weight: 0.5}]}\n")
        for words, text in [("'upper' moves freely", free), ("coupling 'gear' holds two joints", coupled)]:
            with self.subTest(words), self.assertRaisesRegex(phlexor.PhlexorError, words):
                phlexor.Model.from_text(text).inverse_kinematics("lower.T", [0], [[0.8, 0.3]])

    def test_joint_with_several_coordinates(self):
        """A planar joint: the motions are a list, as the program prints them."""
        (self.folder / "plate.yaml").write_text("phlexor: 1\ntitle: plate\ndimension: 2\nbodies:\n  plate: {kind: rigid, "
                                                "mass: 1, inertia: 1, ports: {T: {position: [0.1, 0]}}}\njoints:\n  stage: "
                                                "{kind: free, ports: [ground.O, plate.P]}\n")
        (self.folder / "path.csv").write_text("t;x;y;angle\n0;0,25;0,5;0\n1;0,5;0,5;1,5\n")
        done = subprocess.run([PROGRAM, "inverse", "plate.yaml", "--place", "plate.T", "--path", "path.csv"],
                              cwd=self.folder, stdout=subprocess.PIPE, check=True, text=True).stdout
        self.assertRegex(done, r"stage +motion: \[{file: plate_motions.csv, column: stage.coordinate1, .*coordinate3, [^\]]*}\]\n")
        table = np.loadtxt(self.folder / "plate_motions.csv", delimiter=",", skiprows=1)
        self.assertLess(np.abs(table[1] - [1, 0.5 - 0.1 * np.cos(1.5), 0.5 - 0.1 * np.sin(1.5), 1.5]).max(), 1e-12)


MIXED = """phlexor: 1
title: joints of several kinds
dimension: 3
bodies:
  a: {kind: rigid, mass: 1, inertia: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], ports: {E: {position: [0.3, 0.1, 0]}}}
  b: {kind: rigid, mass: 1, inertia: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], pose: {position: [0.4, 0, 0.1], guess: true},
    ports: {E: {position: [0.2, -0.1, 0.4]}}}
  c: {kind: rigid, mass: 1, inertia: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], pose: {position: [0.5, 0, 0.4], guess: true},
    ports: {E: {position: [0.3, 0, 0.1]}}}
  d: {kind: rigid, mass: 1, inertia: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], pose: {position: [0.7, 0, 0.4], guess: true},
    ports: {T: {position: [0.3, 0.2, 0.1], rotation: {axis: [1, 0, 0], angle: 1.2}}}}
joints:
  pole: {kind: cylindrical, ports: [ground.O, a.P], axis: [0, 0.6, 0.8]}
  cross: {kind: universal, ports: [b.P, a.E], axes: [[1, 0, 0], [0, 1, 0]]}
  hinge: {kind: revolute, ports: [c.P, b.E], axis: [0, 0, 1]}
  rail: {kind: prismatic, ports: [d.P, c.E], axis: [0, 0.8, 0.6]}
outputs: {p: {position: d.T}, w: {attitude: d.T}}
simulate: {end: 1, step: 0.05}
"""


class Mixed(Case):
    def test_simulation_follows_places_and_directions(self):
        """Angles and displacements, ports in either order: lists of motions move the port along places that the model's
        own outputs have for other coordinates."""
        space = phlexor.Model.from_text(MIXED).joint_space()
        t, start = np.linspace(0, 1, 21), space.q.copy()
        way = [space.at(start + s * np.array([0.3, 0.5, -0.3, 0.4, -0.5, 0.2])).outputs for s in t]
        p, w = (np.array([[o[f"{name}.{c}"] for c in parts] for o in way]) for name, parts in (("p", "xyz"), ("w", "wxyz")))
        (self.folder / "model.yaml").write_text(MIXED)
        np.savetxt(self.folder / "path.csv", np.column_stack([t, p, w]), "%.17g", ",", header="t,x,y,z,qw,qx,qy,qz", comments="")
        done = subprocess.run([PROGRAM, "inverse", "model.yaml", "--place", "d.T", "--path", "path.csv"], cwd=self.folder,
                              stdout=subprocess.PIPE, check=True, text=True).stdout
        text = MIXED
        for name, motion in re.findall(r"^  (\w+) +(motion: .*)$", done, re.M):
            text = text.replace(f"  {name}: {{kind", f"  {name}: {{{motion}, kind")
        (self.folder / "model.yaml").write_text(text)
        result = phlexor.Model(self.folder / "model.yaml").simulate()
        self.close(np.array([result[f"p.{c}"] for c in "xyz"]).T, p, 1e-9, "places")
        self.close(np.abs(np.sum(np.array([result[f"w.{c}"] for c in "wxyz"]).T * w, 1)), np.ones(21), 1e-12, "directions")


if __name__ == "__main__":
    unittest.main()
