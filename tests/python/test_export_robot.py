"""Models as robots in URDF and MJCF: what is imported again has the same masses, places and motion; refusals."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import phlexor
import test_mjcf
import test_robot

PROGRAM = os.environ["PHLEXOR_PROGRAM"]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ENDINGS = {"urdf": ".urdf", "mjcf": ".xml"}

# Ports with places and directions of their own on both sides, axes across them, a joint from the child to its parent.
ARM = """phlexor: 1
dimension: 3
gravity: [0, 0, -9.81]
ground:
  ports: {a: {position: [0.1, 0.2, 0.3], rotation: {quaternion: [0.7, 0.1, -0.5, 0.4]}}}
bodies:
  upper:
    kind: rigid
    mass: 2
    inertia: [[0.03, 0.002, -0.001], [0.002, 0.04, 0.003], [-0.001, 0.003, 0.05]]
    centre_of_mass: [0.1, 0.02, -0.03]
    ports:
      p: {position: [-0.1, 0.01, 0.02], rotation: {quaternion: [0.9, 0.2, 0.1, -0.3]}}
      q: {position: [0.3, 0.03, 0], rotation: {quaternion: [0.5, -0.6, 0.3, 0.1]}}
      s: {position: [0.1, 0, 0.2]}
    point_masses: [{at: upper.s, mass: 0.3}]
    pose: {position: [0.2, 0.1, 0.4], rotation: {quaternion: [0.6, 0.3, 0.2, -0.1]}, guess: true}
  slide: {kind: rigid, mass: 0.7, inertia: [0.01, 0.02, 0.015], ports: {p: {position: [0.02, 0.01, 0], rotation: {quaternion: [0.3, 0.8, 0.1, 0.2]}},
          q: {position: [0, 0.1, 0.1], rotation: {quaternion: [1, 0.5, 0, 0.2]}}}, pose: {rotation: {quaternion: [0.2, 0.5, 0.7, 0.1]}, guess: true}}
  plate: {kind: rigid, mass: 0.4, inertia: [0.002, 0.003, 0.004], centre_of_mass: [0.03, 0, 0],
          ports: {p: {position: [0.01, 0, 0.02], rotation: {quaternion: [0.8, 0, 0.3, 0.1]}}, tip: {position: [0.1, 0.1, 0]}}, pose: {guess: true}}
  lid: {kind: rigid, mass: 0.2, inertia: [0.001, 0.001, 0.001], ports: {tip: {position: [0, 0, 0.1]}}, pose: {guess: true}}
joints:
  swing: {kind: revolute, ports: [ground.a, upper.p], axis: [1, 0.5, -0.2], axis_b: [0.1, 1, 0.3], damping: 0.2, angle: 0.5, rate: 2}
  push: {kind: prismatic, ports: [slide.p, upper.q], axis: [0.2, 1, 0.4], damping: 3, position: -0.1, rate: 0.3}
  glide: {kind: planar, ports: [slide.q, plate.p], normal: [0.3, -0.2, 1], position: [0.03, -0.02], angle: 0.7, rate: [0.1, 0.2, -1]}
  fix: {kind: weld, ports: [plate.tip, lid.P], rotation: {quaternion: [0.6, 0, 0.8, 0]}}
