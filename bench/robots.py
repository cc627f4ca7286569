#!/usr/bin/env python3
"""The time to an answer of given accuracy: the seven-axis arm falls for a second, by Phlexor and by MuJoCo.

    PYTHONPATH=build/release/lib/python python3 bench/robots.py [--csv FILE] [--repeats N] [--end SECONDS]

The arm of examples/seven_axis.urdf without stops and friction, with an armature of 0.02 kg m^2 at each joint, at rest at
START. Phlexor steps it by dop853 in equal steps and by rtol, MuJoCo by RK4 and by its Euler method,
each in one call after the other in this process. The error is the largest of the joint angles at the end against dop853
with rtol 1e-13. Times are processor time, the least of the repeats; what Python takes for a call of MuJoCo is measured
and taken away. MuJoCo is the library of Debian (libmujoco-dev), found by its header; without it only Phlexor is measured.
"""
import argparse
import ctypes
import re
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import phlexor

ROBOT = Path(__file__).resolve().parents[1] / "examples" / "seven_axis.urdf"
OFFSETS = """#include <mujoco/mujoco.h>
#include <stddef.h>
#include <stdio.h>
int main(void)
{
    printf("%zu %zu %zu %zu %zu", offsetof(mjModel, opt.timestep), offsetof(mjModel, opt.integrator),
           offsetof(mjModel, opt.disableflags), offsetof(mjData, qpos), sizeof(int));
    return 0;
}
"""
START = [0.5, 0.8, -0.4, -1.2, 0.6, 0.9, 0.3]  # rad
DISABLE_CONSTRAINTS = 1
EULER, RK4 = 0, 1


class MuJoCo:
    """A model in libmujoco."""

    def __init__(self, path, folder):
        (folder / "offsets.c").write_text(OFFSETS)
        subprocess.run(["cc", "-o", folder / "offsets", folder / "offsets.c"], check=True)
        found = subprocess.run([folder / "offsets"], check=True, capture_output=True, text=True).stdout
        self.timestep, self.integrator, self.flags, self.qpos, _ = map(int, found.split())
        self.lib = lib = ctypes.CDLL("libmujoco.so")
        for name in ("mj_loadXML", "mj_makeData"):
            getattr(lib, name).restype = ctypes.c_void_p
        message = ctypes.create_string_buffer(1000)
        self.model = ctypes.c_void_p(lib.mj_loadXML(str(path).encode(), None, message, 1000))
        if not self.model:
            raise SystemExit(message.value.decode())
        self.data = ctypes.c_void_p(lib.mj_makeData(self.model))
        ctypes.c_int.from_address(self.model.value + self.flags).value |= DISABLE_CONSTRAINTS
        self.version = lib.mj_version()

    def run(self, integrator, step, end, n):
        ctypes.c_double.from_address(self.model.value + self.timestep).value = step
        ctypes.c_int.from_address(self.model.value + self.integrator).value = integrator
        self.lib.mj_resetDataKeyframe(self.model, self.data, 0)
        advance, model, data, count = self.lib.mj_step, self.model, self.data, round(end / step)
        begin = time.process_time()
        for _ in range(count):
            advance(model, data)
        seconds = time.process_time() - begin
        begin = time.process_time()
        for _ in range(count):
            self.lib.mj_version()
        seconds -= time.process_time() - begin
        q = (ctypes.c_double * n).from_address(ctypes.c_void_p.from_address(self.data.value + self.qpos).value)
        return seconds, count, np.array(q)


def measure(name, settings, run, reference, repeats, rows):
    for setting in settings:
        best = np.inf
        for _ in range(repeats):
            seconds, steps, q = run(setting)
            best = min(best, seconds)
        error = np.max(np.abs(q - reference))
        rows.append((name, setting, steps, best, error))
        each = f"{1e6 * best / steps:8.2f}" if steps else "       -"
        print(f"{name:14} {setting:9.2e} {steps or '-':>7} steps {1e3 * best:9.3f} ms {each} us a step  error {error:.1e} rad",
              flush=True)


def time_at(rows, name, error):
    """Processor time to an error, between the runs on both sides of it in logarithms; nan beyond them."""
    runs = sorted((row[4], row[3]) for row in rows if row[0] == name and row[4] > 0)
    x, y = np.log([r[0] for r in runs]), np.log([r[1] for r in runs])
    return float(np.exp(np.interp(np.log(error), x, y))) if runs and runs[0][0] <= error <= runs[-1][0] else np.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--end", type=float, default=1.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        phlexor.import_robot(ROBOT, folder / "arm.yaml", shapes=False)
        text = re.sub(r",\n    stops: {[^}]*}", "", (folder / "arm.yaml").read_text())
        text = re.sub(r", friction: {[^}]*}", "", text)
        for k, angle in enumerate(START):
            text = re.sub(rf"(axis_{k + 1}: {{kind: revolute)", rf"\1, rotor_inertia: 0.02, angle: {angle}", text)
        text = text.replace(", step: 1e-3", "")
        (folder / "arm.yaml").write_text(text)
        model = phlexor.Model(folder / "arm.yaml")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # outputs have no counterpart
            model.export_robot(folder / "arm.xml", format="mjcf")
        names = model.joint_space().names

        def by_phlexor(**how):
            sim = model.stepper((), names, integrator="dop853", **how)
            start = sim.save()
            sim.restore(start)
            begin = time.process_time()
            sim.step(arguments.end)
            seconds = time.process_time() - begin
            return seconds, round(arguments.end / how["step"]) if "step" in how else 0, sim.outputs_now().copy()

        reference = by_phlexor(rtol=1e-13)[2]
        rows = []
        measure("dop853", [0.03 / 2**k for k in range(6)], lambda step: by_phlexor(step=step), reference, arguments.repeats, rows)
        measure("dop853 rtol", [10.0**-k for k in range(2, 11)], lambda rtol: by_phlexor(rtol=rtol), reference,
                arguments.repeats, rows)
        methods = ["dop853", "dop853 rtol"]
        if Path("/usr/include/mujoco/mujoco.h").exists():
            peer = MuJoCo(folder / "arm.xml", folder)
            print(f"MuJoCo {peer.version}: of the exported model, RK4 with 1e-4 s differs by "
                  f"{np.max(np.abs(peer.run(RK4, 1e-4, arguments.end, len(names))[2] - reference)):.1e} rad")
            for method, integrator, steps in (("MuJoCo RK4", RK4, [0.02 / 2**k for k in range(8)]),
                                              ("MuJoCo Euler", EULER, [0.002 / 4**k for k in range(4)])):
                measure(method, steps, lambda step, i=integrator: peer.run(i, step, arguments.end, len(names)), reference,
                        arguments.repeats, rows)
                methods.append(method)
        print("\nms to an error of    " + "".join(f"{error:10.0e} rad" for error in (1e-3, 1e-5, 1e-7)))
        for method in methods:
            print(f"{method:20} " + "".join(f"{1e3 * time_at(rows, method, error):14.3f}" for error in (1e-3, 1e-5, 1e-7)))
    if arguments.csv:
        lines = ["method,setting,steps,seconds,error"] + [f"{m},{s!r},{n},{t!r},{e!r}" for m, s, n, t, e in rows]
        Path(arguments.csv).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
