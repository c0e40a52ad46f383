"""Write learned models as logs in SPL Conqueror's line grammar, which tools for SPL Conqueror can read.

Content that SPL Conqueror's logs have no line for is in `command: splc …` lines, which such tools skip.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from splc.arithmetic.tokens import NameTable
from splc.formats.models.json import provenance_of
from splc.formats.models.stored_model import ModelFile
from splc.formats.scripts import SEED, STRATEGIES
from splc.io.latex import one_line
from splc.learning.result import LearnedTerm, LearningResult
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, Factor, Term, product_of
from splc.models.text.log_grammar import duration_text, model_text, net_number, require_writable_names, term_text
from splc.system.variability import ROOT

HEADER = (
    "Round, Model, LearningError, LearningErrorRel, ValidationError, ValidationErrorRel, ElapsedSeconds, "
    "ModelComplexity, BestCandidate, BestCandidateSize, BestCandidateScore, TestError"
)
LINK = "command: splc link: "
NOTE = "command: splc note: "
NFP = "command: nfp "
SETTINGS = "Current machine learning settings: "
COMMAND = "command: splc "
COMPANION = "command: splc json: "  # the JSON file that was written with the log, in the same folder
DEFINITION = "command: splc definition: "
VALIDATION = "validation_configurations"  # where the provenance states the size of a validation set


def log_text(content: ModelFile) -> str:
    """Return the only model of a file as a log."""
    stored = content.only("a log holds", "a log cannot hold")
    if stored.result is not None:
        return learned_log_text(stored.result, test_errors=content.test_errors, companion=content.companion)
    return model_log_text(stored.model, content.base, stored.nfp)


def learned_log_text(
    result: LearningResult, *, test_errors: Sequence[float | None] | None = None, companion: str | None = None
) -> str:
    """Return a learning result as a log, with the commands of an equivalent script; for the others see `ModelFile`."""
    result = result.of_printed
    facts: dict[str, Any] = {"preset": result.preset, "seed": result.seed}
    for key, value in provenance_of(result).items():
        facts.setdefault("version" if key == "splc" else key, value)
    facts |= {"learning error": result.learning_error, "error": result.error}
    facts |= {"left out of errors": result.left_out} if result.left_out else {}
    texts = {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        for key, value in facts.items()
    }
    measured = result.provenance.get("measured_configurations", result.learning_configurations)
    sampling = str(result.provenance.get("sampling", ""))
    lines = [
        *_link_lines(result.model),
        *_definition_lines(_definitions(result.model)),
        *(f"{COMMAND}{one_line(key)}: {one_line(text)}" for key, text in texts.items()),
        *(f"{NOTE}{one_line(note)}" for note in result.notes),
        *([] if companion is None else [COMPANION + one_line(companion)]),
        NFP + one_line(result.nfp),
        settings_line(result.settings),
        "Configs with too large deviation: 0",
        f"{measured} configurations loaded.",
        *(f"command: {one_line(line)}" for line in script_lines(sampling, result.seed)),
        "command: learn-splconqueror",
        *learning_lines(result, test_errors[-1] if test_errors else result.error_all),
        "command: analyze-learning",
        *analysis_lines(result, test_errors),
        "command: clean-sampling",
    ]
    return "\n".join(lines) + "\n"


def script_lines(spec: str, seed: int = 0) -> tuple[str, ...]:
    """Return the lines of a script that ask for the sampling of a spec; none if SPL Conqueror has no such sampling."""
    if spec == "measured":
        return ("select-all-measurements true",)
    parts = re.split(r"\+(?![^\[\]]*\])", spec)
    lines = []
    for number, part in enumerate(parts):
        name = re.split(r"[:\[]", part)[0].strip()
        # Whole configurations are drawn uniformly here only.
        kind = ("binary", "numeric")[number] if len(parts) == 2 else None
        rows = [each for each in STRATEGIES if each.design == name and (name != "random" or each.kind == kind)]
        if not rows:
            return ()
        strategy, (design, bracket, options) = rows[0], part.partition("[")
        arguments = [text.strip() for text in design.partition(":")[2].split(",") if text.strip()]
        named_arguments = dict(text.split("=", 1) for text in arguments if "=" in text)
        positional = [text for text in arguments if "=" not in text and text not in strategy.fixed]
        texts = [strategy.kind, strategy.name]
        for key in (each for each in strategy.keys if each.ours is not None):
            value = named_arguments.get(key.ours) if key.ours else (positional.pop(0) if positional else None)
            value = str(seed) if value is None and key is SEED else value
            texts += [] if value is None else [f"{key.name}:{value}"]
        texts += [f"{strategy.flag}:true"] if strategy.flag else []
        lines.append(" ".join([*texts, *([bracket + options.strip()] if bracket else [])]))
    return tuple(lines)


def settings_line(settings: Mapping[str, Any]) -> str:
    """Return the line that states the settings, `name:value name:value …`, with values as .NET writes them."""
    return f"{SETTINGS}{' '.join(f'{name}:{_setting(name, value)}' for name, value in settings.items())} blacklisted: "


def learning_lines(result: LearningResult, error: float | None, validation: int | None = None) -> list[str]:
    """Return what `learn-splconqueror` prints."""
    result = _with_plain_names(result)
    validation_count = "" if validation is None else f" NumberOfConfigurationsValidation:{validation}"
    lines = [
        f"Learning: NumberOfConfigurationsLearning:{result.learning_configurations}{validation_count}",
        "Learning progress:",
        *_round_lines(result),
        f"Elapsed learning time(seconds): {duration_text(result.seconds)}",
        f"Prediction Error: {_error(error)} %",
    ]
    if not result.rounds and result.settings.get("bagging"):
        texts = ((term.influence, term.log_text(result.model.order, result.base)) for term in result.terms)
        lines += ["average model: ", *(f"  {model_text([pair])} + " for pair in texts)]
    return lines


def analysis_lines(result: LearningResult, test_errors: Sequence[float | None] | None = None) -> list[str]:
    """Return what `analyze-learning` prints: all rounds with their errors, see `learned_log_text`."""
    rounds = _round_lines(result := _with_plain_names(result))
    test_errors = [None] * (len(rounds) - 1) + [result.error_all] if test_errors is None else test_errors
    # SPL Conqueror writes no reason if no candidate was left.
    reason = "" if result.termination == "noCandidate" else result.termination
    texts = ("" if error is None else net_number(error) for error in test_errors)
    lines = map("".join, zip(rounds, texts, strict=True))
    return [HEADER, "Models:", f"Termination reason: {reason}", *lines, "Analyze finished"]


def _with_plain_names(result: LearningResult) -> LearningResult:
    """Return the result of the printed model, whose terms have only names that the grammar can express."""
    result = result.of_printed
    defined, order = _definitions(result.model), result.model.order
    _require_names(result.model, result.base)

    def renamed(term: LearnedTerm) -> LearnedTerm:
        return replace(term, term=_with_names(term.term, defined, order)) if defined else term

    rounds = (replace(step, added=renamed(step.added), terms=tuple(map(renamed, step.terms))) for step in result.rounds)
    return replace(result, terms=tuple(map(renamed, result.terms)), rounds=tuple(rounds))


def model_log_text(model: InfluenceModel, base: str = ROOT, nfp: str | None = None) -> str:
    """Return a model without a history as a log, as SPL Conqueror's `truemodel` prints one: one line, round 0."""
    _require_names(model, base)
    defined, order = _definitions(model), model.order
    # The constant comes first, as in every log.
    terms = sorted(model.terms, key=lambda pair: pair[0] != CONSTANT)
    pairs = ((influence, term_text(_with_names(term, defined, order), order, base)) for term, influence in terms)
    size = sum(max(1, term.occurrences) for term, _ in terms)
    lines = [
        *(_link_lines(model) if model.link != "identity" else []),
        *_definition_lines(defined),
        *([] if nfp is None else [NFP + one_line(nfp)]),
        HEADER,
        "Models:",
        "Termination reason: ",
        f"0;{model_text(pairs)};NaN;NaN;NaN;NaN;0;{size};;0;0;",
        "Analyze finished",
    ]
    return "\n".join(lines) + "\n"


