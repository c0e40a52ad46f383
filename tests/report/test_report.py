"""Reports of models: complete, self-contained, safe, and equal to what the commands print."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from splc.report import Request, run, subject
from splc.workflows import learn
from splc.workflows.views import Rows
from tests.support.paths import SMG2000
from tests.support.tracked import copy_tracked

CASE = SMG2000 / "2d"
SECTIONS = [
    "importance", "effects", "interactions", "formula", "predictions", "best", "explorer", "sample", "provenance",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a case study with a learned model and its report."""
    folder = tmp_path_factory.mktemp("report") / "2d"
    copy_tracked(CASE, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        learn.run(learn.Request(sampling="random:20"))
        run(Request())
    return folder


@pytest.fixture(scope="module")
def page(folder: Path) -> Any:
    """Return the parsed page."""
    return html.document_fromstring((folder / "report.html").read_text(encoding="utf-8"))


def data(page: Any, selector: str) -> list[Any]:
    """Return the JSON data of elements."""
    return [json.loads(each.text) for each in page.cssselect(selector)]


def test_sections(page: Any) -> None:
    """All sections are there, in the order of the table of contents."""
    assert [each.get("id") for each in page.cssselect("main section")] == ["answer", *SECTIONS]
    assert [each.get("href") for each in page.cssselect("nav a")] == [f"#{name}" for name in SECTIONS]


def test_nothing_is_loaded(page: Any) -> None:
    """The page loads nothing, and its policy allows its own script and style only."""
    policy = page.cssselect("meta[http-equiv]")[0].get("content")
    assert policy.startswith("default-src 'none'; ")
    for kind, selector in (("style-src", "style"), ("script-src", "script:not([type])")):
        (element,) = page.cssselect(selector)
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert not page.cssselect("[src], link, [style], iframe, object")
    assert all(each.get("href").startswith("#") for each in page.cssselect("[href]"))
    assert not [name for each in page.iter() for name in each.attrib if name.startswith("on")]
    assert len("".join(each.text for each in page.cssselect("script:not([type])"))) <= 25_000


def test_answer_is_that_of_the_model(page: Any, folder: Path) -> None:
    """The error in the answer is the one in the file of the model."""
    content = json.loads((folder / "learned.json").read_text(encoding="utf-8"))
    first = page.cssselect(".answer .first")[0].text
    assert f"{content['error']:.2g} %" in first
    assert f"{content['learning_configurations']} configurations" in first


def test_sizes(page: Any, folder: Path) -> None:
    """The slider has a state for each model on the path; the printed model is the chosen one, with its influences."""
    content = json.loads((folder / "learned.json").read_text(encoding="utf-8"))
    states = page.cssselect(".steps .state")
    assert len(states) == len(content["path"])
    for state, point in zip(states, content["path"], strict=True):
        rows = state.cssselect("tbody tr")
        assert len(rows) == point["terms"] == len(point["formula"])
    (chosen,) = [state for state in states if state.get("data-chosen") is not None]
    shown = {row[0].text: float(row[1].text) for row in chosen.cssselect("tbody tr")}
    printed = {each["term"]: each["influence"] for each in content["model"]["terms"]}
    assert shown == {term: pytest.approx(influence, rel=1e-5) for term, influence in printed.items()}


def test_points_belong_to_rows(page: Any) -> None:
    """Each point and each row of a table of configurations belongs to a row with a text."""
    (rows,) = data(page, "#rows")
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
    sample = html.document_fromstring((folder / "sample.html").read_text(encoding="utf-8"))
    (rows,) = data(sample, "#rows")
    # Those learned from are fewer, and all of them are there.
    assert len(rows["rows"]) == len(rows["values"]) == 20 + 41
    text, whole = sample.text_content(), page.text_content()
    assert "61 of 240 measured" in text
    assert "of 240 measured" not in whole
    assert sample.get_element_by_id("best").text_content() == page.get_element_by_id("best").text_content()


def test_models_alone(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the table, the report has the configurations that were learned from.

    That of a log has what its JSON file states, also after the log was renamed.
    """
    shutil.copy(folder / "learned.json", tmp_path)
    shutil.copy(folder / "learned.log", tmp_path / "other.log")
    monkeypatch.chdir(tmp_path)
    answer = run(Request(models=("learned.json",))).page.answer
    page = html.document_fromstring((tmp_path / "report.html").read_text(encoding="utf-8"))
    (rows,) = data(page, "#rows")
    assert len(rows["rows"]) == 20
    assert [each.get("id") for each in page.cssselect("main section")] == ["answer", *SECTIONS]
    assert run(Request(models=("other.log",))).page.answer == answer


def test_hostile_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names from files are texts of the page, and the same inputs give the same bytes."""
    monkeypatch.chdir(tmp_path)
    names = ["<script>alert(1)</script>", "b\u202e'c", "</script><b>"]
    rows = [f"{a},{b},{c},{3 + 2 * a + b * c + 0.01 * a * c}" for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    header = ",".join(f'"{name}"' for name in names)
    Path("t.csv").write_text("\n".join([f"{header},time", *rows]) + "\n", encoding="utf-8")
    learn.run(learn.Request(measurements="t.csv"))
    run(Request(measurements="t.csv"))
    text = Path("report.html").read_text(encoding="utf-8")
    page = html.document_fromstring(text)
    assert len(page.cssselect("script:not([type])")) == 1
    assert not page.cssselect("b")
    assert "\u202e" not in text
    assert names[0] in "".join(page.itertext())
    assert len(re.findall("<script>", text)) == 1
    run(Request(measurements="t.csv", output="again.html"))
    assert Path("again.html").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("rows", "settings", "place", "answer"),
    [
        # Learning does not know the error on new configurations.
        (
            [f"{a},0,{n},{5 + 3 * a + 2 * n + 0.1 * a * n}" for a, n in [(0, 1), (0, 2), (0, 4), (0, 8), (1, 1)]],
            {},
            *(0, "Typical error on new configurations unknown.*"),
        ),
        # Shares of a product are those of the variance of the logarithm.
        (
            [f"{a},{b},{n},{5 * 3**a * 2**b * n}" for a in (0, 1) for b in (0, 1) for n in (1, 2, 4, 8)],
            {"form": "product"},
            *(1, ".* of the variance of the logarithm"),
        ),
        # No option is named whose share of the variance is next to nothing.
        (
            [f"{a},{b},{n},{a * n}" for a in (0, 1) for b in (0, 1) for n in (1, 2, 3, 4)],
            {},
            *(1, r"What matters most for time: a \(.*\), n \([^,]*\) of the variance"),
        ),
    ],
)
def test_answers(
    rows: list[str], settings: dict[str, str], place: int, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer says what is known of the error, and what matters, as learning and explaining do."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("\n".join(["a,b,n,time", *rows]) + "\n", encoding="utf-8")
    learn.run(learn.Request(measurements="t.csv", settings=settings))
    assert re.fullmatch(answer, run(Request(measurements="t.csv")).page.answer[place])


def test_values_of_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page has the texts of the table, not the options that stand for them; one of a group is always chosen.

    A table of configurations has what differs among them.
    """
    monkeypatch.chdir(tmp_path)
    learners = {"LightGBM 4.6.0": 9, "forest": 5, "linear": 1}
    rows = [f"{name},{n},3,{n * factor + 2}" for name, factor in learners.items() for n in (1, 2, 4, 8)]
    Path("t.csv").write_text("\n".join(["learner,n,depth,time", *rows]) + "\n", encoding="utf-8")
    learn.run(learn.Request(measurements="t.csv", options=("learner",)))
    run(Request(measurements="t.csv"))
    page = html.document_fromstring(Path("report.html").read_text(encoding="utf-8"))
    (explorer,) = data(page, "script.program")
    (labels,) = [each["labels"] for each in explorer["controls"] if each["kind"] == "choice"]
    assert labels == [*learners]
    shown = [*explorer["terms"], *(each["text"] for each in explorer["space"]["clauses"])]
    for script in page.cssselect("script:not(.data), style"):
        script.drop_tree()
    shown.append(page.text_content())
    assert "learner=LightGBM 4.6.0" in shown[-1]
    assert not [text for text in shown if "learner_" in text]
    cells = [
        each[0].text_content() for name in ("best", "worst") for each in page.cssselect(f"[data-name={name}] tbody tr")
    ]
    assert cells
    assert not [cell for cell in cells if "depth" in cell]
    assert page.get_element_by_id("best").text_content().count("depth=3") == 2


def test_wide_screens(page: Any) -> None:
    """A wide screen has two columns of sections, below an answer over both; prints and phones have one."""
    (rules,) = re.findall(r"@media screen and \(min-width:1200px\)\{(.*?\})\}", page.cssselect("style")[0].text)
    assert "main{columns:2;" in rules
    assert ".answer{column-span:all}" in rules


@pytest.fixture(scope="module")
def text_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a system, a model text and a log, without measurements."""
    folder = tmp_path_factory.mktemp("text")
    for name in ("system.xml", "analytical.txt", "parameters.toml"):
        (folder / name).write_bytes((CASE / name).read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(CASE)
        learn.run(learn.Request(sampling="pb:9,3", output=str(folder / "learned.log")))
    return folder


@pytest.mark.parametrize(
    ("model", "nfp", "subject"),
    [
        ("learned.log", None, "solve_compute_seconds"),
        ("analytical.txt", None, "performance"),
        ("analytical.txt", "solve_seconds", "solve_seconds"),
    ],
)
def test_nothing_is_said_of_measurements(
    text_folder: Path, monkeypatch: pytest.MonkeyPatch, model: str, nfp: str | None, subject: str
) -> None:
    """A page of a model without measurements says once that there are none; no table has an empty column."""
    monkeypatch.chdir(text_folder)
    # Pictures, which take most of the time, are not looked at.
    monkeypatch.setattr("splc.report.document.chart_file", lambda *_: b"")
    result = run(Request(models=(model,), nfp=nfp, output="page.md"))
    text = Path("page.md").read_text(encoding="utf-8").replace("\\", "")
    assert result.page.title == f"SMG2000-2D: {subject}"
    assert f"A model of {subject} with " in result.page.answer[0]
    assert not re.search(r"interval|folds|printed|full model|error on new", text)
    assert len(re.findall(r"measure", text)) == 1
    assert "predictions" not in {section.name for section in result.page.sections}
    tables = [block for section in result.page.sections for block in section.blocks if isinstance(block, Rows)]
    assert tables
    assert all(any(column.texts(column.values(table.rows))) for table in tables for column in table.columns)


def test_model_text_with_measurements(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Measurements of the property that the user names judge a model text, too."""
    monkeypatch.chdir(CASE)
    page = run(Request(models=("analytical.txt",), nfp="solve_seconds", output=str(tmp_path / "page.html"))).page
    assert "predictions" in {section.name for section in page.sections}
