"""The kinds of body that the library has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

from ._binding import phx_model_body_info, phx_model_body_kind
from ._call import text_of
from ._library import lib

__all__ = ["BodyKind", "body_kinds"]


@dataclass(frozen=True)
class BodyKind:
    """A kind of body: its name in models, what it is, the dimensions it exists in, the ports that always exist.

    `sections`: it has sections along a length, for section forces and loads per length.
    """

    name: str
    doc: str
    dimensions: Tuple[int, ...]
    deforms: bool
    sections: bool
    ports: Tuple[str, ...]


def _kind(info: phx_model_body_info) -> BodyKind:
    dimensions = tuple(d for d, there in ((2, info.plane), (3, info.space)) if there)
    ports = tuple(text_of(port) for port in info.ports if port)
    return BodyKind(text_of(info.name), text_of(info.doc), dimensions, info.deforms, info.sections, ports)


def body_kinds() -> Tuple[BodyKind, ...]:
    """The kinds of body for :meth:`ModelBuilder.body` and model files, in the order of the documentation."""
    return tuple(_kind(lib.phx_model_body_kind_info(kind).contents)
                 for kind in range(phx_model_body_kind.PHX_MODEL_BODY_KINDS))
