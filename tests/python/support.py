"""What the tests of the package share."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import phlexor

SOURCE = Path(__file__).resolve().parents[2]
EXAMPLES = SOURCE / "examples"

PENDULUM = """phlexor: 1
title: Pendulum
dimension: 2
gravity: [0, -9.81]
parameters: {m: 1, l: 1}
bodies:
  bob: {kind: rigid, mass: m, inertia: 0.1*m, pose: {position: [l, 0]}, ports: {hinge: {position: [-l, 0]}}}
joints:
  pin: {kind: revolute, ports: [ground.O, bob.hinge]}
outputs: {angle: {coordinate: pin}, bob: {position: bob.P}}
simulate: {end: 1, step: 0.01}
sweep: {m: {from: 1, to: 3, count: 3}}
"""


def page_of(folder):
    """A name for a page; None if this build has no pages."""
    return os.path.join(folder, "page.html") if phlexor.Model.from_text(PENDULUM)._repr_html_() else None


def page_data(path):
    """The data of a page that are no arrays."""
    text = Path(path).read_text(encoding="utf-8")
    return json.loads(re.search('id="phlexor-manifest" type="application/json">(.*?)</script>', text, re.S).group(1))


class Case(unittest.TestCase):
    """Checks that say by how much, and a folder that goes with the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def close(self, got, want, tolerance, what):
        """max |got - want| <= tolerance, and no NaN."""
        got, want = np.asarray(got), np.asarray(want)
        self.assertEqual(got.shape, want.shape, what)
        worst = np.abs(got - want).max() if got.size else 0.0
        if not worst <= tolerance:
            self.fail(f"{what}: {worst} apart, tolerance {tolerance}")

    def same(self, got, want, what):
        """Equal bit by bit."""
        if not np.array_equal(np.asarray(got), np.asarray(want)):
            self.fail(f"{what}: not the same")

    def program(self, *arguments):
        """Run the program in the test's folder."""
        environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        done = subprocess.run([os.environ["PHLEXOR_PROGRAM"], *map(str, arguments)], cwd=self.folder, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout
