"""Explain a model: what its prediction depends on, over all valid configurations, and at single ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sampling import Space
from sampling.space.blocks import Block, blocks_of
from sampling.space.dependence import value_effects
from sampling.space.optimum import positions_of
from sampling.space.variance import Variance
from splc.data.configurations import Configurations, value_table
from splc.errors import RequestError, listed
from splc.formats.models.read import StoredModel
from splc.io.files import STANDARD, write_whole
from splc.io.outputs import require_writable
from splc.io.presentation import Presented, percent
from splc.learning.effects import group_texts, group_titles, term_texts
from splc.models.influence import InfluenceModel
from splc.plotting import plot_format
from splc.plotting.explanation import Bar, Line, contribution_plot, importance_plot
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.workflows.configuration import one_configuration
from splc.workflows.inputs import ModelInputs
from splc.workflows.note import Note, Notes
from splc.workflows.prediction_intervals import Interval, interval_of


@dataclass(frozen=True, kw_only=True)
class Request(ModelInputs):
    """A request to explain a model.

    Attributes:
        model: the file of the model: a log, JSON or model text; `-` is standard input.
        configuration: a configuration to explain: `NAME=VALUE,NAME,…`, or a CSV file of one row; None explains the
            model over all valid configurations.
        against: another configuration, to explain why the two differ.
        plot: the file that a plot is written to.
    """

    model: str
    configuration: str | None = None
    against: str | None = None
    plot: str | None = None


@dataclass(frozen=True)
class OptionValue:
    """The effect of a value of an option or an alternative group (`sampling.space.dependence`).

    Attributes:
        label: the value as text.
        number: the value of a numeric option, else None.
        fraction: the fraction of valid configurations that have it.
        mean: their mean prediction; of a product the geometric mean.
        change: the change of the prediction if this option alone changes from its first value: a difference, of a
            product a factor; None where no valid configuration allows that.
    """

    label: str
    number: float | None
    fraction: float
    mean: float
    change: float | None


@dataclass(frozen=True)
class OptionImportance:
    """The importance of an option or an alternative group (`sampling.space.variance`).

    Attributes:
        name: the option; an alternative group has the stem of its members' names.
        options: the option, or the members of the group.
        share: its share of the variance, a fraction; the shares of all options add up to 1.
        alone: the fraction of the variance that it explains alone.
        total: the fraction that all others together do not explain; None where many options depend on each other.
        values: the effects of its values.
    """

    name: str
    options: tuple[str, ...]
    share: float
    alone: float
    total: float | None
    values: tuple[OptionValue, ...]


@dataclass(frozen=True, repr=False)
class Overview(Presented):
    """The importance of all options.

    Attributes:
        mean: the mean prediction over the valid space; of a product the geometric mean.
        deviation: the standard deviation of the prediction; of a product that of its natural logarithm.
        options: the options that the model uses, the most important first.
        unused: the options that the model does not use.
        interactions: names of two or three options → their interaction's fraction of the variance, the largest first.
    """

    mean: float
    deviation: float
    options: tuple[OptionImportance, ...]
    unused: tuple[str, ...]
    interactions: tuple[tuple[tuple[str, ...], float], ...]

    def summary(self) -> str:
        """Return the mean and the most important options as text."""
        shares = [f"{each.name} {percent(100 * each.share)}" for each in self.options]
        return f"mean prediction {self.mean:.6g}; shares of the variance: {listed(shares)}"

    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the options with their shares of the variance, the most important first."""
        return {
            "option": [each.name for each in self.options],
            "share": [each.share for each in self.options],
            "alone": [each.alone for each in self.options],
            "total": [each.total for each in self.options],
        }


@dataclass(frozen=True)
class Contribution:
    """The contribution of a term to the sum; of a product, the exponential of it is a factor.

    Attributes:
        text: the term.
        group: the term with members of alternative groups replaced by the group.
        options: its options, an alternative group as one.
        value: its contribution to the prediction of the configuration.
        reference: its contribution to the other prediction, or its mean over the valid space.
    """

    text: str
    group: str
    options: tuple[str, ...]
    value: float
    reference: float

    @property
    def difference(self) -> float:
        """The contribution to the difference of the two; of a product, the logarithm of the factor of the ratio."""
        return self.value - self.reference


@dataclass(frozen=True)
class Explained:
    """The explanation of one prediction.

    The contributions add up to the prediction, and their differences to the difference from the reference; of a
    product, the exponentials multiply.

    Attributes:
        configuration: the configuration, one row.
        against: the other configuration, None for the mean over the valid space.
        predicted: the prediction.
        reference: the other prediction, or the mean over the valid space (of a product the geometric mean).
        contributions: those of all terms, the largest difference first.
        interval: the prediction interval, None if the file of the model has none.
        against_interval: that of the other configuration.
    """

    configuration: Configurations
    against: Configurations | None
    predicted: float
    reference: float
    contributions: tuple[Contribution, ...]
    interval: Interval | None = None
    against_interval: Interval | None = None


