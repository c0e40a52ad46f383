"""The importance of all options of a model, and the effects of their values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sampling import Space
from sampling.space.blocks import Block, blocks_of
from sampling.space.dependence import value_effects
from sampling.space.optimum import positions_of
from sampling.space.variance import Variance
from splc.data.configurations import value_table
from splc.data.value_texts import text_values, value_text
from splc.errors import listed
from splc.formats.models.stored_model import Support
from splc.io.numbers import percentage
from splc.io.presentation import Bars, Drawn
from splc.learning.group_titles import titled_groups
from splc.models.influence import InfluenceModel
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.workflows.note import Note, Notes

# The options that an answer in one line names: their greatest number, and their least share of the variance.
MOST_LEADING, LEAST_LEADING = 3, 0.01


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
        low: the lower end of the interval of the change, None if it is not known.
        high: the upper end.
    """

    label: str
    number: float | None
    fraction: float
    mean: float
    change: float | None
    low: float | None = None
    high: float | None = None


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
        low: the lower end of the interval of the share, None if it is not known.
        high: the upper end.
    """

    name: str
    options: tuple[str, ...]
    share: float
    alone: float
    total: float | None
    values: tuple[OptionValue, ...]
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class OptionInteraction:
    """The interaction of two or more options or alternative groups.

    Attributes:
        names: their names.
        share: its share of the variance, a fraction; 0 where the options carry the same information.
        low: the lower end of the interval of the share, None if it is not known.
        high: the upper end.
        printed: whether the printed model has a term of exactly these options.
        folds: in how many folds the fold's own printed model has such a term; None if that is not known.
    """

    names: tuple[str, ...]
    share: float
    low: float | None = None
    high: float | None = None
    printed: bool = True
    folds: int | None = None


@dataclass(frozen=True, repr=False)
class Overview(Drawn):
    """The importance of all options.

    Attributes:
        mean: the mean prediction over the valid space; of a product the geometric mean.
        deviation: the standard deviation of the prediction; of a product that of its natural logarithm.
        options: the options that the model uses, the most important first.
        unused: the options that the model does not use.
        interactions: the interactions, the largest first.
        full: whether it is about the full model, by flipping options, and not about the terms of the printed one.
        product: whether the printed model is a product.
        notes: what the user should know.
    """

    mean: float
    deviation: float
    options: tuple[OptionImportance, ...]
    unused: tuple[str, ...]
    interactions: tuple[OptionInteraction, ...]
    full: bool = False
    product: bool = False
    notes: tuple[str, ...] = ()

    @property
    def leading(self) -> tuple[OptionImportance, ...]:
        """The options that matter most, for an answer in one line."""
        return tuple(option for option in self.options if option.share >= LEAST_LEADING)[:MOST_LEADING]

    def summary(self) -> str:
        """Return the mean and the most important options as text."""
        shares = [f"{option.name} {percentage(100 * option.share, 3)}" for option in self.options]
        return f"mean prediction {self.mean:.6g}; shares of the variance: {listed(shares)}"

    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the options with their shares of the variance, the most important first."""
        return {
            "option": [option.name for option in self.options],
            "share": [option.share for option in self.options],
            "alone": [option.alone for option in self.options],
            "total": [option.total for option in self.options],
        }

    def _bars(self) -> Bars:
        rows = [(option.name, 100 * option.share) for option in self.options]
        return Bars("share of the variance of the prediction, in percent", rows)


def overview(model: InfluenceModel, space: Space) -> Overview:
    """Return the importance of all options of a model, as `run` does for a model in a file.

    Args:
        model: the model.
        space: the valid configurations.

    Raises:
        SpaceError: if the constraints are too complex.
    """
    titles, choices = choices_of(space.system)
    notes = Notes()
    found = overview_of(model, space, blocks_of(model, space, choices), titles, choices, notes)
    return replace(found, notes=notes.texts)


def choices_of(system: VariabilityModel) -> tuple[list[str], list[tuple[int, ...]]]:
    """Return the names and the positions of the choices of a system: alternative groups, and all other options."""
    groups = titled_groups(system)
    grouped = {name for group in groups for name in group}
    members = [*groups, *((name,) for name in system.names if name not in grouped)]
    members.sort(key=lambda group: system.positions[group[0]])
    titles = [groups.get(group, group[0]) for group in members]
    return titles, [tuple(system.positions[name] for name in group) for group in members]


