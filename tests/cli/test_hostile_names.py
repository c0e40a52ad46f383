"""Names of options that are markup, escape sequences or change the direction of text are texts in every output."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lxml import etree, html

from splc.report import page as pages
from tests.cli.conftest import Run

NAMES = ["a'\"b`c", "<script>alert(1)</script>", "\x1b[31mred\x07", "\u202eabc", "$x^2$ & \\input{a}"]
INPUT = ("--measurements", "t.csv")


def dangerous(text: str) -> str:
    """Return the characters of a text that have no picture of their own."""
    return "".join(each for each in text if unicodedata.category(each)[0] == "C" and each not in "\n\t")


@pytest.fixture(scope="module", autouse=True)
def _learned(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Learn a model of a table whose options have such names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("learned"))
        with Path("t.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow([*NAMES, "time"])
            for row in range(16):
                a, b, c, d, e = [row >> at & 1 for at in range(4)] + [row.bit_count() & 1]
                table.writerow([a, b, c, d, e, 10 + 5 * a + 3 * b + 2 * c + 4 * d * e + row % 3 / 50])
        assert run("learn", *INPUT, "-o", "m.json").exit_code == 0
        yield


@pytest.mark.parametrize(
    "command",
    [
        ("learn", "-o", "again.json"),
        ("describe", "t.csv"),
        ("explain", "m.json"),
        ("optimize", "m.json"),
        ("compare", "m.json", "m.json"),
        ("sample", "--sampling", "random:3"),
        ("report", "m.json"),
    ],
)
def test_terminal(run: Run, command: tuple[str, ...]) -> None:
    """Nothing that is printed moves the cursor, changes colours, or turns the direction of the text."""
    done = run(*command, *(INPUT if command[0] != "describe" else ()))
    assert done.exit_code == 0, done.output
    # What is CSV on standard output has the names as they are.
    assert dangerous(done.stderr + (done.stdout if command[0] != "sample" else "")) == ""


@pytest.mark.parametrize("command", [("learn", "--property", "u\x1b"), ("predict", "m.json", "bad.csv"), ("init",)])
def test_refusals(refused: Callable[..., str], command: tuple[str, ...]) -> None:
    """Messages about wrong names escape them; a description cannot have such names."""
    text = Path("t.csv").read_text(encoding="utf-8").replace("[31m", "[32m")
    Path("bad.csv").write_text(text, encoding="utf-8")
    message = refused(*command, *(INPUT if command[0] != "init" else ("t.csv",)))
    assert dangerous(message) == ""
    assert "\\x1b" in message or "\\u001b" in message


@pytest.mark.parametrize("models", [("m.json",), ("m.json", "m.json")])
@pytest.mark.parametrize("drawn", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_pages(run: Run, monkeypatch: pytest.MonkeyPatch, models: tuple[str, ...], *, drawn: bool) -> None:
    """Pages have the names as texts, in HTML and Markdown, whether matplotlib draws their pictures or not."""
    if drawn:
        pytest.importorskip("matplotlib")
    monkeypatch.setattr(pages, "has_matplotlib", lambda: drawn)
    assert run("report", *models, *INPUT, "-o", "r.html").exit_code == 0
    text = Path("r.html").read_text(encoding="utf-8")
    assert dangerous(text) == ""
    page = html.document_fromstring(text)
    assert len([each for each in page.cssselect("script") if each.get("type") != "application/json"]) == 1
    assert not [name for each in page.iter() for name in each.attrib if name.startswith("on")]
    assert NAMES[1] in "".join(page.itertext())
    assert run("report", *models, *INPUT, "-o", "r.md").exit_code == 0
    written = Path("r.md").read_text(encoding="utf-8")
    assert dangerous(written) == ""
    assert "<script>" not in written


@pytest.mark.parametrize(
    "command", [("report", "m.json", "--picture", "effects", "-o", "p.svg"), ("explain", "m.json", "--plot", "p.svg")]
)
def test_pictures(run: Run, command: tuple[str, ...]) -> None:
    """Pictures have no scripts and no handlers."""
    assert run(*command, *INPUT).exit_code == 0
    text = Path("p.svg").read_text(encoding="utf-8")
    assert dangerous(text) == ""
    root = etree.fromstring(text.encode())
    assert not list(root.iter("{*}script"))
    assert not [name for each in root.iter() for name in each.attrib if str(name).startswith("on")]


def test_latex(run: Run) -> None:
    """LaTeX has no commands and no mathematics of names."""
    assert run("learn", *INPUT, "-o", "m.tex").exit_code == 0
    text = Path("m.tex").read_text(encoding="utf-8")
    assert dangerous(text) == ""
    assert "\\input{a}" not in text
    assert "\\textbackslash{}input\\{a\\}" in text
    assert "\\$x\\textasciicircum{}2\\$ \\&" in text


def test_programs(run: Run) -> None:
    """Programs have the names in strings, with escapes."""
    assert run("convert", "m.json", "-o", "m.py").exit_code == 0
    assert dangerous(Path("m.py").read_text(encoding="utf-8")) == ""


def test_tables(run: Run) -> None:
    """CSV has the names as they are in the header, quoted where they need to be, so that it can be read again."""
    assert run("predict", "m.json", "t.csv", *INPUT, "-o", "p.csv").exit_code == 0
    with Path("p.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[:5] == NAMES
    assert {len(row) for row in rows} == {len(header)}
    assert run("predict", "m.json", "p.csv", *INPUT, "-o", "again.csv").exit_code == 0
