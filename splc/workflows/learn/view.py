"""The view of a learned model, or of those of the values of a context, and their JSON objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from splc.data.property_unit import titled
from splc.errors import listed, plural
from splc.formats.column_choice import shown_value
from splc.formats.models.json import model_as_json, scaling_as_json, uncertainty_as_json
from splc.io.files import STANDARD
from splc.io.json import getter, picked
from splc.io.numbers import percentage
from splc.learning import LearningResult
from splc.learning.contexts.sharing import ALONE
from splc.learning.folds import PrintedErrors
from splc.learning.registry import PROJECTION
from splc.workflows import views
from splc.workflows.fields import inputs_of
from splc.workflows.inputs import ByValue, SystemInputs
from splc.workflows.learn import contexts
from splc.workflows.learn.effects import change_as_json, effects_as_json, view_of_changes, view_of_effects
from splc.workflows.learn.learn import JudgedLearner, Result, run
from splc.workflows.learn.request import Request
from splc.workflows.prediction_notes import EVERY, HELD_OUT, LEARNED, NEW
from splc.workflows.scaling_view import PREDICTIONS, scaling_facts, view_of_terms
from splc.workflows.subspace import failures_as_json, inference_as_json

# The number of configurations to measure next, at most.
BUDGET = 10
# The texts before the errors of models that are not good.
VERDICTS = {
    "poor": "poor model, hardly better than one value for all configurations",
    "rough": "rough model",
    "constant": "no influence found, one value for all configurations",
}
# The unit of the error that learning lowers, by the loss function.
UNITS = {
    "RELATIVE": "%",
    "ABSOLUTE": "in units of {nfp}, as a mean absolute error",
    "LEASTSQUARES": "in squared units of {nfp}, as a mean squared error",
}
_percent = partial(percentage, missing="undefined")
# The models whose errors are side by side, and the forms of printed models in words.
_TITLES = ("", "printed", "full model", " ")
BOTH = tuple(views.Column(title, index, right=bool(title.strip())) for index, title in enumerate(_TITLES))
PATH = (
    *views.columns("terms"),
    *views.columns("cross-validated = error, difference = distance", percentage),
    *views.columns("last term added = added"),
)
LEARNED_BY = (
    views.Column("terms", lambda row: str(len(row.result.model.terms)) if row.result.readable else "–", right=True),
    views.Column("time", "result.seconds", lambda seconds: f"{seconds:.3g} s"),
)
FORMS = {"shapes": "sum with thresholds"}
# Why the learners that are not stepwise ended.
TERMINATIONS = {
    "projected": "further terms would change the prediction by less than its uncertainty",
    "constant": "no influence was found",
    "fitted": "the predictor was fitted",
}


def _model_as_json(learned: Result) -> dict[str, Any]:
    """Return the JSON object of a learned model; errors are in percent, and but for `printed` of what predicts.

    In `expected_error`, `percent` and `factor` are of values that are all positive, `difference` and `margin` of
    others; 9 of 10 values are within the factor or margin. `run` is the error of single runs, where some are repeated,
    `printed` is `percent` of the printed model, where another one predicts. `about` says in words what it is about;
    where settings repeat, `known_percent` is that of `known`, which have the values of the options `known_by` of a row
    that was learned from.
    """
    result, compared = learned.result, learned.compared
    model, scaling, baselines = None, {}, {}
    if result.readable:
        model = model_as_json(result.model)
        terms = [{**term, "share": share} for term, share in zip(model["terms"], learned.shares, strict=True)]
        model |= {"terms": terms, "groups": [effects_as_json(group) for group in learned.effects]}
    if result.scaling is not None:
        scaling = {"scaling": scaling_as_json(result.scaling), "predictions": learned.predictions}
    if compared:
        errors = "error_median = median, error_p95 = p95"
        others = [
            {
                **picked(row, f"learner = result.learner, error = result.error, {errors}"),
                **picked(row.result, "cross_validated, learning_error"),
                "terms": len(row.result.model.terms) if row.result.readable else None,
                **picked(row.result, "seconds, settings"),
            }
            for row in compared[1:]
        ]
        baselines = {**picked(compared[0], errors), "baselines": others}
    return {
        "schema": "splc.learn/1",
        "system": learned.measured.system.name,
        **picked(result, "nfp, unit, learner"),
        "model": model,
        **scaling,
        "sampling": result.provenance.get("sampling"),
        "learning_configurations": result.learning_configurations,
        "measured_configurations": result.provenance["measured_configurations"],
        "contexts": learned.measured.contexts,
        "columns": result.provenance.get("columns", {}),
        **picked(result, "learning_error, error, error_all"),
        **({"samples": result.samples} if result.samples else {}),
        "expected_error": learned.expected_error.values(),
        **uncertainty_as_json(result),
        "printed": result.printed_errors,
        **({"blocks": result.blocks.facts} if result.blocks else {}),
        "folds": learned.folds or None,
        "evaluated_on": learned.evaluated and learned.evaluated.source,
        "evaluation": learned.evaluated and picked(learned.evaluated, "configurations, learned_from"),
        "left_out": result.left_out,
        "rounds": list(_rounds_as_json(learned)),
        **picked(result, "termination, seconds, preset, settings, seed, files = provenance.files"),
        "inferred": learned.inference and inference_as_json(learned.inference),
        "failures": failures_as_json(learned.measured.failures),
        **picked(learned, "output, companion, notes = result.notes"),
        **baselines,
    }


def _rounds_as_json(learned: Result) -> Iterator[dict[str, Any]]:
    """Yield the rounds with their errors."""
    result = learned.result
    # Errors are percentages; only the relative loss is one.
    relative = result.settings.get("lossFunction", "RELATIVE") == "RELATIVE"
    for this, error in zip(result.rounds, learned.round_errors, strict=bool(result.rounds)):
        yield {
            "round": this.number,
            "term": this.added.text(result.model.order),
            "error": this.error if relative else this.learning_error,
            **picked(this, "selection_error = error, learning_error"),
            "test_error": error,
            "score": this.score,
        }


def _view_of_model(learned: Result, detail: views.Detail) -> views.View:
    """Yield the model, its errors, the files that were written, and what to do next."""
    request = learned.request
    if request.output != STANDARD:
        yield views.Answer(answer(learned))
        if not detail.quiet or request.path:
            yield from _model_and_errors(learned)
    yield learned.notes
    yield views.NextSteps(next_steps(learned))
    if learned.interrupted:
        yield views.Message("learning was interrupted; what was learned until then is kept")
        yield views.End(130)


def _model_and_errors(learned: Result) -> views.View:
    result = learned.result
    stated = [f"{name} = {shown_value(value)}" for name, value in learned.measured.contexts.items()]
    title = [f"{learned.measured.system.name}: model of {titled(result.nfp, result.unit)}", *stated]
    if result.printed is not None and result.termination != "constant":
        form = "a product" if result.model.link == "log" else "a sum"
        title += [*([form] if result.model.options else []), "predictions come from the full model"]
    yield views.Prose(", ".join(title))
    facts: list[tuple[str, str | None]] = []
    if not result.readable:
        yield f"The learner {result.learner} predicts without terms, so there is no model to show."
    elif result.scaling is None:
        yield from view_of_effects(learned.effects, result.learning_configurations)
        if learned.request.path:
            yield ""
            no_path = f"path: the learner {result.learner} does not compute one"
            yield views.Rows(result.path, PATH) if result.path else no_path
    else:
        yield from view_of_terms(result.scaling)
        yield ""
        yield views.Rows(learned.predictions, PREDICTIONS)
        facts += scaling_facts(result.scaling)
    if result.printed_errors is None:
        facts += _errors(learned)
    else:
        yield ""
        yield views.Rows(_both_errors(learned, result.printed_errors), BOTH)
    if result.blocks is not None:
        facts.append(("blocks", result.blocks.text("the model")))
    if len(result.forms) > 1:
        scores = []
        for score in result.forms[1:]:
            form, terms = FORMS.get(score.form, score.form), views.counted(score.terms, "term")
            scores.append(f"{form} {_percent(score.cross_validated)} ({terms})")
        facts.append(("other forms", ", ".join(scores)))
    if result.readable and result.scaling is None and result.printed is None:
        facts.append(("ended", termination_in_words(result)))
    rounds = f", {views.counted(len(result.rounds), 'round')}" if result.rounds else ""
    files = ", ".join(filter(None, (learned.output, learned.companion)))
    facts += [("time", f"{result.seconds:.3g} s{rounds}"), ("model", files or None), ("plot", learned.plot)]
    yield from ("", views.Facts(facts))
    if learned.compared:
        yield from _table_of_learners(learned.compared, learned.folds)


def answer(learned: Result) -> str:
    """Return the first line about a learned model."""
    result, expected = learned.result, learned.expected_error
    constant = result.termination == "constant"
    kind = VERDICTS.get("constant" if constant else expected.verdict, "")
    count, everything = result.learning_configurations, result.provenance["measured_configurations"]
    if expected.verdict == "unknown" and learned.knows_every:
        verdict = f"{kind}, " if kind else ""
        printed = None if constant or result.printed_errors is None else result.printed_errors.learning_error
        parts = [f"{EVERY}{verdict}{expected.of_learned(result.learning_error, printed)}"]
    else:
        values = learned.measured.measured(result.nfp).column(result.nfp)
        error = expected.text(values, result.unit, every=learned.knows_every)
        parts = [f"{kind}: {error}" if kind else error]
    if result.readable and not constant:
        parts.append(views.counted(len(result.model.terms), "term") if result.model.options else "a constant")
    parts.append(f"from {count:,} of {everything:,} measured" if count < everything else f"from {count:,} measured")
    return "; ".join(parts)


def _both_errors(learned: Result, printed: PrintedErrors) -> Iterator[tuple[str, str, str, str]]:
    """Yield the errors of the printed and the full model, and the configurations that they are computed on."""
    result, everywhere = learned.result, learned.knows_every and learned.evaluated is None
    where = _judging(learned, "learning_error")
    yield ("learning error", _percent(printed.learning_error), _percent(result.learning_error), where)
    crossed, full = printed.cross_validated, result.cross_validated
    if crossed is not None or full is not None:
        first, second = (_percent(None if errors is None else errors.mean) for errors in (crossed, full))
        yield ("cross-validated", first, second, f"{learned.folds} folds" if learned.folds else "")
    if everywhere:
        yield ("error elsewhere", "-", "-", "every configuration is measured")
    elif not learned.others and learned.evaluated is None:
        yield ("error elsewhere", "unknown", "unknown", "nothing is left to judge by: all was learned from")
    else:
        yield ("error elsewhere", _percent(printed.error), _percent(result.error), _judging(learned, "error"))
    if printed.distance is not None and result.termination != "constant":
        where = "learned from" if learned.knows_every else "not learned from"
        yield ("difference", _percent(printed.distance), "", f"from the full model, on configurations {where}")


def _errors(learned: Result) -> Iterator[tuple[str, str]]:
    """Yield the errors and the configurations that they are computed on."""
    result = learned.result
    yield ("learning error", f"{_percent(result.learning_error)} {_judging(learned, 'learning_error')}")
    if learned.evaluated is not None or learned.others > 0:
        yield ("error", f"{_percent(result.error)} {_judging(learned, 'error')}")
    elif learned.knows_every:
        yield ("error", "there are no others: every configuration is measured")
    else:
        yield ("error", "unknown: everything measured was learned from, nothing is left to judge the model by")
    if learned.others > 0:
        yield ("error, all", f"{_percent(result.error_all)} {_judging(learned, 'error_all')}")
    if result.cross_validated is not None:
        median, mean, high = map(_percent, vars(result.cross_validated).values())
        where = f", {learned.folds} folds" if learned.folds else ""
        yield ("cross-validated", f"{mean} (median {median}, 95th percentile {high}{where})")


def termination_in_words(result: LearningResult) -> str:
    """Return why learning ended."""
    from splc.learning.stepwise.algorithm import REASONS

    if result.termination == "abortError":
        # Without any round, there was nothing to explain from the start.
        error = result.rounds[-1].error if result.rounds else None
        if error is None or not error < result.settings["abortError"]:
            return "the model is exact: what error is left is rounding"
    if result.termination in TERMINATIONS:
        return TERMINATIONS[result.termination]
    unit = UNITS[result.settings.get("lossFunction", "RELATIVE")].format(nfp=result.nfp)
    return REASONS[result.termination].format(**result.settings, unit=unit)


def _judging(learned: Result, error: str) -> str:
    """Return on how many configurations an error is computed; of a sample also the number of all of them."""
    size, others, evaluated = learned.result.learning_configurations, learned.others, learned.evaluated
    by_error = {"learning_error": (size, " learned from"), "error_all": (size + others, " measured")}
    count, which = by_error.get(error, (others, " not learned from"))
    source = ""
    if error == "error" and evaluated is not None:
        count, which, source = evaluated.configurations, "", f"{evaluated.source}, "
    sample = learned.result.samples.get(error)
    part = "" if sample is None else f"{sample.configurations:,} of "
    return f"on {source}{part}{views.counted(count, 'configuration')}{which}"


def _table_of_learners(compared: Sequence[JudgedLearner], folds: int) -> views.View:
    """Yield the table of the errors of learners."""
    where = " outside of the learning set"
    errors = "error = result.error, median, 95th percentile = p95, cross-validated = result.cross_validated.mean"
    if all(row.median is None for row in compared):
        where = f", cross-validated with {views.counted(folds, 'fold')}"
        errors = "error = {0}.mean, median = {0}.median, 95th percentile = {0}.p95".format("result.cross_validated")
    yield f"\nRelative errors of learners{where}:"
    names, shares = views.columns("learner = result.learner"), views.columns(errors, percentage)
    yield views.Rows(compared, (*names, *shares, *LEARNED_BY))


def next_steps(learned: Result) -> Iterator[views.NextStep]:
    """Yield the commands that follow: more measurements where they help most, and the explanation of the model."""
    request, result, output = learned.request, learned.result, learned.output
    inputs = inputs_of(request, SystemInputs)
    if inputs is None or learned.interrupted:
        return
    steps = []
    # Observed variables cannot be chosen, so that models of them have no importance of options.
    options: frozenset[str] = getattr(result.predictor, "options", frozenset())
    watched = options & {*learned.measured.system.observed}
    explained = result.readable and result.scaling is None and not request.observed and not watched
    if explained and output and output.endswith((".json", ".log")):
        files = (output, *(inputs_of(request, SystemInputs, policies=False) or ()))
        steps.append(views.NextStep(("explain", *files), "which options matter, and how much"))
    usual = result.learner == PROJECTION and not request.observed and not request.parts
    if not learned.others and learned.unmeasured and usual:
        budget = min(BUDGET, learned.unmeasured)
        purpose = f"the {views.counted(budget, 'configuration')} to measure next"
        steps.append(views.NextStep(("suggest", *inputs, "--budget", str(budget)), purpose))
    yield from steps if learned.expected_error.verdict == "good" else reversed(steps)


def as_json(found: contexts.Result | Result) -> dict[str, Any]:
    """Return the JSON object of one model, or of the models of a context's values and what changed between them."""
    if isinstance(found, Result):
        return _model_as_json(found)
    shared = found.shared and {
        **picked(found, "model = shared.result.model.text, options"),
        "terms": len(found.shared.result.terms),
        **picked(found, "differing, output = shared.output"),
    }
    return {
        **ByValue(found.by, found.models).as_json("splc.learn.by/1", _model_as_json, "models"),
        "changes": [change_as_json(change) for change in found.changes],
        "plot": found.plot,
        **({"weights_of_alone": found.weights} if found.weights else {}),
        **({"shared": shared} if shared else {}),
        "failed": [{"value": value, "reason": reason} for value, reason in found.failed.items()],
    }