def _definitions(model: InfluenceModel) -> dict[str, str]:
    """Return text → f1, f2, …, for subexpressions and powers with fractions as exponents, which the grammar lacks."""
    reserved = {*model.order, *model.options, ROOT}
    names = (name for name in (f"f{number}" for number in itertools.count(1)) if name not in reserved)
    powers = (factor for term, _ in model.terms for factor in _parts(term) if factor.power % 1 or factor.log % 1)
    texts = [*(derived.name for derived in model.factors), *(Term((factor,)).text(model.order) for factor in powers)]
    return dict(zip(dict.fromkeys(texts), names, strict=False))


def _parts(term: Term) -> list[Factor]:
    """Return the powers, and then the logarithms, of a term."""
    powers = [replace(factor, log=0) for factor in term.factors if factor.power != 0]
    return powers + [replace(factor, power=0) for factor in term.factors if factor.log != 0]


def _definition_lines(defined: Mapping[str, str]) -> list[str]:
    """Return the definitions of names in terms, and a note that other programs have no values for them."""
    note = f"{NOTE}SPL Conqueror's programs cannot compute {' '.join(defined.values())}"
    return [*(f"{DEFINITION}{name} = {text}" for text, name in defined.items()), *([note] if defined else [])]


def _with_names(term: Term, defined: Mapping[str, str], order: Sequence[str]) -> Term:
    """Return a term with names instead of the texts that these define."""
    if not defined:
        return term
    factors: list[Factor] = []
    for factor in _parts(term):
        name = defined.get(Term((factor,)).text(order))
        factors.append(Factor(name) if name else replace(factor, option=defined.get(factor.option, factor.option)))
    return product_of(factors)


