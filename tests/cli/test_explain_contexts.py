"""`splc explain --by` and the section of `splc report` about models that were learned together."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from splc.report import markdown
from tests.cli.conftest import Run

CHANGES = {"v1": 1.0, "v2": 1.0, "v10": 1.5}


@pytest.fixture(scope="module", autouse=True)
def learned(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Learn three versions together, the last of which is slower with `b`; return what is printed."""
    noise = np.random.default_rng(0)
    lines = ["version,a,b,n,time"]
    for version, change in CHANGES.items():
        for a, b, n in itertools.product((0, 1), (0, 1), (1, 4)):
            time = 3 * 2**a * change**b * n**0.5 * np.exp(noise.normal(0, 0.02))
            lines.append(f"{version},{a},{b},{n},{time}")
    with pytest.MonkeyPatch.context() as patch:
        # Pictures of matplotlib take a second.
        patch.setattr(markdown, "has_matplotlib", lambda: False)
        patch.chdir(tmp_path_factory.mktemp("learned"))
        Path("t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        result = run("learn", "t.csv", "--by", "version", "--share", "-o", "m.json")
        assert result.exit_code == 0, result.stderr
        yield result.stdout


def test_influences(run: Run) -> None:
    """The option whose influence differs is first, with its factor at each version."""
    found = run("explain", "m-v2.json", "--by", "version")
    assert found.stdout.startswith("b varies most with version: factor ")
    assert "influences with 3 values of version" in found.stdout
    content = json.loads(run("explain", "m-v2.json", "--by", "version", "--json").stdout)
    assert content["values"] == ["v1", "v2", "v10"]
    first, second, _ = content["influences"]
    assert (first["option"], first["settled"]) == ("b", True)
    np.testing.assert_allclose(first["factors"], [1, 1, 1.5], rtol=0.03)
    assert second["spread"] < 0.1 * first["spread"]


def test_refused(run: Run) -> None:
    """Models of one value, other contexts, and explanations of one configuration are refused."""
    for arguments, text in (
        (("m-v2.json", "--by", "machine"), "the model was not learned by 'machine'"),
        (("m-shared.json", "--by", "version"), "the model was not learned by 'version'"),
        (("m-v2.json", "a=1,b=0,n=4", "--by", "version"), "over all valid configurations"),
    ):
        found = run("explain", *arguments)
        assert found.exit_code == 2
        assert text in found.stderr
    assert run("learn", "t.csv", "--where", "version=v1", "-o", "alone.json").exit_code == 0
    assert "learned from rows of one value" in run("explain", "alone.json", "--by", "version").stderr


def test_sums(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Factors of influences are compared, which a joint model of sums does not have."""
    noise = np.random.default_rng(0)
    lines = ["version,a,b,n,time"]
    for version in (1, 2):
        for a, b, n in itertools.product((0, 1), (0, 1), (1, 4)):
            lines.append(f"v{version},{a},{b},{n},{20 + 7 * a + version * b + 5 * n + noise.normal(0, 0.3)}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    learned = run("learn", "t.csv", "--by", "version", "--share", "--set", "scale=raw", "-o", "sum.json")
    assert learned.exit_code == 0
    found = run("explain", "sum-v2.json", "--by", "version")
    assert found.exit_code == 2
    assert "add up" in found.stderr


def test_same_intervals(learned: str, run: Run) -> None:
    """The reports of all models that were learned together state the intervals of changes that learning states."""
    interval = next(line for line in learned.splitlines() if line.startswith("b ")).split(maxsplit=2)[2]
    # Learning v10 alone is better.
    for version in ("v1", "v2"):
        assert run("report", f"m-{version}.json", "-o", "r.md").exit_code == 0
        assert interval in Path("r.md").read_text(encoding="utf-8")


def test_few_rows(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer than two rows per option of a version, all outputs say that influences may have changed."""
    monkeypatch.chdir(tmp_path)
    rows = list(itertools.product((0, 1), repeat=4))
    lines = ["version,a,b,c,d,time"]
    for version, change, chosen in (("v1", 1, rows), ("v2", 8, rows[1::3])):
        for a, b, c, d in chosen:
            lines.append(f"{version},{a},{b},{c},{d},{3 * 2**a * change**b * 1.3**c * (1 + 0.01 * (c ^ d))}")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    learned = run("learn", "t.csv", "--by", "version", "--share", "-o", "m.json")
    assert "\nmay have changed  factor" in learned.stdout
    assert "changed influence" not in learned.stdout
    assert "may differ" in run("explain", "m-v2.json", "--by", "version").stdout
    run("report", "m-v2.json", "-o", "r.md")
    assert "may have changed: b" in (tmp_path / "r.md").read_text(encoding="utf-8")


def test_report(run: Run) -> None:
    """The report of a model has the changes between neighbours, the influences, and where they changed."""
    assert run("report", "m-v2.json", "-o", "r.md").exit_code == 0
    page = Path("r.md").read_text(encoding="utf-8")
    assert "What differs with version" in page
    assert "| v2 → v10 |" in page
    changed = page[page.index("Where changes happened") :]
    assert "| b | v2 → v10 |" in changed
