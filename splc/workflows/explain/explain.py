"""`splc explain`: what the prediction of a model depends on, over all valid configurations, and at single ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from sampling import Space
from splc.data.configurations import Configurations, describe_configuration
from splc.data.property_unit import quantity, readable, titled
from splc.data.table import value_texts
from splc.errors import ConfigurationError, RequestError, plural
from splc.formats.column_choice import shown_value
from splc.formats.models.stored_model import StoredModel
from splc.io.files import STANDARD, require_writable
from splc.io.json import picked
from splc.io.presentation import Bars, Drawn
from splc.learning.contexts.contrasts import ContextInfluences, in_half_widths, joint_ensemble
from splc.learning.effects import group_texts
from splc.learning.projection import Full, predictions, valid_configurations
from splc.learning.result import FullPredictor
from splc.models.influence import InfluenceModel, term_texts
from splc.plotting.charts.chart import Chart, joined
from splc.plotting.charts.drawing import require_picture, write_picture
from splc.plotting.charts.effects import effects_chart
from splc.plotting.charts.influences import importance_chart, waterfall_chart
from splc.workflows import subspace, views
from splc.workflows.explain import importance
from splc.workflows.explain.full import checked_predictions, mean_of_full, model_overview
from splc.workflows.explain.importance import Overview, variations_table
from splc.workflows.fields import Printed, argument, as_argument, option, request
from splc.workflows.inputs import ModelInputs, predicting, require_suffix
from splc.workflows.note import Noted, Notes
from splc.workflows.prediction_notes import Interval, intervals_of, negative_notes, outside_notes
from splc.workflows.views import UNWATCHED, Answer, Column, Detail, Facts, Rows, Verb, View, Watch, four_digits

MAX_TERMS = 20  # the greatest number of terms in a text; JSON has all
REST = "not in the printed model"  # the part of a prediction by the full model that its printed model has no terms for
ROUNDING = 1e-12  # differences of values that agree to this fraction are rounding
AVERAGED = 2000  # drawn configurations that a mean is over
MIN_SHARE = 0.005  # options with a smaller share of the variance are not drawn value by value


@request
class Request(ModelInputs):
    """Explain a model: the options by their share of the variance, their interactions, and the effect of each value.

    All averages are over the valid configurations. With a configuration, the contribution of each term to its
    prediction is printed, relative to the mean or to another configuration.
    """

    model: Annotated[str, as_argument("MODEL", "The model: a log, JSON or model text. '-' is standard input.")]
    configuration: str | None = argument(None, "[CONFIGURATION]")(
        "The configuration whose prediction is explained: 'cache,threads=4', or a CSV file of one row."
    )
    against: str | None = option(None, "CONFIGURATION")(
        "Another configuration: explain why the predictions of the two differ."
    )
    printed: Printed = False
    by: str | None = option(None, "COLUMN")(
        "How influences vary over the values of this context, of a model of learn --share."
    )
    plot: str | None = option(None, "FILE")("Draw the explanation (.svg, .png, .pdf).")
    output: str | None = option(None, "FILE", names="--output -o")(
        "Write shares, interactions and the effects of values, or the contributions, as a table, too (.csv)."
    )


@dataclass(frozen=True)
class TermSum:
    """The contributions of one or several terms to the sum; of a product, the exponential is a factor."""

    text: str  # the term, or what the terms have in common
    value: float  # the sum of their contributions to the prediction of the configuration
    reference: float  # the sum of those to the other prediction, or of their means over the valid space
    count: int = 1  # the number of terms

    @property
    def difference(self) -> float:
        """The contribution to the difference of the two; of a product, the logarithm of the factor of the ratio."""
        equal = math.isclose(self.value, self.reference, rel_tol=ROUNDING)
        return 0.0 if equal else self.value - self.reference

    @classmethod
    def of(cls, text: str, parts: Sequence[TermSum]) -> TermSum:
        """Return the sum of contributions."""
        value, reference = (math.fsum(getattr(part, side) for part in parts) for side in ("value", "reference"))
        return TermSum(text, value, reference, sum(part.count for part in parts))


@dataclass(frozen=True)
class Contribution(TermSum):
    """The contribution of a term."""

    group: str = ""  # the term with members of alternative groups replaced by the group
    options: tuple[str, ...] = ()  # its options, an alternative group as one
    product: bool = False  # whether the model is a product

    @property
    def factor(self) -> float | None:
        """The factor of the ratio of the predictions, None in a sum."""
        return _exponential(self.difference) if self.product else None


@dataclass(frozen=True, repr=False)
class Explained(Drawn):
    """The explanation of one prediction.

    The contributions add up to the prediction, and their differences to the difference from the reference; of a
    product, the exponentials multiply.
    """

    configuration: Configurations  # the configuration, one row
    against: Configurations | None  # the other configuration, None for the mean over the valid space
    predicted: float  # the prediction
    reference: float  # the other prediction, or the mean over the valid space (of a product the geometric mean)
    contributions: tuple[Contribution, ...]  # those of all terms, the largest difference first
    interval: Interval | None = None  # the prediction interval, None if the file of the model has none
    against_interval: Interval | None = None  # that of the other configuration
    product: bool = False  # whether the model is a product

    @property
    def sums(self) -> list[tuple[TermSum, list[TermSum]]]:
        """Those of terms with a difference by their options, see `sums_of`."""
        return sums_of([term for term in self.contributions if term.difference != 0])

    def answer(self, unit: str | None) -> str:
        """Return the first line: the prediction, what it is compared with, and the term that matters most."""
        like = (self.predicted, self.reference)
        text = f"predicted {_with_interval(self.predicted, self.interval, unit, like)}"
        reference = "the other configuration" if self.against is not None else "the mean over all valid configurations"
        if self.reference * self.predicted > 0:
            text += f"; {self.predicted / self.reference:.3g} times {reference}"
        if self.sums and (largest := self.sums[0][0]).difference != 0:
            change = _change(largest.difference, readable(unit, like)[0], product=self.product)
            text += f", most by {largest.text} ({change})"
        return text

    def summary(self) -> str:
        """Return the prediction and the reference as text."""
        baseline = "the mean over all valid configurations"
        if self.against is not None:
            baseline = f"predicted for {describe_configuration(self.against, 0)}"
        text = describe_configuration(self.configuration, 0)
        return f"{self.predicted:.6g} predicted for {text}, {self.reference:.6g} {baseline}"

    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the terms with their contributions, the largest difference first."""
        sources = {"term": "text", "contribution": "value", "reference": "reference", "difference": "difference"}
        return {title: [getattr(term, name) for term in self.contributions] for title, name in sources.items()}

    def _bars(self) -> Bars:
        baseline = "the mean" if self.against is None else "the other configuration"
        return Bars(f"difference from {baseline}", [(term.text, term.difference) for term in self.contributions])


