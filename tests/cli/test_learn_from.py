"""Tests of `learn --from`: rows of stored models of other versions are learned from, too."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run

OPTIONS = ("cache", "index", "zip")


def _table(path: Path, rows: int, factor: float, seed: int, nfp: str = "time") -> None:
    """Write a table of the first rows in random order; the second version has another factor."""
    generator = np.random.default_rng(seed)
    space = [(a, b, c, n) for a in (0, 1) for b in (0, 1) for c in (0, 1) for n in (1, 4)]
    lines = [",".join((*OPTIONS, "threads", nfp))]
    for place in generator.permutation(len(space))[:rows]:
        a, b, c, n = space[place]
        value = factor * 10 * np.exp(0.7 * a - 0.4 * b + 0.5 * a * c) / n**0.5 * np.exp(generator.normal(0, 0.01))
        lines.append(f"{a},{b},{c},{n},{value:.5g}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def folder(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with a model of an old version, few rows of a new one, and all of these; the current one."""
    folder = tmp_path_factory.mktemp("learned")
    _table(folder / "old.csv", 16, 1.0, 1)
    _table(folder / "new.csv", 5, 2.0, 2)
    _table(folder / "all.csv", 16, 2.0, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run("learn", "old.csv", "-o", "old.json").exit_code == 0
        yield folder


def _error(run: Run, model: str) -> float:
    return float(json.loads(run("predict", model, "all.csv", "--json").stdout)["error"])


def test_rows_of_a_model(folder: Path, run: Run) -> None:
    """A few rows of a new version suffice with those of the old one; values that only the old one has are known."""
    result = run("learn", "new.csv", "--from", "old.json", "-o", "new.json")
    assert result.exit_code == 0, result.stderr
    assert "learned with 16 rows of old.json; weight of learning alone: 0.0" in result.stderr
    assert _error(run, "new.json") < 8
    # A model that learned from others is a source itself, with the rows of all.
    assert run("learn", "all.csv", "--from", "new.json", "-o", "third.json", "--sampling", "measured:6").exit_code == 0
    provenance = json.loads((folder / "third.json").read_text(encoding="utf-8"))["provenance"]
    assert [each["path"] for each in provenance["sources"]] == ["new.json"]
    assert _error(run, "third.json") < 8


@pytest.mark.parametrize("share", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_several_values(folder: Path, run: Run, share: bool) -> None:
    """Each value of a context is learned with the rows of the models, with those of the other values if they share."""
    header, *rows = (folder / "all.csv").read_text(encoding="utf-8").splitlines()
    pairs = [("v1", row) for row in rows[:5]] + [("v2", row) for row in rows[5:10]]
    (folder / "few.csv").write_text("\n".join([f"version,{header}", *map(",".join, pairs)]), encoding="utf-8")
    flags = ("--share",) if share else ()
    result = run("learn", "few.csv", "--by", "version", "--from", "old.json", "-o", "m.json", *flags)
    assert result.exit_code == 0, result.stderr
    assert "16 rows of old.json" in result.stderr
    for value in ("v1", "v2"):
        assert _error(run, f"m-{value}.json") < 8
        content = json.loads((folder / f"m-{value}.json").read_text(encoding="utf-8"))
        assert [each["path"] for each in content["provenance"]["sources"]] == ["old.json"]
        names = content["intervals"].get("joint", content["intervals"])["contexts"]["names"]
        assert len(names) == 2 + share


def test_rows_of_several_models_count_once(folder: Path, run: Run) -> None:
    """Rows of a model that learned from another one of the models count once."""
    _with_versions(folder)
    for value, further in (("v0", ()), ("v1", ("--from", "v0.json"))):
        command = ("learn", "versions.csv", "--where", f"version={value}", "--sampling", "measured:12", *further)
        assert run(*command, "-o", f"{value}.json").exit_code == 0
    result = run("learn", "new.csv", "--from", "v0.json", "--from", "v1.json", "-o", "v2.json")
    assert re.search(r"learned with 12 rows of [^,;]*, 12 rows of [^,;]*;", result.stderr)


def test_what_to_measure_next(folder: Path, run: Run, refused: Callable[..., str]) -> None:
    """Configurations are suggested that the models have, with rows of the new version and without any."""
    result = run("suggest", "--from", "old.json", "--measurements", "new.csv", "--budget", "3", "-o", "next.csv")
    assert result.exit_code == 0, result.stderr
    old = {row.rsplit(",", 1)[0] for row in (folder / "old.csv").read_text(encoding="utf-8").splitlines()}
    new = {row.rsplit(",", 1)[0] for row in (folder / "new.csv").read_text(encoding="utf-8").splitlines()[1:]}
    found = {row.rsplit(",", 1)[0] for row in (folder / "next.csv").read_text(encoding="utf-8").splitlines()[1:]}
    assert len(found) == 3
    assert found <= old - new
    assert len(run("suggest", "--from", "old.json", "--budget", "3").stdout.splitlines()) == 4
    assert "--goal" in refused("suggest", "--from", "old.json", "--budget", "3", "--goal", "optimum")


def test_the_optimum_of_a_mixture(folder: Path, run: Run) -> None:
    """The optimum is the least prediction of the full model, also where it maps values of other versions."""
    _with_versions(folder)
    assert run("learn", "versions.csv", "--where", "version=v0", "-o", "v0.json").exit_code == 0
    few = ("--where", "version=v1", "--sampling", "measured:12")
    assert run("learn", "versions.csv", *few, "--from", "v0.json", "-o", "v1.json").exit_code == 0
    content = json.loads((folder / "v1.json").read_text(encoding="utf-8"))
    assert content["intervals"]["kind"] == "mixture"
    assert run("predict", "v1.json", "all.csv", "-o", "predicted.csv").exit_code == 0
    header, *rows = (folder / "predicted.csv").read_text(encoding="utf-8").splitlines()
    column = header.split(",").index("predicted")
    least = min(float(row.split(",")[column]) for row in rows)
    assert json.loads(run("optimize", "v1.json", "--json").stdout)["predicted"] == pytest.approx(least, rel=1e-5)
    explained = json.loads(run("explain", "v1.json", "cache=1,threads=4", "--json").stdout)
    assert "not in the printed model" in json.dumps(explained)


def test_a_value_of_the_models(folder: Path, run: Run) -> None:
    """Of several values, the one of the model is not learned from it; the others are."""
    _with_versions(folder)
    assert run("learn", "versions.csv", "--where", "version=v1", "-o", "v1.json").exit_code == 0
    result = run("learn", "versions.csv", "--by", "version", "--from", "v1.json", "-o", "by.json")
    assert result.exit_code in (0, 1), result.stderr
    assert "the models are of the value that is learned" in result.stdout + result.stderr
    assert (folder / "by-v0.json").exists()


def _with_versions(folder: Path) -> None:
    """Write the old and the new version as one table."""
    lines = [(folder / name).read_text(encoding="utf-8").splitlines() for name in ("old.csv", "all.csv")]
    table = [f"version,{lines[0][0]}", *(f"v{number},{row}" for number in (0, 1) for row in lines[number][1:])]
    (folder / "versions.csv").write_text("\n".join(table) + "\n", encoding="utf-8")
