"""Scaling models as JSON: one as `splc.model/1`, which is read like every model, several as `splc.models/1`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

from splc._version import __version__
from splc.data.experiment import DEFAULT_METRIC, Key
from splc.formats.models.formulas import log2_text
from splc.formats.models.json import SCHEMA, model_object
from splc.models.influence import InfluenceModel

MANY = "splc.models/1"


class Scaling(Protocol):
    """A scaling model: `splc.scaling.ScalingModel`, whose documentation says what each attribute is."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters."""

    @property
    def model(self) -> InfluenceModel:
        """The function."""

    @property
    def lead(self) -> dict[str, tuple[Fraction, Fraction]]:
        """The lead term."""

    @property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """What was measured of every parameter."""

    @property
    def method(self) -> str:
        """The learner."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Its settings."""

    @property
    def points(self) -> int:
        """The number of points."""

    @property
    def measurements(self) -> int:
        """The number of measurements."""

    @property
    def smape(self) -> float:
        """The error at these, 0 to 200."""

    @property
    def rss(self) -> float:
        """The residual sum of squares."""

    @property
    def noise(self) -> float | None:
        """In percent."""

    @property
    def certainty(self) -> float | None:
        """The probability of the lead term."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats."""

    @property
    def below(self) -> Scaling | None:
        """The model of the lower segment."""

    @property
    def change(self) -> float | None:
        """Where that ends."""


def scaling_object(model: Scaling) -> dict[str, Any]:
    """Return what there is to say about a scaling model beside its terms, as JSON's types."""
    return {
        "parameters": list(model.names),
        "log2": log2_text(model.model),
        "lead": {name: {"power": str(power), "log": str(log)} for name, (power, log) in model.lead.items()},
        "ranges": {name: list(bounds) for name, bounds in zip(model.names, model.ranges, strict=True)},
        "points": model.points,
        "measurements": model.measurements,
        "smape": model.smape,
        "rss": model.rss,
        "noise": model.noise,
        "certainty": model.certainty,
        "change": model.change,
        "below": None if model.below is None else {"model": model_object(model.below.model), **_inner(model.below)},
        "method": model.method,
        "settings": dict(model.settings),
        "notes": list(model.notes),
    }


def _inner(model: Scaling) -> dict[str, Any]:
    return {"scaling": scaling_object(model)}


def series_object(key: Key, model: Scaling) -> dict[str, Any]:
    """Return one model of a profile: what it is about, its terms, and all that is known about it."""
    callpath, metric = key
    return {
        "callpath": callpath,
        "metric": metric,
        "model": model_object(model.model),
        "scaling": scaling_object(model),
    }


def scaling_json_text(models: Mapping[Key, Scaling], further: Mapping[Key, Mapping[str, Any]], **facts: Any) -> str:
    """Return scaling models as JSON.

    Args:
        models: (call path, metric) → model.
        further: what is known beside about some of them (predictions, for instance).
        facts: what holds for all of them: where they come from.
    """
    entries = [{**series_object(key, model), **further.get(key, {})} for key, model in models.items()]
    content: dict[str, Any]
    if len(entries) == 1:
        (key,) = models
        about = {} if key[1] == DEFAULT_METRIC else {"nfp": key[1]}
        content = {"schema": SCHEMA, "version": __version__, **entries[0], **about, **facts}
    else:
        content = {"schema": MANY, "version": __version__, "models": entries, **facts}
    return json.dumps(_plain(content), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Return a value with NaN and infinities as null, fractions as text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    if isinstance(value, Fraction):
        return str(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value