@dataclass(frozen=True)
class Result(Noted):
    """An explained model, or one of its predictions, or its influences with each value of a context."""

    request: Request  # the request
    system: str  # the name of the system
    stored: StoredModel  # the model
    found: Overview | Explained | ContextInfluences  # the explanation

    @property
    def contexts(self) -> tuple[str, ...]:
        """The contexts that the model was learned from, as texts."""
        return tuple(f"{name} = {shown_value(value)}" for name, value in self.stored.contexts.items())


def run(request: Request, watch: Watch = UNWATCHED) -> Result:
    """Explain a model, or one or two of its predictions."""
    files = [file for file in (request.model, request.configuration, request.against) if file is not None]
    if files.count(STANDARD) > 1:
        raise RequestError("only one of the inputs can be standard input", "model", "configuration")
    if request.against is not None and request.configuration is None:
        raise RequestError("which configuration is compared with it? name it after the model", "against")
    project = request.project_of_models([request.model])
    require_suffix(request.output, ".csv", "it is written as a table")
    require_writable(request.output, (*files, *project.files))
    require_picture(request.plot, (*files, *project.files, request.output))
    with Notes() as notes:
        space = Space(request.read_system(project, notes))
        read = request.read_model(request.model, project, space.system, notes)
        stored = predicting(read, notes, printed=request.printed)
        rows = [subspace.one_configuration(text, space) for text in files[1:]]
        notes += (note for row in rows for note in subspace.further_notes(space.system, row.system))
        if request.by is not None:
            influences = _influences(request, stored, request.by)
            return Result(request, space.system.name, stored, influences, notes=tuple(notes))
        failures = subspace.known_failures(None, [stored.provenance], space.system)
        found: Overview | Explained
        if not rows:
            found = model_overview(stored, space, notes, watch)
            further = subspace.failure_notes(failures, subspace.WITHOUT_FAILURE)
        else:
            found = explained_of(stored, space, rows[0], rows[1] if len(rows) > 1 else None, notes)
            both = ((found.predicted, found.interval), (found.reference, found.against_interval))
            outside = outside_notes([interval.excludes(value) for value, interval in both if interval is not None])
            further = (*(note for row in rows for note in subspace.failing_notes(row, failures)), *outside)
        predicted = checked_predictions(stored, rows, space)
        notes += (*negative_notes(predicted, stored.nfp, project, space, stored.full), *further)
    result = Result(request, space.system.name, stored, found, notes=tuple(notes))
    if request.plot is not None:
        title = ", ".join((f"{result.system}: {stored.nfp}" if stored.nfp else result.system, *result.contexts))
        write_picture(explained_chart(found, title, titled(stored.nfp or "prediction", stored.unit)), request.plot)
    return result


