"""The laboratories: all code cells of a notebook, in order, without Jupyter."""

import contextlib
import io
import json
import os
import unittest

from support import SOURCE, Case

LABS = SOURCE / "docs" / "labs"


class Labs(Case):
    def run_lab(self, name):
        book = json.loads((LABS / f"{name}.ipynb").read_text(encoding="utf-8"))
        self.assertEqual(book["nbformat"], 4)
        here, names = os.getcwd(), {"__name__": "__main__"}
        os.chdir(LABS)
        self.addCleanup(os.chdir, here)
        texts = ["".join(cell["source"]) for cell in book["cells"]]
        self.assertIn("What you learn", texts[0])
        solutions = 0
        for number, (cell, text) in enumerate(zip(book["cells"], texts)):
            if cell["cell_type"] != "code":
                continue
            self.assertEqual(cell["outputs"], [], "no outputs are stored")
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(text, f"{name}.ipynb, cell {number}", "exec"), names)
            if "solution" in cell["metadata"].get("tags", []):
                solutions += 1
                self.assertIn("assert", text)
        self.assertEqual(solutions, sum(text.startswith("## Exercise") for text in texts))
        self.assertGreaterEqual(solutions, 3)

    def test_energy(self):
        self.run_lab("energy")

    def test_reactions(self):
        self.run_lab("reactions")

    def test_modes(self):
        self.run_lab("modes")

    def test_feedback(self):
        self.run_lab("feedback")

    def test_all_are_tested(self):
        self.assertEqual(sorted(path.stem for path in LABS.glob("*.ipynb")),
                         sorted(name[5:] for name in dir(self) if name.startswith("test_") and name != "test_all_are_tested"))


if __name__ == "__main__":
    unittest.main()
