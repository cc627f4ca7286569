"""Robots in URDF: motion against recursive Newton-Euler equations written here, links that bend, faults in files."""
import itertools
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import phlexor

PROGRAM = os.environ["PHLEXOR_PROGRAM"]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ROBOT = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base_link"/>
  <joint name="stand" type="fixed"><parent link="base_link"/><child link="pedestal"/><origin xyz="0 0.1 0.1" rpy="0.2 0 0"/></joint>
  <link name="pedestal"><inertial><mass value="4"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
  <joint name="j1" type="continuous"><parent link="pedestal"/><child link="l1"/><origin xyz="0 0 0.2" rpy="0.1 0.2 0.3"/>
    <axis xyz="0 0 1"/><dynamics damping="0.3"/></joint>
  <link name="l1"><inertial><origin xyz="0.2 0.01 0.03" rpy="0.3 0 0.1"/><mass value="3"/>
    <inertia ixx="0.02" iyy="0.05" izz="0.06" ixy="0.001" ixz="0.002" iyz="-0.003"/></inertial></link>
  <joint name="lid_joint" type="fixed"><parent link="l1"/><child link="lid"/><origin xyz="0.1 0.1 0" rpy="0 0.7 0"/></joint>
  <link name="lid"><inertial><origin xyz="0 0 0.05"/><mass value="0.5"/><inertia ixx="0.001" iyy="0.002" izz="0.002"/></inertial></link>
  <joint name="j2" type="revolute"><parent link="l1"/><child link="l2"/><origin xyz="0.4 0 0" rpy="1.2 0 0.5"/>
    <axis xyz="0 1 1"/></joint>
  <link name="l2"><inertial><origin xyz="0.15 0 0.02"/><mass value="2"/><inertia ixx="0.004" iyy="0.02" izz="0.02"/></inertial></link>
  <joint name="flange" type="fixed"><parent link="l2"/><child link="tool0"/><origin xyz="0.3 0 0" rpy="0 1.57 0"/></joint>
  <link name="tool0"/>
  <joint name="j3" type="prismatic"><parent link="tool0"/><child link="finger"/><axis xyz="0 1 0.2"/></joint>
  <link name="finger"><inertial><origin xyz="0 0.03 0.02"/><mass value="0.2"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"/></inertial></link>
