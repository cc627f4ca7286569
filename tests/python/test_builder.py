"""Models built in code: the same as from a file, all keys of the format, errors with the builder's names."""

import inspect
import json
import math
import unittest
from typing import get_args

import numpy as np

import phlexor
from phlexor import builder
from phlexor.expression import (abs_, acos, asin, atan, atan2, cos, deg, exp, log, max_, min_, pi, ramp, s, sign, sin,
                                sqrt, step, t, tan)
from support import EXAMPLES, Case


def crank_slider():
    """examples/crank_slider.yaml in code."""
    m = phlexor.ModelBuilder("Rotating crank-slider with a flexible coupler", 2)
    speed, n = m.parameter("speed", 150), m.parameter("n", 8)
    steel = m.material("steel", density=7870, young=0.2e12)
    crank = m.rigid("crank", mass=0.1, inertia=1e-4, centre_of_mass=[0.075, 0], ports={"C": [0.15, 0]})
    coupler = m.beam("coupler", material=steel, length=0.3, section=phlexor.Circle(0.006), elements=n,
                     reference="simply_supported", position=[0.15, 0])
    slider = m.rigid("slider", mass=0.033, inertia=1e-6, position=[0.45, 0])
    m.joint("motor", "revolute", m.ground.O, crank.P, angle=0, speed=speed)
    m.joint("knee", "revolute", crank.C, coupler.P)
    m.joint("wrist", "revolute", coupler.C, slider.P)
    m.joint("guide", "prismatic", m.ground.O, slider.P, axis=(1, 0))
    m.output("mid", "deformation", coupler.at(0.5))
    m.output("slider", "position", slider.P)
    m.output("drive", "effort", "motor")
    m.output("bend", "bending_moment", coupler.at(0.5))
    m.simulate(end=4 * pi / 150, step=pi / 150000, every=pi / 15000)
    return m


def manipulator():
    """examples/manipulator.yaml in code."""
    m = phlexor.ModelBuilder("Flexible manipulator", 3, gravity=np.array([0, 0, -9.81]))
    e, load, T = m.parameter("e", 2), m.parameter("load", 2), m.parameter("T", 2)
    alu = m.material("alu", density=2700, young=70e9, poisson=0.33)
    base = m.ground_port("base", [0, 0, 0.5])
    tower = m.rigid("tower", mass=5, inertia=[0.05, 0.05, 0.02], position=[0, 0, 0.5])
    common = {"material": alu, "elements": e, "reference": "cantilever", "damping": phlexor.Damping(stiffness=2e-3)}
    upper = m.beam("upper", length=1, section=phlexor.Tube(0.04, 0.034), position=[0, 0, 0.5], **common)
    fore = m.beam("fore", length=0.8, section=phlexor.Tube(0.03, 0.025), position=[1, 0, 0.5],
                  point_masses=[phlexor.PointMass("C", load, [1e-3, 1e-3, 1e-3])], **common)

    def turn(angle):
        return angle * deg * 30 * t**2 * (T - t) ** 2 / T**5 * (t < T)

    m.joint("base", "revolute", base, tower.P, axis=[0, 0, 1], angle=0, speed=turn(60))
    m.joint("shoulder", "revolute", tower.P, upper.P, axis=[0, 1, 0], angle=0, speed=turn(-30))
    m.joint("elbow", "revolute", upper.C, fore.P, axis=[0, 1, 0], angle=0, speed=turn(50))
    m.initial(deformation="quasi_static")
    m.output("tip", "position", fore.C)
    m.output("moment", "bending_moment", upper.at(0))
    m.output("elbow", "effort", "elbow")
    m.simulate(end=4, step=2e-3, every=0.01)
    return m


