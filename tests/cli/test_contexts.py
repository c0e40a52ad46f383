"""Contexts on the command line: --where, --by, --context and --ignore."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import ANALYTICAL, MEASUREMENTS, OTHER, PARAMETERS, Run

Refused = Callable[..., str]

FACTORS = {"v1": 1.0, "v2": 1.0, "v10": 3.0}


def versions(factors: dict[str, float] = FACTORS, name: str = "version") -> str:
    """Return the measurements of the folder with rows of several versions, times multiplied by a factor."""
    header, *lines = MEASUREMENTS.split()
    rows = [f"{name},{header}"]
    for version, factor in factors.items():
        for line in lines:
            *cells, time, energy = line.split(",")
            rows.append(",".join([version, *cells, repr(float(time) * factor), energy]))
    return "\n".join(rows) + "\n"


@pytest.fixture
def table(folder: Path) -> Path:
    """The project folder with measurements of three versions."""
    texts = {"analytical.txt": ANALYTICAL, "parameters.toml": PARAMETERS, "other.txt": OTHER}
    for name, text in {"measurements.csv": versions(), **texts}.items():
        (folder / name).write_text(text)
    return folder


LEARN = ("learn", "--learner", "stepwise", "--property", "time")


class TestWhere:
    def test_a_model_of_one_version_is_that_of_its_rows(self, table: Path, run: Run) -> None:
        """A model learned with --where equals the model learned from a file with these rows only."""
        one = json.loads(run(*LEARN, "--where", "version=v10", "--json").stdout)
        (table / "measurements.csv").write_text(versions({"v10": 3.0}))
        other = json.loads(run(*LEARN, "--json").stdout)
        assert one["model"] == other["model"]


class TestLearnedModels:
    """Models that were learned from one version, used with measurements of several."""

    @pytest.fixture(params=["model.json", "model.log"])
    def model(self, request: pytest.FixtureRequest, table: Path, run: Run) -> str:
        """A model of the version v2."""
        file = str(request.param)
        assert run(*LEARN, "--where", "version=v2", "-o", file).exit_code == 0
        return file

    @pytest.mark.parametrize(
        "arguments",
        [
            ("optimize", "MODEL", "--property", "time"),
            ("predict", "MODEL", "measurements.csv"),
            ("compare", "MODEL", "other.txt", "--property", "time"),
            ("compare", "MODEL", "other.txt", "--on", "measurements.csv", "--property", "time"),
        ],
    )
    def test_the_version_of_the_model_is_selected(self, model: str, run: Run, arguments: tuple[str, ...]) -> None:
        """Commands use the rows of the model's version, and a note says so; another one can be stated."""
        command = [model if each == "MODEL" else each for each in arguments]
        done, stated, other = (
            run(*command, "--json", *where) for where in ((), ("--where", "version=v2"), ("--where", "version=v10"))
        )
        results = [{**json.loads(each.stdout), "notes": []} for each in (done, stated, other)]
        assert results[0] == results[1] != results[2]
        note = "10 of 30 rows have version = 'v2', like those that the model was learned from (--where selects others)"
        assert f"note: measurements.csv: {note}\n" in done.stderr
        assert "like those" not in stated.stderr + other.stderr
        assert "the context 'version' is" not in done.stderr

    def test_damaged_contexts_are_ignored(self, table: Path, model: str, run: Run) -> None:
        """A model predicts without its contexts."""
        text = (table / model).read_text()
        damages = [('"version": "v2"', '"version": [2]'), ('{"version": "v2"}', '{"version"')]
        # The second one would damage a JSON file.
        for right, wrong in damages[: 2 if model.endswith("log") else 1]:
            (table / model).write_text(text.replace(right, wrong))
            done = run("explain", model)
            assert (right in text, done.exit_code, "learned from" in done.stderr) == (True, 0, False)


