"""Results in memory and from files, modes."""

import importlib.util
import unittest

import numpy as np

import phlexor
from support import EXAMPLES, PENDULUM, Case


class Results(Case):
    def results(self, name="crank_slider.yaml", **settings):
        path = self.folder / "a.h5"
        memory = phlexor.Model(EXAMPLES / name).simulate(h5=path, **settings)
        return memory, phlexor.read_result(path)

    def test_file_and_memory_are_the_same(self):
        for name in ("crank_slider.yaml", "heavy_top.yaml", "satellite.yaml"):
            memory, file = self.results(name, end=0.02, step=1e-3, every=1e-3)
            for result in (memory, file):
                self.assertEqual(result.columns, memory.columns)
                self.assertEqual(result.units, memory.units)
                self.assertEqual(result.attributes, memory.attributes)
                self.assertEqual((result.title, result.dimension, result.rows), (memory.title, memory.dimension, 21))
                self.assertEqual(result.model_text, (EXAMPLES / name).read_text(encoding="utf-8"))
                self.assertTrue(result.complete)
                self.same(result.x, memory.x, "x")
                self.same(result.v, memory.v, "v")
                for column in memory:
                    self.same(result[column], memory[column], column)
                    self.assertFalse(result[column].flags.writeable)
                for body, drawn in memory.bodies.items():
                    self.same(result.points(body), memory.points(body), body)
                    self.assertEqual(result.bodies[body].x, drawn.x)
            self.assertIsNone(file.report)

    def test_is_a_mapping(self):
        memory, file = self.results(end=0.001)
        for result in (memory, file):
            self.assertIn("mid.x", result)
            self.assertNotIn("mid", result)
            self.assertEqual(len(result), len(dict(result)))
            with self.assertRaisesRegex(KeyError, "no column 'nothing' \\(columns: t, "):
                result["nothing"]
            with self.assertRaisesRegex(KeyError, "did you mean 'mid"):
                result["mid.z"]
            with self.assertRaises(KeyError):
                result.output("nothing")
            self.same(result.output("mid"), np.column_stack([result["mid.x"], result["mid.y"]]), "mid")
            self.same(result.output("energy")[:, 0], result["energy"], "energy")
            self.same(result.to_numpy()["slider.x"], result["slider.x"], "table")
            self.assertIn("16 columns, complete", repr(result))

    def test_arrays_are_views(self):
        memory, _ = self.results(end=0.001)
        self.assertTrue(np.shares_memory(memory["energy"], memory.x.base))
        with self.assertRaises(ValueError):
            memory["energy"][0] = 1.0

    def test_points_follow_the_joints(self):
        memory, _ = self.results(end=0.02)
        self.close(memory.points("coupler")[:, -1], memory.output("slider"), 1e-12, "end of the coupler, plane")
        spatial = phlexor.Model(EXAMPLES / "manipulator.yaml").simulate(end=0.1)
        self.close(spatial.points("fore")[:, -1], spatial.output("tip"), 1e-12, "end of the arm, space")
        self.close(spatial.points("fore", -1)[0], spatial.points("fore")[-1], 0.0, "one row")

    def test_meshes(self):
        text = ("phlexor: 1\ndimension: 3\nmaterials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3, "
                "expansion: 1.2e-5}}\n"
                "bodies:\n  bar: {kind: solid, material: steel, mesh: {size: [0.3, 0.02, 0.02], elements: [4, 1, 1]}, "
                "basis: {modes: 4}, ports: {root: {on: x0}, tip: {on: x1}}}\n"
                "  wing: {kind: plate, material: steel, thickness: 0.002, mesh: {size: [0.3, 0.1], elements: [3, 1]}, "
                "basis: {modes: 4}, ports: {root: {on: x0}}, pose: {position: [0, 0.5, 0]}}\n"
                "joints: {wall: {kind: weld, ports: [ground.O, bar.root]}, side: {kind: weld, ports: [ground.S, wing.root]}}\n"
                "ground: {ports: {O: {position: [0, 0.01, 0.01]}, S: {position: [0, 0.55, 0]}}}\n"
                "loads: {pull: {force: [1000*t, 20, 0], at: bar.tip}, heat: {temperature: 30*t, on: bar}}\n"
                "outputs: {most: {von_mises: bar}, skin: {von_mises: wing}, tip: {deformation: bar.tip}}\n"
                "gravity: [0, 0, -9.81]\nsimulate: {end: 0.02, step: 1e-3}\n")
        path = self.folder / "mesh.h5"
        memory = phlexor.Model.from_text(text).simulate(h5=path)
        for result in (memory, phlexor.read_result(path)):
            skin = np.maximum(result["skin.top"], result["skin.bottom"])
            for body, largest in (("bar", result["most"]), ("wing", skin)):
                mesh = result.mesh(body)
                for row in (0, 7, 20):
                    field = mesh.von_mises(result.t[row])
                    self.close(field.max(), largest[row], 1e-9 * largest.max(), f"{body}, row {row}")
                node = int(mesh.labels[mesh.von_mises(0.02).argmax()])
                histories = [mesh.history(node, surface) for surface in ("top", "bottom")]
                at = [np.abs(history)[-1] for history in histories]
                self.close(max(at), largest[-1], 1e-9 * largest.max(), "history")
            mesh = result.mesh("bar")
            end = mesh.sets["x1"]
            self.assertTrue((mesh.points[end, 0] == 0.3).all() and len(end) == 8, end)
            self.assertEqual(mesh.stress(0.01).shape, (len(mesh.labels), 6))
            self.close(mesh.displacement(0.02)[end].mean(0), result.output("tip")[-1], 1e-12, "displacement of the end")
            self.assertRaisesRegex(KeyError, "did you mean 'wing'", result.mesh, "win")
            self.assertRaisesRegex(ValueError, "from 0 to 0.02 s, found 1", mesh.von_mises, 1.0)
            self.assertRaisesRegex(ValueError, "999 is no node", mesh.history, 999)

    def test_energy_of_the_states(self):
        """The states mean what is said of them: kinetic energy of a rigid body from v."""
        result = phlexor.Model.from_text(PENDULUM).simulate()
        body = result.bodies["bob"]
        velocity = result.v[:, body.v]
        self.close(0.5 * (velocity[:, 0] ** 2 + velocity[:, 1] ** 2 + 0.1 * velocity[:, 2] ** 2), result["kinetic"],
                   1e-13, "kinetic energy")

    def test_who_supplied_and_took_the_work(self):
        path = self.folder / "a.h5"
        memory = phlexor.Model(EXAMPLES / "damped_lever.yaml").simulate(end=0.2, step=1e-3, h5=path)
        file = phlexor.read_result(path)
        for what in ("supplied", "dissipated"):
            entries = getattr(memory, what)
            self.close(sum(entries.values(), np.zeros(memory.rows)), memory[what],
                       1e-12 * memory.report.largest_energy, what)
            again = getattr(file, what)
            self.assertEqual(list(again), list(entries))
            for name, work in entries.items():
                self.same(again[name], work, name)
        self.assertTrue(memory.dissipated and memory["dissipated"][-1] > 0)
        drive = phlexor.Model(EXAMPLES / "crank_slider.yaml").simulate(0.01)
        self.assertEqual(list(drive.supplied), ["joint.motor"])
        self.assertEqual(drive.dissipated, {})

    def test_closed_files(self):
        _, file = self.results(end=0.001)
        with file as result:
            energy = result["energy"]
        self.same(file["energy"], energy, "what was read stays")
        for ask in (lambda: file["kinetic"], lambda: file.x):
            with self.assertRaisesRegex(ValueError, "closed"):
                ask()
        file.close()
        with phlexor.Model.from_text(PENDULUM).simulate() as memory:
            pass
        self.assertEqual(len(memory["angle"]), 101)

    def test_files_that_are_none(self):
        wrong = self.folder / "wrong.h5"
        wrong.write_bytes(b"no HDF5")
        for path in (wrong, self.folder / "missing.h5"):
            with self.assertRaisesRegex(phlexor.FileError, path.name):
                phlexor.read_result(path)
            for read in (phlexor.read_modes, phlexor.read_linear, phlexor.read_matrices):
                with self.assertRaises(phlexor.FileError):
                    read(path)

    def test_no_outputs_one_row(self):
        text = PENDULUM.replace("outputs: {angle: {coordinate: pin}, bob: {position: bob.P}}\n", "")
        result = phlexor.Model.from_text(text).simulate(end=0.01)
        self.assertEqual((len(result), result.rows), (10, 2))
        with self.assertRaises(phlexor.Interrupted) as caught:
            phlexor.Model.from_text(text).simulate(progress=lambda *a: False)
        partial = caught.exception.result
        self.assertTrue(partial.rows >= 1 and partial.x.shape[0] == partial.rows)