def _influences(request: Request, stored: StoredModel, by: str) -> ContextInfluences:
    """Return the influences with each value of the context that a model was learned by."""
    for name in ("configuration", "against", "plot", "output", "printed"):
        if getattr(request, name):
            raise RequestError("influences of the full model are compared, over all valid configurations", "by", name)
    if by not in stored.contexts:
        raise RequestError(f"the model was not learned by {by!r}", "by", hint="splc learn --by COLUMN --share")
    full = joint_ensemble(stored.full)
    if full is None or full.basis.context is None:
        hint = f"splc learn --by {by} --share learns all values together, and knows influences with each value; "
        hint += "values that it learned alone have none"
        raise RequestError(f"the model was learned from rows of one value of {by} alone", "by", hint=hint)
    influences = ContextInfluences.of(full)
    if influences is None:
        text = "the effects of this joint model add up; influences are compared as factors"
        raise RequestError(text, "by", hint=f"learn factors: splc learn --by {by} --share --set scale=log")
    return influences


def contributions(model: InfluenceModel, space: Space, configuration: Any, against: Any = None) -> Explained:
    """Return the contributions of terms to one prediction, relative to the mean or to another prediction."""
    rows = [Configurations.from_frame(space.system, table) for table in (configuration, against) if table is not None]
    for row in rows:
        if len(row) != 1:
            raise ConfigurationError(f"one configuration is explained, not {len(row)}", hint="select a row: table[:1]")
    return explained_of(StoredModel(model), space, rows[0], rows[1] if len(rows) > 1 else None, Notes())


def explained_of(
    stored: StoredModel, space: Space, one: Configurations, other: Configurations | None, notes: Notes
) -> Explained:
    """Return the contributions to the prediction of a configuration, relative to another one or to the mean."""
    model, full, system = stored.model, stored.full, space.system
    product = model.link == "log"
    values = model.contributions(one)[0].tolist()
    if other is not None:
        usual = model.contributions(other)[0].tolist()
    else:
        usual = importance.mean_contributions(model, importance.averaged_blocks(model, space, notes))
    titles, choices = importance.choices_of(system)
    labels = {system.names[position]: title for title, group in zip(titles, choices, strict=True) for position in group}
    used = [model.options_of(term) for term, _ in model.terms]
    options = [tuple(dict.fromkeys(labels.get(o, o) for o in system.term_order if o in names)) for names in used]
    rows = zip(term_texts(model, system), values, usual, group_texts(model, system), options, strict=True)
    parts = [Contribution(text, value, mean, 1, group, names, product) for text, value, mean, group, names in rows]
    reference = math.fsum(usual)
    if isinstance(full, FullPredictor):
        # With this contribution, the sum is the prediction of the full model.
        rest = float(predictions(full, one, model.link)[0]) - math.fsum(values)
        if other is None and isinstance(full, Full):
            total = mean_of_full(full, model.link, space)
        else:
            # Of other full models no exact mean is known: that of drawn configurations.
            pool = valid_configurations(system, AVERAGED) if other is None else other
            total = float(np.mean(predictions(full, pool, model.link)))
        parts.append(Contribution(REST, rest, total - reference, 1, REST, (REST,), product))
        reference = total
    parts.sort(key=lambda part: (-abs(part.difference), -abs(part.value)))
    if other is not None:
        reference = float(stored.predictor.predict(other)[0])
    elif product:
        reference = math.exp(reference)
    known, both = stored.intervals, (one, other)
    interval, against = (None if known is None or row is None else intervals_of(known, row)[0] for row in both)
    predicted = float(stored.predictor.predict(one)[0])
    return Explained(one, other, predicted, reference, tuple(parts), interval, against, product)


