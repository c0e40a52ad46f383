"""Reports: self-contained pages, reports in memory, and explorers that compute what splc computes."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

import splc
from sampling import Space
from splc.arithmetic.functions import FUNCTION
from splc.data.configurations import Configurations
from splc.errors import OutputError, SpecError
from splc.formats.models.program import program_of, space_object
from splc.formats.models.read import read_stored_model
from splc.formats.models.stored_model import StoredModel
from splc.io.numbers import short_number
from splc.models.influence import InfluenceModel
from splc.models.text.reader import expand_model
from splc.report import Request, Result, run, subject
from splc.report.report import report_of
from splc.study import read_study, run_study
from splc.system.constraints import parse_arithmetic
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows import compare, learn, scale
from tests.formats.models.test_program import MADE, PROPERTIES, learned
from tests.study.conftest import write_project
from tests.support.evaluators import in_node
from tests.support.examples import examples
from tests.support.format_strategies import configurations
from tests.support.full_models import EVERY, learned_system
from tests.support.objects import present
from tests.support.paths import CASES, SMG2000
from tests.support.strategies import all_assignments
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


_RUN = """
const splc = require(process.argv[1]);
const { program, spaces } = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(spaces.map(({ space, rows }) => {
  const values = (row) => Object.fromEntries(space.options.map((each, at) => [each.name, each.values[row[at]]]));
  return rows.map((row) => ({
    violated: splc.violated(space, row, values(row)),
    predicted: program && splc.predict(program, values(row), true).map(String),
    contributions: program && splc.contributions(program.printed, values(row)).map(String),
  }));
})));
"""


def computed(*several: Configurations, program: Any = None) -> list[list[dict[str, Any]]]:
    """Return what the script of a page computes for configurations of systems."""
    spaces = [{"space": space_object(rows.system), "rows": rows.indices.tolist()} for rows in several]
    found: list[list[dict[str, Any]]] = json.loads(in_node(_RUN, json.dumps({"program": program, "spaces": spaces})))
    return found


def check(several: Sequence[Configurations]) -> None:
    """Check that configurations break no constraint exactly if they are valid."""
    for rows, found in zip(several, computed(*several), strict=True):
        assert [not each["violated"] for each in found] == Space(rows.system).check(rows).tolist()


@examples(8)
@given(several=st.lists(configurations(), min_size=1, max_size=8))
def test_constraints(several: list[Configurations]) -> None:
    """A configuration breaks no constraint exactly if it is valid."""
    check(several)


@pytest.mark.parametrize("requires", ["all", "none"])
def test_comparisons(requires: Literal["all", "none"]) -> None:
    """Switches, the root, functions and divisions by 0 in arithmetic constraints."""
    texts = (
        "m * 2 + Enabledm >= a",
        "Disabledm + a * 3 < 2",
        "log2(n) / m != a",
        "floor(n / 4) - 2^a * ceil(n / 3) < 0",
        "(m - 1)^(0 - 1) + sqrt(n) <= root + a",
    )
    options = (
        BinaryOption("a"),
        NumericOption("n", (0.0, 1.0, 4.0, 6.0)),
        NumericOption("m", (1.0, 2.0), deselected_flag=-1.0),
    )
    names = VariabilityModel("s", options).name_table
    constraints = [
        parse_arithmetic(text, names, "mixed", requires, negated) for text in texts for negated in (False, True)
    ]
    check([all_assignments(VariabilityModel("s", options, (each,))) for each in constraints])


def test_functions() -> None:
    """Printed models with every function of model text: the same contributions."""
    texts = (*(f"{name}(n / 8 + 1)" for name in FUNCTION), "max(n, 5)", "min(n, zero)")
    found = expand_model(" + ".join(texts), MADE.term_names)
    model = InfluenceModel.from_terms(found.expansion, MADE.term_order, derived=found.derived)
    rows = Space(MADE).draw(40, np.random.default_rng(3))
    [shown] = computed(rows, program=program_of(StoredModel(model, system=MADE)))
    sums = [math.fsum(float(number) for number in each["contributions"]) for each in shown]
    np.testing.assert_allclose(sums, model.predict(rows), rtol=1e-12)


def check_predictions(stored: StoredModel, rows: Configurations) -> None:
    """Check validity, and of valid configurations predictions and their intervals, and sums of contributions."""
    valid = Space(rows.system).check(rows)
    [found] = computed(rows, program=program_of(stored))
    assert [not each["violated"] for each in found] == valid.tolist()
    own = rows[np.flatnonzero(valid)]
    expected = np.column_stack([stored.predictor.predict(own), *present(stored.intervals).interval(own)])
    kept = [each for each, keep in zip(found, valid, strict=True) if keep]
    shown = np.array([[float(number) for number in each["predicted"]] for each in kept])
    np.testing.assert_allclose(shown, expected, rtol=1e-9, atol=1e-9 * float(np.abs(expected).max()))
    sums = [math.fsum(float(number) for number in each["contributions"]) for each in kept]
    printed = np.exp(sums) if stored.model.link == "log" else np.array(sums)
    np.testing.assert_allclose(printed, stored.model.predict(own), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", EVERY)
def test_real_systems(name: str, tmp_path: Path) -> None:
    """Random and valid configurations of real systems."""
    stored = read_stored_model(learned_system(name, tmp_path).file, full=True)
    assert stored.system is not None
    space, rng = Space(stored.system), np.random.default_rng(1)
    drawn = np.stack([rng.integers(0, option.size, 1000) for option in stored.system.options], axis=1)
    known = space.draw(min(1000, space.count), rng).indices
    check_predictions(stored, Configurations(stored.system, np.concatenate([drawn, known])))


@pytest.mark.parametrize(
    ("name", "learned_rows"),
    [("positive", 16), ("any sign", 16), *(pytest.param(name, 60, marks=pytest.mark.slow) for name in PROPERTIES)],
)
def test_all_kinds_of_options(name: str, learned_rows: int) -> None:
    """All kinds of options, on all scales."""
    stored = learned(MADE, PROPERTIES[name], learned_rows, "sum")
    check_predictions(stored, Space(MADE).draw(20, np.random.default_rng(2)))


BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="there is no browser")


PROFILE = str(CASES / "kernels" / "profile.txt")


def opened(folder: Path, *models: str) -> tuple[Any, Result, str]:
    """Return the page about models after its scripts have run, its content, and what they wrote to the console."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = run(Request(models=models, output="page.html"))
    # Tests run as any user, in containers, too.
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    command = [present(BROWSER), *flags, "--enable-logging=stderr", "--dump-dom", f"file://{folder / 'page.html'}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    messages = "\n".join(re.findall(r".*CONSOLE.*", done.stderr))
    return html.document_fromstring(done.stdout), result, messages


@needs_browser
@pytest.mark.parametrize("models", [("learned.log",), ("analytical.txt", "learned.log"), (PROFILE,)])
def test_scripts_run(folder: Path, models: tuple[str, ...]) -> None:
    """No script fails or is blocked: pictures and tables have their buttons, and one state of a slider is shown."""
    page, _, messages = opened(folder, *models)
    assert messages == ""
    figures = page.cssselect("figure")
    assert figures
    for figure in figures:
        assert [each.text for each in figure.cssselect("button")][-1] == "Copy as SVG"
    assert page.cssselect("th button.sort")
    for steps in page.cssselect(".steps"):
        assert len([each for each in steps.cssselect(".state") if each.get("hidden") is None]) == 1


@needs_browser
def test_explorer(folder: Path) -> None:
    """The explorer begins at the best configuration with its prediction, and the waterfall ends at it."""
    page, result, _ = opened(folder, "learned.log")
    best = next(each for each in result.page.sections if each.name == "best").blocks[0]
    outcome = page.cssselect(".outcome")[0].text
    predicted = float(next(iter(best.rows))[1])  # type: ignore[union-attr]
    assert float(outcome.split(": ")[1].split()[0]) == pytest.approx(predicted, rel=1e-4)
    last = page.cssselect(".explorer table tr")[-1]
    assert [each.text for each in last.cssselect("td")][:2] == ["prediction", short_number(predicted, 5)]
