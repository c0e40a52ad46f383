"""The page of the case studies: its tables and figures are what the committed measurements give, and state facts."""

from __future__ import annotations

import csv
import re
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casestudies.report import communication, noise
from casestudies.report.figures import FIGURES, picture
from casestudies.report.noise import Noise
from casestudies.report.page import blocks_of, with_blocks
from casestudies.report.report import measured_blocks, noise_block, pages, smg_blocks
from casestudies.report.studies import HERE, KINDS, Case, done
from splc.study import read_study
from splc.study.results import Results
from splc.study.tasks import load
from splc.types import Array

NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


@cache
def page(name: str = "README.md") -> str:
    """Return a committed page."""
    return (HERE / name).read_text(encoding="utf-8")


def numbers(text: str) -> list[float]:
    """Return all numbers of a text."""
    return [float(number.replace("−", "-")) for number in NUMBER.findall(text)]


def words(text: str) -> list[str]:
    """Return a text without its numbers, and without what its columns are filled up with."""
    return re.sub(r"-{2,}:?", "", NUMBER.sub(" ", text)).split()


def assert_same(found: str, committed: str) -> None:
    """Compare generated texts: their last digits may differ where another library of linear algebra computed them."""
    assert words(found) == words(committed)
    assert numbers(found) == pytest.approx(numbers(committed), rel=0.02, abs=0.011)


@pytest.mark.slow
def test_page_is_what_the_measurements_give(tmp_path: Path) -> None:
    """Every committed table and list is what the studies give, and every figure can be drawn."""
    cases = [done(kind, tmp_path) for kind in KINDS]
    for path, found in pages(cases).items():
        blocks = blocks_of((HERE / path).read_text(encoding="utf-8"))
        assert found.keys() == blocks.keys()
        for name, text in found.items():
            assert_same(text, blocks[name])
    for figure in FIGURES:
        assert picture(figure, {case.kind.folder: case for case in cases}).startswith("<svg")


