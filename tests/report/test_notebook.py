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
from splc.report.report import report_of
from splc.workflows import compare, scale


@pytest.fixture(scope="module")
def result() -> splc.learning.LearningResult:
    """Return a learned model of 32 configurations."""
    rng = np.random.default_rng(0)
    table: dict[str, list[float]] = {"cache": [], "n": [], "time_ms": []}
    for cache in (0, 1):
        for n in (1, 2, 4, 8, 16, 32, 64, 128):
            for _ in range(2):
                table["cache"].append(cache)
                table["n"].append(n)
                table["time_ms"].append((3 + 2 * n - cache * n) * float(rng.normal(1, 0.01)))
    return splc.learn(table, "time_ms")


def test_learned_model(result: splc.learning.LearningResult) -> None:
    """The page has the model of the result, its measurements with the unit, and its best configuration."""
    report = result.report()
    names = {each.name for each in report.page.sections}
    assert {"importance", "effects", "formula", "predictions", "best", "explorer", "sample"} <= names
    assert any(re.match(r"Best prediction: .* ms", text) for text in report.page.answer)
    assert len(report.page.rows.rows) == 16


def test_as_notebooks_show_it(result: splc.learning.LearningResult) -> None:
    """A notebook shows the whole page in a frame of its own."""
    report = result.report()
    shown = report._repr_html_()
    assert shown.startswith("<iframe ")
    assert unescape(shown.split('srcdoc="')[1].split('"')[0]) == report.html
    assert repr(report) == f"<Report: {report.page.title!r}>"


def test_files(result: splc.learning.LearningResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report is written to the file that is named, in the format of its suffix."""
    monkeypatch.setattr("splc.report.document.chart_file", lambda chart, _: chart.name.encode())
    report = result.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.html
    with pytest.raises(OutputError, match="reports are not written in this format"):
        result.report(tmp_path / "page.docx")
    pytest.importorskip("matplotlib")
    report.save(tmp_path / "page.md")
    assert (tmp_path / "page_files" / "importance.png").read_bytes() == b"importance"


def test_comparisons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compared models have the page of the command where their configurations are known, without them the terms."""
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("3 + 2 * n", encoding="utf-8")
    Path("b.txt").write_text("3 + n", encoding="utf-8")
    Path("t.csv").write_text("n,time\n1,5\n2,7\n3,9\n", encoding="utf-8")
    found = compare.run(compare.Request(models=("a.txt", "b.txt"), measurements="t.csv"))
    assert [each.name for each in found.report().page.sections] == [
        "scores", "terms", "sets", "predictions", "provenance",
    ]  # fmt: skip
    names = [each.name for each in found.comparisons.comparisons[0].report().page.sections]
    assert names[:2] == ["scores", "terms"]
    assert "predictions" not in names


def test_profiles(tmp_path: Path) -> None:
    """The scaling models of a profile have the page of the command."""
    path = tmp_path / "profile.txt"
    lines = ["PARAMETER p", "POINTS ( 1 ) ( 2 ) ( 4 ) ( 8 ) ( 16 )"]
    lines += ["METRIC time", "REGION main->solve"]
    lines += [f"DATA {value} {value * 1.01}" for value in (1.0, 2.0, 4.0, 8.0, 16.0)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = scale.run(scale.Request(profile=str(path), write=False))
    assert [each.name for each in result.report().page.sections] == ["metric-1", "provenance"]


def test_results_without_reports(result: splc.learning.LearningResult) -> None:
    """Results of other kinds, and models without their measurements, have none."""
    with pytest.raises(SpecError, match="the measurements are not part of this result"):
        replace(result, rows=None).report()
    with pytest.raises(SpecError, match="there is no report of a int"):
        report_of(3)