ERRORS = "learning error = 1.result.learning_error, error = 1.result.error"
VALUES = (
    views.Column("rows", lambda entry: entry[1].result.provenance["measured_configurations"]),
    views.Column("learned from", "1.result.learning_configurations"),
    views.Column("terms", lambda entry: len(entry[1].result.model.terms) if entry[1].result.readable else None),
    *views.columns(f"{ERRORS}, cross-validated = 1.result.cross_validated.mean", percentage),
    views.Column("model", lambda entry: entry[1].output or ""),
)


def view(found: contexts.Result | Result, detail: views.Detail) -> views.View:
    """Yield one model, or one line per value of a context and what changed between consecutive values."""
    if isinstance(found, Result):
        yield from _view_of_model(found, detail)
        return
    by, first = found.by, next(iter(found.models.values()))
    yield views.Answer(_answer_of_contexts(found))
    if not detail.quiet:
        yield views.Prose(f"{first.measured.system.name}: models of {first.result.nfp} by {by}")
        if found.weights:
            weights = ", ".join(f"{shown_value(value)} {weight:.2f}" for value, weight in found.weights.items())
            alone = [shown_value(value) for value, weight in found.weights.items() if weight > ALONE]
            text = f"{listed(alone)} alone, the others together" if alone else "all values together"
            if len(alone) == len(found.weights):
                text = "each value alone, which predicts held-out values better"
            yield views.Prose(f"learned: {text} (weights of learning alone: {weights})")
        shown = views.narrowed(VALUES, "model", "learning error", "terms")
        yield views.Rows(found.models.items(), (ByValue(by, found.models).column, *shown))
        if found.shared is not None:
            terms = views.counted(len(found.shared.result.terms), "term")
            file = "" if found.shared.output is None else f": {found.shared.output}"
            yield f"model of all values: {terms}, {found.differing} of them about single values{file}"
        if found.changes:
            yield from view_of_changes(by, found.changes)
            if found.plot is not None:
                yield f"\nplot of the changes: {found.plot}"
    yield found.notes
    for value, reason in found.failed.items():
        yield views.Message(f"no model of {by} {shown_value(value)}: {reason}", "warning")
    yield views.NextSteps(_steps_of_contexts(found))
    if found.stopped:
        yield views.Message("learning was interrupted; what was learned until then is kept")
    yield views.End(130 if found.stopped else int(bool(found.failed)))


