#!/usr/bin/env python3
"""Time of a cycle of the stepper in Python (act, step, measure) above that of the same calls in C.

    PYTHONPATH=build/release/lib/python python3 bench/stepper.py [--cycles N] [--repeats N]

Prints for each model, in µs, the minimum of the repeats: a step in a long call (`phx_stepper_step` over N steps), the
three parts of a cycle one by one through ctypes with arguments made beforehand, `Simulation.cycle`, and act, step and
measure by name. `above` is the cycle less the calls in C.
"""
import argparse
import sys
import time
from pathlib import Path

import phlexor
from phlexor._library import lib

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "examples"))
import cart_pole  # noqa: E402

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def least(work, cycles, repeats):
    """The least time of one call, µs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(cycles):
            work()
        times.append((time.perf_counter() - start) / cycles)
    return 1e6 * min(times)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cycles", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args(arguments)
    arm = phlexor.Model(EXAMPLES / "manipulator.yaml")
    cases = [("cart and pole", cart_pole.build(), ["rail.effort"], ["x", "theta", "v", "omega"]),
             ("manipulator", arm, [], None)]
    print(f"{'model':16} {'step':>8} {'3 calls':>8} {'cycle':>8} {'above':>8} {'by name':>8}   µs")
    for name, model, inputs, outputs in cases:
        sim = model.stepper(inputs, outputs, step=1e-4)
        values = [0.0] * len(inputs)
        start = time.perf_counter()
        sim.step(chosen.cycles * 1e-4)
        step = 1e6 * (time.perf_counter() - start) / chosen.cycles
        context, pointer = sim._call.pointer, sim._pointer

        def plain():
            lib.phx_stepper_act(context, pointer, sim._values_pointer)
            lib.phx_stepper_step(context, pointer, 0.0)
            lib.phx_stepper_measure(context, pointer, sim._row_pointer)

        def by_name():
            sim.act(values)
            sim.step()
            return sim.measure()

        took = [least(work, chosen.cycles, chosen.repeats) for work in (plain, lambda: sim.cycle(values), by_name)]
        print(f"{name:16} {step:8.1f} {took[0]:8.1f} {took[1]:8.1f} {took[1] - took[0]:8.1f} {took[2]:8.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
