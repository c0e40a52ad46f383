"""The importance of all options of a model, options that cannot be separated, the effects of values, and the view."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sampling import Space
from sampling.space.dependence import value_effects
from sampling.space.optimum import positions_of
from sampling.space.variance import Block, Variance, blocks_of
from splc.data.configurations import Configurations, value_table
from splc.data.property_unit import quantity, readable, titled
from splc.data.table import text_values, value_text
from splc.errors import SpaceError, listed, plural
from splc.formats.column_choice import shown_value
from splc.formats.models.stored_model import Support
from splc.io.json import picked
from splc.io.numbers import percentage, share_text
from splc.io.presentation import Bars, Drawn
from splc.learning.contexts.contrasts import ContextInfluences, InfluenceVariation
from splc.learning.effects import titled_groups
from splc.learning.projection import ENUMERATED, Full, valid_configurations
from splc.models.influence import InfluenceModel
from splc.plotting.charts.effects import ValueEffects
from splc.plotting.charts.influences import Share
from splc.system.groups import text_groups
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.note import Note, Notes, Rank
from splc.workflows.views import Column, Rows, View, columns, four_digits, interval_column, narrowed

# The options that an answer in one line names: their greatest number, and their least share of the variance.
MOST_LEADING, LEAST_LEADING = 3, 0.01
# The greatest numbers of options, interactions, and values of an option in a text; JSON has all.
MAX_OPTIONS, MAX_INTERACTIONS, MAX_VALUES = 20, 10, 8
# Smaller shares, in percent, are not listed as interactions.
MIN_INTERACTION = 0.05
INTERVAL = "90 % interval"
MAX_CONTEXTS, MAX_SETS = 6, 5  # the values with a column each, and the named sets of options that change together


@dataclass(frozen=True)
class OptionValue:
    """The effect of a value of an option or an alternative group (`sampling.space.dependence`)."""

    label: str  # the value as text
    number: float | None  # the value of a numeric option, else None
    fraction: float  # the fraction of valid configurations that have it
    mean: float  # their mean prediction; of a product the geometric mean
    # the change of the prediction if this option alone changes from its first value: a difference, of a product a
    # factor; None where no valid configuration allows that
    change: float | None
    low: float | None = None  # the lower end of the interval of the change, None if it is not known
    high: float | None = None  # the upper end


@dataclass(frozen=True)
class OptionImportance:
    """The importance of an option or an alternative group (`sampling.space.variance`)."""

    name: str  # the option; an alternative group has the stem of its members' names
    options: tuple[str, ...]  # the option, or the members of the group
    share: float  # its share of the variance, a fraction; the shares of all options add up to 1
    alone: float  # the fraction of the variance that it explains alone
    total: float | None  # the fraction that all others do not explain; None where many options depend on each other
    values: tuple[OptionValue, ...]  # the effects of its values
    low: float | None = None  # the lower end of the interval of the share, None if it is not known
    high: float | None = None  # the upper end


@dataclass(frozen=True)
class OptionInteraction:
    """The interaction of two or more options or alternative groups."""

    names: tuple[str, ...]  # their names
    share: float  # its share of the variance, a fraction; 0 where the options carry the same information
    low: float | None = None  # the lower end of the interval of the share, None if it is not known
    high: float | None = None  # the upper end
    printed: bool = True  # whether the printed model has a term of exactly these options
    folds: int | None = None  # in how many folds the fold's own printed model has such a term, None if unknown


@dataclass(frozen=True, repr=False)
class Overview(Drawn):
    """The importance of all options."""

    mean: float  # the mean prediction over the valid space; of a product the geometric mean
    deviation: float  # the standard deviation of the prediction; of a product that of its natural logarithm
    options: tuple[OptionImportance, ...]  # the options that the model uses, the most important first
    unused: tuple[str, ...]  # the options that the model does not use
    interactions: tuple[OptionInteraction, ...]  # the interactions, the largest first
    full: bool = False  # whether it is about the full model, by flipping options, not about printed terms
    product: bool = False  # whether the printed model is a product
    notes: tuple[str, ...] = ()  # what the user should know

    def of_system(self, system: VariabilityModel) -> Overview:
        """Return the overview with the unused options, the largest interactions first, and the mean of the product."""
        used = {name for option in self.options for name in option.options}
        unused = tuple(name for name in system.names if name not in used and name not in system.mandatory)
        pairs = tuple(sorted(self.interactions, key=lambda pair: -abs(round(pair.share, 12))))
        mean = math.exp(self.mean) if self.product else self.mean
        return replace(self, mean=mean, unused=unused, interactions=pairs)

    @property
    def answer(self) -> str:
        """The first line of the output: the options that matter most."""
        if not self.leading:
            return "no option changes the prediction"
        first, *rest = ((option.name, percentage(option.share * 100, 2)) for option in self.leading)
        of = f"the variance of {'the logarithm of ' * self.product}the prediction"
        return f"{first[0]} explains {first[1]} of {of}" + "".join(f", {name} {share}" for name, share in rest)

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
        sources = {"option": "name", "share": "share", "alone": "alone", "total": "total"}
        return {title: [getattr(option, name) for option in self.options] for title, name in sources.items()}

    def _bars(self) -> Bars:
        rows = [(option.name, 100 * option.share) for option in self.options]
        return Bars("share of the variance of the prediction, in percent", rows)


def choices_of(system: VariabilityModel) -> tuple[list[str], list[tuple[int, ...]]]:
    """Return the names and the positions of the choices of a system: alternative groups, and all other options.

    The option that has texts as values, and may have none of them, is a part of their group.
    """
    groups = dict(titled_groups(system))
    for parent, children in text_groups(system).items():
        group = tuple(child.name for child in children)
        if group in groups and parent not in system.mandatory:
            # The text comes first: it is what the choice is called by.
            del groups[group]
            groups[*group, parent] = parent
    grouped = {name for group in groups for name in group}
    members = [*groups, *((name,) for name in system.names if name not in grouped)]
    members.sort(key=lambda group: system.positions[group[0]])
    titles = [groups.get(group, group[0]) for group in members]
    return titles, [tuple(system.positions[name] for name in group) for group in members]


def averaged_blocks(model: InfluenceModel, space: Space, notes: Notes) -> Sequence[Block]:
    """Return the blocks that averages of a model are over, with a note where these are drawn."""
    blocks = blocks_of(model, space, choices_of(space.system)[1])
    if any(not block.exact for block in blocks):
        notes.append(Note("some options have too many valid combinations to list: averages are over drawn ones"))
    return blocks


def overview_of(model: InfluenceModel, space: Space, notes: Notes, support: Support | None = None) -> Overview:
    """Return the importance of all options, and the effects of their values."""
    system = space.system
    titles, choices = choices_of(system)
    blocks = averaged_blocks(model, space, notes)
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
            mean = math.exp(effect.mean) if product else effect.mean
            change = effect.change if effect.change is None or not product else math.exp(effect.change)
            values.append(OptionValue(*label_of(system, effect.values), effect.fraction, mean, change))
        options.append(OptionImportance(titles[item.choice], names, share, item.alone, item.total, tuple(values)))
    indices = {position: number for number, members in enumerate(choices) for position in members}
    used = [model.options_of(term) for term, influence in model.terms if influence != 0]
    together = [{indices[position] for position in positions_of(names, system)} for names in used]
    folds = folds_of(support or {}, choices, system)
    interactions = []
    for pair in variance.interactions(together):
        names, numbers = tuple(titles[choice] for choice in pair.choices), frozenset(pair.choices)
        known = (None, None, numbers in together, folds.get(numbers))
        interactions.append(OptionInteraction(names, max(pair.share, 0.0), *known))
    found = (math.fsum(mean_contributions(model, blocks)), variance.deviation, tuple(options), (), tuple(interactions))
    return Overview(*found, product=product).of_system(system)


def alias_notes(full: Full | None, space: Space) -> tuple[Note, ...]:
    """Return notes about options that always change together: in all valid configurations, or in those learned from."""
    system = space.system
    choices = choices_of(system)[1]
    groups: list[tuple[str, ...]] = []
    notes = []
    sets = []
    with suppress(SpaceError):
        if space.count <= ENUMERATED:
            sets.append(("all valid configurations", valid_configurations(system, 0)))
    if full is not None:
        learned = full.configurations.unique()
        sets.append((f"the {plural(len(learned), 'configuration', 'configurations')} learned from", learned))
    for where, configurations in sets:
        # A model may have been learned without some options of the system, or with others.
        own = configurations.system
        names = [[system.names[position] for position in members] for members in choices]
        places = [tuple(own.positions[name] for name in members if name in own.positions) for members in names]
        found = [tuple(own.names[place] for place in pair) for pair in aliases(configurations.indices, places)]
        # Aliases in all valid configurations are not repeated for some of them.
        new = [alias for alias in found if not any(set(alias) <= set(other) for other in groups)]
        groups += new
        if new:
            shown = listed([" and ".join(alias) for alias in new], MAX_SETS)
            text = f"interchangeable, because they always change together in {where}"
            notes.append(Note(f"{text}: {shown}", about=Rank.LIMIT))
    return tuple(notes)


def aliases(indices: Array, choices: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return sets of options of several choices that always change together, given indices of shape (n, options)."""
    groups: dict[bytes, dict[int, int]] = {}
    for number, positions in enumerate(choices):
        for position in positions:
            column = indices[:, position]
            # Values are numbered in the order of their first rows, so that 0 and 1 may be swapped.
            values = [*dict.fromkeys(column.tolist())]
            if len(values) > 1:
                codes = np.zeros(max(values) + 1, dtype=np.int32)
                codes[values] = np.arange(len(values))
                groups.setdefault(codes[column].tobytes(), {}).setdefault(number, position)
    return [tuple(group.values()) for group in groups.values() if len(group) > 1]


