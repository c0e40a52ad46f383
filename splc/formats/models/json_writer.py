"""Models as JSON: one with exact exponents and provenance (`splc.model/1`), or several (`splc.models/1`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from splc._version import __version__
from splc.errors import OutputError
from splc.formats.models.json_objects import ModelObject, ModelPartsObject, ScalingObject, UncertaintyObject
from splc.formats.models.stored_model import ModelFile, StoredModel
from splc.io.json import plain_values
from splc.io.json_object import json_object
from splc.learning.judged_rows import ErrorSample
from splc.learning.result import LearningResult, SparseErrors

if TYPE_CHECKING:
    from splc.models.influence import InfluenceModel
    from splc.system.variability import VariabilityModel

SCHEMA = "splc.model/1"
MANY = "splc.models/1"
# Files of more models have a line per model.
MAX_INDENTED = 100


def model_json_text(model: InfluenceModel, nfp: str | None = None) -> str:
    """Return a model without a history as JSON, with the property that it is about, if known."""
    return stored_json_text(StoredModel(model, nfp))


def stored_json_text(stored: StoredModel) -> str:
    """Return a model of a file as JSON, without its history: with its property, system, full model and provenance."""
    from splc.learning.intervals import intervals_object

    content = {
        "schema": SCHEMA,
        "version": __version__,
        **_system_objects(stored.system, () if stored.system is None else stored.system.observed),
        "model": json_object(ModelObject, stored.model),
        **({} if stored.nfp is None else {"nfp": stored.nfp}),
        **({} if stored.unit is None else {"unit": stored.unit}),
    }
    if stored.full is not None:
        content["printed"] = {"intervals": intervals_object(stored.printed_intervals)}
    intervals = intervals_object(stored.intervals)
    optional = {"intervals": intervals, "provenance": stored.provenance}
    return _text(content | {key: value for key, value in optional.items() if value})


def provenance_of(result: LearningResult) -> dict[str, Any]:
    """Return what produced a result, and its scaling model, if it has one."""
    scaling = {} if result.scaling is None else {"scaling": json_object(ScalingObject, result.scaling)}
    return {**result.provenance, **scaling}


def learned_json_text(
    result: LearningResult, system: VariabilityModel | None = None, facts: Mapping[str, Any] | None = None
) -> str:
    """Return a learning result as JSON: the printed and the full model, errors and rounds, and what produced it."""
    from splc.learning.intervals import intervals_object

    order, samples = result.model.order, result.samples
    content = {
        "schema": SCHEMA,
        "version": __version__,
        **(facts or {}),
        **_system_objects(system, _observed(result, system)),
        "model": json_object(ModelObject, result.model),
        "nfp": result.nfp,
        "unit": result.unit,
        "learner": result.learner,
        "base": result.base,
        "learning_configurations": result.learning_configurations,
        "learning_error": result.learning_error,
        "error": result.error,
        "error_all": result.error_all,
        **({"samples": {name: json_object(ErrorSample, value) for name, value in samples.items()}} if samples else {}),
        "left_out": result.left_out,
        **json_object(UncertaintyObject, result),
        "printed": _printed_object(result),
        "intervals": intervals_object(result.intervals),
        "termination": result.termination,
        "seconds": result.seconds,
        "preset": result.preset,
        "settings": dict(result.settings),
        "seed": result.seed,
        "provenance": provenance_of(result),
        "notes": list(result.notes),
        "rounds": [
            {
                "round": step.number,
                "term": step.added.log_text(order),
                "influence": step.added.influence,
                "score": step.score,
                "error": step.error,
                "learning_error": step.learning_error,
                "seconds": step.seconds,
                "terms": [{"term": term.log_text(order), "influence": term.influence} for term in step.terms],
            }
            for step in result.rounds
        ],
    }
    return _text(content)


def _observed(result: LearningResult, system: VariabilityModel | None) -> list[str]:
    """Return the observed variables that were offered to the learner, or that predictions depend on."""
    offered = result.provenance.get("observed", ())
    used_names = result.model.options | getattr(result.predictor, "options", frozenset())
    observed_names = () if system is None else system.observed
    return list(dict.fromkeys([*offered, *(name for name in observed_names if name in used_names)]))


def _system_objects(system: VariabilityModel | None, observed: Sequence[str]) -> dict[str, Any]:
    """Return the description of the system, and the observed variables that were learned from.

    If XML cannot express a name, the description is left out, and the model predicts only in the system's folder.
    """
    if system is None:
        return {}
    from splc.formats.system.splconqueror_xml import variability_model_text

    try:
        text = variability_model_text(system)
    except OutputError:
        return {}
    inferred = {"inferred": True} if system.inferred else {}
    return {"description": text, **inferred, "observed": list(observed)}


def _printed_object(result: LearningResult) -> dict[str, Any] | None:
    """Return the errors and the intervals of the printed model, None if it is what predicts."""
    from splc.learning.intervals import intervals_object

    if result.printed_errors is None:
        return None
    errors = json_object(SparseErrors, result.printed_errors)
    return {**errors, "intervals": intervals_object(result.printed_intervals)}


def models_json_text(content: ModelFile) -> str:
    """Return the models of a file as JSON; one model is read like every other."""
    return "".join(models_json_parts(content))


def models_json_parts(content: ModelFile) -> Iterator[str]:
    """Yield the parts of the JSON of a file of models: with very many models, one part per model."""
    first, *others = content.models
    if first.result is not None:
        yield learned_json_text(first.result, first.system, content.facts)
    elif not others and first.scaling is None:
        yield stored_json_text(first)
    elif not others:
        nfp = {} if first.nfp is None else {"nfp": first.nfp}
        yield _text({"schema": SCHEMA, "version": __version__, **_entry(first), **nfp, **content.facts})
    elif len(content.models) <= MAX_INDENTED:
        entries = [_entry(stored) for stored in content.models]
        yield _text({"schema": MANY, "version": __version__, "models": entries, **content.facts})
    else:
        # A line per model: indented, a hundred thousand models take gigabytes of memory.
        head, tail = _text({"schema": MANY, "version": __version__, "models": [], **content.facts}).split("[]", 1)
        separator = f"{head}[\n    "
        for stored in content.models:
            yield separator + _text(_entry(stored), None).rstrip()
            separator = ",\n    "
        yield f"\n  ]{tail}"


def _entry(stored: StoredModel) -> dict[str, Any]:
    if stored.scaling is None:
        parts = {"model": json_object(ModelObject, stored.model)}
    else:
        parts = json_object(ModelPartsObject, stored.scaling)
    return {"callpath": stored.key[0], "metric": stored.key[1], **parts, **stored.further}


def _text(content: Mapping[str, Any], indent: int | None = 2) -> str:
    return json.dumps(plain_values(content), indent=indent, ensure_ascii=False, allow_nan=False, default=str) + "\n"
