"""Sampling: the valid configurations of a system, and designs that select configurations to measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from splc.lazy import attach

if TYPE_CHECKING:
    from sampling.command_strings import command_strings as command_strings
    from sampling.sample import Sample as Sample
    from sampling.sample import draw_sample as draw_sample
    from sampling.sample import sample as sample
    from sampling.space.optimum import Optimum as Optimum
    from sampling.space.optimum import optimum as optimum
    from sampling.space.space import Space as Space
    from sampling.spec import SamplingSpec as SamplingSpec
    from sampling.spec import parse_spec as parse_spec

__all__ = [
    "Optimum",
    "Sample",
    "SamplingSpec",
    "Space",
    "command_strings",
    "draw_sample",
    "optimum",
    "parse_spec",
    "sample",
]

attach(
    __name__,
    {
        "Optimum": "sampling.space.optimum",
        "Sample": "sampling.sample",
        "SamplingSpec": "sampling.spec",
        "Space": "sampling.space.space",
        "command_strings": "sampling.command_strings",
        "draw_sample": "sampling.sample",
        "optimum": "sampling.space.optimum",
        "parse_spec": "sampling.spec",
        "sample": "sampling.sample",
    },
)
