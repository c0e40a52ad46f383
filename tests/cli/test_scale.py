"""`splc scale`: profiles, output of benchmark tools, and what does not change the measurements changes no model."""

from __future__ import annotations

import csv
import json
import runpy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splc import read_model
from splc.workflows.scale.view import MANY
from tests.cli.conftest import Run
from tests.support.cube_files import write_cube
from tests.support.real_data import DATA

# A third of them is in the usual run.
FILES = [
    pytest.param(file, id=file.name, marks=pytest.mark.slow if at % 3 else ())
    for at, file in enumerate(sorted((DATA / "extrap_formats").glob("*/*")))
]

# 3 + 2 p^2 and 5 p, each with a repetition that lies a little off.
PROFILE = """PARAMETER p
POINTS (2) (4) (8) (16) (32)
METRIC time
REGION main->sort
DATA 11 11.01
DATA 35 35.01
DATA 131 131.01
DATA 515 515.01
DATA 2051 2051.01
REGION main->send
DATA 10 10.01
DATA 20 20.01
DATA 40 40.01
DATA 80 80.01
DATA 160 160.01
"""


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the current one, with a profile in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "profile.txt").write_text(PROFILE, encoding="utf-8")
    return tmp_path


def fitted(run: Run, *arguments: str, stdin: str | None = None, code: int = 0) -> Any:
    """Return the JSON object of a run with this exit code."""
    result = run("scale", "--json", *arguments, stdin=stdin)
    assert result.exit_code == code, result.stderr
    return json.loads(result.stdout)


