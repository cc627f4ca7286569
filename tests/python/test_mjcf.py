"""Robots in MJCF: motion against the same robot in URDF, masses and places against closed forms, faults in files."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import phlexor
from test_robot import rpy, turn

PROGRAM = os.environ["PHLEXOR_PROGRAM"]
URDF = """<robot name="arm">
  <link name="base"/>
  <joint name="j1" type="continuous"><parent link="base"/><child link="l1"/><origin xyz="0 0.1 0.2" rpy="0.1 0.2 0.3"/>
    <axis xyz="0 0 1"/><dynamics damping="0.3"/></joint>
  <link name="l1"><inertial><origin xyz="0.2 0.01 0.03" rpy="0.3 0 0.1"/><mass value="3"/>
    <inertia ixx="0.02" iyy="0.05" izz="0.06" ixy="0.001" ixz="0.002" iyz="-0.003"/></inertial></link>
  <joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><origin xyz="0.4 0 0" rpy="1.2 0 0.5"/>
    <axis xyz="0 1 1"/><dynamics damping="0.1"/></joint>
  <link name="l2"><inertial><origin xyz="0.15 0 0.02"/><mass value="2"/><inertia ixx="0.004" iyy="0.02" izz="0.02"/></inertial></link>
  <joint name="lid" type="fixed"><parent link="l2"/><child link="cap"/><origin xyz="0.3 0 0" rpy="0 0.7 0"/></joint>
  <link name="cap"><inertial><origin xyz="0 0 0.05"/><mass value="0.5"/><inertia ixx="0.001" iyy="0.002" izz="0.002"/></inertial></link>
  <joint name="j3" type="prismatic"><parent link="cap"/><child link="finger"/><axis xyz="0 1 0.2"/></joint>
  <link name="finger"><inertial><origin xyz="0 0.03 0.02"/><mass value="0.2"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"/></inertial></link>
</robot>
"""
# The same robot; the frame of l1 is not at its joint, and that of l2 is in a frame.
OFFSET = [0.1, -0.2, 0.05]
PLACE = (np.array([0, 0.1, 0.2]) - rpy(0.1, 0.2, 0.3) @ OFFSET).tolist()
MJCF = f"""<mujoco model="arm">
  <compiler angle="radian" eulerseq="XYZ"/>
  <default><joint damping="0.3"/><default class="light"><joint damping="0.1" axis="0 1 1"/></default></default>
  <worldbody>
    <body name="l1" pos="{PLACE[0]!r} {PLACE[1]!r} {PLACE[2]!r}" euler="0.1 0.2 0.3">
      <inertial pos="{0.2 + OFFSET[0]!r} {0.01 + OFFSET[1]!r} {0.03 + OFFSET[2]!r}" euler="0.3 0 0.1" mass="3"
        fullinertia="0.02 0.05 0.06 0.001 0.002 -0.003"/>
      <joint name="j1" pos="0.1 -0.2 0.05"/>
      <frame pos="{0.4 + OFFSET[0]!r} {OFFSET[1]!r} {OFFSET[2]!r}"><body name="l2" childclass="light" euler="1.2 0 0.5">
        <inertial pos="0.15 0 0.02" mass="2" diaginertia="0.004 0.02 0.02"/>
        <joint name="j2"/>
        <body name="cap" pos="0.3 0 0" axisangle="0 1 0 0.7">
          <inertial pos="0 0 0.05" mass="0.5" diaginertia="0.001 0.002 0.002"/>
          <body name="finger">
            <inertial pos="0 0.03 0.02" mass="0.2" diaginertia="1e-4 1e-4 1e-4"/>
            <joint name="j3" type="slide" axis="0 1 0.2" damping="0"/>
          </body>
        </body>
      </body></frame>
    </body>
  </worldbody>