class Same(Case):
    def same_motion(self, built, file, end):
        """The same result bit by bit, but for the text of the model."""
        got, want = built.build().simulate(end), phlexor.Model(EXAMPLES / file).simulate(end)
        for name in got.columns:
            self.same(got[name], want[name], name)
        self.same(got.x, want.x, "x")

    def test_in_the_plane(self):
        self.same_motion(crank_slider(), "crank_slider.yaml", 0.02)
        self.assertEqual(crank_slider().build().parameters, {"speed": 150.0, "n": 8.0})
        self.assertEqual(crank_slider().build({"n": 4}).parameters["n"], 4.0)

    def test_in_space(self):
        self.same_motion(manipulator(), "manipulator.yaml", 0.1)

    def test_a_saved_file(self):
        crank_slider().save(self.folder / "a.yaml")
        self.program("check", "a.yaml")
        self.assertEqual(phlexor.Model(self.folder / "a.yaml").text, crank_slider().text())

    def test_a_modal_body(self):
        file = phlexor.Model(EXAMPLES / "modal_appendage.yaml")
        self.assertIn("modal", file.text)
        for dimension, inertia in ((2, 120), (3, [100, 120, 130])):
            m = phlexor.ModelBuilder("Array", dimension)
            zero = [0] * (dimension - 2)
            m.modal("array", mass=40, inertia=inertia, centre_of_mass=[3, 0, *zero],
                    modes=[phlexor.Mode(0.15, 0.005, [0, 4.952, *zero], 21.586 if dimension == 2 else [0, 0, 21.586])],
                    ports={"tip": phlexor.ModalPort([6, 0, *zero], shapes=[phlexor.PortShape([0, 0.3162, *zero])])},
                    second_order=phlexor.SecondOrder(inertia=np.zeros((1 if dimension == 2 else 6, 1, 1))))
            m.joint("root", "weld", m.ground.O, "array.P")
            modes = m.build().modes(1)
            self.close(modes.frequency, [[0.15]], 1e-9, "frequency")

    def test_signals(self):
        """Tables and expressions: the rate of a drive is what they say."""
        (self.folder / "a.csv").write_text("time,rate\n0,0\n1,2\n")
        for signal, rate in ((phlexor.Table([0, 1], np.array([0.0, 2.0])), 1.0),
                             (phlexor.TableFile("a.csv", "rate"), 1.0),
                             (2 * t, 1.0), (3 * sin(pi * t), 3.0), (1 + ramp(t, 0, 1), 1.5), ("4*t^2", 1.0), (7, 7.0)):
            m = phlexor.ModelBuilder("Drive", 2, folder=self.folder)
            rotor = m.rigid("rotor", mass=1, inertia=1)
            m.joint("motor", "revolute", m.ground.O, rotor.P, speed=signal)
            m.output("rate", "rate", "motor")
            self.close(m.build().simulate(end=0.5, step=0.1)["rate"][-1:], [rate], 1e-9, str(signal))

    def test_force_elements(self):
        """A ball on a floor, a bushing and a law: the energy is balanced, what they take is in the ledger."""
        m = phlexor.ModelBuilder("forces", 2, gravity=[0, -9.81])
        ball = m.rigid("ball", mass=1, inertia=1)
        block = m.rigid("block", mass=2, inertia=0.1)
        m.joint("rail", "prismatic", m.ground.O, ball.P, axis=[0, 1], position=0.5, stops={"upper": 1, "stiffness": 1e4},
                damper={"expression": "0.1*v"}, friction={"force": 0.1, "regularised": 0.01})
        m.spring("cord", m.ground.O, ball.P, length=2, law={"x": [0, 1], "f": [0, 10]})
        m.element("floor", "contact", m.ground.O, ball.P, against="plane", normal=[0, 1], radius=0.1, stiffness=1e6,
                  damping=0.1)
        m.element("mount", "bushing", m.ground.O, block.P, stiffness=[100, 100, 10], damping=[1, 1, 0.1])
        model = m.build()
        self.assertEqual(model.forces, ("floor", "mount"))
        result = model.simulate(end=0.5, step=1e-3)
        self.assertLess(abs(result["residual"]).max(), 1e-11)

    def test_controllers(self):
        """A controller is a spring and a damper; what it does and its states are columns."""
        def run(spring, **keys):
            m = phlexor.ModelBuilder("car", 2)
            car = m.rigid("car", mass=2, inertia=1)
            m.joint("rail", "prismatic", m.ground.O, car.P, axis=[1, 0], position=0.2, **spring)
            m.output("x", "coordinate", "rail")
            if keys:
                m.controller("servo", "pid", measure="rail", effort="rail", **keys)
            return m.build().simulate(end=1, step=0.01)

        plain, servo = run({"stiffness": 50, "damping": 3}), run({}, kp=50, kd=3, limit=[-100, 100])
        self.close(servo["x"], plain["x"], 1e-13, "x")
        self.close(servo["servo.u1"][:1], [-10.0], 1e-12, "effort at the start")

    def test_fmus_as_controllers(self):
        """What an FMU gives at the samples is what the simulation of its model gives, held in between."""
        swing = phlexor.ModelBuilder("swing", 2, gravity=[0, -9.81])
        bob = swing.rigid("bob", mass=1, inertia=0.1, centre_of_mass=[0.7, 0])
        swing.joint("pin", "revolute", swing.ground.O, bob.P, angle=0.4)
        swing.output("q", "coordinate", "pin")
        swing.simulate(step=0.01, end=0.5)
        model = swing.build()
        model.fmu(str(self.folder / "swing.fmu"))
        m = phlexor.ModelBuilder("car", 2, folder=self.folder)
        car = m.rigid("car", mass=2, inertia=1)
        m.joint("rail", "prismatic", m.ground.O, car.P, axis=[1, 0])
        m.controller("pull", "fmu", file="swing.fmu", outputs={"q": "rail.effort"}, sample=0.01)
        m.simulate(step=0.01, end=0.5)
        self.close(m.build().simulate()["pull.u1"][1:], model.simulate()["q"][:-1], 0.0, "effort")

    def test_steps_by_hand(self):
        """A loop closed in Python, sampled; the same as the sampled controller of the model, and again after restore."""
        def car():
            m = phlexor.ModelBuilder("car", 2)
            body = m.rigid("car", mass=2, inertia=1)
            m.joint("rail", "prismatic", m.ground.O, body.P, axis=[1, 0], position=0.2)
            m.output("x", "coordinate", "rail")
            m.output("v", "rate", "rail")
            m.simulate(step=0.01, end=1)
            return m

        built = car()
        built.controller("servo", "pid", measure="rail", effort="rail", kp=50, kd=3, sample=0.05)
        want = built.build().simulate(every=0.05)
        sim = car().build().stepper(["rail.effort"])
        self.assertEqual(sim.inputs, ("rail.effort",))
        got, saved = [], None
        for k in range(21):
            now = sim.measure()
            got.append(now["x"])
            if k == 10:
                saved = sim.save()
            sim.act({"rail.effort": -50 * now["x"] - 3 * now["v"]})
            self.assertAlmostEqual(sim.step(0.05), 0.05 * (k + 1), 12)
        self.close(got, want["x"], 1e-13, "x")
        self.close([sim.measure()["residual"]], [0.0], 1e-13, "balance")
        sim.restore(saved)
        self.assertAlmostEqual(sim.t, 0.5, 12)
        now = sim.measure()
        sim.act([-50 * now["x"] - 3 * now["v"]])
        self.assertAlmostEqual(sim.step(0.05), 0.55, 12)
        self.close([sim.measure()["x"]], got[11:12], 1e-14, "again")
        self.assertAlmostEqual(sim.step(), 0.56, 12)
        self.check_cycles(car().build())
        with self.assertRaisesRegex(ValueError, "no input 'rail'"):
            sim.act({"rail": 1})
        with self.assertRaisesRegex(ValueError, "2 values for 1 inputs"):
            sim.act([1, 2])
        with self.assertRaisesRegex(ValueError, "must be positive"):
            sim.step(-1)
        with self.assertRaisesRegex(ValueError, "save"):
            sim.restore([1.0])
        with self.assertRaisesRegex(phlexor.PhlexorError, "called 'rial.effort'.*did you mean 'rail.effort'"):
            car().build().stepper(["rial.effort"])

    def check_cycles(self, model):
        """A cycle is act, step and measure, bit by bit; after an error the state is the old one."""
        parts, whole = model.stepper(["rail.effort"]), model.stepper(["rail.effort"])
        some = model.stepper(["rail.effort"], ["v", "x"])
        self.assertEqual((whole.outputs, some.outputs), (whole.columns, ("v", "x")))
        for k in range(40):
            force, length = [np.sin(k)], [None, 0.05, 0.013][k % 3]
            parts.act(force)
            parts.step(length)
            now = parts.measure()
            self.assertEqual(whole.cycle(np.array(force), length).tolist(), list(now.values()))
            self.assertEqual(some.cycle({"rail.effort": force[0]}, length).tolist(), [now["v"], now["x"]])
        self.assertEqual(parts.save().tolist(), whole.save().tolist())
        self.assertIs(some.cycle([0.0]), some.cycle([0.0]))
        self.assertEqual(some.outputs_now().tolist(), [some.measure()[name] for name in some.outputs])
        saved = whole.save().tolist()
        for wrong, message in (([np.nan], "input 1 is nan"), ([1, 2], "2 values for 1"), (3.0, "1 values for 1")):
            with self.assertRaisesRegex(ValueError, message):
                whole.cycle(wrong)
        with self.assertRaisesRegex(ValueError, "must be positive"):
            whole.cycle([1.0], 0.0)
        self.assertEqual(whole.save().tolist(), saved)
        with self.assertRaisesRegex(ValueError, "no column 'y', only t, kinetic"):
            model.stepper(["rail.effort"], ["y"])
        with self.assertRaisesRegex(TypeError, "outputs is a list"):
            model.stepper(["rail.effort"], "x")


