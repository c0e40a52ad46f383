"""`--fail-below` and `--fail-above`: what a comparison must keep for the command to succeed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from splc.cli.arguments import numbers_of

if TYPE_CHECKING:
    from comparison.result import Comparisons
    from splc.cli.comparing import Places

MEASURED = "measured."
# What is compared beside the measures of predictions.
TERM_SCORES = ("score", "normalized", "hybrid_syntactic", "hybrid_semantic")


@dataclass(frozen=True)
class Threshold:
    """A bound of a measure.

    Attributes:
        key: the measure, with `measured.` before it where models are compared with the measurements.
        value: the bound.
        below: whether values below it (else above it) are a failure.
    """

    key: str
    value: float
    below: bool


def thresholds(below: Sequence[str], above: Sequence[str], keys: Sequence[str]) -> tuple[Threshold, ...]:
    """Return the thresholds that texts `NAME=VALUE` say.

    Args:
        below: those of `--fail-below`.
        above: those of `--fail-above`.
        keys: the measures that are computed.

    Raises:
        typer.BadParameter: for what is no such text, or names no measure.
    """
    from splc.errors import unknown_name_hint

    found = []
    known = (*TERM_SCORES, *keys, *(MEASURED + key for key in keys))
    for option, texts in (("--fail-below", below), ("--fail-above", above)):
        for key, value in numbers_of(texts, option).items():
            if key not in known:
                hint = unknown_name_hint(key, list(known))
                raise typer.BadParameter(f"unknown measure {key!r}; {hint}", param_hint=option)
            found.append(Threshold(key, value, option == "--fail-below"))
    return tuple(found)


def require_measured(limits: Sequence[Threshold], places: Places) -> None:
    """Refuse bounds of measures that nothing is there for: that is no bad model, but a wrong call.

    Raises:
        typer.BadParameter: naming the measure.
    """
    for limit in limits:
        option = "--fail-below" if limit.below else "--fail-above"
        if limit.key.startswith(MEASURED) and places.measured is None:
            raise typer.BadParameter(f"{limit.key} needs measurements, and there are none here", param_hint=option)
        if limit.key not in TERM_SCORES[:2] and places.configurations is None:
            raise typer.BadParameter(f"{limit.key} needs configurations; add --on", param_hint=option)


def broken(limits: Sequence[Threshold], compared: Comparisons) -> tuple[str, ...]:
    """Return what is beyond its bound, one text each; a measure without a value keeps no bound."""
    texts = []
    for limit in limits:
        for who, value in _values(limit.key, compared):
            if value is None:
                texts.append(f"{limit.key} of {who} is undefined")
            elif value < limit.value if limit.below else value > limit.value:
                side = "below" if limit.below else "above"
                texts.append(f"{limit.key} of {who} is {value:.6g}, {side} {limit.value:g}")
    return tuple(texts)


def _values(key: str, compared: Comparisons) -> Iterator[tuple[str, float | None]]:
    """Yield (what is compared, the value of a measure) for every comparison that the measure is about."""
    if key.startswith(MEASURED):
        if not compared.judged:
            yield "the measurements", None
        for judged in compared.judged:
            yield f"{judged.model} against the measurements", judged.semantic.values.get(key.removeprefix(MEASURED))
        return
    for pair in compared.comparisons:
        who = f"{pair.first} against {pair.second}"
        if key == "score":
            yield who, pair.syntactic.score
        elif key == "normalized":
            yield who, pair.syntactic.normalized
        elif key.startswith("hybrid_"):
            share = pair.hybrid
            yield who, None if share is None else share.syntactic if key == "hybrid_syntactic" else share.semantic
        else:
            yield who, None if pair.semantic is None else pair.semantic.values.get(key)
