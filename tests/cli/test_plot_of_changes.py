"""The plot of what changed between the values of a context."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from lxml import etree

from tests.cli.conftest import Run

Refused = Callable[..., str]
LEARN = ("learn", "--measurements", "versions.csv", "--property", "time", "--by", "version", "--learner", "stepwise")


def content(factors: Mapping[str, float]) -> str:
    """Return measurements of versions in which the influence of the option a has these factors, with 1 % noise."""
    rng = random.Random(3)
    lines = ["version,a,b,n,time,x"]
    for version, factor in factors.items():
        for at in range(32):
            a, b, n = at % 2, at // 2 % 2, 1 + at // 4
            time = (10 + factor * 8 * a + 5 * b + 3 * n) * rng.gauss(1, 0.01)
            lines.append(f"{version},{a},{b},{n},{time:.6f},1")
    return "\n".join(lines) + "\n"


@pytest.fixture
def versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of three versions, of which the last one changed an influence, in the current folder."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "versions.csv"
    file.write_text(content({"v9": 1, "v10": 1, "v11": 2}))
    return file


def drawn(file: Path) -> tuple[list[str], str]:
    """Return the titles of the panels, and the title, of a picture."""
    root = etree.parse(file).getroot()
    heads = [text.text or "" for text in root.iter("{*}text") if text.get("class") == "head"]
    return heads[1:], root.findtext("{*}title") or ""


def test_the_changes(versions: Path, run: Run) -> None:
    """The plot has the changes that the tables have, and each version has its own plot of predictions."""
    done = run(*LEARN, "--plot", "p.svg", "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["plot"] == "p.svg"
    assert sorted(file.name for file in versions.parent.glob("*.svg")) == [
        "p-v10.svg",
        "p-v11.svg",
        "p-v9.svg",
        "p.svg",
    ]
    changes = [{term["text"] for each in change["sets"] for term in each["terms"]} for change in found["changes"]]
    panels, title = drawn(versions.parent / "p.svg")
    assert set(panels) >= set.union(*changes)
    settled = [
        {term["text"] for each in change["sets"] for term in each["terms"] if term["intervals"] > 2}
        for change in found["changes"]
    ]
    assert settled == [set(), {"a"}]
    assert f"1 of {len(panels)} influences changed" in title
    # What changed is first.
    assert panels[0] == "a"


def test_no_change(versions: Path, run: Run) -> None:
    """Without a change nothing is marked."""
    versions.write_text(content({"v1": 1, "v2": 1}))
    done = run(*LEARN, "--plot", "p.svg")
    assert "plot of the changes: p.svg\n" in done.stdout
    assert "no influence changed" in drawn(versions.parent / "p.svg")[1]