class Expressions(Case):
    def test_values(self):
        """What the library makes of an expression is what Python makes of the same numbers."""
        m = phlexor.ModelBuilder("x", 2)
        a, b = m.parameter("a", 2.5), m.parameter("b", -0.75)
        m.rigid("r", mass=1, inertia=1)
        model = m.build()
        cases = [
            (a + b * 3 - 1, 2.5 - 0.75 * 3 - 1), (1 - a / b, 1 + 2.5 / 0.75), (2**a, 2**2.5), (a**-2, 2.5**-2.0),
            (-(a**2), -6.25), ((-a) ** 2, 6.25), (-a - -b, -3.25), (a - (b - 1), 4.25), (a / (b / 2), -2.5 / 0.375),
            (2 / a / b, 2 / 2.5 / -0.75), (-3 * a, -7.5), (a**2**b, 2.5 ** (2**-0.75)), (abs(b) + abs_(a), 3.25),
            ((a < b) + 2 * (a >= b) + (3 > a) + (b <= -0.75), 4.0), (+a, 2.5), (1e-300 * a, 2.5e-300),
            (sin(a) * cos(b) + tan(b), math.sin(2.5) * math.cos(-0.75) + math.tan(-0.75)),
            (asin(b) + acos(b) + atan(a), math.pi / 2 + math.atan(2.5)), (atan2(a, b), math.atan2(2.5, -0.75)),
            (exp(b) + log(a) + sqrt(a), math.exp(-0.75) + math.log(2.5) + math.sqrt(2.5)), (sign(b), -1.0),
            (min_(a, b, 0) + max_(a, 3), 2.25), (step(a) + step(b), 1.0), (ramp(a, 2, 3), 0.5),
            (90 * deg, math.pi / 2), (pi * 2, 2 * math.pi), (np.float64(2) * a, 5.0), (a * np.int64(3), 7.5),
        ]
        for expression, want in cases:
            self.assertIsInstance(expression, phlexor.Expression)
            self.close([model.evaluate(str(expression))], [want], 1e-14 * abs(want), str(expression))

    def test_texts(self):
        self.assertEqual(str(2 * (t + 1)), "2*(t + 1)")
        self.assertEqual(str(-s), "-s")
        self.assertEqual(repr(t), "Expression('t')")

    def test_are_no_conditions(self):
        with self.assertRaisesRegex(TypeError, "no condition"):
            if t < 1:
                pass
        with self.assertRaises(TypeError):
            t + "1"
        for value in (math.nan, math.inf):
            with self.assertRaisesRegex(ValueError, "finite"):
                t * value


