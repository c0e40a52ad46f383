"""The effects of terms, grouped by options."""

from __future__ import annotations

import math
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from sampling import Space
from splc.data.measurements import Measurements
from splc.learning import learn
from splc.learning.effects import Effect, factor_text, group_titles, option_effects
from splc.learning.projection.basis import variables_of
from splc.learning.projection.columns import units_of
from splc.learning.result import InfluenceEstimate
from splc.models.influence import InfluenceModel, term_shares
from splc.models.terms import CONSTANT, Term, log_term, option_term, quoted
from splc.models.text.reader import expand_model
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Link
from tests.support.golden_messages import Lines, check_calls
from tests.support.systems import group as alternatives

REFS = ("ref_1", "ref_5", "ref_9")


SYSTEM = VariabilityModel(
    "system",
    (
        *alternatives(*REFS),
        BinaryOption("gvn"),
        NumericOption("x", (1.0, 2.0, 4.0, 64.0)),
        NumericOption("y", (0.0, 1.0, 2.0)),
    ),
)
ALL = Space(SYSTEM).enumerate()
GVN, X, Y, REF_1, REF_9 = (option_term(name) for name in ("gvn", "x", "y", "ref_1", "ref_9"))


def model_of(*terms: tuple[Term, float], link: Link = "identity") -> InfluenceModel:
    """Return a model."""
    return InfluenceModel.of_system(terms, SYSTEM, link)


def test_terms_of_the_same_options_belong_together() -> None:
    """Terms are grouped by options and sorted by share; an alternative group counts as one option."""
    terms = ((CONSTANT, 0.1), (X, 0.5), (X**2, 0.001), (REF_1 * GVN, 2.0), (REF_9 * GVN, -5.0), (GVN, 0.01))
    model = model_of(*terms)
    groups = option_effects(model, (), ALL)
    assert [group.options for group in groups] == [("x",), ("ref", "gvn"), (), ("gvn",)]
    assert [effect.text for effect in groups[0].effects] == ["x", "x^2"]
    assert [effect.text for effect in groups[1].effects] == ["ref_9 * gvn", "ref_1 * gvn"]
    assert [group.levels for group in groups] == [False, True, False, False]
    shares = dict(zip((term for term, _ in model.terms), term_shares(model, ALL).values, strict=True))
    assert groups[0].share == pytest.approx((shares[X] or 0) + (shares[X**2] or 0))
    assert math.fsum(group.share or 0 for group in groups) == pytest.approx(100)


def test_levels_of_groups() -> None:
    """Effects that differ in the member of an alternative group know it, and the text without it; single ones not."""
    found = option_effects(model_of((REF_1 * GVN, 2.0), (REF_9 * GVN, 3.0), (GVN, 1.0)), (), ALL)
    assert {(effect.level, effect.rest) for group in found for effect in group.effects} == {
        ("ref_1", "gvn"),
        ("ref_9", "gvn"),
        ("", ""),
    }
    (group,) = option_effects(model_of((REF_1 * GVN, 2.0)), (), ALL)
    assert (group.levels, group.effects[0].level, group.effects[0].rest) == (False, "", "")


def test_the_uncertainty_belongs_to_its_term() -> None:
    """An effect has the estimate of its term; below 0.95 its sign is not settled."""
    estimates = [InfluenceEstimate(X, 0.5, 0.1, 0.3, 0.7, 0.95), InfluenceEstimate(GVN, 1.0, 2.0, -2.0, 4.0, 0.94)]
    found = option_effects(model_of((X, 0.5), (GVN, 1.0), (Y, 1.0)), estimates, ALL)
    assert {group.effects[0].text: group.effects[0].unsettled for group in found} == {
        "x": False,
        "gvn": True,
        "y": False,
    }
    assert [group.effects[0].estimate for group in found if group.options == ("y",)] == [None]


def test_the_uncertainty_of_factors() -> None:
    """A factor of one term has the estimate of this term, a factor of several terms has none."""
    terms = (CONSTANT, X, GVN, REF_1 * GVN, REF_9 * X, REF_9 * Y)
    known = [InfluenceEstimate(term, 1.0, 0.1, 0.8, 1.2, 0.9) for term in terms]
    found = option_effects(model_of(*((term, 1.0) for term in terms), link="log"), known, ALL)
    estimates = {effect.text: effect.estimate for group in found for effect in group.effects}
    assert estimates == {"": None, "gvn": known[2], "ref_1 * gvn": known[3], "ref_9": None}


