"""Optima that are known otherwise, and searches that are interrupted."""

import os
import signal
import subprocess
import time
import unittest
import warnings

import numpy as np

import phlexor
from support import EXAMPLES, PENDULUM, Case, page_data, page_of

MOST = 30  # evaluations of a search


def optimize(keys):
    """A pendulum at rest with parameters p, q, c, and a search."""
    text = PENDULUM.replace("{m: 1, l: 1}", "{m: 1, l: 1, p: 0.2, q: 0.1, c: 0}")
    return phlexor.Model.from_text(text + "optimize:\n" + "".join(f"  {key}: {value}\n" for key, value in keys.items()))


def coupler(bounds):
    """The example with a damped coupler of few elements and two diameters, of the mass of a uniform one."""
    text = (EXAMPLES / "crank_slider.yaml").read_text()
    stations = "".join(f"{{at: {at}, section: {{kind: circle, diameter: {d}}}}}, " for at, d in (
        (0, "ends"), (0.25, "ends"), (0.25, "d"), (0.75, "d"), (0.75, "ends"), (1, "ends")))
    for old, new in (("n: 8}", 'n: 4, d: 0.006, ends: "sqrt(2*0.006^2 - d^2)"}'),
                     ("section: {kind: circle, diameter: 0.006}", f"sections: [{stations[:-2]}]"),
                     ("elements: n", "elements: n\n    damping: {modal: 0.1}\n    stiffening: true"),
                     ("outputs:", "initial: {deformation: quasi_static}\noutputs:")):
        assert old in text
        text = text.replace(old, new, 1)
    return text + f"optimize: {{variables: {{d: {bounds}}}, minimize: simulate.peak(bend)}}\n"