def overview_of(
    model: InfluenceModel,
    space: Space,
    blocks: Sequence[Block],
    titles: Sequence[str],
    choices: Sequence[tuple[int, ...]],
    notes: Notes,
    support: Support | None = None,
) -> Overview:
    """Return the importance of all options, and the effects of their values."""
    system = space.system
    influences = [influence for _, influence in model.terms]
    variance = Variance(blocks, influences)
    if variance.constant:
        notes.append(Note("the prediction is the same for all valid configurations"))
    elif not variance.exhaustive:
        notes.append(Note("many options depend on each other: their shares are those of the covariance, from 0 on"))
    effects = value_effects(blocks, influences, space, choices)
    product = model.link == "log"
    options = []
    importance = variance.importance()
    # Shares of the covariance are negative where effects cancel.
    total = math.fsum(max(item.share, 0.0) for item in importance) or 1.0
    for item in sorted(importance, key=lambda item: (-round(item.share, 12), item.choice)):
        share = max(item.share, 0.0) / total
        names = tuple(system.names[position] for position in choices[item.choice])
        values = []
        for effect in effects[item.choice]:
            label, number = label_of(system, effect.values)
            change = effect.change if effect.change is None or not product else math.exp(effect.change)
            mean = math.exp(effect.mean) if product else effect.mean
            values.append(OptionValue(label, number, effect.fraction, mean, change))
        options.append(OptionImportance(titles[item.choice], names, share, item.alone, item.total, tuple(values)))
    indices = {position: number for number, members in enumerate(choices) for position in members}
    together = [
        {indices[position] for position in positions_of(model.options_of(term), system)}
        for term, influence in model.terms
        if influence != 0
    ]
    used = {name for option in options for name in option.options}
    in_model = set(map(frozenset, together))
    folds = folds_of(support or {}, indices, system)
    interactions = [
        OptionInteraction(
            tuple(titles[choice] for choice in pair.choices),
            max(pair.share, 0.0),
            printed=frozenset(pair.choices) in in_model,
            folds=folds.get(frozenset(pair.choices)),
        )
        for pair in variance.interactions(together)
    ]
    interactions.sort(key=lambda pair: -round(pair.share, 12))
    mean = math.fsum(mean_contributions(model, blocks))
    return Overview(
        math.exp(mean) if product else mean,
        variance.deviation,
        tuple(options),
        tuple(name for name in system.names if name not in used and name not in system.mandatory),
        tuple(interactions),
        product=product,
    )


def folds_of(support: Support, place: Mapping[int, int], system: VariabilityModel) -> dict[frozenset[int], int | None]:
    """Return the choices that a term of the printed model is about → the folds that support it, as far as known.

    Args:
        support: options of terms → folds.
        place: position of an option → number of its choice.
        system: the system.
    """
    result: dict[frozenset[int], int | None] = {}
    for names, folds in support.items():
        choices = frozenset(place[system.positions[name]] for name in names if name in system.positions)
        count = result.get(choices)
        result[choices] = folds if count is None else count if folds is None else max(count, folds)
    return result


def mean_contributions(model: InfluenceModel, blocks: Sequence[Block]) -> list[float]:
    """Return the mean contribution of each term over the valid space."""
    return [
        influence * math.prod(float(block.means[number]) for block in blocks)
        for number, (_, influence) in enumerate(model.terms)
    ]


def label_of(system: VariabilityModel, values: Mapping[int, int]) -> tuple[str, float | None]:
    """Return the text of a choice's value, and the number of a numeric option's value."""
    if len(values) > 1:
        name = next((system.names[position] for position, index in values.items() if index), "(none)")
        return text_values(system).get(name, (name, name))[1], None
    ((position, index),) = values.items()
    option = system.options[position]
    if isinstance(option, BinaryOption):
        return value_text(option, index), None
    number = float(value_table(option)[index])
    return ("deselected", None) if math.isnan(number) else (f"{number:g}", number)
