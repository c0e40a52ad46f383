"""The output of learned models: groups of terms, factors, uncertainty, the path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sampling import Space
from splc.cli.show.effects import MAX_LINES, PRODUCT, SUM, OptionEffectsObject, _lines, show_effects
from splc.cli.show.learn import show_path
from splc.io.json_object import json_object
from splc.learning.effects import option_effects
from splc.learning.result import InfluenceEstimate
from splc.models.influence import InfluenceModel, Link
from splc.models.terms import CONSTANT, option_term
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from tests.cli.conftest import Run
from tests.support.learning_results import small_system, uncertain_result

SYSTEM = small_system()
ALL = Space(SYSTEM).enumerate()


def printed(model: InfluenceModel, capsys: pytest.CaptureFixture[str], estimated: bool = True) -> list[str]:
    """Return the lines that are printed of a model."""
    estimates = uncertain_result(model.link).estimates if estimated else ()
    show_effects(option_effects(model, estimates, ALL), 9)
    return capsys.readouterr().out.splitlines()


def test_the_uncertainty_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Every influence has a standard error and an interval; an unsettled sign is named, and shares are explained."""
    lines = printed(uncertain_result().model, capsys)
    assert lines[0].split() == ["term", "influence", "std.", "error", "90", "%", "interval", "share", "remark"]
    rows = {line[:8].strip(): line.split() for line in lines[1:5]}
    assert rows["x"][:6] == ["x", "0.25", "0.05", "0.17", "to", "0.33"]
    assert [name for name, row in rows.items() if row[-3:] == ["sign", "not", "settled"]] == ["gvn * x"]
    assert [line for line in lines if line.startswith("share: ")] == [
        "share: mean contribution / mean prediction on the 9 configurations learned from (negative: it lowers the "
        "prediction)"
    ]
    # Without estimates there are no empty columns.
    assert printed(uncertain_result().model, capsys, False)[0].split() == ["term", "influence", "share"]


def test_a_product_is_printed_as_factors(capsys: pytest.CaptureFixture[str]) -> None:
    """A product has one line per factor, with the options that switch it on."""
    lines = printed(uncertain_result("log").model, capsys)
    assert lines[0].split() == ["if", "selected", "factor", "range", "remark"][:4]
    assert lines[1].split() == ["(always)", "7.38906", "*", "exp(0.25", "*", "x)", "9.488", "to", "6.566e+07"]
    assert lines[2].split()[:5] == ["gvn", "20.0855", "*", "exp(-0.01", "*"]
    assert "The prediction is the product of the factors whose options are selected." in lines
    assert not any(line.startswith("share") for line in lines)


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


def test_json_has_the_groups() -> None:
    """The groups in JSON have the options, the share, and the terms in the order in which they are printed."""
    effects = option_effects(uncertain_result().model, uncertain_result().estimates, ALL)
    groups = [json_object(OptionEffectsObject, each) for each in effects]
    found = {tuple(group["options"]): group for group in groups}
    assert set(found) == {(), ("gvn",), ("x",), ("gvn", "x")}
    assert found["gvn", "x"]["terms"][0]["sign_settled"] is False
    assert found["x",]["terms"][0]["sign_settled"] is True
    assert found["x",]["terms"][0]["influence"] == 0.25


def test_the_path(capsys: pytest.CaptureFixture[str]) -> None:
    """The path has a line per model: number of terms, expected error, and the term that was added last."""
    show_path(uncertain_result())
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[2:]] == [
        ["1", "40", "%", "1"],
        ["2", "20", "%", "gvn"],
        ["4", "3.25", "%", "gvn", "*", "x"],
    ]


def test_the_command(run: Run, folder: Path) -> None:
    """`splc learn --path` prints the path of learners that compute one; JSON has groups, estimates and path."""
    arguments = ("learn", "--property", "time", "--learner", "projection")
    result = run(*arguments, "--path")
    assert result.exit_code == 0, result.stderr
    assert "last term added" in result.stdout
    assert "does not compute one" in run("learn", "--property", "time", "--path", "--learner", "stepwise").stdout
    content = json.loads(run(*arguments, "--json").stdout)
    assert {"cross_validated", "estimates", "path"} <= content.keys()
    assert content["path"]
    assert len(content["estimates"]) == len(content["model"]["terms"])
    assert sum(len(group["terms"]) for group in content["model"]["groups"]) == len(content["model"]["terms"])


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
