"""`splc scale`."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from splc import read_model
from splc.scaling.profile import fit_experiment
from splc.workflows.scale.view import MANY
from tests.cli.conftest import Run
from tests.support.cube_files import write_cube
from tests.support.real_data import DATA

Refused = Callable[..., str]
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
    def test_a_call_path_without_a_model(self, run: Run, refused: Refused, empty: Path) -> None:
        """The others are written and shown, and the exit code is 1; without any other it is an error that names it."""
        (empty / "profile.txt").write_text(PROFILE + "REGION main->none\n" + "DATA\n" * 5, encoding="utf-8")
        result = run("scale", "profile.txt")
        assert result.exit_code == 1
        assert "no model of main->none, time: it has no values" in result.stderr
        assert len(json.loads((empty / "learned.json").read_text(encoding="utf-8"))["models"]) == 2
        found = fitted(run, "profile.txt", "--callpath", "*n*", code=1)
        assert [each["callpath"] for each in found["failed"]] == ["main->none"]
        assert "no model of main->none, time: it has no values" in refused(
            "scale", "profile.txt", "--callpath", "*none"
        )

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

    def test_several_in_a_text_are_refused_by_the_reader(self, run: Run, refused: Refused, empty: Path) -> None:
        """A text of several models has each below a comment, and is no single model."""
        assert run("scale", "profile.txt", "-o", "all.txt").exit_code == 0
        text = (empty / "all.txt").read_text(encoding="utf-8")
        assert text.index("# main->sort, time: ") < text.index("p^2") < text.index("# main->send, time: ")
        with pytest.raises(Exception, match="another expression follows the model"):
            read_model(empty / "all.txt")
        assert "there are 2 models" in refused("scale", "profile.txt", "-o", "all.log")
        assert not (empty / "all.log").exists()

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

    def test_two_segments(self, run: Run, refused: Refused, empty: Path) -> None:
        """A change of behaviour is in every form that can say it, and refused by the one that cannot."""
        rows = [f"{p},{p * p if p <= 6 else 30 + p}\n" for p in range(1, 13)]
        (empty / "turn.csv").write_text("p,time\n" + "".join(rows), encoding="utf-8")
        asked = ("scale", "turn.csv", "--set", "segmented=true")
        for name in ("turn.py", "turn.txt", "turn.tex"):
            assert run(*asked, "-o", name).exit_code == 0
        function = runpy.run_path(str(empty / "turn.py"))["time"]
        assert [function(p) for p in (3, 10)] == pytest.approx([9, 40])
        assert "up to there it is 1 * p^2" in (empty / "turn.txt").read_text(encoding="utf-8")
        assert r"\leq 6" in (empty / "turn.tex").read_text(encoding="utf-8")
        assert "two segments" in refused(*asked, "-o", "turn.log")
        (model,) = [fitted(run, *asked[1:])]
        assert model["scaling"]["change"] == 6
        assert model["scaling"]["below"]["model"]["text"] == "1 * p^2"

    def test_two_segments_of_two_parameters(self, run: Run, empty: Path) -> None:
        """The parameter along which the behaviour changes is named in the text, the JSON, and every file."""
        rows = [f"{n},{p},{n * (p * p if p <= 6 else 30 + p)}\n" for n in (2, 4, 8, 16) for p in range(1, 13)]
        (empty / "turn.csv").write_text("n,p,value\n" + "".join(rows), encoding="utf-8")
        asked = ("scale", "turn.csv", "--coordinates", "n,p", "--set", "segmented=true")
        assert "up to p = 6:" in run(*asked, "--predict-at", "n=2,p=3").stdout
        for name in ("turn.py", "turn.txt", "turn.tex"):
            assert run(*asked, "-o", name).exit_code == 0
        (function,) = runpy.run_path(str(empty / "turn.py"))["MODELS"].values()
        assert [function(2, 3), function(2, 10)] == pytest.approx([18, 80])
        assert "# beyond p = 6" in (empty / "turn.txt").read_text(encoding="utf-8")
        assert r"p $\leq 6$" in (empty / "turn.tex").read_text(encoding="utf-8")
        (model,) = [fitted(run, *asked[1:])]
        assert (model["scaling"]["changing"], model["scaling"]["change"]) == ("p", 6)

    def test_predictions(self, run: Run, empty: Path) -> None:
        """Further points are predicted with intervals around them, and how far beyond the measured ones they lie."""
        found = fitted(run, "profile.txt", "--predict-at", "p=64", "--predict-at", "p = 4")
        far, near = found["models"][0]["predictions"]
        assert far["predicted"] == pytest.approx(3 + 2 * 64**2, rel=0.01)
        assert far["lower"] <= far["predicted"] <= far["upper"]
        assert (far["distance"], near["distance"], far["level"]) == (2, 1, 0.9)
        table = run("scale", "profile.txt", "--predict-at", "p=64").stdout
        assert "p = 64" in table.splitlines()[1]

    def test_methods_and_settings(self, run: Run, empty: Path) -> None:
        """Methods are chosen by name, settings given as texts arrive as what they are."""
        asked = ("profile.txt", "--callpath", "main->sort")
        found = fitted(run, *asked, "--method", "classic", "--set", "terms=2", "--set", "exponents=1,3/2,2;0,1")
        assert found["settings"]["method"] == "classic"
        assert found["settings"]["terms"] == 2
        assert ["3/2", "1"] in found["settings"]["exponents"]
        assert found["scaling"]["lead"] == {"p": {"power": "2", "log": "0"}}
        assert fitted(run, *asked, "--set", "aggregate=min")["settings"]["aggregate"] == "minimum"
        assert fitted(run, *asked)["settings"]["aggregate"] == "robust"

    def test_incomplete_series(self, run: Run, empty: Path) -> None:
        """A series that lacks points has a model and a note; one without values has no model, the others have one."""
        rows = [f"{p},{path},{p}" for path in ("all", "some") for p in (2, 4, 8, 16, 32) if (path, p) != ("some", 8)]
        text = "\n".join(["p,callpath,value", *rows, "2,none,"]) + "\n"
        (empty / "gaps.csv").write_text(text, encoding="utf-8")
        result = run("scale", "gaps.csv")
        assert "measured at 4 of 5 points" in result.stderr
        assert len([line for line in result.stdout.splitlines() if line.startswith(("all", "some"))]) == 2
        found = fitted(run, "gaps.csv", code=1)
        assert [each["scaling"]["points"] for each in found["models"]] == [5, 4]

    def test_a_parameter_that_never_varies(self, run: Run, empty: Path) -> None:
        """A parameter that is the same at all points is left out with a note, and need not be given for predictions."""
        rows = "".join(f"{p},7,{p * p}\n" for p in (2, 4, 8, 16, 32))
        (empty / "one.csv").write_text("p,q,value\n" + rows, encoding="utf-8")
        found = fitted(run, "one.csv", "--predict-at", "p=64")
        assert found["scaling"]["parameters"] == ["p"]
        assert found["predictions"][0]["predicted"] == pytest.approx(4096)
        assert "q is 7 at all points" in " ".join(found["notes"])
        assert run("scale", "one.csv").stderr.count("q is 7 at all points") == 1

    def test_jobs(self, run: Run, empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """`--jobs` is the number of processes."""
        asked = []

        def in_one(*arguments: Any, jobs: int, **settings: Any) -> Any:
            asked.append(jobs)
            return fit_experiment(*arguments, **settings)

        monkeypatch.setattr("splc.workflows.scale.scale.fit_experiment", in_one)
        fitted(run, "profile.txt", "--jobs", "2")
        assert asked == [2]

    @pytest.mark.slow
    def test_processes(self, run: Run, empty: Path) -> None:
        """Several processes give the same models as one."""
        from joblib.externals.loky import get_reusable_executor

        both = [fitted(run, "profile.txt", "--jobs", jobs)["models"] for jobs in ("1", "2")]
        one, two = ([(each["callpath"], each["model"]) for each in models] for models in both)
        assert one == two
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


def test_a_line_per_model(run: Run, empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of very many models have a line per model, with the same content."""
    assert run("scale", "profile.txt", "-o", "indented.json").exit_code == 0
    monkeypatch.setattr("splc.formats.models.json_writer.MAX_INDENTED", 1)
    assert run("scale", "profile.txt", "-o", "lines.json").exit_code == 0
    texts = [(empty / name).read_text(encoding="utf-8") for name in ("indented.json", "lines.json")]
    assert json.loads(texts[0]) == json.loads(texts[1])
    assert sum('"callpath"' in line for line in texts[1].splitlines()) == 2
    assert 5 * len(texts[1].splitlines()) < len(texts[0].splitlines())


