"""Draws as SPL Conqueror's program makes them, and wrong populations."""

from __future__ import annotations

from pathlib import Path

import pytest

from sampling import Space, draw_sample, sample
from sampling.draws import DotNetRandom
from splc.system.variability import VariabilityModel
from tests.sampling.conftest import PLANE
from tests.support.golden_messages import check_calls, check_messages


@pytest.fixture
def mixed() -> VariabilityModel:
    """Return a system of both kinds of options with 18 valid configurations."""
    return VariabilityModel.of({"a": bool, "b": bool, "x": range(3), "y": [2, 4]}, ["a | b"])


@pytest.mark.parametrize(
    ("spec", "n", "part"),
    [("random:11", 11, slice(None)), ("random:3+ff", 3, slice(0, 2)), ("all+random:5", 5, slice(2, None))],
)
def test_draws_of_the_program(mixed: VariabilityModel, spec: str, n: int, part: slice) -> None:
    """`compat` draws as `list.RemoveAt(random.Next(list.Count))` does, of either part and of configurations.

    `compat=2018` draws positions in the whole list, as the program did before June 2023, and repeats again.
    """
    everything = list(dict.fromkeys(tuple(row[part]) for row in Space(mixed).enumerate().indices.tolist()))
    random = DotNetRandom(10)
    repeated = dict.fromkeys(random.below(len(everything)) for _ in range(200))
    expected = {"compat=2018": [everything[at] for at in list(repeated)[:n]]}
    random = DotNetRandom(10)
    expected["compat"] = [everything.pop(random.below(len(everything))) for _ in range(n)]
    assert expected["compat"] != expected["compat=2018"]
    for rule, rows in expected.items():
        found = sample(mixed, spec.replace(f":{n}", f":{n},{rule},seed=10")).indices.tolist()
        assert list(dict.fromkeys(tuple(row[part]) for row in found)) == rows


def test_limits_of_the_program(mixed: VariabilityModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other versions, lists that are too large, seeds of more than 32 bits, and populations are golden rows."""
    monkeypatch.chdir(tmp_path)

    def drawn(system: VariabilityModel, spec: str) -> tuple[int, tuple[str, ...]]:
        found = draw_sample(system, spec)
        return len(found.configurations), found.notes

    def chosen(system: VariabilityModel, spec: str, text: str) -> str:
        Path("all.csv").write_text(text, encoding="utf-8")
        found = draw_sample(system, spec.replace("FILE", "from=all.csv"))
        return " ".join(["".join(map(str, row)) for row in found.configurations.indices.tolist()] + [*found.notes])

    large = VariabilityModel.of({f"b{at}": bool for at in range(45)} | {"x": [1, 2]})
    small = VariabilityModel.of({"a": bool, "b": bool, "x": [1, 2]})
    check_calls("draws-of-the-program", drawn, chosen, mixed=mixed, large=large, small=small, PLANE=PLANE)


def test_wrong_populations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged population is one error that names the file."""
    model = VariabilityModel.of({"a": bool, "b": bool, "x": [1, 2]})
    monkeypatch.chdir(tmp_path)

    def reject(text: str) -> None:
        Path("population.csv").write_text(text, encoding="utf-8")
        sample(model, "random:1,from=population.csv")

    check_messages("populations", reject)
