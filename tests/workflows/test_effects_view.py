"""Printed lines of the effects of learned models, from effects with given numbers."""

from __future__ import annotations

from dataclasses import replace

from sampling import Space
from splc.learning.effects import Effect, OptionEffects, option_effects
from splc.learning.result import InfluenceEstimate
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.workflows.learn.effects_view import view_of_effects
from tests.support.learning_results import small_system
from tests.workflows.conftest import Printed

SURE = InfluenceEstimate(CONSTANT, 2.0, 0.123, 1.23456, 2.5, 1.0)
UNSURE = InfluenceEstimate(CONSTANT, 2.0, 0.123, -1.0, 2.5, 0.9)


def group(*effects: Effect, name: str = "a", share: float | None = 10.0, levels: bool = False) -> OptionEffects:
    """Return the effects of an option."""
    return OptionEffects((name,) if name else (), share, effects, levels)


def levels(
    count: int, influence: float | None, factor: str = "", estimate: InfluenceEstimate | None = None
) -> OptionEffects:
    """Return effects that differ in the member of an alternative group."""
    effects = [
        Effect(f"m{at}", None if influence is None else influence + at, 1.0, estimate, factor, level=f"m{at}", rest="x")
        for at in (*range(9, 9 + count - 1), 1)
    ]
    return group(*effects, name="m*", share=7.0, levels=True)


def test_support(printed: Printed) -> None:
    """A sign is settled only with the support of three quarters of the folds; small terms without one are left out."""
    known = {count: replace(SURE, term=option_term("a"), folds=count) for count in (5, 6)}
    effects = [Effect(f"t{count}", 2.0, 30.0, estimate, folds=8) for count, estimate in known.items()]
    assert [effect.unsettled for effect in effects] == [True, False]
    small = [Effect(f"s{count}", 2.0, -0.9, estimate, folds=8) for count, estimate in known.items()]
    lines = printed(view_of_effects((group(*effects, *small),), 9))
    assert [line.split()[0] for line in lines[2:5]] == ["t5", "t6", "s6"]
    assert lines[2].split()[-4:] == ["5/8", "sign", "not", "settled"]
    assert lines[3].split()[-1] == "6/8"
    assert "not shown: 1 term without a settled sign and with a share below 1 %" in lines
    # The levels of a group belong together, and a table has at least one line.
    assert "s5" in " ".join(printed(view_of_effects((group(effects[0], small[0], levels=True), group(small[0])), 9)))
    assert printed(view_of_effects((group(small[0]),), 9))[1].startswith("s5")


def test_levels(printed: Printed) -> None:
    """More than 4 levels are one line, in natural order, with a mark where a sign is not settled."""
    lines = printed(view_of_effects((levels(4, 2.0),), 1))
    assert lines[1].split() == ["m*", "7.0", "%", "levels"]
    assert [line.split()[0] for line in lines[2:6]] == ["m9", "m10", "m11", "m1"]
    assert printed(view_of_effects((levels(5, 2.0, estimate=UNSURE),), 1)) == [
        "term  influence  share  remark",
        "m*      3 to 14  5.0 %  m1: 3?, m9: 11?, m10: 12?, m11: 13?, m12: 14?",
        "",
        "share: mean contribution / mean prediction on the 1 configuration learned from "
        "(negative: it lowers the prediction)",
        "?: sign not settled",
    ]


def test_factors(printed: Printed) -> None:
    """Factors have the interval of a number, and the range of a function."""
    number = Effect("", None, None, SURE, "2.5")
    unsure = Effect("a", None, None, UNSURE, "0.5")
    function = Effect("b", None, None, SURE, "exp(x)", 0.123456, 2.0)
    alone = Effect("c", None, None, None, "3")
    assert printed(view_of_effects((group(number), group(unsure), group(function), group(alone)), 3)) == [
        "if selected  factor  90 % interval    range        remark",
        "(always)     2.5     3.437 to 12.18",
        "a            0.5     0.3679 to 12.18               sign not settled",
        "b            exp(x)                   0.1235 to 2",
        "c            3",
        "",
        "The prediction is the product of the factors whose options are selected.",
        "range: least and greatest value of the factor on the 3 configurations learned from.",
    ]
    assert (
        printed(view_of_effects((group(alone), group(Effect("d", None, None, None, "exp(x)", 0.1))), 3))[-1]
        == "The prediction is the product of the factors whose options are selected."
    )
    large = Effect("", None, None, InfluenceEstimate(CONSTANT, 1.0, 1.0, 0.0, 800.0, 1.0), "2")
    assert "1 to 1.014e+304" in printed(view_of_effects((group(large),), 3))[1]


def test_levels_of_factors(printed: Printed) -> None:
    """Numbers of levels are rounded, functions are kept, and their table says so."""
    assert printed(view_of_effects((levels(5, None, "1.23456789", UNSURE), levels(5, None, "x^2")), 3))[1:3] == [
        "m*           m1: 1.235?, m9: 1.235?, m10: 1.235?, m11: 1.235?, m12: 1.235?  levels",
        "m*           m1: x^2, m9: x^2, m10: x^2, m11: x^2, m12: x^2                 levels",
    ]
    assert printed(view_of_effects((levels(2, None, "2"),), 3))[1].split() == ["m*", "levels"]


def test_many_effects(printed: Printed) -> None:
    """20 lines are shown; of more 19 and the rest, which never begins below a line of options."""
    single = [group(Effect(f"t{at}", 1.0, 2.0), name=f"t{at}") for at in range(21)]
    assert len([line for line in printed(view_of_effects(single[:20], 1)) if line.startswith("t")]) == 1 + 20
    lines = printed(view_of_effects(single, 1))
    assert lines[19].split()[0] == "t18"
    assert lines[20].split("  ")[0] == "2 more terms, together 4.0 %"
    pair = group(Effect("p", 1.0, None, UNSURE), Effect("p^2", 1.0, 3.0), name="pair")
    lines = printed(view_of_effects((*single[:18], pair, single[18]), 1))
    assert lines[18].split()[0] == "t17"
    assert lines[19].split("  ")[0] == "3 more terms, together 5.0 %"
    assert not [line for line in lines if line.startswith("?")]
    factors = [group(Effect(f"t{at}", None, None, None, "2"), name=f"t{at}") for at in range(20)]
    assert printed(view_of_effects((*factors, group(Effect("u", None, None, None, "2"))), 1))[20] == "2 more factors"


def test_marks_in_the_rest(printed: Printed) -> None:
    """Only marks of shown lines are explained."""
    single = [group(Effect(f"t{at}", 1.0, None), name=f"t{at}") for at in range(19)]
    marked = levels(5, 2.0, estimate=UNSURE)
    assert not [line for line in printed(view_of_effects((*single, marked, marked), 1)) if line.startswith("?")]
    assert printed(view_of_effects((marked, *single, *single[:2]), 1))[-1] == "?: sign not settled"


def test_long_factors(printed: Printed) -> None:
    """A long factor is divided before operators, and its range is in its first row."""
    terms = [(CONSTANT, 1.0), *((option_term("x", -power), 0.123456 / power) for power in range(1, 9))]
    system = small_system()
    model = InfluenceModel.of_system(terms, system, "log")
    lines = printed(view_of_effects(option_effects(model, (), Space(system).enumerate()), 9))
    first, *others = lines[1 : lines.index("")]
    assert first.startswith("(always)")
    assert " to " in first
    assert len(others) == 2
    assert all(line.split()[0] in ("*", "+") and " to " not in line for line in others)
    assert max(map(len, lines[: lines.index("")])) < 125