def first_frequency(diameters, elements=10):
    """Of a clamped bar of three steps of equal length with a mass at its end, by cubic elements, rad/s."""
    young, density, length, mass = 2.1e11, 7850.0, 0.5, 0.1
    h = length / (3 * elements)
    n = 6 * elements + 2
    stiffness, inertia = np.zeros((n, n)), np.zeros((n, n))
    bending = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2],
                        [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]]) / h**3
    moving = np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2],
                       [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h**2, -22 * h, 4 * h**2]]) * h / 420
    for e in range(3 * elements):
        d, at = diameters[e // elements], slice(2 * e, 2 * e + 4)
        stiffness[at, at] += young * np.pi * d**4 / 64 * bending
        inertia[at, at] += density * np.pi * d**2 / 4 * moving
    inertia[-2, -2] += mass
    return 1.0 / np.sqrt(np.linalg.eigvals(np.linalg.solve(stiffness[2:, 2:], inertia[2:, 2:])).real.max())


def best_diameters():
    """d1 and d2 by grids that shrink about their best point; d3 by the mass of a uniform bar of 10 mm."""
    centre, size = np.array([0.0115, 0.010]), 0.002
    while size > 1e-7:
        points = [centre + size * np.array([i, j]) for i in (-1.0, -0.5, 0.0, 0.5, 1.0) for j in (-1.0, -0.5, 0.0, 0.5, 1.0)]
        rest = [3e-4 - p @ p for p in points]
        values = [first_frequency([*p, np.sqrt(r)]) if r > 0.0 else 0.0 for p, r in zip(points, rest)]
        best = int(np.argmax(values))
        size *= 0.5 if np.array_equal(points[best], centre) else 1.0
        centre = points[best]
    return np.array([*centre, np.sqrt(3e-4 - centre @ centre)]), max(values)


class KnownOptima(Case):
    def test_cantilever(self):
        """The diameters of the highest first frequency at fixed mass."""
        page = page_of(self.folder)
        found = phlexor.Model(EXAMPLES / "stepped_cantilever.yaml").optimize(page=page)
        diameters, omega = best_diameters()
        self.assertLessEqual(found.evaluations, MOST)
        self.assertTrue(found.feasible and found.constraints[0].active)
        self.close(found.objective.best / omega, 1.0, 1e-5, "frequency")
        # of an optimum the square root of that: the frequency is flat there
        self.close([found.variables[name] / d for name, d in zip(("d1", "d2", "d3"), diameters)], np.ones(3), 2e-3,
                   "diameters")
        self.same(found.history[found.best - 1], [*found.variables.values(), found.objective.best, found.constraints[0].best],
                  "best row of the history")
        if page:
            data = page_data(page)
            self.assertEqual(data["optimization"]["history"], found.history.tolist())
            self.assertEqual([other["source"] for other in data["others"]], ["start"])

    def test_list(self):
        """The same with a list of diameters, bit by bit; the file has the values in place of the one."""
        text = (EXAMPLES / "stepped_cantilever.yaml").read_text()
        lists = text.replace("d1: 0.010, d2: 0.010, d3: 0.010", "d: {count: 3, value: 0.010}")
        for k in (1, 2, 3):
            lists = lists.replace(f"diameter: d{k}", f'diameter: "d[{k}]"')
        lists = "".join(line.replace("d1:", "d:") for line in lists.splitlines(True) if line[4:7] not in ("d2:", "d3:"))
        scalars, model = phlexor.Model.from_text(text), phlexor.Model.from_text(lists)
        found, wanted = model.optimize(), scalars.optimize()
        self.assertEqual(list(found.variables), ["d[1]", "d[2]", "d[3]"])
        self.same(list(found.variables.values()), list(wanted.variables.values()), "diameters")
        model.set_parameters(found.variables)
        self.assertEqual(model.parameters, {**found.variables, "length": 0.5})
        model.save(self.folder / "best.yaml")
        d = [f"{d:.17g}" if float(f"{d:.16g}") != d else f"{d:.16g}" for d in found.variables.values()]
        self.assertIn(f"parameters: {{d: [{', '.join(d)}], length: 0.5}}", (self.folder / "best.yaml").read_text())
        function = model.value_and_gradient("modes.omega.1", ["d"])
        value, gradient = function(function.start)
        self.same(gradient, model.sensitivity(["modes.omega.1"], ["d[1]", "d[2]", "d[3]"]).gradient[0], "gradient")
        self.close(value / found.objective.best, 1.0, 1e-12, "value")
        model.set_parameters({"d": 0.02})
        self.same(list(model.parameters.values())[:3], [0.02] * 3, "all entries")
        with self.assertRaisesRegex(phlexor.ModelError, "no parameter 'd\\[4\\]' to set; the indices of .* are 1 to 3"):
            model.set_parameters({"d[4]": 0.02})

    def test_peak_of_coupler(self):
        """The middle of the coupler with the least bending peak for the mass of the example, against its neighbours."""
        keys = coupler("{min: 0.0035, max: 0.0075}").replace("minimize:", "method: slsqp, minimize:")
        model = phlexor.Model.from_text(keys)
        found = model.optimize()
        best, peaks = found.variables["d"], []
        for value in (best, 0.99 * best, 1.01 * best, 0.0035, 0.0045, 0.0055, 0.0065, 0.0075):
            model.set_parameters(d=value)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore") # of a coupler that is too thin
                run = model.simulate(every=np.pi / 150000)
            powers = run["bend"] ** 20
            mean = np.sum(0.5 * (powers[1:] + powers[:-1]) * np.diff(run["t"])) / run["t"][-1]
            peaks.append(float(mean ** (1 / 20)))
        self.assertLessEqual(found.evaluations, MOST)
        self.assertEqual(found.at["d"], 0)
        self.close(found.objective.best / peaks[0], 1.0, 1e-6, "peak")
        self.assertGreaterEqual(min(peaks[1:]), peaks[0])
        self.assertLess(found.objective.best, 0.9 * found.objective.start)

    def test_brachistochrone(self):
        """The wire on which a bead comes furthest in T: x = R (u - sin u), depth R (1 - cos u), R = g T^2/pi^2."""
        found = phlexor.Model(EXAMPLES / "brachistochrone.yaml").optimize()
        self.assertLessEqual(found.evaluations, MOST)
        # five points and a spline; no wire does better than the cycloid
        reached = found.objective.best / (9.81 * 0.4**2 / np.pi)
        self.assertLess(reached, 1.0)
        self.assertGreater(reached, 0.999)
        radius, u = 9.81 * 0.4**2 / np.pi**2, np.linspace(0.0, np.pi, 100001)
        depths = np.interp([0.02, 0.10, 0.25, 0.40], radius * (u - np.sin(u)), radius * (1.0 - np.cos(u)))
        self.close([found.variables[f"h{k}"] / d for k, d in enumerate(depths, 1)], np.ones(4), 0.01, "depths")

    def test_constraints(self):
        """The point of p + q = 1 nearest to the origin; the same by limits of p and q."""
        keys = {"variables": "{p: {min: -2, max: 2}, q: {min: -2, max: 2}}", "minimize": "static(p^2 + q^2)"}
        for method in ("slsqp", "cobyla"):
            found = optimize({**keys, "constraints": "[{of: static(p + q), equals: 1}]", "method": method}).optimize()
            self.close([found.variables["p"], found.variables["q"]], [0.5, 0.5], 2e-3, method)
        for method in ("mma", "slsqp"):
            found = optimize({**keys, "constraints": "[{of: static(p + q), min: 1}, {of: static(p - q), max: -0.5}]",
                              "method": method}).optimize()
            self.close([found.variables["p"], found.variables["q"]], [0.25, 0.75], 1e-4, method)
            self.assertEqual([c.active for c in found.constraints], [True, True])
            self.assertLessEqual(found.evaluations, MOST)
        found = optimize({**keys, "method": "bobyqa", "minimize": "static((p - 1)^2 + (q + 3)^2)"}).optimize()
        self.close([found.variables["p"], found.variables["q"]], [1.0, -2.0], 1e-4, "bobyqa")
        self.assertEqual(found.at, {"p": 0, "q": -1})

    def test_cases(self):
        """(p - c)^2 for c of 0, 1, 3: the worst is least in the middle, the sum at the mean."""
        for method in ("mma", "slsqp", "bobyqa"):
            for over, p, value in (("worst", 1.5, 2.25), ("sum", 4 / 3, 42 / 9)):
                found = optimize({"variables": "{p: {min: -4, max: 4}}", "minimize": "static((p - c)^2)",
                                  "cases": "{c: {values: [0, 1, 3]}}", "over": over, "method": method})
                one, two = found.optimize(), found.optimize(threads=2)
                self.close(one.variables["p"], p, 2e-3, f"{method} {over}")
                self.close(one.objective.best, value, 5e-3, f"{method} {over}")
                self.assertEqual(one, two)


class Searches(Case):
    def test_failures(self):
        """Below p = 0.1 there is no model: the search steps back, and ends at its edge."""
        model = optimize({"variables": "{p: {min: -1, max: 1}}", "minimize": "static(sqrt(p - 0.1) + p)",
                          "evaluations": 60})
        with self.assertWarnsRegex(phlexor.PhlexorWarning, "at p = .*not a finite number"):
            found = model.optimize()
        self.assertGreater(found.failed, 0)
        self.assertLess(found.objective.best, 0.5 * found.objective.start)
        model.set_parameters(p=0.05)
        with self.assertRaisesRegex(phlexor.PhlexorError, "evaluation 1, at p = 0.05"):
            model.optimize()

    def test_errors(self):
        variables, minimize = {"variables": "{p: {min: 0, max: 1}}"}, {"minimize": "static(p^2)"}
        for keys, message in (
            ({**variables}, "minimize"),
            ({**minimize}, "variables"),
            ({**minimize, "variables": "{r: {min: 0, max: 1}}"}, "expected a name under 'parameters', found 'r'"),
            ({**minimize, "variables": "{p: {min: 1, max: 1}}"}, "expected more than min"),
            ({**minimize, "variables": "{}"}, "at least one name"),
            ({**variables, **minimize, "cases": "{p: {values: [1, 2]}}"}, "one of the variables"),
            ({**variables, **minimize, "method": "mma", "constraints": "[{of: model.mass, equals: 1}]"}, "mma has no"),
            ({**variables, **minimize, "method": "bobyqa", "constraints": "[{of: model.mass, max: 1}]"}, "use cobyla"),
            ({**variables, **minimize, "constraints": "[{of: model.mass}]"}, "min, max"),
        ):
            with self.assertRaisesRegex(phlexor.ModelError, message):
                optimize(keys)
        with self.assertRaisesRegex(phlexor.ModelError, r":14:13: optimize: objective 'modes.first'"):
            optimize({"minimize": "modes.first", **variables}).optimize()
        with self.assertRaisesRegex(phlexor.ModelError, "starts at 0.2, expected a value from 0.3"):
            optimize({**minimize, "variables": "{p: {min: 0.3, max: 1}}"}).optimize()
        with self.assertRaisesRegex(phlexor.ModelError, "no key 'optimize'"):
            phlexor.Model.from_text(PENDULUM).optimize()
        with self.assertRaises(ValueError):
            optimize({**variables, **minimize}).optimize(resume=True)
        infeasible = optimize({**variables, **minimize, "constraints": "[{of: static(p), min: 2}]"}).optimize()
        self.assertFalse(infeasible.feasible)
        self.assertEqual(infeasible.at, {"p": 1})

    def test_resume(self):
        """A history that is cut anywhere leads to the same one."""
        model = phlexor.Model(EXAMPLES / "stepped_cantilever.yaml")
        whole, again = self.folder / "whole.csv", self.folder / "again.csv"
        partial = self.folder / "again.csv.partial"
        first = model.optimize(history=whole)
        text = whole.read_bytes()
        lines = text.count(b"\n")
        self.assertEqual(lines, first.evaluations + 1)
        for length in (0, 30, len(text) // 3, len(text) // 2, text.index(b"\n", len(text) // 2) + 1, len(text) - 1):
            if length:
                partial.write_bytes(text[:length])
            second = model.optimize(history=again, resume=True)
            self.same(again.read_bytes(), text, f"history cut at {length}")
            self.assertEqual(second.taken, max(text[:length].count(b"\n") - 2, 0))
            self.assertEqual(second.variables, first.variables)
        for wrong in (text.replace(b"\n4,", b"\n4,1"), text.replace(b"modes.omega.1", b"modes.omega.2", 1)):
            partial.write_bytes(wrong)
            with self.assertRaisesRegex(phlexor.ModelError, "history of another search"):
                model.optimize(history=again, resume=True)
            self.assertTrue(partial.exists(), "a history that is refused is kept")

    def test_killed(self):
        """A process that is killed after some evaluations, and another that goes on."""
        program, model = os.environ["PHLEXOR_PROGRAM"], self.folder / "coupler.yaml"
        model.write_text(coupler("{min: 0.0035, max: 0.007}").replace("end: 4*pi/150", "end: pi/150"))
        command = [program, "optimize", model, "--output"]
        subprocess.run([*command, "whole.csv"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        process = subprocess.Popen([*command, "killed.csv"], cwd=self.folder, stdout=subprocess.DEVNULL)
        partial = self.folder / "killed.csv.partial"
        while process.poll() is None and (not partial.exists() or partial.read_bytes().count(b"\n") < 4):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertTrue(partial.exists() and not (self.folder / "killed.csv").exists())
        subprocess.run([*command, "killed.csv", "--resume"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        self.same((self.folder / "killed.csv").read_bytes(), (self.folder / "whole.csv").read_bytes(), "history")

    def test_save(self):
        """The text of a model with other values, its comments where they were."""
        model = phlexor.Model(EXAMPLES / "stepped_cantilever.yaml", {"d3": "0.007"})
        model.set_parameters(d1=0.1 + 0.2)
        model.save(self.folder / "saved.yaml")
        text = (EXAMPLES / "stepped_cantilever.yaml").read_text()
        expected = text.replace("{d1: 0.010, d2: 0.010, d3: 0.010,", "{d1: 0.30000000000000004, d2: 0.010, d3: 0.007,")
        self.assertEqual((self.folder / "saved.yaml").read_text(), expected)
        quoted = phlexor.Model.from_text(PENDULUM.replace("m: 1, l: 1}", "m: 'l/2', l: \"2\"}"))
        quoted.set_parameters(l=4, m=5)
        quoted.save(self.folder / "quoted.yaml")
        self.assertIn("{m: 5, l: 4}", (self.folder / "quoted.yaml").read_text())
        aliased = phlexor.Model.from_text(PENDULUM.replace("m: 1, l: 1}", "m: &a 1, l: *a}"))
        aliased.set_parameters(l=4)
        with self.assertRaisesRegex(phlexor.UnsupportedError, "'.' cannot be replaced"):
            aliased.save(self.folder / "aliased.yaml")


if __name__ == "__main__":
    unittest.main()
