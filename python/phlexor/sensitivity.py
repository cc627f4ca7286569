"""Derivatives of analyses by the parameters of a model."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from ._binding import phx_derivation, phx_gradient
from ._call import Context, FloatArray, PathLike, names_of, path_of, text_of
from ._library import lib

__all__ = ["Gradient", "ValueAndGradient"]

METHODS = {
    "auto": phx_derivation.PHX_DERIVE_AUTO,
    "adjoint": phx_derivation.PHX_DERIVE_ADJOINT,
    "tangent": phx_derivation.PHX_DERIVE_TANGENT,
    "differences": phx_derivation.PHX_DERIVE_DIFFERENCES,
}


@dataclass(frozen=True)
class Gradient:
    """Objectives and their derivatives by parameters (``phlexor sensitivity``).

    Attributes
    ----------
    objectives, parameters : tuple of str
        Their texts and names.
    value : array
        Of each objective.
    gradient : array
        objectives x parameters.
    error : array
        The same: estimated error of derivatives by differences, 0 of exact ones.
    """

    objectives: Tuple[str, ...]
    parameters: Tuple[str, ...]
    value: FloatArray
    gradient: FloatArray
    error: FloatArray

    def of(self, objective: str) -> Dict[str, float]:
        """The derivatives of an objective by name of the parameter."""
        row = self.gradient[self.objectives.index(objective)]
        return dict(zip(self.parameters, (float(slope) for slope in row)))


def check_method(method: str) -> None:
    """Refuses what is no method."""
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"method: expected one of {', '.join(METHODS)}, found {method!r}")


def _array(pointer: Any, *shape: int) -> FloatArray:
    count = int(np.prod(shape))
    return np.array(pointer[:count], dtype=float).reshape(shape)


def find_gradient(call: Any, model: Any, of: Sequence[str], to: Optional[Sequence[str]], method: str,
                  page: Optional[PathLike], threads: int = 1) -> Gradient:
    """The gradient of a model in a call."""
    check_method(method)
    options, found = lib.phx_gradient_options_default(), phx_gradient()
    objectives, parameters = names_of(list(of)), names_of(list(to or ()))
    options.n_objectives, options.derivation, options.threads = len(of), METHODS[method], threads
    options.objectives = ctypes.cast(objectives, type(options.objectives))
    if to is not None:
        options.n_parameters = len(to)
        options.parameters = ctypes.cast(parameters, type(options.parameters))
    call.check(lib.phx_gradient_find(call.pointer, model, ctypes.byref(options), ctypes.byref(found)))
    n, m = found.n_objectives, found.n_parameters
    try:
        if page is not None:
            call.check(lib.phx_gradient_page(call.pointer, model, ctypes.byref(found), path_of(page)))
        return Gradient(
            objectives=tuple(of),
            parameters=tuple(text_of(name) for name in found.parameters[:m]),
            value=_array(found.value, n),
            gradient=_array(found.gradient, n, m),
            error=_array(found.error, n, m),
        )
    finally:
        lib.phx_gradient_free(ctypes.byref(found))


class ValueAndGradient:
    """A function of parameters for optimisers: ``scipy.optimize.minimize(f, f.start, jac=True)``.

    Called with the values of the parameters it returns the objective and its gradient; of several objectives arrays
    and the Jacobian.

    Attributes
    ----------
    start : array
        The present values of the parameters.
    """

    def __init__(self, model: Any, of: Union[str, Sequence[str]], to: Sequence[str], method: str = "auto") -> None:
        check_method(method)
        self._one = isinstance(of, str)
        self._of: Tuple[str, ...] = (of,) if isinstance(of, str) else tuple(of if isinstance(of, (list, tuple)) else ())
        if not self._of or not all(isinstance(text, str) for text in self._of):
            raise TypeError(f"of: expected a text or a list of texts, found {of!r}")
        with Context() as call:
            for text in names_of(list(self._of))[: len(self._of)]:
                call.check(lib.phx_objective_check(call.pointer, text))
        self._model = model.copy()
        self._others: Mapping[str, float] = model.parameters
        self._to: Tuple[str, ...] = ()
        for name in to:  # the name of a list stands for its entries
            entries = tuple(entry for entry in self._others if entry == name or entry.startswith(f"{name}["))
            self._to += entries or (name,)
        self._method = method
        self.start: FloatArray = np.array([self._others[name] for name in self._to])

    def __call__(self, x: ArrayLike) -> Tuple[Any, FloatArray]:
        values = dict(zip(self._to, np.asarray(x, dtype=float).tolist()))
        self._model.set_parameters(values)
        found = self._model.sensitivity(self._of, self._to, method=self._method)
        return (float(found.value[0]), found.gradient[0]) if self._one else (found.value, found.gradient)


def torch_function(f: ValueAndGradient) -> Any:
    """f as a function of tensors with a derivative, of doubles inside."""
    torch: Any = import_module("torch")

    class Analysis(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            if tuple(x.shape) != f.start.shape:
                raise ValueError(f"expected a tensor of shape {f.start.shape}, found {tuple(x.shape)}")
            value, gradient = f(x.detach().cpu().numpy())
            ctx.save_for_backward(torch.as_tensor(gradient).to(x))
            return torch.as_tensor(value, dtype=torch.float64).to(x)

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[misc]
        def backward(ctx: Any, slope: Any) -> Any:
            (gradient,) = ctx.saved_tensors
            return slope @ gradient if slope.dim() else slope * gradient

    return Analysis.apply