class TestTrees:
    def test_ranking(self, run: Run, empty: Path) -> None:
        """The tree and the ranking at the target are printed, drawn, and in the JSON."""
        asked = ("scale", "profile.txt", "--predict-at", "p=1024", "--tree", "--top", "1")
        result = run(*asked, "--plot", "shares.svg")
        assert result.exit_code == 0, result.stderr
        lines = [line.split() for line in result.stdout.splitlines()]
        assert ["sort", "2.097e+06", "99.8", "%", "99.8", "%"] in lines
        assert next(line for line in lines if line[:2] == ["1", "main->sort"])[-4:] == ["99.8", "%", "92.8", "%"]
        assert "… 1 more (0.2 % together; --top N)" in result.stdout
        assert "time at p = 1024, and at the largest measured values, p = 32:\n" in result.stdout
        assert (empty / "shares.svg").read_bytes().startswith(b"<svg")
        (tree,) = fitted(run, *asked[1:])["trees"]
        assert (tree["metric"], tree["at"], tree["measured_at"]) == ("time", {"p": 1024}, {"p": 32})
        assert [(each["rank"], each["callpath"]) for each in tree["callpaths"]] == [
            (1, "main->sort"),
            (2, "main->send"),
            (None, "main"),
        ]
        assert sum(each["share"] for each in tree["callpaths"]) == pytest.approx(100)

    def test_without_a_target(self, run: Run, empty: Path) -> None:
        """Without a target the tree is at four times the largest measured values."""
        assert fitted(run, "profile.txt", "--tree")["trees"][0]["at"] == {"p": 128}

    def test_cube_profiles(self, run: Run, refused: Refused, empty: Path) -> None:
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