@dataclass(frozen=True)
class Result:
    """An explained model.

    Attributes:
        name: the name of the system.
        model: the model.
        nfp: the property, None if the file of the model does not name it.
        overview: the importance of options, None if a configuration is explained.
        explained: the explanation of a configuration, None if the model is.
        plot: the file that the plot was written to.
        notes: what the user should know.
    """

    name: str
    model: InfluenceModel
    nfp: str | None
    overview: Overview | None = None
    explained: Explained | None = None
    plot: str | None = None
    notes: tuple[Note, ...] = ()


def run(request: Request) -> Result:
    """Explain a model, or one or two of its predictions.

    Raises:
        RequestError: if the request contradicts itself.
        InputError: if a file cannot be found or read, or a configuration is not valid.
        SpaceError: if the constraints are too complex.
        OutputError: if the plot cannot be written.
    """
    given = [each for each in (request.model, request.configuration, request.against) if each is not None]
    if given.count(STANDARD) > 1:
        raise RequestError("only one of the inputs can be standard input", "model", "configuration")
    if request.against is not None and request.configuration is None:
        raise RequestError("which configuration is compared with it? name it after the model", "against")
    project = request.project()
    drawn = None if request.plot is None else plot_format(request.plot)
    require_writable(request.plot, (*given, *project.files))
    notes = Notes()
    space = Space(request.read_system(project, notes))
    system = space.system
    with notes:
        stored = request.read_model(request.model, project, system, notes)
        one, other = (
            None if each is None else one_configuration(each, space)
            for each in (request.configuration, request.against)
        )
        titles, choices = choices_of(system)
        blocks = () if other is not None else blocks_of(stored.model, space, choices)
        if any(not block.exact for block in blocks):
            notes.append(Note("some options have too many valid combinations to list: averages are over drawn ones"))
        if one is None:
            overview, explained = _overview(stored.model, space, blocks, titles, choices, notes), None
        else:
            overview, explained = None, _explained(stored, space, one, other, blocks)
        result = Result(system.name, stored.model, stored.nfp, overview, explained, request.plot, tuple(notes))
    if drawn is not None and request.plot is not None:
        write_whole(request.plot, picture(result, drawn))
    return result


def overview(model: InfluenceModel, space: Space) -> Overview:
    """Return the importance of all options of a model, as `run` does for a model in a file.

    Args:
        model: the model.
        space: the valid configurations.

    Raises:
        SpaceError: if the constraints are too complex.
    """
    titles, choices = choices_of(space.system)
    return _overview(model, space, blocks_of(model, space, choices), titles, choices, Notes())


def choices_of(system: VariabilityModel) -> tuple[list[str], list[tuple[int, ...]]]:
    """Return the names and the positions of the choices of a system: alternative groups, and all other options."""
    named = group_titles(system)
    groups: dict[tuple[str, ...], None] = {}
    for group in system.alternative_groups:
        if not any(set(group) & set(other) for other in groups):
            groups[group] = None
    grouped = {name for group in groups for name in group}
    members = [*groups, *((name,) for name in system.names if name not in grouped)]
    members.sort(key=lambda each: system.positions[each[0]])
    titles = [named[each[0]] if len(each) > 1 else each[0] for each in members]
    # Options that every configuration has are in no model.
    taken = [title for title, each in zip(titles, members, strict=True) if each[0] not in system.mandatory]
    for place, title in enumerate(titles):
        if taken.count(title) > 1 and len(members[place]) > 1:
            titles[place] = "|".join(members[place])
    return titles, [tuple(system.positions[name] for name in each) for each in members]


def _overview(
    model: InfluenceModel,
    space: Space,
    blocks: Sequence[Block],
    titles: Sequence[str],
    choices: Sequence[tuple[int, ...]],
    notes: Notes,
) -> Overview:
    """Return the importance of all options, and the effects of their values."""
    system = space.system
    influences = [influence for _, influence in model.terms]
    variance = Variance(blocks, influences)
    if variance.constant:
        notes.append(Note("the prediction is the same for all valid configurations"))
    elif not variance.exhaustive:
        text = "many options depend on each other: shares are those of the covariance, and may be negative"
        notes.append(Note(text))
    effects = value_effects(blocks, influences, space, choices)
    product = model.link == "log"
    found = []
    for each in sorted(variance.importance(), key=lambda each: (-round(each.share, 12), each.choice)):
        names = tuple(system.names[position] for position in choices[each.choice])
        values = []
        for effect in effects[each.choice]:
            label, number = _label(system, effect.values)
            change = effect.change if effect.change is None or not product else math.exp(effect.change)
            mean = math.exp(effect.mean) if product else effect.mean
            values.append(OptionValue(label, number, effect.fraction, mean, change))
        found.append(OptionImportance(titles[each.choice], names, each.share, each.alone, each.total, tuple(values)))
    place = {position: number for number, members in enumerate(choices) for position in members}
    together = [
        {place[position] for position in positions_of(model.options_of(term), system)}
        for term, influence in model.terms
        if influence != 0
    ]
    used = {name for option in found for name in option.options}
    interactions = [
        (tuple(titles[choice] for choice in each.choices), each.share) for each in variance.interactions(together)
    ]
    interactions.sort(key=lambda pair: -abs(round(pair[1], 12)))
    mean = math.fsum(_means(model, blocks))
    return Overview(
        math.exp(mean) if product else mean,
        math.sqrt(variance.total),
        tuple(found),
        tuple(name for name in system.names if name not in used and name not in system.mandatory),
        tuple(interactions),
    )


