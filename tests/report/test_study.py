"""Reports of studies: the numbers of the results folder, without the inputs of the study."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from splc.errors import SplcError
from splc.report import Request, run
from splc.study import StudyResult, read_study, run_study, run_study_by
from tests.study.conftest import write_project

STUDY = """samplings = ["random:6", "random:12", "ff", "random:100"]
seeds = [0, 1]
[learners.a_sums]
learner = "stepwise"
[learners."<b>"]
learner = "lasso"
"""


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    """Return a finished study of two learners, one of whose samplings fails."""
    file = write_project(tmp_path_factory.mktemp("study"))
    file.write_text(STUDY, encoding="utf-8")
    return run_study(read_study(file), pictures=False)


@pytest.fixture
def report(studied: StudyResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a function that returns the parsed page about a copy of the results, which is all that there is."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(studied.folder, "results")

    def report() -> Any:
        run(Request(models=("results",)))
        return html.document_fromstring(Path("report.html").read_text(encoding="utf-8"))

    return report


def rows(page: Any, name: str) -> list[list[str]]:
    """Return the texts of a table."""
    return [[str(cell.text) for cell in row] for row in page.cssselect(f"table[data-name={name}] tbody tr")]


def test_errors(report: Callable[..., Any], studied: StudyResult) -> None:
    """Each learner and sampling has a row with the means over its runs, and the least error is the answer."""
    page = report()
    found = {(row[0], row[1]): row for row in rows(page, "learners")}
    assert studied.results is not None
    assert set(found) == {(run.task.learner.name, run.task.sampling) for run in studied.results.runs}
    means = {}
    for (learner, sampling), row in found.items():
        runs = [
            each.record
            for each in studied.results.runs
            if (each.task.learner.name, each.task.sampling) == (learner, sampling)
        ]
        errors = [each.error for each in runs if each.error is not None]
        if errors:
            means[learner, sampling] = sum(errors) / len(errors)
            assert float(row[4].split()[0]) == pytest.approx(means[learner, sampling], rel=1e-3)
    (learner, sampling) = min(means, key=means.__getitem__)
    assert f"{learner} with {sampling}" in page.cssselect(".answer .first")[0].text


def test_learning_curves(report: Callable[..., Any], studied: StudyResult) -> None:
    """Each learner has a line, a colour and the points of its samplings."""
    page = report()
    (figure,) = page.cssselect("figure[data-name=learning-curves]")
    assert [each.tail for each in figure.cssselect(".swatch")] == ["a_sums", "<b>"]
    assert [len(figure.cssselect(f"path.line.s-series{number}")) for number in (1, 2, 3)] == [1, 1, 0]
    data = json.loads(figure.cssselect("script.data")[0].text)
    assert list(zip(data["learner"], data["configurations"], strict=True)) == [
        (learner, size) for learner in ("a_sums", "<b>") for size in (6, 12)
    ]


def test_runs(report: Callable[..., Any], studied: StudyResult) -> None:
    """Every run has a row; those without a result have their reason, too."""
    page = report()
    assert studied.results is not None
    assert len(rows(page, "runs")) == len(studied.results.runs)
    failed = [run for run in studied.results.runs if run.reason is not None]
    assert failed
    assert {(row[0], row[1]) for row in rows(page, "failed")} == {
        (run.task.learner.name, run.task.sampling) for run in failed
    }


def test_contexts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study of each value of a context has one page, with a column and a panel for each value."""
    file = write_project(tmp_path / "study")
    monkeypatch.chdir(file.parent)
    header, *lines = Path("measurements.csv").read_text(encoding="utf-8").splitlines()
    table = [f"version,{header}", *(f"v{number},{line}" for number in (1, 2) for line in lines)]
    Path("measurements.csv").write_text("\n".join(table) + "\n", encoding="utf-8")
    file.write_text('samplings = ["random:6", "random:12"]\nby = "version"\n', encoding="utf-8")
    run_study_by(read_study(file), "results", pictures=False)
    run(Request(models=("results",)))
    page = html.document_fromstring(Path("report.html").read_text(encoding="utf-8"))
    heads = [each.text_content() for each in page.cssselect("table[data-name=contexts] th")]
    assert heads == ["learner", "sampling", "version = v1", "version = v2"]
    # The same rows of both versions give the same errors.
    assert all(row[2] == row[3] for row in rows(page, "contexts"))
    assert len(page.cssselect("figure[data-name=learning-curves] svg")) == 2
    assert [each.text_content().split(":")[0] for each in page.cssselect("#answer p")] == [
        "version = v1",
        "version = v2",
    ]


def test_changed_results(report: Callable[..., Any]) -> None:
    """Results that were changed by hand are reported with a warning; broken and unfinished ones are refused."""
    table = Path("results/runs.csv")
    whole = table.read_text(encoding="utf-8")
    table.write_text(whole.replace("random:6", "random:7"), encoding="utf-8")
    assert "runs.csv was changed" in report().cssselect(".answer .warning")[0].text_content()
    table.write_text(whole + "a,b\n", encoding="utf-8")
    with pytest.raises(SplcError, match=f"2 cells for {len(whole.split(chr(10))[0].split(','))} columns"):
        report()
    table.write_text("learner,sampling\n", encoding="utf-8")
    with pytest.raises(SplcError, match="there is no column seed"):
        report()
    manifest = Path("results/manifest.json")
    content = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**content, "state": "running"}), encoding="utf-8")
    with pytest.raises(SplcError, match="the study is not finished"):
        report()


def test_in_notebooks(report: Callable[..., Any], studied: StudyResult) -> None:
    """A finished study has the same report in notebooks."""
    report()
    assert studied.report().html == Path("report.html").read_text(encoding="utf-8")
