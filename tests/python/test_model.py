"""Models: reading, parameters, errors, simulations, batches, interruption."""

import copy
import csv
import os
import signal
import threading
import time
import unittest
import warnings
import zipfile

import numpy as np

import phlexor
from support import EXAMPLES, PENDULUM, Case


def pendulum(**parameters):
    return phlexor.Model.from_text(PENDULUM, parameters)


class Reading(Case):
    def test_says_what_is_in_it(self):
        model = phlexor.Model(EXAMPLES / "crank_slider.yaml")
        self.assertEqual(model.title, "Rotating crank-slider with a flexible coupler")
        self.assertEqual(model.dimension, 2)
        self.assertEqual(model.bodies, ("crank", "coupler", "slider"))
        self.assertEqual(model.joints, ("motor", "knee", "wrist", "guide"))
        self.assertEqual((model.springs, model.loads), ((), ()))
        self.assertEqual(model.outputs, ("mid", "slider", "drive", "bend"))
        self.assertEqual(model.text, (EXAMPLES / "crank_slider.yaml").read_text(encoding="utf-8"))

    def test_parameters(self):
        model = pendulum(m="2*2")
        self.assertEqual(model.parameters, {"m": 4.0, "l": 1.0})
        model.set_parameters(l=2)
        self.assertEqual(model.parameters, {"m": 4.0, "l": 2.0})
        self.assertEqual(model.evaluate("m*l + sqrt(4)"), 10.0)
        with self.assertRaisesRegex(phlexor.ModelError, r"model.yaml:7:\d+: .*greater than 0"):
            model.set_parameters({"m": -1})
        self.assertEqual(model.parameters, {"m": 4.0, "l": 2.0})
        with self.assertRaisesRegex(phlexor.ModelError, "mass"):
            model.set_parameters(mass=1)
        with self.assertRaises(phlexor.ModelError):
            model.set_parameters(m=float("nan"))
        model.set_parameters()
        self.assertEqual(model.parameters, {"m": 4.0, "l": 1.0})

    def test_copies_are_independent(self):
        model = pendulum(m=2)
        model.set_parameters(l=3)
        for made in (model.copy(), copy.copy(model), copy.deepcopy(model)):
            self.assertEqual(made.parameters, {"m": 2.0, "l": 1.0})  # as it was read
            made.set_parameters(m=5)
            self.assertEqual(model.parameters, {"m": 2.0, "l": 3.0})

    def test_errors_have_the_place(self):
        path = self.folder / "wrong.yaml"
        path.write_text(PENDULUM.replace("mass: m", "mas: m"), encoding="utf-8")
        with self.assertRaises(phlexor.ModelError) as caught:
            phlexor.Model(path)
        error = caught.exception
        self.assertEqual((error.file, error.line, error.status), (str(path), 7, -3))
        self.assertIn(f"{path}:7:", str(error))
        self.assertIn("'mass'", str(error))
        self.assertIsInstance(error, ValueError)
        with self.assertRaises(phlexor.FileError) as caught:
            phlexor.Model(self.folder / "missing.yaml")
        self.assertIsInstance(caught.exception, OSError)
        self.assertIn("missing.yaml", str(caught.exception))

    def test_kinds_of_failure(self):
        apart = PENDULUM.replace("joints:", "joints:\n  other: {kind: weld, ports: [ground.O, bob.P]}")
        with self.assertRaisesRegex(phlexor.AssemblyError, "model.yaml:"):
            phlexor.Model.from_text(apart).check()
        with self.assertRaisesRegex(phlexor.ModelError, "when does the simulation end"):
            phlexor.Model.from_text(PENDULUM.replace("simulate: {end: 1, step: 0.01}\n", "")).simulate()
        with self.assertRaisesRegex(ValueError, "integrator='euler': one of midpoint"):
            pendulum().simulate(integrator="euler")
        with self.assertRaisesRegex(ValueError, "backend"):
            pendulum().simulate(end=0.1, backend="quick")
        plain = pendulum().simulate(end=0.1, backend="plain")["kinetic"]
        fast = pendulum().simulate(end=0.1, backend="fast")["kinetic"]
        np.testing.assert_allclose(plain, fast, rtol=1e-11, atol=1e-13)
        for end in (0.0, -1.0, float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "end="):
                pendulum().simulate(end)
        with self.assertRaisesRegex(phlexor.UnsupportedError, "midpoint4"):
            phlexor.Model(EXAMPLES / "damped_lever.yaml").simulate(end=0.01, step=1e-3, integrator="midpoint4")

    def test_warnings_of_the_library(self):
        with self.assertWarnsRegex(phlexor.PhlexorWarning, "fixed steps"):
            pendulum().simulate(end=0.1, integrator="midpoint4", rtol=1e-6)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pendulum().simulate(end=0.1)

    def test_certificate(self):
        found = phlexor.Model(EXAMPLES / "heavy_top.yaml").check()
        self.assertEqual(found.skew_residual, 0.0)
        self.assertTrue(found.lossless and found.power_residual < 1e-12)
        self.assertEqual(found.degrees_of_freedom, 3)
        self.assertEqual(np.shape(found.inertia), (3, 3))
        self.same(found.inertia, found.inertia.T, "inertia")
        bennett = phlexor.Model(EXAMPLES / "bennett.yaml")
        with self.assertWarnsRegex(phlexor.PhlexorWarning, "redundant"):
            found = bennett.check()
        self.assertEqual(len(found.redundant_rows), found.redundant)
        self.assertTrue(found.redundant > 0 and all(name in bennett.joints for name, _ in found.redundant_rows))

    def test_schema(self):
        self.assertIn('"simulate"', phlexor.schema())


