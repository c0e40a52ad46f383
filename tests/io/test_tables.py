"""Tables of results as CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import html
import io
import math
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from splc.io.latex import latex_escaped
from splc.io.numbers import rounded_text
from splc.io.tables import Cell, Spread, Table, cell_text, csv_text, latex_text, markdown_text
from tests.support.golden_messages import Lines, check_calls

numbers = st.one_of(st.none(), st.integers(), st.floats())
texts = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=8),
    st.text("\\|&%$#_{}^~-*[]<>`'\",;!?\n\r\t é×−α²–—\u2028\x00ab1", max_size=8),
    st.sampled_from(["nx^2 * log10(px)", "a\\", "--", "`x`", "<br>", "&amp;", "[x](y)", "**b**", "\\|", "***", "# a"]),
)


@st.composite
def tables(draw: st.DrawFn, cells: st.SearchStrategy[Cell]) -> Table:
    """Tables of some rows and columns of these cells."""
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[cells] * width), max_size=4))
    return Table(tuple(draw(st.lists(texts, min_size=width, max_size=width))), tuple(rows), draw(st.none() | texts))


spreads = st.builds(Spread, st.none() | st.floats(), st.none() | st.floats(0), st.booleans())
any_table = tables(st.one_of(texts, numbers, spreads))


def read_csv(text: str) -> list[list[str]]:
    """Return what Python's reader finds in a CSV text."""
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


@given(tables(st.one_of(texts, numbers)))
def test_csv_reads_back_exactly(table: Table) -> None:
    """Every text and number reads back from CSV unchanged, and undefined cells are empty."""
    header, *rows = read_csv(csv_text(table))
    assert tuple(header) == table.columns
    assert len(rows) == len(table.rows)
    for row, cells in zip(rows, table.rows, strict=True):
        for field, cell in zip(row, cells, strict=True):
            if isinstance(cell, str):
                assert field == cell
            elif cell is None or (isinstance(cell, float) and math.isnan(cell)):
                assert field == ""
            else:
                assert (int if isinstance(cell, int) else float)(field) == cell


@given(st.lists(st.tuples(st.floats(allow_nan=False), st.floats(0, allow_nan=False)), min_size=1, max_size=4))
def test_csv_has_deviations_in_a_column_of_their_own(pairs: list[tuple[float, float]]) -> None:
    """Means and deviations are read back exactly from two columns; cells without a deviation leave it empty."""
    table = Table(("n", "error"), (*((1, Spread(*pair)) for pair in pairs), (2, None), (3, 4.5)))
    header, *rows = read_csv(csv_text(table))
    assert header == ["n", "error", "error deviation"]
    assert [(float(row[1]), float(row[2])) for row in rows[:-2]] == pairs
    assert rows[-2:] == [["2", "", ""], ["3", "4.5", ""]]