</robot>
"""


def turn(axis, angle):
    k = np.cross(np.eye(3), np.asarray(axis, float) / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def rpy(r, p, y):
    return turn([0, 0, 1], y) @ turn([0, 1, 0], p) @ turn([1, 0, 0], r)


# Links of ROBOT with mass, each: parent, fixed frames up to its joint, joint (kind, axis), masses (m, centre, inertia).
def inertia(xx, yy, zz, xy=0.0, xz=0.0, yz=0.0):
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


R1 = rpy(0.3, 0, 0.1)
RL = rpy(0, 0.7, 0)
CHAIN = [
    ([((0, 0.1, 0.1), rpy(0.2, 0, 0)), ((0, 0, 0.2), rpy(0.1, 0.2, 0.3))], "r", (0, 0, 1),
     [(3, np.array([0.2, 0.01, 0.03]), R1 @ inertia(0.02, 0.05, 0.06, 0.001, 0.002, -0.003) @ R1.T),
      (0.5, np.array([0.1, 0.1, 0]) + RL @ [0, 0, 0.05], RL @ inertia(0.001, 0.002, 0.002) @ RL.T)]),
    ([((0.4, 0, 0), rpy(1.2, 0, 0.5))], "r", (0, 1, 1), [(2, np.array([0.15, 0, 0.02]), inertia(0.004, 0.02, 0.02))]),
    ([((0.3, 0, 0), rpy(0, 1.57, 0))], "p", (0, 1, 0.2), [(0.2, np.array([0, 0.03, 0.02]), inertia(1e-4, 1e-4, 1e-4))]),
]
DAMPING = np.array([0.3, 0, 0])


def forces(q, w, a):
    """Generalised forces of the motion by Newton and Euler, gravity as an acceleration of the base, in world axes; and
    the place of the last link."""
    x, R = np.zeros(3), np.eye(3)
    omega, alpha, acc = np.zeros(3), np.zeros(3), np.array([0, 0, 9.81])
    links, axes = [], []
    for (frames, kind, axis, masses), qi, wi, ai in zip(CHAIN, q, w, a):
        for offset, attitude in frames:
            d = R @ np.array(offset, float)
            acc = acc + np.cross(alpha, d) + np.cross(omega, np.cross(omega, d))
            x, R = x + d, R @ attitude
        n = R @ np.array(axis, float) / np.linalg.norm(axis)
        if kind == "r":
            R = turn(n, qi) @ R
            alpha = alpha + n * ai + np.cross(omega, n * wi)
            omega = omega + n * wi
        else:
            d = n * qi
            acc = (acc + np.cross(alpha, d) + np.cross(omega, np.cross(omega, d)) + 2 * np.cross(omega, n * wi) + n * ai)
            x = x + d
        axes.append((kind, n, x))
        parts = []
        for m, c, I in masses:
            d = R @ c
            f = m * (acc + np.cross(alpha, d) + np.cross(omega, np.cross(omega, d)))
            J = R @ I @ R.T
            parts.append((x + d, f, J @ alpha + np.cross(omega, J @ omega)))
        links.append(parts)
    tau = np.zeros(len(CHAIN))
    for k, (kind, n, at) in enumerate(axes):
        for parts in links[k:]:
            for place, f, moment in parts:
                tau[k] += n @ f if kind == "p" else n @ (moment + np.cross(place - at, f))
    return tau, x


def accelerations(q, w):
    bias, _ = forces(q, w, np.zeros(3))
    zero, _ = forces(q, np.zeros(3), np.zeros(3))
    M = np.array([forces(q, np.zeros(3), e)[0] - zero for e in np.eye(3)]).T
    return np.linalg.solve(M, -bias - DAMPING * w)


def integrate(q, w, end, steps):
    h = end / steps
    y = np.concatenate([q, w])

    def rate(y):
        return np.concatenate([y[3:], accelerations(y[:3], y[3:])])
    for _ in range(steps):
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + h / 2 * k2)
        k4 = rate(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


class Robot(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def run_import(self, text, *options, fails=False):
        (self.place / "robot.urdf").write_text(text)
        out = self.place / "robot.yaml"
        out.unlink(missing_ok=True)
        done = subprocess.run([PROGRAM, "import", "robot.urdf", "-o", out, *options], cwd=self.place, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 2 if fails else 0, done.stderr)
        self.assertEqual(out.exists(), not fails)
        return done.stderr if fails else out.read_text()

    def start(self, text, q, w):
        for name, key, value, rate in zip(("j1", "j2", "j3"), ("angle", "angle", "position"), q, w):
            text = re.sub(rf"(  {name}: {{kind: \w+)", rf"\1, {key}: {value!r}, rate: {rate!r}", text)
        path = self.place / "start.yaml"
        path.write_text(text)
        return phlexor.Model(path)

    def test_joint_space_is_that_of_newton_and_euler(self):
        (self.place / "robot.yaml").write_text(self.run_import(ROBOT))
        arm = phlexor.Model(self.place / "robot.yaml").joint_space()
        self.assertEqual(arm.names, ("j1", "j2", "j3"))
        rng = np.random.default_rng(7)
        for _ in range(100):
            q, w, tau = rng.normal(size=(3, 3))
            arm.at(q, w)
            zero, place = forces(q, np.zeros(3), np.zeros(3))
            M = np.array([forces(q, np.zeros(3), e)[0] - zero for e in np.eye(3)]).T
            np.testing.assert_allclose(arm.mass, M, rtol=1e-12, atol=1e-13)
            np.testing.assert_allclose(arm.bias, forces(q, w, np.zeros(3))[0], rtol=1e-11, atol=1e-12)
            np.testing.assert_allclose(arm.effort, -DAMPING * w, atol=1e-13)
            np.testing.assert_allclose(arm.accelerations(tau), accelerations(q, w) + np.linalg.solve(M, tau), rtol=1e-9)
            np.testing.assert_allclose([arm.outputs[f"finger_place.{c}"] for c in "xyz"], place, atol=1e-13)
        with self.assertRaisesRegex(ValueError, r"q has the shape \(2,\), expected 3 finite numbers, for the joints j1, j2, j3"):
            arm.at([0, 1])
        with self.assertRaisesRegex(phlexor.UnsupportedError, "'four_bar|closes a loop|deforms"):
            phlexor.Model(EXAMPLES / "four_bar.yaml").joint_space()

    def test_motion_is_that_of_newton_and_euler(self):
        text = self.run_import(ROBOT)
        rng = np.random.default_rng(5)
        for _ in range(2):
            q, w = rng.uniform(-1, 1, 3), rng.uniform(-2, 2, 3)
            result = self.start(text, q, w).simulate(end=0.3, integrator="radau5", rtol=1e-11, every=0.3)
            np.testing.assert_allclose(result.output("finger_place")[0], forces(q, w, w)[1], atol=1e-13)
            expected = integrate(q, w, 0.3, 250)
            found = [result.output(name)[-1] for name in ("j1", "j2", "j3")]
            np.testing.assert_allclose(np.ravel(found), expected[:3], atol=1e-9)

    def test_links_that_bend_keep_centre_and_inertia(self):
        """Of the whole, by phlexor check, for lines along all directions."""
        for xyz, com in (("0.4 0 0", "0.2 0 0"), ("0 0 0.4", "0 0 0.2"), ("-0.3 0.2 0.1", "-0.12 0.1 0.05")):
            text = ROBOT.replace('xyz="0.4 0 0" rpy="1.2 0 0.5"', f'xyz="{xyz}" rpy="1.2 0 0.5"')
            text = text.replace('xyz="0.2 0.01 0.03" rpy="0.3 0 0.1"', f'xyz="{com}" rpy="0.3 0 0.1"')
            whole = []
            for options in ((), ("--bend", "l1")):
                made = self.run_import(text, *options).replace("initial: {deformation: quasi_static}", "")
                (self.place / "whole.yaml").write_text(made)
                check = phlexor.Model(self.place / "whole.yaml").check()
                whole.append(np.concatenate([[check.mass], check.centre_of_mass, np.ravel(check.inertia)]))
            np.testing.assert_allclose(whole[1], whole[0], atol=1e-9)

    def test_shapes_of_links_that_bend_are_on_the_tube(self):
        """At the place of those of the rigid link, in the axes of the tube; the stresses of the tube are an output."""
        arm = (EXAMPLES / "seven_axis.urdf").read_text()
        made = self.run_import(arm, "--bend", "upper")
        root, beam = (re.search(rf"\n  {name}:\n((?:    .*\n)+)", made).group(1) for name in ("upper", "upper_beam"))
        self.assertIn("shape: {sphere: 0.0736", root)
        self.assertIn("- {cylinder: 0.098, length: 0.22, position: [0.11, 0, 0], rotation: ", beam)
        self.assertIn("  upper_stress: {stress: upper_beam@0}\n", made)
        self.assertNotIn("shape", self.run_import(arm, "--bend", "upper", "--no-shapes"))

    def test_mimic_keeps_its_offset(self):
        text = ROBOT.replace('<dynamics damping="0.3"/>', '<mimic joint="j2" multiplier="2" offset="0.3"/>')
        made = self.run_import(text).replace("gravity: [0, 0, -9.81]", "gravity: [0, 0, 0]")
        (self.place / "mimic.yaml").write_text(re.sub(r"(  j2: {kind: revolute)", r"\1, motion: 0.25", made))
        with self.assertWarnsRegex(phlexor.PhlexorWarning, "rigid coupling 'j1' is no part of joint coordinates"):
            phlexor.Model(self.place / "mimic.yaml").joint_space()
        rest = phlexor.Model(self.place / "mimic.yaml").static()
        self.assertAlmostEqual(rest.outputs["j1"], 0.8, delta=1e-9)

    def test_the_ground(self):
        shapes = """<collision><origin xyz="0 0 -0.1"/><geometry><sphere radius="0.05"/></geometry></collision>
          <collision><geometry><mesh filename="package://none/none.stl"/></geometry></collision>"""
        text = self.run_import(ROBOT.replace('<link name="l2">', f'<link name="l2">{shapes}'), "--ground", "--free-base")
        self.assertIn("ground:\n  ports:\n    floor: {}\n", text)
        self.assertIn("touch_1: {position: [0, 0, -0.1", text)
        self.assertIn("l2_touch_1: {kind: contact, ports: [ground.floor, l2.touch_1], against: plane, normal: [0, 0, 1],\n    radius: 0.05,", text)
        self.assertEqual(text.count("kind: contact"), 1)
        (self.place / "free.yaml").write_text(text)
        phlexor.Model(self.place / "free.yaml").check()

    def test_packages_are_found_above_the_file(self):
        folder = self.place / "arm"
        (folder / "meshes").mkdir(parents=True)
        (folder / "urdf").mkdir()
        (folder / "meshes" / "tri.obj").write_text("v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nf 1 2 3\n")
        text = ROBOT.replace('<link name="l1">', '<link name="l1"><visual><geometry><mesh filename="package://arm/meshes/tri.obj"/>'
                             '</geometry></visual>')
        (folder / "urdf" / "robot.urdf").write_text(text)
        done = subprocess.run([PROGRAM, "import", "robot.urdf", "-o", "../robot.yaml"], cwd=folder / "urdf", text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("/arm/meshes/tri.obj}", (folder / "robot.yaml").read_text())
        done = subprocess.run([PROGRAM, "import", "robot.urdf", "-o", "robot.urdf"], cwd=folder / "urdf", text=True,
                              capture_output=True)
        self.assertEqual((done.returncode, (folder / "urdf" / "robot.urdf").read_text()), (2, text))

    def test_options(self):
        for options in (("--bend", "nosuch"), ("--material", "steel"), ("--unit", "length=1"), ("--bend", "finger")):
            with self.subTest(options):
                self.run_import(ROBOT, *options, fails=True)

    def test_fixed_joints_and_free_base(self):
        self.assertIn("  base:\n", self.run_import(ROBOT.replace('"base_link"/>\n', '"base"/>\n', 1).replace(
            'parent link="base_link"', 'parent link="base"').replace('<link name="base"/>', '<link name="base"><inertial>'
            '<mass value="9"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'), "--free-base"))
        kept = self.run_import(ROBOT, "--keep-fixed")
        self.assertEqual(kept.count("kind: weld"), 1 + 1, "tool0 and base_link have no mass")

    def test_links_that_bend_keep_their_mass_and_are_stiff_as_beams(self):
        rigid, bent = self.run_import(ROBOT), self.run_import(ROBOT, "--bend", "l1", "--material", "steel")
        mass = [float(sum(map(float, re.findall(r"\n    mass: (\S+)", text)))) for text in (rigid, bent)]
        outer, inner, length = (float(re.search(rf"{key}: ([\d.e-]+)", bent).group(1)) for key in ("outer", "inner", "length"))
        tube = 7850 * np.pi / 4 * (outer**2 - inner**2) * length
        self.assertAlmostEqual(mass[0], mass[1] + tube, delta=1e-12 * mass[0])
        # the tip of the tube under a force across it, everything else held
        text = bent[:bent.index("\njoints:")] + f"""
