"""Wrong arguments of every public function: TypeError or ValueError that names the argument; copies and pickles."""

import copy
import inspect
import io
import pickle
import unittest

import numpy as np

import phlexor
from support import EXAMPLES, PENDULUM, Case

#: An input of the pendulum.
FORCE = "bob.P.fx"

#: Of each a few are wrong for every argument of any function; which ones, its annotation says.
WRONG = [object(), 3 + 4j, b"bytes", [object()], {3: object()}, lambda: None]


def wrong_for(annotation):
    """Values that are wrong for an argument."""
    kind = str(annotation)
    if "Any" in kind or "Callable" in kind:
        return []
    values = list(WRONG)
    if "PathLike" in kind:
        values = [value for value in WRONG if not isinstance(value, bytes)] + [3, "a\0b"]
    if "Progress" in kind:
        values = WRONG[:-1]
    if kind in ("float", "Optional[float]"):
        values = values + ["1", None if kind == "float" else "x", True, [1.0, 2.0], 10**400]
    if kind in ("int", "Optional[int]"):
        values = values + ["1", 2.5, 10**12, True]
    if kind in ("str", "Optional[str]"):
        values = values + [3, "a\0b", "\ud800"]
    if "Iterable[str]" in kind or "Sequence[str]" in kind:
        values = values + ["text", [3], ["a\0b"], 3]
    if "bool" in kind:
        values = values + ["yes", 2]
    if "ArrayLike" in kind or "Vector" in kind or "Value" in kind or "Signal" in kind:
        return ["text", [[1], [1, 2]], [1j]] if kind == "Optional[ArrayLike]" else []
    return values


class Arguments(Case):
    def setUp(self):
        super().setUp()
        self.model = phlexor.Model.from_text(PENDULUM)

    def refuse(self, function, what, rest):
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            for value in wrong_for(parameter.annotation):
                with self.subTest(function=what, argument=name, value=repr(value)):
                    with self.assertRaises((TypeError, ValueError)) as raised:
                        function(**{**rest, name: value})
                    self.assertIn(name, str(raised.exception))

    def test_every_public_function(self):
        model = self.model
        result, modes = model.simulate(), model.modes()
        linear = model.linearize(inputs=[FORCE])
        system = phlexor.StateSpace([[0.0]], [[1.0]], [[1.0]])
        objects = {"Model": model, "Result": result, "Modes": modes, "Linear": linear, "StateSpace": system}
        required = {"from_text": {"text": PENDULUM}, "plants": {"sweep": {"m": [1.0, 2.0]}}, "titop": {"body": model.bodies[0]},
                    "fmu": {"path": "made.fmu"}, "export_robot": {"path": "made.urdf"}, "film": {"path": "made.mp4"}, "feedback": {"back": system}, "held": {"period": 0.1},
                    "connect": {"systems": [system], "links": [], "inputs": [], "outputs": []},
                    "inverse_kinematics": {"port": "bob.P", "t": [0], "places": [[1, 0]]}, "sensitivity": {"of": ["model.mass"]}, "value_and_gradient": {"of": "model.mass", "to": ["m"]}, "torch": {"of": "model.mass", "to": ["m"]},
                    "track": {"branch": 1}, "shape": {"mode": 0}, "points": {"body": model.bodies[0]}}
        for kind, thing in objects.items():
            for name, member in inspect.getmembers(type(thing)):
                if name.startswith("_") or not callable(member) or name in ("get", "items", "keys", "values", "close"):
                    continue
                self.refuse(getattr(thing, name), f"{kind}.{name}", required.get(name, {}))
        self.refuse(phlexor.Model, "Model", {"path": EXAMPLES / "four_bar.yaml"})
        self.refuse(phlexor.StateSpace, "StateSpace", {})
        self.refuse(phlexor.Range, "Range", {"start": 0.0, "stop": 1.0, "count": 2})
        for name in ("read_result", "read_modes", "read_linear", "read_matrices"):
            self.refuse(getattr(phlexor, name), name, {})

    def test_matrices_have_two_dimensions(self):
        for name in "ABCD":
            with self.assertRaisesRegex(ValueError, f"^{name}: expected a matrix, found an array of 3 dimensions"):
                phlexor.StateSpace(**{name: np.zeros((1, 1, 1))})

    def test_what_is_very_large_is_refused(self):
        sweep = {"m": phlexor.Range(1, 2, 10**9)}
        for call in (lambda: self.model.batch(sweep), lambda: self.model.modes(sweep=sweep)):
            with self.assertRaisesRegex(ValueError, "1000000000 points.*about .*B of results.*yes=True"):
                call()
        with self.assertRaisesRegex(ValueError, "instants: about .*B of results and about .* on one thread"):
            self.model.simulate(end=1.0, every=1e-10)

    def test_copies(self):
        result, modes = self.model.simulate(), self.model.modes()
        linear = self.model.linearize(inputs=[FORCE])
        plants = self.model.plants({"m": [1.0, 2.0]}, inputs=[FORCE])
        for thing in (result, modes, linear, linear.system, plants):
            self.assertIs(copy.copy(thing), thing)
            self.assertIs(copy.deepcopy(thing), thing)
        other = copy.deepcopy({"a": self.model, "b": [result]})
        self.assertIsNot(other["a"], self.model)
        self.assertEqual(other["a"].text, self.model.text)

    def test_pickles(self):
        model = phlexor.Model(EXAMPLES / "four_bar.yaml", {"theta1": 0.5})
        again = pickle.loads(pickle.dumps(model))
        self.assertEqual(again.parameters, model.parameters)
        self.assertEqual(again.text, model.text)
        system = phlexor.StateSpace([[0.0]], [[1.0]], [[1.0]], inputs=["u"], outputs=["y"], name="integrator")
        again = pickle.loads(pickle.dumps(system))
        self.assertEqual((again.inputs, again.outputs, again.states, again.name),
                         (system.inputs, system.outputs, system.states, system.name))
        np.testing.assert_array_equal(again.A, system.A)
        certificate = self.model.check()
        self.assertEqual(pickle.loads(pickle.dumps(certificate)).mass, certificate.mass)
        result = self.model.simulate()
        self.assertEqual(pickle.loads(pickle.dumps(result.report)), result.report)
        for thing in (result, self.model.modes(), self.model.linearize(inputs=[FORCE]),
                      self.model.plants({"m": [1.0, 2.0]}, inputs=[FORCE])):
            with self.assertRaisesRegex(TypeError, "cannot be pickled: .* pickle"):
                pickle.dump(thing, io.BytesIO())


if __name__ == "__main__":
    unittest.main()
