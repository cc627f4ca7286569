"""Linear models and what is made of them, against NumPy."""

import unittest
from unittest import mock

import numpy as np

import phlexor
from support import EXAMPLES, Case

try:
    import scipy
except ImportError:
    scipy = None

CHANNELS = {"inputs": ["coupler@0.5.fy", "coupler.C.fx"], "outputs": ["coupler@0.5.vy", "coupler.C.x"]}


def dense(matrix):
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)


class Forms(Case):
    def setUp(self):
        super().setUp()
        self.model = phlexor.Model(EXAMPLES / "four_bar.yaml")
        self.omega = np.array([50.0, 200.0, 1000.0])

    def response(self, linear):
        n = len(linear.states)
        return np.array([linear.D + linear.C @ np.linalg.solve(1j * w * np.eye(n) - linear.A, linear.B)
                         for w in self.omega])

    def test_state_space(self):
        linear = self.model.linearize(**CHANNELS)
        self.assertEqual((linear.form, linear.inputs, linear.outputs),
                         ("state-space", tuple(CHANNELS["inputs"]), tuple(CHANNELS["outputs"])))
        self.close(linear.response(self.omega), self.response(linear), 1e-12, "response")
        self.assertEqual(linear.response(50.0).shape, (2, 2))
        poles = np.linalg.eigvals(linear.A)
        self.close(np.sort(np.abs(linear.poles)), np.sort(np.abs(poles)), 1e-6 * np.abs(poles).max(), "poles")
        self.close(linear.dc_gain, linear.D - linear.C @ np.linalg.solve(linear.A, linear.B), 1e-12, "DC gain")
        self.close(linear.system.dc_gain(), linear.dc_gain, 1e-15, "DC gain")
        self.same(linear.matrices.A, linear.A, "A")
        self.assertFalse(linear.A.flags.writeable)
        self.assertEqual(linear.residuals["mass_asymmetry"], 0.0)
        self.assertIn("four-bar", linear.title.lower())

    def test_second_order(self):
        linear = self.model.linearize(form="second-order", **CHANNELS)
        m = linear.matrices
        self.assertEqual(m.basis.shape, (len(m.motions), len(m.coordinates)))
        want = self.response(linear)
        for w, h in zip(self.omega, want):
            q = np.linalg.solve(m.K + 1j * w * m.D - w * w * m.M, m.F)
            self.close((m.Y_q + 1j * w * m.Y_v - w * w * m.Y_a) @ q + m.Y_u, h, 1e-9 * np.abs(h).max(), "response")

    def test_plants(self):
        """At the points of a sweep, in arrays, each the model of its point."""
        sweep = {"theta1": phlexor.Range(0.8, 1.6, 5)}
        plants = self.model.plants(sweep, **CHANNELS, threads=2)
        self.assertEqual((len(plants), plants.parameters, plants.values.shape, plants.nominal), (5, ("theta1",), (5, 1), 2))
        self.assertEqual(plants.matrices.A.shape, (5, *plants[0].A.shape))
        for value, plant, A in zip(plants.values[:, 0], plants, plants.matrices.A):
            alone = phlexor.Model(EXAMPLES / "four_bar.yaml", {"theta1": value}).linearize(**CHANNELS)
            want = alone.response(self.omega)
            self.close(plant.response(self.omega), want, 1e-9 * np.abs(want).max(), f"theta1 = {value}")
            self.same(A, plant.A, "A")
        second = self.model.plants(sweep, **CHANNELS, form="second-order").matrices
        self.close(second.M[2], np.eye(len(second.coordinates)), 1e-10, "nominal mass")
        sparse = self.model.plants(sweep, **CHANNELS, form="descriptor").matrices
        self.assertEqual(abs(dense(sparse.J_5) + dense(sparse.J_5).T).max(), 0)
        path = self.folder / "plants.h5"
        plants.write(path)
        read = phlexor.read_matrices(path)
        self.same(read["A"], plants.matrices.A, "A of the file")
        self.assertEqual(read["states"], plants[0].states)
        with self.assertRaisesRegex(phlexor.FileError, "plants of a sweep"):
            phlexor.read_linear(path)
        with self.assertRaises(TypeError):
            self.model.plants(None, **CHANNELS)

    def test_lft(self):
        """M closed by Delta is the plant, by the library and by hand."""
        model = phlexor.Model(EXAMPLES / "satellite.yaml")
        channels = {"inputs": ["wheel.tz"], "outputs": ["attitude", "instrument.P.ax"]}
        sweep = {"offset": [0.5, 0.8, 1.2, 1.5], "instrument_mass": phlexor.Range(20, 80, 3)}
        lft = model.plants(sweep, **channels, lft=["instrument_mass", "offset"]).lft
        self.assertEqual((lft.parameters, lft.degrees), (("instrument_mass", "offset"), (1, 2)))
        self.assertEqual(lft.range.tolist(), [[20, 80], [0.5, 1.5]])
        self.assertLess(lft.errors["held_out"], 1e-10)
        r, m = sum(lft.blocks), lft.system
        self.assertEqual((m.inputs[r:], m.outputs[r:]), (("wheel.tz",), ("attitude", "instrument.P.ax")))
        values = {"offset": 1.1, "instrument_mass": 33.0}
        plant = lft.plant(values)
        delta = np.diag(np.repeat([(33.0 - 50.0) / 30.0, (1.1 - 1.0) / 0.5], lft.blocks))
        loop = delta @ np.linalg.inv(np.eye(r) - m.D[:r, :r] @ delta)
        self.close(plant.A, m.A + m.B[:, :r] @ loop @ m.C[:r], 1e-9 * np.abs(m.A).max(), "A")
        self.close(plant.D, m.D[r:, r:] + m.D[r:, :r] @ loop @ m.D[:r, r:], 1e-12, "D")
        want = phlexor.Model(EXAMPLES / "satellite.yaml", values).linearize(**channels).response([2.0, 30.0])
        self.close(plant.response([2.0, 30.0]), want, 1e-8 * np.abs(want).max(), "response")
        for wrong in ({}, {"offset": 1.0}, {**values, "n": 3.0}):
            with self.assertRaisesRegex(ValueError, "expected instrument_mass, offset"):
                lft.plant(wrong)
        given = model.plants(sweep, **channels, lft=["offset", "instrument_mass"], lft_degrees=[1, 1],
                             band=(1.0, 100.0)).lft
        self.assertEqual(given.degrees, (1, 1))
        self.assertGreater(given.errors["fit"], 1e-6)
        with self.assertRaises(ValueError):
            model.plants(sweep, **channels, lft=["offset", "instrument_mass"], lft_degrees=[1])

    def test_large_descriptor(self):
        """Beyond 600 coordinates without state space, and with a hanging chain's stiffness."""
        count = 201
        links = "".join(f"  link{i}: {{kind: rigid, mass: 1, inertia: 0.1, pose: {{position: [0, {-i}]}},"
                        f" ports: {{C: {{position: [0, -1]}}}}}}\n" for i in range(count))
        joints = "".join(f"  hinge{i}: {{kind: revolute, ports: [{'ground.O' if i == 0 else f'link{i - 1}.C'},"
                         f" link{i}.P]}}\n" for i in range(count))
        model = phlexor.Model.from_text(
            f"phlexor: 1\ndimension: 2\ngravity: [0, -10]\nbodies:\n{links}joints:\n{joints}"
            f"loads: {{push: {{at: link{count - 1}.C, force: [0, 0]}}}}\n"
            f"outputs: {{tip: {{acceleration: link{count - 1}.C}}}}\n")
        linear = model.linearize(form="descriptor")
        m = linear.matrices
        self.assertEqual(m.E.shape, (8 * count, 8 * count))
        self.assertEqual(len(m.outputs), 2)
        self.assertIsNone(linear.dc_gain)
        with self.assertRaisesRegex(phlexor.UnsupportedError, "without its state space"):
            linear.system
        # the first hinge carries the other links: K of link 0 about it, (n - 1) m g times its length
        K = dense(m.Q)[2, 2]
        self.close(K, 10.0 * (count - 1), 1e-9, "stiffness of the first link")

    def test_descriptor(self):
        linear = self.model.linearize(form="descriptor", **CHANNELS)
        E, J, R, Q, B, C, D = (dense(getattr(linear.matrices, name)) for name in "EJRQBCD")
        self.same(J, -J.T, "J")
        want = self.response(linear)
        for w, h in zip(self.omega, want):
            self.close(C @ np.linalg.solve(1j * w * E - (J - R) @ Q, B) + D, h, 1e-8 * np.abs(h).max(), "response")
        if scipy:
            from scipy.sparse import issparse

            self.assertTrue(issparse(linear.matrices.J))

    def test_reduced(self):
        full = self.model.linearize(["coupler@0.5.fy"], ["coupler@0.5.vy"])
        self.assertIsNone(full.reduction)
        linear = self.model.linearize(["coupler@0.5.fy"], ["coupler@0.5.vy"], reduce="modal", order=6, damping=0.005)
        self.assertEqual((len(linear.states), linear.inputs, linear.outputs), (12, full.inputs, full.outputs))
        self.assertEqual((linear.reduction.method, linear.reduction.order), ("modal", 6))
        self.assertLess(linear.reduction.error, linear.reduction.bound)
        self.assertEqual(linear.reduction.error_gain.shape, linear.reduction.omega.shape)
        band = self.model.linearize(["coupler@0.5.fy"], ["coupler@0.5.vy"], reduce="modal", error=0.05, band=(0, 5000))
        self.assertLess(band.reduction.error, 0.05)
        points = self.model.linearize(["coupler@0.5.fy"], ["coupler@0.5.vy"], reduce="krylov",
                                      points=[100.0, 50 + 200j, np.inf])
        for z in (100.0, 50 + 200j):
            got, want = (s.C @ np.linalg.solve(z * np.eye(len(s.states)) - s.A, s.B) for s in (points, full))
            self.close(got, want, 1e-9 * np.abs(want).max(), f"moment at {z}")
        linear.write(self.folder / "r.h5")
        self.assertEqual(phlexor.read_linear(self.folder / "r.h5").reduction.order, 6)
        with self.assertRaisesRegex(ValueError, "order: goes with reduce="):
            self.model.linearize(order=3)
        with self.assertRaisesRegex(ValueError, "reduce='modes'"):
            self.model.linearize(reduce="modes", order=3)

    def test_sparse_matrices_without_scipy(self):
        want = dense(self.model.linearize(form="descriptor", **CHANNELS).matrices.J)
        with mock.patch.dict("sys.modules", {"scipy.sparse": None}):
            found = self.model.linearize(form="descriptor", **CHANNELS).matrices.J
        self.assertIsInstance(found, phlexor.Csr)
        self.same(found.toarray(), want, "J")

    def test_titop(self):
        linear = self.model.titop("crank", parent="P", ports=["C"], inverted=["crank.P.alpha", "crank.P.ax",
                                                                             "crank.P.ay"])
        self.assertEqual(len(linear.inputs), 6)
        want = self.response(linear)
        self.close(linear.response(self.omega), want, 1e-9 * np.abs(want).max(), "response")
        selected = self.model.titop("crank", inputs=["crank.C.fy"], outputs=["crank.C.ay"])
        self.assertEqual((selected.inputs, selected.outputs), (("crank.C.fy",), ("crank.C.ay",)))

    def test_files(self):
        self.program("linearize", EXAMPLES / "four_bar.yaml", "--inputs", ",".join(CHANNELS["inputs"]), "--outputs",
                     ",".join(CHANNELS["outputs"]), "-o", "a.h5")
        linear = self.model.linearize(**CHANNELS)
        linear.write(self.folder / "b.h5")
        for name in ("a.h5", "b.h5"):
            file = phlexor.read_linear(self.folder / name)
            for what in ("form", "title", "inputs", "outputs", "states", "residuals"):
                self.assertEqual(getattr(file, what), getattr(linear, what))
            for matrix in "ABCD":
                self.same(getattr(file, matrix), getattr(linear, matrix), matrix)
            self.same(file.dc_gain, linear.dc_gain, "DC gain")
        self.model.linearize(form="descriptor", **CHANNELS).write(self.folder / "d.h5")
        with self.assertRaises(phlexor.FileError):
            phlexor.read_linear(self.folder / "d.h5")
        self.assertEqual(phlexor.read_matrices(self.folder / "d.h5")["form"], "descriptor")
        linear.write(self.folder / "b.mat")
        with self.assertRaisesRegex(phlexor.ModelError, "b.txt"):
            linear.write(self.folder / "b.txt")

    def test_matrices_of_a_model(self):
        found = self.model.matrices()
        M, K, G, J = (dense(found[name]) for name in "MKGJ")
        self.same(M, M.T, "M")
        self.same(J, -J.T, "J")
        self.assertEqual(len(found["coordinates"]), len(M))
        # frequencies on the motions that the joints leave
        free = np.linalg.svd(G)[2][np.linalg.matrix_rank(G):].T
        values = np.linalg.eigvals(np.linalg.solve(free.T @ M @ free, free.T @ K @ free))
        frequencies = np.sqrt(np.sort(values.real)[:4]) / (2 * np.pi)
        self.close(frequencies, self.model.modes(4).frequency[0], 1e-6 * frequencies[-1], "frequencies")

    def test_errors(self):
        with self.assertRaisesRegex(phlexor.ModelError, "coupler@0.5.fx"):
            self.model.linearize(inputs=["coupler@0.5.f"], outputs=["coupler.C.x"])
        with self.assertRaisesRegex(TypeError, "list of names"):
            self.model.linearize(inputs="coupler@0.5.fx")
        with self.assertRaisesRegex(ValueError, "form='modal'"):
            self.model.linearize(form="modal")
        with self.assertRaisesRegex(phlexor.ModelError, "'crank'"):
            self.model.titop("crnk")