joints:
  hold: {{kind: weld, ports: [ground.j1, l1.P]}}
  l1_root: {{kind: weld, ports: [l1.P, l1_beam.P]}}
  l1_tip: {{kind: weld, ports: [l1_beam.C, l1_tip.P]}}
loads: {{push: {{force: [0, 0, 50], at: l1_beam.C, frame: body}}}}
outputs: {{tip: {{deformation: l1_beam.C}}}}
simulate: {{end: 1, step: 1e-3}}
"""
        text = re.sub(r"\n  (l2|finger):\n(    .*\n)+", "\n", text).replace("gravity: [0, 0, -9.81]\n", "")
        (self.place / "tip.yaml").write_text(text)
        tip = phlexor.Model(self.place / "tip.yaml").static().result.output("tip")[-1]
        I = np.pi / 64 * (outer**4 - inner**4)
        self.assertAlmostEqual(np.linalg.norm(tip), 50 * length**3 / (3 * 2.1e11 * I), delta=1e-6 * np.linalg.norm(tip))

    def test_links_that_bend_with_given_tubes(self):
        (self.place / "robot.urdf").write_text(ROBOT)
        phlexor.import_robot(self.place / "robot.urdf", self.place / "tube.yaml", material="steel",
                             bend={"l1": (0.05, 0.046, "aluminium"), "l2": (0.02, 0)}, shapes=False)
        text = (self.place / "tube.yaml").read_text()
        self.assertIn("material: aluminium\n    length: 0.4\n    section: {kind: tube, outer: 0.05, inner: 0.046}\n", text)
        self.assertIn("material: steel\n    length: 0.3\n    section: {kind: tube, outer: 0.02, inner: 0}\n", text)
        self.assertIn("  steel: {", text)
        rigid = phlexor.import_robot(self.place / "robot.urdf", self.place / "rigid.yaml").check()
        (self.place / "tube.yaml").write_text(text.replace("quasi_static", "zero"))  # without the sag
        check = phlexor.Model(self.place / "tube.yaml").check()
        self.assertAlmostEqual(check.mass, rigid.mass, delta=1e-12)
        np.testing.assert_allclose(check.centre_of_mass, rigid.centre_of_mass, atol=1e-12)
        for fault in ("l1=0.05", "l1=0.05,0.06", "l1=0.05,0.04,wood", "l1=0.05,nan", "l1=a,b", "l1=0.05,0.04 m", "l1=0.2,0,steel",
                      "nosuch=0.05,0.04", "l1="):
            with self.subTest(fault):
                self.run_import(ROBOT, "--bend", fault, fails=True)

    @unittest.skipUnless(shutil.which("gmsh"), "needs gmsh")
    def test_a_link_as_a_solid(self):
        """The surface of a link, meshed by the file of the page, is a body that bends as a beam does."""
        low, high = np.array([-0.02, -0.03, -0.02]), np.array([0.42, 0.03, 0.02])
        facets = []
        for axis, end in itertools.product(range(3), range(2)):
            square = [(0, 0), (1, 0), (1, 1), (0, 1)][:: 1 if end else -1]
            corners = [np.where(np.insert(one, axis, end) if axis != 1 else np.insert(one[::-1], 1, end), high, low)
                       for one in square]
            facets += [corners[:3], [corners[0], *corners[2:]]]
        text = "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex {} {} {}\n".format(*x) for x in facet)
                       + "endloop\nendfacet\n" for facet in facets)
        (self.place / "upper.stl").write_text(f"solid upper\n{text}endsolid\n")
        page = (EXAMPLES.parent / "docs" / "robots.md").read_text()
        (self.place / "upper.geo").write_text(re.search(r'```\n(Merge "upper.*?)```', page, re.S).group(1))
        body = re.search(r"```yaml\n(  upper:.*?)```", page, re.S).group(1)
        (self.place / "arm.yaml").write_text(f"""phlexor: 1
