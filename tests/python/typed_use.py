"""What a user writes, for mypy: the types that come out are the ones that are documented. Never run."""

from __future__ import annotations

from typing import Dict, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

import phlexor
from phlexor.expression import sin, t

model: phlexor.Model = phlexor.Model("a.yaml", {"speed": 2, "n": "2*4"})
parameters: Dict[str, float] = model.parameters
result: phlexor.Result = model.simulate(1.0, integrator="radau5", progress=lambda what, done, total: done < 1)
column: NDArray[np.float64] = result["energy"]
steps: int = result.report.steps if result.report else 0
result.film("a.mp4", start=0.1, size=(640, 360), camera=[1, 0, 0], plots=["tip"])
modes: NDArray[np.float64] = model.modes(3, sweep={"speed": np.linspace(0, 1, 3), "n": phlexor.Range(1, 2, 2)}).omega
poles: NDArray[np.complex128] = model.linearize(form="descriptor").poles
names: Tuple[str, ...] = model.titop("arm", ports=["C"]).inputs
point: Optional[phlexor.Result] = model.batch({"speed": [1, 2]}, threads=None)[0]
mass: float = model.check().mass
rest: phlexor.Equilibrium = model.static(steps=3)
angle: float = rest.outputs["angle"]
critical: Tuple[float, ...] = model.static(buckling=2).critical
try:
    model.check()
except phlexor.ModelError as error:
    place: Tuple[Optional[str], int] = error.file, error.line

builder = phlexor.ModelBuilder("x", 3)
speed: phlexor.Expression = builder.parameter("speed", 1.0)
body: phlexor.BodyRef = builder.rigid("body", mass=2 * speed, inertia=[1, 2, 3], ports={"a": (1, 0, 0)})
builder.joint("j", "spherical", builder.ground.O, body.port("a"), stiffness=[1, None, 2])
builder.force("f", body.P, [0, 0, sin(3 * t)])
built: phlexor.Model = builder.build({"speed": 3})