def test_a_product_has_factors() -> None:
    """The factors of a product belong to binary options; their product is the prediction where these are selected."""
    terms = ((CONSTANT, 0.5), (log_term("x"), 2.0), (Y, -0.1), (GVN, 0.3), (GVN * Y, 0.25), (REF_1, -3.0), (REF_9, 0.1))
    model = model_of(*terms, link="log")
    groups = option_effects(model, (), ALL)
    assert [group.options for group in groups] == [(), ("ref",), ("gvn",)]
    assert groups[0].effects[0].factor == "1.64872 * x^0.868589 * exp(-0.1 * y)"
    assert [effect.factor for effect in groups[1].effects] == ["0.0497871", "1.10517"]
    assert groups[2].effects[0].factor == "1.34986 * exp(0.25 * y)"
    assert (groups[2].effects[0].low, groups[2].effects[0].high) == pytest.approx((math.exp(0.3), math.exp(0.8)))
    # The factors as text have the values of the model.
    total = np.ones(len(ALL))
    for effect in (effect for group in groups for effect in group.effects):
        active = np.prod([ALL.column(name) for name in effect.text.split(" * ") if name], axis=0)
        found = expand_model(effect.factor, SYSTEM.term_names)
        factor = InfluenceModel.from_terms(found.expansion, SYSTEM.term_order, derived=found.derived).predict(ALL)
        total *= np.where(active == 1, factor, 1.0)
    np.testing.assert_allclose(total, model.predict(ALL), rtol=1e-4)


def factor(*pairs: tuple[Term, float]) -> Lines:
    """Return the text of a factor."""
    return Lines(factor_text(pairs, SYSTEM.term_order))


def size(share: float | None, low: float | None = None, high: float | None = None) -> Lines:
    """Return the size of an effect with a share, or of a factor with these ends."""
    effect = Effect("x", 1.0, share, factor="" if low is None else "x", low=low, high=high)
    return Lines(f"{effect.size:g}")


def title(*names: str, optional: bool = False) -> Lines:
    """Return the title of a group below the option `codec`."""
    options = (BinaryOption("codec", optional=optional), *alternatives(*names, parent="codec"))
    (found,) = set(group_titles(VariabilityModel("system", options)).values())
    return Lines(found)


def test_calls() -> None:
    """The text of factors, the sizes of effects, and the titles of groups."""
    check_calls("effects", factor, size, title, log_term, ONE=CONSTANT, x=X, y=Y, ln10=math.log(10))


def test_levels_of_numeric_options() -> None:
    """A factor that is 1 at one value of a numeric option and 0 at all others is printed as this value."""
    found = expand_model("2 * gvn * max(0, min(x - 1, 2 - x / 2)) + 3 * max(0, x - 1) * y", SYSTEM.term_names)
    model = InfluenceModel.of_system(found.expansion.items(), SYSTEM, derived=found.derived)
    texts = {effect.text for group in option_effects(model, (), ALL) for effect in group.effects}
    assert texts == {"gvn * [x = 2]", "y * max(-1 + x, 0)"}


@pytest.mark.parametrize("values", [(8.0, 10.0, 16.0, 20.0), (1.0, 1.1, 1.4, 7.4), (1e5, 300001.0, 1234567.0, 7e6)])
def test_thresholds_with_rounded_slopes(values: tuple[float, ...]) -> None:
    """The thresholds of the default learner are printed as such, also where 1/6 is rounded."""
    system = VariabilityModel("s", (NumericOption("x", values),))
    everything = Space(system).enumerate()
    units, _ = units_of(variables_of(system), everything, "shapes")
    thresholds = [unit for unit in units if ">=" in unit.text]
    assert len(thresholds) == len(values) - 1
    for unit in thresholds:
        model = InfluenceModel.of_system([(unit.atom.term, 1.0)], system, derived=unit.atom.derived)
        ((effect,),) = (group.effects for group in option_effects(model, (), everything))
        assert effect.text == unit.text


CODECS = ("codecA", "codecB", "codecC")