def _answer_of_contexts(result: contexts.Result) -> str:
    """Return the first line: the range of the errors to expect at configurations that were not learned from."""
    models = result.models
    every = all(model.expected_error.source != "measured" and model.knows_every for model in models.values())
    learned = every and all(model.expected_error.verdict == "unknown" for model in models.values())
    percent = getter("result.learning_error" if learned else "expected_error.percent")
    errors = {name: percent(model) for name, model in models.items()}
    text = "unknown"
    if ranked := sorted((error, name) for name, error in errors.items() if error is not None):
        ends = dict.fromkeys((ranked[0], ranked[-1]))
        text = " to ".join(f"{models[name].expected_error.text_of(at)} ({shown_value(name)})" for at, name in ends)
        text += f", of {len(ranked)} of {len(errors)} models" if len(ranked) < len(errors) else ""
    name = LEARNED if learned else HELD_OUT if every else NEW
    return f"{EVERY if every else ''}{name} {text}; {plural(len(errors), 'model', 'models')}"


def _steps_of_contexts(result: contexts.Result) -> Iterator[views.NextStep]:
    """Yield the commands that follow from the models of the values of a context: compare two, explain the last."""
    inputs = inputs_of(result.request, SystemInputs, policies=False)
    files = [file for model in result.models.values() if (file := model.output) and file.endswith((".json", ".log"))]
    if inputs is None or not files or result.stopped:
        return
    if len(files) > 1:
        first, last = (list(result.models)[at] for at in (-2, -1))
        rows = ("--where", f"{result.by}={last}") if "--measurements" in inputs else ()
        yield views.NextStep(("compare", *files[-2:], *inputs, *rows), f"how {first} and {last} differ")
    yield views.NextStep(("explain", files[-1], *inputs), "which options matter, and how much")


def run_verb(request: Request, watch: views.Watch) -> contexts.Result | Result:
    """Return one model, or one per value of a context; a request to end waits where there is a model to keep."""
    with watch.patient("this step", kept=False, lost="before there was a model: nothing is written"):
        return run(request, watch) if request.by is None else contexts.run(request, watch)


EXAMPLES = ("splc learn", "splc learn --sampling pb:9,3 -o model.json", "splc learn --learner pmnf --sampling ff")
VERB = views.Verb(Request, run_verb, view, as_json, EXAMPLES, doing="learning")
