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
    from sampling.space.ranking import Ranking as Ranking
    from sampling.space.ranking import best as best
    from sampling.space.ranking import pareto_front as pareto_front
    from sampling.space.space import Space as Space
    from sampling.spec import SamplingSpec as SamplingSpec
    from sampling.spec import parse_spec as parse_spec

__all__ = [
    "Optimum",
    "Ranking",
    "Sample",
    "SamplingSpec",
    "Space",
    "best",
    "command_strings",
    "draw_sample",
    "optimum",
    "pareto_front",
    "parse_spec",
    "sample",
]

attach(
    __name__,
    {
        "Optimum": "sampling.space.optimum",
        "Ranking": "sampling.space.ranking",
        "Sample": "sampling.sample",
        "SamplingSpec": "sampling.spec",
        "Space": "sampling.space.space",
        "best": "sampling.space.ranking",
        "command_strings": "sampling.command_strings",
        "draw_sample": "sampling.sample",
        "optimum": "sampling.space.optimum",
        "pareto_front": "sampling.space.ranking",
        "parse_spec": "sampling.spec",
        "sample": "sampling.sample",
    },
)
