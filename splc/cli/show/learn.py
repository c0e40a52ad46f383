"""A learned model as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal

from splc.cli.detail import detail
from splc.cli.show.answer import answer
from splc.cli.show.baselines import BaselinesObject, show_baselines
from splc.cli.show.blocks import Column, columns, counted, show_facts, show_rows
from splc.cli.show.effects import OptionEffectsObject, show_effects
from splc.cli.show.files import FileObject
from splc.cli.show.init import InferenceObject
from splc.cli.show.optimize import FailuresObject
from splc.cli.show.scale import scaling_facts, show_predictions, show_terms
from splc.cli.show.search import SearchObject, show_search
from splc.cli.terminal import say, tell
from splc.data.property_unit import titled
from splc.formats.measurements.columns import shown_value
from splc.formats.models.json_objects import (
    ModelObject,
    PredictionObject,
    ScalingObject,
    TermObject,
    UncertaintyObject,
    terms_of,
)
from splc.io.json_object import JsonObject, at, json_object, merged, optional
from splc.io.numbers import percentage
from splc.learning import LearningResult
from splc.learning.judged_rows import ErrorSample
from splc.learning.model_scores import FormScore
from splc.learning.result import SparseErrors
from splc.workflows.learn import Result

# The unit of the error that learning lowers, by the loss function.
UNITS = {
    "RELATIVE": "%",
    "ABSOLUTE": "in units of {nfp}, as a mean absolute error",
    "LEASTSQUARES": "in squared units of {nfp}, as a mean squared error",
}
_percent = partial(percentage, missing="undefined")
# The models whose errors are side by side, and the forms of printed models in words.
BOTH = (Column("", 0), Column("printed", 1, right=True), Column("full model", 2, right=True), Column(" ", 3))
PATH = (
    *columns("terms"),
    *columns("cross-validated = error, difference = distance", percentage),
    *columns("last term added = added"),
)
FORMS = {"shapes": "sum with thresholds"}
# Why the learners that are not stepwise ended.
TERMINATIONS = {
    "projected": "further terms would change the prediction by less than its uncertainty",
    "constant": "no influence was found",
    "fitted": "the predictor was fitted",
}


class LearnedTermObject(TermObject):
    """A term of a learned model; the share is in percent."""

    share: float | None


class LearnedModelObject(ModelObject):
    """A learned model, also with its terms grouped by options."""

    terms: Sequence[LearnedTermObject]
    groups: list[OptionEffectsObject]


class RoundObject(JsonObject):
    """A round; errors are in percent, the selection error only with the relative loss."""

    round: int
    term: str
    error: float | None
    selection_error: float | None
    learning_error: float | None
    test_error: float | None
    score: float | None


class EvaluationObject(JsonObject):
    """The number of configurations that the error is computed on, and how many of them were learned from."""

    configurations: int
    learned_from: int


def _model(learned: Result) -> dict[str, Any] | None:
    """Return the JSON object of the model, None if it has no terms to show."""
    if not learned.result.readable:
        return None
    model = learned.result.model
    terms = [{**term, "share": share} for term, share in zip(terms_of(model), learned.shares, strict=True)]
    return json_object(LearnedModelObject, model, terms=terms, groups=learned.effects)


class ExpectedErrorObject(JsonObject):
    """The error to expect at configurations that were not learned from.

    `percent` and `factor` are of values that are all positive, `difference` and `margin` of others; 9 of 10 values are
    within the factor or margin. `run` is the error of single runs, where some are repeated, `printed` is `percent` of
    the printed model, where another one predicts. `about` says in words what it is about; where settings repeat,
    `known_percent` is that of `known`, which have the values of the options `known_by` of a row that was learned from.
    """

    source: Literal["measured", "cross-validated", "unknown"]
    configurations: int
    verdict: Literal["good", "rough", "poor", "unknown"]
    percent: float | None
    difference: float | None
    factor: float | None
    margin: float | None
    reason: str
    printed: float | None
    run: float | None
    about: str
    known: str
    known_percent: float | None
    known_by: list[str]


class LearnedColumnsObject(JsonObject):
    """The roles of columns that the user chose, and whether constraints were inferred from the measurements."""

    options: list[str] = optional(lambda columns: columns.get("options"))
    ignore: list[str] = optional(lambda columns: columns.get("ignore"))
    constraints: bool = optional(lambda columns: columns.get("constraints"))
    mined: bool = optional(lambda columns: columns.get("mined"))


class LearnedObject(JsonObject, schema="splc.learn/1"):
    """A learned model; errors are in percent, and those outside of `printed` are of what predicts."""

    system: str = at("measured.system.name")
    nfp: str = at("result.nfp")
    unit: str | None = at("result.unit")
    learner: str = at("result.learner")
    model: LearnedModelObject | None = at(_model)
    scaling: ScalingObject = optional("result.scaling")
    predictions: list[PredictionObject] = optional(
        lambda learned: learned.predictions if learned.result.scaling else None
    )
    sampling: str | None = at("result.provenance.sampling")
    learning_configurations: int = at("result.learning_configurations")
    measured_configurations: int = at("result.provenance.measured_configurations")
    contexts: dict[str, str] = at("measured.contexts")
    columns: LearnedColumnsObject = at(lambda learned: learned.result.provenance.get("columns", {}))
    learning_error: float | None = at("result.learning_error")
    error: float | None = at("result.error")
    error_all: float | None = at("result.error_all")
    samples: dict[str, ErrorSample] = optional(lambda learned: learned.result.samples or None)
    expected_error: ExpectedErrorObject
    uncertainty: UncertaintyObject = merged("result")
    printed: SparseErrors | None = at("result.printed_errors")
    folds: int | None = at(lambda learned: learned.folds or None)
    evaluated_on: str | None = at("evaluated.source")
    evaluation: EvaluationObject | None = at("evaluated")
    left_out: int = at("result.left_out")
    rounds: list[RoundObject] = at(lambda learned: list(_rounds(learned)))
    termination: str = at("result.termination")
    seconds: float = at("result.seconds")
    preset: str | None = at("result.preset")
    settings: dict[str, Any] = at("result.settings")
    seed: int | None = at("result.seed")
    files: dict[str, FileObject] = at("result.provenance.files")
    inferred: InferenceObject | None = at("inference")
    failures: FailuresObject | None = at("measured.failures")
    output: str | None
    companion: str | None
    notes: list[str] = at("result.notes")
    baselines: BaselinesObject | None = merged(lambda learned: learned.compared or None)
    search: SearchObject = optional()


def _rounds(learned: Result) -> Iterator[dict[str, Any]]:
    """Yield the rounds with their errors."""
    result = learned.result
    # Errors are percentages; only the relative loss is one.
    relative = result.settings.get("lossFunction", "RELATIVE") == "RELATIVE"
    for this, error in zip(result.rounds, learned.round_errors, strict=bool(result.rounds)):
        row = {"round": this.number, "term": this.added.text(result.model.order), "selection_error": this.error}
        row |= {"test_error": error, "error": this.error if relative else this.learning_error}
        yield {**vars(this), **row}


def show(learned: Result, *, path: bool = False) -> None:
    """Print the model, its errors, and the files that were written.

    `path`: also the models from few terms to many.
    """
    result = learned.result
    tell(answer(learned), "answer")
    if detail().quiet and not path:
        return
    tell(_title(learned))
    facts: list[tuple[str, str | None]] = []
    if not result.readable:
        say(f"The learner {result.learner} predicts without terms, so there is no model to show.")
    elif result.scaling is None:
        show_effects(learned.effects, result.learning_configurations)
        if path:
            show_path(result)
    else:
        show_terms(result.scaling)
        say()
        show_predictions(learned.predictions)
        facts += scaling_facts(result.scaling)
    if result.printed_errors is None:
        facts += _errors(learned)
    else:
        say()
        show_rows(_both_errors(learned, result.printed_errors), BOTH)
    if len(result.forms) > 1:
        facts.append(("other forms", ", ".join(_scores(result.forms[1:]))))
    if result.readable and result.scaling is None and result.printed is None:
        facts.append(("ended", termination_in_words(result)))
    rounds = f", {counted(len(result.rounds), 'round')}" if result.rounds else ""
    facts.append(("time", f"{result.seconds:.3g} s{rounds}"))
    files = ", ".join(filter(None, (learned.output, learned.companion)))
    say()
    show_facts([*facts, ("model", files or None), ("plot", learned.plot)])
    show_baselines(learned)
    if learned.search is not None:
        show_search(learned.search)


def _title(learned: Result) -> str:
    """Return what the model is about, its form, and what predicts."""
    result = learned.result
    contexts = [f"{name} = {shown_value(value)}" for name, value in learned.measured.contexts.items()]
    parts = [f"{learned.measured.system.name}: model of {titled(result.nfp, result.unit)}", *contexts]
    if result.printed is not None and result.termination != "constant":
        if result.model.options:
            parts.append("a product" if result.model.link == "log" else "a sum")
        parts.append("predictions come from the full model")
    return ", ".join(parts)


def _both_errors(learned: Result, printed: SparseErrors) -> Iterator[tuple[str, str, str, str]]:
    """Yield the errors of the printed and the full model, and the configurations that they are computed on."""
    result = learned.result
    count, everything = result.learning_configurations, result.provenance["measured_configurations"]
    where = f"on {_judging(result, 'learning_error', count)} learned from"
    yield ("learning error", _percent(printed.learning_error), _percent(result.learning_error), where)
    crossed, full = printed.cross_validated, result.cross_validated
    if crossed is not None or full is not None:
        first, second = (_percent(None if errors is None else errors.mean) for errors in (crossed, full))
        yield ("cross-validated", first, second, f"{learned.folds} folds" if learned.folds else "")
    if learned.evaluated is not None:
        where = f"on {learned.evaluated.source}, {_judging(result, 'error', learned.evaluated.configurations)}"
    else:
        where = f"on {_judging(result, 'error', everything - count)} not learned from"
    if learned.knows_every and learned.evaluated is None:
        yield ("error elsewhere", "-", "-", "every configuration is measured")
    elif everything == count and learned.evaluated is None:
        yield ("error elsewhere", "unknown", "unknown", "nothing is left to judge by: all was learned from")
    else:
        yield ("error elsewhere", _percent(printed.error), _percent(result.error), where)
    if printed.distance is not None and result.termination != "constant":
        where = "learned from" if learned.knows_every else "not learned from"
        yield ("difference", _percent(printed.distance), "", f"from the full model, on configurations {where}")


def _scores(forms: Sequence[FormScore]) -> Iterator[str]:
    """Yield the other forms with their cross-validated errors."""
    for score in forms:
        yield f"{FORMS.get(score.form, score.form)} {_percent(score.cross_validated)} ({counted(score.terms, 'term')})"


def show_path(result: LearningResult) -> None:
    """Print the models from few terms to many, with their cross-validated errors and differences to the full model."""
    say()
    if result.path:
        show_rows(result.path, PATH)
    else:
        say(f"path: the learner {result.learner} does not compute one")


def _errors(learned: Result) -> Iterator[tuple[str, str]]:
    """Yield the errors and the configurations that they are computed on."""
    result, evaluated = learned.result, learned.evaluated
    size, everything = result.learning_configurations, result.provenance["measured_configurations"]
    count = _judging(result, "learning_error", size)
    yield ("learning error", f"{_percent(result.learning_error)} on {count} learned from")
    if evaluated is not None:
        count = _judging(result, "error", evaluated.configurations)
        yield ("error", f"{_percent(result.error)} on {evaluated.source}, {count}")
    elif everything > size:
        count = _judging(result, "error", everything - size)
        yield ("error", f"{_percent(result.error)} on {count} not learned from")
    elif learned.knows_every:
        yield ("error", "there are no others: every configuration is measured")
    else:
        yield ("error", "unknown: everything measured was learned from, nothing is left to judge the model by")
    if everything > size:
        yield ("error, all", f"{_percent(result.error_all)} on {_judging(result, 'error_all', everything)} measured")
    if result.cross_validated is not None:
        median, mean, high = map(_percent, vars(result.cross_validated).values())
        where = f", {learned.folds} folds" if learned.folds else ""
        yield ("cross-validated", f"{mean} (median {median}, 95th percentile {high}{where})")


def termination_in_words(result: LearningResult) -> str:
    """Return why learning ended."""
    from splc.learning.stepwise.stopping import REASONS

    if result.termination == "abortError":
        # Without any round, there was nothing to explain from the start.
        error = result.rounds[-1].error if result.rounds else None
        if error is None or not error < result.settings["abortError"]:
            return "the model is exact: what error is left is rounding"
    if result.termination in TERMINATIONS:
        return TERMINATIONS[result.termination]
    unit = UNITS[result.settings.get("lossFunction", "RELATIVE")].format(nfp=result.nfp)
    return REASONS[result.termination].format(**result.settings, unit=unit)


def _judging(result: LearningResult, error: str, count: int) -> str:
    """Return the number of configurations that an error is computed on; of a sample also that of all of them."""
    sample = result.samples.get(error)
    return ("" if sample is None else f"{sample.configurations:,} of ") + counted(count, "configuration")