class Rest(Case):
    def test_static(self):
        rest = phlexor.Model(EXAMPLES / "desk_lamp.yaml").static()
        self.assertTrue(rest.stable)
        self.assertEqual((rest.method, rest.free_motions, rest.free), ("descent", 0, ""))
        self.assertLess(rest.unbalanced, 1e-10 * rest.weight)
        self.assertEqual(rest.outputs["lower_angle"], rest.result["lower_angle"][0])
        self.assertEqual(rest.result.rows, 1)
        self.assertEqual((rest.judged, rest.divergent, rest.fluttering, rest.growth), (0, 0, 0, 0.0))

    def test_controllers_rest(self):
        text = """phlexor: 1
dimension: 2
bodies: {a: {kind: rigid, mass: 1, inertia: 1, centre_of_mass: [1, 0]}}
joints: {j: {kind: revolute, ports: [ground.O, a.P]}}
controllers: {c: {kind: pid, measure: j, reference: 0.3, kp: 5, ki: 1, kd: 1, effort: j}}
"""
        held = phlexor.Model.from_text(text).static()
        self.assertTrue(held.stable and held.judged == 2)
        self.assertAlmostEqual(float(held.result["c.z1"][-1]), 0.0, delta=1e-12)

    def test_paths_and_steps(self):
        arch = phlexor.Model(EXAMPLES / "shallow_arch.yaml")
        path = arch.static(path=True, points=15)
        self.assertEqual(path.result.rows, 15)
        self.assertEqual(path.largest_load, path.result["static.load"].max())
        self.assertEqual(arch.static(steps=4).result["static.load"].tolist(), [0, 0.25, 0.5, 0.75, 1])
        arch.set_parameters(load=20)
        buckles = arch.static(buckling=3)  # over sideways, then through
        self.assertEqual(buckles.limit_points, (False, True))
        self.assertLess(buckles.critical[0], buckles.critical[1])
        self.assertEqual(len(buckles.linearised), 3)
        with self.assertRaisesRegex(phlexor.PhlexorError, "a path cannot be combined"):
            arch.static(path=True, stable=True)

    def test_modes_and_linear_models_about_it(self):
        lamp = phlexor.Model(EXAMPLES / "desk_lamp.yaml")
        modes = lamp.modes(2, at="static")
        self.assertEqual(modes.omega.tolist(), lamp.modes(2, at="start").omega.tolist())  # initial: equilibrium
        poles = lamp.linearize(["nudge.fx"], ["lamp.x"], at="static").poles
        np.testing.assert_allclose(sorted(abs(poles))[0], modes.omega.ravel()[0], rtol=1e-8)