dimension: 3
materials: {{aluminium: {{density: 2700, young: 7e10, poisson: 0.33}}}}
bodies:
{body}joints: {{shoulder: {{kind: weld, ports: [ground.O, upper.P]}}}}
loads: {{push: {{force: [0, 0, 10], at: upper.elbow}}}}
outputs: {{tip: {{deformation: upper.elbow}}}}
simulate: {{end: 1, step: 1e-3}}
""")
        model = phlexor.Model(self.place / "arm.yaml")
        self.assertAlmostEqual(model.check().mass, 2700 * np.prod(high - low), delta=1e-9)
        tip = model.static().result.output("tip")[-1][2]
        length, inertia = 0.44, 0.06 * 0.04**3 / 12  # the tip is 0.02 m before the end that the force turns with
        beam = 10 / 7e10 / inertia * (length**3 / 3 - 0.02 * length**2 + 0.02**2 * length)
        self.assertAlmostEqual(tip, beam, delta=0.03 * beam)

    def test_drives(self):
        text = self.run_import(ROBOT, "--drive", "pd", "--bend", "l1", "--material", "steel")
        model = phlexor.import_robot(self.place / "robot.urdf", self.place / "pd.yaml", drive="pd", bend="l1",
                                     material="steel", packages={"a": self.place}, shapes=False)
        made = (self.place / "pd.yaml").read_text().splitlines()
        self.assertEqual(made[1:], text.splitlines()[1:])  # but for the path of the file
        self.assertTrue(model.static().stable)
        with self.assertRaises(phlexor.ModelError):
            phlexor.import_robot(self.place / "pd.yaml", self.place / "no.yaml")
        with self.assertRaises(phlexor.FileError):
            phlexor.import_robot(self.place / "none.urdf", self.place / "no.yaml")
        with self.assertRaises(ValueError):
            phlexor.import_robot(self.place / "robot.urdf", self.place / "no.yaml", drive="servo")
        self.assertIn("motion: 0", self.run_import(ROBOT, "--drive", "motion"))
        self.assertIn("j1: {kind: pid, measure: j1, effort: j1, feedforward: 0}", self.run_import(ROBOT, "--drive", "torque"))

    def test_links_without_mass_between_joints(self):
        """One joint with several coordinates: mass matrix and bias are those of the links with a tiny mass."""
        def link(name, mass, tiny=1e-9):
            size = tiny if mass == 0 else 0.1 * mass
            return (f'<link name="{name}"><inertial><origin xyz="0.1 0.05 -0.2" rpy="0.1 0.2 0.3"/><mass value="{mass or tiny}"/>'
                    f'<inertia ixx="{size}" iyy="{1.2 * size}" izz="{1.5 * size}"/></inertial></link>')

        def chain(joints, massless):
            """joints: type, axis, origin."""
            parts, parent = ['<robot name="r"><link name="base"/>'], "base"
            for k, (kind, axis, xyz, rpy) in enumerate(joints):
                inner = k + 2 < len(joints)
                parts.append(f'<link name="l{k}"/>' if inner and massless else link(f"l{k}", 0 if inner else 2 + k))
                parts.append(f'<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child link="l{k}"/><axis xyz="{axis}"/>'
                             f'<origin xyz="{xyz}" rpy="{rpy}"/><limit lower="-90" upper="90" effort="1" velocity="1"/></joint>')
                parent = f"l{k}"
            return "".join(parts) + "</robot>"

        turn, push = "continuous", "prismatic"
        knee = (turn, "0 1 0", "0 0.1 -0.4", "0.4 0 0")
        cases = {
            "universal": ([(turn, "1 0 0", "0 0 1", "0.3 0 0.2"), (turn, "0 0 2", "0 0 0", "0.5 0 0"), knee], [1, 1, 1]),
            "spherical": ([(turn, "0 0 1", "0 0 1", "0.3 0 0.2"), (turn, "1 0 0", "0 0 0", "0 0 0.4"),
                           (turn, "0 1 0", "0 0 0", "0 0.7 0"), knee], None),
            "planar": ([(push, "1 0 0", "0 0 1", "0.3 0 0.2"), (push, "0 1 0", "0.2 0.1 0", "0 0 0"),
                        (turn, "0 0 -1", "0 0 0.1", "0 0 0"), knee], [1, 1, -1, 1]),
            "free": ([(push, "1 0 0", "0 0 1", "0.3 0 0.2"), (push, "0 1 0", "0 0 0", "0 0 0"), (push, "0 0 1", "0 0 0", "0 0 0"),
                      (turn, "1 0 0", "0.1 0 0.1", "0 0 0"), (turn, "0 1 0", "0 0 0", "0 0 0"), (turn, "0 0 1", "0 0 0", "0 0 0"),
                      knee], [1] * 7),
        }
        for name, (joints, signs) in cases.items():
            with self.subTest(name):
                if signs is None:  # axes z, x, y are right-handed, as x, y, z
                    signs = [1] * len(joints)
                text = self.run_import(chain(joints, True), "--keep-fixed")
                self.assertIn(f"j0: {{kind: {name}, ports: [ground.j0, l{len(joints) - 2}.P]", text)
                (self.place / "one.yaml").write_text(text)
                one = phlexor.Model(self.place / "one.yaml").joint_space(angles=True)
                (self.place / "many.yaml").write_text(self.run_import(chain(joints, False)))
                many = phlexor.Model(self.place / "many.yaml").joint_space(angles=True)
                rng, sign = np.random.default_rng(3), np.array(signs)
                for _ in range(5):
                    q, v = rng.uniform(-1, 1, (2, len(joints)))
                    one.at(q, v)
                    many.at(sign * q, sign * v)
                    np.testing.assert_allclose(one.mass, sign[:, None] * many.mass * sign, atol=1e-7)
                    np.testing.assert_allclose(one.bias, sign * many.bias, atol=1e-7)
        for fault in (("0 0 1", "0 0 0.1"), ("1 0 1", "0 0 0")):  # not at one point, not perpendicular
            joints = [(turn, "1 0 0", "0 0 1", "0 0 0"), (turn, *fault, "0 0 0"), knee]
            self.run_import(chain(joints, True), fails=True)

    def test_transmissions(self):
        def geared(inside, joint="j1"):
            return ROBOT.replace("</robot>", f'<transmission name="t"><joint name="{joint}"/>{inside}</transmission></robot>')

        reduction = '<actuator name="m"><mechanicalReduction> -50\n</mechanicalReduction></actuator>'
        self.assertRegex(self.run_import(geared(reduction)), r"j1: .* gear_ratio: 50[,}]")
        text = self.run_import(geared('<actuator name="m"><drake:rotor_inertia value="3e-5"/><drake:gear_ratio value="80"/></actuator>'))
        self.assertRegex(text, r"j1: .* rotor_inertia: 3e-05, gear_ratio: 80[,}]")
        for inside, joint in ((reduction, "lid_joint"), (reduction + '<joint name="j2"/>', "j1"), (reduction, "none")):
            self.assertNotIn("gear_ratio", self.run_import(geared(inside, joint)))
        for value in ("0", "reduction", "", "nan", "1e999"):  # as published files have them
            text = self.run_import(geared(f"<mechanicalReduction>{value}</mechanicalReduction>"))
            self.assertNotIn("gear_ratio", text)
        self.run_import(geared('<actuator name="m"><drake:rotor_inertia value="-1"/></actuator>'), fails=True)

    def test_inertias_of_rounding(self):
        text = self.run_import(ROBOT.replace('ixx="1e-4" iyy="1e-4" izz="1e-4"', 'ixx="0" iyy="0" izz="0" ixz="2.4e-35"'))
        finger = text[text.index("  finger:"):]
        moments = [float(x) for x in re.search(r"inertia: \[\[([^,]+), 0, 0\], \[0, ([^,]+), 0\], \[0, 0, ([^,]+)\]\]", finger).groups()]
        np.testing.assert_allclose(moments, 0.4 * 0.2 * 0.01**2, rtol=1e-12)

    def test_files_that_are_wrong(self):
        faults = {
            "two parents": (ROBOT.replace('<child link="finger"/>', '<child link="l1"/>'), "has two parents"),
            "unconnected": (ROBOT.replace("</robot>", '<link name="x"/></robot>'), "are not connected"),
            "no mass": (ROBOT.replace('<mass value="0.2"/>', '<mass value="0"/>'), "has no mass"),
            "negative mass": (ROBOT.replace('<mass value="0.2"/>', '<mass value="-1"/>'), "robot.urdf:18: the mass"),
            "not a number": (ROBOT.replace('value="0.2"', 'value="nan"'), "expected 1 number"),
            "too many numbers": (ROBOT.replace('xyz="0.3 0 0"', 'xyz="0.3 0 0 1"'), "expected 3 numbers"),
            "kind": (ROBOT.replace('type="prismatic"', 'type="slide"'), "expected fixed, revolute"),
            "axis": (ROBOT.replace('xyz="0 1 0.2"', 'xyz="0 0 0"'), "axis of the joint 'j3' is zero"),
            "twice": (ROBOT.replace('name="finger">', 'name="l2">').replace('link="finger"', 'link="l2"'), "there already"),
            "link that is not there": (ROBOT.replace('<parent link="tool0"/>', '<parent link="hand"/>'), "parent link 'hand'"),
            "mesh": (ROBOT.replace('<link name="l1">', '<link name="l1"><visual><geometry><mesh filename="package://a/b.stl"/>'
                                   '</geometry></visual>'), "there is no mesh"),
            "xacro": (ROBOT.replace('value="0.2"', 'value="${m}"'), "this is xacro"),
            "entities": (ROBOT.replace("<robot", '<!DOCTYPE r [<!ENTITY a "aaaa">]><robot', 1), "DOCTYPE"),
            "no XML": ("robot", "no XML"), "empty": ("", "no XML"), "another root": ("<sdf/>", "expected <robot>"),
            "nothing moves": ('<robot name="a"><link name="b"/></robot>', "nothing moves"),
            "name": (ROBOT.replace('name="l1"', 'name="l.1"').replace('link="l1"', 'link="l.1"'), "has a sign other than"),
            "word": (ROBOT.replace('name="j1"', 'name="Null"'), "is a word of the model file"),
            "number": (ROBOT.replace('name="j1"', 'name="1e5"'), "a number"),
            "port twice": (ROBOT.replace('name="j3"', 'name="tool0"'), "needs for a port or output"),
            "mimic": (ROBOT.replace('<dynamics damping="0.3"/>', '<mimic joint="j1"/>'), "mimics 'j1'"),
            "size": (ROBOT.replace('<link name="l1">', '<link name="l1"><visual><geometry><sphere radius="0"/></geometry>'
                                   '</visual>'), "size 0"),
        }
        for what, (text, message) in faults.items():
            with self.subTest(what):
                self.assertIn(message, self.run_import(text, fails=True))
        rng = np.random.default_rng(11)
        for _ in range(100):  # a message, never a crash or half a file
            place = int(rng.integers(0, len(ROBOT) - 12))
            text = ROBOT[:place] + ROBOT[place + int(rng.integers(1, 12)):]
            (self.place / "robot.urdf").write_text(text)
            done = subprocess.run([PROGRAM, "import", "robot.urdf", "-o", "x.yaml"], cwd=self.place, capture_output=True)
            self.assertIn(done.returncode, (0, 2), text)
            self.assertEqual((self.place / "x.yaml").exists(), done.returncode == 0)
            if done.returncode == 0:
                checked = subprocess.run([PROGRAM, "check", "x.yaml"], cwd=self.place, capture_output=True)
                self.assertNotEqual(checked.returncode, 2, checked.stderr)
                (self.place / "x.yaml").unlink()


if __name__ == "__main__":
    unittest.main()