class TestBy:
    def test_learn(self, table: Path, run: Run) -> None:
        """One model per version in natural order, each equal to the one of --where, in a file of its own."""
        done = run(*LEARN, "--by", "version", "-o", "m.json", "--json")
        assert done.exit_code == 0, done.stderr
        found = json.loads(done.stdout)
        assert (found["schema"], found["by"]) == ("splc.learn.by/1", "version")
        assert [each["value"] for each in found["models"]] == ["v1", "v2", "v10"]
        for each in found["models"]:
            own = json.loads(run(*LEARN, "--where", f"version={each['value']}", "-o", "own.json", "--json").stdout)
            assert own["model"] == each["model"]
            assert each["output"] == f"m-{each['value']}.json"
            assert json.loads((table / each["output"]).read_text())["provenance"]["contexts"] == each["contexts"]

    def test_a_change_without_a_settled_influence(self, folder: Path, run: Run) -> None:
        """A clear mean ratio is stated although no influence changed clearly; noise around 1 is not."""
        rng = random.Random(7)
        lines = ["version,a,b,n,time"]
        for version, factor in (("1", 1.0), ("2", 1.0), ("3", 1.4)):
            for at in range(32):
                a, b, n = at % 2, at // 2 % 2, 1 + at // 4
                value = factor * (10 + 4 * a * n + 8 * b) * rng.uniform(0.6, 1.4)
                lines.append(f"v{version},{a},{b},{n},{value:.4f}")
        (folder / "versions.csv").write_text("\n".join(lines) + "\n")
        given = ("--measurements", "versions.csv", "--options", "a,b,n", "--by", "version")
        arguments = ("learn", "--learner", "stepwise", *given)
        (folder / "system.xml").unlink()
        changes = json.loads(run(*arguments, "--json").stdout)["changes"]
        same, other = ((each["ratio"], each["ratio_error"]) for each in changes)
        # The mean of noisy ratios is above 1 although nothing changed.
        assert same[0] - 1 > 2 * same[1]
        assert other[0] - 1 > 2 * other[1]
        assert not any(each["settled"] for change in changes for each in change["sets"])
        shown = run(*arguments).stdout
        stated = f"the values changed by a factor of {other[0]:.4g} on average; which influences changed cannot be told"
        unchanged = "no influence changed by more than its uncertainty"
        assert f"\n\nversion 'v1' → 'v2': {unchanged}\nversion 'v2' → 'v3': {stated}\n" in shown

    def test_predict(self, table: Path, run: Run) -> None:
        """The error per version is that of --where."""
        model = ("predict", "other.txt", "measurements.csv", "--property", "time")
        found = json.loads(run(*model, "--by", "version", "--json").stdout)["values"]
        assert [each["value"] for each in found] == ["v1", "v2", "v10"]
        for each in found:
            own = json.loads(run(*model, "--where", f"version={each['value']}", "--json").stdout)
            assert own["error"] == each["error"]
        done = run(*model, "--by", "version", "-o", "p.csv")
        assert (table / "p-v10.csv").read_text().count("\n") == 10
        assert "'v10'" in done.stdout

    def test_study(self, table: Path, run: Run, refused: Refused) -> None:
        """A study of each version has its own folder, and one table has all of them."""
        text = 'property = "time"\nby = "version"\nsamplings = ["measured"]\n[learners.s]\nlearner = "stepwise"\n'
        (table / "study.toml").write_text(text)
        done = run("study", "--no-pictures", "--jobs", "1", "--json")
        assert done.exit_code == 0, done.stderr
        found = json.loads(done.stdout)
        assert [each["value"] for each in found["values"]] == ["v1", "v2", "v10"]
        lines = (table / "results" / "contexts.csv").read_text().splitlines()
        assert {line.split(",")[0] for line in lines[1:]} == {"v1", "v2", "v10"}
        manifest = json.loads((table / "results" / "v10" / "manifest.json").read_text())
        assert manifest["contexts"] == {"version": "v10"}
        again = json.loads(run("study", "--no-pictures", "--jobs", "1", "--json").stdout)
        assert all(each["done_before"] == each["tasks"] for each in again["values"])
        (table / "study.toml").write_text(text.replace("by =", 'where = { version = "v1" }\nby ='))
        assert "'version' is in by and in where" in refused("study")
        (table / "study.toml").write_text(text.replace('by = "version"', "by = 3"))
        assert "by must be the name of a column" in refused("study")
        folders = ("--no-pictures", "--jobs", "1", "--json", "-o", "own")
        for value in ("v1", "v10"):
            (table / "study.toml").write_text(text.replace('by = "version"', f'where = {{ version = "{value}" }}'))
            own = json.loads(run("study", *folders, "--force").stdout)
            assert (own["done_before"], own["runs"][0]["learned_from"]) == (0, 9)
        (table / "study.toml").write_text(text.replace('by = "version"\n', ""))
        assert "the context 'version' has 3 values" in refused("study")
