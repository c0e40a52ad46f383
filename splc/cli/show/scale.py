"""Scaling models for people and scripts: the table of a profile, the long form of one model, predictions."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from splc.data.experiment import Key
    from splc.scaling import ScalingModel

LEVEL = 0.9
# How far beyond the measured points a single model is looked at without being asked: where its lead term counts.
FAR = 4
DIGITS = 4
_SAID = 8
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")


def predictions(model: ScalingModel, points: Iterable[Mapping[str, float]]) -> list[dict[str, Any]]:
    """Return what a model predicts at points, with intervals; None where it has no finite value."""
    from splc.errors import ConfigurationError

    found = []
    for point in points:
        at = [point[name] for name in model.names]
        entry: dict[str, Any] = {"at": dict(zip(model.names, at, strict=True)), "level": LEVEL}
        x = at[0] if len(at) == 1 else [at]
        try:
            predicted, (lower, upper) = model.predict(x), model.interval(x, LEVEL)
        except ConfigurationError:
            entry |= {"predicted": None, "lower": None, "upper": None}
        else:
            entry |= {"predicted": _only(predicted), "lower": _only(lower), "upper": _only(upper)}
        found.append({**entry, "distance": _only(model.distance(x))})
    return found


def _only(values: Any) -> float:
    return float(values.reshape(-1)[0])


def far_point(model: ScalingModel) -> dict[str, float]:
    """Return the point at four times the largest measured value of every parameter."""
    return {name: FAR * high for name, (_, high) in zip(model.names, model.ranges, strict=True)}


def model_text(model: ScalingModel, digits: int = DIGITS) -> str:
    """Return a model on one line, with logarithms to the base 2; of two segments both."""
    from splc.formats.models.notation import log2_text

    upper = log2_text(model.model, digits)
    if model.below is None or model.change is None:
        return upper
    return f"{log2_text(model.below.model, digits)} up to {model.names[0]} = {model.change:g}, then {upper}"


def show_profile(models: Mapping[Key, ScalingModel], predicted: Mapping[Key, Sequence[Mapping[str, Any]]]) -> None:
    """Print one line per model."""
    from splc.cli.terminal import table
    from splc.data.experiment import DEFAULT_METRIC, ROOT_CALLPATH
    from splc.formats.models.entries import lead_text, percent_text

    first = next(iter(predicted.values()), [])
    columns = [_where(entry["at"]) for entry in first]
    # A column in which every model has the name that stands for none is empty, and is not shown.
    silent = [{key[at] for key in models} == {name} for at, name in enumerate((ROOT_CALLPATH, DEFAULT_METRIC))]
    rows = []
    for key, model in models.items():
        named = ["" if quiet else name for name, quiet in zip(key, silent, strict=True)]
        lead = lead_text(model)
        noise = "" if model.noise is None else percent_text(model.noise, 2)
        notes = str(len(model.notes)) if model.notes else ""
        error = percent_text(model.smape)
        own = [_interval_text(entry) for entry in predicted.get(key, ())]
        rows.append([*named, model_text(model), "constant" if lead == "1" else lead, error, noise, notes, *own])
    table(
        ("call path", "metric", "model", "lead", "SMAPE", "noise", "notes", *columns),
        rows,
        right=("SMAPE", "noise", "notes"),
    )


def _where(at: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in at.items())


def _interval_text(entry: Mapping[str, Any]) -> str:
    from splc.io.tables import rounded_text

    if entry["predicted"] is None:
        return "undefined"
    lower, upper = (rounded_text(entry[name], DIGITS) for name in ("lower", "upper"))
    return f"{rounded_text(entry['predicted'], DIGITS)} [{lower}, {upper}]"


def show_terms(model: ScalingModel) -> None:
    """Print the terms of a model with their coefficients, logarithms to the base 2."""
    from splc.cli.terminal import say, table
    from splc.formats.models.notation import log2_text
    from splc.models.influence import InfluenceModel

    for each in (model.below, model):
        if each is None:
            continue
        if model.below is not None and model.change is not None:
            bound = f"{model.names[0]} = {model.change:g}"
            say(f"up to {bound}:" if each is model.below else f"beyond {bound}:")
        rows = []
        for term, influence in each.model.terms:
            # With a coefficient of its own, a term has the coefficient that belongs to logarithms to the base 2.
            coefficient, _, text = log2_text(InfluenceModel.from_terms([(term, influence)], each.names)).partition(
                " * "
            )
            rows.append((text or "1", f"{float(coefficient):.6g}"))
        table(("term", "influence"), rows, right=("influence",))


def scaling_facts(model: ScalingModel) -> list[tuple[str, str]]:
    """Return what a single model rests on, as lines of a name and a text."""
    from splc.formats.models.entries import facts_text, lead_text, percent_text

    lead = lead_text(model)
    certain = "" if model.certainty is None else f" (probability {model.certainty:.2f})"
    noise = "unknown" if model.noise is None else f"{percent_text(model.noise, 2)} per measurement"
    return [
        ("formula", model_text(model)),
        ("lead term", ("none: constant" if lead == "1" else lead) + certain),
        ("fit", facts_text(model)),
        ("noise", noise),
        ("method", model.method),
    ]


def show_predictions(entries: Sequence[Mapping[str, Any]]) -> None:
    """Print predictions with intervals, and what is to be thought of them."""
    from splc.cli.terminal import table
    from splc.io.tables import rounded_text

    rows = []
    for entry in entries:
        predicted = "undefined" if entry["predicted"] is None else rounded_text(entry["predicted"], DIGITS)
        interval = ""
        if entry["predicted"] is not None:
            interval = " … ".join(rounded_text(entry[name], DIGITS) for name in ("lower", "upper"))
        rows.append((_where(entry["at"]), predicted, interval, caveat(entry)))
    table(("at", "predicted", f"{LEVEL:.0%} interval".replace("%", " %"), "caveat"), rows, right=("predicted",))


def caveat(entry: Mapping[str, Any]) -> str:
    """Return what to think of a prediction: how far it is extrapolated, and whether it says much."""
    from splc.io.tables import rounded_text

    if entry["predicted"] is None:
        return "the model has no finite value there"
    found = []
    if entry["distance"] > 1:
        found.append(f"{rounded_text(entry['distance'], 3)} times beyond what was measured")
    sizes = sorted(abs(entry[name]) for name in ("lower", "upper"))
    if entry["lower"] * entry["upper"] < 0 or sizes[1] > 2 * sizes[0]:
        found.append("not known within a factor of 2")
    return ", ".join(found)


def note_all(models: Mapping[Key, ScalingModel], failed: Mapping[Key, str]) -> None:
    """Say on standard error what is to be known about the models, each thing once."""
    from splc.cli.terminal import note, warn
    from splc.errors import plural
    from splc.formats.models.entries import title

    for key, reason in list(failed.items())[:_SAID]:
        warn(f"no model of {title(key) or 'it'}: {reason}")
    if len(failed) > _SAID:
        warn(f"no model of {len(failed) - _SAID:,} others either")
    if len(models) == 1:
        for text in next(iter(models.values())).notes:
            note(text)
        return
    counts = Counter(text for model in models.values() for text in model.notes)
    kinds: dict[str, list[str]] = {}
    for text, count in counts.items():
        kinds.setdefault(_NUMBER.sub("#", text), []).extend([text] * count)
    shown = sorted(kinds.values(), key=len, reverse=True)
    for texts in shown[:_SAID]:
        note(f"{'all models' if len(texts) == len(models) else plural(len(texts), 'model', 'models')}: {merged(texts)}")
    if len(shown) > _SAID:
        note(f"{len(shown) - _SAID:,} more kinds of notes, which the JSON has (-o FILE.json, --json)")


def merged(texts: Sequence[str]) -> str:
    """Return texts that differ in numbers only as one, with ranges in the place of these."""
    numbers = zip(*(_NUMBER.findall(text) for text in dict.fromkeys(texts)), strict=True)
    ranges = []
    for column in numbers:
        low, high = min(column, key=float), max(column, key=float)
        ranges.append(low if low == high else f"{low} … {high}")
    pieces = _NUMBER.split(texts[0])
    return "".join(piece + number for piece, number in zip(pieces, [*ranges, ""], strict=True))