@pytest.mark.parametrize("learner", ["projection", "readable", "product", "splconqueror", "splconqueror-2019"])
def test_an_option_with_the_title_of_a_group(learner: str) -> None:
    """A group below an option whose name its members begin with, and this option, are different sets of options."""
    system = VariabilityModel(
        "s",
        (
            BinaryOption("codec"),
            *alternatives(*CODECS, parent="codec"),
            NumericOption("n", tuple(map(float, range(1, 7)))),
        ),
    )
    everything = Space(system).enumerate()
    n, codec, member = (everything.column(name) for name in ("n", "codec", "codecA"))
    measured = Measurements(everything, {"time": 10 + n + 50 * n * codec + 30 * n * member})
    settings: dict[str, dict[str, Any]] = {"readable": {"readable": True}, "product": {"form": "product"}}
    preset = learner if learner.startswith("splconqueror") else "default"
    result = learn(measured, "time", preset=preset, settings=settings.get(learner))
    groups = option_effects(result.model, result.estimates, everything)
    texts = {effect.text for group in groups for effect in group.effects}
    assert len(texts) == sum(len(group.effects) for group in groups) >= 3
    assert len({group.options for group in groups}) == len(groups)
    title = group_titles(system)["codecA"]
    assert title not in system.names
    for group in groups:
        for effect in group.effects:
            assert (title in group.options) == ("codecA" in effect.text)


@pytest.mark.parametrize(
    "options",
    [
        # The stem of one group is a numeric option, and that of another group.
        [*alternatives("o1", "o2", "o3"), NumericOption("o", (1.0, 2.0, 3.0))],
        [*alternatives("o1", "o2", "o3"), *alternatives("o_1", "o_2", "o_3")],
        # Two groups below one parent, and a group beside other children.
        [
            BinaryOption("mode"),
            *alternatives("fast", "slow", parent="mode"),
            *alternatives("red", "blue", parent="mode"),
        ],
        [BinaryOption("mode"), *alternatives("modeA", "modeB", parent="mode"), BinaryOption("modeC", "mode")],
        # Names that look like products.
        [*alternatives("a * b", "a * c", "a * d"), BinaryOption("a"), BinaryOption("b")],
    ],
)
@pytest.mark.parametrize("link", ["identity", "log"])
def test_titles_of_groups_are_unique(options: list[BinaryOption | NumericOption], link: Link) -> None:
    """No two choices of a system have one title, and every term with every other one finds its members."""
    system = VariabilityModel("s", tuple(options))
    titles = group_titles(system)
    groups = {frozenset(name for name in titles if titles[name] == title) for title in titles.values()}
    assert groups == {frozenset(group) for group in system.alternative_groups}
    assert not set(titles.values()) & {name for name in system.names if name not in titles}
    singles = [option_term(name) for name in system.names]
    terms = dict.fromkeys([*singles, *(one * other for one, other in combinations(singles, 2))], 1.0)
    model = InfluenceModel.of_system(terms.items(), system, link)
    found = option_effects(model, (), Space(system).enumerate())
    for effect in (effect for group in found for effect in group.effects if effect.level):
        assert effect.level in titles
        parts = {quoted(effect.level), *([effect.rest] if effect.rest else [])}
        assert effect.text in {" * ".join(order) for order in permutations(parts)}


def test_members_within_expressions() -> None:
    """A member that is not a factor of its own stays in the text."""
    found = expand_model("2 * max(ref_1, gvn) + 3 * max(ref_9, gvn) * ref_1 + ref_5 * gvn", SYSTEM.term_names)
    model = InfluenceModel.of_system(found.expansion.items(), SYSTEM, derived=found.derived)
    (group,) = option_effects(model, (), ALL)
    assert (group.options, group.levels) == (("ref", "gvn"), True)
    assert {effect.rest for effect in group.effects} == {"max(gvn, ref_1)", "max(gvn, ref_9)", "gvn"}


def test_factors_without_configurations() -> None:
    """Without configurations the factors of a product have no ends, and the sizes are 0."""
    groups = option_effects(model_of((X, 0.5), (GVN, 1.0), link="log"), (), ALL[:0])
    assert [(group.effects[0].low, group.effects[0].high, group.size) for group in groups] == [(None, None, 0.0)] * 2