def rendered(markdown: str) -> tuple[str, list[list[str]]]:
    """Return the caption and the cells that a reader of Markdown shows, as text with line breaks."""
    page = MarkdownIt("commonmark").enable("table").render(markdown)

    def text(fragment: str) -> str:
        assert not re.search(r"<(?!br>)", fragment), fragment
        return html.unescape(fragment.replace("<br>", "\n"))

    caption = re.match(r"<p><strong>(.*)</strong></p>\n<table>", page)
    rows = re.findall(r"<tr>\n(.*?)</tr>", page, re.DOTALL)
    cells = [re.findall(r"<t[hd](?: style=\"text-align:right\")?>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    assert page.count("<table>") == 1
    return text(caption[1]) if caption else "", [[text(cell) for cell in row] for row in cells]


def visible(text: str) -> str:
    """Return a text as a page shows it: no control characters, no surrounding white space."""
    lines = re.sub("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]", "\n", text.strip())
    plain = re.sub("[\x00-\x1f\x7f-\x9f]+", lambda run: "\n" * run[0].count("\n") or " ", lines)
    return re.sub(r"\A[^\S\n]+|[^\S\n]+\Z", "", plain)


@example(Table(("0\xa0\x1b",), ()))
@given(tables(texts))
def test_markdown_shows_the_texts(table: Table) -> None:
    """A Markdown reader shows header, cells and caption unchanged, with any characters."""
    caption, cells = rendered(markdown_text(table))
    assert cells == [[visible(text) for text in row if isinstance(text, str)] for row in (table.columns, *table.rows)]
    assert caption == " ".join(re.sub("[\x00-\x1f\x7f-\x9f]", " ", table.caption or "").split())


def unescaped(latex: str) -> str:
    """Return LaTeX without escaped characters, formulas and macros."""
    plain = re.sub(r"\\[&%$#_{}\\,]", "", latex)
    assert plain.count("$") % 2 == 0
    plain = re.sub(r"\$[^$]*\$", "", plain)
    return re.sub(r"\\(textbackslash|textasciicircum|textasciitilde|dots|`)\{\}|\\char34(?=\})", "", plain)


@given(texts)
def test_latex_texts_are_escaped(text: str) -> None:
    """An escaped text has balanced braces and no special characters of LaTeX."""
    escaped = latex_escaped(text)
    plain = re.sub(r"\\[{}]", "", escaped)
    depth = [plain[:end].count("{") - plain[:end].count("}") for end in range(len(plain) + 1)]
    assert min(depth) >= 0
    assert depth[-1] == 0
    assert not set(unescaped(escaped)) & set('\\&%$#_^"<>|')
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]|''|,,|^\*|^\[", escaped.replace("\u201d", "")) or "\u201d" in text


@given(any_table)
def test_latex_rows_have_a_cell_per_column(table: Table) -> None:
    """Each row of the tabular has one separator per column except the last, and one line end."""
    body = latex_text(table).split("\\begin{tabular}{")[1]
    assert re.fullmatch(rf"[lr]{{{len(table.columns)}}}\}}", body.split("\n")[0])
    rows = [line for line in body.split("\n")[1:] if line.endswith(" \\\\")]
    assert len(rows) == len(table.rows) + 1
    for row in rows:
        assert unescaped(row).count("&") == len(table.columns) - 1


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 17))
def test_rounding_is_no_worse_than_its_digits(value: float, digits: int) -> None:
    """The rounding error is at most half a unit of the last significant digit, and 0 with 17 digits."""
    shown = Fraction(rounded_text(value, digits))
    assert abs(shown - Fraction(value)) <= abs(Fraction(value)) / 2 * Fraction(10) ** (1 - digits)
    assert float(rounded_text(value, digits)) == value or digits < 17


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("package", ["", "\\usepackage{booktabs}"])
def test_latex_compiles(package: str, tmp_path: Path) -> None:
    """LaTeX compiles a table with all escaped characters, with and without booktabs."""
    if package and subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False).returncode:
        pytest.skip("the LaTeX package booktabs is not installed")
    awkward = tuple("\\&%$#_{}^~<>|[]\"`'-*×·±−≤≥≠≈∞→ℓαλΛφε²₂–—“”’…°µéß")
    table = Table(("a", "b"), tuple((f"{sign}{sign} x", Spread(-1.2e-7, 1e-9)) for sign in awkward), "a_b ^ 5 %")
    document = f"\\documentclass{{article}}{package}\\begin{{document}}\n{latex_text(table)}\\end{{document}}\n"
    (tmp_path / "table.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0


def markdown(*arguments: Any, **more: Any) -> Lines:
    """Return a table in Markdown."""
    return Lines(markdown_text(Table(*arguments), **more))


def latex(*arguments: Any, **more: Any) -> Lines:
    """Return a table in LaTeX."""
    return Lines(latex_text(Table(*arguments), **more))


def shown(cell: Cell) -> tuple[str, str]:
    """Return a cell in Markdown and in LaTeX."""
    row = latex(("x",), ((cell,),)).split("\\midrule\n")[1]
    return markdown(("x",), ((cell,),)).split("\n")[2].strip("| "), row.split(" \\\\\n")[0]


def test_calls() -> None:
    """Numbers, cells and texts are shown as the golden file has them."""
    writers = (markdown, latex, cell_text, latex_escaped)
    check_calls("shown-numbers", rounded_text, shown, *writers, Spread, np=np, math=math)