def folds_of(
    support: Support, choices: Sequence[tuple[int, ...]], system: VariabilityModel
) -> dict[frozenset[int], int | None]:
    """Return the choices that a term of the printed model is about → the folds that support it, as far as known."""
    place = {position: number for number, members in enumerate(choices) for position in members}
    result: dict[frozenset[int], int | None] = {}
    for names, folds in support.items():
        numbers = frozenset(place[system.positions[name]] for name in names if name in system.positions)
        count = result.get(numbers)
        result[numbers] = folds if count is None else count if folds is None else max(count, folds)
    return result


def mean_contributions(model: InfluenceModel, blocks: Sequence[Block]) -> list[float]:
    """Return the mean contribution of each term over the valid space."""
    means = [math.prod(float(block.means[number]) for block in blocks) for number in range(len(model.terms))]
    return [influence * mean for (_, influence), mean in zip(model.terms, means, strict=True)]


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


def _share(fraction: float) -> str:
    return share_text(fraction * 100)


SHARES = (*columns("of variance = share", _share), interval_column(INTERVAL, "low", "high", _share))
OPTIONS = narrowed(
    (*columns("option = name"), *SHARES, *columns("alone, with interactions = total", _share)),
    *("with interactions", "alone", INTERVAL),
)


def overview_as_json(overview: Overview) -> dict[str, Any]:
    """Return the JSON object of an overview: fractions and shares are in percent, changes of products are factors."""
    options = [
        {
            **picked(option, "name, options"),
            **_in_percent(option, "share", "low", "high", "alone", "total"),
            "values": [
                {
                    "value": value.label if value.number is None else value.number,
                    "configurations": 100 * value.fraction,
                    **picked(value, "mean, change, low, high"),
                }
                for value in option.values
            ],
        }
        for option in overview.options
    ]
    pairs, ends = overview.interactions, ("share", "low", "high")
    interactions = [{"options": p.names, **_in_percent(p, *ends), **picked(p, "printed, folds")} for p in pairs]
    results = {"options": options, "interactions": interactions}
    return picked(overview, "mean, deviation") | results | picked(overview, "full, unused")


