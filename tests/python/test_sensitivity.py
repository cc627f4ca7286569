"""Derivatives by parameters in Python, and optimisers that use them."""

import tempfile
import unittest

import phlexor
from support import EXAMPLES, page_data, page_of

try:
    import scipy.optimize
except ImportError:
    scipy = None
try:
    import torch
except ImportError:
    torch = None


def crank_slider():
    """The example with the diameter of the coupler as a parameter."""
    text = (EXAMPLES / "crank_slider.yaml").read_text()
    return phlexor.Model.from_text(text.replace("diameter: 0.006", "diameter: d").replace("n: 8}", "n: 8, d: 0.006}"))


class Sensitivity(unittest.TestCase):
    def test_frequency_by_diameter(self):
        """omega of a bar that bends is proportional to its diameter."""
        found = crank_slider().sensitivity(["modes.omega.1", "model.mass"], ["d"])
        self.assertAlmostEqual(found.of("modes.omega.1")["d"] * 0.006 / found.value[0], 1.0, delta=1e-8)
        self.assertEqual(found.gradient.shape, (2, 1))

    def test_page(self):
        """The page has the derivatives, and the parts of bodies that use a parameter, also through another one."""
        text = (EXAMPLES / "stepped_cantilever.yaml").read_text().replace(
            "d3: 0.010,", 'd3: "2*r", r: 0.005, steel: 7850,').replace("density: 7850", "density: steel")
        with tempfile.TemporaryDirectory() as folder:
            path = page_of(folder)
            if not path:
                self.skipTest("this build has no pages")
            found = phlexor.Model.from_text(text).sensitivity(["model.mass"], ["d1", "r", "steel"], page=path)
            data = page_data(path)["sensitivity"]
        self.assertEqual(data["gradient"]["objectives"][0]["gradient"], found.of("model.mass"))
        uses = sorted((use["parameter"], use["body"], round(3 * use["from"]), round(3 * use["to"])) for use in data["uses"])
        self.assertEqual(uses, [("d1", "bar", 0, 1), ("d2", "bar", 1, 2), ("d3", "bar", 2, 3), ("length", "bar", 0, 3),
                                ("r", "bar", 2, 3), ("steel", "bar", 0, 3)])

    @unittest.skipUnless(torch, "needs PyTorch")
    def test_torch(self):
        """The derivative of a tensor against differences, and against value_and_gradient."""
        model, of = crank_slider(), ["modes.omega.1", "model.mass"]
        f, start = model.torch(of, ["d"]), torch.tensor([0.006], dtype=torch.float64)
        y = torch.ones(1, dtype=torch.float64, requires_grad=True)
        self.assertTrue(torch.autograd.gradcheck(lambda y: f(y * start), (y,), eps=1e-4, rtol=1e-6))
        x = start.clone().requires_grad_()
        model.torch(of[0], ["d"])(x).backward()
        self.assertEqual(float(x.grad[0]), model.value_and_gradient(of[0], ["d"])([0.006])[1][0])
        with self.assertRaisesRegex(ValueError, "expected a tensor of shape"):
            f(torch.zeros(2))

    def test_errors(self):
        model = crank_slider()
        with self.assertRaisesRegex(phlexor.ModelError, "did you mean 'speed'"):
            model.sensitivity(["modes.omega.1"], ["sped"])
        with self.assertRaisesRegex(phlexor.ModelError, "expected one of"):
            model.sensitivity(["modes.first"], ["d"])
        with self.assertRaises(TypeError):
            model.sensitivity("modes.omega.1")

    @unittest.skipUnless(scipy, "needs SciPy")
    def test_optimiser(self):
        """The diameter with a wanted frequency, by SciPy."""
        f = crank_slider().value_and_gradient("modes.omega.1", ["d"])

        def error(y):
            value, slope = f(y * f.start)
            return (value / 1000.0 - 1.0) ** 2, 2.0 * (value / 1000.0 - 1.0) * slope * f.start / 1000.0

        best = scipy.optimize.minimize(error, [1.0], jac=True)
        value, _ = f(best.x * f.start)
        self.assertAlmostEqual(value, 1000.0, delta=0.1)


if __name__ == "__main__":
    unittest.main()