outputs: {}
simulate: {end: 0.3, step: 1e-3}
"""
BALLS = """phlexor: 1
dimension: 3
gravity: [1, 2, -9]
ground: {ports: {a: {rotation: {quaternion: [0.7, 0.1, -0.5, 0.4]}}, b: {position: [1, 0, 0], rotation: {quaternion: [0.7, 0.1, 0.5, 0.4]}}}}
bodies:
  ball: {kind: rigid, mass: 1, inertia: [0.02, 0.03, 0.04], centre_of_mass: [0.2, 0.1, 0], ports: {p: {rotation: {quaternion: [1, 0.2, 0.3, 0.4]}},
         q: {position: [0.4, 0, 0], rotation: {quaternion: [0.1, 1, 0, 0.2]}}, tip: {position: [0, 0.3, 0]}}, pose: {guess: true}}
  cross: {kind: rigid, mass: 1, inertia: [0.02, 0.03, 0.04], centre_of_mass: [0.2, 0.1, 0], ports: {p: {position: [0.1, 0, 0], rotation: {quaternion: [1, 0.5, 0.3, 0.4]}},
         tip: {position: [0, 0.3, 0]}}, pose: {rotation: {quaternion: [0.6, 0.1, 0.2, 0.3]}, guess: true}}
  held: {kind: rigid, mass: 1, inertia: [0.02, 0.03, 0.04], centre_of_mass: [0.2, 0.1, 0], ports: {p: {position: [0.1, 0, 0], rotation: {quaternion: [1, 0.5, 0.3, 0.4]}},
         tip: {position: [0, 0.3, 0]}}, pose: {guess: true}}
  loose: {kind: rigid, mass: 2, inertia: [0.1, 0.2, 0.25], centre_of_mass: [0, 0.1, 0], ports: {tip: {position: [0, 0.3, 0]}},
          pose: {position: [0, 2, 0], rotation: {quaternion: [0.6, 0.1, 0.2, 0.3]}}}
  kite: {kind: rigid, mass: 2, inertia: [0.1, 0.2, 0.25], ports: {tip: {position: [0, 0.3, 0]}},
         pose: {position: [0, 3, 0], rotation: {quaternion: [0.6, 0.1, -0.2, 0.3]}}}
joints:
  round: {kind: spherical, ports: [ball.p, ground.a]}
  cardan: {kind: universal, ports: [ball.q, cross.p], axes: [[1, 2, 0], [-2, 1, 0.5]], angle: [0.4, -0.6], stiffness: [2, 0], rest: [0.2, 0], damping: [0, 0.1]}
  bowl: {kind: spherical, ports: [ground.b, held.p], angle: [0.3, 0.5, -0.2], damping: [0.1, 0.2, 0.3], stiffness: [3, 0, 2], rest: [0.1, 0, 0]}
  sky: {kind: free, ports: [ball.P, kite.P]}