class Pages(Case):
    """The pages of results, modes and models are those of the program, or the build says that it has none."""

    def page(self, write, *words):
        path = self.folder / "page.html"
        try:
            write(path)
        except phlexor.LibraryError as error:
            self.assertIn("Node.js", str(error))
            self.skipTest(str(error))
        text = path.read_text(encoding="utf-8")
        for word in ("</html>", *words):
            self.assertIn(word, text)

    def test_pages(self):
        model = phlexor.Model(EXAMPLES / "crank_slider.yaml")
        result = model.simulate(end=0.01, h5=self.folder / "a.h5")
        self.page(result.write_page, "coupler")
        with phlexor.read_result(self.folder / "a.h5") as file:
            self.page(file.write_page, "coupler")
        self.page(model.write_page, "coupler")
        self.page(phlexor.Model(EXAMPLES / "four_bar.yaml").modes(2).write_page, "follower")

    def test_of_what_cannot_be_assembled(self):
        joints = "joints:\n  other: {kind: weld, ports: [ground.O, bob.P]}"
        model = phlexor.Model.from_text(PENDULUM.replace("joints:", joints))
        with self.assertRaises((phlexor.AssemblyError, phlexor.LibraryError)):
            model.write_page(self.folder / "page.html")


class ModesTest(Case):
    def test_is_what_the_program_computes(self):
        self.program("modes", EXAMPLES / "four_bar.yaml", "--sweep", "theta1=0:1:5", "-o", "a.h5")
        model = phlexor.Model(EXAMPLES / "four_bar.yaml")
        modes = model.modes(sweep={"theta1": phlexor.Range(0, 1, 5)}, threads=2)
        file = phlexor.read_modes(self.folder / "a.h5")
        for found in (modes, file):
            self.assertEqual((found.parameters, found.title), (("theta1",), model.title))
            self.same(found.points, np.linspace(0, 1, 5)[:, None], "points")
            self.same(found.rows, modes.rows, "rows")
            self.same(found.shapes, modes.shapes, "shapes")
            self.assertEqual(found.coordinates, modes.coordinates)
            self.same(found.rigid_modes, np.zeros(5), "rigid modes")
        self.assertEqual(modes.frequency.shape, (5, 6))
        self.close(modes.frequency * 2 * np.pi, modes.omega, 1e-9, "pulsations")
        self.same(modes.track(1)[0], modes.frequency[0, 0], "first branch")
        self.same(modes.shape(3, 2), modes.shapes[2 * 6 + 2], "shape")
        self.assertTrue(0.0 < modes.least_confidence <= 1.0 and modes.unstable == 0)

    def test_writes_what_the_program_writes(self):
        self.program("modes", EXAMPLES / "four_bar.yaml", "--sweep", "theta1=0:1:3", "-o", "a.csv")
        modes = phlexor.Model(EXAMPLES / "four_bar.yaml").modes(sweep={"theta1": phlexor.Range(0, 1, 3)})
        modes.write(self.folder / "b.csv")
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())
        self.same(phlexor.read_modes(self.folder / "b.csv").frequency, modes.frequency, "frequencies")
        for end in ("h5", "json", "txt"):
            modes.write(self.folder / f"b.{end}")
        with self.assertRaisesRegex(ValueError, ".csv, .json"):
            modes.write(self.folder / "b.png")

    def test_one_point(self):
        modes = phlexor.Model(EXAMPLES / "four_bar.yaml").modes(2)
        self.assertEqual((modes.points.shape, modes.frequency.shape), ((1, 0), (1, 2)))
        self.assertIsNone(modes.spin)
        self.assertIsNone(phlexor.Model(EXAMPLES / "four_bar.yaml").modes(1, shapes=False).shapes)

    def test_about_a_rotation(self):
        modes = phlexor.Model(EXAMPLES / "rotor_blade.yaml").modes(3, at="steady")
        self.assertEqual(modes.spin.shape, (1,))
        self.assertTrue(modes.spin[0] > 0 and np.iscomplexobj(modes.shapes))

    def test_points_with_different_numbers_of_modes(self):
        """More elements have more modes; what is missing is NaN, and shapes cannot be kept."""
        with self.assertWarnsRegex(phlexor.PhlexorWarning, "shapes are left out"):
            modes = phlexor.Model(EXAMPLES / "four_bar.yaml").modes(100, sweep={"n": [1, 2]})
        self.assertTrue(np.isnan(modes.frequency[0, -1]) and not np.isnan(modes.frequency[1, -1]))
        self.assertEqual(modes.branch[0, -1], 0)
        self.assertIsNone(modes.shapes)
        with self.assertRaisesRegex(ValueError, "no mode shapes"):
            modes.shape(1)

    def test_errors(self):
        model = phlexor.Model(EXAMPLES / "four_bar.yaml")
        with self.assertRaisesRegex(ValueError, "at least 1"):
            model.modes(0)
        with self.assertRaisesRegex(ValueError, "at='moving'"):
            model.modes(at="moving")
        with self.assertRaisesRegex(phlexor.ModelError, r"n = -1 \(point 2 of 2\)"):
            model.modes(sweep={"n": [1, -1]})


