"""Derivatives by parameters in Python, and optimisers that use them."""

import unittest

import phlexor
from support import EXAMPLES

try:
    import scipy.optimize
except ImportError:
    scipy = None


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