class Errors(Case):
    def error(self, fill, kind=phlexor.ModelError):
        m = phlexor.ModelBuilder("Wrong", 2)
        with self.assertRaises(kind) as caught:
            fill(m)
            m.build()
        return caught.exception

    def test_have_the_names_of_the_builder(self):
        for fill, name, message in (
            (lambda m: m.rigid("crank", mass=-1, inertia=1), "bodies.crank.mass", "greater than 0, found '-1'"),
            (lambda m: m.rigid("crank", mass="2*q", inertia=1), "bodies.crank.mass", "unknown name 'q'"),
            (lambda m: m.rigid("a", mass=1, inertia=1, ports={"x": [0, "1/0"]}), "bodies.a.ports.x.position[2]", "1/0"),
            (lambda m: m.rigid("a.b", mass=1, inertia=1), "bodies.a.b", "contains '.'"),
            (lambda m: m.beam("b", material="st", length=1, section=phlexor.Circle(1), reference="free"),
             "bodies.b.material", "'st'"),
            (lambda m: m.modal("array", mass=1, inertia=1, modes=[phlexor.Mode(1), phlexor.Mode(-2)]),
             "bodies.array.modes[2].frequency", "found '-2'"),
            (lambda m: (m.rigid("a", mass=1, inertia=1), m.joint("j", "revolut", m.ground.O, "a.P")), "joints.j.kind",
             "did you mean 'revolute'?"),
            (lambda m: (m.rigid("crank", mass=1, inertia=1), m.joint("j", "weld", m.ground.O, "crnk.P")),
             "joints.j.ports[2]", "'crank'"),
            (lambda m: (m.rigid("a", mass=1, inertia=1), m.output("o", "stress", "a.P")), "outputs.o.stress", "beam"),
        ):
            error = self.error(fill)
            self.assertEqual(error.name, name, str(error))
            self.assertTrue(str(error).startswith(name + ": "), str(error))
            self.assertIn(message, str(error))

    def test_of_analyses(self):
        """What is found after the reading has its name too, and warnings have."""
        m = phlexor.ModelBuilder("Apart", 2)
        bar = m.rigid("bar", mass=1, inertia=1)
        m.joint("one", "weld", m.ground.O, bar.P)
        m.joint("other", "weld", m.ground_port("far", [1, 0]), bar.P)
        with self.assertRaisesRegex(phlexor.AssemblyError, r"^joints\.\w+: "):
            m.build().check()
        m = phlexor.ModelBuilder("x", 2)
        m.rigid("bar", mass=1, inertia=1)
        with self.assertRaisesRegex(phlexor.ModelError, "^when does the simulation end"):
            m.build().simulate()

    def test_before_the_library(self):
        error = self.error(lambda m: m.rigid("a", mass=math.nan, inertia=1), ValueError)
        self.assertIn("bodies.a.mass: nan", str(error))
        error = self.error(lambda m: m.rigid("a", mass=object(), inertia=1), TypeError)
        self.assertIn("bodies.a.mass: <", str(error))
        for add in (lambda m: m.rigid("a", mass=1, inertia=1), lambda m: m.parameter("p", 1),
                    lambda m: m.ground_port("g"), lambda m: m.sweep("p", values=[1])):
            error = self.error(lambda m: (add(m), add(m)), ValueError)
            self.assertIn("there is already", str(error))

    def test_odd_names(self):
        m = phlexor.ModelBuilder('Kürbel "1": </script> # \\ \t', 2)
        bob = m.rigid("pièce à vis <b>", mass=1, inertia=1, ports={"tête: #1": [1, 0]})
        m.rigid("true", mass=1, inertia=1)
        m.rigid("1e3", mass=1, inertia=1)
        m.joint("~", "revolute", m.ground.O, bob.port("tête: #1"))
        m.output("ω", "coordinate", "~")
        model = m.build()
        self.assertEqual(model.title, 'Kürbel "1": </script> # \\ \t')
        self.assertEqual(model.bodies, ("pièce à vis <b>", "true", "1e3"))
        self.assertEqual(model.simulate(end=0.1, step=0.1).columns[-1], "ω")