class TestProfiles:
    @pytest.mark.parametrize("count", [MANY, MANY + 1])
    def test_json_of_many_models(self, run: Run, empty: Path, count: int) -> None:
        """The object of many models has the entries that each model has alone."""
        lines = [
            {"params": {"p": p}, "callpath": f"f{at}", "value": 3 + at * p}
            for at in range(count)
            for p in (2, 4, 8, 16)
        ]
        (empty / "many.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        found = fitted(run, "many.jsonl")
        alone = fitted(run, "many.jsonl", "--callpath", "f7")
        assert [each["callpath"] for each in found["models"]] == [f"f{at}" for at in range(count)]
        assert found["models"][7]["model"] == alone["model"]
        assert found["output"] == "learned.json"

    def test_one_model_is_read_like_every_other(self, run: Run, empty: Path) -> None:
        """The JSON and the text of one model are models, which predict what the function gives."""
        for name in ("one.json", "one.txt", "one.log"):
            chosen = ("--callpath", "main->sort", "--metric", "time")
            assert run("scale", "profile.txt", *chosen, "-o", name).exit_code == 0
            influences = {term.text(): influence for term, influence in read_model(empty / name).terms}
            assert influences == pytest.approx({"1": 3.005, "p^2": 2}, rel=1e-2)

    def test_python(self, run: Run, empty: Path) -> None:
        """The Python module has a function per model, also where names are no identifiers or the same as one."""
        rows = [
            f"{p},{path},{value}"
            for path, scale in (("a-b", 1), ("a b", 2), ("class", 3), ('say "x"\\', 4))
            for p in (2, 4, 8, 16, 32)
            for value in (scale * p**2,)
        ]
        (empty / "names.csv").write_text(
            "lambda;callpath;value\n" + "\n".join(rows).replace(",", ";"), encoding="utf-8"
        )
        assert run("scale", "names.csv", "-o", "all.py").exit_code == 0
        found = runpy.run_path(str(empty / "all.py"))
        values = {path: function(10) for (path, _), function in found["MODELS"].items()}
        assert values == pytest.approx({"a-b": 100, "a b": 200, "class": 300, 'say "x"\\': 400})
        assert {"a_b", "a_b_2", "model_class", "say_x"} <= set(found)

    def test_two_segments(self, run: Run, empty: Path) -> None:
        """The Python function of a change of behaviour follows both models, also of two parameters."""
        rows = [f"{n},{p},{n * (p * p if p <= 6 else 30 + p)}\n" for n in (1, 2, 4, 8, 16) for p in range(1, 13)]
        for header, chosen in (("n,p", rows), ("p", [row.removeprefix("1,") for row in rows[:12]])):
            (empty / "turn.csv").write_text(f"{header},time\n" + "".join(chosen), encoding="utf-8")
            asked = ("turn.csv", "--coordinates", header, "--set", "segmented=true", "-o", "turn.py")
            assert run("scale", *asked).exit_code == 0
            (function,) = runpy.run_path(str(empty / "turn.py"))["MODELS"].values()
            points = [(2, 3), (2, 10)] if header == "n,p" else [(3,), (10,)]
            factor = 2 if header == "n,p" else 1
            assert [function(*point) for point in points] == pytest.approx([9 * factor, 40 * factor])

    @pytest.mark.slow
    def test_processes(self, run: Run, empty: Path) -> None:
        """Several processes give the same models as one."""
        from joblib.externals.loky import get_reusable_executor

        both = [fitted(run, "profile.txt", "--jobs", jobs)["models"] for jobs in ("1", "2")]
        terms = [
            {
                f"{each['callpath']} {term['term']}": term["influence"]
                for each in models
                for term in each["model"]["terms"]
            }
            for models in both
        ]
        assert terms[1] == pytest.approx(terms[0], rel=1e-9)
        # A command ends them when it ends; the processes of pytest-xdist end without that.
        get_reusable_executor().shutdown(wait=True)

    @pytest.mark.real_data
    @pytest.mark.parametrize("file", FILES)
    def test_published_files(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
        """Every file of Extra-P's tests gives a finite model for each of its series."""
        monkeypatch.chdir(tmp_path)
        found = fitted(run, str(file))
        entries = found.get("models", [found])
        assert not found["failed"]
        assert all(each["model"]["terms"] and each["scaling"]["smape"] is not None for each in entries)


@pytest.mark.real_data
def test_hypotheses_without_variance(run: Run) -> None:
    """Points at which a hypothesis has no variance are candidates without warnings."""
    file = str(DATA / "extrap_formats" / "jsonlines" / "incomplete_matrix_2p.jsonl")
    assert fitted(run, file, "--suggest", "--target", "x=100,y=10")["next"][0]["gain"] > 0


def test_a_line_per_model(run: Run, empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of very many models have a line per model, with the same content."""
    assert run("scale", "profile.txt", "-o", "indented.json").exit_code == 0
    monkeypatch.setattr("splc.formats.models.json.MAX_INDENTED", 1)
    assert run("scale", "profile.txt", "-o", "lines.json").exit_code == 0
    texts = [(empty / name).read_text(encoding="utf-8") for name in ("indented.json", "lines.json")]
    assert json.loads(texts[0]) == json.loads(texts[1])
    assert sum('"callpath"' in line for line in texts[1].splitlines()) == 2
    assert 5 * len(texts[1].splitlines()) < len(texts[0].splitlines())


def test_cube_profiles(run: Run, refused: Refused, empty: Path) -> None:
    """A folder of CUBE profiles gives models of exclusive means, or of inclusive sums."""
    pytest.importorskip("pycubexr", reason="the extra cube is not installed")
    nodes = ("main", "main->sweep")
    for p in (1, 2, 4, 8, 16):
        values = {"main": (3.0 + p, 3.0 + 3 * p), "main->sweep": (1.0 * p, 3.0 * p)}
        metrics = {"time": ("INCLUSIVE", "DOUBLE", values)}
        write_cube(empty / "runs" / f"app.p{p}.r1" / "profile.cubex", metrics, nodes=nodes)
    found = {each["callpath"]: each for each in fitted(run, "runs", "--metric", "time")["models"]}
    assert found["main"]["model"]["text"] == "3"
    assert found["main->sweep"]["predictions"] == []
    assert found["main->sweep"]["model"]["terms"][-1]["influence"] == pytest.approx(2)
    sums = fitted(run, "runs", "--scaling", "strong", "--inclusive", "--callpath", "main", "--predict-at", "p=32")
    assert sums["predictions"][0]["predicted"] == pytest.approx(6 + 4 * 32)
    assert "folders of CUBE profiles only" in refused("scale", "profile.txt", "--scaling", "weak")
    assert "'week' is not one of 'weak', 'weak_threaded', 'strong'" in refused("scale", "runs", "--scaling", "week")
    (empty / "runs" / "app.p2.r1" / "profile.cubex").write_bytes(b"no archive")
    assert "app.p2.r1/profile.cubex: not a complete CUBE profile" in refused("scale", "runs")


Refused = Callable[..., str]


TOLERANCE = 1e-9
METHODS = ("default", "basic", "refinement", "extrap")


@dataclass(frozen=True)
class Profile:
    """A profile of the same measurements, told in another way."""

    shuffled: bool = False  # whether rows are in random order; the repetitions of a point keep theirs
    columns: tuple[int, ...] = (0, 1, 2, 3)  # the order of the columns
    names: tuple[str, str] = ("p", "n")  # the names of the parameters
    unit: float = 1.0  # what values are multiplied by
    context: bool = False  # whether rows of another context are in the same file
    others: bool = True  # whether there are other call paths


CHANGED = (
    Profile(shuffled=True),
    Profile(columns=(3, 2, 1, 0)),
    Profile(names=("workers", "length")),
    Profile(unit=1000.0),
    Profile(unit=1e-9),
    Profile(context=True),
    Profile(others=False),
)


def written(path: Path, profile: Profile) -> None:
    """Write a profile as CSV."""
    rng = np.random.default_rng(1)
    rows = []
    for p in (2, 4, 8, 16, 32):
        for n in (10, 20, 30, 40, 50):
            values = {"main": 3 + 0.1 * n * p**0.5, "main->f": 1 + 0.02 * n**2}
            for path_, value in values.items():
                measured = value * rng.normal(1, 0.03, 3) * profile.unit
                if path_ == "main" or profile.others:
                    rows += [[str(p), str(n), path_, f"{each:.17g}"] for each in measured]
    if profile.shuffled:
        rng.shuffle(rows)
    header = [*profile.names, "callpath", "time"]
    rows = [[row[at] for at in profile.columns] for row in [header, *rows]]
    if profile.context:
        others = [[*row, "b"] for row in rows[1:]]
        rows = [[*rows[0], "version"], *others, *([*row, "a"] for row in rows[1:])]
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)


def model(run: Run, folder: Path, profile: Profile, method: str) -> dict[str, Any]:
    """Return the numbers of the model of a call path, in the unit of the first profile."""
    written(folder / "profile.csv", profile)
    first, second = profile.names
    where = ("--where", "version=a") if profile.context else ()
    point = ("--predict-at", f"{first}=64,{second}=60", "--coordinates", f"{first},{second}")
    chosen = ("--callpath", "main", "--set", f"method={method}", "-o", str(folder / "m.json"))
    found = fitted(run, str(folder / "profile.csv"), *point, *chosen, *where)
    terms = found["model"]["terms"]
    powers = [
        {("p", "n")[profile.names.index(each["option"])]: (each["power"], each["log10"]) for each in term["factors"]}
        for term in terms
    ]
    (predicted,) = found["predictions"]
    values = [predicted[name] for name in ("predicted", "lower", "upper")]
    return {
        "powers": powers,
        "influences": [each["influence"] / profile.unit for each in terms],
        "predictions": [value / profile.unit for value in values if value is not None],
        "errors": [found["learning_error"], found["scaling"]["smape"], found["scaling"]["adjusted_r2"]],
    }


@pytest.mark.parametrize("method", METHODS)
def test_laws(run: Run, tmp_path: Path, method: str) -> None:
    """Models follow the order of rows and columns, names, units, and a split of contexts and call paths."""
    expected = model(run, tmp_path, Profile(), method)
    for changed in CHANGED:
        found = model(run, tmp_path, changed, method)
        assert found["powers"] == expected["powers"], changed
        for key in ("influences", "predictions", "errors"):
            np.testing.assert_allclose(found[key], expected[key], rtol=TOLERANCE, err_msg=f"{key} of {changed}")
