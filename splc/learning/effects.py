"""The effects of the terms of a learned model, grouped by sets of options and sorted by size; titles of groups."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from splc.data.configurations import Configurations
from splc.io.numbers import comparable_size
from splc.learning.projection import SETTLED, SUPPORT, stem_of
from splc.learning.result import InfluenceEstimate
from splc.models.influence import InfluenceModel, levels_of, term_shares, with_levels
from splc.models.terms import CONSTANT, Term, names_in, option_term, quoted
from splc.system.variability import VariabilityModel

DIGITS = 6
# Effects with an uncertain sign are left out if their share, or the change by their factor, is smaller than this.
SMALL_SHARE = 1.0
SMALL_FACTOR = 0.01


def titled_groups(system: VariabilityModel) -> dict[tuple[str, ...], str]:
    """Return alternative groups with their titles: the parent, the stem of the members' names, or all members."""
    titles: dict[tuple[str, ...], str] = {}
    complete_groups = system.child_groups
    for group in system.alternative_groups:
        if any(set(group) & set(other_group) for other_group in titles):
            continue
        title, parent = stem_of(group), system.option(group[0]).parent
        if parent is not None and parent in complete_groups and all(name.startswith(parent) for name in group):
            # Measurements and --fix use this name: codec=lz4.
            title = parent
        # A stem of the first name alone, such as `codec_lz` of `codec_lz4` and `codec_zstd`, is no name of the group.
        elif title in group or len({stem_of((name,)) for name in group}) > 1:
            title = parent or "|".join(group)
        titles[group] = title
    grouped = {name for group in titles for name in group}
    # Options that every configuration has are in no model.
    ungrouped = {name for name in system.names if name not in grouped and name not in system.mandatory}
    title_counts = Counter([*titles.values(), *ungrouped])
    return {group: "|".join(group) if title_counts[title] > 1 else title for group, title in titles.items()}


def group_titles(system: VariabilityModel) -> dict[str, str]:
    """Return member → title of its alternative group."""
    return {name: title for group, title in titled_groups(system).items() for name in group}


@dataclass(frozen=True)
class Effect:
    """A term with its effect, or in a product a factor, which may combine several terms."""

    text: str  # the term; of a factor, the binary options that switch it on (empty: it is always there)
    influence: float | None  # the influence; None for a factor
    share: float | None  # the share of the term in percent (`TermShares`); None where undefined, and for a factor
    estimate: InfluenceEstimate | None = None  # the uncertainty of a single term's influence, if it is known
    factor: str = ""  # the factor as text, empty in a sum
    low: float | None = None  # the least value of the factor over the configurations, None in a sum
    high: float | None = None  # the greatest value of the factor
    folds: int = 0  # the number of folds that the support of its estimate is counted in; 0 if that is not known
    level: str = ""  # the member of an alternative group in it, where effects of a set of options differ in the member
    rest: str = ""  # the text without this member
    absolute: bool = False  # whether the share is one of mean absolute contributions, because terms cancel

    @property
    def unsettled(self) -> bool:
        """True if its sign is uncertain."""
        return self.estimate is not None and self.estimate.sign_probability < SETTLED

    @property
    def is_rare(self) -> bool:
        """True if few folds have a term of the same options; folds with a product need no constant."""
        if self.estimate is None or self.estimate.folds is None or not self.estimate.term.options:
            return False
        return self.estimate.folds < SUPPORT * self.folds

    @property
    def negligible(self) -> bool:
        """True if its sign is uncertain, or few folds have it, and its effect is small, so that tables leave it out."""
        if not (self.unsettled or self.is_rare):
            return False
        if self.factor:
            return self.low is not None and self.size < SMALL_FACTOR
        return self.share is not None and abs(self.share) < SMALL_SHARE

    @property
    def size(self) -> float:
        """Its effect, by which effects are sorted."""
        if self.low is None or self.high is None:
            return abs(self.share or 0.0)
        ends = [abs(math.log(end)) for end in (self.low, self.high) if end > 0]
        return max([*ends, math.log(self.high / self.low) if self.low > 0 else math.inf], default=0.0)


@dataclass(frozen=True)
class OptionEffects:
    """The effects over one set of options, where an alternative group counts as one option."""

    options: tuple[str, ...]  # in the system's order; an alternative group has the stem of its members' names
    share: float | None  # the sum of the terms' shares in percent, None where it is undefined
    effects: tuple[Effect, ...]  # the effects, the largest first
    levels: bool = False  # whether the effects differ in the member of an alternative group

    @property
    def size(self) -> float:
        """The effect of all together, by which sets are sorted."""
        return max(abs(self.share or 0.0), *(effect.size for effect in self.effects))


# The options that an effect depends on, the effect, and what returns its text without an option.
_Part = tuple[frozenset[str], Effect, Callable[[str], str]]