outputs: {}
simulate: {end: 0.3, step: 1e-3}
"""


def with_outputs(text, outputs):
    return re.sub(r"\noutputs:.*?(?=\nsimulate)", "\noutputs: {%s}" % ", ".join(outputs), text, flags=re.S)


class ExportRobot(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def run_program(self, *arguments, status=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.place, text=True, capture_output=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def again(self, text, form):
        """The model after export and import, and the file between; self.warnings are those of the export."""
        (self.place / "model.yaml").write_text(text)
        file = self.place / ("robot" + ENDINGS[form])
        self.warnings = self.run_program("export", "model.yaml", "-o", file)
        self.run_program("import", file, "-o", "again.yaml", "--no-shapes")
        return (self.place / "again.yaml").read_text(), file.read_text()

    def motion(self, text, starts, outputs):
        """Masses of the whole at the start, and outputs along the motion; `starts` in place of those of the file."""
        for joint, keys in starts.items():
            pattern = r"(\n  %s: {kind: \w+, ports: [^\n]*?)(, (?:angle|position|rate): (?:\[[^]]*\]|[^,}]*))*(}|,\n)" % joint
            self.assertRegex(text, pattern)
            line = re.search(pattern, text).group(1)
            bare = re.sub(r", (angle|position|rate): (\[[^]]*\]|[^,}]*)", "", line)
            text = re.sub(pattern, lambda found: f"{bare}, {keys}{found.group(3)}", text)
        (self.place / "moved.yaml").write_text(with_outputs(text, [f"o{k}: {o}" for k, o in enumerate(outputs)]))
        model = phlexor.Model(self.place / "moved.yaml")
        check = model.check()
        result = model.simulate(end=0.3, integrator="radau5", rtol=1e-11, every=0.1)
        return (np.concatenate([[check.mass], check.centre_of_mass, np.ravel(check.inertia)]),
                np.concatenate([np.ravel(result.output(f"o{k}")) for k in range(len(outputs))]))

    def compare(self, text, form, starts, outputs, renamed=None):
        made, file = self.again(text, form)
        (mass, motion), (mass_again, motion_again) = (self.motion(text, starts, outputs),
                                                      self.motion(made, starts, renamed or outputs))
        np.testing.assert_allclose(mass_again, mass, atol=1e-12)
        np.testing.assert_allclose(motion_again, motion, atol=1e-9)
        return made, file

    def test_frames_and_axes(self):
        starts = {"swing": "angle: 0.5, rate: 2", "push": "position: -0.1, rate: 0.3",
                  "glide": "position: [0.03, -0.02], angle: 0.7, rate: [0.1, 0.2, -1]"}
        outputs = ["{position: upper.P}", "{position: slide.P}", "{position: plate.P}", "{position: lid.tip}", "{attitude: upper.P}",
                   "{position: plate.tip}", "{coordinate: swing}", "{coordinate: push}", "{coordinate: glide}"]
        for form in ENDINGS:
            with self.subTest(form):
                made, file = self.compare(ARM, form, starts, outputs, [
                    "{position: upper.upper_P}", "{position: slide.slide_P}", "{position: plate.plate_P}", "{position: plate.lid_tip}",
                    "{attitude: upper.upper_P}", "{position: plate.tip}", *outputs[6:]])
                self.assertIn("velocities at the start (swing, push, glide)", self.warnings)
                self.assertEqual("values of joints at the start (swing, push, glide" in self.warnings, form == "urdf")

    def test_balls_and_free_bodies(self):
        outputs = ["{position: ball.tip}", "{position: cross.tip}", "{position: held.tip}", "{position: loose.tip}", "{position: kite.tip}",
                   "{coordinate: cardan}", "{coordinate: bowl}", "{attitude: ball.P}"]
        made, file = self.compare(BALLS, "mjcf", {}, outputs, [re.sub(r"(\w+)\.tip", r"\1.\1_tip", o).replace(
            "ball.ball_tip", "ball.tip").replace("ball.P", "ball.ball_P") for o in outputs])
        self.assertEqual(file.count('type="ball"'), 1)
        self.assertEqual(file.count('type="free"'), 2)
        self.assertIn('name="sky"', file)

    def test_imported_robots(self):
        """Of URDF and MJCF, by both formats: the model file is the same to its places and masses, and so is the motion."""
        seven = (EXAMPLES / "seven_axis.urdf").read_text()
        cases = ((test_robot.ROBOT, ".urdf", {"j1": "angle: 0.4, rate: 1", "j2": "angle: -0.7, rate: -2", "j3": "position: 0.1, rate: 0.2"}, "finger"),
                 (test_mjcf.MJCF, ".xml", {"j1": "angle: 0.4, rate: 1", "j2": "angle: -0.7, rate: -2", "j3": "position: 0.1, rate: 0.2"}, "finger"),
                 (seven, ".urdf", {f"axis_{k}": f"angle: {0.3 * k - 1}, rate: {0.5 - 0.2 * k}" for k in range(1, 8)}, "flange"))
        for text, ending, starts, last in cases:
            for form in ENDINGS:
                with self.subTest(ending=ending, form=form, last=last):
                    source = self.place / ("source" + ending)
                    source.write_text(text)
                    self.run_program("import", source, "-o", "first.yaml", "--no-shapes")
                    outputs = [f"{{coordinate: {joint}}}" for joint in starts] + [f"{{position: {last}.P}}"]
                    self.compare((self.place / "first.yaml").read_text(), form, starts, outputs)

    def test_what_acts_along_joints(self):
        text = ARM.replace("damping: 0.2,", "damping: 0.2, rotor_inertia: 0.01, gear_ratio: 3, friction: {force: 0.4}, stiffness: 5, rest: 0.1, stops: {lower: -1, upper: 2, stiffness: 10},")
        text = text.replace("outputs: {}", "controllers: {c: {kind: pid, measure: swing, effort: swing, kp: 1, limit: [-7, 7]}}\noutputs: {}")
        made, file = self.again(text, "urdf")
        self.assertIn('type="revolute"', file)
        self.assertIn('<limit effort="7" velocity="1000000000" lower="-1" upper="2"/><dynamics damping="0.2" friction="0.4"/>', file)
        self.assertIn("damping: 0.2, friction: {force: 0.4},\n    stops: {lower: -1, upper: 2,", made)
        for lost in ("controllers (c)", "springs, dampers, friction and stops of joints (swing)", "stiffness and damping of stops (swing)",
                     "rotors of joints (swing)"):
            self.assertIn(lost, self.warnings)
        made, file = self.again(text, "mjcf")
        self.assertIn('damping="0.2" frictionloss="0.4" stiffness="5" springref="0.1" armature="0.09', file)
        self.assertIn("damping: 0.2, rotor_inertia: 0.09, stiffness: 5, rest: 0.1, friction: {force: 0.4}, angle: 0.5,\n    stops: {lower: -1, upper: 2,", made)
        self.assertNotIn("springs, dampers", self.warnings)

    def test_beams_that_are_held_rigid(self):
        text = """phlexor: 1
