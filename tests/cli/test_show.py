"""All printed lines of results with given values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from typer.testing import CliRunner

from splc.cli.app import app
from splc.cli.errors import _usage_message
from splc.cli.show import corpus
from splc.cli.show.baselines import _row as baseline_row
from splc.cli.show.calibrate import _row as estimate_row
from splc.cli.show.learn import _errors
from splc.cli.show.learn_by import settled_sets
from splc.cli.show.scale import scaling_facts
from splc.cli.show.study import show_place
from splc.scaling import fit
from tests.support.objects import of


@pytest.mark.parametrize(
    ("determined", "bound", "remark"),
    [
        (True, "low", "at its lower bound"),
        (True, "high", "at its upper bound"),
        (True, None, ""),
        (False, "low", "not determined"),
        (False, None, "not determined"),
    ],
)
def test_remarks_on_estimates(determined: bool, bound: str | None, remark: str) -> None:
    """A parameter at a bound is marked, unless it is not determined at all."""
    estimate = of(
        name="f",
        key=2.0,
        by="nodes",
        determined=determined,
        at_bound=bound,
        ratio_interval=(0.5, 2.0),
        benchmarked=1.0,
        value=1.25,
        low=1.0,
        high=1.5,
        ratio=1.25,
    )
    assert estimate_row(estimate) == ("f (nodes = 2)", "1", "1.25", "1", "1.5", "1.25", "0.5", "2", remark)


def test_pairs_of_strategies() -> None:
    """Pairs with p below 0.05 are counted, and none are where a p-value is missing; the least median is named."""
    values = (0.01, 0.049, 0.05, 0.5)
    tests = [
        of(
            system="s",
            size=9,
            test=of(
                medians={"a": 3.0, "b": 2.0},
                pairs=[of(p_value=p) for p in pairs],
                sizes=(1, 2),
                statistic=4.0,
                p_value=0.1,
            ),
        )
        for pairs in (values, (*values, None))
    ]
    table = corpus.tests_table(of(tests=tests))
    assert table.rows == (("s", 9, 2, 4.0, 0.1, "2 of 4", "b", 2.0), ("s", 9, 2, 4.0, 0.1, "", "b", 2.0))


@pytest.mark.parametrize(
    ("everything", "evaluated", "expected"),
    [
        (10, None, [("error", "unknown: everything measured was learned from, nothing is left to judge the model by")]),
        (
            15,
            None,
            [
                ("error", "2 % on 5 configurations not learned from"),
                ("error, all", "3 % on 15 configurations measured"),
            ],
        ),
        (
            15,
            of(source="e.csv", configurations=7),
            [("error", "2 % on e.csv, 7 configurations"), ("error, all", "3 % on 15 configurations measured")],
        ),
    ],
)
def test_errors_of_a_model(everything: int, evaluated: Any, expected: list[tuple[str, str]]) -> None:
    """Each error is shown with the configurations that it is computed on, where there are any."""
    result = of(
        learning_configurations=10,
        provenance={"measured_configurations": everything},
        learning_error=1.0,
        error=2.0,
        error_all=3.0,
        cross_validated=of(mean=4.0, median=5.0, p95=6.0),
    )
    first = ("learning error", "1 % on 10 configurations learned from")
    for folds, more in ((5, ", 5 folds"), (None, "")):
        last = ("cross-validated", f"4 % (median 5 %, 95th percentile 6 %{more})")
        assert _errors(of(result=result, evaluated=evaluated, folds=folds)) == [first, *expected, last]


def test_rows_of_learners() -> None:
    """Errors are those on other configurations or cross-validated ones; only readable models have terms."""
    for readable, terms in ((True, "2"), (False, "–")):
        validated = of(mean=4.0, median=5.0, p95=6.0)
        result = of(
            learner="forest",
            seconds=0.5,
            error=1.0,
            cross_validated=validated,
            readable=readable,
            model=of(terms=(1, 2)),
        )
        judged = of(result=result, median=2.0, p95=3.0)
        assert baseline_row(judged, True) == ("forest", "1 %", "2 %", "3 %", "4 %", terms, "0.5 s")
        assert baseline_row(judged, False) == ("forest", "4 %", "5 %", "6 %", "", terms, "0.5 s")
    result.cross_validated = None
    assert baseline_row(judged, True)[4] == ""
    assert baseline_row(judged, False)[1:5] == ("", "", "", "")


def test_settled_sets() -> None:
    """Sets that changed by more than their uncertainty are chosen, none without influences."""
    sets = [of(settled=True), of(settled=False)]
    assert settled_sets(of(influences=of(sets=sets))) == sets[:1]
    assert settled_sets(of(influences=None)) == []


def test_certainty_of_a_lead_term() -> None:
    """The lead term has its probability where that is known."""
    model = fit([1, 2, 4, 8, 16], [3, 5, 9, 17, 33])
    facts = dict(scaling_facts(model))
    assert model.certainty is not None
    assert facts["lead term"].endswith(f" (probability {model.certainty:.2f})")
    assert list(facts) == ["formula", "lead term", "fit", "noise", "method"]


@pytest.mark.parametrize(
    ("tasks", "found", "files", "text"),
    [
        (3, 0, ["a", "b"], "3 runs; 3 files in out\n"),
        (1, 1, [], "1 run, 1 of them done before; 1 file in out\n"),
    ],
)
def test_place_of_results(
    tasks: int, found: int, files: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The manifest is one of the files."""
    show_place(tasks, found, files, Path("out"))
    assert capsys.readouterr().out == text


@pytest.mark.parametrize("known", [True, False])
def test_extra_arguments(known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An extra argument that is a file is offered as measurements, where the command has that option."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").touch()
    command = click.Command("learn", params=[click.Option(["--measurements" if known else "--other"])])
    for extra, hint in (("m.csv", "    name measurements with --measurements m.csv\n" if known else ""), ("none", "")):
        error = click.UsageError(f"Got unexpected extra argument ({extra})", click.Context(command, info_name="learn"))
        lines = f"Got unexpected extra argument ({extra})\n{hint}    Usage: learn [OPTIONS]\n    try 'learn --help'"
        assert _usage_message(error) == f"error: {lines}"
    error = click.UsageError("Missing argument (m.csv)", click.Context(command, info_name="learn"))
    assert "--measurements m.csv" not in _usage_message(error)


def test_help_of_the_program() -> None:
    """The help lists the options of the program itself and every subcommand that is not hidden."""
    text = CliRunner().invoke(app, ["--help"]).output
    assert "--version" in text
    assert "--help" in text
    assert {"learn", "compare", "sample", "measure"} <= {line.split()[0] for line in text.splitlines() if line.strip()}