@pytest.mark.parametrize("held_out", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_facts_are_what_the_measurements_give(held_out: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The committed tables of the measurements and of the analytical models are those of the committed files.

    `held_out`: for how many cases models are learned without some of the rows.
    """
    every = tuple(cases().values())
    smg = [case for case in every if case.kind.wall]
    blocks = blocks_of((HERE / "smg2000" / "README.md").read_text(encoding="utf-8"))
    found = smg_blocks(smg)
    assert found.keys() == blocks.keys()
    for name, text in found.items():
        assert_same(text, blocks[name])
    table = noise.held_out
    monkeypatch.setattr(noise, "held_out", lambda cases: table(cases[:held_out]))
    for name, text in measured_blocks(every).items():
        assert_same(text, blocks_of(page())[name])
    lines = blocks_of(page("thesis.md"))["noise"].splitlines(keepends=True)
    assert_same(noise_block(every), "".join(lines[: len(lines) - len(KINDS) + held_out]))


@cache
def cases() -> dict[str, Case]:
    """Return folder → case, without its studies."""
    studies = [(kind, read_study(HERE / kind.folder / "study.toml")) for kind in KINDS]
    return {kind.folder: Case(kind, study, load(study), Results(()), None) for kind, study in studies}


def test_every_block_has_content() -> None:
    """The committed pages have the tables 5.6 to 5.13, an answer to each question, and no empty block."""
    blocks = blocks_of(page()) | blocks_of(page("thesis.md"))
    answers = {"rq1", "rq2", "rq3", "preferences", "rq5"}
    assert {f"table-5.{number}" for number in range(6, 14)} | answers <= set(blocks)
    assert all(len(text) > 100 for text in blocks.values())
    for number in range(1, 6):
        assert re.search(rf"## RQ{number}: .*\?\n\n\*\*", page())


def test_the_picture_of_counts_is_what_the_measurements_give(monkeypatch: pytest.MonkeyPatch) -> None:
    """The committed picture of counts is drawn without matplotlib, so that no version of it changes the file."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    committed = (HERE / "figures" / communication.PICTURE).read_text(encoding="utf-8")
    assert communication.counts_picture(cases()[communication.PICTURED]) == committed


PAGES = ("README.md", "thesis.md", "smg2000/README.md", "boomeramg/README.md")
# What is no prose: generated blocks, tables, listings, quotations; then code, references and links.
NO_PROSE = re.compile(
    r"(?s:<!-- begin.*?<!-- end [^>]*>)|(?s:```.*?```)|^ {4}(?! )[^\n]*$|^\|[^\n]*$|^>[^\n]*$", re.MULTILINE
)
MARKED = re.compile(r"`[^`]*`|\]\([^)]*\)|\bsections? [\d.]+\d|\btables? [\d.]+\d(?: (?:to|and) [\d.]+\d)?")
STATED = re.compile(r"(?<![\w.])(?:\d+\.\d+(?:e-\d+)?|\d+(?= %)|\d+(?=-fold))")
# Fractions in words, and claims that two errors are equal: with the number that shows it in their sentence.
CLAIMS = re.compile(r"\b(?:thirds?|quarters?|half|halves|alike|twice)\b")
# What the pages quote from the thesis' text, from descriptions of machines, and results of commands that they name.
QUOTED = {
    "README.md": set(),
    "thesis.md": {36.19, 36.1, 314.6},
    "smg2000/README.md": {0.257e-9, 0.577e-9},
    "boomeramg/README.md": {109, 94, 0.851, 0.84, 0.861, 0.577, 85},
}
SECTIONS_OF_FACTS = ("Measure again", "Where the measurements come from", "References", "Licence", "Options")


def prose_sections(name: str) -> list[tuple[str, str]]:
    """Return the sections of a page: title and prose, numbers of sections and tables left out."""
    text = (HERE / name).read_text(encoding="utf-8")
    sections = [each.partition("\n") for each in re.split(r"\n## ", text)[1:]]
    return [
        (title, MARKED.sub("", NO_PROSE.sub("", body))) for title, _, body in sections if title not in SECTIONS_OF_FACTS
    ]


@pytest.mark.parametrize("name", PAGES)
def test_prose_has_its_numbers_in_tables(name: str) -> None:
    """Every number with a point, every percentage and every multiple in the text of a page is in a table or listing."""
    texts = [(HERE / each).read_text(encoding="utf-8") for each in {"README.md", "thesis.md", name}]
    known = {abs(number) for text in texts for part in NO_PROSE.findall(text) for number in numbers(part)}
    stated = [(title, float(each)) for title, body in prose_sections(name) for each in STATED.findall(body)]
    assert len(stated) > 8
    assert [each for each in stated if each[1] not in known | QUOTED[name]] == []


@pytest.mark.parametrize("name", PAGES)
def test_claims_in_words_have_a_number(name: str) -> None:
    """A sentence that calls errors alike, or one a fraction of another, states numbers of tables of its section."""
    text = (HERE / name).read_text(encoding="utf-8")
    tables_of = {
        each.partition("\n")[0]: {abs(number) for part in NO_PROSE.findall(each) for number in numbers(part)}
        for each in re.split(r"\n## ", text)[1:]
    }
    wrong = []
    for title, body in prose_sections(name):
        for sentence in re.split(r"(?<=[.:;])\s+", body):
            stated = {float(each) for each in STATED.findall(sentence)}
            if CLAIMS.search(sentence) and not (stated and stated <= tables_of[title]):
                wrong.append((title, sentence))
    assert wrong == [], "\n".join(map(str, wrong))


@given(bodies=st.lists(st.text("ab|\n-", max_size=9), min_size=2, max_size=2))
def test_blocks_are_replaced_and_nothing_else(bodies: list[str]) -> None:
    """Only the text between the markers is replaced, and a second time nothing changes."""
    before = "# a\n<!-- begin x -->\nold\n<!-- end x -->\ntext\n<!-- begin y: note -->\n<!-- end y -->\nend\n"
    blocks = dict(zip("xy", bodies, strict=True))
    after = with_blocks(before, blocks)
    assert {name: text.rstrip() for name, text in blocks_of(after).items()} == {
        k: v.rstrip() for k, v in blocks.items()
    }
    assert [after.startswith("# a\n<!-- begin x"), "-->\ntext\n<!--" in after, after.endswith("-->\nend\n")] == [
        True
    ] * 3
    assert with_blocks(after, blocks) == after


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- begin x -->\n<!-- end x -->\n" * 2, "duplicate block x"),
        ("<!-- begin x -->\n", "no partner"),
        ("<!-- begin y -->\n<!-- end y -->\n", "different blocks: x, y"),
        ("nothing", "different blocks: x"),
    ],
)
def test_wrong_markers(text: str, message: str) -> None:
    """A duplicate, unclosed, missing or unknown block is an error, and nothing is written."""
    with pytest.raises(ValueError, match=message):
        with_blocks(text, {"x": "new"})