def _require_names(model: InfluenceModel, base: str) -> None:
    names_by_name = {name: name for name in (*model.order, *model.options, base, ROOT)}
    require_writable_names([*sorted(model.options), base], NameTable(names_by_name) if model.order else None)


def _setting(name: str, value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join("".join(str(item).split()) for item in value)
    if name == "learnTimeLimit":
        return duration_text(float(value)).removesuffix(".0000000")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return net_number(value) if is_number else one_line(str(value))


def _link_lines(model: InfluenceModel) -> list[str]:
    """Return the link, which the reader needs, and an explanation unless the sum is the prediction."""
    return [LINK + model.link, *([] if model.link == "identity" else [f"{NOTE}the prediction is exp(model)"])]


def _error(value: float | None) -> str:
    return net_number(float("nan") if value is None else value)


def _round_lines(result: LearningResult) -> list[str]:
    """Return one line per round without its last field; without rounds one line for the model, as round 0."""
    order, base = result.model.order, result.base

    def text(*terms: LearnedTerm) -> str:
        return model_text((term.influence, term.log_text(order, base)) for term in terms)

    if not result.rounds:
        size = sum(max(1, term.occurrences) for term in result.terms)
        errors = ";".join([_error(result.learning_error)] * 4)
        return [f"0;{text(*result.terms)};{errors};{net_number(result.seconds)};{size};;0;0;"]
    relative = result.settings.get("lossFunction", "RELATIVE") == "RELATIVE"
    # Candidates were judged by other configurations than those learned from.
    crossed = bool(result.settings.get("crossValidation", False)) or VALIDATION in result.provenance
    lines: list[str] = []
    for step in result.rounds:
        # The influences of the last round are those of the final fit.
        terms = result.terms if step is result.rounds[-1] else step.terms
        added_term = next((term for term in terms if term.same_product(step.added)), step.added)
        learning = step.learning_error if relative else step.error
        validation = step.error if crossed or not relative else step.learning_error
        relative_validation = step.error if crossed and relative else step.learning_error
        numbers = map(net_number, (learning, step.learning_error, validation, relative_validation, step.seconds))
        # Option occurrences, not distinct options: `log10( x ) * A * ( 64 - x )` has 3 in SPL Conqueror's logs.
        added = (text(added_term), str(step.added.occurrences), net_number(step.score), "")
        lines.append(";".join((str(step.number), text(*terms), *numbers, str(step.complexity), *added)))
    return lines