dimension: 3
gravity: [0, 0, -9.81]
materials: {steel: {density: 7800, young: 2.1e11, poisson: 0.3}}
bodies:
  arm: {kind: beam, material: steel, length: 0.8, section: {kind: circle, diameter: 0.02}, elements: 2, reference: cantilever, rigid: true, ports: {mid: {at: 0.5}},
        point_masses: [{at: arm.C, mass: 0.2}], pose: {rotation: {quaternion: [0.9, 0.1, 0.3, 0]}, guess: true}}
  bob: {kind: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], centre_of_mass: [0, 0, -0.2], pose: {guess: true}}
joints:
  hinge: {kind: revolute, ports: [ground.O, arm.P], axis: [0, 1, 0], rate: 1}
  swing: {kind: revolute, ports: [arm.mid, bob.P], axis: [1, 0, 0], rate: 2}
outputs: {}
simulate: {end: 0.3, step: 1e-3}
"""
        starts = {"hinge": "angle: 0.2, rate: 1", "swing": "angle: 0.3, rate: 2"}
        for form in ENDINGS:
            with self.subTest(form):
                self.compare(text, form, starts, ["{position: arm.C}", "{coordinate: swing}"], ["{position: arm.arm_C}", "{coordinate: swing}"])

    def test_shapes_and_ports(self):
        (self.place / "a & b.stl").write_bytes((EXAMPLES.parent / "tests/model/data/wedge.stl").read_bytes())
        text = ARM.replace("    point_masses", """    shape:
      - {box: [0.1, 0.2, 0.3], position: [0.1, 0, 0], colour: "#ff8000", opacity: 0.5}
      - {cylinder: 0.04, from: upper.p, to: upper.q, colour: "#00ff00"}
      - {capsule: 0.04, length: 0.2, colour: "#00ff00"}
      - {mesh: "a & b.stl", scale: 0.5, colour: "#00ff00"}
      - {cone: [0.1, 0.2], length: 0.1}
    point_masses""")
        for form, shapes in (("urdf", ["box", "cylinder", "mesh"]), ("mjcf", ["box", "cylinder", "capsule", "mesh"])):
            with self.subTest(form):
                made, file = self.again(text, form)
                self.assertIn("a &#38; b.stl", file)
                self.assertIn("shapes (upper)", self.warnings)
                self.run_program("import", "robot" + ENDINGS[form], "-o", "shown.yaml")
                found = re.findall(r"      - {(\w+)", (self.place / "shown.yaml").read_text())
                self.assertEqual(found, shapes)
                # the shapes are where they were: a second export has the same numbers
                self.run_program("export", "shown.yaml", "-o", "second" + ENDINGS[form])
                numbers = [test_mjcf.numbers(re.sub('file(name)?="[^"]*"', "", "".join(re.findall("<geom pos=.*|<mesh.*|<visual.*", text))))
                           for text in (file, (self.place / ("second" + ENDINGS[form])).read_text())]
                self.assertGreater(len(numbers[0]), 30)
                np.testing.assert_allclose(*numbers, atol=1e-13)

    def test_refusals(self):
        faults = {
            "plane": ("phlexor: 1\ntitle: flat\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 1}}\n", "urdf", "is plane.*dimension: 3"),
            "loop": (ARM.replace("  fix:", "  shut: {kind: spherical, ports: [plate.tip, ground.a]}\n  fix:"), "mjcf",
                     "joint 'shut' closes a loop.*leave this joint out"),
            "kind": (BALLS, "urdf", "joint 'round' is spherical, which URDF does not have; make it of joints"),
            "kind of no robot": (ARM.replace("kind: prismatic", "kind: cylindrical").replace("damping: 3, position: -0.1, rate: 0.3", "damping: [3, 0]"),
                                 "mjcf", "joint 'push' is cylindrical"),
            "order of ports": (ARM.replace("[slide.q, plate.p]", "[plate.p, slide.q]"), "mjcf", "joint 'glide' has its port A.*in the other order"),
            "deforms": ((EXAMPLES / "fishing_rod.yaml").read_text(), "mjcf", "body '\\w+' deforms.*rigid: true"),
        }
        for what, (text, form, message) in faults.items():
            with self.subTest(what):
                (self.place / "model.yaml").write_text(text)
                self.assertRegex(self.run_program("export", "model.yaml", "--format", form, status=2), message)
                self.assertEqual([path.name for path in self.place.iterdir()], ["model.yaml"])
        (self.place / "model.yaml").write_text(ARM)
        self.run_program("export", "model.yaml", "--format", "urdf")
        self.assertIn("already a file 'model.urdf'", self.run_program("export", "model.yaml", "--format", "urdf", status=2))
        self.assertIn("model.yaml", self.run_program("export", "model.yaml", "--format", "urdf", "-o", "model.yaml", status=2))
        self.assertEqual((self.place / "model.yaml").read_text(), ARM)
        self.run_program("export", "model.yaml", "-o", "no/such.urdf", status=2)

    def test_python(self):
        (self.place / "model.yaml").write_text(ARM)
        model = phlexor.Model(self.place / "model.yaml")
        with self.assertWarns(phlexor.PhlexorWarning):
            model.export_robot(self.place / "robot.xml")
        self.assertIn("<mujoco", (self.place / "robot.xml").read_text())
        with self.assertRaises(ValueError):
            model.export_robot(self.place / "robot.dae")
        with self.assertRaises(phlexor.ModelError):
            model.export_robot(self.place / "model.yaml", format="urdf")

    def test_all_models(self):
        """Of the examples, templates and models of tests: a file that is imported again with the same mass, or a message."""
        root = EXAMPLES.parent
        paths = [p for folder in ("examples", "cli/templates", "tests/model/data", "tests/study/data") for p in sorted((root / folder).glob("*.yaml"))]
        written = []
        for path in paths:
            for form, ending in ENDINGS.items():
                with self.subTest(path.name, form=form):
                    file = self.place / ("robot" + ending)
                    file.unlink(missing_ok=True)
                    done = subprocess.run([PROGRAM, "export", path, "-o", file], text=True, capture_output=True)
                    self.assertEqual((done.returncode, file.exists()), (0, True) if file.exists() else (2, False), done.stderr)
                    if not file.exists():
                        self.assertRegex(done.stderr, f"is plane|deforms|closes a loop|which {form.upper()} does not have|in the other order|cannot read")
                        continue
                    written.append(f"{path.stem} {form}")
                    self.run_program("import", file, "--keep-fixed", "-o", "again.yaml")  # what is welded to the ground too
                    mass = [phlexor.Model(p).check().mass for p in (path, self.place / "again.yaml")]
                    self.assertAlmostEqual(*mass, delta=1e-12 * mass[0])
        self.assertTrue({"heavy_top mjcf", "double_wishbone mjcf", "billiards urdf", "torque_free urdf"} <= set(written), written)


if __name__ == "__main__":
    unittest.main()