class Joints(Case):
    """Every kind of joint of the library, from its description."""

    keys = {"axis": {"axis": [1, 2, 2]}, "normal": {"normal": [1, 2, 2]}, "axes": {"axes": [[1, 0, 0], [0, 1, 0]]}}

    def forms(self, dimension):
        """Required keys of each kind by the schema."""
        forms = json.loads(phlexor.schema())["$defs"]["joint"]["oneOf"]
        return {form["properties"]["kind"]["anyOf"][0]["enum"][0]: form for form in forms}

    def model(self, dimension):
        m = phlexor.ModelBuilder("kinds", dimension)
        steel = m.material("steel", density=7800, young=2.1e11, poisson=0.3)
        forms = self.forms(dimension)
        for info in phlexor.joint_kinds():
            if dimension not in info.dimensions:
                continue
            body = m.rigid(f"body {info.name}", mass=1, inertia=1 if dimension == 2 else [1, 2, 2.5])
            n = len(info.coordinates_in(dimension))
            asked = set(self.keys) & set(forms[info.name]["properties"])
            given = {key: value for key in asked - {"axis"} for key, value in self.keys[key].items()}
            if "axis" in asked and (dimension == 3 or "axis" in forms[info.name]["required"]):
                given["axis"] = [1, 2, 2][:dimension]
            if n:
                given["stiffness"] = [10.0] * n
            ground = m.ground.O
            if info.slides:
                rail = m.beam(f"rail {info.name}", material=steel, length=2, section=phlexor.Circle(0.1),
                              reference="cantilever", elements=2)
                m.joint(f"clamp {info.name}", "weld", m.ground.O, rail.P)
                ground, given["position"] = rail.P, 0.7
            m.joint(info.name, info.name, ground, body.P, **given)
            if n:
                m.output(f"q {info.name}", "coordinate", info.name)
        return m.build()

    def test_names(self):
        names = [info.name for info in phlexor.joint_kinds()]
        self.assertEqual(tuple(names), get_args(builder.JointKind))
        self.assertEqual(names, list(self.forms(3)))

    def test_descriptions(self):
        for info in phlexor.joint_kinds():
            self.assertTrue(info.holds and set(info.dimensions) <= {2, 3}, info)
            self.assertEqual(len(info.coordinates), max(len(info.coordinates_in(d)) for d in info.dimensions))
            self.assertTrue(all(c.unit in ("rad", "m") and c.zero and c.name for c in info.coordinates), info)

    def test_kinds(self):
        for dimension in (2, 3):
            model = self.model(dimension)
            wanted = [info for info in phlexor.joint_kinds() if dimension in info.dimensions]
            self.assertEqual(tuple(name for name in model.joints if not name.startswith("clamp ")),
                             tuple(info.name for info in wanted))
            result = model.simulate(end=0.05, step=0.01)
            for info in wanted:
                n = len(info.coordinates_in(dimension))
                if n:
                    self.assertEqual(result.output(f"q {info.name}").reshape(len(result.t), -1).shape[1], n)

    def test_page(self):
        """The manifest of a page says how each kind is drawn."""
        page = self.folder / "kinds.html"
        try:
            self.model(3).write_page(page)
        except phlexor.LibraryError as error:
            self.skipTest(str(error))
        text = page.read_text(encoding="utf-8")
        for info in phlexor.joint_kinds():
            self.assertRegex(text, rf'"{info.name}":{{"holds_points":(true|false),"solids":\[{{"shape":"')


