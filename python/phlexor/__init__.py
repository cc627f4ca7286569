"""Phlexor: port-Hamiltonian flexible multibody dynamics.

>>> import phlexor
>>> model = phlexor.Model("crank_slider.yaml")
>>> result = model.simulate(end=0.1)
>>> result.t, result["energy"], result.output("slider")

A model comes from a file (:class:`Model`) or is built in code (:class:`ModelBuilder`). It is simulated
(:meth:`Model.simulate`, :meth:`Model.batch`), brought to rest (:meth:`Model.static`), asked for its frequencies (:meth:`Model.modes`) and made linear
(:meth:`Model.linearize`, :meth:`Model.plants`, :meth:`Model.titop`). Files that the program wrote are read by :func:`read_result`,
:func:`read_modes`, :func:`read_linear` and :func:`read_matrices`. SI units and radians everywhere.

Threads: every call has a context of its own, so that different threads may compute at the same time; a model is used
by one thread at a time, and what reads or writes HDF5 files waits for others that do.
"""

from . import errors, expression
from ._call import Context as _Context
from ._check import checked as _checked
from ._library import lib as _lib
from ._version import __version__
from .batch import Batch
from .bodies import BodyKind, body_kinds
from .builder import (BeamPort, BodyRef, Circle, Damping, General, Material, ModalPort, Mode, ModelBuilder, PointMass,
                      Port, PortShape, Ramp, Rectangle, Rotation, SecondOrder, Shape, Table, TableFile, Trapezoidal,
                      Tube)
from .errors import (AnalysisError, ArgumentError, AssemblyError, FileError, Interrupted, LibraryError,
                     LibraryNotFoundError, ModelError, NotConvergedError, OutOfMemoryError, PhlexorError,
                     PhlexorWarning, RejectedError, SingularError, UnsupportedError)
from .expression import Expression
from .fatigue import damage, rainflow
from .joints import JointCoordinate, JointInfo, joint_kinds
from .joint_space import JointSpace
from .linear import Csr, Lft, Linear, Plants, StateSpace, read_linear, read_matrices
from .identification import Identification, IdentifiedParameter, IdentifiedSeries
from .model import BeamInModes, Certificate, Fmu, Matching, Model, StableInverse, StartMove
from .modes import Modes, read_modes
from .result import Body, Mesh, Report, Result, read_result
from .robot import import_robot
from .optimize import Optimum, OptimumFunction
from .sensitivity import Gradient, ValueAndGradient
from .simulation import Simulation
from .statics import Equilibrium
from .sweep import Range


def library_version() -> str:
    """Version of the library and how it was built."""
    return f"{_lib.phx_version().decode()} ({_lib.phx_build().decode()}), {_lib._dll._name}"


@_checked
def set_blas_threads(count: int) -> None:
    """Threads that the BLAS of this process uses, NumPy's as well when it is the same one. 1 suits Phlexor best."""
    _lib.phx_algebra_set_threads(count)


def schema() -> str:
    """The keys of the model file as a JSON Schema."""
    import ctypes

    text = ctypes.c_char_p()
    with _Context() as call:
        call.check(_lib.phx_model_schema_json(call.pointer, ctypes.byref(text)))
    try:
        return (text.value or b"").decode()
    finally:
        _lib.phx_free(text)


__all__ = [
    "AnalysisError", "ArgumentError", "AssemblyError", "Batch", "BeamInModes", "BeamPort", "Body", "BodyKind", "BodyRef",
    "Certificate", "Circle", "Csr", "Damping", "Equilibrium", "Expression", "FileError", "Fmu", "General", "Gradient",
    "Identification", "IdentifiedParameter", "IdentifiedSeries", "Interrupted", "JointCoordinate",
    "JointInfo", "JointSpace", "LibraryError", "LibraryNotFoundError", "Linear", "Matching", "Material", "Mesh", "ModalPort", "Mode", "Model",
    "ModelBuilder", "ModelError", "Modes", "NotConvergedError", "Optimum", "OptimumFunction", "OutOfMemoryError", "PhlexorError", "PhlexorWarning",
    "PointMass", "Port", "PortShape", "Ramp", "Range", "Rectangle", "RejectedError", "Report", "Result", "Rotation",
    "SecondOrder", "Shape", "Simulation", "SingularError", "StableInverse", "StartMove", "StateSpace", "Table", "TableFile", "Trapezoidal",
    "Tube", "UnsupportedError", "ValueAndGradient", "__version__", "body_kinds", "damage", "errors", "expression",
    "import_robot", "joint_kinds", "library_version",
    "rainflow", "read_linear", "read_matrices", "read_modes", "read_result", "schema", "set_blas_threads",
]
