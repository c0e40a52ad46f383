"""Performance-influence models as JSON: one with exact exponents and provenance, or several."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from splc._version import __version__
from splc.data.property_unit import is_unit
from splc.errors import ExpressionError, InputError, OutputError, Problem, Problems, plural, unknown_name_hint
from splc.formats.models.stored_model import ModelFile, StoredModel, Support, stated_columns
from splc.formats.models.text import log2_text
from splc.formats.system.splconqueror_xml import parse_variability_model, variability_model_text
from splc.io.files import Source
from splc.io.json import declared, mismatches, parse_json, picked, plain_values
from splc.io.toml import finite_number
from splc.learning.result import PRINTED, FullPredictor, LearningResult, intervals_object, intervals_of
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Derived
from splc.models.terms import Exponent, Factor, Subexpression, Term, product_of
from splc.system.variability import VariabilityModel

if TYPE_CHECKING:
    from splc.scaling.result import ScalingModel

SCHEMA = "splc.model/1"
MANY = "splc.models/1"
_HEAD = {"schema": SCHEMA, "version": __version__}


def model_json_text(model: InfluenceModel, nfp: str | None = None) -> str:
    """Return a model without a history as JSON, with the property that it is about, if known."""
    return models_json_text(ModelFile([StoredModel(model, nfp)]))


def learned_json_text(result: LearningResult, system: VariabilityModel | None = None) -> str:
    """Return a learning result as JSON."""
    return _text({**_HEAD, **_learned_object(result, system)})


def models_json_text(content: ModelFile) -> str:
    """Return the models of a file as JSON; one model is read like every other."""
    return "".join(models_json_parts(content))


def models_json_parts(content: ModelFile) -> Iterator[str]:
    """Yield the parts of the JSON of a file of models: with very many models, one part per model."""
    first, *others = content.models
    entries = (
        {"callpath": stored.key[0], "metric": stored.key[1]}
        | ({"model": model_as_json(stored.model)} if stored.scaling is None else parts_as_json(stored.scaling))
        | dict(stored.further)
        for stored in content.models
    )
    if first.result is not None:
        yield _text({**_HEAD, **content.facts, **_learned_object(first.result, first.system)})
    elif not others and first.scaling is None:
        printed = None if first.full is None else {"intervals": intervals_object(first.printed_intervals)}
        optional = {**picked(first, "nfp, unit"), "printed": printed, "intervals": intervals_object(first.intervals)}
        optional = {key: value for key, value in {**optional, **picked(first, "provenance")}.items() if value}
        described = _system_objects(first.system, () if first.system is None else first.system.observed)
        yield _text({**_HEAD, **described, "model": model_as_json(first.model), **optional})
    elif not others:
        nfp = {} if first.nfp is None else {"nfp": first.nfp}
        yield _text({**_HEAD, **next(entries), **nfp, **content.facts})
    else:
        # A line per model: indented, a hundred thousand models take gigabytes of memory.
        head, tail = _text({**_HEAD, "schema": MANY, "models": [], **content.facts}).split("[]", 1)
        separator = f"{head}[\n    "
        for entry in entries:
            yield separator + _text(entry, None).rstrip()
            separator = ",\n    "
        yield f"\n  ]{tail}"


def _text(content: Mapping[str, Any], indent: int | None = 2) -> str:
    return json.dumps(plain_values(content), indent=indent, ensure_ascii=False, allow_nan=False, default=str) + "\n"


def provenance_of(result: LearningResult) -> dict[str, Any]:
    """Return what produced a result, and its scaling model, if it has one."""
    return {**result.provenance, **({} if result.scaling is None else {"scaling": scaling_as_json(result.scaling)})}


def _learned_object(result: LearningResult, system: VariabilityModel | None) -> dict[str, Any]:
    """Return a learning result: the printed and the full model, errors and rounds, and what produced it."""
    order, printed = result.model.order, plain_values(result.printed_errors)
    if printed is not None:
        # Without errors of its own, the printed model is what predicts.
        printed["intervals"] = intervals_object(result.printed_intervals)
    # Observed variables that were offered to the learner, or that predictions depend on.
    used_names = result.model.options | getattr(result.predictor, "options", frozenset())
    observed = (name for name in (() if system is None else system.observed) if name in used_names)
    return {
        **_system_objects(system, (*result.provenance.get("observed", ()), *observed)),
        "model": model_as_json(result.model),
        **picked(result, "nfp, unit, learner, base, learning_configurations, learning_error, error, error_all"),
        **({"samples": result.samples} if result.samples else {}),
        "left_out": result.left_out,
        **uncertainty_as_json(result),
        "printed": printed,
        "intervals": intervals_object(result.intervals),
        **picked(result, "termination, seconds, preset, settings, seed"),
        "provenance": provenance_of(result),
        "notes": result.notes,
        "rounds": [
            {
                "round": step.number,
                "term": step.added.log_text(order),
                **picked(step, "influence = added.influence, score, error, learning_error, seconds"),
                "terms": [{"term": term.log_text(order), "influence": term.influence} for term in step.terms],
            }
            for step in result.rounds
        ],
    }


def _system_objects(system: VariabilityModel | None, observed: Sequence[str]) -> dict[str, Any]:
    """Return the description of the system, and the observed variables that were learned from."""
    if system is None:
        return {}
    try:
        text = variability_model_text(system)
    except OutputError:
        # XML cannot express a name: the model predicts only in the folder of its system.
        return {}
    inferred = {"inferred": True} if system.inferred else {}
    return {"description": text, **inferred, "observed": list(dict.fromkeys(observed))}


def model_as_json(model: InfluenceModel) -> dict[str, Any]:
    """Return the JSON object of a model; with the link "log" its sum is the logarithm of the prediction."""

    def plain(exponent: Exponent) -> int | str:
        # One that is not a whole number is a fraction, as text.
        return exponent if isinstance(exponent, int) else str(exponent)

    terms = []
    for term, influence in model.terms:
        factors = [
            {"option": each.option, "power": plain(each.power), "log10": plain(each.log)} for each in term.factors
        ]
        terms.append({"term": term.text(model.order), "influence": influence, "factors": factors})
    named = [factor.name for factor in model.factors]
    return {**picked(model, "text, link, order"), "subexpressions": named, "terms": terms}


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
    return {
        "cross_validated": result.cross_validated,
        "estimates": [{"term": each.term.text(order), **picked(each, facts)} for each in result.estimates],
        **picked(result, "support_folds = folds, forms, path"),
    }


# `splc learn --json` and `splc scale --json` print the model too, perhaps with its terms as text only.
READ = (SCHEMA, "splc.learn/1", "splc.scale/1")
SEVERAL = (MANY, "splc.learn.by/1", "splc.scale.several/1", "splc.scale.by/1")
_SEGMENTS = "the model of {} beyond {:g}; the one up to there is left out (splc scale --predict-at uses both)"
_EXPONENT = re.compile(r"-?\d{1,6}(/\d{1,6})?", re.ASCII)


def parse_stored_json(source: Source, system: VariabilityModel | None = None) -> StoredModel:
    """Return the model of a JSON file with all that it has; `system`: whose options the terms must use, None: any."""
    content = parse_json(source.text(), whole=True, file=source.name)
    schema = declared(dict, content, {}).get("schema")
    if schema in SEVERAL and isinstance(models := content.get("models", content.get("values")), list):
        hint = "splc scale PROFILE --callpath NAME -o model.json writes one of a profile, splc learn --by one per file"
        raise InputError(Problem(f"it has {plural(len(models), 'model', 'models')}, not one", source.name, hint=hint))
    if schema not in READ:
        description = f"its schema is {schema!r}" if schema is not None else "it has no schema"
        hint = f"'splc learn -o model.json' writes models of the schema {SCHEMA!r}"
        raise InputError(Problem(f"not the JSON of a model: {description}", source.name, hint=hint))
    model = _model(content.get("model"), source.name, system)
    described = None
    if (text := declared(str, content.get("description"))) is not None:
        observed = tuple(name for name in declared(list, content.get("observed"), []) if isinstance(name, str))
        described = parse_variability_model(Source(source.name, text.encode("utf-8")))
        described = replace(described, observed=observed, inferred=content.get("inferred") is True)
    has_printed = declared(dict, content.get("printed")) is not None
    try:
        # The full model has the values of the options that it was learned from; the description may have changed.
        intervals = intervals_of(content.get("intervals"), described or system)
        printed = intervals_of(content["printed"].get("intervals"), model, PRINTED) if has_printed else None
    except (KeyError, TypeError, ValueError):
        raise InputError(Problem("its prediction intervals are damaged", source.name, hint="learn it again")) from None
    scaling = declared(dict, content.get("scaling"), {})
    # A scaling model of two segments is read as its upper one.
    has_two = scaling.get("below") is not None and (change := finite_number(scaling.get("change"))) is not None
    notes = (_SEGMENTS.format(scaling.get("changing"), change),) if has_two else ()
    return StoredModel(
        model,
        declared(str, content.get("nfp")) or None,
        "json",
        full=intervals if isinstance(intervals, FullPredictor) else None,
        intervals=intervals or printed,
        printed_intervals=printed,
        notes=notes,
        # `splc learn --json` states the columns beside the model.
        columns=stated_columns(content.get("provenance", content)),
        system=described,
        provenance=declared(dict, content.get("provenance"), {}),
        support=_support(content, model),
        folds=folds if isinstance(folds := content.get("support_folds"), int) else 0,
        stated_unit=unit if is_unit(unit := content.get("unit")) else None,
        expected_error=declared(dict, content.get("expected_error"), {}),
    )


def _support(content: Mapping[str, Any], model: InfluenceModel) -> Support:
    """Return the support of the terms, as far as a file states it."""
    order, support = content["model"].get("order", ()), dict[frozenset[str], int | None]()
    options = {term.text(order): model.options_of(term) for term, _ in model.terms}
    for estimate in (declared(dict, each, {}) for each in declared(list, content.get("estimates"), [])):
        folds, names = estimate.get("folds"), options.get(estimate.get("term"))
        if isinstance(folds, int) and names is not None:
            support[names] = max(folds, support.get(names) or 0)
    return support


def log_hash_of(source: Source) -> str | None:
    """Return the hash of the log that a JSON file of a model was written with, None if it was written alone."""
    content = declared(dict, parse_json(source.text(), file=source.name), {})
    log = declared({"sha256": str}, content.get("log"), {}) if content.get("schema") == SCHEMA else {}
    return log.get("sha256")


def json_object(source: Source) -> dict[str, Any]:
    """Return the JSON object that a file holds, an empty one for other files."""
    with suppress(InputError):
        return dict(declared(dict, parse_json(source.text()), {}))
    return {}


def is_scaling_model(source: Source) -> bool:
    """Return whether a file is the JSON of scaling models, which have parameters and no system."""
    content = json_object(source)
    return content.get("schema") == MANY or "callpath" in content


_TERM = {"term": str | None, "factors": list[dict[str, Any]] | None}
_MODEL = {"terms": [_TERM], "link": str | None, "order": list[str] | None, "subexpressions": list[str] | None}


def _model(content: Any, file: str, system: VariabilityModel | None) -> InfluenceModel:
    """Return the model of an object; problems are collected and have the place as a path."""
    # Writing a model needs no parser of texts.
    from splc.models.text import reader

    problems, names = Problems(file), None if system is None else system.term_names
    for mismatch in mismatches(_MODEL, content, "model"):
        problems.add(f"{mismatch.path} must be {mismatch.expected}", hint="the file is damaged or incomplete")
    problems.raise_if_any(InputError)

    def expanded(expand: Callable[..., Any], text: str, place: str) -> Any:
        """Return what a text means; for a wrong one None, and problems."""
        try:
            return expand(text, names)
        except ExpressionError as error:
            for problem in error.problems:
                problems.add(f"{place}: {problem.message}", text=text, hint=problem.hint)
            return None

    def factor(entry: Mapping[str, Any], place: str) -> Factor | None:
        """Return one factor, None if it is wrong."""
        stated = str(entry.get("option"))
        if (name := named.get(stated) or (stated if names is None else names.get(stated))) is None:
            hint = unknown_name_hint(stated, list(system.term_order if system else ()))
            problems.add(f"{place}: unknown option {stated!r}", hint=hint)
            return None
        try:
            return Factor(name, _read_exponent(entry.get("power", 0)), _read_exponent(entry.get("log10", 0)))
        except (ValueError, ZeroDivisionError):
            problems.add(f"{place}: an exponent must be a whole number or a fraction such as '1/2'")
            return None

    link: Any = content.get("link") or "identity"
    if link not in ("identity", "log"):
        problems.add(f"model.link is neither 'identity' nor 'log': {link!r}")
    named, derived = dict[str, Subexpression](), dict[str, Derived]()
    for at, text in enumerate(content.get("subexpressions") or ()):
        if found := expanded(reader.expand_subexpression, text, f"model.subexpressions[{at}]"):
            named[text] = found[0]
            derived |= found[1]
    terms: list[tuple[Term, float]] = []
    for at, entry in enumerate(content["terms"]):
        place, factors = f"model.terms[{at}]", entry.get("factors")
        if (influence := finite_number(entry.get("influence"))) is None:
            problems.add(f"{place}.influence must be a number", text=repr(entry.get("influence")))
        elif factors is None:
            # A term that is given as text only.
            expansion = expanded(reader.expand_text, entry.get("term") or "", f"{place}.term")
            terms += [(term, influence * weight) for term, weight in (expansion or {}).items()]
        else:
            read = (factor(each, f"{place}.factors[{position}]") for position, each in enumerate(factors))
            terms.append((product_of(filter(None, read)), influence))
    problems.raise_if_any(InputError)
    if system is None:
        return InfluenceModel.from_terms(terms, content.get("order") or (), link, derived.values())
    return InfluenceModel.of_system(terms, system, link, derived.values())


def _read_exponent(value: Any) -> Exponent:
    # Fraction also reads '1e999999999', which would take very long.
    if isinstance(value, bool) or not _EXPONENT.fullmatch(str(value)):
        raise ValueError
    fraction = Fraction(value)
    return fraction.numerator if fraction.denominator == 1 else fraction
