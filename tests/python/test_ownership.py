"""Who frees what: nothing too early, nothing twice, nothing never."""

import gc
import unittest
import weakref

import numpy as np

import phlexor
from phlexor._call import Owner
from support import EXAMPLES, PENDULUM, Case


def alive():
    gc.collect()
    return len(weakref.finalize._registry)


class Ownership(Case):
    def test_everything_is_freed(self):
        before = alive()
        model = phlexor.Model(EXAMPLES / "four_bar.yaml")
        made = [
            model, model.copy(), model.check(), model.modes(sweep={"theta1": [0, 1]}),
            model.linearize(inputs=["coupler.C.fx"], outputs=["coupler.C.x"], form="descriptor"),
            model.titop("crank"), model.simulate(end=0.01, step=1e-3, h5=self.folder / "a.h5"),
            phlexor.read_result(self.folder / "a.h5"), phlexor.StateSpace(D=[[1.0]]),
            model.batch({"theta1": [0, 0.1]}, end=0.01, step=1e-3, threads=2),
        ]
        self.assertGreater(alive(), before)
        del model, made
        self.assertEqual(alive(), before)

    def test_after_failures_too(self):
        before = alive()
        for make in (lambda: phlexor.Model(self.folder / "missing.yaml"),
                     lambda: phlexor.Model.from_text(PENDULUM).simulate(progress=lambda *a: False),
                     lambda: phlexor.Model.from_text(PENDULUM).batch({"m": [1, -1]}, stop=True),
                     lambda: phlexor.Model.from_text(PENDULUM).linearize(inputs=["no"]),
                     lambda: phlexor.StateSpace(D=[[np.nan]]), lambda: phlexor.read_result(self.folder / "no.h5")):
            with self.assertRaises(phlexor.PhlexorError):
                make()
        self.assertEqual(alive(), before)

    def test_arrays_outlive_what_made_them(self):
        model = phlexor.Model.from_text(PENDULUM)
        result = model.simulate()
        angle, x, want = result["angle"], result.x, result["angle"].copy()
        owner = weakref.ref(result._owner)
        del model, result
        gc.collect()
        rubbish = [phlexor.Model.from_text(PENDULUM).simulate() for _ in range(5)]
        self.same(angle, want, "angle")
        del angle, rubbish
        gc.collect()
        self.assertIsNotNone(owner())
        del x
        gc.collect()
        self.assertIsNone(owner())

    def test_matrices_outlive_their_model(self):
        linear = phlexor.Model(EXAMPLES / "four_bar.yaml").linearize(inputs=["coupler.C.fx"], outputs=["coupler.C.x"],
                                                                    form="descriptor")
        A, J, system = linear.A, linear.matrices.J, linear.system
        wanted = [A.copy(), np.array(J.data, copy=True), system.poles]
        del linear
        gc.collect()
        for got, want in zip([A, J.data, system.poles], wanted):
            self.same(got, want, "matrix")
        del A, J
        gc.collect()
        self.same(system.poles, wanted[2], "poles")

    def test_shapes_outlive_their_table(self):
        modes = phlexor.Model(EXAMPLES / "four_bar.yaml").modes(3)
        rows, shape = modes.rows, modes.shape(2)
        wanted = rows.copy(), shape.copy()
        del modes
        gc.collect()
        self.same(rows, wanted[0], "rows")
        self.same(shape, wanted[1], "shape")

    def test_exceptions_keep_what_they_carry(self):
        try:
            phlexor.Model.from_text(PENDULUM).simulate(progress=lambda what, done, total: done < 0.5)
        except phlexor.Interrupted as error:
            result = error.result
        gc.collect()
        self.assertTrue(np.isfinite(result["angle"]).all())

    def test_an_owner_frees_once(self):
        freed = []
        owner = Owner(freed.append, "thing")
        self.assertTrue(owner.alive)
        owner.close()
        owner.close()
        self.assertFalse(owner.alive)
        del owner
        gc.collect()
        self.assertEqual(freed, ["thing"])


if __name__ == "__main__":
    unittest.main()