# The columns of the table of an overview.
ROW = "kind, option, value, share, low, high, alone, total, configurations, mean, change"


def table_of(overview: Drawn) -> Mapping[str, Any]:
    """Return an overview as columns: a row per option, per interaction, and per value; others as they are.

    Shares are fractions; `low` and `high` are the ends of the 90 % interval of the share, or of the change of a value.
    """
    if not isinstance(overview, Overview):
        return overview.to_columns()
    shares, effects = "share, low, high", "value = label, configurations = fraction, mean, change, low, high"
    named = [("option", each.name, picked(each, f"{shares}, alone, total")) for each in overview.options]
    named += [("interaction", " * ".join(each.names), picked(each, shares)) for each in overview.interactions]
    named += [("value", each.name, picked(value, effects)) for each in overview.options for value in each.values]
    rows = [{"kind": kind, "option": name, **own} for kind, name, own in named]
    return {name: [row.get(name) for row in rows] for name in ROW.split(", ")}


def _in_percent(source: object, *names: str) -> dict[str, float | None]:
    values = {name: getattr(source, name) for name in names}
    return {name: None if value is None else 100 * value for name, value in values.items()}


def view_of_overview(overview: Overview, folds: int, unit: str | None) -> View:
    """Yield the mean, the importance of options, interactions, and the effects of values."""
    product = overview.product
    # All values in one unit.
    like = [overview.mean, *(value.mean for option in overview.options for value in option.values)]
    factor, shown_unit = readable(unit, like)
    deviation = "" if product else f", standard deviation {quantity(overview.deviation, unit, like=like)}"
    mean = quantity(overview.mean, unit, like=like)
    yield f"{'geometric ' * product}mean over all valid configurations {mean}{deviation}"
    if overview.options:
        yield f"\nOptions by their share of the variance of {'the logarithm of ' * product}the prediction"
        hidden = overview.options[MAX_OPTIONS:]
        more = [{"name": f"{len(hidden)} more", "share": sum(option.share for option in hidden)}] if hidden else []
        yield Rows([*map(vars, overview.options[:MAX_OPTIONS]), *more], OPTIONS)
    if overview.unused:
        yield f"not in the model: {listed(overview.unused)}"
    # Of the full model, those of the printed one are listed whatever their share is.
    pairs, full = overview.interactions, overview.full
    large = [pair for pair in pairs if pair.share * 100 >= MIN_INTERACTION or (full and pair.printed)]
    if large:
        yield "\nInteractions"
        # Whether the printed model has it, and in how many folds its own one has.
        printed = Column("printed", lambda row: _support(row, folds) if overview.full else "")
        shown = (Column("options", lambda row: " * ".join(row.names)), *SHARES, printed)
        yield Rows(large, narrowed(shown, "printed", INTERVAL), MAX_INTERACTIONS)
    options = [option for option in overview.options[:MAX_OPTIONS] if option.share * 1000 >= 1]
    if options:
        yield "\nMean prediction by value, and its change if only this option changes from the first value listed"

        def form(change: float) -> str:
            return change_text(change if product else change * factor, product)

        change = Column("factor" if product else "change", "change", right=True, signed=not product)
        rows = []
        for option in options:
            values: Sequence[OptionValue] = option.values
            if len(values) > MAX_VALUES:
                step = (len(values) - 1) / (MAX_VALUES - 1)
                values = [values[round(index * step)] for index in range(MAX_VALUES)]
            for index, value in enumerate(values):
                text = "-" if value.change is None else form(value.change)
                changed = "" if value is option.values[0] else text
                rows.append({**vars(value), "option": "" if index else option.name, "change": changed})
        count = Column("configurations", "fraction", _share, optional=1)
        means = Column(titled("mean", shown_unit or None), "mean", lambda mean: f"{mean * factor:.6g}")
        ends = interval_column(INTERVAL, "low", "high", form, optional=2)
        yield Rows(rows, (*columns("option, value = label"), count, means, change, ends))
        if any(len(option.values) > MAX_VALUES for option in options):
            yield f"of an option with more than {MAX_VALUES} values, {MAX_VALUES} are shown; --json has all"


