"""Which configurations of a system to measure: its valid space, and designs that pick from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sampling.drawing import Sample as Sample
    from sampling.drawing import draw_sample as draw_sample
    from sampling.drawing import sample as sample
    from sampling.space import Space as Space
    from sampling.spec import SamplingSpec as SamplingSpec
    from sampling.spec import parse_spec as parse_spec
    from sampling.strings import command_strings as command_strings

_HOMES = {
    "Sample": "sampling.drawing",
    "SamplingSpec": "sampling.spec",
    "Space": "sampling.space",
    "command_strings": "sampling.strings",
    "draw_sample": "sampling.drawing",
    "parse_spec": "sampling.spec",
    "sample": "sampling.drawing",
}

__all__ = ["Sample", "SamplingSpec", "Space", "command_strings", "draw_sample", "parse_spec", "sample"]


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for, so that `import sampling` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
