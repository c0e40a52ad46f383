"""The section of `splc report` about models that were learned together."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from splc.report import document
from tests.cli.conftest import Run

Learned = Callable[..., tuple[str, str]]


@pytest.fixture
def reported(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Learned:
    """Return a function that learns versions of a table together; it returns what is printed, and a report."""
    # Pictures of matplotlib take a second.
    monkeypatch.setattr(document, "has_matplotlib", lambda: False)
    monkeypatch.chdir(tmp_path)

    def reported(header: str, rows: list[tuple[object, ...]], version: str = "v2") -> tuple[str, str]:
        Path("t.csv").write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]), encoding="utf-8")
        learned = run("learn", "t.csv", "--by", "version", "--share", "-o", "m.json").stdout
        assert run("report", f"m-{version}.json", "-o", "r.md").exit_code == 0
        return learned, Path("r.md").read_text(encoding="utf-8")

    return reported


# Learning v10 alone is better.
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_changes(reported: Learned, version: str) -> None:
    """The report has where influences changed, with the intervals that learning states, whichever version it is of."""
    noise = np.random.default_rng(0)
    rows: list[tuple[object, ...]] = []
    for name, change in {"v1": 1.0, "v2": 1.0, "v10": 1.5}.items():
        for a, b, n in itertools.product((0, 1), (0, 1), (1, 4)):
            rows.append((name, a, b, n, 3 * 2**a * change**b * n**0.5 * np.exp(noise.normal(0, 0.02))))
    learned, page = reported("version,a,b,n,time", rows, version)
    assert next(line for line in learned.splitlines() if line.startswith("b ")).split(maxsplit=2)[2] in page
    assert "What differs with version" in page
    assert "| v2 → v10 |" in page
    assert "| b | v2 → v10 |" in page[page.index("Where changes happened") :]


def test_few_rows(reported: Learned) -> None:
    """With fewer than two rows per option of a version, the report says that influences may have changed."""
    every = list(itertools.product((0, 1), repeat=4))
    rows = [
        (version, a, b, c, d, 3 * 2**a * change**b * 1.3**c * (1 + 0.01 * (c ^ d)))
        for version, change, chosen in (("v1", 1, every), ("v2", 8, every[1::3]))
        for a, b, c, d in chosen
    ]
    assert "may have changed: b" in reported("version,a,b,c,d,time", rows)[1]