def _support(interaction: OptionInteraction, folds: int) -> str:
    if not interaction.printed:
        return "-"
    return "yes" if interaction.folds is None or not folds else f"{interaction.folds} of {folds} folds"


def change_text(value: float, product: bool) -> str:
    """Return a difference, or of a product a factor."""
    return f"× {value:.4g}" if product else f"{value:+.6g}"


def shares_of(found: Overview) -> list[Share]:
    """Return the shares of the options in percent, with the ends of their intervals as far as they are known."""
    return [Share(each.name, 100 * each.share, *_in_percent(each, "low", "high").values()) for each in found.options]


def effect_of(option: OptionImportance, configurations: Configurations | None, *, product: bool) -> ValueEffects:
    """Return the effect of an option, with the indices of its values in configurations, if there are any."""
    values = option.values
    numbers = tuple(value.number for value in values if value.number is not None)
    numeric = len(numbers) == len(values) and len(numbers) > 2
    means = np.array([value.mean for value in values])
    low, high = (interval_ends(values, means, end, product=product) for end in ("low", "high"))
    at = np.zeros(0, dtype=int) if configurations is None else positions(option, configurations)
    labels = tuple(value.label for value in values)
    return ValueEffects(option.name, labels, numbers if numeric else None, means, low, high, at)


def interval_ends(values: Sequence[OptionValue], means: Array, end: str, *, product: bool) -> Array:
    """Return one end of the interval of each mean: that of its change from the first value."""
    # None is NaN as a number.
    bounds, changes = (np.array([getattr(value, name) for value in values], dtype=float) for name in (end, "change"))
    return np.asarray(means * bounds / changes if product else means + bounds - changes)


def positions(option: OptionImportance, configurations: Configurations) -> Array:
    """Return the position of the value of an option, or of an alternative group, in each configuration; else -1."""
    system = configurations.system
    columns = [system.positions[name] for name in option.options]
    labels = {value.label: index for index, value in enumerate(option.values)}
    rows, which = np.unique(configurations.indices[:, columns], axis=0, return_inverse=True)
    texts = (label_of(system, dict(zip(columns, row, strict=True)))[0] for row in rows.tolist())
    return np.array([labels.get(text, -1) for text in texts], dtype=int)[which.ravel()]


def variations_table(influences: ContextInfluences) -> Rows:
    """Return the options by how much their influence varies: with each value, or the least and the greatest of many."""
    names = influences.names
    if len(names) <= MAX_CONTEXTS:
        shown = [Column(shown_value(name), f"factors.{at}", four_digits, right=True) for at, name in enumerate(names)]
    else:

        def end(row: InfluenceVariation, of: Callable[[Iterable[float]], float]) -> str:
            value = of(row.factors)
            return f"{four_digits(value)} ({shown_value(names[row.factors.index(value)])})"

        shown = [Column(title, partial(end, of=of), right=True) for title, of in (("least", min), ("greatest", max))]
    shown.append(Column("", lambda row: "" if row.settled else "not known to differ"))
    return Rows(influences.variations(), (Column("option"), *shown), MAX_OPTIONS)
