"""The examples of the package, and those in its documentation."""

import contextlib
import doctest
import importlib.util
import io
import os
import unittest

import numpy as np

import phlexor
import phlexor.builder
from support import SOURCE, Case


class Examples(Case):
    def run_example(self, name):
        specification = importlib.util.spec_from_file_location(name, SOURCE / "python" / "examples" / f"{name}.py")
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            found = module.main([str(self.folder)])
        return module, found, said.getvalue()

    def test_crank_slider(self):
        _, found, said = self.run_example("crank_slider")
        self.close([found["deflection"].min(), found["deflection"].max()], [-0.01868, 0.01876], 5e-6,
                   "deflection over length, docs/verification.md")
        self.assertLess(found["balance"], 1e-12)
        self.assertTrue(np.all(np.diff(found["bent"]) > 0), "it bends more at higher speed")
        self.assertIn("energy balance", said)
        table = np.loadtxt(self.folder / "deflection.csv", delimiter=",", skiprows=1)
        self.close(table[:, 1], found["deflection"], 1e-15, "table")

    def test_controller(self):
        module, found, _ = self.run_example("controller")
        response, omega = found["response"], found["omega"]
        rigid = -1 / (omega[0] ** 2 * 0.649)  # below all resonances
        self.close(response[0].real, rigid, 0.02 * abs(rigid), "rigid arm")
        self.assertTrue(np.all(found["loop"].poles.real < 0))
        self.close(found["result"]["angle"][-1], module.STEP, 1e-3 * module.STEP, "end of the step")
        self.assertLess(found["apart"], 1e-3)
        if found["lqr"] is not None:
            self.assertTrue(np.all(found["lqr"].real < 0))
        self.assertEqual(sorted(os.listdir(self.folder)), ["bode.csv", "step.csv"])

    def test_cart_pole(self):
        """Near the upright pole the sampled loop has the chosen poles, and the model leaves it with the angle cubed."""
        module, found, _ = self.run_example("cart_pole")
        loop = found["F"] - found["G"] @ found["gains"]
        self.close(np.sort(np.log(np.linalg.eigvals(loop)).real / module.PERIOD), np.sort(module.POLES), 1e-7, "poles")
        apart = []
        for tilt in (0.1, 0.05):
            motion = module.balance(found["model"], found["gains"], tilt, 2.0)
            y, error = motion[0, 1:5], 0.0
            for row in motion:
                error, y = max(error, abs(row[2] - y[1])), loop @ y
            apart.append(error)
        self.assertLess(apart[1], 1e-4)
        self.assertAlmostEqual(np.log2(apart[0] / apart[1]), 3.0, delta=0.1)
        self.assertLess(np.abs(found["motion"][-1, 1:5]).max(), 2e-3, "it is balanced")

    def test_identify(self):
        """Both values within four standard deviations of the true ones; what is left is the noise."""
        module, found, _ = self.run_example("identify")
        if found is None:
            self.skipTest("SciPy is missing")
        self.assertTrue(np.all(found["deviation"] < [0.02, 0.002]), found["deviation"])
        self.assertTrue(np.all(np.abs(found["values"] - module.TRUE) < 4 * found["deviation"]), found["values"])
        self.assertAlmostEqual(2 * found["cost"] / found["rows"], 1.0, delta=0.25)

    def test_docstrings(self):
        for module in (phlexor.builder,):
            failed, tried = doctest.testmod(module)
            self.assertTrue(tried > 0 and failed == 0)

    def test_the_readme(self):
        """The first model of README.md and what Python does with it."""
        text = (SOURCE / "README.md").read_text(encoding="utf-8")
        model, code = (text.partition(f"```{kind}\n")[2].partition("```")[0] for kind in ("yaml", "python"))
        (self.folder / "bar.yaml").write_text(model, encoding="utf-8")
        names = {}
        exec(compile(code.replace("bar.yaml", str(self.folder / "bar.yaml")), "README.md", "exec"), names)
        self.assertEqual(names["result"].output("tip").shape, (1001, 2))
        self.assertEqual(names["modes"].frequency.shape, (2, 4))
        self.assertEqual(names["plant"].outputs, ("tip.x", "tip.y"))

    def test_the_chapter(self):
        """Every Python block of docs/python.md runs, one after the other, in one namespace."""
        text = (SOURCE / "docs" / "python.md").read_text(encoding="utf-8")
        blocks = [block.partition("```")[0] for block in text.split("```python\n")[1:]]
        self.assertGreater(len(blocks), 5)
        here, names = os.getcwd(), {}
        os.chdir(SOURCE / "examples")
        self.addCleanup(os.chdir, here)
        for block in blocks:
            block = block.replace("/tmp/", f"{self.folder}/")
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, "docs/python.md", "exec"), names)


if __name__ == "__main__":
    unittest.main()
