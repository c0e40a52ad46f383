"""Models that one file holds, and the texts that describe them in every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from splc._version import __version__
from splc.data.experiment import ROOT_CALLPATH, Key, title
from splc.errors import plural
from splc.io.latex import one_line
from splc.io.numbers import percentage, rounded_text
from splc.learning.result import LearningResult
from splc.models.influence import InfluenceModel
from splc.models.terms import exponent, exponent_text, quoted

if TYPE_CHECKING:
    from splc.scaling.result import ScalingModel
    from splc.system.variability import VariabilityModel

# Percentages below this are shown as `< 0.001 %`.
_LEAST = 0.001


@dataclass(frozen=True)
class Entry:
    """One model of a file."""

    key: Key  # call path and metric; the metric is the property
    model: InfluenceModel  # the model; with two segments, that of the upper one
    names: tuple[str, ...]  # the variables of the model
    facts: str  # the data that the model rests on, in one line
    error: float | None  # the error that tables show, in percent
    below: InfluenceModel | None = None  # the model of the lower segment
    change: float | None = None  # the upper end of the lower segment
    changing: str | None = None  # the variable along which the behaviour changes
    scaling: ScalingModel | None = None  # the scaling model, where it is one
    further: Mapping[str, Any] = field(default_factory=dict)  # further content of the JSON object

    @property
    def comment(self) -> str:
        """The title and the facts, in one line."""
        return one_line(": ".join(text for text in (title(self.key), self.facts) if text))


@dataclass(frozen=True)
class ModelFile:
    """The content of a file of models."""

    entries: tuple[Entry, ...]  # the models, at least one
    about: str  # where they come from, in one line
    facts: Mapping[str, Any] = field(default_factory=dict)  # further content of the JSON object
    result: LearningResult | None = None  # the result of learning that the only entry is the model of
    test_errors: Sequence[float | None] | None = None  # the error after each round of this result, for logs
    system: VariabilityModel | None = None  # the system of this result
    companion: str | None = None  # the name of the JSON file that is written beside a log

    @property
    def error_title(self) -> str:
        """The title of the errors in tables."""
        return "SMAPE" if all(entry.scaling is not None for entry in self.entries) else "error"


def scaling_file(
    models: Mapping[Key, ScalingModel],
    origin: str,
    further: Mapping[Key, Mapping[str, Any]] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> ModelFile:
    """Return the file of scaling models.

    `models`: (call path, metric) → model. `further`: further content of the JSON of some of them, such as predictions.
    """
    entries = tuple(_scaling_entry(key, model, (further or {}).get(key, {})) for key, model in models.items())
    method = next(iter(models.values())).method
    kind = plural(len(models), "scaling model", "scaling models")
    return ModelFile(entries, f"{kind} of {origin}, by splc {__version__} (pmnf, method {method})", facts or {})


def _scaling_entry(key: Key, model: ScalingModel, additional: Mapping[str, Any]) -> Entry:
    lower_model = None if model.below is None else model.below.model
    changing = model.changing or model.names[0]
    facts, error = facts_text(model), model.smape
    return Entry(key, model.model, model.names, facts, error, lower_model, model.change, changing, model, additional)


def learned_file(
    result: LearningResult,
    origin: str,
    test_errors: Sequence[float | None] | None = None,
    system: VariabilityModel | None = None,
) -> ModelFile:
    """Return the file of a learned model.

    `test_errors`: the error after each round, for logs; None: only that of the last round is known.
    """
    key = (ROOT_CALLPATH, result.nfp)
    if result.scaling is not None:
        scaling = scaling_file({key: result.scaling}, origin)
        return ModelFile(scaling.entries, scaling.about, {}, result, test_errors, system)
    explained = result.of_printed
    model = result.model
    names = tuple(name for name in model.order if name in model.options)
    judged = [("learning error", explained.learning_error), ("error", explained.error)]
    facts = ", ".join(f"{name} {percent_text(value)}" for name, value in judged if value is not None)
    error = explained.learning_error if explained.error is None else explained.error
    description = f"model of {result.nfp} of {origin}, by splc {__version__} ({result.learner}, preset {result.preset})"
    return ModelFile((Entry(key, model, names, facts, error),), description, {}, result, test_errors, system)


def lead_text(model: ScalingModel) -> str:
    """Return the lead term of a model, with logarithms to the base 2: `p^(3/2) * log2(p)`; `1` if it is constant."""
    parts = []
    for name, (power, log) in model.lead.items():
        name_text = quoted(name, model.names)
        if power != 0:
            parts.append(name_text + exponent_text(exponent(power)))
        if log != 0:
            parts.append(f"log2({name_text}){exponent_text(exponent(log))}")
    return " * ".join(parts) or "1"


def facts_text(model: ScalingModel) -> str:
    """Return the data that a scaling model rests on: `SMAPE 1.2 % at 5 points, p = 2 … 32`; both segments, if two.

    The adjusted coefficient of determination follows the error, if it is defined.
    """
    ranges = [
        f"{name} = {' … '.join(dict.fromkeys(rounded_text(end, 6) for end in (low, high)))}"
        for name, (low, high) in zip(model.names, model.ranges, strict=True)
    ]
    points = f"{model.points} point{'' if model.points == 1 else 's'}"
    explained = "" if model.adjusted_r2 is None else f", adjusted R² {model.adjusted_r2:.6g}"
    segment_text = f"SMAPE {percent_text(model.smape)}{explained} at {points}, {', '.join(ranges)}"
    return segment_text if model.below is None else f"{facts_text(model.below)}; {segment_text}"


def percent_text(value: float, digits: int = 3) -> str:
    """Return a percentage; very small ones are shown as `< 0.001 %`."""
    return percentage(value, digits) if value == 0 or value >= _LEAST else f"< {_LEAST:g} %"