class Simulating(Case):
    def test_is_what_the_program_computes(self):
        self.program("simulate", EXAMPLES / "crank_slider.yaml", "--end", "0.02", "--csv", "a.csv", "-o", "a.h5")
        result = phlexor.Model(EXAMPLES / "crank_slider.yaml").simulate(0.02)
        with open(self.folder / "a.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.assertEqual(tuple(rows[0]), result.columns)
        table = np.array([[float(cell) for cell in row] for row in rows[1:]])
        for k, name in enumerate(result.columns):
            self.same(result[name], table[:, k], name)

    def test_writes_files_too(self):
        h5, table = self.folder / "ü.h5", self.folder / "a.csv"
        result = pendulum().simulate(h5=h5, csv=table)
        again = phlexor.read_result(h5)
        for name in result.columns:
            self.same(result[name], again[name], name)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.csv", "ü.h5"])

    def test_settings(self):
        result = pendulum().simulate(end=0.5, rtol=1e-9, every=0.1, integrator="radau5")
        self.assertEqual(result.report.integrator, "radau5")
        self.assertEqual(result.rows, 6)
        self.close(result.t, np.arange(6) * 0.1, 1e-15, "instants")
        bob = result.output("bob")
        self.close(np.hypot(bob[:, 0], bob[:, 1]), np.ones(6), 1e-9, "length")

    def test_counted_corrections_and_wall_times(self):
        report = pendulum().simulate(end=0.5, step=1e-3, integrator="midpoint", iterations=2, real_time=True).report
        self.assertEqual((report.iterations, report.steps, report.newton_iterations), (2, 500, 1000))
        self.assertGreater(report.correction_left, 0.0)
        self.assertEqual(report.timed_steps, 500)
        self.assertTrue(0.0 < report.step_time_median <= report.step_time_99 <= report.step_time_worst)
        with self.assertRaisesRegex(ValueError, "iterations=0"):
            pendulum().simulate(end=0.5, step=1e-3, iterations=0)

    def test_inverse_dynamics(self):
        model = phlexor.Model(EXAMPLES / "arm_path.yaml")
        table = model.inverse(0.2, csv=self.folder / "efforts.csv")
        self.assertEqual(table.columns[:3], ("t", "shoulder.effort", "shoulder.coordinate"))
        self.assertEqual(table.rows, 21)
        run = model.simulate(0.2)
        self.same(table["elbow.effort"], run["elbow_torque"], "effort")
        self.assertTrue((self.folder / "efforts.csv").is_file())
        with self.assertRaisesRegex(phlexor.PhlexorError, "no joint is driven"):
            phlexor.Model(EXAMPLES / "arm_feedforward.yaml").inverse()

    def test_beams_in_modes_are_checked(self):
        coupler = phlexor.Model(EXAMPLES / "coupler_modes.yaml").check().beams_in_modes["coupler"]
        self.assertEqual((coupler.modes, coupler.followers), (3, 8))
        self.assertLess(coupler.error, 1e-9)
        self.assertEqual(phlexor.Model(EXAMPLES / "crank_slider.yaml").check().beams_in_modes, {})

    def test_loops_are_checked(self):
        matching = phlexor.Model(EXAMPLES / "wheel_pendulum.yaml").check().matching["swing"]
        self.assertLess(matching.potential, 1e-12)
        self.assertEqual((matching.kinetic, matching.places, matching.indefinite), (0.0, 1000, 0))
        self.assertLess(matching.mass, 1e-12)
        builder = phlexor.ModelBuilder("spring")
        body = builder.rigid("mass", mass=2.0, inertia=1.0)
        builder.joint("guide", "prismatic", builder.ground.O, body.P, axis=(1, 0), position=0.3)
        builder.controller("loop", "port_hamiltonian", ports=["guide.effort"], J=0, Q=50, B=2)
        model = builder.build()
        self.assertEqual(model.check().casimirs, ("loop.z1 - 2 guide.coordinate",))
        self.assertEqual(list(model.linearize(["guide.effort"], ["guide.coordinate"]).matrices.casimirs),
                         ["loop.z1 - 2 guide.coordinate"])

    def test_stable_inversion(self):
        model = phlexor.Model(EXAMPLES / "arm_tip.yaml")
        inverse = model.stable_inverse(csv=self.folder / "tip.csv")
        self.assertEqual(inverse.table.columns[:4], ("t", "hub.effort", "arm.C.y", "rigid1"))
        self.assertEqual(inverse.table.rows, 401)
        self.assertEqual((inverse.zeros, inverse.antistable), (24, 8))
        self.assertLess(inverse.early, 1e-9)
        before = inverse.table.t < 0.5
        self.assertGreater(abs(inverse.table["hub.effort"][before]).max(), 1e-4)
        self.assertEqual(abs(inverse.table["arm.C.y"][before]).max(), 0.0)
        self.assertTrue((self.folder / "tip.csv").is_file())
        self.assertEqual(model.stable_inverse(1.5, every=0.01).table.rows, 151)
        with self.assertRaisesRegex(phlexor.PhlexorError, "needs `inverse"):
            phlexor.Model(EXAMPLES / "arm_path.yaml").stable_inverse()
        builder = phlexor.ModelBuilder("place")
        body = builder.rigid("mass", mass=2.0, inertia=1.0)
        builder.joint("guide", "prismatic", builder.ground.O, body.P, axis=(1, 0))
        builder.inverse(["guide.effort"], {"guide.coordinate": phlexor.Ramp((0.1, 0.9), 3.0)})
        forces = builder.build().stable_inverse(1.0, every=0.05).table["guide.effort"]
        self.assertAlmostEqual(forces[6], 2 * 3 * 60 * 0.25 * 0.75 * 0.5 / 0.8**2, places=9)

    def test_writes_fmus(self):
        model = phlexor.Model(EXAMPLES / "crank_slider.yaml")
        crank, both = self.folder / "crank.fmu", self.folder / "both.fmu"
        made = model.fmu(crank, version=2, outputs=["slider"], step=1e-4)
        self.assertEqual((made.inputs, made.step, made.bytes), (1, 1e-4, os.path.getsize(crank)))
        self.assertEqual(made.states, 0)
        self.assertGreater(model.fmu(both, version=2, outputs=["slider"], kind="both").states, 3)
        with self.assertRaises(ValueError):
            model.fmu(both, kind="as")
        with zipfile.ZipFile(crank) as archive:
            text = archive.read("modelDescription.xml").decode()
        self.assertIn(f'guid="{made.token}"', text)
        self.assertIn('name="motor.rate"', text)
        self.assertNotIn('name="bend"', text)
        with self.assertRaisesRegex(phlexor.ModelError, "did you mean 'slider"):
            model.fmu(crank, outputs=["slidr"])
        with self.assertRaises(ValueError):
            model.fmu(crank, version=1)

    def test_parameters_of_fmus(self):
        model, arm = phlexor.Model(EXAMPLES / "arm_pd.yaml"), self.folder / "arm.fmu"
        self.assertEqual(model.fmu(arm).parameters, 4)
        self.assertEqual(model.fmu(arm, parameters=[]).parameters, 0)
        self.assertEqual(model.fmu(arm, parameters=["g1", "qd2"]).parameters, 2)
        with zipfile.ZipFile(arm) as archive:
            self.assertIn('causality="parameter" variability="tunable"', archive.read("modelDescription.xml").decode())
        with self.assertRaisesRegex(phlexor.ModelError, "'kp1' shapes the assembled system: it is used in controllers"):
            model.fmu(arm, parameters=["kp1"])

    def test_continues(self):
        half = self.folder / "half.h5"
        pendulum().simulate(end=0.5, h5=half)
        model = phlexor.Model.from_text(PENDULUM + f"initial: {{from: {half}}}\n")
        self.close(model.simulate()["angle"][-1], pendulum().simulate()["angle"][-1], 1e-12, "angle")

    def test_progress(self):
        calls = []
        result = pendulum().simulate(progress=lambda *a: calls.append(a))
        self.assertTrue(result.complete and calls)
        self.assertEqual(calls[0][0], "simulated time, s")
        self.assertTrue(all(0 < done <= total == 1.0 for _, done, total in calls))

    def test_stopped(self):
        h5 = self.folder / "a.h5"
        with self.assertRaises(phlexor.Interrupted) as caught:
            pendulum().simulate(h5=h5, progress=lambda what, done, total: done < 0.5)
        result = caught.exception.result
        self.assertFalse(result.complete)
        self.assertIn("stopped by the user", result.reason)
        self.assertTrue(0.4 < result.t[-1] < 0.6)
        partial = phlexor.read_result(f"{h5}.partial")
        self.same(partial["angle"], result["angle"], "angle")
        self.assertFalse(h5.exists())

    def test_exceptions_of_the_progress_function(self):
        def fail(what, done, total):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine") as caught:
            pendulum().simulate(progress=fail)
        self.assertTrue(caught.exception.result.rows >= 1)

    def test_keyboard_interrupt(self):
        model = phlexor.Model(EXAMPLES / "double_pendulum.yaml")
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in the background of a shell
        self.addCleanup(signal.signal, signal.SIGINT, before)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt) as caught:
            model.simulate(end=5e4)  # most of a minute
        self.assertLess(time.monotonic() - start, 30)
        self.assertTrue(caught.exception.result.rows > 10)
        timer.join()
        self.assertTrue(model.simulate(end=0.1).complete)  # and on as before

    def test_the_model_is_for_one_at_a_time(self):
        model = pendulum()
        with self.assertRaisesRegex(RuntimeError, "use a copy"):
            model.simulate(progress=lambda *a: model.parameters)
        results = [None] * 4
        threads = [threading.Thread(target=lambda k=k: results.__setitem__(k, model.simulate())) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            self.same(result["angle"], results[0]["angle"], "angle")

    def test_threads_inside_a_simulation(self):
        """The same numbers on several threads."""
        alone, several = pendulum().simulate(threads=1), pendulum().simulate(threads=3)
        self.assertEqual((alone.report.threads, several.report.threads, pendulum().simulate().report.threads), (1, 3, 1))
        self.same(several["angle"], alone["angle"], "angle")
        self.same(several["energy"], alone["energy"], "energy")

    def test_threads_with_files(self):
        """Simulations at the same time, each with a file: HDF5 sees one of them at a time."""
        failures = []

        def work(k):
            try:
                for _ in range(5):
                    result = pendulum(m=k + 1).simulate(h5=self.folder / f"{k}.h5")
                    self.same(phlexor.read_result(self.folder / f"{k}.h5")["energy"], result["energy"], "energy")
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class Batches(Case):
    def test_points(self):
        model = pendulum()
        for threads in (1, 3, None):
            batch = model.batch({"m": [1, 2], "l": phlexor.Range(0.5, 1.5, 3)}, threads=threads)
            self.assertEqual(batch.parameters, ("m", "l"))
            self.same(batch.points, [[1, 0.5], [1, 1], [1, 1.5], [2, 0.5], [2, 1], [2, 1.5]], "points")
            self.assertTrue(batch.complete.all() and len(batch) == 6)
            for (m, l), result in zip(batch.points, batch):
                self.same(result["angle"], pendulum(m=m, l=l).simulate()["angle"], "angle")
                self.assertEqual((result.attributes["parameter.m"], result.attributes["parameter.l"]), (m, l))
                self.assertEqual(result.report.rows, result.rows)
            summary = batch.summary("angle")
            self.same(summary[:, 1], [result["angle"][-1] for result in batch], "ends")
        self.assertEqual(model.parameters, {"m": 1.0, "l": 1.0})

    def test_the_sweep_of_the_model(self):
        self.same(pendulum().batch("model").parameter("m"), [1, 2, 3], "masses")

    def test_files(self):
        batch = pendulum().batch({"m": [1, 2]}, h5=self.folder / "a.h5", table=self.folder / "t.csv", threads=2)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a-0001.h5", "a-0002.h5", "t.csv"])
        self.same(phlexor.read_result(self.folder / "a-0002.h5")["energy"], batch[1]["energy"], "energy")

    def test_points_that_fail(self):
        with self.assertWarnsRegex(phlexor.PhlexorWarning, "m = -1"):
            batch = pendulum().batch({"m": [1, -1, 2]}, threads=2)
        self.assertEqual(list(batch.complete), [True, False, True])
        self.assertIn("at m = -1 (point 2 of 3): model.yaml:7:", batch.messages[1])
        self.assertTrue(np.isnan(batch.summary("energy")[1]).all())
        with self.assertRaisesRegex(phlexor.ModelError, "point 2 of 3") as caught:
            pendulum().batch({"m": [1, -1, 2]}, stop=True)
        self.assertEqual(len(caught.exception.batch), 1)
        self.assertEqual(caught.exception.line, 7)

    def test_stopped(self):
        with self.assertRaises(phlexor.Interrupted) as caught:
            pendulum().batch({"m": np.linspace(1, 2, 50)}, progress=lambda what, done, total: done < 3)
        self.assertTrue(1 <= len(caught.exception.batch) < 50)

    def test_keyboard_interrupt(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt) as caught:
            phlexor.Model(EXAMPLES / "double_pendulum.yaml").batch({"EI": np.linspace(400, 500, 2000)}, end=100,
                                                                  threads=2)
        self.assertLess(time.monotonic() - start, 30)
        self.assertLess(len(caught.exception.batch), 2000)
        timer.join()

    def test_arguments(self):
        with self.assertRaisesRegex(phlexor.ModelError, "mass"):
            pendulum().batch({"mass": [1]}, stop=True)
        with self.assertRaises(phlexor.ArgumentError):
            pendulum().batch({"m": []})
        with self.assertRaisesRegex(phlexor.ArgumentError, "sweep over a parameter"):
            pendulum().batch({})
        with self.assertRaisesRegex(ValueError, "'model'"):
            pendulum().batch("m")


class Files(Case):
    """Nothing is written over what a model is made of, by whatever name."""

    def setUp(self):
        super().setUp()
        self.signal = self.folder / "signal.csv"
        self.signal.write_text("t,w\n0,1\n2,1\n", encoding="utf-8")
        pendulum().simulate(h5=self.folder / "start.h5")
        self.path = self.folder / "model.yaml"
        self.path.write_text(PENDULUM + "initial: {from: start.h5}\n"
                             "loads: {f: {torque: {file: signal.csv, column: w}, at: bob.P}}\n", encoding="utf-8")
        (self.folder / "hard.csv").hardlink_to(self.signal) if hasattr(self.path, "hardlink_to") else os.link(
            self.signal, self.folder / "hard.csv")
        (self.folder / "soft.h5").symlink_to("start.h5")
        self.before = {path: path.read_bytes() for path in (self.signal, self.path, self.folder / "start.h5")}

    def refuses(self, call, *arguments, **more):
        with self.assertRaisesRegex(phlexor.ModelError, "written over|two results"):
            call(*arguments, **more)
        for path, content in self.before.items():
            self.assertEqual(path.read_bytes(), content, path.name)

    def test_inputs_stay(self):
        model = phlexor.Model(self.path)
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.folder)
        for path in ("model.yaml", "./signal.csv", "hard.csv", "start.h5", "soft.h5", self.folder / "start.h5"):
            self.refuses(model.simulate, end=2, h5=path)
            self.refuses(model.simulate, end=2, csv=path)
            self.refuses(model.copy().simulate, end=2, h5=path)
        for path in ("model.yaml", "hard.csv", "soft.h5"):
            try:
                self.refuses(model.write_page, path)
            except phlexor.LibraryError:
                pass  # built without the page
        linear = phlexor.Model(self.path).linearize()
        modes = phlexor.Model(self.path).modes()
        self.refuses(linear.write, "start.h5")
        self.refuses(linear.write, "soft.h5")
        self.refuses(modes.write, "start.h5")
        self.refuses(modes.write, "hard.csv")
        self.refuses(modes.write, "./signal.csv")
        os.chdir(here)
        self.refuses(linear.write, self.folder / "start.h5")
        linear.write(self.folder / "other.h5")
        linear.write(self.folder / "other.h5")
        result = model.simulate(end=2, h5=self.folder / "next.h5")
        self.assertGreater(len(result.t), 0)

    def test_one_file_for_two_results(self):
        self.refuses(pendulum().simulate, h5=self.folder / "x.h5", csv=str(self.folder) + "/./x.h5")
        self.refuses(pendulum().simulate, h5=self.folder / "x.h5", csv=self.folder / "x.h5.partial")
        self.assertFalse((self.folder / "x.h5").exists())

    def test_a_saved_model(self):
        builder = phlexor.ModelBuilder("saved", dimension=2, folder=self.folder)
        body = builder.rigid("b", mass=1, inertia=1)
        builder.torque("f", body.P, phlexor.TableFile("signal.csv", "w"))
        self.refuses(builder.save, self.signal)
        self.refuses(builder.save, self.folder / "hard.csv")
        builder.save(self.folder / "saved.yaml")
        phlexor.Model(self.folder / "saved.yaml")

    def test_a_system_without_states(self):
        model = phlexor.Model(EXAMPLES / "heavy_top.yaml")
        model.titop("top").write(self.folder / "top.mat")
        self.assertGreater((self.folder / "top.mat").stat().st_size, 500)


if __name__ == "__main__":
    unittest.main()