class Complete(Case):
    """Every key of the format has its argument."""

    def test_body_kinds(self):
        """A method named after a kind has the keys of that kind, no more and no fewer; `body` takes every kind."""
        forms = {form["properties"]["kind"]["anyOf"][0]["enum"][0]: form
                 for form in json.loads(phlexor.schema())["$defs"]["body"]["oneOf"]}
        kinds = phlexor.body_kinds()
        self.assertEqual([kind.name for kind in kinds], list(forms))
        placed = set(inspect.signature(phlexor.ModelBuilder.body).parameters) - {"keys", "kind"}
        for kind in kinds:
            self.assertTrue(kind.doc and kind.dimensions, kind)
            self.assertTrue(kind.deforms or not kind.sections, kind)
            method = getattr(phlexor.ModelBuilder, kind.name, None)
            if method:
                keys = set(inspect.signature(method).parameters) - placed
                self.assertEqual(keys, set(forms[kind.name]["properties"]) - {"kind", "pose", "velocity"}, kind.name)
        self.assertTrue({"rigid", "beam", "modal", "plate"} <= {kind.name for kind in kinds})

    def test_plate_with_pressure(self):
        """A plate by its method is one of the model file, and its pressure acts."""
        m = phlexor.ModelBuilder("plate", 3)
        m.material("alu", density=2700, young=7e10, poisson=0.3)
        plate = m.plate("plate", material="alu", mesh={"size": [1, 0.5], "elements": [4, 2]}, thickness=0.01,
                        ports={"P": {"on": "x0"}}, basis={"modes": 3})
        m.joint("root", "weld", "ground.O", plate.P)
        m.pressure("push", plate, 1, profile="x")
        result = m.build().simulate(0.01, step=1e-3)
        self.assertGreater(result.supplied["load.push"][-1], 0.0)

    def test_shell(self):
        """The end of a strip is pulled across: by 6.698 of its length 10 in published tables."""
        m = phlexor.ModelBuilder("strip", 3)
        m.material("soft", density=1, young=1.2e6, poisson=0)
        strip = m.shell("strip", material="soft", mesh={"size": [10, 1], "elements": [8, 1]}, thickness=0.1,
                        clamp=["x0"], ports={"end": {"set": "x1"}})
        m.force("pull", strip.port("end"), [0, 0, 4])
        m.output("tip", "position", strip.port("end"))
        self.assertAlmostEqual(m.build().static().result["tip.z"][-1], 6.698, delta=0.02)

    def test_rod(self):
        """A rod of matrices on an arc hangs, and has the section forces of one."""
        m = phlexor.ModelBuilder("rod", 2, gravity=[0, -9.81])
        unit = [[1e4, 0, 0], [0, 1e4, 0], [0, 0, 5]]
        mass = [[1, 0, 0], [0, 1, 0], [0, 0, 1e-4]]
        m.rod("rod", arc={"radius": 1, "angle": 1.2}, elements=4,
              section={"kind": "general", "stiffness": unit, "mass": mass}, ports={"M": 0.5})
        m.joint("root", "weld", "ground.O", "rod.P")
        m.output("root_force", "shear_force", "rod.P")
        m.output("mid", "position", "rod.M")
        result = m.build().simulate(0.1, step=1e-3)
        self.assertLess(abs(result["residual"][-1]), 1e-11)
        self.assertLess(result["mid.y"][-1], result["mid.y"][0])

    def test_beam_in_segments(self):
        m = phlexor.ModelBuilder("segments", 2, gravity=[0, -9.81])
        steel = m.material("steel", density=7850, young=2.1e11)
        arm = m.beam("arm", material=steel, length=1, section=phlexor.Circle(0.01), segments=4, elements=1)
        m.joint("foot", "weld", m.ground.O, arm.P)
        m.output("tip", "position", arm.C)
        checked = m.build().check()
        self.assertEqual(checked.constraints, 12)
        self.assertAlmostEqual(checked.mass, 7850 * math.pi / 4 * 1e-4, 12)

    def test_a_body_by_its_keys(self):
        def bar(add):
            m = phlexor.ModelBuilder("bar", 2)
            m.material("steel", density=7850, young=2.1e11)
            body = add(m, material="steel", length=1.5, section=phlexor.Circle(0.02), reference="cantilever",
                       position=[1, 2], angular_velocity=3)
            m.force("push", body.at(0.25), [1, 0])
            m.force("pull", body.at("0.75"), [0, 1])
            return m.text()

        self.assertEqual(bar(lambda m, **keys: m.body("bar", "beam", **keys)),
                         bar(lambda m, **keys: m.beam("bar", **keys)))
        self.assertIn("bar@0.75", bar(lambda m, **keys: m.beam("bar", **keys)))
        with self.assertRaisesRegex(ValueError, "no kind 'beem', only rigid, beam"):
            bar(lambda m, **keys: m.body("bar", "beem", **keys))

    def test_keys(self):
        definitions = json.loads(phlexor.schema())["$defs"]
        renamed = {"from": "from_", "at": "at", "on": "on"}

        def keys(name):
            return set(definitions[name]["properties"]) if "properties" in definitions[name] else {
                key for form in definitions[name].get("anyOf", definitions[name].get("oneOf", []))
                for key in form.get("properties", {})}

        def arguments(*functions):
            return {name for function in functions for name in inspect.signature(function).parameters}

        m = phlexor.ModelBuilder
        bodies = arguments(m.rigid, m.beam, m.rod, m.modal, m.plate, m.shell, m.solid, m.imported) | {"kind", "pose", "velocity", "file"}
        for definition, have in (
            ("body", bodies), ("material", arguments(m.material)), ("joint", arguments(m.joint) | {"ports"}),
            ("spring", arguments(m.spring) | {"ports"}), ("event", arguments(m.event)), ("initial", arguments(m.initial)),
            ("load", arguments(m.force, m.distributed, m.pressure, m.traction, m.temperature)
             | {"force", "torque", "distributed", "pressure", "traction", "temperature"}),
            ("simulate", arguments(m.simulate)), ("modes", arguments(m.modes)), ("page", arguments(m.page)), ("sweep", arguments(m.sweep)),
            ("port", arguments(phlexor.Port)), ("point_mass", arguments(phlexor.PointMass)),
            ("damping", arguments(phlexor.Damping)), ("shape", arguments(phlexor.Shape)), ("mode", arguments(phlexor.Mode)),
            ("rotation", arguments(phlexor.Rotation)), ("second_order", arguments(phlexor.SecondOrder)),
            ("section", arguments(phlexor.Circle, phlexor.Tube, phlexor.Rectangle, phlexor.General)),
            ("port_of_a_beam", arguments(phlexor.BeamPort)), ("port_of_a_modal_body", arguments(phlexor.ModalPort)),
            ("shape_at_a_port", arguments(phlexor.PortShape)),
            ("table_of_a_signal", arguments(phlexor.Table, phlexor.TableFile, phlexor.Ramp, phlexor.Trapezoidal)),
            ("pose", arguments(m.rigid)), ("velocity", {"linear", "angular"}),
            ("model", set(m("x")._maps) | arguments(m) | {"phlexor"}),
        ):
            found = {renamed.get(key, key) for key in keys(definition)}
            self.assertTrue(found, definition)
            self.assertEqual(found - have, set(), definition)
        words = keys("output") - {"frame", "at", "place"}
        self.assertEqual(words, set(inspect.signature(m.output).parameters["quantity"].annotation
                                    .partition("[")[2].rstrip("]").replace('"', "'").replace("'", "").split(", ")))


if __name__ == "__main__":
    unittest.main()
