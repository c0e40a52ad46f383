"""The output of learned models: groups of terms, factors, uncertainty, the path."""

from __future__ import annotations

import pytest

from sampling import Space
from splc.cli.show.effects import MAX_LINES, PRODUCT, SUM, _lines, show_effects
from splc.learning.effects import option_effects
from splc.learning.result import InfluenceEstimate
from splc.models.influence import InfluenceModel, Link
from splc.models.terms import CONSTANT, option_term
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from tests.support.learning_results import small_system, uncertain_result

SYSTEM = small_system()
ALL = Space(SYSTEM).enumerate()


def printed(model: InfluenceModel, capsys: pytest.CaptureFixture[str], estimated: bool = True) -> list[str]:
    """Return the lines that are printed of a model."""
    estimates = uncertain_result(model.link).estimates if estimated else ()
    show_effects(option_effects(model, estimates, ALL), 9)
    return capsys.readouterr().out.splitlines()


def test_long_factors(capsys: pytest.CaptureFixture[str]) -> None:
    """A long factor is divided before operators, and its range is in its first row."""
    terms = [(CONSTANT, 1.0), *((option_term("x", -power), 0.123456 / power) for power in range(1, 9))]
    show_effects(option_effects(InfluenceModel.of_system(terms, SYSTEM, "log"), (), ALL), 9)
    lines = capsys.readouterr().out.splitlines()
    first, *others = lines[1 : lines.index("")]
    assert first.startswith("(always)")
    assert " to " in first
    assert len(others) == 2
    assert all(line.split()[0] in ("*", "+") and " to " not in line for line in others)
    assert max(map(len, lines[: lines.index("")])) < 125


@pytest.mark.parametrize("count", [MAX_LINES, MAX_LINES + 1, 40])
def test_long_models(capsys: pytest.CaptureFixture[str], count: int) -> None:
    """At most 20 lines are printed; the last one has the number and the share of all further terms."""
    terms = [(CONSTANT, 1.0), *((option_term("x", -power), 1.0 / power) for power in range(1, count - 1))]
    groups = option_effects(InfluenceModel.of_system(terms, SYSTEM), (), ALL)
    show_effects(groups, 9)
    lines = capsys.readouterr().out.splitlines()
    body = lines[1 : lines.index("")]
    # One line is the title of the terms over x.
    assert len(body) == min(count, MAX_LINES)
    if count > MAX_LINES:
        shown = {line.split()[0] for line in body}
        hidden = [effect for group in groups for effect in group.effects if effect.text not in shown]
        share = sum(effect.share or 0 for effect in hidden)
        assert len(hidden) == count - 1 - (MAX_LINES - 2)
        assert body[-1] == f"{len(hidden)} more terms, together {share:.1f} %"


@pytest.mark.parametrize("product", [False, True])
@pytest.mark.parametrize("count", [3, MAX_LINES + 5])
def test_lines_have_all_columns(count: int, product: bool) -> None:
    """Every line, also that of further terms, has one cell per column."""
    terms = [(CONSTANT, 1.0), *((option_term("x", -power), 1.0 / power) for power in range(1, count))]
    model = InfluenceModel.of_system(terms, SYSTEM, "log" if product else "identity")
    lines, _ = _lines(option_effects(model, (), ALL), product)
    assert {len(line) for line in lines} == {len(PRODUCT if product else SUM)}


@pytest.mark.parametrize("link", ["identity", "log"])
def test_tables_of_levels(capsys: pytest.CaptureFixture[str], link: Link) -> None:
    """Many levels of an alternative group are one line per set of other options, in the order of the levels."""
    names = [f"ref_{number}" for number in (1, 2, 10, 20, 30)]
    members = [
        BinaryOption(name, optional=False, excluded=tuple((other,) for other in names if other != name))
        for name in names
    ]
    system = VariabilityModel("system", (*members, BinaryOption("gvn"), BinaryOption("adce")))
    terms = [(option_term(name), 0.5 + place) for place, name in enumerate(names[:2] if link == "log" else names)]
    terms += [(option_term(name) * option_term("gvn"), 0.25) for name in names]
    model = InfluenceModel.of_system(terms, system, link)
    unsettled = [InfluenceEstimate(option_term("ref_2") * option_term("gvn"), 0.25, 1.0, -1.0, 2.0, 0.6)]
    show_effects(option_effects(model, unsettled, Space(system).enumerate()), 9)
    lines = capsys.readouterr().out.splitlines()
    own = next(line for line in lines if line.startswith("ref * gvn"))
    value = "0.25" if link == "identity" else "1.284"
    assert f"ref_1: {value}, ref_2: {value}?, ref_10: {value}, ref_20: {value}, ref_30: {value}" in own
    assert "?: sign not settled" in lines
    settled = option_effects(model, [], Space(system).enumerate())
    show_effects(settled, 9)
    assert "?: sign not settled" not in capsys.readouterr().out
    if link == "identity":
        # The influences of the levels are between these.
        assert "0.5 to 4.5" in next(line for line in lines if line.startswith("ref "))
        assert any("ref_1: 0.5, ref_2: 1.5, ref_10: 2.5, ref_20: 3.5, ref_30: 4.5" in line for line in lines)
    else:
        # Few levels have lines of their own.
        assert {line.split()[0] for line in lines if line} >= {"ref", "ref_1", "ref_2"}


def test_marks_are_explained_where_they_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """The mark of levels is explained only if a level has it, not if a term with a line of its own is unsettled."""
    names = [f"ref_{number}" for number in range(5)]
    members = [
        BinaryOption(name, optional=False, excluded=tuple((other,) for other in names if other != name))
        for name in names
    ]
    system = VariabilityModel("system", (*members, BinaryOption("gvn")))
    terms = [(option_term(name), 0.5) for name in names] + [(option_term("gvn"), 0.25)]
    model = InfluenceModel.of_system(terms, system)
    for name, shown in (("gvn", False), ("ref_1", True)):
        unsettled = [InfluenceEstimate(option_term(name), 0.25, 1.0, -1.0, 2.0, 0.6)]
        show_effects(option_effects(model, unsettled, Space(system).enumerate()), 9)
        assert ("?: sign not settled" in capsys.readouterr().out) is shown
