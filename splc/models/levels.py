"""Subexpressions that select values of one numeric option, and the text of terms with them: `[x >= 4]`, `[x = 4]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from splc.data.configurations import Configurations
from splc.io.numbers import number_text
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Derived
from splc.models.terms import Subexpression, Term, option_term, product_of, quoted
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel

# A subexpression that is this close to 1 at one value and to 0 at all others is this value.
ROUNDING = 1e-9


def term_texts(model: InfluenceModel, system: VariabilityModel) -> list[str]:
    """Return the text of each term; thresholds and values of numeric options are written `[x >= 4]` and `[x = 4]`."""
    levels = levels_of(model, system)
    return [with_levels(term, levels).text(model.order) for term, _ in model.terms]


def with_levels(term: Term, levels: Mapping[str, str]) -> Term:
    """Return a term whose subexpressions have other names where `levels` has one."""
    if levels.keys().isdisjoint(term.options):
        return term
    named = (replace(f, option=Subexpression(levels[f.option])) if f.option in levels else f for f in term.factors)
    return product_of(named)


def levels_of(model: InfluenceModel, system: VariabilityModel) -> dict[str, str]:
    """Return subexpression → `[x >= 4]` or `[x = 4]`, for those that are 1 at these values and 0 at all others."""
    levels = {}
    for subexpression in model.factors:
        text = _level(subexpression, model, system)
        if text is not None:
            levels[str(subexpression.name)] = text
    return levels


def _level(derived: Derived, model: InfluenceModel, system: VariabilityModel) -> str | None:
    term = option_term(derived.name)
    names = model.options_of(term)
    option = system.option(next(iter(names))) if len(names) == 1 and names <= set(system.names) else None
    if not isinstance(option, NumericOption):
        return None
    indices = np.zeros((len(option.values), len(system.options)), dtype=int)
    indices[:, system.positions[option.name]] = np.arange(len(option.values))
    values = replace(model, terms=((term, 1.0),), link="identity").predict(Configurations(system, indices))
    # Slopes such as 1/6 are rounded.
    selected = values > 1 / 2
    count = int(selected.sum())
    if not np.allclose(values, selected, rtol=0, atol=ROUNDING) or count in (0, len(values)):
        return None
    first = int(selected.argmax())
    if not selected[first:].all() and count > 1:
        return None
    sign = ">=" if selected[first:].all() else "="
    return f"[{quoted(option.name)} {sign} {number_text(option.values[first])}]"
