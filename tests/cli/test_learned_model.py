"""The output of learned models: groups of terms, factors, uncertainty, the path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sampling import Space
from splc.cli.show.effects import MOST_LINES, effects_object, show_effects
from splc.cli.show.learn import show_path
from splc.learning.effects import option_effects
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
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


@pytest.mark.parametrize("count", [MOST_LINES, MOST_LINES + 1, 40])
def test_long_models(capsys: pytest.CaptureFixture[str], count: int) -> None:
    """At most 20 lines are printed; the last one has the number and the share of all further terms."""
    terms = [(CONSTANT, 1.0), *((option_term("x", -power), 1.0 / power) for power in range(1, count - 1))]
    groups = option_effects(InfluenceModel.of_system(terms, SYSTEM), (), ALL)
    show_effects(groups, 9)
    lines = capsys.readouterr().out.splitlines()
    body = lines[1 : lines.index("")]
    # One line is the title of the terms over x.
    assert len(body) == min(count, MOST_LINES)
    if count > MOST_LINES:
        shown = {line.split()[0] for line in body}
        hidden = [effect for group in groups for effect in group.effects if effect.text not in shown]
        share = sum(effect.share or 0 for effect in hidden)
        assert len(hidden) == count - 1 - (MOST_LINES - 2)
        assert body[-1] == f"{len(hidden)} more terms, together {share:.1f} %"


def test_json_has_the_groups() -> None:
    """The groups in JSON have the options, the share, and the terms in the order in which they are printed."""
    groups = effects_object(option_effects(uncertain_result().model, uncertain_result().estimates, ALL))
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
    assert "expected error" in result.stdout
    assert "does not compute one" in run("learn", "--property", "time", "--path", "--learner", "stepwise").stdout
    content = json.loads(run(*arguments, "--json").stdout)
    assert {"cross_validated", "estimates", "path"} <= content.keys()
    assert content["path"]
    assert len(content["estimates"]) == len(content["model"]["terms"])
    assert sum(len(group["terms"]) for group in content["model"]["groups"]) == len(content["model"]["terms"])
