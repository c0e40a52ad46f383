"""Reports: self-contained pages, and reports of results in memory."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import html

import splc
from splc.errors import OutputError, SpecError
from splc.report import Request, run, subject
from splc.report.report import report_of
from splc.study import read_study, run_study
from splc.workflows import compare, learn, scale
from tests.study.conftest import write_project
from tests.support.paths import SMG2000
from tests.support.tracked import copy_tracked


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a case study with a learned model and its report."""
    folder = tmp_path_factory.mktemp("report") / "2d"
    copy_tracked(SMG2000 / "2d", folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        learn.run(learn.Request(sampling="random:20"))
        run(Request())
    return folder


def parsed(file: Path) -> Any:
    """Return a parsed page."""
    return html.document_fromstring(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def page(folder: Path) -> Any:
    """Return the parsed page."""
    return parsed(folder / "report.html")


def rows_of(page: Any) -> Any:
    """Return the configurations of a page."""
    return json.loads(page.get_element_by_id("rows").text)


def test_nothing_is_loaded(page: Any) -> None:
    """The page loads nothing, its policy allows its own script and style only, and each section is in its contents."""
    policy = page.cssselect("meta[http-equiv]")[0].get("content")
    assert policy.startswith("default-src 'none'; ")
    for kind, selector in (("style-src", "style"), ("script-src", "script:not([type])")):
        (element,) = page.cssselect(selector)
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert not page.cssselect("[src], link, [style], iframe, object")
    sections = [each.get("id") for each in page.cssselect("main section")]
    assert [each.get("href") for each in page.cssselect("[href]")] == [f"#{name}" for name in sections[1:]]
    assert not [name for each in page.iter() for name in each.attrib if name.startswith("on")]
    assert len("".join(each.text for each in page.cssselect("script:not([type])"))) <= 25_000


def test_sizes(page: Any, folder: Path) -> None:
    """The slider has a state for each model on the path; the printed model is the chosen one, with its influences."""
    content = json.loads((folder / "learned.json").read_text(encoding="utf-8"))
    states = page.cssselect(".steps .state")
    for state, point in zip(states, content["path"], strict=True):
        assert len(state.cssselect("tbody tr")) == point["terms"] == len(point["formula"])
    (chosen,) = [state for state in states if state.get("data-chosen") is not None]
    shown = {row[0].text: float(row[1].text) for row in chosen.cssselect("tbody tr")}
    printed = {each["term"]: each["influence"] for each in content["model"]["terms"]}
    assert shown == {term: pytest.approx(influence, rel=1e-5) for term, influence in printed.items()}


def test_points_belong_to_rows(page: Any) -> None:
    """Each point and each row of a table of configurations belongs to a row with a text."""
    rows = rows_of(page)
    count = len(rows["rows"])
    assert count == len(rows["values"]) == 240
    assert all(at < len(rows["words"]) for row in rows["rows"] for at in row)
    keys = [key for each in page.cssselect("[data-k]") for key in each.get("data-k").split(",")]
    assert keys
    assert all(int(number) < count for key in keys for number in key.split("-"))
    for path in page.cssselect("path.dots[data-k]"):
        parts = [tuple(map(int, part.split("-"))) for part in path.get("data-k").split(",")]
        assert path.get("d").count("M") == sum(part[-1] - part[0] + 1 for part in parts)


def test_rows_of_many(folder: Path, page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of very many rows a sample is shown, with a note; the best configurations are those of all rows."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(subject, "MOST_JUDGED", 41)
    run(Request(output="sample.html"))
    sample = parsed(folder / "sample.html")
    # Those learned from are fewer, and all of them are there.
    assert len(rows_of(sample)["rows"]) == len(rows_of(sample)["values"]) == 20 + 41
    assert "61 of 240 measured" in sample.text_content()
    assert "of 240 measured" not in page.text_content()
    assert sample.get_element_by_id("best").text_content() == page.get_element_by_id("best").text_content()


def test_texts_of_an_explorer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of a table are those of the explorer's choices, terms and constraints; the same inputs give one page."""
    monkeypatch.chdir(tmp_path)
    learners = {"LightGBM 4.6.0": 9, "</script><b>": 5, "linear": 1}
    rows = [f"{name},{n},{n * factor + 2}" for name, factor in learners.items() for n in (1, 2, 4, 8)]
    Path("t.csv").write_text("\n".join(["learner,n,time", *rows]) + "\n", encoding="utf-8")
    learn.run(learn.Request(measurements="t.csv", options=("learner",)))
    run(Request(measurements="t.csv"))
    run(Request(measurements="t.csv", output="again.html"))
    assert Path("again.html").read_bytes() == Path("report.html").read_bytes()
    page = parsed(Path("report.html"))
    explorer = json.loads(page.cssselect("script.program")[0].text)
    (labels,) = [each["labels"] for each in explorer["controls"] if each["kind"] == "choice"]
    assert sorted(labels) == sorted(learners)
    assert not page.cssselect("b")
    for script in page.cssselect("script:not(.data), style"):
        script.drop_tree()
    shown = [*explorer["terms"], *(each["text"] for each in explorer["space"]["clauses"]), page.text_content()]
    assert not [text for text in shown if "learner_" in text]


@pytest.fixture(scope="module")
def result() -> splc.learning.LearningResult:
    """Return a learned model of 16 configurations, each of which is measured twice."""
    cache, n = (each.ravel() for each in np.meshgrid((0, 1), 2.0 ** np.arange(8)))
    table = {"cache": cache.repeat(2), "n": n.repeat(2)}
    noise = np.random.default_rng(0).normal(1, 0.01, 32)
    return splc.learn({**table, "time_ms": (3 + 2 * table["n"] - table["cache"] * table["n"]) * noise}, "time_ms")


def test_learned_model(result: splc.learning.LearningResult) -> None:
    """The page has the model of the result, its measurements, which it needs, and its best configuration."""
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
    with pytest.raises(SpecError, match="the measurements are not part of this result"):
        replace(result, rows=None).report()


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
    """Compared models, profiles and studies have the pages of the command; other values have none."""
    with pytest.raises(SpecError, match="there is no report of a int"):
        report_of(3)
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
