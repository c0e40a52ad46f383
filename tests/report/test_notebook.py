"""Reports of results in memory."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import splc
from splc.errors import OutputError, SpecError
from splc.report import Request, run
from splc.report.report import report_of
from splc.study import read_study, run_study
from splc.workflows import compare, scale
from tests.study.conftest import write_project


@pytest.fixture(scope="module")
def result() -> splc.learning.LearningResult:
    """Return a learned model of 16 configurations, each of which is measured twice."""
    cache, n = (each.ravel() for each in np.meshgrid((0, 1), 2.0 ** np.arange(8)))
    table = {"cache": cache.repeat(2), "n": n.repeat(2)}
    noise = np.random.default_rng(0).normal(1, 0.01, 32)
    return splc.learn({**table, "time_ms": (3 + 2 * table["n"] - table["cache"] * table["n"]) * noise}, "time_ms")


def test_learned_model(result: splc.learning.LearningResult) -> None:
    """The page has the model of the result, its measurements with the unit, and its best configuration."""
    report = result.report()
    names = {each.name for each in report.page.sections}
    assert {"importance", "effects", "formula", "predictions", "best", "explorer", "sample"} <= names
    assert any(re.match(r"Best prediction: .* ms", text) for text in report.page.answer)
    assert len(report.page.rows.rows) == 16
    # A notebook shows the whole page in a frame of its own.
    shown = report._repr_html_()
    assert shown.startswith("<iframe ")
    assert unescape(shown.split('srcdoc="')[1].split('"')[0]) == report.html
    assert repr(report) == f"<Report: {report.page.title!r}>"


def test_files(result: splc.learning.LearningResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report is written to the file that is named, in the format of its suffix."""
    monkeypatch.setattr("splc.report.page.chart_file", lambda chart, _: chart.name.encode())
    report = result.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.html
    with pytest.raises(OutputError, match="reports are not written in this format"):
        result.report(tmp_path / "page.docx")
    pytest.importorskip("matplotlib")
    report.save(tmp_path / "page.md")
    assert (tmp_path / "page_files" / "importance.png").read_bytes() == b"importance"


def test_other_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compared models, profiles and studies have the pages of the command."""
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("3 + 2 * n", encoding="utf-8")
    Path("b.txt").write_text("3 + n", encoding="utf-8")
    Path("t.csv").write_text("n,time\n1,5\n2,7\n3,9\n", encoding="utf-8")
    found = compare.run(compare.Request(models=("a.txt", "b.txt"), measurements="t.csv"))
    names = [each.name for each in found.report().page.sections]
    assert names == ["scores", "terms", "sets", "predictions", "provenance"]
    # Without their configurations, there are no predictions.
    assert {each.name for each in found.comparisons.comparisons[0].report().page.sections} >= {"scores", "terms"}
    Path("p.csv").write_text("p,callpath,time\n" + "".join(f"{p},main->f,{p}\n" for p in (1, 2, 4, 8, 16)))
    profile = scale.run(scale.Request(profile="p.csv", write=False))
    assert [each.name for each in profile.report().page.sections] == ["metric-1", "provenance"]
    file = write_project(tmp_path / "study")
    file.write_text('samplings = ["random:6"]\n[learners.line]\nlearner = "stepwise"\n', encoding="utf-8")
    studied = run_study(read_study(file), pictures=False)
    run(Request(models=(str(studied.folder),)))
    assert studied.report().html == Path("report.html").read_text(encoding="utf-8")


def test_results_without_reports(result: splc.learning.LearningResult) -> None:
    """Results of other kinds, and models without their measurements, have none."""
    with pytest.raises(SpecError, match="the measurements are not part of this result"):
        replace(result, rows=None).report()
    with pytest.raises(SpecError, match="there is no report of a int"):
        report_of(3)
