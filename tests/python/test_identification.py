"""Parameters from measurements in Python."""

import math
import tempfile
import unittest

import numpy as np

import phlexor
from support import EXAMPLES, page_data, page_of

TRUTH = {"k": 12.0, "d": 0.03, "friction": 0.15} # with which the measurement of the example was made


class IdentificationOfModels(unittest.TestCase):
    def test_hinge(self):
        model = phlexor.Model(EXAMPLES / "measured_hinge.yaml")
        steps = []
        with tempfile.TemporaryDirectory() as folder:
            path = page_of(folder)
            found = model.identify(validate=EXAMPLES / "measured_hinge.csv", page=path,
                                   progress=lambda *step: steps.append(step) or True)
            data = page_data(path)["identification"] if path else None
        if data:
            rows = np.transpose([found.measured, found.model, found.band])
            self.assertEqual([row[2:] for row in data["rows"]], rows.tolist())
            self.assertEqual(data["correlation"], found.correlation.ravel().tolist())
        self.assertTrue(found.converged and steps)
        for parameter in found.parameters:
            self.assertEqual(parameter.state, "determined")
            self.assertTrue(parameter.low <= TRUTH[parameter.name] <= parameter.high, parameter)
        self.assertEqual(found.correlation.shape, (3, 3))
        self.assertEqual(found.undetermined, ())
        residual = found.model - found.measured
        self.assertAlmostEqual(found.series[0].rms, math.sqrt(np.mean(residual**2)), delta=1e-15)
        self.assertAlmostEqual(found.series[0].validated_rms, found.series[0].rms, delta=1e-15)
        self.assertEqual(found.freedom, len(found.at) - 3)
        self.assertTrue(np.all(found.band > 0) or np.sum(found.band == 0) == 1) # the start is known
        self.assertEqual(model.parameters["k"], 10)
        model.set_parameters(found.values)
        self.assertEqual(model.parameters["k"], found.values["k"])

    def test_builder_and_errors(self):
        m = phlexor.ModelBuilder("Flap", 2)
        k = m.parameter("k", 10)
        flap = m.rigid("flap", mass=0.8, inertia=0.02, ports={"hinge": [-0.2, 0]})
        m.joint("hinge", "revolute", m.ground.O, flap.port("hinge"), stiffness=k, damping=0.1)
        m.identify({"k": {"min": 0}}, frequencies=[{"mode": 1, "value": 2.0, "deviation": 0.01}])
        found = m.build().identify()
        self.assertAlmostEqual(found.values["k"], (4 * math.pi) ** 2 * (0.02 + 0.8 * 0.04), delta=1e-6)
        self.assertTrue(math.isnan(found.parameters[0].deviation)) # no degree of freedom is left
        with self.assertRaisesRegex(phlexor.ModelError, "needs 'time_series'"):
            m.build().identify("run.csv")


if __name__ == "__main__":
    unittest.main()