def has(module):
    return importlib.util.find_spec(module) is not None


class Notebooks(Case):
    def test_pages_stand_in_a_frame(self):
        model = phlexor.Model(EXAMPLES / "crank_slider.yaml")
        shown = [model, model.simulate(end=0.01), model.modes(2)]
        for thing in shown:
            page = thing._repr_html_()
            if page is None:
                self.skipTest("this build has no pages")
            self.assertTrue(page.startswith('<iframe srcdoc="') and page.endswith("</iframe>"))
            self.assertNotIn("<script", page)  # escaped
            self.assertIn("phlexor-manifest", page)

    @unittest.skipUnless(has("matplotlib"), "matplotlib is missing")
    def test_figures(self):
        import matplotlib

        matplotlib.use("Agg")
        model = phlexor.Model(EXAMPLES / "crank_slider.yaml")
        result = model.simulate(end=0.01)
        axes = result.plot("slider", "energy")
        self.assertEqual([axis.get_ylabel() for axis in axes], ["m", "J"])
        self.assertEqual([line.get_label() for line in axes[0].lines], ["slider.x", "slider.y"])
        self.same(axes[0].lines[1].get_ydata(), result["slider.y"], "curve")
        with self.assertRaisesRegex(KeyError, "slyder"):
            result.plot("slyder")
        modes = phlexor.Model(EXAMPLES / "four_bar.yaml").modes(3, sweep={"theta1": [0.0, 1.0, 2.0]})
        self.same(modes.plot().lines[0].get_xdata(), modes.points[:, 0], "sweep")
        plant = phlexor.StateSpace([[0.0, 1.0], [-4.0, -0.4]], [[0.0], [1.0]], [[1.0, 0.0]])
        omega = np.array([0.5, 2.0, 7.0])
        magnitude, phase = plant.bode(omega)
        exact = 1.0 / (4.0 - omega**2 + 0.4j * omega)
        np.testing.assert_allclose(magnitude.lines[0].get_ydata(), 20.0 * np.log10(abs(exact)), rtol=1e-12)
        np.testing.assert_allclose(phase.lines[0].get_ydata(), np.degrees(np.angle(exact)), rtol=1e-12)

    @unittest.skipUnless(has("pandas"), "pandas is missing")
    def test_pandas(self):
        result = phlexor.Model(EXAMPLES / "crank_slider.yaml").simulate(end=0.01)
        table = result.to_pandas()
        self.same(table["drive"].to_numpy(), result["drive"], "column")
        self.same(table.index.to_numpy(), result.t, "time")


if __name__ == "__main__":
    unittest.main()