class StateSpaces(Case):
    def setUp(self):
        super().setUp()
        self.A = np.array([[0.0, 1.0], [-4.0, -0.4]])
        self.plant = phlexor.StateSpace(self.A, [[0], [1]], [[1, 0]], inputs=["force"], outputs=["place"], name="mass")

    def test_made_of_arrays(self):
        self.same(self.plant.A, self.A, "A")
        self.assertEqual((self.plant.name, self.plant.states), ("mass", ("x1", "x2")))
        self.close(self.plant.dc_gain(), [[0.25]], 1e-15, "gain")
        static = phlexor.StateSpace(D=[[2.0, 3.0]])
        self.assertEqual((static.A.shape, static.inputs, static.outputs), ((0, 0), ("u1", "u2"), ("y1",)))
        self.same(static.response([1.0])[0], [[2.0, 3.0]], "static")
        with self.assertRaisesRegex(ValueError, "2 and 3 states"):
            phlexor.StateSpace(np.eye(2), np.ones((3, 1)))
        with self.assertRaisesRegex(phlexor.ArgumentError, "twice|two|same"):
            phlexor.StateSpace(D=[[1.0]], inputs=["a"], outputs=["a"])
        with self.assertRaises(phlexor.ArgumentError):
            phlexor.StateSpace([[np.nan]])

    def test_loops(self):
        controller = phlexor.StateSpace(D=[[5.0]], inputs=["e"], outputs=["f"])
        loop = self.plant.feedback(controller)
        self.same(loop.A, [[0, 1], [-9, -0.4]], "loop")
        self.assertEqual((loop.inputs, loop.outputs), (("force",), ("place",)))
        chain = controller.series(self.plant)
        self.close(chain.response(1.0), 5 * self.plant.response(1.0), 1e-15, "series")
        del controller
        self.close(loop.poles, np.roots([1, 0.4, 9]), 1e-12, "poles")

    def test_connected_by_names(self):
        """A PD controller with a filter on the plant's place: the same loop as by hand."""
        tau, kp, kd = 0.1, 5.0, 2.0
        pd = phlexor.StateSpace([[-1 / tau]], [[1.0]], [[-kd / tau**2]], [[kp + kd / tau]], inputs=["error"],
                                outputs=["torque"], states=["filter"], name="pd")
        loop = phlexor.StateSpace.connect([self.plant, pd], [("error", "place", -1.0), ("force", "torque", 1.0)],
                                          ["error"], ["place", "torque"])
        self.assertEqual((loop.inputs, loop.outputs, loop.states), (("error",), ("place", "torque"),
                                                                    ("x1", "x2", "filter")))
        s = 1j * 3.0
        plant, controller = 1 / (s * s + 0.4 * s + 4), kp + kd * s / (tau * s + 1)
        self.close(loop.response(3.0)[:, 0],
                   np.array([plant, 1]) * controller / (1 + plant * controller), 1e-13, "loop")
        with self.assertRaisesRegex(phlexor.ArgumentError, "two signals"):
            phlexor.StateSpace.connect([self.plant, self.plant], [], ["force"], ["place"])
        other = self.plant.renamed("other", "other")
        two = phlexor.StateSpace.connect([self.plant, other], [], ["other.force"], ["place"])
        self.close(two.response(1.0), [[0.0]], 0.0, "not linked")
        gain = phlexor.StateSpace(D=[[1.0]], inputs=["a"], outputs=["b"])
        with self.assertRaises(phlexor.SingularError):
            phlexor.StateSpace.connect([gain], [("a", "b", 1.0)], ["a"], ["b"])

    def test_margins_and_samples(self):
        loop = phlexor.StateSpace([[0, 1], [0, 0]], [[0], [1]], [[25, 6]])
        margins = loop.margins()
        omega = np.sqrt((36 + np.sqrt(36**2 + 2500)) / 2)
        self.assertTrue(margins.stable)
        self.close(margins.phase_omega, omega, 1e-11, "crossover")
        self.close(margins.phase, np.arctan2(6 * omega, 25), 1e-12, "phase margin")
        self.close(margins.phase_crossings, [[omega, margins.phase, margins.delay]], 1e-12, "all crossings")
        self.assertEqual((margins.gain, margins.gain_crossings.shape), (np.inf, (0, 2)))
        held = loop.held(0.01, delay=2)
        self.assertEqual((held.sample, len(held.states)), (0.01, 4))
        z = np.exp(1j * 3.0 * 0.01)
        self.close(held.response(3.0), held.D + held.C @ np.linalg.solve(z * np.eye(4) - held.A, held.B), 1e-10, "at z")
        self.assertLess(held.margins().phase, margins.phase)
        self.assertEqual(len(loop.stable_part().states), 0)
        model = phlexor.Model(EXAMPLES / "arm_digital.yaml")
        opened = model.linearize(loop="elbow_pd")
        self.assertEqual((opened.sample, opened.outputs), (1e-3, ("elbow_pd.u1",)))
        self.assertTrue(opened.margins().stable)
        closed = model.linearize(sample=1e-3)
        self.assertLess(np.abs(closed.poles).max(), 1 + 1e-7)
        with self.assertRaisesRegex(phlexor.ArgumentError, "sample every 0.001 s"):
            model.linearize(sample=2e-3)

    def test_selection_inversion_reduction(self):
        two = phlexor.StateSpace(np.diag([-1.0, -2.0]), np.eye(2), np.eye(2), np.eye(2), inputs=["a", "b"],
                                 outputs=["c", "d"])
        self.assertEqual(two.select(["d"], ["b"]).inputs, ("b",))
        self.assertEqual(len(two.select(["d"], ["b"]).minimal().states), 1)
        turned = two.inverted(["a"])
        self.assertEqual((turned.inputs, turned.outputs), (("c", "b"), ("a", "d")))
        with self.assertRaises(phlexor.SingularError):
            self.plant.inverted(["force"])
        with self.assertRaises(phlexor.SingularError):
            phlexor.StateSpace([[0.0]], [[1.0]], [[1.0]]).dc_gain()

    @unittest.skipUnless(scipy, "SciPy is not here")
    def test_scipy(self):
        other = self.plant.to_scipy()
        for name in "ABCD":
            self.same(getattr(other, name), getattr(self.plant, name), name)


if __name__ == "__main__":
    unittest.main()