@cache
def means_of(folder: str) -> dict[str, Array]:
    """Return the columns of a table of measurements, means over the repetitions, by the csv module alone."""
    with (HERE / folder / "measurements.csv").open(encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    options = names.index("solve_seconds")
    groups: dict[tuple[str, ...], list[list[float]]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[:options])].append([float(each) for each in row])
    means = np.array([np.mean(each, axis=0) for each in groups.values()])
    return dict(zip(names, means.T, strict=True))


def columns_of(folder: str) -> Array:
    """Return work, messages and bytes of one rank, shape (configurations, 3)."""
    table = means_of(folder)
    grid = {"1d": ("nx",), "2d": ("nx",) * 2, "3d": ("nx",) * 3}.get(folder[-2:], ("nx", "ny", "nz"))
    ranks = np.prod([table[name] for name in ("px", "py", "pz") if name in table], axis=0)
    work = np.prod([table[name] for name in grid], axis=0) * table["iterations"]
    return np.column_stack([work, table["messages"] / ranks, table["bytes"] / ranks])


@pytest.mark.parametrize("folder", [kind.folder for kind in KINDS])
def test_parts_are_a_non_negative_least_squares_fit(folder: str) -> None:
    """The errors and times of sums of parts are those of scipy's non-negative least squares of relative errors."""
    from scipy.optimize import nnls

    rows = communication.parts([cases()[folder]]).rows
    columns, measured = columns_of(folder), means_of(folder)["solve_compute_seconds"]
    for row, parts in zip(rows, (1, 2, 3), strict=False):
        relative = columns[:, :parts] / measured[:, None]
        sizes = np.linalg.norm(relative, axis=0)
        times = nnls(relative / sizes, np.ones(len(measured)))[0] / sizes
        error = 100 * np.abs(relative @ times - 1).mean()
        assert float(str(row[2])) == pytest.approx(error, abs=0.051)
        for cell, time, scale in zip(row[3:], times, (1e9, 1e6, 1e9), strict=False):
            assert float(str(cell).split(" ")[0]) == pytest.approx(scale * time, rel=6e-3, abs=1e-9)
        shares = 100 * times * columns[:, :parts].sum(axis=0) / (columns[:, :parts] @ times).sum()
        assert [float(str(cell)) for cell in row[6 : 6 + parts]] == pytest.approx(list(shares), abs=0.51)


def test_counts_beside_the_formula() -> None:
    """Counted and predicted messages and doubles in 3-D are those of the table and of the published formula."""
    table, case = means_of("smg2000/3d"), cases()["smg2000/3d"]
    ranks = table["px"] * table["py"] * table["pz"]
    lx, ly, lz = (np.log2(table[name] * table["nx"]) for name in ("px", "py", "pz"))
    wanted = {
        "alpha": (table["messages"], 4 * lz * (1 + 2 * ly * (lx + 1))),
        "beta": (table["bytes"] / 8, 4 * table["nx"] ** 2 * (lz + 2 * lx + 2 * ly)),
    }
    for parameter, (sent, formula) in wanted.items():
        counted, predicted = communication.counted_and_predicted(case, parameter)
        assert counted == pytest.approx(sent / ranks / table["iterations"])
        assert predicted == pytest.approx(formula)


@pytest.mark.parametrize(("shared", "deviation"), [(0.0, 0.1), (0.5, 0.2), (0.9, 0.3)])
def test_noise_of_known_parts(shared: float, deviation: float) -> None:
    """The part of the noise that an `mpirun` shares, and the deviation of a row, are found where they are known."""
    rng = np.random.default_rng(3)
    size = 300, 8, 3
    rows = deviation * (
        np.sqrt(shared) * rng.standard_normal((size[0], 1, size[2])) + np.sqrt(1 - shared) * rng.standard_normal(size)
    )
    found = Noise(rows - rows.mean(axis=2, keepdims=True))
    assert found.deviation == pytest.approx(deviation, rel=0.05)
    assert found.shared == pytest.approx(shared, abs=0.03)
    # Without a drift along the grids, neighbours are as alike as any two.
    assert found.neighbours == pytest.approx(shared, abs=0.06)
