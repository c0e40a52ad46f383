"""Reports of models without measurements: model text, and a log without its JSON."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from splc.report import Request, run
from splc.report.page import TextTable
from splc.workflows import learn
from tests.support.paths import SMG2000

FOLDER = SMG2000 / "2d"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a system, a model text and a log, without measurements."""
    folder = tmp_path_factory.mktemp("text")
    for name in ("system.xml", "analytical.txt", "parameters.toml"):
        (folder / name).write_bytes((FOLDER / name).read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(FOLDER)
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
    folder: Path, monkeypatch: pytest.MonkeyPatch, model: str, nfp: str | None, subject: str
) -> None:
    """A page of a model without measurements says once that there are none; no table has an empty column."""
    monkeypatch.chdir(folder)
    # Pictures, which take most of the time, are not looked at.
    monkeypatch.setattr("splc.report.markdown.chart_file", lambda *_: b"")
    result = run(Request(models=(model,), nfp=nfp, output="page.md"))
    text = Path("page.md").read_text(encoding="utf-8").replace("\\", "")
    assert result.page.title == f"SMG2000-2D: {subject}"
    assert f"A model of {subject} with " in result.page.answer[0]
    assert not re.search(r"interval|folds|printed|full model|error on new", text)
    assert len(re.findall(r"measure", text)) == 1
    assert "predictions" not in {section.name for section in result.page.sections}
    tables = [block for section in result.page.sections for block in section.blocks if isinstance(block, TextTable)]
    assert tables
    assert all(any(row[at] for row in table.rows) for table in tables for at in range(len(table.header)))


def test_model_text_with_measurements(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Measurements of the property that the user names judge a model text, too."""
    monkeypatch.chdir(FOLDER)
    page = run(Request(models=("analytical.txt",), nfp="solve_seconds", output=str(tmp_path / "page.html"))).page
    assert "predictions" in {section.name for section in page.sections}