def _means(model: InfluenceModel, blocks: Sequence[Block]) -> list[float]:
    """Return the mean contribution of each term over the valid space."""
    return [
        influence * math.prod(float(block.means[number]) for block in blocks)
        for number, (_, influence) in enumerate(model.terms)
    ]


def _label(system: VariabilityModel, values: Mapping[int, int]) -> tuple[str, float | None]:
    """Return the text of a choice's value, and the number of a numeric option's value."""
    if len(values) > 1:
        return next((system.names[position] for position, index in values.items() if index), "(none)"), None
    ((position, index),) = values.items()
    option = system.options[position]
    if isinstance(option, BinaryOption):
        return "selected" if index else "-", None
    number = float(value_table(option)[index])
    return ("deselected", None) if math.isnan(number) else (f"{number:g}", number)


def _explained(
    stored: StoredModel, space: Space, one: Configurations, other: Configurations | None, blocks: Sequence[Block]
) -> Explained:
    """Return the contributions to the prediction of a configuration, relative to another one or to the mean."""
    model = stored.model
    own = model.contributions(one)[0].tolist()
    usual = _means(model, blocks) if other is None else model.contributions(other)[0].tolist()
    system = space.system
    titles, choices = choices_of(system)
    named = {system.names[position]: title for title, each in zip(titles, choices, strict=True) for position in each}
    options = [
        tuple(dict.fromkeys(named.get(name, name) for name in system.term_order if name in model.options_of(term)))
        for term, _ in model.terms
    ]
    texts, groups = term_texts(model, system), group_texts(model, system)
    found = [Contribution(*each) for each in zip(texts, groups, options, own, usual, strict=True)]
    found.sort(key=lambda each: (-abs(each.difference), -abs(each.value)))
    reference = math.fsum(usual)
    if other is not None:
        reference = float(model.predict(other)[0])
    elif model.link == "log":
        reference = math.exp(reference)
    intervals = [
        None if stored.intervals is None or each is None else interval_of(stored.intervals, each)
        for each in (one, other)
    ]
    return Explained(one, other, float(model.predict(one)[0]), reference, tuple(found), *intervals)


def picture(result: Result, file_format: str) -> bytes:
    """Return the plot of a result as a file."""
    product = result.model.link == "log"
    title = f"{result.name}: {result.nfp}" if result.nfp else result.name
    if result.overview is not None:
        bars = [Bar(each.name, each.share * 100, each.alone * 100) for each in result.overview.options]
        lines = [
            Line(each.name, tuple((value.label, value.number, value.mean) for value in each.values))
            for each in result.overview.options
            if each.share >= LEAST_SHARE
        ]
        return importance_plot(bars, lines, title, result.nfp or "prediction", file_format, product)
    assert result.explained is not None
    found = result.explained
    steps = [(each.text, each.difference) for each, _ in sums_of(found.contributions)]
    names = ("mean" if found.against is None else "other configuration", "this configuration")
    return contribution_plot(steps, found.reference, names, title, result.nfp or "prediction", file_format, product)


# Options with a smaller share of the variance are not shown value by value.
LEAST_SHARE = 0.005


@dataclass(frozen=True)
class TermSum:
    """Contributions of several terms.

    Attributes:
        text: the term, or what the terms have in common.
        value: the sum of their contributions.
        reference: the sum of their references.
        count: the number of terms.
    """

    text: str
    value: float
    reference: float
    count: int

    @classmethod
    def of(cls, text: str, contributions: Sequence[Contribution | TermSum]) -> TermSum:
        """Return the sum of contributions."""
        count = sum(each.count if isinstance(each, TermSum) else 1 for each in contributions)
        values, references = zip(*((each.value, each.reference) for each in contributions), strict=True)
        return cls(text, math.fsum(values), math.fsum(references), count)

    @property
    def difference(self) -> float:
        """The contribution to the difference from the reference."""
        return self.value - self.reference


def sums_of(contributions: Sequence[Contribution]) -> list[tuple[TermSum, list[TermSum]]]:
    """Return the sum of the terms over each set of options with its terms, the largest differences first.

    Terms that differ only in the member of an alternative group, or in the value of a numeric option, are one sum.
    """
    sets: dict[tuple[str, ...], dict[str, list[Contribution]]] = {}
    for each in contributions:
        sets.setdefault(each.options, {}).setdefault(each.group, []).append(each)
    found = []
    for options, groups in sets.items():
        terms = [TermSum.of(group if len(same) > 1 else same[0].text, same) for group, same in groups.items()]
        terms.sort(key=lambda each: -abs(each.difference))
        whole = TermSum.of(" * ".join(options) or "1", terms)
        found.append((terms[0] if len(terms) == 1 else whole, terms if len(terms) > 1 else []))
    return sorted(found, key=lambda pair: -abs(pair[0].difference))
