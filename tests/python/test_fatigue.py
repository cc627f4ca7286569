"""Rainflow counting against the example of its standard, and damage in closed form."""

import unittest

import numpy as np

import phlexor


class Fatigue(unittest.TestCase):
    def test_standard(self):
        """ASTM E1049-85, figure 6: also with repeated values and points between the turning points."""
        history = [-2, 1, -3, 5, -1, 3, -4, 4, -2]
        fine = np.interp(np.arange(0, 8.25, 0.25), np.arange(9), history)
        for values in (history, np.repeat(history, 2), fine):
            counts = {}
            for extent, _, count in phlexor.rainflow(values):
                counts[extent] = counts.get(extent, 0) + count
            self.assertEqual(counts, {3: 0.5, 4: 1.5, 6: 0.5, 8: 1.0, 9: 0.5})
        cycles = phlexor.rainflow(history)
        self.assertEqual([list(row) for row in cycles if row[2] == 1], [[4, 1, 1]])

    def test_damage(self):
        """Ten full cycles of amplitude 2 at a knee of 1, 1000 cycles, slope 3: 10 x 8 / 1000."""
        cycles = phlexor.rainflow([2, -2] * 10 + [2])
        self.assertAlmostEqual(phlexor.damage(cycles, 1.0, 1e3, 3.0), 0.08, places=15)
        self.assertEqual(phlexor.damage(phlexor.rainflow([1, 1, 1]), 1.0, 1e3, 3.0), 0)

    def test_mistakes(self):
        for few in ([], [1], [1, 1]):
            self.assertEqual(len(phlexor.rainflow(few)), 0)
        for wrong in ([[1, 2]], [1, np.nan]):
            with self.assertRaisesRegex(ValueError, "history: expected finite"):
                phlexor.rainflow(wrong)
        with self.assertRaisesRegex(ValueError, "expected positive numbers, found 0"):
            phlexor.damage([[1, 0, 1]], 0.0, 1e3, 3.0)


if __name__ == "__main__":
    unittest.main()