</mujoco>
"""
GEOMS = """<mujoco>
  <default><geom density="700"/><default class="heavy"><geom density="2000"/><default class="tube"><geom type="cylinder" size="0.1"/></default></default></default>
  <worldbody><geom type="plane" size="1 1 1"/>{}</worldbody></mujoco>"""


def numbers(text):
    return np.array([float(x) for x in re.findall(r"-?[\d.]+(?:e[-+]?\d+)?", text)])


def revolved(radius, ends, density):
    """Mass, moments across and along the axis of a body of revolution with the centre zero, by quadrature of discs."""
    m = across = along = 0.0
    x, w = np.polynomial.legendre.leggauss(12)
    for a, b in zip(ends[:-1], ends[1:]):
        for t, weight in zip((a + b) / 2 + (b - a) / 2 * x, (b - a) / 2 * w):
            square = radius(t)
            m += weight * density * np.pi * square
            along += weight * density * np.pi * square**2 / 2
            across += weight * density * (np.pi * square**2 / 4 + np.pi * square * t**2)
    return m, across, along


class Mjcf(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def run_import(self, text, *options, fails=False, name="robot.xml"):
        (self.place / name).write_text(text)
        out = self.place / "robot.yaml"
        out.unlink(missing_ok=True)
        done = subprocess.run([PROGRAM, "import", name, "-o", out, *options], cwd=self.place, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 2 if fails else 0, done.stderr)
        self.assertEqual(out.exists(), not fails)
        self.warnings = done.stderr
        return done.stderr if fails else out.read_text()

    def body(self, text, name):
        block = re.search(rf"\n  {name}:\n((?:    .*\n)+)", text).group(1)
        return {key: numbers(re.search(rf"    {key}: (.*)", block).group(1)) for key in ("mass", "inertia", "centre_of_mass")}

    def outputs(self, text):
        (self.place / "start.yaml").write_text(text)
        return phlexor.Model(self.place / "start.yaml").simulate(end=1e-3)

    def test_motion_is_that_of_the_robot_in_urdf(self):
        found = []
        for name, text in (("robot.urdf", URDF), ("robot.xml", MJCF)):
            text = self.run_import(text, name=name)
            for joint, key, value in (("j1", "angle", 0.4), ("j2", "angle", -0.7), ("j3", "position", 0.1)):
                text = re.sub(rf"(  {joint}: {{kind: \w+)", rf"\1, {key}: {value}, rate: {2 * value}", text)
            (self.place / "start.yaml").write_text(text)
            result = phlexor.Model(self.place / "start.yaml").simulate(end=0.3, integrator="radau5", rtol=1e-11, every=0.1)
            found.append([np.ravel(result.output(name)) for name in ("j1", "j2", "j3", "finger_place")])
        for one, other in zip(*found):
            np.testing.assert_allclose(one, other, atol=1e-9)

    def test_joint_space_of_a_free_base_with_a_ball_moves_as_the_simulation(self):
        text = self.run_import("""<mujoco><compiler autolimits="true"/><worldbody>
          <body name="base" pos="0 0 1" euler="10 20 30"><freejoint name="root"/><geom size="0.1 0.2 0.3" type="box" pos="0.05 0 0"/>
          <body name="upper" pos="0.2 0.1 0" euler="0 20 0"><joint name="ball" type="ball"/><geom type="capsule" size="0.03 0.2" pos="0 0 0.2"/>
          <body name="lower" pos="0 0 0.4"><joint name="elbow" axis="1 1 0"/><geom type="capsule" size="0.03 0.2" pos="0 0.1 0.2"/>
          <body name="tool" pos="0 0 0.4"><joint name="slide" type="slide" axis="1 0 1" damping="2" stiffness="30"/>
          <geom size="0.05" pos="0.1 0 0"/></body></body></body></body></worldbody>
          <keyframe><key qpos="0.1 0.2 0.9 0.5 0.5 -0.5 0.5  0.8 0.6 0 0  0.4  0.05"/></keyframe></mujoco>""")
        text = text.replace("root: {kind: free", "root: {kind: free, rate: [0.1, -0.2, 0.3, 0.4, 0.5, -0.6]").replace(
            "ball: {kind: spherical", "ball: {kind: spherical, rate: [1, 0.3, -0.5]").replace(
            "elbow: {kind: revolute", "elbow: {kind: revolute, rate: -1.5")
        (self.place / "start.yaml").write_text(text)
        model = phlexor.Model(self.place / "start.yaml")
        space = model.joint_space()
        np.testing.assert_allclose(space.q, [0.1, 0.2, 0.9, 0.5, 0.5, -0.5, 0.5, 0.8, 0.6, 0, 0, 0.4, 0.05], atol=1e-13)
        self.assertEqual(space.names[:7], ("root.1", "root.2", "root.3", "root.4", "root.5", "root.6", "ball.1"))

        def rate(y):
            q, v = y[:13], y[13:]
            turned = [np.array([-x @ w, *(s * w + np.cross(x, w))]) / 2
                      for s, x, w in ((q[3], q[4:7], v[3:6]), (q[7], q[8:11], v[6:9]))]
            return np.concatenate([v[:3], *turned, v[9:], space.at(q, v).accelerations()])
        y, h = np.concatenate([space.q, space.v]), 1e-3
        for _ in range(200):
            k1 = rate(y)
            k2 = rate(y + h / 2 * k1)
            k3 = rate(y + h / 2 * k2)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + h * k3))
        result = model.simulate(end=0.2, integrator="dop853", rtol=1e-11, every=0.1)
        place = [space.at(y[:13], y[13:]).outputs[f"tool_place.{c}"] for c in "xyz"]
        np.testing.assert_allclose(place, np.ravel(result.output("tool_place"))[-3:], atol=1e-10)
        np.testing.assert_allclose(y[11:13], [np.ravel(result.output(name))[-1] for name in ("elbow", "slide")], atol=1e-10)

    def test_joint_space_by_angles(self):
        # Floating base of six joints, a hip of three, an ankle of two, all with rotors: equations of motion by energy.
        text = self.run_import("""<mujoco><worldbody>
          <body name="base" pos="0 0 1" euler="10 20 30"><joint name="tx" type="slide" axis="1 0 0" damping="1"/>
          <joint name="ty" type="slide" axis="0 1 0"/><joint name="tz" type="slide" axis="0 0 1" armature="0.5"/>
          <joint name="rx" axis="1 0 0" armature="0.1"/><joint name="ry" axis="0 1 0" armature="0.2"/>
          <joint name="rz" axis="0 0 1" armature="0.3" damping="2"/><geom size="0.1 0.2 0.3" type="box" pos="0.05 0 0"/>
          <body name="thigh" pos="0.2 0.1 0" euler="0 20 0"><joint name="hx" axis="1 0 0" armature="0.01" stiffness="2"/>
          <joint name="hz" axis="0 0 1" armature="0.02"/><joint name="hy" axis="0 1 0" armature="0.03"/>
          <geom type="capsule" size="0.03 0.2" pos="0 0 0.2"/>
          <body name="shin" pos="0 0 0.4"><joint name="kx" axis="1 0 0" armature="0.04"/><joint name="ky" axis="0 1 0" armature="0.05"/>
          <geom type="capsule" size="0.03 0.2" pos="0 0.1 0.2"/></body></body></body></worldbody></mujoco>""")
        self.assertIn("tx: {kind: free, ports: [ground.tx, base.P], damping: [1, 0, 0, 0, 0, 2], rotor_inertia: [0, 0, 0.5, 0.1, 0.2, 0.3]}", text)
        text = text.replace("spherical, ports", "spherical, angle: [0.3, -0.4, 0.5], rate: [1, -2, 0.5], ports").replace(
            "free, ports", "free, position: [0.1, 0.2, 0.3], angle: [0.4, 0.5, -0.6], rate: [0.1, 0.2, 0.3, -1, 1, 2], ports")
        (self.place / "start.yaml").write_text(text)
        model = phlexor.Model(self.place / "start.yaml")
        with self.assertRaisesRegex(phlexor.UnsupportedError, "'tx' has rotors at its angles|'hx' has rotors at its angles"):
            model.joint_space()
        space = model.joint_space(angles=True)
        np.testing.assert_allclose(space.q[:9], [0.1, 0.2, 0.3, 0.4, 0.5, -0.6, 0.3, -0.4, 0.5], atol=1e-13)
        np.testing.assert_allclose(space.v[:9], [0.1, 0.2, 0.3, -1, 1, 2, 1, -2, 0.5], atol=1e-12)
        h = 1e-4
        result = model.simulate(end=2 * h, step=h / 2, every=h, integrator="gauss6")
        q = np.array([np.concatenate([np.ravel(result.output(name)[k]) for name in ("tx", "hx", "kx")]) for k in range(3)])
        np.testing.assert_allclose((q[2] - q[0]) / (2 * h), space.v + space.accelerations() * h, atol=1e-6)
        self.assertAlmostEqual(0.5 * space.v @ space.mass @ space.v, result["kinetic"][0], delta=1e-12)

    def test_the_ground(self):
        # One contact carries the weight at a depth of 1 mm, two carry half of it each.
        robot = """<mujoco><worldbody><geom type="plane" size="5 5 1" pos="0 0 0.1" euler="0 0 30"/>
          <body name="b" pos="0 0 0.3"><joint type="slide" axis="0 0 1"/><geom {} friction="0.6"/></body></worldbody></mujoco>"""
        for geom, touches, height in (('size="0.15"', 1, 0.15), ('type="capsule" size="0.05 0.2" euler="0 90 0"', 2, 0.05),
                                      ('type="box" size="0.1 0.1 0.12"', 8, 0.12), ('type="ellipsoid" size="0.2 0.1 0.05"', 1, 0.05),
                                      ('type="cylinder" size="0.1 0.07"', 8, 0.07)):
            with self.subTest(geom):
                text = self.run_import(robot.format(geom), "--ground")
                self.assertEqual(text.count("kind: contact"), touches)
                self.assertIn("friction: {coefficient: 0.6, regularised: 0.01}", text)
                lowest = {1: 1, 2: 2, 8: 4}[touches]
                (self.place / "rest.yaml").write_text(text)
                rest = phlexor.Model(self.place / "rest.yaml").static().outputs
                place = float(rest["b_place.z"]) if "b_place.z" in rest else float(np.ravel(rest["b_place"])[2])
                # the stiffness in the file has three digits
                self.assertAlmostEqual(place, 0.1 + height - 1e-3 * lowest**(-2 / 3), delta=5e-6)
        self.assertNotIn("kind: contact", self.run_import(robot.format('size="0.15"')))
        self.assertIn("contacts of 2 geoms are left out", self.warnings)

    def test_masses_of_geoms(self):
        text = self.run_import(GEOMS.format("""
          <body name="ball"><freejoint/><geom size="0.2"/></body>
          <body name="egg"><freejoint/><geom type="ellipsoid" size="0.2 0.2 0.5" mass="3"/></body>
          <body name="pill"><freejoint/><geom type="capsule" size="0.1" fromto="1 0 0 1 0 0.6"/></body>
          <body name="rod" childclass="heavy"><freejoint/><geom class="tube" size="0.1 0.4"/></body>
          <body name="brick" childclass="heavy"><freejoint/><geom type="box" size="0.1 0.2 0.3" pos="1 2 3" euler="0 0 90"/></body>
          <body name="two"><freejoint/><geom size="0.1" mass="1" pos="0.5 0 0"/><geom size="0.1" mass="3" pos="-0.5 0 0"/></body>"""))
        cases = {
            "ball": (revolved(lambda z: 0.04 - z * z, (-0.2, 0.2), 700), (0, 0, 0)),
            "egg": (revolved(lambda z: 0.04 * (1 - z * z / 0.25), (-0.5, 0.5), 3 / (4 / 3 * np.pi * 0.02)), (0, 0, 0)),
            "pill": (revolved(lambda z: 0.01 - max(0, abs(z) - 0.3)**2, (-0.4, -0.3, 0.3, 0.4), 700), (1, 0, 0.3)),
            "rod": (revolved(lambda z: 0.01, (-0.4, 0.4), 2000), (0, 0, 0)),
        }
        for name, ((m, across, along), centre) in cases.items():
            body = self.body(text, name)
            np.testing.assert_allclose(body["mass"], m, rtol=1e-13)
            np.testing.assert_allclose(body["centre_of_mass"], centre, atol=1e-15)
            np.testing.assert_allclose(body["inertia"].reshape(3, 3), np.diag([across, across, along]), atol=1e-13 * m)
        brick, two = self.body(text, "brick"), self.body(text, "two")
        np.testing.assert_allclose(brick["mass"], 96)
        np.testing.assert_allclose(brick["inertia"].reshape(3, 3), 96 / 3 * np.diag([0.1**2 + 0.3**2, 0.2**2 + 0.3**2, 0.1**2 + 0.2**2]),
                                   atol=1e-13)
        np.testing.assert_allclose(two["centre_of_mass"], [-0.25, 0, 0])
        np.testing.assert_allclose(two["inertia"].reshape(3, 3), np.diag([0.016, 0.016 + 0.75, 0.016 + 0.75]), atol=1e-15)

    def mesh_body(self, mesh, geom="", settings="", fails=False):
        """The body whose mass is a mesh, turned and moved as `geom` says; the message if that fails."""
        text = self.run_import(f"""<mujoco>{settings}<asset>
            <mesh name="m" {mesh}/></asset>
            <worldbody><body name="b"><freejoint/><geom type="mesh" mesh="m" contype="0" conaffinity="0" {geom}/></body></worldbody></mujoco>""", fails=fails)
        return text if fails else self.body(text, "b")

    def test_masses_of_meshes(self):
        # A bar of 0.3 x 0.1 x 0.05 with a block of 0.1 x 0.1 x 0.05 on it: not convex.
        flat = [(0, 0), (0.3, 0), (0.3, 0.1), (0.1, 0.1), (0.1, 0.2), (0, 0.2)]
        corners = np.array([(x, y, z) for z in (0, 0.05) for x, y in flat]) + [0.02, 0.03, 0.04]
        faces = [(a, c, b) for a, b, c in ((0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5))]
        faces += [(a + 6, c + 6, b + 6) for a, b, c in faces]
        faces += [f for i in range(6) for f in ((i, (i + 1) % 6, (i + 1) % 6 + 6), (i, (i + 1) % 6 + 6, i + 6))]
        parts = [(np.array([0.17, 0.08, 0.065]), np.array([0.3, 0.1, 0.05])), (np.array([0.07, 0.18, 0.065]), np.array([0.1, 0.1, 0.05]))]

        def expected(scale, density):
            masses = [density * np.prod(np.abs(scale) * size) for _, size in parts]
            com = sum(m * scale * c for m, (c, _) in zip(masses, parts)) / sum(masses)
            inertia = np.zeros((3, 3))
            for m, (c, size) in zip(masses, parts):
                d, square = scale * c - com, (scale * size)**2
                inertia += m * (np.diag(square.sum() - square) / 12 + d @ d * np.eye(3) - np.outer(d, d))
            return sum(masses), com, inertia

        def same(body, mass, com, inertia):
            np.testing.assert_allclose(body["mass"], mass, rtol=1e-6)  # files have single precision
            np.testing.assert_allclose(body["centre_of_mass"], com, atol=1e-7)
            np.testing.assert_allclose(body["inertia"].reshape(3, 3), inertia, atol=1e-6 * np.abs(inertia).max())
        triangles = corners[faces].astype("<f4")
        (self.place / "m").mkdir()
        (self.place / "m" / "b.stl").write_bytes(b"solid".ljust(80) + len(faces).to_bytes(4, "little") + b"".join(
            bytes(12) + t.tobytes() + bytes(2) for t in triangles))
        (self.place / "m" / "a.stl").write_text("solid m\n" + "".join("facet normal 0 0 0\nouter loop\n" + "".join(
            "vertex %r %r %r\n" % tuple(map(float, x)) for x in t) + "endloop\nendfacet\n" for t in corners[faces]) + "endsolid m\n")
        def obj(name, corners, faces):
            (self.place / "m" / name).write_text("".join("v %r %r %r\n" % tuple(map(float, x)) for x in corners) +
                                                 "".join("f %d %d %d\n" % tuple(k + 1 for k in f) for f in faces))
        obj("o.obj", corners, faces)
        obj("sheet.obj", [(0, 0, 0), (1, 0, 0), (1, 2, 0), (0, 2, 0)], [(0, 1, 2), (0, 2, 3)])
        obj("out.obj", corners, [f[::-1] for f in faces])
        obj("open.obj", corners, faces[1:])
        folder, one = '<compiler meshdir="m"/>', np.ones(3)
        for mesh in ('file="b.stl"', 'file="a.stl"', 'file="o.obj"'):
            same(self.mesh_body(mesh, settings=folder), *expected(one, 1000))
            self.assertNotIn("<mesh>", self.warnings)
        scale = np.array([1, 2, -0.5])  # mirrored
        same(self.mesh_body('file="b.stl" scale="1 2 -0.5"', 'mass="3"', folder), *expected(scale, 3 / (0.0005 * 4)))
        R, F, place, at = turn([0, 0.6, 0.8], 2 * np.arccos(0.6)), turn([1, 0, 0], np.pi / 2), np.array([0.1, 0.2, 0.3]), np.array([3, 2, 1])
        mass, com, inertia = expected(one, 700)
        body = self.mesh_body('file="o.obj" refpos="0.1 0.2 0.3" refquat="0.6 0 0.48 0.64"', 'density="700" pos="3 2 1" euler="90 0 0"', folder)
        same(body, mass, at + F @ R.T @ (com - place), F @ R.T @ inertia @ R @ F.T)
        # The picture lies where the mass does.
        shape = re.search(r"mesh: .*position: \[(.*?)\], rotation: {quaternion: \[(.*?)\]", (self.place / "robot.yaml").read_text())
        np.testing.assert_allclose(numbers(shape.group(1)), at - F @ R.T @ place, atol=1e-12)
        sheet = self.mesh_body('file="sheet.obj" inertia="shell"', 'density="5"', folder)
        same(sheet, 10, [0.5, 1, 0], np.diag([10 * 4 / 12, 10 / 12, 10 * 5 / 12]))
        same(self.mesh_body('file="out.obj"', settings=folder), *expected(one, 1000))
        self.assertIn("robot.xml:2: <mesh> 'm': its triangles are inside out", self.warnings)
        self.mesh_body('file="open.obj"', settings=folder)
        self.assertIn("robot.xml:2: <mesh> 'm': its surface is not closed, 3 sides", self.warnings)
        for mesh, message in (('file="none.stl"', "robot.xml:2: <mesh>: there is no such file"), ('vertex="0 0 0 1 0 0"', "points in the file"),
                              ('file="sheet.obj"', "encloses no volume"), ('file="b.stl" refquat="0 0 0 0"', "no rotation"),
                              ('file="../robot.xml"', "No suitable reader"), ('file="b.stl" inertia="full"', "expected one of convex")):
            with self.subTest(mesh):
                self.assertIn(message, self.mesh_body(mesh, settings=folder, fails=True))

    def test_settings_of_masses(self):
        body = '<body name="b"><joint/>{}</body><body name="c"><joint/><geom size="0.1" mass="1"/></body>'
        text = self.run_import(GEOMS.format(body.format('<geom size="0.1" mass="3"/>')).replace(
            "<default>", '<compiler settotalmass="8"/><default>', 1))
        np.testing.assert_allclose(self.body(text, "b")["mass"], 6)
        np.testing.assert_allclose(self.body(text, "b")["inertia"][0], 0.4 * 6 * 0.01)
        inertial = '<inertial pos="0 0 0" mass="2" diaginertia="1 1 4"/><geom size="0.1" mass="3"/>'
        text = self.run_import(GEOMS.format(body.format(inertial)).replace("<default>", '<compiler balanceinertia="true"/><default>', 1))
        np.testing.assert_allclose(self.body(text, "b")["inertia"].reshape(3, 3), 2 * np.eye(3))
        text = self.run_import(GEOMS.format(body.format(inertial)).replace("<default>", '<compiler inertiafromgeom="true"/><default>', 1))
        np.testing.assert_allclose(self.body(text, "b")["mass"], 3)

    def test_rotations(self):
        forms = {'quat="2 0 0 2"': turn([0, 0, 1], np.pi / 2), 'axisangle="1 2 3 40"': turn([1, 2, 3], np.radians(40)),
                 'xyaxes="0 2 0 -1 3 0"': turn([0, 0, 1], np.pi / 2), 'zaxis="0 -1 1"': turn([1, 0, 0], np.pi / 4),
                 'euler="10 20 30"': turn([1, 0, 0], np.radians(10)) @ turn([0, 1, 0], np.radians(20)) @ turn([0, 0, 1], np.radians(30))}
        sites = "".join(f'<site name="s{k}" pos="0.1 0.2 0.3" {form}/>' for k, form in enumerate(forms))
        text = self.run_import(GEOMS.format(f'<body name="b"><joint pos="0.1 0.2 0.3"/><geom size="0.1"/>{sites}</body>'))
        for k, R in enumerate(forms.values()):
            w, *v = numbers(re.search(rf"      s{k}: {{rotation: {{quaternion: (.*?)}}", text).group(1))
            np.testing.assert_allclose(turn(v, 2 * np.arctan2(np.linalg.norm(v), w)), R, atol=1e-15)

    def test_joints_of_one_body_and_key(self):
        x, y, z = np.array([0.6, 0.8, 0]), np.array([0, 0, 1.0]), np.array([0.8, -0.6, 0])  # right-handed
        def axis(a):
            return 'axis="%r %r %r"' % tuple(map(float, a))
        text = self.run_import(GEOMS.format(f"""
          <body name="hip" pos="0 0 1"><geom size="0.1"/><site name="h" pos="0.1 0.2 0.3"/>
            <joint name="h1" {axis(x)} damping="1" stiffness="2" springref="30"/><joint {axis(y)} ref="10"/>
            <joint {axis(-z)} range="-20 50" frictionloss="0.5"/></body>
          <body name="wrist" pos="0 0 2"><geom size="0.1"/><site name="w" pos="0.1 0.2 0.3"/>
            <joint name="w1" pos="0 0.1 0" {axis(x)}/><joint pos="0 0.1 0" {axis(y)} damping="3"/></body>
          <body name="puck" pos="0 0 3"><geom size="0.1"/><site name="p" pos="0.1 0.2 0.3"/>
            <joint name="p1" type="slide" {axis(x)}/><joint type="slide" {axis(z)}/><joint {axis(y)} pos="0.3 0 0"/></body>
          <body name="ball" pos="0 0 4"><geom size="0.1"/><site name="b" pos="0.1 0.2 0.3"/><joint name="b1" type="ball" pos="0.1 0 0"/></body>
          <body name="bird" pos="0 0 5"><geom size="0.1"/><site name="f" pos="0.1 0.2 0.3"/><freejoint name="f1"/></body>""").replace(
            "</mujoco>", '<keyframe><key qpos="0.3 0.4 0.5  0.6 0.7  0.1 0.2 0.3  0.8 0.6 0 0  1 2 3 0.6 0 0.8 0"/></keyframe>'
                         '<option gravity="0 1 0"/></mujoco>'))
        self.assertIn("gravity: [0, 1, 0]", text)
        self.assertIn("h1: {kind: spherical", text)
        self.assertIn("damping: [1, 0, 0], stiffness: [2, 0, 0], rest: [0.5235987755982988, 0, 0]", text)
        self.assertIn("friction: [null, null, {force: 0.5}]", text)
        lower, upper = numbers(re.search(r"stops: \[null, null, {(.*?), stiffness", text).group(1))
        np.testing.assert_allclose([lower, upper], np.radians([-50, 20]))
        result = self.outputs(text)
        s, d = np.array([0.1, 0.2, 0.3]), np.array([0, 0.1, 0])
        expected = {"h": [0, 0, 1] + turn(x, 0.3) @ turn(y, 0.4 - np.radians(10)) @ turn(-z, 0.5) @ s,
                    "w": [0, 0, 2] + d + turn(x, 0.6) @ turn(y, 0.7) @ (s - d),
                    "p": [0.3, 0, 3] + 0.1 * x + 0.2 * z + turn(y, 0.3) @ (s - [0.3, 0, 0]),
                    "b": [0.1, 0, 4] + turn([1, 0, 0], 2 * np.arccos(0.8)) @ (s - [0.1, 0, 0]),
                    "f": [1, 2, 3] + turn([0, 1, 0], 2 * np.arccos(0.6)) @ s}
        for name, place in expected.items():
            np.testing.assert_allclose(result.output(f"{name}_place")[0], place, atol=1e-12)

    def test_drives(self):
        robot = GEOMS.format("""<body name="base" pos="0 0 1"><freejoint/><geom size="0.1"/>
          <body name="leg" pos="0.2 0 0"><joint name="j" axis="0 1 0" frictionloss="0.1"/><geom size="0.1"/></body></body>""")
        for drive in ("pd", "motion"):  # nothing holds the base: no equilibrium
            result = self.outputs(self.run_import(robot, "--drive", drive))
            np.testing.assert_allclose(result.output("j"), 0, atol=1e-12)

    def controllers(self, text):
        """Keys and values of the controllers of a model."""
        block = re.search(r"\ncontrollers:\n((?:  .*\n)+)", text).group(1)
        return {name: {key: numbers(value) if re.match(r"[-\d\[]", value) else value
                       for key, value in re.findall(r"(\w+): (\[.*?\]|[^,}]+)", keys)}
                for name, keys in re.findall(r"  (\S+): {(.*)}", block)}

    def test_coordinates_are_those_of_the_file(self):
        """Of a joint alone in its body: its place in the file is that at `ref`."""
        robot = """<mujoco><compiler angle="radian" autolimits="true"/><worldbody>
            <body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" pos="0.1 0 0" ref="0.3" range="-1 0.5" stiffness="2" springref="0.4"/>
              <geom size="0.1" pos="0.2 0 0"/>
              <body name="b" pos="0.5 0 0"><joint name="k" type="slide" axis="1 0 0" ref="0.1"/><geom size="0.1" pos="0 0.1 0"/></body></body>
          </worldbody><equality><joint joint1="j" joint2="k" polycoef="0.05 2 0 0 0"/></equality>KEY</mujoco>"""
        text = self.run_import(robot.replace("KEY", ""))
        self.assertRegex(text, r"  j: .*rest: 0.4,.*\n? *stops: {lower: -1, upper: 0.5")
        rest = float(re.search(r"weight: -2}\], rest: ([^,}]+)", text).group(1))
        self.assertAlmostEqual(rest, 0.05 + 0.3 - 2 * 0.1, delta=1e-15)  # j - 0.3 = 0.05 + 2 (k - 0.1)
        free = robot[:robot.index("<equality>")]
        for q, key in (((0.3, 0.1), ""), ((0.1, -0.2), '<keyframe><key qpos="0.1 -0.2"/></keyframe>')):
            (self.place / "start.yaml").write_text(self.run_import(f"{free}{key}</mujoco>"))
            model = phlexor.Model(self.place / "start.yaml")
            space = model.joint_space()
            np.testing.assert_allclose(space.q, q, atol=1e-14)
            turn, push = q[0] - 0.3, q[1] - 0.1
            want = np.array([0.1 + (0.4 + push) * np.cos(turn), 0, 1 - (0.4 + push) * np.sin(turn)])
            np.testing.assert_allclose([space.outputs[f"b_place.{axis}"] for axis in "xyz"], want, atol=1e-14)

    def test_actuators(self):
        robot = """<mujoco><compiler angle="radian"/><option gravity="0 0 0"/>
          <default><position kp="7"/><general gear="2"/><joint/><default class="soft"><motor ctrlrange="-0.4 0.4"/>
            <default class="softer"><position kp="3"/></default></default></default>
          <worldbody>
            <body name="a"><joint name="j" axis="0 1 0" ref="0.2" range="-1 0.1" actuatorfrcrange="-90 90"/><geom size="0.1" mass="2"/></body>
            <body name="b"><joint name="s" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/></body>
            <body name="c"><joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/><joint name="z" axis="0 0 -1" ref="0.1"/><geom size="0.1"/></body>
            <body name="d"><freejoint name="f"/><geom size="0.1"/></body>
          </worldbody>
          <actuator>
            <position name="p" joint="j" kp="20"/>
            <position name="ratio" joint="j" gear="3" dampratio="0.5"/>
            <position name="inherit" joint="j" class="softer" inheritrange="1"/>
            <velocity name="v" joint="j" kv="3" ctrlrange="-1 1"/>
            <motor name="m" joint="j" class="soft" forcerange="-0.3 5"/>
            <general name="g" joint="s" gear="1" gainprm="50" biastype="affine" biasprm="2 -50 -8"/>
            <motor joint="s"/><motor joint="s" ctrllimited="false" ctrlrange="0 1"/>
            <position name="third" joint="z" gear="0.5" forcerange="-1 3"/>
            <motor name="free" joint="f"/><intvelocity name="i" joint="j"/><general name="fast" joint="j" dyntype="filter"/>
            <position name="slow" joint="j" timeconst="0.1"/>
          </actuator>
          <keyframe><key ctrl="0.6 0 5 9 0.6 0.1 0.1 0.2 0.3 0 0 0 0"/></keyframe></mujoco>"""
        text = self.run_import(robot)
        found = self.controllers(text)
        inertia = 0.4 * 2 * 0.01
        expected = {  # gear 2
            "p": {"kp": 80, "reference": 0.3, "limit": [-90, 90]}, "ratio": {"kp": 63, "kd": np.sqrt(63 * inertia), "reference": 0, "limit": [-90, 90]},
            "inherit": {"kp": 12, "reference": 0.1 / 2, "limit": [-90, 90]}, "v": {"kd": 12, "feedforward": 6, "limit": [-90, 90]},
            "m": {"feedforward": 0.8, "limit": [-0.6, 0.8]}, "g": {"kp": 50, "kd": 8, "reference": 0.14}, "s": {"feedforward": 0.2},
            "s_2": {"feedforward": 0.4}, "third": {"kp": 1.75, "reference": -(0.3 / 0.5 - 0.1), "limit": [-1.5, 0.5]}}
        self.assertEqual(list(found), list(expected))
        for name, values in expected.items():
            for key, value in values.items():
                np.testing.assert_allclose(found[name][key], np.ravel(value), rtol=1e-12, err_msg=name + " " + key)
            self.assertEqual({"kp", "kd", "feedforward", "limit", "reference"} & set(found[name]), set(values), name)
        self.assertIn("third: {kind: pid, measure: x.coordinate3, rate: x.rate3, effort: x.effort3", text)
        for name in ("<motor> 'free'", "<intvelocity> 'i'", "<general> 'fast'", "<position> 'slow'"):
            self.assertIn(f"{name}: left out", self.warnings)
        # The slide with its three actuators: 2 x'' + 8 x' + 50 x = 7 + 0.2 + 0.4, from rest.
        result = phlexor.Model(self.place / "robot.yaml").simulate(end=0.4, step=1e-4)
        w, end = np.sqrt(25 - 4), 7.6 / 50
        t = 0.4
        np.testing.assert_allclose(result.output("s")[-1][0], end * (1 - np.exp(-2 * t) * (np.cos(w * t) + 2 / w * np.sin(w * t))), rtol=1e-7)
        text = self.run_import(robot, "--drive", "pd")
        self.assertNotIn("ratio", text)
        self.assertRegex(self.warnings, "<actuator>: --drive takes the place of 13 elements")
        for old, new, message in (('joint="z" gear', 'joint="none" gear', "<position>: there is no joint 'none'"),
                                  ('name="v"', 'name="p"', "already one of the name 'p'"), ('"-0.3 5"', '"5 -0.3"', "lower limit must be below"),
                                  ('kp="20"', 'kp="nan"', "found 'nan'"), ('kp="20"', 'kp="1e308"', "too large"), ('ctrl="0.6 0', 'ctrl="0.6', "ctrl of <key>: expected 13 numbers"),
                                  ('class="soft" f', 'class="hard" f', "no default class 'hard'"), ('biastype="affine"', 'biastype="x"', "expected one of none, affine"),
                                  ('name="v"', 'name="yes"', "is a word of the model file")):
            with self.subTest(new):
                message_found = self.run_import(robot.replace(old, new), fails=True)
                self.assertRegex(message_found, r"robot.xml:\d+: ")
                self.assertIn(message, message_found)

    def test_equality_constraints(self):
        # A four-bar linkage in a plane: three hinges and a point; the key closes it only roughly.
        bar = '<geom type="capsule" size="0.02" fromto="0 0 0 {0} 0 0"/><body name="{1}" pos="{0} 0 0"><joint name="{1}" axis="0 1 0"/>'
        linkage = ('<mujoco><compiler angle="radian"/><worldbody><body name="p" euler="0 -1.5707963267948966 0"><joint name="p" axis="0 1 0" pos="0 0 0"/>' +
                   bar.format(0.3, "q") + bar.format(0.5, "r") + '<geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0"/></body></body></body></worldbody>'
                   '<equality><connect name="close" body1="r" body2="world" anchor="0.4 0 0"/></equality>{}</mujoco>')
        straight = linkage.replace('name="q" pos="0.3 0 0"', 'name="q" pos="0.3 0 0" euler="0 1.5707963267948966 0"').replace(
            'name="r" pos="0.5 0 0"', 'name="r" pos="0.5 0 0" euler="0 1.5707963267948966 0"')
        text = self.run_import(straight.format('<keyframe><key qpos="0.2 -0.2 0.2"/></keyframe>'))
        self.assertIn("robot.xml:1: <equality>: 1 constraint is soft in MJCF and becomes exact", self.warnings)
        self.assertIn("close: {kind: spherical, ports: [r.close, ground.close]}", text)
        text = text.replace("outputs:", "outputs:\n  tip: {position: r.close}")
        (self.place / "loop.yaml").write_text(text)
        done = subprocess.run([PROGRAM, "check", "loop.yaml"], cwd=self.place, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"redundant constraints +1 .*\ndegrees of freedom +1\n")
        result = phlexor.Model(self.place / "loop.yaml").simulate(end=0.5, step=2e-3)
        np.testing.assert_allclose(result.output("tip"), np.tile([0.5, 0, -0.1], (len(result.output("tip")), 1)), atol=1e-9)
        self.assertGreater(np.ptp(result.output("p")), 0.1)  # it moves

        free = '<body name="{0}" pos="{1}" euler="0.1 0.2 0.3"><freejoint/><geom size="0.1"/><site name="{0}s" pos="0.1 0 0"/></body>'
        robot = ('<mujoco><compiler angle="radian"/><worldbody>' + free.format("a", "0 0 1") + free.format("b", "0.5 0 1") +
                 '<body name="c"><joint name="c"/><geom size="0.1"/></body><body name="d"><joint name="d" type="slide"/><geom size="0.1"/>'
                 '<body name="e"><geom size="0.1"/></body></body></worldbody><equality>{}</equality></mujoco>')
        R = turn([1, 0, 0], 0.1) @ turn([0, 1, 0], 0.2) @ turn([0, 0, 1], 0.3)
        cases = {  # the place of the port of b in the frame of a
            '<weld name="w" body1="a" body2="b"/>': R.T @ [0.5, 0, 0],
            '<weld name="w" body1="a" body2="b" relpose="0.1 0.2 0.3 0.6 0.8 0 0"/>': [0.1, 0.2, 0.3],
            '<weld name="w" body1="a" body2="b" relpose="0.1 0.2 0.3 0.6 0.8 0 0" anchor="0 0 0.1"/>':
                [0.1, 0.2, 0.3] - turn([1, 0, 0], 2 * np.arccos(0.6)) @ [0, 0, 0.1],
            '<weld name="w" site1="as" site2="bs"/>': [0, 0, 0]}
        for equality, expected in cases.items():
            with self.subTest(equality):
                text = self.run_import(robot.format(equality))
                self.assertIn("w: {kind: weld, ports: [a.w, b.w], rotation: {quaternion: [1, 0, 0, 0]}}", text)
                result = self.outputs(text.replace("outputs:", "outputs:\n  a_place: {position: a.P}\n  b_place: {position: b.P}"))
                A, B = (result.output(f"{body}_place")[-1] for body in "ab")
                np.testing.assert_allclose(np.linalg.norm(B - A), np.linalg.norm(expected), atol=1e-12)
        text = self.run_import(robot.format('<joint name="m" joint1="c" joint2="d" polycoef="0.1 -2 0 0 0"/><weld body1="d" body2="e"/>'))
        self.assertIn("terms: [{joint: c, weight: 1}, {joint: d, weight: 2}], rest: 0.1", text)
        self.assertIn("'weld' joins parts of one body: left out", self.warnings)
        text = self.run_import(robot.format('<connect name="off" body1="a" anchor="0 0 0" active="false"/>'))
        self.assertNotIn("off", text)
        self.assertIn("<connect> 'off': it is not active: left out", self.warnings)
        for equality, message in (('<joint joint1="c" joint2="d" polycoef="0 1 1"/>', "only in proportion"), ('<joint joint1="c"/>', "holds a joint"),
                                  ('<joint joint1="c" joint2="c"/>', "expected two hinges"), ('<distance geom1="x" geom2="y"/>', "has no counterpart")):
            with self.subTest(equality):
                self.assertIn(message, self.run_import(robot.format(equality), fails=True))
                self.run_import(robot.format(equality), "--lossy")
                self.assertIn(message, self.warnings)
        for equality, message in (('<connect body1="x" anchor="0 0 0"/>', "there is no body 'x'"), ('<weld site1="as" site2="x"/>', "there is no site 'x'"),
                                  ('<connect body1="a"/>', "anchor is missing"), ('<joint joint1="x" joint2="d"/>', "there is no joint 'x'"),
                                  ('<weld body1="a" relpose="1 2"/>', "expected 7 numbers"), ('<weld body1="a" active="maybe"/>', "expected one of false, true")):
            with self.subTest(equality):
                self.assertRegex(self.run_import(robot.format(equality), fails=True), "robot.xml:1: .*" + message)

    def test_included_files_and_what_is_left_out(self):
        (self.place / "parts").mkdir()
        (self.place / "parts" / "legs.xml").write_text('<mujocoinclude><body name="leg"><joint name="knee" armature="0.1"/>'
                                                       '<geom size="0.1" rgba="1 0 0 1"/></body></mujocoinclude>')
        main = GEOMS.format('<include file="parts/legs.xml"/>').replace(
            "</mujoco>", '<actuator><muscle name="m"/><motor site="knee"/></actuator><sensor><jointpos joint="knee"/></sensor></mujoco>')
        text = self.run_import(main)
        self.assertIn('sphere: 0.2, colour: "#ff0000"', text)
        self.assertIn("rotor_inertia: 0.1", text)
        for message in ("robot.xml:3: <muscle> 'm': left out", "robot.xml:3: <motor> '': left out", "<sensor>: 1 element is",
                        "contacts of 2 geoms"):
            self.assertIn(message, self.warnings)
        for held, message in (('<equality><tendon name="x" tendon1="t"/></equality>', "robot.xml:3: <tendon>: it has no counterpart"),
                              ('<default><tendon stiffness="1"/></default><tendon><fixed name="x"/></tendon>', "robot.xml:3: <fixed>: a tendon with a spring"),
                              ('<tendon><spatial name="x" range="0 1"/></tendon>', "robot.xml:3: <spatial>: a tendon with a spring")):
            held = main.replace("<actuator>", held + "<actuator>")
            self.assertIn(message, self.run_import(held, fails=True))
            self.run_import(held, "--lossy")
            self.assertRegex(self.warnings, "<(tendon|fixed|spatial)> 'x'.*: left out")
        self.run_import(main.replace("<actuator>", "<tendon><fixed/><fixed/></tendon><actuator>"))
        self.assertIn("robot.xml:3: <tendon>: 2 without force are left out", self.warnings)
        (self.place / "parts" / "legs.xml").write_text('<mujocoinclude>\n<body name="leg"><joint axis="0 0 0"/></body></mujocoinclude>')
        self.assertIn("legs.xml:2: <joint>: the axis is zero", self.run_import(main, fails=True))
        (self.place / "parts" / "legs.xml").write_text('<mujoco><include file="parts/legs.xml"/></mujoco>')
        self.assertIn("legs.xml:1: <include>: the file 'parts/legs.xml' includes itself", self.run_import(main, fails=True))
        (self.place / "parts" / "legs.xml").write_text('<mujocoinclude><geom size="0.1" density="1000" mass="1"/></mujocoinclude>')
        twice = '<body name="{0}"><joint name="{0}"/><include file="parts/legs.xml"/></body>'
        self.assertEqual(self.run_import(GEOMS.format(twice.format("a") + twice.format("b"))).count("mass: 1\n"), 2)
        for k in range(3):  # nested more deeply than one file may be
            (self.place / f"deep{k}.xml").write_text("<mujoco>" + 200 * "<frame>" + f'<include file="deep{k + 1}.xml"/>' +
                                                     200 * "</frame>" + "</mujoco>")
        self.assertIn("nested more than 500", self.run_import(main.replace("parts/legs", "deep0"), fails=True))
        for file in ("../legs.xml", "/etc/passwd", "no.xml", "robot.xml"):
            message = "cannot be read" if file == "no.xml" else "includes itself" if file == "robot.xml" else "not in the folder"
            self.assertIn(message, self.run_import(main.replace("parts/legs.xml", file), fails=True))

    def test_files_that_are_wrong(self):
        body = '<body name="b"><joint name="j"/><geom size="0.1"/></body>'
        good = GEOMS.format(body)
        self.run_import(good)
        faults = {
            "section": (good.replace("worldbody", "wordbody"), "no section of this name"),
            "element": (good.replace("<geom size", "<gem size"), "a body has no such element"),
            "number": (good.replace('size="0.1"', 'size="0.1x"'), "robot.xml:3: size of <geom>: expected at most 3 numbers"),
            "not finite": (good.replace('size="0.1"', 'size="nan"'), "found 'nan'"),
            "size": (good.replace('size="0.1"/></body>', 'type="box" size="0.1 0 1"/></body>'), "must be above zero"),
            "kind of geom": (good.replace('<geom size', '<geom type="ball" size'), "expected one of plane, hfield"),
            "kind of joint": (good.replace('name="j"', 'type="weld"'), "expected one of hinge, slide, ball, free"),
            "axis": (good.replace('name="j"', 'axis="0 0 0"'), "axis is zero"),
            "range": (good.replace('name="j"', 'limited="true" range="1 -1"'), "lower limit must be below"),
            "class": (good.replace('name="j"', 'class="x"'), "no default class 'x'"),
            "class twice": (good.replace('class="tube"', 'class="heavy"'), "already the class 'heavy'"),
            "angle": (good.replace("<default>", '<compiler angle="grad"/><default>', 1), "expected one of radian, degree"),
            "coordinates": (good.replace("<default>", '<compiler coordinate="global"/><default>', 1), "expected one of local"),
            "eulerseq": (good.replace("<default>", '<compiler eulerseq="xyw"/><default>', 1), "three letters"),
            "name twice": (good.replace(body, body + body.replace('"j"', '"k"')), "already one of the name 'b'"),
            "joint twice": (good.replace(body, body + body.replace('"b"', '"c"')), "already one of the name 'j'"),
            "rotation": (good.replace('name="b"', 'quat="0 0 0 0"'), "no rotation has the values"),
            "no mass": (good.replace('<geom size="0.1"/>', ""), "has no mass"),
            "negative mass": (good.replace('size="0.1"', 'size="0.1" mass="-1"'), "must not be negative"),
            "mesh": (good.replace('<geom size="0.1"/>', '<geom type="mesh" mesh="m"/>'), "there is no mesh 'm'"),
            "fitted": (good.replace('<geom size="0.1"/>', '<geom type="box" mesh="m"/>'), "give the body <inertial>"),
            "joints": (good.replace('<joint name="j"/>', '<joint/><joint axis="0 1 1"/>'), "give each joint a body"),
            "too many joints": (good.replace('<joint name="j"/>', 7 * "<joint/>"), "more than six joints"),
            "free in a body": (good.replace(body, f'<body><joint/><geom size="1"/>{body.replace("joint", "freejoint")}</body>'),
                               "in a body of the world"),
            "damping": (good.replace('name="j"', 'damping="-1"'), "must not be negative"),
            "replicate": (good.replace('<geom size="0.1"/>', '<replicate count="3"/>'), "write out what it makes"),
            "key": (good.replace("</mujoco>", '<keyframe><key qpos="1 2"/></keyframe></mujoco>'), "expected 1 number"),
            "entities": ('<!DOCTYPE m [<!ENTITY a "aaaa">]>' + good, "DOCTYPE"),
            "another root": (good.replace("mujoco", "sdf"), "expected <robot> or <mujoco>"),
            "nothing moves": (good.replace('<joint name="j"/>', ""), "nothing moves"),
        }
        for what, (text, message) in faults.items():
            with self.subTest(what):
                self.assertIn(message, self.run_import(text, fails=True))
        self.assertIn("not for MJCF", self.run_import(good, "--free-base", fails=True))

    def test_mutated_files(self):
        rng = np.random.default_rng(12)
        for _ in range(60):  # a message, never a crash
            place = int(rng.integers(0, len(MJCF) - 12))
            text = MJCF[:place] + MJCF[place + int(rng.integers(1, 12)):]
            (self.place / "robot.xml").write_text(text)
            done = subprocess.run([PROGRAM, "import", "robot.xml", "-o", "x.yaml"], cwd=self.place, capture_output=True)
            self.assertIn(done.returncode, (0, 2), text)


if __name__ == "__main__":
    unittest.main()
