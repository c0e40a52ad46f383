"""Performance-influence models as JSON: one with exact exponents and provenance, or several."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from splc._version import __version__
from splc.data.property_unit import is_unit
from splc.errors import ExpressionError, InputError, OutputError, Problem, Problems, plural, unknown_name_hint
from splc.formats.models.notation import log2_text
from splc.formats.models.stored_model import ModelFile, StoredModel, Support, stated_columns
from splc.formats.system.splconqueror_xml import parse_variability_model, variability_model_text
from splc.io.files import Source
from splc.io.json import parse_json, picked, plain_values
from splc.io.toml import finite_number
from splc.learning.full_predictor import FullPredictor
from splc.learning.intervals import intervals_object, intervals_of, printed_intervals_of
from splc.learning.result import LearningResult
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Derived
from splc.models.terms import CONSTANT, Exponent, Factor, Subexpression, Term, product_of
from splc.models.text.reader import expand_subexpression, expand_text
from splc.system.variability import VariabilityModel

if TYPE_CHECKING:
    from splc.scaling.result import ScalingModel

SCHEMA = "splc.model/1"
MANY = "splc.models/1"
# Files of more models have a line per model.
MAX_INDENTED = 100


def model_json_text(model: InfluenceModel, nfp: str | None = None) -> str:
    """Return a model without a history as JSON, with the property that it is about, if known."""
    return stored_json_text(StoredModel(model, nfp))


def stored_json_text(stored: StoredModel) -> str:
    """Return a model of a file as JSON, without its history: with its property, system, full model and provenance."""
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
    try:
        text = variability_model_text(system)
    except OutputError:
        return {}
    inferred = {"inferred": True} if system.inferred else {}
    return {"description": text, **inferred, "observed": list(observed)}


def _printed_object(result: LearningResult) -> dict[str, Any] | None:
    """Return the errors and the intervals of the printed model, None if it is what predicts."""
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


# `splc learn --json` and `splc scale --json` print the model too, perhaps with its terms as text only.
READ = (SCHEMA, "splc.learn/1", "splc.scale/1")
SEVERAL = (MANY, "splc.learn.by/1", "splc.scale.several/1", "splc.scale.by/1")
_SEGMENTS = "the model of {} beyond {:g}; the one up to there is left out (splc scale --predict-at uses both)"
_EXPONENT = re.compile(r"-?\d{1,6}(/\d{1,6})?", re.ASCII)


def parse_stored_json(source: Source, system: VariabilityModel | None = None) -> StoredModel:
    """Return the model of a JSON file, with its full model, intervals, system and provenance as far as it has them.

    `system`: the system whose options the terms must use; None: any names.
    """
    content = _content(source)
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema in SEVERAL and isinstance(models := content.get("models", content.get("values")), list):
        hint = "splc scale PROFILE --callpath NAME -o model.json writes one of a profile, splc learn --by one per file"
        raise InputError(Problem(f"it has {plural(len(models), 'model', 'models')}, not one", source.name, hint=hint))
    if schema not in READ:
        description = f"its schema is {schema!r}" if schema is not None else "it has no schema"
        hint = f"'splc learn -o model.json' writes models of the schema {SCHEMA!r}"
        raise InputError(Problem(f"not the JSON of a model: {description}", source.name, hint=hint))
    nfp = content.get("nfp")
    model = _ModelReader(source.name, system).model(content.get("model"))
    described = _system(content, source.name)
    try:
        # The full model has the values of the options that it was learned from; the description may have changed.
        intervals = intervals_of(content.get("intervals"), described or system)
        facts = content.get("printed")
        printed = printed_intervals_of(facts.get("intervals"), model) if isinstance(facts, dict) else None
    except (KeyError, TypeError, ValueError):
        raise InputError(Problem("its prediction intervals are damaged", source.name, hint="learn it again")) from None
    provenance = content.get("provenance")
    full_model = intervals if isinstance(intervals, FullPredictor) else None
    return StoredModel(
        model,
        nfp if isinstance(nfp, str) and nfp else None,
        "json",
        full=full_model,
        intervals=intervals or printed,
        printed_intervals=printed,
        notes=tuple(_segments(content)),
        # `splc learn --json` states the columns beside the model.
        columns=stated_columns(content.get("provenance", content)),
        system=described,
        provenance=provenance if isinstance(provenance, dict) else {},
        support=_support(content, model),
        folds=folds if isinstance(folds := content.get("support_folds"), int) else 0,
        stated_unit=unit if is_unit(unit := content.get("unit")) else None,
        expected_error=error if isinstance(error := content.get("expected_error"), dict) else {},
    )


def _support(content: Mapping[str, Any], model: InfluenceModel) -> Support:
    """Return the support of the terms, as far as a file states it."""
    order = content["model"].get("order", ())
    options = {term.text(order): model.options_of(term) for term, _ in model.terms}
    folds_by_options: dict[frozenset[str], int | None] = {}
    estimates = content.get("estimates")
    for estimate in estimates if isinstance(estimates, list) else ():
        folds = estimate.get("folds") if isinstance(estimate, dict) else None
        if isinstance(folds, int) and estimate.get("term") in options:
            names = options[estimate["term"]]
            folds_by_options[names] = max(folds, folds_by_options.get(names) or 0)
    return folds_by_options


def log_hash_of(source: Source) -> str | None:
    """Return the hash of the log that a JSON file of a model was written with, None if it was written alone."""
    content = _content(source)
    log = content.get("log") if isinstance(content, dict) and content.get("schema") == SCHEMA else None
    digest = log.get("sha256") if isinstance(log, dict) else None
    return digest if isinstance(digest, str) else None


def _content(source: Source) -> Any:
    """Return the content of a JSON file."""
    try:
        return json.loads(source.text())
    except json.JSONDecodeError as error:
        raise InputError(Problem(f"not JSON: {error.msg}", source.name, error.lineno, error.colno)) from None
    except RecursionError:
        raise InputError(Problem("nested too deeply", source.name)) from None
    except ValueError:
        # Python refuses integers of thousands of digits.
        raise InputError(Problem("a number has too many digits", source.name)) from None


def _system(content: Mapping[str, Any], file: str) -> VariabilityModel | None:
    """Return the system that a file describes, with the observed variables of the model."""
    text = content.get("description")
    if not isinstance(text, str):
        return None
    system = parse_variability_model(Source(file, text.encode("utf-8")))
    observed = content.get("observed")
    names = tuple(name for name in observed if isinstance(name, str)) if isinstance(observed, list) else ()
    return replace(system, observed=names, inferred=content.get("inferred") is True)


def is_scaling_model(source: Source) -> bool:
    """Return whether a file is the JSON of scaling models, which have parameters and no system."""
    try:
        content = parse_json(source.text())
    except InputError:
        return False
    return isinstance(content, dict) and (content.get("schema") == MANY or "callpath" in content)


def _segments(content: dict[str, Any]) -> Iterator[str]:
    """Yield that a scaling model of two segments is read as its upper one."""
    scaling = content.get("scaling")
    if isinstance(scaling, dict) and scaling.get("below") is not None:
        change = finite_number(scaling.get("change"))
        if change is not None:
            yield _SEGMENTS.format(scaling.get("changing"), change)


class _ModelReader:
    """Reads one model object; problems are collected and have the place as a path."""

    def __init__(self, file: str, system: VariabilityModel | None) -> None:
        self.problems = Problems(file)
        self.system = system
        self.derived: dict[str, Derived] = {}
        self.named: dict[str, Subexpression] = {}

    def model(self, content: Any) -> InfluenceModel:
        """Return the model."""
        entry = content if isinstance(content, dict) else {}
        terms = entry.get("terms")
        if not isinstance(terms, list):
            self.problems.add("model.terms must be a list", hint="the file is damaged or incomplete")
            terms = []
        link = entry.get("link", "identity")
        if link not in ("identity", "log"):
            self.problems.add(f"model.link is neither 'identity' nor 'log': {link!r}")
        order = entry.get("order", [])
        if not (isinstance(order, list) and all(isinstance(name, str) for name in order)):
            self.problems.add("model.order must be a list of names")
            order = []
        self.derive(entry.get("subexpressions", []))
        model_terms: list[tuple[Term, float]] = []
        for at, item in enumerate(terms):
            model_terms += self.term(item, f"model.terms[{at}]")
        self.problems.raise_if_any(InputError)
        if self.system is None:
            return InfluenceModel.from_terms(model_terms, order, link, self.derived.values())
        return InfluenceModel.of_system(model_terms, self.system, link, self.derived.values())

    def derive(self, texts: Any) -> None:
        """Read the subexpressions, which terms use like options."""
        if not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
            self.problems.add("model.subexpressions must be a list of texts")
            return
        for at, text in enumerate(texts):
            try:
                name, derived = expand_subexpression(text, self.system.term_names if self.system else None)
                self.named[text] = name
                self.derived |= derived
            except ExpressionError as error:
                for problem in error.problems:
                    self.problems.add(f"model.subexpressions[{at}]: {problem.message}", text=text, hint=problem.hint)

    def term(self, item: Any, place: str) -> list[tuple[Term, float]]:
        """Return the term of one entry with its influence."""
        entry = item if isinstance(item, dict) else {}
        influence = finite_number(entry.get("influence"))
        if influence is None:
            self.problems.add(f"{place}.influence must be a number", text=repr(entry.get("influence")))
            return []
        if "factors" not in entry:
            return self.spelled(entry.get("term"), influence, f"{place}.term")
        factors = entry["factors"]
        if not isinstance(factors, list):
            self.problems.add(f"{place}.factors must be a list")
            return []
        term_factors = [self.factor(factor, f"{place}.factors[{i}]") for i, factor in enumerate(factors)]
        if any(factor is None for factor in term_factors):
            return []
        return [(product_of(factor for factor in term_factors if factor is not None), influence)]

    def spelled(self, text: Any, influence: float, place: str) -> list[tuple[Term, float]]:
        """Return the canonical terms of a term that is given as text only."""
        if not isinstance(text, str):
            self.problems.add(f"{place} must be a text")
            return []
        try:
            expansion = expand_text(text, self.system.term_names if self.system else None)
        except ExpressionError as error:
            for problem in error.problems:
                self.problems.add(f"{place}: {problem.message}", text=text, hint=problem.hint)
            return []
        return [(term, influence * weight) for term, weight in (expansion or {CONSTANT: 0.0}).items()]

    def factor(self, item: Any, place: str) -> Factor | None:
        """Return one factor, None if it is wrong."""
        entry = item if isinstance(item, dict) else {}
        name = entry.get("option")
        if not isinstance(name, str):
            self.problems.add(f"{place}.option must be the name of an option")
            return None
        if name in self.named:
            name = self.named[name]
        elif self.system is not None:
            canonical = self.system.term_names.get(name)
            if canonical is None:
                hint = unknown_name_hint(name, list(self.system.term_order))
                self.problems.add(f"{place}: unknown option {name!r}", hint=hint)
                return None
            name = canonical
        try:
            power, log = _read_exponent(entry.get("power", 0)), _read_exponent(entry.get("log10", 0))
        except (ValueError, ZeroDivisionError):
            self.problems.add(f"{place}: an exponent must be a whole number or a fraction such as '1/2'")
            return None
        return Factor(name, power, log)


def _read_exponent(value: Any) -> Exponent:
    # Fraction also reads '1e999999999', which would take very long.
    if isinstance(value, bool) or not _EXPONENT.fullmatch(str(value)):
        raise ValueError
    fraction = Fraction(value)
    return fraction.numerator if fraction.denominator == 1 else fraction
