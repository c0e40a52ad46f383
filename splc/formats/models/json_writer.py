"""Models as JSON: one with exact exponents and provenance (`splc.model/1`), or several (`splc.models/1`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from splc._version import __version__
from splc.errors import OutputError
from splc.formats.models.notation import log2_text
from splc.formats.models.stored_model import ModelFile, StoredModel
from splc.io.json import picked, plain_values
from splc.learning.result import LearningResult

if TYPE_CHECKING:
    from splc.models.influence import InfluenceModel
    from splc.models.terms import Exponent
    from splc.scaling.result import ScalingModel
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
        "model": model_as_json(stored.model),
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
    scaling = {} if result.scaling is None else {"scaling": scaling_as_json(result.scaling)}
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
        "model": model_as_json(result.model),
        "nfp": result.nfp,
        "unit": result.unit,
        "learner": result.learner,
        "base": result.base,
        "learning_configurations": result.learning_configurations,
        "learning_error": result.learning_error,
        "error": result.error,
        "error_all": result.error_all,
        **({"samples": samples} if samples else {}),
        "left_out": result.left_out,
        **uncertainty_as_json(result),
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
    return {**plain_values(result.printed_errors), "intervals": intervals_object(result.printed_intervals)}


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
    parts = {"model": model_as_json(stored.model)} if stored.scaling is None else parts_as_json(stored.scaling)
    return {"callpath": stored.key[0], "metric": stored.key[1], **parts, **stored.further}


def model_as_json(model: InfluenceModel) -> dict[str, Any]:
    """Return the JSON object of a model; with the link "log" its sum is the logarithm of the prediction."""
    terms = [
        {
            "term": term.text(model.order),
            "influence": influence,
            "factors": [
                {"option": factor.option, "power": _exponent(factor.power), "log10": _exponent(factor.log)}
                for factor in term.factors
            ],
        }
        for term, influence in model.terms
    ]
    named = [factor.name for factor in model.factors]
    return {**picked(model, "text, link, order"), "subexpressions": named, "terms": terms}


def _exponent(value: Exponent) -> int | str:
    """Return an exponent; one that is not a whole number is a fraction, as text."""
    return value if isinstance(value, int) else str(value)


def scaling_as_json(model: ScalingModel) -> dict[str, Any]:
    """Return the JSON object of a scaling model without its terms; errors are in percent."""
    lead = {key: dict(zip(("power", "log"), map(str, exponents), strict=True)) for key, exponents in model.lead.items()}
    return {
        "parameters": model.names,
        "log2": log2_text(model.model),
        "lead": lead,
        "ranges": dict(zip(model.names, model.ranges, strict=True)),
        **picked(model, "points, measurements, smape, adjusted_r2, rss, noise, certainty, change, changing"),
        "below": None if model.below is None else parts_as_json(model.below),
        **picked(model, "method, settings, notes"),
    }


def parts_as_json(model: ScalingModel) -> dict[str, Any]:
    """Return the JSON object of a scaling model: its terms, and everything else."""
    return {"model": model_as_json(model.model), "scaling": scaling_as_json(model)}


def uncertainty_as_json(result: LearningResult) -> dict[str, Any]:
    """Return the cross-validated error, the influences with 90 % intervals, the forms, and the path to many terms."""
    order = result.model.order if result.readable else ()
    facts = "influence, standard_error, low, high, sign_probability, folds"
    estimates = [{"term": each.term.text(order), **picked(each, facts)} for each in result.estimates]
    return {
        "cross_validated": result.cross_validated,
        "estimates": estimates,
        **picked(result, "support_folds = folds, forms, path"),
    }


def _text(content: Mapping[str, Any], indent: int | None = 2) -> str:
    return json.dumps(plain_values(content), indent=indent, ensure_ascii=False, allow_nan=False, default=str) + "\n"