def sums_of(contributions: Sequence[Contribution]) -> list[tuple[TermSum, list[TermSum]]]:
    """Return the sum of the terms over each set of options with its terms (of a group as one), the largest first."""
    sets: dict[tuple[str, ...], dict[str, list[Contribution]]] = {}
    for part in contributions:
        sets.setdefault(part.options, {}).setdefault(part.group, []).append(part)
    rows = []
    for options, groups in sets.items():
        terms = [TermSum.of(group if len(same) > 1 else same[0].text, same) for group, same in groups.items()]
        terms.sort(key=lambda term: -abs(term.difference))
        rows.append((TermSum.of(" * ".join(options) or "1", terms), terms) if terms[1:] else (terms[0], []))
    return sorted(rows, key=lambda pair: -abs(pair[0].difference))


def explained_chart(found: Overview | Explained, title: str, quantity: str) -> Chart:
    """Return the chart of the importance of options and of their effects, or of the contributions to a prediction."""
    if isinstance(found, Explained):
        steps = [(term.text, term.difference) for term, _ in sums_of(found.contributions)]
        names = ("mean" if found.against is None else "other configuration", "this configuration")
        return replace(waterfall_chart(steps, found.reference, names, quantity, product=found.product), title=title)
    drawn = [option for option in found.options if option.share >= MIN_SHARE and len(option.values) > 1]
    effects = [importance.effect_of(option, None, product=found.product) for option in drawn]
    charts = [importance_chart(importance.shares_of(found), quantity)]
    return joined([*charts, *([effects_chart(effects, np.zeros(0), quantity)] if effects else [])], title)


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object of an explained model or prediction, or of influences, those that vary most first."""
    found, stored = result.found, result.stored
    if isinstance(found, ContextInfluences):
        rows = {"values": found.names, "influences": found.variations()}
        return {"schema": "splc.explain.by/1", "system": result.system, "nfp": stored.nfp, **rows}
    facts = {"name": result.system, **picked(stored, "nfp, unit, link = model.link")}
    written = {**picked(result.request, "plot, output"), "notes": [note.text for note in result.notes]}
    if isinstance(found, Overview):
        content = importance.overview_as_json(found)
        return {"schema": "splc.explain/1", **facts, **content, "folds": stored.folds, **written}
    terms = "term = text, contribution = value, reference, difference, factor"
    return {
        "schema": "splc.explain.configuration/1",
        **facts,
        "configuration": found.configuration.assignments()[0],
        "against": None if found.against is None else found.against.assignments()[0],
        **picked(found, "predicted, interval, reference, reference_interval = against_interval"),
        "terms": [picked(term, terms) for term in found.contributions],
        **written,
    }


def view(result: Result, detail: Detail) -> View:
    """Yield the explanation of a model or of a prediction, or the influences over the values of a context."""
    found, stored = result.found, result.stored
    if isinstance(found, ContextInfluences):
        yield from _view_of_contexts(result, found, result.request.by or "", detail)
    elif result.request.output == STANDARD:
        yield views.columns_file(importance.table_of(found), STANDARD)
    else:
        product = stored.model.link == "log"
        kind = f"a {'product of factors' if product else 'sum of terms'}"
        if isinstance(found, Explained):
            yield Answer(found.answer(stored.unit))
            lines = _view_of_prediction(found, stored.unit)
        else:
            yield Answer(found.answer)
            if found.full:
                kind = f"as the full model predicts{', by the logarithm' if product else ''}"
            lines = importance.view_of_overview(found, stored.folds, stored.unit)
        if not detail.quiet:
            title = f"model of {stored.nfp}" if stored.nfp else "model"
            yield ", ".join((f"{result.system}: {title}", *result.contexts, kind))
            yield from lines
            if result.request.plot is not None:
                yield f"\nplot  {result.request.plot}"
        if result.request.output is not None:
            yield views.columns_file(importance.table_of(found), result.request.output, "the explanation")
    yield result.notes


def _view_of_prediction(explained: Explained, unit: str | None) -> View:
    """Yield the predictions, the options in which two configurations differ, and the contributions of the terms."""
    product, other = explained.product, explained.against
    mean = f"{'geometric ' * product}mean over all valid configurations"
    reference = mean if other is None else "prediction of the other configuration"
    like = (explained.predicted, explained.reference)
    factor, shown_unit = readable(unit, like)
    first = _with_interval(explained.predicted, explained.interval, unit, like)
    second = _with_interval(explained.reference, explained.against_interval, unit, like)
    yield Facts([("prediction", first), (reference, second)])
    yield ""
    if other is not None:
        texts = [value_texts(row.system, row.assignment(0)) for row in (explained.configuration, other)]
        options = [name for name in texts[0] if texts[0][name] != texts[1][name]]
        shown = [Column(*column, right=True) for column in zip(("value", "other"), (t.get for t in texts), strict=True)]
        yield Rows(options, (Column("option", str), *shown)) if options else "the two configurations are the same"
        yield ""
    sums = explained.sums
    moving = [pair for pair in sums if pair[0].difference != 0]
    lines: list[tuple[str, TermSum]] = []
    for total, terms in moving[:MAX_TERMS]:
        lines += [(total.text, total), *((f"  {term.text}", term) for term in terms)]
    if hidden := [total for total, _ in moving[MAX_TERMS:]]:
        lines.append((f"{len(hidden)} more", TermSum.of("", hidden)))
    still: list[TermSum] = [term for term in explained.contributions if term.difference == 0]
    # Differences of several terms may cancel.
    still += [total for total, _ in sums if total.difference == 0]
    # The unit is a factor of a product without difference.
    of_unit = [TermSum("", math.log(factor), math.log(factor), 0)] if product and factor != 1 else []
    if still or of_unit:
        equal = TermSum.of("", [*still, *of_unit])
        lines.append((plural(equal.count, "term without difference", "terms without difference"), equal))
    lines.append(("product" if product else "sum", TermSum.of("", [*explained.contributions, *of_unit])))
    title, change = ("factor", "ratio") if product else (titled("contribution", shown_unit or None), "difference")

    def number(value: float) -> str:
        return f"{_exponential(value) if product else value * factor:.6g}"

    values = (Column(title, "1.value", number), Column("mean" if other is None else "other", "1.reference", number))
    form = partial(_change, factor=factor, product=product)
    yield Rows(lines, (Column("term", 0), *values, Column(change, "1.difference", form, signed=not product)))


def _with_interval(value: float, interval: Interval | None, unit: str | None, like: Sequence[float]) -> str:
    return quantity(value, unit, like=like) + ("" if interval is None else f", {interval.text(unit, like)}")


def _change(difference: float, factor: float, *, product: bool) -> str:
    return importance.change_text(_exponential(difference) if product else difference * factor, product)


def _exponential(value: float) -> float:
    return math.exp(min(value, 700.0))


def _view_of_contexts(result: Result, influences: ContextInfluences, by: str, detail: Detail) -> View:
    """Yield the options by how much their influence varies."""
    variations, names, few = influences.variations(), influences.names, influences.few_rows()
    settled = [variation for variation in variations if variation.settled]
    if not settled:
        yield Answer(f"no influence differs between values of {by} by more than its uncertainty")
    else:
        first = settled[0]
        ends = f"factor {four_digits(min(first.factors))} to {four_digits(max(first.factors))}"
        count = f"{len(settled)} of {plural(len(variations), 'influence', 'influences')}"
        differ = f"{'differs' if len(settled) == 1 else 'differ'} by more than the uncertainty"
        varies, differ = ("may vary", "may differ") if few else ("varies", differ)
        yield Answer(f"{first.option} {varies} most with {by}: {ends}; {count} {differ}")
    if detail.quiet:
        return
    values = plural(len(names), "value", "values")
    yield f"{result.system}: model of {result.stored.nfp}, influences with {values} of {by}, as the full model predicts"
    yield variations_table(influences)
    yield "factor of the prediction between the greatest and the least value of an option, or selected and not"
    limit = in_half_widths(influences.threshold(influences.pairs))
    compared = plural(influences.pairs, "pair is", "pairs are")
    yield f"known to differ: between two values {limit}, as {compared} compared"
    if few and settled:
        yield "may differ: some values have fewer than two rows per option"


EXAMPLES = (
    "splc explain learned.log",
    "splc explain learned.log px=4,py=4,nx=400",
    "splc explain learned.log px=4,py=1,nx=400 --against px=1,py=4,nx=400 --plot difference.svg",
)
VERB = Verb(Request, run, view, as_json, EXAMPLES, doing="explaining", without=("invalid", "duplicates", "aggregate"))