def option_effects(
    model: InfluenceModel, estimates: Iterable[InfluenceEstimate], configurations: Configurations, folds: int = 0
) -> tuple[OptionEffects, ...]:
    """Return the effects of a model, the sets of options with the largest effect first."""
    titles = titled_groups(configurations.system)
    group_of = {name: group for group in titles for name in group}
    estimates_by_term = {estimate.term: estimate for estimate in estimates}
    parts_by_key: dict[tuple[tuple[str, ...], ...], list[_Part]] = {}
    make = _factors if model.link == "log" else _terms
    for part in make(model, estimates_by_term, configurations):
        # The key has no titles, since another option can have the title of the group as its name.
        key = tuple(dict.fromkeys(group_of.get(name, (name,)) for name in names_in(part[0], model.order)))
        parts_by_key.setdefault(key, []).append(part)
    groups = []
    for key, parts in parts_by_key.items():
        among = [choice for choice in key if choice in titles]
        levels = len(parts) > 1 and bool(among)
        found = _with_members(parts, among) if levels else [effect for _, effect, _ in parts]
        found = sorted(found, key=lambda effect: -comparable_size(effect.size))
        shares = [effect.share for effect in found if effect.share is not None]
        options = tuple(dict.fromkeys(titles.get(choice, choice[0]) for choice in key))
        effects = tuple(replace(effect, folds=folds) for effect in found)
        groups.append(OptionEffects(options, math.fsum(shares) if shares else None, effects, levels))
    # The number of a product that every configuration has comes first.
    product = model.link == "log"
    return tuple(sorted(groups, key=lambda group: (not product or bool(group.options), -comparable_size(group.size))))


def _with_members(parts: Sequence[_Part], groups: Sequence[tuple[str, ...]]) -> list[Effect]:
    """Return effects with their members of the alternative group, of those given, that has the most members here."""
    used = {name for options, _, _ in parts for name in options}
    group = max(sorted(groups), key=lambda group: len(used.intersection(group)))
    rows = [(effect, text_without, min(options.intersection(group))) for options, effect, text_without in parts]
    return [replace(effect, level=level, rest=text_without(level)) for effect, text_without, level in rows]


def group_texts(model: InfluenceModel, system: VariabilityModel) -> list[str]:
    """Return the text of each term with members of alternative groups replaced by the group, and levels by `[x]`."""
    levels = {name: f"[{re.split(' >?= ', text[1:])[0]}]" for name, text in levels_of(model, system).items()}
    titles = {**group_titles(system), **levels}
    return [with_levels(term, titles).text(model.order) for term, _ in model.terms]


def _terms(
    model: InfluenceModel, estimates_by_term: Mapping[Term, InfluenceEstimate], configurations: Configurations
) -> Iterable[_Part]:
    levels = levels_of(model, configurations.system)

    def text_without(term: Term, name: str) -> str:
        remaining_term = with_levels(term.reduced((), [name]), levels)
        return "" if remaining_term == CONSTANT else remaining_term.text(model.order)

    shares = term_shares(model, configurations)
    for (term, influence), share in zip(model.terms, shares.values, strict=True):
        text = with_levels(term, levels).text(model.order)
        effect = Effect(text, influence, share, estimates_by_term.get(term), absolute=shares.absolute)
        yield model.options_of(term), effect, partial(text_without, term)


def _factors(
    model: InfluenceModel, estimates_by_term: Mapping[Term, InfluenceEstimate], configurations: Configurations
) -> Iterable[_Part]:
    """Yield the effect of each factor of a product where its binary options are selected."""
    system = configurations.system
    binary = frozenset([*(option.name for option in system.binary_options), *system.switches])
    levels = levels_of(model, system)
    conditions: dict[frozenset[str], list[int]] = {}
    for term_index, (term, _) in enumerate(model.terms):
        conditions.setdefault(term.options & binary, []).append(term_index)
    contributions = model.contributions(configurations)

    def text(options: frozenset[str], excluded: str = "") -> str:
        return " * ".join(quoted(name, model.order) for name in names_in(options - {excluded}, model.order))

    for options, term_indices in conditions.items():
        active = np.ones(len(configurations), dtype=bool)
        for name in options:
            active &= configurations.column(name) == 1
        with np.errstate(over="ignore"):
            values = np.exp(contributions[:, term_indices].sum(axis=1)[active])
        ends = (float(values.min()), float(values.max())) if len(values) else (None, None)
        terms = [model.terms[term_index] for term_index in term_indices]
        pairs = [(with_levels(term.reduced((), options), levels), influence) for term, influence in terms]
        estimate = estimates_by_term.get(terms[0][0]) if len(terms) == 1 else None
        effect = Effect(text(options), None, None, estimate, factor_text(pairs, model.order), *ends)
        yield options, effect, partial(text, options)


def factor_text(pairs: Sequence[tuple[Term, float]], order: Sequence[str]) -> str:
    """Return the exponential of a sum of terms as a product: `1.35 * x^0.85 * exp(0.01 * y)`."""
    number = math.fsum(influence for term, influence in pairs if term == CONSTANT)
    parts: list[str] = []
    exponent_text = ""
    for term, influence in pairs:
        if len(term.factors) == 1 and (term.factors[0].power, term.factors[0].log) == (0, 1):
            # e^(b log10 x) is x^(b / ln 10).
            power = f"{influence / math.log(10):.{DIGITS}g}"
            name = option_term(term.factors[0].option).text(order)
            parts.append(f"{name}^({power})" if influence < 0 else f"{name}^{power}")
        elif term != CONSTANT:
            sign = (" - " if influence < 0 else " + ") if exponent_text else ("-" if influence < 0 else "")
            exponent_text += f"{sign}{abs(influence):.{DIGITS}g} * {term.text(order)}"
    if exponent_text:
        parts.append(f"exp({exponent_text})")
    # Numbers out of range stay exponentials.
    constant = f"{math.exp(number):.{DIGITS}g}" if abs(number) < 700 else f"exp({number:.{DIGITS}g})"
    return " * ".join([constant, *parts] if number or not parts else parts)
