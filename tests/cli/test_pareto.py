"""`splc optimize` with several properties: the Pareto front."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from splc.cli.commands import optimize
from tests.cli.conftest import Run
from tests.cli.test_optimize import Refused, optimal
from tests.support.pictures import SIGNATURES


@pytest.fixture(autouse=True)
def _model(folder: Path) -> None:
    """Put a model into the project folder."""
    (folder / "model.txt").write_text("20 - 10 * cache + x * right - 2 * x\n", encoding="utf-8")


class TestSeveralProperties:
    @pytest.fixture(autouse=True)
    def _size(self, folder: Path) -> None:
        (folder / "size.txt").write_text("3 * x + 4 * cache\n", encoding="utf-8")

    def test_the_front(self, run: Run) -> None:
        """The front is in the order of the first model; models without a property have the names of their files."""
        found = optimal(run, "model.txt", "size.txt")
        assert [each["name"] for each in found["properties"]] == ["model.txt", "size.txt"]
        front = [
            tuple(each["properties"][name]["predicted"] for name in ("model.txt", "size.txt"))
            for each in found["front"]
        ]
        assert front == [(2, 16), (6, 10), (8, 7), (16, 6), (18, 3)]
        assert "configuration" not in found
        lines = run("optimize", "model.txt", "size.txt").stdout.splitlines()
        assert lines[0] == "Pareto front (least model.txt, least size.txt): 5 configurations"
        assert lines[2].split() == ["1", "2", "16", "cache,", "x=4"]
        assert lines[-1] == "in all: left"

    def test_properties(self, run: Run) -> None:
        """Properties are given in the order of the models; some may be maximized; values can be fixed."""
        arguments = ("--property", "time", "--property", "energy", "--maximize-only", "energy", "--fix", "cache")
        found = optimal(run, "model.txt", "size.txt", *arguments)
        assert found["properties"] == [
            {"name": "time", "nfp": "time", "maximize": False},
            {"name": "energy", "nfp": "energy", "maximize": True},
        ]
        (best,) = found["front"]
        assert best["configuration"] == {"cache": 1, "left": 1, "right": 0, "x": 4}
        assert {name: value["measured"] for name, value in best["properties"].items()} == {"time": 14, "energy": 40}
        assert found["fixed"] == {"cache": 1}

    @pytest.mark.parametrize(
        ("arguments", "measured"),
        [
            ((), [(1.5, 10)]),
            (("--maximize-only", "energy"), [(1.5, 10), (2.5, 20), (5, 40)]),
            (("--maximize-only", "energy", "--fix", "right"), [(1.5, 10), (3, 20), (6, 40)]),
            (("--maximize",), [(14, 40)]),
        ],
    )
    def test_the_front_of_the_measured_values(
        self, run: Run, arguments: tuple[str, ...], measured: list[tuple[float, float]]
    ) -> None:
        """The measured configurations that no other measured one surpasses are shown with their predictions."""
        every = ("model.txt", "size.txt", "--property", "time", "--property", "energy", *arguments)
        front = optimal(run, *every)["measured_front"]
        names = ("time", "energy")
        assert [tuple(each["properties"][name]["measured"] for name in names) for each in front] == measured
        for each in front:
            options = each["configuration"]
            predicted = [each["properties"][name]["predicted"] for name in names]
            x, cache, right = options["x"], options["cache"], options["right"]
            assert predicted == [20 - 10 * cache + x * right - 2 * x, 3 * x + 4 * cache]
        text = run("optimize", *every).stdout
        count = "1 configuration" if len(measured) == 1 else f"{len(measured)} configurations"
        lines = text[text.index(f"Pareto front of the measured values: {count}\n") :].splitlines()
        assert lines[1].split()[:5] == ["#", "time", "predicted", "energy", "predicted"]
        assert [tuple(float(cell) for cell in line.split()[1:4:2]) for line in lines[2 : 2 + len(measured)]] == measured

    def test_no_measured_front(self, run: Run) -> None:
        """There is none unless all properties were measured."""
        assert optimal(run, "model.txt", "size.txt")["measured_front"] is None
        assert "measured values" not in run("optimize", "model.txt", "size.txt").stdout

    def test_progress(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        """The progress of learning is shown, and that of the predictions of full models."""
        lines: list[str] = []

        @contextmanager
        def recorded(what: str) -> Iterator[Callable[[int, int | None, str], None]]:
            yield lambda done, total, text: lines.append(text)

        monkeypatch.setattr(optimize, "progress", recorded)
        assert run("optimize", "model.txt").exit_code == 0
        assert not lines
        optimal(run, "--property", "time", "--property", "energy")
        assert lines == [
            "learning time (1 of 2)",
            "learning energy (2 of 2)",
            "predicting (9 of 9 configurations)",
        ]

    def test_without_models(self, run: Run) -> None:
        """Without a model, one is learned for each property, and a note says so."""
        found = optimal(run, "--property", "time", "--property", "energy")
        assert [each["name"] for each in found["properties"]] == ["time", "energy"]
        assert all(value["interval"] for each in found["front"] for value in each["properties"].values())
        result = run("optimize", "--property", "time")
        assert "note: the model of time is learned from 9 measured configurations" in result.stderr
        assert result.stdout.startswith("predicted: ")

    def test_no_learned_model_is_written(self, run: Run, folder: Path) -> None:
        """Learning for an optimum writes no file."""
        run("optimize", "--property", "time")
        assert not (folder / "learned.log").exists()

    @pytest.mark.parametrize("suffix", SIGNATURES)
    def test_a_plot(self, run: Run, folder: Path, suffix: str) -> None:
        """The front is drawn with the measured configurations."""
        arguments = ("--property", "time", "--property", "energy", "--plot", f"p.{suffix}")
        assert optimal(run, "model.txt", "size.txt", *arguments)["plot"] == f"p.{suffix}"
        assert (folder / f"p.{suffix}").read_bytes().startswith(SIGNATURES[suffix])

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("model.txt", "size.txt", "--property", "time"), "1 property and 2 models are given"),
            (("model.txt", "--property", "time", "--property", "energy"), "2 properties and 1 model are given"),
            (("--property", "time", "--property", "time"), "'time' is named twice"),
            (("model.txt", "size.txt", "--top", "3"), "several properties have a Pareto front"),
            (("model.txt", "size.txt", "--maximize-only", "siz.txt"), "did you mean 'size.txt'?"),
            (("model.txt", "--maximize", "--maximize-only", "model.txt"), "one of them is enough"),
            (("model.txt", "--plot", "a.svg"), "the plot shows the Pareto front of several properties"),
            (("-", "-"), "only one of the models can be standard input"),
            (("--parameter", "alpha=1", "--property", "time"), "no model uses a parameter 'alpha'"),
            ((), "there are several properties: time, energy"),
        ],
    )
    def test_refusals(self, refused: Refused, arguments: tuple[str, ...], message: str) -> None:
        """Contradictions are refused."""
        assert message in " ".join(refused("optimize", *arguments).split())
